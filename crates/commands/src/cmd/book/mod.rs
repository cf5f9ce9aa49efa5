//! `nutcracker book`: opening books that grow by themselves.

mod care;
mod dropout;
pub mod expand;
mod export;
mod import;
mod new;
mod shell;
mod show;
mod stats;
mod target;

use crate::failure::Failure;

/// Grow, query and maintain opening books
///
/// A book is a graph of positions in one file. It grows by itself from a start position towards
/// the databases; where they meet, the game is solved. Values of positions: `+3` is proven,
/// `+1.20` is guessed, `≥0|+1.20` is at least 0 with an option that looks worth 1.20, `≤0|-0.30`
/// is at most 0, and `0|+1.10|-0.70` is a cycle that the opponent could leave with +1.10 and the
/// mover with -0.70.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book new kalah --pits 4 --seeds 3
  nutcracker book expand kalah --pits 4 --seeds 3 --nodes 1000 --depth 4
  nutcracker book show kalah --pits 4 --seeds 3")]
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
    Check(care::CheckArgs),
    Cycles(care::CyclesArgs),
    Prune(care::PruneArgs),
    Compact(care::CompactArgs),
    Dropout(dropout::Args),
    Shell(shell::Args),
}

impl Args {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        let target = match &self.verb {
            Verb::New(args) => &args.target,
            Verb::Expand(args) => &args.target,
            Verb::Show(args) => &args.target,
            Verb::Line(args) => &args.target,
            Verb::Stats(args) => &args.target,
            Verb::Import(args) => &args.target,
            Verb::Export(args) => &args.target,
            Verb::Check(args) => &args.target,
            Verb::Cycles(args) => &args.target,
            Verb::Prune(args) => &args.target,
            Verb::Compact(args) => &args.target,
            Verb::Dropout(args) => &args.target,
            Verb::Shell(args) => &args.target,
        };
        let game = target.subject.game()?;
        match self.verb {
            Verb::New(args) => args.run(game),
            Verb::Expand(args) => args.run(&game),
            Verb::Show(args) => args.run(&game),
            Verb::Line(args) => args.run(&game),
            Verb::Stats(args) => args.run(&game),
            Verb::Import(args) => args.run(&game),
            Verb::Export(args) => args.run(&game),
            Verb::Check(args) => args.run(&game),
            Verb::Cycles(args) => args.run(&game),
            Verb::Prune(args) => args.run(&game),
            Verb::Compact(args) => args.run(&game),
            Verb::Dropout(args) => args.run(&game),
            Verb::Shell(args) => args.run(&game),
        }
    }
}
