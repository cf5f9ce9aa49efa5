//! `nutcracker probe`.

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
    ];
    assert_snapshot!("probe_missing", refused.concat());
}

#[test]
fn kalah_moves_again() {
    let place = Place::new();
    place.run(&["solve", "kalah", "--pits", "3", "--seeds", "1"]).success();
    let run = place.run(&["probe", "kalah", "--pits", "3", "--seeds", "1", "1,1,1/1,1,1 S 0-0"]);
    assert_snapshot!("probe_kalah", run.success().stdout);
}
