//! What the file of a lock says: who holds it, and the counter.
//!
//! The file has 1024 bytes and is written in place. A reader may meet half of a write: then the
//! checksum is wrong, the owner is unknown for the moment, and the bytes have changed, which is all
//! that a watcher needs to know.

use std::fmt::{self, Write};
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the file.
pub(super) const RECORD: usize = 1024;
/// Digits of the checksum before the rest.
const DIGITS: usize = 16;
/// The most characters of a text in the record.
const TEXT: usize = 200;

/// The owner of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The machine.
    pub host: String,
    /// The process, on that machine.
    pub pid: u32,
    /// A random word for the process.
    pub process: String,
    /// A random word for this lock.
    pub word: String,
    /// How often it has said that it is alive.
    pub beats: u64,
    /// Milliseconds between two beats.
    every: u64,
    /// Whether the lock was given back.
    pub free: bool,
    /// Whatever the owner wants others to know.
    pub about: String,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} on {}", self.pid, self.host)
    }
}

impl Owner {
    /// This process, which beats so often.
    pub(super) fn this_process(every: Duration) -> io::Result<Self> {
        Ok(Owner {
            host: plain(&host()),
            pid: std::process::id(),
            process: random_word()?,
            word: String::new(),
            beats: 0,
            every: every.as_millis() as u64,
            free: false,
            about: String::new(),
        })
    }

    /// As the owner of another lock.
    pub(super) fn with(&self, word: String, about: &str) -> Self {
        Owner { word, about: plain(about), ..self.clone() }
    }

    /// The time between two beats.
    pub(super) fn every(&self) -> Duration {
        Duration::from_millis(self.every)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        // Such a structure can always be written as JSON.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        let width = RECORD - DIGITS - 2;
        let _ = write!(text, "{:width$}", "", width = width.saturating_sub(text.len()));
        format!("{:016x} {text}\n", xxh3_64(text.as_bytes())).into_bytes()
    }

    /// `None` for half of a write, or anything else.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let (sum, text) = text.split_once(' ')?;
        let right = u64::from_str_radix(sum, 16).ok()? == xxh3_64(text.as_bytes());
        right.then(|| serde_json::from_str(text).ok())?
    }
}

/// A text that takes a byte for each character in JSON, cut where the record ends.
fn plain(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_graphic() && !"\"\\".contains(c) { c } else { ' ' };
    text.chars().take(TEXT).map(kept).collect()
}

/// A word that no other process has.
pub(super) fn random_word() -> io::Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:016x}", u64::from_le_bytes(bytes)))
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "another machine".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_half_of_one_is_nothing() {
        let process = Owner::this_process(Duration::from_secs(1)).unwrap();
        for about in ["", "slice 5", &"é\"\\\n".repeat(200), &"x".repeat(2000)] {
            let owner = process.with(random_word().unwrap(), about);
            assert_eq!(owner.encode().len(), RECORD);
            assert_eq!(Owner::decode(&owner.encode()), Some(owner));
        }
        let mut owner = process.with(random_word().unwrap(), "slice 5");
        let old = owner.encode();
        owner.beats += 1;
        let new = owner.encode();
        assert_eq!(Owner::decode(&new), Some(owner));
        let whole = [&old, &new];
        for cut in 0..RECORD {
            let torn = [&new[..cut], &old[cut..]].concat();
            assert!(Owner::decode(&torn).is_none() || whole.contains(&&torn), "{cut}");
            assert_eq!(Owner::decode(&new[..cut]), None);
        }
    }
}
