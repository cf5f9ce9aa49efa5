//! Where a book is.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nutcracker_postgres::Address;

use crate::error::{BookError, Result};

/// The name of a book in a database that is not given one.
const USUAL_NAME: &str = "book";
/// The longest name of a schema.
const LONGEST_NAME: usize = 63;

/// Where a book is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// In one file.
    File(PathBuf),
    /// In a PostgreSQL database.
    Postgres(InPostgres),
}

/// A place in a PostgreSQL database, written as the address of the database and the name of the
/// book: `postgres://user@host/database?book=NAME`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InPostgres {
    /// The address, or what is wrong with it.
    address: std::result::Result<Address, String>,
    name: String,
    /// How long a lost connection is tried again, if not as long as usual.
    patience: Option<Duration>,
}

impl InPostgres {
    /// Reads an address with the name of a book.
    fn parse(text: &str) -> Self {
        let (address, name) = match text.find("?book=").or_else(|| text.find("&book=")) {
            None => (text.to_owned(), USUAL_NAME.to_owned()),
            Some(start) => {
                let (before, after) = text.split_at(start);
                let name = &after["?book=".len()..];
                match name.split_once('&') {
                    None => (before.to_owned(), name.to_owned()),
                    Some((name, rest)) => {
                        (format!("{before}{}{rest}", &after[..1]), name.to_owned())
                    }
                }
            }
        };
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let address = if (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(in_name) {
            Address::parse(&address).map_err(|error| error.to_string())
        } else {
            Err(format!(
                "{name:?} is no name of a book; use up to {LONGEST_NAME} letters, digits, _ and -"
            ))
        };
        InPostgres { address, name, patience: None }
    }

    /// The address of the database.
    pub fn address(&self) -> Result<&Address> {
        self.address.as_ref().map_err(|why| BookError::Database(why.clone()))
    }

    /// How long a lost connection is tried again, if not as long as usual.
    pub fn patience(&self) -> Option<Duration> {
        self.patience
    }

    /// The name of the book, which is that of its schema; it needs no escaping in quotes.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for InPostgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address that cannot be read may have its password anywhere.
        let Ok(address) = &self.address else { return f.write_str("postgres://***") };
        let address = address.to_string();
        let separator = if address.contains('?') { '&' } else { '?' };
        match self.name.as_str() {
            USUAL_NAME => f.write_str(&address),
            name => write!(f, "{address}{separator}book={name}"),
        }
    }
}

impl Location {
    /// The same place; if it is a server that goes away, it is waited for only this long. Without
    /// this, a minute: right for work that goes on by itself, too long where a person waits.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        match self {
            Location::File(_) => self,
            Location::Postgres(place) => {
                Location::Postgres(InPostgres { patience: Some(patience), ..place })
            }
        }
    }

    /// A short name, for messages about one book of several.
    pub fn name(&self) -> String {
        match self {
            Location::File(path) => path.file_name().unwrap_or_default().display().to_string(),
            Location::Postgres(place) => place.name.clone(),
        }
    }

    /// Its file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Location::File(path) => Some(path),
            Location::Postgres(_) => None,
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

/// As users write it: the address of a database begins with `postgres://` or `postgresql://`.
impl From<OsString> for Location {
    fn from(text: OsString) -> Self {
        match text.to_str().filter(|text| Address::is_meant(text)) {
            Some(address) => Location::Postgres(InPostgres::parse(address)),
            None => Location::File(text.into()),
        }
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
            Location::Postgres(place) => place.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_files() {
        let shown = |text: &str| {
            let location = Location::from(text.to_owned());
            assert!(!format!("{location:?} {location}").contains("secret"), "{location:?}");
            (location.to_string(), location.file().is_some(), location.name())
        };
        let postgres = |text: &str, name: &str| (text.to_owned(), false, name.to_owned());
        assert_eq!(shown("a/b.book"), ("a/b.book".to_owned(), true, "b.book".to_owned()));
        assert_eq!(shown("postgres:/x"), ("postgres:/x".to_owned(), true, "x".to_owned()));
        assert_eq!(shown("postgres:///db"), postgres("postgres:///db", "book"));
        assert_eq!(
            shown("postgresql://me:secret@host/db?book=awari_6"),
            postgres("postgres://me:***@host/db?book=awari_6", "awari_6"),
        );
        for text in ["?host=/tmp/s&book=b2", "?book=b2&host=/tmp/s"] {
            let text = format!("postgres:///db{text}");
            assert_eq!(shown(&text), postgres("postgres:///db?host=/tmp/s&book=b2", "b2"));
        }
        for text in ["postgres://me:secret@h/db?book=a%22", "postgres://me:secret@h:x/db"] {
            assert_eq!(shown(text).0, "postgres://***");
        }
    }
}
