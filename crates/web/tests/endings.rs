//! How games end, and what is here of games under other rules.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Router;
use nutcracker_web::App;
use serde_json::{Value, json};

use crate::common::{config, get, post, run, server};

async fn moves(server: &Router, game: &str, position: &str, line: &[String]) -> Value {
    let (position, line) = (position.replace(' ', "%20"), line.join("%20"));
    let uri = format!("/api/v1/games/{game}/moves?position={position}&moves={line}");
    let answer = get(server, &uri).await;
    assert_eq!(answer.status, 200, "{uri}: {}", answer.text());
    answer.json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn every_move_says_with_what_both_sides_end() {
    run(async {
        let server = server(config());
        let mut contrary = 0;
        for seed in 0..30 {
            let uri = format!("/api/v1/games/awari/random?slice=7&seed={seed}");
            let found = get(&server, &uri).await.json()["position"].clone();
            let board = found.as_str().expect("a position");
            for captured in ["20-21", "23-18", "18-23"] {
                let at = moves(&server, "awari", &format!("{board} {captured}"), &[]).await;
                let banked = captured.split_once('-').expect("two numbers");
                assert_eq!(number(&at["banked"]["south"]).to_string(), banked.0);
                for mv in at["moves"].as_array().expect("moves") {
                    let [south, north] = ["south", "north"].map(|side| number(&mv["result"][side]));
                    assert!((south + north - 48.0).abs() < 0.1, "{mv}");
                    let outcome = match south.total_cmp(&north) {
                        std::cmp::Ordering::Greater => "win",
                        std::cmp::Ordering::Equal => "draw",
                        std::cmp::Ordering::Less => "loss",
                    };
                    assert_eq!(mv["outcome"], outcome, "South moves: {mv}");
                    let sign = number(&mv["value"]["points"]);
                    contrary += u32::from((sign > 0.0) != (south > north));
                }
            }
        }
        assert!(contrary > 0, "the sign of the value is not the sign of the result");
    });
}

#[test]
fn a_repeated_position_ends_the_game_with_a_result() {
    run(async {
        let server = server(config());
        let start = "0,0,0,0,0,1/0,0,0,0,0,1 S 30-16";
        let mut line = Vec::new();
        let mut at = moves(&server, "awari", start, &line).await;
        while at["over"] == false {
            assert!(line.len() < 60, "{line:?}");
            line.push(at["moves"][0]["move"].as_str().expect("a move").to_owned());
            at = moves(&server, "awari", start, &line).await;
        }
        assert_eq!((&at["repeats"], &at["moves"]), (&json!(true), &json!([])), "{at}");
        assert_eq!(at["result"], json!({ "south": 31, "north": 17 }));
        // The move to it says so, and a line tells the same.
        let last = line.pop().expect("a move");
        let before = moves(&server, "awari", start, &line).await;
        let choices = before["moves"].as_array().expect("moves");
        let choice = choices.iter().find(|mv| mv["move"] == last.as_str()).expect("that move");
        assert_eq!((&choice["repeats"], &choice["result"]), (&json!(true), &at["result"]));
        line.push(last);
        let uri = format!(
            "/api/v1/games/awari/line?position={}&moves={}",
            start.replace(' ', "%20"),
            line.join("%20")
        );
        let told = get(&server, &uri).await.json();
        let end = told["nodes"].as_array().and_then(|nodes| nodes.last()).expect("a node");
        assert_eq!((&told["repeats"], &end["result"]), (&json!(true), &at["result"]));
        let beyond = get(&server, &format!("{}%20F1", uri.replace("/line", "/moves"))).await;
        assert_eq!(beyond.problem(), "/api#no-such-move");
    });
}

#[test]
fn a_line_may_end_before_an_illegal_move() {
    run(async {
        let server = server(config());
        let uri = "/api/v1/games/awari/line?position=0,0,0,0,1,1/1,1,0,0,0,0&moves=F1x2%20Z9%20b1";
        assert_eq!(get(&server, uri).await.problem(), "/api#no-such-move");
        let line = get(&server, &format!("{uri}&prefix=true")).await.json();
        assert_eq!(line["nodes"].as_array().map(Vec::len), Some(2));
        assert!(line["illegal"].as_str().expect("a sentence").contains("Z9"), "{line}");
    });
}

#[test]
fn databases_and_books_of_all_rules_are_listed() {
    run(async {
        let games = get(&server(config()), "/api/v1/games").await.json();
        let of = |name: &str| {
            let games = games.as_array().expect("games");
            games.iter().find(|game| game["name"] == name).expect("it")["holdings"].clone()
        };
        assert_eq!(of("awari")[0]["options"], "");
        assert_eq!(of("awari")[0]["slices"].as_array().map(Vec::len), Some(8));
        let kalah = of("kalah");
        let found: Vec<_> = kalah.as_array().expect("some").iter().collect();
        let parts = |one: &Value| {
            let slices = one["slices"].as_array().map_or(0, Vec::len);
            (one["options"].clone(), slices, one["book"].clone())
        };
        let found: Vec<_> = found.into_iter().map(parts).collect();
        assert_eq!(
            found,
            [(json!(""), 8, json!(false)), (json!("pits=3,seeds=2"), 0, json!(true))]
        );
        assert_eq!(kalah[1]["rules"], "pits=3, seeds=2, empty-capture=no, play-on=no");
        assert_eq!(of("othello"), json!([]));
    });
}

#[test]
fn the_same_options_are_one_game() {
    let app = App::new(config()).expect("a server");
    let open = |options: &str| app.game("kalah", Some(options)).expect("a game");
    assert!(Arc::ptr_eq(&open("pits=5"), &open(" pits=5,,play-on=no")));
    assert!(Arc::ptr_eq(&open("pits=6"), &app.game("kalah", None).expect("a game")));
    assert!(app.game("kalah", Some("pots=5")).is_err());
}

#[test]
fn unknown_parameters_are_refused() {
    run(async {
        let server = server(config());
        let probe = "/api/v1/games/awari/probe?pos=0,0,0,0,1,1/1,1,0,0,0,0";
        let answer = get(&server, probe).await;
        assert_eq!(answer.problem(), "/api#bad-request");
        let detail = answer.json()["detail"].as_str().expect("a sentence").to_owned();
        assert!(detail.contains("pos") && detail.contains("position"), "{detail}");
        let wrong = get(&server, "/api/v1/games/awari/random?score=much").await.json();
        assert!(!wrong["detail"].as_str().expect("a sentence").contains("deserialize"), "{wrong}");
        let long = json!({ "positions": ["x".repeat(100_000)] }).to_string();
        let answer = post(&server, "/api/v1/games/awari/probe", long).await;
        assert!(answer.body.len() < 500, "{}", answer.body.len());
        assert_eq!(answer.json()["results"][0]["problem"]["type"], "/api#too-many");
    });
}

#[test]
fn the_description_is_whole() {
    fn references(value: &Value, found: &mut HashSet<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|inner| references(inner, found));
            }
            Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
            _ => {}
        }
    }
    let description = serde_json::to_value(nutcracker_web::openapi()).expect("JSON");
    let mut found = HashSet::new();
    references(&description, &mut found);
    for reference in &found {
        let target = description.pointer(reference.trim_start_matches('#'));
        assert!(target.is_some(), "{reference} leads nowhere");
    }
    let mut names = HashSet::new();
    for (path, methods) in description["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let id = operation["operationId"].as_str().expect("an id").to_owned();
            assert!(id.len() > 5 && names.insert(id.clone()), "{method} {path}: {id}");
            assert!(operation["responses"]["405"].is_object(), "{method} {path}");
        }
    }
    // Each result of a batch is one of two kinds, which can be told apart.
    let kinds = &description["components"]["schemas"]["ProbeResult"]["oneOf"];
    for kind in kinds.as_array().expect("kinds") {
        assert!(kind["$ref"].is_string() || kind["type"] == "object", "{kind}");
    }
}
