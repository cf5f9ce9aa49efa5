//! `nutcracker match`: two players against each other, or several in a round robin.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nutcracker_any::AnyGame;
use nutcracker_engine::{
    Analyser, Contest, Elo, Finished, MoveLimits, Played, Player, Seat, Tally, TimeControl,
    level_openings, ratings, slice_openings,
};
use nutcracker_game::Rules;
use nutcracker_search::player::Level;
use nutcracker_search::{EngineOptions, Limits};
use serde_json::{Value, json};

use crate::args::{Format, Subject, need_databases, slice_named};
use crate::book_option::{AnyLearner, BookOption};
use crate::contestant::{Contestant, Programs};
use crate::databases::{self, Databases};
use crate::deck::{DeckOption, drawn};
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{counted, rounded, thousands};
use crate::{note, print, table};

/// Depth of the search that compares openings.
const OPENING_DEPTH: u32 = 6;
/// Failed games in a row after which the match ends.
const MAX_FAILURES: u32 = 3;

/// Let players play against each other
///
/// Two players play a match. Of more, every two play one, and the result is a list of ratings.
/// --ladder lets every level play the one below it, and the perfect player the strongest level.
///
/// A player is described by how it plays: depth=6, nodes=10000, time=0.1s, level=3, perfect (as far
/// as databases reach), random, or cmd:PROGRAM for any program that speaks the engine protocol; more
/// behind commas: hash=64 (MiB), threads=1, ponder, trappy, databases=no, book=no or book=FILE, draws=win,
/// public-draws=loss, variety=0.5, reductions, probe=2, strategy=Z50-M-. Both begin once from every opening: a few
/// random moves to a position in which neither side is ahead, or one of --openings. Every game is added to a file of
/// records, which `nutcracker annotate` and `nutcracker book import` read. Without depth, nodes or
/// time, levels look 6 plies ahead and others 8; a level never looks further, however much time it
/// has.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker match awari depth=6 depth=2 --games 20
  nutcracker match awari level=8 level=3 --games 20
  nutcracker match awari depth=2 depth=4 depth=6 level=9 --games 40
  nutcracker match awari --ladder --games 400
  nutcracker match checkers depth=6 depth=4 --openings ballots --games 348
  nutcracker match chess --ladder --slice kqkr --games 100
  nutcracker match awari depth=6 'cmd:nutcracker engine awari --level 5' --games 4 --time 10s+0.1s

A program that speaks the dialect of Aualé:
  nutcracker match oware depth=6 'dialect=auale,cmd:aalina' --games 4 --time 1s/move")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The first player
    #[arg(value_name = "A", required_unless_present = "ladder", value_parser = Contestant::parse)]
    first: Option<Contestant>,
    /// The second player
    #[arg(value_name = "B", required_unless_present_any = ["engine_command", "ladder"], value_parser = Contestant::parse)]
    second: Option<Contestant>,
    /// More players, for a round robin
    #[arg(value_name = "C", value_parser = Contestant::parse)]
    others: Vec<Contestant>,
    /// Every level against the one below it, the weakest against random moves, and the perfect
    /// player against the strongest
    #[arg(long, conflicts_with_all = ["first", "second", "others", "engine_command"])]
    ladder: bool,
    /// A program as the second player, by its command
    #[arg(long, value_name = "COMMAND", conflicts_with = "second")]
    engine_command: Option<String>,
    #[command(flatten)]
    programs: Programs,
    /// Games to play, by every two players that meet
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// The time control: 0.5s/move, 5m, 5m+3s, 40/5m, arimaa:60s/5m/75/0/4h/4m; without it, each
    /// player as described, and programs 0.1s/move
    #[arg(long, value_name = "CONTROL")]
    time: Option<TimeControl>,
    /// All players, programs too, think in the opponent's time as well; without it, those
    /// described with ponder
    #[arg(long)]
    ponder: bool,
    /// Random moves of an opening
    #[arg(long, value_name = "N", default_value_t = 4, conflicts_with = "openings", value_parser = clap::value_parser!(u16).range(0..=100))]
    opening_moves: u16,
    #[command(flatten)]
    deck: DeckOption,
    /// Begin with random positions of this slice, such as krk, instead of openings
    #[arg(long, value_name = "NAME", conflicts_with_all = ["opening_moves", "openings"])]
    slice: Option<String>,
    /// Openings and errors on purpose are the same for the same number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The file that the records of the games are added to
    #[arg(long, value_name = "FILE", default_value = "nutcracker-match.txt")]
    record: PathBuf,
    #[command(flatten)]
    book: BookOption,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Args {
    /// The players, and who meets whom: the stronger level first on a ladder.
    fn field(&self) -> Result<(Vec<Contestant>, Vec<[usize; 2]>), Failure> {
        if self.ladder {
            let levels = Level::all().map(|level| format!("level={level}"));
            let names = ["random".to_owned()].into_iter().chain(levels);
            let players: Result<Vec<_>, String> =
                names.chain(["perfect".to_owned()]).map(|name| Contestant::parse(&name)).collect();
            let players = players.map_err(Failure::Failed)?;
            let steps = (1..players.len()).map(|place| [place, place - 1]).collect();
            return Ok((players, steps));
        }
        let program = self.engine_command.as_deref().map(Contestant::program);
        let named = self.first.iter().chain(&self.second).chain(&self.others).cloned();
        let players: Vec<_> = named.chain(program).collect();
        let count = players.len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect();
        Ok((players, pairs))
    }
}

impl Args {
    /// An opening for every pair of games.
    fn openings(
        &self,
        game: &AnyGame,
        databases: &Arc<Databases>,
    ) -> Result<Vec<Played<AnyGame>>, Failure> {
        let pairs = self.games.div_ceil(2) as usize;
        let (openings, of, advice) = if let Some(listed) = self.deck.read(game)? {
            (drawn(listed, pairs, self.seed), String::new(), "play fewer --games")
        } else if let Some(name) = &self.slice {
            need_databases(game)?;
            return Ok(slice_openings(game, slice_named(game, name)?, pairs, self.seed));
        } else {
            let mut analyser =
                Analyser::new(game.clone(), databases.clone(), EngineOptions::default());
            let openings = level_openings(
                game,
                pairs,
                self.opening_moves.into(),
                self.seed,
                &mut |opening: &Played<AnyGame>| {
                    let value = analyser.value(opening, &Limits::depth(OPENING_DEPTH));
                    value.map(nutcracker_search::Worth::hundredths)
                },
            );
            let openings = openings.map_err(|error| Failure::Failed(error.to_string()))?;
            let of = format!(" of {}", counted(self.opening_moves.into(), "move"));
            (openings, of, "use more --opening-moves")
        };
        let different: HashSet<_> = openings.iter().map(|opening| *opening.now()).collect();
        if different.len() < openings.len() {
            let are = if different.len() == 1 { "is" } else { "are" };
            note(&format!(
                "there {are} only {}{of} for {pairs} pairs of games: some are played again, so \
                 that the interval may be too narrow; {advice}",
                counted(different.len() as u64, "different opening"),
            ));
        }
        Ok(openings)
    }

    /// Plays.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        let databases = databases::open(&game, &self.subject)?;
        let (players, pairings) = self.field()?;
        let mut books = self.book.open(&game, &databases)?;
        let mut learner = books.learner.take();
        let file = open_record(&self.record)?;
        let seated = |place: usize, seed: u64| {
            players[place].player(&game, &databases, seed, &self.programs, &books)
        };
        // Programs that cannot be started are reported before anything else.
        let mut seats = match pairings[..] {
            [[a, b], ..] => Some([seated(a, self.seed)?, seated(b, self.seed + 1)?]),
            [] => None,
        };
        let openings = self.openings(&game, &databases)?;
        let different: HashSet<_> = openings.iter().map(|opening| *opening.now()).collect();
        let mut results = Vec::new();
        for &[a, b] in &pairings {
            let seats = match seats.take() {
                Some(seats) => seats,
                None => [seated(a, self.seed)?, seated(b, self.seed + 1)?],
            };
            let names = [players[a].clone(), players[b].clone()];
            let line = LiveLine::new();
            let (args, learner) = (&self, &mut learner);
            let mut hall = Hall { players: seats, learner, args, names: &names, file: &file, line };
            let before = look_ups(&databases);
            let mut outcome = hall.play(&openings)?;
            let after = look_ups(&databases);
            outcome.cache = [0, 1].map(|kind| after[kind] - before[kind]);
            outcome.openings = different.len();
            results.push(Pairing { places: [a, b], names, outcome });
        }
        let field = Field { game: &game, args: &self, players: &players, results: &results };
        print(&match (&results[..], self.format) {
            ([Pairing { names, outcome, .. }], Format::Table) => outcome.for_people(&self, names),
            ([Pairing { names, outcome, .. }], Format::Json) => {
                format!("{}\n", outcome.for_programs(&game, &self, names))
            }
            (_, Format::Table) => field.for_people(),
            (_, Format::Json) => format!("{}\n", field.for_programs()),
        })
    }
}

/// A match of a round robin, or a step of a ladder.
struct Pairing {
    places: [usize; 2],
    names: [Contestant; 2],
    outcome: Outcome,
}

/// All matches between several players.
struct Field<'a> {
    game: &'a AnyGame,
    args: &'a Args,
    players: &'a [Contestant],
    results: &'a [Pairing],
}

impl Field<'_> {
    /// The players with their ratings, the strongest first; in its own order for a ladder.
    fn ratings(&self) -> Vec<(&str, Elo)> {
        let matches: Vec<_> = self
            .results
            .iter()
            .map(|pairing| (pairing.places[0], pairing.places[1], &pairing.outcome.tally))
            .collect();
        let list = ratings(self.players.len(), &matches);
        let mut list: Vec<_> =
            self.players.iter().map(|player| player.name.as_str()).zip(list).collect();
        list.sort_by(|a, b| b.1.difference.total_cmp(&a.1.difference));
        list
    }

    fn for_people(&self) -> String {
        let elo = |elo: Elo| {
            let Elo { difference, low, high } = elo;
            vec![elo_text(difference), format!("{} to {}", elo_text(low), elo_text(high))]
        };
        let rows = self.results.iter().map(|Pairing { names, outcome, .. }| {
            let tally = &outcome.tally;
            let counts = [tally.games(), tally.wins(), tally.draws(), tally.losses()];
            let mut row = vec![names[0].name.clone(), names[1].name.clone()];
            row.extend(counts.map(|count| count.to_string()));
            row.extend(elo(tally.elo()));
            row
        });
        let header = ["A", "B", "games", "A won", "drew", "lost", "Elo", "95% between"];
        let mut text = table::render(&header, &[0, 1], rows.collect());
        text += "\nratings relative to the mean of all players\n";
        let rows = self.ratings().into_iter().map(|(name, rating)| {
            let mut row = vec![name.to_owned()];
            row.extend(elo(rating));
            row
        });
        text += &table::render(&["player", "Elo", "95% between"], &[0], rows.collect());
        text + &format!("the games are in {}\n", self.args.record.display())
    }

    fn for_programs(&self) -> Value {
        let matches: Vec<Value> = self
            .results
            .iter()
            .map(|pairing| pairing.outcome.for_programs(self.game, self.args, &pairing.names))
            .collect();
        let list: Vec<Value> = self
            .ratings()
            .into_iter()
            .map(|(name, Elo { difference, low, high })| {
                json!({
                    "player": name,
                    "elo": elo_json(difference),
                    "elo_low": elo_json(low),
                    "elo_high": elo_json(high),
                })
            })
            .collect();
        json!({"game": self.game.id().name, "matches": matches, "ratings": list})
    }
}

/// Where the match is played.
struct Hall<'a> {
    players: [Box<dyn Player<AnyGame>>; 2],
    names: &'a [Contestant; 2],
    args: &'a Args,
    file: &'a File,
    line: LiveLine,
    /// What learns from every game.
    learner: &'a mut Option<AnyLearner>,
}

/// The outcome, as player A sees it.
#[derive(Default)]
struct Outcome {
    tally: Tally,
    /// Won, drawn and lost as the first to move, and as the second.
    sides: [[u32; 3]; 2],
    /// Games that ended because a player failed, by player.
    faults: [u32; 2],
    moves: usize,
    /// Different openings.
    openings: usize,
    seconds: f64,
    /// Look-ups in databases that found their block decoded, and those that did not.
    cache: [u64; 2],
}

impl Hall<'_> {
    fn play(&mut self, openings: &[Played<AnyGame>]) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        let began = Instant::now();
        let (mut left, mut in_a_row) = (self.args.games, [0, 0]);
        for opening in openings {
            let mut results = Vec::new();
            for place in [0, 1].into_iter().take(left.min(2) as usize) {
                left -= 1;
                // Player A moves first in the first game of a pair.
                let game = self.game(opening.clone(), place);
                let options = self.args.subject.rules.text();
                let names = [&self.names[place].name, &self.names[1 - place].name];
                let record = game.record(&options, names.map(String::as_str));
                // Game by game, so that finished games are kept whatever happens next.
                let mut file = self.file;
                let written = file.write_all(format!("{record}\n").as_bytes());
                written.map_err(|error| cannot_write(&self.args.record, &error))?;
                if let Some(learner) = self.learner {
                    learner.learn(&game.played)?;
                }
                let result = if place == 0 { game.result() } else { 1.0 - game.result() };
                results.push(result);
                outcome.sides[place][(2.0 - 2.0 * result) as usize] += 1;
                outcome.moves += game.played.moves().len();
                self.note_fault(&game, place, &mut outcome, &mut in_a_row)?;
            }
            outcome.tally.add_pair(&results);
            self.line.update(|| {
                let t = &outcome.tally;
                let (done, all) = (t.games(), self.args.games);
                format!("{done} of {all} games: +{} ={} -{}", t.wins(), t.draws(), t.losses())
                    .into()
            });
        }
        self.line.clear();
        outcome.seconds = began.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// One game; `place` is the seat of player A.
    fn game(&mut self, opening: Played<AnyGame>, place: usize) -> Finished<AnyGame> {
        let programs = MoveLimits::time(Duration::from_millis(100));
        let limits = [0, 1].map(|player| self.names[player].limits(programs));
        let [a, b] = &mut self.players;
        let ponders = [0, 1].map(|player| self.args.ponder || self.names[player].ponders);
        let a = Seat { player: &mut **a, limits: limits[0], ponders: ponders[0] };
        let b = Seat { player: &mut **b, limits: limits[1], ponders: ponders[1] };
        let contest = Contest { control: self.args.time, ..Contest::default() };
        contest.play(opening, if place == 0 { [a, b] } else { [b, a] })
    }

    /// Reports a player that failed; the match ends after too many failures in a row.
    fn note_fault(
        &self,
        game: &Finished<AnyGame>,
        place: usize,
        outcome: &mut Outcome,
        in_a_row: &mut [u32; 2],
    ) -> Result<(), Failure> {
        let Some((side, error)) = &game.fault else {
            *in_a_row = [0, 0];
            return Ok(());
        };
        let player = if *side == nutcracker_game::Side::First { place } else { 1 - place };
        outcome.faults[player] += 1;
        in_a_row[player] += 1;
        let name = &self.names[player].name;
        if in_a_row[player] >= MAX_FAILURES {
            return Err(Failure::Failed(format!(
                "{name} failed {MAX_FAILURES} games in a row: {error}"
            )));
        }
        self.line.note(&format!("{name} loses a game: {error}"));
        Ok(())
    }
}

/// Look-ups in databases so far, with the block decoded already and not.
fn look_ups(databases: &Databases) -> [u64; 2] {
    let stats = databases.as_ref().map(|databases| databases.set().cache().stats());
    stats.map_or([0, 0], |stats| [stats.hits, stats.misses])
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("cannot write {}: {error}; use another --record", path.display()))
}

/// The file that games are added to; opened before any is played, so that none is lost.
fn open_record(path: &Path) -> Result<File, Failure> {
    let file = File::options().create(true).append(true).open(path);
    file.map_err(|error| cannot_write(path, &error))
}

/// A difference for people: `+35`, or infinite.
fn elo_text(elo: f64) -> String {
    if elo.is_finite() {
        format!("{elo:+.0}")
    } else if elo > 0.0 {
        "+∞".into()
    } else {
        "-∞".into()
    }
}

/// A difference for programs; `null` where it is infinite.
fn elo_json(elo: f64) -> Value {
    if elo.is_finite() { rounded(elo).into() } else { Value::Null }
}

impl Outcome {
    fn for_people(&self, args: &Args, players: &[Contestant; 2]) -> String {
        let (tally, elo) = (&self.tally, self.tally.elo());
        let [a, b] = players.each_ref().map(|player| &player.name);
        let [[w1, d1, l1], [w2, d2, l2]] = self.sides;
        let verdict = match (tally.is_significant(), elo.difference > 0.0) {
            (true, true) => format!("{a} is the stronger"),
            (true, false) => format!("{b} is the stronger"),
            _ => "that does not show which is stronger".to_owned(),
        };
        let mut text = format!(
            "A is {a}, B is {b}\n\
             {}: A won {}, drew {}, lost {}; score {:.1}%\n\
             A moving first +{w1} ={d1} -{l1}, moving second +{w2} ={d2} -{l2}\n\
             Elo difference {}, 95% between {} and {}: {verdict}\n\
             likelihood that A is the stronger {:.1}%\n",
            counted(tally.games(), "game"),
            tally.wins(),
            tally.draws(),
            tally.losses(),
            100.0 * tally.score(),
            elo_text(elo.difference),
            elo_text(elo.low),
            elo_text(elo.high),
            100.0 * tally.superiority(),
        );
        if self.faults != [0, 0] {
            let [a, b] = self.faults;
            text = format!("{text}games lost because a player failed: A {a}, B {b}\n");
        }
        let [hits, misses] = self.cache;
        if hits + misses > 0 {
            let all = counted(hits + misses, "look-up");
            let misses = thousands(misses);
            text = format!(
                "{text}{all} in databases, {misses} of them in a block that had to be decoded\n"
            );
        }
        text + &format!("the games are in {}\n", args.record.display())
    }

    fn for_programs(&self, game: &AnyGame, args: &Args, players: &[Contestant; 2]) -> Value {
        let (tally, elo) = (&self.tally, self.tally.elo());
        let side = |[won, drawn, lost]: [u32; 3]| json!({"won": won, "drawn": drawn, "lost": lost});
        json!({
            "game": game.id().name,
            "options": args.subject.rules.text(),
            "a": players[0].name,
            "b": players[1].name,
            "games": tally.games(),
            "won": tally.wins(),
            "drawn": tally.draws(),
            "lost": tally.losses(),
            "score": rounded(tally.score()),
            "elo": elo_json(elo.difference),
            "elo_low": elo_json(elo.low),
            "elo_high": elo_json(elo.high),
            "significant": tally.is_significant(),
            "superiority": rounded(tally.superiority()),
            "first": side(self.sides[0]),
            "second": side(self.sides[1]),
            "faults": {"a": self.faults[0], "b": self.faults[1]},
            "openings": self.openings,
            "moves": self.moves,
            "cache": {"hits": self.cache[0], "misses": self.cache[1]},
            "seconds": rounded(self.seconds),
            "record": args.record.display().to_string(),
        })
    }
}
