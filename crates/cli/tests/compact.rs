//! Compact databases on the command line.

use std::fs;
use std::path::Path;

use crate::harness::{Place, tables};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of the test")
}

#[test]
fn compact_databases_are_probed_verified_and_restored() {
    let place = Place::in_memory();
    place.run(&["solve", "checkers", "--up-to", "3"]).success();
    let (small, again) = (place.path().join("small"), place.path().join("again"));
    let compact = ["compact", "checkers", "--to", text(&small), "--format", "json"];
    let written = place.run(&compact).json();
    let slices = written["slices"].as_array().unwrap();
    let sum = |field: &str| slices.iter().map(|slice| slice[field].as_u64().unwrap()).sum::<u64>();
    // Published, and the slice of games that are over.
    assert_eq!(sum("positions"), 3_488 + 196_032 + 1);
    assert!(sum("left_out") > 30_000 && 4 * sum("bytes") < 3 * sum("bytes_before"), "{written}");
    let probe = ["probe", "checkers", "B:W12:B1,K5"];
    let [all, few] = [place.path(), &small]
        .map(|data| place.run(&[&probe[..], &["--data", text(data)]].concat()).success().stdout);
    assert_eq!(all, few);
    place.run(&["verify", "checkers", "--data", text(&small)]).success();
    let restore =
        ["compact", "checkers", "--restore", "--data", text(&small), "--to", text(&again)];
    let table = place.run(&restore).success().stdout;
    assert!(table.contains("positions a byte"), "{table}");
    let [solved, restored] = [place.path(), &again].map(|data| tables(&data.join("checkers")));
    assert_eq!(solved.len(), restored.len());
    for (solved, restored) in solved.iter().zip(&restored) {
        assert!(fs::read(solved).unwrap() == fs::read(restored).unwrap(), "{solved:?}");
    }
}

#[test]
fn what_cannot_be_compact_is_refused() {
    let place = Place::in_memory();
    place.run(&["solve", "krk"]).success();
    let data = text(place.path());
    let refused = place.run(&["compact", "krk", "--to", data]).usage_error();
    assert!(refused.contains("choose another directory with --to"), "{refused}");
    let small = place.path().join("small");
    let refused = place.run(&["compact", "oware", "--to", text(&small)]).usage_error();
    assert!(refused.contains("hold bounds"), "{refused}");
    fs::remove_file(&tables(&place.path().join("krk"))[0]).unwrap();
    let refused = place.run(&["compact", "krk", "--to", text(&small)]).failure();
    assert!(refused.contains("is needed and not there"), "{refused}");
}

#[test]
fn compact_databases_with_several_metrics_are_compared() {
    let place = Place::in_memory();
    let small = place.path().join("small");
    for metric in ["dtm", "wdl"] {
        let chess = ["chess", "--up-to", "krk", "--metric", metric];
        place.run(&[&["solve"], &chess[..]].concat()).success();
        place.run(&[&["compact"], &chess[..], &["--to", text(&small)]].concat()).success();
        place.run(&[&["verify"], &chess[..], &["--data", text(&small)]].concat()).success();
    }
}
