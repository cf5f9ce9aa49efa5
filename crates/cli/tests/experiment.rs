//! `nutcracker experiment`.

use insta::assert_snapshot;

use crate::harness::Place;

const MISSES: [&str; 4] = ["experiment", "cache-misses", "--stones", "13"];

#[test]
fn cache_misses_for_people() {
    let run = Place::new().run(&MISSES).success();
    assert_snapshot!("cache_misses", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn cache_misses_for_programs() {
    let place = Place::new();
    let run = |more: &[&str]| place.run(&[&MISSES[..], more].concat());
    let json = run(&["--format", "json", "--threads", "1"]).json();
    assert_eq!((json["stones"].as_u64(), json["blocks"].as_u64()), (Some(13), Some(20)));
    let caches = json["caches"].as_array().expect("rows");
    let csv = run(&["--format", "csv"]).success().stdout;
    assert_eq!(csv.lines().next(), Some("percent,blocks,accesses,one_index,two_indices"));
    assert_eq!(csv.lines().count(), 1 + caches.len());
    for (line, cache) in csv.lines().skip(1).zip(caches) {
        let row = [
            &cache["percent"],
            &cache["blocks"],
            &json["accesses"],
            &cache["one_index"],
            &cache["two_indices"],
        ];
        assert_eq!(line, row.map(ToString::to_string).join(","));
    }
    let all = caches.last().expect("rows");
    assert_eq!((&all["one_index"], &all["ratio"]), (&json["blocks"], &1.0.into()));
    let svg = run(&["--format", "svg"]).success().stdout;
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
}

#[test]
fn cache_misses_of_nothing() {
    let place = Place::new();
    for format in ["table", "csv", "json", "svg"] {
        place.run(&["experiment", "cache-misses", "--stones", "0", "--format", format]).success();
    }
    let kalah = ["experiment", "cache-misses", "kalah", "--pits", "3", "--slice", "9"];
    let text = place.run(&kalah).success().stdout;
    assert!(text.starts_with("kalah (pits=3"), "{text}");
}

#[test]
fn refusals() {
    let place = Place::new();
    let refused = [
        place.run(&["experiment", "cache-misses"]).usage_error(),
        place.run(&["experiment", "cache-misses", "--stones", "49"]).usage_error(),
        place.run(&["experiment", "cache-misses", "nuts", "--stones", "4"]).usage_error(),
    ];
    assert_snapshot!("experiment_refusals", refused.concat());
}
