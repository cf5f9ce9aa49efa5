//! Rows of the mover's half scan the decided positions of the rows their moves lead to.
//!
//! The rows of a tile are scanned together: moves that do the same to the other half take the same
//! bits from their rows, so that masks are loaded once for many rows and no branch depends on the
//! row.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_mem::prefetch;

use super::compress::{Compress, Work, run};
use super::{AT_RISK, Bits, Decided, Kernel, NewlyDecided, OPEN, Undecided};
use crate::solver::rows::layout::{MoveGroup, Projection, ProjectionPart, TILE, Tile};

/// The moves of a word of a row scanned so far. A tile has summaries word by word, then row by row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveSummary {
    /// Positions with a move to a lost position.
    pub(crate) any_lost: u64,
    /// Positions all of whose moves lead to won positions.
    pub(crate) all_won: u64,
}

impl MoveSummary {
    /// No move is scanned.
    pub(crate) const EMPTY: MoveSummary = MoveSummary { any_lost: 0, all_won: u64::MAX };
}

/// Pairs of words in a line of the processor's cache.
const CACHE_LINE: usize = 4;

/// The most moves of a tile that do the same to the other half.
const MAX_GROUP: usize = TILE * 8;

/// Where a row is in the tile, and where the row begins that its move leads to.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    row: usize,
    word: usize,
}

impl Kernel {
    /// Scans all moves of some rows of a tile, or those that sow `sown` stones into the other half.
    /// `summaries` are those of the whole tile.
    pub(crate) fn scan_moves(
        &self,
        tile: &Tile,
        rows: u64,
        sown: Option<usize>,
        decided: Decided<'_>,
        summaries: &mut [MoveSummary],
    ) {
        if rows != 0 {
            run(self.portable, ScanMoves { kernel: self, tile, rows, sown, decided, summaries });
        }
    }

    /// Before a tile is scanned.
    pub(crate) fn reset(summaries: &mut [MoveSummary]) {
        summaries.fill(MoveSummary::EMPTY);
    }

    /// Decides positions of some rows of a tile by their moves; with `BOTH`, each for its mover and
    /// for the opponent, independently. Returns how many.
    pub(crate) fn settle<const BOTH: bool>(
        tile: &Tile,
        rows: u64,
        undecided: Undecided<'_>,
        summaries: &[MoveSummary],
        found: &mut NewlyDecided,
    ) -> u64 {
        let mut settled = 0;
        for (at, summaries) in summaries.chunks(CACHE_LINE * TILE).enumerate() {
            for row in Bits(rows) {
                let first = tile.first_word + row * tile.words;
                for (word, summaries) in (at * CACHE_LINE..).zip(summaries.chunks_exact(TILE)) {
                    let MoveSummary { any_lost, all_won } = summaries[row];
                    let pair = undecided.at(first + word);
                    let open = pair[OPEN].load(Relaxed);
                    let at_risk = pair[AT_RISK].load(Relaxed);
                    let won = any_lost & open;
                    if BOTH {
                        let lost = all_won & at_risk;
                        if won | lost != 0 {
                            pair[OPEN].store(open & !won, Relaxed);
                            pair[AT_RISK].store(at_risk & !lost, Relaxed);
                            found.add(row, word, won, lost);
                            settled += u64::from(won.count_ones() + lost.count_ones());
                        }
                        continue;
                    }
                    let lost = all_won & open & at_risk & !won;
                    if won | lost != 0 {
                        pair[OPEN].store(open & !(won | lost), Relaxed);
                        pair[AT_RISK].store(at_risk & !won, Relaxed);
                        found.add(row, word, won, lost);
                        settled += u64::from((won | lost).count_ones());
                    }
                }
            }
        }
        settled
    }
}

struct ScanMoves<'a> {
    kernel: &'a Kernel,
    tile: &'a Tile,
    rows: u64,
    sown: Option<usize>,
    decided: Decided<'a>,
    summaries: &'a mut [MoveSummary],
}

impl Work for ScanMoves<'_> {
    #[inline(always)]
    fn run<C: Compress>(mut self) {
        let mut from = [Source::default(); MAX_GROUP];
        for group in self.kernel.moves.groups_of_tile(self.tile.number) {
            let projection = self.kernel.moves.projection(group.kind);
            if self.sown.is_none_or(|sown| sown == projection.sown) {
                let count = self.gather(group, &projection, &mut from);
                self.combine::<C>(group, &projection, &from[..count]);
            }
        }
    }
}

impl ScanMoves<'_> {
    /// The rows to be scanned that have one of these moves, their successor rows prefetched.
    #[inline(always)]
    fn gather(
        &self,
        group: &MoveGroup,
        projection: &Projection,
        from: &mut [Source; MAX_GROUP],
    ) -> usize {
        let shape = &self.kernel.shape;
        let row_stones = self.tile.row_stones - projection.sown;
        let words = shape.words(row_stones);
        let mut count = 0;
        for edge in self.kernel.moves.edges(group) {
            let row = edge.row as usize % TILE;
            if self.rows >> row & 1 == 0 {
                continue;
            }
            let word = shape.row_word(edge.to as usize, row_stones) - self.decided.base;
            from[count] = Source { row, word };
            count += 1;
            for word in (word..word + words).step_by(CACHE_LINE) {
                prefetch(&self.decided.words[word * 2]);
            }
        }
        count
    }

    /// Scans the successors by these moves.
    #[inline(always)]
    fn combine<C: Compress>(
        &mut self,
        group: &MoveGroup,
        projection: &Projection,
        from: &[Source],
    ) {
        let moves = &self.kernel.moves;
        let stays = moves.stays(group.kind, self.tile.words);
        if projection.sown == 0 {
            for (word, (&stays, summaries)) in
                stays.iter().zip(self.summaries.chunks_exact_mut(TILE)).enumerate()
            {
                for from in from {
                    let [won, lost] = pair(self.decided.words, from.word + word);
                    note(&mut summaries[from.row], won, lost, stays);
                }
            }
            return;
        }
        let (starts, parts) = moves.parts(projection, self.tile.words);
        for ((&stays, ends), summaries) in
            stays.iter().zip(starts.windows(2)).zip(self.summaries.chunks_exact_mut(TILE))
        {
            let parts = &parts[ends[0] as usize..ends[1] as usize];
            let (few, rest) = parts.split_at(parts.len().min(4));
            match *few {
                [a] => combine_parts::<C, 1>([a], rest, self.decided.words, from, stays, summaries),
                [a, b] => {
                    combine_parts::<C, 2>([a, b], rest, self.decided.words, from, stays, summaries);
                }
                [a, b, c] => {
                    combine_parts::<C, 3>(
                        [a, b, c],
                        rest,
                        self.decided.words,
                        from,
                        stays,
                        summaries,
                    );
                }
                [a, b, c, d] => {
                    combine_parts::<C, 4>(
                        [a, b, c, d],
                        rest,
                        self.decided.words,
                        from,
                        stays,
                        summaries,
                    );
                }
                _ => combine_parts::<C, 0>([], rest, self.decided.words, from, stays, summaries),
            }
        }
    }
}

#[inline(always)]
fn combine_parts<C: Compress, const PARTS: usize>(
    parts: [ProjectionPart; PARTS],
    rest: &[ProjectionPart],
    decided: &[AtomicU64],
    from: &[Source],
    stays: u64,
    summaries: &mut [MoveSummary],
) {
    for from in from {
        let (mut won, mut lost) = (0, 0);
        let mut take = |part: &ProjectionPart| {
            let [won_there, lost_there] = pair(decided, from.word + part.word as usize);
            won |= C::compress(won_there, part.mask) << part.shift;
            lost |= C::compress(lost_there, part.mask) << part.shift;
        };
        parts.iter().for_each(&mut take);
        if PARTS == 4 {
            rest.iter().for_each(take);
        }
        note(&mut summaries[from.row], won, lost, stays);
    }
}

#[inline(always)]
fn pair(decided: &[AtomicU64], word: usize) -> [u64; 2] {
    let pair: &[AtomicU64; 2] = decided[word * 2..word * 2 + 2].try_into().expect("two words");
    [pair[0].load(Relaxed), pair[1].load(Relaxed)]
}

#[inline(always)]
fn note(summary: &mut MoveSummary, won: u64, lost: u64, stays: u64) {
    summary.any_lost |= lost & stays;
    summary.all_won &= won | !stays;
}
