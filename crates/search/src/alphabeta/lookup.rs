//! What is known of a position before its moves are searched, and what is stored of it afterwards.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use nutcracker_game::{Evaluate, Score, SliceId};

use super::{Halted, Shared, Worker};
use crate::found::Found;
use crate::hash::Key;
use crate::path::FREE;
use crate::tt::{Bound, Entry};
use crate::{Oracle, known, known_bounds};

/// A position whose moves have to be searched.
pub(super) struct Node {
    pub slice: SliceId,
    /// Its key, where the transposition table is probed.
    key: Option<Key>,
    pub known: Entry,
    /// Proven bounds of its score, and the bounds that follow with the given history.
    stored: (Score, Score),
    pub bounds: (Score, Score),
    /// What databases say, where that is not certain with this history.
    pub guess: Option<i32>,
    /// Whether no position of its slice is before it on the path.
    is_first: bool,
}

pub(super) enum Lookup {
    Answer(Found),
    Open(Node),
}

impl<G: Evaluate, O: Oracle> Worker<'_, G, O> {
    /// Ends the search if the oracle failed.
    fn read<T>(&mut self, found: Result<Option<T>, O::Error>) -> Result<Option<T>, Halted> {
        let found = found.map_err(|error| {
            let mut place = self.shared.error.lock().unwrap_or_else(PoisonError::into_inner);
            place.get_or_insert(error);
            self.shared.halt.store(true, Relaxed);
            Halted
        })?;
        self.probes += u64::from(found.is_some());
        Ok(found)
    }

    /// The database score of a position, if there is one.
    fn probe(&mut self, position: &G::Position) -> Result<Option<Score>, Halted> {
        let found = known(self.shared.game, self.shared.oracle, position);
        self.read(found)
    }

    /// What databases of bounds say of a position, where that holds or a guess is needed: puts the
    /// bounds and the guess into the node.
    fn probe_bounds(
        &mut self,
        position: &G::Position,
        depth: u32,
        node: &mut Node,
    ) -> Result<(), Halted> {
        if !node.is_first && depth > 0 {
            return Ok(());
        }
        let found = known_bounds(self.shared.game, self.shared.oracle, position);
        let Some((lower, upper)) = self.read(found)? else { return Ok(()) };
        if node.is_first {
            node.bounds = (lower, upper);
        }
        if depth == 0 {
            let guess = self.shared.game.evaluate(position, self.shared.weights);
            let guess = guess.max(100 * i32::from(lower)).min(100 * i32::from(upper));
            node.guess = Some(guess);
        }
        Ok(())
    }

    /// Tries to answer a position without searching its moves: by rules, repetition, databases and
    /// the transposition table.
    pub(super) fn look_up(
        &mut self,
        position: &G::Position,
        (alpha, beta): (i32, i32),
        depth: u32,
    ) -> Result<Lookup, Halted> {
        let Shared { game, options, table, .. } = *self.shared;
        if let Some(score) = game.outcome(position) {
            return Ok(Lookup::Answer(Found::exact(score, FREE)));
        }
        let slice = game.slice_of(position);
        let may_answer = self.path.len() > self.root || !self.needs_move;
        if may_answer && let Some(earlier) = self.path.earlier(position, slice) {
            return Ok(Lookup::Answer(Found::exact(game.repeated(position), earlier)));
        }
        let max = game.max_score(slice);
        let all = (-max, max);
        let mut node = Node {
            slice,
            key: None,
            known: Entry::UNKNOWN,
            stored: all,
            bounds: all,
            guess: None,
            is_first: !self.path.ends_in(slice),
        };
        let barred = self.barred() == Some(slice);
        let probes = may_answer && depth >= options.probe_depth;
        if self.depends && probes {
            self.probe_bounds(position, depth, &mut node)?;
        }
        if let Some(score) = if probes { self.probe(position)? } else { None } {
            if !barred || score == 0 {
                return Ok(Lookup::Answer(Found::exact(score, FREE)));
            }
            node.bounds = (score.min(0), score.max(0));
            node.guess = Some(100 * i32::from(score));
        } else if depth > 0 {
            let key = Key::of(position);
            let known = table.get(key).unwrap_or(Entry::UNKNOWN);
            let stored = (known.lower.unwrap_or(-max), known.upper.unwrap_or(max));
            // Where a move is needed, a search has to find it: a score left in the table by an
            // earlier search does not identify the move.
            let bounds = match barred {
                _ if !may_answer => all,
                _ if self.depends && !node.is_first => all,
                _ if self.depends => (stored.0.max(node.bounds.0), stored.1.min(node.bounds.1)),
                true => (stored.0.min(0), stored.1.max(0)),
                false => stored,
            };
            node = Node { key: Some(key), known, stored, bounds, ..node };
        }
        let (least, most) = (100 * i32::from(node.bounds.0), 100 * i32::from(node.bounds.1));
        // A deeper guess is not used: guesses swing with the parity of the depth, and a search would
        // find another value when it is asked again.
        let guessed = beta - alpha == 1
            && u32::from(node.known.depth) == depth
            && match node.known.bound {
                Bound::None => false,
                Bound::Exact => true,
                Bound::AtLeast => node.known.value >= beta,
                Bound::AtMost => node.known.value <= alpha,
            };
        let answer = if least == most || least >= beta {
            least
        } else if most <= alpha {
            most
        } else if guessed {
            node.known.value
        } else {
            return Ok(Lookup::Open(node));
        };
        Ok(if may_answer {
            Lookup::Answer(Found::guess(answer, node.bounds))
        } else {
            Lookup::Open(node)
        })
    }

    /// Stores in the table what holds for a position regardless of the path.
    pub(super) fn keep(
        &self,
        node: &Node,
        found: &Found,
        (alpha, beta): (i32, i32),
        depth: u32,
        best: u16,
    ) {
        let Some(key) = node.key else { return };
        let (mut lower, mut upper) = node.stored;
        if found.lower_from == FREE {
            lower = lower.max(found.lower);
        }
        if found.upper_from == FREE {
            upper = upper.min(found.upper);
        }
        let max = self.shared.game.max_score(node.slice);
        let entry = Entry {
            lower: (lower > -max).then_some(lower),
            upper: (upper < max).then_some(upper),
            value: found.value,
            bound: match found.value {
                _ if found.value_from != FREE => Bound::None,
                value if value >= beta => Bound::AtLeast,
                value if value <= alpha => Bound::AtMost,
                _ => Bound::Exact,
            },
            depth: depth as u8,
            best,
        };
        self.shared.table.put(key, entry);
    }
}
