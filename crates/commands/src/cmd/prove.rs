//! `nutcracker prove`: a proof of what a position is worth, as a file that anyone can check.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Evaluate, Numbering, Rules, Score, Situation, SliceId};
use nutcracker_proof::{Goal, ProofWriter, TableFiles, WriteError, Written};
use nutcracker_search::{ExactLimits, Halt, Oracle, ProofStatus, Prover, SearchError, Worth};
use nutcracker_table::TableError;
use serde_json::{Value, json};

use crate::args::{Format, Subject, need_no_history, program, quoted};
use crate::contestant::parse_thinking_time;
use crate::databases::{self, Databases};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::live::LiveLine;
use crate::number::{counted, duration, rate, rounded, size, thousands};
use crate::outcome::result_json;
use crate::print;
use crate::proof_file::{self, Draft};

/// The program as a proof file names it.
const PROGRAM: &str = concat!("nutcracker ", env!("CARGO_PKG_VERSION"));

/// Prove what a position is worth, and write the proof to a file
///
/// With --at-least K the question is whether the side to move gets a score of at least K from here
/// on: 1 is a win of what is still to come, 0 no loss. If it does not, the file proves that the score
/// is at most K - 1. Without --at-least the score itself is narrowed, question by question, until it
/// is known or the budget is spent, and the file proves the best bounds found.
///
/// The search is df-pn, or with --depth-first a depth-first search for lines of play that reach
/// databases after a known number of moves; on one thread. Databases are used where there are any,
/// and the file names those it rests on by their digests. A proof gets its name once it is complete and has been
/// replayed; `nutcracker verify --proof FILE` replays it again, and docs/proof-format.md describes
/// the file for those who want to check it with a program of their own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  nutcracker prove kalah --pits 3 --seeds 2
  nutcracker prove tic-tac-toe --at-least 0 --proof draw.txt
  nutcracker verify --proof draw.txt

Exit code 0 means that something was proven and written, 1 that the budget did not suffice.")]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    /// The position, by default the start
    #[arg(allow_hyphen_values = true)]
    position: Option<String>,
    /// Prove that the score is at least K, or that it is not
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(i16).range(-1000..=1000))]
    at_least: Option<Score>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "nutcracker-proof.txt")]
    proof: PathBuf,
    /// Search depth first, where no position can repeat before a database has it: for the placing
    /// phase of morris
    #[arg(long)]
    depth_first: bool,
    /// The most positions to expand; no limit by default. If what was proven has to be looked for
    /// again to be written, as many may be expanded once more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// How long to search, such as 90s or 10m; no limit by default
    #[arg(long, value_name = "TIME", value_parser = parse_thinking_time)]
    time: Option<Duration>,
    /// Size of the table of positions, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// How the result is printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// What was found out about the score, and how.
struct Found {
    lower: Score,
    upper: Score,
    max: Score,
    nodes: u64,
    probes: u64,
    seconds: f64,
}

impl Found {
    /// The claims to prove, each with whether its question was answered with yes. What no score of
    /// the slice exceeds needs no proof, unless all of them are the same.
    fn claims(&self) -> Vec<(Goal, bool)> {
        let least = self.lower > -self.max || self.max == 0;
        let least = least.then_some((Goal::AtLeast(self.lower), true));
        let most = (self.upper < self.max).then_some((Goal::AtMost(self.upper), false));
        least.into_iter().chain(most).collect()
    }

    fn worth(&self) -> Worth {
        proof_file::within(self.lower, self.upper, self.max)
    }
}

/// What is needed to search and to write.
struct Task<'a> {
    args: &'a Args,
    game: &'a AnyGame,
    root: Situation<AnyPosition>,
    databases: &'a Databases,
    interrupt: &'a Interrupt,
}

impl Args {
    /// Proves.
    pub fn run(self) -> Result<(), Failure> {
        let game = self.subject.game()?;
        need_no_history(&game, "proofs")?;
        let root = match &self.position {
            None => game.start(),
            Some(text) => game.parse(text).map_err(|error| {
                let example = game.format(&game.start());
                Failure::Usage(error.with_example(&example))
            })?,
        };
        let max = game.max_score(game.slice_of(&root.position));
        if let Some(least) = self.at_least.filter(|least| !(1 - max..=max).contains(least)) {
            return Err(Failure::Usage(format!(
                "scores of this position lie between {} and {max}; whether one is at least {least} \
                 needs no proof",
                -max
            )));
        }
        let databases = databases::open(&game, &self.subject)?;
        if self.depth_first {
            need_no_repetition(&game, &databases, game.slice_of(&root.position))?;
        }
        let interrupt = Interrupt::listen();
        let draft = Draft::new(&self.proof)?;
        let task =
            Task { args: &self, game: &game, root, databases: &databases, interrupt: &interrupt };
        task.run(draft)
    }
}

impl Task<'_> {
    fn run(&self, draft: Draft) -> Result<(), Failure> {
        let (began, line, asked) = (Instant::now(), LiveLine::new(), Cell::new(0));
        // The time is for searching; what was found is written in any case.
        let deadline = Cell::new(self.args.time.map(|time| began + time));
        let watch = |status: ProofStatus| {
            line.update(|| progress(asked.get(), status, began.elapsed()).into());
            let late = deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
            !late && !self.interrupt.requested()
        };
        let limits = ExactLimits {
            nodes: self.args.nodes.unwrap_or(u64::MAX),
            table_bytes: (self.args.hash as usize) << 20,
            stop: None,
        };
        let mut prover = Prover::new(self.game, self.databases, limits).watched(watch);
        if self.args.depth_first {
            prover = prover.depth_first(|position, promise| self.promise(position, promise));
        }
        let (lower, upper) = self.search(&mut prover, &asked)?;
        self.not_stopped()?;
        deadline.set(None);
        let found = Found {
            lower,
            upper,
            max: self.game.max_score(self.game.slice_of(&self.root.position)),
            nodes: prover.nodes(),
            probes: prover.probes(),
            seconds: began.elapsed().as_secs_f64(),
        };
        let claims = found.claims();
        if claims.is_empty() {
            return self.unknown(&found);
        }
        prover.grant(prover.nodes());
        let mut written = Vec::new();
        self.write(&mut prover, &claims, &draft, &mut written)?;
        drop(prover);
        line.clear();
        // Nothing is called proven before other code has replayed it.
        let reader = proof_file::open(draft.path())?;
        proof_file::check(draft.path(), reader, self.game, self.tables()?, self.interrupt)?;
        let bytes = fs::metadata(draft.path()).map_or(0, |metadata| metadata.len());
        draft.publish()?;
        print(&match self.args.format {
            Format::Table => self.for_people(&found, &written, bytes),
            Format::Json => format!("{}\n", self.for_programs(&found, &written, Some(bytes))),
        })
    }

    /// The bounds that the search finds.
    fn search(
        &self,
        prover: &mut Prover<'_, AnyGame, Databases>,
        asked: &Cell<Score>,
    ) -> Result<(Score, Score), Failure> {
        let (game, position) = (self.game, &self.root.position);
        let failed = |SearchError::Oracle(error)| self.args.subject.explain(game, error);
        let max = game.max_score(game.slice_of(position));
        let Some(least) = self.args.at_least else {
            let guess = game.evaluate(position, game.fitted()).div_euclid(100);
            let guess = guess.clamp(-i32::from(max), i32::from(max)) as Score;
            asked.set(guess);
            return prover.bounds(position, guess, |ask| asked.set(ask)).map_err(failed);
        };
        asked.set(least);
        Ok(match prover.decide(position, Goal::AtLeast(least)).map_err(failed)? {
            Some(true) => (least, max),
            Some(false) => (-max, least - 1),
            None => (-max, max),
        })
    }

    /// How promising each move looks.
    fn promise(&self, position: &AnyPosition, promise: &mut Vec<i32>) {
        let mut moves = Vec::new();
        self.game.moves(position, &mut moves);
        let of = |mv| self.game.promise(position, mv, &self.game.play(position, mv));
        promise.extend(moves.iter().map(of));
    }

    /// The databases as the proof names them.
    fn tables(&self) -> Result<Option<TableFiles<'_>>, Failure> {
        let Some(databases) = self.databases else { return Ok(None) };
        let metric = self.args.subject.metric(self.game)?;
        Ok(Some(TableFiles { set: databases.set(), metric, audit: false }))
    }

    fn write(
        &self,
        prover: &mut Prover<'_, AnyGame, Databases>,
        claims: &[(Goal, bool)],
        draft: &Draft,
        written: &mut Vec<(Goal, Written)>,
    ) -> Result<(), Failure> {
        let tables = self.tables()?;
        let mut writer = draft
            .create()
            .and_then(|out| ProofWriter::new(self.game, &tables, &self.root, PROGRAM, out))
            .map_err(|error| draft.failed(&error))?;
        for &(goal, yes) in claims {
            match writer.claim(goal, &mut prover.strategy(yes)) {
                Ok(size) => written.push((goal, size)),
                Err(error) => {
                    self.not_stopped()?;
                    return Err(self.unwritten(goal, error, draft));
                }
            }
        }
        let out = writer.finish().map_err(|error| draft.failed(&error))?;
        draft.sync(out)
    }

    /// Why a proof that was found could not be written.
    fn unwritten(&self, goal: Goal, error: WriteError<Halt<TableError>>, draft: &Draft) -> Failure {
        match error {
            WriteError::Io(error) => draft.failed(&error),
            WriteError::Strategy(Halt::Oracle(error)) => {
                self.args.subject.explain(self.game, error)
            }
            WriteError::Tables(error) => Failure::Failed(error.to_string()),
            _ => Failure::Failed(format!(
                "a proof of {goal} was found and lost again: {} MiB are too small a table for it; \
                 use a larger --hash",
                self.args.hash
            )),
        }
    }

    /// An error where a signal has requested a stop.
    fn not_stopped(&self) -> Result<(), Failure> {
        if !self.interrupt.requested() {
            return Ok(());
        }
        let sentence = "stopped; nothing was written".to_owned();
        Err(Failure::Stopped(sentence, self.interrupt.code()))
    }

    /// Nothing was decided within the budget.
    fn unknown(&self, found: &Found) -> Result<(), Failure> {
        if self.args.format == Format::Json {
            print(&format!("{}\n", self.for_programs(found, &[], None)))?;
        }
        let goal = match self.args.at_least {
            Some(least) => format!("whether the score is at least {least}"),
            None => "anything about the score".to_owned(),
        };
        Err(Failure::Failed(format!(
            "a search of {} in {} does not decide {goal}; raise --nodes or --time, or solve \
             larger databases",
            counted(found.nodes, "position"),
            duration(found.seconds),
        )))
    }

    /// The answer to the question, or how far the score is known.
    fn verdict(&self, found: &Found) -> &'static str {
        match self.args.at_least {
            _ if found.claims().is_empty() => "unknown",
            Some(least) if found.lower >= least => "proven",
            Some(_) => "disproven",
            None if found.lower == found.upper => "exact",
            None => "bounds",
        }
    }

    fn for_people(&self, found: &Found, written: &[(Goal, Written)], bytes: u64) -> String {
        let sentence = proof_file::sentence(self.game, &self.root, found.worth());
        let mut text = match (self.args.at_least, self.verdict(found)) {
            (Some(least), verdict) => format!("at least {least}: {verdict}\n"),
            (None, "bounds") => "the budget did not suffice for the score itself\n".to_owned(),
            _ => String::new(),
        };
        let _ = writeln!(text, "proven: {sentence}");
        for (goal, Written { nodes, probes }) in written {
            let _ = writeln!(
                text,
                "  {goal}: {}, {}",
                counted(*nodes, "position"),
                counted(*probes, "database value")
            );
        }
        let file = self.args.proof.display().to_string();
        let _ = writeln!(
            text,
            "searched {} in {}\n{file}: {}; `{} verify --proof {}` replays it",
            counted(found.nodes, "position"),
            duration(found.seconds),
            size(bytes),
            program(),
            quoted(&file),
        );
        text
    }

    fn for_programs(
        &self,
        found: &Found,
        written: &[(Goal, Written)],
        bytes: Option<u64>,
    ) -> Value {
        let claims: Vec<Value> = written
            .iter()
            .map(|(goal, Written { nodes, probes })| {
                let mut claim = proof_file::goal_json(*goal);
                claim["positions"] = (*nodes).into();
                claim["probes"] = (*probes).into();
                claim
            })
            .collect();
        let file = self.args.proof.display().to_string();
        json!({
            "position": self.game.format(&self.root),
            "at_least": self.args.at_least,
            "verdict": self.verdict(found),
            "lower": found.lower,
            "upper": found.upper,
            "result": result_json(self.game, &self.root, found.worth()),
            "claims": claims,
            "nodes": found.nodes,
            "probes": found.probes,
            "seconds": rounded(found.seconds),
            "proof": bytes.map(|bytes| json!({ "file": file, "bytes": bytes })),
        })
    }
}

/// An error where positions can repeat in slices that moves lead to and no database has.
fn need_no_repetition(
    game: &AnyGame,
    databases: &Databases,
    slice: SliceId,
) -> Result<(), Failure> {
    let (mut seen, mut open) = (HashSet::new(), vec![slice]);
    while let Some(slice) = open.pop() {
        if !seen.insert(slice) || databases.covers(slice) {
            continue;
        }
        if !game.is_acyclic(slice) {
            return Err(Failure::Usage(format!(
                "--depth-first needs the database of {}: positions can repeat there",
                game.slice_name(slice)
            )));
        }
        open.extend(game.below(slice));
    }
    Ok(())
}

/// What is asked, and what is estimated to be missing for an answer.
fn progress(asked: Score, status: ProofStatus, elapsed: Duration) -> String {
    let (nodes, seconds) = (status.nodes, elapsed.as_secs_f64());
    format!(
        "at least {asked}?  {} positions  {}  {}  proof number {}, disproof number {}",
        thousands(nodes),
        rate(nodes as f64, seconds),
        duration(seconds),
        thousands(status.proof.into()),
        thousands(status.disproof.into()),
    )
}
