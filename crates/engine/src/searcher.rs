//! Our search as a player: databases where they reach, search elsewhere, and deliberate errors if
//! requested.

use std::error::Error;
use std::ops::RangeInclusive;
use std::sync::Arc;

use nutcracker_game::{Evaluate, Random, Score};
use nutcracker_search::player::{Adviser, Level, Manner, Source};
use nutcracker_search::{EngineOptions, Limits, Oracle, Report};

use crate::{OptionKind, Player, PlayerError, PlayerOption, Progress, Request, Thought};

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

/// Positions that the perfect player may examine for a move, at least and at most, and in a
/// millisecond, which is a third of what it can. With few of them it still keeps the score, but may make
/// no progress.
const POSITIONS: RangeInclusive<usize> = 500..=500_000;
const IN_A_MILLISECOND: usize = 500;

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
        let game = played.game();
        let mut effort = Effort::new(game.max_score(game.slice_of(position)));
        let mut on_report = |report: &Report<G::Move>| {
            on_progress(&progress_of(report, lines));
            if report.rank == 1 {
                effort.add(report);
            }
            if pace.is_late(effort.factor()) {
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
            Source::Search { depth } => Progress { depth: Some(depth), ..Progress::default() },
            Source::Proof => Progress::default(),
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
        let (best, ponder, score) = (chosen.mv, chosen.reply, Some(chosen.best));
        Ok(Thought { best, ponder, score, from_book: false })
    }
}

/// How much of the time planned for a move a search should use, by its iterations so far: more when
/// the best move has just changed or its value has fallen, less when the same move has been best for
/// long.
#[derive(Debug)]
struct Effort<M> {
    /// The fall of a value, in hundredths of a point, that counts.
    fall: i32,
    best: Option<M>,
    value: i32,
    /// The iterations for which the best move has been the same.
    steady: u32,
    fell: bool,
}

impl<M: Copy + PartialEq> Effort<M> {
    /// In a position worth this many points at most.
    fn new(most: Score) -> Self {
        let fall = (100 * i32::from(most) / 96).max(1);
        Effort { fall, best: None, value: 0, steady: 0, fell: false }
    }

    /// One more iteration.
    fn add(&mut self, report: &Report<M>) {
        let value = report.value.hundredths();
        self.steady = if report.best() == self.best { self.steady + 1 } else { 0 };
        self.fell = self.best.is_some() && value <= self.value - self.fall;
        (self.best, self.value) = (report.best(), value);
    }

    /// The factor of the time after which no other iteration is begun.
    fn factor(&self) -> f64 {
        match self.steady {
            _ if self.fell => 1.7,
            0 => 1.5,
            1..6 => 1.0,
            _ => 0.7,
        }
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
        let number = |least: i64, most: i64| match value.parse::<i64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(format!("{name} is a number from {least} to {most}, not {value:?}")),
        };
        let check = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("{name} is true or false, not {value:?}")),
        };
        let search = &mut self.settings.search;
        match name.to_ascii_lowercase().as_str() {
            "threads" => search.threads = number(1, 1024)? as usize,
            "hash" => search.table_bytes = (number(1, MOST_HASH)? as usize) << 20,
            "multipv" => search.lines = number(1, MOST_LINES)? as usize,
            "probedepth" => search.probe_depth = number(0, 100)? as u32,
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
        let (least, most) = POSITIONS.into_inner();
        let affordable = plan.map_or(most, |plan| {
            let milliseconds = usize::try_from(plan.hard.as_millis()).unwrap_or(usize::MAX);
            milliseconds.saturating_mul(IN_A_MILLISECOND)
        });
        self.adviser.limit_positions(affordable.clamp(least, most));
        // The clock is the pace's: it raises the flag.
        let limits = Limits {
            depth: request.limits.depth,
            nodes: request.limits.nodes,
            time: None,
            stop: Some(pace.flag()),
            among: Some(&places),
        };
        pace.during(|| self.think(request, &limits))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nutcracker_games::awari::Awari;
    use nutcracker_search::{Empty, Worth};

    use super::*;
    use crate::{MoveLimits, Pace, Played};

    fn report(best: u8, hundredths: i32) -> Report<u8> {
        Report {
            rank: 1,
            depth: 1,
            value: Worth::guess(hundredths),
            bounds: (-48, 48),
            line: vec![best],
            nodes: 0,
            elapsed: Duration::ZERO,
            table_permille: 0,
            probes: 0,
        }
    }

    #[test]
    fn effort_follows_the_iterations() {
        let mut effort = Effort::new(48);
        effort.add(&report(1, 100));
        effort.add(&report(1, 90));
        let usual = effort.factor();
        effort.add(&report(1, 20));
        let fallen = effort.factor();
        effort.add(&report(2, 20));
        let changed = effort.factor();
        for _ in 0..10 {
            effort.add(&report(2, 20));
        }
        let easy = effort.factor();
        assert!(fallen > usual && changed > usual && easy < usual);
    }

    /// What a player of a level says of a depth is what a search of that depth says.
    #[test]
    fn levels_look_as_deep_as_they_are_asked_to() {
        let game = Awari::new(6).expect("six pits");
        let played = Played::from_start(game.clone());
        for depth in 1..=6 {
            let said = ["perfect", "5"].map(|level| {
                let settings = Settings {
                    level: level.parse().expect("a level"),
                    search: EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() },
                    ..Settings::default()
                };
                let mut player = Searcher::new(game.clone(), Arc::new(Empty), level, settings);
                let limits = MoveLimits::depth(depth);
                let mut last = None;
                let thought = player.choose(Request {
                    played: &played,
                    limits,
                    pace: &Pace::new(&limits, played.now().mover),
                    among: &[],
                    on_progress: &mut |progress| last = Some((progress.depth, progress.value)),
                });
                (thought.expect("a move").score, last)
            });
            let [perfect, level] = said.map(|(score, last)| {
                let (label, value) = last.expect("a report");
                assert_eq!((label, value), (Some(depth), score));
                score.expect("a value").hundredths()
            });
            assert_eq!(perfect, level, "depth {depth}");
        }
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let game = Awari::new(6).expect("six pits");
        let mut player = Searcher::new(game, Arc::new(Empty), "test", Settings::default());
        for (name, value) in [("Threads", "0"), ("Hash", "0"), ("MultiPV", "0"), ("Threads", "-1")]
        {
            let answer = player.set_option(name, Some(value)).expect_err("out of range");
            assert!(answer.starts_with(&format!("{name} is a number from 1 to ")), "{answer}");
        }
        assert_eq!(player.set_option("Threads", Some("2")), Ok(()));
    }
}
