//! Games that are read and reviewed, puzzles, seeds, and games that files describe.

use std::fs;

use axum::http::StatusCode;
use nutcracker_engine::record::Record;
use nutcracker_games::GAMES;
use nutcracker_web::FileGame;
use serde_json::{Value, json};

use crate::common::{config, events, get, post, run, server};

/// An ending that is in the databases.
const ENDING: &str = "0,0,1,0,1,2/0,1,2,0,0,0 S 20-21";

fn encoded(text: &str) -> String {
    text.replace(' ', "%20")
}

#[test]
fn records_are_read_as_far_as_they_can_be_replayed() {
    run(async {
        let server = server(config());
        let read = async |body: Value| post(&server, "/api/v1/records", body.to_string()).await;
        let text = "[Game \"awari\"]\n[First \"Ann\"]\n\n1. F4 2. c 3. E4 1-0\n\n\
                    [Game \"kalah\"]\n[Options \"pits=3, seeds=2\"]\n\n1. A 2. Z9 *\n";
        let found = read(json!({ "text": text })).await.json();
        let [awari, kalah] = found["games"].as_array().expect("games").as_slice() else {
            panic!("{found}")
        };
        assert_eq!(awari["players"], json!(["Ann", null]));
        assert_eq!(awari["moves"], json!(["F4", "c5", "E4"]));
        assert_eq!((awari["outcome"].as_str(), awari["options"].as_str()), (Some("1-0"), Some("")));
        assert_eq!(awari["problem"], Value::Null);
        let again = Record::parse_all(awari["record"].as_str().expect("text")).expect("a record");
        assert_eq!(again[0].tag("Position"), Some("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"));
        assert_eq!(again[0].moves.len(), 3);
        assert_eq!(
            (kalah["options"].as_str(), kalah["moves"][0].as_str()),
            (Some("pits=3,seeds=2"), Some("A2"))
        );
        let problem = kalah["problem"].as_str().expect("a sentence");
        assert!(problem.starts_with("move 2: "), "{problem}");
        // A game as Aualé writes it.
        let ogn = "[Variant \"Oware Abapa\"]\n[South \"Ada\"]\n[Result \"*\"]\n\n1. F f 2. B e *\n";
        let found = read(json!({ "text": ogn })).await.json();
        assert_eq!(found["games"][0]["game"], "oware", "{found}");
        assert_eq!(found["games"][0]["players"], json!(["Ada", null]));
        assert_eq!(found["games"][0]["moves"].as_array().map(Vec::len), Some(4));
        // In PDN the result of White comes first, who moves second in checkers.
        let pdn =
            "[Black \"Ann\"]\n[White \"Bob\"]\n[Result \"1-0\"]\n\n1. 11-15! 22-18 2. 15:22 1-0\n";
        let found = read(json!({ "text": pdn })).await.json();
        let game = &found["games"][0];
        assert_eq!(game["game"], "checkers", "{found}");
        assert_eq!(game["players"], json!(["Ann", "Bob"]));
        assert_eq!(game["outcome"], "0-1", "Bob won");
        assert_eq!(game["moves"], json!(["11-15", "22-18", "15x22"]));
        // Up to a wrong move, from the position that it names.
        let wrong = "[FEN \"W:W18:BK10\"]\n\n1. 18-15 10x19 2. 1-5 0-1\n";
        let found = read(json!({ "text": wrong })).await.json();
        assert_eq!(found["games"][0]["moves"], json!(["18-15", "10x19"]), "{found}");
        assert_eq!(found["games"][0]["outcome"], "*");
        // A word of Aualé's may be many moves.
        let long = format!("[Variant \"Oware Abapa\"]\n\n{}\n", "Ff".repeat(600));
        let refused = read(json!({ "text": long })).await;
        assert_eq!(refused.json()["type"], "/api#too-many");
        // Moves alone are of the game that is on the board.
        let found =
            read(json!({ "text": "A2", "game": "kalah", "options": "pits=3,seeds=2" })).await;
        assert_eq!(found.json()["games"][0]["moves"], json!(["A2"]));
        for (body, problem) in [
            (json!({ "text": "F4" }), "/api#bad-request"),
            (json!({ "text": "" , "game": "awari" }), "/api#bad-request"),
            (json!({ "text": "[Game \"chequers\"]\n\n1. e4 *" }), "/api#no-such-game"),
            (json!({ "text": "{ a comment", "game": "awari" }), "/api#bad-request"),
            (json!({ "text": "[Position \"4,4\"]\n\nF4", "game": "awari" }), "/api#bad-position"),
            (json!({ "text": "F4 ".repeat(1001), "game": "awari" }), "/api#too-many"),
            (json!({}), "/api#bad-request"),
        ] {
            assert_eq!(read(body.clone()).await.problem(), problem, "{body}");
        }
    });
}

/// What a review says of moves is what the line says of them.
#[test]
fn a_review_finds_what_databases_know() {
    run(async {
        let server = server(config());
        // Each side always plays what the rules list first.
        let mut moves: Vec<String> = Vec::new();
        loop {
            let uri = format!(
                "/api/v1/games/awari/moves?position={}&moves={}",
                encoded(ENDING),
                moves.join("%20")
            );
            let found = get(&server, &uri).await.json();
            let all = found["moves"].as_array().expect("moves");
            let mut names: Vec<&str> = all.iter().filter_map(|one| one["move"].as_str()).collect();
            names.sort_unstable();
            let Some(first) = names.first() else { break };
            moves.push((*first).to_owned());
        }
        assert!(moves.len() > 3, "{moves:?}");
        let position = encoded(ENDING);
        let uri =
            format!("/api/v1/games/awari/line?position={position}&moves={}", moves.join("%20"));
        let line = get(&server, &uri).await.json();
        let record = format!("[Position \"{ENDING}\"]\n\n{} *", moves.join(" "));
        let body = json!({ "record": record }).to_string();
        let answer = post(&server, "/api/v1/games/awari/review", body).await;
        assert_eq!(answer.status, StatusCode::OK);
        let text = answer.text();
        let reviews = events(&text, "review");
        assert_eq!((reviews.len(), events(&text, "done").len()), (1, 1), "{text}");
        let review = &reviews[0];
        assert_eq!(review["moves"], Value::Array(events(&text, "move")), "told on the way");
        assert_eq!(review["complete"], true);
        assert_eq!(review["apparent"], json!([null, null]), "scores count no moves");
        let mut decisive = Value::Null;
        let mut lost = 0;
        for (ply, name) in moves.iter().enumerate() {
            let (found, played) = (&review["moves"][ply], &line["nodes"][ply]["played"]);
            assert_eq!(found["move"].as_str(), Some(name.as_str()));
            assert_eq!(found["source"], "database");
            assert_eq!(found["value"]["points"], played["value"]["points"], "{name}");
            let loses = played["loses"]["points"].as_f64().unwrap_or(0.0);
            assert_eq!(found["lost"].as_f64(), Some(loses), "{name}");
            assert_eq!(found["error"], loses > 0.0);
            lost += usize::from(loses > 0.0);
            if played["loses"]["result"] == true {
                assert_eq!(found["mark"], "??");
                decisive = json!(ply + 1);
            }
        }
        assert!(lost > 0, "the line has errors");
        assert_eq!(review["decisive"]["ply"], decisive);
        for picture in ["chart", "picture"] {
            assert!(review[picture].as_str().expect("a picture").starts_with("<svg "));
        }
        let again = Record::parse_all(review["record"].as_str().expect("text")).expect("a record");
        assert_eq!(again[0].moves.len(), moves.len());
        let comments = again[0].moves.iter().filter(|mv| mv.comment.is_some()).count();
        assert_eq!(comments, lost, "errors are commented");
    });
}

#[test]
fn reviews_search_where_there_are_no_databases() {
    run(async {
        let server = server(config());
        let review = async |body: Value| {
            post(&server, "/api/v1/games/awari/review?nodes=2000", body.to_string()).await
        };
        let body = json!({ "record": "[First \"Ann\"]\n\n1. F4 2. c5 3. E4 *" });
        let [first, second] = [review(body.clone()).await.text(), review(body).await.text()];
        let found = events(&first, "review");
        assert_eq!(found, events(&second, "review"), "the same game gives the same marks");
        assert_eq!(found[0]["title"], "South (Ann) against North");
        assert_eq!(found[0]["moves"][0]["source"], "search");
        for (body, problem) in [
            (json!({ "record": "" }), "/api#bad-request"),
            (json!({ "record": "F9" }), "/api#no-such-move"),
            (json!({ "record": "[Game \"kalah\"]\n\nF4" }), "/api#bad-request"),
        ] {
            assert_eq!(review(body.clone()).await.problem(), problem, "{body}");
        }
    });
}

#[test]
fn one_move_alone_solves_a_puzzle() {
    run(async {
        let server = server(config());
        let mut seen = [false; 11];
        for game in ["awari", "kalah"] {
            for seed in 0..12 {
                let uri = format!("/api/v1/games/{game}/puzzle?slice=7&seed={seed}");
                let answer = get(&server, &uri).await;
                assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
                let puzzle = answer.json();
                assert_eq!(puzzle, get(&server, &uri).await.json(), "the same seed");
                let position = encoded(puzzle["position"].as_str().expect("a position"));
                let uri = format!("/api/v1/games/{game}/moves?position={position}");
                let found = get(&server, &uri).await.json();
                let moves = found["moves"].as_array().expect("moves");
                let holds = moves.iter().filter(|one| one["outcome"] == puzzle["outcome"]);
                assert_eq!(holds.count(), 1, "{puzzle}");
                assert_eq!(
                    (&found["outcome"], moves.len()),
                    (&puzzle["outcome"], puzzle["choices"].as_u64().expect("a number") as usize)
                );
                let levels = puzzle["levels"].as_array().expect("levels");
                let chance = |one: &Value| one["finds"].as_f64().expect("a share");
                assert!(levels.iter().all(|one| (0.0..=1.0).contains(&chance(one))));
                let missed = levels.iter().filter(|one| chance(one) < 0.5).count();
                assert_eq!(puzzle["missed"].as_u64(), Some(missed as u64));
                seen[missed] = true;
            }
        }
        assert!(seen.iter().filter(|one| **one).count() > 2, "puzzles differ: {seen:?}");
        let uri = "/api/v1/games/awari/puzzle?slice=7&seed=1&min_missed=9";
        assert!(get(&server, uri).await.json()["missed"].as_u64() >= Some(9));
        let none = get(&server, "/api/v1/games/awari/puzzle?slice=1").await;
        assert_eq!(none.problem(), "/api#no-such-position");
        let none = get(&server, "/api/v1/games/othello/puzzle").await;
        assert_eq!(none.problem(), "/api#no-database");
    });
}

#[test]
fn seeds_are_compared_with_what_databases_know() {
    run(async {
        let server = server(config());
        for side in ["S", "N"] {
            let uri =
                format!("/api/v1/games/awari/seeds?position=0,0,1,0,1,2/0,1,1,0,0,0%20{side}");
            let found = get(&server, &uri).await.json();
            let sign = if side == "S" { 1.0 } else { -1.0 };
            let mut compared = 0;
            for (row, own) in [[0, 0, 1, 0, 1, 2], [0, 1, 1, 0, 0, 0]].iter().zip(0..) {
                for (pit, &seeds) in row.iter().enumerate() {
                    let cell = &found["rows"][own][pit];
                    assert_eq!(cell["seeds"], seeds);
                    assert_eq!(cell["less"].is_null(), seeds == 0);
                    for changed in
                        [&cell["less"], &cell["more"]].into_iter().filter(|one| !one.is_null())
                    {
                        let position = encoded(changed["position"].as_str().expect("a position"));
                        let uri = format!("/api/v1/games/awari/probe?position={position}");
                        let value = get(&server, &uri).await.json()["value"].clone();
                        assert_eq!(changed["value"], value);
                        let points = |value: &Value| value["points"].as_f64().expect("points");
                        let change = sign * (points(&value) - points(&found["value"]));
                        assert_eq!(changed["change"].as_f64(), Some(change));
                        compared += 1;
                    }
                }
            }
            assert_eq!(compared, 5 + 12);
        }
        let wrong = get(&server, "/api/v1/games/othello/seeds").await;
        assert_eq!(wrong.problem(), "/api#bad-request");
    });
}

#[test]
fn games_that_files_describe_are_listed_by_their_titles() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        let mut config = config();
        for (name, text) in [
            ("tiny", "inherits = \"oware\"\npits = 3\nseeds = 2\ngrand-slam = \"legal\"\n"),
            ("short-kalah", "inherits = \"kalah\"\npits = 3\n"),
        ] {
            let path = dir.path().join(format!("{name}.toml"));
            fs::write(&path, text).expect("a file");
            let info = (GAMES.read)(&path).expect("a game");
            config.files.push(FileGame { title: name.to_owned(), info });
        }
        let server = server(config);
        let games = get(&server, "/api/v1/games").await.json();
        for (game, title, pits) in [("sowing", "tiny", 3), ("kalah", "short-kalah", 3)] {
            let all = games.as_array().expect("games");
            let summary = all.iter().find(|one| one["name"] == game).expect("the game");
            let holdings = summary["holdings"].as_array().expect("holdings");
            let holding = holdings.iter().find(|one| one["title"] == title).expect("its title");
            let options = holding["options"].as_str().expect("options");
            let uri = format!("/api/v1/games/{game}?options={options}");
            let card = get(&server, &uri).await.json();
            assert_eq!(card["title"], title);
            let start = card["start"].as_str().expect("a position");
            assert_eq!(start.split([',', '/', ' ']).count(), 2 * pits + 2, "{start}");
            let uri = format!("/api/v1/games/{game}/moves?options={options}");
            assert_eq!(
                get(&server, &uri).await.json()["moves"].as_array().map(Vec::len),
                Some(pits)
            );
        }
        assert_eq!(get(&server, "/api/v1/games/awari").await.json()["title"], Value::Null);
    });
}
