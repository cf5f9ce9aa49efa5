//! `nutcracker annotate`: where a recorded game was lost.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use nutcracker_any::AnyGame;
use nutcracker_engine::record::RecordError;
use nutcracker_engine::{Analyser, Annotated, Apparent, Loss, Transcript, write_game};
use nutcracker_game::{Notation, Rules, Side, format_in};
use nutcracker_search::player::Source;
use nutcracker_search::{EngineOptions, Limits};
use serde_json::{Value, json};

use crate::args::{Data, MetricOption, RuleOptions, Subject, Threads};
use crate::contestant::parse_thinking_time;
use crate::databases;
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{self, counted, rounded};
use crate::outcome::name;
use crate::{print, table};

/// Default size of a search, in positions. A number of positions gives the same answer every time; a
/// time does not.
const SEARCH_NODES: u64 = 1_000_000;

/// The form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Table,
    /// For programs
    Json,
    /// A picture of the value over the game
    Svg,
    /// The record again, with values and comments
    Record,
}

/// Show where a recorded game was lost
///
/// Every move is listed with its value and the best move's, for the side that moved, from there on:
/// exact where a database or a proof decides, else by search and marked with ~. Records are written
/// by `play` (save) and `match`, and can be written by hand; docs/protocol.md has the format. Games
/// of oware are also read from files of Aualé (OGN), PlayStrategy and OpenSpiel, those of checkers from
/// PDN; docs/notation.md lists what is read and written.
///
/// Errors are marked ?!, ? and ?? by what they lose, as a share of what the game is worth: in awari
/// with 48 stones from 0.5, 1.5 and 3.5 points on. A move that is proven to turn a win into a draw or
/// a loss, or a draw into a loss, is always ??. Moves of a match's opening are no player's errors.
/// Where databases count moves, values have the distance, and for each side the competence that its
/// moves show is estimated, with the level of `play` that comes nearest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker annotate game.txt
  nutcracker annotate nutcracker-match.txt --number 3 --format svg > course.svg
  nutcracker annotate game.ogn --format record --notation playstrategy")]
pub struct Args {
    /// The file with the record
    file: PathBuf,
    /// Which game of the file
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,
    /// The game, where the file does not name it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    threads: Threads,
    /// How many plies ahead is searched where no database decides, however long that takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// How many positions the search for the best move examines; a million unless something else is
    /// given. The move played is then searched to the same depth. With one thread the same file is
    /// always marked the same; with several, searches differ a little from run to run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How long the search for the best move takes; the answer then depends on the machine's speed
    #[arg(long, value_name = "TIME", value_parser = parse_thinking_time)]
    think: Option<Duration>,
    /// Losses below this count as no errors, where they are not proven; half a point in a game that
    /// is worth 48, in proportion in others with points, and 0.05 where a win is 1
    #[arg(long, value_name = "POINTS")]
    threshold: Option<f64>,
    /// How the answer is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
    /// For --format record, how the game is written: own, auale (OGN), playstrategy,
    /// openspiel or uci
    #[arg(long, value_name = "NOTATION", default_value_t = Notation::Own)]
    notation: Notation,
}

impl Args {
    /// Annotates.
    pub fn run(self) -> Result<(), Failure> {
        let file = self.file.display().to_string();
        let text = fs::read_to_string(&self.file)
            .map_err(|error| Failure::Failed(format!("cannot read {file}: {error}")))?;
        if self.notation != Notation::Own && self.format != Form::Record {
            return Err(Failure::Usage("--notation is for --format record".to_owned()));
        }
        let mut games = Transcript::read_all(&text)
            .map_err(|error| Failure::Failed(format!("{file} is not a record: {error}")))?;
        let count = games.len();
        if self.number == 0 || self.number > count {
            let numbers = match count {
                0 => String::new(),
                1 => "; use --number 1".to_owned(),
                _ => format!("; use --number 1 to {count}"),
            };
            return Err(Failure::Usage(format!(
                "{file} has {}, so there is no number {}{numbers}",
                counted(count as u64, "game"),
                self.number
            )));
        }
        let found = games.swap_remove(self.number - 1);
        let broken =
            |what: String| Failure::Failed(format!("{file}, game {}: {what}", self.number));
        let name = self.game.clone().or_else(|| found.game()).ok_or_else(|| {
            broken(
                "no tag names the game; add a line such as [Game \"awari\"], or --game awari"
                    .to_owned(),
            )
        })?;
        let rules = match crate::args::games().info(&name) {
            Ok(info) => RuleOptions::from_text(info, found.options()).map_err(broken)?,
            Err(_) => RuleOptions::default(),
        };
        let subject =
            Subject { game: name, rules, data: self.data.clone(), metric: MetricOption::default() };
        self.annotate(&subject, &found)
    }

    fn annotate(self, subject: &Subject, found: &Transcript) -> Result<(), Failure> {
        let (args, game) = (self, subject.game()?);
        // Before the work, not after it.
        format_in(&game, &game.start(), args.notation).map_err(Failure::Usage)?;
        let (played, record) = found.replay(game.clone()).map_err(|error: RecordError| {
            Failure::Failed(format!(
                "{}, game {} cannot be replayed: {error}",
                args.file.display(),
                args.number
            ))
        })?;
        let databases = databases::open(&game, subject)?;
        let options = EngineOptions { threads: args.threads.count(), ..EngineOptions::default() };
        let mut analyser = Analyser::new(game, databases, options);
        let open = args.depth.is_none() && args.think.is_none();
        let nodes = args.nodes.or_else(|| open.then_some(SEARCH_NODES));
        let limits = Limits { depth: args.depth, nodes, time: args.think, ..Limits::default() };
        let (all, line) = (played.moves().len(), LiveLine::new());
        let mut analysis = analyser
            .analyse(&played, &limits, &mut |ply| {
                line.update(|| format!("move {} of {all}", ply + 1).into());
            })
            .map_err(|error| Failure::Failed(error.to_string()))?;
        drop(line);
        analysis.opening = record.opening();
        let apparent = analyser.apparent(&played, analysis.opening);
        let apparent = apparent.map_err(|error| Failure::Failed(error.to_string()))?;
        let threshold = args.threshold;
        let record = &record;
        let annotated = Annotated { played: &played, analysis: &analysis, record, threshold };
        print(&match args.format {
            Form::Table => for_people(&annotated, apparent),
            Form::Json => format!("{}\n", for_programs(&annotated, apparent)),
            Form::Svg => annotated.picture(nutcracker_draw::Form::File),
            Form::Record => write_game(&played, &annotated.commented(), args.notation)
                .map_err(Failure::Failed)?,
        })
    }
}

fn source_text(source: Source) -> String {
    match source {
        Source::Search { depth } => format!("depth {depth}"),
        source => source.name().to_owned(),
    }
}

fn for_people(annotated: &Annotated<'_, AnyGame>, apparent: [Option<Apparent>; 2]) -> String {
    let names = annotated.names();
    let rows = annotated.analysis.moves.iter().zip(&names).zip(1..).map(
        |((evaluated, (mv, best)), ply): (_, usize)| {
            // Of moves that lose nothing, one that takes longer is not the best.
            let slower = evaluated.value.distance != evaluated.best_value.distance;
            let better = slower || evaluated.loss.points() > 0.0;
            let better = if better { best.clone() } else { String::new() };
            vec![
                format!("{ply}."),
                name(annotated.played.game(), evaluated.side),
                format!("{mv}{}", annotated.mark(ply - 1)),
                evaluated.value.to_string(),
                better,
                evaluated.best_value.to_string(),
                evaluated.loss.text(),
                source_text(evaluated.source),
            ]
        },
    );
    let header = ["", "side", "move", "worth", "better", "best", "lost", "by"];
    let [first, second] = annotated.players();
    let mut text = format!("{first} against {second}: {}\n\n", annotated.outcome());
    text += &table::render(&header, &[1, 2, 4, 7], rows.collect());
    text.push('\n');
    for side in [Side::First, Side::Second] {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}", annotated.account(side));
    }
    for (side, apparent) in [Side::First, Side::Second].into_iter().zip(apparent) {
        let Some(apparent) = apparent else { continue };
        let _ = writeln!(text, "{}: {apparent}", name(annotated.played.game(), side));
    }
    text + &annotated
        .decisive(&names)
        .map_or_else(|| "no move changed who wins\n".to_owned(), |sentence| format!("{sentence}\n"))
}

fn for_programs(annotated: &Annotated<'_, AnyGame>, apparent: [Option<Apparent>; 2]) -> Value {
    let game = annotated.played.game();
    let names = annotated.names();
    let moves = annotated.analysis.moves.iter().zip(&names).zip(1..);
    let moves: Vec<Value> = moves
        .map(|((evaluated, (mv, best)), ply): (_, usize)| {
            let depth = match evaluated.source {
                Source::Search { depth } => Some(depth),
                _ => None,
            };
            json!({
                "ply": ply,
                "side": game.side_name(evaluated.side),
                "move": mv,
                "value": evaluated.value,
                "best": best,
                "best_value": evaluated.best_value,
                "lost": number::json(evaluated.loss.points()),
                "lost_kind": match evaluated.loss {
                    Loss::Exact(_) => "exact",
                    Loss::AtLeast(_) => "at-least",
                    Loss::About(_) => "guess",
                },
                "error": annotated.is_error(ply - 1),
                "mark": annotated.mark(ply - 1),
                "opening": ply <= annotated.analysis.opening,
                "source": evaluated.source.name(),
                "depth": depth,
                "margin": evaluated.margins().map(rounded)[1],
            })
        })
        .collect();
    let sides =
        [(Side::First, apparent[0]), (Side::Second, apparent[1])].map(|(side, apparent)| {
            let (proven, all) = annotated.lost(side);
            let mut summary = json!({
                "side": game.side_name(side),
                "errors": annotated.errors(side).len(),
                "lost": rounded(all),
                "lost_proven": rounded(proven),
            });
            if let Some(Apparent { competence, level, moves }) = apparent {
                summary["apparent"] = json!({
                    "competence": rounded(competence),
                    "level": level.to_string(),
                    "moves": moves,
                });
            }
            summary
        });
    let decisive = annotated.analysis.decision().map(|decision| {
        json!({"ply": decision.ply + 1, "move": names[decision.ply].0, "from": decision.from, "to": decision.to})
    });
    json!({
        "game": game.id().name,
        "options": annotated.record.tag("Options"),
        "position": game.format(annotated.played.start()),
        "margin": annotated.analysis.margin,
        "moves": moves,
        "summary": sides,
        "decisive": decisive,
    })
}
