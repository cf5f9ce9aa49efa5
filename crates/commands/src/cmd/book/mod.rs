//! `nutcracker book`: opening books that grow by themselves.

mod care;
mod dropout;
pub mod expand;
mod export;
mod import;
mod json;
mod merge;
mod new;
mod proof;
mod shell;
mod show;
mod stats;
pub mod target;

use crate::failure::Failure;

/// Grow, query and maintain opening books
///
/// A book is a graph of positions in one file. It grows by itself from a start position towards
/// the databases; where they meet, the game is solved. Values are those of the side to move: `+3` is
/// proven, `~+1.20` is a guess, `~+1.20, ≥ 0` is a guess of a position that is proven to be worth at
/// least 0, `≥ 0 (else ~-0.30)` is worth at least 0 and its best open move is guessed at -0.30, and
/// `~+0.00 (cycle, +1.10 or -0.70)` is a cycle that the opponent could leave with +1.10 and the mover
/// with -0.70.
///
/// Commands about a book take game and options from the book that --book names.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Example:
  nutcracker book new kalah --pits 4 --seeds 3 --book small.book
  nutcracker book expand --book small.book --nodes 1000 --depth 4
  nutcracker book show --book small.book"
)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    New(new::Args),
    Expand(expand::Args),
    Show(show::Args),
    Line(show::LineArgs),
    Stats(stats::Args),
    Import(import::Args),
    Export(export::Args),
    Merge(merge::Args),
    Check(care::CheckArgs),
    Cycles(care::CyclesArgs),
    Prune(care::PruneArgs),
    Compact(care::CompactArgs),
    Dropout(dropout::Args),
    Proof(proof::Args),
    Shell(shell::Args),
}

impl Args {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self.verb {
            Verb::New(args) => args.run(),
            Verb::Expand(args) => args.run(),
            Verb::Show(args) => args.run(),
            Verb::Line(args) => args.run(),
            Verb::Stats(args) => args.run(),
            Verb::Import(args) => args.run(),
            Verb::Export(args) => args.run(),
            Verb::Merge(args) => args.run(),
            Verb::Check(args) => args.run(),
            Verb::Cycles(args) => args.run(),
            Verb::Prune(args) => args.run(),
            Verb::Compact(args) => args.run(),
            Verb::Dropout(args) => args.run(),
            Verb::Proof(args) => args.run(),
            Verb::Shell(args) => args.run(),
        }
    }
}
