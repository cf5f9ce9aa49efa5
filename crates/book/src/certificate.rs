//! A solved book as a strategy that a proof file can hold.

use std::cmp::Reverse;
use std::collections::HashSet;

use nutcracker_game::{Game, Score};
use nutcracker_proof::{Claim, Reply, Strategy, WriteError};

use crate::book::Book;
use crate::derive::moves_of;
use crate::error::{BookError, Result};
use crate::node::State;
use crate::store::Store;

/// The strategy of a book for what it has proven.
///
/// It plays the move with the best bound and, of several, the one whose proof is least deep: so
/// every line ends where the bound is above 0, and may stay in a cycle only where it is not. What an
/// expert proved of a leaf by a search is proved again by another strategy; if that one comes back to
/// a position of the book, it takes over from there, see [`written`](BookStrategy::written).
#[derive(Debug)]
pub struct BookStrategy<'a, G: Game, S: Store, F, L> {
    book: &'a mut Book<G, S>,
    known: F,
    leaves: L,
    /// Positions of the book at which the strategy of the leaves takes over.
    searched: HashSet<String>,
    /// Positions on the way at which it has taken over.
    below: usize,
}

impl<'a, G: Game, S: Store, F, L> BookStrategy<'a, G, S, F, L>
where
    F: FnMut(&G::Position) -> Result<Option<Score>>,
    L: Strategy<G::Position>,
{
    /// The strategy of a book; `known` looks scores up in the databases that a proof may name, and
    /// `leaves` is the strategy from leaves on that were proven by a search.
    pub fn new(book: &'a mut Book<G, S>, known: F, leaves: L) -> Self {
        BookStrategy { book, known, leaves, searched: HashSet::new(), below: 0 }
    }

    /// Writes a proof by `attempt`, which is called again, from the beginning, as often as play
    /// under the strategy of the leaves comes back to a position of the book where it must not.
    pub fn written<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> std::result::Result<T, WriteError<BookError>>,
    ) -> std::result::Result<T, WriteError<BookError>> {
        loop {
            let outcome = attempt(self);
            while self.below > 0 {
                self.leave();
            }
            let Err(WriteError::Repeats { position, .. }) = &outcome else { return outcome };
            let graph = &self.book.valued.graph;
            let key = graph.parse(position).map(|position| graph.key(&position));
            // Each time there is one more of them, so it ends.
            if !self.searched.insert(key.map_err(WriteError::Strategy)?) {
                return outcome;
            }
        }
    }

    /// What the strategy below leaves does.
    fn enter_below(&mut self, claim: &Claim<G::Position>) -> Result<Reply> {
        let Ok(reply) = self.leaves.enter(claim) else {
            let why =
                "an expert proved it by a search, which could not be repeated within the limits";
            let key = self.book.valued.graph.key(&claim.position);
            return Err(BookError::Unproven(key, why.to_owned()));
        };
        self.below += usize::from(reply != Reply::Database);
        Ok(reply)
    }
}

impl<G: Game, S: Store, F, L> Strategy<G::Position> for BookStrategy<'_, G, S, F, L>
where
    F: FnMut(&G::Position) -> Result<Option<Score>>,
    L: Strategy<G::Position>,
{
    type Error = BookError;

    fn enter(&mut self, claim: &Claim<G::Position>) -> Result<Reply> {
        let graph = &self.book.valued.graph;
        if self.below > 0
            || !self.searched.is_empty() && self.searched.contains(&graph.key(&claim.position))
        {
            return self.enter_below(claim);
        }
        if let Some(score) = (self.known)(&claim.position)? {
            let gets = if claim.proving { score } else { -score };
            if gets >= claim.need {
                return Ok(Reply::Database);
            }
        }
        let graph = &mut self.book.valued.graph;
        let unproven = |graph: &crate::graph::Graph<G, S>, why: &str| {
            Err(BookError::Unproven(graph.key(&claim.position), why.to_owned()))
        };
        let Some(id) = graph.find(&claim.position)? else {
            return unproven(graph, "it is not in the book");
        };
        if graph.node(id)?.state != State::Interior {
            return self.enter_below(claim);
        }
        if !claim.proving {
            return Ok(Reply::Any);
        }
        let mut moves = Vec::new();
        moves_of(graph, id, &mut moves)?;
        let mut best = None;
        for (place, mv) in moves.iter().enumerate() {
            if mv.value.lower >= claim.need {
                let depth = graph.proof_of(&mv.edge)?.lower;
                best = best.max(Some((mv.value.lower, Reverse(depth), Reverse(place))));
            }
        }
        match best {
            Some((_, _, Reverse(place))) => Ok(Reply::Play(place)),
            None => unproven(graph, "no move is proven to reach it"),
        }
    }

    fn leave(&mut self) {
        if self.below > 0 {
            self.below -= 1;
            self.leaves.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use nutcracker_game::{Side, Situation};
    use nutcracker_proof::{Goal, NoTables, ProofReader, ProofWriter};
    use nutcracker_search::{Empty, ExactLimits, Prover, Worth};
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::Strategy as Choice;
    use crate::expert::FnExpert;
    use crate::grow::Plan;
    use crate::grow::tests::{scores_of, toys};
    use crate::store::MemoryStore;
    use crate::toy::ToyBook;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// On any graph, with cycles: a solved book is written as a proof that the checker accepts,
        /// also where an expert knew the scores of leaves by itself.
        #[test]
        fn a_solved_book_is_a_proof(toy in toys(), knows in 0..4_u32) {
            let scores = scores_of(&toy);
            let known = scores.clone();
            let mut guesses = toy.expert();
            let mut expert = FnExpert(move |at: &u32| match known[*at as usize] {
                score if at % 4 < knows => Worth::exact(score),
                _ => (guesses.0)(at),
            });
            let mut book =
                Book::create(toy.clone(), MemoryStore::new(), &0, &mut expert).unwrap();
            book.grow(&mut [expert], &Plan::new(Choice::Proof), &mut |_| {}).unwrap();
            prop_assert_eq!(book.root_value().unwrap().score(), Some(scores[0]));
            let root = Situation::new(0, Side::First);
            let limits = ExactLimits { nodes: u64::MAX, table_bytes: 1 << 20, stop: None };
            let mut prover = Prover::new(&toy, &Empty, limits);
            let leaves = prover.strategy(true);
            let mut strategy = BookStrategy::new(&mut book, |_: &_| Ok(None), leaves);
            let file = strategy.written(|strategy| {
                let mut writer = ProofWriter::new(&toy, &NoTables, &root, "test", Vec::new())?;
                writer.claim(Goal::AtLeast(scores[0]), strategy)?;
                writer.claim(Goal::AtMost(scores[0]), strategy)?;
                Ok(writer.finish()?)
            });
            let file = file.unwrap();
            let checked = ProofReader::new(file.as_slice()).unwrap().check(&toy, &NoTables, |_| true);
            prop_assert!(checked.is_ok(), "{checked:?}");
        }
    }
}
