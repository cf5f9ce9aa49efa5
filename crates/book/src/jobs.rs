//! Jobs: leaves that experts evaluate at the moment.

use std::collections::{BTreeMap, VecDeque};

use crate::cache::NodeSet;
use crate::graph::Prepared;
use crate::node::NodeId;

/// The id of a job, unique while a book is open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(u64);

/// Positions that an expert must evaluate, with their texts; each once.
pub type Wanted<P> = Vec<(String, P)>;

/// A leaf to be expanded, and the successors that an expert must evaluate first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job<P> {
    /// The job.
    pub id: JobId,
    /// The leaf.
    pub leaf: NodeId,
    /// Successors that are neither in the book nor terminal.
    pub wanted: Wanted<P>,
}

/// The jobs that are neither applied nor abandoned.
#[derive(Debug)]
pub(crate) struct Jobs<P> {
    next: u64,
    open: BTreeMap<JobId, Prepared<P>>,
    /// The leaves of all jobs.
    leaves: NodeSet,
    /// Those that the choice of leaves does not pass over yet, in the order of their jobs.
    fresh: VecDeque<NodeId>,
}

impl<P> Default for Jobs<P> {
    fn default() -> Self {
        let (open, leaves, fresh) = (BTreeMap::new(), NodeSet::default(), VecDeque::new());
        Jobs { next: 0, open, leaves, fresh }
    }
}

impl<P> Jobs<P> {
    /// A job for a leaf; `None` if there is one already.
    pub fn open(&mut self, leaf: Prepared<P>) -> Option<JobId> {
        if !self.leaves.insert(leaf.leaf) {
            return None;
        }
        let id = JobId(self.next);
        self.next += 1;
        self.fresh.push_back(leaf.leaf);
        self.open.insert(id, leaf);
        Some(id)
    }

    /// Ends a job; its leaf.
    pub fn close(&mut self, id: JobId) -> Option<Prepared<P>> {
        let job = self.open.remove(&id)?;
        self.leaves.remove(&job.leaf);
        self.fresh.retain(|&leaf| leaf != job.leaf);
        Some(job)
    }

    /// Drops the jobs of leaves that no longer exist. No other leaf is passed over any more.
    pub fn retain(&mut self, exists: impl Fn(NodeId) -> bool) {
        self.open.retain(|_, job| exists(job.leaf));
        self.fresh = self.open.values().map(|job| job.leaf).collect();
        self.leaves = self.fresh.iter().copied().collect();
    }

    /// Leaves that the choice of leaves does not pass over yet: whoever takes one from the front
    /// sees to it.
    pub fn fresh(&mut self) -> &mut VecDeque<NodeId> {
        &mut self.fresh
    }

    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.open.len()
    }
}
