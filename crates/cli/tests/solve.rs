//! `nutcracker solve`.

use std::fs;
use std::time::Duration;

use insta::assert_snapshot;
use nutcracker_table::DirLock;

use crate::harness::{Place, tables, up_to_column};

#[test]
fn summary() {
    let run = Place::new().run(&["solve", "awari", "--stones", "5", "--threads", "2"]).success();
    assert_snapshot!("solve_summary", up_to_column(&run.stdout, "mean"));
    // The figures of the forecast change with the solver; the rest stands.
    assert!(run.stderr.contains("0 to 5 stones: 6,188 positions, less than 1 s with 2 threads, "));
    assert!(run.stderr.contains(" of disk in DATA/awari-pits6\n"));
    assert!(run.stderr.contains("\n5 stones            4,368 positions "));
    // No terminal: no control codes.
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\r'));
}

#[test]
fn advice_works_as_printed() {
    let place = Place::new();
    let run = place.run(&["solve", "awari", "--stones", "6"]).success();
    let (_, advice) = run.stderr.split_once("Try next:\n").expect("advice");
    let mut verbs = Vec::new();
    for line in advice.lines() {
        let line = line.replace("DATA", &place.path().to_string_lossy());
        let line = line.replacen("nutcracker", env!("CARGO_BIN_EXE_nutcracker"), 1);
        let output = std::process::Command::new("sh").args(["-c", &line]).output().expect("sh");
        assert!(output.status.success(), "{line}");
        verbs.push(line.split_whitespace().nth(1).expect("a verb").to_owned());
    }
    assert_eq!(verbs, ["probe", "stats", "verify"]);
}

#[test]
fn json() {
    let place = Place::new();
    let solve = ["solve", "awari", "--stones", "4", "--format", "json"];
    let first = place.run(&solve).json();
    let slices = first["slices"].as_array().expect("slices");
    assert_eq!(slices.len(), 5);
    assert_eq!(slices[4]["stones"], 4);
    assert_eq!(slices[4]["positions"], 1365);
    let bytes = fs::metadata(place.file(4)).expect("the file").len();
    assert_eq!(slices[4]["bytes"], bytes);
    for phase in ["exits", "fixpoint", "pack", "verify"] {
        assert!(slices[4]["seconds"][phase].is_f64(), "{phase}");
    }
    assert_eq!(slices[4]["won"], 580);
    let second = place.run(&solve).json();
    assert!(second["slices"].as_array().expect("slices").iter().all(|s| s["seconds"].is_null()));
}

#[test]
fn kalah_and_its_value() {
    let place = Place::new();
    let kalah = ["solve", "kalah", "--pits", "2", "--seeds", "2"];
    // The start position has eight seeds: by search over six, and from its own database.
    let by_search = place.run(&[&kalah[..], &["--up-to", "6"]].concat()).success().stdout;
    let from_database = place.run(&kalah).success().stdout;
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    assert_snapshot!("kalah_by_search", last(&by_search));
    assert_snapshot!("kalah_from_database", last(&from_database));
    let json = place.run(&[&kalah[..], &["--format", "json"]].concat()).json();
    assert_eq!(json["slices"][3]["seeds"], 3);
    assert_eq!(json["start"]["position"], "2,2/2,2 S 0-0");
}

#[test]
fn the_value_of_kalah_may_not_be_reached() {
    let place = Place::new();
    let run = place.run(&["solve", "kalah", "--up-to", "3", "--search-seconds", "0"]).success();
    assert!(run.stderr.contains("48 seeds, was not reached"), "{}", run.stderr);
    assert!(run.stderr.contains("--up-to 4"), "{}", run.stderr);
}

#[test]
fn files_do_not_depend_on_threads() {
    let files: Vec<Vec<Vec<u8>>> = ["1", "2", "3"]
        .iter()
        .map(|threads| {
            let place = Place::new();
            place.run(&["solve", "awari", "--stones", "9", "--threads", threads]).success();
            tables(&place.awari())
                .iter()
                .chain([&place.awari().join("manifest.json")])
                .map(|path| fs::read(path).expect("a readable file"))
                .collect()
        })
        .collect();
    assert_eq!(files[0].len(), 11);
    assert!(files[0] == files[1] && files[0] == files[2]);
}

#[test]
fn an_interrupted_run_is_resumed() {
    let place = Place::new();
    let mut child = place.spawn(&["solve", "awari", "--stones", "13"]);
    while tables(&place.awari()).len() < 8 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a child that can be killed");
    child.wait().expect("a child");
    let finished = tables(&place.awari()).len();
    // What a killed writer may leave behind.
    let unfinished = place.file(7).with_extension("nut.tmp");
    fs::write(&unfinished, "half a table").expect("a writable directory");
    let last = finished.to_string();
    let json = place.run(&["solve", "awari", "--stones", &last, "--format", "json"]).json();
    let slices = json["slices"].as_array().expect("slices");
    for slice in &slices[..finished.min(13)] {
        assert!(slice["seconds"].is_null(), "{slice}");
    }
    if finished < 14 {
        assert!(slices[finished]["seconds"].is_object());
    }
    assert!(!unfinished.exists());
    place.run(&["verify", "awari"]).success();
}

#[test]
fn a_missing_slice_is_made_again() {
    let place = Place::with_awari(5);
    fs::remove_file(place.file(3)).expect("a file");
    let json = place.run(&["solve", "awari", "--stones", "5", "--format", "json"]).json();
    let done: Vec<bool> =
        (0..6).map(|slice| json["slices"][slice]["seconds"].is_object()).collect();
    assert_eq!(done, [false, false, false, true, false, false]);
}

#[test]
fn two_builders() {
    let place = Place::with_awari(2);
    let lock = DirLock::acquire(&place.awari()).expect("the lock");
    let run = place.run(&["solve", "awari", "--stones", "3"]);
    assert_eq!(run.code, Some(1));
    let error = run.stderr.lines().last().expect("an error");
    assert_eq!(
        error,
        format!(
            "nutcracker: another process (pid {}) is building in DATA/awari-pits6; wait for it or \
             use another directory (--data)",
            std::process::id()
        )
    );
    // What is finished needs no lock.
    let run = place.run(&["solve", "awari", "--stones", "2"]).success();
    assert!(run.stderr.contains("up to 2 stones is solved already"), "{}", run.stderr);
    let json = place.run(&["solve", "awari", "--stones", "2", "--format", "json"]).json();
    assert_eq!(json["slices"].as_array().map(Vec::len), Some(3));
    drop(lock);
    place.run(&["solve", "awari", "--stones", "3"]).success();
}

#[test]
fn refusals() {
    let place = Place::new();
    let too_large = place.run(&["solve", "awari", "--stones", "48"]).failure();
    assert!(
        too_large.contains("awari (pits=6), 0 to 48 stones, takes 1,399,358,844,975 positions")
    );
    assert!(too_large.contains(" are free in DATA/awari-pits6"), "{too_large}");
    let (_, fits) = too_large.split_once("; --stones ").expect("what would fit");
    let fits: u32 = fits.trim_end().trim_end_matches(" would fit").parse().expect("a number");
    assert!((15..48).contains(&fits));
    assert!(!place.awari().exists(), "nothing is made");

    let refused = [
        place.run(&["solve", "awari", "--stones", "49"]).usage_error(),
        place.run(&["solve", "go"]).usage_error(),
        place.run(&["solve", "awari", "--seeds", "4"]).usage_error(),
        place.run(&["solve", "awari", "--pits", "7"]).usage_error(),
        place.run(&["solve", "awari", "--pits", "six"]).usage_error(),
        place.run(&["solve", "awari", "--threads", "0"]).usage_error(),
        place.run(&["solve", "awari", "--stones", "-1"]).usage_error(),
        place.run(&["solve", "awari", "--pits", "-6"]).usage_error(),
        place.run(&["solve", "awari", "--stoens", "4"]).usage_error(),
        place.run(&["solve"]).usage_error(),
        place.run(&["slove", "awari"]).usage_error(),
    ];
    assert_snapshot!("solve_refusals", refused.concat());
}

#[test]
fn help_has_examples() {
    let place = Place::new();
    for verb in ["solve", "plan", "probe", "stats", "verify", "games"] {
        let help = place.run(&[verb, "--help"]).success().stdout;
        assert!(help.contains("\nExample"), "{verb}");
        assert!(help.contains(&format!("\n  nutcracker {verb} ")), "{verb}");
    }
    let bare = place.run(&[]);
    assert_eq!(bare.code, Some(2));
    assert!(bare.stderr.contains("Commands:"), "{}", bare.stderr);
}
