//! The description of the interface.

use std::collections::BTreeMap;

use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa::{IntoResponses, OpenApi};

use crate::explorer::{Captures, Only, Review, ReviewedMove, Searched, Whose};
use crate::problem::ProblemBody;
use crate::routes::Queued;

/// What is not derived from the handlers.
#[derive(Debug, OpenApi)]
#[openapi(
    info(
        title = "Nutcracker",
        description = "Exact values of positions, from endgame databases.",
        license(name = "MIT OR Apache-2.0"),
    ),
    // The page and the interface are served from one place.
    servers((url = "/", description = "This server")),
    // Parameters and events name them; only bodies are found by themselves.
    components(schemas(ProblemBody, Only, Captures, Whose, Searched, Queued, ReviewedMove, Review)),
    tags(
        (name = "games", description = "What can be played"),
        (name = "positions", description = "Values, moves, lines"),
        (name = "databases", description = "What is known"),
        (name = "books", description = "Opening books"),
        (name = "jobs", description = "Databases built on request"),
        (name = "fleet", description = "Workers that grow a book"),
    ),
)]
pub struct Document;

/// An error response.
fn answer(text: &str) -> RefOr<Response> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let answer = ResponseBuilder::new()
        .description(text)
        .content("application/problem+json", content)
        .build();
    RefOr::T(answer)
}

/// The error responses of every endpoint.
#[derive(Debug)]
pub struct Problems;

impl IntoResponses for Problems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        [
            ("400", "The request is wrong"),
            ("403", "Sent by a page of another site"),
            ("404", "Not found"),
            ("405", "The address takes other methods"),
            ("408", "Time limit exceeded"),
            ("409", "Not possible now"),
            ("413", "The body is too large"),
            ("421", "This server has another name"),
            ("500", "Unreadable data or an internal error"),
            ("503", "Server busy"),
        ]
        .into_iter()
        .map(|(status, text)| (status.to_owned(), answer(text)))
        .collect()
    }
}

/// The error responses of endpoints that need a token.
#[derive(Debug)]
pub struct FleetProblems;

impl IntoResponses for FleetProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = Problems::responses();
        for (status, text) in [
            ("401", "No token, or an unknown one"),
            ("403", "The token does not allow it, or a page of another site sent it"),
        ] {
            all.insert(status.to_owned(), answer(text));
        }
        all
    }
}
