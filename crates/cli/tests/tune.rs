//! `nutcracker tune`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::Place;

fn tau(quality: &Value, model: &str) -> f64 {
    quality[model]["tau"].as_f64().expect("a tau")
}

#[test]
fn from_databases() {
    let place = Place::with_awari(9);
    let tune = ["tune", "awari", "--up-to", "8", "--test-up-to", "9", "--positions", "20000"];
    let json = place.run(&[&tune[..], &["--format", "json"]].concat()).json();
    let fitted = json["fitted_to"].as_u64().expect("a number");
    let held = json["held_out"]["positions"].as_u64().expect("a number");
    assert!(held * 3 < fitted && fitted < held * 5, "a fifth: {held} and {fitted}");
    // More features order positions better than one, also where nothing was fitted to.
    for quality in [&json["held_out"], &json["beyond"]] {
        assert!(tau(quality, "fitted") > tau(quality, "material") + 0.02, "{quality}");
    }
    assert_eq!(json["beyond"]["from"], 9);
    // The same positions, the same weights.
    let again = place.run(&[&tune[..], &["--format", "json"]].concat()).json();
    assert_eq!(json, again);
    let text = place.run(&tune).success().stdout;
    assert!(text.contains("feature") && text.contains("beyond"), "{text}");
    let by_tau = place.run(&[&tune[..], &["--by", "tau", "--format", "json"]].concat()).json();
    assert!(tau(&by_tau["held_out"], "fitted") > tau(&json["held_out"], "fitted") - 0.01);
}

#[test]
fn from_games() {
    let place = Place::new();
    let tune = ["tune", "othello", "--size", "6", "--games", "40", "--solve-at", "8"];
    let one = place.run(&[&tune[..], &["--threads", "1", "--format", "json"]].concat()).json();
    let two = place.run(&[&tune[..], &["--threads", "2", "--format", "json"]].concat()).json();
    assert_eq!(one, two, "the games do not depend on the number of threads");
    assert!(one["fitted_to"].as_u64().expect("a number") > 500);
    let source = place.run(&[&tune[..], &["--format", "rust"]].concat()).success().stdout;
    assert!(source.starts_with("pub(super) const FITTED: [f32; 30] = [\n"), "{source}");
    assert_eq!(source.lines().count(), 32);
}

#[test]
fn refusals() {
    let place = Place::with_awari(3);
    let refused = [
        place.run(&["tune", "awari", "--up-to", "5"]).failure(),
        place.run(&["tune", "awari", "--test-up-to", "4"]).failure(),
        place.run(&["tune", "kalah"]).failure(),
        place.run(&["tune", "awari", "--up-to", "49"]).usage_error(),
        place.run(&["tune", "awari", "--from", "3", "--up-to", "2"]).usage_error(),
    ];
    assert_snapshot!("tune_refusals", refused.concat());
    let loops = place.run(&["tune", "awari", "--pits", "2", "--games", "5", "--solve-at", "8"]);
    assert_eq!(loops.code, Some(1), "{}", loops.stderr);
    assert!(loops.stderr.contains("repeat positions"), "{}", loops.stderr);
}
