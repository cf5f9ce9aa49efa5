//! `--supervise`: a command that is run again when it ended because a machine was lost.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::note;

/// Tells a process that another one supervises it.
const SUPERVISED: &str = "NUTCRACKER_SUPERVISED";
/// The exit code of a supervised process that can go on if it is run again: the usual one for a
/// temporary failure.
pub const AGAIN: u8 = 75;
/// Failures in a row, each after less than [`SOON`], after which it gives up.
const MOST: u32 = 10;
const SOON: Duration = Duration::from_mins(1);
/// The longest pause before it is run again.
const LONGEST: Duration = Duration::from_secs(30);
/// Between two looks for the end of the process, or a signal.
const LOOK: Duration = Duration::from_millis(50);

/// Whether another process supervises this one.
pub fn is_supervised() -> bool {
    std::env::var_os(SUPERVISED).is_some()
}

/// Runs this command as a process of its own, again and again, until it succeeds or fails for a
/// reason that another run would not change.
pub fn supervise(interrupt: &Interrupt) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Failed(format!("cannot run itself: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut failures = 0;
    loop {
        let started = Instant::now();
        let mut command = Command::new(&program);
        let child = command.args(std::env::args_os().skip(1)).env(SUPERVISED, "yes").spawn();
        let status = wait(child.map_err(failed)?, interrupt).map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        if interrupt.requested() {
            let sentence = "stopped; the same command continues from here".to_owned();
            return Err(Failure::Stopped(sentence, interrupt.code()));
        }
        // Without a code, a signal has ended it: it was killed.
        let code = status.code().map_or(AGAIN, |code| code as u8);
        if code != AGAIN {
            // It has said why.
            return Err(Failure::Told(code));
        }
        failures = if started.elapsed() < SOON { failures + 1 } else { 1 };
        if failures > MOST {
            return Err(Failure::Failed(format!(
                "it has failed {failures} times, each time within {} seconds; the same command \
                 continues from here",
                SOON.as_secs()
            )));
        }
        let pause = Duration::from_secs(1 << (failures - 1).min(5)).min(LONGEST);
        note(&format!("running it again in {} s (attempt {})", pause.as_secs(), failures + 1));
        let until = Instant::now() + pause;
        while Instant::now() < until && !interrupt.requested() {
            std::thread::sleep(LOOK);
        }
    }
}

/// Waits for a process, and passes a signal on to it.
fn wait(mut child: Child, interrupt: &Interrupt) -> std::io::Result<ExitStatus> {
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.requested() && !told {
            told = true;
            #[cfg(unix)]
            if let Some(id) = rustix::process::Pid::from_raw(child.id() as i32) {
                // A terminal has told it already, and a second signal would end it at once.
                if !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
                    let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
                }
            }
        }
        std::thread::sleep(LOOK);
    }
}
