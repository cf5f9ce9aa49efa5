//! `nutcracker compact`: databases without what moves give, for keeping and sending.

use std::path::PathBuf;

use nutcracker_any::AnyGame;
use nutcracker_game::{Metric, Numbering, Rules, SliceId, closure};
use nutcracker_retro::check::CheckError;
use nutcracker_retro::{Form, RewriteOptions, Rewritten, cache_bytes, folder, rewrite};
use serde_json::{Value, json};

use crate::args::{Format, Subject, Threads, UpTo, need_databases, slice_object, storage};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::number::{percent, size, thousands};
use crate::progress::Reporter;
use crate::{print, table};

/// Memory for decoded blocks of the databases that are read.
const CACHE: u64 = 1 << 28;

/// Write databases in a small form, for keeping and sending
///
/// Compact databases leave out what follows from smaller slices: the value of a position in which a
/// capture has to be played, or in which a capture or a promotion is the best move. Every other command
/// reads them as they are; a look-up takes about a microsecond more, because the rules are asked for
/// captures, and solving on top of them takes longer.
///
/// They are written to another directory, where `nutcracker` finds them with --data. All values are
/// restored and compared before a file gets its name. --restore writes the usual databases from
/// compact ones, byte for byte those that were solved.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve checkers --up-to 3
  nutcracker compact checkers --to small
  nutcracker probe checkers \"B:W12:B1,K5\" --data small
  nutcracker verify checkers --data small
  nutcracker compact checkers --restore --data small --to again")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    up_to: UpTo,
    /// The directory to write to
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Write the usual databases, with all values, from compact ones
    #[arg(long)]
    restore: bool,
    #[command(flatten)]
    threads: Threads,
    /// How the sizes are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Args {
    /// Writes them.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_databases(&game)?;
        let metric = self.subject.metric(&game)?;
        if metric == Metric::Forced {
            return Err(Failure::Usage(format!(
                "databases of {} hold bounds, which captures alone do not give; they cannot be compact",
                game.id()
            )));
        }
        let slices = self.slices(&game)?;
        let from = self.subject.dir(&game);
        let dir = self.to.join(folder(&game, metric));
        if from == dir {
            return Err(Failure::Usage(format!(
                "{} is where the databases are read; choose another directory with --to",
                self.to.display()
            )));
        }
        let source = self.subject.open(&game, true, cache_bytes(CACHE));
        let interrupt = Interrupt::listen();
        let reporter = Reporter::new(&game, [0.0, 0.0, 0.6, 0.4])
            .aligned(slices.iter().copied())
            .until(interrupt.clone());
        let form = if self.restore { Form::Complete } else { Form::Compact };
        let program = format!("nutcracker {}", env!("CARGO_PKG_VERSION"));
        let options = RewriteOptions { form, threads: self.threads.count(), program: &program };
        let (files, mut written) = (storage(false), Vec::new());
        let done = |one| written.push(one);
        let result =
            rewrite(&game, metric, &source, &files, &dir, &slices, options, &reporter, done);
        reporter.clear();
        match result {
            Err(CheckError::Stopped(stopped)) => {
                return Err(Failure::Stopped(stopped.to_string(), interrupt.code()));
            }
            Err(CheckError::Table(error)) => return Err(self.subject.explain(&game, error)),
            result => result?,
        }
        match self.format {
            Format::Json => print(&format!("{}\n", for_programs(&game, metric, &written))),
            Format::Table => print(&for_people(&game, &written, self.restore)),
        }
    }

    /// The slices with a database, of which all that they depend on must be there.
    fn slices(&self, game: &AnyGame) -> Result<Vec<SliceId>, Failure> {
        let slices = self.subject.slices(game, &self.up_to)?;
        let all = closure(game, slices.iter().copied());
        match all.iter().find(|slice| !slices.contains(slice)) {
            None => Ok(all),
            Some(&missing) => Err(Failure::Failed(format!(
                "{} of {} is needed and not there; `{}` makes it",
                game.slice_label(missing),
                game.id(),
                self.subject.slice_command("solve", game, missing)
            ))),
        }
    }
}

fn for_programs(game: &AnyGame, metric: Metric, written: &[Rewritten]) -> Value {
    let slice = |one: &Rewritten| {
        let fields = json!({
            "positions": one.positions,
            "left_out": one.left_out,
            "bytes_before": one.bytes_before,
            "bytes": one.bytes,
        });
        slice_object(game, metric, one.slice, fields)
    };
    json!({ "slices": written.iter().map(slice).collect::<Vec<_>>() })
}

fn for_people(game: &AnyGame, written: &[Rewritten], restored: bool) -> String {
    let row = |name: String, one: Rewritten| {
        let left_out =
            one.left_out.map_or_else(|| "-".to_owned(), |left| percent(left, one.positions));
        let a_byte = format!("{:.1}", one.positions as f64 / one.bytes.max(1) as f64);
        let [before, now] = [one.bytes_before, one.bytes].map(size);
        vec![name, thousands(one.positions), left_out, before, now, a_byte]
    };
    let mut sum =
        Rewritten { slice: SliceId(0), positions: 0, left_out: Some(0), bytes_before: 0, bytes: 0 };
    let mut rows = Vec::new();
    for &one in written {
        rows.push(row(game.slice_name(one.slice), one));
        sum.positions += one.positions;
        sum.left_out = sum.left_out.zip(one.left_out).map(|(all, one)| all + one);
        sum.bytes_before += one.bytes_before;
        sum.bytes += one.bytes;
    }
    rows.push(row("all".to_owned(), sum));
    let unit = game.slice_unit();
    let mut header = [unit, "positions", "left out", "size before", "size", "positions a byte"];
    if restored {
        header[2] = "";
        for row in &mut rows {
            row[2].clear();
        }
    }
    table::render(&header, &[], rows)
}
