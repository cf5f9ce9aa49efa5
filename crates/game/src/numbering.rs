//! How a game's positions fall into slices, and which number each has there.

use std::ops::Range;

use crate::{Metric, ParseError, Recognised, Rules, Score, SliceId};

/// A block of positions on which the first index is row-major and the second column-major.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexMatrix {
    /// The first index of the position in the first row and column.
    pub first: u64,
    /// Its second index.
    pub second: u64,
    /// The number of rows: positions with consecutive second indices.
    pub rows: u64,
    /// The number of columns: positions with consecutive first indices.
    pub columns: u64,
}

/// A part of a slice that statistics show apart, such as the positions in which one of two
/// different sets of pieces has the move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name, such as `2K+1C v 1K+0C`, the mover first.
    pub name: String,
    /// Its indices.
    pub range: Range<u64>,
}

/// Which optional parts of [`Numbering`] a game has; none by default.
///
/// ```
/// use nutcracker_game::Properties;
///
/// let properties = Properties { unmoves: true, holes: true, ..Properties::default() };
/// assert!(!properties.symmetric);
/// ```
#[expect(
    clippy::struct_excessive_bools,
    reason = "five facts that have nothing to do with another"
)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Properties {
    /// [`unmoves`](Numbering::unmoves) is implemented.
    pub unmoves: bool,
    /// [`second_rank`](Numbering::second_rank) differs from [`rank`](Numbering::rank).
    pub second_index: bool,
    /// Mirror images share a number: [`canonical`](Numbering::canonical) is implemented.
    pub symmetric: bool,
    /// Some numbers stand for no position.
    pub holes: bool,
    /// [`parts`](Numbering::parts) are named by the pieces of both sides, the mover's first.
    pub parts_by_material: bool,
}

/// Slices and the numbers of positions in them: what databases need beside the rules.
///
/// A slice is a set of positions that are solved together. Slices form a graph: a move either
/// stays in its slice (*internal*) or leads to one of the slices [`below`](Numbering::below) it.
/// The numbers of slices are a topological order of that graph; their names are for people and
/// files.
///
/// # Required
/// | what | methods |
/// |---|---|
/// | slices | [`largest_slice`](Numbering::largest_slice), [`slice_of`](Numbering::slice_of), [`slice_len`](Numbering::slice_len) |
/// | index | [`rank`](Numbering::rank), [`unrank`](Numbering::unrank), [`index_scheme`](Numbering::index_scheme) |
/// | bounds | [`max_score`](Numbering::max_score), [`max_moves`](Numbering::max_moves) |
///
/// # Optional
/// | what | fallback |
/// |---|---|
/// | [`metrics`](Numbering::metrics) | scores only |
/// | [`metric_name`](Numbering::metric_name) | its name in files |
/// | [`slice_name`](Numbering::slice_name), [`slice_named`](Numbering::slice_named) | the slice's number |
/// | [`below`](Numbering::below) | all slices with smaller numbers |
/// | [`select`](Numbering::select) | a number selects all slices up to it |
/// | [`slice_unit`](Numbering::slice_unit) | `slice` |
/// | [`slice_title`](Numbering::slice_title) | the name says it all |
/// | [`has_database`](Numbering::has_database) | every slice up to the largest has one |
/// | [`beyond`](Numbering::beyond) | messages do not say why there is none |
/// | [`parts`](Numbering::parts) | statistics of the whole slice only |
/// | [`is_acyclic`](Numbering::is_acyclic) | positions of a slice may repeat |
/// | [`unmoves`](Numbering::unmoves) with [`Properties::unmoves`] | solved by forward sweeps until nothing changes: right, and many times slower |
/// | [`canonical`](Numbering::canonical) with [`Properties::symmetric`] | every position has a number of its own |
/// | [`images`](Numbering::images) | every number counts once |
/// | [`recognise`](Numbering::recognise) | there is no recogniser |
/// | [`Properties::holes`] | every number stands for a position |
/// | [`is_hole`](Numbering::is_hole), [`holes`](Numbering::holes) | [`unrank`](Numbering::unrank) |
/// | [`max_internal_moves`](Numbering::max_internal_moves) | [`max_moves`](Numbering::max_moves) |
/// | [`is_indexed`](Numbering::is_indexed) | every position has a number |
/// | [`next_index`](Numbering::next_index) | [`unrank`](Numbering::unrank) |
/// | the second index: [`second_rank`](Numbering::second_rank), [`second_unrank`](Numbering::second_unrank), [`second_next`](Numbering::second_next), [`matrices`](Numbering::matrices), with [`Properties::second_index`] | the first index serves for both |
/// | [`score_window`](Numbering::score_window) | every score matters to every game |
///
/// # Laws
/// Checked by [`law::check`](crate::law::check):
/// - `unrank(rank(p))` is the canonical form of p; without symmetry, that is p itself;
/// - a move leads into the same slice (then it banks nothing, converts nothing and passes the
///   turn) or into one of the slices below it, which have smaller numbers;
/// - a move banks no more than the difference of the two slices' largest scores;
/// - the set of positions that the un-moves of c lead to is exactly the set of positions with an
///   internal move to c; and a solver's view visits a position as often, over all c, as it counts
///   internal successors of it;
/// - views agree with the rules; scores and move counts keep their bounds; what
///   [`format`](Rules::format) writes, [`parse`](Rules::parse) reads.
pub trait Numbering: Rules {
    /// The last slice for which there can be a database. Positions beyond it may belong to slices
    /// with larger numbers.
    fn largest_slice(&self) -> SliceId;
    /// The slice a position belongs to.
    fn slice_of(&self, position: &Self::Position) -> SliceId;
    /// How many numbers a slice has: its positions, and the holes between them.
    fn slice_len(&self, slice: SliceId) -> u64;
    /// The number of a position in its slice; mirror images share it.
    fn rank(&self, position: &Self::Position) -> u64;
    /// The canonical position with this number, which is below
    /// [`slice_len`](Numbering::slice_len); `None` for a hole.
    fn unrank(&self, slice: SliceId, index: u64) -> Option<Self::Position>;
    /// Whether a number stands for no position.
    fn is_hole(&self, slice: SliceId, index: u64) -> bool {
        self.unrank(slice, index).is_none()
    }
    /// Visits the numbers of a range that stand for no position, ascending.
    fn holes(&self, slice: SliceId, range: Range<u64>, visit: &mut dyn FnMut(u64)) {
        range.filter(|&index| self.is_hole(slice, index)).for_each(visit);
    }
    /// Name and version of the numbering; it stands in every file.
    fn index_scheme(&self) -> &'static str;
    /// No score in the slice is larger than this, or smaller than its negation.
    fn max_score(&self, slice: SliceId) -> Score;
    /// No position of the slice has more legal moves than this.
    fn max_moves(&self, slice: SliceId) -> u16;
    /// No position of the slice has more moves that stay in it than this; solvers in memory take a
    /// byte a position for fewer than 128 of them where scores are wins, draws and losses.
    fn max_internal_moves(&self, slice: SliceId) -> u16 {
        self.max_moves(slice)
    }

    /// The metrics of this game's tables; the usual one first.
    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Score]
    }
    /// What people call a metric where they play this game, if not by its name in files; it is read
    /// as that metric.
    fn metric_name(&self, metric: Metric) -> &'static str {
        metric.name()
    }
    /// The metrics that this game has, for people.
    fn metric_names(&self) -> String {
        Metric::names(self.metrics(), |metric| self.metric_name(metric))
    }
    /// Whether what a position is worth depends on the positions before it, because a
    /// [repetition](Rules::repeated) is worth something: tables then hold bounds.
    fn depends_on_history(&self) -> bool {
        self.metrics().contains(&Metric::Forced)
    }
    /// Which of the optional parts the game has.
    fn properties(&self) -> Properties {
        Properties::default()
    }

    /// Whether the slice's positions are numbered in 64 bits, so that it can have a database. Where
    /// it cannot, [`rank`](Numbering::rank), [`unrank`](Numbering::unrank), the second index and
    /// views are never called.
    fn has_database(&self, slice: SliceId) -> bool {
        slice <= self.largest_slice()
    }
    /// Why the slice of a position can have no database, as in `it has six men, and databases have up to
    /// five`; `None` where it can, or where there is nothing to say of the position.
    fn beyond(&self, _position: &Self::Position) -> Option<String> {
        None
    }
    /// Whether any slice has a database.
    fn has_databases(&self) -> bool {
        self.has_database(SliceId(0))
    }

    /// The slice's name for people and files, such as `15`, `krkn` or `w4b3`: small letters,
    /// digits and underscores.
    fn slice_name(&self, slice: SliceId) -> String {
        slice.to_string()
    }
    /// The slice with this name.
    fn slice_named(&self, name: &str) -> Option<SliceId> {
        let slice = name.parse().ok().map(SliceId)?;
        (slice <= self.largest_slice()).then_some(slice)
    }
    /// The slices that moves out of this one may lead to, ascending.
    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        (0..slice.0).map(SliceId).collect()
    }
    /// The slices that a text on the command line selects, such as `15`, `krkn` or `4`; the error
    /// is one sentence. What they need besides is added by [`closure`](crate::closure).
    fn select(&self, text: &str) -> Result<Vec<SliceId>, ParseError> {
        match self.slice_named(text) {
            Some(last) => Ok((0..=last.0).map(SliceId).collect()),
            None => Err(ParseError::new(format!(
                "{} has slices 0 to {}, not {text:?}",
                self.id(),
                self.largest_slice()
            ))),
        }
    }
    /// What a slice's number counts, such as `stones`.
    fn slice_unit(&self) -> &'static str {
        "slice"
    }
    /// The slice in messages: `15 stones`, `1 stone`, or `slice krkn` where the name is not a number
    /// of something.
    fn slice_label(&self, slice: SliceId) -> String {
        let (name, unit) = (self.slice_name(slice), self.slice_unit());
        if unit == "slice" || !name.bytes().all(|byte| byte.is_ascii_digit()) {
            return format!("slice {name}");
        }
        let unit = if name == "1" { unit.strip_suffix('s').unwrap_or(unit) } else { unit };
        format!("{name} {unit}")
    }
    /// The slice in words, where its name is an abbreviation that only players of the game know.
    fn slice_title(&self, _slice: SliceId) -> Option<String> {
        None
    }
    /// The parts of a slice that statistics show apart; together they are the whole slice.
    fn parts(&self, slice: SliceId) -> Vec<Part> {
        vec![Part { name: "all".to_owned(), range: 0..self.slice_len(slice) }]
    }
    /// Whether no position of the slice can repeat before the slice is left, so that one pass
    /// solves it: no move stays inside, or only moves such as a pass that is never followed by
    /// another.
    fn is_acyclic(&self, _slice: SliceId) -> bool {
        false
    }
    /// The largest score of a slice that still matters to the result of a game that began in slice
    /// `start`: beyond it, what was banked on the way has decided the game. Games in which points
    /// are banked have such a bound.
    fn score_window(&self, slice: SliceId, _start: SliceId) -> Score {
        self.max_score(slice)
    }

    /// The position that stands for this one and all its mirror images.
    fn canonical(&self, position: &Self::Position) -> Self::Position {
        *position
    }
    /// How many positions are mirror images of this one, itself included: averages over numbers are
    /// averages over positions where each counts as often.
    fn images(&self, _position: &Self::Position) -> u32 {
        1
    }
    /// What a recogniser says of a position; `None` where the slice has none.
    fn recognise(&self, _position: &Self::Position) -> Option<Recognised> {
        None
    }
    /// Whether a position has a number in its slice. Where an index leaves out positions that no
    /// move leads to, the value of such a position is found through its moves.
    fn is_indexed(&self, _position: &Self::Position) -> bool {
        true
    }
    /// Turns the position with number `index - 1` into the one with number `index`: for sequential
    /// walks, where the next position is cheaper than an arbitrary one. Not called with
    /// [`holes`](Properties::holes).
    fn next_index(&self, slice: SliceId, index: u64, position: &mut Self::Position) {
        if let Some(next) = self.unrank(slice, index) {
            *position = next;
        }
    }
    /// Appends every position from which an internal move leads to this one, which is canonical.
    /// The positions appended need not be canonical, and one may be appended once for each such
    /// move.
    fn unmoves(&self, _position: &Self::Position, _out: &mut Vec<Self::Position>) {}

    /// A second numbering of the same slice: in its order, the successors of neighbours are
    /// neighbours by the first numbering, as far as the game allows. Speed depends on it, never a
    /// result.
    fn second_rank(&self, position: &Self::Position) -> u64 {
        self.rank(position)
    }
    /// The position with this second number; `None` for a hole.
    fn second_unrank(&self, slice: SliceId, index: u64) -> Option<Self::Position> {
        self.unrank(slice, index)
    }
    /// The slice as matrices that the first numbering reads by rows and the second by columns, in
    /// the order of the first; all of the slice is in them.
    fn matrices(&self, slice: SliceId) -> Vec<IndexMatrix> {
        vec![IndexMatrix { first: 0, second: 0, rows: 1, columns: self.slice_len(slice) }]
    }
    /// [`next_index`](Numbering::next_index) for the second numbering.
    fn second_next(&self, slice: SliceId, index: u64, position: &mut Self::Position) {
        if !self.properties().second_index {
            self.next_index(slice, index, position);
        } else if let Some(next) = self.second_unrank(slice, index) {
            *position = next;
        }
    }
}
