//! Published facts, as the commands report them.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::harness::Place;

/// A file of known answers.
pub fn known(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
    fs::read_to_string(path).expect("known answers")
}

#[test]
fn scores_and_positions() {
    let place = Place::new();
    place.run(&["solve", "awari", "--stones", "18", "--no-verify"]).success();

    let csv = place.run(&["stats", "awari", "--stones", "15", "--format", "csv"]).success().stdout;
    assert_eq!(csv, known("awari-scores.csv"));

    for row in known("awari-positions.csv").lines().skip(1) {
        let mut fields = row.trim_start_matches('"').splitn(2, "\",");
        let position = fields.next().expect("a position");
        let score: i64 = fields
            .next()
            .and_then(|rest| rest.split(',').next())
            .and_then(|score| score.parse().ok())
            .expect("a score");
        let answer = place.run(&["probe", "awari", position, "--format", "json"]).json();
        assert_eq!(answer["value"]["points"], score, "{position}");
    }

    let answer = place
        .run(&["probe", "awari", "0,0,6,0,3,5/2,1,1,0,0,0 S 20-10", "--format", "json"])
        .json();
    assert_eq!(answer["result"], json!({ "south": 28, "north": 20 }));
    let moves: Vec<&str> = answer["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .filter_map(|mv| mv["move"].as_str())
        .collect();
    assert_eq!(moves, ["E3x5", "F5"]);
}
