//! `nutcracker annotate`: where a recorded game was lost.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use nutcracker_any::{AnyGame, AnyMove};
use nutcracker_draw::{Course, CourseError, CoursePoint, course_chart};
use nutcracker_engine::record::{Outcome, Record, RecordError};
use nutcracker_engine::{Analyser, Analysis, Loss, Played, Transcript, write_game};
use nutcracker_game::{Notation, Numbering, Rules, Side, format_in};
use nutcracker_search::player::Source;
use nutcracker_search::{EngineOptions, Limits};
use serde_json::{Value, json};

use crate::args::{Data, MetricOption, RuleOptions, Subject, Threads};
use crate::cmd::probe::name;
use crate::contestant::parse_thinking_time;
use crate::databases;
use crate::failure::Failure;
use crate::live::LiveLine;
use crate::number::{self, counted, rounded};
use crate::{print, table};

/// Default size of a search, in positions. A number of positions gives the same answer every time; a
/// time does not.
const SEARCH_NODES: u64 = 1_000_000;
/// The points that a game is worth in which the limits of marks are as they are written here: awari
/// with 48 stones. They grow and shrink with the game.
const REFERENCE: f64 = 48.0;
/// Guessed losses below this are no errors.
const THRESHOLD: f64 = 0.5;
/// Losses from these on are marked `?` and `??`.
const MARKS: [f64; 2] = [1.5, 3.5];

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
/// of oware are also read from files of Aualé (OGN), PlayStrategy and OpenSpiel; docs/notation.md
/// lists what is read and written.
///
/// Errors are marked ?!, ? and ?? by what they lose, as a share of what the game is worth: in awari
/// with 48 stones from 0.5, 1.5 and 3.5 points on. A move that is proven to turn a win into a draw or
/// a loss, or a draw into a loss, is always ??. Moves of a match's opening are no player's errors.
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
    /// How many moves ahead is searched where no database decides, however long that takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    /// How many positions the search for the best move examines; a million unless something else is
    /// given. The move played is then searched to the same depth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How long the search for the best move takes; the answer then depends on the machine's speed
    #[arg(long, value_name = "TIME", value_parser = parse_thinking_time)]
    think: Option<Duration>,
    /// Losses below this count as no errors, where they are not proven; half a point in a game that
    /// is worth 48, and in proportion in others
    #[arg(long, value_name = "POINTS")]
    threshold: Option<f64>,
    /// How the answer is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Form,
    /// For --format record, how the game is written: own, auale (OGN), playstrategy or openspiel
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
        let record = &record;
        let annotated = Annotated { played: &played, analysis: &analysis, record, args: &args };
        print(&match args.format {
            Form::Table => annotated.for_people(),
            Form::Json => format!("{}\n", annotated.for_programs()),
            Form::Svg => annotated.picture(),
            Form::Record => {
                write_game(&played, &annotated.record(), args.notation).map_err(Failure::Failed)?
            }
        })
    }
}

/// A game with its analysis.
struct Annotated<'a> {
    played: &'a Played<AnyGame>,
    analysis: &'a Analysis<AnyMove>,
    record: &'a Record,
    args: &'a Args,
}

/// What was lost, for people; nothing where nothing was.
fn loss_text(loss: Loss) -> String {
    match loss {
        _ if loss.points() <= 0.0 => String::new(),
        Loss::Exact(points) => format!("-{points}"),
        Loss::AtLeast(points) => format!("-{points} or more"),
        Loss::About(points) => format!("~-{points:.2}"),
    }
}

fn source_text(source: Source) -> String {
    match source {
        Source::Search { depth } => format!("depth {depth}"),
        source => source.name().to_owned(),
    }
}

impl Annotated<'_> {
    /// What the game is worth, compared with that in which the limits are set.
    fn scale(&self) -> f64 {
        let game = self.played.game();
        f64::from(game.max_score(game.slice_of(&game.start().position))) / REFERENCE
    }

    /// Errors: all that are proven, and guesses from the threshold on; not the moves of an opening.
    fn is_error(&self, ply: usize) -> bool {
        let evaluated = &self.analysis.moves[ply];
        let threshold = || self.args.threshold.unwrap_or_else(|| THRESHOLD * self.scale());
        let least = if evaluated.loss.is_proven() { 0.0 } else { threshold() };
        ply >= self.analysis.opening
            && evaluated.loss.points() > 0.0
            && evaluated.loss.points() >= least
    }

    fn mark(&self, ply: usize) -> &'static str {
        let evaluated = &self.analysis.moves[ply];
        let [from, to] = evaluated.outcomes();
        let decides = evaluated.loss.is_proven() && to < from;
        match evaluated.loss.points() / self.scale() {
            _ if !self.is_error(ply) => "",
            _ if decides => "??",
            lost if lost < MARKS[0] => "?!",
            lost if lost < MARKS[1] => "?",
            _ => "??",
        }
    }

    fn names(&self) -> Vec<(String, String)> {
        let names = self.played.names();
        let best = self
            .analysis
            .moves
            .iter()
            .enumerate()
            .map(|(ply, evaluated)| self.played.up_to(ply).name(&evaluated.best));
        names.into_iter().zip(best).collect()
    }

    fn players(&self) -> [String; 2] {
        [(Side::First, "First"), (Side::Second, "Second")].map(|(side, tag)| {
            let side = name(self.played.game(), side);
            match self.record.tag(tag) {
                Some(who) => format!("{side} ({who})"),
                None => side,
            }
        })
    }

    fn outcome(&self) -> String {
        let game = self.played.game();
        let points = match self.played.final_points() {
            Some([first, second]) => format!(" {first}-{second}"),
            None => String::new(),
        };
        // Other programs end a game where one side has more than half of the seeds.
        let score = self.record.tag("Score").map(|score| format!(" {score}")).unwrap_or_default();
        match self.analysis.margin.map(i32::signum) {
            None => match self.record.outcome {
                Outcome::Open => "the game was not finished".to_owned(),
                Outcome::First => format!("{} won{score}", name(game, Side::First)),
                Outcome::Second => format!("{} won{score}", name(game, Side::Second)),
                Outcome::Draw => format!("a draw{score}"),
            },
            Some(1) => format!("{} won{points}", name(game, Side::First)),
            Some(-1) => format!("{} won{points}", name(game, Side::Second)),
            Some(_) => format!("a draw{points}"),
        }
    }

    fn errors(&self, side: Side) -> Vec<usize> {
        let moves = self.analysis.moves.iter().enumerate();
        moves.filter(|(ply, m)| m.side == side && self.is_error(*ply)).map(|(ply, _)| ply).collect()
    }

    /// How much of a side's losses is proven, and how much in all.
    fn lost(&self, side: Side) -> (f64, f64) {
        let errors = self.errors(side);
        let own = || errors.iter().map(|&ply| &self.analysis.moves[ply]);
        let proven: f64 = own().filter(|m| m.loss.is_proven()).map(|m| m.loss.points()).sum();
        let all: f64 = own().map(|m| m.loss.points()).sum();
        // The sum of nothing is minus zero.
        (proven + 0.0, all + 0.0)
    }

    fn decisive(&self, names: &[(String, String)]) -> Option<String> {
        let decision = self.analysis.decision()?;
        let word = |class| ["loss", "draw", "win"][(class + 1) as usize];
        let evaluated = &self.analysis.moves[decision.ply];
        let sure =
            if evaluated.source.name() == "search" { ", as far as the search sees" } else { "" };
        Some(format!(
            "the decisive move was {}. {} by {}: a {} became a {}{sure}",
            decision.ply + 1,
            names[decision.ply].0,
            name(self.played.game(), evaluated.side),
            word(decision.from),
            word(decision.to),
        ))
    }

    fn for_people(&self) -> String {
        let names = self.names();
        let rows = self.analysis.moves.iter().zip(&names).zip(1..).map(
            |((evaluated, (mv, best)), ply): (_, usize)| {
                let better =
                    if evaluated.loss.points() > 0.0 { best.clone() } else { String::new() };
                vec![
                    format!("{ply}."),
                    name(self.played.game(), evaluated.side),
                    format!("{mv}{}", self.mark(ply - 1)),
                    evaluated.value.to_string(),
                    better,
                    evaluated.best_value.to_string(),
                    loss_text(evaluated.loss),
                    source_text(evaluated.source),
                ]
            },
        );
        let header = ["", "side", "move", "worth", "better", "best", "lost", "by"];
        let [first, second] = self.players();
        let mut text = format!("{first} against {second}: {}\n\n", self.outcome());
        text += &table::render(&header, &[1, 2, 4, 7], rows.collect());
        text.push('\n');
        for side in [Side::First, Side::Second] {
            let ((proven, all), errors) = (self.lost(side), self.errors(side).len());
            let how = if errors == 0 {
                String::new()
            } else if (all - proven).abs() < 1e-9 {
                format!(", {all} point{} lost", if (all - 1.0).abs() < 1e-9 { "" } else { "s" })
            } else {
                format!(", about {all:.2} points lost, {proven} of them proven")
            };
            let who = name(self.played.game(), side);
            let noun = if errors == 1 { "error" } else { "errors" };
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{who}: {errors} {noun}{how}");
        }
        text + &self.decisive(&names).map_or_else(
            || "no move changed who wins\n".to_owned(),
            |sentence| format!("{sentence}\n"),
        )
    }

    fn for_programs(&self) -> Value {
        let game = self.played.game();
        let names = self.names();
        let moves = self.analysis.moves.iter().zip(&names).zip(1..);
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
                    "error": self.is_error(ply - 1),
                    "mark": self.mark(ply - 1),
                    "opening": ply <= self.analysis.opening,
                    "source": evaluated.source.name(),
                    "depth": depth,
                    "margin": evaluated.margins().map(rounded)[1],
                })
            })
            .collect();
        let sides = [Side::First, Side::Second].map(|side| {
            let (proven, all) = self.lost(side);
            json!({
                "side": game.side_name(side),
                "errors": self.errors(side).len(),
                "lost": rounded(all),
                "lost_proven": rounded(proven),
            })
        });
        let decisive = self.analysis.decision().map(|decision| {
            json!({"ply": decision.ply + 1, "move": names[decision.ply].0, "from": decision.from, "to": decision.to})
        });
        json!({
            "game": game.id().name,
            "options": self.record.tag("Options"),
            "position": game.format(self.played.start()),
            "margin": self.analysis.margin,
            "moves": moves,
            "summary": sides,
            "decisive": decisive,
        })
    }

    fn picture(&self) -> String {
        let names = self.names();
        let game = self.played.game();
        let mut points: Vec<CoursePoint> = Vec::new();
        for (ply, (evaluated, (mv, best))) in self.analysis.moves.iter().zip(&names).enumerate() {
            let [before, after] = evaluated.margins();
            if points.is_empty() {
                points.push(CoursePoint::new(before, evaluated.source.name() != "search", "start"));
            }
            let mut tip = format!("{} {mv}", name(game, evaluated.side));
            if self.is_error(ply) {
                let _ = write!(tip, ", {} ({best} was better)", loss_text(evaluated.loss));
            }
            let mut point = CoursePoint::new(after, evaluated.source.name() != "search", tip);
            if self.is_error(ply) {
                // The colour says who made it; how grave it is, the marks of the text say.
                point.error =
                    Some(CourseError { first: evaluated.side == Side::First, grave: false });
            }
            points.push(point);
        }
        let [first, second] = self.players();
        let title = format!("{first} against {second}");
        let names = [Side::First, Side::Second].map(|side| name(game, side));
        let caption = self.outcome();
        let course = Course {
            title: &title,
            caption: &caption,
            sides: [&names[0], &names[1]],
            ..Course::default()
        };
        course_chart(&course, &points)
    }

    fn record(&self) -> Record {
        let mut record = self.record.clone();
        let names = self.names();
        for (ply, ((mv, evaluated), (_, best))) in
            record.moves.iter_mut().zip(&self.analysis.moves).zip(&names).enumerate()
        {
            mv.value = Some(evaluated.value);
            if self.is_error(ply) {
                let comment = mv.comment.take().unwrap_or_default();
                let text = format!(
                    "{comment} loses {}, {best} was worth {}",
                    loss_text(evaluated.loss).trim_start_matches('-'),
                    evaluated.best_value
                );
                *mv = std::mem::take(mv).with_comment(&text);
            }
        }
        record
    }
}
