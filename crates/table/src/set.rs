//! The tables of one game in one directory.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::cache::{BlockCache, CacheStats};
use crate::error::{Result, TableError};
use crate::file::Storage;
use crate::format::{self, Header};
use crate::naming::Naming;
use crate::reach::Reach;
use crate::reader::Table;
use crate::writer::{promote, unchecked};

/// The caller's knowledge about a slice, with which the file must agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// The number of indices: positions and holes.
    pub positions: u64,
    /// The range of scores.
    pub range: u8,
    /// The index scheme with its version.
    pub scheme: String,
    /// The metric.
    pub metric: String,
}

impl Expect {
    /// An error if a table has another number of indices, range, scheme or metric.
    pub fn check(&self, table: &Table) -> Result<()> {
        let (path, header) = (table.path(), table.header());
        if header.scheme != self.scheme {
            return Err(unexpected(path, "index scheme", &header.scheme, &self.scheme));
        }
        if header.metric != self.metric {
            return Err(unexpected(path, "metric", &header.metric, &self.metric));
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
type Restore = Box<dyn Fn(&TableSet, u32, u64, &mut [i8]) -> Result<()> + Send + Sync>;

/// A directory with the tables of one game under one set of options. Tables are opened on first
/// use; decoded blocks are shared by all of them. For use by any number of threads.
///
/// A slice may have several files: one with exact scores and some with windows. Which of them is
/// used is decided on first use of the slice.
pub struct TableSet {
    storage: Arc<dyn Storage>,
    dir: PathBuf,
    game: String,
    options: String,
    expectation: Option<Expectation>,
    restore: Option<Restore>,
    naming: Naming,
    tables: RwLock<Tables>,
    cache: BlockCache,
}

#[derive(Default)]
struct Tables {
    /// The open tables, by slice and reach: each file is opened once.
    open: HashMap<(u32, Reach), Arc<Table>>,
    /// The table used for a slice and a need, `None` for the best available.
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
    /// The tables in `dir`, which need not exist yet, with a cache of about `cache_bytes`.
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
            restore: None,
            naming: Naming::default(),
            tables: RwLock::default(),
            cache: BlockCache::new(cache_bytes),
        }
    }

    /// Compares each table, when it is opened, with `expectation(slice)`; with `None` the slice is
    /// rejected as one that the game does not have.
    #[must_use]
    pub fn expecting(
        mut self,
        expectation: impl Fn(u32) -> Option<Expect> + Send + Sync + 'static,
    ) -> Self {
        self.expectation = Some(Box::new(expectation));
        self
    }

    /// Restores what compact tables leave out: `restore(set, slice, start, values)` turns the values
    /// that are stored from index `start` on into the values of the positions. It may read smaller
    /// slices of the set.
    #[must_use]
    pub fn restoring(
        mut self,
        restore: impl Fn(&Self, u32, u64, &mut [i8]) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.restore = Some(Box::new(restore));
        self
    }

    /// Sets names of slices and files other than numbers.
    #[must_use]
    pub fn named(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }

    /// The names of slices and files.
    pub fn naming(&self) -> &Naming {
        &self.naming
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

    /// The path of the table of a slice with exactly this reach, once it is checked.
    pub fn path(&self, slice: u32, reach: Reach) -> PathBuf {
        self.dir.join(self.naming.file_name(&self.game, slice, reach))
    }

    /// The slices that have a file, exact or not, ascending. The files are not opened.
    pub fn slices(&self) -> Result<Vec<u32>> {
        let files = self.files()?;
        let mut slices: Vec<u32> = files.into_iter().map(|(slice, ..)| slice).collect();
        slices.dedup();
        Ok(slices)
    }

    /// The available reaches of a slice, the best first: exact, then from the widest window to the
    /// narrowest. The files are not opened.
    pub fn available(&self, slice: u32) -> Result<Vec<Reach>> {
        let mut files = self.files()?;
        files.retain(|&(found, ..)| found == slice);
        Ok(files.into_iter().map(|(_, reach, _)| reach).collect())
    }

    /// The best table of a slice, opened and compared with its header the first time: the exact
    /// one, or the one with the widest window.
    pub fn get(&self, slice: u32) -> Result<Arc<Table>> {
        self.choose(slice, None)
    }

    /// A table of a slice that distinguishes all scores that `need` does, opened and compared with
    /// its header the first time: the one with the narrowest window that is wide enough, or the
    /// exact one. Its scores may exceed the need.
    pub fn get_for(&self, slice: u32, need: Reach) -> Result<Arc<Table>> {
        self.choose(slice, Some(need))
    }

    /// Gives a table that passed its check its final name, unless it has it; returns it under that
    /// name. Only for the holder of the directory's lock.
    pub fn promote(&self, table: &Table) -> Result<Arc<Table>> {
        let Header { slice, reach, .. } = *table.header();
        promote(&*self.storage, table)?;
        self.forget(slice);
        self.get_exactly(slice, reach)
    }

    fn files(&self) -> Result<Vec<(u32, Reach, bool)>> {
        files_in(&*self.storage, &self.dir, &self.game, &self.naming)
    }

    /// The table of a slice with exactly this reach, whatever others exist: the checked one, or the
    /// unchecked one if there is no other.
    pub fn get_exactly(&self, slice: u32, reach: Reach) -> Result<Arc<Table>> {
        self.open_table(slice, reach, self.expected(slice)?.as_ref())
    }

    /// Forgets the open tables of a slice and which of them is used, after its files have changed.
    pub fn forget(&self, slice: u32) {
        let mut tables = self.write_tables();
        tables.open.retain(|&(found, _), _| found != slice);
        tables.chosen.retain(|&(found, _), _| found != slice);
    }

    /// Forgets open tables that were not checked and have their final name now, which another program
    /// may have given them.
    pub fn forget_renamed(&self) {
        let mut waiting: Vec<(u32, Reach)> = Vec::new();
        for (&key, table) in &self.read_tables().open {
            if !table.is_checked() {
                waiting.push(key);
            }
        }
        for (slice, reach) in waiting {
            if self.storage.exists(&self.path(slice, reach)).unwrap_or(false) {
                self.forget(slice);
            }
        }
    }

    /// The score of a position in the best table of its slice. Many probes of one slice are faster
    /// by [`get`](Self::get) and [`value`](Self::value).
    pub fn probe(&self, slice: u32, index: u64) -> Result<i8> {
        self.value(&*self.get(slice)?, index)
    }

    /// The scores of the positions of a slice from `start` on, in its best table.
    pub fn read(&self, slice: u32, start: u64, out: &mut [i8]) -> Result<()> {
        self.values(&*self.get(slice)?, start, out)
    }

    /// The value of a position in a table of this set.
    #[inline]
    pub fn value(&self, table: &Table, index: u64) -> Result<i8> {
        let mut value = [self.cache.probe(table, index)?];
        self.restore(table, index, &mut value)?;
        Ok(value[0])
    }

    /// The values of the positions from `start` on in a table of this set, as many as `out` holds.
    pub fn values(&self, table: &Table, start: u64, out: &mut [i8]) -> Result<()> {
        self.cache.read(table, start, out)?;
        self.restore(table, start, out)
    }

    /// The values of a block of a table of this set, decoded without the cache. `out` must have the
    /// length of [`Header::block_len`].
    pub fn block(&self, table: &Table, block: u64, out: &mut [i8]) -> Result<()> {
        table.decode_block(block, out)?;
        self.restore(table, block * u64::from(table.header().block_positions), out)
    }

    /// Restores what a compact table leaves out of the values from `start` on.
    #[inline]
    fn restore(&self, table: &Table, start: u64, values: &mut [i8]) -> Result<()> {
        if !table.is_compact() {
            return Ok(());
        }
        match &self.restore {
            Some(restore) => restore(self, table.header().slice, start, values),
            None => Err(TableError::request(format!(
                "{} is compact: without the rules of its game, its values are not known",
                table.path().display()
            ))),
        }
    }

    /// The table used for a slice: the best without a need, else the narrowest that serves it.
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
                // No window reaches the largest score: such a need is for exact scores.
                let range = expect.as_ref().map_or(u8::MAX, |expect| expect.range);
                let beyond = matches!(need, Reach::Within(window) if window.get() >= range);
                let need = if beyond { Reach::Exact } else { need };
                *available.iter().rfind(|reach| reach.serves(need)).ok_or_else(|| {
                    TableError::TooNarrow {
                        game: self.game.clone(),
                        slice,
                        name: self.naming.name(slice),
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

    /// The caller's knowledge about a slice; an error if the game does not have it.
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
        let path = self.path(slice, reach);
        let table = match Table::open(&*self.storage, &path) {
            Err(TableError::Missing { .. }) => {
                match Table::open(&*self.storage, &unchecked(&path)) {
                    Err(TableError::Missing { .. }) => return Err(self.missing(slice)),
                    table => table?,
                }
            }
            table => table?,
        };
        let name = self.naming.name(slice);
        check_identity(&table, &self.game, &self.options, (slice, &name), reach)?;
        if table.header().name != name {
            return Err(unexpected(table.path(), "slice name", &table.header().name, &name));
        }
        if let Some(expect) = expect {
            expect.check(&table)?;
        }
        // Another thread may have been faster: all use the same table, because of the cache.
        Ok(Arc::clone(self.write_tables().open.entry(key).or_insert_with(|| Arc::new(table))))
    }

    fn missing(&self, slice: u32) -> TableError {
        let (game, name) = (self.game.clone(), self.naming.name(slice));
        TableError::MissingSlice { game, slice, name, dir: self.dir.clone() }
    }

    fn read_tables(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_tables(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An error if a table is of another game, other options, another slice, which is given with its
/// name, or another reach.
pub(crate) fn check_identity(
    table: &Table,
    game: &str,
    options: &str,
    (slice, name): (u32, &str),
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
        return Err(TableError::unexpected(path, "slice", &header.name, &name));
    }
    if header.reach != reach {
        let (found, expected) = (u8::from(header.reach), u8::from(reach));
        return Err(TableError::unexpected(path, "window", &found, &expected));
    }
    Ok(())
}

/// Slice and reach of a game's files in a directory, and whether they are checked, in the order of
/// [`format::order`]. Of two files that differ in nothing else, the checked one.
pub(crate) fn files_in(
    storage: &dyn Storage,
    dir: &Path,
    game: &str,
    naming: &Naming,
) -> Result<Vec<(u32, Reach, bool)>> {
    let names = match storage.list(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        names => names.map_err(TableError::io("list", dir))?,
    };
    let mut files: Vec<(u32, Reach, bool)> =
        names.iter().filter_map(|name| naming.parse(game, name)).collect();
    files.sort_unstable_by_key(|&(slice, reach, checked)| (format::order(slice, reach), !checked));
    files.dedup_by_key(|&mut (slice, reach, _)| (slice, reach));
    Ok(files)
}

fn unexpected(path: &Path, what: &'static str, found: &str, expected: &str) -> TableError {
    TableError::unexpected(path, what, &format!("{found:?}"), &format!("{expected:?}"))
}
