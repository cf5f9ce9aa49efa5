//! Sowing and its inverse.

use std::cmp::Ordering;

use nutcracker_game::{Score, Step, Turn};

use super::Kalah;
use nutcracker_boards::halves::{Board, stones};

impl Kalah {
    /// The result of sowing the mover's pit.
    pub(super) fn sow(&self, mut board: Board, pit: usize) -> Step<Board> {
        let pits = self.pits;
        let seeds = std::mem::take(&mut board.own[pit]);
        let mut store: Score = 0;
        // The order of sowing: the mover's pits 0..pits, the mover's store, the opponent's pits.
        let mut at = pit;
        for _ in 0..seeds {
            at = if at == 2 * pits { 0 } else { at + 1 };
            match at.cmp(&pits) {
                Ordering::Less => board.own[at] += 1,
                Ordering::Equal => store += 1,
                Ordering::Greater => board.other[at - pits - 1] += 1,
            }
        }
        if at == pits {
            return Step::new(board, store, Turn::Stays);
        }
        if at < pits && board.own[at] == 1 {
            let opposite = &mut board.other[pits - 1 - at];
            if *opposite > 0 || self.empty_capture {
                board.own[at] = 0;
                store += 1 + Score::from(std::mem::take(opposite));
            }
        }
        Step::new(board.turned(), store, Turn::Passes)
    }

    /// Appends every board from which a move without a seed to a store leads here.
    ///
    /// Such a move ends in one of the mover's own pits before the store; the mover's half is now
    /// `other`. The pit it started from is empty, every pit it passed has received a seed. It left
    /// the opponent's half, now `own`, as it was: empty only where the game then went on.
    pub(super) fn unsow(&self, board: &Board, out: &mut Vec<Board>) {
        if stones(&board.own) == 0 && !self.play_on {
            return;
        }
        let pits = self.pits;
        for origin in (0..pits).filter(|&pit| board.other[pit] == 0) {
            let mut before = board.turned();
            for last in origin + 1..pits {
                if before.own[last] == 0 {
                    break;
                }
                before.own[last] -= 1;
                before.own[origin] += 1;
                let captures = before.own[last] == 0
                    && (before.other[pits - 1 - last] > 0 || self.empty_capture);
                if !captures {
                    out.push(before);
                }
            }
        }
    }
}
