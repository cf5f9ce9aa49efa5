//! `nutcracker play`: a game against the computer in the terminal.

mod palette;
mod session;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_engine::{Analyser, MoveLimits, Played, Settings, Thinker};
use nutcracker_game::{Numbering, Rules, Side, Situation};
use nutcracker_search::EngineOptions;
use nutcracker_search::player::{Fallible, Level, Perfect, Strategy};

use crate::args::{Subject, slice_label};
use crate::book_option::BookOption;
use crate::contestant::{Contestant, Programs, parse_thinking_time};
use crate::databases::{self, Databases};
use crate::failure::Failure;
use palette::Palette;
use session::Session;

/// Play a game against the computer
///
/// Moves are typed as they are listed, a pit's letter is enough; `help` lists what else can be
/// typed: undo, hint, values, save. Where databases reach, values are exact; elsewhere they are
/// estimates of a search, marked with ~.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker play awari --level 3
  nutcracker play awari --level perfect --side north
  nutcracker play chess --strategy \"Z- M-\" --position \"8/8/8/8/8/3k4/8/K1R5 w - -\" --side black
  nutcracker play othello --size 6 --side white --level 5")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// How strong the computer plays: 1 to 10, which look 6 plies ahead where databases do not reach
    /// and err on purpose, or perfect, which uses its time; 5 by default, perfect with --strategy
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// The side you play, by its name; the side that moves first by default
    #[arg(long, value_name = "SIDE")]
    side: Option<String>,
    /// Where to begin, instead of at the start
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,
    /// How long the computer thinks about a move, if it plays perfectly; and about a hint
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_thinking_time)]
    think: Duration,
    /// How many plies ahead the computer thinks, however long that takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// Among equal moves the computer prefers those that invite errors
    #[arg(long)]
    trappy: bool,
    /// The computer chooses by filters where databases of their metrics reach: M (mate), C
    /// (conversion), Z (zeroing), Z50 (under a rule of 50 moves), H50, R, each with - (the nearest
    /// win), + (the farthest) or o (any that comes in time), as in "Zo Z50- M-"; elsewhere by --level
    #[arg(long, value_name = "FILTERS", allow_hyphen_values = true)]
    strategy: Option<Strategy>,
    /// The computer also thinks while you do, about the move it expects
    #[arg(long)]
    ponder: bool,
    /// What the computer does at random is the same for the same number; without it, different
    /// every time
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A program that plays instead, by its command
    #[arg(long, value_name = "COMMAND")]
    engine_command: Option<String>,
    #[command(flatten)]
    programs: Programs,
    #[command(flatten)]
    book: BookOption,
}

/// How strong the computer plays where nothing is asked for.
const USUAL: &str = "5";

impl Args {
    fn level(&self) -> Level {
        let usual = USUAL.parse().unwrap_or(Level::PERFECT);
        self.level.unwrap_or(if self.strategy.is_some() { Level::PERFECT } else { usual })
    }

    fn limits(&self) -> MoveLimits {
        match self.depth {
            Some(depth) => MoveLimits::depth(depth),
            None => MoveLimits::time(self.think),
        }
    }

    fn opponent(&self) -> Contestant {
        if let Some(command) = &self.engine_command {
            return Contestant::program(command);
        }
        let settings = Settings { level: self.level(), trappy: self.trappy, ..Settings::default() };
        let name = match self.level() {
            Level::PERFECT => "perfect".to_owned(),
            level => format!("level {level}"),
        };
        let player = Contestant::search(name, settings, self.limits());
        match &self.strategy {
            Some(strategy) => player.by(strategy.clone()),
            None => player,
        }
    }
}

/// The side with this name, by its beginning.
fn side_named(game: &AnyGame, text: &str) -> Result<Side, Failure> {
    let sides = [Side::First, Side::Second];
    let low = text.to_lowercase();
    let found = sides
        .into_iter()
        .find(|side| !low.is_empty() && game.side_name(*side).to_lowercase().starts_with(&low));
    found.ok_or_else(|| {
        let [first, second] = sides.map(|side| game.side_name(side));
        Failure::Usage(format!(
            "the sides of {} are {first} and {second}, not {text:?}",
            game.id().name
        ))
    })
}

impl Args {
    /// How often the computer errs from here on, by the model of its level; or where its strategy
    /// applies.
    fn manner(
        &self,
        game: &AnyGame,
        databases: &Arc<Databases>,
        start: &Situation<AnyPosition>,
        computer: Side,
    ) -> Option<String> {
        if self.engine_command.is_some() {
            return None;
        }
        if let Some(strategy) = &self.strategy {
            let otherwise = match self.level() {
                Level::PERFECT => "the perfect player".to_owned(),
                level => format!("level {level}"),
            };
            return Some(format!(
                "It chooses by {strategy} where databases of these metrics reach, and as {otherwise} \
                 elsewhere."
            ));
        }
        let level = self.level();
        let slice = game.slice_of(&start.position);
        if level == Level::PERFECT {
            return None;
        }
        let mut perfect = Perfect::new(game.clone(), Arc::clone(databases));
        let (begins, fallible) = (start.mover == computer, Fallible::new(game, level));
        let rates = perfect.error_rates_from(&start.position, begins, &fallible, &|| false);
        let [slips, gifts] = rates.ok()??.map(|rate| 100.0 * rate);
        Some(format!(
            "By the model of its level, {slips:.1}% of its moves from {} on are not the best, and \
             {gifts:.1}% give the result away.",
            slice_label(game, slice),
        ))
    }

    /// Plays.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        let start = match &self.position {
            None => game.start(),
            Some(text) => game.parse(text).map_err(|error| {
                let example = game.format(&game.start());
                Failure::Usage(error.with_example(&example))
            })?,
        };
        let human = match &self.side {
            Some(text) => side_named(&game, text)?,
            None => Side::First,
        };
        let databases = databases::open(&game, &self.subject)?;
        let seed = self.seed.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |time| time.as_nanos() as u64)
        });
        let reach = databases::reach(&game, &databases);
        let opponent = self.opponent();
        let manner = self.manner(&game, &databases, &start, human.other());
        let mut books = self.book.open(&game, &databases)?;
        let mut player = opponent.player(&game, &databases, seed, &self.programs, &books)?;
        std::thread::scope(|scope| {
            let player = Thinker::start(scope, &mut *player);
            let session = Session {
                limits: opponent.limits(self.limits()),
                opponent: opponent.name.clone(),
                player: player.map_err(|error| Failure::Failed(error.to_string()))?,
                ponders: self.ponder,
                palette: Palette::for_stdout(),
                learner: books.learner.take(),
                learned: Vec::new(),
                analyser: Analyser::new(game.clone(), databases, EngineOptions::default()),
                advised: None,
                played: Played::new(game, start),
                human,
                options: self.subject.rules.text(),
                reach,
                manner,
                depth: self.depth,
                think: self.think,
            };
            session.run(&mut io::stdin().lock())
        })
    }
}
