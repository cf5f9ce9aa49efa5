//! What moves do to whole rows.

use std::collections::HashMap;

use nutcracker_game::combi::Rows;
use nutcracker_game::{Leaves, Pits, RowMove, Sowing};

use super::compress::Compress;
use super::shape::{Shape, TILE, stones};

/// Which bits of one row become a whole row when the halves before a sowing are put in the place
/// of the halves after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    /// Stones that leave the row's half. Without any, every bit stays where it is.
    pub(crate) sown: usize,
    /// Where its words begin.
    first: usize,
    /// Where the ends of its parts are, by word of the whole row.
    starts: usize,
}

/// Selected bits that come into one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) mask: u64,
    /// From which word.
    pub(crate) word: u32,
    /// From which place on.
    pub(crate) shift: u32,
}

/// A word of a selection.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    mask: u64,
    /// Selected bits before it.
    before: u32,
}

/// A move of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) row: u32,
    /// The row it leads to, on the other side.
    pub(crate) to: u32,
}

/// Moves of a tile that do the same to the other half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Same {
    /// Which selection, and which boards stay in the slice.
    pub(crate) kind: Kind,
    first: u32,
    end: u32,
}

/// What a move does to the other half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Kind {
    selection: u16,
    stays: u16,
}

/// What moves do to rows.
#[derive(Debug)]
pub(crate) struct Moves {
    /// By tile, with one more at the end: where its moves begin that do the same.
    first_same: Vec<u32>,
    same: Vec<Same>,
    steps: Vec<Step>,
    selections: Vec<Selection>,
    /// Words of all selections.
    chosen: Vec<Chosen>,
    /// The same by words they come into.
    parts: Vec<Part>,
    starts: Vec<u32>,
    stays: Vec<usize>,
    /// Words of all masks of boards that stay.
    stay_words: Vec<u64>,
}

impl Moves {
    pub(crate) fn new(shape: &Shape, sowing: &dyn Sowing) -> Self {
        let mut moves = Moves {
            first_same: vec![0],
            same: Vec::new(),
            steps: Vec::new(),
            selections: Vec::new(),
            chosen: Vec::new(),
            parts: Vec::new(),
            starts: Vec::new(),
            stays: Vec::new(),
            stay_words: Vec::new(),
        };
        let (mut selections, mut stays) = (HashMap::new(), HashMap::new());
        let (mut list, mut all): (Vec<RowMove>, Vec<(Kind, Step)>) = (Vec::new(), Vec::new());
        for number in 0..shape.tiles() {
            let tile = shape.tile(number);
            let mut half = Pits::default();
            shape.halves.unrank(tile.held, tile.first_rank, &mut half);
            all.clear();
            for row in number * TILE..number * TILE + tile.rows {
                list.clear();
                sowing.moves(&half, &mut list);
                let other = shape.stones - tile.held;
                for mv in &list {
                    let selection = *selections
                        .entry((mv.added, other))
                        .or_insert_with(|| moves.select(shape, &mv.added, other));
                    let stays = *stays
                        .entry((mv.leaves, other))
                        .or_insert_with(|| moves.stay(shape, mv.leaves, other));
                    let to = shape.row(&mv.own) as u32;
                    all.push((Kind { selection, stays }, Step { row: row as u32, to }));
                }
                shape.halves.advance(&mut half);
            }
            // Stable: rows stay in order.
            all.sort_by_key(|(kind, _)| *kind);
            for same in all.chunk_by(|(a, _), (b, _)| a == b) {
                let first = moves.steps.len() as u32;
                moves.steps.extend(same.iter().map(|(_, step)| *step));
                moves.same.push(Same { kind: same[0].0, first, end: moves.steps.len() as u32 });
            }
            moves.first_same.push(moves.same.len() as u32);
        }
        moves
    }

    fn select(&mut self, shape: &Shape, added: &Pits, other: usize) -> u16 {
        let sown = stones(added);
        let selection = Selection { sown, first: self.chosen.len(), starts: self.starts.len() };
        self.selections.push(selection);
        if sown > 0 {
            let (mut before, mut word) = (0, 0);
            for_each_mask(
                &shape.halves,
                other + sown,
                |half| half.iter().zip(added).all(|(pit, added)| pit >= added),
                |mask| {
                    self.chosen.push(Chosen { mask, before });
                    self.part(selection.starts, mask, word, before);
                    before += mask.count_ones();
                    word += 1;
                },
            );
            self.starts.push(self.parts.len() as u32);
        }
        (self.selections.len() - 1) as u16
    }

    /// Notes where the selected bits of a word go when so many are selected before it.
    fn part(&mut self, starts: usize, mask: u64, word: u32, before: u32) {
        let (to, shift) = (before as usize / 64, before % 64);
        // Those that fit into the word, and those that come into the next one.
        let mut next = mask;
        for _ in 0..(64 - shift).min(mask.count_ones()) {
            next &= next - 1;
        }
        for (mask, to, shift) in [(mask & !next, to, shift), (next, to + 1, 0)] {
            if mask != 0 {
                while self.starts.len() - starts <= to {
                    self.starts.push(self.parts.len() as u32);
                }
                self.parts.push(Part { mask, word, shift });
            }
        }
    }

    fn stay(&mut self, shape: &Shape, leaves: Option<Leaves>, other: usize) -> u16 {
        self.stays.push(self.stay_words.len());
        for_each_mask(
            &shape.halves,
            other,
            |half| {
                leaves.is_none_or(|leaves| leaves.counts >> half[usize::from(leaves.pit)] & 1 == 0)
            },
            |mask| self.stay_words.push(mask),
        );
        (self.stays.len() - 1) as u16
    }

    /// The moves of a tile, those together that do the same.
    #[inline(always)]
    pub(crate) fn of_tile(&self, tile: usize) -> &[Same] {
        &self.same[self.first_same[tile] as usize..self.first_same[tile + 1] as usize]
    }

    #[inline(always)]
    pub(crate) fn steps(&self, same: &Same) -> &[Step] {
        &self.steps[same.first as usize..same.end as usize]
    }

    /// Moves of all tiles.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    #[inline(always)]
    pub(crate) fn selection(&self, kind: Kind) -> Selection {
        self.selections[usize::from(kind.selection)]
    }

    /// The parts that come into each word of a row of so many words: where they end, and all parts.
    #[inline(always)]
    pub(crate) fn parts(&self, selection: &Selection, words: usize) -> (&[u32], &[Part]) {
        (&self.starts[selection.starts..=selection.starts + words], &self.parts)
    }

    /// The boards of a row of so many words that stay in the slice.
    #[inline(always)]
    pub(crate) fn stays(&self, kind: Kind, words: usize) -> &[u64] {
        let first = self.stays[usize::from(kind.stays)];
        &self.stay_words[first..first + words]
    }

    /// Whether the board at a place of a row stays in the slice.
    #[inline(always)]
    pub(crate) fn stays_at(&self, kind: Kind, place: usize) -> bool {
        self.stay_words[self.stays[usize::from(kind.stays)] + place / 64] >> (place % 64) & 1 == 1
    }

    /// Where the bit at a place of the selected row goes, if it is selected.
    #[inline(always)]
    pub(crate) fn place_before(&self, selection: &Selection, place: usize) -> Option<usize> {
        if selection.sown == 0 {
            return Some(place);
        }
        let Chosen { mask, before } = self.chosen[selection.first + place / 64];
        let below = (1_u64 << (place % 64)) - 1;
        (mask >> (place % 64) & 1 == 1)
            .then(|| before as usize + (mask & below).count_ones() as usize)
    }

    /// Where the bit at a place of the whole row comes from.
    #[inline(always)]
    pub(crate) fn place_after<C: Compress>(&self, selection: &Selection, place: usize) -> usize {
        if selection.sown == 0 {
            return place;
        }
        let starts = &self.starts[selection.starts + place / 64..];
        let parts = &self.parts[starts[0] as usize..starts[1] as usize];
        let at = (place % 64) as u32;
        let part = parts[parts.partition_point(|part| part.shift <= at) - 1];
        part.word as usize * 64 + C::place(part.mask, at - part.shift)
    }
}

/// Calls `put` with a bit for every half of so many stones, 64 at a time.
fn for_each_mask(
    halves: &Rows,
    stones: usize,
    wanted: impl Fn(&Pits) -> bool,
    mut put: impl FnMut(u64),
) {
    let mut half = Pits::default();
    halves.unrank(stones, 0, &mut half);
    let (mut mask, mut bit) = (0, 0);
    loop {
        mask |= u64::from(wanted(&half)) << bit;
        bit += 1;
        let more = halves.advance(&mut half);
        if bit == 64 || !more {
            put(mask);
            (mask, bit) = (0, 0);
        }
        if !more {
            return;
        }
    }
}
