//! `nutcracker book import`.

use std::path::PathBuf;

use nutcracker_any::AnyGame;
use nutcracker_game::Rules;

use super::target::{ExpertArgs, Place, Target, find_move};
use crate::failure::Failure;
use crate::number::thousands;
use crate::{note, print};

/// Add games to a book, with all deviations evaluated
///
/// A file has one game a line: moves by their names, with blanks between. Empty lines and lines
/// that begin with # are left out. Games begin at the start of the book.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Files with games
    #[arg(required = true, value_name = "GAMES")]
    files: Vec<PathBuf>,
    /// The games are not public: their draws are not avoided as public ones
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    expert: ExpertArgs,
}

impl Args {
    /// Adds them.
    pub fn run(self, game: &AnyGame) -> Result<(), Failure> {
        let mut book = self.target.open(game)?;
        let databases = self.target.databases(game)?;
        let mut experts = [self.expert.expert(game, databases.as_ref())];
        let start = Place::start(&mut book)?.situation;
        let (mut games, mut expanded) = (0, 0);
        for file in &self.files {
            let text = std::fs::read_to_string(file).map_err(|error| {
                Failure::Failed(format!("cannot read {}: {error}", file.display()))
            })?;
            for (number, line) in text.lines().enumerate() {
                if line.trim().is_empty() || line.starts_with('#') {
                    continue;
                }
                let mut at = start;
                let mut moves = Vec::new();
                for name in line.split_whitespace() {
                    let (_, mv, step) = find_move(game, &at, name).map_err(|failure| {
                        let Failure::Usage(why) = failure else { return failure };
                        let place = format!("{} line {}", file.display(), number + 1);
                        Failure::Failed(format!("{place}: {why}"))
                    })?;
                    moves.push(mv);
                    at = game.advance(&at, &step);
                }
                expanded += book.learn(&moves, !self.private, &mut experts)?;
                games += 1;
                if games % 100 == 0 {
                    note(&format!("{} games", thousands(games)));
                }
            }
        }
        book.commit()?;
        print(&format!(
            "{} games, {} positions expanded, {} nodes\n",
            thousands(games),
            thousands(expanded),
            thousands(book.facts().nodes),
        ))
    }
}
