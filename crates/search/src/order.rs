//! Which moves are tried first.

use std::hash::{Hash, Hasher};

use nutcracker_game::{Evaluate, Step};

/// A move of a position on the path.
#[derive(Clone, Copy)]
pub(crate) struct Choice<P, M> {
    pub step: Step<P>,
    pub mv: M,
    /// Its place in the list of moves.
    pub place: u16,
    rank: i32,
}

/// Moves that have their own history entry; others share one.
const MOVES: usize = 256;
/// The most a history counts.
const MOST: i32 = 1 << 14;

/// The weights of the two killer moves, against a point of promise.
const KILLER: [i32; 2] = [3 << 13, 1 << 14];
const POINT: i32 = 1 << 14;

/// Killer moves and history: what earlier cutoffs suggest about the order of moves.
pub(crate) struct Order<M> {
    /// Killer moves: by ply, the two moves that last caused a cutoff there.
    killers: Vec<[Option<M>; 2]>,
    history: Box<[i32; MOVES]>,
}

impl<M: Copy + Eq + Hash> Order<M> {
    pub(crate) fn new(plies: usize) -> Self {
        Order { killers: vec![[None; 2]; plies], history: Box::new([0; MOVES]) }
    }

    /// Appends the moves of a position to `out`, most promising first: the one at place `first`,
    /// then by the game's promise, what cut before at this ply, and the history.
    pub(crate) fn choose<G: Evaluate<Move = M>>(
        &self,
        game: &G,
        position: &G::Position,
        ply: usize,
        first: u16,
        moves: &mut Vec<M>,
        out: &mut Vec<Choice<G::Position, M>>,
    ) {
        moves.clear();
        game.moves(position, moves);
        let start = out.len();
        let killers = self.killers.get(ply).copied().unwrap_or_default();
        out.extend((0..).zip(moves.iter()).map(|(place, mv)| {
            let step = game.play(position, mv);
            let rank = if place == first {
                i32::MAX
            } else {
                let killer = killers.iter().position(|killer| *killer == Some(*mv));
                game.promise(position, mv, &step).clamp(-1000, 1000) * POINT
                    + killer.map_or(0, |killer| KILLER[killer])
                    + self.history[slot(mv)]
            };
            Choice { step, mv: *mv, place, rank }
        }));
        out[start..].sort_unstable_by(|a, b| b.rank.cmp(&a.rank).then(a.place.cmp(&b.place)));
    }

    /// Records a cutoff: `mv` made the remaining moves superfluous; those tried before it had not.
    pub(crate) fn cut<P>(&mut self, ply: usize, depth: u32, tried: &[Choice<P, M>], mv: M) {
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != Some(mv)
        {
            killers[1] = killers[0].replace(mv);
        }
        let weight = (depth * depth).min(400) as i32;
        self.learn(mv, weight);
        for choice in tried {
            self.learn(choice.mv, -weight);
        }
    }

    /// Moves a history towards ±[`MOST`], the slower the nearer it is.
    fn learn(&mut self, mv: M, weight: i32) {
        let history = &mut self.history[slot(&mv)];
        *history += weight * 16 - *history * weight.abs() * 16 / MOST;
    }
}

/// A legal move where there is one, without any search: the one at place `known`, else the most
/// promising; none at the places left out.
pub(crate) fn first_guess<G: Evaluate>(
    game: &G,
    position: &G::Position,
    known: Option<u16>,
    left_out: &[u16],
) -> Option<G::Move> {
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    let moves = (0..).zip(&moves).filter(|(place, _)| !left_out.contains(place));
    if let Some((_, mv)) = moves.clone().find(|(place, _)| known == Some(*place)) {
        return Some(*mv);
    }
    let moves: Vec<&G::Move> = moves.map(|(_, mv)| mv).collect();
    let promise = |mv: &&&G::Move| game.promise(position, mv, &game.play(position, mv));
    moves.iter().rev().max_by_key(promise).map(|mv| **mv)
}

fn slot<M: Hash>(mv: &M) -> usize {
    let mut hasher = Slot(0);
    mv.hash(&mut hasher);
    hasher.0 as usize % MOVES
}

/// A hash that keeps small numbers apart, which is what moves are made of.
struct Slot(u64);

impl Hasher for Slot {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
    fn write_isize(&mut self, number: isize) {
        // The variant of an enum.
        self.write_u64(number as u64);
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.wrapping_mul(67).wrapping_add(number);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}
