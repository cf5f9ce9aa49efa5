//! The description of the interface.

use std::collections::BTreeMap;

use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa::{IntoResponses, OpenApi};

use crate::problem::ProblemBody;

/// What is not derived from the handlers.
#[derive(Debug, OpenApi)]
#[openapi(
    info(
        title = "Nutcracker",
        description = "Exact values of positions, from endgame databases.",
        license(name = "MIT OR Apache-2.0"),
    ),
    components(schemas(ProblemBody)),
    tags(
        (name = "games", description = "What can be played"),
        (name = "positions", description = "Values, moves, lines"),
        (name = "databases", description = "What is known"),
        (name = "books", description = "Opening books"),
        (name = "jobs", description = "Databases built on request"),
    ),
)]
pub struct Document;

/// What may be answered instead.
#[derive(Debug)]
pub struct Problems;

impl IntoResponses for Problems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let answer = |text: &str| {
            let content =
                ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
            let answer = ResponseBuilder::new()
                .description(text)
                .content("application/problem+json", content)
                .build();
            RefOr::T(answer)
        };
        [
            ("400", "The question is wrong"),
            ("404", "It is not here"),
            ("408", "It took too long"),
            ("409", "It cannot be done now"),
            ("413", "The question is too large"),
            ("500", "A database or the server has a fault"),
            ("503", "Too many ask at once"),
        ]
        .into_iter()
        .map(|(status, text)| (status.to_owned(), answer(text)))
        .collect()
    }
}
