//! Tokens: who may do what.
//!
//! A token is 256 random bits, shown once. The file keeps a line for each: name, role and the
//! BLAKE3 hash, which is of no use to whoever reads it. As the bits are random, a slow hash would
//! add nothing.

use std::fmt::{self, Write as _};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What every token begins with, so that one in the wrong place is recognised.
const PREFIX: &str = "nut_";
/// The first line of the file.
const HEAD: &str = "# Tokens of a Nutcracker fleet: name, role, BLAKE3 of the token.";

/// What a token allows. Each role allows what those before it do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// To propose positions.
    Propose,
    /// To get jobs and to submit results.
    Work,
    /// To suspend workers and to readmit them.
    Administer,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 3] = [Role::Propose, Role::Work, Role::Administer];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Propose => "propose",
            Role::Work => "work",
            Role::Administer => "administer",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let role = Role::ALL.into_iter().find(|role| role.name() == text);
        role.ok_or_else(|| format!("a role is propose, work or administer, not {text:?}"))
    }
}

/// Why tokens cannot be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("the file of tokens {0} cannot be read or written: {1}")]
    File(String, io::Error),
    /// A line is not one of such a file.
    #[error("line {1} of the file of tokens {0} is not NAME ROLE HASH; correct or delete it")]
    Line(String, usize),
    /// There is one of this name.
    #[error("there is a token {0:?} already; choose another name, or revoke it first")]
    Exists(String),
    /// There is none of this name.
    #[error("there is no token {0:?}; `token list` shows all")]
    Unknown(String),
    /// The name cannot be one.
    #[error("{0:?} cannot be the name of a token; take up to 64 letters, digits, - _ and .")]
    Name(String),
    /// The system has no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}

/// A token without its secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name: the account of its workers.
    pub name: String,
    /// What it allows.
    pub role: Role,
    hash: blake3::Hash,
}

/// Whether a text can be the name of a token or a worker.
pub fn is_name(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (1..=crate::protocol::NAME_BYTES).contains(&text.len()) && text.bytes().all(fits)
}

/// A file of tokens, read again when it has changed.
#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    read: Mutex<Read>,
}

#[derive(Debug, Default)]
struct Read {
    entries: Vec<Entry>,
    /// When the file was written, and how long it was.
    stamp: Option<(SystemTime, u64)>,
}

impl Tokens {
    /// The tokens of a file, which must exist.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TokenError> {
        let tokens = Tokens { path: path.into(), read: Mutex::default() };
        tokens.reload()?;
        Ok(tokens)
    }

    /// Reads the file if it has changed; after an error the tokens are those read before.
    pub fn reload(&self) -> Result<(), TokenError> {
        let failed = |error| TokenError::File(self.path.display().to_string(), error);
        let metadata = fs::metadata(&self.path).map_err(failed)?;
        let stamp = Some((metadata.modified().map_err(failed)?, metadata.len()));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.stamp != stamp {
            *read = Read { entries: read_file(&self.path)?, stamp };
        }
        Ok(())
    }

    /// Whose token this is. All hashes are compared, each in constant time.
    pub fn find(&self, token: &str) -> Option<Entry> {
        let hash = blake3::hash(token.as_bytes());
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        for entry in &read.entries {
            // Equality of hashes takes the same time wherever they differ.
            if entry.hash == hash {
                found = Some(entry.clone());
            }
        }
        found
    }
}

fn read_file(path: &Path) -> Result<Vec<Entry>, TokenError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| TokenError::File(name.clone(), error))?;
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.split_whitespace().collect();
        let entry = match parts[..] {
            [name, role, hash] if is_name(name) => Role::from_str(role)
                .ok()
                .zip(blake3::Hash::from_hex(hash).ok())
                .map(|(role, hash)| Entry { name: name.to_owned(), role, hash }),
            _ => None,
        };
        match entry {
            Some(entry) if entries.iter().all(|other| other.name != entry.name) => {
                entries.push(entry);
            }
            _ => return Err(TokenError::Line(name, number + 1)),
        }
    }
    Ok(entries)
}

/// The tokens of a file; none if there is no file.
pub fn list(path: &Path) -> Result<Vec<Entry>, TokenError> {
    if path.exists() { read_file(path) } else { Ok(Vec::new()) }
}

/// Adds a token to a file, which is made if there is none. This is the only time that the token is
/// seen.
pub fn issue(path: &Path, name: &str, role: Role) -> Result<String, TokenError> {
    if !is_name(name) {
        return Err(TokenError::Name(name.to_owned()));
    }
    let mut entries = list(path)?;
    if entries.iter().any(|entry| entry.name == name) {
        return Err(TokenError::Exists(name.to_owned()));
    }
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret).map_err(|error| TokenError::Random(error.to_string()))?;
    let mut token = PREFIX.to_owned();
    for byte in secret {
        // Writing to a string does not fail.
        let _ = write!(token, "{byte:02x}");
    }
    entries.push(Entry { name: name.to_owned(), role, hash: blake3::hash(token.as_bytes()) });
    write_file(path, &entries)?;
    Ok(token)
}

/// Removes a token from a file.
pub fn revoke(path: &Path, name: &str) -> Result<(), TokenError> {
    let mut entries = list(path)?;
    let before = entries.len();
    entries.retain(|entry| entry.name != name);
    if entries.len() == before {
        return Err(TokenError::Unknown(name.to_owned()));
    }
    write_file(path, &entries)
}

/// Replaces the file at once: a server never reads half of it.
fn write_file(path: &Path, entries: &[Entry]) -> Result<(), TokenError> {
    let failed = |error| TokenError::File(path.display().to_string(), error);
    let mut text = format!("{HEAD}\n");
    for entry in entries {
        let _ = writeln!(text, "{} {} {}", entry.name, entry.role, entry.hash.to_hex());
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&new, path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_issued_found_and_revoked() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tokens");
        assert!(list(&file).unwrap().is_empty() && Tokens::open(&file).is_err());
        let ann = issue(&file, "ann", Role::Work).unwrap();
        let tokens = Tokens::open(&file).unwrap();
        let bob = issue(&file, "bob", Role::Administer).unwrap();
        assert!(ann.starts_with("nut_") && ann.len() == 68 && ann != bob);
        assert_eq!(tokens.find(&ann).map(|entry| entry.name), Some("ann".to_owned()));
        assert!(tokens.find(&bob).is_none() && tokens.find("").is_none());
        tokens.reload().unwrap();
        assert_eq!(tokens.find(&bob).map(|entry| entry.role), Some(Role::Administer));
        assert!(matches!(issue(&file, "ann", Role::Work), Err(TokenError::Exists(_))));
        assert!(matches!(issue(&file, "a b", Role::Work), Err(TokenError::Name(_))));
        // The file has no secret, and others cannot read it.
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains(&ann) && !text.contains(&ann["nut_".len()..]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        revoke(&file, "ann").unwrap();
        assert!(matches!(revoke(&file, "ann"), Err(TokenError::Unknown(_))));
        tokens.reload().unwrap();
        assert!(tokens.find(&ann).is_none() && tokens.find(&bob).is_some());
    }

    #[test]
    fn a_damaged_file_is_refused_and_the_tokens_before_stay() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tokens");
        let ann = issue(&file, "ann", Role::Work).unwrap();
        let tokens = Tokens::open(&file).unwrap();
        fs::write(&file, "ann work 00\n").unwrap();
        assert!(matches!(tokens.reload(), Err(TokenError::Line(_, 1))));
        assert!(tokens.find(&ann).is_some());
    }
}
