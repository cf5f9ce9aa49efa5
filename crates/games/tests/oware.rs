//! Oware by the rules of Abapa: what each side can force without a repetition.

#[path = "oware/history.rs"]
mod history;

use std::collections::HashMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_any::{AnyGame, Options};
use nutcracker_game::{Numbering, Rules, Score, SliceId, Step, Turn, upper_bound};
use nutcracker_games::GAMES;
use nutcracker_games::halves::Board;
use nutcracker_games::sowing::{RuleSet, Sowing};
use nutcracker_retro::{
    Progress, RowOptions, Silent, SolveError, SolveOptions, SolverName, open_set,
};
use nutcracker_search::{Probed, Worth};
use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{Disk, PackOptions, Storage, TableSet, pack};

fn disk() -> Arc<dyn Storage> {
    Arc::new(Disk::default())
}

fn oware(pits: u8) -> (Sowing, AnyGame) {
    let mut options = Options::new();
    options.set("pits", pits.to_string());
    let any = GAMES.game("oware", &options).unwrap();
    (Sowing::new(RuleSet { pits, ..RuleSet::ABAPA }).unwrap(), any)
}

fn solve(any: &AnyGame, dir: &Path, last: u32, threads: usize) -> TableSet {
    let slices: Vec<SliceId> = (0..=last).map(SliceId).collect();
    let options = SolveOptions::new(threads, "test");
    any.solve_slices(&disk(), dir, &slices, &options, &Silent).unwrap();
    open_set(any, disk(), dir, 1 << 20)
}

fn worth(any: &AnyGame, set: &TableSet, text: &str) -> Worth {
    Probed::probe(any, set, &any.parse(text).unwrap().position).unwrap().worth
}

/// Both bounds of all boards of a slice by iteration from the least, and nothing else.
fn iterated(game: &Sowing, slices: &mut Vec<HashMap<Board, [Score; 2]>>) {
    let slice = SliceId(slices.len() as u32);
    let least = -game.max_score(slice);
    let boards = (0..game.slice_len(slice)).map(|index| game.unrank(slice, index).unwrap());
    slices.push(boards.map(|board| (board, [least; 2])).collect());
    loop {
        let mut changed = false;
        let boards: Vec<Board> = slices[slice.0 as usize].keys().copied().collect();
        for board in boards {
            let mut steps = Vec::new();
            // What the mover and what the opponent can force.
            let forced = if let Some(score) = game.expand(&board, &mut steps) {
                [score, -score]
            } else {
                let next = |step: &Step<Board>| {
                    let [mover, other] = slices[step.next.stones()][&step.next];
                    assert_eq!(step.turn, Turn::Passes);
                    [step.gain + other, mover - step.gain]
                };
                let all: Vec<[Score; 2]> = steps.iter().map(next).collect();
                let best = all.iter().map(|[mover, _]| *mover).max().unwrap();
                [best, all.iter().map(|[_, other]| *other).min().unwrap()]
            };
            let known = slices[slice.0 as usize].get_mut(&board).unwrap();
            assert!(known[0] <= forced[0] && known[1] <= forced[1], "bounds only grow");
            changed |= *known != forced;
            *known = forced;
        }
        if !changed {
            return;
        }
    }
}

#[test]
fn the_solver_finds_the_least_bounds() {
    for (pits, last) in [(2, 12), (3, 9), (6, 5)] {
        let (game, any) = oware(pits);
        let dirs = [1, 2].map(|threads| {
            let dir = tempfile::tempdir().unwrap();
            let set = solve(&any, dir.path(), last, threads);
            (dir, set)
        });
        let mut slices = Vec::new();
        for slice in 0..=last {
            iterated(&game, &mut slices);
            for (_, set) in &dirs {
                let table = set.get(slice).unwrap();
                let mut exact = 0;
                for index in 0..game.slice_len(SliceId(slice)) {
                    let board = game.unrank(SliceId(slice), index).unwrap();
                    let [mover, other] = slices[slice as usize][&board];
                    assert_eq!(Score::from(set.probe(slice, index).unwrap()), mover, "{board:?}");
                    let upper = upper_bound(&game, &board, &mut |next| {
                        set.probe(next.stones() as u32, game.rank(next)).map(Score::from)
                    });
                    assert_eq!(upper.unwrap(), -other, "{board:?}");
                    exact += u64::from(mover == -other);
                }
                assert_eq!(table.exact(), Some(exact));
            }
        }
    }
}

#[test]
fn answers_are_exact_or_bounds() {
    let (_, any) = oware(6);
    let dir = tempfile::tempdir().unwrap();
    let set = solve(&any, dir.path(), 6, 2);
    // North cannot be fed: South keeps its own row.
    assert_eq!(worth(&any, &set, "1,0,0,0,1,0/0,0,0,0,0,0 S"), Worth::exact(2));
    // No move leads here; its moves tell.
    let full = worth(&any, &set, "0,0,0,0,0,0/1,1,1,1,1,1 S");
    assert_eq!(full, Worth::exact(-6));
    let bounds = worth(&any, &set, "1,0,0,0,0,0/1,0,0,0,0,0 S");
    assert!(bounds.lower < bounds.upper, "{bounds:?}");
}

#[test]
fn other_solvers_refuse() {
    let (_, any) = oware(3);
    let fit = [SolverName::Bounds, SolverName::Rows, SolverName::TwoBit];
    for solver in SolverName::ALL.into_iter().filter(|solver| !fit.contains(solver)) {
        let dir = tempfile::tempdir().unwrap();
        let options = SolveOptions { solver: Some(solver), ..SolveOptions::new(1, "test") };
        let error = any.solve_slices(&disk(), dir.path(), &[SliceId(2)], &options, &Silent);
        let error = error.unwrap_err().to_string();
        assert!(error.ends_with("here a repetition leaves two bounds of it"), "{error}");
    }
    let awari = GAMES.game("awari", &Options::new()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let bounds = SolveOptions { solver: Some(SolverName::Bounds), ..SolveOptions::new(1, "test") };
    let error = awari.solve_slices(&disk(), dir.path(), &[SliceId(2)], &bounds, &Silent);
    assert!(error.unwrap_err().to_string().contains("in which a repetition is worth something"));
}

#[test]
fn the_check_finds_what_is_wrong() {
    let (game, any) = oware(6);
    let dir = tempfile::tempdir().unwrap();
    let set = solve(&any, dir.path(), 3, 1);
    let slice = SliceId(3);
    let (header, exact) = {
        let table = set.get(slice.0).unwrap();
        (table.header().clone(), table.exact())
    };
    let mut lower =
        |board: &Board| set.probe(board.stones() as u32, game.rank(board)).map(Score::from);
    let (mut right, mut others) = (Vec::new(), Vec::new());
    for index in 0..header.positions {
        let board = game.unrank(slice, index).unwrap();
        right.push(lower(&board).unwrap() as i8);
        others.push(upper_bound(&game, &board, &mut lower).unwrap() as i8);
    }
    let check = |values: &[i8], exact: Option<u64>| {
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(dir.path()).unwrap().map(Result::unwrap) {
            let name = entry.file_name();
            if !name.to_string_lossy().contains("03") {
                std::fs::copy(entry.path(), copy.path().join(name)).unwrap();
            }
        }
        let options = PackOptions { exact, ..PackOptions::default() };
        pack(&*disk(), copy.path(), &header, &options, values).unwrap();
        let set = open_set(&any, disk(), copy.path(), 1 << 20);
        let table = set.get(slice.0).unwrap();
        any.check_file(&table, &set, u64::MAX, 1, &Silent).map_err(|error| error.to_string())
    };
    assert!(check(&right, exact).is_ok());
    assert!(check(&right, exact.map(|exact| exact - 1)).unwrap_err().contains("counts other"));
    for index in (0..right.len()).step_by(5) {
        for by in [-2, 2] {
            let mut wrong = right.clone();
            wrong[index] = (wrong[index] + by).clamp(-3, 3);
            assert!(wrong == right || check(&wrong, exact).is_err(), "{index}");
        }
    }
    // Upper bounds in place of the lower ones keep all equations, and rest on cycles.
    assert_ne!(others, right);
    let error = check(&others, exact).unwrap_err();
    assert!(error.contains("rests on repeated positions alone"), "{error}");
}

/// The game with rules in one line.
fn with_rules(rules: &str) -> AnyGame {
    let mut options = Options::new();
    options.set("rules", rules.to_owned());
    GAMES.game("sowing", &options).unwrap_or_else(|error| panic!("{rules}: {error}"))
}

fn memory() -> Arc<dyn Storage> {
    Arc::new(MemoryStorage::new())
}

/// A directory of its own for each storage: the lock in it is a file on the disk whatever the storage
/// is.
fn place(storage: &Arc<dyn Storage>) -> PathBuf {
    let name = format!("oware-{}-{:p}", std::process::id(), Arc::as_ptr(storage));
    std::env::temp_dir().join(name)
}

/// The tables up to a slice, by name, checked.
fn files(
    any: &AnyGame,
    storage: &Arc<dyn Storage>,
    last: u32,
    options: &SolveOptions,
) -> Vec<(String, Vec<u8>)> {
    let slices: Vec<SliceId> = (0..=last).map(SliceId).collect();
    let dir = &place(storage);
    let solved = any.solve_slices(storage, dir, &slices, options, &Silent);
    // What is solved is in memory; the lock is on the disk.
    std::fs::remove_dir_all(dir).unwrap();
    solved.unwrap_or_else(|error| panic!("{}: {error}", any.id()));
    let names = storage.list(dir).unwrap().into_iter();
    let tables = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "nut"));
    let file = |name: String| {
        let file = storage.open(&dir.join(&name)).unwrap();
        let bytes = file.bytes(0, file.len() as usize).unwrap().into_owned();
        (name, bytes)
    };
    tables.map(file).collect()
}

fn by(solver: SolverName, threads: usize, portable: bool) -> SolveOptions {
    let rows = RowOptions { portable, ..RowOptions::default() };
    let options = SolveOptions::new(threads, "test");
    SolveOptions { solver: Some(solver), rows, ..options }
}

fn solved_by(any: &AnyGame, last: u32, options: &SolveOptions) -> Vec<(String, Vec<u8>)> {
    files(any, &memory(), last, options)
}

#[test]
fn all_solvers_write_the_same_files() {
    let rule_sets = [
        ("pits:6", 6),
        ("pits:5", 6),
        ("pits:4", 8),
        ("pits:3", 9),
        ("pits:2", 12),
        ("pits:1", 8),
        ("pits:4;grand-slam:illegal", 8),
        ("pits:4;grand-slam:legal", 8),
        ("pits:4;grand-slam:rest", 8),
        ("pits:4;grand-slam:leaves-last", 8),
        ("pits:4;grand-slam:leaves-first", 8),
        ("pits:3;grand-slam:leaves-first;chain:no", 9),
        ("pits:3;chain:no", 9),
        ("pits:3;captures:even;captures-own:opposite", 9),
        ("pits:3;captures:1+4;captures-own:always", 9),
        ("pits:3;origin:first-seed", 9),
        ("pits:3;origin:sow;feed:if-possible", 9),
        ("pits:3;store:yes", 9),
        ("pits:3;captures-from:both;grand-slam:legal", 9),
        ("pits:3;feed:no;end:empty-row;rest:empty-row", 9),
        ("pits:3;feed:no;end:empty-board", 9),
    ];
    for (rules, last) in rule_sets {
        let any = with_rules(rules);
        let expected = solved_by(&any, last, &by(SolverName::Bounds, 2, false));
        assert_eq!(expected.len(), last as usize + 1, "{rules}");
        for (threads, portable) in [(1, true), (2, false)] {
            let found = solved_by(&any, last, &by(SolverName::Rows, threads, portable));
            assert!(found == expected, "{rules}, {threads} threads, portable {portable}");
        }
        let found = solved_by(&any, last, &by(SolverName::TwoBit, 2, false));
        assert!(found == expected, "{rules}, two-bit");
    }
}

#[test]
fn larger_rows_of_oware() {
    let (_, any) = oware(6);
    let expected = solved_by(&any, 10, &by(SolverName::Bounds, 2, false));
    let (storage, rows) = (memory(), by(SolverName::Rows, 2, false));
    assert!(files(&any, &storage, 10, &rows) == expected);
    assert!(solved_by(&any, 8, &by(SolverName::TwoBit, 1, false)) == expected[..9]);
    // Upper bounds that are missing or damaged are computed again.
    let dir = place(&storage);
    let upper = dir.join("upper");
    storage.remove(&dir.join("oware-10.nut")).unwrap();
    storage.remove(&upper.join("oware-07.nut")).unwrap();
    let damaged = upper.join("oware-08.nut");
    let file = storage.open(&damaged).unwrap();
    let mut bytes = file.bytes(0, file.len() as usize).unwrap().into_owned();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    storage.create(&damaged).unwrap().write_all(&bytes).unwrap();
    assert!(files(&any, &storage, 10, &rows) == expected);
}

#[test]
fn rows_with_little_memory_probe_smaller_slices() {
    let (_, any) = oware(4);
    let expected = solved_by(&any, 8, &by(SolverName::Bounds, 1, false));
    for solver in [SolverName::Rows, SolverName::TwoBit] {
        let storage = memory();
        let dir = &place(&storage);
        let mut least = by(solver, 1, false);
        for slice in (0..=8).map(SliceId) {
            // What is needed depends on what is given, by a cache.
            least.memory = 0;
            while let Err(error) = any.solve_slices(&storage, dir, &[slice], &least, &Silent) {
                match error {
                    SolveError::TooLittleMemory { needed, .. } => least.memory = needed,
                    error => panic!("{error}"),
                }
            }
        }
        assert!(files(&any, &storage, 8, &least) == expected, "{solver}");
    }
}

#[test]
fn rows_of_bounds_are_not_streamed() {
    let (_, any) = oware(3);
    let rows = RowOptions { budget: Some(1), ..RowOptions::default() };
    let options = SolveOptions { rows, ..by(SolverName::Rows, 1, false) };
    let dir = tempfile::tempdir().unwrap();
    let error = any.solve_slices(&disk(), dir.path(), &[SliceId(2)], &options, &Silent);
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("rows of two bounds are not streamed from disk"), "{error}");
}

/// Panics at a given progress report.
struct Stops {
    at: u64,
    reports: AtomicU64,
}

impl Progress for Stops {
    fn advance(&self, _done: u64) {
        assert!(self.reports.fetch_add(1, Relaxed) != self.at, "stopped");
    }
}

#[test]
fn two_bit_stopped_anywhere_resumes_to_the_same_files() {
    let (_, any) = oware(4);
    let expected = solved_by(&any, 7, &by(SolverName::Bounds, 1, false));
    let resumable = SolveOptions { checkpoint_positions: 1, ..by(SolverName::TwoBit, 1, false) };
    let slices: Vec<SliceId> = (0..=7).map(SliceId).collect();
    let run = |storage: &Arc<dyn Storage>, progress: &dyn Progress| {
        any.solve_slices(storage, &place(storage), &slices, &resumable, progress)
    };
    let counter = Stops { at: u64::MAX, reports: AtomicU64::new(0) };
    let storage = memory();
    run(&storage, &counter).unwrap();
    std::fs::remove_dir_all(place(&storage)).unwrap();
    let reports = counter.reports.into_inner();
    std::panic::set_hook(Box::new(|_| {}));
    for first in (0..reports).step_by((reports / 12).max(1) as usize) {
        let storage = memory();
        // Stopped again and again, a little later each time.
        for turn in 0..3 {
            let stops = Stops { at: first / (turn + 1), reports: AtomicU64::new(0) };
            let _ = catch_unwind(AssertUnwindSafe(|| run(&storage, &stops)));
        }
        assert!(files(&any, &storage, 7, &resumable) == expected, "stopped at {first}");
    }
}
