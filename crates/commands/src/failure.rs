//! Why a command ended without success; `main` turns it into an exit code.

use nutcracker_any::UnknownGame;
use nutcracker_book::BookError;
use nutcracker_retro::check::CheckError;
use nutcracker_retro::{CalibrationError, SolveError, ThreadError};
use nutcracker_table::{ErrorKind, Reach, TableError};

use crate::number::size;

/// Why a command ended without success. The texts are one sentence with advice on what to do.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// The command line is right and the command failed.
    Failed(String),
    /// Another machine is lost, or could not do its share: another run may do better.
    Lost(String),
    /// A signal stopped it; with the exit code.
    Stopped(String, u8),
    /// A process that this one ran has failed with this exit code, and said why.
    Told(u8),
    /// Standard output was closed by its reader.
    BrokenPipe,
}

impl Failure {
    /// Of writing to standard output.
    pub fn output(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Failed(format!("cannot write to standard output: {error}")),
        }
    }

    /// What it says to people.
    pub fn into_sentence(self) -> String {
        match self {
            Failure::Usage(sentence)
            | Failure::Failed(sentence)
            | Failure::Lost(sentence)
            | Failure::Stopped(sentence, _) => sentence,
            Failure::Told(code) => format!("it failed with exit code {code}"),
            Failure::BrokenPipe => "standard output was closed".to_owned(),
        }
    }
}

impl From<UnknownGame> for Failure {
    fn from(error: UnknownGame) -> Self {
        Failure::Usage(format!("{error}; see `{} games`", crate::args::program()))
    }
}

impl From<BookError> for Failure {
    fn from(error: BookError) -> Self {
        match error {
            BookError::OtherGame { .. } | BookError::Exists(_) | BookError::Illegal(_) => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Locked { .. } | TableError::Fleet { .. } => {
                Failure::Failed(format!("{error} (--data)"))
            }
            TableError::TooNarrow { need, .. } => Failure::Failed(match need {
                Reach::Exact => format!("{error} (without --window)"),
                Reach::Within(window) => format!("{error} (--window {window})"),
            }),
            TableError::Io { ref source, .. }
                if matches!(
                    source.kind(),
                    std::io::ErrorKind::StorageFull
                        | std::io::ErrorKind::QuotaExceeded
                        | std::io::ErrorKind::FileTooLarge
                ) =>
            {
                Failure::Failed(format!("{error} (--data)"))
            }
            TableError::Io { ref source, .. }
                if source.kind() == std::io::ErrorKind::NotADirectory =>
            {
                Failure::Failed(format!("{error}; use another --data"))
            }
            _ if error.kind() == ErrorKind::Usage => Failure::Usage(error.to_string()),
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Table(error) => error.into(),
            CheckError::Wrong { .. } => {
                Failure::Failed(format!("{error}; delete the file and solve it again"))
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Table(error) => error.into(),
            SolveError::Check(error) => error.into(),
            SolveError::NoSuchSlice { .. } => Failure::Usage(error.to_string()),
            SolveError::TooLittleMemory { game, slice, solver, needed, given } => {
                Failure::Failed(format!(
                    "{slice} of {game} needs at least {} of memory with solver {solver}, and {} \
                     may be used; raise --memory",
                    size(needed),
                    size(given),
                ))
            }
            SolveError::Unfit { .. } => Failure::Usage(format!("{error}; use another --solver")),
            SolveError::Threads(ThreadError::Start { .. }) => {
                Failure::Failed(format!("{error}; use fewer --threads"))
            }
            SolveError::Machine(_) => {
                // Another machine may have said so already.
                let (sentence, advice) =
                    (error.to_string(), "the same command continues from here");
                let said = sentence.ends_with(advice);
                Failure::Lost(if said { sentence } else { format!("{sentence}; {advice}") })
            }
            SolveError::Memory(_) => {
                Failure::Failed(format!("{error}; end other programs or solve fewer slices"))
            }
            _ => Failure::Failed(error.to_string()),
        }
    }
}

impl From<CalibrationError> for Failure {
    fn from(error: CalibrationError) -> Self {
        match error {
            CalibrationError::Solve(error) => error.into(),
            _ => Failure::Failed(format!("{error}; set TMPDIR to another directory")),
        }
    }
}
