//! What a search finds, reported while it runs.

use nutcracker_any::{AnyMove, AnyPosition};
use nutcracker_game::{Rules, Situation};
use nutcracker_search::{EngineOptions, Limits, Report, Worth};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Budget, Explorer};

/// Memory of a search.
const TABLE: usize = 32 << 20;

/// How a server searches: one thread each, as several searches may run.
pub(super) fn options() -> EngineOptions {
    EngineOptions { threads: 1, table_bytes: TABLE, ..EngineOptions::default() }
}

/// What a search has found so far.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Searched {
    /// The depth reached, in plies.
    pub depth: u32,
    /// What the position is worth to the side to move.
    pub value: Worth,
    /// The names of the moves it expects.
    pub line: Vec<String>,
    /// Positions searched.
    pub nodes: u64,
    /// Positions looked up in databases.
    pub probes: u64,
    /// Seconds since the beginning.
    pub seconds: f64,
}

impl Explorer {
    /// Searches until the budget is used up, and reports what is found on the way.
    pub fn search(
        &self,
        text: &str,
        moves: &[&str],
        depth: Option<u32>,
        budget: &Budget,
        report_to: &mut dyn FnMut(Searched),
    ) -> Result<(), ExplorerError> {
        let (history, situation) = self.history(self.parse(text)?, moves)?;
        if self.game.outcome(&situation.position).is_some() {
            return Ok(());
        }
        let limits = Limits {
            depth,
            time: Some(budget.left()),
            stop: Some(budget.flag()),
            ..Limits::default()
        };
        let mut on_report = |report: &Report<AnyMove>| report_to(self.searched(&situation, report));
        self.adviser()?
            .search(&situation.position, &history, &limits, &mut on_report)
            .map_err(|error| self.player_error(error))?;
        Ok(())
    }

    fn searched(&self, start: &Situation<AnyPosition>, report: &Report<AnyMove>) -> Searched {
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
            value: report.value,
            line,
            nodes: report.nodes,
            probes: report.probes,
            seconds: report.elapsed.as_secs_f64(),
        }
    }
}
