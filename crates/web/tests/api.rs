//! What is answered.

use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use nutcracker_games::GAMES;
use nutcracker_games::kalah::Kalah;
use nutcracker_web::App;
use nutcracker_web::problem::Kind;
use nutcracker_web::routes::router;
use serde_json::{Value, json};

use crate::common::{LAST, book, config, get, post, run, send, server};

/// An ending that is in the databases, as part of an address.
const ENDING: &str = "0,0,1,0,1,2/0,1,2,0,0,0%20S%2020-21";

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON")
}

#[test]
fn requests_and_responses() {
    run(async {
        let server = server(config());
        let mut all = String::new();
        for uri in [
            "/api/v1/games".to_owned(),
            "/api/v1/games/awari".to_owned(),
            "/api/v1/games/kalah?options=pits=2,seeds=1,empty-capture".to_owned(),
            "/api/v1/games/krk".to_owned(),
            format!("/api/v1/games/awari/probe?position={ENDING}"),
            "/api/v1/games/awari/probe?position=0,0,1,0,1,2/0,1,2,0,0,0%20N".to_owned(),
            format!("/api/v1/games/awari/moves?position={ENDING}"),
            "/api/v1/games/awari/moves?position=0,0,0,0,0,0/0,1,2,0,0,0%20S".to_owned(),
            "/api/v1/games/kalah/moves?position=0,0,0,1,0,1/0,1,2,0,0,0%20S".to_owned(),
            "/api/v1/games/awari/line?position=0,0,0,0,1,1/1,1,0,0,0,0&moves=F1x2%20b1".to_owned(),
            "/api/v1/games/awari/best-line?position=0,0,1,0,1,2/0,1,2,0,0,0&plies=3".to_owned(),
            "/api/v1/games/awari/random?slice=7&only=winning&captures=none&seed=1".to_owned(),
            "/api/v1/games/awari/extremes?slice=4".to_owned(),
            format!("/api/v1/games/awari/reply?position={ENDING}"),
            format!("/api/v1/games/awari/reply?position={ENDING}&level=1&seed=3"),
            "/api/v1/games/othello".to_owned(),
            "/api/v1/games/othello/slices".to_owned(),
        ] {
            let answer = get(&server, &uri).await;
            assert_eq!(answer.status, StatusCode::OK, "{uri}: {}", answer.text());
            assert_eq!(answer.header("content-type"), "application/json");
            let _ = writeln!(all, "{uri}\n{}\n", pretty(&answer.json()));
        }
        insta::assert_snapshot!("answers", all);
    });
}

#[test]
fn problems_explain_what_is_wrong() {
    run(async {
        let server = server(config());
        let long = "1".repeat(5000);
        let mut all = String::new();
        for uri in [
            "/api/v1/games/chequers".to_owned(),
            "/api/v1/games/awari/probe?position=4,4".to_owned(),
            "/api/v1/games/awari/probe".to_owned(),
            "/api/v1/games/awari/probe?options=pits=9".to_owned(),
            "/api/v1/games/awari/probe?options=seeds=9".to_owned(),
            "/api/v1/games/awari/moves?position=4,4,4,4,4,4/4,4,4,4,4,x".to_owned(),
            "/api/v1/games/awari/line?position=0,0,0,0,1,1/1,1,0,0,0,0&moves=A4".to_owned(),
            "/api/v1/games/awari/best-line?plies=100000".to_owned(),
            "/api/v1/games/awari/random?slice=99".to_owned(),
            "/api/v1/games/awari/random?slice=7&score=100".to_owned(),
            "/api/v1/games/awari/random?slice=seven".to_owned(),
            "/api/v1/games/awari/extremes".to_owned(),
            "/api/v1/games/awari/extremes?slice=4000000000".to_owned(),
            "/api/v1/games/awari/reply?level=11".to_owned(),
            "/api/v1/games/awari/reply?position=0,0,0,0,0,0/0,1,2,0,0,0%20S".to_owned(),
            "/api/v1/games/awari/search?seconds=-1".to_owned(),
            "/api/v1/games/awari/search?moves=Z9".to_owned(),
            "/api/v1/games/awari/book".to_owned(),
            "/api/v1/games/kalah/book?options=pits=3,seeds=3".to_owned(),
            "/api/v1/games/kalah/book?options=seeds=3,play-on".to_owned(),
            "/api/v1/games/kalah/probe?options=play-on".to_owned(),
            "/api/v1/games/chequers/rules".to_owned(),
            "/api/v1/games/othello/probe".to_owned(),
            "/api/v1/jobs/7".to_owned(),
            "/api/v1/jobs/x/events".to_owned(),
            "/api/v2/games".to_owned(),
            "/page/..%2f..%2fCargo.toml".to_owned(),
            "/page/%ff".to_owned(),
            "/api/v1/games/%ff%fe/probe".to_owned(),
            "/api/v1/games/..%2f..%2fetc".to_owned(),
            "/api/v1/games/awari?options=pits=..%2f..%2fetc".to_owned(),
            "/api/v1/games/kalah?options=seeds=4294967295".to_owned(),
            "/api/v1/games/awari/probe?options=reachable".to_owned(),
            "/api/v1/games/awari/search?seconds=1e308".to_owned(),
            "/api/v1/games/awari/random?score=-9223372036854775808".to_owned(),
        ] {
            let answer = get(&server, &uri).await;
            assert!(answer.status.is_client_error(), "{uri}");
            let detail = answer.json()["detail"].as_str().expect("a sentence").to_owned();
            let (status, problem) = (answer.status.as_u16(), answer.problem());
            let _ = writeln!(all, "{uri}\n  {status} {problem}\n  {detail}");
        }
        let answer = get(&server, &format!("/api/v1/games/awari/probe?position={long}")).await;
        assert_eq!(answer.problem(), "/api#too-many");
        insta::assert_snapshot!("problems", all);
    });
}

#[test]
fn every_game_has_its_rules_in_words() {
    run(async {
        let server = server(config());
        for info in GAMES.iter() {
            let answer = get(&server, &format!("/api/v1/games/{}/rules", info.name)).await.json();
            assert_eq!(answer["rules"].as_str(), GAMES.rules_of(info.name), "{}", info.name);
        }
    });
}

#[test]
fn a_refusal_to_build_names_the_command_with_all_options() {
    run(async {
        let mut config = config();
        config.limits.build_positions = 100;
        let server = server(config);
        // A field that means nothing is not passed over in silence.
        let body = json!({ "game": "kalah", "depth": 5 });
        let refused = post(&server, "/api/v1/jobs", body.to_string()).await;
        let detail = refused.json()["detail"].as_str().expect("a sentence").to_owned();
        assert!(refused.status == 400 && detail.contains("depth"), "{detail}");
        let body = json!({ "game": "kalah", "options": "pits=3,play-on", "up_to": "8" });
        let answer = post(&server, "/api/v1/jobs", body.to_string()).await;
        assert_eq!(answer.problem(), "/api#not-building");
        let detail = answer.json()["detail"].as_str().expect("a sentence").to_owned();
        let command = "`nutcracker solve kalah --pits 3 --play-on --up-to 8`";
        assert!(detail.contains(command), "{detail}");
    });
}

#[test]
fn advice_names_the_directory_of_the_databases() {
    run(async {
        let mut config = config();
        config.data_option = " --data 'my data'".to_owned();
        let server = server(config);
        for (uri, command) in [
            (
                "probe?options=pits=2",
                "`nutcracker solve awari --pits 2 --data 'my data' --stones 16`",
            ),
            ("probe", "`nutcracker plan awari --data 'my data' --stones 48`"),
            ("book", "`nutcracker book new awari --data 'my data'`"),
        ] {
            let answer = get(&server, &format!("/api/v1/games/awari/{uri}")).await.json();
            let detail = answer["detail"].as_str().expect("a sentence");
            assert!(detail.contains(command), "{detail}");
        }
    });
}

#[test]
fn what_does_not_fit_the_disk_is_not_advised() {
    run(async {
        type FreeDisk = fn(&Path) -> Option<u64>;
        let [unknown, ample, none]: [FreeDisk; 3] = [|_| None, |_| Some(1 << 40), |_| Some(0)];
        for (free_disk, verb) in [(unknown, "solve"), (ample, "solve"), (none, "plan")] {
            let mut config = config();
            config.free_disk = free_disk;
            let answer = get(&server(config), "/api/v1/games/awari/probe?options=pits=2").await;
            let command = format!("`nutcracker {verb} awari --pits 2 --stones 16`");
            assert!(answer.text().contains(&command), "{verb}: {}", answer.text());
        }
    });
}

#[test]
fn every_problem_is_described_on_the_page() {
    run(async {
        let page = get(&server(config()), "/api").await.text();
        for kind in Kind::ALL {
            let name = kind.uri().strip_prefix("/api#").expect("an anchor");
            let row = format!(
                "<tr id=\"{name}\"><th scope=\"row\">#{name}</th><td>{}",
                kind.status().as_u16()
            );
            assert!(page.contains(&row), "{name}");
        }
    });
}

#[test]
fn many_positions_in_one_request() {
    run(async {
        let server = server(config());
        let uri = "/api/v1/games/awari/probe";
        let positions = ["0,0,0,0,1,1/1,1,0,0,0,0", "nonsense", "4,4,4,4,4,4/4,4,4,4,4,4"];
        let answer = post(&server, uri, json!({ "positions": positions }).to_string()).await;
        assert_eq!(answer.status, StatusCode::OK);
        insta::assert_snapshot!("batch", pretty(&answer.json()));

        // Large batches take another path: each result must equal that of a single probe.
        let many: Vec<String> = (0..LAST)
            .flat_map(|n| (0..40).map(move |_| format!("{n},0,0,0,0,0/0,0,0,0,0,0")))
            .collect();
        let answer = post(&server, uri, json!({ "positions": many }).to_string()).await.json();
        for (text, found) in many.iter().zip(answer["results"].as_array().expect("results")) {
            let single = get(&server, &format!("{uri}?position={text}")).await.json();
            assert_eq!(*found, single["value"], "{text}");
        }
        assert_eq!(answer["results"].as_array().map(Vec::len), Some(many.len()));

        let too_many = json!({ "positions": vec!["0"; 10_001] }).to_string();
        assert_eq!(post(&server, uri, too_many).await.problem(), "/api#too-many");
        let too_large = format!("{{\"positions\": [\"{}\"]}}", "x".repeat(1 << 20));
        assert_eq!(post(&server, uri, too_large).await.problem(), "/api#too-large");
        assert_eq!(post(&server, uri, "{").await.problem(), "/api#bad-request");
        let request = Request::post(uri).body(Body::from("{}")).expect("a request");
        assert_eq!(send(&server, request).await.problem(), "/api#bad-request");
        let request = Request::delete(uri).body(Body::empty()).expect("a request");
        assert_eq!(send(&server, request).await.problem(), "/api#method-not-allowed");
    });
}

#[test]
fn optional_book_queries_return_null_when_absent() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        book(dir.path());
        let mut config = config();
        dir.path().clone_into(&mut config.data);
        let server = server(config);
        let get_json = async |uri: &str| {
            let answer = get(&server, uri).await;
            assert_eq!(answer.status, StatusCode::OK, "{uri}: {}", answer.text());
            answer.json()
        };
        let rules = "options=pits=3,seeds=2&optional=true";
        let facts = get_json(&format!("/api/v1/games/kalah/book?{rules}")).await;
        let node = get_json(&format!("/api/v1/games/kalah/book/node?{rules}")).await;
        assert_eq!((&node["depth"], &node["book"]), (&json!(0), &facts));
        let away = format!("/api/v1/games/kalah/book/node?{rules}&position=0,0,0/0,0,9");
        assert_eq!(get_json(&away).await, Value::Null);
        let lost =
            "/api/v1/games/kalah/book/leaf?options=pits=3,seeds=2&depth=4294967295&value=nan";
        assert_eq!(get(&server, lost).await.problem(), "/api#not-in-book");
        let away = away.replace("optional=true", "optional=false");
        assert_eq!(get(&server, &away).await.problem(), "/api#not-in-book");
        assert_eq!(get_json("/api/v1/games/awari/book?optional=true").await, Value::Null);
        assert_eq!(get_json("/api/v1/games/awari/book/node?optional=true").await, Value::Null);
    });
}

#[test]
fn random_positions_match_their_filters() {
    run(async {
        let server = server(config());
        for seed in 0..20 {
            let uri = format!(
                "/api/v1/games/awari/random?slice=6&only=winning&captures=none&tempting=true&seed={seed}"
            );
            let found = get(&server, &uri).await.json();
            let position = found["position"].as_str().expect("a position").replace(' ', "%20");
            let moves = get(&server, &format!("/api/v1/games/awari/moves?position={position}"))
                .await
                .json();
            assert_eq!(moves["value"], found["value"]);
            assert_eq!(moves["slice"], "6");
            let moves = moves["moves"].as_array().expect("moves").clone();
            let wins = moves.iter().filter(|mv| mv["value"]["points"].as_i64() > Some(0));
            let wins: Vec<_> = wins.collect();
            assert_eq!(wins.len(), 1, "{position}");
            assert_eq!(wins[0]["captures"], 0);
            assert!(moves.iter().any(|mv| mv["captures"].as_i64() > Some(0)));
        }
        for score in [-4, 0, 3, 6] {
            let uri = format!("/api/v1/games/awari/random?slice=6&score={score}");
            let found = get(&server, &uri).await;
            assert_eq!(found.json()["value"]["points"], score);
            assert_eq!(found.header("cache-control"), "no-store");
        }
    });
}

#[test]
fn the_perfect_player_wins_its_score() {
    run(async {
        let server = server(config());
        for position in ["0,0,1,0,1,2/0,1,2,0,0,0 S 20-21", "1,0,0,2,0,0/0,1,0,1,1,1 S 20-21"] {
            let at = position.replace(' ', "%20");
            let score = get(&server, &format!("/api/v1/games/awari/probe?position={at}")).await;
            let uri = format!("/api/v1/games/awari/best-line?position={at}&plies=300");
            let line = get(&server, &uri).await.json();
            let nodes = line["nodes"].as_array().expect("nodes");
            let (mut south, mut north) = (0, 0);
            for node in nodes {
                let banked = node["played"]["captures"].as_i64().unwrap_or(0);
                *(if node["mover"] == "south" { &mut south } else { &mut north }) += banked;
            }
            // What is left goes to the side that can still move, or is divided.
            let last = &nodes[nodes.len() - 1];
            let left = last["value"]["points"].as_i64().expect("a score");
            let left = if last["mover"] == "south" { left } else { -left };
            let expected = score.json()["value"]["points"].as_i64().expect("a score");
            assert_eq!(south - north + left, expected, "{position}");
            assert!(expected == 0 || line["over"] == true, "{position}: {line}");
        }
    });
}

#[test]
fn a_search_streams_its_progress() {
    run(async {
        let server = server(config());
        for (game, depth) in [("awari", 4), ("othello", 3)] {
            let uri = format!("/api/v1/games/{game}/search?depth={depth}&seconds=10");
            let answer = get(&server, &uri).await;
            assert_eq!(answer.header("content-type"), "text/event-stream");
            let text = answer.text();
            assert!(text.trim_end().ends_with("event: done\ndata: {}"), "{text}");
            let reports: Vec<Value> = text
                .lines()
                .filter_map(|line| line.strip_prefix("data: {\"depth\""))
                .map(|rest| serde_json::from_str(&format!("{{\"depth\"{rest}")).expect("JSON"))
                .collect();
            let last = reports.last().expect("a report");
            assert_eq!(last["depth"], depth);
            assert!(!last["line"].as_array().expect("a line").is_empty());
        }
    });
}

#[test]
fn above_the_databases_moves_come_from_a_search() {
    run(async {
        let server = server(config());
        for game in ["awari", "othello"] {
            let uri = format!("/api/v1/games/{game}/reply?level=perfect");
            let answer = get(&server, &uri).await.json();
            assert_eq!(answer["source"], "search", "{answer}");
            let moves = get(&server, &format!("/api/v1/games/{game}/moves")).await.json();
            let legal = moves["moves"].as_array().expect("moves");
            assert!(legal.iter().any(|mv| mv["move"] == answer["move"]), "{answer}");
        }
    });
}

#[test]
fn answers_are_cached_compressed_and_guarded() {
    run(async {
        let mut config = config();
        config.cors = vec!["https://example.org".to_owned()];
        let server = server(config);
        let uri = "/api/v1/games/awari/slices";
        let answer = get(&server, uri).await;
        let tag = answer.header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{tag}");
        let request = Request::get(uri).header("if-none-match", format!("\"other\", {tag}"));
        let again = send(&server, request.body(Body::empty()).expect("a request")).await;
        assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));

        let request = Request::get(uri).header("accept-encoding", "gzip");
        let packed = send(&server, request.body(Body::empty()).expect("a request")).await;
        assert_eq!(packed.header("content-encoding"), "gzip");
        assert!(packed.body.len() < answer.body.len());

        for (origin, allowed) in
            [("https://example.org", "https://example.org"), ("https://evil.example", "")]
        {
            let request = Request::get(uri).header("origin", origin);
            let answer = send(&server, request.body(Body::empty()).expect("a request")).await;
            assert_eq!(answer.header("access-control-allow-origin"), allowed);
        }
        for uri in ["/", "/games/awari", "/page/main.js", "/api", uri, "/nowhere"] {
            let answer = get(&server, uri).await;
            let policy = answer.header("content-security-policy");
            assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{uri}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
        }
    });
}

#[test]
fn the_page_is_whole_and_without_inline_script() {
    run(async {
        let server = server(config());
        let mut pending = vec!["main.js".to_owned(), "try.js".to_owned()];
        let mut seen = Vec::new();
        while let Some(name) = pending.pop() {
            if seen.contains(&name) {
                continue;
            }
            let answer = get(&server, &format!("/page/{name}")).await;
            assert_eq!(answer.status, StatusCode::OK, "{name}");
            let text = answer.text();
            for part in text.split("from \"./").skip(1) {
                pending.push(part.split('"').next().expect("a name").to_owned());
            }
            seen.push(name);
        }
        assert!(seen.len() > 10);
        for page in ["/", "/api"] {
            let text = get(&server, page).await.text();
            // Style sheets, icons and scripts by their names, and pictures that style sheets name.
            let mut named: Vec<String> = ["href=\"", "src=\""]
                .iter()
                .flat_map(|attribute| text.split(attribute).skip(1))
                .filter_map(|part| part.split('"').next())
                .filter(|name| name.starts_with("/page/"))
                .map(str::to_owned)
                .collect();
            for expected in ["/page/style.css", "/page/icon.svg"] {
                assert!(named.iter().any(|name| name == expected), "{page}: {named:?}");
            }
            while let Some(name) = named.pop() {
                let answer = get(&server, &name).await;
                assert_eq!(answer.status, StatusCode::OK, "{page} names {name}");
                let kind = answer.header("content-type").to_owned();
                let expected = match name.rsplit('.').next() {
                    Some("css") => "text/css; charset=utf-8",
                    Some("svg") => "image/svg+xml",
                    _ => "text/javascript; charset=utf-8",
                };
                assert_eq!(kind, expected, "{name}");
                if expected.starts_with("text/css") {
                    let style = answer.text();
                    let urls =
                        style.split("url(").skip(1).filter_map(|part| part.split(')').next());
                    let urls = urls.map(|url| url.trim_matches(['"', '\'']));
                    named.extend(urls.filter(|url| !url.starts_with('#')).map(str::to_owned));
                }
            }
            assert!(
                !text.contains("<script>")
                    && !text.contains("style=")
                    && !text.contains(" onclick")
            );
            assert!(!text.contains("://"), "nothing is loaded from elsewhere");
        }
    });
}

#[test]
fn counters_count() {
    run(async {
        let server = server(config());
        get(&server, "/api/v1/games/awari/probe?position=0,0,0,0,1,1/1,1,0,0,0,0").await;
        get(&server, "/api/v1/games/awari/probe?position=x").await;
        let text = get(&server, "/metrics").await.text();
        for line in [
            "nutcracker_requests_total{route=\"/api/v1/games/{game}/probe\",status=\"2xx\"} 1",
            "nutcracker_requests_total{route=\"/api/v1/games/{game}/probe\",status=\"4xx\"} 1",
            "nutcracker_request_duration_seconds_count 2",
            "nutcracker_positions_total 2",
            "nutcracker_panics_total 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    });
}

#[test]
fn the_description_lists_every_route() {
    run(async {
        let description = get(&server(config()), "/api/v1/openapi.json").await.json();
        let mut all = String::new();
        for (path, methods) in description["paths"].as_object().expect("paths") {
            for (method, operation) in methods.as_object().expect("methods") {
                let names: Vec<&str> = operation["parameters"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|parameter| parameter["name"].as_str())
                    .collect();
                let summary = operation["summary"].as_str().unwrap_or_default();
                let _ = writeln!(all, "{method} {path} ({}): {summary}", names.join(", "));
            }
        }
        insta::assert_snapshot!("questions", all);
    });
}

#[test]
fn games_used_last_stay_open() {
    let mut config = config();
    config.limits.open_games = 2;
    let app = App::new(config).expect("a server");
    let open = |pits: &str| app.game("awari", Some(pits)).expect("a game");
    let first = open("pits=2");
    open("pits=3");
    // It was opened first and is used again: the other one is evicted.
    assert!(Arc::ptr_eq(&first, &open("pits=2")));
    open("pits=4");
    assert!(Arc::ptr_eq(&first, &open("pits=2")));
}

/// What is logged while something runs on this thread.
fn logged(work: impl FnOnce()) -> String {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("a log").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    tracing::subscriber::with_default(subscriber, work);
    let bytes = log.0.lock().expect("a log").clone();
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn unreadable_data_is_logged_with_its_cause() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("awari-pits6");
    std::fs::create_dir(&folder).expect("a directory");
    std::fs::write(folder.join("awari-03.nut"), "not a table").expect("a file");
    let kalah = Kalah::new(6, 4, false).expect("kalah");
    let book = dir.path().join(nutcracker_book::file_name(&kalah));
    std::fs::write(&book, "not a book").expect("a file");
    let mut config = config();
    dir.path().clone_into(&mut config.data);
    let app = App::new(config).expect("a server");
    let server = router(&app);
    for (uri, path) in [
        ("/api/v1/games/awari/probe?position=0,0,0,0,0,1/1,1,0,0,0,0", "awari-03.nut"),
        ("/api/v1/games/kalah/book", "book"),
    ] {
        let log = logged(|| {
            run(async {
                let answer = get(&server, uri).await;
                assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{uri}");
                assert_eq!(answer.problem(), "/api#damaged");
                // Paths of the server are not for its clients.
                assert!(!answer.text().contains(&*dir.path().to_string_lossy()));
            });
        });
        let line = log.lines().find(|line| line.contains("ERROR")).unwrap_or_default();
        assert!(line.contains(path) && line.contains("/api/v1/games/{game}/"), "{log}");
    }
    let log = logged(|| {
        run(async { get(&server, "/api/v1/games/chequers").await });
    });
    assert_eq!(log, "", "errors of clients are not the operator's");
}
