//! `nutcracker engine`: the engine protocol on standard input and output.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_book::BookError;
use nutcracker_book::store::Location;
use nutcracker_engine::{
    BookPlayer, Dialect, Identity, LearningPlayer, Player, Searcher, Settings, Strategist, serve,
};
use nutcracker_game::Rules;
use nutcracker_search::EngineOptions;
use nutcracker_search::player::{Level, Strategy};

use crate::args::{Subject, Threads};
use crate::book_option::{BookOption, open_book};
use crate::databases;
use crate::failure::Failure;
use crate::note;

/// Play over the engine protocol on standard input and output
///
/// The commands are those of UCI, with positions and moves in this program's notation; unknown
/// commands are ignored. For awari and oware the dialect of Aualé is spoken too, and chess is played
/// over UCI as it is. docs/protocol.md describes the protocol.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  printf 'uci\\nposition startpos moves F4\\ngo depth 6\\n' | nutcracker engine awari
  printf 'position startpos moves FfBe\\ngo depth 6\\n' | nutcracker engine oware --dialect auale
  printf 'position fen 8/8/8/8/8/4k3/8/R3K3 w - - 0 1\\ngo depth 6\\n' | nutcracker engine chess
  nutcracker engine chess --strategy \"Z50- M-\"")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    threads: Threads,
    /// Size of the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// How strong it plays: 1 to 10, which look 6 plies ahead where databases do not reach and err on
    /// purpose, or perfect
    #[arg(long, value_name = "LEVEL", default_value = "perfect")]
    level: Level,
    /// Choose by filters where databases of their metrics reach, as `play --strategy` does: "Z50- M-"
    #[arg(long, value_name = "FILTERS", allow_hyphen_values = true)]
    strategy: Option<Strategy>,
    /// How positions and moves are written: own, auale for Aualé and Aalina, or uci for chess, which
    /// it is there by default; elsewhere as the interface writes them, and until that shows as own
    #[arg(long, value_name = "DIALECT")]
    dialect: Option<Dialect>,
    #[command(flatten)]
    book: BookOption,
}

impl Args {
    /// Serves.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        let dialect = self.dialect.or_else(|| Dialect::usual(&game));
        dialect.unwrap_or_default().check(&game).map_err(Failure::Usage)?;
        let databases = databases::open(&game, &self.subject)?;
        let settings = Settings {
            level: self.level,
            search: EngineOptions {
                threads: self.threads.count(),
                table_bytes: (self.hash as usize) << 20,
                ..EngineOptions::default()
            },
            ..Settings::default()
        };
        let identity = Identity {
            name: format!("Nutcracker {} {}", env!("CARGO_PKG_VERSION"), game.id().name),
            author: "the Nutcracker authors".to_owned(),
        };
        let books = self.book.open(&game, &databases)?;
        let name = identity.name.clone();
        let searcher = Searcher::new(game.clone(), Arc::clone(&databases), name, settings);
        let rules = game.clone();
        let open = move |name: &str| {
            let location = Location::from(OsString::from(name));
            open_book(&rules, &location).map_err(|error| error.to_string())
        };
        let player = BookPlayer::new(books.book, Arc::clone(&databases), searcher, 1)
            .with_style(books.style)
            .with_opener(Box::new(open));
        let mut player: Box<dyn Player<AnyGame>> = Box::new(player);
        if let Some(strategy) = self.strategy {
            let oracles = databases::by_metrics(&game, &databases, &strategy)?;
            player = Box::new(Strategist::new(game.clone(), strategy, oracles, player));
        }
        let player: Box<dyn Player<AnyGame>> = match books.learner {
            Some(learner) => {
                let on_error =
                    |error: &BookError| note(&format!("a game was not learned: {error}"));
                Box::new(LearningPlayer::new(player, learner, Box::new(on_error)))
            }
            None => player,
        };
        let input = io::stdin().lock();
        let served = serve(game, player, &identity, dialect, input, io::stdout());
        served.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Failed(format!("the engine protocol was cut off: {error}")),
        })
    }
}
