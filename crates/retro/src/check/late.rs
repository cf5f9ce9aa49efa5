//! Wins that come a ply later than their moves say.
//!
//! Distances to zeroing moves count the winner's moves. Under a rule of N moves plies count, and a
//! loser with N moves of the winner ahead is saved if the last one makes the loser zero, at ply
//! 2N + 1. Whether a distance is such a *late* one follows from those of the best moves: a loser's is
//! late if a best reply leads to a late one, a winner's if every best move does. Only positions at
//! the limit are asked about, and those that they lead to.

use nutcracker_game::{Children, ForwardView, Game, Score, Target, Turn};

use super::cells::{Cells, value};
use super::{Check, Key};
use crate::check_error::CheckError;

/// What is known of a position: two bits.
const UNKNOWN: u64 = 0;
const LATE: u64 = 1;
const IN_TIME: u64 = 2;

impl<C: Cells, G: Game> Check<'_, C, G> {
    /// Whether a position may have the value `stored`, as far as plies decide: a loser at the limit
    /// loses if and only if all its moves are answered in time.
    pub(super) fn is_in_time(
        &self,
        key: Key<G>,
        stored: Score,
        best: Score,
    ) -> Result<bool, CheckError> {
        if !G::HAS_ZEROING || self.metric.last_loss() != Some(best) {
            return Ok(true);
        }
        Ok(self.leads_to_late(key, 1 - best)? == (stored != best))
    }

    /// Whether some quiet move leads to a late position of this value.
    fn leads_to_late(&self, key: Key<G>, wanted: Score) -> Result<bool, CheckError> {
        for next in self.quiet(key) {
            if value(self.cells.get(next)?) == wanted && self.is_late(next)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn quiet(&self, key: Key<G>) -> Vec<u64> {
        let mut inside = Vec::new();
        self.view.targets(key, |target| {
            if let Target::Inside(next) = target {
                inside.push(next);
            }
        });
        inside
    }

    /// Whether the loser has to zero after the winner's last move.
    fn is_late(&self, index: u64) -> Result<bool, CheckError> {
        let Some(known) = &self.late else { return Ok(false) };
        if known.get(index) != UNKNOWN {
            return Ok(known.get(index) == LATE);
        }
        let stored = value(self.cells.get(index)?);
        let Some(key) = self.view.key_at(&mut Default::default(), index) else { return Ok(false) };
        let late = match stored {
            // To lose without a move of the winner is to be mated, or to have to zero.
            -127 => self.view.outcome(key).is_none(),
            ..0 => self.leads_to_late(key, 1 - stored)?,
            _ if stored == 127 && self.zeroes(key)? => false,
            _ => !self.leads_in_time(key, -stored)?,
        };
        known.set(index, if late { LATE } else { IN_TIME });
        Ok(late)
    }

    /// Whether some quiet move leads to a position of this value that is not late.
    fn leads_in_time(&self, key: Key<G>, wanted: Score) -> Result<bool, CheckError> {
        for next in self.quiet(key) {
            if value(self.cells.get(next)?) == wanted && !self.is_late(next)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a zeroing move wins.
    fn zeroes(&self, key: Key<G>) -> Result<bool, CheckError> {
        let (mut wins, mut failure) = (false, None);
        self.view.targets(key, |target| {
            let worth = match target {
                Target::Inside(_) => return,
                Target::Zeroing(next) => self
                    .cells
                    .get(next)
                    .map(|cell| self.outside(0, Turn::Passes, true, value(cell))),
                Target::Outside { slice, index, gain, turn, converts } => {
                    let read = self.children.score(slice, index);
                    read.map(|next| self.outside(gain, turn, converts, next)).map_err(Into::into)
                }
            };
            match worth {
                Ok(cell) => wins |= value(cell) == 127,
                Err(error) => failure = Some(error),
            }
        });
        failure.map_or(Ok(wins), Err)
    }
}
