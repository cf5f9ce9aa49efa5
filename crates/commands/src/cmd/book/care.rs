//! `nutcracker book check`, `cycles`, `prune` and `compact`.

use nutcracker_any::AnyGame;
use nutcracker_book::BookError;
use nutcracker_game::Rules;
use nutcracker_search::known;

use super::target::Target;
use crate::failure::Failure;
use crate::number::{size, thousands};
use crate::{note, print};

/// Check a whole book: positions, moves, values, priorities, totals
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub target: Target,
}

/// Nodes between two progress notes of a check.
const NOTE_EVERY: u64 = 1_000_000;

impl CheckArgs {
    /// Checks it.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let mut book = self.target.open(game)?;
        let checked = book.check(&mut |nodes| {
            if nodes.is_multiple_of(NOTE_EVERY) {
                note(&format!("{} nodes checked", thousands(nodes)));
            }
        })?;
        for flaw in &checked.flaws {
            match flaw.node {
                Some(node) => note(&format!("node {node}: {}", flaw.what)),
                None => note(&flaw.what),
            }
        }
        if checked.flaws.is_empty() {
            return print(&format!("{} nodes, all in order\n", thousands(checked.nodes)));
        }
        let path = self.target.path(game);
        Err(Failure::Failed(format!(
            "{} is not in order; restore it from a copy or grow it anew",
            path.display()
        )))
    }
}

/// Look for cycles in a whole book and give their positions their values
#[derive(Debug, clap::Args)]
pub struct CyclesArgs {
    #[command(flatten)]
    pub target: Target,
}

impl CyclesArgs {
    /// Looks for them.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let mut book = self.target.open(game)?;
        let found = book.find_cycles()?;
        book.commit()?;
        print(&format!(
            "{} positions in {} sets that lead to each other; {} values changed, {} solved\n",
            thousands(found.positions),
            thousands(found.parts),
            thousands(found.changed),
            thousands(found.solved),
        ))
    }
}

/// Drop from a book what the databases answer
#[derive(Debug, clap::Args)]
pub struct PruneArgs {
    #[command(flatten)]
    pub target: Target,
}

impl PruneArgs {
    /// Drops it.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let mut book = self.target.open(game)?;
        let Some(oracle) = self.target.databases(game)? else {
            return Err(Failure::Failed(format!(
                "there are no databases of {} in {}; `{}` makes them",
                game.id(),
                self.target.subject.dir(game).display(),
                self.target.subject.command("solve", ""),
            )));
        };
        let gone = book.prune(&mut |position| {
            known(game, &oracle, position).map_err(|error| BookError::Expert(error.to_string()))
        })?;
        let left = thousands(book.facts().nodes);
        print(&format!("{} nodes dropped, {left} left\n", thousands(gone)))
    }
}

/// Compact a book's file
#[derive(Debug, clap::Args)]
pub struct CompactArgs {
    #[command(flatten)]
    pub target: Target,
}

impl CompactArgs {
    /// Gives it back.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let path = self.target.path(game);
        let bytes = || std::fs::metadata(&path).map_or(0, |file| file.len());
        let before = bytes();
        let mut book = self.target.open(game)?;
        book.compact()?;
        drop(book);
        print(&format!("{}, now {}\n", size(before), size(bytes())))
    }
}
