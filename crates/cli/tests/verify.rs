//! `nutcracker verify` on sound databases and on directories that lack something.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::harness::Place;

#[test]
fn sound() {
    let place = Place::with_awari(6);
    let run = place.run(&["verify", "awari"]).success();
    let text = run.stdout;
    assert_eq!(text.lines().count(), 7);
    assert!(text.lines().all(|line| line.starts_with("OK ")), "{text}");
    assert!(text.contains("6 stones           12,376 positions"), "{text}");
    let json = place.run(&["verify", "awari", "--stones", "3", "--format", "json"]).json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["slices"].as_array().expect("slices").len(), 4);
    assert_eq!(json["slices"][3]["positions"], 364);
    place.run(&["verify", "awari", "--threads", "1"]).success();
}

#[test]
fn a_sample() {
    let place = Place::with_awari(6);
    let run = place.run(&["verify", "awari", "--sample", "1000"]).success();
    let six = run.stdout.lines().last().expect("a line");
    assert!(six.contains("12,376 positions        1,000 sampled"), "{six}");
    let json = place.run(&["verify", "awari", "--sample", "1000", "--format", "json"]).json();
    // No more than there are.
    assert_eq!(json["slices"][3]["sampled"], 364);
    place.run(&["verify", "awari", "--sample", "0"]).usage_error();
}

#[test]
fn kalah() {
    let place = Place::new();
    place.run(&["solve", "kalah", "--pits", "3", "--seeds", "2"]).success();
    place.run(&["verify", "kalah", "--pits", "3", "--seeds", "2"]).success();
    // Fewer seeds share the same databases, without the larger ones.
    let run = place.run(&["verify", "kalah", "--pits", "3", "--seeds", "1"]).success();
    assert_eq!(run.stdout.lines().count(), 7);
}

#[test]
fn nothing_to_verify() {
    assert_snapshot!("verify_missing", Place::new().run(&["verify", "awari"]).failure());
}

#[test]
fn a_missing_file() {
    let place = Place::with_awari(5);
    fs::remove_file(place.file(3)).expect("a file");
    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1));
    let wrong: Vec<&str> = run.stdout.lines().filter(|line| !line.starts_with("OK")).collect();
    assert_snapshot!("verify_gone", format!("{}\n{}", wrong.join("\n"), run.stderr));
}

#[test]
fn a_table_that_was_not_checked_gets_its_name_when_it_is_right() {
    let place = Place::new();
    place.run(&["solve", "awari", "--stones", "3", "--no-verify"]).success();
    let checked = || place.awari().join("awari-03.nut").exists();
    assert!(!checked() && place.awari().join("awari-03.nut.unchecked").exists());
    place.run(&["verify", "awari"]).success();
    assert!(checked() && !place.awari().join("awari-03.nut.unchecked").exists());
    place.run(&["verify", "awari"]).success();
}

/// `solve` lists a file once it has checked it: one that it was stopped before is no fault.
#[test]
fn a_table_whose_check_was_interrupted_is_no_fault() {
    let (place, other) = (Place::with_awari(2), Place::new());
    other.run(&["solve", "awari", "--stones", "3", "--no-verify"]).success();
    let left = place.awari().join("awari-03.nut.unchecked");
    let copy = |from: &str, to: &Path| fs::copy(other.awari().join(from), to).expect("a copy");
    copy("awari-03.nut.unchecked", &left);
    let run = place.run(&["verify", "awari"]).success();
    let last = run.stdout.lines().last().expect("3 stones");
    assert!(last.starts_with("-       3 stones  not checked yet; `nutcracker solve"), "{last}");
    assert!(last.contains("--stones 3") && last.ends_with("` checks it and goes on"), "{last}");
    let json = place.run(&["verify", "awari", "--format", "json"]).json();
    assert_eq!((&json["slices"][2]["ok"], &json["slices"][3]["ok"]), (&true.into(), &false.into()));
    assert!(left.exists());
    place.run(&["solve", "awari", "--stones", "3"]).success();
    assert!(!left.exists());
    assert!(!place.run(&["verify", "awari"]).success().stdout.contains("not checked"));

    // A file of another slice, and one that claims to be checked.
    let place = Place::with_awari(2);
    let refused = |from: &str, to: &str, why: &str| {
        let file = place.awari().join(to);
        copy(from, &file);
        let run = place.run(&["verify", "awari"]);
        assert_eq!(run.code, Some(1), "{}", run.stdout);
        let wrong = run.stdout.lines().find(|line| line.starts_with("WRONG")).expect("a fault");
        assert!(wrong.contains("delete it") && wrong.contains(why), "{wrong}");
        fs::remove_file(file).expect("a file");
    };
    refused("awari-02.nut.unchecked", "awari-03.nut.unchecked", "has slice 2, but 3 is expected");
    refused("awari-03.nut.unchecked", "awari-03.nut", "slice 3, which the manifest does not list");
}

#[test]
fn tables_that_the_game_does_not_have_are_named() {
    let place = Place::with_awari(2);
    let copy = |to| fs::copy(place.awari().join("awari-02.nut"), place.awari().join(to));
    copy("awari-49.nut").expect("a copy");
    let run = place.run(&["verify", "awari"]).success();
    let expected = "not checked: the database of 49 stones; awari (pits=6) has slices up to 48";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    let run = place.run(&["verify", "awari", "--stones", "2"]).success();
    assert!(!run.stderr.contains("not checked"), "{}", run.stderr);
}

#[test]
fn a_missing_manifest() {
    let place = Place::with_awari(2);
    fs::remove_file(place.awari().join("manifest.json")).expect("a file");
    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("manifest.json does not exist; `nutcracker solve awari"),
        "{}",
        run.stdout
    );
    place.run(&["solve", "awari", "--stones", "2"]).success();
    place.run(&["verify", "awari"]).success();
}

#[test]
fn little_memory_does_not_leave_the_check_out() {
    let place = Place::with_awari(7);
    place.run(&["verify", "awari", "--memory", "1KiB"]).success();
}
