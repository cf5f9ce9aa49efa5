//! What moves do to whole rows.

use std::collections::HashMap;

use nutcracker_game::combi::PitRows;
use nutcracker_game::{Pits, RowMove, RowMoves};

use super::shape::{Shape, TILE, stones};
use crate::solver::rows::kernel::compress::Compress;

/// Selects, from a successor row, the boards that a given sowing can lead to; compressed, they line
/// up with the predecessor row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection {
    /// Stones that leave the row's half. Without any, every bit stays where it is.
    pub(crate) sown: usize,
    /// Where its mask words begin.
    first: usize,
    /// Where the ends of its parts are, by word of the predecessor row.
    starts: usize,
}

/// Selected bits that enter one word of the predecessor row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectionPart {
    pub(crate) mask: u64,
    /// From which word of the successor row.
    pub(crate) word: u32,
    /// To which place on.
    pub(crate) shift: u32,
}

/// A word of a projection: which bits of the successor row are selected.
#[derive(Clone, Copy, Debug)]
struct MaskWord {
    mask: u64,
    /// Selected bits before it.
    before: u32,
}

/// A move of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowEdge {
    pub(crate) row: u32,
    /// The row it leads to, on the other side.
    pub(crate) to: u32,
}

/// Moves of a tile that do the same to the other half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveGroup {
    /// Which projection, and which boards stay in the slice.
    pub(crate) kind: MoveKind,
    first: u32,
    end: u32,
}

/// What a move does to the other half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MoveKind {
    projection: u16,
    stays: u16,
}

/// What moves do to rows.
#[derive(Debug)]
pub(crate) struct Moves {
    /// By tile, with one more at the end: where its groups begin.
    first_group: Vec<u32>,
    groups: Vec<MoveGroup>,
    edges: Vec<RowEdge>,
    projections: Vec<Projection>,
    /// Mask words of all projections.
    mask_words: Vec<MaskWord>,
    /// The same by words they enter.
    parts: Vec<ProjectionPart>,
    starts: Vec<u32>,
    stays: Vec<usize>,
    /// Words of all masks of boards that stay.
    stay_words: Vec<u64>,
}

impl Moves {
    pub(crate) fn new(shape: &Shape, row_moves: &dyn RowMoves) -> Self {
        let mut moves = Moves {
            first_group: vec![0],
            groups: Vec::new(),
            edges: Vec::new(),
            projections: Vec::new(),
            mask_words: Vec::new(),
            parts: Vec::new(),
            starts: Vec::new(),
            stays: Vec::new(),
            stay_words: Vec::new(),
        };
        let (mut projections, mut stays) = (HashMap::new(), HashMap::new());
        let (mut list, mut all): (Vec<RowMove>, Vec<(MoveKind, RowEdge)>) =
            (Vec::new(), Vec::new());
        for number in 0..shape.tiles() {
            let tile = shape.tile(number);
            let mut half = Pits::default();
            shape.halves.unrank(tile.row_stones, tile.first_rank, &mut half);
            all.clear();
            for row in number * TILE..number * TILE + tile.rows {
                list.clear();
                row_moves.moves(&half, &mut list);
                let other = shape.stones - tile.row_stones;
                for mv in &list {
                    let projection = *projections
                        .entry((mv.added, other))
                        .or_insert_with(|| moves.select(shape, &mv.added, other));
                    // Only grand slams depend on the pattern.
                    let slams = mv.leaves.and_then(|leaves| leaves.slams);
                    let stays = *stays
                        .entry((mv.leaves, slams.map(|_| mv.added), other))
                        .or_insert_with(|| moves.staying(shape, mv, other));
                    let to = shape.row(&mv.own) as u32;
                    all.push((MoveKind { projection, stays }, RowEdge { row: row as u32, to }));
                }
                shape.halves.advance(&mut half);
            }
            // Stable: rows stay in order.
            all.sort_by_key(|(kind, _)| *kind);
            for group in all.chunk_by(|(a, _), (b, _)| a == b) {
                let first = moves.edges.len() as u32;
                moves.edges.extend(group.iter().map(|(_, edge)| *edge));
                moves.groups.push(MoveGroup {
                    kind: group[0].0,
                    first,
                    end: moves.edges.len() as u32,
                });
            }
            moves.first_group.push(moves.groups.len() as u32);
        }
        moves.edges.shrink_to_fit();
        moves.mask_words.shrink_to_fit();
        moves.parts.shrink_to_fit();
        moves.stay_words.shrink_to_fit();
        moves
    }

    /// Bytes it takes, rather too many than too few.
    pub(crate) fn bytes(shape: &Shape, pits: usize) -> u64 {
        let rows = shape.tiles() * TILE;
        // A move a pit.
        let edges = rows * pits * size_of::<RowEdge>();
        let groups = shape.tiles() * Moves::GROUPS_PER_TILE * size_of::<MoveGroup>();
        // A projection for every number of stones that a sowing can add, and a mask of boards that
        // stay for every pit that a move can empty; a word is cut into two parts at most.
        let word = size_of::<MaskWord>() + 2 * size_of::<ProjectionPart>();
        let masks: usize = (0..=shape.stones)
            .map(|row_stones| {
                let projections = shape.stones - row_stones;
                shape.words(row_stones) * (projections * word + (pits + 1) * size_of::<u64>())
            })
            .sum();
        (edges + groups + masks) as u64
    }

    /// A little more than tiles have on average.
    const GROUPS_PER_TILE: usize = 32;

    /// Bytes it has allocated.
    #[cfg(test)]
    fn allocated(&self) -> u64 {
        (self.groups.capacity() * size_of::<MoveGroup>()
            + self.edges.capacity() * size_of::<RowEdge>()
            + self.mask_words.capacity() * size_of::<MaskWord>()
            + self.parts.capacity() * size_of::<ProjectionPart>()
            + (self.starts.capacity() + self.first_group.capacity()) * size_of::<u32>()
            + self.stay_words.capacity() * size_of::<u64>()) as u64
    }

    fn select(&mut self, shape: &Shape, added: &Pits, other: usize) -> u16 {
        let sown = stones(added);
        let projection =
            Projection { sown, first: self.mask_words.len(), starts: self.starts.len() };
        self.projections.push(projection);
        if sown > 0 {
            let (mut before, mut word) = (0, 0);
            for_each_mask(
                &shape.halves,
                other + sown,
                |half| half.iter().zip(added).all(|(pit, added)| pit >= added),
                |mask| {
                    self.mask_words.push(MaskWord { mask, before });
                    self.part(projection.starts, mask, word, before);
                    before += mask.count_ones();
                    word += 1;
                },
            );
            self.starts.push(self.parts.len() as u32);
        }
        (self.projections.len() - 1) as u16
    }

    /// Records where the selected bits of a word go when `before` bits are selected before it.
    fn part(&mut self, starts: usize, mask: u64, word: u32, before: u32) {
        let (to, shift) = (before as usize / 64, before % 64);
        // Those that fit into the word, and those that enter the next one.
        let mut next = mask;
        for _ in 0..(64 - shift).min(mask.count_ones()) {
            next &= next - 1;
        }
        for (mask, to, shift) in [(mask & !next, to, shift), (next, to + 1, 0)] {
            if mask != 0 {
                while self.starts.len() - starts <= to {
                    self.starts.push(self.parts.len() as u32);
                }
                self.parts.push(ProjectionPart { mask, word, shift });
            }
        }
    }

    fn staying(&mut self, shape: &Shape, mv: &RowMove, other: usize) -> u16 {
        self.stays.push(self.stay_words.len());
        for_each_mask(
            &shape.halves,
            other,
            |half| !mv.leaves_from(half),
            |mask| self.stay_words.push(mask),
        );
        (self.stays.len() - 1) as u16
    }

    /// The moves of a tile, by what they do to the other half.
    #[inline(always)]
    pub(crate) fn groups_of_tile(&self, tile: usize) -> &[MoveGroup] {
        &self.groups[self.first_group[tile] as usize..self.first_group[tile + 1] as usize]
    }

    #[inline(always)]
    pub(crate) fn edges(&self, group: &MoveGroup) -> &[RowEdge] {
        &self.edges[group.first as usize..group.end as usize]
    }

    /// Moves of all tiles.
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    #[inline(always)]
    pub(crate) fn projection(&self, kind: MoveKind) -> Projection {
        self.projections[usize::from(kind.projection)]
    }

    /// The parts that enter each word of a row of `words` words: where they end, and all parts.
    #[inline(always)]
    pub(crate) fn parts(
        &self,
        projection: &Projection,
        words: usize,
    ) -> (&[u32], &[ProjectionPart]) {
        (&self.starts[projection.starts..=projection.starts + words], &self.parts)
    }

    /// The boards of a row of `words` words that stay in the slice.
    #[inline(always)]
    pub(crate) fn stays(&self, kind: MoveKind, words: usize) -> &[u64] {
        let first = self.stays[usize::from(kind.stays)];
        &self.stay_words[first..first + words]
    }

    /// Whether the board at a place of a row stays in the slice.
    #[inline(always)]
    pub(crate) fn stays_at(&self, kind: MoveKind, place: usize) -> bool {
        self.stay_words[self.stays[usize::from(kind.stays)] + place / 64] >> (place % 64) & 1 == 1
    }

    /// Where the bit at a place of the successor row goes, if it is selected.
    #[inline(always)]
    pub(crate) fn place_before(&self, projection: &Projection, place: usize) -> Option<usize> {
        if projection.sown == 0 {
            return Some(place);
        }
        let MaskWord { mask, before } = self.mask_words[projection.first + place / 64];
        let below = (1_u64 << (place % 64)) - 1;
        (mask >> (place % 64) & 1 == 1)
            .then(|| before as usize + (mask & below).count_ones() as usize)
    }

    /// Where the bit at a place of the predecessor row comes from.
    #[inline(always)]
    pub(crate) fn place_after<C: Compress>(&self, projection: &Projection, place: usize) -> usize {
        if projection.sown == 0 {
            return place;
        }
        let starts = &self.starts[projection.starts + place / 64..];
        let parts = &self.parts[starts[0] as usize..starts[1] as usize];
        let at = (place % 64) as u32;
        let part = parts[parts.partition_point(|part| part.shift <= at) - 1];
        part.word as usize * 64 + C::place(part.mask, at - part.shift)
    }
}

/// Calls `put` with a bit for every half of `stones` stones, 64 at a time.
fn for_each_mask(
    halves: &PitRows,
    stones: usize,
    selected: impl Fn(&Pits) -> bool,
    mut put: impl FnMut(u64),
) {
    let mut half = Pits::default();
    halves.unrank(stones, 0, &mut half);
    let (mut mask, mut bit) = (0, 0);
    loop {
        mask |= u64::from(selected(&half)) << bit;
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

#[cfg(test)]
mod tests {
    use nutcracker_game::{Game, SliceId};
    use nutcracker_games::awari::Awari;

    use super::*;

    #[test]
    fn the_estimate_is_no_less_than_what_is_allocated_and_no_more_than_three_times() {
        let awari = Awari::new(6).unwrap();
        for stones in [8, 12, 16] {
            let row_moves = awari.row_moves(SliceId(stones)).unwrap();
            let shape = Shape::new(6, stones as usize);
            let allocated = Moves::new(&shape, &*row_moves).allocated();
            let estimate = Moves::bytes(&shape, 6);
            assert!(
                (allocated..3 * allocated).contains(&estimate),
                "{stones} stones: {allocated} bytes, estimated {estimate}"
            );
        }
    }
}
