//! Chess: rules and notation.
//!
//! Rules are those of FIDE but for what depends on the moves before: a position that repeats is a
//! draw, as in every game here, and there is no rule of fifty moves.
//!
//! ```
//! use nutcracker_chess::Chess;
//! use nutcracker_game::{Rules, find_move, perft::perft};
//!
//! let start = Chess.start();
//! assert_eq!(perft(&Chess, &start.position, 3), 8_902);
//! assert_eq!(find_move(&Chess, &start, "Nf3"), find_move(&Chess, &start, "g1f3"));
//! ```

mod attacks;
mod board;
mod digits;
mod evaluate;
mod fen;
mod forward;
mod group;
mod holes;
mod index;
mod material;
mod moves;
mod numbering;
mod recogniser;
mod san;
mod unmoves;
mod view;

use nutcracker_any::{AnyGame, GameInfo, OptionInfo, Options, Registered};
use nutcracker_game::{GameId, Notation, ParseError, Rules, Score, Side, Situation, Step};

pub use board::{ChessPosition, Role};
pub use forward::ChessForward;
pub use moves::ChessMove;
pub use view::ChessView;

/// The game; it has no options.
#[derive(Clone, Copy, Debug)]
pub struct Chess;

impl Rules for Chess {
    type Position = ChessPosition;
    type Move = ChessMove;

    fn id(&self) -> GameId {
        GameId::new("chess", "")
    }

    fn outcome(&self, position: &ChessPosition) -> Option<Score> {
        (!position.can_move()).then(|| -Score::from(position.is_check()))
    }

    fn moves(&self, position: &ChessPosition, out: &mut Vec<ChessMove>) {
        position.legal(|found| out.push(found.mv));
    }

    fn play(&self, position: &ChessPosition, mv: &ChessMove) -> Step<ChessPosition> {
        let (next, converts) = position.after(*mv);
        let zeroes = converts || position.is_push(*mv);
        Step { converts, zeroes, ..Step::quiet(next) }
    }

    fn steps(&self, position: &ChessPosition, out: &mut Vec<Step<ChessPosition>>) {
        position.legal(|found| out.push(self.play(position, &found.mv)));
    }

    fn expand(
        &self,
        position: &ChessPosition,
        out: &mut Vec<Step<ChessPosition>>,
    ) -> Option<Score> {
        let before = out.len();
        self.steps(position, out);
        (out.len() == before).then(|| -Score::from(position.is_check()))
    }

    fn end_name(&self, position: &ChessPosition) -> Option<&'static str> {
        self.outcome(position).map(|score| if score < 0 { "checkmate" } else { "stalemate" })
    }

    fn start(&self) -> Situation<ChessPosition> {
        self.parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")
            .expect("the start is written as positions are")
    }

    fn parse(&self, text: &str) -> Result<Situation<ChessPosition>, ParseError> {
        fen::parse(text)
    }

    fn format(&self, situation: &Situation<ChessPosition>) -> String {
        fen::format(situation)
    }

    fn format_move(
        &self,
        situation: &Situation<ChessPosition>,
        mv: &ChessMove,
        _: &Step<ChessPosition>,
    ) -> String {
        san::short(situation, mv)
    }

    fn format_in(
        &self,
        situation: &Situation<ChessPosition>,
        notation: Notation,
    ) -> Option<String> {
        match notation {
            Notation::Own => Some(fen::format(situation)),
            // Programs expect the numbers that count moves.
            Notation::Uci => Some(fen::format_with_clock(situation)),
            _ => None,
        }
    }

    fn format_move_in(
        &self,
        situation: &Situation<ChessPosition>,
        mv: &ChessMove,
        _: &Step<ChessPosition>,
        notation: Notation,
    ) -> Option<String> {
        match notation {
            Notation::Own => Some(san::short(situation, mv)),
            Notation::Uci => Some(san::long(situation, mv)),
            _ => None,
        }
    }

    fn other_name(&self, situation: &Situation<ChessPosition>, mv: &ChessMove) -> Option<String> {
        Some(san::long(situation, mv))
    }

    fn occurrences(&self) -> usize {
        3
    }

    fn is_spelled(&self, at: &Situation<ChessPosition>, mv: &ChessMove, text: &str) -> bool {
        san::is_spelled(at, mv, text)
    }

    fn draw(&self, situation: &Situation<ChessPosition>) -> String {
        fen::draw(situation)
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "White",
            Side::Second => "Black",
        }
    }
}

/// The game for a list of games.
pub static GAME: GameInfo = GameInfo::of::<Chess>("chess");

impl Registered for Chess {
    const ABOUT: &'static str = "chess, with endings of up to five men in databases";
    const OPTIONS: &'static [OptionInfo] = &[];

    fn from_options(_: &Options) -> Result<Self, String> {
        Ok(Chess)
    }

    fn erase(self) -> AnyGame {
        AnyGame::viewed(self)
    }
}
