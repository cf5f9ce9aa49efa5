//! The rules of a game and its notation.

use std::fmt;
use std::hash::Hash;

use crate::{Notation, ParseError, Score, Side, Situation};

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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Turn {
    /// The opponent moves next: the next position is seen by the opponent.
    Passes,
    /// The same side moves again: the next position is seen by the same side.
    Stays,
}

/// What a move does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step<P> {
    /// The position after the move, as the side that moves next sees it.
    pub next: P,
    /// What the mover banks with this move.
    pub gain: Score,
    /// The side that moves next.
    pub turn: Turn,
    /// Whether the rules call this move a conversion, such as a capture or a promotion: what
    /// [`Metric::Dtc`](crate::Metric::Dtc) counts moves to. A conversion leaves its slice; a move
    /// that leaves its slice need not be a conversion.
    pub converts: bool,
    /// Whether the move restarts the count of [`Metric::Dtz`](crate::Metric::Dtz): a conversion, or
    /// another move that can never be taken back, such as a pawn's. It may stay in its slice.
    pub zeroes: bool,
}

impl<P> Step<P> {
    /// A move that banks nothing, passes the turn and converts nothing.
    pub fn quiet(next: P) -> Self {
        Step { next, gain: 0, turn: Turn::Passes, converts: false, zeroes: false }
    }

    /// A move that banks `gain`, which makes it a conversion unless it is 0.
    pub fn new(next: P, gain: Score, turn: Turn) -> Self {
        Step { next, gain, turn, converts: gain != 0, zeroes: gain != 0 }
    }

    /// The same move as a conversion.
    #[must_use]
    pub fn converting(self) -> Self {
        Step { converts: true, zeroes: true, ..self }
    }

    /// The same move as one that restarts the count of [`Metric::Dtz`](crate::Metric::Dtz).
    #[must_use]
    pub fn zeroing(self) -> Self {
        Step { zeroes: true, ..self }
    }

    /// The value of this move for the mover when the next position has `score` for its own mover.
    pub fn value(&self, score: Score) -> Score {
        match self.turn {
            Turn::Passes => self.gain - score,
            Turn::Stays => self.gain + score,
        }
    }
}

/// Openings from which matches are played and books are grown, under one name.
#[derive(Clone, Copy, Debug)]
pub struct Deck {
    /// Its name on the command line.
    pub name: &'static str,
    /// The openings: each a line with the names of its moves from the start.
    pub openings: fn() -> Vec<String>,
}

/// The rules of a game and its notation: all that play and search need.
///
/// Positions are always seen by the side to move. A position's score is what its mover will bank
/// from here on minus what the opponent will, with best play of both; a position that repeats ends
/// the game, and is worth [`repeated`](Rules::repeated).
///
/// # Required
/// | what | methods |
/// |---|---|
/// | name | [`id`](Rules::id) |
/// | rules | [`outcome`](Rules::outcome), [`moves`](Rules::moves), [`play`](Rules::play), [`start`](Rules::start) |
/// | notation | [`parse`](Rules::parse), [`format`](Rules::format), [`format_move`](Rules::format_move) |
///
/// # Optional
/// | what | fallback |
/// |---|---|
/// | [`start_options`](Rules::start_options) | the start depends on nothing but the rule options |
/// | [`steps`](Rules::steps) | [`moves`](Rules::moves) and [`play`](Rules::play) |
/// | [`expand`](Rules::expand) | [`outcome`](Rules::outcome), then [`steps`](Rules::steps) |
/// | [`repeated`](Rules::repeated) | a position that repeats is worth 0 |
/// | [`occurrences`](Rules::occurrences) | the second occurrence of a position ends the game |
/// | [`format_in`](Rules::format_in), [`format_move_in`](Rules::format_move_in) | no other program's notation |
/// | [`other_name`](Rules::other_name) | moves are read by the one name that they have |
/// | [`is_spelled`](Rules::is_spelled) | moves are read as they are written |
/// | [`draw`](Rules::draw) | [`format`](Rules::format) |
/// | [`side_name`](Rules::side_name) | `first` and `second` |
/// | [`final_result`](Rules::final_result) | the result of the game is the score |
/// | [`decks`](Rules::decks) | no openings with a name |
/// | [`advance`](Rules::advance) | turn and banked points from the step |
pub trait Rules: Clone + fmt::Debug + Send + Sync + 'static {
    /// A position as the side to move sees it.
    type Position: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// A move.
    type Move: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;

    /// Name and rule options.
    fn id(&self) -> GameId;

    /// If the game is over here, the score of the side to move.
    fn outcome(&self, position: &Self::Position) -> Option<Score>;
    /// Appends the legal moves; none where the game is over.
    fn moves(&self, position: &Self::Position, out: &mut Vec<Self::Move>);
    /// Plays a legal move.
    fn play(&self, position: &Self::Position, mv: &Self::Move) -> Step<Self::Position>;
    /// Where the game starts.
    fn start(&self) -> Situation<Self::Position>;

    /// Reads a position; the error is one sentence that explains what is wrong with the text.
    fn parse(&self, text: &str) -> Result<Situation<Self::Position>, ParseError>;
    /// Writes a position such that [`parse`](Rules::parse) reads it.
    fn format(&self, situation: &Situation<Self::Position>) -> String;
    /// Writes a move of `situation` whose effect is `step`.
    fn format_move(
        &self,
        situation: &Situation<Self::Position>,
        mv: &Self::Move,
        step: &Step<Self::Position>,
    ) -> String;

    /// Writes a position as another program does, such that [`parse`](Rules::parse) reads it; `None`
    /// where that program has no notation for the game.
    fn format_in(
        &self,
        situation: &Situation<Self::Position>,
        notation: Notation,
    ) -> Option<String> {
        (notation == Notation::Own).then(|| self.format(situation))
    }

    /// Writes a move of `situation` whose effect is `step` as another program does; `None` where
    /// that program has no name for it.
    fn format_move_in(
        &self,
        situation: &Situation<Self::Position>,
        mv: &Self::Move,
        step: &Step<Self::Position>,
        notation: Notation,
    ) -> Option<String> {
        (notation == Notation::Own).then(|| self.format_move(situation, mv, step))
    }

    /// A second name by which a move is read, such as `e2e4` for `e4`; it is not shown.
    fn other_name(
        &self,
        _situation: &Situation<Self::Position>,
        _mv: &Self::Move,
    ) -> Option<String> {
        None
    }

    /// Whether a text that is no name of a move as this game writes it may still mean this one, such as
    /// `0-0` for `O-O`. Where it is true of several moves, the text is ambiguous.
    fn is_spelled(
        &self,
        _situation: &Situation<Self::Position>,
        _mv: &Self::Move,
        _text: &str,
    ) -> bool {
        false
    }

    /// What the start depends on beside [`id`](Rules::id), such as `seeds=3`: databases are the
    /// same for all of these, opening books are not.
    fn start_options(&self) -> String {
        String::new()
    }

    /// Appends what every legal move does, in the order of [`moves`](Rules::moves).
    fn steps(&self, position: &Self::Position, out: &mut Vec<Step<Self::Position>>) {
        let mut moves = Vec::new();
        self.moves(position, &mut moves);
        out.extend(moves.iter().map(|mv| self.play(position, mv)));
    }

    /// The score if the game is over here; else appends the [`steps`](Rules::steps). For games in
    /// which only the list of moves shows whether the game is over.
    fn expand(
        &self,
        position: &Self::Position,
        out: &mut Vec<Step<Self::Position>>,
    ) -> Option<Score> {
        let outcome = self.outcome(position);
        if outcome.is_none() {
            self.steps(position, out);
        }
        outcome
    }

    /// The score of the side to move where the position repeats one of the game, which ends it.
    /// Where this is not 0, what a position is worth depends on the positions before it, and
    /// databases hold what can be forced whatever these were: [`Metric::Forced`](crate::Metric).
    fn repeated(&self, _position: &Self::Position) -> Score {
        0
    }

    /// How many times a position has to occur, with the same side to move, for its repetition to end the
    /// game: two or more.
    fn occurrences(&self) -> usize {
        2
    }

    /// What players call the end of the game in a position where it is over, if they have a word for
    /// it: checkmate.
    fn end_name(&self, _position: &Self::Position) -> Option<&'static str> {
        None
    }

    /// The position as a board for a terminal: several lines of plain text, each with its end,
    /// with the names that moves have and the side to move.
    fn draw(&self, situation: &Situation<Self::Position>) -> String {
        self.format(situation) + "\n"
    }

    /// What the two players are called.
    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "first",
            Side::Second => "second",
        }
    }

    /// What the two players end up with, in the order first, second, when the position is worth
    /// `score` to its mover; `None` where the situation does not contain enough.
    fn final_result(
        &self,
        _situation: &Situation<Self::Position>,
        _score: Score,
    ) -> Option<[f64; 2]> {
        None
    }

    /// The decks of openings that the game has.
    fn decks(&self) -> &'static [Deck] {
        &[]
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
        Situation { position: step.next, mover, banked, quiet: 0 }
    }
}
