//! Results, once checked, applied to the book.

use std::collections::{HashMap, HashSet};

use nutcracker_book::grow::SharedBook;
use nutcracker_book::node::NodeId;
use nutcracker_book::store::Store;
use nutcracker_book::value::Value;
use nutcracker_book::{Book, BookError, JobId};
use nutcracker_game::Game;
use nutcracker_search::Worth;

use super::desk::lock;
use super::keeper::Keeper;
use super::{FleetError, account_of, now};
use crate::protocol::PositionValue;
use crate::table::{Kind, NewJob, Row, RowId};
use crate::trust::{Authority, Guesses, verify};

type Result<T> = std::result::Result<T, FleetError>;

/// Jobs applied in one transaction.
const AT_ONCE: usize = 512;
/// Positions of one review.
const REVIEWED: usize = 16;
/// Positions set aside in one transaction.
const SET_ASIDE: usize = 1000;

/// The checked results of a job.
pub(super) struct Checked {
    /// What the book may believe.
    pub worths: HashMap<String, Worth>,
    /// Where that is the worker's guess, in hundredths of a point.
    pub guesses: Guesses,
}

/// A leaf to be expanded with the results of a job.
struct Expansion {
    row: Row,
    job: JobId,
    checked: Checked,
}

impl<G, S, B, A> Keeper<'_, G, S, B, A>
where
    G: Game,
    S: Store,
    B: SharedBook<G, S>,
    A: Authority<G>,
{
    /// Applies jobs that are done; whether there were any.
    pub(super) fn apply_done(&mut self) -> Result<bool> {
        let rows = self.desk.table.done(AT_ONCE)?;
        if rows.is_empty() {
            return Ok(false);
        }
        let (mut expansions, mut over) = (Vec::new(), Vec::new());
        for row in rows {
            let account = account_of(row.worker.as_deref().unwrap_or_default()).to_owned();
            let checked = if lock(&self.desk.state).is_suspended(&account) {
                None
            } else {
                self.checked(&account, &row)?
            };
            let Some(checked) = checked else {
                self.give_to_others(row, &account)?;
                continue;
            };
            match row.job.kind {
                Kind::Grow => match self.claims.get(&row.id) {
                    Some(&job) => expansions.push(Expansion { row, job, checked }),
                    None => over.push(row.id),
                },
                Kind::Audit => {
                    over.push(row.id);
                    self.settle_audit(&row, &account, checked)?;
                }
                Kind::Review => {
                    over.push(row.id);
                    self.revise(&checked.worths)?;
                    self.note_origins(&account, &checked.guesses)?;
                }
            }
        }
        self.expand(expansions)?;
        self.forget_rows(&over)?;
        Ok(true)
    }

    /// Checks the results of a job; `None` if its account turns out to lie.
    fn checked(&mut self, account: &str, row: &Row) -> Result<Option<Checked>> {
        let text = row.results.as_deref().unwrap_or_default();
        // The desk wrote it: what cannot be read is treated as if nothing had been said.
        let values: Vec<PositionValue> = serde_json::from_str(text).unwrap_or_default();
        let mut checked = Checked { worths: HashMap::new(), guesses: HashMap::new() };
        let (mut lies, mut broken) = (0, 0);
        for value in values {
            let Ok(situation) = self.game.parse(&value.position) else { continue };
            let verified = verify(&self.game, &mut self.authority, &situation.position, &value)
                .map_err(FleetError::Authority)?;
            lies += u64::from(verified.lie);
            broken += u64::from(verified.broken_proof);
            if let Some(guess) = verified.worth.guess {
                checked.guesses.insert(value.position.clone(), guess);
            }
            checked.worths.insert(value.position, verified.worth);
        }
        if lies + broken > 0 {
            let mut state = lock(&self.desk.state);
            let known = state.account(account);
            known.lies += lies;
            known.broken_proofs += broken;
            state.judge(account);
            if state.is_suspended(account) {
                return Ok(None);
            }
        }
        Ok(Some(checked))
    }

    /// Expands leaves and writes the book; then the jobs are removed, and some are audited. Whatever
    /// is interrupted is done again after a restart, once.
    fn expand(&mut self, mut expansions: Vec<Expansion>) -> Result<()> {
        if expansions.is_empty() {
            return Ok(());
        }
        while !expansions.is_empty() {
            // Before the book is written: what stands there always has its origin.
            self.desk.table.note(&self.new_origins(&expansions)?)?;
            let book = self.book;
            let outcome = book.with(|book| {
                let mut expanded = 0;
                for (place, one) in expansions.iter().enumerate() {
                    let applied = book.apply(one.job, &one.checked.worths);
                    expanded += u64::from(applied.map_err(|error| (Some(place), error))?);
                }
                if book.cycles_are_due() {
                    book.find_cycles().map_err(|error| (None, error))?;
                }
                book.commit().map_err(|error| (None, error))?;
                Ok(expanded)
            });
            match outcome {
                Ok(expanded) => {
                    self.expansions += expanded;
                    break;
                }
                Err((Some(place), error)) if is_about_values(&error) => {
                    self.leave_out(&mut expansions, place)?;
                }
                Err((_, error)) => return Err(error.into()),
            }
        }
        let audits: Vec<NewJob> =
            expansions.iter().filter_map(|one| self.audit_of(&one.row, &one.checked)).collect();
        self.add_audits(&audits)?;
        let over: Vec<RowId> = expansions.iter().map(|one| one.row.id).collect();
        for id in &over {
            self.claims.remove(id);
        }
        self.forget_rows(&over)
    }

    /// The positions that jobs add to the book with guesses, and whose these are: the book keeps
    /// what it has, and of several jobs what the first one says.
    fn new_origins(&self, expansions: &[Expansion]) -> Result<Vec<(String, String)>> {
        let (mut seen, mut origins) = (HashSet::new(), Vec::new());
        for one in expansions {
            let account = account_of(one.row.worker.as_deref().unwrap_or_default());
            for text in one.checked.worths.keys() {
                let Ok(situation) = self.game.parse(text) else { continue };
                let known = self.book.with(|book| book.find(&situation.position))?.is_some();
                if !known && seen.insert(text) && one.checked.guesses.contains_key(text) {
                    origins.push((text.clone(), account.to_owned()));
                }
            }
        }
        Ok(origins)
    }

    /// Leaves out a job whose values the book refuses. The book is as it was at the last commit:
    /// the leaves of the others are claimed again, and so is this one, which stays set aside.
    fn leave_out(&mut self, expansions: &mut Vec<Expansion>, place: usize) -> Result<()> {
        let refused = expansions.remove(place);
        self.claims.remove(&refused.row.id);
        self.forget_rows(&[refused.row.id])?;
        self.book.with(|book| {
            book.claim(refused.row.job.leaf)?;
            for one in &mut expansions[..place] {
                if let Some(job) = book.claim(one.row.job.leaf)? {
                    one.job = job.id;
                }
            }
            Ok::<(), BookError>(())
        })?;
        for one in expansions.iter() {
            self.claims.insert(one.row.id, one.job);
        }
        Ok(())
    }

    /// Puts a job back whose results are not taken, for others.
    fn give_to_others(&mut self, row: Row, account: &str) -> Result<()> {
        let mut job = row.job;
        if !job.barred.iter().any(|other| other == account) {
            job.barred.push(account.to_owned());
        }
        let claim = self.claims.remove(&row.id);
        let was_dispute = self.disputes.remove(&row.id);
        for id in self.desk.table.add(&[job])? {
            if let Some(claim) = claim {
                self.claims.insert(id, claim);
            }
            if was_dispute {
                self.disputes.insert(id);
            }
        }
        self.forget_rows(&[row.id])
    }

    /// Replaces guesses in the book; proven values stay.
    pub(super) fn revise(&mut self, worths: &HashMap<String, Worth>) -> Result<()> {
        let game = &self.game;
        self.book.with(|book| {
            let mut values: Vec<(NodeId, Value)> = Vec::new();
            for (text, &worth) in worths {
                let Ok(situation) = game.parse(text) else { continue };
                if let Some(id) = book.find(&situation.position)? {
                    values.push((id, book.value_of(&situation.position, worth)?));
                }
            }
            book.revise(&values)?;
            book.commit()
        })?;
        Ok(())
    }

    /// Notes whose guesses stand where.
    pub(super) fn note_origins(&self, account: &str, guesses: &Guesses) -> Result<()> {
        Ok(self.desk.table.note(&origins_of(account, guesses).collect::<Vec<_>>())?)
    }

    /// Sets the results of suspended accounts aside: their jobs go to others, their guesses are
    /// replaced by the evaluation of the game, and others are asked for better ones.
    pub(super) fn set_aside(&mut self) -> Result<()> {
        let condemned: HashSet<String> = lock(&self.desk.state).condemned.drain(..).collect();
        for account in condemned {
            self.desk.save()?;
            self.take_back(&account)?;
            loop {
                let positions = self.desk.table.of_worker(&account, SET_ASIDE)?;
                if positions.is_empty() {
                    break;
                }
                let mut worths = HashMap::new();
                for text in &positions {
                    if let Ok(situation) = self.game.parse(text) {
                        let guess = self.authority.guess(&situation.position);
                        let max = self.game.max_score(self.game.slice_of(&situation.position));
                        let most = 100 * i32::from(max);
                        worths.insert(text.clone(), Worth::guess(guess.clamp(-most, most)));
                    }
                }
                self.revise(&worths)?;
                let reviews: Vec<NewJob> = positions
                    .chunks(REVIEWED)
                    .map(|wanted| NewJob {
                        kind: Kind::Review,
                        leaf: 0,
                        wanted: wanted.to_vec(),
                        priority: 1,
                        barred: vec![account.clone()],
                        context: None,
                        created: now(),
                    })
                    .collect();
                self.desk.table.add(&reviews)?;
                self.desk.table.forget(&positions)?;
            }
        }
        Ok(())
    }

    /// Ends the leases of an account.
    fn take_back(&mut self, account: &str) -> Result<()> {
        let mut by_worker: HashMap<String, Vec<RowId>> = HashMap::new();
        {
            let mut state = lock(&self.desk.state);
            state.out.retain(|&id, (_, worker)| {
                let stays = account_of(worker) != account;
                if !stays {
                    by_worker.entry(worker.clone()).or_default().push(id);
                }
                stays
            });
        }
        for (worker, ids) in by_worker {
            self.desk.table.release(&worker, &ids)?;
        }
        Ok(())
    }
}

/// Positions with the account whose guesses stand there.
fn origins_of(account: &str, guesses: &Guesses) -> impl Iterator<Item = (String, String)> {
    guesses.keys().map(move |position| (position.clone(), account.to_owned()))
}

/// Whether an error depends on the values that were applied, not on the store.
fn is_about_values(error: &BookError) -> bool {
    matches!(error, BookError::Contradiction(_) | BookError::Expert(_) | BookError::Illegal(_))
}

/// What stands in the book for a position, if it is a guess.
pub(super) fn guess_in_book<G: Game, S: Store>(
    book: &mut Book<G, S>,
    position: &G::Position,
) -> std::result::Result<Option<i32>, BookError> {
    let Some(id) = book.find(position)? else { return Ok(None) };
    let max = book.game().max_score(book.game().slice_of(position));
    let own = book.node(id)?.own;
    Ok((own.lower == -max && own.upper == max).then_some(own.heuristic))
}
