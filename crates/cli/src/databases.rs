//! The databases of a game as players ask them; none where there are none.

use std::sync::Arc;

use nutcracker_game::{Game, Score, SliceId};
use nutcracker_search::{Oracle, TableOracle};
use nutcracker_table::TableError;

use crate::args::Subject;
use crate::failure::Failure;

/// Decoded scores kept while a game is played.
const CACHE: u64 = 64 << 20;

/// The databases up to a slice, or none.
#[derive(Debug)]
pub struct Databases(Option<TableOracle>);

impl Databases {
    /// No database is asked.
    pub fn none() -> Arc<Self> {
        Arc::new(Databases(None))
    }

    /// What is there for this game.
    pub fn open<G: Game>(game: &G, subject: &Subject) -> Result<Arc<Self>, Failure> {
        if !game.has_databases() {
            return Ok(Self::none());
        }
        subject.metric(game)?;
        let set = Arc::new(subject.open(game, true, CACHE));
        subject.note_unchecked(game, &set);
        Ok(Arc::new(Databases(Some(TableOracle::new(set)?))))
    }

    /// The last slice, if there is one.
    pub fn last(&self) -> Option<SliceId> {
        self.0.as_ref().and_then(|tables| tables.slices().next_back())
    }
}

impl Oracle for Databases {
    type Error = TableError;

    fn covers(&self, slice: SliceId) -> bool {
        self.0.as_ref().is_some_and(|tables| tables.covers(slice))
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        match &self.0 {
            Some(tables) => tables.score(slice, index),
            None => unreachable!("slice {slice} is not covered"),
        }
    }
}
