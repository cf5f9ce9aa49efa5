//! Proofs written from a proof search and replayed from their file.

use std::fmt::{Debug, Display};

use nutcracker_game::{Game, Metric, Score, SliceId};
use nutcracker_proof::{
    Checked, Flaw, Goal, ProofReader, ProofWriter, Tables, TablesError, WriteError,
};
use nutcracker_search::{Halt, Oracle, Prover};

/// An oracle as the databases of a proof.
pub struct Stored<'a, O>(pub &'a O);

impl<O: Oracle<Error: Debug>> Tables for Stored<'_, O> {
    fn metric(&self) -> Option<Metric> {
        Some(Metric::Score)
    }

    fn digest(&self, slice: SliceId) -> Result<String, TablesError> {
        assert!(self.0.covers(slice), "slice {slice} is not covered");
        Ok(format!("digest of {slice}"))
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TablesError> {
        Ok(self.0.score(slice, index).expect("a score"))
    }
}

/// A proof of a goal, or of its opposite, as a file; `None` where the limits were reached, or the
/// table lost too much.
pub fn proof<G: Game, O: Oracle<Error: Debug + Display>>(
    game: &G,
    prover: &mut Prover<'_, G, O>,
    oracle: &O,
    position: &G::Position,
    goal: Goal,
) -> Option<(bool, Vec<u8>)> {
    let yes = prover.decide(position, goal).expect("an oracle that answers")?;
    let root = nutcracker_game::Situation::new(*position, nutcracker_game::Side::First);
    let tables = Stored(oracle);
    let mut writer = ProofWriter::new(game, &tables, &root, "test", Vec::new()).expect("memory");
    match writer.claim(if yes { goal } else { goal.opposite() }, &mut prover.strategy(yes)) {
        Ok(_) => Some((yes, writer.finish().expect("memory"))),
        Err(WriteError::Strategy(Halt::Gap) | WriteError::Repeats { .. }) => None,
        Err(error) => panic!("{error:?}"),
    }
}

pub fn check<G: Game, O: Oracle<Error: Debug>>(
    game: &G,
    oracle: &O,
    file: &[u8],
) -> Result<Checked, Flaw> {
    ProofReader::new(file)?.check(game, &Stored(oracle), |_| true)
}
