//! Jobs: leaves that experts evaluate at the moment.

use std::collections::BTreeMap;

use crate::graph::Prepared;
use crate::node::NodeId;

/// The id of a job, unique while a book is open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(u64);

/// A leaf to be expanded, and the successors that an expert must evaluate first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job<P> {
    /// The job.
    pub id: JobId,
    /// The leaf.
    pub leaf: NodeId,
    /// Successors that are neither in the book nor terminal, with their texts; each once.
    pub wanted: Vec<(String, P)>,
}

/// The jobs that are neither applied nor abandoned.
#[derive(Debug)]
pub(crate) struct Jobs<P> {
    next: u64,
    open: BTreeMap<JobId, Prepared<P>>,
}

impl<P> Default for Jobs<P> {
    fn default() -> Self {
        Jobs { next: 0, open: BTreeMap::new() }
    }
}

impl<P> Jobs<P> {
    /// A job for a leaf; `None` if there is one already.
    pub fn open(&mut self, leaf: Prepared<P>) -> Option<JobId> {
        if self.leaves().any(|other| other == leaf.leaf) {
            return None;
        }
        let id = JobId(self.next);
        self.next += 1;
        self.open.insert(id, leaf);
        Some(id)
    }

    /// Ends a job; its leaf.
    pub fn close(&mut self, id: JobId) -> Option<Prepared<P>> {
        self.open.remove(&id)
    }

    /// Drops the jobs of leaves that no longer exist.
    pub fn retain(&mut self, exists: impl Fn(NodeId) -> bool) {
        self.open.retain(|_, job| exists(job.leaf));
    }

    /// The leaves of all jobs.
    pub fn leaves(&self) -> impl Iterator<Item = NodeId> {
        self.open.values().map(|job| job.leaf)
    }

    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.open.len()
    }
}
