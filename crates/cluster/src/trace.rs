//! A slice solved in step, as many hosts would: every round all owners spread what they have, then
//! all apply what they got. One thread plays all of them, and writes down what each would compute and
//! send. The values are those of any other way, so that the file can be checked.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use nutcracker_game::Exits;
use nutcracker_retro::{
    Machines, NextSlice, Phase, Progress, PutValues, SharedSlice, SharedWork, SliceGraph,
    SolveError, Stopped,
};
use nutcracker_table::Storage;

use crate::forecast::{HOSTS, Load, OWNERS, Step, Trace};
use crate::share::{Kind, Record, Share};
use crate::spread::{Place, Spread};

/// Bytes of a record on the wire.
const RECORD_BYTES: u64 = 8;
/// Values that are put at once.
const RUN: u64 = 1 << 12;

/// What is done in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task {
    Exits,
    Sweep,
    Spread,
    Values,
}

/// A step while it is recorded: what every owner does, in units of its kind, and the bytes from one
/// owner to another.
struct Recording {
    kind: Task,
    units: [u64; OWNERS],
    bytes: Vec<[u64; OWNERS]>,
}

impl Recording {
    fn new(kind: Task) -> Self {
        Recording { kind, units: [0; OWNERS], bytes: vec![[0; OWNERS]; OWNERS] }
    }

    /// The units of the busiest host, and the bytes of the one that sends or receives the most; owners
    /// are dealt to the hosts in turn.
    fn busiest(&self, hosts: u64) -> (u64, u64) {
        let (mut units, mut sent, mut received) = ([0; OWNERS], [0; OWNERS], [0; OWNERS]);
        for (owner, row) in self.bytes.iter().enumerate() {
            let from = owner % hosts as usize;
            units[from] += self.units[owner];
            for (other, &bytes) in row.iter().enumerate() {
                let to = other % hosts as usize;
                if from != to {
                    sent[from] += bytes;
                    received[to] += bytes;
                }
            }
        }
        let most = |counts: [u64; OWNERS]| counts.into_iter().max().unwrap_or(0);
        (most(units), most(sent).max(most(received)))
    }
}

/// A step without the owners: units and bytes of the busiest host, by the number of hosts.
struct Recorded {
    kind: Task,
    units: u64,
    busiest: [(u64, u64); HOSTS.len()],
}

/// All steps, and how long one thread took for each kind.
#[derive(Default)]
struct Recorder {
    steps: Vec<Recorded>,
    seconds: [f64; 4],
}

impl Recorder {
    fn add(&mut self, step: &Recording, began: Instant) {
        self.seconds[step.kind as usize] += began.elapsed().as_secs_f64();
        let units = step.units.iter().sum();
        let busiest = HOSTS.map(|hosts| step.busiest(hosts));
        self.steps.push(Recorded { kind: step.kind, units, busiest });
    }

    /// Times instead of units: all units of a kind take the same.
    fn finish(self, positions: u64) -> Trace {
        let mut units = [0; 4];
        for step in &self.steps {
            units[step.kind as usize] += step.units;
        }
        let steps = self.steps.iter().map(|step| {
            let kind = step.kind as usize;
            let unit = self.seconds[kind] / units[kind].max(1) as f64;
            let load = |(units, bytes)| Load { seconds: units as f64 * unit, bytes };
            Step(step.busiest.map(load))
        });
        Trace { positions, steps: steps.collect() }
    }
}

/// Machines that are not there: one thread plays all of them.
#[derive(Debug)]
pub struct Tracer {
    smallest: u64,
    last: Mutex<Option<Trace>>,
}

impl Tracer {
    /// For slices of at least `smallest` positions.
    pub fn new(smallest: u64) -> Self {
        Tracer { smallest, last: Mutex::new(None) }
    }

    /// The trace of the last slice.
    pub fn take(&self) -> Option<Trace> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// All owners of a slice.
struct Owners<'a> {
    graph: &'a dyn SliceGraph,
    spread: Spread,
    shares: Vec<Share>,
    recorder: Recorder,
    /// Records for each owner.
    inbox: Vec<Vec<u64>>,
}

impl Owners<'_> {
    /// The exits: parts are dealt to the owners in turn.
    fn exits(&mut self, progress: &dyn Progress) -> Result<(), SolveError> {
        let codes = self.graph.codes();
        let state_bytes = if codes.count() <= 1 << 8 { 1 } else { 2 };
        let (spread, shares, graph) = (&self.spread, &mut self.shares, self.graph);
        let mut step = Recording::new(Task::Exits);
        let (began, mut entered, mut too_far) = (Instant::now(), 0, false);
        for part in 0..graph.parts() {
            let owner = (part % OWNERS as u64) as usize;
            graph.exits(part, &mut |start, run| {
                let mut at = 0;
                while at < run.len() {
                    // Within a block, local numbers are consecutive.
                    let index = start + at as u64;
                    let here = (spread.block() - index % spread.block()) as usize;
                    let piece = &run[at..(at + here).min(run.len())];
                    at += piece.len();
                    let Place { owner: to, local } = spread.place(index);
                    too_far |= piece.contains(&Exits::TOO_FAR);
                    shares[to as usize]
                        .enter(local, piece.iter().map(|&e| codes.open(e)).collect());
                    step.bytes[owner][to as usize] += state_bytes * piece.len() as u64;
                }
                step.units[owner] += run.len() as u64;
                entered += run.len() as u64;
            })?;
            progress.advance(entered);
            stop_if_requested(progress)?;
        }
        self.shares[0].too_far |= too_far && graph.has_distances();
        self.recorder.add(&step, began);
        Ok(())
    }

    /// A level: a sweep over all positions, then rounds until nothing is left to be spread.
    fn level(&mut self, level: u64, progress: &dyn Progress) -> Result<(), Stopped> {
        let (mut step, began) = (Recording::new(Task::Sweep), Instant::now());
        for (owner, share) in self.shares.iter_mut().enumerate() {
            share.sweep(level);
            step.units[owner] = self.spread.slots(owner as u64);
        }
        self.recorder.add(&step, began);
        while self.shares.iter().any(|share| !share.is_idle()) {
            self.round(level);
            stop_if_requested(progress)?;
        }
        Ok(())
    }

    /// A round: all spread what they have, then all apply what they got.
    fn round(&mut self, level: u64) {
        let (mut step, began) = (Recording::new(Task::Spread), Instant::now());
        let (mut wins, mut losses, mut before) = (Vec::new(), Vec::new(), Vec::new());
        for owner in 0..OWNERS {
            self.shares[owner].take(usize::MAX / 2, &mut wins, &mut losses);
            for (settled, kind) in [(&mut losses, Kind::Wins), (&mut wins, Kind::Counts)] {
                for local in &mut *settled {
                    // Every slot that is settled has a position.
                    *local = self.spread.index(owner as u64, *local).unwrap_or(0);
                }
                before.clear();
                self.graph.predecessors(settled, &mut before);
                step.units[owner] += (settled.len() + before.len()) as u64;
                for &index in &before {
                    let Place { owner: to, local } = self.spread.place(index);
                    self.inbox[to as usize].push(Record::new(local, kind).0);
                    step.bytes[owner][to as usize] += RECORD_BYTES;
                }
            }
        }
        for (owner, records) in self.inbox.iter_mut().enumerate() {
            step.units[owner] += records.len() as u64;
            self.shares[owner].apply(records, level);
            records.clear();
        }
        self.recorder.add(&step, began);
    }

    /// All values, which go to the first owner.
    fn values(&mut self, put: &dyn PutValues) -> Result<(), SolveError> {
        let (mut step, began) = (Recording::new(Task::Values), Instant::now());
        let len = self.spread.len();
        let mut values = Vec::new();
        for start in (0..len).step_by(RUN as usize) {
            values.clear();
            for index in start..(start + RUN).min(len) {
                let Place { owner, local } = self.spread.place(index);
                values.push(self.shares[owner as usize].value(local));
                step.units[owner as usize] += 1;
                step.bytes[owner as usize][0] += 1;
            }
            put.put(start, &values)?;
        }
        self.recorder.add(&step, began);
        Ok(())
    }
}

fn stop_if_requested(progress: &dyn Progress) -> Result<(), Stopped> {
    if progress.must_stop() { Err(Stopped) } else { Ok(()) }
}

impl Machines for Tracer {
    fn count(&self) -> u64 {
        1
    }

    fn me(&self) -> u64 {
        0
    }

    fn smallest(&self) -> u64 {
        self.smallest
    }

    fn solve(
        &self,
        slice: &SharedSlice<'_>,
        progress: &dyn Progress,
    ) -> Result<SharedWork, SolveError> {
        let graph = slice.graph;
        let spread = Spread::new(graph.len(), OWNERS as u64);
        let share = |owner| Share::new(&spread, owner, graph.codes(), graph.has_distances());
        let shares = (0..OWNERS as u64).map(share).collect::<Result<Vec<_>, _>>()?;
        let (recorder, inbox) = (Recorder::default(), vec![Vec::new(); OWNERS]);
        let mut owners = Owners { graph: &**graph, spread, shares, recorder, inbox };
        let began = Instant::now();
        progress.begin(Phase::Exits, graph.len());
        owners.exits(progress)?;
        let exit_time = began.elapsed();
        let top = graph.codes().max();
        progress.begin(Phase::Fixpoint, graph.len());
        for level in (1..=top).rev() {
            owners.level(level, progress)?;
            progress.advance((graph.len() as f64 * (top - level + 1) as f64 / top as f64) as u64);
        }
        progress.advance(graph.len());
        if let Some(put) = slice.values {
            owners.values(&**put)?;
        }
        let too_far = owners.shares.iter().any(|share| share.too_far);
        let trace = owners.recorder.finish(graph.len());
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(trace);
        Ok(SharedWork { exit_time, too_far })
    }

    fn next(
        &self,
        _: &Arc<dyn Storage>,
        _: &Path,
        _: &dyn Progress,
    ) -> Result<Option<NextSlice>, SolveError> {
        Ok(None)
    }
}
