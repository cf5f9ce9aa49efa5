//! How boards with stones are written.

use std::fmt::Write;

use nutcracker_game::{ParseError, Side, Situation};

use super::{Grid, Stones};

/// What a side is called: the symbol of its stones.
pub fn name(side: Side) -> &'static str {
    match side {
        Side::First => "x",
        Side::Second => "o",
    }
}

impl Grid {
    /// The symbol of a square.
    fn symbol(&self, stones: Stones, column: u32, row: u32) -> char {
        let (square, [x, o]) = (self.square(column, row), stones.by_side());
        match (x & square != 0, o & square != 0) {
            (true, _) => 'x',
            (_, true) => 'o',
            _ => '.',
        }
    }

    /// Rows from the top with `/` between, `x`, `o` and `.` for an empty square, and the side to
    /// move: `.../.x./... o`. The side follows from the stones, whatever a situation says.
    pub fn format(&self, stones: Stones) -> String {
        let mut text = String::new();
        for row in (0..self.rows).rev() {
            text.extend((0..self.columns).map(|column| self.symbol(stones, column, row)));
            text.push(if row > 0 { '/' } else { ' ' });
        }
        text.push_str(name(stones.mover()));
        text
    }

    /// Parses the output of [`Grid::format`]; the side may be omitted, and a number stands for so
    /// many empty squares. Whether play can lead there is for the game to say.
    pub fn parse(&self, text: &str) -> Result<Situation<Stones>, ParseError> {
        let mut words = text.split_whitespace();
        let board = words.next().ok_or_else(|| ParseError::new("the position is empty"))?;
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != self.rows as usize {
            return Err(ParseError::new(format!(
                "the board has {} rows with '/' between, and {board:?} has {}",
                self.rows,
                rows.len()
            )));
        }
        let (mut x, mut o) = (0, 0);
        for (row, text) in (0..self.rows).rev().zip(rows) {
            let mut column = 0;
            for letter in text.chars() {
                // Nothing is set beyond the board; the row is rejected below.
                let square = self.square(column.min(self.columns - 1), row);
                match letter {
                    'x' | 'X' => x |= square,
                    'o' | 'O' => o |= square,
                    '.' | '0'..='9' => {}
                    _ => {
                        return Err(ParseError::new(format!(
                            "{text:?} has {letter:?}; a row is written with x, o, and . for an \
                             empty square"
                        )));
                    }
                }
                column = column.saturating_add(letter.to_digit(10).unwrap_or(1));
            }
            if column != self.columns {
                return Err(ParseError::new(format!(
                    "row {text:?} has {column} squares, and the board has {}",
                    self.columns
                )));
            }
        }
        let (by_x, by_o) = (x.count_ones(), o.count_ones());
        if by_x != by_o && by_x != by_o + 1 {
            return Err(ParseError::new(format!(
                "x begins and the sides take turns: there cannot be {by_x} stones of x and {by_o} \
                 of o"
            )));
        }
        let (mover, position) = if by_x == by_o {
            (Side::First, Stones { own: x, other: o })
        } else {
            (Side::Second, Stones { own: o, other: x })
        };
        if let Some(side) = words.next().filter(|side| !side.eq_ignore_ascii_case(name(mover))) {
            return Err(ParseError::new(format!(
                "with {by_x} {} of x and {by_o} of o it is the turn of {}, not of {side:?}",
                if by_x == 1 { "stone" } else { "stones" },
                name(mover)
            )));
        }
        if let Some(extra) = words.next() {
            return Err(ParseError::new(format!("{extra:?} is more than a position says")));
        }
        Ok(Situation::new(position, mover))
    }

    /// The board, `label` before each row, the columns' letters below, and the side to move.
    pub fn draw(&self, stones: Stones, label: impl Fn(u32) -> String) -> String {
        let mut text = String::new();
        for row in (0..self.rows).rev() {
            text.push_str(&label(row));
            for column in 0..self.columns {
                text.extend([' ', self.symbol(stones, column, row)]);
            }
            text.push('\n');
        }
        text.push_str(&" ".repeat(label(0).len()));
        for letter in (b'a'..).take(self.columns as usize) {
            text.extend([' ', char::from(letter)]);
        }
        let _ = writeln!(text, "\n{} to move", name(stones.mover()));
        text
    }
}
