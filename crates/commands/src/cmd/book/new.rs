//! `nutcracker book new`.

use nutcracker_any::AnyGame;
use nutcracker_book::Book;
use nutcracker_game::{Numbering, Rules};

use super::target::{ExpertArgs, Target};
use crate::failure::Failure;
use crate::print;

/// Make a book with nothing in it but the start position
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// The position the book starts from; the game's start by default
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Option<String>,
    #[command(flatten)]
    expert: ExpertArgs,
}

impl Args {
    /// Makes it.
    pub fn run(self, game: AnyGame) -> Result<(), Failure> {
        let start = match &self.start {
            None => game.start(),
            Some(text) => game.parse(text).map_err(|error| Failure::Usage(error.to_string()))?,
        };
        let databases = self.target.databases(&game)?;
        let mut expert = self.expert.expert(&game, databases.as_ref());
        let store = self.target.create(&game)?;
        let mut book = Book::create(game, store, &start.position, &mut expert)?;
        let max = book.game().max_score(book.game().slice_of(&start.position));
        let value = book.root_value()?.text(max);
        print(&format!(
            "{}: a book of {} from {}, value {value}\n",
            self.target.path(book.game()).display(),
            book.game().id(),
            book.game().format(&start),
        ))
    }
}
