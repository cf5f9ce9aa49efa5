//! A directory of its own for each test, and the program run in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_nutcracker");

/// A place for databases that is removed after the test.
pub struct Place {
    dir: TempDir,
}

/// What a run printed, and how it ended.
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Place {
    pub fn new() -> Self {
        Place { dir: TempDir::new().expect("a temporary directory") }
    }

    /// A place in memory, if the machine has one: no wait for a disk to be synced.
    pub fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if !memory.is_dir() {
            return Place::new();
        }
        Place { dir: TempDir::new_in(memory).expect("a temporary directory") }
    }

    /// A place with awari up to a number of stones.
    pub fn with_awari(stones: u32) -> Self {
        let place = Place::new();
        place.run(&["solve", "awari", "--stones", &stones.to_string()]).success();
        place
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The directory with the databases of awari.
    pub fn awari(&self) -> PathBuf {
        self.path().join("awari-pits6")
    }

    /// The table file of an awari slice.
    pub fn file(&self, stones: u32) -> PathBuf {
        let tail = format!("-{stones:02}.");
        let mut found = tables(&self.awari());
        found.retain(|path| path.to_string_lossy().contains(&tail));
        assert_eq!(found.len(), 1, "one file for {stones} stones");
        found.remove(0)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env("NUTCRACKER_DATA", self.path()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        let output = self.command(args).output().expect("the program starts");
        self.read(output)
    }

    /// Runs a command that reads lines.
    pub fn talk(&self, args: &[&str], lines: &str) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        // A process that exits early does not read to the end.
        let _ = input.write_all(lines.as_bytes());
        drop(input);
        self.read(child.wait_with_output().expect("it ends"))
    }

    pub fn spawn(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Makes what a run printed the same on every machine.
    pub fn read(&self, output: Output) -> Run {
        let text = |bytes| {
            String::from_utf8(bytes)
                .expect("the program prints UTF-8")
                .replace(PROGRAM, "nutcracker")
                .replace(&*self.path().to_string_lossy(), "DATA")
        };
        Run { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code() }
    }
}

impl Run {
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self
    }

    /// The command failed: one line gives the reason, and standard output is empty.
    #[track_caller]
    pub fn failure(self) -> String {
        self.refusal(1)
    }

    /// The command line was wrong.
    #[track_caller]
    pub fn usage_error(self) -> String {
        self.refusal(2)
    }

    #[track_caller]
    fn refusal(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.starts_with("nutcracker: "), "{}", self.stderr);
        self.stderr
    }

    #[track_caller]
    pub fn json(self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        assert_eq!(self.stdout.lines().count(), 1);
        serde_json::from_str(&self.stdout).expect("the program prints JSON")
    }
}

/// The table files of a directory, sorted.
pub fn tables(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| {
            let name = path.to_string_lossy();
            Path::new(name.strip_suffix(".unchecked").unwrap_or(&name))
                .extension()
                .is_some_and(|end| end == "nut")
        })
        .collect();
    found.sort();
    found
}

/// The part of a table up to the end of a column: what follows depends on the machine.
pub fn up_to_column(text: &str, column: &str) -> String {
    let end = text.find(column).expect("the column") + column.len();
    let lines: Vec<&str> = text.lines().map(|line| &line[..end.min(line.len())]).collect();
    lines.join("\n")
}
