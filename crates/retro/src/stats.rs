//! Statistics of finished slices beyond their histograms.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{Children, ForwardView, Game, Score, SliceId, Target, Turn};
use nutcracker_mem::{OutOfMemory, Packed};
use nutcracker_table::{TableError, TableSet};
use thiserror::Error;

use crate::parallel::{ThreadError, for_each_chunk};
use crate::progress::{Silent, Stopped};
use crate::tables::{SetChildren, read_all};

/// Positions a thread processes at a time.
const CHUNK: u64 = 1 << 14;

/// Positions in which the mover can bank something and need not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// How many there are.
    pub positions: u64,
    /// In how many of them the best move that banks nothing is worth more than the best one that
    /// does.
    pub quiet_better: u64,
}

impl Choices {
    /// Adds those of other positions.
    pub fn merge(&mut self, other: Choices) {
        self.positions += other.positions;
        self.quiet_better += other.quiet_better;
    }
}

/// Why statistics of a slice failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StatsError {
    /// A file cannot be read or is damaged.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// A thread could not be started, or panicked.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The caller requested a stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Counts the choices between banking and not in a slice. `advance` is called with the number of
/// positions done so far, from several threads.
pub fn choices<G: Game>(
    game: &G,
    slice: SliceId,
    set: &TableSet,
    threads: usize,
    advance: impl Fn(u64) + Sync,
) -> Result<Choices, StatsError> {
    let scores = scores(set, slice, threads)?;
    let children = SetChildren::new(set, slice, |_| u8::MAX);
    let view = game.forward(slice);
    let total = Mutex::new(Choices::default());
    let done = AtomicU64::new(0);
    for_each_chunk(scores.len(), CHUNK, threads, |range| {
        let mut cursor = Default::default();
        let mut counted = Choices::default();
        for second in range.clone() {
            let Some(key) = view.second_key_at(&mut cursor, second) else { continue };
            if view.outcome(key).is_some() {
                continue;
            }
            let (mut quiet, mut banking): (Option<Score>, Option<Score>) = (None, None);
            let mut failure = None;
            view.targets(key, |target| match target {
                Target::Inside(next) | Target::Zeroing(next) => {
                    quiet = quiet.max(Some(-Score::from(scores.get(next) as u8 as i8)));
                }
                Target::Outside { slice, index, gain, turn, .. } => {
                    match children.score(slice, index) {
                        Ok(score) => {
                            let value = gain + if turn == Turn::Passes { -score } else { score };
                            let best = if gain > 0 { &mut banking } else { &mut quiet };
                            *best = (*best).max(Some(value));
                        }
                        Err(error) => failure = Some(error),
                    }
                }
            });
            if let Some(error) = failure {
                return Err(StatsError::from(error));
            }
            if let (Some(quiet), Some(banking)) = (quiet, banking) {
                counted.positions += 1;
                counted.quiet_better += u64::from(quiet > banking);
            }
        }
        total.lock().expect("no thread panics").merge(counted);
        let examined = range.end - range.start;
        advance(done.fetch_add(examined, Relaxed) + examined);
        Ok(())
    })?;
    Ok(total.into_inner().expect("no thread panics"))
}

/// All scores of a slice, each block after its checksum.
fn scores(set: &TableSet, slice: SliceId, threads: usize) -> Result<Packed<8>, StatsError> {
    let table = set.get(slice.0)?;
    let scores = Packed::zeroed(table.positions())?;
    read_all::<StatsError>(set, &table, threads, &Silent, |start, block| {
        scores.fill(start, block.iter().map(|&score| u64::from(score as u8)));
    })?;
    Ok(scores)
}
