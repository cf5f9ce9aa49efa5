//! The book, the expert that evaluates positions, and the place in the book.

use std::fmt;
use std::sync::Arc;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::expert::{self, Expert};
use nutcracker_book::node::NodeId;
use nutcracker_book::store::{self, Access, AnyStore, Location};
use nutcracker_book::{Book, DEFAULT_ROOM, Facts, StoredBook};
use nutcracker_game::{Numbering, Rules, Side, Situation, Step};
use nutcracker_search::TableOracle;

use crate::args::{Data, MetricOption, RuleOptions, Subject, games};
use crate::failure::Failure;

/// Pages of the book's file kept in memory, in bytes.
pub const CACHE: usize = 256 << 20;
/// Decoded scores of databases kept.
const SCORES: u64 = 64 << 20;

/// The file of a book.
#[derive(Clone, Debug, clap::Args)]
pub struct BookFile {
    /// The book's file, or a book in PostgreSQL: `postgres://user@host/database?book=NAME`; by default
    /// a file in the directory with the databases, named after game and options
    #[arg(long, value_name = "BOOK")]
    book: Option<Location>,
}

impl BookFile {
    /// Where it is.
    pub fn location(&self, data: &Data, game: &AnyGame) -> Location {
        let usual = || data.data.join(nutcracker_book::file_name(game)).into();
        self.book.clone().unwrap_or_else(usual)
    }

    /// A new store.
    pub fn create(&self, data: &Data, game: &AnyGame) -> Result<AnyStore, Failure> {
        let location = self.location(data, game);
        let dir = location.file().and_then(|file| file.parent());
        if let Some(dir) = dir.filter(|dir| !dir.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir).map_err(|error| {
                Failure::Failed(format!(
                    "cannot make {}: {error}; use another --book",
                    dir.display()
                ))
            })?;
        }
        Ok(store::create(&location, CACHE)?)
    }
}

/// Which book.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    /// The game, as `nutcracker games` lists it; with --book it may be left out, and so may its
    /// options: the book knows them
    game: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    metric: MetricOption,
    #[command(flatten)]
    pub file: BookFile,
}

/// A book that is open.
pub struct Opened {
    pub book: StoredBook<AnyGame>,
    /// Its game, with the options that the book has.
    pub subject: Subject,
    pub location: Location,
}

impl Target {
    /// With a book named, the first word need not be a game: then it is the first of the others.
    pub fn shift<T: From<String>>(&mut self, words: &mut Vec<T>) {
        if self.file.book.is_some()
            && let Some(word) = self.game.take_if(|word| games().open(word).is_err())
        {
            words.insert(0, word.into());
        }
    }

    /// The game with these options.
    fn subject(&self, game: &str, rules: RuleOptions) -> Subject {
        let (data, metric) = (self.data.clone(), self.metric);
        Subject { game: game.to_owned(), rules, data, metric }
    }

    /// The game as it was given; `None` where it was not.
    fn given(&self) -> Result<Option<(Subject, AnyGame)>, Failure> {
        let Some(name) = &self.game else { return Ok(None) };
        let subject = self.subject(name, self.rules.clone());
        let game = subject.game()?;
        Ok(Some((subject, game)))
    }

    /// Where the book is.
    pub fn location(&self) -> Result<Location, Failure> {
        if let Some(location) = &self.file.book {
            return Ok(location.clone());
        }
        match self.given()? {
            Some((_, game)) => Ok(self.file.location(&self.data, &game)),
            None => Err(Failure::Usage("name a game, or a book with --book".to_owned())),
        }
    }

    /// The game of a book or an exported one with this id and start, and what was given in agreement with it.
    pub fn identified(
        &self,
        source: &impl fmt::Display,
        id: &str,
        start: &str,
    ) -> Result<(Subject, AnyGame), Failure> {
        let (info, options) = games().identified(id, start)?;
        let game = info.game(&options)?;
        let of = match start {
            "" => id.to_owned(),
            start => format!("{id} with {start}"),
        };
        let wrong = |given: String| {
            Failure::Usage(format!("{source} is for {of}, not for {given}; leave that out"))
        };
        if let Some(name) = &self.game
            && games().open(name)?.name != info.name
        {
            return Err(wrong(name.clone()));
        }
        let same = |other: &AnyGame| {
            other.id() == game.id() && other.start_options() == game.start_options()
        };
        for (name, value) in &self.rules.0 {
            let mut changed = options.clone();
            changed.set(*name, value.as_deref().unwrap_or("yes"));
            if !info.game(&changed).is_ok_and(|other| same(&other)) {
                let value = value.as_ref().map_or(String::new(), |value| format!(" {value}"));
                return Err(wrong(format!("--{name}{value}")));
            }
        }
        let rules = RuleOptions::from_text(info, &options.to_string()).map_err(Failure::Usage)?;
        Ok((self.subject(info.name, rules), game))
    }

    /// The book, with the options that it has.
    pub fn open(&self, access: Access) -> Result<Opened, Failure> {
        let location = self.location()?;
        // Opening for writing may convert the book, which has to wait until its game is right.
        let mut store = store::open(&location, Access::Read, CACHE)?;
        let facts = Facts::of(&store)?;
        let (subject, game) = match &facts.start {
            Some(start) => self.identified(&location, &facts.game, start)?,
            // Books of older versions do not say how their game starts.
            None => match self.given()? {
                Some(given) => given,
                None => self.identified(&location, &facts.game, "")?,
            },
        };
        if access == Access::Write {
            drop(store);
            store = store::open(&location, access, CACHE)?;
        }
        Ok(Opened { book: Book::open(game, store, DEFAULT_ROOM)?, subject, location })
    }
}

impl Opened {
    /// The databases that exist; `None` if there are none.
    pub fn databases(&self) -> Result<Option<TableOracle>, Failure> {
        databases(&self.subject, self.book.game())
    }
}

/// A game's databases that exist; `None` if there are none.
pub fn databases(subject: &Subject, game: &AnyGame) -> Result<Option<TableOracle>, Failure> {
    if !game.has_databases() || !subject.dir(game).is_dir() {
        return Ok(None);
    }
    let set = subject.open(game, true, SCORES);
    subject.note_unchecked(game, &set);
    let oracle = TableOracle::new(Arc::new(set))?;
    Ok((!oracle.is_empty()).then_some(oracle))
}

/// How positions are evaluated.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ExpertArgs {
    /// Plies of the engine's search of each new position; 0 takes the game's own guess
    #[arg(long, value_name = "PLIES", default_value_t = 8)]
    pub depth: u32,
    /// Positions of one search at most
    #[arg(long, value_name = "N")]
    pub search_nodes: Option<u64>,
    /// Probe databases only where at least this many plies are left to search
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    pub probe_depth: u32,
    /// Memory of each engine's table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    pub table: usize,
}

/// The expert that evaluates positions.
pub type AnyExpert<'a> = Box<dyn Expert<AnyGame> + Send + 'a>;

impl ExpertArgs {
    /// In the form of the book.
    pub fn settings(&self) -> expert::ExpertSettings {
        expert::ExpertSettings {
            depth: self.depth,
            search_nodes: self.search_nodes,
            probe_depth: self.probe_depth,
            table_bytes: self.table << 20,
        }
    }

    /// An expert: databases, then the engine.
    pub fn expert<'a>(&self, game: &AnyGame, databases: Option<&'a TableOracle>) -> AnyExpert<'a> {
        self.settings().expert(game, databases)
    }
}

/// A place in the book, with the way there.
pub struct Place {
    pub id: NodeId,
    pub situation: Situation<AnyPosition>,
}

impl Place {
    /// The start of the book: the game's own start if it is that, otherwise without points.
    pub fn start(book: &mut StoredBook<AnyGame>) -> Result<Self, Failure> {
        let id = book.root();
        let position = book.position(id)?;
        let start = book.game().start();
        let situation =
            if start.position == position { start } else { Situation::new(position, Side::First) };
        Ok(Place { id, situation })
    }

    /// The place after some moves, or the one of a position.
    pub fn of(
        book: &mut StoredBook<AnyGame>,
        moves: &[String],
        position: Option<&str>,
    ) -> Result<Self, Failure> {
        let mut place = match position {
            None => Place::start(book)?,
            Some(text) => {
                let situation =
                    book.game().parse(text).map_err(|error| Failure::Usage(error.to_string()))?;
                let id = book.find(&situation.position)?.ok_or_else(|| not_in_book(text))?;
                Place { id, situation }
            }
        };
        for name in moves {
            let (at, _, step) = find_move(book.game(), &place.situation, name)?;
            let edges = &book.node(place.id)?.edges;
            let Some(edge) = edges.get(at) else { return Err(not_in_book(name)) };
            place.id = edge.child;
            place.situation = book.game().advance(&place.situation, &step);
        }
        Ok(place)
    }
}

fn not_in_book(what: &str) -> Failure {
    Failure::Failed(format!("{what} is not in the book; expand the book there first"))
}

/// A move with its place in the order of the rules and what it does.
pub type Named = (
    usize,
    <AnyGame as nutcracker_game::Rules>::Move,
    Step<<AnyGame as nutcracker_game::Rules>::Position>,
);

/// All legal moves with their names.
pub fn named_moves(game: &AnyGame, situation: &Situation<AnyPosition>) -> Vec<(String, Named)> {
    let mut moves = Vec::new();
    if game.outcome(&situation.position).is_none() {
        game.moves(&situation.position, &mut moves);
    }
    let named = moves.into_iter().enumerate().map(|(at, mv)| {
        let step = game.play(&situation.position, &mv);
        (game.format_move(situation, &mv, &step), (at, mv, step))
    });
    named.collect()
}

/// The move with a name.
pub fn find_move(
    game: &AnyGame,
    situation: &Situation<AnyPosition>,
    name: &str,
) -> Result<Named, Failure> {
    let place = nutcracker_game::find_move(game, situation, name);
    let place = place.map_err(|error| Failure::Usage(error.to_string()))?;
    let mut moves = Vec::new();
    game.moves(&situation.position, &mut moves);
    let mv = moves[place];
    Ok((place, mv, game.play(&situation.position, &mv)))
}
