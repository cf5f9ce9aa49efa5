//! A solved book as a strategy that a proof file can hold.

use std::cmp::Reverse;

use nutcracker_game::{Game, Score};
use nutcracker_proof::{Claim, Reply, Strategy};

use crate::book::Book;
use crate::derive::moves_of;
use crate::error::{BookError, Result};
use crate::node::State;
use crate::store::Store;

/// The strategy of a book for what it has proven.
///
/// It plays the move with the best bound and, of several, the one whose proof is least deep: so
/// every line ends where the bound is above 0, and may stay in a cycle only where it is not.
#[derive(Debug)]
pub struct BookStrategy<'a, G: Game, S: Store, F> {
    book: &'a mut Book<G, S>,
    known: F,
}

impl<'a, G: Game, S: Store, F> BookStrategy<'a, G, S, F>
where
    F: FnMut(&G::Position) -> Result<Option<Score>>,
{
    /// The strategy of a book; `known` looks scores up in the databases that a proof may name.
    pub fn new(book: &'a mut Book<G, S>, known: F) -> Self {
        BookStrategy { book, known }
    }
}

impl<G: Game, S: Store, F> Strategy<G::Position> for BookStrategy<'_, G, S, F>
where
    F: FnMut(&G::Position) -> Result<Option<Score>>,
{
    type Error = BookError;

    fn enter(&mut self, claim: &Claim<G::Position>) -> Result<Reply> {
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
            return unproven(graph, "its value comes from a search, not from a database");
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
}

#[cfg(test)]
mod tests {
    use nutcracker_game::{Side, Situation};
    use nutcracker_proof::{Goal, NoTables, ProofReader, ProofWriter};
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::Strategy as Choice;
    use crate::grow::Plan;
    use crate::grow::tests::{scores_of, toys};
    use crate::store::MemoryStore;
    use crate::toy::ToyBook;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// On any graph, with cycles: a solved book is written as a proof that the checker accepts.
        #[test]
        fn a_solved_book_is_a_proof(toy in toys()) {
            let score = scores_of(&toy)[0];
            let mut book =
                Book::create(toy.clone(), MemoryStore::new(), &0, &mut toy.expert()).unwrap();
            book.grow(&mut [toy.expert()], &Plan::new(Choice::Proof), &mut |_| {}).unwrap();
            prop_assert_eq!(book.root_value().unwrap().score(), Some(score));
            let root = Situation::new(0, Side::First);
            let mut writer =
                ProofWriter::new(&toy, &NoTables, &root, "test", Vec::new()).unwrap();
            let mut strategy = BookStrategy::new(&mut book, |_: &_| Ok(None));
            writer.claim(Goal::AtLeast(score), &mut strategy).unwrap();
            writer.claim(Goal::AtMost(score), &mut strategy).unwrap();
            let file = writer.finish().unwrap();
            let checked = ProofReader::new(file.as_slice()).unwrap().check(&toy, &NoTables, |_| true);
            prop_assert!(checked.is_ok(), "{checked:?}");
        }
    }
}
