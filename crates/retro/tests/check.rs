//! The independent check accepts what is right and refuses what is not.

use std::path::Path;
use std::sync::Arc;

use crate::common::{Plain, disk, scores, solve_on};
use nutcracker_game::{Game, Numbering, Rules, SliceId, Target, targets_of};
use nutcracker_games::awari::Awari;
use nutcracker_retro::check::{CheckError, Checked, Discrepancy, check_sample, check_slice};
use nutcracker_retro::{Silent, open_set};
use nutcracker_table::fault::MemoryStorage;
use nutcracker_table::{Header, PackOptions, Storage, pack};

const SLICE: u32 = 3;
/// Memory for everything at once.
const ALL: u64 = u64::MAX;

fn header(awari: &Awari, positions: usize) -> Header {
    let id = awari.id();
    let (positions, range) = (positions as u64, SLICE as u8);
    Header::new(id.name, id.options, SLICE, positions, range, awari.index_scheme())
}

/// Replaces the file of the slice by one with these scores.
pub fn plant(awari: &Awari, dir: &Path, scores: &[i8]) {
    std::fs::remove_file(dir.join("awari-03.nut")).unwrap();
    let header = header(awari, scores.len());
    pack(&*disk(), dir, &header, &PackOptions::default(), scores).unwrap();
}

fn check(awari: &Awari, dir: &Path, threads: usize, memory: u64) -> Result<Checked, CheckError> {
    let set = open_set(awari, Arc::clone(&disk()), dir, 1 << 20);
    check_slice(awari, SliceId(SLICE), &set, memory, threads, &Silent)
}

/// The best of a position's moves by these scores; `None` where the game is over.
fn best(awari: &Awari, smaller: &Plain, scores: &[i8], index: u64) -> Option<i8> {
    let position = awari.unrank(SliceId(SLICE), index).unwrap();
    if awari.outcome(&position).is_some() {
        return None;
    }
    let mut best = i8::MIN;
    targets_of(awari, &position, |target| {
        best = best.max(match target {
            Target::Inside(next) | Target::Zeroing(next) => -scores[next as usize],
            Target::Outside { slice, index, gain, .. } => {
                gain as i8 - smaller.0[slice.0 as usize][index as usize]
            }
        });
    });
    Some(best)
}

/// Scores in which every position equals the best of its moves, and all drawn ones are invented:
/// found by giving the drawn ones arbitrary signs and following the moves until nothing changes.
pub fn invented(awari: &Awari, right: &[i8]) -> Vec<i8> {
    let smaller = Plain::solve(awari, SLICE - 1);
    let drawn: Vec<u64> = (0..right.len() as u64).filter(|&i| right[i as usize] == 0).collect();
    let mut random = 1u64;
    for _ in 0..1000 {
        let mut wrong = right.to_vec();
        for &index in &drawn {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            wrong[index as usize] = if random >> 63 == 0 { 1 } else { -1 };
        }
        for _ in 0..200 {
            for &index in &drawn {
                wrong[index as usize] = best(awari, &smaller, &wrong, index).unwrap();
            }
        }
        let agrees = (0..right.len() as u64).all(|index| {
            best(awari, &smaller, &wrong, index).is_none_or(|best| best == wrong[index as usize])
        });
        if agrees && drawn.iter().all(|&index| wrong[index as usize] != 0) {
            return wrong;
        }
    }
    panic!("there is no such table");
}

#[test]
fn invented_scores_that_support_each_other_are_refused() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), SLICE, 1).unwrap();
    check(&awari, dir.path(), 2, ALL).unwrap();

    let right = scores(&awari, &disk(), dir.path(), SLICE);
    let wrong = invented(&awari, &right);
    assert_eq!((0..right.len()).filter(|&i| right[i] != wrong[i]).count(), 63);
    plant(&awari, dir.path(), &wrong);
    for (threads, memory) in [(1, ALL), (2, ALL), (1, 0), (2, 0)] {
        let error = check(&awari, dir.path(), threads, memory).unwrap_err();
        let CheckError::Wrong { fault: Discrepancy::Unfounded { count, .. }, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(*count, 63);
        assert!(error.to_string().contains("rests on repeated positions alone"), "{error}");
    }
    // Which a sample cannot see, however large.
    let set = open_set(&awari, Arc::clone(&disk()), dir.path(), 1 << 20);
    assert_eq!(
        check_sample(&awari, &set.get(SLICE).unwrap(), &set, 1000, 2, &Silent).unwrap(),
        364
    );
}

#[test]
fn every_single_wrong_score_is_found_and_named() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), SLICE, 1).unwrap();
    let right = scores(&awari, &disk(), dir.path(), SLICE);
    // In memory, because thousands of files are written.
    let memory = MemoryStorage::new();
    let storage: Arc<dyn Storage> = Arc::new(memory.clone());
    for slice in 0..SLICE {
        let path = dir.path().join(format!("awari-{slice:02}.nut"));
        memory.put(&path, &std::fs::read(&path).unwrap());
    }
    for index in 0..right.len() {
        for wrong in (-3..=3).filter(|&score| score != right[index]) {
            let mut scores = right.clone();
            scores[index] = wrong;
            let _ = storage.remove(&dir.path().join("awari-03.nut"));
            pack(
                &*storage,
                dir.path(),
                &header(&awari, right.len()),
                &PackOptions::default(),
                &scores,
            )
            .unwrap();
            let set = open_set(&awari, Arc::clone(&storage), dir.path(), 1 << 20);
            let error = check_slice(&awari, SliceId(SLICE), &set, ALL, 1, &Silent).unwrap_err();
            assert!(matches!(error, CheckError::Wrong { .. }), "{error}");
            if index % 7 == 0 {
                // With hardly any memory it reports the same fault at the same position.
                let pieces = check_slice(&awari, SliceId(SLICE), &set, 0, 1, &Silent).unwrap_err();
                assert_eq!(error.to_string(), pieces.to_string());
            }
            // So does a sample of as many positions as there are.
            let count = right.len() as u64;
            let error = check_sample(&awari, &set.get(SLICE).unwrap(), &set, count, 1, &Silent)
                .unwrap_err();
            assert!(matches!(error, CheckError::Wrong { .. }), "{error}");
        }
    }
}

#[test]
fn a_game_of_large_scores_is_checked_too() {
    // From 32 stones on a score and its marks need more than a byte.
    let awari = Awari::new(2).unwrap();
    let kalah = nutcracker_games::kalah::Kalah::new(2, 10, false).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&kalah, &disk(), dir.path(), 36, 2).unwrap();
    let other = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), other.path(), 16, 2).unwrap();
}

#[test]
fn with_little_memory_the_check_runs_in_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let awari = Awari::new(6).unwrap();
    let kalah = nutcracker_games::kalah::Kalah::new(3, 10, false).unwrap();
    let reachable = Awari::reachable(4).unwrap();
    in_pieces(&awari, &dir.path().join("awari"), 8);
    in_pieces(&reachable, &dir.path().join("reachable"), 9);
    in_pieces(&kalah, &dir.path().join("kalah"), 8);
}

/// Whether slices are accepted with all memory and with hardly any.
fn in_pieces<G: Game>(game: &G, dir: &Path, last: u32) {
    solve_on(game, &disk(), dir, last, 2).unwrap();
    let set = open_set(game, Arc::clone(&disk()), dir, 1 << 16);
    for slice in 0..=last {
        for (memory, pieces) in [(ALL, false), (0, true), (1 << 14, true)] {
            let positions = game.slice_len(SliceId(slice));
            let checked = check_slice(game, SliceId(slice), &set, memory, 2, &Silent).unwrap();
            assert_eq!(checked.positions, positions);
            assert_eq!(checked.sampled, positions.min(20_000));
            assert!(checked.in_pieces == pieces || memory > 0, "{slice} with {memory}");
        }
    }
}
