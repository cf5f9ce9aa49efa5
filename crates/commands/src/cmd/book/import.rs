//! `nutcracker book import`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::node::NodeId;
use nutcracker_book::store::{self, Access};
use nutcracker_book::{Book, Entry};
use nutcracker_engine::record::Outcome;
use nutcracker_engine::{Played, Transcript};
use nutcracker_game::Rules;
use nutcracker_search::{TableOracle, known};

use super::json::{self, Header};
use super::show::max_score;
use super::target::{ExpertArgs, Place, Target, databases};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::number::counted;
use crate::{note, print};

/// Add games to a book, with all deviations evaluated, or an exported book
///
/// A file with games has records of games, as `match`, `play` and `annotate` write them, or one game a line:
/// moves by their names, with blanks between. In such a file, empty lines and lines that begin with
/// # are left out, and games begin at the start of the book, or at a position before the word
/// `moves`. Games of Aualé (OGN), PlayStrategy and OpenSpiel are read too; docs/notation.md lists
/// them. Drawn games are remembered as public, unless --private is given: a player can be told to
/// avoid draws that opponents may know.
///
/// A file that `book export` wrote is merged into the book, or becomes a new book where there is
/// none. Only what experts said is read, and everything else is derived again. What experts have
/// proven stays proven where the rules or the databases confirm it; elsewhere it becomes a guess,
/// unless --trust is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book import --book small.book nutcracker-match.txt --depth 2")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    /// Files with games, or exported books
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Believe what an exported book says is proven
    #[arg(long)]
    trust: bool,
    /// The games are not public: their draws are not avoided as public ones
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    expert: ExpertArgs,
}

/// How often is said how far it is, after a game.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// A game to be added.
struct Game {
    played: Played<AnyGame>,
    drawn: bool,
}

impl Args {
    /// Adds them.
    pub fn run(mut self) -> Result<(), Failure> {
        self.target.shift(&mut self.files);
        let Some(first) = self.files.first() else {
            return Err(Failure::Usage("name files with games, or an exported book".to_owned()));
        };
        let location = self.target.location()?;
        if read(first)?.starts_with('{') && !store::exists(&location)? {
            return self.make_book(first);
        }
        let mut opened = self.target.open(Access::Write)?;
        let databases = opened.databases()?;
        let book = &mut opened.book;
        let game = &book.game().clone();
        let mut experts = [self.expert.expert(game, databases.as_ref())];
        let start = Place::start(book)?;
        let interrupt = Interrupt::listen();
        let (mut games, mut expanded, mut new) = (0, 0, 0);
        let mut told = Instant::now();
        for file in &self.files {
            let failed = |why: String| Failure::Failed(format!("{} {why}", file.display()));
            let text = read(file)?;
            if text.starts_with('{') {
                let header = header(file, &text)?;
                self.target.identified(&file.display(), &header.game, &header.start)?;
                new += book.merge(&self.entries(game, databases.as_ref(), file, &text)?)?;
                continue;
            }
            for Game { played, drawn } in read_games(game, &start, &text).map_err(failed)? {
                let first = played.start().position;
                let node: NodeId = book.find(&first)?.ok_or_else(|| {
                    let text = game.format(played.start());
                    failed(format!("has a game from {text}, which is not in the book"))
                })?;
                let public_draw = drawn && !self.private;
                expanded += book.learn(node, played.moves(), public_draw, &mut experts)?;
                games += 1;
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let (games, expanded) = (counted(games, "game"), counted(expanded, "position"));
                    note(&format!("{games}, {expanded} expanded"));
                }
                if interrupt.requested() {
                    book.commit()?;
                    return Err(Failure::Stopped(
                        format!(
                            "stopped after {}; the same command continues from here",
                            counted(games, "game")
                        ),
                        interrupt.code(),
                    ));
                }
            }
        }
        book.commit()?;
        print(&format!(
            "{}, {} expanded, {} of exported books, {}\n",
            counted(games, "game"),
            counted(expanded, "position"),
            counted(new, "position"),
            counted(book.facts().nodes, "node"),
        ))
    }

    /// Makes a book of an exported one.
    fn make_book(&self, file: &Path) -> Result<(), Failure> {
        if self.files.len() > 1 {
            return Err(Failure::Usage(
                "there is no such book yet; make it from one exported book, then import the others"
                    .to_owned(),
            ));
        }
        let text = read(file)?;
        let header = header(file, &text)?;
        let (subject, game) =
            self.target.identified(&file.display(), &header.game, &header.start)?;
        let databases = databases(&subject, &game)?;
        let entries = self.entries(&game, databases.as_ref(), file, &text)?;
        let location = self.target.file.location(&subject.data, &game);
        let store = self.target.file.create(&subject.data, &game)?;
        let made = Book::from_entries(game, store, header.tuning, &entries);
        let book = made.inspect_err(|_| {
            // What was begun is no book.
            let _ = store::remove(&location);
        })?;
        let (id, nodes) = (book.game().id(), counted(book.facts().nodes, "node"));
        print(&format!("{location}: a book of {id}, {nodes}\n"))
    }

    /// The positions of an exported book, with what is confirmed of their proofs.
    fn entries(
        &self,
        game: &AnyGame,
        databases: Option<&TableOracle>,
        file: &Path,
        text: &str,
    ) -> Result<Vec<Entry<AnyPosition>>, Failure> {
        let (mut entries, mut unconfirmed) = (Vec::new(), 0);
        for (number, line) in text.lines().enumerate().skip(1) {
            let wrong = |why: String| {
                Failure::Failed(format!("{}, line {}: {why}", file.display(), number + 1))
            };
            let entry = json::read_node(game, line).map_err(wrong)?;
            if self.trust {
                entries.push(entry);
                continue;
            }
            let score = match (game.outcome(&entry.position), databases) {
                (None, Some(oracle)) => known(game, oracle, &entry.position)?,
                (outcome, _) => outcome,
            };
            let max = max_score(game, &entry.position);
            let proven = entry.own.lower > -max || entry.own.upper < max;
            unconfirmed += u64::from(proven && score.is_none());
            entries.push(entry.confirmed(score, max).ok_or_else(|| {
                wrong("its own value contradicts the rules or a database".to_owned())
            })?);
        }
        if unconfirmed > 0 {
            let [are, them] = match unconfirmed {
                1 => ["is imported as a guess", "it"],
                _ => ["are imported as guesses", "them"],
            };
            note(&format!(
                "{} {are}, since neither rules nor databases confirm {them}; --trust keeps {them}",
                counted(unconfirmed, "proven value")
            ));
        }
        Ok(entries)
    }
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file)
        .map_err(|error| Failure::Failed(format!("cannot read {}: {error}", file.display())))
}

/// The first line of an exported book.
fn header(file: &Path, text: &str) -> Result<Header, Failure> {
    json::read_header(text.lines().next().unwrap_or_default())
        .map_err(|why| Failure::Failed(format!("{}, line 1: {why}", file.display())))
}

/// The games of a file; the error is the rest of a sentence. A game that does not say where it begins
/// begins at the start of its rules if it has tags, and else at that of the book.
fn read_games(game: &AnyGame, start: &Place, text: &str) -> Result<Vec<Game>, String> {
    let found = Transcript::read_all(text).map_err(|error| error.to_string())?;
    let read = |(number, transcript): (usize, &Transcript)| {
        let wrong = |why: String| format!("game {}: {why}", number + 1);
        let name = transcript.game();
        if let Some(name) = name.as_ref().filter(|name| **name != game.id().name) {
            return Err(wrong(format!("it is a game of {name:?}")));
        }
        let first = if name.is_some() { game.start() } else { start.situation };
        let (played, record) =
            transcript.replay_from(game.clone(), first).map_err(|error| error.to_string())?;
        let drawn = match record.outcome {
            Outcome::Open => played.final_margin() == Some(0),
            outcome => outcome == Outcome::Draw,
        };
        Ok(Game { played, drawn })
    };
    found.iter().enumerate().map(read).collect()
}
