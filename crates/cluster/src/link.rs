//! Connections as timely uses them. timely panics when one breaks; so a broken one never returns an
//! error here: it is reported, and its thread waits until the work is over.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::status::Watch;

/// Bytes of the header of timely's messages, and where in it the length of the message is.
const HEADER: usize = 48;
const LENGTH: std::ops::Range<usize> = 32..40;
/// How long work may go on after a connection has ended: the other side may just be done first.
const GRACE: Duration = Duration::from_secs(5);

/// What is known of the connections of one slice.
#[derive(Debug)]
pub(crate) struct Links {
    finished: Mutex<bool>,
    changed: Condvar,
    ended: Mutex<Option<Ended>>,
    /// Where bytes written and read are counted.
    watch: Arc<Watch>,
}

/// A connection that ended before the work did.
#[derive(Clone, Debug)]
struct Ended {
    machine: usize,
    reason: String,
    /// Whether it failed, rather than was closed.
    failed: bool,
    since: Instant,
}

impl Links {
    pub(crate) fn new(watch: &Arc<Watch>) -> Self {
        Links {
            finished: Mutex::default(),
            changed: Condvar::default(),
            ended: Mutex::default(),
            watch: Arc::clone(watch),
        }
    }

    /// The work is over: connections may end.
    pub(crate) fn finish(&self) {
        *self.finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// A machine to which the connection is lost, and why.
    pub(crate) fn lost(&self) -> Option<(usize, String)> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = ended.as_ref().filter(|ended| ended.failed || ended.since.elapsed() > GRACE);
        lost.map(|ended| (ended.machine, ended.reason.clone()))
    }

    /// Waits until the work is over.
    fn wait(&self) {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        while !*finished {
            finished = self.changed.wait(finished).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A connection has ended; whether by a failure.
    fn end(&self, machine: usize, failed: bool, error: Option<&io::Error>) {
        let finished = *self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if !finished {
            let reason = error.map_or_else(|| "it was closed".to_owned(), ToString::to_string);
            let ended = Ended { machine, reason, failed, since: Instant::now() };
            let mut first = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|first| failed && !first.failed) {
                *first = Some(ended);
            }
        }
    }
}

/// A connection to another machine.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    links: Arc<Links>,
    machine: usize,
    messages: Messages,
}

/// Where messages end in what is read: the last one has no length, and only then may the connection
/// end.
#[derive(Debug)]
struct Messages {
    header: [u8; HEADER],
    /// Bytes of the header that are there.
    filled: usize,
    /// Bytes of the message that are not.
    left: u64,
    ended: bool,
}

impl Messages {
    fn new() -> Self {
        Messages { header: [0; HEADER], filled: 0, left: 0, ended: false }
    }

    fn read(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.left > 0 {
                let skipped = self.left.min(bytes.len() as u64);
                self.left -= skipped;
                bytes = &bytes[skipped as usize..];
                continue;
            }
            let taken = (HEADER - self.filled).min(bytes.len());
            self.header[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
            self.filled += taken;
            bytes = &bytes[taken..];
            if self.filled == HEADER {
                self.filled = 0;
                let length = self.header[LENGTH].try_into().map_or(0, u64::from_be_bytes);
                (self.left, self.ended) = (length, length == 0);
            }
        }
    }
}

impl Link {
    pub(crate) fn new(stream: TcpStream, machine: usize, links: &Arc<Links>) -> Self {
        Link { stream, links: Arc::clone(links), machine, messages: Messages::new() }
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let error = loop {
            match self.stream.read(buffer) {
                Ok(0) => break None,
                Ok(read) => {
                    self.messages.read(&buffer[..read]);
                    self.links.watch.received.fetch_add(read as u64, Relaxed);
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Some(error),
            }
        };
        self.links.end(self.machine, !self.messages.ended, error.as_ref());
        if !self.messages.ended {
            // timely must not notice. The process goes on without this thread.
            loop {
                std::thread::park();
            }
        }
        // The other side is done; messages before the last are not delivered until this returns.
        Ok(0)
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(bytes) {
                Ok(written) if written > 0 || bytes.is_empty() => {
                    self.links.watch.sent.fetch_add(written as u64, Relaxed);
                    return Ok(written);
                }
                Ok(_) => self.links.end(self.machine, true, None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => self.links.end(self.machine, true, Some(&error)),
            }
            self.links.wait();
            return Ok(bytes.len());
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Link {
            stream: self.stream.try_clone()?,
            links: Arc::clone(&self.links),
            machine: self.machine,
            messages: Messages::new(),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        // timely expects success.
        let _ = self.stream.set_nonblocking(nonblocking);
        Ok(())
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may have closed first.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_is_recognised_wherever_reads_are_cut() {
        let mut stream = Vec::new();
        for length in [5_u64, 48, 1000] {
            let mut header = [7; HEADER];
            header[LENGTH].copy_from_slice(&length.to_be_bytes());
            stream.extend(header);
            // Zeros in a message are no end.
            stream.extend(vec![0; length as usize]);
        }
        let end = stream.len() + HEADER;
        stream.extend([0; HEADER]);
        for step in [1, 7, 48, 100, 5000] {
            let mut messages = Messages::new();
            let mut read = 0;
            for piece in stream.chunks(step) {
                assert!(!messages.ended);
                messages.read(piece);
                read += piece.len();
            }
            assert!(messages.ended && read == end, "{step}");
        }
    }
}
