//! The tables of one game in one directory.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::cache::{BlockCache, CacheStats};
use crate::error::{Result, TableError};
use crate::file::Storage;
use crate::format;
use crate::reach::Reach;
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
///
/// A slice may have several files: one with exact scores and some with windows. Which of them
/// answers is decided when the slice is first asked for.
pub struct TableSet {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    game: String,
    options: String,
    expectation: Option<Expectation>,
    tables: RwLock<Tables>,
    cache: BlockCache,
}

#[derive(Default)]
struct Tables {
    /// The tables that are open, by slice and reach: one file is opened once.
    open: HashMap<(u32, Reach), Arc<Table>>,
    /// Which of them answers for a slice and a need, `None` for the best that is there.
    chosen: HashMap<(u32, Option<Reach>), Arc<Table>>,
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

    /// Where the table of a slice with exactly this reach is or would be.
    pub fn path(&self, slice: u32, reach: Reach) -> PathBuf {
        self.dir.join(format::file_name(&self.game, slice, reach))
    }

    /// The slices that have a file now, exact or not, ascending. The files are not opened.
    pub fn slices(&self) -> Result<Vec<u32>> {
        let files = files_in(&*self.storage, &self.dir, &self.game)?;
        let mut slices: Vec<u32> = files.into_iter().map(|(slice, _)| slice).collect();
        slices.dedup();
        Ok(slices)
    }

    /// The reaches with which a slice is there now, the best first: exact, then from the widest
    /// window to the narrowest. The files are not opened.
    pub fn available(&self, slice: u32) -> Result<Vec<Reach>> {
        let mut files = files_in(&*self.storage, &self.dir, &self.game)?;
        files.retain(|&(found, _)| found == slice);
        Ok(files.into_iter().map(|(_, reach)| reach).collect())
    }

    /// The best table of a slice, opened and compared with its header the first time: the exact
    /// one, or the one with the widest window.
    pub fn get(&self, slice: u32) -> Result<Arc<Table>> {
        self.choose(slice, None)
    }

    /// A table of a slice that tells apart all that `need` asks for, opened and compared with its
    /// header the first time: the one with the narrowest window that is wide enough, or the exact
    /// one. Its scores may lie beyond the need.
    pub fn get_for(&self, slice: u32, need: Reach) -> Result<Arc<Table>> {
        self.choose(slice, Some(need))
    }

    /// The table of a slice with exactly this reach, whatever others lie beside it.
    pub fn get_exactly(&self, slice: u32, reach: Reach) -> Result<Arc<Table>> {
        self.open_table(slice, reach, self.expected(slice)?.as_ref())
    }

    /// Forgets the open tables of a slice and which of them answers, for one whose files are others
    /// now.
    pub fn forget(&self, slice: u32) {
        let mut tables = self.write_tables();
        tables.open.retain(|&(found, _), _| found != slice);
        tables.chosen.retain(|&(found, _), _| found != slice);
    }

    /// The score of a position in the best table of its slice. Many probes of one slice are faster by [`get`](Self::get) and
    /// [`cache`](Self::cache).
    pub fn probe(&self, slice: u32, index: u64) -> Result<i8> {
        self.cache.probe(&*self.get(slice)?, index)
    }

    /// The scores of the positions of a slice from `start` on, in its best table.
    pub fn read(&self, slice: u32, start: u64, out: &mut [i8]) -> Result<()> {
        self.cache.read(&*self.get(slice)?, start, out)
    }

    /// The table that answers for a slice: the best for no particular need, else the narrowest that
    /// serves it.
    fn choose(&self, slice: u32, need: Option<Reach>) -> Result<Arc<Table>> {
        let chosen = self.read_tables().chosen.get(&(slice, need)).cloned();
        if let Some(table) = chosen {
            return Ok(table);
        }
        let expect = self.expected(slice)?;
        let available = self.available(slice)?;
        let Some(&best) = available.first() else {
            return Err(self.missing(slice));
        };
        let reach = match need {
            None => best,
            Some(need) => {
                // No window reaches the largest score: such a need is of exact scores.
                let range = expect.as_ref().map_or(u8::MAX, |expect| expect.range);
                let beyond = matches!(need, Reach::Within(window) if window.get() >= range);
                let need = if beyond { Reach::Exact } else { need };
                *available.iter().rfind(|reach| reach.serves(need)).ok_or_else(|| {
                    TableError::TooNarrow {
                        game: self.game.clone(),
                        slice,
                        dir: self.dir.clone(),
                        reach: best,
                        need,
                    }
                })?
            }
        };
        let table = self.open_table(slice, reach, expect.as_ref())?;
        Ok(Arc::clone(self.write_tables().chosen.entry((slice, need)).or_insert(table)))
    }

    /// What the caller knows about a slice; an error if the game does not have it.
    fn expected(&self, slice: u32) -> Result<Option<Expect>> {
        let Some(expectation) = &self.expectation else {
            return Ok(None);
        };
        match expectation(slice) {
            None => Err(TableError::request(format!("{} has no slice {slice}", self.game))),
            expect => Ok(expect),
        }
    }

    fn open_table(&self, slice: u32, reach: Reach, expect: Option<&Expect>) -> Result<Arc<Table>> {
        let key = (slice, reach);
        let open = self.read_tables().open.get(&key).cloned();
        if let Some(table) = open {
            return Ok(table);
        }
        let table = match Table::open(&*self.storage, &self.path(slice, reach)) {
            Err(TableError::Missing { .. }) => return Err(self.missing(slice)),
            table => table?,
        };
        check_identity(&table, &self.game, &self.options, slice, reach)?;
        if let Some(expect) = expect {
            expect.check(&table)?;
        }
        // Another thread may have been faster: all use the same one, for the cache's sake.
        Ok(Arc::clone(self.write_tables().open.entry(key).or_insert_with(|| Arc::new(table))))
    }

    fn missing(&self, slice: u32) -> TableError {
        TableError::MissingSlice { game: self.game.clone(), slice, dir: self.dir.clone() }
    }

    fn read_tables(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_tables(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An error if a table is of another game, other options, another slice or another reach.
pub(crate) fn check_identity(
    table: &Table,
    game: &str,
    options: &str,
    slice: u32,
    reach: Reach,
) -> Result<()> {
    let (path, header) = (table.path(), table.header());
    if header.game != game {
        return Err(unexpected(path, "game", &header.game, game));
    }
    if header.options != options {
        return Err(unexpected(path, "rule options", &header.options, options));
    }
    if header.slice != slice {
        return Err(TableError::unexpected(path, "slice", &header.slice, &slice));
    }
    if header.reach != reach {
        let (found, expected) = (u8::from(header.reach), u8::from(reach));
        return Err(TableError::unexpected(path, "window", &found, &expected));
    }
    Ok(())
}

/// Slice and reach of a game's files in a directory, in the order of [`format::order`].
pub(crate) fn files_in(storage: &dyn Storage, dir: &Path, game: &str) -> Result<Vec<(u32, Reach)>> {
    let names = match storage.list(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        names => names.map_err(TableError::io("list", dir))?,
    };
    let mut files: Vec<(u32, Reach)> =
        names.iter().filter_map(|name| format::parse_file_name(game, name)).collect();
    files.sort_unstable_by_key(|&(slice, reach)| format::order(slice, reach));
    Ok(files)
}

fn unexpected(path: &Path, what: &'static str, found: &str, expected: &str) -> TableError {
    TableError::unexpected(path, what, &format!("{found:?}"), &format!("{expected:?}"))
}
