//! The laws of all endings, exhaustive where they are small.

use nutcracker_chess::Chess;
use nutcracker_game::{Numbering, Rules, law};

/// Published: 28,056 positions with Black to move and 21,959 with White to move, and 462 pairs of
/// kings, mirror images apart.
#[test]
fn kings_and_a_rook() {
    let krk = Chess.slice_named("krk").unwrap();
    let report = law::check(&Chess, [krk], u64::MAX).unwrap();
    assert!(report.exhaustive);
    assert_eq!((report.slices, report.positions), (2, 462 + 28_056 + 21_959));
}

/// With pawns, with two sides that have the same men, and with two men of a kind.
#[test]
fn samples_of_small_endings() {
    for name in ["kpk", "knkn", "knnk"] {
        law::check(&Chess, [Chess.slice_named(name).unwrap()], 1000).unwrap();
    }
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn all_of_three_men_and_samples_of_all_endings() {
    let report = law::check(&Chess, Chess.select("3").unwrap(), u64::MAX).unwrap();
    assert!(report.exhaustive);
    assert_eq!(report.slices, 6);
    let report = law::check(&Chess, Chess.select("5").unwrap(), 600).unwrap();
    assert_eq!(report.slices, 146);
}

#[test]
fn captures_in_passing() {
    for (name, sample) in [("kpkp", 60_000), ("kppkp", 20_000), ("krpkp", 20_000)] {
        let slice = Chess.slice_named(name).unwrap();
        for part in Chess.parts(slice) {
            let passing = part.range.clone().rev().take(sample);
            let mut found = 0;
            for index in passing {
                let Some(position) = Chess.unrank(slice, index) else { continue };
                if position.passed().is_none() {
                    continue;
                }
                found += 1;
                assert_eq!(Chess.rank(&position), index);
                let mut before = Vec::new();
                Chess.unmoves(&position, &mut before);
                assert!(before.len() <= 1, "{name} {index}");
                for earlier in before {
                    let mut steps = Vec::new();
                    Chess.steps(&earlier, &mut steps);
                    assert!(steps.iter().any(|step| step.next == position));
                }
            }
            assert!(found > 1000, "{name}: {found}");
        }
    }
}

/// Rows of 64 and 48 numbers, two men of a kind in the last digit, kings on the diagonal, sides with
/// the same men, and captures in passing.
#[test]
fn holes_of_a_range_are_those_of_its_numbers() {
    for name in ["krk", "kpk", "krkr", "kqkp", "knnk", "kpkp", "kqrkr", "krpkp", "kppkn", "knnkb"] {
        let slice = Chess.slice_named(name).unwrap();
        for part in Chess.parts(slice) {
            let len = part.range.end - part.range.start;
            for start in (0..10).map(|tenth| part.range.start + len * tenth / 10 + 17 * tenth) {
                let range = start..(start + 5_000).min(Chess.slice_len(slice));
                let mut found = Vec::new();
                Chess.holes(slice, range.clone(), &mut |index| found.push(index));
                let is_hole = |&index: &u64| Chess.unrank(slice, index).is_none();
                assert_eq!(found, range.filter(is_hole).collect::<Vec<_>>(), "{name} {start}");
            }
        }
    }
}

#[test]
fn names_of_endings() {
    assert_eq!(Chess.select("KNKR"), Chess.select("krkn"));
    assert_eq!(Chess.select("4").unwrap().len(), 36);
    assert_eq!(Chess.select("5").unwrap().len(), 146);
    for text in ["", "1", "6", "krkq2", "kqqqqk", "k", "kkk", "rkk"] {
        let error = Chess.select(text).unwrap_err().to_string();
        assert!(error.contains("endings of 2 to 5 men"), "{error}");
    }
    let below = |name: &str| -> Vec<String> {
        let below = Chess.below(Chess.slice_named(name).unwrap());
        below.iter().map(|&slice| Chess.slice_name(slice)).collect()
    };
    assert_eq!(below("krk"), ["kk"]);
    assert_eq!(below("kpk"), ["kk", "kqk", "krk", "kbk", "knk"]);
    let start = Chess.slice_of(&Chess.start().position);
    assert!(!Chess.has_database(start));
    // A right to castle is not in the index.
    let castles = Chess.parse("4k3/8/8/8/8/8/8/4K2R w K -").unwrap().position;
    assert!(!Chess.has_database(Chess.slice_of(&castles)));
}
