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
use crate::derive::Valued;
use crate::error::Result;
use crate::node::{Edge, NodeId, State};
use crate::store::Store;
use crate::value::{Hundredths, Value};

/// A threshold in halves of hundredths, always odd, so that no value is equal to it.
pub type Threshold = i32;

/// The threshold just below a score: a value is above it if it is the score or more.
pub fn at_least(score: i32) -> Threshold {
    200 * score - 99
}

/// Impossible.
const NEVER: u32 = 1 << 30;
/// Depends on repetitions: unknown until the next search for cycles.
pub const REPEATS: u32 = 1 << 24;
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
pub struct Effort {
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
pub enum Counted {
    /// Leaves to be proven above or below.
    Prove,
    /// Leaves to change to the other side of the threshold.
    Change,
}

/// A node with a threshold.
pub type Question = (NodeId, Threshold);

/// Nodes from the root to a leaf, each with the map from the root's threshold to its own: the first
/// number is added, the sign is negated if the second is -1.
pub type Way = Vec<(NodeId, Threshold, i32)>;

/// The cached efforts.
#[derive(Debug, Default)]
pub struct Efforts {
    kept: [HashMap<Question, (Effort, u32), BuildHasherDefault<Stir>>; 2],
    /// Recent questions about the root, the latest last.
    tracked: Vec<(NodeId, Counted, Threshold)>,
    /// Paths from the root to leaves that were chosen and have probably been expanded.
    ways: Vec<Way>,
    /// Counts choices: the age of an entry.
    clock: u32,
}

impl Efforts {
    fn get(&mut self, counted: Counted, question: Question) -> Option<Effort> {
        let clock = self.clock;
        self.kept[counted as usize].get_mut(&question).map(|(effort, used)| {
            *used = clock;
            *effort
        })
    }

    fn put(&mut self, counted: Counted, question: Question, effort: Effort) {
        let kept = &mut self.kept[counted as usize];
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

impl Efforts {
    /// The work left until the root's question is answered.
    pub fn effort<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
        counted: Counted,
        threshold: Threshold,
    ) -> Result<Effort> {
        let question = (root, threshold);
        let tracked = &mut self.tracked;
        tracked.retain(|&known| known != (root, counted, threshold));
        if tracked.len() >= MAX_TRACKED {
            tracked.remove(0);
        }
        tracked.push((root, counted, threshold));
        if !self.kept[counted as usize].contains_key(&question) {
            self.warm(at, counted, question)?;
        }
        let mut path = HashSet::from([root]);
        self.refresh(at, counted, question, &mut path)
    }

    /// Descends from the root to the leaf that the question needs next. `above` is the desired
    /// answer for the root.
    pub fn leaf_for<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
        counted: Counted,
        threshold: Threshold,
        above: bool,
    ) -> Result<Option<NodeId>> {
        let mut way: Way = vec![(root, 0, 1)];
        let mut path = HashSet::from([root]);
        let mut above = above;
        let mut found = None;
        while let Some(&(id, shift, sign)) = way.last() {
            let question = (id, shift + sign * threshold);
            let node = at.graph.node(id)?;
            if node.value.is_solved() {
                break;
            }
            if node.state == State::Leaf {
                found = Some(id).filter(|leaf| !at.excluded.contains(leaf));
                break;
            }
            let moves = self.move_efforts(at, counted, question, &path)?;
            let open = moves.iter().enumerate().filter(|(_, mv)| !path.contains(&mv.question.0));
            let next = if above || counted == Counted::Prove {
                open.filter(|(_, mv)| mv.effort.above > 0 && mv.effort.above < REPEATS)
                    .min_by_key(|(_, mv)| (mv.effort.above, -mv.estimate))
            } else {
                // All of them are needed: the one most likely to fail comes first.
                open.filter(|(_, mv)| mv.effort.below > 0 && mv.effort.below < REPEATS)
                    .max_by_key(|(place, mv)| (mv.estimate, std::cmp::Reverse(*place)))
            };
            let Some((place, _)) = next else { break };
            let edge = at.graph.node(id)?.edges[place];
            let passes = edge.turn == Turn::Passes;
            above ^= passes;
            way.push((edge.child, after(&edge, shift), if passes { -sign } else { sign }));
            path.insert(edge.child);
        }
        self.ways.push(way);
        Ok(found)
    }

    /// Recomputes the efforts above chosen leaves: when they have been expanded, and when they are
    /// excluded. The ways to excluded leaves are kept, to be recomputed once more.
    pub fn refresh_ways<G: Game, S: Store>(&mut self, at: &mut Valued<G, S>) -> Result<()> {
        self.clock = self.clock.wrapping_add(1);
        let mut ways = std::mem::take(&mut self.ways);
        for way in &ways {
            for (root, counted, threshold) in self.tracked.clone() {
                if way[0].0 != root {
                    continue;
                }
                let mut path: HashSet<NodeId> = way.iter().map(|&(id, ..)| id).collect();
                for &(id, shift, sign) in way.iter().rev() {
                    self.refresh(at, counted, (id, shift + sign * threshold), &mut path)?;
                    path.remove(&id);
                }
            }
        }
        ways.retain(|way| way.last().is_some_and(|(leaf, ..)| at.excluded.contains(leaf)));
        self.ways = ways;
        Ok(())
    }

    /// The effort of a question as it follows from cached efforts; `path` leads to it.
    fn refresh<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        counted: Counted,
        question: Question,
        path: &mut HashSet<NodeId>,
    ) -> Result<Effort> {
        if let Some(known) = known(at, counted, question)? {
            return Ok(known);
        }
        path.insert(question.0);
        let moves = self.move_efforts(at, counted, question, path)?;
        let effort = combined(&moves);
        self.put(counted, question, effort);
        Ok(effort)
    }

    fn move_efforts<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        counted: Counted,
        (id, threshold): Question,
        path: &HashSet<NodeId>,
    ) -> Result<Vec<MoveEffort>> {
        let count = at.graph.node(id)?.edges.len();
        let mut moves = Vec::with_capacity(count);
        for place in 0..count {
            let edge = at.graph.node(id)?.edges[place];
            let value = at.graph.node(edge.child)?.value;
            let question = (edge.child, after(&edge, threshold));
            let effort = match known(at, counted, question)? {
                Some(effort) => effort,
                None if path.contains(&edge.child) => Effort::repeated(question.1),
                None => match self.get(counted, question) {
                    Some(effort) => effort,
                    None => of_leaf(counted, &value, question.1),
                },
            };
            let estimate = value.through(edge.gain, edge.turn).estimate();
            moves.push(MoveEffort { question, effort: effort.turned(edge.turn), estimate });
        }
        Ok(moves)
    }

    /// Computes everything below a question that is not cached, bottom-up.
    fn warm<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        counted: Counted,
        root: Question,
    ) -> Result<()> {
        let mut path: HashSet<NodeId> = HashSet::new();
        let mut stack = vec![(root, false)];
        let mut seen: HashSet<Question> = HashSet::new();
        while let Some((question, done)) = stack.pop() {
            if done {
                self.refresh(at, counted, question, &mut path)?;
                path.remove(&question.0);
                continue;
            }
            if seen.len() >= WARM
                || !seen.insert(question)
                || known(at, counted, question)?.is_some()
                || !path.insert(question.0)
            {
                continue;
            }
            stack.push((question, true));
            for edge in at.graph.node(question.0)?.edges.clone() {
                stack.push(((edge.child, after(&edge, question.1)), false));
            }
        }
        Ok(())
    }
}

/// The effort of a node that does not depend on its moves; `None` if it does.
fn known<G: Game, S: Store>(
    at: &mut Valued<G, S>,
    counted: Counted,
    (id, threshold): Question,
) -> Result<Option<Effort>> {
    let claimed = at.excluded.contains(&id);
    let node = at.graph.node(id)?;
    let value = node.value;
    let sides = decided(&value, threshold);
    if sides.is_some() || node.state == State::Interior {
        return Ok(sides);
    }
    if claimed {
        return Ok(Some(Effort { above: REPEATS, below: REPEATS }));
    }
    Ok(Some(of_leaf(counted, &value, threshold)))
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
fn of_leaf(counted: Counted, value: &Value, threshold: Threshold) -> Effort {
    let lead = 2 * value.estimate() - threshold;
    let missing = |short: i32| match counted {
        Counted::Change => u32::from(short > 0),
        Counted::Prove => 1 + short.max(0) as u32 * EFFORT_PER_POINT / 200,
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
