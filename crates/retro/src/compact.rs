//! Compact tables: values that follow from smaller slices are left out, and restored when read.
//!
//! Where every move of a position is a conversion, as captures are that have to be played, or where
//! the game is over, the value follows without the slice. Where there are other moves, the value is at
//! least the best of the conversions. If it is just that, any value up to it may be stored: the larger
//! of what is stored and of what conversions give is the value. What is left out is stored as the value
//! before it, so that runs of equal values go on.
//!
//! A value that is restored takes look-ups in smaller slices, which may be compact, too. So a slice
//! whose values would take many keeps all of them, and what is restored on top of it takes few again.
//!
//! Before a compact table gets its name, all of its values are restored and compared with those of the
//! complete one.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use nutcracker_game::{Game, Metric, Random, Score, Side, Situation, SliceId, Step};
use nutcracker_table::{
    CodecId, DirLock, HOLE, Header, Manifest, PackOptions, Reach, Sealed, Storage, Table,
    TableError, TableSet, pack_compact, pack_with, remove_unfinished,
};

use crate::check::{CheckError, Discrepancy};
use crate::parallel::for_each_until_stopped;
use crate::progress::{Meter, Phase, Progress, Stopped};
use crate::solve::mark_holes;
use crate::tables::{naming, open_metric};

/// Positions in a block of a compact table: runs are long, and each block takes 14 bytes at least.
pub const COMPACT_BLOCK: u32 = 1 << 16;
/// Look-ups that a value may take on average, itself included; a slice with more keeps all values.
const MOST_LOOK_UPS: u64 = 8;
/// Positions of which that is measured.
const MEASURED: u64 = 2_000;
/// The level of zstd: compact tables are written once, to be kept or sent.
const LEVEL: i32 = 19;

/// What becomes of a complete table, or of a compact one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Values that follow from smaller slices are left out.
    Compact,
    /// All values are stored.
    Complete,
}

/// A table that was written in another form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rewritten {
    /// The slice.
    pub slice: SliceId,
    /// Its positions, without holes.
    pub positions: u64,
    /// Positions whose value is left out, where it was written now.
    pub left_out: Option<u64>,
    /// The length of the file that was read.
    pub bytes_before: u64,
    /// The length of the file that was written, or was there already.
    pub bytes: u64,
}

/// How tables are written in another form.
#[derive(Clone, Copy, Debug)]
pub struct RewriteOptions<'a> {
    /// The form that tables get.
    pub form: Form,
    /// Threads.
    pub threads: usize,
    /// The program that the manifest names.
    pub program: &'a str,
}

/// Writes the tables of `slices`, which are ascending and have all slices below them among them, from
/// `source` to `dir` in another form, as far as they are not there yet. Calls `done` after each.
///
/// A table in `dir` is checked if that in `source` is.
#[expect(clippy::too_many_arguments, reason = "where from, where to, what and how")]
pub fn rewrite<G: Game>(
    game: &G,
    metric: Metric,
    source: &TableSet,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    slices: &[SliceId],
    options: RewriteOptions<'_>,
    progress: &dyn Progress,
    mut done: impl FnMut(Rewritten),
) -> Result<(), CheckError> {
    let id = game.id();
    let _lock = DirLock::acquire(dir)?;
    remove_unfinished(&**storage, dir)?;
    let mut manifest =
        Manifest::load_or_new(&**storage, dir, id.name, &id.options, options.program)?;
    manifest.reconcile(&**storage, dir, &naming(game))?;
    let cache = crate::cache_bytes(1 << 30);
    let target = open_metric(game, Some(metric), Arc::clone(storage), dir, cache);
    for &slice in slices {
        let from = source.get_for(slice.0, Reach::Exact)?;
        let rewriting = Rewriting { game, metric, slice, source, from: &from, target: &target };
        let before = Rewritten {
            slice,
            positions: from.histogram().total(),
            left_out: None,
            bytes_before: from.bytes(),
            bytes: 0,
        };
        if let Some(entry) = manifest.entry_for(slice.0, Reach::Exact) {
            done(Rewritten { bytes: entry.bytes, ..before });
            continue;
        }
        progress.slice(slice, from.positions());
        let (sealed, left_out) = match options.form {
            Form::Compact => rewriting.compact(options.threads, progress)?,
            Form::Complete => (rewriting.complete(options.threads, progress)?, 0),
        };
        rewriting.compare(&sealed.open()?, options.threads, progress)?;
        let published = sealed.publish(from.is_checked())?;
        manifest.record(&published);
        manifest.save(&**storage, dir)?;
        done(Rewritten { left_out: Some(left_out), bytes: published.bytes, ..before });
    }
    Ok(())
}

/// What conversions say of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Nothing: there are none.
    Nothing,
    /// It is worth this at least, because there are other moves.
    AtLeast(Score),
    /// It is worth this, because there are no other moves.
    Exactly(Score),
}

/// Finds what conversions say of the positions of a slice.
struct Conversions<'a, G: Game> {
    game: &'a G,
    metric: Metric,
    set: &'a TableSet,
    steps: Vec<Step<G::Position>>,
}

impl<'a, G: Game> Conversions<'a, G> {
    fn new(game: &'a G, metric: Metric, set: &'a TableSet) -> Self {
        Conversions { game, metric, set, steps: Vec::new() }
    }

    fn known(&mut self, position: &G::Position) -> Result<Known, TableError> {
        self.steps.clear();
        if let Some(outcome) = self.game.expand(position, &mut self.steps) {
            return Ok(Known::Exactly(self.metric.over(outcome)));
        }
        let (mut best, mut others) = (None, false);
        for step in &self.steps {
            if !step.converts {
                others = true;
                continue;
            }
            let table = self.set.get_for(self.game.slice_of(&step.next).0, Reach::Exact)?;
            let next = self.set.value(&table, self.game.rank(&step.next))?;
            best = best.max(Some(self.metric.value(step, next.into())));
        }
        Ok(match best {
            None => Known::Nothing,
            Some(best) if others => Known::AtLeast(best),
            Some(best) => Known::Exactly(best),
        })
    }
}

/// Turns values as a compact table stores them into the values of the positions.
pub(crate) fn restore<G: Game>(
    game: &G,
    metric: Metric,
    set: &TableSet,
    slice: SliceId,
    start: u64,
    values: &mut [i8],
) -> Result<(), TableError> {
    let mut conversions = Conversions::new(game, metric, set);
    for (index, value) in (start..).zip(values) {
        let Some(position) = game.unrank(slice, index) else { continue };
        match conversions.known(&position)? {
            Known::Nothing => {}
            Known::AtLeast(best) => *value = best.max((*value).into()) as i8,
            Known::Exactly(exact) => *value = exact as i8,
        }
    }
    Ok(())
}

/// The table of a slice, and where it is written.
struct Rewriting<'a, G: Game> {
    game: &'a G,
    metric: Metric,
    slice: SliceId,
    source: &'a TableSet,
    from: &'a Table,
    target: &'a TableSet,
}

impl<'a, G: Game> Rewriting<'a, G> {
    /// The values that are read, with holes marked.
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), TableError> {
        self.source.values(self.from, start, out)?;
        mark_holes(self.game, self.slice, start, out);
        Ok(())
    }

    /// The header of the table in a form.
    fn header(&self, codec: CodecId, block_positions: u32, compact: Option<[u8; 32]>) -> Header {
        Header { codec, block_positions, compact, ..self.from.header().clone() }
    }

    /// The blake3 of all values, read in order.
    fn digest(&self, progress: &dyn Progress) -> Result<[u8; 32], CheckError> {
        let mut digest = blake3::Hasher::new();
        let mut values = Vec::new();
        let (len, size) = (self.from.positions(), u64::from(COMPACT_BLOCK));
        for start in (0..len).step_by(size as usize) {
            if progress.must_stop() {
                return Err(Stopped.into());
            }
            values.resize(size.min(len - start) as usize, 0);
            self.read(start, &mut values)?;
            let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
            digest.update(&bytes);
        }
        Ok(digest.finalize().into())
    }

    /// The look-ups that [`MEASURED`] values would take among the tables that were written.
    fn look_ups(&self) -> Result<u64, CheckError> {
        let look_ups = || {
            let stats = self.target.cache_stats();
            stats.hits + stats.misses
        };
        let before = look_ups();
        let mut conversions = Conversions::new(self.game, self.metric, self.target);
        let mut random = Random::new(0);
        for _ in 0..MEASURED {
            let index = random.below(self.from.positions());
            if let Some(position) = self.game.unrank(self.slice, index) {
                conversions.known(&position)?;
            }
        }
        Ok(MEASURED + look_ups() - before)
    }

    /// Writes the compact table; returns how many values it leaves out, too.
    fn compact(
        &self,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<(Sealed<'a>, u64), CheckError> {
        let leaves_out = self.look_ups()? <= MOST_LOOK_UPS * MEASURED;
        let digest = if leaves_out { Some(self.digest(progress)?) } else { None };
        let header = self.header(CodecId::Runs, COMPACT_BLOCK, digest);
        let options = PackOptions { level: LEVEL, threads, ..PackOptions::default() };
        if !leaves_out {
            return Ok((self.pack(&header, &options, progress, |_, _| Ok(()))?, 0));
        }
        let left_out = AtomicU64::new(0);
        let sealed = self.pack(&header, &options, progress, |start, out| {
            left_out.fetch_add(self.leave_out(start, out)?, Relaxed);
            Ok(())
        })?;
        Ok((sealed, left_out.into_inner()))
    }

    /// Writes the complete table.
    fn complete(&self, threads: usize, progress: &dyn Progress) -> Result<Sealed<'a>, CheckError> {
        let stated = self.from.header().compact;
        if stated.is_some() && stated != Some(self.digest(progress)?) {
            let reason = "its values with what is restored do not have the digest that it states";
            return Err(damaged(self.from, reason.to_owned()));
        }
        let usual = Header::new("", "", 0, 0, 0, "");
        let header = self.header(usual.codec, usual.block_positions, None);
        let options = PackOptions { threads, ..PackOptions::default() };
        self.pack(&header, &options, progress, |_, _| Ok(()))
    }

    /// Writes a table of what `prepare` makes of the values that are read.
    fn pack(
        &self,
        header: &Header,
        options: &PackOptions,
        progress: &dyn Progress,
        prepare: impl Fn(u64, &mut [i8]) -> Result<(), CheckError> + Sync,
    ) -> Result<Sealed<'a>, CheckError> {
        let meter = Meter::begin(progress, Phase::Pack, self.from.positions());
        let failure = Mutex::new(None);
        let fill = |start, out: &mut [i8]| {
            let mut read = || {
                if progress.must_stop() {
                    return Err(Stopped.into());
                }
                self.read(start, out)?;
                prepare(start, out)?;
                meter.add(out.len() as u64);
                Ok(())
            };
            read().map_err(|error: CheckError| {
                let reason = error.to_string();
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                reason
            })
        };
        let (storage, dir) = (&**self.target.storage(), self.target.dir());
        let sealed = match header.compact {
            Some(_) => pack_compact(storage, dir, header, options, self.from.statistics(), fill),
            None => pack_with(storage, dir, header, options, fill),
        };
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        meter.finish();
        Ok(sealed?)
    }

    /// Marks values that follow from smaller slices as holes; returns how many.
    fn leave_out(&self, start: u64, values: &mut [i8]) -> Result<u64, CheckError> {
        let mut conversions = Conversions::new(self.game, self.metric, self.source);
        let (mut last, mut left_out) = (None, 0);
        for (index, value) in (start..).zip(values) {
            if *value == HOLE {
                continue;
            }
            let Some(position) = self.game.unrank(self.slice, index) else { continue };
            let worth = Score::from(*value);
            let is_left_out = match conversions.known(&position)? {
                Known::Nothing => false,
                Known::AtLeast(best) if best < worth => false,
                // What is stored must not be more than what the position is worth.
                Known::AtLeast(best) if best == worth => last.is_some_and(|last| last <= *value),
                Known::Exactly(best) if best == worth => true,
                Known::AtLeast(best) | Known::Exactly(best) => {
                    return Err(self.wrong(index, &position, *value, best));
                }
            };
            if is_left_out {
                *value = HOLE;
                left_out += 1;
            } else {
                last = Some(*value);
            }
        }
        Ok(left_out)
    }

    /// Compares the values of the table that was written with those of the one that was read.
    fn compare(
        &self,
        written: &Table,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<(), CheckError> {
        let meter = Meter::begin(progress, Phase::Verify, written.positions());
        written.verify_digest_while(|| !progress.must_stop())?;
        let size = u64::from(written.header().block_positions);
        for_each_until_stopped(written.blocks(), 1, threads, progress, |blocks| {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            for block in blocks {
                let (start, len) = (block * size, written.header().block_len(block));
                expected.resize(len, 0);
                found.resize(len, 0);
                self.read(start, &mut expected)?;
                self.target.block(written, block, &mut found)?;
                mark_holes(self.game, self.slice, start, &mut found);
                if let Some(place) = expected.iter().zip(&found).position(|(a, b)| a != b) {
                    return Err(damaged(
                        written,
                        format!(
                            "number {} has value {}, and {} where it was read",
                            start + place as u64,
                            found[place],
                            expected[place]
                        ),
                    ));
                }
                meter.add(len as u64);
            }
            Ok::<(), CheckError>(())
        })?;
        meter.finish();
        Ok(())
    }

    fn wrong(&self, index: u64, position: &G::Position, stored: i8, best: Score) -> CheckError {
        let position = self.game.format(&Situation::new(*position, Side::First));
        CheckError::Wrong {
            file: self.from.path().display().to_string(),
            fault: Discrepancy::NotBest { position, index, stored, best },
        }
    }
}

fn damaged(table: &Table, reason: String) -> CheckError {
    let path = table.path().to_owned();
    TableError::Damaged { path, reason, remedy: "delete it and make it again" }.into()
}
