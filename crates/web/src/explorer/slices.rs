//! The databases: how large they are, and how many positions have each score.

use nutcracker_game::{Numbering, Rules};
use nutcracker_table::Histogram;
use serde::Serialize;
use utoipa::ToSchema;

use super::Explorer;
use super::error::ExplorerError;

/// Positions counted by their scores.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tally {
    /// How many positions there are.
    pub positions: u64,
    /// In how many the side to move gets more than the other from here on.
    pub won: u64,
    /// In how many both get the same.
    pub drawn: u64,
    /// In how many it gets less.
    pub lost: u64,
    /// The mean score.
    pub mean: f64,
    /// Scores that occur, ascending, each with its number of positions.
    #[schema(example = json!([[-1, 7], [1, 5]]))]
    pub histogram: Vec<(i8, u64)>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Bits on disk for each position.
    pub bits_per_position: f64,
}

impl Tally {
    fn new(histogram: &Histogram, bytes: u64) -> Self {
        let positions = histogram.total();
        let rounded = |number: f64| (number * 1000.0).round() / 1000.0;
        Tally {
            positions,
            won: histogram.wins(),
            drawn: histogram.draws(),
            lost: histogram.losses(),
            mean: rounded(histogram.mean()),
            histogram: histogram.iter().collect(),
            bytes,
            bits_per_position: rounded(bytes as f64 * 8.0 / positions.max(1) as f64),
        }
    }
}

/// A database.
#[derive(Debug, Serialize, ToSchema)]
pub struct Slice {
    /// Its name.
    #[schema(example = "15")]
    pub slice: String,
    /// The name in words, where it is an abbreviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2 kings, 1 man v 1 king")]
    pub title: Option<String>,
    /// What its values are: `score`, `wdl`, `dtw`, `dtc` or `dtz`.
    #[schema(example = "score")]
    pub metric: String,
    /// 0 if its scores are exact, else what they are clipped to.
    pub window: u8,
    /// Whether it was checked.
    pub checked: bool,
    /// Its numbers.
    #[serde(flatten)]
    pub tally: Tally,
    /// The blake3 of its file.
    pub blake3: String,
}

/// All databases of a game.
#[derive(Debug, Serialize, ToSchema)]
pub struct Slices {
    /// The game.
    pub game: &'static str,
    /// Its rule options in full.
    pub options: String,
    /// What the number of a slice counts, if its name is a number.
    pub unit: &'static str,
    /// One entry a slice, the best database of each.
    pub slices: Vec<Slice>,
    /// All of them together.
    pub all: Tally,
}

impl Explorer {
    /// The databases.
    pub fn slices(&self) -> Result<Slices, ExplorerError> {
        let (mut slices, mut bytes) = (Vec::new(), 0);
        let set = self.set();
        for slice in self.present(&set)? {
            let table = set.get(slice.0)?;
            bytes += table.bytes();
            slices.push(Slice {
                slice: self.game.slice_name(slice),
                title: self.game.slice_title(slice),
                metric: table.header().metric.clone(),
                window: table.header().reach.into(),
                checked: table.is_checked(),
                tally: Tally::new(table.histogram(), table.bytes()),
                blake3: table.blake3(),
            });
        }
        let id = self.game.id();
        Ok(Slices {
            game: id.name,
            options: id.options,
            unit: self.game.slice_unit(),
            slices,
            all: Tally::new(&self.all_counts()?, bytes),
        })
    }

    /// How many positions have each value, in all databases together.
    pub(super) fn all_counts(&self) -> Result<Histogram, ExplorerError> {
        let mut total = Histogram::new();
        let set = self.set();
        for slice in self.present(&set)? {
            total.merge(set.get(slice.0)?.histogram());
        }
        Ok(total)
    }
}
