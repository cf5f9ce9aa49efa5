//! Messages of the connections that control the work.
//!
//! A frame is a byte that tells its kind, its length in four bytes, and as many bytes: a message in
//! JSON, or bytes of a table.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::status::{Status, Together};

/// The longest frame between machines that know each other.
pub(crate) const LONGEST: usize = 1 << 24;
/// Bytes of a table in a frame.
pub(crate) const PIECE: usize = 1 << 20;

const JSON: u8 = 1;
const BYTES: u8 = 2;

/// A frame.
#[derive(Debug)]
pub(crate) enum Frame {
    Json(Vec<u8>),
    Bytes(Vec<u8>),
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "snake_case")]
pub(crate) enum Message {
    /// A machine introduces itself to the first one: where others reach it, and what all must
    /// agree on.
    Join { address: String, terms: Vec<Term> },
    /// All are there: how they are called, and where they are.
    Start { machines: Vec<Machine> },
    /// The first machine wants a slice to be solved, and what that needs.
    Slice { attempt: u64, slice: u32, top: u8, rows: bool, tables: Vec<TableFile> },
    /// Tables that a machine does not have.
    Want { names: Vec<String> },
    /// A table; its bytes follow.
    Table { name: String, bytes: u64 },
    /// A machine has all it needs, and checkpoints with which it can go on at some levels.
    Ready { attempt: u64, levels: Vec<u8> },
    /// All have what they need: they connect with each other, and go on at a level for which all
    /// have a checkpoint.
    Go { attempt: u64, resume: Option<u8> },
    /// A machine cannot go on.
    Failed { sentence: String },
    /// All must stop.
    Stop { sentence: String },
    /// Nothing is left to do.
    Done,
    /// Sent every second by the first machine: how far all have come.
    Together { together: Together },
    /// Sent every second by the others.
    Status { status: Status },
}

/// What all machines must agree on, by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Term {
    /// What it is, such as `threads`.
    pub name: String,
    /// What it is here.
    pub value: String,
}

impl Term {
    /// A term.
    pub fn new(name: &str, value: &(impl ToString + ?Sized)) -> Self {
        Term { name: name.to_owned(), value: value.to_string() }
    }
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// As sentences name it.
    pub(crate) label: String,
    /// Where others reach it.
    pub(crate) address: String,
}

/// A table that a slice needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct TableFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
}

fn write_frame(stream: &mut impl Write, kind: u8, body: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(5 + body.len());
    frame.push(kind);
    frame.extend((body.len() as u32).to_le_bytes());
    frame.extend(body);
    stream.write_all(&frame)
}

/// Writes something as JSON.
pub(crate) fn write_json(stream: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    write_frame(stream, JSON, &serde_json::to_vec(value)?)
}

/// Writes bytes of a table.
pub(crate) fn write_bytes(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    write_frame(stream, BYTES, bytes)
}

/// Reads a frame of at most `longest` bytes.
pub(crate) fn read_frame(stream: &mut impl Read, longest: usize) -> io::Result<Frame> {
    let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut head = [0; 5];
    stream.read_exact(&mut head)?;
    let [kind, len @ ..] = head;
    let len = u32::from_le_bytes(len) as usize;
    if !matches!(kind, JSON | BYTES) || len > longest {
        return Err(wrong("it sent something else than Nutcracker does".to_owned()));
    }
    let mut body = vec![0; len];
    stream.read_exact(&mut body)?;
    Ok(if kind == JSON { Frame::Json(body) } else { Frame::Bytes(body) })
}

/// Reads something as JSON.
pub(crate) fn read_json<T: for<'a> Deserialize<'a>>(
    stream: &mut impl Read,
    longest: usize,
) -> io::Result<T> {
    match read_frame(stream, longest)? {
        Frame::Json(body) => Ok(serde_json::from_slice(&body)?),
        Frame::Bytes(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "bytes out of turn")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let table = TableFile { name: "a.nut".to_owned(), bytes: 7, blake3: "00".to_owned() };
        let messages = [
            Message::Slice { attempt: 3, slice: 9, top: 9, rows: true, tables: vec![table] },
            Message::Failed { sentence: "the disk is full".to_owned() },
            Message::Status { status: Status { memory: Some(1), ..Status::default() } },
            Message::Done,
        ];
        let mut bytes = Vec::new();
        for message in &messages {
            write_json(&mut bytes, message).unwrap();
        }
        let mut stream = &bytes[..];
        for message in messages {
            assert_eq!(read_json::<Message>(&mut stream, LONGEST).unwrap(), message);
        }
        assert!(stream.is_empty());
    }

    #[test]
    fn foreign_bytes_are_refused_before_memory_is_taken() {
        for bytes in [&b"GET / HTTP/1.1\r\n"[..], &[1, 255, 255, 255, 255, 0], &[1, 2, 0], &[]] {
            assert!(read_frame(&mut &bytes[..], LONGEST).is_err());
        }
    }
}
