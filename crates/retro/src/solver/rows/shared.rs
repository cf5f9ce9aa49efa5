//! `cluster-rows`: a slice solved by rows on several machines, as one of them sees it.
//!
//! Every machine owns some tiles. The exits are computed by parts, which machines take in turn, and
//! go to the owners of the positions; then the levels run as in memory, with an exchange of changed
//! words after every pass; in the end all scores go to the first machine.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use nutcracker_game::{Exits, RowMoves};

use super::kernel::{Kernel, NewlyDecided};
use super::layout::GROUP;
use super::memory::{ChangedWord, Exchange, Owners, Part, RowStates, tell_all};
use crate::error::SolveError;
use crate::parallel::for_each_until_stopped;
use crate::progress::{Meter, Phase, Progress, Stopped};
use crate::solver::checkpoints::Checkpoints;
use crate::solver::cluster::{PutValues, SharedWork, SliceGraph};

/// Positions whose exits a machine computes between two exchanges.
const EXITS_AT_ONCE: u64 = 1 << 24;
/// Positions whose scores a machine sends at once.
const SCORES_AT_ONCE: u64 = 1 << 23;
/// Positions of a run of values on the wire.
const RUN: u64 = 1 << 12;

/// A slice that several machines solve by rows, on one of them.
pub struct SharedRows<'a> {
    /// The slice.
    pub graph: &'a dyn SliceGraph,
    /// Its rows.
    pub rows: &'a dyn RowMoves,
    /// The other machines.
    pub exchange: &'a dyn Exchange,
    /// The number of threads.
    pub threads: usize,
    /// Where the values go, on the first machine.
    pub values: Option<&'a dyn PutValues>,
    /// Where checkpoints are kept; `None` for a slice that is restarted after an interruption.
    pub checkpoints: Option<&'a Checkpoints>,
    /// The level with which all machines go on after an interruption.
    pub resume: Option<u8>,
    /// Receives progress.
    pub progress: &'a dyn Progress,
}

impl std::fmt::Debug for SharedRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedRows").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// Bytes of memory a machine takes for its share.
pub(crate) fn bytes(row_moves: &dyn RowMoves, top: u8, threads: usize, machines: u64) -> u64 {
    let all = RowStates::bytes(row_moves, top, threads);
    let words = RowStates::words(row_moves);
    let shared = words * (2 + Kernel::planes(top) as u64 + 1) * 8;
    // What is exchanged at once, given and received.
    let exchanged = EXITS_AT_ONCE.min(words * 64) * 2;
    all - shared + shared.div_ceil(machines.max(1)) + exchanged
}

impl SharedRows<'_> {
    /// Solves the share of this machine, together with the others.
    pub fn solve(&self) -> Result<SharedWork, SolveError> {
        let started = Instant::now();
        let (exchange, top) = (self.exchange, self.graph.codes().max() as u8);
        let states = RowStates::new(self.rows, top, false)?;
        let owners = Owners::new(&states.kernel.shape, exchange.machines(), exchange.me());
        let rests = |level| self.rests(level, &states, &owners);
        let part = Part { owners: &owners, exchange, rests: &rests };
        match self.resume {
            Some(level) => self.restore(level, &states, &part)?,
            None => self.exits(&states, &owners)?,
        }
        let exit_time = started.elapsed();
        states.settle_part(self.resume.unwrap_or(top), self.threads, &part, self.progress)?;
        if self.progress.must_stop() {
            return Err(Stopped.into());
        }
        self.collect(&states, &owners)?;
        Ok(SharedWork { exit_time, too_far: false })
    }

    /// Computes exits in turns with the other machines, each for all.
    fn exits(&self, states: &RowStates, owners: &Owners) -> Result<(), SolveError> {
        let (shape, exchange) = (&states.kernel.shape, self.exchange);
        let machines = exchange.machines();
        let (parts, len) = (self.graph.parts(), shape.len());
        let own: Vec<u64> = (exchange.me() as u64..parts).step_by(machines).collect();
        let at_once = (EXITS_AT_ONCE / (len / parts.max(1)).max(1)).max(1) as usize;
        // The first machine has at least as many parts as any other.
        let rounds = (parts as usize).div_ceil(machines).div_ceil(at_once);
        let meter = Meter::begin(self.progress, Phase::Exits, len);
        let entered = AtomicU64::new(0);
        for round in 0..rounds {
            let (start, end) = (round * at_once, (round + 1) * at_once);
            let taken = &own[start.min(own.len())..end.min(own.len())];
            let outboxes: Vec<Mutex<Vec<u64>>> = (0..machines).map(|_| Mutex::default()).collect();
            let count = taken.len() as u64;
            for_each_until_stopped(count, 1, self.threads, self.progress, |range| {
                for &part in &taken[range.start as usize..range.end as usize] {
                    let mut given = vec![Vec::new(); machines];
                    self.graph.exits(part, &mut |start, run| {
                        entered.fetch_add(run.len() as u64, Relaxed);
                        deliver(states, owners, exchange.me(), start, run, &mut given);
                    })?;
                    for (outbox, given) in outboxes.iter().zip(given) {
                        let mut outbox = outbox.lock().unwrap_or_else(PoisonError::into_inner);
                        outbox.extend(given);
                    }
                    exchange.report(0, entered.load(Relaxed));
                }
                Ok::<(), SolveError>(())
            })?;
            let given = outboxes.into_iter().map(|outbox| {
                Arc::new(outbox.into_inner().unwrap_or_else(PoisonError::into_inner))
            });
            for words in exchange.round(given.collect())? {
                for_each_run(&words, |start, values| {
                    let exits = |&best: &i8| Exits { best, internal: 0 };
                    let run: Vec<Exits> = values.iter().map(exits).collect();
                    states.enter(start, &run);
                });
            }
            meter.reach((len as f64 * (round + 1) as f64 / rounds as f64) as u64);
        }
        meter.finish();
        Ok(())
    }

    /// A level has come to rest on all machines: a checkpoint, if the first machine says so.
    fn rests(&self, level: u8, states: &RowStates, owners: &Owners) -> Result<(), SolveError> {
        let Some(checkpoints) = self.checkpoints.filter(|_| level > 1) else { return Ok(()) };
        let due = self.exchange.me() == 0 && checkpoints.is_due();
        let said = tell_all(self.exchange, vec![u64::from(due)])?;
        if !due && said.first().and_then(|first| first.first()) != Some(&1) {
            return Ok(());
        }
        let (kernel, values) = (&states.kernel, states.values());
        let per_word = (values.planes + 1) * 8;
        let own = || (0..kernel.shape.tiles()).filter(|&tile| owners.owns(tile));
        let words: usize = own().map(|tile| kernel.shape.tile(tile).word_range().len()).sum();
        let mut writer = checkpoints.write(0, level - 1, (words * per_word) as u64)?;
        let mut bytes = Vec::new();
        for tile in own() {
            states.score_tile(tile, level);
            let words = values.part(kernel.shape.tile(tile).word_range());
            bytes.clear();
            bytes.extend(words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()));
            writer.push(&bytes)?;
        }
        Ok(writer.finish()?)
    }

    /// Reads a checkpoint, and tells the others what it has decided.
    fn restore(&self, level: u8, states: &RowStates, part: &Part<'_>) -> Result<(), SolveError> {
        let (kernel, owners) = (&states.kernel, part.owners);
        let (undecided, values, decided) = (states.undecided(), states.values(), states.decided());
        let per_word = (values.planes + 1) * 8;
        let own = (0..kernel.shape.tiles()).filter(|&tile| owners.owns(tile));
        let tiles = own.map(|tile| kernel.shape.tile(tile).word_range());
        let words: usize = tiles.clone().map(|words| words.len()).sum();
        let Some(checkpoints) = self.checkpoints else { return Ok(()) };
        let mut reader = checkpoints.read(0, level, (words * per_word) as u64)?;
        let mut bytes = Vec::new();
        for words in tiles {
            bytes.resize(words.len() * per_word, 0);
            reader.pull(&mut bytes)?;
            for (word, bytes) in values.part(words).iter().zip(bytes.chunks_exact(8)) {
                let bytes = bytes.try_into().expect("eight bytes");
                word.store(u64::from_le_bytes(bytes), Relaxed);
            }
        }
        let mut found: [NewlyDecided; GROUP] =
            std::array::from_fn(|_| NewlyDecided::new(&kernel.shape));
        for segment in states.segments(part) {
            let mut given = Vec::new();
            for tiles in segment {
                for (found, tile) in found.iter_mut().zip(tiles.clone()) {
                    let tile = kernel.shape.tile(tile);
                    kernel.restore(&tile, false, undecided, values, found);
                    // What was at risk at a higher level still is.
                    kernel.mark_at_risk(&tile, level, undecided, values);
                }
                let first = kernel.shape.tile(tiles.start);
                let found = &mut found[..tiles.len()];
                kernel.publish(&first, found, decided, |row, tile, won, lost| {
                    let word = kernel.changed_word(&first, row, tile);
                    ChangedWord::push(&mut given, word, won, lost);
                });
            }
            for words in tell_all(self.exchange, given)? {
                for changed in words.chunks_exact(ChangedWord::WORDS).map(ChangedWord::read) {
                    changed.enter(decided);
                }
            }
        }
        Ok(())
    }

    /// Sends all scores to the first machine.
    fn collect(&self, states: &RowStates, owners: &Owners) -> Result<(), SolveError> {
        let (shape, exchange) = (&states.kernel.shape, self.exchange);
        let others = 1..exchange.machines();
        let most = others.map(|machine| owners.positions(shape, machine)).max().unwrap_or(0);
        let mut runs = owners.ranges(shape, exchange.me()).flat_map(cut);
        let mut scores = vec![0; RUN as usize];
        if let Some(values) = self.values {
            for run in runs.by_ref() {
                let scores = &mut scores[..(run.end - run.start) as usize];
                states.scores(run.start, scores);
                values.put(run.start, scores)?;
            }
        }
        let mut collected = 0;
        while collected < most {
            collected += SCORES_AT_ONCE;
            let (mut words, mut sent) = (Vec::new(), 0);
            while sent < SCORES_AT_ONCE
                && let Some(run) = runs.next()
            {
                sent += run.end - run.start;
                let scores = &mut scores[..(run.end - run.start) as usize];
                states.scores(run.start, scores);
                push_run(&mut words, run.start, scores);
            }
            let mut given: Vec<Arc<Vec<u64>>> =
                (0..exchange.machines()).map(|_| Arc::default()).collect();
            given[0] = Arc::new(words);
            let received = exchange.round(given)?;
            let Some(values) = self.values else { continue };
            let mut put = Ok(());
            for words in received {
                for_each_run(&words, |start, run| {
                    if put.is_ok() {
                        put = values.put(start, run);
                    }
                });
            }
            put?;
        }
        Ok(())
    }
}

/// Runs of positions of at most [`RUN`].
fn cut(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let starts = range.clone().step_by(RUN as usize);
    starts.map(move |start| start..(start + RUN).min(range.end))
}

/// Enters exits of consecutive positions where they are this machine's, and appends the others to
/// what their owners are given.
fn deliver(
    states: &RowStates,
    owners: &Owners,
    me: usize,
    start: u64,
    run: &[Exits],
    given: &mut [Vec<u64>],
) {
    let (shape, mut at) = (&states.kernel.shape, 0);
    while at < run.len() {
        let index = start + at as u64;
        let tile = shape.tile_of(index);
        let left = (shape.tile_range(tile).end - index).min(RUN) as usize;
        let piece = &run[at..(at + left).min(run.len())];
        at += piece.len();
        match owners.of(tile) {
            owner if owner == me => states.enter(index, piece),
            owner => {
                let best: Vec<i8> = piece.iter().map(|exits| exits.best).collect();
                push_run(&mut given[owner], index, &best);
            }
        }
    }
}

/// Appends values of consecutive positions: a word with start and length, then eight a word.
fn push_run(out: &mut Vec<u64>, start: u64, values: &[i8]) {
    out.push(start << 16 | values.len() as u64);
    let byte = |word: u64, &value: &i8| word << 8 | u64::from(value as u8);
    out.extend(values.chunks(8).map(|eight| eight.iter().rev().fold(0, byte)));
}

/// Visits such values.
fn for_each_run(mut words: &[u64], mut visit: impl FnMut(u64, &[i8])) {
    let mut values = Vec::new();
    while let Some((head, rest)) = words.split_first() {
        let len = (head & 0xFFFF) as usize;
        let (run, rest) = rest.split_at(len.div_ceil(8).min(rest.len()));
        values.clear();
        values.extend(run.iter().flat_map(|word| word.to_le_bytes()).map(|byte| byte as i8));
        values.truncate(len);
        visit(head >> 16, &values);
        words = rest;
    }
}
