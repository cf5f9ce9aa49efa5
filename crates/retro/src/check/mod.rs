//! Phase 4: a finished file checked against the rules.
//!
//! Every stored score must be the best of its successors' scores (*agreement*). That alone is not
//! enough: in a cycle, invented values can support each other. So every score other than 0 must
//! also be *founded*: a win on an exit or an end of the game of that worth, or on a founded
//! loss of the same size one move on; a loss on nothing but founded wins. Agreement and foundation
//! together leave one possible score for every position, and it is the right one: whatever can be
//! derived from exits in finitely many steps is stored at least as large, by agreement, and
//! whatever is stored can be derived, by foundation.
//!
//! Distances need agreement alone. A loss of -s rests on wins of at least s + 1, a win of s on a
//! loss of -s: values grow along every chain of reasons, so none can support itself. Under a rule of
//! moves, plies decide at the limit, and are found from the best moves. The smallest rule
//! under which a position is won is not so determined: of `dtr`, the check finds that moves allow it,
//! not that it is the smallest.
//!
//! All of it works forward, by the game's [`ForwardView`]. The first sweep over the slice compares
//! every position and founds most of them; further sweeps examine those that are left, until a
//! sweep founds none. Where memory allows, predecessors of a newly founded position are examined at
//! once: un-moves only suggest candidates, and nothing is accepted because of them.
//!
//! # Parts
//! Several machines can check one table, each a [share](Share) of it. Agreement is a matter of each
//! position by itself, so a share has a range of them. Foundation is one of each *level* by itself: a
//! win of k rests on an exit or on a loss of -k, and a loss of -k on wins of k or more; that those of
//! more are founded is for other levels to find. So the levels are dealt to the shares, and the
//! values of all other levels are taken as founded. All shares together check what one check does.
//!
//! # What is shared with solvers
//! The rules; the reader of tables; and the forward view, by which the solvers with one and two
//! bits a position walk too. The in-memory solver, the one by rows and the one by sweeps do not use
//! it, and none uses its [matrices](ForwardView::matrix). Where a view has [walks](ForwardView::walk),
//! the in-memory solver may have its exits from what these use too. To detect an error in a
//! view shared by a solver and the check, the check ends with a [sample](check_sample) of positions
//! compared by the plain rules alone.

mod bounds;
mod cells;
mod late;
mod levels;
mod metrics;
mod pages;
mod record;
mod sample;
mod share;
mod sweep;
mod tile;
mod walk;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use nutcracker_game::{ForwardView, Game, Metric, Score, SliceId, SliceView};
use nutcracker_mem::Packed;
use nutcracker_table::{Histogram, Manifest, Table, TableSet};

pub use crate::check_error::{CheckError, Discrepancy};
use crate::progress::{Meter, Phase, Progress};
use crate::tables::{Nearby, SetChildren, read_all};
use crate::window;
use cells::{Cell, Cells, Pieces, Values, Whole, is_founded, value};
use levels::Levels;
pub use metrics::check_metrics;
use pages::Pages;
pub use record::{PartRecord, Parts};
pub use sample::check_sample;
pub use share::Share;

/// What a check has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of positions, without holes.
    pub positions: u64,
    /// The number of sweeps until every score was founded.
    pub sweeps: u32,
    /// Whether values were read from the file in pieces because memory was too small.
    pub in_pieces: bool,
    /// The positions that were compared by the plain rules as well.
    pub sampled: u64,
    /// The positions that were compared with their moves, and holes among them.
    pub compared: u64,
    /// The sizes of the scores that were found to be founded; `None` if all were, or need not be.
    pub levels: Option<Vec<Score>>,
}

/// Positions that the check compares by the plain rules at its end, or all if there are fewer.
pub const SAMPLE: u64 = 20_000;

/// Positions a thread checks at a time where their moves do not factor.
const CHUNK: u64 = 1 << 16;

/// Columns of a tile where all cells are in memory; this many cells are adjacent.
const TILE: u64 = 32;

/// The memory with which the check of a slice is fastest. With less it runs in pieces, which takes
/// many times longer and gives the same result.
pub fn memory_at_full_speed<G: Game>(game: &G, metric: Metric, slice: SliceId) -> u64 {
    let positions = game.slice_len(slice);
    if metric == Metric::Forced {
        return bounds::bytes(game, slice);
    }
    if metric.is_distance() {
        let late = if metric.last_loss().is_some() { positions / 4 } else { 0 };
        return positions + late + game.forward_bytes(slice);
    }
    let cells = positions * if fits_a_byte(game.max_score(slice)) { 1 } else { 2 };
    // Two bits a position mark what is open on a level; losses may have four more.
    let waits = if levels::counts_waits(game, slice) { positions / 2 } else { 0 };
    let bytes = cells + positions / 4 + waits;
    // The view's tables, and the matrices, which take less than these.
    bytes + 2 * game.forward_bytes(slice) + game.view_bytes(slice)
}

/// Whether a score of this size and its mark fit a byte.
fn fits_a_byte(max: Score) -> bool {
    max < 64
}

/// Checks the best file of a slice against the rules and the files of smaller slices, with about
/// `memory` bytes beside the cache of `set`.
pub fn check_slice<G: Game>(
    game: &G,
    slice: SliceId,
    set: &TableSet,
    memory: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    check_file(game, &*set.get(slice.0)?, set, memory, threads, progress)
}

/// Checks one file against the rules and the files of smaller slices in `set`, with about `memory`
/// bytes beside the cache of `set`.
pub fn check_file<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    memory: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    check_share(game, table, set, Share::ALL, memory, threads, progress)
}

/// A share of [`check_file`]: all shares together check the file.
pub fn check_share<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    share: Share,
    memory: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    check_with(game, table, set, share, Memory::of(memory), threads, progress)
}

/// Bytes that a check may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// In all.
    pub(crate) all: u64,
    /// Of these, in pieces, for the game's look-up tables, whose size does not grow with the slice.
    pub(crate) tables: u64,
}

impl Memory {
    fn of(all: u64) -> Self {
        Memory { all, tables: all / 8 }
    }
}

/// [`check_share`] with memory dealt out in another way.
pub(crate) fn check_with<G: Game>(
    game: &G,
    table: &Table,
    set: &TableSet,
    share: Share,
    Memory { all: memory, tables }: Memory,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Checked, CheckError> {
    let slice = SliceId(table.header().slice);
    let metric = metric(table)?;
    let levels = share.levels(table, metric);
    let work = share.work(table, levels.as_deref());
    let meter = &Meter::begin(progress, Phase::Verify, work);
    table.verify_digest_while(|| !progress.must_stop())?;
    let job = CheckJob {
        game,
        slice,
        metric,
        table,
        set,
        share,
        levels,
        memory,
        tables,
        threads,
        progress,
        meter,
    };
    let is_compiled = match metric {
        Metric::Forced => G::HAS_BOUNDS,
        _ => G::HAS_ZEROING || !metric.counts_to_zeroing(),
    };
    if !is_compiled {
        let (file, metric) = (table.path().display().to_string(), metric.to_string());
        return Err(CheckError::UnknownMetric { file, metric });
    }
    if G::HAS_BOUNDS && metric == Metric::Forced {
        // Both bounds of a position rest on those of the whole slice: every share checks all.
        return job.check_bounds();
    }
    if memory_at_full_speed(game, metric, slice) > memory {
        job.check_in_pieces()
    } else if metric.is_distance() {
        job.check_distances()
    } else if fits_a_byte(game.max_score(slice)) {
        job.check_whole::<8>()
    } else {
        job.check_whole::<16>()
    }
}

/// What the values of a table mean.
fn metric(table: &Table) -> Result<Metric, CheckError> {
    let name = &table.header().metric;
    name.parse().map_err(|_| CheckError::UnknownMetric {
        file: table.path().display().to_string(),
        metric: name.clone(),
    })
}

/// Compares a file with its entry in the manifest of its directory.
pub fn check_manifest(set: &TableSet, table: &Table, dir: &Path) -> Result<(), CheckError> {
    let manifest = Manifest::load(&**set.storage(), dir)?;
    Ok(manifest.check(table)?)
}

struct CheckJob<'a, G> {
    game: &'a G,
    slice: SliceId,
    metric: Metric,
    table: &'a Table,
    set: &'a TableSet,
    /// The positions to compare.
    share: Share,
    /// The levels to found; `None` for all.
    levels: Option<Vec<Score>>,
    memory: u64,
    /// Memory for look-up tables, in pieces.
    tables: u64,
    threads: usize,
    progress: &'a dyn Progress,
    meter: &'a Meter<'a>,
}

impl<G: Game> CheckJob<'_, G> {
    /// Whether that a value is founded is for another share to find.
    fn leaves(&self, value: i8) -> bool {
        self.levels.as_ref().is_some_and(|levels| !levels.contains(&Score::from(value).abs()))
    }

    /// The check with all cells in memory.
    fn check_whole<const BITS: u32>(&self) -> Result<Checked, CheckError> {
        let cells = Packed::<BITS>::zeroed(self.table.positions())?;
        let left = AtomicU64::new(0);
        self.read(|start, values| {
            let mut marked = 0;
            let cell = |&value: &i8| {
                let leaves = u64::from(self.leaves(value));
                marked += leaves;
                Whole::<BITS>::encode(value) | leaves
            };
            cells.fill(start, values.iter().map(cell));
            left.fetch_add(marked, Relaxed);
        })?;
        let (cells, view) = (Whole(cells), self.game.forward(self.slice));
        let children = self.children();
        let unmoves = self.game.properties().unmoves;
        let check = self.start(&cells, &view, &children, unmoves, left.into_inner());
        self.compare(&check)?;
        let mut sweeps = 1;
        if unmoves && self.begins_to_found(&check)? {
            let back = self.game.view(self.slice);
            let levels = Levels::new(&check, &back, self.threads)?;
            let all = || (1..=check.window).rev().collect();
            for level in self.levels.clone().unwrap_or_else(all) {
                let (passes, open) = levels.run(level)?;
                sweeps = sweeps.max(1 + passes);
                if let Some((count, index)) = open {
                    return Err(self.wrong(check.unfounded_at(index, count)?));
                }
            }
        } else if !unmoves && self.begins_to_found(&check)? {
            sweeps += self.found(&check)?;
        }
        self.finish(check.compared.load(Relaxed), sweeps, false)
    }

    /// The check of distances in memory.
    fn check_distances(&self) -> Result<Checked, CheckError> {
        let values = Packed::<8>::zeroed(self.table.positions())?;
        self.read(|start, block| {
            values.fill(start, block.iter().map(|&value| u64::from(value as u8)));
        })?;
        let (cells, view) = (Values(values), self.game.forward(self.slice));
        let children = self.children();
        let mut check = self.start(&cells, &view, &children, false, 0);
        check.late = self.late()?;
        self.compare(&check)?;
        self.finish(check.compared.load(Relaxed), 1, false)
    }

    /// The check with values that are read again whenever they are needed.
    fn check_in_pieces(&self) -> Result<Checked, CheckError> {
        let dir = self.table.path().parent().unwrap_or(Path::new("."));
        let marks = Pages::new(self.table.positions(), self.memory / 2, dir)?;
        let (left, failure) = (AtomicU64::new(0), Mutex::new(None));
        self.read(|start, values| {
            if self.levels.is_none() {
                return;
            }
            for (at, values) in (start..).step_by(64).zip(values.chunks(64)) {
                let bits =
                    (0..).zip(values).map(|(bit, &value)| u64::from(self.leaves(value)) << bit);
                match marks.set(at, bits.sum()) {
                    Ok(marked) => drop(left.fetch_add(marked.into(), Relaxed)),
                    Err(error) => {
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
        })?;
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let cells = Pieces { table: self.table, set: self.set, marks };
        let view = self.game.forward_within(self.slice, self.tables);
        let children = self.children();
        let mut check = self.start(&cells, &view, &children, false, left.into_inner());
        check.late = self.late()?;
        self.compare(&check)?;
        let mut sweeps = 1;
        if !self.metric.is_distance() && self.begins_to_found(&check)? {
            sweeps += self.found(&check)?;
        }
        self.finish(check.compared.load(Relaxed), sweeps, true)
    }

    /// Whether anything is to be founded. If only a share was compared, a sweep founds what needs
    /// nothing but exits.
    fn begins_to_found<C: Cells>(&self, check: &Check<'_, C, G>) -> Result<bool, CheckError> {
        match &self.levels {
            None => Ok(true),
            Some(levels) if levels.is_empty() => Ok(false),
            Some(_) => {
                check.sweep(self.table.positions(), Pass::Exits, self.threads)?;
                Ok(true)
            }
        }
    }

    /// Reads all values, 0 for numbers that stand for no position: exactly these must be left out
    /// of the file's counts.
    fn read(&self, put: impl Fn(u64, &[i8]) + Sync) -> Result<(), CheckError> {
        let counted = Mutex::new(Histogram::new());
        read_all::<CheckError>(
            self.set,
            self.table,
            self.threads,
            self.progress,
            |start, values| {
                if !self.game.properties().holes {
                    return put(start, values);
                }
                let mut of_positions = Vec::with_capacity(values.len());
                let (mut values, mut from) = (values.to_vec(), 0);
                let range = start..start + values.len() as u64;
                self.game.holes(self.slice, range, &mut |index| {
                    let hole = (index - start) as usize;
                    of_positions.extend_from_slice(&values[from..hole]);
                    values[hole] = 0;
                    from = hole + 1;
                });
                of_positions.extend_from_slice(&values[from..]);
                counted.lock().unwrap_or_else(PoisonError::into_inner).add(&of_positions);
                put(start, &values);
            },
        )?;
        let counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.game.properties().holes && counted != *self.table.histogram() {
            return Err(self.wrong(Discrepancy::Counts));
        }
        Ok(())
    }

    /// Space for what is known of late wins, where they matter.
    fn late(&self) -> Result<Option<Packed<2>>, CheckError> {
        let matters = self.metric.last_loss().is_some();
        Ok(if matters { Some(Packed::zeroed(self.table.positions())?) } else { None })
    }

    fn children(&self) -> SetChildren<'_> {
        children(self.game, self.slice, self.set, Score::from(self.table.header().bound()))
    }

    fn start<'s, C: Cells>(
        &'s self,
        cells: &'s C,
        view: &'s G::Forward,
        children: &'s SetChildren<'s>,
        defer_losses: bool,
        left: u64,
    ) -> Check<'s, C, G> {
        Check {
            share: self.share,
            left,
            game: self.game,
            slice: self.slice,
            metric: self.metric,
            view,
            cells,
            children,
            window: Score::from(self.table.header().bound()),
            defer_losses,
            late: None,
            tile_bytes: self.memory / 8 / self.threads.max(1) as u64,
            progress: self.progress,
            meter: self.meter,
            compared: AtomicU64::new(0),
            founded: AtomicU64::new(0),
            fault: Mutex::new(None),
        }
    }

    /// Compares every position with its moves.
    fn compare<C: Cells>(&self, check: &Check<'_, C, G>) -> Result<(), CheckError> {
        check.sweep(self.table.positions(), Pass::Compare, self.threads)?;
        if let Some((_, fault)) = check.first_fault() {
            return Err(self.wrong(fault));
        }
        // Walks visit positions, and no holes.
        let (compared, all) = (check.compared.load(Relaxed), self.table.positions());
        if self.share == Share::ALL && compared < all {
            if compared != self.table.histogram().total() {
                return Err(self.wrong(Discrepancy::Counts));
            }
            check.advance(all - compared, 0);
        }
        Ok(())
    }

    /// Founds positions by sweeps until all are founded or no more can be; returns the number of
    /// sweeps.
    fn found<C: Cells>(&self, check: &Check<'_, C, G>) -> Result<u32, CheckError> {
        let positions = self.table.positions();
        let to_found = positions - check.left;
        let mut founded = check.founded.load(Relaxed);
        let mut sweeps = 0;
        while founded < to_found {
            check.sweep(positions, Pass::Pending, self.threads)?;
            sweeps += 1;
            let now = check.founded.load(Relaxed);
            if std::mem::replace(&mut founded, now) == now {
                let index = check.first_unfounded(positions)?;
                return Err(self.wrong(check.unfounded_at(index, to_found - founded)?));
            }
        }
        Ok(sweeps)
    }

    /// The end of every check: a sample by the plain rules.
    fn finish(&self, compared: u64, sweeps: u32, in_pieces: bool) -> Result<Checked, CheckError> {
        let CheckJob { game, table, set, share, threads, progress, .. } = *self;
        let sampled = sample::compare(game, table, set, SAMPLE, share, threads, progress)?;
        self.meter.finish();
        Ok(Checked {
            positions: table.histogram().total(),
            sweeps,
            in_pieces,
            sampled,
            compared,
            levels: self.levels.clone(),
        })
    }

    fn wrong(&self, fault: Discrepancy) -> CheckError {
        CheckError::Wrong { file: self.table.path().display().to_string(), fault }
    }
}

/// The values of smaller slices as far as the values up to ±`window` of a slice depend on them.
fn children<'a, G: Game>(
    game: &G,
    slice: SliceId,
    set: &'a TableSet,
    window: Score,
) -> SetChildren<'a> {
    SetChildren::new(set, slice, |child| window::needed(game, slice, child, window))
}

/// What a quiet move to a position of the same slice is worth where values are scores: twice the
/// negative value, and the same mark.
#[inline(always)]
fn negated(next: Cell) -> Cell {
    2 * (next & 1) - next
}

/// Whether a position whose best move is `best`, and all of whose moves together have the last bit
/// of `every`, is founded. The best move must have the stored value.
#[inline(always)]
fn rests(stored: Cell, best: Cell, every: Cell) -> bool {
    match value(stored) {
        0 => true,
        1.. => is_founded(best),
        _ => is_founded(every),
    }
}

type Key<G> = <<G as Game>::Forward as ForwardView>::Key;
type BackKey<G> = <<G as Game>::View as SliceView>::Key;

struct Check<'a, C, G: Game> {
    game: &'a G,
    slice: SliceId,
    metric: Metric,
    /// The positions to compare.
    share: Share,
    /// Positions that are marked as founded because another share finds whether they are.
    left: u64,
    view: &'a G::Forward,
    /// Whether the first sweep founds no losses: then only levels do, in their order.
    defer_losses: bool,
    cells: &'a C,
    children: &'a SetChildren<'a>,
    /// What values are clipped to; the largest value where they are exact.
    window: Score,
    /// What is known of wins a ply later than others, where that matters.
    late: Option<Packed<2>>,
    /// The memory for the cells of a tile, where they are not in memory anyway.
    tile_bytes: u64,
    progress: &'a dyn Progress,
    meter: &'a Meter<'a>,
    /// Positions compared in the first sweep.
    compared: AtomicU64,
    founded: AtomicU64,
    /// The wrong position with the lowest index.
    fault: Mutex<Option<(u64, Discrepancy)>>,
}

/// What one thread works with.
struct Scratch<'a> {
    nearby: Nearby<'a>,
    tile: tile::TileScratch,
    cells: Vec<Cell>,
    /// Positions that were founded.
    founded: u64,
}

/// What a sweep does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pass {
    /// Compares every position with its moves, and founds those that it can.
    Compare,
    /// Founds what is left and rests on exits. Whether a value is right is for others to find.
    Exits,
    /// Founds whatever is left and can be founded.
    Pending,
}

impl Pass {
    /// Whether losses may be left to the levels that follow.
    fn may_defer(self) -> bool {
        self != Pass::Pending
    }
}
