//! `nutcracker sample`: random positions with their values, or all of a slice.

use std::io::{self, Write};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Numbering, Random, Rules, Side, Situation};
use nutcracker_table::TableSet;

use crate::args::{Subject, need_databases, slice_label, slice_named};
use crate::failure::Failure;
use crate::values::{CACHE, LineFormat, look_up};

/// Numbers in a row that may stand for no position: the slice has none, then, or hardly any.
const MISSES: u64 = 1_000_000;
/// Bytes written at once.
const PIECE: usize = 1 << 16;

/// Write random positions of a slice with their values, for training and for tests, or all of them
///
/// All positions of the slice are equally likely, and one may come twice. The same seed gives the
/// same positions on every machine. With --all every position comes once, in the order of the
/// database, to be counted or loaded by other programs. The columns are those of `probe`: the score
/// of the side to move from here on with its bounds, and the distance where the database holds one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 10
  nutcracker sample awari --slice 10 --count 5
  nutcracker sample awari --slice 10 --count 1000 --seed 7 --format json > positions.jsonl
  nutcracker sample awari --slice 10 --all > slice.csv")]
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
    /// Every position of the slice instead, in the order of the database
    #[arg(long, conflicts_with_all = ["count", "seed"])]
    all: bool,
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
        let mut out = Lines { game: &game, set: &set, args: &self, text: Vec::new() };
        out.text.extend_from_slice(self.format.head().as_bytes());
        let len = game.slice_len(slice);
        if self.all {
            for position in (0..len).filter_map(|index| game.unrank(slice, index)) {
                out.write(position)?;
            }
            return out.flush();
        }
        let mut random = Random::new(self.seed);
        for _ in 0..self.count {
            let mut draws = (0..MISSES).map(|_| random.below(len));
            let drawn = draws.find_map(|index| game.unrank(slice, index));
            let Some(position) = drawn else {
                let what = format!("no position was found in {}", slice_label(&game, slice));
                return Err(Failure::Failed(what));
            };
            out.write(position)?;
        }
        out.flush()
    }
}

/// Positions with their values on standard output.
struct Lines<'a> {
    game: &'a AnyGame,
    set: &'a TableSet,
    args: &'a Args,
    text: Vec<u8>,
}

impl Lines<'_> {
    fn write(&mut self, position: AnyPosition) -> Result<(), Failure> {
        let line = self.game.format(&Situation::new(position, Side::First));
        let answer = look_up(self.game, self.set, &self.args.subject, &line);
        let answer = answer.map_err(Failure::Failed)?;
        self.args.format.write(self.game, &line, &Ok(answer), &mut self.text);
        if self.text.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.text).and_then(|()| out.flush());
        self.text.clear();
        written.map_err(|error| Failure::output(&error))
    }
}
