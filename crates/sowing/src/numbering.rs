//! The index of boards, un-moves, and the views of slices.

use nutcracker_boards::halves::{self, Board, stones};
use nutcracker_game::{
    Evaluate, Game, IndexMatrix, Metric, Numbering, Properties, RowMoves, Rules, Score, SliceId,
    Step, plain_views,
};

use crate::Sowing;
use crate::row_moves::SowingRows;
use crate::rules::PASS;
use crate::ruleset::{End, Repetition};

impl Numbering for Sowing {
    fn properties(&self) -> Properties {
        Properties { unmoves: true, second_index: true, ..Properties::default() }
    }

    fn metrics(&self) -> &'static [Metric] {
        match self.rules.repetition {
            Repetition::Equal => &[Metric::Score],
            Repetition::OwnRows => &[Metric::Forced],
        }
    }

    fn largest_slice(&self) -> SliceId {
        SliceId(self.halves.rows().max() as u32)
    }

    fn slice_of(&self, board: &Board) -> SliceId {
        SliceId(board.stones() as u32)
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        self.halves.len(slice.0 as usize)
    }

    fn rank(&self, board: &Board) -> u64 {
        self.halves.rank(board)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        Some(self.halves.unrank(slice.0 as usize, index))
    }

    fn max_score(&self, slice: SliceId) -> Score {
        slice.0 as Score
    }

    fn max_moves(&self, _: SliceId) -> u16 {
        self.pits() as u16
    }

    fn index_scheme(&self) -> &'static str {
        if self.halves.rows().has_gaps_first() { "reachable-1" } else { "halves-1" }
    }

    fn is_indexed(&self, board: &Board) -> bool {
        self.halves.contains(board)
    }

    fn next_index(&self, _: SliceId, _: u64, board: &mut Board) {
        *board = self.halves.after(*board);
    }

    fn score_window(&self, slice: SliceId, start: SliceId) -> Score {
        halves::score_window(slice, start)
    }

    /// An internal move neither captures nor sows into a store, so that every pattern of sowing can
    /// be taken back; the rules then say whether it was a move, and led here.
    fn unmoves(&self, board: &Board, out: &mut Vec<Board>) {
        let after = board.turned();
        if self.rules.end == End::EmptyBoard && self.halves.contains(&after) {
            let mut moves = Vec::new();
            self.moves(&after, &mut moves);
            if moves == [PASS] {
                out.push(after);
            }
        }
        let (own, other) = (u64::from_le_bytes(after.own), u64::from_le_bytes(after.other));
        for pit in 0..self.pits() {
            let left = after.own[pit];
            for seeds in 1..=after.stones() as u8 {
                let pattern = self.pattern(pit, seeds);
                if pattern.store > 0 || !covers(own, pattern.own) || !covers(other, pattern.other) {
                    break;
                }
                // What the emptied pit holds now was sown into it.
                if pattern.own.to_le_bytes()[pit] != left {
                    continue;
                }
                let mut before = Board {
                    own: (own - pattern.own).to_le_bytes(),
                    other: (other - pattern.other).to_le_bytes(),
                };
                before.own[pit] = seeds;
                if self.leads(&before, pit as u8, board) && self.halves.contains(&before) {
                    out.push(before);
                }
            }
        }
    }

    fn second_rank(&self, board: &Board) -> u64 {
        self.halves.second_rank(board)
    }

    fn second_unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        Some(self.halves.second_unrank(slice.0 as usize, index))
    }

    fn matrices(&self, slice: SliceId) -> Vec<IndexMatrix> {
        self.halves.matrices(slice.0 as usize)
    }

    fn second_next(&self, _: SliceId, _: u64, board: &mut Board) {
        *board = self.halves.second_after(*board);
    }

    fn slice_unit(&self) -> &'static str {
        "seeds"
    }
}

/// Whether every pit of a half holds at least what another has there. No pit holds 128 seeds.
fn covers(half: u64, part: u64) -> bool {
    const TOP: u64 = 0x8080_8080_8080_8080;
    ((half | TOP) - part) & TOP == TOP
}

impl Sowing {
    /// Whether a move of the board before leads to a position, with no seed banked.
    fn leads(&self, before: &Board, pit: u8, board: &Board) -> bool {
        if self.play(before, &pit) != Step::quiet(*board) {
            return false;
        }
        // A move after which the opponent has seeds, and which captures nothing, is always legal.
        let fed = stones(&board.own) > 0
            && (self.rules.end != End::EmptyRow || stones(&before.other) > 0);
        fed || self.legal(before) >> pit & 1 == 1
    }
}

impl Game for Sowing {
    plain_views!(@views);

    const HAS_BOUNDS: bool = true;

    fn row_moves(&self, slice: SliceId) -> Option<Box<dyn RowMoves>> {
        SowingRows::new(self, slice).map(|rows| -> Box<dyn RowMoves> { Box::new(rows) })
    }
}

impl Evaluate for Sowing {}
