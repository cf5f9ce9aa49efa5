//! Positions of a finished slice, drawn at random and compared by the plain rules alone.

use std::sync::{Mutex, PoisonError};

use nutcracker_game::{Children, Game, Metric, Score, Side, Situation, SliceId, Turn, upper_bound};
use nutcracker_table::{Table, TableSet};

use super::share::Share;
use crate::check_error::{CheckError, Discrepancy};
use crate::parallel::for_each_until_stopped;
use crate::progress::{Meter, Phase, Progress};
use crate::tables::SetChildren;

/// Positions a thread compares at a time.
const CHUNK: u64 = 256;

/// Checks the digest of a file, and `count` of its positions: each must have the best score of its
/// moves, by `Game::moves` and `Game::play` alone. Returns how many positions were compared, which
/// are the same every time.
///
/// Scores that support each other in a cycle pass, unlike in [`check_file`](super::check_file).
pub fn check_sample<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    count: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<u64, CheckError> {
    let meter = Meter::begin(progress, Phase::Verify, count.min(table.positions()));
    table.verify_digest_while(|| !progress.must_stop())?;
    let add = &|compared| meter.add(compared);
    compare_each(game, table, set, count, Share::ALL, threads, progress, add)
}

/// Compares a share of `count` positions without progress reports: the end of a longer check.
pub(super) fn compare<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    count: u64,
    share: Share,
    threads: usize,
    progress: &dyn Progress,
) -> Result<u64, CheckError> {
    compare_each(game, table, set, count, share, threads, progress, &|_| ())
}

#[allow(clippy::too_many_arguments)]
fn compare_each<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    count: u64,
    share: Share,
    threads: usize,
    progress: &dyn Progress,
    advance: &(dyn Fn(u64) + Sync),
) -> Result<u64, CheckError> {
    let slice = SliceId(table.header().slice);
    let window = Score::from(table.header().bound());
    let children = super::children(game, slice, set, window);
    let metric = super::metric(table)?;
    let sample = Sample { game, slice, metric, set, table, children, window };
    let positions = table.positions();
    let count = count.min(positions);
    let wrong = Mutex::new(None);
    let numbers = share.of(0..count);
    for_each_until_stopped(numbers.end - numbers.start, CHUNK, threads, progress, |range| {
        let mut moves = Vec::new();
        for number in numbers.start + range.start..numbers.start + range.end {
            let index = if count == positions { number } else { drawn(number, positions) };
            if let Some(fault) = sample.position(index, &mut moves)? {
                wrong.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
            }
        }
        advance(range.end - range.start);
        Ok::<(), CheckError>(())
    })?;
    match wrong.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(fault) => Err(CheckError::Wrong { file: table.path().display().to_string(), fault }),
        None => Ok(numbers.end - numbers.start),
    }
}

/// An index below `len`, the `number`-th of a fixed pseudorandom sequence (`SplitMix64`).
fn drawn(number: u64, len: u64) -> u64 {
    let mut bits = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((u128::from(bits ^ bits >> 31) * u128::from(len)) >> 64) as u64
}

struct Sample<'a, G> {
    game: &'a G,
    slice: SliceId,
    metric: Metric,
    set: &'a TableSet,
    table: &'a Table,
    children: SetChildren<'a>,
    /// What scores are clipped to.
    window: Score,
}

impl<G: Game> Sample<'_, G> {
    /// The value of a position of this slice or of one below.
    fn stored(&self, slice: SliceId, index: u64) -> Result<Score, CheckError> {
        Ok(if slice == self.slice {
            self.set.value(self.table, index)?.into()
        } else {
            self.children.score(slice, index)?
        })
    }

    /// What is wrong with a position.
    fn position(
        &self,
        index: u64,
        moves: &mut Vec<G::Move>,
    ) -> Result<Option<Discrepancy>, CheckError> {
        let stored = self.set.value(self.table, index)?;
        let Some(position) = self.game.unrank(self.slice, index) else { return Ok(None) };
        let notation = || self.game.format(&Situation::new(position, Side::First));
        if let Some(outcome) = self.game.outcome(&position) {
            let outcome = self.metric.over(outcome);
            let right = outcome.clamp(-self.window, self.window) == Score::from(stored);
            let fault = || Discrepancy::NotOutcome { position: notation(), index, stored, outcome };
            return Ok((!right).then(fault));
        }
        moves.clear();
        self.game.moves(&position, moves);
        let (mut best, mut draws, mut too_far) = (Score::MIN, false, false);
        for mv in moves.iter() {
            let step = self.game.play(&position, mv);
            let (to, next) = (self.game.slice_of(&step.next), self.game.rank(&step.next));
            let score =
                if G::HAS_BOUNDS && self.metric == Metric::Forced && step.turn == Turn::Passes {
                    upper_bound(self.game, &step.next, &mut |next| {
                        self.stored(self.game.slice_of(next), self.game.rank(next))
                    })?
                } else {
                    self.stored(to, next)?
                };
            let value = self.metric.value(&step, score);
            if self.metric.is_too_far(value, score) {
                too_far = true;
            } else {
                draws |= value == 0;
            }
            best = best.max(value.clamp(-self.window, self.window));
        }
        if best == 0 && too_far && !draws {
            return Ok(Some(Discrepancy::TooFar { position: notation(), index, stored }));
        }
        let fault = || Discrepancy::NotBest { position: notation(), index, stored, best };
        Ok((!self.metric.agrees(stored.into(), best)).then(fault))
    }
}
