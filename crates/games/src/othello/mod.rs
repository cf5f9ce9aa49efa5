//! Othello: place a disc, flip the discs it encloses.
//!
//! The board has an even number of squares a side; Black begins. A disc must be placed where it
//! encloses at least one line of the opponent's discs between itself and another disc of the same
//! side, and all discs so enclosed are flipped. A side that can flip nothing passes; when neither
//! can, the game is over. The score is the difference of the discs, and empty squares count for the
//! winner.
//!
//! A slice is a number of empty squares. A disc leads to the slice with one fewer; only a pass
//! stays, and two passes never follow each other, so that nothing ever repeats. Boards of 4×4 are
//! few enough for databases; from 6×6 on even the smallest slice has 2³⁶ boards.

mod discs;
mod evaluate;
mod index;
mod notation;
mod numbering;
mod weights;

use nutcracker_game::{GameId, ParseError, Rules, Score, Side, Situation, Step};

pub use discs::Discs;
use discs::squares;
use nutcracker_any::{AnyGame, OptionInfo, Options, Registered};

/// Othello on a board of some size.
///
/// ```
/// use nutcracker_game::{Rules, perft::perft};
/// use nutcracker_games::othello::Othello;
///
/// let othello = Othello::new(8)?;
/// let start = othello.start();
/// assert_eq!(othello.format(&start), "8/8/8/3ox3/3xo3/8/8/8 x");
///
/// let mut moves = Vec::new();
/// othello.moves(&start.position, &mut moves);
/// let step = othello.play(&start.position, &moves[0]);
/// assert_eq!(othello.format_move(&start, &moves[0], &step), "d3");
/// assert_eq!(othello.format(&othello.advance(&start, &step)), "8/8/3x4/3xx3/3xo3/8/8/8 o");
/// assert_eq!(perft(&othello, &start.position, 5), 1396);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Othello {
    /// Squares a side.
    size: usize,
    /// The squares of the board.
    area: u64,
    /// Squares of special importance.
    regions: evaluate::Regions,
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// Places a disc on a square: 0 for a1, 1 for b1, 8 for a2.
    Disc(u8),
    /// No disc can be placed.
    Pass,
}

impl Othello {
    /// Othello with this many squares a side: 4, 6 or 8; the error says so.
    pub fn new(size: usize) -> Result<Self, String> {
        if ![4, 6, 8].contains(&size) {
            return Err(format!("othello is played on 4, 6 or 8 squares a side, not {size}"));
        }
        let row = u64::MAX >> (64 - size);
        let area = (0..size).map(|rank| row << (8 * rank)).sum();
        Ok(Othello { size, area, regions: evaluate::Regions::new(size) })
    }

    /// Squares a side.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of empty squares.
    fn empty(&self, discs: Discs) -> u32 {
        (self.size * self.size) as u32 - discs.occupied().count_ones()
    }
}

impl Rules for Othello {
    type Position = Discs;
    type Move = Move;

    fn id(&self) -> GameId {
        GameId::new("othello", format!("size={}", self.size))
    }

    #[inline]
    fn outcome(&self, discs: &Discs) -> Option<Score> {
        if discs.targets(self.area) != 0 || discs.turned().targets(self.area) != 0 {
            return None;
        }
        let difference = discs.own.count_ones() as Score - discs.other.count_ones() as Score;
        Some(difference + difference.signum() * self.empty(*discs) as Score)
    }

    #[inline]
    fn moves(&self, discs: &Discs, out: &mut Vec<Move>) {
        let targets = discs.targets(self.area);
        if targets != 0 {
            out.extend(squares(targets).map(Move::Disc));
        } else if discs.turned().targets(self.area) != 0 {
            out.push(Move::Pass);
        }
    }

    #[inline]
    fn play(&self, discs: &Discs, mv: &Move) -> Step<Discs> {
        Step::quiet(match *mv {
            Move::Disc(square) => discs.put(square),
            Move::Pass => discs.turned(),
        })
    }

    fn steps(&self, discs: &Discs, out: &mut Vec<Step<Discs>>) {
        let targets = discs.targets(self.area);
        if targets != 0 {
            out.extend(squares(targets).map(|square| Step::quiet(discs.put(square))));
        } else if discs.turned().targets(self.area) != 0 {
            out.push(Step::quiet(discs.turned()));
        }
    }

    fn start(&self) -> Situation<Discs> {
        // Black on e4 and d5, White on d4 and e5, or the centre of a smaller board.
        let middle = self.size / 2;
        let upper_left = 9 * (middle - 1);
        let own = 1 << (upper_left + 1) | 1 << (upper_left + 8);
        let other = 1 << upper_left | 1 << (upper_left + 9);
        Situation::new(Discs { own, other }, Side::First)
    }

    fn parse(&self, text: &str) -> Result<Situation<Discs>, ParseError> {
        self.read(text)
    }

    fn format(&self, situation: &Situation<Discs>) -> String {
        self.write(situation)
    }

    fn format_move(&self, _: &Situation<Discs>, mv: &Move, _: &Step<Discs>) -> String {
        Self::move_name(*mv)
    }

    fn draw(&self, situation: &Situation<Discs>) -> String {
        self.picture(situation)
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "black",
            Side::Second => "white",
        }
    }

    fn final_result(&self, situation: &Situation<Discs>, score: Score) -> Option<[f64; 2]> {
        let all = (self.size * self.size) as f64;
        let mover = f64::midpoint(all, f64::from(score));
        Some(match situation.mover {
            Side::First => [mover, all - mover],
            Side::Second => [all - mover, mover],
        })
    }
}

impl Registered for Othello {
    const ABOUT: &'static str = "enclose discs and turn them over";
    const OPTIONS: &'static [OptionInfo] = &[OptionInfo {
        name: "size",
        value: Some("N"),
        about: "squares a side, 4, 6 or 8; databases for 4 only",
        default: "8",
    }];

    fn from_options(options: &Options) -> Result<Self, String> {
        Othello::new(options.number(&Self::OPTIONS[0])?)
    }

    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}
