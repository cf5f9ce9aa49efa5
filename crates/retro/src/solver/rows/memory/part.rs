//! The part of a slice that one machine of several solves by rows.
//!
//! Every machine keeps the decided bits of the whole slice, and of its own tiles all else. After a
//! pass it tells the others which words of decided bits have changed; nothing is ever revoked, so a
//! position travels once, however many levels there are.

use std::ops::Range;
use std::sync::Arc;

use crate::error::SolveError;
use crate::solver::rows::kernel::{Bits, Decided, Kernel, add};
use crate::solver::rows::layout::{Shape, Tile};

/// Words that machines which solve a slice together pass to each other.
pub trait Exchange: Sync {
    /// The number of machines.
    fn machines(&self) -> usize;
    /// Which of them this is, from 0 on.
    fn me(&self) -> usize;
    /// One round: gives words to every other machine, and returns what each gave to this one. All
    /// machines take part in all rounds; a round ends when all have what is theirs.
    fn round(&self, given: Vec<Arc<Vec<u64>>>) -> Result<Vec<Vec<u64>>, SolveError>;
    /// How far this machine has come, for a display: the level, 0 before the first; positions whose
    /// exits it has computed, or that it has settled.
    fn report(&self, _level: u8, _positions: u64) {}
}

/// As [`Exchange::round`], with the same words for all.
pub(crate) fn tell_all(
    exchange: &dyn Exchange,
    words: Vec<u64>,
) -> Result<Vec<Vec<u64>>, SolveError> {
    let words = Arc::new(words);
    exchange.round((0..exchange.machines()).map(|_| Arc::clone(&words)).collect())
}

/// Runs of tiles of a block that a machine gets, if the block has enough of them. With more, the
/// work is shared more evenly; with fewer, less memory is shared by pages.
const RUNS: usize = 8;

/// Which machine solves which tiles.
#[derive(Debug)]
pub(crate) struct Owners {
    by_tile: Vec<u16>,
    me: u16,
}

impl Owners {
    /// Tiles are dealt in runs of neighbours, each to the machine that has least so far.
    pub(crate) fn new(shape: &Shape, machines: usize, me: usize) -> Self {
        let mut by_tile = vec![0; shape.tiles()];
        let mut words = vec![0_usize; machines];
        for row_stones in shape.order() {
            let groups: Vec<Range<usize>> = shape.groups(row_stones).collect();
            let run = (groups.len() / (machines * RUNS)).max(1);
            for run in groups.chunks(run) {
                let tiles = run[0].start..run[run.len() - 1].end;
                let least = words.iter().enumerate().min_by_key(|(_, words)| **words);
                let machine = least.map_or(0, |(machine, _)| machine);
                words[machine] += tiles.clone().map(|tile| shape.tile(tile).words).sum::<usize>();
                by_tile[tiles].fill(machine as u16);
            }
        }
        Owners { by_tile, me: me as u16 }
    }

    /// The machine that solves a tile.
    pub(crate) fn of(&self, tile: usize) -> usize {
        self.by_tile[tile].into()
    }

    /// Whether this machine solves a tile.
    #[inline(always)]
    pub(crate) fn owns(&self, tile: usize) -> bool {
        self.by_tile[tile] == self.me
    }

    /// The positions of each tile of a machine.
    pub(crate) fn ranges(
        &self,
        shape: &Shape,
        machine: usize,
    ) -> impl Iterator<Item = Range<u64>> + use<'_> {
        let ranges = (0..self.by_tile.len()).filter(move |&tile| self.of(tile) == machine);
        let ranges: Vec<Range<u64>> = ranges.map(|tile| shape.tile_range(tile)).collect();
        ranges.into_iter()
    }

    /// The number of positions of a machine.
    pub(crate) fn positions(&self, shape: &Shape, machine: usize) -> u64 {
        self.ranges(shape, machine).map(|range| range.end - range.start).sum()
    }
}

/// What one machine of several solves, and how it tells the others.
pub(crate) struct Part<'a> {
    pub(crate) owners: &'a Owners,
    pub(crate) exchange: &'a dyn Exchange,
    /// Called when a level has come to rest on all machines, by one thread.
    pub(crate) rests: &'a (dyn Fn(u8) -> Result<(), SolveError> + Sync),
}

/// A word of decided bits that has changed: which, whether the positions are lost rather than won,
/// and the new bits. Two words on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangedWord {
    pub(crate) word: usize,
    pub(crate) lost: bool,
    pub(crate) bits: u64,
}

impl ChangedWord {
    /// Words of one on the wire.
    pub(crate) const WORDS: usize = 2;

    /// Appends what has changed of a word.
    pub(crate) fn push(out: &mut Vec<u64>, word: usize, won: u64, lost: u64) {
        for (kind, bits) in [(0, won), (1, lost)] {
            if bits != 0 {
                out.extend([(word as u64) << 1 | kind, bits]);
            }
        }
    }

    /// Reads one.
    pub(crate) fn read(words: &[u64]) -> Self {
        ChangedWord { word: (words[0] >> 1) as usize, lost: words[0] & 1 == 1, bits: words[1] }
    }

    /// Sets the bits. The word is one machine's alone, so no other thread sets some of it now.
    pub(crate) fn enter(self, decided: Decided<'_>) {
        add(&decided.at(self.word)[usize::from(self.lost)], self.bits);
    }

    /// The places of its positions in the row of the opponent's half that begins with a word.
    pub(crate) fn places(self, first_word: usize) -> impl Iterator<Item = usize> {
        let first = (self.word - first_word) * 64;
        Bits(self.bits).map(move |bit| first + bit)
    }
}

impl Kernel {
    /// The word of decided bits that a tile changes in a row of the opponent's half: the one at
    /// `at` of the tiles that are published together, the first of which is `first`.
    pub(crate) fn changed_word(&self, first: &Tile, row: usize, at: usize) -> usize {
        self.shape.row_word(row, self.shape.stones - first.row_stones) + first.within + at
    }
}

/// Cuts groups of tiles into segments after which machines exchange words, so that these fit the
/// memory even if all bits change.
pub(crate) fn segments(
    shape: &Shape,
    owners: &Owners,
    machine: usize,
    most: usize,
) -> Vec<Vec<Range<usize>>> {
    let (mut segments, mut words) = (vec![Vec::new()], 0);
    let groups = shape.order().flat_map(|row_stones| shape.groups(row_stones));
    for group in groups.filter(|group| owners.of(group.start) == machine) {
        let more: usize = group.clone().map(|tile| shape.tile(tile).word_range().len()).sum();
        if words > 0 && words + more > most {
            segments.push(Vec::new());
            words = 0;
        }
        words += more;
        segments.last_mut().expect("there is one").push(group);
    }
    segments
}
