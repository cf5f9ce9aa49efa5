//! Othello: with databases on the small board, without on the usual one.

use insta::assert_snapshot;

use crate::harness::Place;

#[test]
fn the_small_board_is_solved_and_probed() {
    let place = Place::new();
    let small = ["othello", "--size", "4"];
    let solve = [&["solve"], &small[..], &["--up-to", "1"]].concat();
    let text = place.run(&solve).success().stdout;
    assert!(text.contains("score -10 for Black: final result 3-13 (White wins)"), "{text}");
    let probe = [&["probe"], &small[..], &["xxoo/xoxo/oxo1/xxoo x"]].concat();
    assert_snapshot!("othello_probe", place.run(&probe).success().stdout);
    // No move captures for good, so that there is no choice to count.
    let stats = place.run(&[&["stats"], &small[..]].concat()).success().stdout;
    assert!(stats.contains("mean") && !stats.contains("choice"), "{stats}");
    let check = place.run(&["games", "--check", "othello", "--size", "6", "--format", "json"]);
    let check = check.json();
    assert_eq!(check["ok"], true);
    assert_eq!(check["in_full"], serde_json::Value::Null);
}

#[test]
fn the_usual_board_has_no_databases() {
    let place = Place::new();
    let refused: Vec<String> = ["solve", "plan", "stats", "verify"]
        .iter()
        .map(|verb| place.run(&[verb, "othello"]).usage_error())
        .chain([
            place.run(&["probe", "othello", "8/8/8/3ox3/3xo3/8/8/8 x"]).usage_error(),
            place.run(&["experiment", "cache-misses", "othello", "--slice", "3"]).usage_error(),
            place.run(&["probe", "othello", "8/8/8/3ox3/3xo3/8/8 x"]).usage_error(),
            place.run(&["solve", "othello", "--size", "5"]).usage_error(),
        ])
        .collect();
    assert_snapshot!("othello_refusals", refused.concat());
}
