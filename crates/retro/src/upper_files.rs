//! Work files with upper bounds, which tables do not hold.

use std::path::PathBuf;
use std::sync::Arc;

use nutcracker_game::{Game, SliceId};
use nutcracker_table::{Header, PackOptions, Storage, Table, TableError, pack_with};

use crate::solver::SliceJob;

/// Their folder.
const FOLDER: &str = "upper";

/// What their headers call the values.
const METRIC: &str = "upper";

/// The work files with upper bounds.
pub(crate) struct UpperFiles {
    storage: Arc<dyn Storage>,
    folder: PathBuf,
    /// The header of the file of a slice.
    header: Box<dyn Fn(u32) -> Header + Send + Sync>,
}

impl UpperFiles {
    pub(crate) fn new<G: Game>(job: &SliceJob<'_, G>) -> Self {
        let game = job.task.game.clone();
        let header = move |slice: u32| {
            let (id, of) = (game.id(), SliceId(slice));
            let (len, range) = (game.slice_len(of), game.max_score(of) as u8);
            let mut header =
                Header::new(id.name, id.options, slice, len, range, game.index_scheme());
            header.name = game.slice_name(of);
            METRIC.clone_into(&mut header.metric);
            header
        };
        UpperFiles {
            storage: Arc::clone(job.storage),
            folder: job.place.join(FOLDER),
            header: Box::new(header),
        }
    }

    /// The file of the slice of a table, if there is one and it is not damaged.
    pub(crate) fn open(&self, table: &Table) -> Option<Table> {
        let header = (self.header)(table.header().slice);
        let upper = Table::open(&*self.storage, &self.folder.join(header.file_name())).ok()?;
        let same = *upper.header() == header
            && header.block_positions == table.header().block_positions
            && upper.verify_digest().is_ok();
        same.then_some(upper)
    }

    /// Writes the file of a slice from values that `fill(start, out)` puts in place.
    pub(crate) fn write(
        &self,
        slice: u32,
        threads: usize,
        fill: impl Fn(u64, &mut [i8]) + Sync,
    ) -> Result<(), TableError> {
        let (header, storage) = ((self.header)(slice), &*self.storage);
        let io = |action| {
            let path = self.folder.clone();
            move |source| TableError::Io { action, path, source }
        };
        storage.create_dir(&self.folder).map_err(io("create"))?;
        // A damaged one.
        let _ = storage.remove(&self.folder.join(header.file_name()));
        let options = PackOptions { threads, ..PackOptions::default() };
        let fill = |start, out: &mut [i8]| {
            fill(start, out);
            Ok(())
        };
        pack_with(storage, &self.folder, &header, &options, fill)?.publish(true)?;
        Ok(())
    }
}
