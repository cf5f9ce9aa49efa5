//! Awari slices as the check walks through them: the moves, by tables over half boards.

use nutcracker_game::combi::Rows;
use nutcracker_game::{ForwardView, Score, SliceId, Target, Turn, inside_second_of, targets_of};

use super::{Awari, Sown, is_prize};
use crate::halves::{Board, Half, MAX_PITS, Pair, PairCursor, PairIndex, stones};

/// What moves do to a half. One cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Moved {
    pits: [u8; MAX_PITS],
    stones: u8,
    /// Bit j: a sowing of j stones into this half captures.
    prizes: u8,
    /// The number of pits that can be sown.
    moves: u8,
    /// Whether a sowing from this half comes around: such are few, and played by the rules.
    round: bool,
    /// For each of these pits, how many stones go into the other half.
    across: [u8; MAX_PITS],
    /// For each of these pits, the id of the half afterwards.
    left: [u32; MAX_PITS],
    /// The id of the half after j stones have been sown into it, at j - 1.
    received: [u32; MAX_PITS],
}

const _: () = assert!(size_of::<Moved>() == 64);

/// One slice of awari with its tables.
#[derive(Clone, Debug)]
pub struct AwariForward {
    game: Awari,
    slice: SliceId,
    pairs: PairIndex,
    /// Of as many halves as the memory allowed, those with the fewest stones.
    halves: Vec<Moved>,
}

impl AwariForward {
    /// The bytes of tables a half.
    pub(super) const EACH: usize = size_of::<Moved>();

    /// The bytes of tables for so many halves.
    pub(super) fn bytes(halves: u64) -> u64 {
        halves * Self::EACH as u64
    }

    pub(super) fn new(game: Awari, slice: SliceId, bytes: u64) -> Self {
        let pairs = PairIndex::new(&game.halves, slice.0 as usize);
        let most = pairs.most_stones(Self::EACH, bytes);
        let mut halves = Vec::with_capacity(pairs.rows().first_id(most + 1) as usize);
        pairs.for_each_half(most, |half| halves.push(moved(&game, pairs.rows(), half)));
        AwariForward { game, slice, pairs, halves }
    }

    /// What moves do to the two halves; `None` if the rules must say: where a sowing comes around,
    /// the opponent has no stones, or the tables do not hold the halves.
    #[inline]
    fn moved(&self, key: Pair) -> Option<(&Moved, &Moved)> {
        let own = self.halves.get(key.own as usize)?;
        let other = self.halves.get(key.other as usize)?;
        (!own.round && key.other != 0).then_some((own, other))
    }

    /// Visits the internal successors with the stones of their mover's half; false if the rules
    /// must say.
    #[inline]
    fn inside_pairs(&self, key: Pair, mut visit: impl FnMut(usize, Pair)) -> bool {
        let Some((own, other)) = self.moved(key) else { return false };
        for (&left, &across) in own.left.iter().zip(&own.across).take(usize::from(own.moves)) {
            let across = usize::from(across);
            if other.prizes >> across & 1 == 0 {
                let id = if across == 0 { key.other } else { other.received[across - 1] };
                visit(usize::from(other.stones) + across, Pair { own: id, other: left });
            }
        }
        true
    }

    /// What `sown` stones, the last of them in the other half, capture from it; `None` if that
    /// would be everything.
    fn capture(&self, other: &Moved, sown: usize, left: u32, own_left: usize) -> Option<Target> {
        let mut after = Half::default();
        after[..MAX_PITS].copy_from_slice(&other.pits);
        for pit in &mut after[..sown] {
            *pit += 1;
        }
        let mut sown = Sown { own: Half::default(), other: after, last: Some(sown as u8 - 1) };
        let gain = Awari::capture(&mut sown);
        let held = stones(&sown.other);
        if held == 0 {
            return None;
        }
        let on_board = self.slice.0 as usize - usize::from(gain);
        let rows = self.pairs.rows();
        let index = self.game.halves.base(on_board, held)
            + self.game.halves.half_rank(&sown.other) * self.game.halves.row(own_left)
            + (u64::from(left) - rows.first_id(own_left));
        let slice = SliceId(on_board as u32);
        let gain = Score::from(gain);
        Some(Target::Outside { slice, index, gain, turn: Turn::Passes, converts: true })
    }
}

fn moved(game: &Awari, rows: &Rows, half: &Half) -> Moved {
    let pits = rows.pits();
    let held = stones(half);
    let id = |half: &Half| (rows.first_id(stones(half)) + rows.rank(half)) as u32;
    let mut moved = Moved { stones: held as u8, ..Moved::default() };
    moved.pits.copy_from_slice(&half[..MAX_PITS]);
    for pit in (0..pits).filter(|&pit| half[pit] > 0) {
        let sown = game.sow(&Board { own: *half, other: Half::default() }, pit);
        let at = usize::from(moved.moves);
        moved.left[at] = id(&sown.own);
        moved.across[at] = stones(&sown.other) as u8;
        moved.round |= usize::from(half[pit]) > 2 * pits - 1 - pit;
        moved.moves += 1;
    }
    let mut after = *half;
    for pit in 0..pits.min(rows.max() - held) {
        after[pit] += 1;
        moved.received[pit] = id(&after);
        if is_prize(after[pit]) {
            moved.prizes |= 2 << pit;
        }
    }
    moved
}

impl ForwardView for AwariForward {
    type Position = Board;
    type Key = Pair;
    type Cursor = PairCursor;

    fn key_at(&self, cursor: &mut PairCursor, index: u64) -> Option<Pair> {
        Some(self.pairs.key_at(cursor, index))
    }

    fn second_key_at(&self, cursor: &mut PairCursor, second: u64) -> Option<Pair> {
        Some(self.pairs.second_key_at(cursor, second))
    }

    #[inline]
    fn locate(&self, position: &Board) -> (u64, Pair) {
        let pair = self.pairs.key_of(&self.game.halves, position);
        (self.pairs.index(stones(&position.own), pair), pair)
    }

    fn position(&self, key: Pair) -> Board {
        let half = |id: u32| match self.halves.get(id as usize) {
            Some(moved) => {
                let mut half = Half::default();
                half[..MAX_PITS].copy_from_slice(&moved.pits);
                half
            }
            None => self.pairs.half(id),
        };
        Board { own: half(key.own), other: half(key.other) }
    }

    #[inline]
    fn index(&self, key: Pair) -> u64 {
        let own = match self.halves.get(key.own as usize) {
            Some(moved) => usize::from(moved.stones),
            None => self.pairs.stones(key.own),
        };
        self.pairs.index(own, key)
    }

    #[inline]
    fn outcome(&self, key: Pair) -> Option<Score> {
        // The id of the empty half is 0.
        (key.own == 0).then(|| -(self.slice.0 as Score))
    }

    #[inline]
    fn targets(&self, key: Pair, mut visit: impl FnMut(Target)) {
        let Some((own, other)) = self.moved(key) else {
            return targets_of(&self.game, &self.position(key), visit);
        };
        let mut legal = false;
        for (&left, &across) in own.left.iter().zip(&own.across).take(usize::from(own.moves)) {
            let across = usize::from(across);
            let received = usize::from(other.stones) + across;
            if other.prizes >> across & 1 == 0 {
                let id = if across == 0 { key.other } else { other.received[across - 1] };
                let next = Pair { own: id, other: left };
                visit(Target::Inside(self.pairs.index(received, next)));
                legal = true;
            } else {
                let own_left = self.slice.0 as usize - received;
                if let Some(target) = self.capture(other, across, left, own_left) {
                    visit(target);
                    legal = true;
                }
            }
        }
        if !legal {
            targets_of(&self.game, &self.position(key), visit);
        }
    }

    #[inline]
    fn inside(&self, key: Pair, mut visit: impl FnMut(u64)) {
        if !self.inside_pairs(key, |received, next| visit(self.pairs.index(received, next))) {
            targets_of(&self.game, &self.position(key), |target| {
                if let Target::Inside(index) = target {
                    visit(index);
                }
            });
        }
    }

    #[inline]
    fn inside_second(&self, key: Pair, mut visit: impl FnMut(u64)) {
        let all = self.slice.0 as usize;
        if !self.inside_pairs(key, |received, next| {
            visit(self.pairs.second_index(all - received, next));
        }) {
            inside_second_of(&self.game, &self.position(key), visit);
        }
    }
}
