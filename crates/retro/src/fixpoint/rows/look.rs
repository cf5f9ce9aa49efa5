//! Rows of the mover's half look at what is known of the rows their moves lead to.
//!
//! The rows of a tile look together: moves that do the same to the other half take the same bits from
//! their rows, so that masks are loaded once for many rows and no branch depends on the row.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_mem::prefetch;

use super::compress::{Compress, Work, run};
use super::kernel::{Bits, Found, Kernel, Known, Lines, line};
use super::moves::{Part, Same, Selection};
use super::shape::{TILE, Tile};

/// For a word of a row: who wins by one of the moves looked at, and who loses by all of them. A tile
/// has them word by word and then row by row.
pub(crate) type Sight = [u64; 2];

/// Pairs of words in a line of the processor's cache.
const LINE: usize = 4;

/// As many moves as may do the same in a tile.
const MOST: usize = TILE * 8;

/// Where a row is in the tile, and where the row begins that its move leads to.
#[derive(Clone, Copy, Debug, Default)]
struct From {
    row: usize,
    word: usize,
}

impl Kernel {
    /// Some rows of a tile look at all their moves, or those that sow so many stones into the other
    /// half. `sight` is that of the whole tile.
    pub(crate) fn look(
        &self,
        tile: &Tile,
        rows: u64,
        sown: Option<usize>,
        known: Known<'_>,
        sight: &mut [Sight],
    ) {
        if rows != 0 {
            run(self.portable, Look { kernel: self, tile, rows, sown, known, sight });
        }
    }

    /// Before a tile looks.
    pub(crate) fn blind(sight: &mut [Sight]) {
        sight.fill([0, u64::MAX]);
    }

    /// Settles some rows of a tile by what was seen. Returns how many positions.
    pub(crate) fn settle(
        tile: &Tile,
        rows: u64,
        lines: Lines<'_>,
        sight: &[Sight],
        found: &mut Found,
    ) -> u64 {
        let mut settled = 0;
        for (at, sight) in sight.chunks(LINE * TILE).enumerate() {
            for row in Bits(rows) {
                let first = tile.first_word + row * tile.words;
                for (word, sight) in (at * LINE..).zip(sight.chunks_exact(TILE)) {
                    let [wins, loses] = sight[row];
                    let line = lines.at(first + word);
                    let open = line[line::OPEN].load(Relaxed);
                    let bad = line[line::BAD].load(Relaxed);
                    let won = wins & open;
                    let lost = loses & open & bad & !won;
                    if won | lost != 0 {
                        line[line::OPEN].store(open & !(won | lost), Relaxed);
                        line[line::BAD].store(bad & !won, Relaxed);
                        found.add(row, word, won, lost);
                        settled += u64::from((won | lost).count_ones());
                    }
                }
            }
        }
        settled
    }
}

struct Look<'a> {
    kernel: &'a Kernel,
    tile: &'a Tile,
    rows: u64,
    sown: Option<usize>,
    known: Known<'a>,
    sight: &'a mut [Sight],
}

impl Work for Look<'_> {
    #[inline(always)]
    fn run<C: Compress>(mut self) {
        let mut from = [From::default(); MOST];
        for same in self.kernel.moves.of_tile(self.tile.number) {
            let selection = self.kernel.moves.selection(same.kind);
            if self.sown.is_none_or(|sown| sown == selection.sown) {
                let count = self.gather(same, &selection, &mut from);
                self.see::<C>(same, &selection, &from[..count]);
            }
        }
    }
}

impl Look<'_> {
    /// The rows that look and have one of these moves.
    #[inline(always)]
    fn gather(&self, same: &Same, selection: &Selection, from: &mut [From; MOST]) -> usize {
        let shape = &self.kernel.shape;
        let held = self.tile.held - selection.sown;
        let words = shape.words(held);
        let mut count = 0;
        for step in self.kernel.moves.steps(same) {
            let row = step.row as usize % TILE;
            if self.rows >> row & 1 == 0 {
                continue;
            }
            let word = shape.row_word(step.to as usize, held) - self.known.base;
            from[count] = From { row, word };
            count += 1;
            for word in (word..word + words).step_by(LINE) {
                prefetch(&self.known.words[word * 2]);
            }
        }
        count
    }

    /// Looks at what these moves lead to.
    #[inline(always)]
    fn see<C: Compress>(&mut self, same: &Same, selection: &Selection, from: &[From]) {
        let moves = &self.kernel.moves;
        let stays = moves.stays(same.kind, self.tile.words);
        if selection.sown == 0 {
            for (word, (&stays, sight)) in
                stays.iter().zip(self.sight.chunks_exact_mut(TILE)).enumerate()
            {
                for from in from {
                    let [won, lost] = pair(self.known.words, from.word + word);
                    note(&mut sight[from.row], won, lost, stays);
                }
            }
            return;
        }
        let (starts, parts) = moves.parts(selection, self.tile.words);
        for ((&stays, ends), sight) in
            stays.iter().zip(starts.windows(2)).zip(self.sight.chunks_exact_mut(TILE))
        {
            let parts = &parts[ends[0] as usize..ends[1] as usize];
            let (few, rest) = parts.split_at(parts.len().min(4));
            match *few {
                [a] => see_parts::<C, 1>([a], rest, self.known.words, from, stays, sight),
                [a, b] => see_parts::<C, 2>([a, b], rest, self.known.words, from, stays, sight),
                [a, b, c] => {
                    see_parts::<C, 3>([a, b, c], rest, self.known.words, from, stays, sight);
                }
                [a, b, c, d] => {
                    see_parts::<C, 4>([a, b, c, d], rest, self.known.words, from, stays, sight);
                }
                _ => see_parts::<C, 0>([], rest, self.known.words, from, stays, sight),
            }
        }
    }
}

#[inline(always)]
fn see_parts<C: Compress, const PARTS: usize>(
    parts: [Part; PARTS],
    rest: &[Part],
    known: &[AtomicU64],
    from: &[From],
    stays: u64,
    sight: &mut [Sight],
) {
    for from in from {
        let (mut won, mut lost) = (0, 0);
        let mut take = |part: &Part| {
            let [won_there, lost_there] = pair(known, from.word + part.word as usize);
            won |= C::compress(won_there, part.mask) << part.shift;
            lost |= C::compress(lost_there, part.mask) << part.shift;
        };
        parts.iter().for_each(&mut take);
        if PARTS == 4 {
            rest.iter().for_each(take);
        }
        note(&mut sight[from.row], won, lost, stays);
    }
}

#[inline(always)]
fn pair(known: &[AtomicU64], word: usize) -> [u64; 2] {
    let pair: &[AtomicU64; 2] = known[word * 2..word * 2 + 2].try_into().expect("two words");
    [pair[0].load(Relaxed), pair[1].load(Relaxed)]
}

#[inline(always)]
fn note(sight: &mut [u64; 2], won: u64, lost: u64, stays: u64) {
    sight[0] |= lost & stays;
    sight[1] &= won | !stays;
}
