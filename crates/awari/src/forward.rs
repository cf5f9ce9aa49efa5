//! Forward view of awari: moves by tables over half boards.

use nutcracker_game::combi::PitRows;
use nutcracker_game::{
    ForwardView, Line, MoveMatrix, Score, SliceId, Target, Turn, inside_second_of, targets_of,
};

use super::{Awari, Sown, is_prize};
use nutcracker_boards::halves::{Board, Half, MAX_PITS, Pair, PairCursor, PairIndex, stones};

/// The effect of moves on a half. One cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Moved {
    pits: [u8; MAX_PITS],
    stones: u8,
    /// Bit j: a sowing of j stones into this half captures.
    prizes: u8,
    /// The number of non-empty pits.
    moves: u8,
    /// Whether a sowing from this half takes a whole lap: these are few, and played by the rules.
    round: bool,
    /// For each of these pits, the number of stones sown into the other half.
    across: [u8; MAX_PITS],
    /// For each of these pits, the id of the half afterwards.
    left: [u32; MAX_PITS],
    /// The id of the half after j stones have been sown into it, at j - 1.
    received: [u32; MAX_PITS],
}

const _: () = assert!(size_of::<Moved>() == 64);

/// One slice of awari with its tables.
#[derive(Clone, Debug)]
pub struct AwariForward {
    game: Awari,
    slice: SliceId,
    pairs: PairIndex,
    /// For as many halves as the memory allows, those with the fewest stones.
    halves: Vec<Moved>,
}

impl AwariForward {
    /// The bytes of tables for each half.
    pub(super) const EACH: usize = size_of::<Moved>();

    /// The bytes of tables for this many halves.
    pub(super) fn bytes(halves: u64) -> u64 {
        halves * Self::EACH as u64
    }

    pub(super) fn new(game: Awari, slice: SliceId, bytes: u64) -> Self {
        let pairs = PairIndex::new(&game.halves, slice.0 as usize);
        let most = pairs.most_stones(Self::EACH, bytes);
        let mut halves = Vec::with_capacity(pairs.rows().first_id(most + 1) as usize);
        pairs.for_each_half(most, |half| halves.push(moved(&game, pairs.rows(), half)));
        AwariForward { game, slice, pairs, halves }
    }

    /// The effect of moves on the two halves; `None` if the rules must be used: where a sowing
    /// takes a whole lap, the opponent has no stones, or the tables do not cover the halves.
    #[inline]
    fn moved(&self, key: Pair) -> Option<(&Moved, &Moved)> {
        let own = self.halves.get(key.own as usize)?;
        let other = self.halves.get(key.other as usize)?;
        (!own.round && key.other != 0).then_some((own, other))
    }

    /// Visits the internal successors with the stones of their mover's half; false if the rules
    /// must be used.
    #[inline]
    fn inside_pairs(&self, key: Pair, mut visit: impl FnMut(usize, Pair)) -> bool {
        let Some((own, other)) = self.moved(key) else { return false };
        for (&left, &across) in own.left.iter().zip(&own.across).take(usize::from(own.moves)) {
            let across = usize::from(across);
            if other.prizes >> across & 1 == 0 {
                let id = if across == 0 { key.other } else { other.received[across - 1] };
                visit(usize::from(other.stones) + across, Pair { own: id, other: left });
            }
        }
        true
    }

    /// The stones captured from the other half by sowing `sown` stones into it, the last of them
    /// there; `None` if that would be all.
    fn capture(&self, other: &Moved, sown: usize, left: u32, own_left: usize) -> Option<Target> {
        let mut after = Half::default();
        after[..MAX_PITS].copy_from_slice(&other.pits);
        for pit in &mut after[..sown] {
            *pit += 1;
        }
        self.capture_from(after, sown, left, own_left)
    }

    /// The same for the other half after the sowing.
    fn capture_from(&self, after: Half, sown: usize, left: u32, own_left: usize) -> Option<Target> {
        let mut sown = Sown { own: Half::default(), other: after, last: Some(sown as u8 - 1) };
        let gain = Awari::capture(&mut sown);
        let held = stones(&sown.other);
        if held == 0 {
            return None;
        }
        let on_board = self.slice.0 as usize - usize::from(gain);
        let rows = self.pairs.rows();
        let index = self.game.halves.base(on_board, held)
            + self.game.halves.half_rank(&sown.other) * self.game.halves.row(own_left)
            + (u64::from(left) - rows.first_id(own_left));
        let slice = SliceId(on_board as u32);
        let gain = Score::from(gain);
        Some(Target::Outside { slice, index, gain, turn: Turn::Passes, converts: true })
    }
}

fn moved(game: &Awari, rows: &PitRows, half: &Half) -> Moved {
    let pits = rows.pits();
    let held = stones(half);
    let id = |half: &Half| (rows.first_id(stones(half)) + rows.rank(half)) as u32;
    let mut moved = Moved { stones: held as u8, ..Moved::default() };
    moved.pits.copy_from_slice(&half[..MAX_PITS]);
    for pit in (0..pits).filter(|&pit| half[pit] > 0) {
        let sown = game.sow(&Board { own: *half, other: Half::default() }, pit);
        let at = usize::from(moved.moves);
        moved.left[at] = id(&sown.own);
        moved.across[at] = stones(&sown.other) as u8;
        moved.round |= usize::from(half[pit]) > 2 * pits - 1 - pit;
        moved.moves += 1;
    }
    let mut after = *half;
    for pit in 0..pits.min(rows.max() - held) {
        after[pit] += 1;
        moved.received[pit] = id(&after);
        if is_prize(after[pit]) {
            moved.prizes |= 2 << pit;
        }
    }
    moved
}

/// The offsets of a half's moves in the lines of a column.
///
/// Line j of a column holds the successors after sowing j stones into the other half, j from 0 to
/// the number of pits; the last line those of sowings that pass all of the other half and end in
/// the mover's, so that they capture nothing.
struct Places {
    /// The offset of each line when they are concatenated, and the end of the last one.
    starts: Vec<u32>,
}

impl AwariForward {
    /// The stones of the mover's half in a block. The blocks without stones on one side are left
    /// out: they are small, and their rules differ.
    fn stones_in(&self, matrix: u64) -> Option<usize> {
        let own = matrix as usize + 1;
        (own < self.slice.0 as usize).then_some(own)
    }

    /// The stones sown into the other half by moves of a line, and whether they end there.
    fn lines_of(&self, own: usize) -> impl Iterator<Item = (usize, bool)> + use<> {
        let pits = self.game.pits();
        (0..=pits)
            .map(|across| (across, true))
            .chain([(pits, false)])
            .filter(move |&(across, _)| across <= own)
    }

    fn places(&self, own: usize) -> Places {
        let all = self.slice.0 as usize;
        let mut starts = vec![0];
        for (across, _) in self.lines_of(own) {
            let length = self.pairs.row(all - own + across) as u32;
            starts.push(starts[starts.len() - 1] + length);
        }
        Places { starts }
    }
}

impl Places {
    /// The target of sowing one pit; `None` if no line has it.
    fn of(&self, game: &Awari, rows: &PitRows, half: &Half, pit: usize) -> Option<u32> {
        let sown = game.sow(&Board { own: *half, other: Half::default() }, pit);
        let (pits, across) = (game.pits(), stones(&sown.other));
        let line = match sown.last {
            _ if across > pits => return None,
            None if across > 0 => pits + 1,
            _ => across,
        };
        Some(self.starts[line] + rows.rank(&sown.own) as u32)
    }
}

impl ForwardView for AwariForward {
    type Position = Board;
    type Key = Pair;
    type Cursor = PairCursor;

    fn key_at(&self, cursor: &mut PairCursor, index: u64) -> Option<Pair> {
        Some(self.pairs.key_at(cursor, index))
    }

    fn second_key_at(&self, cursor: &mut PairCursor, second: u64) -> Option<Pair> {
        Some(self.pairs.second_key_at(cursor, second))
    }

    #[inline]
    fn locate(&self, position: &Board) -> (u64, Pair) {
        let pair = self.pairs.key_of(&self.game.halves, position);
        (self.pairs.index(stones(&position.own), pair), pair)
    }

    fn position(&self, key: Pair) -> Board {
        let half = |id: u32| match self.halves.get(id as usize) {
            Some(moved) => {
                let mut half = Half::default();
                half[..MAX_PITS].copy_from_slice(&moved.pits);
                half
            }
            None => self.pairs.half(id),
        };
        Board { own: half(key.own), other: half(key.other) }
    }

    #[inline]
    fn index(&self, key: Pair) -> u64 {
        let own = match self.halves.get(key.own as usize) {
            Some(moved) => usize::from(moved.stones),
            None => self.pairs.stones(key.own),
        };
        self.pairs.index(own, key)
    }

    #[inline]
    fn outcome(&self, key: Pair) -> Option<Score> {
        // The id of the empty half is 0.
        (key.own == 0).then(|| -(self.slice.0 as Score))
    }

    #[inline]
    fn targets(&self, key: Pair, mut visit: impl FnMut(Target)) {
        let Some((own, other)) = self.moved(key) else {
            return targets_of(&self.game, &self.position(key), visit);
        };
        let mut legal = false;
        for (&left, &across) in own.left.iter().zip(&own.across).take(usize::from(own.moves)) {
            let across = usize::from(across);
            let received = usize::from(other.stones) + across;
            if other.prizes >> across & 1 == 0 {
                let id = if across == 0 { key.other } else { other.received[across - 1] };
                let next = Pair { own: id, other: left };
                visit(Target::Inside(self.pairs.index(received, next)));
                legal = true;
            } else {
                let own_left = self.slice.0 as usize - received;
                if let Some(target) = self.capture(other, across, left, own_left) {
                    visit(target);
                    legal = true;
                }
            }
        }
        if !legal {
            targets_of(&self.game, &self.position(key), visit);
        }
    }

    #[inline]
    fn inside(&self, key: Pair, mut visit: impl FnMut(u64)) {
        if !self.inside_pairs(key, |received, next| visit(self.pairs.index(received, next))) {
            targets_of(&self.game, &self.position(key), |target| {
                if let Target::Inside(index) = target {
                    visit(index);
                }
            });
        }
    }

    #[inline]
    fn inside_second(&self, key: Pair, mut visit: impl FnMut(u64)) {
        let all = self.slice.0 as usize;
        if !self.inside_pairs(key, |received, next| {
            visit(self.pairs.second_index(all - received, next));
        }) {
            inside_second_of(&self.game, &self.position(key), visit);
        }
    }
    fn matrix(&self, matrix: u64) -> Option<MoveMatrix> {
        let own = self.stones_in(matrix)?;
        let (rows, pits) = (self.pairs.rows(), self.game.pits());
        let places = self.places(own);
        let mut matrix = MoveMatrix {
            first: self.pairs.base(own),
            rows: rows.count(own),
            columns: self.pairs.row(own),
            lengths: places.starts.windows(2).map(|ends| ends[1] - ends[0]).collect(),
            width: pits,
            places: Vec::with_capacity(rows.count(own) as usize * pits),
            irregular: Vec::new(),
        };
        let no_move = matrix.no_move();
        let mut half = Half::default();
        rows.unrank(own, 0, &mut half);
        for row in 0..matrix.rows {
            let mut regular = true;
            for pit in 0..pits {
                let place = if half[pit] == 0 {
                    Some(no_move)
                } else {
                    places.of(&self.game, rows, &half, pit)
                };
                regular &= place.is_some();
                matrix.places.push(place.unwrap_or(no_move));
            }
            if !regular {
                matrix.irregular.push(row);
            }
            rows.advance(&mut half);
        }
        Some(matrix)
    }

    fn lines(&self, matrix: u64, column: u64, mut visit: impl FnMut(Line)) {
        let Some(own) = self.stones_in(matrix) else { return };
        let (rows, held) = (self.pairs.rows(), self.slice.0 as usize - own);
        let mut half = Half::default();
        rows.unrank(held, column, &mut half);
        for (across, ends_here) in self.lines_of(own) {
            let mut after = half;
            for pit in &mut after[..across] {
                *pit += 1;
            }
            let (left, received) = (own - across, held + across);
            let first_left = rows.first_id(left) as u32;
            let captures = across > 0 && ends_here && is_prize(after[across - 1]);
            visit(if captures {
                match self.capture_from(after, across, first_left, left) {
                    Some(Target::Outside { slice, index, gain, turn, converts }) => {
                        Line::Outside { slice, start: index, gain, turn, converts }
                    }
                    _ => Line::Illegal,
                }
            } else {
                let own = (rows.first_id(received) + rows.rank(&after)) as u32;
                let next = Pair { own, other: first_left };
                Line::Inside(self.pairs.index(received, next))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use nutcracker_game::{Game, Numbering};

    use super::*;

    /// The successors of a move, sorted.
    fn sorted(mut targets: Vec<Target>) -> Vec<Target> {
        targets.sort_by_key(|target| format!("{target:?}"));
        targets
    }

    /// The moves of a regular row in a column, by the matrix; `None` where all are illegal.
    fn by_matrix(matrix: &MoveMatrix, lines: &[Line], row: u64) -> Option<Vec<Target>> {
        let mut targets = Vec::new();
        for &place in &matrix.places[row as usize * matrix.width..][..matrix.width] {
            let mut within = u64::from(place);
            for (&line, &length) in lines.iter().zip(&matrix.lengths) {
                match line {
                    _ if within >= length.into() => within -= u64::from(length),
                    Line::Illegal => break,
                    Line::Inside(start) => {
                        targets.push(Target::Inside(start + within));
                        break;
                    }
                    Line::Outside { slice, start, gain, turn, converts } => {
                        let index = start + within;
                        targets.push(Target::Outside { slice, index, gain, turn, converts });
                        break;
                    }
                }
            }
        }
        (!targets.is_empty()).then(|| sorted(targets))
    }

    /// Compares every `step`-th position of a slice with the rules; returns how many are covered by
    /// a matrix.
    fn compare(game: &Awari, slice: SliceId, step: usize) -> u64 {
        let view = game.forward(slice);
        let mut compared = 0;
        let mut end = 0;
        for number in 0.. {
            let Some(matrix) = view.matrix(number) else { break };
            assert!(matrix.first >= end, "blocks are in order");
            end = matrix.first + matrix.rows * matrix.columns;
            for at in (0..matrix.rows * matrix.columns).step_by(step) {
                let (row, column) = (at / matrix.columns, at % matrix.columns);
                if matrix.irregular.binary_search(&row).is_ok() {
                    continue;
                }
                let mut lines = Vec::new();
                view.lines(number, column, |line| lines.push(line));
                assert_eq!(lines.len(), matrix.lengths.len());
                if let Some(found) = by_matrix(&matrix, &lines, row) {
                    let position = game.unrank(slice, matrix.first + at).unwrap();
                    let mut expected = Vec::new();
                    targets_of(game, &position, |target| expected.push(target));
                    assert_eq!(found, sorted(expected), "{position:?}");
                    compared += 1;
                }
            }
        }
        assert!(end <= game.slice_len(slice));
        compared
    }

    #[test]
    fn matrices_agree_with_the_rules() {
        for pits in [2, 3, 6] {
            for game in [Awari::new(pits).unwrap(), Awari::reachable(pits).unwrap()] {
                for stones in 0..6 {
                    compare(&game, SliceId(stones), 1);
                }
            }
        }
        assert!(compare(&Awari::new(6).unwrap(), SliceId(16), 4999) > 2400);
        assert!(compare(&Awari::reachable(6).unwrap(), SliceId(16), 4999) > 2000);
        // Many stones in few pits take more than one lap.
        assert!(compare(&Awari::new(2).unwrap(), SliceId(16), 1) > 0);
    }
}
