//! The best conversions of a slice that is streamed, block by block.

use nutcracker_game::SliceView;
use nutcracker_mem::Words;

use super::blocks::Blocks;
use super::shape::Shape;
use super::slices::{put, slice_exits};
use super::streaming::Streaming;
use crate::conversions::SetChildren;
use crate::parallel::for_each_until_stopped;
use crate::progress::Progress;
use crate::solve::SolveError;

/// Words of rows written at a time.
const PIECE: usize = 1 << 16;

impl Streaming<'_> {
    /// The best conversions of a block, as bits.
    pub(super) fn conversions<V: SliceView>(
        &self,
        shape: &Shape,
        held: usize,
        view: &V,
        children: &SetChildren<'_>,
        values: &mut Blocks,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        let (block, words) = (shape.block(held), shape.block_words(held));
        let value_words = Words::zeroed(words.len() * values.per_word)?;
        let parts: Vec<u64> = (0..view.parts())
            .filter(|&part| {
                let range = view.part_range(part);
                range.start < block.end && range.end > block.start
            })
            .collect();
        for_each_until_stopped(parts.len() as u64, 1, self.threads, progress, |range| {
            for &part in &parts[range.start as usize..range.end as usize] {
                view.exits(part, children, |start, run| {
                    let from = block.start.clamp(start, start + run.len() as u64) - start;
                    let to = block.end.clamp(start, start + run.len() as u64) - start;
                    let run = &run[from as usize..to as usize];
                    shape.for_each_word(start + from, run.len(), |word, first, part| {
                        let count = part.len();
                        let bits = slice_exits(&run[part], self.top);
                        let at = (word - words.start) * values.per_word;
                        let places = &value_words.as_slice()[at..at + values.per_word];
                        put(&places[0], u64::MAX >> (64 - count), first, count);
                        for (place, bits) in places[1..].iter().zip(bits) {
                            put(place, bits, first, count);
                        }
                    });
                })?;
            }
            Ok::<(), SolveError>(())
        })?;
        let file = values.begin(shape, held)?;
        let pieces = words.clone().step_by(PIECE).map(|at| at..(at + PIECE).min(words.end));
        for piece in pieces {
            let at = (piece.start - words.start) * values.per_word;
            values.write(&file, words.start, piece, &value_words.as_slice()[at..])?;
        }
        Ok(values.finish(held, file, self.lasting)?)
    }
}
