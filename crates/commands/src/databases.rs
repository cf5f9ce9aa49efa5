//! The databases of a game as players probe them, if there are any.

use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_game::{Numbering, SliceId};
use nutcracker_search::TableOracle;

use crate::args::Subject;
use crate::failure::Failure;

/// Decoded scores kept while a game is played.
const CACHE: u64 = 64 << 20;

/// The databases that exist, or none.
pub type Databases = Option<TableOracle>;

/// Opens those of this game.
pub fn open(game: &AnyGame, subject: &Subject) -> Result<Arc<Databases>, Failure> {
    if !game.has_databases() {
        return Ok(Arc::new(None));
    }
    subject.metric(game)?;
    let set = Arc::new(subject.open(game, true, CACHE));
    subject.note_unchecked(game, &set);
    Ok(Arc::new(Some(TableOracle::new(set)?)))
}

/// The last slice, if there is one.
pub fn last(databases: &Databases) -> Option<SliceId> {
    databases.as_ref().and_then(|tables| tables.slices().next_back())
}
