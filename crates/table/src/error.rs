//! Errors, classified by who has to act.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::reach::Reach;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, TableError>;

/// Who has to act after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A usage error: the request makes no sense, and the caller has to change it.
    Usage,
    /// The request makes sense, but the table asked for has not been built.
    NotHere,
    /// A file is damaged, foreign, or of a version that this program cannot read.
    DataBroken,
    /// The operating system refused or failed.
    Io,
}

/// An error of reading or writing tables. Its message is one sentence for a person.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The request itself is wrong.
    #[error("{reason}")]
    Request {
        /// The whole sentence.
        reason: String,
    },
    /// Another process holds the lock of a directory.
    #[error(
        "another process{holder} is building in {dir}; wait for it or use another directory",
        dir = dir.display()
    )]
    Locked {
        /// The directory that is being built in.
        dir: PathBuf,
        /// ` (pid N)`, or nothing if the lock file does not say.
        holder: String,
    },
    /// Several processes solve slices of a directory as jobs.
    #[error(
        "a fleet{who} works in {dir}; join it with --fleet, wait for it, or use another directory",
        dir = dir.display()
    )]
    Fleet {
        /// The directory that they work in.
        dir: PathBuf,
        /// ` (pid N on HOST)`, or nothing if it is not known.
        who: String,
    },
    /// A file is missing.
    #[error("{path} does not exist", path = path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A slice has no table in a directory.
    #[error(
        "there is no {game} table for slice {name} in {dir}; solve that slice first",
        dir = dir.display()
    )]
    MissingSlice {
        /// The game.
        game: String,
        /// The slice.
        slice: u32,
        /// Its name.
        name: String,
        /// The directory that was searched.
        dir: PathBuf,
    },
    /// A slice has only tables whose windows are too narrow.
    #[error(
        "slice {name} of {game} in {dir} is available only with {reach}, and {wanted}",
        dir = dir.display(),
        wanted = wanted(*need)
    )]
    TooNarrow {
        /// The game.
        game: String,
        /// The slice.
        slice: u32,
        /// Its name.
        name: String,
        /// The directory that was searched.
        dir: PathBuf,
        /// The widest reach available.
        reach: Reach,
        /// The reach needed.
        need: Reach,
    },
    /// A file of another program.
    #[error("{path} is not a nutcracker file: {reason}", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The evidence.
        reason: String,
    },
    /// A file of a later format version.
    #[error(
        "{path} has format version {found}, but this program reads only up to version {known}; \
         use a newer program",
        path = path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The latest version known here.
        known: u32,
    },
    /// A file contradicts itself or fails a checksum.
    #[error("{path} is damaged: {reason}; {remedy}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which check failed, and where.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A sound file in the wrong place.
    #[error("{path} has {what} {found}, but {expected} is expected", path = path.display())]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// The field that differs.
        what: &'static str,
        /// The file's value.
        found: String,
        /// The value it should have.
        expected: String,
    },
    /// A sound file that the manifest of its directory does not list.
    #[error("{path} has slice {name}, which the manifest does not list", path = path.display())]
    Unlisted {
        /// The file.
        path: PathBuf,
        /// The name of its slice.
        name: String,
    },
    /// The operating system failed.
    #[error("cannot {action} {path}: {source}{hint}", path = path.display(), hint = hint(action, source))]
    Io {
        /// The operation: "write", "rename".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

fn wanted(need: Reach) -> String {
    match need {
        Reach::Within(_) => {
            format!("{need} is needed; solve it with {need} or exactly")
        }
        Reach::Exact => "exact scores are needed; solve it exactly".to_owned(),
    }
}

/// Operations that need no write permission.
const READS: [&str; 4] = ["open", "read", "list", "look for"];

fn hint(action: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space and run again, which continues from what is finished, or use another \
             directory"
        }
        io::ErrorKind::FileTooLarge => {
            "; the limit on the size of files is too low (ulimit -f, or the file system): raise it \
             and run again, which continues from what is finished, or use another directory"
        }
        io::ErrorKind::PermissionDenied if READS.contains(&action) => {
            "; allow this user to read it"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; use a directory that may be written"
        }
        _ => "",
    }
}

impl TableError {
    /// Who has to act.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Request { .. } | Self::Locked { .. } | Self::Fleet { .. } => ErrorKind::Usage,
            Self::Missing { .. } | Self::MissingSlice { .. } | Self::TooNarrow { .. } => {
                ErrorKind::NotHere
            }
            Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::Damaged { .. }
            | Self::Unexpected { .. }
            | Self::Unlisted { .. } => ErrorKind::DataBroken,
            Self::Io { .. } => ErrorKind::Io,
        }
    }

    pub(crate) fn request(reason: impl Into<String>) -> Self {
        Self::Request { reason: reason.into() }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            reason: reason.into(),
            remedy: "delete it and build it again",
        }
    }

    pub(crate) fn unexpected(
        path: &Path,
        what: &'static str,
        found: &impl ToString,
        expected: &impl ToString,
    ) -> Self {
        Self::Unexpected {
            path: path.to_owned(),
            what,
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }

    /// Converts a system error; a missing file becomes [`TableError::Missing`].
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Io { action, path, source },
        }
    }
}
