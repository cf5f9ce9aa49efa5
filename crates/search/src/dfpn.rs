//! Depth-first proof-number search (df-pn).
//!
//! The question is whether one side, the attacker, gets at least `need` from a position on. The
//! proof number of a position estimates how many positions have still to be proved for a yes, the
//! disproof number how many for a no; the search goes to the position where least is missing, and
//! stays below it until its numbers exceed thresholds a little (a quarter) above those of the next
//! best.
//!
//! # Gains
//! What is banked on the way changes what is needed: a state is a position with the need there and
//! the side to move. Within a slice nothing is banked, so the need is the same all along a cycle.
//!
//! # Repetition
//! A position that repeats is worth 0: a yes where the need is 0 or less, else a no. Answers that
//! rest on that hold for the path they were found on. Those that depend on positions above their
//! own are kept under the position together with all earlier ones of the path in its slice, which
//! is all they can depend on; the others under the position alone. See
//! [`Path`](crate::path::Path).
//!
//! # Two states taken for one
//! The table compares 64 bits of hash that are as good as independent of the place. Should two
//! states agree in them, the proof taken from the table afterwards has a gap, and is not written.

use std::error::Error;
use std::fmt;
use std::sync::atomic::Ordering::Relaxed;

use nutcracker_game::{Game, SliceId, Step};
use nutcracker_proof::{Claim, Goal};

use crate::depth_first::Order;
use crate::hash::Key;
use crate::path::{FREE, Path, Place};
use crate::proof_table::{INFINITE, Numbers, Table};
use crate::{ExactLimits, Oracle, SearchError, known};

/// Positions expanded between two reports.
const PAUSE: u64 = 1 << 10;

/// How far a search for a proof has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofStatus {
    /// The positions expanded so far.
    pub nodes: u64,
    /// The proof number of the root: an estimate of what is missing for a yes.
    pub proof: u32,
    /// The disproof number: the same for a no.
    pub disproof: u32,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt<E> {
    /// A limit was reached, or the table has lost something.
    Gap,
    /// The oracle failed.
    Oracle(E),
}

impl<E> fmt::Display for Halt<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Halt::Gap => "the search reached its limits, or its table was too small",
            Halt::Oracle(_) => "a score could not be read from a database",
        })
    }
}

impl<E: Error + 'static> Error for Halt<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Halt::Gap => None,
            Halt::Oracle(error) => Some(error),
        }
    }
}

/// A move from a position on the path.
#[derive(Clone, Copy)]
struct Child<P> {
    claim: Claim<P>,
    numbers: Numbers,
    /// If it is decided, the first place of the path that this depends on.
    from: Place,
}

/// A position on the path.
struct Frame<P> {
    claim: Claim<P>,
    key: Key,
    /// The hash of all earlier positions on the path in the same slice.
    before: u64,
    limits: Numbers,
    /// The first of its children, and the current one.
    first: usize,
    at: usize,
    nodes_before: u64,
}

/// Searches for proofs about positions; what it finds is kept from one question to the next.
///
/// ```
/// use nutcracker_game::Rules;
/// use nutcracker_games::kalah::Kalah;
/// use nutcracker_proof::{Goal, NoTables, ProofReader, ProofWriter};
/// use nutcracker_search::{Empty, ExactLimits, Prover};
///
/// let kalah = Kalah::new(3, 2, false)?;
/// let start = kalah.start();
/// let mut prover = Prover::new(&kalah, &Empty, ExactLimits::default());
/// assert_eq!(prover.decide(&start.position, Goal::AtLeast(4))?, Some(true));
/// assert_eq!(prover.decide(&start.position, Goal::AtLeast(5))?, Some(false));
///
/// let mut writer = ProofWriter::new(&kalah, &NoTables, &start, "example 1.0", Vec::new())?;
/// writer.claim(Goal::AtLeast(4), &mut prover.strategy(true))?;
/// writer.claim(Goal::AtMost(4), &mut prover.strategy(false))?;
/// let file = writer.finish()?;
/// let checked = ProofReader::new(&file[..])?.check(&kalah, &NoTables, |_| true)?;
/// assert_eq!(checked.goals, [Goal::AtLeast(4), Goal::AtMost(4)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prover<'a, G: Game, O: Oracle> {
    pub(crate) game: &'a G,
    pub(crate) oracle: &'a O,
    limits: ExactLimits<'a>,
    watch: Watch<'a>,
    pub(crate) order: Option<Order<'a, G>>,
    pub(crate) table: Table,
    path: Path<G::Position>,
    /// By place on the path, the hash of its positions in the same slice up to there.
    hashes: Vec<u64>,
    frames: Vec<Frame<G::Position>>,
    children: Vec<Child<G::Position>>,
    steps: Vec<Step<G::Position>>,
    nodes: u64,
    probes: u64,
}

/// Receives the status now and then; false ends the search.
type Watch<'a> = Box<dyn FnMut(ProofStatus) -> bool + 'a>;

pub(crate) type Answer<T, O> = Result<T, Halt<<O as Oracle>::Error>>;

impl<G: Game, O: Oracle> fmt::Debug for Prover<'_, G, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prover").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl<'a, G: Game, O: Oracle> Prover<'a, G, O> {
    /// A search with these limits for all its questions together.
    pub fn new(game: &'a G, oracle: &'a O, limits: ExactLimits<'a>) -> Self {
        Prover {
            game,
            oracle,
            table: Table::new(limits.table_bytes),
            limits,
            watch: Box::new(|_| true),
            order: None,
            path: Path::default(),
            hashes: Vec::new(),
            frames: Vec::new(),
            children: Vec::new(),
            steps: Vec::new(),
            nodes: 0,
            probes: 0,
        }
    }

    /// Calls `watch` every now and then while it searches; false ends the search.
    #[must_use]
    pub fn watched(self, watch: impl FnMut(ProofStatus) -> bool + 'a) -> Self {
        Prover { watch: Box::new(watch), ..self }
    }

    /// Allows this many positions more.
    pub fn grant(&mut self, nodes: u64) {
        self.limits.nodes = self.limits.nodes.saturating_add(nodes);
    }

    /// The positions expanded so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Scores read from the oracle so far.
    pub fn probes(&self) -> u64 {
        self.probes
    }

    /// Whether a position's score fulfils a goal; `None` when a limit was reached first.
    pub fn decide(
        &mut self,
        position: &G::Position,
        goal: Goal,
    ) -> Result<Option<bool>, SearchError<O::Error>> {
        self.start_over();
        match self.answer(&goal.claim(*position)) {
            Ok(yes) => Ok(Some(yes)),
            Err(Halt::Gap) => Ok(None),
            Err(Halt::Oracle(error)) => Err(SearchError::Oracle(error)),
        }
    }

    /// Forgets the path to where an earlier question ended.
    pub(crate) fn start_over(&mut self) {
        self.path.truncate(0);
        self.hashes.clear();
    }

    /// What needs neither search nor table: the end of the game, the bounds of the slice, the
    /// oracle.
    pub(crate) fn plain(&mut self, claim: &Claim<G::Position>) -> Answer<Option<bool>, O> {
        let slice = self.game.slice_of(&claim.position);
        let max = self.game.max_score(slice);
        let score = match self.game.outcome(&claim.position) {
            Some(score) => score,
            None if claim.need <= -max => return Ok(Some(true)),
            None if claim.need > max => return Ok(Some(false)),
            None => {
                let score = known(self.game, self.oracle, &claim.position).map_err(Halt::Oracle)?;
                let Some(score) = score else { return Ok(None) };
                self.probes += 1;
                score
            }
        };
        let score = if claim.proving { score } else { -score };
        Ok(Some(score >= claim.need))
    }

    /// Puts a position on the path, or takes the last one off.
    pub(crate) fn enter(&mut self, claim: &Claim<G::Position>) {
        let slice = self.game.slice_of(&claim.position);
        let hash = self.before(slice) ^ Key::of(claim).check;
        self.path.push(claim.position, slice);
        self.hashes.push(hash);
    }

    pub(crate) fn leave(&mut self) {
        self.path.pop();
        self.hashes.pop();
    }

    /// The hash of the positions at the end of the path that are in `slice`, in any order.
    fn before(&self, slice: SliceId) -> u64 {
        if self.path.ends_in(slice) { *self.hashes.last().unwrap_or(&0) } else { 0 }
    }

    /// The answer to a claim on this path that the table has, and the place of the move that was
    /// decisive.
    pub(crate) fn recall(&self, claim: &Claim<G::Position>) -> Option<(bool, u16)> {
        if self.order.is_some() {
            return self.recall_depth_first(claim);
        }
        let key = Key::of(claim);
        let before = self.before(self.game.slice_of(&claim.position));
        let decided = |key| {
            let (numbers, best): (Numbers, u16) = self.table.get(key)?;
            Some((numbers.decision()?, best))
        };
        decided(key).or_else(|| decided(key.with(before)))
    }

    /// Searches until a claim that is not immediate is decided on this path.
    pub(crate) fn answer(&mut self, claim: &Claim<G::Position>) -> Answer<bool, O> {
        if let Some(yes) = self.plain(claim)? {
            return Ok(yes);
        }
        if self.order.is_some() {
            return self.answer_depth_first(claim);
        }
        self.frames.clear();
        self.children.clear();
        let place = self.path.len();
        let result = self.search(claim);
        while self.path.len() > place {
            self.leave();
        }
        result
    }

    fn search(&mut self, claim: &Claim<G::Position>) -> Answer<bool, O> {
        self.open(claim, Numbers { proof: INFINITE, disproof: INFINITE })?;
        loop {
            let frame = self.frames.last().expect("the first frame is the last to go");
            let children = &self.children[frame.first..];
            let numbers = sum_up(frame.claim.proving, children);
            let limits = frame.limits;
            if numbers.proof < limits.proof && numbers.disproof < limits.disproof {
                let (at, limits) = select(frame.claim.proving, children, numbers, limits);
                let child = children[at].claim;
                self.frames.last_mut().expect("as above").at = at;
                self.open(&child, limits)?;
                continue;
            }
            let (numbers, from) = self.close(numbers);
            match self.frames.last() {
                Some(parent) => {
                    let child = &mut self.children[parent.first + parent.at];
                    (child.numbers, child.from) = (numbers, from);
                }
                None => return Ok(numbers.proof == 0),
            }
        }
    }

    /// The numbers of the root as they follow from those of all positions that are open.
    fn at_the_root(&self) -> Numbers {
        let (mut end, mut below) = (self.children.len(), None);
        for frame in self.frames.iter().rev() {
            let mut children = self.children[frame.first..end].to_vec();
            if let (Some(numbers), Some(child)) = (below, children.get_mut(frame.at)) {
                child.numbers = numbers;
            }
            below = Some(sum_up(frame.claim.proving, &children));
            end = frame.first;
        }
        below.unwrap_or(Numbers::NEW)
    }

    /// Counts a position that is expanded, unless the limits were reached.
    pub(crate) fn count(&mut self) -> Answer<(), O> {
        if self.nodes >= self.limits.nodes
            || self.limits.stop.is_some_and(|stop| stop.load(Relaxed))
        {
            return Err(Halt::Gap);
        }
        if self.nodes % PAUSE == PAUSE - 1 {
            let Numbers { proof, disproof } = self.at_the_root();
            if !(self.watch)(ProofStatus { nodes: self.nodes, proof, disproof }) {
                return Err(Halt::Gap);
            }
        }
        self.nodes += 1;
        Ok(())
    }

    /// Puts a position on the path and reads the numbers of its successors.
    fn open(&mut self, claim: &Claim<G::Position>, limits: Numbers) -> Answer<(), O> {
        self.count()?;
        let before = self.before(self.game.slice_of(&claim.position));
        self.frames.push(Frame {
            claim: *claim,
            key: Key::of(claim),
            before,
            limits,
            first: self.children.len(),
            at: 0,
            nodes_before: self.nodes - 1,
        });
        self.enter(claim);
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        self.game.steps(&claim.position, &mut steps);
        for step in &steps {
            let child = self.child(&claim.after(step))?;
            self.children.push(child);
        }
        self.steps = steps;
        Ok(())
    }

    /// What is known of a position that a move leads to.
    fn child(&mut self, claim: &Claim<G::Position>) -> Answer<Child<G::Position>, O> {
        let slice = self.game.slice_of(&claim.position);
        let child = |numbers, from| Child { claim: *claim, numbers, from };
        if let Some(yes) = self.plain(claim)? {
            return Ok(child(Numbers::decided(yes), FREE));
        }
        if let Some(place) = self.path.earlier(&claim.position, slice) {
            let score = self.game.repeated(&claim.position);
            let score = if claim.proving { score } else { -score };
            return Ok(child(Numbers::decided(claim.need <= score), place));
        }
        let key = Key::of(claim);
        let known = self.table.get(key).map_or(Numbers::NEW, |(numbers, _)| numbers);
        let before = self.before(slice);
        if known.decision().is_none()
            && before != 0
            && let Some((decided, _)) = self.table.get(key.with(before))
        {
            // The table does not store which earlier positions it depends on: assume all.
            return Ok(child(decided, self.path.since(slice)));
        }
        Ok(child(known, FREE))
    }

    /// Takes the last position off the path and stores its result.
    fn close(&mut self, numbers: Numbers) -> (Numbers, Place) {
        self.leave();
        let place = self.path.len();
        let frame = self.frames.pop().expect("one is open");
        let children = &self.children[frame.first..];
        let mut from = FREE;
        match numbers.decision() {
            None => self.table.put(frame.key, numbers, effort(self.nodes - frame.nodes_before)),
            Some(yes) => {
                let mut best = 0;
                if yes == frame.claim.proving {
                    // One move suffices; best one that does not depend on the path.
                    let suffices =
                        |(_, child): &(u16, &Child<_>)| child.numbers.decision() == Some(yes);
                    let decisive = (0..).zip(children).filter(suffices);
                    let (place, child) = decisive
                        .max_by_key(|(_, child)| child.from)
                        .expect("a decision rests on a move");
                    (best, from) = (place, child.from);
                } else {
                    from = children.iter().map(|child| child.from).min().unwrap_or(FREE);
                }
                if from >= place {
                    from = FREE;
                }
                let key = if from == FREE { frame.key } else { frame.key.with(frame.before) };
                // A position that was decided meanwhile keeps its move: the one found now may have
                // been decided because of this position, and a strategy would go round in a circle.
                if let Some((before, decisive)) = self.table.get(key)
                    && before.decision() == Some(yes)
                {
                    best = decisive;
                }
                self.table.put(key, numbers, best);
            }
        }
        self.children.truncate(frame.first);
        (numbers, from)
    }
}

/// The numbers of a position from those of its children.
fn sum_up<P>(attacks: bool, children: &[Child<P>]) -> Numbers {
    let proofs = children.iter().map(|child| child.numbers.proof);
    let disproofs = children.iter().map(|child| child.numbers.disproof);
    if attacks {
        Numbers { proof: proofs.min().unwrap_or(INFINITE), disproof: sum(disproofs) }
    } else {
        Numbers { proof: sum(proofs), disproof: disproofs.min().unwrap_or(INFINITE) }
    }
}

/// Infinite if one is, and only then.
fn sum(numbers: impl Iterator<Item = u32>) -> u32 {
    numbers.fold(0, |sum, number| match (sum, number) {
        (INFINITE, _) | (_, INFINITE) => INFINITE,
        _ => (sum + number).min(INFINITE - 1),
    })
}

/// The child where least is missing, and how far its numbers may rise.
fn select<P>(
    attacks: bool,
    children: &[Child<P>],
    numbers: Numbers,
    limits: Numbers,
) -> (usize, Numbers) {
    // Seen by the side to move: what it has to show, and what the other has.
    let own = |child: &Child<P>| if attacks { child.numbers.proof } else { child.numbers.disproof };
    let other =
        |child: &Child<P>| if attacks { child.numbers.disproof } else { child.numbers.proof };
    let (mut best, mut second) = (0, INFINITE);
    for (at, child) in children.iter().enumerate().skip(1) {
        if own(child) < own(&children[best]) {
            second = own(&children[best]);
            best = at;
        } else {
            second = second.min(own(child));
        }
    }
    let chosen = &children[best];
    let (own_limit, other_limit, others) = if attacks {
        (limits.proof, limits.disproof, numbers.disproof)
    } else {
        (limits.disproof, limits.proof, numbers.proof)
    };
    let own_limit = own_limit.min(second.saturating_add(second / 4 + 1)).min(INFINITE);
    let other_limit = match other_limit {
        INFINITE => INFINITE,
        limit => (limit - others + other(chosen)).min(INFINITE),
    };
    // Sums that were capped must not stop a search before it begins.
    let own_limit = own_limit.max(own(chosen) + 1);
    let other_limit = other_limit.max(other(chosen) + 1);
    let limits = if attacks {
        Numbers { proof: own_limit, disproof: other_limit }
    } else {
        Numbers { proof: other_limit, disproof: own_limit }
    };
    (best, limits)
}

/// The binary logarithm of a number of nodes.
fn effort(nodes: u64) -> u16 {
    nodes.checked_ilog2().unwrap_or(0) as u16
}
