//! The index of kalah's boards.

use nutcracker_game::{
    Game, IndexMatrix, Numbering, Properties, RowMoves, Score, SliceId, plain_views,
};

use super::{Kalah, row_moves};
use nutcracker_boards::halves::{self, Board};

impl Numbering for Kalah {
    fn properties(&self) -> Properties {
        Properties { unmoves: true, second_index: true, ..Properties::default() }
    }

    fn largest_slice(&self) -> SliceId {
        SliceId((2 * self.pits * self.seeds) as u32)
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
        self.pits as u16
    }

    fn index_scheme(&self) -> &'static str {
        "halves-1"
    }

    fn next_index(&self, _: SliceId, _: u64, board: &mut Board) {
        *board = self.halves.after(*board);
    }

    fn score_window(&self, slice: SliceId, start: SliceId) -> Score {
        halves::score_window(slice, start)
    }

    fn unmoves(&self, board: &Board, out: &mut Vec<Board>) {
        self.unsow(board, out);
    }

    fn second_rank(&self, board: &Board) -> u64 {
        self.halves.second_rank(board)
    }

    fn second_unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        Some(self.halves.unrank(slice.0 as usize, index).turned())
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

impl Game for Kalah {
    plain_views!(@views);

    fn row_moves(&self, slice: SliceId) -> Option<Box<dyn RowMoves>> {
        Some(Box::new(row_moves::KalahRows::new(self, slice)))
    }
}
