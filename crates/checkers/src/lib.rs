//! English checkers (draughts): rules, notation, index, evaluation.
//!
//! Twelve men a side on the dark squares of an 8×8 board; Black begins. A man moves one square
//! diagonally forward, a king in any diagonal direction. A piece captures by jumping over an
//! opponent's piece to the empty square behind it, and goes on as long as it can. Capturing is
//! compulsory; which way is free. A man that reaches the last rank becomes a king, and its move ends
//! there. Whoever cannot move has lost; a repetition is a draw.
//!
//! # Notation
//! Positions are written as PDN writes them: `B:W21,K30:B1,K5` is Black's turn, with a white man on
//! 21, a white king on 30, a black man on 1 and a black king on 5. Squares are numbered 1 to 32 from
//! Black's home rank on. Moves are `11-15` and `22x15`; a capture of several pieces names its first
//! and last squares, and all of them where that is not enough.

mod ballots;
mod board;
mod evaluate;
mod index;
mod led;
mod material;
mod notation;
mod numbering;
mod view;

use nutcracker_any::{GameInfo, OptionInfo, Options, Registered};
use nutcracker_game::{Deck, GameId, ParseError, Rules, Score, Side, Situation, Step};

pub use board::{CheckersMove, CheckersPosition};
pub use view::CheckersView;

use board::Effect;

/// The game.
#[derive(Clone, Copy, Debug)]
pub struct Checkers {
    /// Whether slices are divided by the ranks of the foremost men, beside the pieces.
    leading_ranks: bool,
}

impl Checkers {
    /// With slices by pieces alone.
    pub const BY_PIECES: Checkers = Checkers { leading_ranks: false };
    /// With slices by pieces and the ranks of the foremost men.
    pub const BY_LEADING_RANKS: Checkers = Checkers { leading_ranks: true };
}

/// The result of a move.
fn step_of(position: &CheckersPosition, effect: Effect) -> Step<CheckersPosition> {
    let step = Step::quiet(position.after(effect));
    if position.converts(effect) { step.converting() } else { step }
}

impl Rules for Checkers {
    type Position = CheckersPosition;
    type Move = CheckersMove;

    fn id(&self) -> GameId {
        GameId::new("checkers", if self.leading_ranks { "leading-ranks" } else { "" })
    }

    fn outcome(&self, position: &CheckersPosition) -> Option<Score> {
        (!position.can_move()).then_some(-1)
    }

    fn moves(&self, position: &CheckersPosition, out: &mut Vec<CheckersMove>) {
        position.each_move(|mv, _| out.push(mv));
    }

    fn play(&self, position: &CheckersPosition, mv: &CheckersMove) -> Step<CheckersPosition> {
        step_of(position, mv.effect())
    }

    fn start(&self) -> Situation<CheckersPosition> {
        let start = CheckersPosition { men: 0xFFF, other_men: 0xFFF << 20, ..Default::default() };
        Situation::new(start, Side::First)
    }

    fn steps(&self, position: &CheckersPosition, out: &mut Vec<Step<CheckersPosition>>) {
        position.each_move(|_, effect| out.push(step_of(position, effect)));
    }

    fn expand(
        &self,
        position: &CheckersPosition,
        out: &mut Vec<Step<CheckersPosition>>,
    ) -> Option<Score> {
        let before = out.len();
        self.steps(position, out);
        (out.len() == before).then_some(-1)
    }

    fn parse(&self, text: &str) -> Result<Situation<CheckersPosition>, ParseError> {
        notation::parse(text)
    }

    fn format(&self, situation: &Situation<CheckersPosition>) -> String {
        notation::format(situation)
    }

    fn format_move(
        &self,
        situation: &Situation<CheckersPosition>,
        mv: &CheckersMove,
        _: &Step<CheckersPosition>,
    ) -> String {
        notation::format_move(situation, mv)
    }

    fn other_name(
        &self,
        situation: &Situation<CheckersPosition>,
        mv: &CheckersMove,
    ) -> Option<String> {
        (mv.jumps > 1).then(|| notation::path(situation, mv))
    }

    fn draw(&self, situation: &Situation<CheckersPosition>) -> String {
        notation::draw(situation)
    }

    fn decks(&self) -> &'static [Deck] {
        &[Deck { name: "ballots", openings: ballots::deck }]
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "Black",
            Side::Second => "White",
        }
    }
}

/// The game for a list of games.
pub static GAME: GameInfo = GameInfo::of::<Checkers>("checkers");

impl Registered for Checkers {
    const ABOUT: &'static str = "English checkers (draughts) on 8x8 squares";
    const OPTIONS: &'static [OptionInfo] = &[OptionInfo {
        name: "leading-ranks",
        value: None,
        about: "slices by the ranks of the foremost men, too",
        default: "no",
    }];

    fn from_options(options: &Options) -> Result<Self, String> {
        Ok(Checkers { leading_ranks: options.flag(&Self::OPTIONS[0]) })
    }

    fn erase(self) -> nutcracker_any::AnyGame {
        nutcracker_any::AnyGame::viewed(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKERS: Checkers = Checkers::BY_PIECES;

    fn perft(position: &CheckersPosition, depth: u32) -> u64 {
        let mut steps = Vec::new();
        CHECKERS.steps(position, &mut steps);
        if depth == 1 {
            return steps.len() as u64;
        }
        steps.iter().map(|step| perft(&step.next, depth - 1)).sum()
    }

    /// Published: A. Bik.
    #[test]
    fn positions_after_some_plies() {
        let start = CHECKERS.start().position;
        for (depth, count) in (1..).zip([7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931]) {
            assert_eq!(perft(&start, depth), count, "{depth} plies");
        }
    }

    #[test]
    fn a_man_that_is_crowned_stops() {
        // From 22 over 26 to 31; a king could go on over 27.
        let situation = CHECKERS.parse("B:W26,27:B22").unwrap();
        let mut moves = Vec::new();
        CHECKERS.moves(&situation.position, &mut moves);
        let [mv] = moves[..] else { panic!("{moves:?}") };
        let step = CHECKERS.play(&situation.position, &mv);
        assert_eq!(CHECKERS.format_move(&situation, &mv, &step), "22x31");
        assert!(step.converts);
        assert_eq!(CHECKERS.format(&CHECKERS.advance(&situation, &step)), "W:W27:BK31");
    }

    #[test]
    fn ways_around_a_square_are_one_move() {
        let situation = CHECKERS.parse("B:W10,11,18,19:BK7").unwrap();
        let mut moves = Vec::new();
        CHECKERS.moves(&situation.position, &mut moves);
        let names: Vec<String> = moves
            .iter()
            .map(|mv| {
                let step = CHECKERS.play(&situation.position, mv);
                CHECKERS.format_move(&situation, mv, &step)
            })
            .collect();
        // Round to the left or to the right: the same pieces, and back on 7.
        assert_eq!(names, ["7x7"]);
    }
}
