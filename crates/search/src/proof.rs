//! Proofs as data, and the check that they hold.
//!
//! The check is independent of how a proof was found. It uses the rules, an oracle's scores, and
//! that a position that repeats is worth 0 from there on.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use nutcracker_game::{Game, Score, SliceId, Step, Turn};

use crate::{Oracle, known};

/// A claim about the score of a position's mover.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// The score is this or more. At least 1 is a win of what is still to come, at least 0 no loss.
    AtLeast(Score),
    /// The score is this or less.
    AtMost(Score),
}

impl Goal {
    /// What holds where this does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Goal::AtLeast(score) => Goal::AtMost(score - 1),
            Goal::AtMost(score) => Goal::AtLeast(score + 1),
        }
    }

    /// Whether a score fulfils it.
    pub fn holds(self, score: Score) -> bool {
        match self {
            Goal::AtLeast(least) => score >= least,
            Goal::AtMost(most) => score <= most,
        }
    }

    /// What the side that proves it needs, and whether that side is the mover.
    pub(crate) fn need(self) -> (Score, bool) {
        match self {
            Goal::AtLeast(score) => (score, true),
            Goal::AtMost(score) => (-score, false),
        }
    }
}

/// A strategy that reaches a goal: for every position that can arise under it, the move to play
/// where the proving side is to move, and all moves where the other side is.
///
/// Positions that end the game, and those that an oracle or the bounds of their slice decide, are
/// not among the nodes. Where the proving side needs 0 or less, play under the strategy may cycle
/// forever; where it needs more, it may not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof<P> {
    /// What is proved.
    pub goal: Goal,
    /// Of which position.
    pub root: P,
    /// The positions under the strategy, each once with the same need.
    pub nodes: Vec<ProofNode<P>>,
}

/// A position of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofNode<P> {
    /// As its mover sees it.
    pub position: P,
    /// What the proving side still needs from here on.
    pub need: Score,
    /// What is played.
    pub reply: Reply,
}

/// What is played at a position of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The proving side moves, and plays the move at this place of the list of moves.
    Play(u16),
    /// The other side moves, and may play anything.
    Any,
}

/// What is wrong with a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Flaw<P, E> {
    /// A position can arise that the proof does not contain.
    Missing {
        /// The position.
        position: P,
        /// What the proving side needs there.
        need: Score,
    },
    /// A position is decided otherwise.
    Wrong {
        /// The position.
        position: P,
        /// What the proving side needs there.
        need: Score,
        /// What it gets.
        score: Score,
    },
    /// A position occurs twice.
    Twice {
        /// The position.
        position: P,
    },
    /// A move is none.
    NoSuchMove {
        /// The position.
        position: P,
        /// The place of the move in the list of moves.
        place: u16,
    },
    /// Play may come back to a position where the proving side needs more than a repetition gives.
    Repeats {
        /// The position.
        position: P,
    },
    /// A move breaks the laws of slices, without which repetitions mean nothing.
    Lawless {
        /// The position it is played in.
        position: P,
    },
    /// The oracle failed.
    Oracle(E),
}

impl<P: fmt::Debug, E> fmt::Display for Flaw<P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Missing { position, need } => {
                write!(f, "the proof does not show how {need} is reached at {position:?}")
            }
            Flaw::Wrong { position, need, score } => {
                write!(f, "{need} is needed at {position:?}, which is worth {score}")
            }
            Flaw::Twice { position } => write!(f, "{position:?} occurs twice"),
            Flaw::NoSuchMove { position, place } => {
                write!(f, "there is no move {place} at {position:?}")
            }
            Flaw::Repeats { position } => {
                write!(f, "play may come back to {position:?}, which would end the game too early")
            }
            Flaw::Lawless { position } => {
                write!(f, "a move at {position:?} breaks the laws of slices")
            }
            Flaw::Oracle(_) => f.write_str("a score could not be read from a database"),
        }
    }
}

impl<P: fmt::Debug, E: Error + 'static> Error for Flaw<P, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Flaw::Oracle(error) => Some(error),
            _ => None,
        }
    }
}

/// A position, what the proving side needs there, and whether that side is to move.
type Claim<P> = (P, Score, bool);

struct Checker<'a, G: Game, O: Oracle> {
    game: &'a G,
    oracle: &'a O,
    places: HashMap<Claim<G::Position>, usize>,
}

type Found<T, P, O> = Result<T, Flaw<P, <O as Oracle>::Error>>;

/// Replays a proof by the rules; the error is the first flaw found.
pub fn check_proof<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    proof: &Proof<G::Position>,
) -> Found<(), G::Position, O> {
    let mut checker = Checker { game, oracle, places: HashMap::new() };
    for (place, node) in proof.nodes.iter().enumerate() {
        let moves = matches!(node.reply, Reply::Play(_));
        if checker.places.insert((node.position, node.need, moves), place).is_some() {
            return Err(Flaw::Twice { position: node.position });
        }
    }
    let (need, moves) = proof.goal.need();
    checker.holds((proof.root, need, moves))?;
    let mut edges = Vec::with_capacity(proof.nodes.len());
    for node in &proof.nodes {
        edges.push(checker.follow(node)?);
    }
    match cycle(&proof.nodes, &edges) {
        Some(place) => Err(Flaw::Repeats { position: proof.nodes[place].position }),
        None => Ok(()),
    }
}

impl<G: Game, O: Oracle> Checker<'_, G, O> {
    /// The places of the nodes that come after a node.
    fn follow(&self, node: &ProofNode<G::Position>) -> Found<Vec<usize>, G::Position, O> {
        let position = node.position;
        let mut moves = Vec::new();
        self.game.moves(&position, &mut moves);
        // Where the game is over there is nothing to be played, by either side.
        let over = self.game.outcome(&position);
        let (played, proving) = match node.reply {
            Reply::Play(place) => {
                let mv = moves.get(usize::from(place)).filter(|_| over.is_none());
                (vec![*mv.ok_or(Flaw::NoSuchMove { position, place })?], true)
            }
            Reply::Any => (moves, false),
        };
        if let Some(score) = over {
            let score = if proving { score } else { -score };
            return Err(Flaw::Wrong { position, need: node.need, score });
        }
        let slice = self.game.slice_of(&position);
        let mut next = Vec::new();
        for mv in played {
            let step = self.game.play(&position, &mv);
            if !is_lawful(slice, self.game.slice_of(&step.next), &step) {
                return Err(Flaw::Lawless { position });
            }
            let need = if proving { node.need - step.gain } else { node.need + step.gain };
            let proving = proving == (step.turn == Turn::Stays);
            next.extend(self.holds((step.next, need, proving))?);
        }
        Ok(next)
    }

    /// The node of a claim, or nothing if the claim is plainly true.
    fn holds(&self, claim: Claim<G::Position>) -> Found<Option<usize>, G::Position, O> {
        if let Some(place) = self.places.get(&claim) {
            return Ok(Some(*place));
        }
        let (position, need, proving) = claim;
        let slice = self.game.slice_of(&position);
        let score = match self.game.outcome(&position) {
            Some(score) => Some(score),
            None => known(self.game, self.oracle, &position).map_err(Flaw::Oracle)?,
        };
        let score = match score {
            Some(score) => score,
            None if need <= -self.game.max_score(slice) => return Ok(None),
            None => return Err(Flaw::Missing { position, need }),
        };
        let score = if proving { score } else { -score };
        if score < need { Err(Flaw::Wrong { position, need, score }) } else { Ok(None) }
    }
}

/// Moves within a slice bank nothing and pass the turn, all others lead to smaller slices: so what
/// repeats does so in one slice, with the same need.
fn is_lawful<P>(slice: SliceId, next: SliceId, step: &Step<P>) -> bool {
    next < slice || (next == slice && step.gain == 0 && step.turn == Turn::Passes)
}

/// A node that needs more than 0 and can repeat, if there is one.
fn cycle<P>(nodes: &[ProofNode<P>], edges: &[Vec<usize>]) -> Option<usize> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let needy = |place: usize| nodes[place].need > 0;
    let mut state = vec![NEW; nodes.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in (0..nodes.len()).filter(|&place| needy(place)) {
        if state[start] == NEW {
            state[start] = OPEN;
            stack.push((start, 0));
        }
        while let Some((place, next)) = stack.last_mut() {
            let Some(&after) = edges[*place].get(*next) else {
                state[*place] = DONE;
                stack.pop();
                continue;
            };
            *next += 1;
            match state[after] {
                OPEN => return Some(after),
                NEW if needy(after) => {
                    state[after] = OPEN;
                    stack.push((after, 0));
                }
                _ => (),
            }
        }
    }
    None
}
