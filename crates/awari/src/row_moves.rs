//! Awari for the solver `rows`: the effect of a sowing on all boards with the same mover's half.

use nutcracker_game::{Leaves, Pits, RowMove, RowMoves, Rules, SliceId};

use super::{Awari, Pit};
use nutcracker_boards::halves::{Board, Half, stones};

/// One slice.
#[derive(Clone, Debug)]
pub(super) struct AwariRows {
    game: Awari,
    stones: usize,
}

impl AwariRows {
    pub(super) fn new(game: Awari, slice: SliceId) -> Self {
        AwariRows { game, stones: slice.0 as usize }
    }

    /// Boards on which the opponent has no stones: few, and handled by the rules, because a move
    /// that gives the opponent none is legal only where every move does so.
    fn starving(&self, own: &Pits, out: &mut Vec<RowMove>) {
        let board = Board { own: *own, other: Half::default() };
        let mut moves = Vec::new();
        self.game.moves(&board, &mut moves);
        for Pit(pit) in moves {
            if self.game.play(&board, &Pit(pit)).gain == 0 {
                let sown = self.game.sow(&board, usize::from(pit));
                out.push(RowMove { own: sown.own, added: sown.other, leaves: None });
            }
        }
    }
}

impl RowMoves for AwariRows {
    fn pits(&self) -> usize {
        self.game.pits()
    }

    fn stones(&self) -> usize {
        self.stones
    }

    fn moves(&self, own: &Pits, out: &mut Vec<RowMove>) {
        if stones(own) == self.stones {
            return self.starving(own, out);
        }
        let board = Board { own: *own, other: Half::default() };
        for pit in self.game.sowable(&board) {
            let sown = self.game.sow(&board, pit);
            // A capture needs a count that makes 2 or 3 with what was sown into the last pit.
            let leaves = sown.last.and_then(|last| {
                let counts = 0b1100_u128 >> sown.other[usize::from(last)];
                (counts != 0).then_some(Leaves { pit: last, counts, slams: None })
            });
            out.push(RowMove { own: sown.own, added: sown.other, leaves });
        }
    }
}
