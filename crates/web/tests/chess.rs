//! Chess: moves by both of their names, distances by several metrics, and endings as tablebase servers
//! describe them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use axum::Router;
use nutcracker_any::Options;
use nutcracker_game::{Metric, Numbering, closure};
use nutcracker_games::GAMES;
use nutcracker_retro::{Silent, SolveOptions, folder};
use nutcracker_table::{Disk, Storage};
use nutcracker_web::Config;
use serde_json::{Value, json};

use crate::common::{events, get, post, run, server};

/// KRK to mate, to conversions, and to zeroing moves.
fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    DATA.get_or_init(|| {
        let name = format!("chess-{}", std::process::id());
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&dir);
        for metric in [Metric::Dtw, Metric::Dtc, Metric::Dtz] {
            solve(&dir, "krk", metric);
        }
        dir
    })
}

/// Solves a class and those it depends on.
fn solve(dir: &Path, class: &str, metric: Metric) {
    let info = GAMES.info("chess").expect("chess");
    let chess = info.game(&Options::default()).expect("it has no options");
    let slices = closure(&chess, vec![chess.slice_named(class).expect("a class")]);
    let disk: Arc<dyn Storage> = Arc::new(Disk::default());
    let options = SolveOptions { metric: Some(metric), ..SolveOptions::new(2, "test") };
    let folder = dir.join(folder(&chess, metric));
    chess.solve_slices(&disk, &folder, &slices, &options, &Silent).expect("it is solved");
}

fn explorer() -> Router {
    let mut config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, data());
    "test".clone_into(&mut config.program);
    server(config)
}

async fn ask(server: &Router, uri: &str) -> Value {
    let answer = get(server, &uri.replace(' ', "%20")).await;
    assert_eq!(answer.status, 200, "{uri}: {}", answer.text());
    answer.json()
}

#[test]
fn every_move_has_both_names_and_its_distance_by_each_metric() {
    run(async {
        // The rook can be taken: a draw. Elsewhere it takes as long as it takes.
        let uri = "/api/v1/games/chess/moves?position=8/8/8/8/8/3k4/8/K1R5 w - -";
        let at = ask(&explorer(), uri).await;
        assert_eq!(at["value"]["distance"], json!({ "moves": 15, "metric": "dtw" }), "{at}");
        let names = |one: &Value| -> Vec<String> {
            let others = one["metrics"].as_array().expect("others");
            others.iter().map(|other| other["metric"].to_string()).collect()
        };
        assert_eq!(names(&at), ["\"dtc\"", "\"dtz\""]);
        for mv in at["moves"].as_array().expect("moves") {
            assert_eq!(names(mv), ["\"dtc\"", "\"dtz\""], "{mv}");
            let uci = mv["other_name"].as_str().expect("a name of UCI");
            assert!(uci.starts_with("a1") || uci.starts_with("c1"), "{mv}");
            // No man but the rook can be taken, so a win ends with mate by every metric.
            for other in mv["metrics"].as_array().expect("others") {
                assert_eq!(other["value"]["points"], mv["value"]["points"], "{mv}");
                let moves = |value: &Value| value["distance"]["moves"].clone();
                assert_eq!(moves(&other["value"]), moves(&mv["value"]), "{mv}");
            }
        }
    });
}

#[test]
fn databases_that_other_programs_make_are_seen_and_fill_the_gaps() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        let config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, dir.path());
        let server = server(config);
        let uri = "/api/v1/games/chess/moves?position=8/8/8/8/8/3k4/8/K1R5 w - -";
        assert_eq!(ask(&server, uri).await["value"], Value::Null);
        let distance = json!({ "moves": 15, "metric": "dtz" });
        solve(dir.path(), "krk", Metric::Dtz);
        assert_eq!(ask(&server, uri).await["value"]["distance"], distance);
        // The explorer goes by the distance to mate from now on, of which it has only another class.
        solve(dir.path(), "kqk", Metric::Dtw);
        assert_eq!(ask(&server, "/api/v1/games/chess").await["metric"], "dtw");
        let found = ask(&server, uri).await;
        assert_eq!(found["value"]["distance"], distance, "{found}");
        assert_eq!(found["missing"], Value::Null, "{found}");
        let moves = found["moves"].as_array().expect("moves");
        let best: Vec<&Value> = moves.iter().filter(|mv| mv["best"] == true).collect();
        assert!(!best.is_empty() && best.len() < moves.len(), "{found}");
        assert!(best.iter().all(|mv| mv["value"]["distance"] == distance), "{found}");
    });
}

/// Builds databases to their end; the job as it was at first and at last.
async fn build(server: &Router, body: Value) -> [Value; 2] {
    let answer = post(server, "/api/v1/jobs", body.to_string()).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let first = answer.json();
    let mut last = first.clone();
    while last["state"] == "running" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        last = ask(server, &format!("/api/v1/jobs/{}", first["id"])).await;
    }
    assert_eq!(last["state"], "done", "{last}");
    [first, last]
}

#[test]
fn databases_of_any_metric_are_built_on_request_and_seen_at_once() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        let config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, dir.path());
        let server = server(config);
        let order = |metric: &str| json!({ "game": "chess", "up_to": "kbk", "metric": metric });
        for (metric, sentence) in [
            ("dtq", "a metric is score, wdl, dtw (dtm)"),
            ("score", "chess has no metric score; it has dtm, dtc, dtz, wdl, dtzN, dthN, dtr"),
        ] {
            let refused = post(&server, "/api/v1/jobs", order(metric).to_string()).await;
            assert_eq!(
                (refused.status.as_u16(), refused.problem().as_str()),
                (400, "/api#bad-request")
            );
            let detail = refused.json()["detail"].as_str().expect("a sentence").to_owned();
            assert!(detail.starts_with(sentence) && !detail.contains('\n'), "{detail}");
        }
        let uri = "/api/v1/games/chess/moves?position=8/8/8/8/8/3k4/8/K1B5 w - -";
        assert_eq!(ask(&server, uri).await["value"], Value::Null);
        // The first metric is the one that the explorer goes by, also where it is not a usual one.
        let card = async || ask(&server, "/api/v1/games/chess").await;
        for metric in ["dtz50", "dtr", "dtc", "wdl", "dtm", "dtz"] {
            let [first, last] = build(&server, order(metric)).await;
            let name = if metric == "dtm" { "dtw" } else { metric };
            assert_eq!((&first["metric"], &last["metric"]), (&json!(name), &json!(name)));
            let found = ask(&server, uri).await;
            let others = found["metrics"].as_array().map_or(0, Vec::len);
            let held: Vec<Value> = card().await["metrics"].as_array().expect("metrics").clone();
            let here = held.iter().filter(|one| one["slices"] == json!(["kk", "kbk"]));
            assert_eq!(
                (&found["value"]["points"], here.count()),
                (&json!(0), others + 1),
                "{found}"
            );
            for mv in found["moves"].as_array().expect("moves") {
                assert_eq!(mv["value"]["points"], 0, "{mv}");
                assert_eq!(mv["metrics"].as_array().map_or(0, Vec::len), others, "{mv}");
            }
            let by = card().await["metric"].clone();
            let expected = match metric {
                "dtz50" | "dtr" => "dtz50",
                "dtc" | "wdl" => "dtc",
                _ => "dtw",
            };
            assert_eq!(by, expected, "after {metric}");
        }
        let names: Vec<Value> = card().await["metrics"]
            .as_array()
            .expect("metrics")
            .iter()
            .map(|one| one["metric"].clone())
            .collect();
        assert_eq!(json!(names), json!(["dtw", "dtc", "dtz", "dtz50", "dtr", "wdl"]));
        // Without a metric it is that of the values.
        let [again, _] = build(&server, json!({ "game": "chess", "up_to": "kk" })).await;
        assert_eq!(again["metric"], "dtw");
    });
}

#[test]
fn positions_with_many_men_have_moves_without_values() {
    run(async {
        let server = explorer();
        let at = ask(&server, "/api/v1/games/chess/moves").await;
        assert_eq!(at["moves"].as_array().map(Vec::len), Some(20), "{at}");
        assert_eq!((&at["value"], &at["over"]), (&json!(null), &json!(false)), "{at}");
        let answer = get(&server, "/api/v1/games/chess/probe").await;
        assert_eq!(answer.problem(), "/api#no-database");
        // Mate is mate whatever stands around.
        let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -";
        let at = ask(&server, &format!("/api/v1/games/chess/moves?position={mated}")).await;
        assert_eq!((&at["over"], &at["value"]["points"]), (&json!(true), &json!(-1)), "{at}");
    });
}

#[test]
fn the_longest_wins_of_a_class_come_with_their_lines() {
    run(async {
        let found = ask(&explorer(), "/api/v1/games/chess/extremes?slice=krk").await;
        let wins = found["longest_wins"].as_array().expect("wins");
        assert_eq!(wins.len(), 5, "{found}");
        for win in wins {
            assert_eq!(win["value"]["distance"], json!({ "moves": 16, "metric": "dtw" }), "{win}");
            let line = win["line"].as_array().expect("moves");
            assert_eq!(line.len(), 31, "{win}");
            assert!(line[30].as_str().expect("a move").ends_with('#'), "{win}");
        }
    });
}

#[test]
fn levels_err_as_their_models_say() {
    run(async {
        let server = explorer();
        let rates = async |more: &str| {
            ask(&server, &format!("/api/v1/games/chess/error-rates?{more}")).await
        };
        let at = "position=8/8/8/8/8/3k4/8/K1R5 w - -";
        let mut before = (1.0, 1.0);
        for level in ["1", "5", "10", "perfect"] {
            let found = rates(&format!("{at}&level={level}")).await;
            assert_eq!((&found["level"], &found["side"]), (&json!(level), &json!("White")));
            assert_eq!(found["slice"], "slice krk");
            let rate = |name: &str| found[name].as_f64().expect("a rate");
            let now = (rate("not_best"), rate("gives_away"));
            assert!(now.0 < before.0 && now.1 < before.1 && now.1 <= now.0, "{found}");
            before = now;
        }
        assert_eq!(before, (0.0, 0.0), "the perfect player does not err");
        // The bare king is to move in other positions.
        let found = rates(&format!("{at}&level=5&side=Black")).await;
        assert_eq!(found["side"], "Black");
        assert_ne!(found["not_best"], rates(&format!("{at}&level=5")).await["not_best"]);
        // Beyond the databases nothing is known of it.
        let found = rates("level=5").await;
        assert_eq!((&found["not_best"], &found["gives_away"]), (&json!(null), &json!(null)));
        for (more, sentence) in [
            ("level=5&side=south", "the sides of chess are White and Black"),
            ("level=11", "a level is 1 to 10 or perfect"),
        ] {
            let refused = get(&server, &format!("/api/v1/games/chess/error-rates?{more}")).await;
            assert_eq!(refused.problem(), "/api#bad-request");
            assert!(refused.text().contains(sentence), "{}", refused.text());
        }
        let mut short = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, data());
        short.limits.search_time = std::time::Duration::ZERO;
        let uri = format!("/api/v1/games/chess/error-rates?{at}&level=5").replace(' ', "%20");
        let late = get(&crate::common::server(short), &uri).await;
        assert_eq!(late.problem(), "/api#too-slow");
    });
}

#[test]
fn a_review_says_how_well_both_sides_have_played() {
    run(async {
        let server = explorer();
        let record = "[Position \"8/8/8/8/8/3k4/8/K1R5 w - -\"]\n\nKb2 Kd2 Rc5 Kd3 Rc4 Kxc4 *";
        let body = json!({ "record": record }).to_string();
        let answer = post(&server, "/api/v1/games/chess/review", body).await.text();
        let reviews = events(&answer, "review");
        let [review] = reviews.as_slice() else { panic!("{answer}") };
        let [white, black] = review["apparent"].as_array().expect("both").as_slice() else {
            panic!("{review}")
        };
        let competence = |side: &Value| side["competence"].as_f64().expect("a number");
        // White gives its rook away, and Black takes it.
        assert!(competence(white) < competence(black), "{white} {black}");
        for side in [white, black] {
            let level = side["level"].as_str().expect("a level");
            let text = side["text"].as_str().expect("words");
            assert!(
                text.contains(&format!("nearest to level {level}, by {} moves", side["moves"]))
            );
            assert_eq!(side["moves"], 3, "{side}");
        }
    });
}

#[test]
fn endings_are_described_as_tablebase_servers_do() {
    run(async {
        let server = explorer();
        let at = |fen: &str| format!("/api/v1/chess/tablebase?fen={fen}");
        let found = ask(&server, &at("8/8/8/8/8/3k4/8/K1R5 w - - 0 1")).await;
        let entry = |one: &Value| -> Value {
            let mut one = one.clone();
            one.as_object_mut().expect("fields").remove("moves");
            one
        };
        assert_eq!(
            entry(&found),
            json!({
                "category": "win", "dtz": 29, "dtm": 29, "dtc": 29,
                "checkmate": false, "stalemate": false, "insufficient_material": false,
            })
        );
        let best = &found["moves"][0];
        assert_eq!((&best["category"], &best["dtm"]), (&json!("loss"), &json!(-28)), "{best}");
        assert_eq!(best["zeroing"], false);
        let san = best["san"].as_str().expect("a name");
        let uci = best["uci"].as_str().expect("a name");
        assert!(uci.ends_with(san.trim_end_matches('+').get(1..).expect("a square")), "{best}");

        // Underscores stand for spaces; one move mates.
        let found = ask(&server, &at("k7/8/1K6/8/8/8/8/7R_w_-_-")).await;
        let mates = &found["moves"][0];
        assert_eq!(mates["san"], "Rh8#");
        let fields = ["category", "dtm", "checkmate", "stalemate"];
        assert_eq!(
            fields.map(|field| &mates[field]),
            [&json!("loss"), &json!(0), &json!(true), &json!(false)]
        );

        // The king takes the rook, and two kings cannot mate.
        let found = ask(&server, &at("8/8/8/8/8/8/2k5/K1R5 b - -")).await;
        assert_eq!((&found["category"], &found["dtz"]), (&json!("draw"), &json!(0)), "{found}");
        let takes = &found["moves"][0];
        assert_eq!((&takes["uci"], &takes["san"]), (&json!("c2c1"), &json!("Kxc1")));
        let fields = ["category", "zeroing", "insufficient_material"];
        assert_eq!(fields.map(|field| &takes[field]), [&json!("draw"), &json!(true), &json!(true)]);
        assert_eq!((&takes["dtz"], &takes["dtm"]), (&json!(0), &json!(0)), "{takes}");
        // A right to castle is in no database: the moves tell.
        let found = ask(&server, &at("4k3/8/8/8/8/8/8/4K2R w K -")).await;
        let without = ask(&server, &at("4k3/8/8/8/8/8/8/4K2R w - -")).await;
        assert_eq!((&found["category"], &found["dtm"]), (&json!("win"), &without["dtm"]));
        // Mate, and a class without a database.
        let found = ask(&server, &at("7k/5KQ1/8/8/8/8/8/8 b - -")).await;
        assert_eq!((&found["checkmate"], &found["dtm"]), (&json!(true), &json!(0)), "{found}");
        let found = ask(&server, &at("8/8/8/8/4k3/8/3Q4/K7 w - -")).await;
        assert_eq!((&found["category"], &found["dtm"]), (&json!("unknown"), &json!(null)));
    });
}

#[test]
fn impossible_positions_get_one_sentence() {
    run(async {
        let server = explorer();
        for (fen, sentence) in [
            ("8/8/8/8/8/2k5/8/2R5 w - -", "White has no king"),
            ("8/8/8/8/8/8/8/K1R5 w - -", "Black has no king"),
            ("P7/8/8/8/8/2k5/8/K7 w - -", "a pawn stands on the first or the last rank"),
            ("8/8/8/8/8/2k5/8/K1R5 b - - x", "the move counters at the end of a position"),
            ("2k5/8/8/8/8/8/8/K1R5 w - -", "the side that is not to move is in check"),
        ] {
            for uri in
                ["games/chess/moves?position", "games/chess/probe?position", "chess/tablebase?fen"]
            {
                let uri = format!("/api/v1/{uri}={fen}").replace(' ', "%20");
                let answer = get(&server, &uri).await;
                assert_eq!(answer.status, 400, "{uri}");
                let detail = answer.json()["detail"].as_str().expect("a sentence").to_owned();
                assert!(detail.starts_with(sentence), "{detail}");
                assert!(!detail.contains('\n'), "{detail}");
            }
        }
    });
}

/// The third occurrence of a position ends the game, and no earlier one.
#[test]
fn a_position_ends_the_game_when_it_occurs_for_the_third_time() {
    run(async {
        let server = explorer();
        let at = |line: String| {
            let server = server.clone();
            async move {
                let start = "8/8/8/8/8/2k5/1R6/K7 w - -";
                let uri = format!("/api/v1/games/chess/moves?position={start}&moves={line}");
                ask(&server, &uri).await
            }
        };
        let round = "Kb1 Kd3 Ka1 Kc3 ";
        let once = at("Kb1 Kd3 Ka1".to_owned()).await;
        assert_eq!(once["value"]["text"], "loss in 16", "{once}");
        let back = |at: &Value| {
            let moves = at["moves"].as_array().expect("moves");
            moves.iter().find(|mv| mv["move"] == "Kc3").expect("Kc3").clone()
        };
        assert_eq!(
            (&back(&once)["repeats"], &back(&once)["value"]["points"]),
            (&json!(false), &json!(-1))
        );
        let again = at(round.to_owned()).await;
        assert_eq!((&again["over"], &again["repeats"]), (&json!(false), &json!(false)), "{again}");
        let twice = at(format!("{round}Kb1 Kd3 Ka1")).await;
        assert_eq!(
            (&back(&twice)["repeats"], &back(&twice)["value"]["points"]),
            (&json!(true), &json!(0))
        );
        let over = at(round.repeat(2)).await;
        assert_eq!((&over["over"], &over["repeats"]), (&json!(true), &json!(true)), "{over}");

        // A game with a repetition is read to its end, whatever its tags call chess.
        let text = "[Variant \"From Position\"]\n[FEN \"8/8/8/8/8/2k5/1R6/K7 w - - 0 1\"]\n\n\
                    1. Kb1 Kd3 2. Ka1 Kc3 ; again\n3. Rh2 *";
        let answer = post(&server, "/api/v1/records", json!({ "text": text }).to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let game = &answer.json()["games"][0];
        assert_eq!((&game["game"], &game["problem"]), (&json!("chess"), &Value::Null), "{game}");
        assert_eq!(game["moves"].as_array().map(Vec::len), Some(5), "{game}");
    });
}

/// Without a slice, any database may have a position with the score.
#[test]
fn a_score_is_found_wherever_it_is() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        for class in ["kbk", "kqk"] {
            solve(dir.path(), class, Metric::Dtw);
        }
        let mut config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, dir.path());
        "test".clone_into(&mut config.program);
        let server = server(config);
        // The last class has no win.
        let found = ask(&server, "/api/v1/games/chess/random?score=118&seed=1").await;
        assert!(found["value"]["text"].as_str().is_some_and(|text| text == "win in 10"), "{found}");
        let none = get(&server, "/api/v1/games/chess/random?score=1").await;
        assert!(
            none.text().contains("no position of any database has such a score"),
            "{}",
            none.text()
        );
    });
}

/// A shorter rule than that of fifty moves tells of wins, and of no draw.
#[test]
fn a_short_rule_does_not_tell_of_draws() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        solve(dir.path(), "krk", Metric::DtzIn(5));
        let mut config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, dir.path());
        "test".clone_into(&mut config.program);
        let server = server(config);
        for (board, category) in
            [("8/8/8/8/8/2k5/1R6/K7", "unknown"), ("k7/8/1K6/8/8/8/8/7R", "win")]
        {
            let entry = ask(&server, &format!("/api/v1/chess/tablebase?fen={board}_w_-_-")).await;
            assert_eq!(entry["category"], category, "{entry}");
        }
    });
}
