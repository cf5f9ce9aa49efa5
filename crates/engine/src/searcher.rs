//! Our search as a player: databases where they reach, search elsewhere, and deliberate errors if
//! requested.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::{Evaluate, Random};
use nutcracker_search::player::{Adviser, Level, Manner, Source};
use nutcracker_search::{EngineOptions, Limits, Oracle, Report};

use crate::{OptionKind, Pace, Player, PlayerError, PlayerOption, Progress, Request, Thought};

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

    /// When a search ends, apart from the clock that the pace watches.
    fn limits<'a>(
        &self,
        request: &Request<'_, G>,
        pace: &'a Pace,
        places: &'a [usize],
    ) -> Limits<'a> {
        let asked = &request.limits;
        let (stop, among) = (Some(pace.flag()), Some(places));
        let limits = Limits { depth: asked.depth, nodes: asked.nodes, time: None, stop, among };
        if self.settings.level == Level::PERFECT {
            return limits;
        }
        // Errors depend on the values of all moves: none of them may be searched without limit, and
        // every move gets its share of the time.
        let count = request.played.legal().len().max(1) as u32;
        Limits {
            depth: asked.depth.or_else(|| asked.is_open().then_some(LEVEL_DEPTH)),
            nodes: limits.nodes.map(|nodes| nodes / u64::from(count)),
            time: pace.plan().map(|plan| plan.soft / count),
            ..limits
        }
    }

    /// A move within these limits.
    fn think(
        &mut self,
        request: Request<'_, G>,
        limits: &Limits<'_>,
    ) -> Result<Thought<G::Move>, PlayerError> {
        let Request { played, pace, on_progress, .. } = request;
        let (position, history) = (&played.now().position, played.history());
        let Settings { level, trappy, .. } = self.settings;
        let lines = self.settings.search.lines;
        let mut on_report = |report: &Report<G::Move>| {
            on_progress(&progress_of(report, lines));
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
        let all = match chosen.source {
            Source::Database => {
                let probes = Some(chosen.values.len() as u64);
                Progress { depth: Some(1), probes, ..Progress::default() }
            }
            _ => Progress { depth: limits.depth.map(|d| d.max(1)), ..Progress::default() },
        };
        // Values of all moves come without reports.
        if lines > 1 {
            for (rank, &(mv, value)) in (1..=lines).zip(&chosen.values) {
                let (rank, value) = (Some(rank as u32), Some(value));
                on_progress(&Progress { rank, value, line: vec![mv], ..all.clone() });
            }
        } else if !chosen.values.is_empty() {
            on_progress(&Progress { value: Some(chosen.best), line: vec![chosen.mv], ..all });
        }
        Ok(Thought { best: chosen.mv, ponder: chosen.reply, score: Some(chosen.best) })
    }
}

/// A report of a search for this many lines.
fn progress_of<M: Copy>(report: &Report<M>, lines: usize) -> Progress<M> {
    Progress {
        depth: Some(report.depth),
        rank: (lines > 1).then_some(report.rank as u32),
        value: Some(report.value),
        nodes: Some(report.nodes),
        elapsed: Some(report.elapsed),
        table_permille: Some(report.table_permille),
        probes: Some(report.probes),
        line: report.line.clone(),
    }
}

/// The largest memory of an option, in MiB.
const MOST_HASH: i64 = 1 << 20;
/// The most lines reported.
const MOST_LINES: i64 = 500;

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

    fn options(&self) -> Vec<PlayerOption> {
        let EngineOptions { threads, table_bytes, probe_depth, lines, .. } = &self.settings.search;
        let number = |default, min, max| OptionKind::Number { default, min, max };
        let levels = Level::all().chain([Level::PERFECT]).map(|level| level.to_string());
        let level = OptionKind::Choice {
            default: self.settings.level.to_string(),
            choices: levels.collect(),
        };
        [
            ("Threads", number(*threads as i64, 1, 1024)),
            ("Hash", number((table_bytes >> 20) as i64, 1, MOST_HASH)),
            ("Level", level),
            ("Trappy", OptionKind::Switch { default: self.settings.trappy }),
            ("ProbeDepth", number(i64::from(*probe_depth), 0, 100)),
            ("MultiPV", number(*lines as i64, 1, MOST_LINES)),
            ("Ponder", OptionKind::Switch { default: false }),
        ]
        .map(|(name, kind)| PlayerOption::new(name, kind))
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
            "multipv" => search.lines = number(MOST_LINES)?.max(1) as usize,
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

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        let legal = request.played.legal();
        let (pace, plan) = (request.pace, request.pace.plan());
        let places: Vec<usize> =
            (0..legal.len()).filter(|&place| request.among.contains(&legal[place])).collect();
        let (first, one) = match legal[..] {
            [] => return Err(PlayerError::Over),
            [only] => (only, true),
            [first, ..] => (first, false),
        };
        // With the clock running, a forced move is played at once.
        if one && plan.is_some() && !pace.is_pondering() {
            return Ok(Thought::only(first));
        }
        let left = plan.map_or(Duration::MAX, |plan| plan.hard);
        let hurry = HURRY.iter().filter(|&&least| left < least).count();
        self.adviser.limit_positions(POSITIONS[hurry]);
        let limits = self.limits(&request, pace, &places);
        pace.during(|| self.think(request, &limits))
    }
}
