//! Un-moves by the rules.

use nutcracker_game::Rules;

use super::{Awari, Pit, is_prize};
use nutcracker_boards::halves::{Board, stones};

impl Awari {
    /// Visits the boards from which a move without capture leads to `board`.
    ///
    /// The side that moved last owns `board.other`, emptied one pit of it, and sowed one stone into
    /// each pit that follows; undoing these sowings one by one finds every such move.
    pub(super) fn unsow(&self, board: &Board, mut visit: impl FnMut(Board)) {
        let pits = self.pits();
        let starved = stones(&board.own) == 0;
        let (moved, received) = (u64::from_le_bytes(board.other), u64::from_le_bytes(board.own));
        for pit in (0..pits).filter(|&pit| board.other[pit] == 0) {
            let (mut own, mut other) = (moved, received);
            let mut hand = 0u64;
            let mut at = pit;
            loop {
                at = if at + 1 == 2 * pits { 0 } else { at + 1 };
                if at == pit {
                    continue;
                }
                let (half, lane) =
                    if at < pits { (&mut own, 8 * at) } else { (&mut other, 8 * (at - pits)) };
                if (*half >> lane) as u8 == 0 {
                    break;
                }
                *half -= 1 << lane;
                hand += 1;
                // Had the last stone made 2 or 3 on the opponent's side, they would have been
                // captured.
                if at >= pits && is_prize(board.own[at - pits]) {
                    continue;
                }
                let own = (own | hand << (8 * pit)).to_le_bytes();
                let before = Board { own, other: other.to_le_bytes() };
                if !starved || self.may_starve(&before, pit) {
                    visit(before);
                }
            }
        }
    }

    /// Whether a move that leaves the opponent without stones is legal.
    fn may_starve(&self, before: &Board, pit: usize) -> bool {
        let mut moves = Vec::new();
        self.moves(before, &mut moves);
        moves.contains(&Pit(pit as u8))
    }
}
