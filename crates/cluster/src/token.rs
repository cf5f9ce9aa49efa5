//! The secret that machines share, and how two of them prove to each other that they know it.
//!
//! ```text
//! caller                              called
//!   hello: who, what for, a nonce  ──►
//!                                  ◄──  a nonce, and the proof over hello and nonce
//!   the proof over both            ──►
//!                                  ◄──  welcome
//! ```
//!
//! A proof is the keyed BLAKE3 of its role, the hello and the nonce. The secret itself never
//! travels, and a proof that was overheard is worthless for another nonce. What follows is neither
//! encrypted nor signed.

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::ClusterError;
use crate::wire::{read_json, write_json};

/// Bytes of a nonce.
const NONCE: usize = 32;
/// The longest message before the proof.
const SHORT: usize = 4096;
/// How long the other side may think.
const PATIENCE: Duration = Duration::from_secs(10);
/// The shortest token.
const SHORTEST: usize = 16;
/// The version of what is spoken between machines.
pub(crate) const PROTOCOL: u32 = 2;

/// The secret of a cluster.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// The secret of this text, of which spaces around it are no part; `None` if it is too short.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let key = blake3::derive_key("nutcracker cluster token, version 1", text.as_bytes());
        (text.len() >= SHORTEST).then_some(Token(key))
    }

    /// A text that nobody can guess.
    pub fn random_text() -> Result<String, ClusterError> {
        Ok(hex(&random()?))
    }

    fn proof(&self, role: &str, hello: &Hello, nonce: &str) -> blake3::Hash {
        let Hello { protocol, machine, purpose, nonce: theirs } = hello;
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher
            .update(format!("{role} {protocol} {machine} {purpose:?} {theirs} {nonce}").as_bytes());
        hasher.finalize()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

fn random() -> Result<[u8; NONCE], ClusterError> {
    let mut bytes = [0; NONCE];
    getrandom::fill(&mut bytes).map_err(|error| ClusterError::Random(error.to_string()))?;
    Ok(bytes)
}

fn hex(bytes: &[u8; NONCE]) -> String {
    blake3::Hash::from(*bytes).to_hex().to_string()
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Purpose {
    /// Messages.
    Control,
    /// The dataflow of a slice.
    Data { attempt: u64 },
}

/// Who calls, and what for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    protocol: u32,
    /// From 0 on.
    pub(crate) machine: usize,
    pub(crate) purpose: Purpose,
    nonce: String,
}

#[derive(Serialize, Deserialize)]
struct Challenge {
    protocol: u32,
    nonce: String,
    proof: String,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    proof: String,
}

/// Why a connection is not used.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The other side does not know the token.
    Token,
    /// The other side speaks another version.
    Protocol(u32),
    /// The connection broke.
    Io(io::Error),
    /// There are no random numbers.
    Here(ClusterError),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}

impl From<ClusterError> for Refusal {
    fn from(error: ClusterError) -> Self {
        Refusal::Here(error)
    }
}

fn is_proof(text: &str, expected: &blake3::Hash) -> bool {
    // The comparison of hashes takes the same time whatever they are.
    blake3::Hash::from_hex(text).is_ok_and(|proof| proof == *expected)
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// Introduces `machine` to the machine at the other end.
pub(crate) fn call(
    stream: &mut TcpStream,
    token: &Token,
    machine: usize,
    purpose: Purpose,
) -> Result<(), Refusal> {
    prepare(stream)?;
    let hello = Hello { protocol: PROTOCOL, machine, purpose, nonce: hex(&random()?) };
    write_json(stream, &hello)?;
    let challenge: Challenge = read_json(stream, SHORT)?;
    if challenge.protocol != PROTOCOL {
        return Err(Refusal::Protocol(challenge.protocol));
    }
    if !is_proof(&challenge.proof, &token.proof("called", &hello, &challenge.nonce)) {
        return Err(Refusal::Token);
    }
    let proof = token.proof("caller", &hello, &challenge.nonce).to_hex().to_string();
    write_json(stream, &Answer { proof })?;
    let welcome: bool = read_json(stream, SHORT)?;
    if welcome { Ok(()) } else { Err(Refusal::Token) }
}

/// Finds out who calls.
pub(crate) fn answer(stream: &mut TcpStream, token: &Token) -> Result<Hello, Refusal> {
    prepare(stream)?;
    let hello: Hello = read_json(stream, SHORT)?;
    let nonce = hex(&random()?);
    let proof = token.proof("called", &hello, &nonce).to_hex().to_string();
    write_json(stream, &Challenge { protocol: PROTOCOL, nonce: nonce.clone(), proof })?;
    if hello.protocol != PROTOCOL {
        return Err(Refusal::Protocol(hello.protocol));
    }
    let answer: Answer = read_json(stream, SHORT)?;
    let known = is_proof(&answer.proof, &token.proof("caller", &hello, &nonce));
    write_json(stream, &known)?;
    if known { Ok(hello) } else { Err(Refusal::Token) }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn meet(caller: &str, called: &str) -> (Result<(), Refusal>, Result<Hello, Refusal>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (caller, called) = (Token::new(caller).unwrap(), Token::new(called).unwrap());
        let waiting = thread::spawn(move || answer(&mut listener.accept().unwrap().0, &called));
        let purpose = Purpose::Data { attempt: 5 };
        let calls = {
            let mut stream = TcpStream::connect(address).unwrap();
            call(&mut stream, &caller, 2, purpose)
        };
        (calls, waiting.join().unwrap())
    }

    #[test]
    fn both_sides_must_know_the_token() {
        let (calls, called) = meet("the same long token", " the same long token\n");
        assert!(calls.is_ok());
        let hello = called.unwrap();
        assert_eq!((hello.machine, hello.purpose), (2, Purpose::Data { attempt: 5 }));

        let (calls, called) = meet("the same long token", "some other long token");
        assert!(matches!(calls, Err(Refusal::Token)));
        assert!(called.is_err());
    }

    #[test]
    fn a_caller_without_the_token_is_not_believed() {
        let token = Token::new("the same long token").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let waiting = thread::spawn(move || answer(&mut listener.accept().unwrap().0, &token));
        let mut stream = TcpStream::connect(address).unwrap();
        let nonce = hex(&[0; NONCE]);
        let hello = Hello { protocol: PROTOCOL, machine: 1, purpose: Purpose::Control, nonce };
        write_json(&mut stream, &hello).unwrap();
        let challenge: Challenge = read_json(&mut stream, SHORT).unwrap();
        // The proof of the other side, sent back.
        write_json(&mut stream, &Answer { proof: challenge.proof }).unwrap();
        assert!(!read_json::<bool>(&mut stream, SHORT).unwrap());
        assert!(matches!(waiting.join().unwrap(), Err(Refusal::Token)));
    }

    #[test]
    fn tokens_are_long_and_hidden() {
        assert!(Token::new("short").is_none());
        let text = Token::random_text().unwrap();
        assert_ne!(text, Token::random_text().unwrap());
        assert_eq!(format!("{:?}", Token::new(&text).unwrap()), "Token");
    }
}
