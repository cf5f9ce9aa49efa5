//! Databases of which only part of the scores is known.

use std::fs;

use insta::assert_snapshot;
use nutcracker_table::{Manifest, Reach};
use serde_json::{Value, json};

use crate::harness::{Place, tables, up_to_column};

/// A place with 9 stones to ±2, and smaller slices to what that needs.
fn narrow() -> Place {
    let place = Place::new();
    place.run(&["solve", "awari", "--stones", "9", "--window", "2"]).success();
    place
}

fn names(place: &Place) -> Vec<String> {
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    tables(&place.awari()).iter().map(name).collect()
}

#[test]
fn summary() {
    let run = Place::new().run(&["solve", "awari", "--stones", "9", "--window", "2"]).success();
    assert_snapshot!("window_summary", up_to_column(&run.stdout, "mean"));
    let run = Place::new().run(&["solve", "awari", "--stones", "4"]).success();
    assert!(!run.stdout.contains("window"), "{}", run.stdout);
}

#[test]
fn a_wider_file_serves_and_nothing_is_overwritten() {
    let place = narrow();
    let files = names(&place);
    let expected = ["05", "06-w5", "07-w4", "08-w3", "09-w2"];
    assert_eq!(files[5..], expected.map(|name| format!("awari-{name}.nut")));
    let run = place.run(&["solve", "awari", "--stones", "9", "--window", "1"]).success();
    assert!(run.stderr.starts_with("awari (pits=6) up to 9 stones is solved already"));
    assert_eq!(names(&place), files);
    // Only the slices whose windows are too narrow are announced and solved.
    let run = place.run(&["solve", "awari", "--stones", "9", "--window", "3"]).success();
    assert!(run.stderr.starts_with("awari (pits=6), 6 to 9 stones: "), "{}", run.stderr);
    assert_eq!(names(&place).len(), files.len() + 4);
}

#[test]
fn probes_mark_bounds() {
    let (place, exact) = (narrow(), Place::with_awari(9));
    let positions = [
        "0,0,1,0,3,1/2,1,1,0,0,0 S 20-19",
        "0,0,1,0,3,1/2,1,1,0,0,0 N 20-19",
        "1,0,0,0,1,5/0,0,0,1,1,0 S 30-9",
        "0,1,1,1,1,1/1,1,1,1,0,0",
        "0,1,1,1,1,1/1,1,1,1,0,0 N 19-20",
    ];
    let mut texts = Vec::new();
    let mut kinds = Vec::new();
    for position in positions {
        texts.push(place.run(&["probe", "awari", position]).success().stdout);
        let probe = ["probe", "awari", position, "--format", "json"];
        let (clipped, truth) = (place.run(&probe).json(), exact.run(&probe).json());
        agrees(&clipped, &truth);
        if clipped["value"]["exact"] != true {
            assert_eq!(clipped["result"], json!(null), "{position}");
        }
        let value = &clipped["value"];
        let known = ["exact", "lower", "upper"];
        kinds.push(known.map(|field| value[field].as_bool().unwrap_or(!value[field].is_null())));
        for mv in clipped["moves"].as_array().expect("moves") {
            let all = truth["moves"].as_array().expect("moves");
            let same = all.iter().find(|other| other["move"] == mv["move"]).expect("the move");
            agrees(mv, same);
            // What is best is never left out.
            assert!(same["best"] != true || mv["best"] == true, "{position}: {mv}");
        }
    }
    // Exact, at least, at most.
    for kind in [[true, true, true], [false, true, false], [false, false, true]] {
        assert!(kinds.contains(&kind), "{kind:?}: {kinds:?}");
    }
    assert_snapshot!("window_probe", texts.join("\n"));
}

/// The bounds of one answer hold for the score of another.
fn agrees(bounds: &Value, truth: &Value) {
    let (bounds, truth) = (&bounds["value"], &truth["value"]);
    assert_eq!(truth["exact"], true);
    let score = truth["points"].as_i64().expect("a score");
    let (lower, upper) = (bounds["lower"].as_i64(), bounds["upper"].as_i64());
    assert!(lower.is_some() || upper.is_some(), "{bounds}");
    assert!(lower.is_none_or(|lower| lower <= score), "{bounds}: {score}");
    assert!(upper.is_none_or(|upper| score <= upper), "{bounds}: {score}");
}

#[test]
fn stats_mark_what_is_clipped() {
    let place = narrow();
    let run = place.run(&["stats", "awari"]).success();
    assert_snapshot!("window_stats", run.stdout);
    assert!(run.stderr.contains("from 6 stones on, because scores are clipped"), "{}", run.stderr);
    let json = place.run(&["stats", "awari", "--format", "json"]).json();
    let windows: Vec<&Value> =
        json["slices"].as_array().expect("slices").iter().map(|slice| &slice["window"]).collect();
    assert_eq!(windows, [0, 0, 0, 0, 0, 0, 5, 4, 3, 2]);
    let csv = place.run(&["stats", "awari", "--format", "csv"]).success().stdout;
    assert!(csv.starts_with("stones,score,positions\n"), "{csv}");
    assert!(csv.lines().last().expect("rows").starts_with("9,2,"), "{csv}");
    let svg = place.run(&["stats", "awari", "--format", "svg"]).success().stdout;
    assert!(svg.contains("clipped to ±2"));
}

#[test]
fn every_file_is_verified() {
    let place = narrow();
    // Two files each of 7 and 8 stones.
    place.run(&["solve", "awari", "--stones", "8"]).success();
    let run = place.run(&["verify", "awari"]).success();
    let text = run.stdout;
    assert!(text.lines().all(|line| line.starts_with("OK ")), "{text}");
    assert_eq!(text.lines().count(), tables(&place.awari()).len(), "{text}");
    for name in ["8 stones ", "8 stones, window 3 ", "9 stones, window 2 "] {
        assert!(text.contains(name), "{text}");
    }
    let json = place.run(&["verify", "awari", "--format", "json"]).json();
    let last = json["slices"].as_array().expect("slices").last().expect("one");
    assert_eq!((&last["stones"], &last["window"]), (&json!(9), &json!(2)));

    // Damage in a file that does not answer is found, and named.
    let file = place.awari().join("awari-08-w3.nut");
    let mut bytes = fs::read(&file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("a writable file");
    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("WRONG  8 stones, window 3  DATA/"), "{}", run.stdout);

    fs::remove_file(&file).expect("a file");
    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains(" --stones 8 --window 3` makes it again"), "{}", run.stdout);
}

#[test]
fn a_child_too_narrow_is_named_with_the_window_needed() {
    let place = narrow();
    fs::remove_file(place.awari().join("awari-07-w4.nut")).expect("a file");
    place.run(&["solve", "awari", "--stones", "7", "--window", "1"]).success();
    fs::remove_file(place.awari().join("manifest.json")).expect("a file");
    place.run(&["solve", "awari", "--stones", "2"]).success();
    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("available only with window 1, and window 4 is needed"),
        "{}",
        run.stdout
    );
    // Solving the same again makes what is missing, and the rest is whole.
    place.run(&["solve", "awari", "--stones", "9", "--window", "2"]).success();
    place.run(&["verify", "awari"]).success();
}

#[test]
fn exact_after_narrow() {
    let place = Place::new();
    place.run(&["solve", "awari", "--stones", "8", "--window", "1"]).success();
    let before: Vec<_> =
        tables(&place.awari()).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    let run = place.run(&["solve", "awari", "--stones", "10"]).success();
    // Slices 0 to 4 were exact before: 5 + 2 * 4 + 2 files.
    assert!(run.stderr.starts_with("awari (pits=6), 5 to 10 stones: "), "{}", run.stderr);
    assert!(!run.stdout.contains("window"), "{}", run.stdout);
    for (bytes, path) in before {
        assert!(fs::read(&path).unwrap() == bytes, "{}", path.display());
    }
    let exact = Place::with_awari(10);
    for path in tables(&exact.awari()) {
        let same = place.awari().join(path.file_name().unwrap());
        assert!(fs::read(&path).unwrap() == fs::read(same).unwrap(), "{}", path.display());
    }
    let manifest = Manifest::load(&nutcracker_table::Disk::default(), &place.awari()).unwrap();
    assert_eq!(manifest.entry(8).map(|entry| entry.reach), Some(Reach::Exact));
    assert_eq!(
        manifest.entry_for(8, Reach::from(1)).map(|entry| entry.reach),
        Some(Reach::from(1))
    );
    // And what is exact serves every window.
    let run = place.run(&["solve", "awari", "--stones", "9", "--window", "1"]).success();
    assert!(run.stderr.contains("is solved already"), "{}", run.stderr);
}

#[test]
fn memory_that_was_given() {
    let place = Place::new();
    // More memory than this machine has, but explicitly given.
    place.run(&["solve", "awari", "--stones", "4", "--memory", "900TiB"]).success();
    let run = place.run(&["solve", "awari", "--stones", "12", "--memory", "1MiB"]).failure();
    assert!(run.contains("iB of memory with solver one-bit, and 1.0 MiB may be used"), "{run}");
    let run =
        place.run(&["solve", "awari", "--stones", "12", "--memory", "18MiB", "--solver", "memory"]);
    assert!(run.failure().contains("with solver memory, and 18.0 MiB may be used"));
}
