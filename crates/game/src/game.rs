//! The trait every game implements.

use std::fmt;
use std::hash::Hash;

use crate::{ForwardView, ParseError, Score, Side, Situation, SliceId, SliceView, Sowing};

/// Which game with which rule options: what a database file must agree on with its reader.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GameId {
    /// The game's name on the command line.
    pub name: &'static str,
    /// Its rule options in one canonical form, such as `pits=6`; empty where there are none.
    pub options: String,
}

impl GameId {
    /// Puts name and options together.
    pub fn new(name: &'static str, options: impl Into<String>) -> Self {
        GameId { name, options: options.into() }
    }

    /// The name of the folder with this game's databases.
    pub fn folder(&self) -> String {
        let mut folder = self.name.to_owned();
        if !self.options.is_empty() {
            folder.push('-');
            folder.extend(self.options.chars().filter_map(|c| match c {
                '=' => None,
                c if c.is_ascii_alphanumeric() => Some(c),
                _ => Some('-'),
            }));
        }
        folder
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.options.is_empty() {
            f.write_str(self.name)
        } else {
            write!(f, "{} ({})", self.name, self.options)
        }
    }
}

/// Whose turn it is after a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// The opponent moves next: the next position is seen by the opponent.
    Passes,
    /// The same side moves again: the next position is seen by the same side.
    Stays,
}

/// What a move does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step<P> {
    /// The position after the move, as whoever moves next sees it.
    pub next: P,
    /// What the mover banks with this move.
    pub gain: Score,
    /// Who moves next.
    pub turn: Turn,
}

impl<P> Step<P> {
    /// A move that banks nothing and passes the turn.
    pub fn quiet(next: P) -> Self {
        Step { next, gain: 0, turn: Turn::Passes }
    }

    /// The value of this move for the mover when the next position has `score` for its own mover.
    pub fn value(&self, score: Score) -> Score {
        match self.turn {
            Turn::Passes => self.gain - score,
            Turn::Stays => self.gain + score,
        }
    }
}

/// A part of a slice in which the two numberings are a matrix, read by rows and by columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// The number of the position in the first row and column.
    pub first: u64,
    /// Its second number.
    pub second: u64,
    /// How many rows: positions one after another by the second number.
    pub rows: u64,
    /// How many columns: positions one after another by the first number.
    pub columns: u64,
}

/// The rules of a game, and how its positions are numbered.
///
/// Positions are always seen by the side to move. A position's score is what its mover will bank
/// from here on minus what the other will, with best play of both; positions that repeat are
/// worth 0 from there.
///
/// # Required
/// Rules: [`outcome`](Game::outcome), [`moves`](Game::moves), [`play`](Game::play).
/// Slices: [`largest_slice`](Game::largest_slice), [`slice_of`](Game::slice_of),
/// [`slice_len`](Game::slice_len), [`rank`](Game::rank), [`unrank`](Game::unrank),
/// [`max_score`](Game::max_score), [`max_moves`](Game::max_moves). Notation:
/// [`start`](Game::start), [`parse`](Game::parse), [`format`](Game::format),
/// [`format_move`](Game::format_move).
///
/// # Optional, with their fallbacks
/// | what | fallback |
/// |---|---|
/// | [`unmoves`](Game::unmoves) with [`UNMOVES`](Game::UNMOVES) | solved by forward sweeps until nothing changes: right, and many times slower |
/// | the second index: [`second_rank`](Game::second_rank), [`second_unrank`](Game::second_unrank), [`second_next`](Game::second_next), [`exchanges`](Game::exchanges), with [`SECOND_INDEX`](Game::SECOND_INDEX) | the first index serves for both |
/// | [`next_index`](Game::next_index) | [`unrank`](Game::unrank) |
/// | [`is_indexed`](Game::is_indexed) | every position has a number |
/// | [`start_options`](Game::start_options) | the start depends on nothing else |
/// | [`steps`](Game::steps) | [`moves`](Game::moves) and [`play`](Game::play) |
/// | [`sowing`](Game::sowing) | the solver by rows is not for this game |
/// | [`has_databases`](Game::has_databases) | the game has them |
/// | [`draw`](Game::draw) | [`format`](Game::format) |
/// | a [`View`](Game::View) or [`Forward`](Game::Forward) of its own | [`PlainView`](crate::PlainView), by way of the methods here |
///
/// # Laws
/// Checked by [`law::check`](crate::law::check):
/// - rank and unrank are inverse bijections between a slice and `0..slice_len`;
/// - a move leads into the same slice (then it banks nothing and passes the turn: *internal*) or
///   into one with a smaller number (*conversion*);
/// - un-moves are exactly the inverse of internal moves;
/// - the view agrees with the rules; scores and move counts keep their bounds; what
///   [`format`](Game::format) writes, [`parse`](Game::parse) reads.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// A position as the side to move sees it.
    type Position: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// A move.
    type Move: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// How solvers walk through a slice; [`PlainView`](crate::PlainView) unless the game knows a
    /// faster way.
    type View: SliceView;
    /// How the check walks through a slice; [`PlainView`](crate::PlainView) likewise.
    type Forward: ForwardView<Self::Position>;

    /// Whether [`unmoves`](Game::unmoves) is implemented.
    const UNMOVES: bool = false;
    /// Whether [`second_rank`](Game::second_rank) differs from [`rank`](Game::rank).
    const SECOND_INDEX: bool = false;

    /// Name and options.
    fn id(&self) -> GameId;

    /// What the start depends on beside [`id`](Game::id), such as `seeds=3`: databases are the
    /// same for all of these, opening books are not.
    fn start_options(&self) -> String {
        String::new()
    }

    /// If the game is over here, the score of the side to move.
    fn outcome(&self, position: &Self::Position) -> Option<Score>;
    /// Appends the legal moves; none where the game is over.
    fn moves(&self, position: &Self::Position, out: &mut Vec<Self::Move>);
    /// Plays a legal move.
    fn play(&self, position: &Self::Position, mv: &Self::Move) -> Step<Self::Position>;

    /// Appends what every legal move does, in the order of [`moves`](Game::moves).
    fn steps(&self, position: &Self::Position, out: &mut Vec<Step<Self::Position>>) {
        let mut moves = Vec::new();
        self.moves(position, &mut moves);
        out.extend(moves.iter().map(|mv| self.play(position, mv)));
    }

    /// Whether the positions of every slice can be numbered in 64 bits, so that there can be
    /// databases. Where they cannot, nobody asks for [`rank`](Game::rank),
    /// [`unrank`](Game::unrank), the second index or a view, and
    /// [`slice_len`](Game::slice_len) says `u64::MAX` where it is more.
    fn has_databases(&self) -> bool {
        true
    }
    /// The last slice the rules allow.
    fn largest_slice(&self) -> SliceId;
    /// The slice a position belongs to.
    fn slice_of(&self, position: &Self::Position) -> SliceId;
    /// The number of positions in a slice.
    fn slice_len(&self, slice: SliceId) -> u64;
    /// The number of a position in its slice.
    fn rank(&self, position: &Self::Position) -> u64;
    /// The position of a slice with the given number, which is below [`slice_len`](Game::slice_len).
    fn unrank(&self, slice: SliceId, index: u64) -> Self::Position;
    /// No score in the slice is larger than this, or smaller than its negation.
    fn max_score(&self, slice: SliceId) -> Score;
    /// No position has more legal moves than this.
    fn max_moves(&self) -> u8;
    /// Name and version of the numbering; it stands in every file.
    fn index_scheme(&self) -> &'static str;
    /// The solver's view of a slice.
    fn view(&self, slice: SliceId) -> Self::View;
    /// The check's view of a slice.
    fn forward(&self, slice: SliceId) -> Self::Forward;

    /// Turns the position with number `index - 1` into the one with number `index`: for walks in
    /// sequence, where the next position costs less than any position.
    fn next_index(&self, slice: SliceId, index: u64, position: &mut Self::Position) {
        *position = self.unrank(slice, index);
    }
    /// Whether a position has a number in its slice. Where an index leaves out positions that no
    /// move leads to, the value of such a position is found among those its moves lead to.
    fn is_indexed(&self, _position: &Self::Position) -> bool {
        true
    }
    /// Bytes that [`view`](Game::view) keeps in memory.
    fn view_bytes(&self, _slice: SliceId) -> u64 {
        0
    }
    /// The share of the slice's positions, 0 to 1, that tables of so many bytes, those of both
    /// views together, serve.
    fn tables_serve(&self, _slice: SliceId, _bytes: u64) -> f64 {
        1.0
    }
    /// The solver's view, with tables of no more than so many bytes: what they leave out goes by
    /// the rules, which is slower and otherwise the same.
    fn view_within(&self, slice: SliceId, _bytes: u64) -> Self::View {
        self.view(slice)
    }
    /// The check's view, with tables of no more than so many bytes.
    fn forward_within(&self, slice: SliceId, _bytes: u64) -> Self::Forward {
        self.forward(slice)
    }
    /// Bytes that [`forward`](Game::forward) keeps in memory.
    fn forward_bytes(&self, _slice: SliceId) -> u64 {
        0
    }
    /// Appends every position of the same slice from which an internal move leads here.
    fn unmoves(&self, _position: &Self::Position, _out: &mut Vec<Self::Position>) {}
    /// A second numbering of the same slice: in its order, the successors of neighbours are
    /// neighbours by the first numbering, as far as the game allows. Speed depends on it, never a
    /// result.
    fn second_rank(&self, position: &Self::Position) -> u64 {
        self.rank(position)
    }
    /// The position with this second number.
    fn second_unrank(&self, slice: SliceId, index: u64) -> Self::Position {
        self.unrank(slice, index)
    }
    /// The slice as matrices that the first numbering reads by rows and the second by columns, in
    /// the order of the first; all of the slice is in them.
    fn exchanges(&self, slice: SliceId) -> Vec<Exchange> {
        vec![Exchange { first: 0, second: 0, rows: 1, columns: self.slice_len(slice) }]
    }
    /// [`next_index`](Game::next_index) for the second numbering.
    fn second_next(&self, slice: SliceId, index: u64, position: &mut Self::Position) {
        if Self::SECOND_INDEX {
            *position = self.second_unrank(slice, index);
        } else {
            self.next_index(slice, index, position);
        }
    }

    /// The slice as a game of sowing, where the game is one: two halves, and moves that map rows of
    /// boards to rows. The solver by rows is only for games that answer.
    fn sowing(&self, _slice: SliceId) -> Option<Box<dyn Sowing>> {
        None
    }

    /// Where the game starts.
    fn start(&self) -> Situation<Self::Position>;
    /// Reads a position; the error is one sentence that says what is wrong with the text.
    fn parse(&self, text: &str) -> Result<Situation<Self::Position>, ParseError>;
    /// Writes a position such that [`parse`](Game::parse) reads it.
    fn format(&self, situation: &Situation<Self::Position>) -> String;
    /// Writes a move of `situation` whose effect is `step`.
    fn format_move(
        &self,
        situation: &Situation<Self::Position>,
        mv: &Self::Move,
        step: &Step<Self::Position>,
    ) -> String;

    /// The position as a board for a terminal: several lines of plain text, each with its end,
    /// with the names that moves have and the side to move.
    fn draw(&self, situation: &Situation<Self::Position>) -> String {
        self.format(situation) + "\n"
    }

    /// What a slice's number counts, such as `stones`.
    fn slice_unit(&self) -> &'static str {
        "slice"
    }
    /// What the two players are called.
    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "first",
            Side::Second => "second",
        }
    }
    /// What the two players end up with, in the order first, second, when the position is worth
    /// `score` to its mover; `None` where the situation does not say enough.
    fn final_result(
        &self,
        _situation: &Situation<Self::Position>,
        _score: Score,
    ) -> Option<[f64; 2]> {
        None
    }
    /// The situation after a move.
    fn advance(
        &self,
        situation: &Situation<Self::Position>,
        step: &Step<Self::Position>,
    ) -> Situation<Self::Position> {
        let banked = situation.banked.map(|mut banked| {
            banked[usize::from(situation.mover == Side::Second)] += step.gain.max(0) as u16;
            banked
        });
        let mover = match step.turn {
            Turn::Passes => situation.mover.other(),
            Turn::Stays => situation.mover,
        };
        Situation { position: step.next, mover, banked }
    }
}
