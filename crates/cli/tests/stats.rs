//! `nutcracker stats`.

use insta::assert_snapshot;

use crate::harness::Place;
use crate::published::known;

/// The published counts up to a number of stones.
fn published(stones: u32) -> String {
    let mut rows = String::new();
    for row in known("awari-scores.csv").lines() {
        let first = row.split(',').next().unwrap_or_default();
        if first.parse().is_ok_and(|row: u32| row > stones) {
            break;
        }
        rows += row;
        rows.push('\n');
    }
    rows
}

#[test]
fn csv_is_the_published_table() {
    let place = Place::with_awari(9);
    assert_eq!(place.run(&["stats", "awari", "--format", "csv"]).success().stdout, published(9));
    let fewer = place.run(&["stats", "awari", "--stones", "4", "--format", "csv"]).success();
    assert_eq!(fewer.stdout, published(4));
}

#[test]
fn for_people() {
    let run = Place::with_awari(7).run(&["stats", "awari"]).success();
    assert_snapshot!("stats_for_people", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn every_slice_with_its_scores() {
    let text = Place::with_awari(3).run(&["stats", "awari", "--scores"]).success().stdout;
    for slice in ["0 stones", "1 stone", "2 stones", "3 stones"] {
        assert!(text.contains(&format!("\n{slice}\n")), "{text}");
    }
}

#[test]
fn for_programs() {
    let json = Place::with_awari(6).run(&["stats", "awari", "--format", "json"]).json();
    let last = &json["slices"][6];
    assert_eq!(last["stones"], 6);
    assert_eq!(last["positions"], 12376);
    let sum: u64 = last["scores"]
        .as_array()
        .expect("scores")
        .iter()
        .map(|row| row["positions"].as_u64().expect("a count"))
        .sum();
    assert_eq!(sum, 12376);
    let counted = |what: &str| json["all"][what].as_u64().expect("a count");
    assert_eq!(counted("won") + counted("drawn") + counted("lost"), counted("positions"));
    // By hand, from the rules alone: see `planted::choices`.
    for slice in 0..=5 {
        let (positions, quiet_better) = crate::planted::choices(slice);
        let choices = &json["slices"][slice as usize]["choices"];
        assert_eq!(choices["positions"], positions, "{slice} stones");
        assert_eq!(choices["quiet_better"], quiet_better, "{slice} stones");
    }
}

#[test]
fn a_picture() {
    let svg = Place::with_awari(3).run(&["stats", "awari", "--format", "svg"]).success().stdout;
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("3 stones"));
}

#[test]
fn without_databases() {
    let place = Place::new();
    let refused = [
        place.run(&["stats", "awari"]).failure(),
        place.run(&["stats", "kalah", "--pits", "3", "--up-to", "5"]).failure(),
    ];
    assert_snapshot!("stats_missing", refused.concat());
}

#[test]
fn slices_without_a_database_are_named() {
    let place = Place::with_awari(4);
    let run = place.run(&["stats", "awari", "--stones", "6"]).success();
    assert!(
        run.stderr.contains(
            "there is no database of 5 and 6 stones in DATA/awari-pits6; \
             `nutcracker solve awari --data DATA --stones 6` makes what is missing"
        ),
        "{}",
        run.stderr
    );
    let run = place.run(&["verify", "awari", "--stones", "5"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("there is no database of 5 stones in "), "{}", run.stdout);
}

#[test]
fn a_broken_pipe_is_success() {
    let place = Place::with_awari(4);
    for format in ["table", "csv", "json", "svg"] {
        let mut child = place.spawn(&["stats", "awari", "--format", format]);
        // No process reads the output at all.
        drop(child.stdout.take());
        let run = place.read(child.wait_with_output().expect("a child"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{format}");
    }
}
