//! Errors as RFC 9457 has them: one JSON object that a program can tell apart and a person can read.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nutcracker_table::{ErrorKind, TableError};
use serde::Serialize;
use utoipa::ToSchema;

/// The type of an answer that is a problem.
pub const PROBLEM: &str = "application/problem+json";

/// What can go wrong, and what it is called. The names are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request is not understood.
    BadRequest,
    /// The position is not one of the game.
    BadPosition,
    /// The rule options do not fit.
    BadOptions,
    /// The move is not legal there.
    NoSuchMove,
    /// There is no such game.
    NoSuchGame,
    /// There is nothing at this address.
    NotFound,
    /// The address takes other methods.
    MethodNotAllowed,
    /// The position is not in the databases here.
    NoDatabase,
    /// No position is as it was asked for.
    NoSuchPosition,
    /// There is no book, or the position is not in it.
    NotInBook,
    /// The book is open in another process.
    BookInUse,
    /// The body is too large.
    TooLarge,
    /// There are too many positions or moves in one request.
    TooMany,
    /// It took too long.
    TooSlow,
    /// Others are being served.
    Busy,
    /// This server builds no databases, or builds another one now.
    NotBuilding,
    /// A database is damaged or not readable.
    Damaged,
    /// A fault of the server.
    Internal,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 18] = [
        Kind::BadRequest,
        Kind::BadPosition,
        Kind::BadOptions,
        Kind::NoSuchMove,
        Kind::NoSuchGame,
        Kind::NotFound,
        Kind::MethodNotAllowed,
        Kind::NoDatabase,
        Kind::NoSuchPosition,
        Kind::NotInBook,
        Kind::BookInUse,
        Kind::TooLarge,
        Kind::TooMany,
        Kind::TooSlow,
        Kind::Busy,
        Kind::NotBuilding,
        Kind::Damaged,
        Kind::Internal,
    ];

    /// Where it is described.
    pub fn uri(self) -> &'static str {
        match self {
            Kind::BadRequest => "/api#bad-request",
            Kind::BadPosition => "/api#bad-position",
            Kind::BadOptions => "/api#bad-options",
            Kind::NoSuchMove => "/api#no-such-move",
            Kind::NoSuchGame => "/api#no-such-game",
            Kind::NotFound => "/api#not-found",
            Kind::MethodNotAllowed => "/api#method-not-allowed",
            Kind::NoDatabase => "/api#no-database",
            Kind::NoSuchPosition => "/api#no-such-position",
            Kind::NotInBook => "/api#not-in-book",
            Kind::BookInUse => "/api#book-in-use",
            Kind::TooLarge => "/api#too-large",
            Kind::TooMany => "/api#too-many",
            Kind::TooSlow => "/api#too-slow",
            Kind::Busy => "/api#busy",
            Kind::NotBuilding => "/api#not-building",
            Kind::Damaged => "/api#damaged",
            Kind::Internal => "/api#internal",
        }
    }

    /// The same for people.
    pub fn title(self) -> &'static str {
        match self {
            Kind::BadRequest => "The request is not understood",
            Kind::BadPosition => "This is not a position of the game",
            Kind::BadOptions => "The rule options do not fit",
            Kind::NoSuchMove => "The move is not legal there",
            Kind::NoSuchGame => "There is no such game",
            Kind::NotFound => "There is nothing at this address",
            Kind::MethodNotAllowed => "The address takes other methods",
            Kind::NoDatabase => "The position is not in the databases here",
            Kind::NoSuchPosition => "No position is as it was asked for",
            Kind::NotInBook => "The position is in no book here",
            Kind::BookInUse => "The book is open in another process",
            Kind::TooLarge => "The body is too large",
            Kind::TooMany => "There are too many in one request",
            Kind::TooSlow => "It took too long",
            Kind::Busy => "Others are being served",
            Kind::NotBuilding => "No database can be built now",
            Kind::Damaged => "A database cannot be read",
            Kind::Internal => "The server has a fault",
        }
    }

    /// The status of the answer.
    pub fn status(self) -> StatusCode {
        match self {
            Kind::BadRequest
            | Kind::BadPosition
            | Kind::BadOptions
            | Kind::NoSuchMove
            | Kind::TooMany => StatusCode::BAD_REQUEST,
            Kind::NoSuchGame
            | Kind::NotFound
            | Kind::NoDatabase
            | Kind::NoSuchPosition
            | Kind::NotInBook => StatusCode::NOT_FOUND,
            Kind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Kind::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Kind::NotBuilding | Kind::BookInUse => StatusCode::CONFLICT,
            Kind::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Kind::Damaged | Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// An error of a request.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What went wrong.
    pub kind: Kind,
    /// One sentence about this case, with what to do.
    pub detail: String,
}

/// An error, as RFC 9457 has it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody<'a> {
    /// Where this kind of error is described; programs tell errors apart by it.
    #[serde(rename = "type")]
    #[schema(example = "/api#bad-position")]
    pub kind: &'static str,
    /// The kind in words.
    pub title: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// What is wrong in this case and what to do, in one sentence.
    pub detail: &'a str,
}

impl Problem {
    /// A problem with a sentence about this case.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Problem { kind, detail: detail.into() }
    }

    /// As it is sent.
    pub fn body(&self) -> ProblemBody<'_> {
        ProblemBody {
            kind: self.kind.uri(),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
        }
    }
}

impl From<TableError> for Problem {
    fn from(error: TableError) -> Self {
        match error.kind() {
            // Paths of the server are no business of its clients.
            ErrorKind::NotHere => {
                Problem::new(Kind::NoDatabase, "there is no database for this position here")
            }
            ErrorKind::AskedWrongly => Problem::new(Kind::BadRequest, error.to_string()),
            ErrorKind::DataBroken | ErrorKind::Io => Problem::new(
                Kind::Damaged,
                "a database of this game cannot be read; `nutcracker verify` says which",
            ),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.kind.status();
        let body = serde_json::to_vec(&self.body()).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.kind == Kind::Busy {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}
