//! Some positions of a finished slice, drawn at random and checked by the rules alone: for
//! databases of which all positions cannot be checked in the time or the memory there is.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::{Children, Game, Score, Side, Situation, SliceId};
use nutcracker_table::{Table, TableSet};

use crate::fault::{CheckError, Fault};
use crate::parallel::for_each_until_stopped;
use crate::progress::{Phase, Progress};
use crate::tables::SetChildren;
use crate::window;

/// Positions a thread looks at at a time.
const CHUNK: u64 = 256;

/// Checks the checksum of a file, and `count` positions: each must have the best score
/// of its moves. Returns how many positions were looked at, which are the same every time.
///
/// This does not tell scores that support each other in a circle from true ones, as
/// [`check_slice`](crate::check::check_slice) does.
pub fn check_sample<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    count: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<u64, CheckError> {
    let slice = SliceId(table.header().slice);
    let positions = table.positions();
    let count = count.min(positions);
    progress.begin(Phase::Verify, count);
    table.verify_digest_while(|| !progress.must_stop())?;
    let window = Score::from(table.header().bound());
    let children = SetChildren::new(set, slice, |child| window::needed(game, slice, child, window));
    let sample = Sample { game, slice, set, table, children, window };
    let (done, wrong) = (AtomicU64::new(0), Mutex::new(None));
    for_each_until_stopped(count, CHUNK, threads, progress, |range| {
        let mut moves = Vec::new();
        for number in range.clone() {
            let index = if count == positions { number } else { drawn(number, positions) };
            if let Some(fault) = sample.position(index, &mut moves)? {
                wrong.lock().expect("no thread panics").get_or_insert(fault);
            }
        }
        let looked = range.end - range.start;
        progress.advance(done.fetch_add(looked, Relaxed) + looked);
        Ok::<(), CheckError>(())
    })?;
    match wrong.into_inner().expect("no thread panics") {
        Some(fault) => Err(CheckError::Wrong { file: table.path().display().to_string(), fault }),
        None => Ok(count),
    }
}

/// A number below `len`, by a mixture of the bits of another.
fn drawn(number: u64, len: u64) -> u64 {
    let mut bits = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((u128::from(bits ^ bits >> 31) * u128::from(len)) >> 64) as u64
}

struct Sample<'a, G> {
    game: &'a G,
    slice: SliceId,
    set: &'a TableSet,
    table: &'a Table,
    children: SetChildren<'a>,
    /// What scores are clipped to.
    window: Score,
}

impl<G: Game> Sample<'_, G> {
    /// What is wrong with a position.
    fn position(&self, index: u64, moves: &mut Vec<G::Move>) -> Result<Option<Fault>, CheckError> {
        let stored = self.set.cache().probe(self.table, index)?;
        let Some(position) = self.game.unrank(self.slice, index) else { return Ok(None) };
        let notation = || self.game.format(&Situation::new(position, Side::First));
        if let Some(outcome) = self.game.outcome(&position) {
            let right = outcome.clamp(-self.window, self.window) == Score::from(stored);
            let fault = || Fault::NotOutcome { position: notation(), index, stored, outcome };
            return Ok((!right).then(fault));
        }
        moves.clear();
        self.game.moves(&position, moves);
        let mut best = Score::MIN;
        for mv in moves.iter() {
            let step = self.game.play(&position, mv);
            let (to, next) = (self.game.slice_of(&step.next), self.game.rank(&step.next));
            let score = if to == self.slice {
                self.set.cache().probe(self.table, next)?.into()
            } else {
                self.children.score(to, next)?
            };
            best = best.max(step.value(score).clamp(-self.window, self.window));
        }
        let fault = || Fault::NotBest { position: notation(), index, stored, best };
        Ok((best != Score::from(stored)).then(fault))
    }
}
