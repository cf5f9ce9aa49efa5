//! Kalah for the solver `rows`: internal moves stay within the mover's half.

use nutcracker_game::{Leaves, Pits, RowMove, RowMoves, SliceId};

use super::Kalah;

/// One slice.
#[derive(Clone, Debug)]
pub(super) struct KalahRows {
    pits: usize,
    stones: usize,
    empty_capture: bool,
}

impl KalahRows {
    pub(super) fn new(game: &Kalah, slice: SliceId) -> Self {
        let (pits, empty_capture) = (game.pits, game.empty_capture);
        KalahRows { pits, stones: slice.0 as usize, empty_capture }
    }
}

impl RowMoves for KalahRows {
    fn pits(&self) -> usize {
        self.pits
    }

    fn stones(&self) -> usize {
        self.stones
    }

    fn moves(&self, own: &Pits, out: &mut Vec<RowMove>) {
        for pit in 0..self.pits {
            let last = pit + usize::from(own[pit]);
            // A move with a seed to the store leaves the slice.
            if last == pit || last >= self.pits {
                continue;
            }
            let mut after = *own;
            after[pit] = 0;
            for pit in &mut after[pit + 1..=last] {
                *pit += 1;
            }
            // A last seed in an empty pit captures it and the seeds opposite.
            let leaves = (own[last] == 0).then_some(Leaves {
                pit: (self.pits - 1 - last) as u8,
                counts: if self.empty_capture { u128::MAX } else { !1 },
            });
            out.push(RowMove { own: after, added: Pits::default(), leaves });
        }
    }
}
