//! Our search as a player: databases where they reach, search elsewhere, and deliberate errors if
//! requested.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::Evaluate;
use nutcracker_game::Random;
use nutcracker_search::player::{Adviser, Level, Manner, Source};
use nutcracker_search::{EngineOptions, Limits, Oracle, Report};

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

/// Our search as a player.
#[derive(Debug)]
pub struct Searcher<G: Evaluate, O: Oracle> {
    name: String,
    settings: Settings,
    adviser: Adviser<G, O>,
    random: Random,
}

impl<G: Evaluate, O> Searcher<G, O>
where
    O: Oracle<Error: Error + Send + 'static> + Send + Sync,
{
    /// A player with this name.
    pub fn new(game: G, oracle: Arc<O>, name: impl Into<String>, settings: Settings) -> Self {
        let mut searcher = Searcher {
            adviser: Adviser::new(game, oracle, settings.search.clone()),
            random: Random::new(settings.seed),
            name: name.into(),
            settings,
        };
        searcher.rebuild();
        searcher
    }

    /// Restarts with the current settings.
    fn rebuild(&mut self) {
        self.adviser.restart(self.settings.search.clone());
    }

    /// When a search ends, apart from the clock that `pace` watches.
    fn limits<'a>(&self, played: &Played<G>, go: &Go, pace: &'a Pace) -> Limits<'a> {
        let limits =
            Limits { depth: go.depth, nodes: go.nodes, time: None, stop: Some(pace.flag()) };
        if self.settings.level == Level::PERFECT {
            return limits;
        }
        // Errors depend on the values of all moves: none of them may be searched without limit, and
        // every move gets its share of the time.
        let count = played.legal().len().max(1) as u32;
        let plan = Allotment::of(go, played.now().mover);
        Limits {
            depth: go.depth.or_else(|| go.is_open().then_some(LEVEL_DEPTH)),
            nodes: limits.nodes.map(|nodes| nodes / u64::from(count)),
            time: plan.map(|plan| plan.soft / count),
            ..limits
        }
    }

    /// A move within these limits.
    fn think(
        &mut self,
        played: &Played<G>,
        limits: &Limits<'_>,
        pace: &Pace,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Thought<G::Move>, PlayerError> {
        let (position, history) = (&played.now().position, played.history());
        let Settings { level, trappy, .. } = self.settings;
        let mut on_report = |report: &Report<G::Move>| {
            on_info(&info(played, report));
            if pace.is_late() {
                pace.stop();
            }
        };
        let chosen = self.adviser.choose(
            position,
            &history,
            Manner { level, trappy },
            &mut self.random,
            limits,
            &mut on_report,
        )?;
        let (score, pv) = (Some(WireScore::from(chosen.best)), played.line(&[chosen.mv]));
        match chosen.source {
            Source::Database => {
                let tbhits = Some(played.legal().len() as u64);
                on_info(&Info { depth: Some(1), score, tbhits, pv, ..Info::default() });
            }
            // A search of all moves makes no reports.
            _ if level < Level::PERFECT => {
                let depth = limits.depth.map(|depth| depth.max(1));
                on_info(&Info { depth, score, pv, ..Info::default() });
            }
            _ => {}
        }
        Ok(Thought { best: chosen.mv, ponder: chosen.reply, score: Some(chosen.best) })
    }
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
        let left = plan.map_or(Duration::MAX, |plan| plan.hard);
        let hurry = HURRY.iter().filter(|&&least| left < least).count();
        self.adviser.limit_positions(POSITIONS[hurry]);
        let limits = self.limits(played, go, pace);
        pace.during(|| self.think(played, &limits, pace, on_info))
    }
}
