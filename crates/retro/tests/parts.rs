//! Checks in shares: together they find what one check finds, each fault where it belongs.

use std::path::Path;
use std::sync::Arc;

use crate::common::{disk, scores, solve_on};
use nutcracker_game::{Game, Metric, Numbering, Rules, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::krk::Krk;
use nutcracker_games::othello::Othello;
use nutcracker_retro::check::{CheckError, Checked, PartRecord, Parts, Share, check_share};
use nutcracker_retro::{Silent, SolveOptions, open_metric, solve_slices};
use nutcracker_table::{Header, PackOptions, TableSet, pack};

fn shares(of: u32) -> Vec<Share> {
    (1..=of).map(|part| Share::new(part, of).unwrap()).collect()
}

fn check<G: Game>(
    game: &G,
    set: &TableSet,
    slice: u32,
    share: Share,
    memory: u64,
) -> Result<Checked, CheckError> {
    check_share(game, &*set.get(slice)?, set, share, memory, 2, &Silent)
}

/// Every position is compared once, and every level founded once, whatever the memory.
fn agree<G: Game>(game: &G, dir: &Path, metric: Metric, slices: &[SliceId]) {
    let set = open_metric(game, Some(metric), disk(), dir, 1 << 20);
    for &slice in slices {
        let table = set.get(slice.0).unwrap();
        for of in [2, 3, 8] {
            let (mut compared, mut levels, mut sampled) = (0, Vec::new(), 0);
            let mut last = None;
            for (share, memory) in shares(of).into_iter().zip([u64::MAX, 0].into_iter().cycle()) {
                let checked = check(game, &set, slice.0, share, memory).unwrap();
                compared += checked.compared;
                sampled += checked.sampled;
                levels.extend(checked.levels.clone().unwrap_or_default());
                let record = PartRecord::new(game, &table, &set, share, &checked).unwrap();
                record.save(&*disk(), &table).unwrap();
                let parts = record.parts(&*disk(), &table).unwrap();
                if share.part() < of {
                    assert_eq!(parts, Parts::Missing((share.part() + 1..=of).collect()));
                } else {
                    assert_eq!(parts, Parts::All);
                }
                last = Some(record);
            }
            assert_eq!(compared, table.positions());
            assert_eq!(sampled, table.positions().min(20_000));
            let mut needed: Vec<i16> =
                table.histogram().iter().map(|(score, _)| i16::from(score).abs()).collect();
            needed.retain(|&level| level > 0 && !metric.is_distance());
            needed.sort_unstable();
            needed.dedup();
            levels.sort_unstable();
            assert_eq!(levels, needed);
            PartRecord::clear(&*disk(), &table, of);
            let parts = last.unwrap().parts(&*disk(), &table).unwrap();
            assert_eq!(parts, Parts::Missing((1..=of).collect()));
        }
    }
}

#[test]
fn shares_together_are_the_check() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 5, 1).unwrap();
    let slices: Vec<SliceId> = (0..=5).map(SliceId).collect();
    agree(&awari, dir.path(), Metric::Score, &slices);

    let othello = Othello::new(4).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&othello, &disk(), dir.path(), 2, 2).unwrap();
    agree(&othello, dir.path(), Metric::Score, &[SliceId(0), SliceId(1)]);

    for metric in [Metric::Dtw, Metric::Wdl] {
        let dir = tempfile::tempdir().unwrap();
        let slices: Vec<SliceId> = (0..=Krk.largest_slice().0).map(SliceId).collect();
        let options = SolveOptions { metric: Some(metric), ..SolveOptions::new(2, "test") };
        if !Krk.metrics().contains(&metric) {
            continue;
        }
        solve_slices(&Krk, &disk(), dir.path(), &slices, &options, &Silent).unwrap();
        let set = open_metric(&Krk, Some(metric), disk(), dir.path(), 1 << 20);
        let checked = shares(3).into_iter().map(|share| {
            check(&Krk, &set, Krk.largest_slice().0, share, u64::MAX).unwrap().compared
        });
        assert_eq!(checked.sum::<u64>(), Krk.slice_len(Krk.largest_slice()));
    }
}

const SLICE: u32 = 4;

/// Replaces the file of the slice by one with these scores.
fn plant(awari: &Awari, dir: &Path, scores: &[i8]) -> TableSet {
    std::fs::remove_file(dir.join("awari-04.nut")).unwrap();
    let id = awari.id();
    let (positions, range) = (scores.len() as u64, SLICE as u8);
    let header = Header::new(id.name, id.options, SLICE, positions, range, awari.index_scheme());
    pack(&*disk(), dir, &header, &PackOptions::default(), scores).unwrap();
    open_metric(awari, None, Arc::clone(&disk()), dir, 1 << 20)
}

/// A wrong score of a position that no other leads to is found by the share that compares it, and
/// by no other.
#[test]
fn a_forged_value_is_found_by_the_share_that_has_it() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), SLICE, 1).unwrap();
    let right = scores(&awari, &disk(), dir.path(), SLICE);
    let mut before = Vec::new();
    let alone = |index: &u64| {
        before.clear();
        awari.unmoves(&awari.unrank(SliceId(SLICE), *index).unwrap(), &mut before);
        before.is_empty()
    };
    let all: Vec<u64> = (0..right.len() as u64).filter(alone).collect();
    assert!(all.len() > 100, "{}", all.len());
    let mut found_by = std::collections::BTreeSet::new();
    for &index in all.iter().step_by(all.len() / 40) {
        let mut wrong = right.clone();
        let score = &mut wrong[index as usize];
        *score = if *score == 4 { 3 } else { *score + 1 };
        let set = plant(&awari, dir.path(), &wrong);
        for memory in [u64::MAX, 0] {
            let mut faults = Vec::new();
            for share in shares(8) {
                // The sample by the plain rules is another way to find it: it is all positions here.
                if let Err(error) = check(&awari, &set, SLICE, share, memory) {
                    let text = error.to_string();
                    assert!(text.contains(&format!("(number {index})")), "{text}");
                    faults.push(share.part());
                }
            }
            assert!((1..=2).contains(&faults.len()), "{index}: {faults:?}");
            found_by.extend(faults);
        }
    }
    assert_eq!(found_by.len(), 8, "{found_by:?}");
}

/// Scores that support each other in a cycle agree everywhere: only the share that founds their
/// level finds them, with the first of them and their number.
#[test]
fn invented_scores_are_found_by_the_share_of_their_level() {
    let awari = Awari::new(6).unwrap();
    let dir = tempfile::tempdir().unwrap();
    solve_on(&awari, &disk(), dir.path(), 3, 1).unwrap();
    let right = scores(&awari, &disk(), dir.path(), 3);
    let wrong = crate::check::invented(&awari, &right);
    crate::check::plant(&awari, dir.path(), &wrong);
    let set = open_metric(&awari, None, disk(), dir.path(), 1 << 20);
    for of in [2, 3, 5] {
        for memory in [u64::MAX, 0] {
            let mut found = Vec::new();
            for share in shares(of) {
                match check(&awari, &set, 3, share, memory) {
                    Ok(checked) => assert!(!checked.levels.unwrap().contains(&1)),
                    Err(error) => found.push(error.to_string()),
                }
            }
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains("63 positions are like this"), "{}", found[0]);
        }
    }
}
