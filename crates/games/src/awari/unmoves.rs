//! Moves taken back, by the rules.

use nutcracker_game::Game;

use super::{Awari, Pit, is_prize};
use crate::halves::{Board, stones};

impl Awari {
    /// Appends the boards from which a move without capture leads to `board`.
    ///
    /// Whoever moved last owns `board.other`, emptied one pit of it, and put one stone into each
    /// pit that follows; taking these back one by one finds every such move.
    pub(super) fn unsow(&self, board: &Board, out: &mut Vec<Board>) {
        let pits = self.pits();
        for pit in (0..pits).filter(|&pit| board.other[pit] == 0) {
            let mut before = board.turned();
            let mut at = pit;
            loop {
                at = (at + 1) % (2 * pits);
                if at == pit {
                    continue;
                }
                let half = if at < pits { &mut before.own } else { &mut before.other };
                let sown = &mut half[at % pits];
                if *sown == 0 {
                    break;
                }
                *sown -= 1;
                before.own[pit] += 1;
                // Had the last stone made 2 or 3 on the opponent's side, they would be gone.
                let captures = at >= pits && is_prize(board.own[at - pits]);
                if !captures && self.may_starve(board, &before, pit) {
                    out.push(before);
                }
            }
        }
    }

    /// Whether the move was legal as far as it concerns an opponent left without stones.
    fn may_starve(&self, board: &Board, before: &Board, pit: usize) -> bool {
        if stones(&board.own) > 0 {
            return true;
        }
        let mut moves = Vec::new();
        self.moves(before, &mut moves);
        moves.contains(&Pit(pit as u8))
    }
}
