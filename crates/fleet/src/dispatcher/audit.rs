//! Audits: results compared with those of other accounts.
//!
//! A share of the jobs with guesses goes to a second account. If the two disagree, a third one
//! decides; where there is none, the server's own expert does.

use std::collections::HashMap;

use nutcracker_book::grow::SharedBook;
use nutcracker_book::store::Store;
use nutcracker_game::Game;
use nutcracker_search::Worth;

use super::apply::{Checked, guess_in_book};
use super::desk::lock;
use super::keeper::Keeper;
use super::{FleetError, account_of, chance, now};
use crate::table::{Kind, NewJob, Row, RowId};
use crate::trust::{Authority, Guesses, disagree, guess_of, tolerance};

type Result<T> = std::result::Result<T, FleetError>;

/// Audits that may wait for a worker.
const MOST_WAITING: usize = 1000;
/// Positions of one audit.
const POSITIONS: usize = 40;
/// Disputes that are looked at in one round.
const DISPUTES: usize = 8;

/// What accounts said of the positions of a job, in the order in which they did.
type Said = Vec<(String, Guesses)>;

impl<G, S, B, A> Keeper<'_, G, S, B, A>
where
    G: Game,
    S: Store,
    B: SharedBook<G, S>,
    A: Authority<G>,
{
    /// Counts an audit of the table.
    pub(super) fn note_audit(&mut self, row: &Row) {
        self.audits += 1;
        if said_of(row).len() > 1 {
            self.disputes.insert(row.id);
        }
    }

    /// The audit of a job, if it is audited.
    pub(super) fn audit_of(&self, row: &Row, checked: &Checked) -> Option<NewJob> {
        if checked.guesses.is_empty()
            || self.audits >= MOST_WAITING
            || chance() >= self.desk.settings.audit
        {
            return None;
        }
        let account = account_of(row.worker.as_deref()?);
        Some(audit(row.job.leaf, &[(account.to_owned(), checked.guesses.clone())]))
    }

    pub(super) fn add_audits(&mut self, audits: &[NewJob]) -> Result<Vec<RowId>> {
        self.audits += audits.len();
        Ok(self.desk.table.add(audits)?)
    }

    /// Takes the result of an audit.
    pub(super) fn settle_audit(
        &mut self,
        row: &Row,
        account: &str,
        checked: Checked,
    ) -> Result<()> {
        self.audits = self.audits.saturating_sub(1);
        self.disputes.remove(&row.id);
        let said = said_of(row);
        match &said[..] {
            [first] => {
                let second = (account.to_owned(), checked.guesses);
                self.compare(row.job.leaf, first.clone(), second)
            }
            [first, second] => self.decide(first, second, account, &checked.guesses),
            _ => Ok(()),
        }
    }

    /// Compares two results; a dispute goes to a third account.
    fn compare(
        &mut self,
        leaf: u64,
        first: (String, Guesses),
        second: (String, Guesses),
    ) -> Result<()> {
        if !disagree(&first.1, &second.1, &self.tolerances(&first.1)) {
            let mut state = lock(&self.desk.state);
            state.account(&first.0).audited += 1;
            state.account(&second.0).audited += 1;
            return Ok(());
        }
        let dispute = audit(leaf, &[first, second]);
        let ids = self.add_audits(&[dispute])?;
        self.disputes.extend(ids);
        Ok(())
    }

    /// Decides which of two accounts is wrong, by what a third one says. Where that agrees with
    /// both or with neither, none is.
    fn decide(
        &mut self,
        first: &(String, Guesses),
        second: &(String, Guesses),
        third: &str,
        guesses: &Guesses,
    ) -> Result<()> {
        let tolerances = self.tolerances(&first.1);
        let off = |said: &Guesses| disagree(said, guesses, &tolerances);
        let wrong = match (off(&first.1), off(&second.1)) {
            (true, false) => Some(&first.0),
            (false, true) => Some(&second.0),
            _ => None,
        };
        let mut state = lock(&self.desk.state);
        for name in [&first.0, &second.0] {
            state.account(name).audited += 1;
        }
        if let Some(name) = wrong {
            state.account(name).off += 1;
            state.judge(name);
        }
        drop(state);
        if wrong == Some(&first.0) {
            // The first result is the one in the book.
            let worths = guesses.iter().map(|(text, &guess)| (text.clone(), Worth::guess(guess)));
            self.revise(&worths.collect())?;
            if third.is_empty() {
                let positions: Vec<String> = guesses.keys().cloned().collect();
                self.desk.table.forget(&positions)?;
            } else {
                self.note_origins(third, guesses)?;
            }
        }
        Ok(())
    }

    /// How far guesses of these positions may be apart.
    fn tolerances(&self, guesses: &Guesses) -> Guesses {
        let one = |text: &String| {
            let situation = self.game.parse(text).ok()?;
            let max = self.game.max_score(self.game.slice_of(&situation.position));
            Some((text.clone(), tolerance(max)))
        };
        guesses.keys().filter_map(one).collect()
    }

    /// Decides disputes for which there is no third account.
    pub(super) fn arbitrate(&mut self) -> Result<()> {
        if self.disputes.is_empty() {
            return Ok(());
        }
        // An engine takes its time, and workers wait for the rest of a round.
        let ids: Vec<RowId> = self.disputes.iter().copied().take(DISPUTES).collect();
        for row in self.desk.table.rows(&ids)? {
            let lease = self.desk.settings.lease.as_millis() as u64;
            let has_judge = lock(&self.desk.state)
                .active(lease)
                .any(|(worker, _)| !row.job.barred.iter().any(|one| one == account_of(worker)));
            if has_judge || row.state != crate::table::State::Ready {
                continue;
            }
            let mut guesses = Guesses::new();
            for text in &row.job.wanted {
                let Ok(situation) = self.game.parse(text) else { continue };
                let worth =
                    self.authority.evaluate(&situation.position).map_err(FleetError::Authority)?;
                guesses.insert(text.clone(), worth.hundredths());
            }
            if let [first, second] = &said_of(&row)[..] {
                self.decide(first, second, "", &guesses)?;
            }
            self.audits = self.audits.saturating_sub(1);
            self.disputes.remove(&row.id);
            self.forget_rows(&[row.id])?;
        }
        Ok(())
    }

    /// Compares results that came too late with what stands in the book.
    pub(super) fn compare_late(&mut self) -> Result<()> {
        let late: Vec<_> = lock(&self.desk.state).late.drain(..).collect();
        for (account, values) in late {
            let positions: Vec<String> =
                values.iter().map(|value| value.position.clone()).collect();
            let origins = self.desk.table.origins(&positions)?;
            // By account: what stands in the book, and what the late result says.
            let mut others: HashMap<String, (Guesses, Guesses)> = HashMap::new();
            for (value, origin) in values.iter().zip(origins) {
                let Some(origin) = origin.filter(|origin| *origin != account) else { continue };
                let Ok(situation) = self.game.parse(&value.position) else { continue };
                let stands = self.book.with(|book| guess_in_book(book, &situation.position))?;
                let Some(stands) = stands else { continue };
                let max = self.game.max_score(self.game.slice_of(&situation.position));
                let (first, second) = others.entry(origin).or_default();
                first.insert(value.position.clone(), stands);
                second.insert(value.position.clone(), guess_of(value, max));
            }
            for (origin, (first, second)) in others {
                if self.audits < MOST_WAITING {
                    self.compare(0, (origin, first), (account.clone(), second))?;
                }
            }
        }
        Ok(())
    }
}

/// An audit of what accounts said: it goes to none of them.
fn audit(leaf: u64, said: &[(String, Guesses)]) -> NewJob {
    let positions = said.first().map(|(_, guesses)| guesses.keys().cloned().collect());
    let mut wanted: Vec<String> = positions.unwrap_or_default();
    wanted.sort_unstable();
    wanted.truncate(POSITIONS);
    NewJob {
        kind: Kind::Audit,
        leaf,
        wanted,
        priority: 2,
        barred: said.iter().map(|(account, _)| account.clone()).collect(),
        context: serde_json::to_string(said).ok(),
        created: now(),
    }
}

/// What accounts said before an audit.
fn said_of(row: &Row) -> Said {
    row.job.context.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}
