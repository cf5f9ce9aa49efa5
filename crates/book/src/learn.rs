//! Learning from games: they are added with all their deviations, evaluated by an expert.

use nutcracker_game::Game;

use crate::book::Book;
use crate::error::{BookError, Result};
use crate::expert::Expert;
use crate::node::{NodeId, State};
use crate::store::Store;

/// The largest book in which every learned game is followed by a search for cycles; in larger ones
/// it waits until it is due.
const SMALL: u64 = 100_000;

impl<G: Game, S: Store> Book<G, S> {
    /// The best move of a node that no game has played and behind which the book has nothing: a
    /// deviation from known games.
    pub fn best_deviation(&mut self, id: NodeId) -> Result<Option<usize>> {
        let mut best = None;
        for (place, edge) in self.node(id)?.edges.clone().iter().enumerate() {
            let child = self.node(edge.child)?;
            if child.state == State::Leaf && !child.marks.played {
                let estimate = child.value.through(edge.gain, edge.turn).estimate();
                if best.is_none_or(|(most, _)| estimate > most) {
                    best = Some((estimate, place));
                }
            }
        }
        Ok(best.map(|(_, place)| place))
    }

    /// Adds a game that begins in a position of the book: all moves of all its positions are added
    /// to the book, and its path is marked. Returns the number of positions expanded.
    ///
    /// The result is not needed: a complete game ends in a terminal position, whose score follows
    /// from the rules, or repeats a position, which a search for cycles finds. `public_draw` marks
    /// the positions of a drawn game that opponents may know.
    pub fn learn<E: Expert<G> + Send>(
        &mut self,
        start: NodeId,
        moves: &[G::Move],
        public_draw: bool,
        experts: &mut [E],
    ) -> Result<u64> {
        let mut id = start;
        let mut expanded = 0;
        let closing = self.facts().closing;
        for at in 0..=moves.len() {
            let marks = self.node(id)?.marks;
            if !marks.played || public_draw && !marks.public {
                let marks = &mut self.valued.graph.edit(id)?.marks;
                marks.played = true;
                marks.public |= public_draw;
            }
            let Some(mv) = moves.get(at) else { break };
            if self.node(id)?.state == State::Leaf {
                expanded += self.expand_all(&[id], experts)?;
            }
            let (_, legal) = self.moves(id)?;
            let Some(place) = legal.iter().position(|known| known == mv) else {
                return Err(BookError::Illegal(format!(
                    "move {} of the game, {mv:?}, is not legal; correct the game",
                    at + 1
                )));
            };
            id = self.node(id)?.edges[place].child;
        }
        let cycles = self.facts().closing > closing && self.facts().interior < SMALL;
        if cycles || self.cycles_are_due() {
            self.find_cycles()?;
        }
        self.commit_if_due()?;
        Ok(expanded)
    }
}

#[cfg(test)]
mod tests;
