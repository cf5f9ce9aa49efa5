//! Morris (mill, merels) with three to twelve men a side: rules, notation, index, evaluation.
//!
//! White and Black place their stones on the points in turn, then move them along the lines; a side
//! with three stones left may move them anywhere, which is called flying. Three own stones in a line
//! are a mill. Whoever closes one takes a stone of the opponent, from a mill only if all are in
//! mills. A side that has fewer than three men, or cannot move, has lost; a repetition is a draw.
//!
//! Nine men play on three rings, four to six on two, three on nine points with diagonals, and twelve
//! on three rings with diagonals.
//!
//! # Notation
//! `W:Wd2,d3:Ba4:H7,8` is White's turn, with white stones on d2 and d3, a black one on a4, and seven
//! and eight stones in hand. Moves are `d6` (placed), `d6-d7` and `d6-d7xa1` (moved, and a1 taken).

mod board;
mod classes;
mod evaluate;
mod index;
mod notation;
mod numbering;
mod places;
mod position;
mod row;
mod sets;
mod slices;
mod view;

use std::sync::Arc;

use nutcracker_any::{GameInfo, OptionInfo, Options, Registered};
use nutcracker_game::{GameId, ParseError, Rules, Score, Side, Situation, Step};

pub use position::{MorrisMove, MorrisPosition};
pub use view::MorrisView;

use board::Board;
use slices::{FEWEST, Slices};

/// The numbers of men that are played with.
const MEN: [u8; 6] = [3, 4, 5, 6, 9, 12];

/// The game.
#[derive(Clone, Debug)]
pub struct Morris {
    /// Men a side.
    men: u8,
    flying: bool,
    board: &'static Board,
    slices: Arc<Slices>,
}

impl Morris {
    /// The game with this many men a side.
    pub fn new(men: u8, flying: bool) -> Result<Self, String> {
        if !MEN.contains(&men) {
            return Err(format!("--men takes 3, 4, 5, 6, 9 or 12, not {men}"));
        }
        let slices = Arc::new(Slices::new(men));
        Ok(Morris { men, flying, board: Board::of_men(men), slices })
    }

    fn step(position: &MorrisPosition, mv: MorrisMove) -> Step<MorrisPosition> {
        let step = Step::quiet(position.after(mv));
        if mv.take.is_some() { step.converting() } else { step }
    }
}

impl Rules for Morris {
    type Position = MorrisPosition;
    type Move = MorrisMove;

    fn id(&self) -> GameId {
        let no_flying = if self.flying { "no" } else { "yes" };
        GameId::new("morris", format!("men={},no-flying={no_flying}", self.men))
    }

    fn outcome(&self, position: &MorrisPosition) -> Option<Score> {
        if position.men() < FEWEST {
            return Some(-1);
        }
        if self.can_move(position) {
            return None;
        }
        // Twelve men a side may fill the board.
        Some(if self.empty(position) == 0 { 0 } else { -1 })
    }

    fn moves(&self, position: &MorrisPosition, out: &mut Vec<MorrisMove>) {
        if position.men() >= FEWEST {
            self.each_move(position, |mv| out.push(mv));
        }
    }

    fn play(&self, position: &MorrisPosition, mv: &MorrisMove) -> Step<MorrisPosition> {
        Self::step(position, *mv)
    }

    fn start(&self) -> Situation<MorrisPosition> {
        let start = MorrisPosition { hand: self.men, other_hand: self.men, ..Default::default() };
        Situation::new(start, Side::First)
    }

    fn steps(&self, position: &MorrisPosition, out: &mut Vec<Step<MorrisPosition>>) {
        if position.men() >= FEWEST {
            self.each_move(position, |mv| out.push(Self::step(position, mv)));
        }
    }

    fn parse(&self, text: &str) -> Result<Situation<MorrisPosition>, ParseError> {
        notation::parse(self, text)
    }

    fn format(&self, situation: &Situation<MorrisPosition>) -> String {
        notation::format(self, situation)
    }

    fn format_move(
        &self,
        _: &Situation<MorrisPosition>,
        mv: &MorrisMove,
        _: &Step<MorrisPosition>,
    ) -> String {
        notation::format_move(self, mv)
    }

    fn draw(&self, situation: &Situation<MorrisPosition>) -> String {
        notation::draw(self, situation)
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "White",
            Side::Second => "Black",
        }
    }
}

/// The game for a list of games.
pub static GAME: GameInfo = GameInfo::of::<Morris>("morris");

impl Registered for Morris {
    const ABOUT: &'static str = "nine men's morris, and morris with 3, 4, 5, 6 or 12 men";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo { name: "men", value: Some("N"), about: "men a side", default: "9" },
        OptionInfo {
            name: "no-flying",
            value: None,
            about: "three stones move like others",
            default: "no",
        },
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let [men, no_flying] = Self::OPTIONS else { unreachable!("morris has two options") };
        let number = u8::try_from(options.number(men)?).unwrap_or(u8::MAX);
        Morris::new(number, !options.flag(no_flying))
    }

    fn erase(self) -> nutcracker_any::AnyGame {
        nutcracker_any::AnyGame::viewed(self)
    }
}
