//! Scores in the files of a slice that was streamed.

use std::ops::Range;

use super::blocks::Blocks;
use crate::solver::rows::kernel::planes::scores;
use crate::solver::rows::layout::Shape;
use crate::store::disk::WorkFileError;

/// The scores of a slice solved by streaming, in files.
#[derive(Debug)]
pub(crate) struct RowFiles {
    pub(super) shape: Shape,
    pub(super) top: u8,
    pub(super) values: Blocks,
}

impl RowFiles {
    /// Writes the scores of consecutive positions.
    pub(crate) fn scores(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        let mut pieces: Vec<(usize, usize, Range<usize>)> = Vec::new();
        self.shape.for_each_word(start, out.len(), |word, first, part| {
            pieces.push((word, first, part));
        });
        let per_word = self.values.per_word;
        let mut done = 0;
        while done < pieces.len() {
            let row_stones = self.shape.stones_of_word(pieces[done].0);
            let block = self.shape.block_words(row_stones);
            let count = pieces[done..].iter().take_while(|(word, ..)| block.contains(word)).count();
            let here = &pieces[done..done + count];
            let words = here[0].0..here[count - 1].0 + 1;
            let mut bytes = vec![0; words.len() * per_word * 8];
            let offset = (words.start - block.start) * per_word * 8;
            self.values.file(row_stones).read(offset as u64, &mut bytes)?;
            for (word, first, part) in here {
                let at = (word - words.start) * per_word * 8;
                let mut bits = bytes[at..at + per_word * 8]
                    .chunks_exact(8)
                    .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
                let unscored = bits.next().unwrap_or(0);
                scores(unscored, bits, *first, self.top, &mut out[part.clone()]);
            }
            done += count;
        }
        Ok(())
    }
}
