//! The check of positions whose moves factor: tiles of neighbouring columns of a matrix.

use std::ops::Range;

use nutcracker_game::{Children, ForwardView, Game, Line, MoveMatrix};

use super::cells::{Cell, Cells, is_founded, value};
use super::{Check, Pass, Scratch, negated};
use crate::check_error::CheckError;

/// The value of an illegal move: less than any legal one, and marked as founded.
const NO_MOVE: Cell = Cell::MIN | 1;

/// What a thread needs for a tile.
#[derive(Debug, Default)]
pub(super) struct TileScratch {
    /// The cells of the tile, by rows.
    stored: Vec<Cell>,
    /// A bit for each of them: whether it is to be compared.
    selected: Vec<u64>,
    /// Whether it was found to be founded.
    founded: Vec<u64>,
    /// By column: whether any of its cells is to be compared.
    any: Vec<u64>,
    /// What moves to every place of a column's lines are worth, and [`NO_MOVE`] at the end.
    lines: Vec<Cell>,
    values: Vec<i8>,
    /// Indices of positions whose moves must come from the rules.
    singles: Vec<u64>,
}

impl<C: Cells, G: Game> Check<'_, C, G> {
    /// Compares every position of a tile, or those that are not founded yet, with its moves, and
    /// marks those that are founded.
    pub(super) fn tile(
        &self,
        number: u64,
        matrix: &MoveMatrix,
        columns: Range<u64>,
        pass: Pass,
        scratch: &mut Scratch<'_>,
    ) -> Result<(), CheckError> {
        let mut tile = std::mem::take(&mut scratch.tile);
        let every = pass == Pass::Compare;
        let width = (columns.end - columns.start) as usize;
        let words = width.div_ceil(64);
        self.load_tile(matrix, &columns, every, &mut tile)?;
        tile.singles.clear();
        for &row in &matrix.irregular {
            let start = matrix.first + row * matrix.columns + columns.start;
            for (word, selected) in
                tile.selected[row as usize * words..][..words].iter_mut().enumerate()
            {
                let selected = std::mem::take(selected);
                let bits = (0..64).filter(|bit| selected >> bit & 1 == 1);
                tile.singles.extend(bits.map(|bit| start + 64 * word as u64 + bit));
            }
        }
        for column in 0..width {
            if tile.any[column / 64] >> (column % 64) & 1 == 1 {
                self.load_lines(number, matrix, columns.start + column as u64, &mut tile)?;
                let first = matrix.first + columns.start + column as u64;
                let defers = pass.may_defer() && self.defer_losses;
                tile.compare(matrix, column, width, defers, |row| first + row * matrix.columns);
            }
        }
        for (row, founded) in (0..).zip(tile.founded.chunks(words)) {
            let start = matrix.first + row * matrix.columns + columns.start;
            for (word, &founded) in (0..).zip(founded) {
                if founded != 0 {
                    let new = self.cells.mark(start + 64 * word, founded)?;
                    scratch.founded += u64::from(new);
                }
            }
        }
        for &index in &tile.singles {
            let mut cursor = Default::default();
            if let Some(key) = self.view.key_at(&mut cursor, index) {
                self.position(index, key, pass, scratch)?;
            }
        }
        scratch.tile = tile;
        Ok(())
    }

    fn load_tile(
        &self,
        matrix: &MoveMatrix,
        columns: &Range<u64>,
        every: bool,
        tile: &mut TileScratch,
    ) -> Result<(), CheckError> {
        let (rows, width) = (matrix.rows as usize, (columns.end - columns.start) as usize);
        let words = width.div_ceil(64);
        tile.stored.resize(rows * width, 0);
        tile.selected.clear();
        tile.any.clear();
        tile.any.resize(words, 0);
        tile.founded.clear();
        tile.founded.resize(rows * words, 0);
        for (row, stored) in (0..).zip(tile.stored.chunks_mut(width)) {
            self.cells.load(matrix.first + row * matrix.columns + columns.start, stored)?;
            for (part, any) in stored.chunks(64).zip(&mut tile.any) {
                let mut selected = 0;
                for (bit, &cell) in part.iter().enumerate() {
                    selected |= u64::from(every || !is_founded(cell)) << bit;
                }
                *any |= selected;
                tile.selected.push(selected);
            }
        }
        Ok(())
    }

    /// Computes what moves to every place of a column's lines are worth.
    fn load_lines(
        &self,
        number: u64,
        matrix: &MoveMatrix,
        column: u64,
        tile: &mut TileScratch,
    ) -> Result<(), CheckError> {
        let TileScratch { lines, values, .. } = tile;
        lines.resize(matrix.no_move() as usize + 1, 0);
        let mut rest = &mut lines[..];
        let mut lengths = matrix.lengths.iter();
        let mut failure = None;
        self.view.lines(number, column, |line| {
            let length = *lengths.next().expect("a matrix has as many lengths as lines") as usize;
            let out = rest.split_off_mut(..length).expect("lines are as long as their lengths");
            let loaded = match line {
                Line::Illegal => {
                    out.fill(NO_MOVE);
                    Ok(())
                }
                Line::Inside(start) => self.cells.load(start, out).map(|()| {
                    for cell in out {
                        *cell = negated(*cell);
                    }
                }),
                Line::Outside { slice, start, gain, turn, converts } => {
                    values.resize(length, 0);
                    self.children.read(slice, start, values).map_err(CheckError::from).map(|()| {
                        for (cell, &next) in out.iter_mut().zip(&*values) {
                            *cell = self.outside(gain, turn, converts, next.into());
                        }
                    })
                }
            };
            if let Err(error) = loaded {
                failure.get_or_insert(error);
            }
        });
        rest.fill(NO_MOVE);
        failure.map_or(Ok(()), Err)
    }
}

impl TileScratch {
    /// Compares the selected positions of a column with their moves. Those whose value is not the
    /// best of these moves are left to the rules.
    fn compare(
        &mut self,
        matrix: &MoveMatrix,
        column: usize,
        width: usize,
        defers: bool,
        index: impl Fn(u64) -> u64,
    ) {
        let words = width.div_ceil(64);
        let (word, bit) = (column / 64, column % 64);
        let lines = &self.lines[..];
        for (row, places) in matrix.places.chunks_exact(matrix.width).enumerate() {
            let at = row * words + word;
            if self.selected[at] >> bit & 1 == 0 {
                continue;
            }
            let (mut best, mut every) = (NO_MOVE, NO_MOVE);
            for &place in places {
                let cell = lines[place as usize];
                best = best.max(cell);
                every &= cell;
            }
            let stored = self.stored[row * width + column];
            if value(best) != value(stored) {
                self.singles.push(index(row as u64));
            } else if super::rests(stored, best, every) && !(defers && stored < 0) {
                self.founded[at] |= 1 << bit;
            }
        }
    }
}
