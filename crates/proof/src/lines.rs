//! The lines of a proof file, with the checksum over them.

use std::io::{BufRead, Read};

use crate::flaw::Flaw;

/// No line is longer: what has no end is not read into memory.
const LONGEST: u64 = 1 << 16;
/// The word of the last line.
pub(crate) const END: &str = "end";

/// Reads lines; the last one has the checksum of all before it.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    number: u64,
    bytes: u64,
    /// Whether the last line was read.
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        let hasher = blake3::Hasher::new();
        Lines { input, buffer: Vec::new(), hasher, number: 0, bytes: 0, ended: false }
    }

    /// The number of the line read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line without its end; `None` after the last one, whose checksum was right.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, Flaw> {
        if self.ended {
            return Ok(None);
        }
        self.buffer.clear();
        let read = (&mut self.input).take(LONGEST).read_until(b'\n', &mut self.buffer)?;
        self.bytes += read as u64;
        self.number += 1;
        if self.buffer.pop_if(|last| *last == b'\n').is_none() {
            return Err(Flaw::Damaged(if read as u64 == LONGEST {
                "a line is longer than any line of a proof"
            } else {
                "it is cut off: the last line is missing"
            }));
        }
        let line = str::from_utf8(&self.buffer)
            .map_err(|_| Flaw::Damaged("it has bytes that are no text"))?;
        if let Some(digest) = line.strip_prefix(END).and_then(|rest| rest.strip_prefix('\t')) {
            if digest != self.hasher.finalize().to_hex().as_str() {
                return Err(Flaw::Damaged("its checksum is wrong"));
            }
            if !self.input.fill_buf()?.is_empty() {
                return Err(Flaw::Damaged("something follows its last line"));
            }
            self.ended = true;
            return Ok(None);
        }
        self.hasher.update(line.as_bytes()).update(b"\n");
        Ok(Some(line))
    }

    /// The first of two reasons to reject a file: damage, where there is any, explains the rest.
    pub(crate) fn explain(&mut self, flaw: Flaw) -> Flaw {
        if !matches!(flaw, Flaw::Line { .. } | Flaw::Unproven { .. } | Flaw::Empty) {
            return flaw;
        }
        loop {
            match self.next() {
                Ok(Some(_)) => {}
                Ok(None) => return flaw,
                Err(damage) => return damage,
            }
        }
    }
}
