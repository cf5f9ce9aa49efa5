//! Chooses among equal moves the one that an opponent is most likely to answer wrongly.

use nutcracker_game::{Game, Step, Turn};

use super::Fallible;

/// A move, and what the opponent is expected to lose with the reply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trap<M> {
    /// The move.
    pub mv: M,
    /// The expected loss in hundredths of a point.
    pub loss: f64,
}

/// The `moves` of a position, those first after which `opponent` is expected to lose most; among
/// equals in the order given.
///
/// `truth` and `shallow` give the legal moves of a position with their values in hundredths of a
/// point for the side to move: the true ones, and those the opponent sees, for example by a search
/// of a few plies or smaller databases. `opponent` models how it chooses by what it sees; with
/// infinite competence it takes what looks best. The moves should be worth the same: what they cost
/// is ignored.
///
/// ```
/// use nutcracker_game::toy::Heap;
/// use std::convert::Infallible;
/// use nutcracker_search::player::{Fallible, traps};
///
/// // A heap of counters. The opponent takes what looks best; only with 8 counters is that wrong.
/// let opponent = Fallible::with_competence(f64::INFINITY, 1);
/// let truth = |heap: &u32| Ok::<_, Infallible>(vec![(1, 100), (2, if *heap == 8 { -100 } else { 100 })]);
/// let shallow = |_: &u32| Ok(vec![(1, 0), (2, 100)]);
/// let traps = traps(&Heap, &10, &[1, 2, 3], &opponent, truth, shallow)?;
/// assert_eq!((traps[0].mv, traps[0].loss), (2, 200.0));
/// # Ok::<(), Infallible>(())
/// ```
pub fn traps<G: Game, E>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    opponent: &Fallible,
    truth: impl FnMut(&G::Position) -> Result<Vec<(G::Move, i32)>, E>,
    shallow: impl FnMut(&G::Position) -> Result<Vec<(G::Move, i32)>, E>,
) -> Result<Vec<Trap<G::Move>>, E> {
    let mut replies = ReplyModel { game, opponent, truth, shallow };
    let mut traps = Vec::with_capacity(moves.len());
    for &mv in moves {
        traps.push(Trap { mv, loss: replies.loss(&game.play(position, &mv))? });
    }
    traps.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    Ok(traps)
}

struct ReplyModel<'a, G, T, S> {
    game: &'a G,
    opponent: &'a Fallible,
    truth: T,
    shallow: S,
}

impl<G: Game, E, T, S> ReplyModel<'_, G, T, S>
where
    T: FnMut(&G::Position) -> Result<Vec<(G::Move, i32)>, E>,
    S: FnMut(&G::Position) -> Result<Vec<(G::Move, i32)>, E>,
{
    /// What the opponent is expected to lose at its next move.
    fn loss(&mut self, step: &Step<G::Position>) -> Result<f64, E> {
        let next = &step.next;
        if self.game.outcome(next).is_some() {
            return Ok(0.0);
        }
        let truth = (self.truth)(next)?;
        match step.turn {
            Turn::Passes => Ok(self.opponent.expected_loss(&truth, &(self.shallow)(next)?)),
            // The same side moves again, and continues as well as it can.
            Turn::Stays => {
                let best = truth.iter().map(|(_, value)| *value).max();
                let mut most = 0.0f64;
                for (mv, _) in truth.iter().filter(|(_, value)| Some(*value) == best) {
                    most = most.max(self.loss(&self.game.play(next, mv))?);
                }
                Ok(most)
            }
        }
    }
}
