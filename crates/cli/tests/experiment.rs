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
fn a_reference_player_takes_longer_the_less_competent_it_is() {
    let place = Place::new();
    place.run(&["solve", "chess", "--up-to", "krk"]).success();
    let asked = ["experiment", "reference", "chess", "--slice", "krk", "--competence", "5,10"];
    let run = |more: &[&str]| place.run(&[&asked[..], more].concat());
    let json = run(&["--format", "json", "--games", "3"]).json();
    assert_eq!((&json["part"], &json["metric"]), (&"KR v K".into(), &"dtw".into()));
    let moves = |player: usize| json["players"][player]["distances"][15]["moves"].as_f64();
    assert!(moves(0) > moves(1) && moves(1) > Some(16.0), "{json}");
    assert!(json["players"][1]["played"]["moves"].as_f64() >= Some(16.0), "{json}");
    let csv = run(&["--format", "csv"]).success().stdout;
    assert_eq!(csv.lines().count(), 1 + 2 * 16);
    assert!(run(&["--format", "svg"]).success().stdout.contains("competence 10"));
    assert!(run(&[]).success().stdout.contains("c=10 within 50"));
    let part = run(&["--part", "x"]).usage_error();
    assert!(part.contains("KR v K"), "{part}");
    // Nothing to measure is one sentence.
    let none = place.run(&["experiment", "reference", "chess", "--slice", "kk"]).failure();
    assert_eq!(none.trim(), "nutcracker: slice kk has no wins");
    // A count that goes on in other slices.
    place.run(&["solve", "fox-and-hounds", "--size", "6"]).success();
    let fox = ["experiment", "reference", "fox-and-hounds", "--size", "6", "--slice", "8"];
    let json = place.run(&[&fox[..], &["--competence", "10", "--format", "json"]].concat()).json();
    let farthest = json["players"][0]["distances"].as_array().expect("rows").last();
    let farthest = farthest.expect("a distance");
    assert!(farthest["moves"].as_f64() >= farthest["distance"].as_f64(), "{farthest}");
    // Where a level errs, `play` tells how often; a strategy does not err.
    let start = ["play", "chess", "--position", "8/8/8/8/8/3k4/8/K1R5 w - -"];
    let told = place.talk(&[&start[..], &["--level", "2"]].concat(), "quit\n").stdout;
    assert!(told.contains("of its moves from slice krk on are not the best"), "{told}");
    let by = ["--side", "black", "--strategy", "M-"];
    let told = place.talk(&[&start[..], &by].concat(), "quit\n").stdout;
    assert!(told.contains("1. White plays Kb2"), "{told}");
    assert!(told.contains("It chooses by M- where databases of these metrics reach"), "{told}");
    assert!(told.contains("exact in 2 slices of 3 up to slice krk."), "{told}");
    let missing = place.run(&[&start[..], &["--strategy", "Z50- M-"]].concat());
    assert!(missing.failure().contains("needs databases of dtz50"));
}

#[test]
fn noise_is_measured_and_played() {
    let place = Place::new();
    place.run(&["solve", "chess", "--up-to", "krk"]).success();
    let asked =
        ["experiment", "noise", "chess", "--slice", "KRK", "--sigma", "0,5", "--depth", "2"];
    let run = |more: &[&str]| place.run(&[&asked[..], more].concat());
    let json = run(&["--play", "--format", "json"]).json();
    let levels = json["errors"].as_array().expect("rows");
    assert_eq!((levels.len(), &json["positions"]), (4, &25_260.into()));
    assert_eq!(levels[0]["play"]["won"], 1.0);
    assert!(levels[2]["play"]["won"].as_f64() < Some(1.0), "{json}");
    assert!(run(&["--format", "json"]).json()["errors"][0]["play"].is_null());
    let csv = run(&["--play", "--format", "csv"]).success().stdout;
    assert_eq!(csv.lines().next(), Some("sigma,plies,deviation,bias,unbiased,moves_lost,won"));
    assert!(run(&["--play"]).success().stdout.contains("won in 50"));
    assert!(run(&["--play", "--format", "svg"]).success().stdout.contains("Moves lost by play"));
    let wdl = place.run(&["solve", "chess", "--up-to", "krk", "--metric", "wdl"]);
    wdl.success();
    assert!(run(&["--metric", "wdl"]).usage_error().contains("databases of wdl do not say"));
    // An ending without a recogniser, and an engine that chooses by a strategy.
    let none = place.run(&["experiment", "recogniser", "chess", "--slice", "krk"]).usage_error();
    assert!(none.contains("knnkb and knnkn"), "{none}");
    let game = "position fen 8/8/8/8/8/3k4/8/K1R5 w - - 0 1\ngo depth 1\n";
    let told = place.talk(&["engine", "chess", "--strategy", "M-"], game).stdout;
    assert!(told.contains("score mate 15 pv a1b2") && told.contains("bestmove a1b2"), "{told}");
    // A guard counts the plies that the FEN tells of: with 72, no win by the rule is far enough away.
    place.run(&["solve", "chess", "--up-to", "krk", "--metric", "dtz"]).success();
    for (clock, best) in [(72, "a1b2"), (0, "c1c6")] {
        let game = format!("position fen 8/8/8/8/8/3k4/8/K1R5 w - - {clock} 1\ngo depth 1\n");
        let told = place.talk(&["engine", "chess", "--strategy", "Zo M+"], &game).stdout;
        assert!(told.contains(&format!("bestmove {best}")), "{told}");
    }
    // Levels over endings.
    let record = place.path().join("games.txt");
    let players = ["match", "chess", "level=9", "level=1", "--slice", "krk", "--games", "4"];
    let recorded = ["--record", record.to_str().expect("a path")];
    let played = place.run(&[&players[..], &recorded].concat()).success().stdout;
    assert!(played.contains("4 games"), "{played}");
    // A record shows distances, and how well both sides played.
    let annotated = place.run(&["annotate", recorded[1]]).success().stdout;
    assert!(annotated.contains("win in"), "{annotated}");
    assert!(annotated.contains("Black: apparent competence"), "{annotated}");
    let json = place.run(&["annotate", recorded[1], "--format", "json"]).json();
    assert!(json["summary"][0]["apparent"]["level"].is_string(), "{json}");
    // Distances by side to move.
    let csv = place.run(&["stats", "chess", "--format", "csv"]).success().stdout;
    assert_eq!(csv.lines().next(), Some("men,score,positions,side,result,moves"));
    assert!(csv.contains("krk,112,121,KR v K,win,16"), "{csv}");
    let text = place.run(&["stats", "chess"]).success().stdout;
    assert!(text.contains("slice krk, KR v K") && text.contains("slice krk, K v KR"), "{text}");
    let json = place.run(&["stats", "chess", "--format", "json"]).json();
    let rooks = &json["slices"][1]["sides"][0]["distances"][0];
    assert_eq!((&rooks["result"], &rooks["moves"]), (&"win".into(), &16.into()), "{rooks}");
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

#[test]
fn hosts_are_forecast() {
    let place = Place::new();
    let args = ["experiment", "cluster", "--stones", "9"];
    for method in ["records", "rows"] {
        let run = |more: &[&str]| place.run(&[&args[..], &["--method", method], more].concat());
        let json = run(&["--format", "json"]).json();
        assert_eq!((&json["method"], &json["positions"]), (&method.into(), &167_960.into()));
        let hosts = json["hosts"].as_array().expect("rows");
        let numbers: Vec<u64> = hosts.iter().map(|row| row["hosts"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [1, 2, 4, 8, 16, 32, 64]);
        assert_eq!((&hosts[0]["speed_up"], &hosts[0]["efficiency"]), (&1.0.into(), &1.0.into()));
        assert_eq!((&hosts[0]["sending"], &hosts[0]["latency"]), (&0.0.into(), &0.0.into()));
        let value = |row: &serde_json::Value, name: &str| row[name].as_f64().expect("a number");
        for pair in hosts.windows(2) {
            assert!(value(&pair[1], "computing") <= value(&pair[0], "computing"), "{pair:?}");
            assert!(value(&pair[1], "efficiency") <= 1.0, "{pair:?}");
        }
        // A larger slice, over a network that costs nothing.
        let more = ["--as", "30", "--network", "1000Tb", "--latency", "0us", "--format", "json"];
        let larger = run(&more).json();
        assert_eq!(
            (&larger["slice"], &larger["positions"]),
            (&"30".into(), &3_159_461_968_u64.into())
        );
        let last = &larger["hosts"][6];
        assert!(last["limit"] == "computing" && value(last, "speed_up") > 2.0, "{last}");
    }
    let text = place.run(&args).success().stdout;
    assert!(
        text.starts_with("awari (pits=6), 9 stones by records: 167,960 positions in "),
        "{text}"
    );
    assert_eq!(text.lines().count(), 3 + 2 + 7, "{text}");
    let csv = place.run(&[&args[..], &["--format", "csv"]].concat()).success().stdout;
    assert!(csv.lines().count() == 8 && csv.starts_with("hosts,seconds,speed_up,"), "{csv}");
    let svg = place.run(&[&args[..], &["--format", "svg"]].concat()).success().stdout;
    assert!(svg.starts_with("<svg ") && svg.contains("an even share"));
    // Smaller than all machines' owners, and nothing at all.
    for stones in ["0", "1"] {
        place.run(&["experiment", "cluster", "--stones", stones]).success();
    }
    let refused = place.run(&["experiment", "cluster", "--stones", "9", "--latency", "soon"]);
    assert!(refused.usage_error().contains("such as 100us or 1ms"));
}
