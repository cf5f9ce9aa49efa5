//! The book, the expert that evaluates positions, and the place in the book.

use std::path::PathBuf;
use std::sync::Arc;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::expert::{self, Expert};
use nutcracker_book::node::NodeId;
use nutcracker_book::store::RedbStore;
use nutcracker_book::{Book, DEFAULT_ROOM};
use nutcracker_game::{Numbering, Rules, Side, Situation, Step};
use nutcracker_search::TableOracle;

use crate::args::Subject;
use crate::failure::Failure;

/// Pages of the book's file kept in memory, in bytes.
const CACHE: usize = 256 << 20;
/// Decoded scores of databases kept.
const SCORES: u64 = 64 << 20;

/// Which book.
#[derive(Clone, Debug, clap::Args)]
pub struct Target {
    #[command(flatten)]
    pub subject: Subject,
    /// The book's file; by default one in the directory with the databases, named after
    /// game and options
    #[arg(long = "book", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

impl Target {
    /// The book's file.
    pub fn path(&self, game: &AnyGame) -> PathBuf {
        let usual = || self.subject.data.data.join(nutcracker_book::file_name(game));
        self.file.clone().unwrap_or_else(usual)
    }

    /// A new file.
    pub fn create(&self, game: &AnyGame) -> Result<RedbStore, Failure> {
        let path = self.path(game);
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir).map_err(|error| {
                Failure::Failed(format!(
                    "cannot make {}: {error}; use another --book",
                    dir.display()
                ))
            })?;
        }
        Ok(RedbStore::create(&path, CACHE)?)
    }

    /// The book.
    pub fn open(&self, game: &AnyGame) -> Result<Book<AnyGame, RedbStore>, Failure> {
        let store = RedbStore::open(&self.path(game), CACHE)?;
        Ok(Book::open(game.clone(), store, DEFAULT_ROOM)?)
    }

    /// The databases that exist; `None` if there are none.
    pub fn databases(&self, game: &AnyGame) -> Result<Option<TableOracle>, Failure> {
        if !game.has_databases() || !self.subject.dir(game).is_dir() {
            return Ok(None);
        }
        let set = self.subject.open(game, true, SCORES);
        self.subject.note_unchecked(game, &set);
        let oracle = TableOracle::new(Arc::new(set))?;
        Ok((!oracle.is_empty()).then_some(oracle))
    }
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
    pub fn start(book: &mut Book<AnyGame, RedbStore>) -> Result<Self, Failure> {
        let id = book.root();
        let position = book.position(id)?;
        let start = book.game().start();
        let situation =
            if start.position == position { start } else { Situation::new(position, Side::First) };
        Ok(Place { id, situation })
    }

    /// The place after some moves, or the one of a position.
    pub fn of(
        book: &mut Book<AnyGame, RedbStore>,
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
