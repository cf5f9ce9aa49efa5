//! Names of slices and of files.

use std::fmt;
use std::sync::Arc;

use crate::format;
use crate::reach::Reach;

type ToName = dyn Fn(u32) -> String + Send + Sync;
type FromName = dyn Fn(&str) -> Option<u32> + Send + Sync;

/// How the slices of a game are named: `15`, `krkn`, `w4b3`. By default, by their numbers.
#[derive(Clone)]
pub struct Naming {
    to_name: Arc<ToName>,
    from_name: Arc<FromName>,
}

impl Naming {
    /// Names by two functions that are inverse to each other. Names have small letters, digits and
    /// `_`.
    pub fn new(
        to_name: impl Fn(u32) -> String + Send + Sync + 'static,
        from_name: impl Fn(&str) -> Option<u32> + Send + Sync + 'static,
    ) -> Self {
        Self { to_name: Arc::new(to_name), from_name: Arc::new(from_name) }
    }

    /// The name of a slice.
    pub fn name(&self, slice: u32) -> String {
        (self.to_name)(slice)
    }

    /// The slice with this name.
    pub fn slice(&self, name: &str) -> Option<u32> {
        (self.from_name)(name)
    }

    /// The name of the file of a slice with a reach, once it is checked.
    pub fn file_name(&self, game: &str, slice: u32, reach: Reach) -> String {
        format::file_name(game, &self.name(slice), reach)
    }

    /// Slice, reach and whether it is checked, of a file with a canonical name.
    pub(crate) fn parse(&self, game: &str, file: &str) -> Option<(u32, Reach, bool)> {
        let (name, reach, checked) = format::parse_file_name(game, file)?;
        // Numbers have leading zeros in names of files and nowhere else.
        let slice = self.slice(name).or_else(|| self.slice(name.trim_start_matches('0')))?;
        let (expected, checked_name) =
            (self.file_name(game, slice, reach), file.strip_suffix(format::UNCHECKED));
        (checked_name.unwrap_or(file) == expected).then_some((slice, reach, checked))
    }
}

impl Default for Naming {
    fn default() -> Self {
        Self::new(|slice| slice.to_string(), |name| name.parse().ok())
    }
}

impl fmt::Debug for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Naming")
    }
}
