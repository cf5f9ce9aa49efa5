//! `cluster` and `cluster-rows`: slices solved by several machines together. What connects the
//! machines is in another crate, behind [`Machines`]; it sees a slice as a [`SliceGraph`], whatever
//! the game.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::{Exits, Game, Metric, RowMoves, SliceId, SliceView};
use nutcracker_mem::Packed;
use nutcracker_table::{Reach, Storage, TableSet};

use super::checkpoints::Checkpoints;
use super::counts::{Codes, States};
use super::rows::{row_moves_of, shared_bytes, slowdown};
use super::{Estimate, Scores, SliceJob, SliceSolver, SliceTask, SolvedSlice, work_prefix};
use crate::error::{SolveError, Unfit};
use crate::options::{SolveOptions, SolverName};
use crate::progress::Progress;
use crate::report::Effort;
use crate::store::disk::{WorkFile, WorkFileError};
use crate::store::folder::Folder;
use crate::tables::{SetChildren, metric_of, open_metric};
use crate::window;

/// Several machines that solve slices together.
///
/// The first of them runs [`solve_slices`](crate::solve_slices), which calls
/// [`solve`](Self::solve) for a slice, and packs and checks the values that it gets back. The others
/// run [`help_slices`], which calls [`next`](Self::next) and then [`solve`](Self::solve) with the
/// same slice.
pub trait Machines: fmt::Debug + Send + Sync {
    /// The number of machines.
    fn count(&self) -> u64;
    /// Which of them this is, from 0 on.
    fn me(&self) -> u64;
    /// Slices with fewer positions are solved by the first machine alone.
    fn smallest(&self) -> u64;
    /// Solves a slice together with the other machines.
    fn solve(
        &self,
        slice: &SharedSlice<'_>,
        progress: &dyn Progress,
    ) -> Result<SharedWork, SolveError>;
    /// Waits for the next slice that the first machine wants to be solved; then `dir` has all
    /// finished tables that the slice needs. `None` when there is nothing left to do.
    fn next(
        &self,
        storage: &Arc<dyn Storage>,
        dir: &Path,
        progress: &dyn Progress,
    ) -> Result<Option<NextSlice>, SolveError>;
}

/// A slice that the first machine wants to be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextSlice {
    /// Which.
    pub slice: SliceId,
    /// The largest level: the largest score, or the window.
    pub top: u8,
    /// Whether it is solved by rows rather than by records.
    pub rows: bool,
}

impl NextSlice {
    fn solver(self) -> SolverName {
        if self.rows { SolverName::ClusterRows } else { SolverName::Cluster }
    }
}

/// A slice that machines solve together, on one of them.
#[derive(Clone, Copy)]
pub struct SharedSlice<'a> {
    /// Its positions and moves.
    pub graph: &'a Arc<dyn SliceGraph>,
    /// Whether it is solved by rows rather than by records.
    pub rows: bool,
    /// Where finished tables are: on the first machine, for others that lack them.
    pub storage: &'a Arc<dyn Storage>,
    /// The directory of the tables.
    pub dir: &'a Path,
    /// Receives the value of every position, on the first machine.
    pub values: Option<&'a Arc<dyn PutValues>>,
    /// Where this machine keeps checkpoints; `None` for a slice that is restarted after an
    /// interruption.
    pub checkpoints: Option<&'a Arc<Checkpoints>>,
}

impl fmt::Debug for SharedSlice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSlice").field("slice", &self.graph.slice()).finish_non_exhaustive()
    }
}

/// What machines found out beside the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SharedWork {
    /// The time the exits took.
    pub exit_time: Duration,
    /// Whether some position is lost too far away to store: then the values mean nothing.
    pub too_far: bool,
}

/// Receives values of consecutive positions, in any order, from any thread.
pub trait PutValues: Send + Sync {
    /// Stores the values from position `start` on. Every position is stored once.
    fn put(&self, start: u64, values: &[i8]) -> Result<(), SolveError>;
}

/// The values of a slice on the first machine, until they are packed.
enum Gathered {
    Memory(Packed<8>),
    /// Where memory is short.
    Disk(WorkFile),
}

impl PutValues for Gathered {
    fn put(&self, start: u64, values: &[i8]) -> Result<(), SolveError> {
        match self {
            Gathered::Memory(all) => {
                all.fill(start, values.iter().map(|&value| u64::from(value as u8)));
            }
            Gathered::Disk(file) => {
                let bytes: Vec<u8> = values.iter().map(|&value| value as u8).collect();
                file.scatter(start, &bytes)?;
            }
        }
        Ok(())
    }
}

impl Scores for Gathered {
    fn read(&self, start: u64, out: &mut [i8]) -> Result<(), WorkFileError> {
        match self {
            Gathered::Memory(all) => all.read(start, out),
            Gathered::Disk(file) => {
                let mut bytes = vec![0; out.len()];
                file.read(start, &mut bytes)?;
                for (value, byte) in out.iter_mut().zip(bytes) {
                    *value = byte as i8;
                }
                Ok(())
            }
        }
    }
}

/// A slice as machines see it: positions by index, calls for many of them at once, so that nothing
/// but these calls is compiled for each game.
pub trait SliceGraph: Send + Sync {
    /// Which slice.
    fn slice(&self) -> SliceId;
    /// The number of indices, holes included.
    fn len(&self) -> u64;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How the state of a position is one number.
    fn codes(&self) -> Codes;
    /// Whether values are distances.
    fn has_distances(&self) -> bool;
    /// The number of independent parts in which exits are computed.
    fn parts(&self) -> u64;
    /// Computes the exits of all positions of a part and passes them on in runs of consecutive
    /// indices.
    fn exits(&self, part: u64, put: &mut dyn FnMut(u64, &[Exits])) -> Result<(), SolveError>;
    /// Appends the index of every position from which an internal move leads to one of `indices`;
    /// once for each such move. Ascending indices are faster.
    fn predecessors(&self, indices: &[u64], out: &mut Vec<u64>);
    /// Its moves for whole rows, where the game has them.
    fn row_moves(&self) -> Option<Box<dyn RowMoves>>;
    /// The finished tables that [`exits`](Self::exits) reads.
    fn tables(&self) -> Result<Vec<NeededTable>, SolveError>;
}

/// A finished table that a slice needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NeededTable {
    /// The name of its file.
    pub name: String,
    /// The size of its file.
    pub bytes: u64,
    /// The digest in its file, in hexadecimal.
    pub blake3: String,
}

/// A slice of a game, for [`Machines`].
pub(super) struct Graph<G: Game> {
    game: G,
    slice: SliceId,
    top: u8,
    metric: Metric,
    view: G::View,
    set: TableSet,
}

impl<G: Game> Graph<G> {
    pub(super) fn new(
        game: &G,
        storage: &Arc<dyn Storage>,
        dir: &Path,
        next: NextSlice,
        options: &SolveOptions,
    ) -> Self {
        let NextSlice { slice, top, .. } = next;
        let task = SliceTask { game, slice, top, options };
        let set = open_metric(game, options.metric, Arc::clone(storage), dir, task.cache_bytes());
        let (metric, view) = (task.metric(), game.view(slice));
        Graph { game: game.clone(), slice, top, metric, view, set }
    }

    /// To what size scores of a smaller slice are needed.
    fn need(&self, child: SliceId) -> u8 {
        window::needed(&self.game, self.slice, child, self.top.into())
    }
}

impl<G: Game> SliceGraph for Graph<G> {
    fn slice(&self) -> SliceId {
        self.slice
    }

    fn len(&self) -> u64 {
        self.view.len()
    }

    fn codes(&self) -> Codes {
        Codes::new(self.top, self.game.max_internal_moves(self.slice))
    }

    fn has_distances(&self) -> bool {
        self.metric.is_distance()
    }

    fn parts(&self) -> u64 {
        self.view.parts()
    }

    fn exits(&self, part: u64, put: &mut dyn FnMut(u64, &[Exits])) -> Result<(), SolveError> {
        let children = SetChildren::new(&self.set, self.slice, |child| self.need(child));
        Ok(self.view.exits(self.metric, part, &children, put)?)
    }

    fn predecessors(&self, indices: &[u64], out: &mut Vec<u64>) {
        let mut cursor = <G::View as SliceView>::Cursor::default();
        for &index in indices {
            let key = self.view.key_at(&mut cursor, index);
            self.view.predecessors(key, |index, _| out.push(index));
        }
    }

    fn row_moves(&self) -> Option<Box<dyn RowMoves>> {
        self.game.row_moves(self.slice)
    }

    fn tables(&self) -> Result<Vec<NeededTable>, SolveError> {
        let below = self.game.below(self.slice).into_iter();
        let finished = below.filter(|&child| self.game.has_database(child)).map(|child| {
            let table = self.set.get_for(child.0, Reach::needed(self.need(child)))?;
            let name = table.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(NeededTable { name, bytes: table.bytes(), blake3: table.blake3() })
        });
        finished.collect()
    }
}

/// All machines together, position by position.
pub(super) struct Cluster;
/// All machines together, by whole rows.
pub(super) struct ClusterRows;

/// What all machines take, if each takes `bytes` and the first one all values in the end.
fn estimate<G: Game>(
    task: &SliceTask<'_, G>,
    machines: &dyn Machines,
    bytes: u64,
    slowdown: [f64; 2],
) -> Estimate {
    let positions = task.positions();
    let enough = (positions >= machines.smallest()).then_some(bytes);
    // In the end all values, in memory or on disk.
    let (peak, work_disk) = if bytes + positions <= task.options.memory {
        (bytes + positions, 0)
    } else {
        (bytes, positions)
    };
    let slowdown = slowdown.map(|slowdown| slowdown / machines.count().max(1) as f64);
    Estimate { enough, peak, work_disk, slowdown, ..Estimate::in_memory(bytes) }
}

impl<G: Game> SliceSolver<G> for Cluster {
    fn name(&self) -> SolverName {
        SolverName::Cluster
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let machines = task.options.machines.as_ref().ok_or(Unfit::Alone)?;
        if !task.game.properties().unmoves {
            return Err(Unfit::NoUnmoves);
        }
        let (positions, moves) = (task.positions(), task.game.max_internal_moves(task.slice));
        if !States::hold(task.top, moves) {
            return Err(Unfit::TooManyMoves);
        }
        // A share of the states and of the bits of the frontier.
        let eighths = States::bytes_per_position(task.top, moves) * 8 + 1;
        let share = positions.div_ceil(machines.count().max(1)) * eighths / 8;
        let bytes = task.overhead() + share + task.game.view_bytes(task.slice);
        Ok(estimate(task, &**machines, bytes, [1.0; 2]))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let estimate = SliceSolver::<G>::estimate(self, &job.task);
        lead(job, false, estimate)
    }
}

impl<G: Game> SliceSolver<G> for ClusterRows {
    fn name(&self) -> SolverName {
        SolverName::ClusterRows
    }

    fn estimate(&self, task: &SliceTask<'_, G>) -> Result<Estimate, Unfit> {
        let machines = task.options.machines.as_ref().ok_or(Unfit::Alone)?;
        let row_moves = row_moves_of(task)?;
        let share = shared_bytes(&*row_moves, task.top, task.options.threads, machines.count());
        let bytes = task.overhead() + share + task.game.view_bytes(task.slice);
        Ok(estimate(task, &**machines, bytes, slowdown(task.positions())))
    }

    fn solve(&self, job: &SliceJob<'_, G>) -> Result<SolvedSlice, SolveError> {
        let estimate = SliceSolver::<G>::estimate(self, &job.task);
        lead(job, true, estimate)
    }
}

/// Solves a slice on the first machine.
fn lead<G: Game>(
    job: &SliceJob<'_, G>,
    rows: bool,
    estimate: Result<Estimate, Unfit>,
) -> Result<SolvedSlice, SolveError> {
    let SliceTask { game, slice, top, options } = job.task;
    let next = NextSlice { slice, top, rows };
    let (Some(machines), Ok(estimate)) = (&options.machines, estimate) else {
        let (game, slice) = (game.id().to_string(), job.task.slice_name());
        let (solver, reason) = (next.solver(), Unfit::Alone);
        return Err(SolveError::Unfit { game, slice, solver, reason });
    };
    let graph: Arc<dyn SliceGraph> =
        Arc::new(Graph::new(game, job.storage, job.dir, next, options));
    let folder = job.folder(next.solver());
    let scores = Arc::new(if estimate.work_disk > 0 {
        folder.make()?;
        Gathered::Disk(folder.create("values.bin", graph.len())?)
    } else {
        Gathered::Memory(Packed::zeroed(graph.len())?)
    });
    let put: Arc<dyn PutValues> = Arc::<Gathered>::clone(&scores);
    let checkpoints = checkpoints(game, job.storage, job.dir, next, options, &**machines);
    let shared = SharedSlice {
        graph: &graph,
        rows,
        storage: job.storage,
        dir: job.dir,
        values: Some(&put),
        checkpoints: checkpoints.as_ref(),
    };
    let work = machines.solve(&shared, job.progress)?;
    job.stop_if_requested()?;
    if work.too_far {
        return Err(job.too_far());
    }
    if let Gathered::Disk(file) = &*scores {
        file.seal()?;
    }
    let (effort, exit_time) = (Effort::default(), work.exit_time);
    Ok(SolvedSlice { scores: Box::new(scores), effort, exit_time })
}

/// The checkpoints of one machine, if the slice is worth some. Machines may share a directory.
fn checkpoints<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    next: NextSlice,
    options: &SolveOptions,
    machines: &dyn Machines,
) -> Option<Arc<Checkpoints>> {
    if game.slice_len(next.slice) < options.checkpoint_positions {
        return None;
    }
    let (NextSlice { slice, top, .. }, solver) = (next, next.solver());
    let (me, count, threads) = (machines.me() + 1, machines.count(), options.threads);
    let path = dir.join(format!("{}{top}-{solver}-{me}-of-{count}", work_prefix(slice)));
    let (id, scheme) = (game.id(), game.index_scheme());
    let description = format!(
        "{id}, slice {slice}, up to {top}, {solver}, {scheme}, machine {me} of {count} with \
         {threads} threads"
    );
    let folder = Folder::new(path, Arc::clone(storage), description, options.watch.clone());
    let parts = if next.rows { 1 } else { threads };
    Some(Arc::new(Checkpoints::new(folder, parts, options.checkpoint_every)))
}

/// Helps the first machine to solve slices, until it has none left; returns how many there were.
/// The options, but for memory, must be those of the first machine.
pub fn help_slices<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    options: &SolveOptions,
    progress: &dyn Progress,
) -> Result<u64, SolveError> {
    let Some(machines) = &options.machines else { return Ok(0) };
    let options = SolveOptions { metric: Some(metric_of(game, options.metric)), ..options.clone() };
    let (mut solved, mut before) = (0, None::<Arc<Checkpoints>>);
    loop {
        let next = machines.next(storage, dir, progress)?;
        // The first machine has finished the slice before.
        if let Some(checkpoints) = before.take() {
            checkpoints.clear();
        }
        let Some(next) = next else { return Ok(solved) };
        progress.slice(next.slice, game.slice_len(next.slice));
        let graph: Arc<dyn SliceGraph> = Arc::new(Graph::new(game, storage, dir, next, &options));
        before = checkpoints(game, storage, dir, next, &options, &**machines);
        let shared = SharedSlice {
            graph: &graph,
            rows: next.rows,
            storage,
            dir,
            values: None,
            checkpoints: before.as_ref(),
        };
        machines.solve(&shared, progress)?;
        solved += 1;
    }
}
