//! What the server believes of what workers say.
//!
//! A bound counts as proven only if the server finds it in its own databases, or the proof that
//! comes with it replays; everything else is a guess. Guesses are compared with those of other
//! accounts.

use std::collections::HashMap;
use std::fmt;

use nutcracker_book::expert::Expert;
use nutcracker_game::{Evaluate, Game, Score};
use nutcracker_proof::{Fault, Flaw, Goal, ProofReader, Tables};
use nutcracker_search::{Oracle, Worth, known};

use crate::protocol::PositionValue;

/// What the server knows by itself.
pub trait Authority<G: Game> {
    /// The score of a position in its databases; the error is a sentence.
    fn known(&mut self, position: &G::Position) -> Result<Option<Score>, String>;
    /// What a proof file proves of a position.
    fn replay(&mut self, position: &G::Position, proof: &str) -> Replay;
    /// What its own expert says; the error is a sentence.
    fn evaluate(&mut self, position: &G::Position) -> Result<Worth, String>;
    /// The evaluation of the game.
    fn guess(&mut self, position: &G::Position) -> i32;
}

/// A lower and an upper bound, each where there is one.
pub type Bounds = (Option<Score>, Option<Score>);

/// What a proof file proves of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replay {
    /// These bounds.
    Bounds(Bounds),
    /// It does not replay, or is of another position.
    Broken,
    /// It rests on databases that the server does not have.
    OtherDatabases,
}

/// An authority by databases, the check of proofs, and an expert.
pub struct Local<'a, G, O, T> {
    /// The game.
    pub game: G,
    /// The databases.
    pub oracle: Option<O>,
    /// The same, as proofs name them.
    pub tables: T,
    /// The expert that decides between workers.
    pub expert: Box<dyn Expert<G> + Send + 'a>,
}

impl<G: fmt::Debug, O, T> fmt::Debug for Local<'_, G, O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("game", &self.game).finish_non_exhaustive()
    }
}

impl<G, O, T> Authority<G> for Local<'_, G, O, T>
where
    G: Evaluate,
    O: Oracle<Error: fmt::Display>,
    T: Tables,
{
    fn known(&mut self, position: &G::Position) -> Result<Option<Score>, String> {
        match &self.oracle {
            Some(oracle) => known(&self.game, oracle, position).map_err(|error| error.to_string()),
            None => Ok(None),
        }
    }

    fn replay(&mut self, position: &G::Position, proof: &str) -> Replay {
        let Ok(reader) = ProofReader::new(proof.as_bytes()) else { return Replay::Broken };
        match self.game.parse(&reader.header().root) {
            Ok(root) if root.position == *position => {}
            _ => return Replay::Broken,
        }
        let checked = match reader.check(&self.game, &self.tables, |_| true) {
            Ok(checked) => checked,
            Err(flaw) if rests_on_other_databases(&flaw) => return Replay::OtherDatabases,
            Err(_) => return Replay::Broken,
        };
        let mut bounds: Bounds = (None, None);
        for goal in checked.goals {
            match goal {
                Goal::AtLeast(score) => bounds.0 = bounds.0.max(Some(score)),
                Goal::AtMost(score) => {
                    bounds.1 = Some(bounds.1.map_or(score, |upper| upper.min(score)));
                }
            }
        }
        Replay::Bounds(bounds)
    }

    fn evaluate(&mut self, position: &G::Position) -> Result<Worth, String> {
        self.expert.evaluate(position).map_err(|error| error.to_string())
    }

    fn guess(&mut self, position: &G::Position) -> i32 {
        self.game.evaluate(position, self.game.fitted())
    }
}

/// Whether a proof may be sound, and the databases that it names are missing here.
fn rests_on_other_databases(flaw: &Flaw) -> bool {
    let (Flaw::Line { fault, .. } | Flaw::Unproven { fault, .. }) = flaw else { return false };
    matches!(fault, Fault::Digest { .. } | Fault::Tables(_))
}

/// What became of a value that a worker sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verified {
    /// What the book may believe.
    pub worth: Worth,
    /// It contradicts the server's databases.
    pub lie: bool,
    /// Its proof does not replay, or proves less.
    pub broken_proof: bool,
}

/// The guess of a value in hundredths of a point: what the worker says, or what follows from its
/// bounds; within the game's largest score.
pub fn guess_of(value: &PositionValue, max: Score) -> i32 {
    let most = 100.0 * f64::from(max);
    let points = |score: Score| 100.0 * f64::from(score);
    let guess = value.guess.map(|guess| 100.0 * guess);
    let lower = value.lower.map(points);
    let upper = value.upper.map(points);
    let middle = match (lower, upper) {
        (Some(lower), Some(upper)) => f64::midpoint(lower, upper),
        (lower, upper) => lower.or(upper).unwrap_or(0.0),
    };
    let number = guess.filter(|guess| guess.is_finite()).unwrap_or(middle);
    let number = number.max(lower.unwrap_or(-most)).min(upper.unwrap_or(most));
    number.clamp(-most, most).round() as i32
}

/// What may be believed of a value that a worker sent.
pub fn verify<G: Game>(
    game: &G,
    authority: &mut dyn Authority<G>,
    position: &G::Position,
    value: &PositionValue,
) -> Result<Verified, String> {
    let max = game.max_score(game.slice_of(position));
    if let Some(score) = authority.known(position)? {
        let lie = value.lower.is_some_and(|lower| lower > score)
            || value.upper.is_some_and(|upper| upper < score);
        return Ok(Verified { worth: Worth::exact(score), lie, broken_proof: false });
    }
    let guess = guess_of(value, max);
    let mut verified = Verified { worth: Worth::guess(guess), lie: false, broken_proof: false };
    if let Some(proof) = &value.proof {
        // What is claimed beyond what the proof shows stays a claim.
        let within = |score: &Score| (-max..=max).contains(score);
        let (lower, upper) = match authority.replay(position, proof) {
            Replay::Bounds(bounds) => bounds,
            Replay::Broken => Bounds::default(),
            Replay::OtherDatabases => return Ok(verified),
        };
        let lower = value.lower.filter(|&claim| lower.is_some_and(|shown| shown >= claim));
        let upper = value.upper.filter(|&claim| upper.is_some_and(|shown| shown <= claim));
        let (lower, upper) = (lower.filter(within), upper.filter(within));
        verified.broken_proof = lower != value.lower || upper != value.upper;
        if lower.is_some() || upper.is_some() {
            let least = 100 * i32::from(lower.unwrap_or(-max));
            let most = 100 * i32::from(upper.unwrap_or(max)).max(least / 100);
            let guess = (lower != upper).then(|| guess.clamp(least, most));
            verified.worth = Worth { lower, upper, guess, ..Worth::default() };
        }
    }
    Ok(verified)
}

/// How far two guesses of one position may be apart, in hundredths of a point: engines of different
/// depth differ. Half a point, and an eighth of the largest score: 0.62 in a game of win, draw and
/// loss, 6.5 points in awari.
pub fn tolerance(max: Score) -> i32 {
    50 + 100 * i32::from(max) / 8
}

/// Numbers for the positions of a job, in hundredths of a point: guesses, or what is tolerated.
pub type Guesses = HashMap<String, i32>;

/// Whether two accounts disagree about a job: the median of their differences is larger than is
/// tolerated, or a quarter of them is more than twice that. A single position that one of
/// the two saw through does not count.
pub fn disagree(a: &Guesses, b: &Guesses, tolerance: &Guesses) -> bool {
    // In thousandths of what is tolerated.
    let mut apart: Vec<i64> = a
        .iter()
        .filter_map(|(position, &guess)| {
            let tolerated = i64::from(*tolerance.get(position)?).max(1);
            let difference = i64::from(guess) - i64::from(*b.get(position)?);
            Some(1000 * difference.abs() / tolerated)
        })
        .collect();
    apart.sort_unstable();
    let Some(&median) = apart.get(apart.len() / 2) else { return false };
    let upper_quarter = apart[apart.len() * 3 / 4];
    median > 1000 || upper_quarter > 2000
}

/// Why an account is suspended after its audits, if it is. A single disagreement may be bad
/// luck or a shallow search: it takes three, and more than a quarter of all audits.
pub fn verdict(account: &crate::protocol::Account) -> Option<String> {
    if account.lies > 0 {
        return Some("it claimed bounds that the server's databases refute".to_owned());
    }
    if account.broken_proofs >= 3 {
        return Some(format!("{} of its proofs do not replay", account.broken_proofs));
    }
    let often = account.off >= 3 && 4 * account.off > account.audited;
    often.then(|| {
        let (off, audited) = (account.off, account.audited);
        format!("{off} of {audited} audited results were wrong by more than engines differ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Account;

    fn value(guess: Option<f64>, lower: Option<Score>, upper: Option<Score>) -> PositionValue {
        PositionValue { guess, lower, upper, ..PositionValue::default() }
    }

    #[test]
    fn guesses_are_clamped_and_follow_from_bounds() {
        assert_eq!(guess_of(&value(Some(1.25), None, None), 48), 125);
        assert_eq!(guess_of(&value(Some(1e300), None, None), 48), 4800);
        assert_eq!(guess_of(&value(Some(f64::NAN), None, None), 48), 0);
        assert_eq!(guess_of(&value(None, Some(3), Some(3)), 48), 300);
        assert_eq!(guess_of(&value(None, Some(9), None), 5), 500);
        assert_eq!(guess_of(&value(Some(-2.0), Some(1), None), 5), 100);
        // Bounds that contradict each other do no harm.
        assert_eq!(guess_of(&value(None, Some(4), Some(-4)), 5), -400);
    }

    #[test]
    fn one_position_is_no_disagreement() {
        let job = |guesses: &[i32]| -> Guesses {
            guesses.iter().enumerate().map(|(n, &guess)| (n.to_string(), guess)).collect()
        };
        let tolerated = job(&[62; 6]);
        let a = job(&[0, 10, 20, 30, 40, 50]);
        assert!(!disagree(&a, &a, &tolerated));
        assert!(!disagree(&a, &job(&[100, 10, 20, 30, 40, 50]), &tolerated));
        assert!(disagree(&a, &job(&[100, -100, 100, -60, 40, 50]), &tolerated));
        assert!(!disagree(&a, &Guesses::new(), &tolerated));
    }

    #[test]
    fn it_takes_more_than_one_disagreement() {
        let mut account = Account { audited: 8, off: 2, ..Account::default() };
        assert_eq!(verdict(&account), None);
        account.off = 3;
        assert!(verdict(&account).is_some());
        account.audited = 12;
        assert_eq!(verdict(&account), None);
        account.lies = 1;
        assert!(verdict(&account).unwrap().contains("databases"));
    }
}
