//! Proof files as commands write and check them.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Numbering, Score, Situation};
use nutcracker_proof::{Checked, Flaw, Goal, ProofReader, TableFiles};
use nutcracker_search::Worth;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::live::{LiveLine, Status};
use crate::number::size;
use crate::outcome::{name, outcome_sentence};

/// Opens a proof file and reads its header.
pub fn open(path: &Path) -> Result<ProofReader<BufReader<File>>, Failure> {
    let file = File::open(path)
        .map_err(|error| Failure::Failed(format!("cannot open {}: {error}", path.display())))?;
    ProofReader::new(BufReader::new(file)).map_err(|flaw| refused(path, &flaw))
}

/// Why a file is no proof.
pub fn refused(path: &Path, flaw: &dyn std::fmt::Display) -> Failure {
    Failure::Failed(format!("{} proves nothing: {flaw}", path.display()))
}

/// Checks a proof file, with its progress on standard error.
pub fn check(
    path: &Path,
    reader: ProofReader<BufReader<File>>,
    game: &AnyGame,
    tables: Option<TableFiles<'_>>,
    interrupt: &Interrupt,
) -> Result<Checked, Failure> {
    let len = fs::metadata(path).map_or(0, |metadata| metadata.len());
    let line = LiveLine::new();
    let go_on = |done: u64| {
        line.update(|| {
            let share = done as f64 / len.max(1) as f64;
            Status::with_bar(
                "checking".to_owned(),
                share,
                format!("{} of {}", size(done), size(len)),
            )
        });
        !interrupt.requested()
    };
    reader.check(game, &tables, go_on).map_err(|flaw| match flaw {
        Flaw::Stopped => Failure::Stopped("stopped".to_owned(), interrupt.code()),
        flaw => refused(path, &flaw),
    })
}

/// What claims say about the score of a position, with the bounds that it has anyway left out.
pub fn worth(game: &AnyGame, position: &AnyPosition, goals: &[Goal]) -> Worth {
    let max = game.max_score(game.slice_of(position));
    let (mut lower, mut upper) = (-max, max);
    for goal in goals {
        match *goal {
            Goal::AtLeast(score) => lower = lower.max(score),
            Goal::AtMost(score) => upper = upper.min(score),
        }
    }
    within(lower, upper, max)
}

/// A score within bounds, of which those that no score of the slice exceeds are left out.
pub fn within(lower: Score, upper: Score, max: Score) -> Worth {
    match (lower > -max, upper < max) {
        _ if lower == upper => Worth::exact(lower),
        (true, false) => Worth::at_least(lower),
        (false, true) => Worth::at_most(upper),
        (true, true) => Worth::between(lower, upper),
        (false, false) => Worth::default(),
    }
}

/// What that means: `score ≥ 3 for South`, `White does not lose`.
pub fn sentence(game: &AnyGame, situation: &Situation<AnyPosition>, worth: Worth) -> String {
    let mover = name(game, situation.mover);
    if worth.score().is_none() && !game.metrics().iter().any(|metric| metric.is_points()) {
        return match worth.lower {
            Some(_) => format!("{mover} does not lose"),
            None => format!("{mover} does not win"),
        };
    }
    outcome_sentence(game, situation, worth)
}

/// A claim for programs.
pub fn goal_json(goal: Goal) -> Value {
    match goal {
        Goal::AtLeast(score) => json!({ "at_least": score }),
        Goal::AtMost(score) => json!({ "at_most": score }),
    }
}

/// A file that gets its name when it is complete, and is removed if that does not happen.
pub struct Draft {
    path: PathBuf,
    name: PathBuf,
}

impl Draft {
    /// Refuses a name that is taken: what is there may have taken hours.
    pub fn new(name: &Path) -> Result<Self, Failure> {
        if name.exists() {
            let name = name.display();
            return Err(Failure::Usage(format!("{name} exists; use another --proof or delete it")));
        }
        let mut path = name.as_os_str().to_owned();
        path.push(".tmp");
        let draft = Draft { path: path.into(), name: name.to_owned() };
        // Before hours of work: whether it can be written at all.
        draft.create().map_err(|error| draft.failed(&error))?;
        Ok(draft)
    }

    /// Where it is before it is complete.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, empty.
    pub fn create(&self) -> io::Result<BufWriter<File>> {
        File::create(&self.path).map(BufWriter::new)
    }

    /// Makes what was written durable.
    pub fn sync(&self, mut out: BufWriter<File>) -> Result<(), Failure> {
        out.flush().and_then(|()| out.get_ref().sync_all()).map_err(|error| self.failed(&error))
    }

    /// Gives it its name.
    pub fn publish(self) -> Result<(), Failure> {
        fs::rename(&self.path, &self.name).map_err(|error| self.failed(&error))
    }

    /// The file cannot be written.
    pub fn failed(&self, error: &io::Error) -> Failure {
        Failure::Failed(format!("cannot write {}: {error}", self.name.display()))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After publishing there is nothing under this name.
        let _ = fs::remove_file(&self.path);
    }
}
