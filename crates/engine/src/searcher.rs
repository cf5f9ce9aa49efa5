//! Our search as a player: databases where they reach, search elsewhere, and deliberate errors if
//! requested.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::Evaluate;
use nutcracker_game::Random;
use nutcracker_search::player::{Fallible, Level, Perfect, PlayerError as NoMove};
use nutcracker_search::{Engine, EngineOptions, Limits, Oracle, Report, SearchError, Worth};

use crate::grammar::{Go, Info, OptionKind, OptionLine, WireScore};
use crate::{Allotment, Pace, Played, Player, PlayerError, Thought};

/// How a [`Searcher`] plays.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The strength.
    pub level: Level,
    /// Whether moves that provoke errors are preferred among equal ones, where databases reach.
    pub trappy: bool,
    /// Options of the search.
    pub search: EngineOptions,
    /// The same seed makes the same errors.
    pub seed: u64,
}

impl Default for Settings {
    /// Perfect play without a limit of its own.
    fn default() -> Self {
        Settings { level: Level::PERFECT, trappy: false, search: EngineOptions::default(), seed: 1 }
    }
}

/// Positions that the perfect player may examine for a move: without time pressure, and with less
/// than each of [`HURRY`] on the clock. With few of them it still keeps the score, but may make no
/// progress.
const POSITIONS: [usize; 3] = [500_000, 20_000, 500];
const HURRY: [Duration; 2] = [Duration::from_secs(4), Duration::from_millis(200)];
/// The depth of a fallible player without another limit.
const LEVEL_DEPTH: u32 = 6;
/// The depth that a trap assumes of the opponent.
const TRAP_DEPTH: u32 = 2;

/// Our search as a player.
#[derive(Debug)]
pub struct Searcher<G: Evaluate, O: Oracle> {
    game: G,
    oracle: Arc<O>,
    name: String,
    settings: Settings,
    engine: Engine<G, Arc<O>>,
    /// By databases: with much time, with little, and with hardly any.
    perfect: [Perfect<G, Arc<O>>; 3],
    random: Random,
}

impl<G: Evaluate, O> Searcher<G, O>
where
    O: Oracle<Error: Error + Send + 'static> + Send + Sync,
{
    /// A player with this name.
    pub fn new(game: G, oracle: Arc<O>, name: impl Into<String>, settings: Settings) -> Self {
        Searcher {
            engine: Engine::new(game.clone(), Arc::clone(&oracle), settings.search.clone()),
            perfect: POSITIONS
                .map(|limit| Perfect::with_limit(game.clone(), Arc::clone(&oracle), limit)),
            random: Random::new(settings.seed),
            name: name.into(),
            settings,
            oracle,
            game,
        }
    }

    /// Restarts with the current settings.
    fn rebuild(&mut self) {
        let options = self.settings.search.clone();
        self.engine = Engine::new(self.game.clone(), Arc::clone(&self.oracle), options);
    }

    /// A move where databases have every score.
    fn by_database(
        &mut self,
        played: &Played<G>,
        hurry: usize,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        let Settings { level, trappy, .. } = self.settings;
        let (position, history) = (&played.now().position, played.history());
        let perfect = &mut self.perfect[hurry];
        let fallible = Fallible::new(&self.game, level);
        let best = if level < Level::PERFECT {
            perfect.choose_fallible(position, &history, &fallible, &mut self.random)
        } else if trappy {
            let engine = &mut self.engine;
            perfect.choose_trappy(position, &history, &fallible, |at| {
                let values = engine.search_all(at, &[], &Limits::depth(TRAP_DEPTH));
                let values = values.map_err(|SearchError::Oracle(error)| NoMove::Oracle(error))?;
                Ok(values.into_iter().map(|(mv, value)| (mv, value.hundredths())).collect())
            })
        } else {
            perfect.choose(position, &history)
        };
        let best = best.map_err(|error| failed(&error))?;
        let values = perfect.values(position, &history).map_err(|error| failed(&error))?;
        let value = values.iter().map(|valued| valued.value).max().unwrap_or_default();
        let score = Some(Worth::exact(value));
        let pv = played.line(&[best]);
        on_info(&Info {
            depth: Some(1),
            score: score.map(WireScore::from),
            tbhits: Some(values.len() as u64),
            pv,
            ..Info::default()
        });
        Ok(Thought { best, ponder: None, score })
    }

    /// A move by search.
    fn by_search(
        &mut self,
        played: &Played<G>,
        limits: &Limits<'_>,
        pace: &Pace,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        let (position, history) = (&played.now().position, played.history());
        let mut on_report = |report: &Report<G::Move>| {
            on_info(&info(played, report));
            if pace.is_late() {
                pace.stop();
            }
        };
        let report = self.engine.search(position, &history, limits, &mut on_report);
        let report = report.map_err(|error| failed(&error))?;
        let mut line = report.line.iter().copied();
        let best = line.next().ok_or(PlayerError::Over)?;
        Ok(Thought { best, ponder: line.next(), score: Some(report.value) })
    }

    /// A move with deliberate errors, by a search of all moves.
    fn by_chance(
        &mut self,
        played: &Played<G>,
        limits: &Limits<'_>,
        go: &Go,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        let (position, history) = (&played.now().position, played.history());
        // Every move gets its share of the time.
        let count = played.legal().len().max(1) as u32;
        let plan = Allotment::of(go, played.now().mover);
        let limits = Limits {
            depth: limits.depth.map(|depth| depth.saturating_sub(1)),
            nodes: limits.nodes.map(|nodes| nodes / u64::from(count)),
            time: plan.map(|plan| plan.soft / count),
            ..*limits
        };
        let values = self.engine.search_all(position, &history, &limits);
        let values = values.map_err(|error| failed(&error))?;
        let seen: Vec<(G::Move, i32)> =
            values.iter().map(|(mv, value)| (*mv, value.hundredths())).collect();
        let fallible = Fallible::new(&self.game, self.settings.level);
        let (best, _) = fallible.choose(&seen, &mut self.random).ok_or(PlayerError::Over)?;
        let score = values.first().map(|(_, value)| *value);
        let depth = limits.depth.map(|depth| depth + 1);
        let wire = score.map(WireScore::from);
        on_info(&Info { depth, score: wire, pv: played.line(&[best]), ..Info::default() });
        Ok(Thought { best, ponder: None, score })
    }
}

/// An error of the search in one sentence, with its cause.
fn failed(error: &(impl Error + ?Sized)) -> PlayerError {
    PlayerError::Other(match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

fn info<G: Evaluate>(played: &Played<G>, report: &Report<G::Move>) -> Info {
    let seconds = report.elapsed.as_secs_f64();
    Info {
        depth: Some(report.depth),
        score: Some(report.value.into()),
        nodes: Some(report.nodes),
        nps: (seconds > 0.001).then(|| (report.nodes as f64 / seconds) as u64),
        time: Some(report.elapsed),
        hashfull: Some(report.table_permille),
        tbhits: Some(report.probes),
        pv: played.line(&report.line),
        text: None,
    }
}

/// The largest memory of an option, in MiB.
const MOST_HASH: i64 = 1 << 20;

impl<G: Evaluate, O> Player<G> for Searcher<G, O>
where
    O: Oracle<Error: Error + Send + 'static> + Send + Sync,
{
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self) -> Result<(), PlayerError> {
        self.rebuild();
        Ok(())
    }

    fn options(&self) -> Vec<OptionLine> {
        let EngineOptions { threads, table_bytes, probe_depth, .. } = &self.settings.search;
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let levels = Level::all().chain([Level::PERFECT]).map(|level| level.to_string());
        let level = OptionKind::Combo {
            default: self.settings.level.to_string(),
            choices: levels.collect(),
        };
        [
            ("Threads", spin(*threads as i64, 1, 1024)),
            ("Hash", spin((table_bytes >> 20) as i64, 1, MOST_HASH)),
            ("Level", level),
            ("Trappy", OptionKind::Check { default: self.settings.trappy }),
            ("ProbeDepth", spin(i64::from(*probe_depth), 0, 100)),
            ("Ponder", OptionKind::Check { default: false }),
        ]
        .map(|(name, kind)| OptionLine { name: name.to_owned(), kind })
        .into()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let value = value.unwrap_or_default();
        let number = |most: i64| match value.parse::<i64>() {
            Ok(number) if (0..=most).contains(&number) => Ok(number),
            _ => Err(format!("{name} is a number up to {most}, not {value:?}")),
        };
        let check = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("{name} is true or false, not {value:?}")),
        };
        let search = &mut self.settings.search;
        match name.to_ascii_lowercase().as_str() {
            "threads" => search.threads = number(1024)?.max(1) as usize,
            "hash" => search.table_bytes = (number(MOST_HASH)?.max(1) as usize) << 20,
            "probedepth" => search.probe_depth = number(100)? as u32,
            "level" => return value.parse().map(|level| self.settings.level = level),
            "trappy" => return check().map(|trappy| self.settings.trappy = trappy),
            // The interface decides when to ponder: there is nothing to set.
            "ponder" => return check().map(|_| ()),
            _ => return Err(format!("there is no option {name:?}")),
        }
        self.rebuild();
        Ok(())
    }

    fn choose(
        &mut self,
        played: &Played<G>,
        go: &Go,
        pace: &Pace,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        let legal = played.legal();
        let plan = Allotment::of(go, played.now().mover);
        let (first, one) = match legal[..] {
            [] => return Err(PlayerError::Over),
            [only] => (only, true),
            [first, ..] => (first, false),
        };
        // With the clock running, a forced move is played at once.
        if one && plan.is_some() && !go.ponder {
            return Ok(Thought::only(first));
        }
        if self.perfect[0].reaches(&played.now().position) {
            let left = plan.map_or(Duration::MAX, |plan| plan.hard);
            let hurry = HURRY.iter().filter(|&&least| left < least).count();
            return self.by_database(played, hurry, on_info);
        }
        let stop = Some(pace.flag());
        let mut limits = Limits { depth: go.depth, nodes: go.nodes, time: None, stop };
        if self.settings.level < Level::PERFECT && go.is_open() {
            // Errors depend on the values of all moves: none of them may be searched without limit.
            limits.depth = Some(go.depth.unwrap_or(LEVEL_DEPTH));
        }
        pace.during(|| {
            if self.settings.level < Level::PERFECT {
                self.by_chance(played, &limits, go, on_info)
            } else {
                self.by_search(played, &limits, pace, on_info)
            }
        })
    }
}
