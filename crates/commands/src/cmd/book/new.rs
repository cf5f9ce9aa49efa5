//! `nutcracker book new`.

use nutcracker_book::Book;
use nutcracker_game::{Numbering, Rules};

use super::target::{BookFile, ExpertArgs, databases};
use crate::args::Subject;
use crate::deck::DeckOption;
use crate::failure::Failure;
use crate::number::counted;
use crate::print;

/// Make a book with nothing in it but the start position, or several
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker book new kalah --pits 4 --seeds 3 --depth 2 --book small.book
  nutcracker book new checkers --openings ballots --depth 4 --book ballots.book")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    file: BookFile,
    /// A position the book starts from, the game's start by default; given several times, the
    /// book has several start positions of equal importance
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Vec<String>,
    #[command(flatten)]
    deck: DeckOption,
    #[command(flatten)]
    expert: ExpertArgs,
}

impl Args {
    /// Makes it.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        let parse =
            |text: &String| game.parse(text).map_err(|error| Failure::Usage(error.to_string()));
        let mut starts = self.start.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let listed = self.deck.read(&game)?.unwrap_or_default();
        starts.extend(listed.iter().map(|opening| *opening.now()));
        if starts.is_empty() {
            starts.push(game.start());
        }
        let start = starts[0];
        let databases = databases(&self.subject, &game)?;
        let mut expert = self.expert.expert(&game, databases.as_ref());
        let store = self.file.create(&self.subject.data, &game)?;
        let mut book = Book::create(game, store, &start.position, &mut expert)?;
        for other in &starts[1..] {
            book.add_start(&other.position, &mut expert)?;
        }
        let max = book.game().max_score(book.game().slice_of(&start.position));
        let value = book.root_value()?.text(max);
        print(&format!(
            "{}: a book of {} from {}{}, value {value}\n",
            self.file.location(&self.subject.data, book.game()),
            book.game().id(),
            book.game().format(&start),
            match starts.len() {
                1 => String::new(),
                count => format!(" and {}", counted(count as u64 - 1, "other position")),
            },
        ))
    }
}
