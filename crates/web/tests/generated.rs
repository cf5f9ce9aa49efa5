//! Requests generated from the `OpenAPI` description: each response must be one that the description
//! allows.

use std::fmt::Write;

use axum::body::Body;
use axum::http::Request;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::common::{Answer, config, run, send, server};

/// An operation of the description, with its parameters.
#[derive(Clone, Debug)]
struct Operation {
    path: String,
    method: String,
    parameters: Vec<Value>,
    body: Option<Value>,
    responses: Map<String, Value>,
}

fn operations(description: &Value) -> Vec<Operation> {
    let mut all = Vec::new();
    for (path, methods) in description["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let body = operation["requestBody"]["content"]["application/json"]["schema"].clone();
            all.push(Operation {
                path: path.clone(),
                method: method.clone(),
                parameters: operation["parameters"].as_array().cloned().unwrap_or_default(),
                body: Some(body).filter(|schema| !schema.is_null()),
                responses: operation["responses"].as_object().expect("responses").clone(),
            });
        }
    }
    all
}

fn resolve<'a>(description: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => {
            let name = name.rsplit('/').next().unwrap_or_default();
            resolve(description, &description["components"]["schemas"][name])
        }
        None => schema,
    }
}

/// Why a value does not match a schema, if it does not.
fn wrong(description: &Value, schema: &Value, value: &Value) -> Option<String> {
    differs(description, schema, value, true)
}

/// The same; where a value is described in parts, each part leaves out what is in the others.
fn differs(description: &Value, schema: &Value, value: &Value, whole: bool) -> Option<String> {
    let schema = resolve(description, schema);
    if let Some(kinds) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let fits = kinds.iter().any(|kind| wrong(description, kind, value).is_none());
        return (!fits).then(|| format!("{value} is none of {kinds:?}"));
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().find_map(|part| differs(description, part, value, false));
    }
    if let Some(known) = schema["enum"].as_array() {
        return (!known.contains(value)).then(|| format!("{value} is not in {known:?}"));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let fits = types.iter().any(|kind| match *kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    });
    if !fits {
        return Some(format!("{value} is not {types:?}"));
    }
    if let Some(object) = value.as_object() {
        let missing = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|name| !object.contains_key(name.as_str().unwrap_or_default()));
        if let Some(name) = missing {
            return Some(format!("{name} is missing in {value}"));
        }
        let known = schema["properties"].as_object();
        return object.iter().find_map(|(name, inner)| match known.and_then(|all| all.get(name)) {
            Some(schema) => wrong(description, schema, inner),
            None if schema["additionalProperties"].is_object() => {
                wrong(description, &schema["additionalProperties"], inner)
            }
            None if known.is_none() || !whole => None,
            None => Some(format!("{name} is not described")),
        });
    }
    value
        .as_array()
        .and_then(|items| items.iter().find_map(|item| wrong(description, &schema["items"], item)))
}

/// Texts that are positions, nearly positions, or anything.
fn position() -> BoxedStrategy<String> {
    let pits = || {
        prop::collection::vec(0..4u8, 6)
            .prop_map(|pits| pits.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
    };
    prop_oneof![
        4 => (pits(), pits(), select(vec!["", " S", " N", " S 10-12", " N 0-0", " X", " S 99-99"]))
            .prop_map(|(south, north, tail)| format!("{south}/{north}{tail}")),
        1 => "[0-9,/ SN-]{0,40}",
        1 => "\\PC{0,60}",
        1 => any::<Vec<u8>>().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
    .boxed()
}

fn parameter(name: &str) -> BoxedStrategy<String> {
    let number = prop_oneof![
        4 => (-9..9i64).prop_map(|number| number.to_string()),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => "\\PC{0,8}",
    ];
    match name {
        "game" => select(vec!["awari", "awari", "awari", "kalah", "chess", "..", "%00"])
            .prop_map(str::to_owned)
            .boxed(),
        "position" => position(),
        "moves" => "([A-Fa-f][0-9](x[0-9])? ?){0,4}".boxed(),
        "options" => prop_oneof![
            4 => select(vec!["", "pits=6", "pits=4", "pits=2,seeds=1", "pits=3,seeds=2", "empty-capture", "pits=99"])
                .prop_map(str::to_owned),
            1 => "\\PC{0,20}",
        ]
        .boxed(),
        "optional" => select(vec!["true", "false", "yes"]).prop_map(str::to_owned).boxed(),
        "player" => {
            select(vec!["first", "second", "both", "me"]).prop_map(str::to_owned).boxed()
        }
        "only" => select(vec!["winning", "best", "other"]).prop_map(str::to_owned).boxed(),
        "captures" => select(vec!["none", "some", ""]).prop_map(str::to_owned).boxed(),
        "level" => select(vec!["1", "10", "perfect", "0", "best"]).prop_map(str::to_owned).boxed(),
        "metric" => select(vec!["dtw", "dtm", "dtz50", "score", "dtq"]).prop_map(str::to_owned).boxed(),
        "side" => select(vec!["south", "White", "Black", "x"]).prop_map(str::to_owned).boxed(),
        "tempting" => select(vec!["true", "false", "1"]).prop_map(str::to_owned).boxed(),
        _ => number.boxed(),
    }
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "%{byte:02X}");
        out
    })
}

/// Texts that are records, nearly records, or anything.
fn record() -> BoxedStrategy<String> {
    let tag =
        select(vec!["", "[Game \"awari\"]", "[Game \"kalah\"]", "[Position \"4,4\"]", "[Game"]);
    prop_oneof![
        4 => (tag, parameter("moves"), select(vec!["", " 1-0", " {a trap} *", " {"]))
            .prop_map(|(tag, moves, end)| format!("{tag}\n\n{moves}{end}")),
        2 => position().prop_map(|at| format!("[Game \"awari\"]\n[Position \"{at}\"]\n\nA B F")),
        1 => "\\PC{0,60}",
    ]
    .boxed()
}

fn body() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(position(), 0..60)
            .prop_map(|positions| json!({ "positions": positions }).to_string().into_bytes()),
        2 => (
            parameter("game"),
            prop::option::of(parameter("options")),
            any::<Option<u64>>(),
            prop::option::of(parameter("metric")),
        )
            .prop_map(|(game, options, up_to, metric)| {
                json!({ "game": game, "options": options, "up_to": up_to, "metric": metric })
                    .to_string()
                    .into_bytes()
            }),
        4 => (record(), prop::option::of(parameter("game"))).prop_map(|(record, game)| {
            json!({ "text": record, "record": record, "game": game }).to_string().into_bytes()
        }),
        1 => any::<Vec<u8>>(),
        1 => "\\PC{0,80}".prop_map(String::into_bytes),
        1 => Just(b"{\"positions\": [1, null, {}]}".to_vec()),
    ]
    .boxed()
}

#[derive(Clone, Debug)]
struct Question {
    operation: Operation,
    uri: String,
    body: Vec<u8>,
}

fn question(operation: Operation) -> impl Strategy<Value = Question> {
    let given: Vec<_> = operation
        .parameters
        .iter()
        .map(|described| {
            let name = described["name"].as_str().expect("a name").to_owned();
            let always = described["required"] == true;
            let chance = if always { 0.95 } else { 0.6 };
            let in_path = described["in"] == "path";
            let value = if in_path {
                parameter(&name).prop_map(Some).boxed()
            } else {
                prop::option::weighted(chance, parameter(&name)).boxed()
            };
            value.prop_map(move |value| (name.clone(), in_path, value))
        })
        .collect();
    (given, body()).prop_map(move |(given, body)| {
        let mut uri = operation.path.clone();
        let mut query = Vec::new();
        for (name, in_path, value) in given {
            let Some(value) = value else { continue };
            if in_path {
                uri = uri.replace(&format!("{{{name}}}"), &encoded(&value));
            } else {
                query.push(format!("{name}={}", encoded(&value)));
            }
        }
        if !query.is_empty() {
            uri.push('?');
            uri.push_str(&query.join("&"));
        }
        Question { operation: operation.clone(), uri, body }
    })
}

fn check_response(
    description: &Value,
    question: &Question,
    answer: &Answer,
) -> Result<(), TestCaseError> {
    let status = answer.status.as_u16().to_string();
    let body = String::from_utf8_lossy(&answer.body);
    prop_assert_ne!(answer.status.as_u16(), 500, "{}", body);
    let Some(response) = question.operation.responses.get(&status) else {
        return Err(TestCaseError::fail(format!("status {status} is not described: {body}")));
    };
    let kind = answer.header("content-type");
    let schema = &response["content"][kind]["schema"];
    prop_assert!(!schema.is_null(), "{} is not described for {}", kind, status);
    if kind == "text/event-stream" {
        return check_events(description, &body);
    }
    if kind == "image/svg+xml" {
        prop_assert!(body.starts_with("<svg ") && body.trim_end().ends_with("</svg>"), "{}", body);
        return Ok(());
    }
    let body: Value = serde_json::from_slice(&answer.body)
        .map_err(|error| TestCaseError::fail(format!("{error}: {body}")))?;
    match wrong(description, schema, &body) {
        None => Ok(()),
        Some(why) => Err(TestCaseError::fail(why)),
    }
}

/// A stream sends events as described, and ends.
fn check_events(description: &Value, body: &str) -> Result<(), TestCaseError> {
    let schemas = &description["components"]["schemas"];
    let mut last = "";
    for event in body.split_terminator("\n\n").filter(|event| !event.starts_with(':')) {
        let parts = event.strip_prefix("event: ").and_then(|rest| rest.split_once("\ndata: "));
        let Some((name, data)) = parts else {
            return Err(TestCaseError::fail(format!("not an event: {event:?}")));
        };
        let data: Value = serde_json::from_str(data)
            .map_err(|error| TestCaseError::fail(format!("{error}: {data}")))?;
        let schema = match name {
            "queued" => &schemas["Queued"],
            "report" => &schemas["Searched"],
            "move" => &schemas["ReviewedMove"],
            "review" => &schemas["Review"],
            _ => &Value::Bool(true),
        };
        if schema.is_object() {
            prop_assert_eq!(wrong(description, schema, &data), None);
        }
        last = name;
    }
    prop_assert!(["done", "problem"].contains(&last), "{}", body);
    Ok(())
}

#[test]
fn every_answer_is_as_described() {
    let description = serde_json::to_value(nutcracker_web::openapi()).expect("JSON");
    let operations = operations(&description);
    assert!(operations.len() >= 10);
    let mut config = config();
    // Above the databases every reply is a search: many short ones here.
    config.limits.search_time = std::time::Duration::from_millis(30);
    config.limits.review_time = config.limits.search_time;
    // What is built has a test of its own.
    config.builds = false;
    let server = server(config);
    for operation in operations {
        let mut runner =
            TestRunner::new(Config { cases: 120, failure_persistence: None, ..Config::default() });
        let result = runner.run(&question(operation), |question| {
            let mut request = Request::builder()
                .method(question.operation.method.to_uppercase().as_str())
                .uri(&question.uri);
            if question.operation.body.is_some() {
                request = request.header("content-type", "application/json");
            }
            let request = request
                .body(Body::from(question.body.clone()))
                .map_err(|error| TestCaseError::reject(error.to_string()))?;
            let answer = run(send(&server, request));
            check_response(&description, &question, &answer)
        });
        if let Err(error) = result {
            panic!("{error}");
        }
    }
}
