//! Proofs of what experts have proven by search: a server believes no bound without one.

use nutcracker_game::{Game, Situation};
use nutcracker_proof::{Goal, ProofWriter, Tables};
use nutcracker_search::{ExactLimits, Oracle, Prover, Worth, known};

/// Positions that are searched for the proofs of one value.
const NODES: u64 = 200_000;
/// Memory of that search, in bytes.
const TABLE: usize = 8 << 20;
/// Bytes of one proof, and of all proofs in a submission: a request has at most 1 MiB.
const ONE: usize = 64 << 10;
const ALL: usize = 512 << 10;

/// Proves what experts say of positions; the proof file as a text. `None` if nothing is to be
/// proven, or no proof of a reasonable size was found.
pub type Prove<'a, P> = dyn Fn(&Situation<P>, &Worth) -> Option<String> + Sync + 'a;

/// A proof of the bounds of a position that databases do not have: the server looks up those
/// values in its own.
///
/// Both bounds are proven or none: the server takes a proof that shows less than is claimed for a
/// broken one.
pub fn prove<G: Game, O: Oracle, T: Tables>(
    game: &G,
    oracle: &O,
    tables: &T,
    program: &str,
    root: &Situation<G::Position>,
    worth: &Worth,
) -> Option<String> {
    let position = &root.position;
    let goals = [worth.lower.map(Goal::AtLeast), worth.upper.map(Goal::AtMost)];
    let is_known = || known(game, oracle, position).map_or(true, |score| score.is_some());
    if goals == [None, None] || game.outcome(position).is_some() || is_known() {
        return None;
    }
    let limits = ExactLimits { nodes: NODES, table_bytes: TABLE, stop: None };
    let mut prover = Prover::new(game, oracle, limits);
    let mut writer = ProofWriter::new(game, tables, root, program, Vec::new()).ok()?;
    for goal in goals.into_iter().flatten() {
        if prover.decide(position, goal).ok()? != Some(true) {
            return None;
        }
        writer.claim(goal, &mut prover.strategy(true)).ok()?;
    }
    let text = String::from_utf8(writer.finish().ok()?).ok()?;
    (text.len() <= ONE).then_some(text)
}

/// What is left of the proofs of a submission.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Room(ALL)
    }
}

impl Room {
    /// A proof, if there is room for it.
    pub fn take(&mut self, proof: Option<String>) -> Option<String> {
        let proof = proof?;
        // Line ends and tabs are escaped in JSON.
        let bytes = proof.len() + proof.bytes().filter(u8::is_ascii_control).count();
        self.0 = self.0.checked_sub(bytes)?;
        Some(proof)
    }
}

#[cfg(test)]
mod tests {
    use nutcracker_game::Rules;
    use nutcracker_games::kalah::Kalah;
    use nutcracker_proof::{NoTables, ProofReader};
    use nutcracker_search::Empty;

    use super::*;

    #[test]
    fn bounds_that_hold_are_proven_and_others_are_not() {
        let game = Kalah::new(3, 2, false).unwrap();
        let start = game.start();
        let proof = |worth: Worth| prove(&game, &Empty, &NoTables, "test", &start, &worth);
        let text = proof(Worth::exact(4)).unwrap();
        let reader = ProofReader::new(text.as_bytes()).unwrap();
        let checked = reader.check(&game, &NoTables, |_| true).unwrap();
        assert_eq!(checked.goals, [Goal::AtLeast(4), Goal::AtMost(4)]);
        assert_eq!(proof(Worth::exact(5)), None);
        assert_eq!(proof(Worth::guess(400)), None);
        let least = Worth { lower: Some(2), ..Worth::guess(300) };
        assert!(proof(least).unwrap().contains("claim\tat-least\t2"));
    }

    #[test]
    fn proofs_of_a_submission_stay_within_their_room() {
        let mut room = Room::default();
        let large = || Some("x".repeat(ONE));
        let taken = (0..100).filter(|_| room.take(large()).is_some()).count();
        assert_eq!(taken, ALL / ONE);
        assert_eq!(room.take(None), None);
    }
}
