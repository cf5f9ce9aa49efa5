//! Chess endings in the form that chess programs know from tablebase servers.

use nutcracker_any::AnyPosition;
use nutcracker_game::{Metric, Rules, Score, WinDistance};
use nutcracker_search::Worth;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::moves::Candidate;
use super::{Explorer, Measured};

/// The plies after which a player can claim a draw.
const FIFTY: i32 = 100;

/// A position as tablebase servers describe it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tablebase {
    /// What is known of it.
    #[serde(flatten)]
    pub entry: TablebaseEntry,
    /// The legal moves, the best first.
    pub moves: Vec<TablebaseMove>,
}

/// A move as tablebase servers describe it. All but its names and `zeroing` is about the position
/// after it, for the side that is to move there.
#[derive(Debug, Serialize, ToSchema)]
pub struct TablebaseMove {
    /// Its name in UCI.
    #[schema(example = "e7e8q")]
    pub uci: String,
    /// Its name as people write it.
    #[schema(example = "e8=Q+")]
    pub san: String,
    /// Whether it is a capture or a move of a pawn.
    pub zeroing: bool,
    /// What is known of the position after it.
    #[serde(flatten)]
    pub entry: TablebaseEntry,
}

/// What is known of a position.
#[derive(Debug, Serialize, ToSchema)]
pub struct TablebaseEntry {
    /// The result under the rule of fifty moves, from a position after a capture or a move of a pawn.
    pub category: Category,
    /// Plies to a capture, a move of a pawn or mate, below 0 for a loss, 0 for a draw; one more where
    /// the loser is the one to make that move.
    pub dtz: Option<i32>,
    /// Plies to mate, below 0 for a loss, 0 for a draw.
    pub dtm: Option<i32>,
    /// Plies to a capture, a promotion or mate, as `dtz` has them.
    pub dtc: Option<i32>,
    /// Whether the side to move is mated.
    pub checkmate: bool,
    /// Whether it has no legal move and is not in check.
    pub stalemate: bool,
    /// Whether neither side has the men to mate.
    pub insufficient_material: bool,
}

/// A result for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// It wins.
    Win,
    /// It would win but for the rule of fifty moves.
    CursedWin,
    /// It is a draw.
    Draw,
    /// It would lose but for the rule of fifty moves.
    BlessedLoss,
    /// It loses.
    Loss,
    /// No database tells.
    Unknown,
}

impl Explorer {
    /// A position of chess and its moves.
    pub fn tablebase(&self, fen: &str) -> Result<Tablebase, ExplorerError> {
        let game = &self.game;
        let situation = self.parse(fen)?;
        let mut options = self.candidates(&situation.position)?;
        options.sort_by_key(|option| (option.value.is_none(), option.value.map(Worth::order)));
        let moves = options.into_iter().map(|Candidate { mv, step, .. }| {
            let next = game.advance(&situation, &step);
            Ok(TablebaseMove {
                uci: game.other_name(&situation, &mv).unwrap_or_default(),
                san: game.format_move(&situation, &mv, &step),
                zeroing: step.zeroes,
                entry: self.entry(&next.position, &game.format(&next))?,
            })
        });
        Ok(Tablebase {
            moves: moves.collect::<Result<_, ExplorerError>>()?,
            entry: self.entry(&situation.position, &game.format(&situation))?,
        })
    }

    /// What a position is worth by each metric of which there are databases, by those with a rule last.
    fn worths(&self, position: &AnyPosition) -> Result<Vec<Measured>, ExplorerError> {
        let here = self.databases();
        let mut sets: Vec<_> = here.all().collect();
        sets.sort_by_key(|(metric, _)| matches!(metric, Metric::DtzIn(_)));
        self.measured_by(sets.into_iter(), position)
    }

    fn entry(&self, position: &AnyPosition, fen: &str) -> Result<TablebaseEntry, ExplorerError> {
        let all = self.worths(position)?;
        let over = self.game.outcome(position);
        let insufficient_material = !can_mate(fen);
        let score_by = |name: Option<&str>| {
            let found = all.iter().find(|one| name.is_none_or(|name| name == one.metric));
            found.and_then(|one| one.value.score())
        };
        let drawn = insufficient_material.then_some(0);
        // What is drawn under a shorter rule than that of fifty moves may be won, and what is won under a
        // longer one may be drawn.
        let rule = |one: &Measured| match one.metric.parse() {
            Ok(Metric::DtzIn(rule)) => Some(rule),
            _ => None,
        };
        let tells = |one: &&Measured| {
            let drawn = one.value.score() == Some(0);
            rule(one).is_none_or(|rule| rule == 50 || drawn == (rule > 50))
        };
        let known = || all.iter().find(tells).and_then(|one| one.value.score());
        let result: Option<Score> = over.or(drawn).or_else(known);
        let drawn = result == Some(0)
            && (drawn.is_some() || all.first().is_some_and(|one| rule(one).is_none()));
        let plies = |metric: Metric| {
            if over.is_some() || drawn {
                return Some(0);
            }
            let worth = all.iter().find(|one| one.metric == metric.name())?.value;
            let distance = worth.distance?;
            let moves = WinDistance { wins: worth.score()? > 0, moves: distance.moves };
            Some(match i32::from(moves.plies()) {
                plies if moves.wins => plies,
                // The loser has to make the move that is counted to.
                0 if over.is_none() => -1,
                plies => -plies,
            })
        };
        let dtz = plies(Metric::Dtz).or_else(|| plies(Metric::DtzIn(50)));
        let fifty = score_by(Some(Metric::DtzIn(50).name()));
        let needs_more = |one: &Measured| {
            matches!(one.metric.parse(), Ok(Metric::Dth(_)))
                && one.value.distance.is_some_and(|distance| distance.moves > 50)
        };
        let too_long = dtz.is_some_and(|dtz| dtz.abs() > FIFTY) || all.iter().any(needs_more);
        let category = match result {
            None => Category::Unknown,
            Some(0) => Category::Draw,
            Some(score) if fifty == Some(0) || fifty.is_none() && too_long => {
                if score > 0 {
                    Category::CursedWin
                } else {
                    Category::BlessedLoss
                }
            }
            Some(score) if score > 0 => Category::Win,
            Some(_) => Category::Loss,
        };
        Ok(TablebaseEntry {
            category,
            dtz,
            dtm: plies(Metric::Dtw),
            dtc: plies(Metric::Dtc),
            checkmate: over == Some(-1),
            stalemate: over == Some(0),
            insufficient_material,
        })
    }
}

/// Whether any play from a position can lead to mate: not with a single knight or bishop, nor with
/// bishops that all stand on squares of one colour.
fn can_mate(fen: &str) -> bool {
    let board = fen.split_whitespace().next().unwrap_or_default();
    let (mut knights, mut bishops) = (0, [0; 2]);
    for (rank, men) in board.split('/').enumerate() {
        let mut file = 0;
        for man in men.chars() {
            match man.to_ascii_lowercase() {
                'k' => {}
                'n' => knights += 1,
                'b' => bishops[(rank + file) % 2] += 1,
                'p' | 'r' | 'q' => return true,
                empty => file += empty.to_digit(10).unwrap_or(1) as usize - 1,
            }
            file += 1;
        }
    }
    knights + bishops[0].min(1) + bishops[1].min(1) > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_men_cannot_mate() {
        for board in ["4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K1N1", "4kb2/8/8/8/8/8/8/2B1K3"] {
            assert!(!can_mate(board), "{board}");
        }
        for board in ["4k3/8/8/8/8/8/8/4KNN1", "2b1k3/8/8/8/8/8/8/2B1K3", "4k3/p7/8/8/8/8/8/4K3"] {
            assert!(can_mate(board), "{board}");
        }
    }
}
