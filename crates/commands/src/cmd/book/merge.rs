//! `nutcracker book merge`.

use nutcracker_book::store::{self, Access, Location};
use nutcracker_book::{Book, BookError, DEFAULT_ROOM, Facts};

use super::target::{CACHE, Target};
use crate::failure::Failure;
use crate::number::counted;
use crate::print;

/// Add all positions of other books to a book
///
/// The books are of the same game with the same options; the others are only read. Where two books
/// have the same position, what is proven holds for both and the guess of the book that is added to
/// is kept; start positions and marks are united; then every value is derived again. Where proofs
/// contradict each other, nothing is changed: `book check` finds the book that is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book merge --book small.book other.book")]
pub struct Args {
    #[command(flatten)]
    target: Target,
    /// The other books
    #[arg(value_name = "OTHER")]
    others: Vec<Location>,
}

impl Args {
    /// Adds them.
    pub fn run(mut self) -> Result<(), Failure> {
        self.target.shift(&mut self.others);
        if self.others.is_empty() {
            return Err(Failure::Usage("name the books that are to be added".to_owned()));
        }
        let mut opened = self.target.open(Access::Write)?;
        let book = &mut opened.book;
        let place = resolved(&opened.location);
        let mut new = 0;
        for location in &self.others {
            if resolved(location) == place {
                return Err(Failure::Usage(format!("{location} is the book that is added to")));
            }
            let store = store::open(location, Access::Read, CACHE)?;
            let (here, there) = (book.facts(), Facts::of(&store)?);
            if let (Some(expected), Some(found)) = (&here.start, &there.start)
                && (expected, &here.game) != (found, &there.game)
            {
                return Err(Failure::from(BookError::OtherGame {
                    found: format!("{} with {found}", there.game),
                    expected: format!("{} with {expected}", here.game),
                }));
            }
            let mut other = Book::open(book.game().clone(), store, DEFAULT_ROOM)?;
            new += book.merge(&other.entries()?)?;
        }
        let (new, all) = (counted(new, "new node"), counted(book.facts().nodes, "node"));
        print(&format!("{new}, {all}\n"))
    }
}

/// The same for all names of one file.
fn resolved(location: &Location) -> Location {
    let path = location.file().and_then(|file| file.canonicalize().ok());
    path.map_or_else(|| location.clone(), Location::from)
}
