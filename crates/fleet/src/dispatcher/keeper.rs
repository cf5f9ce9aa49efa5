//! The thread that tends the book: it fills the table with leaves and applies what came back.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use nutcracker_book::grow::{Plan, SharedBook, Turns};
use nutcracker_book::node::{NodeId, State as NodeState};
use nutcracker_book::store::Store;
use nutcracker_book::{Aim, Book, BookError, Job, JobId};
use nutcracker_game::Game;

use super::desk::{Desk, lock};
use super::{FleetError, now};
use crate::protocol::BookState;
use crate::table::{Kind, NewJob, Row, RowId, State};
use crate::trust::Authority;

type Result<T> = std::result::Result<T, FleetError>;

/// The longest pause between two rounds.
const PAUSE: Duration = Duration::from_millis(200);
/// Between two looks at leases.
const EXPIRY: Duration = Duration::from_secs(1);
/// Between two times that accounts and proposals are written.
const SAVE: Duration = Duration::from_secs(5);
/// Leaves proposed at once.
const LEAVES: usize = 16;
/// Leaves published at once, about: results that arrive meanwhile wait.
const BATCH: usize = 512;
/// Positions that are ready when no worker was seen yet.
const FIRST_POSITIONS: u64 = 64;
/// Why a book that is solved grows no more.
const SOLVED: &str = "the book is solved";
/// Jobs of the table at most.
const MOST_OPEN: usize = 20_000;

/// Leaves, or why there are none.
type Next<P> = (Vec<Job<P>>, Option<String>);

/// Tends a book.
pub struct Keeper<'a, G: Game, S, B, A> {
    pub(super) desk: Arc<Desk>,
    pub(super) book: &'a B,
    pub(super) authority: A,
    pub(super) game: G,
    plan: Plan<'a>,
    turns: Turns,
    /// The claims in the book of jobs in the table.
    pub(super) claims: HashMap<RowId, JobId>,
    /// Audits that wait for a worker, and those in which two workers disagree.
    pub(super) audits: usize,
    pub(super) disputes: HashSet<RowId>,
    /// Expansions of this run.
    pub(super) expansions: u64,
    began: Instant,
    looked: Option<Instant>,
    saved: Instant,
    store: PhantomData<fn() -> S>,
}

impl<G: Game, S, B, A> fmt::Debug for Keeper<'_, G, S, B, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").field("desk", &self.desk).finish_non_exhaustive()
    }
}

impl<'a, G, S, B, A> Keeper<'a, G, S, B, A>
where
    G: Game,
    S: Store,
    B: SharedBook<G, S>,
    A: Authority<G>,
{
    /// Takes over a book and the jobs of its table, as they were when the last server ended.
    pub fn new(desk: Arc<Desk>, book: &'a B, authority: A, plan: Plan<'a>) -> Result<Self> {
        let game = book.with(|book| {
            book.tune(plan.tuning.of(book.facts().tuning))?;
            book.commit()?;
            Ok::<G, BookError>(book.game().clone())
        })?;
        let turns = Turns::new(&plan.mix);
        let mut keeper = Keeper {
            desk,
            book,
            authority,
            game,
            plan,
            turns,
            claims: HashMap::new(),
            audits: 0,
            disputes: HashSet::new(),
            expansions: 0,
            began: Instant::now(),
            looked: None,
            saved: Instant::now(),
            store: PhantomData,
        };
        keeper.resume()?;
        keeper.report();
        Ok(keeper)
    }

    /// Claims the leaves of all jobs in the table again; jobs whose leaf was expanded meanwhile, or
    /// is another one now, are removed.
    fn resume(&mut self) -> Result<()> {
        let mut stale = Vec::new();
        for row in self.desk.table.all()? {
            match row.job.kind {
                Kind::Grow => match self.book.with(|book| claim_again(book, &row))? {
                    Some(job) => drop(self.claims.insert(row.id, job)),
                    None => stale.push(row.id),
                },
                Kind::Audit => self.note_audit(&row),
                Kind::Review => {}
            }
        }
        self.forget_rows(&stale)
    }

    /// Removes jobs from the table.
    pub(super) fn forget_rows(&self, ids: &[RowId]) -> Result<()> {
        if !ids.is_empty() {
            self.desk.table.remove(ids)?;
            let mut state = lock(&self.desk.state);
            for id in ids {
                state.out.remove(id);
            }
        }
        Ok(())
    }

    /// Tends the book until it is stopped; then everything is written.
    ///
    /// The end of growth is no end of this: late results are still taken, and proposals.
    pub fn run(mut self) -> Result<()> {
        let outcome = loop {
            if self.plan.stop.is_some_and(|stop| stop.load(Relaxed)) {
                break Ok(());
            }
            match self.round() {
                Ok(true) => {}
                Ok(false) => self.desk.wait(PAUSE),
                Err(error) => break Err(error),
            }
        };
        if outcome.is_err() {
            let why = "the server cannot go on; its log has the reason";
            lock(&self.desk.state).ended = Some(why.to_owned());
        }
        self.book.with(Book::commit)?;
        self.desk.save()?;
        outcome
    }

    /// One round; whether there is more to do at once.
    pub fn round(&mut self) -> Result<bool> {
        if self.looked.is_none_or(|looked| looked.elapsed() >= EXPIRY) {
            self.looked = Some(Instant::now());
            self.desk.expire(now())?;
            self.arbitrate()?;
        }
        let applied = self.apply_done()?;
        self.compare_late()?;
        self.set_aside()?;
        self.follow_proposals()?;
        self.refill()?;
        self.report();
        if self.saved.elapsed() >= SAVE {
            self.saved = Instant::now();
            self.desk.save()?;
        }
        Ok(applied)
    }

    /// Notes the size of the book, for those who watch.
    fn report(&self) {
        let book = self.book.with(|book| {
            let facts = book.facts();
            BookState { nodes: facts.nodes, solved: facts.solved, expansions: facts.expansions }
        });
        let mut state = lock(&self.desk.state);
        state.timeline.note(now(), book.nodes, book.expansions);
        state.book = book;
    }

    /// Positions that should be ready: the next batch of every worker, and as much again.
    fn target(&self) -> u64 {
        let state = lock(&self.desk.state);
        let lease = self.desk.settings.lease.as_millis() as u64;
        let wanted: u64 = state.active(lease).map(|(_, seen)| seen.wants as u64).sum();
        (2 * wanted).max(FIRST_POSITIONS)
    }

    /// Proposes leaves until enough positions are ready.
    fn refill(&mut self) -> Result<()> {
        if self.book.with(is_over)? {
            let before = lock(&self.desk.state).ended.replace(SOLVED.to_owned());
            return if before.is_none() { self.withdraw() } else { Ok(()) };
        }
        let target = self.target();
        let mut ready = self.desk.table.counts()?.ready_positions;
        // Rows are written together: each time takes the commit of two files.
        let mut batch = Vec::new();
        while ready < target && self.claims.len() + batch.len() < MOST_OPEN && batch.len() < BATCH {
            let (jobs, ended) = self.next_jobs(batch.len())?;
            lock(&self.desk.state).ended = ended;
            if jobs.is_empty() {
                break;
            }
            ready += jobs.iter().map(|job| job.wanted.len() as u64).sum::<u64>();
            batch.extend(jobs);
        }
        if batch.is_empty() { Ok(()) } else { self.publish(batch, 0) }
    }

    /// Withdraws leaves that no worker has: a solved book does not need them.
    fn withdraw(&mut self) -> Result<()> {
        let mut ids = Vec::new();
        for row in self.desk.table.all()? {
            if row.job.kind == Kind::Grow && row.state == State::Ready {
                if let Some(job) = self.claims.remove(&row.id) {
                    self.book.with(|book| book.abandon(job))?;
                }
                ids.push(row.id);
            }
        }
        self.forget_rows(&ids)
    }

    /// The next leaves, and why there are none; some are claimed but not published.
    fn next_jobs(&mut self, unpublished: usize) -> Result<Next<G::Position>> {
        let plan = &self.plan;
        let (turns, claims) = (&mut self.turns, self.claims.len() + unpublished);
        let left = plan.expansions.map_or(u64::MAX, |most| most.saturating_sub(self.expansions));
        let late = plan.time.is_some_and(|time| self.began.elapsed() >= time);
        let outcome = self.book.with(|book| {
            let end = |why: &str| Ok((Vec::new(), Some(why.to_owned())));
            let full = plan.nodes.is_some_and(|most| book.facts().nodes >= most);
            if left == 0 || full || late {
                return end("the book has grown as far as planned");
            }
            let count = (LEAVES as u64).min(left.saturating_sub(claims as u64)) as usize;
            if count == 0 {
                return Ok((Vec::new(), None));
            }
            let mut jobs = book.propose(turns.next(), count)?;
            if jobs.is_empty() && claims == 0 {
                // A book that seems finished may depend on cycles that were not searched for.
                book.find_cycles()?;
                jobs = book.propose(turns.next(), count)?;
                if jobs.is_empty() {
                    book.commit()?;
                    return end(if book.is_solved()? {
                        SOLVED
                    } else {
                        "no open leaf is left that the aim of the book needs"
                    });
                }
            }
            Ok((jobs, None))
        });
        outcome.map_err(|error: BookError| error.into())
    }

    /// Puts claimed leaves into the table; those that want nothing are expanded at once.
    pub(super) fn publish(&mut self, jobs: Vec<Job<G::Position>>, priority: u8) -> Result<()> {
        let (now, mut rows, mut ids) = (now(), Vec::new(), Vec::new());
        for job in jobs {
            if job.wanted.is_empty() {
                let applied = self.book.with(|book| book.apply(job.id, &HashMap::new()))?;
                self.expansions += u64::from(applied);
                continue;
            }
            ids.push(job.id);
            rows.push(NewJob {
                kind: Kind::Grow,
                leaf: job.leaf,
                wanted: job.wanted.into_iter().map(|(text, _)| text).collect(),
                priority,
                barred: Vec::new(),
                context: None,
                created: now,
            });
        }
        // Ids of nodes that are not written yet could mean others after a crash.
        self.book.with(Book::commit)?;
        let added = self.desk.table.add(&rows)?;
        self.claims.extend(added.into_iter().zip(ids));
        Ok(())
    }
}

/// Whether a book that is to be solved is.
fn is_over<G: Game, S: Store>(book: &mut Book<G, S>) -> std::result::Result<bool, BookError> {
    Ok(book.facts().tuning.aim == Aim::Solve && book.is_solved()?)
}

/// Claims the leaf of a job; `None` if it is no leaf any more, or if the job does not have all
/// positions that it wants.
pub(super) fn claim_again<G: Game, S: Store>(
    book: &mut Book<G, S>,
    row: &Row,
) -> std::result::Result<Option<JobId>, BookError> {
    if !is_leaf(book, row.job.leaf)? {
        return Ok(None);
    }
    let Some(job) = book.claim(row.job.leaf)? else { return Ok(None) };
    if job.wanted.iter().all(|(text, _)| row.job.wanted.contains(text)) {
        return Ok(Some(job.id));
    }
    book.abandon(job.id)?;
    Ok(None)
}

/// Whether a node exists and is a leaf.
fn is_leaf<G: Game, S: Store>(
    book: &mut Book<G, S>,
    id: NodeId,
) -> std::result::Result<bool, BookError> {
    Ok(book.next_node(id)? == Some(id) && book.node(id)?.state == NodeState::Leaf)
}
