//! `nutcracker probe`: look up positions.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nutcracker_any::{AnyGame, AnyMove, AnyPosition};
use nutcracker_engine::{Ending, Played, Transcript};
use nutcracker_game::{
    Metric, Notation, Numbering, ParseError, Rules, Score, Situation, Step, format_in,
};
use nutcracker_search::player::{Advice, Adviser, PlayerError};
use nutcracker_search::{EngineOptions, Probed, TableOracle, Worth};
use nutcracker_table::TableSet;
use serde_json::{Value, json};

use crate::args::{Subject, Threads, need_databases, program, quoted, unchecked};
use crate::databases::Databases;
use crate::failure::Failure;
use crate::outcome::{counts_points, outcome_sentence, result_json, value_text};
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
/// Where a repetition is worth something, as in oware, values depend on the moves before. The value
/// of a position and of its moves is then exact only if both sides can force it past the positions
/// of the game; else the bounds are shown.
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
    /// How positions and moves are written: own, auale, playstrategy, openspiel or uci
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
    /// Whether no move is better, where that is known.
    best: Option<bool>,
}

/// A position with what is known of it, after the moves that led there.
struct Answer<'a> {
    played: &'a Played<AnyGame>,
    /// As it is to be written.
    position: String,
    value: Worth,
    /// The moves, best first.
    choices: Vec<Choice>,
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
                read_game(game, position).map_err(|error| {
                    let example = game.format(&game.start());
                    Failure::Usage(error.with_example(&example))
                })
            })
            .collect();
        let situations = situations?;
        let set = Arc::new(self.databases(game, CACHE)?);
        let mut texts = Vec::with_capacity(situations.len());
        for played in &situations {
            texts.push(self.describe(game, &set, played, json)?);
        }
        print(&texts.join(if json { "" } else { "\n" }))
    }

    fn describe(
        &self,
        game: &AnyGame,
        set: &Arc<TableSet>,
        played: &Played<AnyGame>,
        json: bool,
    ) -> Result<String, Failure> {
        let situation = played.now();
        let probe = |position: &AnyPosition| {
            Probed::probe(game, set, position).map_err(|error| self.subject.explain(game, error))
        };
        let notation = self.notation.unwrap_or_default();
        let position = game.format_in(situation, notation).unwrap_or_default();
        let known = if game.has_database(game.slice_of(&situation.position)) {
            probe(&situation.position)?
        } else {
            Probed::find(game, set, &situation.position)
                .map_err(|error| self.subject.explain(game, error))?
                .ok_or_else(|| beyond_databases(game, situation))?
        };
        let advice = self.with_history(game, set, played)?;
        let mut choices = Vec::new();
        let mut slices = vec![game.slice_of(&situation.position)];
        for mv in &played.legal() {
            let step: Step<_> = played.step(mv);
            slices.push(game.slice_of(&step.next));
            let stored = probe(&step.next)?.worth.through(&step).from(known.worth);
            let after_game = |advice: &Advice<AnyMove>| {
                let (_, value) = advice.values.iter().find(|(other, _)| other == mv)?;
                let value = Worth { unchecked: stored.unchecked, ..*value };
                Some((value, advice.is_best(mv)))
            };
            let without = || (stored, known.is_reached_by(stored));
            let (value, best) = advice.as_ref().and_then(after_game).unwrap_or_else(without);
            let (name, captures) = (played.name_in(mv, notation), step.gain);
            choices.push(Choice { name, captures, value, best });
        }
        let all = choices.iter().map(|choice| (Some(choice.value), choice.best));
        if let Some(place) = known.only_one_left(all) {
            (choices[place].value, choices[place].best) = (known.worth, Some(true));
        }
        choices.sort_by_key(|choice| choice.value.order());
        let value = match (played.ending(), advice) {
            (Some(Ending::Repeated), _) => Worth::exact(played.repeated()),
            (_, Some(advice)) => Worth { unchecked: known.worth.unchecked, ..advice.value },
            (_, None) => known.worth,
        };
        let answer = Answer { played, position, value, choices };
        if json {
            return Ok(format!("{}\n", for_programs(game, &answer)));
        }
        slices.sort_unstable();
        slices.dedup();
        let unchecked = unchecked(game, set, slices);
        let mut text = for_people(game, &answer);
        if let Metric::DtzIn(rule) = self.subject.metric(game)?
            && !answer.choices.is_empty()
        {
            let _ = writeln!(
                text,
                "\nBy a rule of {rule} moves without a zeroing move, of which none has been played."
            );
        }
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

    /// What holds after the game so far, where values depend on it: what databases say of a position
    /// without history is not enough.
    fn with_history(
        &self,
        game: &AnyGame,
        set: &Arc<TableSet>,
        played: &Played<AnyGame>,
    ) -> Result<Option<Advice<AnyMove>>, Failure> {
        if !game.depends_on_history() || played.ending().is_some() {
            return Ok(None);
        }
        let databases: Databases = Some(TableOracle::new(Arc::clone(set))?);
        let adviser = Adviser::new(game.clone(), Arc::new(databases), EngineOptions::default());
        let advice = adviser.by_databases(&played.now().position, &played.history());
        advice.map_err(|error| match error {
            PlayerError::Oracle(error) => self.subject.explain(game, error),
            error => Failure::Failed(error.to_string()),
        })
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
    let why = game.beyond(&situation.position);
    let why = why.unwrap_or_else(|| format!("`{program} games {name}` says how far they go"));
    Failure::Usage(format!(
        "no database of {} can hold this position: {why}; `{program} play {name} --position {}` \
         values it by search",
        game.id(),
        quoted(&game.format(situation)),
    ))
}

/// A position, or a position, the word `moves` and moves from there. The error is one sentence.
fn read_game(game: &AnyGame, text: &str) -> Result<Played<AnyGame>, ParseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !words.contains(&"moves") {
        return Ok(Played::new(game.clone(), game.parse(text)?));
    }
    let found =
        Transcript::read_all(&words.join(" ")).map_err(|error| ParseError::new(error.what))?;
    let line = found.first().ok_or_else(|| ParseError::new("the position is empty"))?;
    let replayed = line.replay(game.clone());
    replayed.map(|(played, _)| played).map_err(|error| ParseError::new(error.what))
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

fn for_people(game: &AnyGame, answer: &Answer<'_>) -> String {
    let Answer { played, position, value, choices } = answer;
    let situation = played.now();
    let (board, outcome) = (game.draw(situation), outcome_sentence(game, situation, *value));
    let mut text = format!("{position}\n\n{board}\n{outcome}\n");
    if choices.is_empty() {
        let end = match played.ending() {
            Some(Ending::Repeated) => "the position was repeated",
            _ => game.end_name(&situation.position).unwrap_or("there are no moves"),
        };
        let _ = writeln!(text, "The game is over here: {end}.");
        return text;
    }
    let banks = counts_points(game);
    let rows = choices
        .iter()
        .map(|choice| {
            let best = if choice.best == Some(true) { "best" } else { "" };
            let (captures, value) = (choice.captures.to_string(), value_text(game, choice.value));
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

fn for_programs(game: &AnyGame, answer: &Answer<'_>) -> Value {
    let Answer { played, position, value, choices } = answer;
    let moves: Vec<Value> = choices
        .iter()
        .map(|choice| {
            json!({
                "move": choice.name,
                "captures": choice.captures,
                "value": choice.value,
                "best": choice.best,
            })
        })
        .collect();
    let mut answer = json!({
        "position": position,
        "value": value,
        "result": result_json(game, played.now(), *value),
        "moves": moves,
    });
    if let Some(end) = game.end_name(&played.now().position) {
        answer["end"] = end.into();
    }
    answer
}
