//! A child process and its pipes. Its output takes bounded memory, and nothing here waits longer
//! than the given time.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_game::shortened;

/// The longest line; the rest counts as another line.
const MAX_LINE: u64 = 1 << 16;
/// Unread lines; beyond them the program blocks.
const MAX_UNREAD: usize = 256;
/// The time a program gets to exit by itself.
const EXIT_TIMEOUT: Duration = Duration::from_millis(300);

/// The next line, without its end; `None` at the end of input. Invalid UTF-8 is replaced.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    loop {
        match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Where Debian installs programs that play games, Stockfish among them; root's PATH lacks it.
const GAMES: &str = "/usr/games";

/// A running program.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_error: Arc<Mutex<String>>,
    /// The thread that reads error output; it ends when all of it is read.
    error_reader: Option<thread::JoinHandle<()>>,
}

/// Output of a program.
#[derive(Debug)]
pub enum Received {
    Line(String),
    /// Nothing in time.
    Nothing,
    /// It has closed its output.
    Ended,
}

impl Process {
    /// Starts a command: a program and its arguments, quoted where they contain blanks.
    pub fn start(command: &str) -> io::Result<Self> {
        let mut child = spawn(command, Path::new(GAMES))?;
        let (sender, lines) = sync_channel(MAX_UNREAD);
        let last_error = Arc::new(Mutex::new(String::new()));
        let (output, errors, input) =
            (child.stdout.take(), child.stderr.take(), child.stdin.take());
        // From here on the child is killed when this value is dropped, also if a thread cannot be
        // started.
        let kept = Arc::clone(&last_error);
        let mut process = Process { child, input, lines, last_error, error_reader: None };
        if let Some(output) = output {
            thread::Builder::new().spawn(move || forward(output, &sender))?;
        }
        if let Some(errors) = errors {
            let reader = thread::Builder::new().spawn(move || keep_last(errors, &kept))?;
            process.error_reader = Some(reader);
        }
        Ok(process)
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// The next line, until a deadline.
    pub fn receive(&self, until: Instant) -> Received {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => Received::Line(line),
            Err(RecvTimeoutError::Timeout) => Received::Nothing,
            Err(RecvTimeoutError::Disconnected) => Received::Ended,
        }
    }

    /// Its exit status, and its last lines of error output.
    pub fn how_it_ended(&mut self) -> String {
        let status = self.wait(EXIT_TIMEOUT);
        // What it wrote last may not have been read yet.
        let until = Instant::now() + EXIT_TIMEOUT;
        let is_reading = |reader: &thread::JoinHandle<()>| !reader.is_finished();
        while self.error_reader.as_ref().is_some_and(is_reading) && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        let status = status.map_or_else(|| "output closed".to_owned(), |status| status.to_string());
        let last = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_empty() { status } else { format!("{status}: {last}") }
    }

    fn wait(&mut self, longest: Duration) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + longest;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send("quit");
        self.input = None;
        if self.wait(EXIT_TIMEOUT).is_none() {
            // A process that cannot be killed is left alone.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts a command; a program without a path is looked for on the PATH, then in `games`.
fn spawn(command: &str, games: &Path) -> io::Result<Child> {
    let words = split_words(command);
    let Some((program, args)) = words.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
    };
    let start = |program: &Path| {
        Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    };
    let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    match start(Path::new(program)) {
        Err(error) if is_missing(&error) && !program.contains('/') => start(&games.join(program))
            .map_err(|error| {
                if !is_missing(&error) {
                    return error;
                }
                let text = format!("it is neither on the PATH nor in {}", games.display());
                io::Error::new(io::ErrorKind::NotFound, text)
            }),
        started => started,
    }
}

fn forward(output: impl Read, lines: &SyncSender<String>) {
    let mut output = BufReader::new(output);
    while let Ok(Some(line)) = read_line(&mut output) {
        if lines.send(line).is_err() {
            break;
        }
    }
}

fn keep_last(errors: impl Read, last: &Mutex<String>) {
    let mut errors = BufReader::new(errors);
    while let Ok(Some(line)) = read_line(&mut errors) {
        if !line.trim().is_empty() {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = shortened(line.trim());
        }
    }
}

/// The words of a command; quotes keep blanks together.
fn split_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_words() {
        assert_eq!(split_words("  ./engine  -x '' \"a b\"c "), ["./engine", "-x", "", "a bc"]);
        assert_eq!(split_words("sh -c 'echo \"hi\"'"), ["sh", "-c", "echo \"hi\""]);
        assert!(split_words(" ").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_among_the_games() {
        use std::os::unix::fs::PermissionsExt;

        let games = tempfile::TempDir::new().expect("a directory");
        let file = games.path().join("nutcracker-test-player");
        std::fs::write(&file, "#!/bin/sh\nexit 7\n").expect("a file");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&file, executable).expect("permissions");
        let mut child = spawn("nutcracker-test-player -x", games.path()).expect("it starts");
        assert_eq!(child.wait().expect("it ends").code(), Some(7));
        // A path is taken as it is.
        assert!(spawn("./nutcracker-test-player", games.path()).is_err());
        let error = spawn("nutcracker-no-player", games.path()).expect_err("there is none");
        let expected = format!("it is neither on the PATH nor in {}", games.path().display());
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn long_lines_are_split() {
        let long = vec![b'x'; MAX_LINE as usize + 5];
        let mut input = &long[..];
        let lengths: Vec<usize> = std::iter::from_fn(|| read_line(&mut input).expect("no error"))
            .map(|line| line.len())
            .collect();
        assert_eq!(lengths, [MAX_LINE as usize, 5]);
    }
}
