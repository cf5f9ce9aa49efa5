//! `nutcracker book proof`.

use std::path::PathBuf;

use nutcracker_book::store::Access;
use nutcracker_book::{BookError, BookStrategy};
use nutcracker_game::Numbering;
use nutcracker_proof::{Goal, ProofWriter, TableFiles, WriteError};
use nutcracker_search::{ExactLimits, Prover, known};

use super::target::{Opened, Place, Target};
use crate::args::need_no_history;
use crate::databases;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::number::{counted, size};
use crate::print;
use crate::proof_file::{self, Draft};

/// The program as a proof file names it.
const PROGRAM: &str = concat!("nutcracker ", env!("CARGO_PKG_VERSION"));

/// Write what a book has proven about a position as a proof file
///
/// The file holds the strategies that prove both bounds, and names the databases they end in; what
/// an engine proved of a leaf by a search is proved again. The file is replayed before it gets its
/// name. `nutcracker verify --proof FILE` checks it again, and
/// docs/proof-format.md describes it for those who want to write another checker.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book proof --book small.book --proof small-proof.txt")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Moves from the start, or from --position
    moves: Vec<String>,
    /// Another position than the start
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "nutcracker-proof.txt")]
    proof: PathBuf,
    /// Positions to search at most, for leaves that an engine proved
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    nodes: u64,
    /// Size of the table of that search, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
}

impl Args {
    /// Writes it.
    pub fn run(mut self) -> Result<(), Failure> {
        self.target.shift(&mut self.moves);
        let Opened { mut book, subject, .. } = self.target.open(Access::Read)?;
        let game = &book.game().clone();
        need_no_history(game, "proofs")?;
        let place = Place::of(&mut book, &self.moves, self.position.as_deref())?;
        let value = book.node(place.id)?.value;
        let max = game.max_score(game.slice_of(&place.situation.position));
        let bounds = [
            Some(Goal::AtLeast(value.lower)).filter(|_| value.lower > -max),
            Some(Goal::AtMost(value.upper)).filter(|_| value.upper < max),
        ];
        let goals: Vec<Goal> = bounds.into_iter().flatten().collect();
        if goals.is_empty() {
            return Err(Failure::Failed(
                "the book has proven nothing about this position; grow it with --aim solve"
                    .to_owned(),
            ));
        }
        let databases = databases::open(game, &subject)?;
        let tables = match &*databases {
            None => None,
            Some(oracle) => {
                Some(TableFiles { set: oracle.set(), metric: subject.metric(game)?, audit: false })
            }
        };
        let draft = Draft::new(&self.proof)?;
        let score = |position: &_| {
            known(game, &*databases, position).map_err(|error| BookError::Expert(error.to_string()))
        };
        let limits =
            ExactLimits { nodes: self.nodes, table_bytes: (self.hash as usize) << 20, stop: None };
        let mut prover = Prover::new(game, &*databases, limits);
        let mut strategy = BookStrategy::new(&mut book, score, prover.strategy(true));
        let written = strategy.written(|strategy| {
            let mut writer =
                ProofWriter::new(game, &tables, &place.situation, PROGRAM, draft.create()?)?;
            let mut positions = 0;
            for &goal in &goals {
                positions += writer.claim(goal, strategy)?.nodes;
            }
            Ok((positions, writer.finish()?))
        });
        let (positions, file) = written.map_err(|error| match error {
            WriteError::Io(error) => draft.failed(&error),
            WriteError::Strategy(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        })?;
        draft.sync(file)?;
        // Nothing is called proven before other code has replayed it.
        let interrupt = Interrupt::listen();
        let reader = proof_file::open(draft.path())?;
        proof_file::check(draft.path(), reader, game, tables, &interrupt)?;
        let bytes = std::fs::metadata(draft.path()).map_or(0, |metadata| metadata.len());
        draft.publish()?;
        let worth = proof_file::worth(game, &place.situation.position, &goals);
        print(&format!(
            "{}: {}; {}, {}\n",
            self.proof.display(),
            proof_file::sentence(game, &place.situation, worth),
            counted(positions, "position"),
            size(bytes),
        ))
    }
}
