//! The index of awari's boards, and the views of its slices.

use nutcracker_game::{Game, IndexMatrix, Numbering, Properties, RowMoves, Score, SliceId};

use super::{Awari, AwariForward, AwariView, row_moves};
use nutcracker_boards::halves::{self, Board, PairIndex};

impl Numbering for Awari {
    fn properties(&self) -> Properties {
        Properties { unmoves: true, second_index: true, ..Properties::default() }
    }

    fn largest_slice(&self) -> SliceId {
        SliceId(self.halves.rows().max() as u32)
    }

    fn slice_of(&self, position: &Board) -> SliceId {
        SliceId(position.stones() as u32)
    }

    fn slice_len(&self, slice: SliceId) -> u64 {
        self.halves.len(slice.0 as usize)
    }

    fn rank(&self, position: &Board) -> u64 {
        self.halves.rank(position)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        Some(self.halves.unrank(slice.0 as usize, index))
    }

    fn next_index(&self, _: SliceId, _: u64, position: &mut Board) {
        *position = self.halves.after(*position);
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

    fn is_indexed(&self, position: &Board) -> bool {
        self.halves.contains(position)
    }

    /// A capture takes at least two stones.
    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        (0..slice.0.saturating_sub(1)).map(SliceId).collect()
    }

    fn score_window(&self, slice: SliceId, start: SliceId) -> Score {
        halves::score_window(slice, start)
    }

    fn unmoves(&self, position: &Board, out: &mut Vec<Board>) {
        self.unsow(position, |board| {
            if self.halves.contains(&board) {
                out.push(board);
            }
        });
    }

    fn second_rank(&self, position: &Board) -> u64 {
        self.halves.second_rank(position)
    }

    fn second_unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        Some(self.halves.second_unrank(slice.0 as usize, index))
    }

    fn matrices(&self, slice: SliceId) -> Vec<IndexMatrix> {
        self.halves.matrices(slice.0 as usize)
    }

    fn second_next(&self, _: SliceId, _: u64, position: &mut Board) {
        *position = self.halves.second_after(*position);
    }

    fn slice_unit(&self) -> &'static str {
        "stones"
    }
}

impl Game for Awari {
    type View = AwariView;
    type Forward = AwariForward;

    fn covered_by_tables(&self, slice: SliceId, bytes: u64) -> f64 {
        let pairs = PairIndex::new(&self.halves, slice.0 as usize);
        let most = pairs.most_stones(AwariView::EACH + AwariForward::EACH, bytes);
        let own = (slice.0 as usize).saturating_sub(most)..most + 1;
        let served = pairs.base(own.end.max(own.start)) - pairs.base(own.start);
        served as f64 / pairs.len() as f64
    }

    fn view_within(&self, slice: SliceId, bytes: u64) -> AwariView {
        AwariView::new(self.clone(), slice, bytes)
    }

    fn forward_within(&self, slice: SliceId, bytes: u64) -> AwariForward {
        AwariForward::new(self.clone(), slice, bytes)
    }

    fn view_bytes(&self, slice: SliceId) -> u64 {
        AwariView::bytes(self.halves.rows().first_id(slice.0 as usize + 1))
    }

    fn forward_bytes(&self, slice: SliceId) -> u64 {
        AwariForward::bytes(self.halves.rows().first_id(slice.0 as usize + 1))
    }

    fn row_moves(&self, slice: SliceId) -> Option<Box<dyn RowMoves>> {
        // Without boards that no move leads to, rows have gaps.
        (!self.halves.rows().has_gaps_first()).then(|| -> Box<dyn RowMoves> {
            Box::new(row_moves::AwariRows::new(self.clone(), slice))
        })
    }
}
