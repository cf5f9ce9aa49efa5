//! Proofs by a depth-first search: for questions whose answers lie a known number of moves ahead.
//!
//! Where all lines of play reach databases after as many moves, as in the placing phase of morris,
//! the proof numbers of df-pn only say how many moves are left, and overflow. A depth-first search
//! asks the same questions in the order of a guess which move is good. What it has decided is kept by
//! the canonical form of a position, so that images of one another are searched once; a move that the
//! table decides is found before any is searched.

use nutcracker_game::{Game, Step};
use nutcracker_proof::Claim;

use crate::Oracle;
use crate::dfpn::{Answer, Halt, Prover};
use crate::hash::Key;
use crate::proof_table::Numbers;

/// For each move of a position, in the order of the rules: larger is tried earlier.
pub(crate) type Order<'a, G> =
    Box<dyn Fn(&<G as nutcracker_game::Rules>::Position, &mut Vec<i32>) + 'a>;

/// Lines of play that are longer are not searched: the stack is finite.
const DEEPEST: usize = 1_000;

/// A move that is neither decided nor searched yet.
struct Open<P> {
    claim: Claim<P>,
    place: u16,
}

impl<'a, G: Game, O: Oracle> Prover<'a, G, O> {
    /// Searches depth first, moves with the largest promise first, where no position can repeat before
    /// the oracle knows it. `promise` appends a number for each move of a position.
    ///
    /// ```
    /// use nutcracker_game::Rules;
    /// use nutcracker_games::kalah::Kalah;
    /// use nutcracker_proof::Goal;
    /// use nutcracker_search::{Empty, ExactLimits, Prover};
    ///
    /// let kalah = Kalah::new(3, 2, false)?;
    /// let start = kalah.start().position;
    /// let first_move_first = |_: &_, promise: &mut Vec<i32>| promise.extend((-5..=0).rev());
    /// let mut prover =
    ///     Prover::new(&kalah, &Empty, ExactLimits::default()).depth_first(first_move_first);
    /// assert_eq!(prover.decide(&start, Goal::AtLeast(4))?, Some(true));
    /// assert_eq!(prover.decide(&start, Goal::AtLeast(5))?, Some(false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn depth_first(mut self, promise: impl Fn(&G::Position, &mut Vec<i32>) + 'a) -> Self {
        self.order = Some(Box::new(promise));
        self
    }

    /// Searches until a claim is decided.
    pub(crate) fn answer_depth_first(&mut self, claim: &Claim<G::Position>) -> Answer<bool, O> {
        let claim = self.canonical(claim);
        self.decide_below(&claim, 0)
    }

    /// The answer that the table has, and the place of the decisive move in this position.
    pub(crate) fn recall_depth_first(&self, claim: &Claim<G::Position>) -> Option<(bool, u16)> {
        let canonical = self.canonical(claim);
        let (numbers, best) = self.table.get(Key::of(&canonical))?;
        let yes = numbers.decision()?;
        if yes != claim.proving || canonical.position == claim.position {
            return Some((yes, best));
        }
        // The move whose position is an image of what the canonical one's move leads to.
        let mut steps = Vec::new();
        self.game.steps(&canonical.position, &mut steps);
        let after = self.canonical(&canonical.after(steps.get(usize::from(best))?));
        steps.clear();
        self.game.steps(&claim.position, &mut steps);
        let leads = |step: &Step<_>| self.canonical(&claim.after(step)) == after;
        Some((yes, steps.iter().position(leads)? as u16))
    }

    fn canonical(&self, claim: &Claim<G::Position>) -> Claim<G::Position> {
        Claim { position: self.game.canonical(&claim.position), ..*claim }
    }

    /// What needs no search.
    fn decided(&mut self, claim: &Claim<G::Position>) -> Answer<Option<bool>, O> {
        if let Some(yes) = self.plain(claim)? {
            return Ok(Some(yes));
        }
        Ok(self.table.get(Key::of(claim)).and_then(|(numbers, _)| numbers.decision()))
    }

    /// Decides a claim of a canonical position that is not immediate.
    fn decide_below(&mut self, claim: &Claim<G::Position>, depth: usize) -> Answer<bool, O> {
        self.count()?;
        if depth > DEEPEST {
            return Err(Halt::Gap);
        }
        // The mover looks for one move with this answer.
        let wanted = claim.proving;
        let (mut steps, mut promise) = (Vec::new(), Vec::new());
        self.game.steps(&claim.position, &mut steps);
        if let Some(order) = &self.order {
            order(&claim.position, &mut promise);
        }
        promise.resize(steps.len(), 0);
        let mut places: Vec<u16> = (0..steps.len() as u16).collect();
        places.sort_by_key(|&place| std::cmp::Reverse(promise[usize::from(place)]));
        let mut open: Vec<Open<G::Position>> = Vec::new();
        for place in places {
            let next = self.canonical(&claim.after(&steps[usize::from(place)]));
            if open.iter().any(|open| open.claim == next) {
                continue;
            }
            match self.decided(&next)? {
                Some(yes) if yes == wanted => return Ok(self.close_with(claim, yes, place)),
                Some(_) => {}
                None => open.push(Open { claim: next, place }),
            }
        }
        for Open { claim: next, place } in open {
            let known = self.table.get(Key::of(&next)).and_then(|(numbers, _)| numbers.decision());
            let yes = match known {
                Some(yes) => yes,
                None => self.decide_below(&next, depth + 1)?,
            };
            if yes == wanted {
                return Ok(self.close_with(claim, yes, place));
            }
        }
        Ok(self.close_with(claim, !wanted, 0))
    }

    /// Stores what was decided.
    fn close_with(&mut self, claim: &Claim<G::Position>, yes: bool, place: u16) -> bool {
        self.table.put(Key::of(claim), Numbers::decided(yes), place);
        yes
    }
}
