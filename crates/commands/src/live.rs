//! A line of progress on standard error: when it changes, and how it is drawn.
//!
//! On a terminal one line is redrawn many times a second; elsewhere, in a log say, a line is added
//! every ten seconds.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::note;

/// Between two changes of the line on a terminal.
const REDRAW: Duration = Duration::from_millis(100);
/// Between two lines elsewhere.
const LINE: Duration = Duration::from_secs(10);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// Tells when progress is to be reported; threads may share it.
struct Pulse {
    pause: Duration,
    began: Instant,
    /// Milliseconds after `began` before which nothing is reported.
    next: AtomicU64,
}

impl Pulse {
    /// The first report is due after a pause: what takes less time reports nothing.
    fn new(pause: Duration) -> Self {
        let next = AtomicU64::new(pause.as_millis() as u64);
        Pulse { pause, began: Instant::now(), next }
    }

    /// Whether a report is due; true for one thread only, and then not again before a pause.
    fn is_due(&self) -> bool {
        let now = self.began.elapsed();
        let next = self.next.load(Relaxed);
        let after = (now + self.pause).as_millis() as u64;
        now.as_millis() as u64 >= next
            && self.next.compare_exchange(next, after, Relaxed, Relaxed).is_ok()
    }

    /// No report is due before a pause from now.
    fn postpone(&self) {
        self.next.store((self.began.elapsed() + self.pause).as_millis() as u64, Relaxed);
    }
}

/// What a line says.
pub struct Status {
    /// The beginning.
    head: String,
    /// The share of the work that is done, as a bar; only drawn on a terminal.
    share: Option<f64>,
    /// The rest.
    tail: String,
    /// Lines below it; only drawn on a terminal.
    below: String,
}

impl Status {
    /// A line with a bar in the middle.
    pub fn with_bar(head: String, share: f64, tail: String) -> Self {
        Status { head, share: Some(share), tail, below: String::new() }
    }

    /// The line with others below it on a terminal, and more behind it elsewhere.
    pub fn with_details(self, below: &str, behind: &str) -> Self {
        let below = below.trim_end().to_owned();
        if io::stderr().is_terminal() {
            Status { below, ..self }
        } else {
            Status { tail: format!("{}  {behind}", self.tail), ..self }
        }
    }
}

impl From<String> for Status {
    fn from(tail: String) -> Self {
        Status { head: String::new(), share: None, tail, below: String::new() }
    }
}

/// A line that follows some work.
pub struct LiveLine {
    terminal: bool,
    pulse: Pulse,
    bar: Mutex<Option<ProgressBar>>,
}

impl LiveLine {
    /// A line that appears with the first update that is due.
    pub fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        let pulse = Pulse::new(if terminal { REDRAW } else { LINE });
        LiveLine { terminal, pulse, bar: Mutex::new(None) }
    }

    /// Draws or writes the line if it is time to.
    pub fn update(&self, status: impl FnOnce() -> Status) {
        if !self.pulse.is_due() {
            return;
        }
        let Status { head, share, mut tail, below } = status();
        if !self.terminal {
            let gap = if head.is_empty() { "" } else { "  " };
            note(&format!("{head}{gap}{tail}"));
            return;
        }
        if !below.is_empty() {
            tail = format!("{tail}\n{below}");
        }
        let mut bar = self.lock();
        let bar = bar.get_or_insert_with(|| drawn(share.is_some()));
        bar.set_prefix(head);
        bar.set_message(tail);
        match share {
            Some(share) => bar.set_position((share * STEPS as f64) as u64),
            None => bar.tick(),
        }
    }

    /// Takes the line away, until the next update that is due.
    pub fn clear(&self) {
        if let Some(bar) = self.lock().take() {
            bar.finish_and_clear();
        }
    }

    /// Takes the line away, at least for a while.
    pub fn restart(&self) {
        self.clear();
        self.pulse.postpone();
    }

    /// Writes a line that stays.
    pub fn note(&self, text: &str) {
        self.clear();
        note(text);
    }

    fn lock(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn drawn(with_bar: bool) -> ProgressBar {
    let template = if with_bar { "{prefix} [{bar:24}] {msg}" } else { "{spinner} {msg}" };
    let style = ProgressStyle::with_template(template).expect("a valid template");
    let steps = with_bar.then_some(STEPS);
    ProgressBar::with_draw_target(steps, ProgressDrawTarget::stderr())
        .with_style(style.progress_chars("=> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_due_before_a_pause() {
        let pulse = Pulse::new(Duration::from_hours(1));
        assert!(!pulse.is_due());
    }

    #[test]
    fn one_of_many_threads_reports() {
        let pulse = Pulse::new(Duration::from_hours(1));
        pulse.next.store(0, Relaxed);
        let due: usize = std::thread::scope(|scope| {
            let ask = || (0..100).filter(|_| pulse.is_due()).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(due, 1);
    }

    #[test]
    fn a_report_can_be_postponed() {
        let pulse = Pulse::new(Duration::from_hours(1));
        pulse.next.store(0, Relaxed);
        pulse.postpone();
        assert!(!pulse.is_due());
    }
}
