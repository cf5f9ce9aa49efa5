//! Kalah for the solver `rows`: internal moves stay within the mover's half.

use nutcracker_game::{Leaves, Pits, RowMove, RowMoves, SliceId};

use super::Kalah;

/// One slice.
#[derive(Clone, Debug)]
pub(super) struct KalahRows {
    pits: usize,
    stones: usize,
    empty_capture: bool,
    play_on: bool,
}

impl KalahRows {
    pub(super) fn new(game: &Kalah, slice: SliceId) -> Self {
        let &Kalah { pits, empty_capture, play_on, .. } = game;
        KalahRows { pits, stones: slice.0 as usize, empty_capture, play_on }
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
        let held: usize = own.iter().map(|&pit| usize::from(pit)).sum();
        if held == self.stones && !self.play_on {
            // The opponent has no seed: the game is over.
            return;
        }
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
                slams: None,
            });
            out.push(RowMove { own: after, added: Pits::default(), leaves });
        }
    }
}
