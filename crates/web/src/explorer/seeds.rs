//! What changes with one seed more or less in a pit.

use nutcracker_game::{Rules, Side, Situation};
use nutcracker_search::Worth;
use serde::Serialize;
use utoipa::ToSchema;

use super::Explorer;
use super::error::ExplorerError;

/// A position of a game of sowing, and what it would be worth with other seeds.
#[derive(Debug, Serialize, ToSchema)]
pub struct Seeds {
    /// The position without what the players have won: values are from here on.
    pub position: String,
    /// What it is worth to the side to move, where that is known.
    pub value: Option<Worth>,
    /// The pits of the first and of the second side, in the order of the notation.
    #[schema(value_type = Vec<Vec<Pit>>, min_items = 2, max_items = 2)]
    pub rows: [Vec<Pit>; 2],
}

/// A pit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pit {
    /// The seeds in it.
    pub seeds: u32,
    /// With one seed less; nothing where the pit is empty or that is no position.
    pub less: Option<Changed>,
    /// With one seed more; nothing where that is no position.
    pub more: Option<Changed>,
}

/// A position that differs in one seed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changed {
    /// The position.
    pub position: String,
    /// What it is worth to the side to move, where that is known.
    pub value: Option<Worth>,
    /// By how much the margin of the first side changes, where both are known.
    pub change: Option<f64>,
}

impl Explorer {
    /// What changes with one seed more or less in each pit.
    pub fn seeds(&self, text: &str) -> Result<Seeds, ExplorerError> {
        let situation = Situation { banked: None, ..self.parse(text)? };
        let position = self.game.format(&situation);
        let (rows, side) = read(&position).ok_or_else(|| {
            ExplorerError::Request(format!("{} has no pits with seeds in them", self.info.name))
        })?;
        let value = self.known_or_over(&situation)?;
        let sign = if situation.mover == Side::First { 1.0 } else { -1.0 };
        let changed = |row: usize, pit: usize, by: i32| -> Result<Option<Changed>, ExplorerError> {
            let mut rows = rows.clone();
            let Some(seeds) = rows[row][pit].checked_add_signed(by) else { return Ok(None) };
            rows[row][pit] = seeds;
            let Ok(other) = self.game.parse(&write(&rows, side)) else { return Ok(None) };
            let reached = self.known_or_over(&other)?;
            let scores = value.and_then(Worth::score).zip(reached.and_then(Worth::score));
            let change = scores.map(|(now, then)| sign * f64::from(then - now));
            let position = self.game.format(&other);
            Ok(Some(Changed { position, value: reached, change }))
        };
        let pits = |row: usize| -> Result<Vec<Pit>, ExplorerError> {
            let numbers = rows[row].iter().enumerate();
            numbers
                .map(|(pit, &seeds)| {
                    let (less, more) = (changed(row, pit, -1)?, changed(row, pit, 1)?);
                    Ok(Pit { seeds, less, more })
                })
                .collect()
        };
        Ok(Seeds { rows: [pits(0)?, pits(1)?], position, value })
    }

    /// The value by databases, or by the rules where the game is over.
    fn known_or_over(
        &self,
        situation: &Situation<nutcracker_any::AnyPosition>,
    ) -> Result<Option<Worth>, ExplorerError> {
        let found = self.known(&situation.position)?.map(|found| found.worth);
        Ok(found.or_else(|| self.game.outcome(&situation.position).map(Worth::exact)))
    }
}

/// The numbers of a notation such as `4,4,4/4,4,4 S`, and the rest of it.
fn read(text: &str) -> Option<([Vec<u32>; 2], &str)> {
    let (board, side) = text.split_once(' ')?;
    let (first, second) = board.split_once('/')?;
    let row =
        |text: &str| text.split(',').map(|pit| pit.parse().ok()).collect::<Option<Vec<u32>>>();
    let rows = [row(first)?, row(second)?];
    (rows[0].len() == rows[1].len()).then_some((rows, side))
}

fn write(rows: &[Vec<u32>; 2], side: &str) -> String {
    let [first, second] = rows
        .each_ref()
        .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    format!("{first}/{second} {side}")
}
