//! `nutcracker book check`, `cycles`, `prune` and `compact`.

use nutcracker_book::BookError;
use nutcracker_book::check::Flaw;
use nutcracker_book::store::Access;
use nutcracker_game::Rules;
use nutcracker_search::known;
use serde_json::{Value, json};

use super::target::Target;
use crate::args::Format;
use crate::failure::Failure;
use crate::number::{counted, size, thousands};
use crate::{note, print};

/// Check a whole book: positions, moves, values, proofs, priorities, totals
///
/// Every proven bound is derived again from what experts said, by code of its own; what experts said
/// is compared with the rules, and with the databases where they reach.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book check --book small.book")]
pub struct CheckArgs {
    #[command(flatten)]
    pub target: Target,
    /// How the answer is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Nodes between two progress notes of a check.
const NOTE_EVERY: u64 = 1_000_000;

impl CheckArgs {
    /// Checks it.
    pub fn run(self) -> Result<(), Failure> {
        let mut opened = self.target.open(Access::Read)?;
        let databases = opened.databases()?;
        let book = &mut opened.book;
        let game = book.game().clone();
        let mut score = |position: &_| match &databases {
            Some(oracle) => {
                known(&game, oracle, position).map_err(|error| BookError::Expert(error.to_string()))
            }
            None => Ok(None),
        };
        let checked = book.check_with(&mut score, &mut |nodes| {
            if nodes.is_multiple_of(NOTE_EVERY) {
                note(&format!("{} checked", counted(nodes, "node")));
            }
        })?;
        let is_in_order = checked.flaws.is_empty();
        if self.format == Format::Json {
            let flaw = |flaw: &Flaw| json!({ "node": flaw.node, "what": flaw.what });
            let flaws: Vec<Value> = checked.flaws.iter().map(flaw).collect();
            print(&format!("{}\n", json!({ "nodes": checked.nodes, "flaws": flaws })))?;
        } else if is_in_order {
            print(&format!("{}, all in order\n", counted(checked.nodes, "node")))?;
        }
        if is_in_order {
            return Ok(());
        }
        for flaw in &checked.flaws {
            match flaw.node {
                Some(node) => note(&format!("node {node}: {}", flaw.what)),
                None => note(&flaw.what),
            }
        }
        Err(Failure::Failed(format!(
            "{} is not in order; restore it from a copy or grow it anew",
            opened.location
        )))
    }
}

/// Look for cycles in a whole book and give their positions their values
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book cycles --book small.book")]
pub struct CyclesArgs {
    #[command(flatten)]
    pub target: Target,
}

impl CyclesArgs {
    /// Looks for them.
    pub fn run(self) -> Result<(), Failure> {
        let mut book = self.target.open(Access::Write)?.book;
        let found = book.find_cycles()?;
        book.commit()?;
        print(&format!(
            "{} in {} that lead to each other; {} changed, {} solved\n",
            counted(found.positions, "position"),
            counted(found.parts, "set"),
            counted(found.changed, "value"),
            thousands(found.solved),
        ))
    }
}

/// Drop from a book what the databases answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book prune --book small.book")]
pub struct PruneArgs {
    #[command(flatten)]
    pub target: Target,
}

impl PruneArgs {
    /// Drops it.
    pub fn run(self) -> Result<(), Failure> {
        let mut opened = self.target.open(Access::Write)?;
        let game = opened.book.game().clone();
        let Some(oracle) = opened.databases()? else {
            return Err(Failure::Failed(format!(
                "there are no databases of {} in {}; `{}` makes them",
                game.id(),
                opened.subject.dir(&game).display(),
                opened.subject.command("solve", ""),
            )));
        };
        let book = &mut opened.book;
        let gone = book.prune(&mut |position| {
            known(&game, &oracle, position).map_err(|error| BookError::Expert(error.to_string()))
        })?;
        let left = thousands(book.facts().nodes);
        print(&format!("{} dropped, {left} left\n", counted(gone, "node")))
    }
}

/// Compact a book's file; in PostgreSQL, make the space of old versions of its rows usable again
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book compact --book small.book")]
pub struct CompactArgs {
    #[command(flatten)]
    pub target: Target,
}

impl CompactArgs {
    /// Gives it back.
    pub fn run(self) -> Result<(), Failure> {
        let location = self.target.location()?;
        let Some(file) = location.file() else {
            self.target.open(Access::Write)?.book.compact()?;
            return print("vacuumed; PostgreSQL uses the space again\n");
        };
        let bytes = || file.metadata().map_or(0, |file| file.len());
        let before = bytes();
        let mut book = self.target.open(Access::Write)?.book;
        book.compact()?;
        drop(book);
        print(&format!("{}, now {}\n", size(before), size(bytes())))
    }
}
