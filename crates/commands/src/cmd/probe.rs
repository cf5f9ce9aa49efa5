//! `nutcracker probe`: look up positions.

use std::cmp::Ordering;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_engine::Transcript;
use nutcracker_game::{
    Metric, Notation, Numbering, Rules, Score, Side, Situation, Step, format_in,
};
use nutcracker_search::{Distance, Kind, Probed, Worth};
use nutcracker_table::TableSet;
use serde_json::{Map, Value, json};

use crate::args::{Subject, Threads, need_databases, program, quoted, unchecked};
use crate::failure::Failure;
use crate::values::{self, LineFormat, look_up, position_of};
use crate::{number, print, table};

/// Decoded scores kept: a probe reads a few blocks.
const CACHE: u64 = 1 << 20;
/// Bytes of input read at once.
const INPUT: usize = 1 << 20;
/// Positions from which on threads share them.
const SHARED: usize = 256;

/// Probe a position: its value, and what every move is worth
///
/// A score is what the side to move will win from here on minus what the other will, with best play
/// of both. Where databases hold distances, the answer is who wins and in how many moves. A
/// position is written as the game has it; for awari and kalah that is South's pits, a slash,
/// North's pits, and then, where they matter, the side to move (S or N) and what South and North
/// have captured so far. For Othello it is the rows from the top with slashes between, x for
/// Black's discs, o for White's, a number for that many empty squares, and the side to move (x or
/// o). Boards of Aualé, PlayStrategy and OpenSpiel are read too, and after any position the word
/// `moves` and moves from there; docs/notation.md lists them.
///
/// A database solved with a window has only bounds of large scores (≥ 10, ≤ -10); then all moves
/// that reach the bound are marked as best.
///
/// With --file, positions are read one a line and answered in their order as CSV or lines of JSON,
/// with their values alone, hundreds of thousands a second. A position without a value has the
/// reason in the column `problem`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker solve awari --stones 10
  nutcracker probe awari \"0,0,1,0,3,2/2,1,1,0,0,0 S 20-18\"
  nutcracker sample awari --slice 10 > positions.csv
  nutcracker probe awari --file positions.csv --format json
  nutcracker probe awari 0-0-1-0-3-2-2-1-1-0-0-0-20-18-S --notation playstrategy

A longer one, after `nutcracker solve awari --stones 18`:
  nutcracker probe awari \"0,0,6,0,3,5/2,1,1,0,0,0 S 20-10\"")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The position; - reads positions from standard input
    #[arg(allow_hyphen_values = true, required_unless_present = "file")]
    position: Option<String>,
    /// More positions
    more: Vec<String>,
    /// A file with one position a line, or CSV with positions in the first column; - is standard
    /// input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "more"])]
    file: Option<PathBuf>,
    /// How answers are printed; by default a table, and for --file csv
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// How positions and moves are written: own, auale, playstrategy or openspiel
    #[arg(long, value_name = "NOTATION")]
    notation: Option<Notation>,
    #[command(flatten)]
    threads: Threads,
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Table,
    /// The values alone, one line a position
    Csv,
    /// For programs: one object a line; without --file, with all moves
    Json,
}

/// A legal move and what it is worth to the mover.
struct Choice {
    name: String,
    captures: Score,
    value: Worth,
}

impl Args {
    /// Probes.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        let notation = self.notation.unwrap_or_default();
        format_in(&game, &game.start(), notation).map_err(Failure::Usage)?;
        let positions: Vec<&String> = self.position.iter().chain(&self.more).collect();
        let file = self.file.as_deref().or((positions == ["-"]).then_some(Path::new("-")));
        match (file, self.format) {
            (Some(_), Some(Format::Table)) => Err(Failure::Usage(
                "positions of a file are answered one a line; use --format csv or json".to_owned(),
            )),
            (Some(file), Some(Format::Json)) => self.answer_file(&game, file, LineFormat::Json),
            (Some(file), _) => self.answer_file(&game, file, LineFormat::Csv),
            (None, Some(Format::Csv)) => {
                let lines: String = positions.iter().flat_map(|text| [text, "\n"]).collect();
                self.answer(&game, lines.as_bytes(), LineFormat::Csv)
            }
            (None, format) => self.describe_all(&game, &positions, format == Some(Format::Json)),
        }
    }

    /// The databases; an error where the game can have none.
    fn databases(&self, game: &AnyGame, cache: u64) -> Result<TableSet, Failure> {
        need_databases(game)?;
        self.subject.metric(game)?;
        Ok(self.subject.open(game, true, cache))
    }

    /// Describes positions with all their moves.
    fn describe_all(
        &self,
        game: &AnyGame,
        positions: &[&String],
        json: bool,
    ) -> Result<(), Failure> {
        let situations: Result<Vec<_>, Failure> = positions
            .iter()
            .map(|position| {
                read_position(game, position).map_err(|error| {
                    let example = game.format(&game.start());
                    Failure::Usage(format!("{error}; a position looks like \"{example}\""))
                })
            })
            .collect();
        let situations = situations?;
        let set = self.databases(game, CACHE)?;
        let mut texts = Vec::with_capacity(situations.len());
        for situation in &situations {
            texts.push(self.describe(game, &set, situation, json)?);
        }
        print(&texts.join(if json { "" } else { "\n" }))
    }

    fn describe(
        &self,
        game: &AnyGame,
        set: &TableSet,
        situation: &Situation<AnyPosition>,
        json: bool,
    ) -> Result<String, Failure> {
        if !game.has_database(game.slice_of(&situation.position)) {
            return Err(beyond_databases(game, situation));
        }
        let probe = |position: &AnyPosition| {
            Probed::probe(game, set, position).map_err(|error| self.subject.explain(game, error))
        };
        let notation = self.notation.unwrap_or_default();
        let position = game.format_in(situation, notation).unwrap_or_default();
        let value = probe(&situation.position)?;
        let mut moves = Vec::new();
        game.moves(&situation.position, &mut moves);
        let mut choices = Vec::new();
        let mut slices = vec![game.slice_of(&situation.position)];
        for mv in &moves {
            let step: Step<_> = game.play(&situation.position, mv);
            slices.push(game.slice_of(&step.next));
            choices.push(Choice {
                name: game
                    .format_move_in(situation, mv, &step, notation)
                    .unwrap_or_else(|| game.format_move(situation, mv, &step)),
                captures: step.gain,
                value: probe(&step.next)?.worth.through(&step),
            });
        }
        choices.sort_by_key(|choice| choice.value.order());
        if json {
            return Ok(format!("{}\n", for_programs(game, &position, situation, value, &choices)));
        }
        slices.sort_unstable();
        slices.dedup();
        let unchecked = unchecked(game, set, slices);
        let mut text = for_people(game, &position, situation, value, &choices);
        if !unchecked.is_empty() {
            let _ = writeln!(
                text,
                "\nNot checked: the databases of {} that this rests on; `{}` checks them.",
                unchecked.join(", "),
                self.subject.command("verify", ""),
            );
        }
        Ok(text)
    }

    fn answer_file(&self, game: &AnyGame, file: &Path, format: LineFormat) -> Result<(), Failure> {
        if file == Path::new("-") {
            return self.answer(game, io::stdin().lock(), format);
        }
        let opened = File::open(file)
            .map_err(|error| Failure::Failed(format!("cannot read {}: {error}", file.display())))?;
        self.answer(game, opened, format)
    }

    /// Answers the positions of an input with their values.
    fn answer(&self, game: &AnyGame, input: impl Read, format: LineFormat) -> Result<(), Failure> {
        let set = self.databases(game, values::CACHE)?;
        self.subject.note_unchecked(game, &set);
        let mut input = BufReader::with_capacity(INPUT, input);
        print(format.head())?;
        let (mut all, mut unknown) = (0, 0);
        loop {
            let lines = read_some(&mut input)
                .map_err(|error| Failure::Failed(format!("cannot read the positions: {error}")))?;
            if lines.is_empty() {
                break;
            }
            let positions: Vec<String> =
                lines.iter().filter_map(|line| position_of(line)).collect();
            let answer = |share: &[String]| {
                let (mut out, mut unknown) = (Vec::new(), 0);
                for text in share {
                    let answer = look_up(game, &set, &self.subject, text);
                    unknown += u64::from(answer.is_err());
                    let written = answer.as_ref().ok().zip(self.notation);
                    let written = written
                        .and_then(|((situation, _), notation)| game.format_in(situation, notation));
                    let position = written.as_deref().unwrap_or(text);
                    format.write(game, position, &answer, &mut out);
                }
                (out, unknown)
            };
            let threads = if positions.len() < SHARED { 1 } else { self.threads.count() };
            let share = positions.len().div_ceil(threads).max(1);
            let answers: Vec<(Vec<u8>, u64)> = std::thread::scope(|scope| {
                let answer = &answer;
                let shares = positions.chunks(share);
                let threads: Vec<_> =
                    shares.map(|share| scope.spawn(move || answer(share))).collect();
                threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
            });
            all += positions.len();
            for (text, without) in answers {
                unknown += without;
                print(&String::from_utf8_lossy(&text))?;
            }
        }
        match unknown {
            0 => Ok(()),
            _ => Err(Failure::Failed(format!(
                "{} of {} have no value; their lines say why",
                number::thousands(unknown),
                number::counted(all as u64, "position"),
            ))),
        }
    }
}

/// A position that no database of the game can hold.
fn beyond_databases(game: &AnyGame, situation: &Situation<AnyPosition>) -> Failure {
    let (program, name) = (program(), game.id().name);
    Failure::Usage(format!(
        "no database of {} can hold this position: `{program} games {name}` says how far they go; \
         `{program} play {name} --position {}` values it by search",
        game.id(),
        quoted(&game.format(situation)),
    ))
}

/// A position, or a position, the word `moves` and moves from there. The error is one sentence.
fn read_position(game: &AnyGame, text: &str) -> Result<Situation<AnyPosition>, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !words.contains(&"moves") {
        return game.parse(text).map_err(|error| error.to_string());
    }
    let found = Transcript::read_all(&words.join(" ")).map_err(|error| error.what)?;
    let line = found.first().ok_or("the position is empty")?;
    let (played, _) = line.replay(game.clone()).map_err(|error| error.what)?;
    Ok(*played.now())
}

/// The next lines of an input: one at least unless it has ended, and those that have arrived
/// already, so that a program can wait for each answer.
fn read_some(input: &mut BufReader<impl Read>) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(lines);
        }
        lines.push(String::from_utf8_lossy(&line).into_owned());
        if !input.buffer().contains(&b'\n') {
            return Ok(lines);
        }
    }
}

/// A player's name as a sentence has it.
pub fn name(game: &AnyGame, side: Side) -> String {
    let name = game.side_name(side);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What a score means: `score -2 for South: final result 28-20 (South wins)`.
pub fn outcome_sentence(
    game: &AnyGame,
    situation: &Situation<AnyPosition>,
    value: Worth,
) -> String {
    let mover = situation.mover;
    if let (Some(score), Some(distance)) = (value.score(), value.distance) {
        let winner = if score > 0 { mover } else { mover.other() };
        return distance_sentence(&name(game, winner), distance);
    }
    if let Some(sentence) = forced_sentence(game, situation, value) {
        return sentence;
    }
    if let (Some(score), false) = (value.score(), counts_points(game)) {
        return match score.signum() {
            0 => "draw".to_owned(),
            sign => {
                let winner = if sign > 0 { mover } else { mover.other() };
                format!("{} wins", name(game, winner))
            }
        };
    }
    let sentence = match value.to_string() {
        zero if zero == "0" => "score 0".to_owned(),
        score => format!("score {score} for {}", name(game, mover)),
    };
    let result = value.proven().and_then(|score| game.final_result(situation, score));
    let Some([first, second]) = result else { return sentence };
    // Whose share can only be larger than that.
    let side = match (value.kind(), mover) {
        (Kind::Exact | Kind::Guess, _) => None,
        (Kind::AtLeast, side) => Some(side),
        (Kind::AtMost, Side::First) => Some(Side::Second),
        (Kind::AtMost, Side::Second) => Some(Side::First),
    };
    if let Some(side) = side {
        let ahead = if side == Side::First { first - second } else { second - first };
        let name = name(game, side);
        let outcome = match ahead.total_cmp(&0.0) {
            Ordering::Greater => format!(" ({name} wins)"),
            Ordering::Equal => format!(" ({name} does not lose)"),
            Ordering::Less => String::new(),
        };
        return format!("{sentence}: final result at least {first}-{second} for {name}{outcome}");
    }
    let winner = match first.total_cmp(&second) {
        Ordering::Greater => format!("{} wins", name(game, Side::First)),
        Ordering::Less => format!("{} wins", name(game, Side::Second)),
        Ordering::Equal => "a draw".to_owned(),
    };
    format!("{sentence}: final result {first}-{second} ({winner})")
}

/// Whether the game counts points, not only who wins.
fn counts_points(game: &AnyGame) -> bool {
    game.metrics().iter().any(|metric| metric.is_points())
}

/// What each side can force where the rest depends on a repetition: `South can force 23, North 22,
/// 3 seeds depend on a repetition`. Without what was captured before, seeds on the board count.
fn forced_sentence(
    game: &AnyGame,
    situation: &Situation<AnyPosition>,
    value: Worth,
) -> Option<String> {
    let (lower, upper) = value.lower.zip(value.upper).filter(|(lower, upper)| lower < upper)?;
    if !game.depends_on_history() {
        return None;
    }
    let banked = situation.banked.or(Some([0, 0]));
    let situation = Situation { banked, ..*situation };
    let (at_least, at_most) =
        (game.final_result(&situation, lower)?, game.final_result(&situation, upper)?);
    let (south, north) = match situation.mover {
        Side::First => (at_least[0], at_most[1]),
        Side::Second => (at_most[0], at_least[1]),
    };
    let open = at_least[0] + at_least[1] - south - north;
    let unit = game.slice_unit();
    let depend = match unit.strip_suffix('s') {
        Some(one) if (open - 1.0).abs() < 0.5 => format!("1 {one} depends"),
        _ => format!("{open} {unit} depend"),
    };
    Some(format!(
        "{} can force {south}, {} {north}, {depend} on a repetition",
        name(game, Side::First),
        name(game, Side::Second),
    ))
}

/// Who wins in how many moves: `White wins in 13 moves`.
fn distance_sentence(winner: &str, distance: Distance) -> String {
    let moves = match distance.moves {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    };
    match (distance.metric, distance.moves) {
        (Metric::Dtc, 0) => format!("{winner} wins; the next move converts"),
        (Metric::Dtc, _) => {
            format!("{winner} wins; the next conversion, or the end, is {moves} away")
        }
        (Metric::Dth(limit), rule) if rule > limit.into() => {
            format!("{winner} wins if the rule gives {moves} without a capture or a pawn's move")
        }
        (Metric::Dtz | Metric::DtzIn(_) | Metric::Dth(_), 0) => {
            format!("{winner} wins; the next move zeroes, or the game is over")
        }
        (Metric::Dtz | Metric::DtzIn(_) | Metric::Dth(_), _) => {
            format!("{winner} wins; the next zeroing move, or the end, is {moves} away")
        }
        (_, 0) => format!("{winner} has won"),
        _ => format!("{winner} wins in {moves}"),
    }
}

/// The final result by the players' names, where it is known.
pub fn result_json(
    game: &AnyGame,
    situation: &Situation<AnyPosition>,
    value: Worth,
) -> Option<Value> {
    let points = game.final_result(situation, value.score()?)?;
    let mut result = Map::new();
    for (side, points) in [Side::First, Side::Second].into_iter().zip(points) {
        result.insert(game.side_name(side).to_owned(), number::json(points));
    }
    Some(result.into())
}

fn for_people(
    game: &AnyGame,
    position: &str,
    situation: &Situation<AnyPosition>,
    value: Probed,
    choices: &[Choice],
) -> String {
    let mut text = format!(
        "{position}\n\n{}\n{}\n",
        game.draw(situation),
        outcome_sentence(game, situation, value.worth)
    );
    if choices.is_empty() {
        text += "The game is over here: there are no moves.\n";
        return text;
    }
    let banks = counts_points(game);
    let rows = choices
        .iter()
        .map(|choice| {
            let best = if value.is_reached_by(choice.value) { "best" } else { "" };
            let (captures, value) = (choice.captures.to_string(), choice.value.to_string());
            let value = if banks {
                value
            } else {
                value.replacen('0', "draw", usize::from(choice.value.score() == Some(0)))
            };
            let mut cells = vec![choice.name.clone(), captures, value, best.to_owned()];
            if !banks {
                cells.remove(1);
            }
            cells
        })
        .collect();
    let table = if banks {
        table::render(&["move", "captures", "score", ""], &[0, 3], rows)
    } else {
        table::render(&["move", "value", ""], &[0, 1, 2], rows)
    };
    text + "\n" + &table
}

fn for_programs(
    game: &AnyGame,
    position: &str,
    situation: &Situation<AnyPosition>,
    value: Probed,
    choices: &[Choice],
) -> Value {
    let moves: Vec<Value> = choices
        .iter()
        .map(|choice| {
            json!({
                "move": choice.name,
                "captures": choice.captures,
                "value": choice.value,
                "best": value.is_reached_by(choice.value),
            })
        })
        .collect();
    json!({
        "position": position,
        "value": value.worth,
        "result": result_json(game, situation, value.worth),
        "moves": moves,
    })
}
