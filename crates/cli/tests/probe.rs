//! `nutcracker probe`.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::Place;

#[test]
fn for_people() {
    let place = Place::with_awari(9);
    let texts: Vec<String> = [
        "0,0,1,0,3,1/2,1,1,0,0,0 S 20-19",
        "0,0,1,0,3,1/2,1,1,0,0,0",
        "0,0,1,0,3,1/2,1,1,0,0,0 N",
        "0,0,0,0,0,0/2,1,1,0,0,0 S 20-24",
        "0,0,0,0,0,1/0,0,0,0,0,0 N 40-7",
    ]
    .iter()
    .map(|position| place.run(&["probe", "awari", position]).success().stdout)
    .collect();
    assert_snapshot!("probe_for_people", texts.join("\n"));
}

#[test]
fn for_programs() {
    let place = Place::with_awari(4);
    let answer = place.run(&["probe", "awari", "0,0,0,0,1,1/1,1,0,0,0,0 S 22-22", "--format=json"]);
    assert_snapshot!("probe_for_programs", answer.stdout.clone());
    let answer = answer.json();
    assert_eq!(answer["value"]["exact"], true);
    assert_eq!(answer["moves"][0]["best"], true);
    assert_eq!(answer["moves"][0]["value"], answer["value"]);
    // An odd number of stones that is divided equally; and captures that are not given.
    let half =
        place.run(&["probe", "awari", "--format", "json", "0,1,0,0,0,0/0,1,0,0,1,0 S 22-23"]);
    assert_eq!(half.json()["result"], json!({ "south": 23.5, "north": 24.5 }));
    let unknown = place.run(&["probe", "awari", "--format", "json", "0,0,0,0,1,1/1,1,0,0,0,0 N"]);
    assert_eq!(unknown.json()["result"], json!(null));
}

#[test]
fn positions_left_out_are_answered_by_their_moves() {
    let place = Place::with_awari(8);
    place.run(&["solve", "awari", "--reachable", "--stones", "8"]).success();
    for position in
        ["1,0,0,0,0,0/1,1,1,1,1,1 S", "0,0,0,0,1,1/1,1,1,1,1,1 S", "0,0,0,0,0,0/2,1,1,1,1,1 S"]
    {
        let all = place.run(&["probe", "awari", position, "--format", "json"]).json();
        let args = ["probe", "awari", "--reachable", position, "--format", "json"];
        assert_eq!(place.run(&args).json(), all, "{position}");
    }
    place.run(&["verify", "awari", "--reachable"]).success();
}

#[test]
fn moves_are_sorted_and_agree_with_the_score() {
    let place = Place::with_awari(7);
    for position in ["1,1,1,0,0,0/0,2,0,1,0,1 S", "2,0,1,1,0,1/1,0,0,0,0,1 N"] {
        let answer = place.run(&["probe", "awari", position, "--format", "json"]).json();
        let scores: Vec<i64> = answer["moves"]
            .as_array()
            .expect("moves")
            .iter()
            .map(|mv| mv["value"]["points"].as_i64().expect("a score"))
            .collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        assert_eq!(answer["value"]["points"], scores[0]);
    }
}

#[test]
fn bad_positions() {
    let place = Place::new();
    let refused: Vec<String> = [
        "4,4,4,4,4,4/4,4,4,4,4,5 S",
        "4,4,4,4,4,4/4,4,4,4,4,4 S 1-0",
        "-1,0,0,0,0,0/0,0,0,0,0,0 S",
        "0,0,0,0,0,0/0,-3,0,0,0,0 S",
        "-h,0",
        "0,0,0,0,0,0/0,0,0,0,0,1 W",
        "0,0,0,0,0/0,0,0,0,0,1 S",
        "0,0,0,0,0,x/0,0,0,0,0,1 S",
        "0,0,0,0,0,999/0,0,0,0,0,1 S",
        "0,0,0,0,0,1/0,0,0,0,0,1 S 20",
        "0,0,0,0,0,1/0,0,0,0,0,1 S 20-20-1",
        "0,0,0,0,0,1/0,0,0,0,0,1 S 20-20 now",
        "a nut",
        "",
    ]
    .iter()
    .map(|position| place.run(&["probe", "awari", position]).usage_error())
    .collect();
    assert_snapshot!("bad_positions", refused.concat());
}

#[test]
fn missing_databases() {
    let place = Place::with_awari(3);
    let refused = [
        place.run(&["probe", "awari", "0,0,6,0,3,5/2,1,1,0,0,0 S 20-10"]).failure(),
        place.run(&["probe", "kalah", "--pits", "2", "--empty-capture", "1,1/1,1"]).failure(),
        place.run(&["probe", "awari", "--data", "else where", "1,0,0,0,0,0/0,0,0,0,0,0"]).failure(),
        // It would take months: a plan and a search instead.
        place.run(&["probe", "awari", "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"]).failure(),
    ];
    assert_snapshot!("probe_missing", refused.concat());
}

#[test]
fn positions_beyond_all_databases() {
    let place = Place::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let said = place.run(&["probe", "chess", start]).usage_error();
    let why =
        "no database of chess can hold this position: it has 32 men, and databases have up to 5";
    assert!(said.contains(why), "{said}");
    let castles = place.run(&["probe", "chess", "4k3/8/8/8/8/8/8/4K2R w K -"]).usage_error();
    assert!(castles.contains("it has a right to castle, and databases have none"), "{castles}");
    // What is written as it should be needs no example.
    let kingless = place.run(&["probe", "chess", "8/8/8/8/8/8/8/K1R5 w - -"]).usage_error();
    assert_eq!(kingless.trim(), "nutcracker: Black has no king");
    let shapeless = place.run(&["probe", "chess", "8/8/8/8/8/8/K1R5 w - -"]).usage_error();
    assert!(shapeless.contains("a position looks like"), "{shapeless}");
    assert!(said.contains(&format!("play chess --position '{start}'")), "{said}");
}

#[test]
fn kalah_moves_again() {
    let place = Place::new();
    place.run(&["solve", "kalah", "--pits", "3", "--seeds", "1"]).success();
    let run = place.run(&["probe", "kalah", "--pits", "3", "--seeds", "1", "1,1,1/1,1,1 S 0-0"]);
    assert_snapshot!("probe_kalah", run.success().stdout);
}

#[test]
fn many_positions_are_answered_in_order() {
    let place = Place::with_awari(6);
    let (one, other) = ("0,0,0,0,1,1/1,1,0,0,0,0 S", "0,0,0,2,1,1/1,1,0,0,0,0 N 20-22");
    let scores = [one, other].map(|position| {
        place.run(&["probe", "awari", position, "--format", "json"]).json()["value"]["points"]
            .as_i64()
            .expect("a score")
    });
    let line = |position: &str, score: i64| format!("\"{position}\",{score},{score},{score},,\n");
    let csv = "position,score,lower,upper,distance,problem\n".to_owned()
        + &line(one, scores[0])
        + &line(other, scores[1]);
    let file = place.path().join("positions.txt");
    std::fs::write(&file, format!("{one}\n\n  {other}\r\n")).expect("a file");
    let file = file.to_str().expect("a path");
    assert_eq!(place.run(&["probe", "awari", one, other, "--format", "csv"]).success().stdout, csv);
    assert_eq!(place.run(&["probe", "awari", "--file", file]).success().stdout, csv);
    let piped = place.talk(&["probe", "awari", "-"], &format!("{one}\n{other}"));
    assert_eq!(piped.success().stdout, csv);
    // What was written can be read again, by any number of threads.
    let again = place.talk(&["probe", "awari", "--file", "-", "--threads", "3"], &csv.repeat(300));
    let again = again.success().stdout;
    assert_eq!(again.lines().count(), 601);
    assert_eq!(again.lines().nth(300), csv.lines().nth(2));
    let json = place.run(&["probe", "awari", "--file", file, "--format", "json"]).success().stdout;
    let objects: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects[1]["position"], other);
    assert_eq!(objects[1]["value"]["points"], scores[1]);
    assert_eq!(objects.len(), 2);
    // Several for people, one after the other.
    let both = place.run(&["probe", "awari", one, other]).success().stdout;
    let alone = [one, other].map(|position| place.run(&["probe", "awari", position]).stdout);
    assert_eq!(both, alone.join("\n"));
}

#[test]
fn a_position_without_a_value_says_why() {
    let place = Place::with_awari(3);
    let lines = "0,0,0,0,1,1/1,0,0,0,0,0 S\nnonsense\n4,4,4,4,4,4/4,4,4,4,4,4 S\n";
    let run = place.talk(&["probe", "awari", "-"], lines);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stdout.lines().count(), 4);
    assert!(run.stdout.lines().nth(2).expect("a line").starts_with("\"nonsense\",,,,,"));
    assert!(run.stdout.contains("there is no database of awari"), "{}", run.stdout);
    assert!(run.stderr.contains("2 of 3 positions have no value"), "{}", run.stderr);
    let run = place.run(&["probe", "awari", "--file", "/nonexistent"]);
    assert_eq!(run.code, Some(1));
    let run = place.run(&["probe", "awari", "--file", "-", "--format", "table"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(place.run(&["probe", "awari"]).code, Some(2));
}

#[test]
fn samples_are_reproducible_and_true() {
    let place = Place::with_awari(7);
    let args = ["sample", "awari", "--slice", "7", "--count", "500", "--seed", "3"];
    let sample = place.run(&args).success().stdout;
    assert_eq!(sample.lines().count(), 501);
    assert_eq!(place.run(&args).stdout, sample);
    assert_eq!(place.talk(&["probe", "awari", "-"], &sample).success().stdout, sample);
    let mut other = args;
    other[7] = "4";
    assert_ne!(place.run(&other).success().stdout, sample);
    assert_eq!(place.run(&["sample", "awari", "--slice", "8"]).code, Some(1));
    assert_eq!(place.run(&["sample", "awari", "--slice", "x"]).code, Some(2));
    let empty = place.run(&["sample", "awari", "--slice", "7", "--count", "0"]).success().stdout;
    assert_eq!(empty.lines().count(), 1);

    // Every board of seven stones once, C(7 + 11, 11) of them.
    let all = place.run(&["sample", "awari", "--slice", "7", "--all"]).success().stdout;
    let boards: BTreeSet<&str> = all.lines().skip(1).collect();
    assert_eq!((boards.len(), all.lines().count()), (31_824, 31_825));
    assert!(sample.lines().skip(1).all(|line| boards.contains(line)));
    let both = ["sample", "awari", "--slice", "7", "--all", "--seed", "3"];
    assert_eq!(place.run(&both).code, Some(2));
}

/// A game with holes, mirror images and distances.
#[test]
fn samples_of_distances() {
    let place = Place::in_memory();
    place.run(&["solve", "krk"]).success();
    let sample = place.run(&["sample", "krk", "--slice", "krk", "--count", "300"]).success().stdout;
    assert_eq!(place.talk(&["probe", "krk", "-"], &sample).success().stdout, sample);
    let distances = sample.lines().skip(1).filter(|line| !line.ends_with(",,")).count();
    assert!(distances > 100, "{sample}");
}
