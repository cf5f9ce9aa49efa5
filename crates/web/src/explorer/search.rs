//! What a search finds, reported while it runs.

use nutcracker_game::{Evaluate, Situation};
use nutcracker_search::{Engine, EngineOptions, Limits, Report, SearchError, Value};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Budget, Handle};

/// Memory of a search.
const TABLE: usize = 32 << 20;

/// How a server searches: one thread each, as several searches may run.
pub(super) fn options() -> EngineOptions {
    EngineOptions { threads: 1, table_bytes: TABLE, ..EngineOptions::default() }
}

/// What a search says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Estimate {
    /// Points of score for the side to move from here on.
    pub points: f64,
    /// How much that says.
    pub kind: EstimateKind,
}

/// How much an estimate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EstimateKind {
    /// It is proven to be the score.
    Exact,
    /// The score is proven to be this or more.
    AtLeast,
    /// The score is proven to be this or less.
    AtMost,
    /// Nothing is proven.
    Guess,
}

impl Estimate {
    /// A value of a search.
    pub fn of(value: Value) -> Self {
        let kind = match value {
            Value::Exact(_) => EstimateKind::Exact,
            Value::AtLeast(_) => EstimateKind::AtLeast,
            Value::AtMost(_) => EstimateKind::AtMost,
            Value::Heuristic(_) => EstimateKind::Guess,
        };
        Estimate { points: f64::from(value.hundredths()) / 100.0, kind }
    }
}

/// What a search has found so far.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Searched {
    /// How deep it has looked.
    pub depth: u32,
    /// What the position is worth to the side to move.
    pub value: Estimate,
    /// The names of the moves it expects.
    pub line: Vec<String>,
    /// Positions searched.
    pub nodes: u64,
    /// Positions looked up in databases.
    pub probes: u64,
    /// Seconds since the beginning.
    pub seconds: f64,
}

impl<G: Evaluate> Handle<G> {
    pub(super) fn search_from(
        &self,
        start: Situation<G::Position>,
        moves: &[&str],
        depth: Option<u32>,
        budget: &Budget,
        report_to: &mut dyn FnMut(Searched),
    ) -> Result<(), ExplorerError> {
        let (history, situation) = self.history(start, moves)?;
        if self.game.outcome(&situation.position).is_some() {
            return Ok(());
        }
        let mut engine = Engine::new(self.game.clone(), self.oracle()?, options());
        let limits = Limits {
            depth,
            time: Some(budget.left()),
            stop: Some(budget.flag()),
            ..Limits::default()
        };
        let mut on_report = |report: &Report<G::Move>| report_to(self.searched(&situation, report));
        engine
            .search(&situation.position, &history, &limits, &mut on_report)
            .map_err(|SearchError::Oracle(error)| self.explain(error))?;
        Ok(())
    }

    fn searched(&self, start: &Situation<G::Position>, report: &Report<G::Move>) -> Searched {
        let game = &self.game;
        let mut situation = *start;
        let mut line = Vec::new();
        for mv in &report.line {
            let step = game.play(&situation.position, mv);
            line.push(game.format_move(&situation, mv, &step));
            situation = game.advance(&situation, &step);
        }
        Searched {
            depth: report.depth,
            value: Estimate::of(report.value),
            line,
            nodes: report.nodes,
            probes: report.probes,
            seconds: report.elapsed.as_secs_f64(),
        }
    }
}
