//! `nutcracker sample`: random positions with their values.

use std::io::{self, BufWriter, Write};

use nutcracker_game::{Numbering, Random, Rules, Side, Situation};

use crate::args::{Subject, need_databases, slice_label, slice_named};
use crate::failure::Failure;
use crate::values::{CACHE, LineFormat, look_up};

/// Numbers in a row that may stand for no position: the slice has none, then, or hardly any.
const MISSES: u64 = 1_000_000;
/// Bytes written at once.
const PIECE: usize = 1 << 16;

/// Write random positions of a slice with their values, for training and for tests
///
/// All positions of the slice are equally likely, and one may come twice. The same seed gives the
/// same positions on every machine. The columns are those of `probe`: the score of the side to move
/// from here on with its bounds, and the distance where the database holds one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 10
  nutcracker sample awari --slice 10 --count 5
  nutcracker sample awari --slice 10 --count 1000 --seed 7 --format json > positions.jsonl")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The slice, by its name: 10 for 10 stones in awari
    #[arg(long, value_name = "SLICE")]
    slice: String,
    /// The number of positions
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// The seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How lines are written
    #[arg(long, value_enum, default_value = "csv")]
    format: LineFormat,
}

impl Args {
    /// Samples.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        self.subject.metric(&game)?;
        let slice = slice_named(&game, &self.slice)?;
        let set = self.subject.open(&game, true, CACHE);
        set.get(slice.0).map_err(|error| self.subject.explain(&game, error))?;
        self.subject.note_unchecked(&game, &set);
        let (len, mut random) = (game.slice_len(slice), Random::new(self.seed));
        let mut out = BufWriter::new(io::stdout().lock());
        let mut text = self.format.head().as_bytes().to_vec();
        for _ in 0..self.count {
            let mut draws = (0..MISSES).map(|_| random.below(len));
            let drawn = draws.find_map(|index| game.unrank(slice, index));
            let Some(position) = drawn else {
                let what = format!("no position was found in {}", slice_label(&game, slice));
                return Err(Failure::Failed(what));
            };
            let line = game.format(&Situation::new(position, Side::First));
            let answer = look_up(&game, &set, &self.subject, &line).map_err(Failure::Failed)?;
            self.format.write(&game, &line, &Ok(answer), &mut text);
            if text.len() >= PIECE {
                out.write_all(&text).map_err(|error| Failure::output(&error))?;
                text.clear();
            }
        }
        out.write_all(&text).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
    }
}
