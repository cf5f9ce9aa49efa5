//! The command line of Nutcracker: arguments, commands, progress, tables. The games come from the
//! binary, so that a change of one does not compile the commands again.
//!
//! Exit codes: 0 success; 1 failure (a database is missing, damaged or wrong, the machine is too
//! small); 2 usage error; 129, 130 and 143 stopped by SIGHUP, Ctrl-C or SIGTERM.

mod args;
mod book_option;
mod cmd;
mod contestant;
mod databases;
mod deck;
mod endpoint;
mod failure;
mod how;
mod identity;
mod interrupt;
mod jobs;
mod live;
mod machine;
mod monitor;
mod number;
mod outcome;
mod progress;
mod proof_file;
mod start;
mod supervise;
mod table;
mod together;
mod values;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use nutcracker_any::Registry;

use crate::args::Args;
use crate::failure::Failure;

/// Runs the command that the arguments of the process name, with these games.
pub fn run(games: Registry) -> ExitCode {
    // A panic ends with one sentence, like any other failure.
    std::panic::set_hook(Box::new(|panic| {
        // Not a fault of this program but of a book's file; the store reports it.
        if nutcracker_book::store::catches_panics() {
            return;
        }
        let what = panic.to_string().replace('\n', " ");
        let _ = writeln!(io::stderr(), "nutcracker: internal error, please report it: {what}");
        std::process::exit(1);
    }));
    machine::give_memory_back();
    args::set_games(games);
    let outcome = match Args::try_parse_from(arguments()) {
        Ok(args) => args.command.run(),
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            note(error.render().to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(error) if error.use_stderr() => Err(Failure::Usage(usage(&error))),
        Err(help) => print(&help.render().to_string()),
    };
    match outcome {
        // A closed pipe is a graceful end.
        Ok(()) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Failed(sentence)) => report(&sentence, 1),
        Err(Failure::Lost(sentence)) => {
            report(&sentence, if supervise::is_supervised() { supervise::AGAIN } else { 1 })
        }
        Err(Failure::Told(code)) => ExitCode::from(code),
        Err(Failure::Usage(sentence)) => report(&sentence, 2),
        Err(Failure::Stopped(sentence, code)) => report(&sentence, code),
    }
}

/// The arguments of the process; `book help show` as `book show --help`.
fn arguments() -> Vec<OsString> {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let has_verbs =
        args.get(1).is_some_and(|name| name == "book" || name == "experiment" || name == "token");
    if has_verbs && args.get(2).is_some_and(|word| word == "help") {
        args.remove(2);
        args.truncate(3);
        args.push("--help".into());
    }
    args
}

fn report(sentence: &str, code: u8) -> ExitCode {
    // If stderr is closed, the exit code has to suffice.
    let _ = writeln!(io::stderr(), "nutcracker: {}", sentence.trim_end());
    ExitCode::from(code)
}

/// The message of a usage error in one sentence: without the word that clap puts in front and the
/// usage that it puts behind.
fn usage(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    format!("{}; try --help", lines.join(" ").replace(" tip: ", "; "))
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::output(&error))
}

/// Writes a line for people to standard error.
pub(crate) fn note(text: &str) {
    // Notes are optional: a closed stderr is no reason to stop.
    let _ = writeln!(io::stderr(), "{text}");
}
