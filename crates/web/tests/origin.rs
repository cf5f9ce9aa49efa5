//! Requests that are refused for where they come from, and jobs that end before their time.

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use nutcracker_web::Config;
use serde_json::{Value, json};

use crate::common::{Answer, config, post, run, send, server};

/// A request with headers, the host among them.
async fn ask(server: &Router, method: Method, uri: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(server, request.body(Body::from("{}")).expect("a request")).await
}

/// A server that others can reach.
fn public() -> Config {
    Config { listen: "0.0.0.0:0".parse().expect("an address"), ..config() }
}

#[test]
fn names_of_other_sites_are_refused() {
    run(async {
        let uri = "/api/v1/games";
        let local = server(config());
        for host in ["127.0.0.1:4848", "127.0.0.1", "localhost:80", "LOCALHOST", "[::1]:4848"] {
            let answer = ask(&local, Method::GET, uri, &[("host", host)]).await;
            assert_eq!(answer.status, StatusCode::OK, "{host}");
        }
        for host in ["evil.example", "evil.example:4848", "localhost.evil.example", "127.0.0.1.nip"]
        {
            for page in [uri, "/", "/metrics"] {
                let answer = ask(&local, Method::GET, page, &[("host", host)]).await;
                assert_eq!(answer.problem(), "/api#wrong-host", "{host}");
                assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST);
            }
        }
        let named = server(Config { hosts: vec!["nuts.example".to_owned()], ..public() });
        let open = server(public());
        for (host, named_status, open_status) in [
            ("nuts.example:4848", 200, 200),
            ("10.0.0.7:4848", 200, 200),
            ("evil.example", 421, 200),
        ] {
            let get = async |server| ask(server, Method::GET, uri, &[("host", host)]).await;
            assert_eq!(get(&named).await.status.as_u16(), named_status, "{host}");
            assert_eq!(get(&open).await.status.as_u16(), open_status, "{host}");
        }
    });
}

#[test]
fn a_request_names_one_host() {
    run(async {
        let server = server(config());
        let two = [("host", "localhost"), ("host", "127.0.0.1")];
        let empty = [("host", "")];
        for headers in [&two[..], &empty] {
            let answer = ask(&server, Method::GET, "/api/v1/games", headers).await;
            assert_eq!(answer.problem(), "/api#bad-request", "{headers:?}");
        }
        let absolute = "http://evil.example/api/v1/games";
        let answer = ask(&server, Method::GET, absolute, &[("host", "localhost")]).await;
        assert_eq!(answer.problem(), "/api#bad-request");
    });
}

#[test]
fn pages_of_other_sites_change_nothing() {
    run(async {
        let mut config = config();
        config.cors = vec!["https://friend.example".to_owned()];
        let server = server(config);
        let host = ("host", "127.0.0.1:4848");
        let json = ("content-type", "application/json");
        for (origin, refused) in [
            ("http://127.0.0.1:4848", false),
            ("https://friend.example", false),
            ("http://127.0.0.1:9999", true),
            ("http://evil.example", true),
            ("null", true),
        ] {
            for (method, uri) in [
                (Method::POST, "/api/v1/jobs"),
                (Method::DELETE, "/api/v1/jobs/1"),
                (Method::POST, "/api/v1/games/awari/probe"),
            ] {
                let answer = ask(&server, method, uri, &[host, json, ("origin", origin)]).await;
                let foreign = answer.json()["type"] == "/api#foreign-origin";
                assert_eq!(foreign, refused, "{origin} {uri}: {}", answer.text());
            }
        }
        let cross = ("sec-fetch-site", "cross-site");
        for (mode, status) in [("no-cors", 403), ("navigate", 200)] {
            let headers = [host, cross, ("sec-fetch-mode", mode)];
            let uri = "/api/v1/games/awari/search?seconds=0";
            let answer = ask(&server, Method::GET, uri, &headers).await;
            assert_eq!(answer.status.as_u16(), status, "{mode}");
        }
    });
}

#[test]
fn a_job_can_be_cancelled() {
    run(async {
        let dir = tempfile::tempdir().expect("a directory");
        let mut config = config();
        dir.path().clone_into(&mut config.data);
        let server = server(config);
        // Minutes without optimisation: it does not end by itself during the test.
        let order = json!({ "game": "awari", "up_to": "16" }).to_string();
        let answer = post(&server, "/api/v1/jobs", order).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text());
        let at = answer.header("location").to_owned();
        let host = [("host", "localhost")];
        let answer = ask(&server, Method::DELETE, &at, &host).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text());
        let mut job = Value::Null;
        for _ in 0..600 {
            job = ask(&server, Method::GET, &at, &host).await.json();
            if job["state"] != "running" {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!((&job["state"], &job["error"]), (&json!("cancelled"), &Value::Null), "{job}");
        // Another one may start, and to cancel one that has ended is no error.
        let order = json!({ "game": "awari", "options": "pits=2", "up_to": "2" }).to_string();
        assert_eq!(post(&server, "/api/v1/jobs", order).await.status, StatusCode::ACCEPTED);
        assert_eq!(ask(&server, Method::DELETE, &at, &host).await.json()["state"], "cancelled");
        let answer = ask(&server, Method::DELETE, "/api/v1/jobs/9", &host).await;
        assert_eq!(answer.problem(), "/api#not-found");
    });
}
