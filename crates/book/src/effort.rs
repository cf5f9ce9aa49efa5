//! Efforts: the work left until a position's value is above a threshold, or below it.
//!
//! A *question* is a node and a threshold, from the point of view of the node's mover. Its effort
//! has two numbers: about how many leaves must still be decided (or change) until the value is
//! above the threshold, and until it is below. To get above it, one move suffices; to get below it,
//! all moves must. A move negates the question, and what it banks shifts the threshold: so a node
//! has one question for each amount that can be banked on the way to it, and only those are kept
//! that follow from the root's question.
//!
//! The numbers are kept in memory beside the book and only guide the choice of leaves; proofs rest
//! on the values in the book alone. So they may be slightly out of date (they are recomputed along
//! the path to every expanded leaf), and may be discarded at any time.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use nutcracker_game::{Game, Turn};

use crate::cache::Stir;
use crate::error::Result;
use crate::graph::Book;
use crate::node::{Edge, NodeId, State};
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// A threshold in halves of hundredths, always odd, so that no value is equal to it.
pub(crate) type Threshold = i32;

/// The threshold just below a score: a value is above it if it is the score or more.
pub(crate) fn at_least(score: i32) -> Threshold {
    200 * score - 99
}

/// Impossible.
const NEVER: u32 = 1 << 30;
/// Depends on repetitions: unknown until the next search for cycles.
pub(crate) const REPEATS: u32 = 1 << 24;
/// What each point by which an open leaf's guess falls short of a threshold adds to the effort of
/// its proof. Measured on awari with 24 stones over databases to 20: 0, 1, 2, 4, 8, 16 took 237,
/// 156, 147, 130, 121, 141 thousand nodes.
const EFFORT_PER_POINT: u32 = 8;
/// The largest number of questions kept; beyond it the least recently used are dropped.
const ROOM: usize = 6_000_000;
/// Questions of the root for which efforts are kept up to date.
const MAX_TRACKED: usize = 4;
/// Positions computed at once where nothing is cached.
const WARM: usize = 1_000_000;

/// The work left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    /// Until the value is above the threshold.
    pub above: u32,
    /// Until it is below.
    pub below: u32,
}

impl Effort {
    fn decided(above: bool) -> Self {
        if above { Effort { above: 0, below: NEVER } } else { Effort { above: NEVER, below: 0 } }
    }

    fn repeated(threshold: Threshold) -> Self {
        if threshold < 0 {
            Effort { above: 0, below: REPEATS }
        } else {
            Effort { above: REPEATS, below: 0 }
        }
    }

    fn turned(self, turn: Turn) -> Self {
        match turn {
            Turn::Passes => Effort { above: self.below, below: self.above },
            Turn::Stays => self,
        }
    }
}

/// What is counted at leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Aim {
    /// Leaves to be proven above or below.
    Prove,
    /// Leaves to change to the other side of the threshold.
    Change,
}

/// A node with a threshold.
pub(crate) type Question = (NodeId, Threshold);

/// Nodes from the root to a leaf, each with the map from the root's threshold to its own: the first
/// number is added, the sign is negated if the second is -1.
pub(crate) type Way = Vec<(NodeId, Threshold, i32)>;

/// The cached efforts.
#[derive(Debug, Default)]
pub(crate) struct Efforts {
    kept: [HashMap<Question, (Effort, u32), BuildHasherDefault<Stir>>; 2],
    /// Recent questions about the root, the latest last.
    tracked: Vec<(Aim, Threshold)>,
    /// Paths from the root to leaves that were chosen and have probably been expanded.
    pub ways: Vec<Way>,
    /// Counts choices: the age of an entry.
    clock: u32,
    /// Whether everything left depends on cycles.
    pub stuck: bool,
}

impl Efforts {
    pub fn clear(&mut self) {
        *self = Efforts::default();
    }

    fn get(&mut self, aim: Aim, question: Question) -> Option<Effort> {
        let clock = self.clock;
        self.kept[aim as usize].get_mut(&question).map(|(effort, used)| {
            *used = clock;
            *effort
        })
    }

    fn put(&mut self, aim: Aim, question: Question, effort: Effort) {
        let kept = &mut self.kept[aim as usize];
        kept.insert(question, (effort, self.clock));
        if kept.len() > ROOM {
            let mut ages: Vec<u32> = kept.values().map(|&(_, used)| used).collect();
            let (_, &mut middle, _) = ages.select_nth_unstable(ROOM / 2);
            kept.retain(|_, &mut (_, used)| used > middle);
        }
    }
}

/// The moves of a question.
struct MoveEffort {
    question: Question,
    effort: Effort,
    estimate: Hundredths,
}

impl<G: Game, S: Store> Book<G, S> {
    /// The work left until the root's question is answered.
    pub(crate) fn effort(&mut self, aim: Aim, threshold: Threshold) -> Result<Effort> {
        let root = (self.root(), threshold);
        let tracked = &mut self.efforts.tracked;
        tracked.retain(|&known| known != (aim, threshold));
        if tracked.len() >= MAX_TRACKED {
            tracked.remove(0);
        }
        tracked.push((aim, threshold));
        if !self.efforts.kept[aim as usize].contains_key(&root) {
            self.warm(aim, root)?;
        }
        let mut path = HashSet::from([root.0]);
        self.refresh(aim, root, &mut path)
    }

    /// Descends from the root to the leaf that the question needs next. `above` is the desired
    /// answer for the root.
    pub(crate) fn leaf_for(
        &mut self,
        aim: Aim,
        threshold: Threshold,
        above: bool,
    ) -> Result<Option<NodeId>> {
        let mut way: Way = vec![(self.root(), 0, 1)];
        let mut path = HashSet::from([self.root()]);
        let mut above = above;
        let mut found = None;
        while let Some(&(id, shift, sign)) = way.last() {
            let question = (id, shift + sign * threshold);
            let node = self.node(id)?;
            if node.value.is_solved() {
                break;
            }
            if node.state == State::Leaf {
                found = Some(id).filter(|leaf| !self.claimed.contains(leaf));
                break;
            }
            let moves = self.move_efforts(aim, question, &path)?;
            let open = moves.iter().enumerate().filter(|(_, mv)| !path.contains(&mv.question.0));
            let next = if above || aim == Aim::Prove {
                open.filter(|(_, mv)| mv.effort.above > 0 && mv.effort.above < REPEATS)
                    .min_by_key(|(_, mv)| (mv.effort.above, -mv.estimate))
            } else {
                // All of them are needed: the one most likely to fail comes first.
                open.filter(|(_, mv)| mv.effort.below > 0 && mv.effort.below < REPEATS)
                    .max_by_key(|(at, mv)| (mv.estimate, std::cmp::Reverse(*at)))
            };
            let Some((at, _)) = next else { break };
            let edge = self.node(id)?.edges[at];
            let passes = edge.turn == Turn::Passes;
            above ^= passes;
            way.push((edge.child, after(&edge, shift), if passes { -sign } else { sign }));
            path.insert(edge.child);
        }
        self.efforts.ways.push(way);
        Ok(found)
    }

    /// Recomputes the efforts above chosen leaves: when they have been expanded, and when one is
    /// excluded.
    pub(crate) fn refresh_efforts(&mut self) -> Result<Vec<Way>> {
        self.efforts.clock = self.efforts.clock.wrapping_add(1);
        let ways = std::mem::take(&mut self.efforts.ways);
        for way in &ways {
            for (aim, threshold) in self.efforts.tracked.clone() {
                let mut path: HashSet<NodeId> = way.iter().map(|&(id, ..)| id).collect();
                for &(id, shift, sign) in way.iter().rev() {
                    self.refresh(aim, (id, shift + sign * threshold), &mut path)?;
                    path.remove(&id);
                }
            }
        }
        Ok(ways)
    }

    /// The effort of a question as it follows from cached efforts; `path` leads to it.
    fn refresh(
        &mut self,
        aim: Aim,
        question: Question,
        path: &mut HashSet<NodeId>,
    ) -> Result<Effort> {
        if let Some(known) = self.known(aim, question)? {
            return Ok(known);
        }
        path.insert(question.0);
        let moves = self.move_efforts(aim, question, path)?;
        let effort = combined(&moves);
        self.efforts.put(aim, question, effort);
        Ok(effort)
    }

    /// The effort of a node that does not depend on its moves; `None` if it does.
    fn known(&mut self, aim: Aim, (id, threshold): Question) -> Result<Option<Effort>> {
        let claimed = self.claimed.contains(&id);
        let node = self.node(id)?;
        let value = node.value;
        let sides = decided(&value, threshold);
        if sides.is_some() || node.state == State::Interior {
            return Ok(sides);
        }
        if claimed {
            return Ok(Some(Effort { above: REPEATS, below: REPEATS }));
        }
        Ok(Some(of_leaf(aim, &value, threshold)))
    }

    fn move_efforts(
        &mut self,
        aim: Aim,
        (id, threshold): Question,
        path: &HashSet<NodeId>,
    ) -> Result<Vec<MoveEffort>> {
        let count = self.node(id)?.edges.len();
        let mut moves = Vec::with_capacity(count);
        for at in 0..count {
            let edge = self.node(id)?.edges[at];
            let value = self.node(edge.child)?.value;
            let question = (edge.child, after(&edge, threshold));
            let effort = match self.known(aim, question)? {
                Some(effort) => effort,
                None if path.contains(&edge.child) => Effort::repeated(question.1),
                None => match self.efforts.get(aim, question) {
                    Some(effort) => effort,
                    None => of_leaf(aim, &value, question.1),
                },
            };
            let estimate = value.through(edge.gain, edge.turn).estimate();
            moves.push(MoveEffort { question, effort: effort.turned(edge.turn), estimate });
        }
        Ok(moves)
    }

    /// Computes everything below a question that is not cached, bottom-up.
    fn warm(&mut self, aim: Aim, root: Question) -> Result<()> {
        let mut path: HashSet<NodeId> = HashSet::new();
        let mut stack = vec![(root, false)];
        let mut seen: HashSet<Question> = HashSet::new();
        while let Some((question, done)) = stack.pop() {
            if done {
                self.refresh(aim, question, &mut path)?;
                path.remove(&question.0);
                continue;
            }
            if seen.len() >= WARM
                || !seen.insert(question)
                || self.known(aim, question)?.is_some()
                || !path.insert(question.0)
            {
                continue;
            }
            stack.push((question, true));
            for edge in self.node(question.0)?.edges.clone() {
                stack.push(((edge.child, after(&edge, question.1)), false));
            }
        }
        Ok(())
    }
}

/// The threshold after a move.
fn after(edge: &Edge, threshold: Threshold) -> Threshold {
    let gain = 200 * Threshold::from(edge.gain);
    match edge.turn {
        Turn::Passes => gain - threshold,
        Turn::Stays => threshold - gain,
    }
}

/// What is proven about a question.
fn decided(value: &Value, threshold: Threshold) -> Option<Effort> {
    if 200 * Threshold::from(value.lower) > threshold {
        Some(Effort::decided(true))
    } else if 200 * Threshold::from(value.upper) < threshold {
        Some(Effort::decided(false))
    } else {
        None
    }
}

/// The effort of an open leaf.
fn of_leaf(aim: Aim, value: &Value, threshold: Threshold) -> Effort {
    let lead = 2 * value.estimate() - threshold;
    let missing = |short: i32| match aim {
        Aim::Change => u32::from(short > 0),
        Aim::Prove => 1 + short.max(0) as u32 * EFFORT_PER_POINT / 200,
    };
    Effort { above: missing(-lead), below: missing(lead) }
}

/// One move suffices to get above a threshold, and all must stay below it.
fn combined(moves: &[MoveEffort]) -> Effort {
    let above = moves.iter().map(|mv| mv.effort.above).min().unwrap_or(NEVER);
    let most = moves.iter().map(|mv| mv.effort.below).max().unwrap_or(0);
    // Positions reached on several paths are counted several times; the sum must not reach the
    // number for impossible.
    let sum = || moves.iter().map(|mv| mv.effort.below).sum::<u32>().min(REPEATS - 1);
    Effort { above, below: if most >= REPEATS { most } else { sum() } }
}

#[cfg(test)]
mod tests;
