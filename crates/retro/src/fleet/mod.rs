//! Slices as jobs over a directory that several processes or machines share, without connections.
//!
//! Each process takes a slice that is ready: not finished, and everything below it is. It locks the
//! slice by a [lease](nutcracker_table::Leases) in the folder `fleet`, solves, packs and checks it in
//! a folder of its own there, and then gives the table its name in the directory and its entry in
//! the manifest. A slice is finished when the manifest says so.
//!
//! A process that is silent for too long loses its lock, and another one starts the slice again. If
//! it was only slow, it finds that out before it publishes; nothing it did was in the way of others.

mod member;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_game::{Game, Metric, SliceId};
use nutcracker_table::{
    Claim, DirLock, Entry, Manifest, Naming, Reach, Storage, Table, TableError, TableSet,
};

use crate::error::SolveError;
use crate::options::SolveOptions;
use crate::progress::{Progress, Stopped};
use crate::report::{Effort, SliceReport};
use crate::solve::selection;
use crate::solver::{SliceJob, SliceTask};
use crate::tables::{naming, open_metric};
use crate::window::{self, Window};
use member::Member;
pub(crate) use member::expect_none;

/// The folder in a directory of tables with the locks and the work of a fleet.
pub const FLEET_FOLDER: &str = "fleet";
/// How long the counter of a lock may stand still before the lock is taken over, usually.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Solves the selected slices of a game, and those that their moves can lead to, together with all
/// other processes that do so in `dir`, as far as the slices are not there yet. Returns when all of
/// them are finished, by whatever process.
///
/// The lock of a process whose counter does not move for `patience` is taken over.
pub fn solve_fleet<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    selected: &[SliceId],
    options: &SolveOptions,
    patience: Duration,
    progress: &dyn Progress,
) -> Result<Vec<SliceReport>, SolveError> {
    let (metric, slices) = selection(game, selected, options)?;
    let Some(&last) = slices.last() else { return Ok(Vec::new()) };
    let top = |slice| options.window.of(game, metric, slice, last);
    let nodes = slices.iter().map(|&slice| {
        let node = Node {
            label: format!("{} {}", game.slice_name(slice), game.slice_unit()),
            below: game.below(slice),
            reach: window::reach(game, metric, slice, top(slice)),
        };
        (slice, node)
    });
    let jobs = GameJobs { game, storage, dir, options, metric, last };
    let fleet = Fleet {
        nodes: nodes.collect(),
        jobs: &jobs,
        naming: naming(game),
        game: (game.id().name.to_string(), game.id().options),
        storage,
        dir,
        options,
        progress,
    };
    fleet.run(patience)
}

/// Gives a table that passed its check its final name and its entry in the manifest, while other
/// processes may do the same.
pub fn record_checked(set: &TableSet, table: &Table, program: &str) -> Result<(), SolveError> {
    let _lock = DirLock::share(set.dir())?;
    let (slice, reach) = (table.header().slice, table.header().reach);
    let mut member = Member::visit(set.storage(), set.dir(), PATIENCE)?;
    member.update_manifest(set.game(), set.options(), program, |manifest| {
        set.forget(slice);
        let table = set.get_exactly(slice, reach)?;
        manifest.adopt(&*set.promote(&table)?)?;
        Ok(true)
    })?;
    member.leave()
}

/// A slice in the graph.
struct Node {
    /// As messages name it.
    label: String,
    below: Vec<SliceId>,
    /// How exact its scores are to be.
    reach: Reach,
}

/// What depends on the game. The rest is compiled once.
trait Jobs {
    /// The tables in a directory.
    fn open(&self, dir: &Path) -> TableSet;
    /// Solves a slice and writes its file in `place`, to be checked.
    fn build(
        &self,
        slice: SliceId,
        place: &Path,
        progress: &dyn Progress,
    ) -> Result<SliceReport, SolveError>;
    /// Checks a file of a slice, wherever it is.
    fn check(
        &self,
        slice: SliceId,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<(), SolveError>;
    /// Checks a file that is in the directory already, and gives it its final name.
    fn check_and_promote(
        &self,
        slice: SliceId,
        reach: Reach,
        progress: &dyn Progress,
    ) -> Result<Arc<Table>, SolveError>;
}

struct GameJobs<'a, G> {
    game: &'a G,
    storage: &'a Arc<dyn Storage>,
    dir: &'a Path,
    options: &'a SolveOptions,
    metric: Metric,
    last: SliceId,
}

impl<'a, G: Game> GameJobs<'a, G> {
    fn job<'j>(
        &self,
        slice: SliceId,
        place: &'j Path,
        progress: &'j dyn Progress,
    ) -> SliceJob<'j, G>
    where
        'a: 'j,
    {
        let GameJobs { game, storage, dir, options, metric, last } = *self;
        let top = options.window.of(game, metric, slice, last);
        let task = SliceTask { game, slice, top, options };
        SliceJob { task, storage, dir, place, progress }
    }
}

impl<G: Game> Jobs for GameJobs<'_, G> {
    fn open(&self, dir: &Path) -> TableSet {
        open_metric(self.game, Some(self.metric), Arc::clone(self.storage), dir, 0)
    }

    fn build(
        &self,
        slice: SliceId,
        place: &Path,
        progress: &dyn Progress,
    ) -> Result<SliceReport, SolveError> {
        self.job(slice, place, progress).build()
    }

    fn check(
        &self,
        slice: SliceId,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        let job = self.job(slice, self.dir, progress);
        job.verify(table, &job.open_set())
    }

    fn check_and_promote(
        &self,
        slice: SliceId,
        reach: Reach,
        progress: &dyn Progress,
    ) -> Result<Arc<Table>, SolveError> {
        let job = self.job(slice, self.dir, progress);
        job.check_and_promote(&job.open_set(), reach)
    }
}

/// A process of a fleet, and what it is to do.
struct Fleet<'a> {
    nodes: BTreeMap<SliceId, Node>,
    jobs: &'a dyn Jobs,
    naming: Naming,
    /// The name of the game and its options.
    game: (String, String),
    storage: &'a Arc<dyn Storage>,
    dir: &'a Path,
    options: &'a SolveOptions,
    progress: &'a dyn Progress,
}

impl Fleet<'_> {
    fn run(&self, patience: Duration) -> Result<Vec<SliceReport>, SolveError> {
        let _lock = DirLock::share(self.dir)?;
        let mut member =
            Member::join(self.storage, self.dir, patience, &self.terms(), self.progress)?;
        self.reconcile(&mut member)?;
        let mut solved: BTreeMap<SliceId, SliceReport> = BTreeMap::new();
        let mut awaited = Vec::new();
        loop {
            if self.progress.must_stop() {
                return Err(Stopped.into());
            }
            member.stay()?;
            let manifest = self.manifest()?;
            let open: BTreeSet<SliceId> = self
                .nodes
                .keys()
                .copied()
                .filter(|&slice| !self.is_done(&manifest, slice))
                .collect();
            if open.is_empty() {
                member.leave()?;
                return Ok(self.reports(&manifest, solved));
            }
            match self.next(&mut member, &open)? {
                Next::Solved(report) => {
                    awaited.clear();
                    if let Some(report) = *report {
                        self.progress.finished(&report);
                        solved.insert(report.slice, report);
                    }
                }
                Next::Wait(slices, sentence) => {
                    if std::mem::replace(&mut awaited, slices.clone()) != slices {
                        self.progress.note(&sentence);
                    }
                    member.rest();
                }
            }
        }
    }

    /// What the processes of a fleet must agree on. What differs in game, options or metric has a
    /// directory of its own.
    fn terms(&self) -> String {
        let window = match self.options.window {
            Window::Full => "exact scores".to_owned(),
            Window::Top(k) => format!("window {k}"),
            Window::Start(start) => format!("windows of games from {start}"),
        };
        let checked = if self.options.verify { "" } else { ", files not checked" };
        format!("{}, {window}{checked}", self.options.program)
    }

    /// Makes the manifest agree with the files, except that what may not have been checked is left
    /// to be checked.
    fn reconcile(&self, member: &mut Member<'_>) -> Result<(), SolveError> {
        let slices: Vec<SliceId> = self.nodes.keys().copied().collect();
        let (game, options) = (&*self.game.0, &*self.game.1);
        member.update_manifest(game, options, &self.options.program, |manifest| {
            let reconciled = loop {
                match manifest.reconcile(&**self.storage, self.dir, &self.naming) {
                    // Another process has just given a file its final name.
                    Err(TableError::Missing { .. }) => {}
                    reconciled => break reconciled?,
                }
            };
            if self.options.verify {
                crate::solve::take_unchecked(manifest, &reconciled, &slices);
            }
            Ok(!reconciled.is_clean())
        })?;
        Ok(())
    }

    fn manifest(&self) -> Result<Manifest, TableError> {
        let (game, options) = &self.game;
        Manifest::load_or_new(&**self.storage, self.dir, game, options, &self.options.program)
    }

    /// The entry of a slice that is finished.
    fn done<'m>(&self, manifest: &'m Manifest, slice: SliceId) -> Option<&'m Entry> {
        let entry = manifest.entry(slice.0)?;
        let is_right = entry.checked || !self.options.verify;
        let there = || self.storage.exists(&self.dir.join(&entry.file)).unwrap_or(false);
        let serves = entry.reach.serves(self.nodes[&slice].reach);
        (is_right && serves && there()).then_some(entry)
    }

    fn is_done(&self, manifest: &Manifest, slice: SliceId) -> bool {
        self.done(manifest, slice).is_some()
    }

    /// Solves a slice that is ready and not taken, or says for what it has to wait.
    fn next(&self, member: &mut Member<'_>, open: &BTreeSet<SliceId>) -> Result<Next, SolveError> {
        let mut awaited = Vec::new();
        let mut sentences = Vec::new();
        for &slice in open {
            let node = &self.nodes[&slice];
            if node.below.iter().any(|below| open.contains(below)) {
                continue;
            }
            match member.claim(&self.lock_name(slice), &node.label)? {
                Claim::Won(lease) => {
                    let report = self.take(member, slice, lease)?;
                    return Ok(Next::Solved(Box::new(report)));
                }
                Claim::Held(owner) => {
                    let owner =
                        owner.map_or_else(|| "another process".to_owned(), |one| one.to_string());
                    awaited.push(slice);
                    sentences.push(format!("{} by {owner}", node.label));
                }
            }
        }
        let more = sentences.len().saturating_sub(3);
        sentences.truncate(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Ok(Next::Wait(awaited, format!("waiting for {}{more}", sentences.join(", "))))
    }

    fn lock_name(&self, slice: SliceId) -> String {
        format!("slice-{}", self.naming.name(slice.0))
    }

    fn reports(
        &self,
        manifest: &Manifest,
        mut solved: BTreeMap<SliceId, SliceReport>,
    ) -> Vec<SliceReport> {
        let report = |&slice: &SliceId| {
            let by_others = || {
                let entry = self.done(manifest, slice)?;
                let report = SliceReport {
                    slice,
                    positions: entry.histogram.total(),
                    window: entry.reach.into(),
                    bytes: entry.bytes,
                    histogram: entry.histogram.clone(),
                    seconds: None,
                    effort: Effort::default(),
                };
                self.progress.finished(&report);
                Some(report)
            };
            solved.remove(&slice).or_else(by_others)
        };
        self.nodes.keys().filter_map(report).collect()
    }
}

/// What a process did, or is to do.
enum Next {
    /// It took a slice; with a report if it has solved it.
    Solved(Box<Option<SliceReport>>),
    /// Other processes have to finish these first; the same in a sentence.
    Wait(Vec<SliceId>, String),
}
