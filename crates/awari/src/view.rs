//! Backward view of awari: exits and un-moves by tables over half boards.
//!
//! A board is a pair of halves, and a move acts on each half separately: sowing from pit i changes
//! the mover's half in one way and adds a fixed pattern to the other. There are few halves and many
//! boards, so what a move or an un-move does to a half is computed once and looked up afterwards.

use std::ops::Range;

use nutcracker_game::combi::PitRows;
use nutcracker_game::{Children, Exits, Metric, Numbering, SliceId, SliceView, exits_of};

use super::{Awari, is_prize};
use nutcracker_boards::halves::{Board, Half, MAX_PITS, Pair, PairCursor, PairIndex, stones};

/// The effect of un-moves on the half of the player to move, into which stones were sown.
#[derive(Clone, Copy, Debug, Default)]
struct Receiver {
    /// Bit j: a sowing of j stones into this half can have ended here without a capture.
    quiet: u8,
    /// Whether every pit holds a stone, so that a sowing can have passed all of them.
    full: bool,
    /// The id of the half without the last j stones sown into it, at j - 1.
    without: [u32; MAX_PITS],
}

/// The effect of un-moves on the half of the player who moved.
#[derive(Clone, Copy, Debug, Default)]
struct Sower {
    stones: u8,
    /// The number of un-moves that stay within the half.
    short: u8,
    /// Whether a sowing can have taken a whole lap to this half: its first pit does not rule it
    /// out.
    round: bool,
    /// Whether any pit is empty: the side that just moved has an empty pit.
    reachable: bool,
    /// The ids of the half before a sowing that stayed within it.
    within: [u32; MAX_PITS - 1],
    /// The id of the half before a sowing that put j stones into the other half, at j - 1.
    across: [u32; MAX_PITS],
}

/// One slice of awari with its tables.
#[derive(Clone, Debug)]
pub struct AwariView {
    game: Awari,
    stones: usize,
    pairs: PairIndex,
    /// For as many halves as the memory allows, those with the fewest stones; the same for the
    /// sowers.
    receivers: Vec<Receiver>,
    sowers: Vec<Sower>,
    tiles: Vec<HalvesTile>,
}

/// A part of the slice in which exits are computed: all boards with `own` stones on the mover's
/// side and one of `width` consecutive other halves.
#[derive(Clone, Copy, Debug)]
struct HalvesTile {
    own: usize,
    first: u64,
    width: usize,
}

/// Other halves in a tile: enough to write whole cache lines, and few enough for the rows of scores
/// read for it to fit the second-level cache.
const TILE: u64 = 64;

impl AwariView {
    /// The bytes of tables for each half.
    pub(super) const EACH: usize = size_of::<Receiver>() + size_of::<Sower>();

    /// The bytes of tables for this many halves.
    pub(super) fn bytes(halves: u64) -> u64 {
        halves * Self::EACH as u64
    }

    pub(super) fn new(game: Awari, slice: SliceId, bytes: u64) -> Self {
        let n = slice.0 as usize;
        let pairs = PairIndex::new(&game.halves, n);
        let mut tiles = Vec::new();
        for own in 0..=n {
            let row = pairs.row(own);
            tiles.extend((0..row).step_by(TILE as usize).map(|first| HalvesTile {
                own,
                first,
                width: TILE.min(row - first) as usize,
            }));
        }
        let most = pairs.most_stones(Self::EACH, bytes);
        let halves = pairs.rows().first_id(most + 1) as usize;
        let (mut receivers, mut sowers) = (Vec::with_capacity(halves), Vec::with_capacity(halves));
        pairs.for_each_half(most, |half| {
            receivers.push(receiver(pairs.rows(), half));
            sowers.push(sower(pairs.rows(), half));
        });
        AwariView { game, stones: n, pairs, receivers, sowers, tiles }
    }

    /// The rare cases, by the rules: terminal positions, sowings of more than a lap, and halves
    /// that the tables do not cover.
    #[cold]
    fn slow_predecessors(&self, pair: Pair, visit: &mut impl FnMut(u64, Pair)) {
        let board = Board { own: self.pairs.half(pair.own), other: self.pairs.half(pair.other) };
        self.game.unsow(&board, |board| {
            if self.game.halves.contains(&board) {
                let pair = self.pairs.key_of(&self.game.halves, &board);
                visit(self.pairs.index(stones(&board.own), pair), pair);
            }
        });
    }
}

fn id(rows: &PitRows, half: &Half) -> u32 {
    (rows.first_id(stones(half)) + rows.rank(half)) as u32
}

fn receiver(rows: &PitRows, half: &Half) -> Receiver {
    let pits = rows.pits();
    let mut receiver = Receiver::default();
    let mut before = *half;
    for pit in 0..pits {
        if before[pit] == 0 {
            return receiver;
        }
        before[pit] -= 1;
        receiver.without[pit] = id(rows, &before);
        if !is_prize(half[pit]) {
            receiver.quiet |= 2 << pit;
        }
    }
    receiver.full = true;
    receiver
}

fn sower(rows: &PitRows, half: &Half) -> Sower {
    let pits = rows.pits();
    let empty = (0..pits).filter(|&pit| half[pit] == 0).count();
    let held = stones(half);
    let mut sower = Sower {
        stones: held as u8,
        round: half[0] > 0 || empty == 1,
        reachable: empty > 0,
        ..Sower::default()
    };
    for pit in (0..pits).filter(|&pit| half[pit] == 0) {
        let mut before = *half;
        for at in pit + 1..=pits {
            if at < pits {
                if before[at] == 0 {
                    break;
                }
                before[at] -= 1;
                before[pit] += 1;
                sower.within[usize::from(sower.short)] = id(rows, &before);
                sower.short += 1;
            } else {
                // No empty pit stopped it: it continued into the other half.
                for across in &mut sower.across[..pits.min(rows.max() - held)] {
                    before[pit] += 1;
                    *across = id(rows, &before);
                }
            }
        }
    }
    sower
}

impl SliceView for AwariView {
    type Key = Pair;
    type Cursor = PairCursor;

    fn len(&self) -> u64 {
        self.pairs.len()
    }

    fn key_at(&self, cursor: &mut PairCursor, index: u64) -> Pair {
        self.pairs.key_at(cursor, index)
    }

    #[inline]
    fn second_index(&self, key: Pair) -> u64 {
        let other = match self.sowers.get(key.other as usize) {
            Some(sower) => usize::from(sower.stones),
            None => self.pairs.stones(key.other),
        };
        self.pairs.second_index(other, key)
    }

    #[inline]
    fn predecessors(&self, key: Pair, mut visit: impl FnMut(u64, Pair)) {
        let (Some(sower), Some(receiver)) =
            (self.sowers.get(key.other as usize), self.receivers.get(key.own as usize))
        else {
            return self.slow_predecessors(key, &mut visit);
        };
        if !sower.reachable {
            return;
        }
        // The id of the empty half is 0.
        if key.own == 0 || sower.round && receiver.full {
            return self.slow_predecessors(key, &mut visit);
        }
        let moved = usize::from(sower.stones);
        let received = self.stones - moved;
        if self.pairs.contains(received, Pair { own: 0, other: key.own }) {
            for &own in &sower.within[..usize::from(sower.short)] {
                let pair = Pair { own, other: key.own };
                visit(self.pairs.index(moved, pair), pair);
            }
        }
        let mut quiet = receiver.quiet;
        while quiet != 0 {
            let sown = quiet.trailing_zeros() as usize;
            quiet &= quiet - 1;
            let pair = Pair { own: sower.across[sown - 1], other: receiver.without[sown - 1] };
            if self.pairs.contains(received - sown, pair) {
                visit(self.pairs.index(moved + sown, pair), pair);
            }
        }
    }

    fn parts(&self) -> u64 {
        self.tiles.len() as u64
    }

    fn part_range(&self, part: u64) -> Range<u64> {
        let own = self.tiles[part as usize].own;
        self.pairs.base(own)..self.pairs.base(own + 1)
    }

    fn exits<C: Children>(
        &self,
        _: Metric,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let tile = self.tiles[part as usize];
        if tile.own == 0 || tile.own == self.stones {
            return self.plain_exits(tile, children, put);
        }
        let captures = Captures::read(self, tile, children)?;
        let n = self.stones;
        let mut run = [Exits { best: Exits::NONE, internal: 0 }; TILE as usize];
        let run = &mut run[..tile.width];
        let mut own = Half::default();
        self.pairs.rows().unrank(tile.own, 0, &mut own);
        let mut start = self.pairs.base(tile.own) + tile.first;
        loop {
            let moves = own.iter().filter(|&&stones| stones > 0).count() as u16;
            run.fill(Exits { best: Exits::NONE, internal: moves });
            for pit in (0..self.pairs.rows().pits()).filter(|&pit| own[pit] > 0) {
                let sown = self.game.sow(&Board { own, other: Half::default() }, pit);
                if sown.last.is_some() {
                    let into = stones(&sown.other);
                    captures.apply(into, self.pairs.rows().rank(&sown.own), run);
                }
            }
            // Where no legal move is left, every move captures the opponent's last stones, and this
            // ends the game: all stones are the mover's.
            for exits in run.iter_mut().filter(|exits| exits.internal == 0) {
                if exits.best == Exits::NONE {
                    exits.best = n as i8;
                }
            }
            put(start, run);
            start += self.pairs.row(tile.own);
            if !self.pairs.rows().advance(&mut own) {
                return Ok(());
            }
        }
    }
}

impl AwariView {
    /// By the rules, for the few boards on which one side has no stones.
    fn plain_exits<C: Children>(
        &self,
        tile: HalvesTile,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let slice = SliceId(self.stones as u32);
        let mut steps = Vec::new();
        for row in 0..self.pairs.rows().count(tile.own) {
            let start = self.pairs.base(tile.own) + row * self.pairs.row(tile.own) + tile.first;
            for index in start..start + tile.width as u64 {
                let position = self.game.unrank(slice, index).expect("awari has no holes");
                let exits = exits_of(&self.game, Metric::Score, &position, &mut steps, children)?;
                put(index, &[exits]);
            }
        }
        Ok(())
    }
}

/// What each sowing into each half of a tile captures, and the scores of its successors.
///
/// A capture that follows a sowing of j stones depends on the other half alone, and the resulting
/// board has one mover's half whatever the sower's half is: its scores are one row of a smaller
/// slice, read sequentially.
struct Captures {
    /// At j: one entry for every half of the tile that a sowing of j stones captures from.
    by_sown: Vec<Vec<Capture>>,
    scores: Vec<i8>,
}

#[derive(Clone, Copy)]
struct Capture {
    /// The half of the tile.
    lane: u32,
    /// The offset of its row of scores; meaningless where the move is illegal.
    row: u32,
    gain: i8,
    /// Whether it captures everything, which is illegal while another move does not.
    starves: bool,
}

impl Captures {
    fn read<C: Children>(
        view: &AwariView,
        tile: HalvesTile,
        children: &C,
    ) -> Result<Self, C::Error> {
        let pits = view.pairs.rows().pits();
        let mut captures = Captures { by_sown: vec![Vec::new()], scores: Vec::new() };
        let mut first = Half::default();
        view.pairs.rows().unrank(view.stones - tile.own, tile.first, &mut first);
        for sown in 1..=tile.own {
            // The side that sowed has an empty pit, in every index.
            let row = view.game.halves.row(tile.own - sown) as usize;
            let mut list = Vec::new();
            let mut other = first;
            for lane in 0..tile.width as u32 {
                if lane > 0 {
                    view.pairs.rows().advance(&mut other);
                }
                let mut after = other;
                for pit in 0..sown {
                    after[pit % pits] += 1;
                }
                let mut sown = super::Sown {
                    own: Half::default(),
                    other: after,
                    last: Some(((sown - 1) % pits) as u8),
                };
                let gain = Awari::capture(&mut sown);
                if gain == 0 {
                    continue;
                }
                let held = stones(&sown.other);
                let at = captures.scores.len();
                if held > 0 {
                    let left = view.stones - usize::from(gain);
                    let start = view.game.halves.base(left, held)
                        + view.pairs.rows().rank(&sown.other) * row as u64;
                    captures.scores.resize(at + row, 0);
                    children.read(SliceId(left as u32), start, &mut captures.scores[at..])?;
                }
                list.push(Capture { lane, row: at as u32, gain: gain as i8, starves: held == 0 });
            }
            captures.by_sown.push(list);
        }
        Ok(captures)
    }

    /// Enters a move that sows `sown` stones, the last of them into the other half, and leaves the
    /// mover a half of this rank.
    fn apply(&self, sown: usize, rank: u64, run: &mut [Exits]) {
        for capture in &self.by_sown[sown] {
            let exits = &mut run[capture.lane as usize];
            exits.internal -= 1;
            if !capture.starves {
                let score = self.scores[capture.row as usize + rank as usize];
                exits.best = exits.best.max(capture.gain - score);
            }
        }
    }
}
