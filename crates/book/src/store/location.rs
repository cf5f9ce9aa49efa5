//! Where a book is.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a book is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// In one file.
    File(PathBuf),
}

impl Location {
    /// A short name, for messages about one book of several.
    pub fn name(&self) -> String {
        match self {
            Location::File(path) => path.file_name().unwrap_or_default().display().to_string(),
        }
    }

    /// Its file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Location::File(path) => Some(path),
        }
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Location::File(path)
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Location::File(path.to_owned())
    }
}

/// As users write it.
impl From<OsString> for Location {
    fn from(text: OsString) -> Self {
        Location::File(text.into())
    }
}

impl From<String> for Location {
    fn from(text: String) -> Self {
        OsString::from(text).into()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::File(path) => path.display().fmt(f),
        }
    }
}
