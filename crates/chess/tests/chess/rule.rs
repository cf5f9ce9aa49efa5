//! Endings under a rule of N moves, compared with a solver that has the clock in its positions.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::{fs, io};

use nutcracker_any::{AnyGame, Registered};
use nutcracker_chess::Chess;
use nutcracker_game::{Metric, Numbering, Rules, SliceId};
use nutcracker_retro::{Operation, Silent, SolveOptions, Watch};
use nutcracker_table::{Disk, Storage};
use tempfile::TempDir;

use super::clock::Graph;
use super::solved::{solve, solve_unchecked, values};

/// The endings up to one, each after those that it needs.
fn endings(name: &str) -> Vec<SliceId> {
    let mut all = nutcracker_game::closure(&Chess, Chess.select(name).unwrap());
    all.sort_unstable();
    all
}

/// A rule, what was solved under it, and who wins in the endings that were compared.
struct Ruled {
    limit: usize,
    dir: TempDir,
    winners: Vec<Vec<i8>>,
}

impl Ruled {
    fn new(name: &str, limit: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        solve_unchecked(name, Metric::DtzIn(limit as u8), dir.path());
        let count = endings(name).iter().map(|slice| slice.0 as usize + 1).max().unwrap();
        Ruled { limit, dir, winners: vec![Vec::new(); count] }
    }

    /// Compares an ending with its definition.
    fn compare(&mut self, graph: &Graph) {
        let limit = self.limit;
        let (fresh, until) = graph.solve(limit, &self.winners);
        let found = values(graph.slice, Metric::DtzIn(limit as u8), self.dir.path());
        for index in 0..fresh.len() {
            let plies = 2 * limit as i16 - i16::from(until[index]);
            let expected = match fresh[index] {
                _ if graph.mated[index] => -127,
                1 => 128 - (plies + 1) / 2,
                -1 => plies / 2 - 127,
                _ => 0,
            };
            assert!(
                i16::from(found[index]) == expected
                    || Chess.unrank(graph.slice, index as u64).is_none(),
                "{} {index} under {limit}: {} not {expected}",
                graph.slice,
                found[index]
            );
        }
        self.winners[graph.slice.0 as usize] = fresh;
    }
}

/// Compares `dtzN` for some N, on two threads.
fn compare(name: &str, limits: RangeInclusive<usize>) -> Vec<Ruled> {
    let mut ruled: Vec<Ruled> = limits.map(|limit| Ruled::new(name, limit)).collect();
    for slice in endings(name) {
        let graph = Graph::new(slice);
        // The longest first.
        let open = Mutex::new(ruled.iter_mut());
        let next = || open.lock().unwrap().next_back();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(ruled) = next() {
                        ruled.compare(&graph);
                    }
                });
            }
        });
    }
    ruled
}

/// The smallest rules under which positions are won, as `dtr` has them; 0 beyond the last.
fn smallest(graph: &Graph, ruled: &[Ruled]) -> Vec<i8> {
    let rule = |index: usize| {
        let winner = |ruled: &&Ruled| ruled.winners[graph.slice.0 as usize][index] != 0;
        let limit = ruled.iter().find(winner)?;
        Some(match limit.winners[graph.slice.0 as usize][index] {
            _ if graph.mated[index] => -127,
            1 => (128 - limit.limit) as i8,
            _ => (limit.limit as i16 - 127) as i8,
        })
    };
    (0..graph.len()).map(|index| rule(index).unwrap_or(0)).collect()
}

/// Compares the smallest rules with `dtr`, and those above a rule of four moves with `dth4`.
fn compare_rules(name: &str, ruled: &[Ruled]) {
    let most = ruled.last().unwrap().limit;
    let dirs = [Metric::Dth(0), Metric::Dth(4), Metric::DtzIn(4)].map(|metric| {
        let dir = tempfile::tempdir().unwrap();
        solve(name, metric, dir.path());
        (metric, dir)
    });
    for graph in endings(name).into_iter().map(Graph::new) {
        let rules = smallest(&graph, ruled);
        let [rule, hybrid, limited] =
            dirs.each_ref().map(|(metric, dir)| values(graph.slice, *metric, dir.path()));
        for index in 0..rules.len() {
            if Chess.unrank(graph.slice, index as u64).is_none() {
                continue;
            }
            let found = Metric::Dth(0).distance(rule[index].into());
            if found.is_none_or(|found| usize::from(found.moves) <= most) {
                assert_eq!(rule[index], rules[index], "{} {index}", graph.slice);
            } else {
                assert_eq!(rules[index], 0, "{} {index}", graph.slice);
            }
            let expected = if limited[index] != 0 { limited[index] } else { rule[index] };
            assert_eq!(hybrid[index], expected, "{} {index}", graph.slice);
        }
    }
}

/// Compares `dtr` with `dtzN` for every N, up to the one under which all is won that can be.
fn compare_with_every_rule(name: &str) {
    let dir = tempfile::tempdir().unwrap();
    let at = |metric: Metric| dir.path().join(metric.name());
    let solve = |metric| solve_unchecked(name, metric, &at(metric));
    solve(Metric::Dtz);
    solve(Metric::Dth(0));
    let slices = endings(name);
    let is_hole = |slice, index: usize| Chess.unrank(slice, index as u64).is_none();
    let read = |metric| {
        let all = slices.iter().map(|&slice| values(slice, metric, &at(metric)));
        all.collect::<Vec<Vec<i8>>>()
    };
    let (unruled, expected) = (read(Metric::Dtz), read(Metric::Dth(0)));
    let mut rules: Vec<Vec<i8>> = unruled.iter().map(|values| vec![0; values.len()]).collect();
    for limit in 1.. {
        let metric = Metric::DtzIn(limit);
        solve(metric);
        let mut open = false;
        for (place, &slice) in slices.iter().enumerate() {
            let found = values(slice, metric, &at(metric));
            for (index, (&found, rule)) in found.iter().zip(&mut rules[place]).enumerate() {
                if *rule != 0 {
                    continue;
                }
                let position = || Chess.unrank(slice, index as u64);
                let is_mate = || position().is_some_and(|at| Chess.outcome(&at) == Some(-1));
                *rule = match found {
                    0 => 0,
                    -127 if is_mate() => -127,
                    1.. => (128 - i16::from(limit)) as i8,
                    _ => (i16::from(limit) - 127) as i8,
                };
                open = open || found == 0 && unruled[place][index] != 0 && !is_hole(slice, index);
            }
        }
        std::fs::remove_dir_all(at(metric)).unwrap();
        if !open {
            break;
        }
    }
    for ((&slice, rules), expected) in slices.iter().zip(&rules).zip(&expected) {
        for (index, (found, expected)) in rules.iter().zip(expected).enumerate() {
            assert!(
                found == expected || is_hole(slice, index),
                "{slice} {index}: {found}, dtr has {expected}"
            );
        }
    }
}

#[test]
fn three_men_under_a_rule_of_three_moves() {
    compare("kpk", 3..=3);
}

#[test]
#[ignore = "takes a minute; scripts/test-long runs it"]
fn three_men_under_rules_of_up_to_twelve_moves() {
    compare_rules("kpk", &compare("kpk", 1..=12));
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn queen_against_rook_under_rules_of_five_to_fifteen_moves() {
    compare("kqkr", 5..=15);
}

/// Captures and pawns' moves of both sides, and losers that have to zero at the last ply; the endings
/// that pawns may become are among them.
#[test]
#[ignore = "takes minutes and 4 GB; scripts/test-long runs it"]
fn pawn_against_pawn_under_rules_of_five_to_fifteen_moves() {
    compare("kpkp", 5..=15);
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn the_smallest_rule_is_the_first_under_which_queen_against_knight_wins() {
    compare_with_every_rule("kqkn");
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn the_smallest_rule_is_the_first_under_which_rook_against_pawn_wins() {
    compare_with_every_rule("krkp");
}

/// Rules lie in work files. Where a disk fails, one sentence says so, and the same command succeeds
/// once it works again.
#[test]
fn work_files_of_rules_can_fail_at_any_time() {
    let solve = |dir: &Path, watch: Watch| {
        let game: AnyGame = Chess.erase();
        let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
        let metric = Some(Metric::Dth(0));
        let options = SolveOptions { metric, watch, ..SolveOptions::new(2, "test") };
        game.solve_slices(&disk, dir, &Chess.select("krk").unwrap(), &options, &Silent)
    };
    let table = |dir: &Path| fs::read(dir.join("chess-krk.nut")).unwrap();
    let expected = tempfile::tempdir().unwrap();
    solve(expected.path(), Watch::default()).unwrap();
    let written = [Operation::Folder, Operation::Open, Operation::Allocate];
    for operation in written.into_iter().chain([Operation::Read, Operation::Write]) {
        for failing in [0, 1, 5] {
            let dir = tempfile::tempdir().unwrap();
            let count = Arc::new(AtomicU64::new(0));
            let watch = Watch::new(move |now, _| {
                if now == operation && count.fetch_add(1, Relaxed) >= failing {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                Ok(())
            });
            let what = format!("{operation:?} number {failing}");
            match solve(dir.path(), watch) {
                Ok(_) => assert!(failing > 0, "{what}"),
                Err(error) => {
                    let sentence = error.to_string();
                    assert!(sentence.starts_with("cannot "), "{what}: {sentence}");
                    assert!(sentence.contains("the disk is full: make room"), "{what}: {sentence}");
                }
            }
            solve(dir.path(), Watch::default()).unwrap();
            assert!(table(dir.path()) == table(expected.path()), "{what}");
            let left = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
            let work: Vec<_> =
                left.filter(|name| name.display().to_string().starts_with("work")).collect();
            assert!(work.is_empty(), "{what}: {work:?}");
        }
    }
}
