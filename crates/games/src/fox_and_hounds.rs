//! Fox and hounds: one fox against a pack of hounds on the dark squares of a chess board.
//!
//! The fox steps to any diagonal neighbour, a hound only to the two below it. The side that cannot
//! move has lost: the fox when it is trapped, the hounds when the fox has slipped past them.
//!
//! This file is the worked example of docs/games.md, which has all of it: change both.

use std::fmt::Write;
use std::sync::Arc;

use nutcracker_any::{AnyGame, OptionInfo, Options, Registered};
use nutcracker_game::{
    Evaluate, GameId, Metric, Numbering, ParseError, Part, Properties, Rules, Score, Side,
    Situation, SliceId, Step, plain_views,
};

/// Fox and hounds; there are half as many hounds as rows.
#[derive(Clone, Debug)]
pub struct FoxAndHounds {
    /// Rows and columns of the board.
    size: i8,
    /// For each number of steps that the hounds have left: where they can stand, ascending.
    packs: Arc<Vec<Vec<u32>>>,
}

/// Where everyone stands. Dark squares are numbered row by row from a1, which is 0; c1 is 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hunt {
    /// The fox's square.
    pub fox: u8,
    /// The hounds' squares, as the bits that are set.
    pub hounds: u32,
    /// Whether the fox is to move, and not the hounds.
    pub fox_moves: bool,
}

impl FoxAndHounds {
    /// The game on a board of 4, 6 or 8 squares a side; the error is one sentence.
    pub fn new(size: usize) -> Result<Self, String> {
        if ![4, 6, 8].contains(&size) {
            return Err(format!("fox-and-hounds has 4, 6 or 8 squares a side, not {size}"));
        }
        let mut game = FoxAndHounds { size: size as i8, packs: Arc::default() };
        // From the last row, all steps of every pack, until no pack can go on.
        let (half, last_row) = (size / 2, (size - 1) * size / 2);
        let mut packs = vec![vec![((1 << half) - 1) << last_row]];
        loop {
            let run = |&pack| game.runs(pack).map(move |step| moved(pack, step));
            let mut next: Vec<u32> = packs[packs.len() - 1].iter().flat_map(run).collect();
            if next.is_empty() {
                break;
            }
            next.sort_unstable();
            next.dedup();
            packs.push(next);
        }
        packs.reverse();
        game.packs = Arc::new(packs);
        Ok(game)
    }

    /// The steps of the hounds, from a square to another, as if there were no fox.
    fn runs(&self, hounds: u32) -> impl Iterator<Item = (u8, u8)> {
        let steps = |from| self.beside(from, -1).map(move |to| (from, to));
        squares(hounds).flat_map(steps).filter(move |&(_, to)| hounds >> to & 1 == 0)
    }

    /// The free squares around the fox: where it can go, and where it can have come from.
    fn around_fox(&self, hunt: &Hunt) -> impl Iterator<Item = u8> {
        let hounds = hunt.hounds;
        let around = self.beside(hunt.fox, 1).chain(self.beside(hunt.fox, -1));
        around.filter(move |square| hounds >> square & 1 == 0)
    }

    /// The diagonal neighbours of a square in the row above (1) or below (-1).
    fn beside(&self, square: u8, rows: i8) -> impl Iterator<Item = u8> {
        let (size, (row, column)) = (self.size, self.place(square));
        let to = [(row + rows, column - 1), (row + rows, column + 1)].into_iter();
        to.filter(move |(row, column)| (0..size).contains(row) && (0..size).contains(column))
            .map(move |(row, column)| (row * (size / 2) + column / 2) as u8)
    }

    /// Row and column of a square, from 0.
    fn place(&self, square: u8) -> (i8, i8) {
        let (square, half) = (square as i8, self.size / 2);
        let row = square / half;
        (row, 2 * (square % half) + row % 2)
    }

    /// The name of a square, as on a chess board.
    fn name(&self, square: u8) -> String {
        let (row, column) = self.place(square);
        format!("{}{}", char::from(b'a' + column as u8), row + 1)
    }

    fn square_named(&self, name: &str) -> Option<u8> {
        (0..self.squares()).find(|&square| self.name(square) == name)
    }

    /// The number of dark squares.
    fn squares(&self) -> u8 {
        (self.size * self.size / 2) as u8
    }

    /// The steps that the hounds have left.
    fn steps_left(&self, hounds: u32) -> usize {
        squares(hounds).map(|square| self.place(square).0 as usize).sum()
    }
}

/// The squares of a set, ascending.
fn squares(set: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |square| set >> square & 1 == 1)
}

/// The hounds after a step of one of them.
fn moved(hounds: u32, (from, to): (u8, u8)) -> u32 {
    hounds ^ (1 << from) ^ (1 << to)
}

impl Rules for FoxAndHounds {
    type Position = Hunt;
    /// The squares that a piece steps from and to.
    type Move = (u8, u8);

    fn id(&self) -> GameId {
        GameId::new("fox-and-hounds", format!("size={}", self.size))
    }

    fn start(&self) -> Situation<Hunt> {
        let hounds = self.packs[self.packs.len() - 1][0];
        Situation::new(Hunt { fox: self.size as u8 / 4, hounds, fox_moves: true }, Side::First)
    }

    fn outcome(&self, hunt: &Hunt) -> Option<Score> {
        let mut moves = Vec::new();
        self.moves(hunt, &mut moves);
        moves.is_empty().then_some(-1)
    }

    fn moves(&self, hunt: &Hunt, out: &mut Vec<(u8, u8)>) {
        if hunt.fox_moves {
            out.extend(self.around_fox(hunt).map(|to| (hunt.fox, to)));
        } else {
            out.extend(self.runs(hunt.hounds).filter(|&(_, to)| to != hunt.fox));
        }
    }

    fn play(&self, hunt: &Hunt, mv: &(u8, u8)) -> Step<Hunt> {
        Step::quiet(if hunt.fox_moves {
            Hunt { fox: mv.1, fox_moves: false, ..*hunt }
        } else {
            Hunt { hounds: moved(hunt.hounds, *mv), fox_moves: true, ..*hunt }
        })
    }

    fn parse(&self, text: &str) -> Result<Situation<Hunt>, ParseError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[fox, hounds, mover] = words.as_slice() else {
            return Err(ParseError::new("a position is the fox, the hounds and who is to move"));
        };
        let square = |name: &str| {
            self.square_named(name)
                .ok_or_else(|| ParseError::new(format!("{name:?} is not a dark square")))
        };
        let fox = square(fox)?;
        let hounds = hounds.split(',').try_fold(0, |set, name| Ok(set | 1 << square(name)?))?;
        let packs = &self.packs[self.steps_left(hounds).min(self.packs.len() - 1)];
        if packs.binary_search(&hounds).is_err() || hounds >> fox & 1 == 1 {
            return Err(ParseError::new("no game leads here: count the pieces and their steps"));
        }
        let mover = match mover {
            "fox" => Side::First,
            "pack" => Side::Second,
            other => return Err(ParseError::new(format!("fox or pack moves, not {other:?}"))),
        };
        Ok(Situation::new(Hunt { fox, hounds, fox_moves: mover == Side::First }, mover))
    }

    fn format(&self, situation: &Situation<Hunt>) -> String {
        let Hunt { fox, hounds, fox_moves } = situation.position;
        let hounds: Vec<String> = squares(hounds).map(|square| self.name(square)).collect();
        let mover = if fox_moves { "fox" } else { "pack" };
        format!("{} {} {mover}", self.name(fox), hounds.join(","))
    }

    fn format_move(&self, _: &Situation<Hunt>, &(from, to): &(u8, u8), _: &Step<Hunt>) -> String {
        format!("{}-{}", self.name(from), self.name(to))
    }

    fn draw(&self, situation: &Situation<Hunt>) -> String {
        let Hunt { fox, hounds, fox_moves } = situation.position;
        let mut text = String::new();
        for row in (0..self.size).rev() {
            let contents = (0..self.size).map(|column| {
                let square = (row * (self.size / 2) + column / 2) as u8;
                match square {
                    _ if (row + column) % 2 == 1 => "  ",
                    _ if square == fox => " F",
                    _ if hounds >> square & 1 == 1 => " h",
                    _ => " .",
                }
            });
            let contents: String = contents.collect();
            let _ = writeln!(text, "{}{}", row + 1, contents.trim_end());
        }
        let letters = &" a b c d e f g h"[..2 * self.size as usize];
        let mover = if fox_moves { "Fox" } else { "Pack" };
        format!("{text} {letters}\n{mover} to move\n")
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "fox",
            Side::Second => "pack",
        }
    }
}

impl Numbering for FoxAndHounds {
    fn largest_slice(&self) -> SliceId {
        SliceId(self.packs.len() as u32 - 1)
    }

    fn slice_of(&self, hunt: &Hunt) -> SliceId {
        SliceId(self.steps_left(hunt.hounds) as u32)
    }

    fn slice_unit(&self) -> &'static str {
        "steps"
    }

    /// A hound's step leads to the next smaller slice.
    fn below(&self, slice: SliceId) -> Vec<SliceId> {
        slice.0.checked_sub(1).map(SliceId).into_iter().collect()
    }

    /// First who is to move, then where the hounds are, then where the fox is.
    fn slice_len(&self, slice: SliceId) -> u64 {
        2 * self.packs[slice.0 as usize].len() as u64 * u64::from(self.squares())
    }

    fn rank(&self, hunt: &Hunt) -> u64 {
        let packs = &self.packs[self.steps_left(hunt.hounds)];
        let pack = packs.binary_search(&hunt.hounds).expect("hounds come from the start");
        let first = if hunt.fox_moves { 0 } else { packs.len() };
        (first + pack) as u64 * u64::from(self.squares()) + u64::from(hunt.fox)
    }

    fn unrank(&self, slice: SliceId, index: u64) -> Option<Hunt> {
        let packs = &self.packs[slice.0 as usize];
        let pack = (index / u64::from(self.squares())) as usize;
        let fox = (index % u64::from(self.squares())) as u8;
        let hounds = packs[pack % packs.len()];
        let hunt = Hunt { fox, hounds, fox_moves: pack < packs.len() };
        (hounds >> fox & 1 == 0).then_some(hunt)
    }

    fn index_scheme(&self) -> &'static str {
        "mover-pack-fox-1"
    }

    fn parts(&self, slice: SliceId) -> Vec<Part> {
        let len = self.slice_len(slice);
        vec![
            Part { name: "fox".to_owned(), range: 0..len / 2 },
            Part { name: "pack".to_owned(), range: len / 2..len },
        ]
    }

    fn metrics(&self) -> &'static [Metric] {
        &[Metric::Dtw, Metric::Wdl]
    }

    fn max_score(&self, _: SliceId) -> Score {
        1
    }

    /// The fox has four neighbours; half as many hounds as rows have two each.
    fn max_moves(&self, _: SliceId) -> u16 {
        self.size as u16
    }

    fn properties(&self) -> Properties {
        Properties { holes: true, unmoves: true, ..Properties::default() }
    }

    /// The fox's step stays in the slice, the hound's step after it does not.
    fn is_acyclic(&self, _: SliceId) -> bool {
        true
    }

    fn unmoves(&self, hunt: &Hunt, out: &mut Vec<Hunt>) {
        if !hunt.fox_moves {
            let before = |fox| Hunt { fox, fox_moves: true, ..*hunt };
            out.extend(self.around_fox(hunt).map(before));
        }
    }
}

plain_views!(FoxAndHounds);

impl Evaluate for FoxAndHounds {}

impl Registered for FoxAndHounds {
    const ABOUT: &'static str = "one fox against a pack of hounds that cannot turn back";
    const OPTIONS: &'static [OptionInfo] = &[OptionInfo {
        name: "size",
        value: Some("N"),
        about: "squares a side, 4, 6 or 8",
        default: "8",
    }];

    fn from_options(options: &Options) -> Result<Self, String> {
        FoxAndHounds::new(options.number(&Self::OPTIONS[0])?)
    }

    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}
