//! What can be proven about every node from what experts said, by code of its own.
//!
//! Bounds follow in two ways, and from nothing else. By moves: the mover has what the best move
//! has, and no more than the best move may have. By staying: a player who can keep to moves that
//! bank nothing and pass the turn, or leave them with at least k, has at least k, for k up to 0,
//! which is what a repetition gives. Both are applied until nothing changes; the second only where a
//! repetition gives 0.

use std::collections::{BTreeSet, VecDeque};

use nutcracker_game::{Score, Turn};

use crate::node::{Edge, NodeId};

/// A move, by the places of its nodes.
#[derive(Clone, Copy)]
struct Link {
    to: u32,
    gain: Score,
    turn: Turn,
}

impl Link {
    /// Whether it can be part of a cycle.
    fn stays(&self) -> bool {
        self.gain == 0 && self.turn == Turn::Passes
    }
}

/// The bounds of all nodes of a book, from the experts' values on.
#[derive(Default)]
pub struct Bounds {
    ids: Vec<NodeId>,
    /// Where the moves of each node begin; the last entry is where they end.
    begins: Vec<usize>,
    links: Vec<Link>,
    /// The nodes that the moves lead to, until these have places.
    targets: Vec<NodeId>,
    proven: Vec<(Score, Score)>,
}

/// A node whose bounds contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradicts(pub NodeId);

impl Bounds {
    /// Adds a node with the bounds that experts gave it. Nodes come in ascending order of their
    /// ids; moves lead to ids.
    pub fn add(&mut self, id: NodeId, own: (Score, Score), edges: &[Edge]) {
        self.ids.push(id);
        self.proven.push(own);
        self.begins.push(self.links.len());
        self.targets.extend(edges.iter().map(|edge| edge.child));
        let link = |edge: &Edge| Link { to: u32::MAX, gain: edge.gain, turn: edge.turn };
        self.links.extend(edges.iter().map(link));
    }

    /// The bounds that were derived for a node.
    pub fn of(&self, id: NodeId) -> Option<(Score, Score)> {
        self.ids.binary_search(&id).ok().map(|place| self.proven[place])
    }

    /// Derives all bounds that the `claims` of the book may rest on; a move to an unknown node is
    /// left out, which proves less.
    /// Bounds by staying are derived where a repetition gives 0.
    pub fn derive(
        &mut self,
        claims: &[(Score, Score)],
        by_staying: bool,
    ) -> Result<(), Contradicts> {
        self.begins.push(self.links.len());
        self.resolve();
        let parents = self.parents();
        self.spread((0..self.ids.len()).collect(), &parents)?;
        loop {
            let mut levels = BTreeSet::new();
            for (&(lower, upper), &(least, most)) in
                self.proven.iter().zip(claims).filter(|_| by_staying)
            {
                levels.extend(Some(least).filter(|&k| k > lower && k <= 0));
                levels.extend(Some(-most).filter(|&k| k > -upper && k <= 0));
            }
            let mut changed = VecDeque::new();
            for k in levels {
                let [mover, other] = self.safe(k, &parents);
                for (place, (lower, upper)) in self.proven.iter_mut().enumerate() {
                    if mover[place] && *lower < k {
                        *lower = k;
                        changed.push_back(place);
                    }
                    if other[place] && *upper > -k {
                        *upper = -k;
                        changed.push_back(place);
                    }
                }
            }
            if changed.is_empty() {
                return Ok(());
            }
            let above = changed.iter().flat_map(|&place| parents[place].iter().copied()).collect();
            self.spread(above, &parents)?;
        }
    }

    fn moves(&self, place: usize) -> &[Link] {
        &self.links[self.begins[place]..self.begins[place + 1]]
    }

    /// Gives the moves the places of the nodes that they lead to.
    fn resolve(&mut self) {
        for (link, target) in self.links.iter_mut().zip(std::mem::take(&mut self.targets)) {
            let place = self.ids.binary_search(&target).ok();
            link.to = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX);
        }
    }

    fn parents(&self) -> Vec<Vec<usize>> {
        let mut parents = vec![Vec::new(); self.ids.len()];
        for place in 0..self.ids.len() {
            for link in self.moves(place) {
                if let Some(list) = parents.get_mut(link.to as usize) {
                    list.push(place);
                }
            }
        }
        parents
    }

    /// The bounds of a move, as its mover sees them.
    fn through(&self, link: &Link) -> Option<(Score, Score)> {
        let &(lower, upper) = self.proven.get(link.to as usize)?;
        Some(match link.turn {
            Turn::Passes => (link.gain - upper, link.gain - lower),
            Turn::Stays => (link.gain + lower, link.gain + upper),
        })
    }

    /// Bounds by moves, from these nodes on.
    fn spread(
        &mut self,
        mut open: VecDeque<usize>,
        parents: &[Vec<usize>],
    ) -> Result<(), Contradicts> {
        while let Some(place) = open.pop_front() {
            let moves: Option<Vec<_>> =
                self.moves(place).iter().map(|link| self.through(link)).collect();
            let Some(moves) = moves.filter(|moves| !moves.is_empty()) else { continue };
            let (lower, upper) = self.proven[place];
            let least = moves.iter().map(|mv| mv.0).fold(lower, Score::max);
            let most = moves.iter().map(|mv| mv.1).max().map_or(upper, |most| most.min(upper));
            if least > most {
                return Err(Contradicts(self.ids[place]));
            }
            if (least, most) != (lower, upper) {
                self.proven[place] = (least, most);
                open.extend(&parents[place]);
            }
        }
        Ok(())
    }

    /// The nodes where the mover has at least `k`, and those where the opponent has, by staying:
    /// all of them until they are shown not to.
    fn safe(&self, k: Score, parents: &[Vec<usize>]) -> [Vec<bool>; 2] {
        let count = self.ids.len();
        let mut safe = [vec![true; count], vec![true; count]];
        let mut open: VecDeque<usize> = (0..count).collect();
        let mut queued = vec![true; count];
        while let Some(place) = open.pop_front() {
            queued[place] = false;
            let (lower, upper) = self.proven[place];
            let moves = self.moves(place);
            let stays = |link: &Link, side: usize| {
                link.stays() && safe[side].get(link.to as usize) == Some(&true)
            };
            let mover = lower >= k
                || moves.iter().any(|link| {
                    stays(link, 1) || self.through(link).is_some_and(|(lower, _)| lower >= k)
                });
            let other = upper <= -k
                || !moves.is_empty()
                    && moves.iter().all(|link| {
                        stays(link, 0) || self.through(link).is_some_and(|(_, upper)| upper <= -k)
                    });
            if (mover, other) != (safe[0][place], safe[1][place]) {
                (safe[0][place], safe[1][place]) = (mover, other);
                for &parent in &parents[place] {
                    if !queued[parent] {
                        queued[parent] = true;
                        open.push_back(parent);
                    }
                }
            }
        }
        safe
    }
}
