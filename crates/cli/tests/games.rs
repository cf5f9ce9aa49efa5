//! `nutcracker games`.

use insta::assert_snapshot;

use crate::harness::Place;

#[test]
fn list() {
    let place = Place::new();
    let text = place.run(&["games"]).success().stdout;
    // What there is room for depends on the machine, and what it takes on the solver.
    let lines: Vec<&str> = text
        .lines()
        .map(|line| if line.starts_with("  here ") { "  here" } else { line })
        .map(|line| if line.starts_with("  solve ") { &line[..line.len().min(60)] } else { line })
        .map(|line| line.split(" by default").next().unwrap_or(line))
        .collect();
    assert_snapshot!("games", lines.join("\n"));
    assert!(text.contains(" has room: "), "{text}");
    let json = place.run(&["games", "--format", "json"]).json();
    assert_eq!(json["games"][0]["name"], "awari");
    assert_eq!(json["games"][0]["default_up_to"], "15");
    assert_eq!(json["games"][2]["options"][2]["name"], "empty-capture");
}

#[test]
fn check() {
    let place = Place::new();
    let run = place.run(&["games", "--check", "awari", "--pits", "2"]).success();
    assert_snapshot!("games_check", run.stdout);
    let json = place.run(&["games", "--check", "kalah", "--pits=2", "--seeds=2", "--format=json"]);
    assert_eq!(json.json()["ok"], true);
    let refused = [
        place.run(&["games", "--check", "nuts"]).usage_error(),
        place.run(&["games", "--pits", "3"]).usage_error(),
    ];
    assert_snapshot!("games_refusals", refused.concat());
}
