//! What every machine of a cluster does at the moment.
//!
//! A machine tells the first one about every second, instead of a bare sign of life; the first tells
//! the others how far all have come together. Nothing waits for these messages, and nothing but the
//! display depends on them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::wire::Message;

/// Between two statuses of a machine.
pub(crate) const BEAT: Duration = Duration::from_secs(1);
/// Statuses of a machine that are kept, to know its rate: one is as old as this many seconds.
const KEPT: usize = 6;

/// What a machine does, or waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Works without the others: on a small slice, or it packs and checks.
    #[default]
    Alone,
    /// Waits for the first machine to have another slice for all.
    Next,
    /// Waits for tables that it lacks.
    Tables,
    /// Waits until the other machines are ready for the slice.
    Others,
    /// Computes.
    Computing,
    /// Waits for what other machines find out.
    Records,
}

impl Activity {
    /// All of them.
    pub const ALL: [Activity; 6] = [
        Activity::Alone,
        Activity::Next,
        Activity::Tables,
        Activity::Others,
        Activity::Computing,
        Activity::Records,
    ];

    /// One word, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Activity::Alone => "alone",
            Activity::Next => "next",
            Activity::Tables => "tables",
            Activity::Others => "others",
            Activity::Computing => "computing",
            Activity::Records => "records",
        }
    }
}

/// The status of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Status {
    /// Milliseconds since it joined: rates are by its own clock.
    pub milliseconds: u64,
    /// What it does.
    pub activity: Activity,
    /// The share of the time since its last status in which its threads waited, in percent.
    pub waiting: u8,
    /// Slices that it has begun together with the others.
    pub slices: u64,
    /// The level it works on, from the largest score down; 0 before and after the levels.
    pub level: u64,
    /// Positions of the slice whose exits it has computed.
    pub entered: u64,
    /// Positions of the slice that it has settled.
    pub settled: u64,
    /// Positions entered and settled in all slices.
    pub positions: u64,
    /// Bytes sent to other machines, in all slices.
    pub sent: u64,
    /// Bytes received from other machines, in all slices.
    pub received: u64,
    /// Bytes of memory that are resident, where that is known.
    pub memory: Option<u64>,
}

/// How far all machines have come together with a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Together {
    /// Slices begun, with this one.
    pub(crate) slices: u64,
    /// Positions whose exits are computed.
    pub(crate) entered: u64,
    /// Positions that are settled.
    pub(crate) settled: u64,
}

/// A machine as the first one sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineView {
    /// As sentences name it.
    pub label: String,
    /// What it told last.
    pub status: Status,
    /// Positions a second, over the last seconds.
    pub rate: f64,
    /// Seconds since it told.
    pub silence: f64,
    /// Its share of what all have done, 0 to 1: of the slice, as soon as all have told of it.
    pub share: f64,
}

/// The share of the machine that has done the most, relative to the mean.
pub fn imbalance(machines: &[MachineView]) -> f64 {
    let largest = machines.iter().map(|machine| machine.share).fold(0.0, f64::max);
    if largest > 0.0 { largest * machines.len() as f64 } else { 1.0 }
}

/// What a machine is doing.
#[derive(Debug, Default)]
struct Now {
    activity: Activity,
    /// Since the last status: how often it was looked, and how many percent waited.
    looks: u64,
    waited: u64,
    slices: u64,
    level: u64,
    entered: u64,
    settled: u64,
    /// Positions of the slices before.
    before: u64,
}

/// What was told, and when.
#[derive(Debug)]
struct Told {
    status: Status,
    at: Instant,
}

/// The status of this machine, and what others have told.
#[derive(Debug)]
pub(crate) struct Watch {
    me: usize,
    began: Instant,
    memory: fn() -> Option<u64>,
    now: Mutex<Now>,
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
    /// The last statuses of each machine; on the first one.
    told: Mutex<Vec<VecDeque<Told>>>,
    /// What the first machine has said of all; on the others.
    together: Mutex<Together>,
}

impl Watch {
    pub(crate) fn new(me: usize, memory: fn() -> Option<u64>) -> Self {
        Watch {
            me,
            began: Instant::now(),
            memory,
            now: Mutex::new(Now {
                activity: if me == 0 { Activity::Alone } else { Activity::Next },
                ..Now::default()
            }),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            told: Mutex::default(),
            together: Mutex::default(),
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self) -> MutexGuard<'_, Vec<VecDeque<Told>>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This machine does something else now.
    pub(crate) fn does(&self, activity: Activity) {
        let mut now = self.now();
        (now.activity, now.looks, now.waited) = (activity, 0, 0);
    }

    /// A slice begins that all machines solve together.
    pub(crate) fn begin(&self, slices: u64) {
        let mut now = self.now();
        now.before += now.entered + now.settled;
        (now.slices, now.level, now.entered, now.settled) = (slices, 0, 0, 0);
        (now.activity, now.looks, now.waited) = (Activity::Others, 0, 0);
    }

    /// How far this machine has come with the slice; `waiting` of its `threads` have nothing to do.
    pub(crate) fn reach(
        &self,
        level: u64,
        (entered, settled): (u64, u64),
        (waiting, threads): (u64, u64),
    ) {
        let mut now = self.now();
        (now.level, now.entered, now.settled) = (level, entered, settled);
        now.looks += 1;
        now.waited += 100 * waiting.min(threads) / threads.max(1);
        let waits = now.waited > 50 * now.looks;
        now.activity = if waits { Activity::Records } else { Activity::Computing };
    }

    /// The status of this machine since the last one.
    fn status(&self) -> Status {
        let mut now = self.now();
        let waiting = match now.activity {
            Activity::Alone | Activity::Computing if now.looks == 0 => 0,
            _ => now.waited.checked_div(now.looks).unwrap_or(100) as u8,
        };
        (now.looks, now.waited) = (0, 0);
        Status {
            milliseconds: self.began.elapsed().as_millis() as u64,
            activity: now.activity,
            waiting,
            slices: now.slices,
            level: now.level,
            entered: now.entered,
            settled: now.settled,
            positions: now.before + now.entered + now.settled,
            sent: self.sent.load(Relaxed),
            received: self.received.load(Relaxed),
            memory: (self.memory)(),
        }
    }

    /// What this machine sends every second.
    pub(crate) fn beat(&self) -> Message {
        if self.me == 0 {
            Message::Together { together: self.together() }
        } else {
            Message::Status { status: self.status() }
        }
    }

    /// Keeps what another machine tells. Whether it was a message of this kind.
    pub(crate) fn hear(&self, machine: usize, message: &Message) -> bool {
        match *message {
            Message::Status { status } => self.keep(machine, status),
            Message::Together { together } => {
                *self.together.lock().unwrap_or_else(PoisonError::into_inner) = together;
            }
            _ => return false,
        }
        true
    }

    fn keep(&self, machine: usize, status: Status) {
        let mut told = self.told();
        if told.len() <= machine {
            told.resize_with(machine + 1, VecDeque::new);
        }
        told[machine].push_back(Told { status, at: Instant::now() });
        if told[machine].len() > KEPT {
            told[machine].pop_front();
        }
    }

    /// How far all machines have come with the slice that this one works on, as far as they told.
    pub(crate) fn together(&self) -> Together {
        let now = self.now();
        let own = Together { slices: now.slices, entered: now.entered, settled: now.settled };
        drop(now);
        if self.me != 0 {
            let all = *self.together.lock().unwrap_or_else(PoisonError::into_inner);
            // What the first machine says is a second old, or of another slice.
            let all = if all.slices == own.slices { all } else { own };
            let (entered, settled) = (all.entered.max(own.entered), all.settled.max(own.settled));
            return Together { entered, settled, ..own };
        }
        let told = self.told();
        let others = told.iter().skip(1).filter_map(|told| told.back());
        others.map(|told| told.status).filter(|status| status.slices == own.slices).fold(
            own,
            |sum, status| Together {
                entered: sum.entered + status.entered,
                settled: sum.settled + status.settled,
                ..sum
            },
        )
    }

    /// All machines, on the first one.
    pub(crate) fn view(&self, labels: impl ExactSizeIterator<Item = String>) -> Vec<MachineView> {
        let old = self.told().first().and_then(|told| told.back()).map(|told| told.at);
        if old.is_none_or(|at| at.elapsed() >= BEAT) {
            let status = self.status();
            self.keep(0, status);
        }
        let mut told = self.told();
        let machines = told.len().max(labels.len());
        told.resize_with(machines, VecDeque::new);
        let slices = self.now().slices;
        let last = |told: &VecDeque<Told>| told.back().map_or_else(Status::default, |t| t.status);
        // Until all have told of this slice, what they did before has to suffice.
        let all_here = told.iter().all(|told| last(told).slices == slices);
        let done = |status: &Status| {
            if all_here { status.entered + status.settled } else { status.positions }
        };
        let all: u64 = told.iter().map(|told| done(&last(told))).sum();
        let one = |(label, told): (String, &VecDeque<Told>)| {
            let status = last(told);
            let first = told.front().map_or(status, |told| told.status);
            let positions = status.positions.saturating_sub(first.positions) as f64;
            let seconds = status.milliseconds.saturating_sub(first.milliseconds) as f64 / 1e3;
            MachineView {
                label,
                status,
                rate: if seconds > 0.0 { positions / seconds } else { 0.0 },
                silence: told.back().map_or(0.0, |told| told.at.elapsed().as_secs_f64()),
                share: done(&status) as f64 / all.max(1) as f64,
            }
        };
        labels.zip(&*told).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(count: usize) -> std::vec::IntoIter<String> {
        (1..=count).map(|number| format!("machine {number}")).collect::<Vec<_>>().into_iter()
    }

    fn watch(me: usize) -> Watch {
        Watch::new(me, || Some(7))
    }

    #[test]
    fn the_first_machine_adds_up_what_all_tell() {
        let (first, second) = (watch(0), watch(1));
        for watch in [&first, &second] {
            watch.begin(3);
        }
        first.reach(0, (100, 0), (0, 1));
        second.reach(5, (200, 40), (2, 2));
        assert!(first.hear(1, &second.beat()));
        assert_eq!(first.together(), Together { slices: 3, entered: 300, settled: 40 });
        // The second hears of all from the first.
        assert!(second.hear(0, &first.beat()));
        assert_eq!(second.together(), first.together());
        let view = first.view(labels(2));
        assert_eq!([&view[0].label, &view[1].label], ["machine 1", "machine 2"]);
        let statuses = view.iter().map(|machine| machine.status).collect::<Vec<_>>();
        assert_eq!(
            [statuses[0].activity, statuses[1].activity],
            [Activity::Computing, Activity::Records]
        );
        assert_eq!([statuses[0].waiting, statuses[1].waiting], [0, 100]);
        assert_eq!(statuses[1].memory, Some(7));
        assert!((view[1].share - 240.0 / 340.0).abs() < 1e-9);
        assert!((imbalance(&view) - 2.0 * 240.0 / 340.0).abs() < 1e-9);
        assert!(!first.hear(1, &Message::Done));
    }

    #[test]
    fn a_machine_that_is_at_another_slice_counts_nothing() {
        let (first, second) = (watch(0), watch(1));
        second.begin(1);
        second.reach(0, (50, 50), (0, 1));
        assert!(first.hear(1, &second.beat()));
        first.begin(2);
        first.reach(0, (10, 0), (0, 1));
        assert_eq!(first.together(), Together { slices: 2, entered: 10, settled: 0 });
        let view = first.view(labels(3));
        assert_eq!(view[1].status.positions, 100);
        // Shares are of all slices until all are at this one.
        assert!((view[1].share - 100.0 / 110.0).abs() < 1e-9, "{view:?}");
        // Nothing was done: nothing is out of balance.
        assert!((imbalance(&watch(0).view(labels(2))) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rates_are_by_the_clock_of_the_machine() {
        let first = watch(0);
        for (milliseconds, positions) in [(1000, 0), (2000, 5000), (3000, 20_000)] {
            first.keep(1, Status { milliseconds, positions, ..Status::default() });
        }
        assert!((first.view(labels(2))[1].rate - 10_000.0).abs() < 1e-9);
        // What is older than some seconds does not count.
        for second in 4..20 {
            let milliseconds = second * 1000;
            first.keep(1, Status { milliseconds, positions: 20_000, ..Status::default() });
        }
        assert!(first.view(labels(2))[1].rate.abs() < 1e-9);
    }
}
