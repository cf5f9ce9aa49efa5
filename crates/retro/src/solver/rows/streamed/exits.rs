//! The best exits of a slice that is streamed, block by block.

use nutcracker_game::{Children, Metric, SliceView};
use nutcracker_mem::Words;
use nutcracker_table::TableError;

use super::Streaming;
use super::blocks::Blocks;
use crate::error::SolveError;
use crate::exits::compute_exits;
use crate::progress::Meter;
use crate::solver::rows::kernel::planes::{exit_planes, put};
use crate::solver::rows::layout::Shape;

/// Words of rows written at a time.
const PIECE: usize = 1 << 16;

impl Streaming<'_> {
    /// The best exits of a block, as bit planes.
    pub(super) fn exits_of_block<V: SliceView, C: Children<Error = TableError> + Sync>(
        &self,
        shape: &Shape,
        row_stones: usize,
        view: &V,
        children: &C,
        values: &mut Blocks,
        meter: &Meter<'_>,
    ) -> Result<(), SolveError> {
        let (block, words) = (shape.block(row_stones), shape.block_words(row_stones));
        let per_word = values.per_word;
        let value_words = Words::zeroed(words.len() * per_word)?;
        let parts: Vec<u64> = (0..view.parts())
            .filter(|&part| {
                let range = view.part_range(part);
                range.start < block.end && range.end > block.start
            })
            .collect();
        compute_exits(view, Metric::Score, children, &parts, self.threads, meter, |start, run| {
            let end = start + run.len() as u64;
            let (from, to) = (block.start.clamp(start, end), block.end.clamp(start, end));
            let run = &run[(from - start) as usize..(to - start) as usize];
            shape.for_each_word(from, run.len(), |word, first, part| {
                let count = part.len();
                let bits = exit_planes(&run[part], self.top);
                let at = (word - words.start) * per_word;
                let places = &value_words.as_slice()[at..at + per_word];
                put(&places[0], u64::MAX >> (64 - count), first, count);
                for (place, bits) in places[1..].iter().zip(bits) {
                    put(place, bits, first, count);
                }
            });
            Ok::<u64, SolveError>(run.len() as u64)
        })?;
        let file = values.begin(shape, row_stones)?;
        let pieces = words.clone().step_by(PIECE).map(|at| at..(at + PIECE).min(words.end));
        for piece in pieces {
            let at = (piece.start - words.start) * per_word;
            values.write(&file, words.start, piece, &value_words.as_slice()[at..])?;
        }
        Ok(values.finish(row_stones, file, self.resumable)?)
    }
}
