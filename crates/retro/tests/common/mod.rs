//! What several tests need.

use std::path::Path;
use std::sync::Arc;

pub use nutcracker_game::toy::Heap;
use nutcracker_game::{Children, Game, SliceId};
use nutcracker_retro::in_memory::sweep_slice;
use nutcracker_retro::{Silent, SliceReport, SolveError, SolveOptions, open_set, solve};
use nutcracker_table::{Disk, Storage};

/// Slices by the plain solver, in memory.
pub struct Plain(pub Vec<Vec<i8>>);

impl Children for Plain {
    type Error = std::convert::Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let start = start as usize;
        out.copy_from_slice(&self.0[slice.0 as usize][start..start + out.len()]);
        Ok(())
    }
}

impl Plain {
    pub fn solve<G: Game>(game: &G, last: u32) -> Self {
        let mut plain = Plain(Vec::new());
        for slice in (0..=last).map(SliceId) {
            let Ok(scores) = sweep_slice(game, slice, &plain);
            plain.0.push(scores);
        }
        plain
    }
}

pub fn disk() -> Arc<dyn Storage> {
    Arc::new(Disk { map: false })
}

pub fn solve_on<G: Game>(
    game: &G,
    storage: &Arc<dyn Storage>,
    dir: &Path,
    last: u32,
    threads: usize,
) -> Result<Vec<SliceReport>, SolveError> {
    let options = SolveOptions::new(threads, "test");
    solve(game, storage, dir, SliceId(last), &options, &Silent)
}

/// All scores of a slice, from its file.
pub fn scores<G: Game>(game: &G, storage: &Arc<dyn Storage>, dir: &Path, slice: u32) -> Vec<i8> {
    let table = open_set(game, Arc::clone(storage), dir, 0).get(slice).unwrap();
    let mut scores = vec![0; table.positions() as usize];
    table.read(0, &mut scores).unwrap();
    scores
}

/// Names and bytes of all tables of a directory, checked or not.
pub fn tables(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tables: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let name = name.strip_suffix(".unchecked").unwrap_or(&name).to_owned();
            let is_table = Path::new(&name).extension().is_some_and(|end| end == "nut");
            is_table.then(|| (name, std::fs::read(path).unwrap()))
        })
        .collect();
    tables.sort();
    tables
}
