//! Ctrl-C and SIGTERM while there is work that can be gone on with later.
//!
//! The first signal asks the solver to stop where nothing is lost; the second ends the program at
//! once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Whether somebody wants the program to stop, and how it was told so.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// From now on, a signal is a question; where that cannot be had, it ends the program as ever.
    pub fn listen() -> Self {
        let interrupt = Interrupt::default();
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
            let asked = || Arc::clone(&interrupt.asked);
            // In this order: the first signal finds the flag down, the second finds it up.
            let _ = register_conditional_shutdown(signal, 128 + signal, asked())
                .and_then(|_| {
                    register_usize(signal, Arc::clone(&interrupt.signal), signal as usize)
                })
                .and_then(|_| register(signal, asked()));
        }
        // Where files may not become large, the write fails with a sentence, and nothing is killed.
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        interrupt
    }

    /// Whether somebody wants to stop.
    pub fn asked(&self) -> bool {
        self.asked.load(Relaxed)
    }

    /// There is nothing left to be kept: from now on the first signal ends the program at once.
    pub fn no_more_questions(&self) {
        self.asked.store(true, Relaxed);
    }

    /// The exit code that says which signal it was, as a shell would.
    pub fn code(&self) -> u8 {
        128 + self.signal.load(Relaxed) as u8
    }
}
