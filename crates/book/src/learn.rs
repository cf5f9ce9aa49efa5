//! Learning from games: they are added with all their deviations, evaluated by an expert.

use std::collections::HashMap;
use std::sync::Mutex;

use nutcracker_game::Game;

use crate::book::Book;
use crate::error::{BookError, Result};
use crate::expert::Expert;
use crate::grow::{SharedBook, evaluate, expand};
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

    /// [Adds](learn) a game to a book that nothing else uses.
    pub fn learn<E: Expert<G> + Send>(
        &mut self,
        start: NodeId,
        moves: &[G::Move],
        public_draw: bool,
        experts: &mut [E],
    ) -> Result<u64> {
        learn(&Mutex::new(self), start, moves, public_draw, experts)
    }

    /// Marks a position as played, and as one of a drawn game that opponents may know.
    fn mark(&mut self, id: NodeId, public_draw: bool) -> Result<()> {
        let marks = self.node(id)?.marks;
        if !marks.played || public_draw && !marks.public {
            let marks = &mut self.valued.graph.edit(id)?.marks;
            marks.played = true;
            marks.public |= public_draw;
        }
        Ok(())
    }

    /// The position after a move of an expanded one; `ply` counts from 0, for the error.
    fn follow(&mut self, id: NodeId, mv: &G::Move, ply: usize) -> Result<NodeId> {
        let (_, legal) = self.moves(id)?;
        let Some(place) = legal.iter().position(|known| known == mv) else {
            return Err(BookError::Illegal(format!(
                "move {} of the game, {mv:?}, is not legal; correct the game",
                ply + 1
            )));
        };
        match self.node(id)?.edges.get(place) {
            Some(edge) => Ok(edge.child),
            None => Err(BookError::NotInBook(format!("after move {} of the game", ply + 1))),
        }
    }
}

/// Adds a game that begins in a position of the book: all moves of all its positions are added to
/// the book, and its path is marked. Returns the number of positions expanded.
///
/// The result is not needed: a complete game ends in a terminal position, whose score follows from
/// the rules, or repeats a position, which a search for cycles finds. `public_draw` marks the
/// positions of a drawn game that opponents may know. Others can use the book while experts search.
pub fn learn<G: Game, S: Store, E: Expert<G> + Send>(
    book: &impl SharedBook<G, S>,
    start: NodeId,
    moves: &[G::Move],
    public_draw: bool,
    experts: &mut [E],
) -> Result<u64> {
    let mut id = start;
    let mut expanded = 0;
    let closing = book.with(|book| book.facts().closing);
    for at in 0..=moves.len() {
        book.with(|book| book.mark(id, public_draw))?;
        let Some(mv) = moves.get(at) else { break };
        expanded += expand_now(book, id, experts)?;
        id = book.with(|book| book.follow(id, mv, at))?;
    }
    book.with(|book| {
        let cycles = book.facts().closing > closing && book.facts().interior < SMALL;
        if cycles || book.cycles_are_due() {
            book.find_cycles()?;
        }
        book.commit_if_due()
    })?;
    Ok(expanded)
}

/// Expands a position if it is a leaf, also one that others evaluate at the moment.
pub fn expand_now<G: Game, S: Store, E: Expert<G> + Send>(
    book: &impl SharedBook<G, S>,
    id: NodeId,
    experts: &mut [E],
) -> Result<u64> {
    if book.with(|book| Ok::<bool, BookError>(book.node(id)?.state != State::Leaf))? {
        return Ok(0);
    }
    let expanded = expand(book, &[id], experts)?;
    if expanded > 0 {
        return Ok(expanded);
    }
    let Some(wanted) = book.with(|book| book.wanted(id))? else { return Ok(0) };
    let [expert, ..] = experts else {
        return Err(BookError::Expert("there is no expert".to_owned()));
    };
    let mut values = HashMap::with_capacity(wanted.len());
    for (key, position) in wanted {
        values.insert(key, evaluate::<G, E>(expert, &position)?);
    }
    book.with(|book| book.expand(id, &values)).map(u64::from)
}

#[cfg(test)]
mod tests;
