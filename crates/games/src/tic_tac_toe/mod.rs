//! Tic-tac-toe: three in a row on nine squares.
//!
//! x and o place a stone on an empty square in turn; x begins. Three own stones in a row, column or
//! diagonal win; a full board without them is a draw.
//!
//! A slice is a number of empty squares. The eight rotations and reflections of a position share a
//! number, which leaves 765 positions of 5,478.

mod numbering;

use nutcracker_game::{Evaluate, GameId, ParseError, Rules, Score, Side, Situation, Step};

use nutcracker_any::{AnyGame, OptionInfo, Options, Registered};
use nutcracker_boards::grid::{self, Grid, Stones};

const GRID: Grid = Grid::new(3, 3, 3);

/// Tic-tac-toe.
///
/// ```
/// use nutcracker_game::Rules;
/// use nutcracker_games::tic_tac_toe::TicTacToe;
///
/// let start = TicTacToe.parse("x../.o./... x")?;
/// let mut moves = Vec::new();
/// TicTacToe.moves(&start.position, &mut moves);
/// let step = TicTacToe.play(&start.position, moves.last().unwrap());
/// assert_eq!(TicTacToe.format(&TicTacToe.advance(&start, &step)), "x.x/.o./... o");
/// # Ok::<(), nutcracker_game::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TicTacToe;

impl Rules for TicTacToe {
    type Position = Stones;
    /// The square as a bit.
    type Move = u64;

    fn id(&self) -> GameId {
        GameId::new("tic-tac-toe", "")
    }

    fn outcome(&self, stones: &Stones) -> Option<Score> {
        GRID.outcome(*stones)
    }

    fn moves(&self, stones: &Stones, out: &mut Vec<u64>) {
        if !GRID.has_line(stones.other) {
            out.extend(grid::squares(GRID.area() & !stones.occupied()));
        }
    }

    fn play(&self, stones: &Stones, &square: &u64) -> Step<Stones> {
        Step::quiet(stones.put(square))
    }

    fn start(&self) -> Situation<Stones> {
        Situation::new(Stones::default(), Side::First)
    }

    fn parse(&self, text: &str) -> Result<Situation<Stones>, ParseError> {
        let situation = GRID.parse(text)?;
        if !GRID.arises(situation.position, |occupied| occupied) {
            return Err(ParseError::new("no game leads here: the first line ends it"));
        }
        Ok(situation)
    }

    fn format(&self, situation: &Situation<Stones>) -> String {
        GRID.format(situation.position)
    }

    /// The column's letter and the row's number, counted from the top.
    fn format_move(&self, _: &Situation<Stones>, &square: &u64, _: &Step<Stones>) -> String {
        let (column, row) = GRID.place(square);
        format!("{}{}", char::from(b'a' + column as u8), GRID.rows() - row)
    }

    fn draw(&self, situation: &Situation<Stones>) -> String {
        GRID.draw(situation.position, |row| (GRID.rows() - row).to_string())
    }

    fn side_name(&self, side: Side) -> &'static str {
        grid::name(side)
    }
}

/// Positions are looked up, not guessed.
impl Evaluate for TicTacToe {}

impl Registered for TicTacToe {
    const ABOUT: &'static str = "three in a row on nine squares";
    const OPTIONS: &'static [OptionInfo] = &[];

    fn from_options(_: &Options) -> Result<Self, String> {
        Ok(TicTacToe)
    }

    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}
