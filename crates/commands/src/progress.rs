//! Progress of solving and checking on standard error: one line a slice.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use nutcracker_any::AnyGame;
use nutcracker_cluster::Cluster;
use nutcracker_game::SliceId;
use nutcracker_retro::{Choice, Phase, Progress, SliceReport, SolverName};

use crate::args::slice_label;
use crate::interrupt::Interrupt;
use crate::live::{LiveLine, Status};
use crate::monitor;
use crate::number::{duration, rate, thousands};

/// A share of a slice below which the time left is not estimated.
const TOO_EARLY: f64 = 0.02;

/// Draws or writes the progress of a command.
pub struct Reporter {
    line: LiveLine,
    /// What slices are called.
    label: Label,
    state: Mutex<State>,
    interrupt: Interrupt,
    /// Machines that work together, on the first of them.
    cluster: Option<Arc<Cluster>>,
    /// The share of the slice that is done, in millionths.
    millionths: Arc<AtomicU64>,
}

/// What slices are called.
struct Label {
    of: Box<dyn Fn(SliceId) -> String + Send + Sync>,
    /// Characters of the longest name.
    width: usize,
}

struct State {
    slice: SliceId,
    positions: u64,
    slice_began: Instant,
    name: &'static str,
    /// The place of the current phase.
    phase: usize,
    phase_positions: u64,
    phase_began: Instant,
    /// What part of a slice's time each phase takes: a guess at first, then as the last slice had
    /// it.
    weights: [f64; 4],
}

/// Which solver was chosen, what it takes, and what others would take.
fn sentence(choice: &Choice, slice: &str) -> String {
    let Choice { solver, tables, all_tables, .. } = *choice;
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let mut text = format!("{slice}: solver {solver}");
    if solver == SolverName::Rows && choice.work_disk > 0 {
        text += " streamed from disk";
    }
    let _ = write!(text, ", {} MiB of memory", mebibytes(choice.memory));
    if tables < all_tables {
        let (from, to) = (mebibytes(all_tables), mebibytes(tables));
        let _ = write!(text, ", tables cut from {from} to {to} MiB");
    }
    let others: Vec<String> = choice
        .fit
        .iter()
        .filter(|(name, _)| *name != solver)
        .map(|(name, bytes)| format!("{name} {}", mebibytes(*bytes)))
        .collect();
    if others.is_empty() { text } else { format!("{text} (at full speed: {})", others.join(", ")) }
}

fn place(phase: Phase) -> (usize, &'static str) {
    match phase {
        Phase::Exits => (0, "exits"),
        Phase::Fixpoint => (1, "fixpoint"),
        Phase::Pack => (2, "pack"),
        Phase::Verify => (3, "verify"),
    }
}

impl Reporter {
    /// For a command whose phases take time in these proportions: exits, fixpoint, pack,
    /// verify.
    pub fn new(game: &AnyGame, weights: [f64; 4]) -> Self {
        let (now, game) = (Instant::now(), game.clone());
        let state = State {
            slice: SliceId(0),
            positions: 0,
            slice_began: now,
            name: "",
            phase: 0,
            phase_positions: 0,
            phase_began: now,
            weights,
        };
        Reporter {
            line: LiveLine::new(),
            label: Label { of: Box::new(move |slice| slice_label(&game, slice)), width: 0 },
            state: Mutex::new(state),
            interrupt: Interrupt::default(),
            cluster: None,
            millionths: Arc::default(),
        }
    }

    /// Aligns the lines of these slices.
    pub fn aligned(mut self, slices: impl IntoIterator<Item = SliceId>) -> Self {
        let widths = slices.into_iter().map(|slice| (self.label.of)(slice).chars().count());
        self.label.width = widths.max().unwrap_or(0);
        self
    }

    /// Shows what every machine of a cluster does.
    pub fn watching(self, cluster: &Arc<Cluster>) -> Self {
        Reporter { cluster: Some(Arc::clone(cluster)), ..self }
    }

    /// The share of the slice that is done, in millionths.
    pub fn millionths(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.millionths)
    }

    /// Work stops when that requests it.
    pub fn until(self, interrupt: Interrupt) -> Self {
        Reporter { interrupt, ..self }
    }

    /// A slice begins whose only work has this name.
    pub fn begin_only(&self, slice: SliceId, name: &'static str, positions: u64) {
        self.slice(slice, positions);
        let mut state = self.lock();
        (state.name, state.phase, state.phase_positions) = (name, 3, positions);
        state.phase_began = Instant::now();
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.line.clear();
    }

    /// Seconds since the slice began.
    pub fn seconds(&self) -> f64 {
        self.lock().slice_began.elapsed().as_secs_f64()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl State {
    /// The share of the slice's work that is done.
    fn share(&self, done: u64) -> f64 {
        let all: f64 = self.weights.iter().sum();
        let before: f64 = self.weights[..self.phase].iter().sum();
        let within = done as f64 / self.phase_positions.max(1) as f64;
        ((before + self.weights[self.phase] * within.min(1.0)) / all).min(1.0)
    }

    /// Share, rate of the phase, and time left of the slice.
    fn figures(&self, done: u64) -> String {
        let share = self.share(done);
        let rate = rate(done as f64, self.phase_began.elapsed().as_secs_f64());
        let elapsed = self.slice_began.elapsed().as_secs_f64();
        let left = if share < TOO_EARLY {
            String::new()
        } else {
            format!("{} left", duration(elapsed / share - elapsed))
        };
        format!("{:>3.0}%  {rate:>10}  {left}", 100.0 * share)
    }
}

impl Progress for Reporter {
    fn must_stop(&self) -> bool {
        self.interrupt.requested()
    }

    fn slice(&self, slice: SliceId, positions: u64) {
        self.line.restart();
        let mut state = self.lock();
        (state.slice, state.positions) = (slice, positions);
        state.slice_began = Instant::now();
    }

    fn chose(&self, choice: &Choice) {
        // Only a solver other than the usual in-memory one is reported.
        if choice.solver != SolverName::Memory {
            self.line.note(&sentence(choice, &(self.label.of)(choice.slice)));
        }
    }

    fn note(&self, text: &str) {
        self.line.note(text);
    }

    fn begin(&self, phase: Phase, positions: u64) {
        let mut state = self.lock();
        (state.phase, state.name) = place(phase);
        state.phase_positions = positions;
        state.phase_began = Instant::now();
    }

    fn advance(&self, done: u64) {
        if self.cluster.is_some() {
            self.millionths.store((1e6 * self.lock().share(done)) as u64, Relaxed);
        }
        self.line.update(|| {
            let state = self.lock();
            let (label, width) = ((self.label.of)(state.slice), self.label.width);
            let head = format!("{label:>width$}  {:<11}", state.name);
            let status = Status::with_bar(head, state.share(done), state.figures(done));
            drop(state);
            let Some(cluster) = &self.cluster else { return status };
            let machines = cluster.view();
            status.with_details(&monitor::lines(&machines), &monitor::line(&machines))
        });
    }

    fn finished(&self, report: &SliceReport) {
        self.clear();
        let Some(seconds) = report.seconds else { return };
        let total = seconds.total();
        let noun = if report.positions == 1 { "position" } else { "positions" };
        let (label, width) = ((self.label.of)(report.slice), self.label.width);
        self.line.note(&format!(
            "{label:>width$}  {:>15} {noun:<9}  {:>10}  {:>10}",
            thousands(report.positions),
            duration(total),
            rate(report.positions as f64, total),
        ));
        // Times of small slices depend on starting threads and predict little about the next slice.
        if report.positions > 100_000 {
            self.lock().weights = [seconds.exits, seconds.fixpoint, seconds.pack, seconds.verify]
                .map(|part| part / total.max(1e-9));
        }
    }
}
