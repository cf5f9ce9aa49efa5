//! Proposals: lines of play that should be in the book.

use std::collections::HashSet;

use nutcracker_book::grow::SharedBook;
use nutcracker_book::node::State as NodeState;
use nutcracker_book::store::Store;
use nutcracker_book::{Book, BookError, Job};
use nutcracker_game::Game;

use super::FleetError;
use super::desk::lock;
use super::keeper::Keeper;
use crate::trust::Authority;

/// Jobs of proposals come before others.
const PRIORITY: u8 = 3;

/// What comes next on a line.
enum Step<P> {
    /// This leaf is expanded.
    Claimed(Job<P>),
    /// The leaf is being expanded.
    Wait,
    /// Everything is in the book, or cannot be.
    Over,
}

impl<G, S, B, A> Keeper<'_, G, S, B, A>
where
    G: Game,
    S: Store,
    B: SharedBook<G, S>,
    A: Authority<G>,
{
    /// Expands the first leaf on each line that was proposed, until its last position is expanded.
    pub(super) fn follow_proposals(&mut self) -> Result<(), FleetError> {
        // They stay in the list meanwhile: an error, a restart or a look at it loses none.
        let lines: Vec<Vec<String>> = lock(&self.desk.state).proposals.iter().cloned().collect();
        if lines.is_empty() {
            return Ok(());
        }
        let (mut jobs, mut over) = (Vec::new(), HashSet::new());
        let game = &self.game;
        for line in lines {
            match self.book.with(|book| next_on(game, book, &line))? {
                Step::Claimed(job) => jobs.push(job),
                Step::Wait => {}
                Step::Over => _ = over.insert(line),
            }
        }
        if !over.is_empty() {
            let mut state = lock(&self.desk.state);
            state.proposals.retain(|line| !over.contains(line));
            state.proposals_changed = true;
        }
        if lock(&self.desk.state).proposals_changed {
            self.desk.save()?;
        }
        if jobs.is_empty() { Ok(()) } else { self.publish(jobs, PRIORITY) }
    }
}

fn next_on<G: Game, S: Store>(
    game: &G,
    book: &mut Book<G, S>,
    line: &[String],
) -> Result<Step<G::Position>, BookError> {
    for text in line {
        let Ok(situation) = game.parse(text) else { return Ok(Step::Over) };
        let Some(id) = book.find(&situation.position)? else { return Ok(Step::Over) };
        match book.node(id)?.state {
            NodeState::Leaf => {
                return Ok(match book.claim(id)? {
                    Some(job) => Step::Claimed(job),
                    None => Step::Wait,
                });
            }
            NodeState::Over => return Ok(Step::Over),
            NodeState::Interior => {}
        }
    }
    Ok(Step::Over)
}
