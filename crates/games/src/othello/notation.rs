//! Notation of Othello positions and moves.

use std::fmt::Write;

use nutcracker_game::{ParseError, Side, Situation};

use super::{Discs, Move, Othello};

/// The symbol of a side's discs.
fn mark(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}

/// The discs of Black and of White.
fn by_colour(situation: &Situation<Discs>) -> [u64; 2] {
    let Discs { own, other } = situation.position;
    match situation.mover {
        Side::First => [own, other],
        Side::Second => [other, own],
    }
}

/// The symbol of a square.
fn shown([black, white]: [u64; 2], square: usize) -> Option<char> {
    if black >> square & 1 == 1 {
        Some(mark(Side::First))
    } else if white >> square & 1 == 1 {
        Some(mark(Side::Second))
    } else {
        None
    }
}

impl Othello {
    /// A square or `pass`.
    pub(super) fn move_name(mv: Move) -> String {
        match mv {
            Move::Pass => "pass".to_owned(),
            Move::Disc(square) => {
                format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1)
            }
        }
    }

    /// Ranks from the top with `/` between, `x` for Black's and `o` for White's discs, a number for
    /// consecutive empty squares, and the side to move: `8/8/8/3ox3/3xo3/8/8/8 x`.
    pub(super) fn write(&self, situation: &Situation<Discs>) -> String {
        let colours = by_colour(situation);
        let mut text = String::new();
        for row in 0..self.size {
            if row > 0 {
                text.push('/');
            }
            let mut empty = 0;
            for file in 0..self.size {
                match shown(colours, row * 8 + file) {
                    None => empty += 1,
                    Some(disc) => {
                        push_count(&mut text, empty);
                        empty = 0;
                        text.push(disc);
                    }
                }
            }
            push_count(&mut text, empty);
        }
        text.push(' ');
        text.push(mark(situation.mover));
        text
    }

    /// Parses the output of [`Othello::write`]; an empty square may also be a dot, and Black moves
    /// if the side is omitted.
    pub(super) fn read(&self, text: &str) -> Result<Situation<Discs>, ParseError> {
        let mut words = text.split_whitespace();
        let board = words.next().ok_or_else(|| ParseError::new("the position is empty"))?;
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != self.size {
            return Err(ParseError::new(format!(
                "the board has {} rows with '/' between, and {board:?} has {}",
                self.size,
                rows.len()
            )));
        }
        let (mut black, mut white) = (0u64, 0u64);
        for (row, text) in rows.into_iter().enumerate() {
            let [x, o] = self.read_row(text, row + 1)?;
            black |= x << (8 * row);
            white |= o << (8 * row);
        }
        let mover = match words.next() {
            None | Some("x" | "X") => Side::First,
            Some("o" | "O") => Side::Second,
            Some(other) => {
                return Err(ParseError::new(format!(
                    "the side to move is x (Black) or o (White), not {other:?}"
                )));
            }
        };
        if let Some(extra) = words.next() {
            return Err(ParseError::new(format!("{extra:?} is more than a position says")));
        }
        if (black | white).count_ones() < 4 {
            return Err(ParseError::new("a board has at least the 4 discs of the start"));
        }
        let position = match mover {
            Side::First => Discs { own: black, other: white },
            Side::Second => Discs { own: white, other: black },
        };
        Ok(Situation::new(position, mover))
    }

    fn read_row(&self, text: &str, number: usize) -> Result<[u64; 2], ParseError> {
        let (mut file, mut black, mut white) = (0, 0u64, 0u64);
        for letter in text.chars() {
            match letter {
                // Nothing is set beyond the board; the rank is rejected below.
                'x' | 'X' => black |= 1 << file.min(8),
                'o' | 'O' => white |= 1 << file.min(8),
                '.' | '1'..='8' => {}
                _ => {
                    return Err(ParseError::new(format!(
                        "row {number} has {letter:?}; a row is written with x, o, and a number \
                         for empty squares"
                    )));
                }
            }
            file += letter.to_digit(10).unwrap_or(1) as usize;
        }
        if file != self.size {
            return Err(ParseError::new(format!(
                "row {number}, {text:?}, has {file} squares, and the board has {}",
                self.size
            )));
        }
        Ok([black, white])
    }

    /// The board with its coordinates, the legal moves as `*`, and the counts of discs.
    pub(super) fn picture(&self, situation: &Situation<Discs>) -> String {
        let colours = by_colour(situation);
        let targets = situation.position.targets(self.area);
        let mut text = "  ".to_owned();
        for file in (b'a'..).take(self.size) {
            text.extend([' ', char::from(file)]);
        }
        text.push('\n');
        for row in 0..self.size {
            let _ = write!(text, "{:2}", row + 1);
            for file in 0..self.size {
                let square = row * 8 + file;
                let empty = if targets >> square & 1 == 1 { '*' } else { '.' };
                let _ = write!(text, " {}", shown(colours, square).unwrap_or(empty));
            }
            let side = match row + 1 {
                row if row == self.size / 2 => Some((Side::First, "Black", colours[0])),
                row if row == self.size / 2 + 1 => Some((Side::Second, "White", colours[1])),
                _ => None,
            };
            if let Some((side, name, discs)) = side {
                let turn = if side == situation.mover { ", to move" } else { "" };
                let _ = write!(text, "   {name} {} {}{turn}", mark(side), discs.count_ones());
            }
            text.push('\n');
        }
        text
    }
}

fn push_count(text: &mut String, empty: usize) {
    if empty > 0 {
        let _ = write!(text, "{empty}");
    }
}
