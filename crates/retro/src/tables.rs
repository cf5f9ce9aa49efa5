//! Finished slices from their files.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nutcracker_game::{Children, Game, Metric, Score, SliceId};
use nutcracker_table::{Expect, Histogram, Naming, Reach, Storage, Table, TableError, TableSet};

use crate::compact;
use crate::parallel::{ThreadError, for_each_until_stopped};
use crate::progress::{Progress, Stopped};

/// The tables of a game in a directory, each compared with the game's description of its slice when
/// it is opened.
pub fn open_set<G: Game>(
    game: &G,
    storage: Arc<dyn Storage>,
    dir: &Path,
    cache_bytes: u64,
) -> TableSet {
    open_metric(game, None, storage, dir, cache_bytes)
}

/// As [`open_set`], for tables of a metric; `None` for the game's usual one.
pub fn open_metric<G: Game>(
    game: &G,
    metric: Option<Metric>,
    storage: Arc<dyn Storage>,
    dir: &Path,
    cache_bytes: u64,
) -> TableSet {
    let id = game.id();
    let metric = metric_of(game, metric);
    let (expecting, restoring) = (game.clone(), game.clone());
    TableSet::open(storage, dir, id.name, id.options, cache_bytes as usize)
        .named(naming(game))
        .expecting(move |slice| {
            let slice = SliceId(slice);
            (slice <= expecting.largest_slice()).then(|| Expect {
                positions: expecting.slice_len(slice),
                range: metric.largest(expecting.max_score(slice)) as u8,
                scheme: expecting.index_scheme().to_owned(),
                metric: metric.name().to_owned(),
            })
        })
        .restoring(move |set, slice, start, values| {
            compact::restore(&restoring, metric, set, SliceId(slice), start, values)
        })
}

/// The name of the directory with a game's tables of a metric.
pub fn folder<G: Game>(game: &G, metric: Metric) -> String {
    let folder = game.id().folder();
    if metric == game.metrics()[0] { folder } else { format!("{folder}-{metric}") }
}

/// Which tables of a game to read in a data directory: those of the first metric that has some, or
/// of the game's usual one where there are none.
pub fn available_metric<G: Game>(game: &G, storage: &Arc<dyn Storage>, data: &Path) -> Metric {
    let has_tables = |metric: &&Metric| {
        let dir = data.join(folder(game, **metric));
        let set = open_metric(game, Some(**metric), Arc::clone(storage), &dir, 0);
        set.slices().is_ok_and(|slices| !slices.is_empty())
    };
    match game.metrics() {
        [only] => *only,
        all => *all.iter().find(has_tables).unwrap_or(&all[0]),
    }
}

/// The requested metric, or the game's usual one.
pub(crate) fn metric_of<G: Game>(game: &G, metric: Option<Metric>) -> Metric {
    metric.unwrap_or(game.metrics()[0])
}

/// How the game names its slices in files.
pub(crate) fn naming<G: Game>(game: &G) -> Naming {
    let (to, from) = (game.clone(), game.clone());
    // Files beyond the game's last slice are recognised where slices are numbers.
    let by_number = game.slice_name(SliceId(0)) == "0";
    Naming::new(
        move |slice| to.slice_name(SliceId(slice)),
        move |name| {
            let number = || name.parse().ok().filter(|_| by_number);
            from.slice_named(name).map(|slice| slice.0).or_else(number)
        },
    )
}

/// Decodes all blocks of a table of a set, each after its checksum, on several threads, and calls
/// `put(start, scores)` for each; then compares the histogram with the file's.
pub(crate) fn read_all<E>(
    set: &TableSet,
    table: &Table,
    threads: usize,
    progress: &dyn Progress,
    put: impl Fn(u64, &[i8]) + Sync,
) -> Result<(), E>
where
    E: Send + From<TableError> + From<Stopped> + From<ThreadError>,
{
    let counted = Mutex::new(Histogram::new());
    let header = table.header();
    for_each_until_stopped(table.blocks(), 1, threads, progress, |blocks| {
        let mut scores = Vec::new();
        for block in blocks {
            scores.resize(header.block_len(block), 0);
            set.block(table, block, &mut scores)?;
            put(block * u64::from(header.block_positions), &scores);
            counted.lock().unwrap_or_else(PoisonError::into_inner).add(&scores);
        }
        Ok::<(), E>(())
    })?;
    let counted = counted.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(table.verify_histogram(&counted)?)
}

/// The scores of finished slices, from their files.
#[derive(Debug)]
pub(crate) struct SetChildren<'a> {
    set: &'a TableSet,
    /// The open table of each slice below the one being solved.
    tables: Vec<OnceLock<Arc<Table>>>,
    /// To what size the scores of each are needed.
    needs: Vec<u8>,
}

impl<'a> SetChildren<'a> {
    /// For the slices below `slice`, whose scores are needed up to ±`need`.
    pub(crate) fn new(set: &'a TableSet, slice: SliceId, need: impl Fn(SliceId) -> u8) -> Self {
        SetChildren {
            set,
            tables: (0..slice.0).map(|_| OnceLock::new()).collect(),
            needs: (0..slice.0).map(|slice| need(SliceId(slice))).collect(),
        }
    }

    fn table(&self, slice: SliceId) -> Result<&Table, TableError> {
        let place = &self.tables[slice.0 as usize];
        if let Some(table) = place.get() {
            return Ok(table);
        }
        let table = self.set.get_for(slice.0, Reach::needed(self.needs[slice.0 as usize]))?;
        Ok(place.get_or_init(|| table))
    }
}

impl Children for SetChildren<'_> {
    type Error = TableError;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), TableError> {
        self.set.values(self.table(slice)?, start, out)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        Ok(self.set.value(self.table(slice)?, index)?.into())
    }
}

/// One thread's access to single scores of finished slices: keeps the blocks it used last, so
/// that neighbours cost no lock.
#[derive(Debug)]
pub(crate) struct Nearby<'a> {
    children: &'a SetChildren<'a>,
    /// By a hash of slice and block: which block, and its scores.
    blocks: Vec<(Option<BlockKey>, Vec<i8>)>,
}

/// Which block of which slice.
type BlockKey = (SliceId, u64);

impl<'a> Nearby<'a> {
    const PLACES: u64 = 64;

    pub(crate) fn new(children: &'a SetChildren<'a>) -> Self {
        let blocks = (0..Self::PLACES).map(|_| (None, Vec::new())).collect();
        Nearby { children, blocks }
    }

    #[inline]
    pub(crate) fn score(&mut self, slice: SliceId, index: u64) -> Result<Score, TableError> {
        let table = self.children.table(slice)?;
        if table.is_compact() {
            // A single value is restored much sooner than a block of them.
            return self.children.score(slice, index);
        }
        let size = u64::from(table.header().block_positions);
        let (block, within) = (index / size, index % size);
        let key = Some((slice, block));
        let hashed = (block << 8 ^ u64::from(slice.0)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (hashed >> 32) % Self::PLACES;
        let (found, scores) = &mut self.blocks[place as usize];
        if *found != key {
            *found = None;
            scores.resize(table.header().block_len(block), 0);
            self.children.set.values(table, block * size, scores)?;
            *found = key;
        }
        Ok(scores[within as usize].into())
    }
}

#[cfg(test)]
mod tests {
    use nutcracker_table::{Disk, Header, PackOptions, pack};

    use super::*;

    #[test]
    fn blocks_of_three_hundred_slices_are_distinguished() {
        let dir = tempfile::tempdir().unwrap();
        // Three blocks of each slice, with a score for each.
        let score = |slice: u32, block: u64| ((u64::from(slice) * 3 + block) % 251) as i8;
        for slice in 0..300 {
            let mut header = Header::new("g", "", slice, 192, 127, "g-1");
            header.block_positions = 64;
            let scores: Vec<i8> =
                (0..192).map(|index| score(slice, index / 64).max(-127)).collect();
            pack(&Disk::default(), dir.path(), &header, &PackOptions::default(), &scores).unwrap();
        }
        let set = TableSet::open(Arc::new(Disk::default()), dir.path(), "g", "", 1 << 20);
        let children = SetChildren::new(&set, SliceId(300), |_| 127);
        let mut nearby = Nearby::new(&children);
        for slice in 0..300 {
            for block in 0..3 {
                // Another slice whose number differs by a multiple of 256, and another block.
                for (slice, block) in [(slice, block), ((slice + 256) % 300, (block + 1) % 3)] {
                    let found = nearby.score(SliceId(slice), block * 64).unwrap();
                    let expected = Score::from(score(slice, block).max(-127));
                    assert_eq!(found, expected, "slice {slice}, block {block}");
                }
            }
        }
    }
}
