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
    let games = json["games"].as_array().expect("a list");
    let kalah = games.iter().find(|game| game["name"] == "kalah").expect("kalah");
    assert_eq!(kalah["options"][2]["name"], "empty-capture");
}

/// Whoever solves a game without a word about slices gets the whole game, if that takes minutes.
#[test]
fn games_of_minutes_are_solved_whole_by_default() {
    let place = Place::new();
    for (game, up_to) in [
        (&["dobutsu"][..], "play"),
        (&["othello", "--size", "4"], "12"),
        (&["connect-four", "--columns", "5", "--rows", "5"], "25"),
        (&["subtraction", "--piles", "8", "--largest", "31"], "0"),
        (&["awari", "--pits", "4"], "32"),
        (&["awari"], "15"),
    ] {
        let json = place.run(&[&["games", "--format", "json"], game].concat()).json();
        assert_eq!(json["default_up_to"], up_to, "{game:?}");
    }
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

#[test]
fn every_game_has_rules_in_words() {
    let place = Place::new();
    let json = place.run(&["games", "--format", "json"]).json();
    for game in json["games"].as_array().expect("a list") {
        let name = game["name"].as_str().expect("a name");
        let rules = place.run(&["games", name, "--format", "json"]).json()["rules"].clone();
        let rules = rules.as_str().expect("a text");
        assert!(rules.contains("**Notation.**") && !rules.contains("\n## "), "{name}: {rules}");
    }
    let text = place.run(&["games", "krk"]).success().stdout;
    assert!(text.starts_with("krk  king and rook against king"), "{text}");
    assert_eq!(place.run(&["games", "krk", "--check", "krk"]).code, Some(2));
}
