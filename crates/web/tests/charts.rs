//! Charts over HTTP: what they are of, and that a page can show them.

use axum::body::Body;
use axum::http::{Request, StatusCode};

use crate::common::{Answer, config, get, run, send, server};

/// The values of a data attribute, in order.
fn data(svg: &str, name: &str) -> Vec<String> {
    let attribute = format!(" data-{name}=\"");
    svg.split(&attribute)
        .skip(1)
        .map(|rest| rest.split('"').next().expect("an end").to_owned())
        .collect()
}

/// A chart that the policy of the page allows.
fn svg(answer: &Answer) -> String {
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "image/svg+xml"));
    let text = answer.text();
    assert!(text.starts_with("<svg ") && text.contains(" role=\"group\" aria-label="), "{text}");
    assert!(!text.contains("<style") && !text.contains(" style="), "{text}");
    text
}

#[test]
fn the_histogram_has_a_column_for_every_score() {
    run(async {
        let server = server(config());
        let slices = get(&server, "/api/v1/games/awari/slices").await.json();
        let scores = |tally: &serde_json::Value| -> Vec<String> {
            let pairs = tally["histogram"].as_array().expect("a histogram");
            pairs.iter().map(|pair| pair[0].to_string()).collect()
        };
        let all = svg(&get(&server, "/api/v1/games/awari/slices/chart").await);
        assert_eq!(data(&all, "score"), scores(&slices["all"]));
        let five =
            slices["slices"].as_array().expect("slices").iter().find(|one| one["slice"] == "5");
        let chart = svg(&get(&server, "/api/v1/games/awari/slices/chart?slice=5").await);
        assert_eq!(data(&chart, "score"), scores(five.expect("a slice")));
        assert!(chart.contains("Positions by value, 5 stones"));
        for (slice, problem) in [("9", "/api#no-database"), ("many", "/api#bad-request")] {
            let uri = format!("/api/v1/games/awari/slices/chart?slice={slice}");
            assert_eq!(get(&server, &uri).await.problem(), problem, "{slice}");
        }
    });
}

#[test]
fn the_course_has_every_position_and_marks_errors() {
    run(async {
        let server = server(config());
        let uri = "/api/v1/games/awari/line/chart?position=0,0,1,0,1,2/0,1,2,0,0,0%20S%2020-21";
        let start = get(&server, &uri.replace("line/chart", "moves")).await.json();
        let moves = start["moves"].as_array().expect("moves");
        let (best, worst) = (&moves[0], moves.last().expect("a move"));
        assert!(
            best["loses"].is_null() && worst["loses"]["points"].as_f64() > Some(0.0),
            "{start}"
        );
        for (mv, is_error) in [(best, false), (worst, true)] {
            let name = mv["move"].as_str().expect("a name");
            let chart = svg(&get(&server, &format!("{uri}&moves={name}")).await);
            assert_eq!(data(&chart, "ply"), ["0", "1"]);
            assert_eq!(chart.contains("<circle"), is_error, "{name}: {chart}");
            // The margin at the end, as the move promises it.
            let ends =
                ["south", "north"].map(|side| mv["result"][side].as_f64().expect("a result"));
            let margin = match ends[0] - ends[1] {
                margin if margin < 0.0 => format!("\u{2212}{}", -margin),
                margin if margin > 0.0 => format!("+{margin}"),
                _ => "0".to_owned(),
            };
            assert!(chart.contains(&format!("1. {name}: {margin}\"")), "{name}, {margin}: {chart}");
        }
        let illegal = get(&server, &format!("{uri}&moves=Z9")).await;
        assert_eq!(illegal.problem(), "/api#no-such-move");
        // What no database knows is not drawn.
        let unknown = svg(&get(&server, "/api/v1/games/othello/line/chart?moves=d3").await);
        assert!(unknown.contains("1. d3: not known") && !unknown.contains("class=\"line\""));
    });
}

#[test]
fn the_drop_out_diagram_has_every_leaf() {
    run(async {
        let server = server(config());
        let uri = "/api/v1/games/kalah/book/dropouts?options=pits=3,seeds=2&player=first";
        let found = get(&server, uri).await.json();
        let dots = found["dots"].as_array().expect("leaves");
        let chart = svg(&get(&server, &uri.replace("dropouts", "dropouts/chart")).await);
        let depths: Vec<String> = dots.iter().map(|dot| dot["depth"].to_string()).collect();
        assert!(!depths.is_empty());
        assert_eq!(data(&chart, "depth"), depths);
        // What the chart says of a leaf leads to its line.
        for (depth, value) in data(&chart, "depth").iter().zip(data(&chart, "value")) {
            let uri = format!("{uri}&depth={depth}&value={value}").replace("dropouts", "leaf");
            let line = get(&server, &uri).await;
            assert_eq!(line.status, StatusCode::OK, "{uri}");
            let moves = line.json()["moves"].as_array().expect("moves").len();
            assert_eq!(moves.to_string(), *depth, "{uri}");
        }
    });
}

#[test]
fn a_chart_that_is_known_is_not_sent_again() {
    run(async {
        let server = server(config());
        let uri = "/api/v1/games/awari/slices/chart";
        let tag = get(&server, uri).await.header("etag").to_owned();
        let request = Request::get(uri).header("if-none-match", tag);
        let answer = send(&server, request.body(Body::empty()).expect("a request")).await;
        assert_eq!((answer.status, answer.body.len()), (StatusCode::NOT_MODIFIED, 0));
    });
}
