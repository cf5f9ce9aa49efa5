//! The tables of one game in one directory.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use crate::cache::{BlockCache, CacheStats};
use crate::error::{Result, TableError};
use crate::file::Storage;
use crate::format::{self, Header};
use crate::reader::Table;

/// What the caller knows about a slice and the file must agree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// The number of positions.
    pub positions: u64,
    /// The range of scores.
    pub range: u8,
    /// The index scheme with its version.
    pub scheme: String,
}

impl Expect {
    /// An error if a table has other positions, range or scheme.
    pub fn check(&self, table: &Table) -> Result<()> {
        let (path, header) = (table.path(), table.header());
        if header.scheme != self.scheme {
            return Err(unexpected(path, "index scheme", &header.scheme, &self.scheme));
        }
        if header.positions != self.positions {
            let (found, expected) = (header.positions, self.positions);
            return Err(TableError::unexpected(path, "number of positions", &found, &expected));
        }
        if header.range != self.range {
            return Err(TableError::unexpected(path, "score range", &header.range, &self.range));
        }
        Ok(())
    }
}

type Expectation = Box<dyn Fn(u32) -> Option<Expect> + Send + Sync>;

/// A directory with the tables of one game under one set of options. Tables are opened when they
/// are first asked for; decoded blocks are shared by all of them. For use by any number of threads.
pub struct TableSet {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    game: String,
    options: String,
    expectation: Option<Expectation>,
    tables: RwLock<HashMap<u32, Arc<Table>>>,
    cache: BlockCache,
}

impl fmt::Debug for TableSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSet")
            .field("dir", &self.dir)
            .field("game", &self.game)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl TableSet {
    /// The tables in `dir`, which need not be there yet, with a cache of about `cache_bytes`.
    pub fn open(
        storage: Arc<dyn Storage>,
        dir: impl Into<PathBuf>,
        game: impl Into<String>,
        options: impl Into<String>,
        cache_bytes: usize,
    ) -> Self {
        Self {
            storage,
            dir: dir.into(),
            game: game.into(),
            options: options.into(),
            expectation: None,
            tables: RwLock::default(),
            cache: BlockCache::new(cache_bytes),
        }
    }

    /// Compares each table, when it is opened, with what `expectation(slice)` says; with `None`
    /// the slice is refused as one the game does not have.
    #[must_use]
    pub fn expecting(
        mut self,
        expectation: impl Fn(u32) -> Option<Expect> + Send + Sync + 'static,
    ) -> Self {
        self.expectation = Some(Box::new(expectation));
        self
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The rule options.
    pub fn options(&self) -> &str {
        &self.options
    }

    /// The storage.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// The cache that all tables share.
    pub fn cache(&self) -> &BlockCache {
        &self.cache
    }

    /// Hits and misses of the cache.
    pub fn cache_stats(&self) -> CacheStats {
        self.cache.stats()
    }

    /// Where the table of a slice is or would be.
    pub fn path(&self, slice: u32) -> PathBuf {
        self.dir.join(format::file_name(&self.game, slice))
    }

    /// The slices whose files are there now, ascending. The files are not opened.
    pub fn slices(&self) -> Result<Vec<u32>> {
        slices_in(&*self.storage, &self.dir, &self.game)
    }

    /// The table of a slice, opened and compared with its header the first time.
    pub fn get(&self, slice: u32) -> Result<Arc<Table>> {
        let opened =
            self.tables.read().unwrap_or_else(PoisonError::into_inner).get(&slice).cloned();
        if let Some(table) = opened {
            return Ok(table);
        }
        let table = Arc::new(self.open_table(slice)?);
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster: all use the same one, for the cache's sake.
        Ok(Arc::clone(tables.entry(slice).or_insert(table)))
    }

    /// Forgets an open table, for one that has been replaced.
    pub fn forget(&self, slice: u32) {
        self.tables.write().unwrap_or_else(PoisonError::into_inner).remove(&slice);
    }

    /// The score of a position. Many probes of one slice are faster by [`get`](Self::get) and
    /// [`cache`](Self::cache).
    pub fn probe(&self, slice: u32, index: u64) -> Result<i8> {
        self.cache.probe(&*self.get(slice)?, index)
    }

    /// The scores of the positions of a slice from `start` on.
    pub fn read(&self, slice: u32, start: u64, out: &mut [i8]) -> Result<()> {
        self.cache.read(&*self.get(slice)?, start, out)
    }

    fn open_table(&self, slice: u32) -> Result<Table> {
        let expect = match &self.expectation {
            None => None,
            Some(expectation) => Some(expectation(slice).ok_or_else(|| {
                TableError::request(format!("{} has no slice {slice}", self.game))
            })?),
        };
        let table = match Table::open(&*self.storage, &self.path(slice)) {
            Err(TableError::Missing { .. }) => {
                return Err(TableError::MissingSlice {
                    game: self.game.clone(),
                    slice,
                    dir: self.dir.clone(),
                });
            }
            table => table?,
        };
        check_identity(&table, &self.game, &self.options, slice)?;
        if let Some(expect) = expect {
            expect.check(&table)?;
        }
        Ok(table)
    }
}

/// An error if a table is of another game, other options or another slice.
pub(crate) fn check_identity(table: &Table, game: &str, options: &str, slice: u32) -> Result<()> {
    let Header { game: found, options: found_options, slice: found_slice, .. } = table.header();
    if found != game {
        return Err(unexpected(table.path(), "game", found, game));
    }
    if found_options != options {
        return Err(unexpected(table.path(), "rule options", found_options, options));
    }
    if *found_slice != slice {
        return Err(TableError::unexpected(table.path(), "slice", found_slice, &slice));
    }
    Ok(())
}

/// The slices of a game that have a file in a directory, ascending.
pub(crate) fn slices_in(storage: &dyn Storage, dir: &Path, game: &str) -> Result<Vec<u32>> {
    let names = match storage.list(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        names => names.map_err(TableError::io("list", dir))?,
    };
    let mut slices: Vec<u32> = names
        .iter()
        .filter_map(|name| {
            let number =
                name.strip_prefix(game)?.strip_prefix('-')?.strip_suffix(format::EXTENSION)?;
            let slice = number.parse().ok()?;
            // Only names that we would give: no sign, no other zeros in front.
            (*name == format::file_name(game, slice)).then_some(slice)
        })
        .collect();
    slices.sort_unstable();
    Ok(slices)
}

fn unexpected(path: &Path, what: &'static str, found: &str, expected: &str) -> TableError {
    TableError::unexpected(path, what, &format!("{found:?}"), &format!("{expected:?}"))
}
