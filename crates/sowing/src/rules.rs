//! The game by its rules: moves, results, notation.

use nutcracker_boards::halves::{self, Board, Half, stones};
use nutcracker_game::{GameId, Notation, ParseError, Rules, Score, Side, Situation, Step, Turn};

use crate::ruleset::{End, Origin, Repetition};
use crate::{RuleSet, Sowing};

/// The move of a side that has none and passes.
pub(crate) const PASS: u8 = u8::MAX;

impl Sowing {
    fn step(&self, board: &Board, pit: u8) -> Step<Board> {
        if pit == PASS {
            return Step::quiet(board.turned());
        }
        let sown = self.sow(board, usize::from(pit));
        let next = match sown.turn {
            Turn::Passes => Board { own: sown.other, other: sown.own },
            Turn::Stays => Board { own: sown.own, other: sown.other },
        };
        Step::new(next, sown.gain, sown.turn)
    }

    /// Whether other programs for oware can write the game: a move always ends in another pit, and
    /// a side always has one or the game is over.
    fn is_sown_as_oware(&self) -> bool {
        let RuleSet { origin, store, end, .. } = self.rules;
        origin == Origin::Skip && !store && end != End::EmptyBoard
    }

    /// The pits of a set, or a pass where a side without a move passes.
    fn each(&self, board: &Board, legal: u8) -> impl Iterator<Item = u8> + use<> {
        let passes = legal == 0 && self.rules.end == End::EmptyBoard && board.stones() > 0;
        (0..8).filter(move |pit| legal >> pit & 1 == 1).chain(passes.then_some(PASS))
    }
}

impl Rules for Sowing {
    type Position = Board;
    /// The pit that is emptied, counted from 0 in the order of sowing; 255 for a pass.
    type Move = u8;

    fn id(&self) -> GameId {
        let by_rules = || GameId::new("sowing", format!("rules={}", self.rules.canonical()));
        self.id.clone().unwrap_or_else(by_rules)
    }

    fn start_options(&self) -> String {
        format!("seeds={}", self.rules.seeds)
    }

    fn outcome(&self, board: &Board) -> Option<Score> {
        self.over(board, self.legal(board))
    }

    fn moves(&self, board: &Board, out: &mut Vec<u8>) {
        out.extend(self.each(board, self.legal(board)));
    }

    fn play(&self, board: &Board, &pit: &u8) -> Step<Board> {
        self.step(board, pit)
    }

    fn steps(&self, board: &Board, out: &mut Vec<Step<Board>>) {
        out.extend(self.each(board, self.legal(board)).map(|pit| self.step(board, pit)));
    }

    fn expand(&self, board: &Board, out: &mut Vec<Step<Board>>) -> Option<Score> {
        let legal = self.legal(board);
        let over = self.over(board, legal);
        if over.is_none() {
            out.extend(self.each(board, legal).map(|pit| self.step(board, pit)));
        }
        over
    }

    fn repeated(&self, board: &Board) -> Score {
        match self.rules.repetition {
            Repetition::Equal => 0,
            Repetition::OwnRows => stones(&board.own) as Score - stones(&board.other) as Score,
        }
    }

    fn start(&self) -> Situation<Board> {
        let mut half = Half::default();
        half[..self.pits()].fill(self.rules.seeds);
        let position = Board { own: half, other: half };
        Situation { position, mover: Side::First, banked: Some([0, 0]), quiet: 0 }
    }

    fn parse(&self, text: &str) -> Result<Situation<Board>, ParseError> {
        halves::parse(self.pits(), self.halves.rows().max(), "seeds", text)
    }

    fn format(&self, situation: &Situation<Board>) -> String {
        halves::format(self.pits(), situation)
    }

    /// The pit's letter, upper case for South, and its seeds; `x` and the seeds that are banked,
    /// sown or captured, where there are any; `+` where the same side moves again.
    fn format_move(&self, situation: &Situation<Board>, &pit: &u8, step: &Step<Board>) -> String {
        if pit == PASS {
            return "pass".to_owned();
        }
        let first = match situation.mover {
            Side::First => b'A',
            Side::Second => b'a',
        };
        let letter = char::from(first + pit);
        let seeds = situation.position.own[usize::from(pit)];
        let banked = if step.gain > 0 { format!("x{}", step.gain) } else { String::new() };
        let again = if step.turn == Turn::Stays { "+" } else { "" };
        format!("{letter}{seeds}{banked}{again}")
    }

    fn format_in(&self, situation: &Situation<Board>, notation: Notation) -> Option<String> {
        let known = notation == Notation::Own || self.is_sown_as_oware();
        known.then(|| halves::format_in(self.pits(), situation, notation)).flatten()
    }

    fn format_move_in(
        &self,
        situation: &Situation<Board>,
        pit: &u8,
        step: &Step<Board>,
        notation: Notation,
    ) -> Option<String> {
        if notation == Notation::Own {
            return Some(self.format_move(situation, pit, step));
        }
        let known = self.is_sown_as_oware() && *pit != PASS;
        let name = || halves::move_in(self.pits(), situation, usize::from(*pit), notation);
        known.then(name).flatten()
    }

    fn draw(&self, situation: &Situation<Board>) -> String {
        halves::draw(self.pits(), situation)
    }

    fn side_name(&self, side: Side) -> &'static str {
        halves::side_name(side)
    }

    fn final_result(&self, situation: &Situation<Board>, score: Score) -> Option<[f64; 2]> {
        halves::final_result(situation, score)
    }

    fn advance(&self, situation: &Situation<Board>, step: &Step<Board>) -> Situation<Board> {
        let on_board = situation.position.stones() as Score;
        let mover = match step.turn {
            Turn::Passes => situation.mover.other(),
            Turn::Stays => situation.mover,
        };
        // A grand slam that gives the opponent the rest leaves no seed, and what both bank differs
        // by the gain.
        let mine =
            if step.next.stones() == 0 { Score::midpoint(on_board, step.gain) } else { step.gain };
        let theirs = mine - step.gain;
        let banked = situation.banked.map(|[first, second]| match situation.mover {
            Side::First => [first + mine as u16, second + theirs as u16],
            Side::Second => [first + theirs as u16, second + mine as u16],
        });
        Situation { position: step.next, mover, banked, quiet: 0 }
    }
}
