//! Control connections: messages between the first machine and each of the others, and whether they
//! are still there.

use std::collections::HashMap;
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ClusterError;
use crate::status::{BEAT, Watch};
use crate::token::{Hello, PROTOCOL, Purpose, Refusal, Token, answer, call};
use crate::wire::{Frame, LONGEST, Message, read_frame, write_bytes, write_json};

/// A machine that was not heard of for so long is lost.
pub(crate) const SILENCE: Duration = Duration::from_secs(10);
/// Between two attempts to connect.
const RETRY: Duration = Duration::from_millis(100);

/// What comes from another machine.
#[derive(Debug)]
pub(crate) enum Event {
    /// A message.
    Message(Message),
    /// Bytes of a table.
    Bytes(Vec<u8>),
    /// Nothing more, and why.
    Lost(String),
}

/// The sending half of a control connection.
#[derive(Debug)]
pub(crate) struct Control {
    stream: Mutex<TcpStream>,
}

impl Control {
    /// Uses a connection whose other side is known. What it sends goes to `events`, but for its
    /// status, which `watch` hears.
    pub(crate) fn open(
        stream: TcpStream,
        machine: usize,
        events: Sender<(usize, Event)>,
        watch: &Arc<Watch>,
    ) -> io::Result<Arc<Self>> {
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let mut reading = stream.try_clone()?;
        let (hears, tells) = (Arc::clone(watch), Arc::clone(watch));
        thread::spawn(move || {
            loop {
                let event = match read_frame(&mut reading, LONGEST) {
                    Ok(Frame::Json(body)) => match serde_json::from_slice(&body) {
                        Ok(message) if hears.hear(machine, &message) => continue,
                        Ok(message) => Event::Message(message),
                        Err(_) => Event::Lost("it sent a message of another version".to_owned()),
                    },
                    Ok(Frame::Bytes(bytes)) => Event::Bytes(bytes),
                    Err(error) => Event::Lost(why_lost(&error)),
                };
                let last = matches!(event, Event::Lost(_));
                if events.send((machine, event)).is_err() || last {
                    return;
                }
            }
        });
        let control = Arc::new(Control { stream: Mutex::new(stream) });
        let beating: Weak<Control> = Arc::downgrade(&control);
        thread::spawn(move || {
            while let Some(control) = beating.upgrade() {
                if control.send(&tells.beat()).is_err() {
                    return;
                }
                drop(control);
                thread::sleep(BEAT);
            }
        });
        Ok(control)
    }

    fn stream(&self) -> MutexGuard<'_, TcpStream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message. Where that fails, the receiving half reports it, too.
    pub(crate) fn send(&self, message: &Message) -> io::Result<()> {
        write_json(&mut *self.stream(), message)
    }

    /// Sends bytes of a table.
    pub(crate) fn send_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        write_bytes(&mut *self.stream(), bytes)
    }

    /// Nothing more will be sent.
    pub(crate) fn close(&self) {
        let _ = self.stream().shutdown(std::net::Shutdown::Write);
    }
}

fn why_lost(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("it was silent for {} seconds", SILENCE.as_secs())
        }
        _ => error.to_string(),
    }
}

/// Connections that were accepted, by who called and what for.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    arrived: Mutex<Arrivals>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Arrivals {
    streams: HashMap<(usize, Purpose), TcpStream>,
    /// The last caller that was not believed, and why.
    refused: Option<String>,
}

impl Accepted {
    /// Accepts connections as long as somebody may take them.
    pub(crate) fn listen(listener: TcpListener, token: Token) -> Arc<Self> {
        let accepted = Arc::new(Accepted::default());
        let waiting = Arc::downgrade(&accepted);
        // It waits in `accept`, and so ends with the process, or with the next caller.
        thread::spawn(move || {
            while waiting.strong_count() > 0 {
                let Ok((stream, from)) = listener.accept() else {
                    thread::sleep(RETRY);
                    continue;
                };
                let (waiting, token) = (Weak::clone(&waiting), token.clone());
                thread::spawn(move || {
                    let mut stream = stream;
                    let found = answer(&mut stream, &token);
                    if let Some(accepted) = waiting.upgrade() {
                        accepted.add(stream, found, &from.ip().to_string());
                    }
                });
            }
        });
        accepted
    }

    fn add(&self, stream: TcpStream, found: Result<Hello, Refusal>, from: &str) {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        match found {
            Ok(hello) => {
                arrived.streams.insert((hello.machine, hello.purpose), stream);
            }
            Err(Refusal::Protocol(version)) => {
                arrived.refused = Some(format!("a caller from {from} speaks version {version}"));
            }
            Err(_) => arrived.refused = Some(format!("a caller from {from} has another token")),
        }
        self.changed.notify_all();
    }

    /// Takes a connection, waiting for it for a short time.
    pub(crate) fn take(
        &self,
        machine: usize,
        purpose: Purpose,
        wait: Duration,
    ) -> Option<TcpStream> {
        let deadline = Instant::now() + wait;
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(stream) = arrived.streams.remove(&(machine, purpose)) {
                return Some(stream);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.changed.wait_timeout(arrived, left);
            arrived = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The last caller that was not believed, and why.
    pub(crate) fn refused(&self) -> Option<String> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner).refused.clone()
    }
}

/// Connects to a machine and introduces this one. `look` is called between attempts; its error ends
/// them.
pub(crate) fn connect(
    (address, label): (&str, &str),
    (token, machine, purpose): (&Token, usize, Purpose),
    patience: Duration,
    look: &mut dyn FnMut() -> Result<(), ClusterError>,
) -> Result<TcpStream, ClusterError> {
    let deadline = Instant::now() + patience;
    loop {
        let attempt = reach(address).map_err(Refusal::from).and_then(|mut stream| {
            call(&mut stream, token, machine, purpose)?;
            Ok(stream)
        });
        let reason = match attempt {
            Ok(stream) => return Ok(stream),
            Err(Refusal::Token) => return Err(ClusterError::Token { machine: label.to_owned() }),
            Err(Refusal::Protocol(version)) => {
                return Err(ClusterError::Told(format!(
                    "{label} speaks version {version} of the protocol, and this machine {PROTOCOL}; \
                     use the same version everywhere"
                )));
            }
            Err(Refusal::Here(error)) => return Err(error),
            Err(Refusal::Io(error)) => error.to_string(),
        };
        if Instant::now() >= deadline {
            let machine = label.to_owned();
            return Err(ClusterError::Missing { machine, reason, patience });
        }
        look()?;
        thread::sleep(RETRY);
    }
}

/// Connects to the first address of a name that answers.
fn reach(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, format!("{address} is not known"));
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, Duration::from_secs(3)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
