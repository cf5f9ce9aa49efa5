//! Ctrl-C, SIGTERM and SIGHUP during work that can be resumed.
//!
//! The first signal requests a stop at a point where nothing is lost; the second ends the program
//! at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use nutcracker_retro::Progress;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Whether a signal has requested a stop, and which.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// From now on the first signal is a request; where the system refuses that, it ends the
    /// program.
    pub fn listen() -> Self {
        let interrupt = Interrupt::default();
        #[cfg(unix)]
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
            if signal == SIGHUP && ignores_hangup() {
                continue;
            }
            let requested = || Arc::clone(&interrupt.requested);
            // In this order: the first signal finds the flag down, the second finds it up.
            let _ = register_conditional_shutdown(signal, 128 + signal, requested())
                .and_then(|_| {
                    register_usize(signal, Arc::clone(&interrupt.signal), signal as usize)
                })
                .and_then(|_| register(signal, requested()));
        }
        // Where files may not become large, the write fails with a sentence, and nothing is killed.
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        interrupt
    }

    /// Whether the program is to stop.
    pub fn requested(&self) -> bool {
        self.requested.load(Relaxed)
    }

    /// Nothing is left to be saved: from now on the first signal ends the program at once.
    pub fn end_at_once(&self) {
        self.requested.store(true, Relaxed);
    }

    /// The exit code for the signal, as a shell would report it.
    pub fn code(&self) -> u8 {
        128 + self.signal.load(Relaxed) as u8
    }
}

/// Work that reports nothing stops when it is requested.
impl Progress for Interrupt {
    fn must_stop(&self) -> bool {
        self.requested()
    }
}

/// Whether the program was started with SIGHUP ignored, as `nohup` does: a handler would undo that.
#[cfg(unix)]
pub fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}
