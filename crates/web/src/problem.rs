//! Errors in the form of RFC 9457, and how each is logged.

use std::error::Error;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nutcracker_any::UnknownGame;
use serde::Serialize;
use tracing::Level;
use utoipa::ToSchema;

use crate::explorer::ExplorerError;

/// The content type of a problem.
pub const PROBLEM: &str = "application/problem+json";

/// Declares every kind of problem once: its anchor on the page `/api`, title, status and log level.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $anchor:literal, $title:literal, $status:ident, $level:ident;)+) => {
        /// What can go wrong. The anchors are part of the interface.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Kind] = &[$(Kind::$kind),+];

            /// Where the kind is described; programs distinguish problems by it.
            pub const fn uri(self) -> &'static str {
                match self { $(Kind::$kind => concat!("/api#", $anchor),)+ }
            }

            /// The kind in words.
            pub const fn title(self) -> &'static str {
                match self { $(Kind::$kind => $title,)+ }
            }

            /// The status of the response.
            pub const fn status(self) -> StatusCode {
                match self { $(Kind::$kind => StatusCode::$status,)+ }
            }

            /// How important it is to the operator of the server.
            pub const fn level(self) -> Level {
                match self { $(Kind::$kind => Level::$level,)+ }
            }
        }
    };
}

kinds! {
    /// The request is malformed.
    BadRequest: "bad-request", "Malformed request", BAD_REQUEST, DEBUG;
    /// The position is not one of the game.
    BadPosition: "bad-position", "Not a position of the game", BAD_REQUEST, DEBUG;
    /// The rule options are not valid.
    BadOptions: "bad-options", "Invalid rule options", BAD_REQUEST, DEBUG;
    /// The move is not legal in the position.
    NoSuchMove: "no-such-move", "Illegal move", BAD_REQUEST, DEBUG;
    /// There is no token, or an unknown one.
    Unauthorized: "unauthorized", "Token needed", UNAUTHORIZED, DEBUG;
    /// The token does not allow it, or its account is suspended.
    Forbidden: "forbidden", "Not allowed", FORBIDDEN, DEBUG;
    /// The request is for another host.
    WrongHost: "wrong-host", "Wrong host", MISDIRECTED_REQUEST, WARN;
    /// The request was sent by a page of another site.
    ForeignOrigin: "foreign-origin", "Page of another site", FORBIDDEN, WARN;
    /// This server has no workers.
    NoFleet: "no-fleet", "No fleet", NOT_FOUND, DEBUG;
    /// There is no such game.
    NoSuchGame: "no-such-game", "Unknown game", NOT_FOUND, DEBUG;
    /// There is nothing at this address.
    NotFound: "not-found", "Not found", NOT_FOUND, DEBUG;
    /// The address takes other methods.
    MethodNotAllowed: "method-not-allowed", "Method not allowed", METHOD_NOT_ALLOWED, DEBUG;
    /// The position is not in the databases here.
    NoDatabase: "no-database", "Not in the databases", NOT_FOUND, DEBUG;
    /// No position matches the filters.
    NoSuchPosition: "no-such-position", "No matching position", NOT_FOUND, DEBUG;
    /// There is no book, or the position is not in it.
    NotInBook: "not-in-book", "Not in a book", NOT_FOUND, DEBUG;
    /// The book is open in another process.
    BookInUse: "book-in-use", "Book in use", CONFLICT, WARN;
    /// The body is too large.
    TooLarge: "too-large", "Body too large", PAYLOAD_TOO_LARGE, DEBUG;
    /// There are too many positions or moves in one request.
    TooMany: "too-many", "Too many items in one request", BAD_REQUEST, DEBUG;
    /// The time limit was exceeded.
    TooSlow: "too-slow", "Time limit exceeded", REQUEST_TIMEOUT, WARN;
    /// All searches that may run at once are running.
    Busy: "busy", "Server busy", SERVICE_UNAVAILABLE, WARN;
    /// This server builds no databases, or builds another set now.
    NotBuilding: "not-building", "Cannot build now", CONFLICT, DEBUG;
    /// A database or book is damaged or not readable.
    Damaged: "damaged", "Unreadable data", INTERNAL_SERVER_ERROR, ERROR;
    /// An error of the server itself.
    Internal: "internal", "Internal error", INTERNAL_SERVER_ERROR, ERROR;
}

/// An error of a request.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What went wrong.
    pub kind: Kind,
    /// One sentence about this case, with what to do. Sent to the client.
    pub detail: String,
    /// The errors behind it, for the log alone: they may name paths of the server.
    cause: Option<String>,
}

/// An error, as RFC 9457 has it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody<'a> {
    /// Where this kind of error is described; programs distinguish errors by it.
    #[serde(rename = "type")]
    #[schema(example = "/api#bad-position")]
    pub kind: &'static str,
    /// The kind in words.
    pub title: &'static str,
    /// The status of the response.
    pub status: u16,
    /// What is wrong in this case and what to do, in one sentence.
    pub detail: &'a str,
}

impl Problem {
    /// A problem with a sentence about this case.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Problem { kind, detail: detail.into(), cause: None }
    }

    /// The same problem with the error behind it, for the log.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The body of the response.
    pub fn body(&self) -> ProblemBody<'_> {
        ProblemBody {
            kind: self.kind.uri(),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
        }
    }

    /// Writes it to the log, at the level of its kind. `during` is the route or task.
    pub fn log(&self, during: &str) {
        let (kind, detail) = (self.kind, self.detail.as_str());
        let status = kind.status().as_u16();
        let cause = self.cause.as_deref().unwrap_or_default();
        // The level of an event is a constant to the macro.
        macro_rules! event {
            ($($level:ident),+) => {
                match kind.level() {
                    $(Level::$level => {
                        tracing::event!(Level::$level, during, status, ?kind, cause, "{detail}");
                    })+
                }
            };
        }
        event!(ERROR, WARN, INFO, DEBUG, TRACE);
    }
}

impl From<ExplorerError> for Problem {
    fn from(error: ExplorerError) -> Self {
        let kind = match &error {
            ExplorerError::UnknownGame(UnknownGame::Name { .. }) => Kind::NoSuchGame,
            ExplorerError::UnknownGame(_) => Kind::BadOptions,
            ExplorerError::Request(_) => Kind::BadRequest,
            ExplorerError::BadPosition(_) => Kind::BadPosition,
            ExplorerError::IllegalMove(_) => Kind::NoSuchMove,
            ExplorerError::NoDatabase(_) => Kind::NoDatabase,
            ExplorerError::NoMatch(_) => Kind::NoSuchPosition,
            ExplorerError::NotInBook(_) => Kind::NotInBook,
            ExplorerError::BookInUse(_) => Kind::BookInUse,
            ExplorerError::Busy(_) => Kind::Busy,
            ExplorerError::TimedOut(_) => Kind::TooSlow,
            ExplorerError::Table(_) | ExplorerError::Book(_) => Kind::Damaged,
            ExplorerError::System(_) => Kind::Internal,
        };
        let problem = Problem::new(kind, error.to_string());
        match error.source() {
            Some(cause) => problem.because(chain(cause)),
            None => problem,
        }
    }
}

/// An error with everything behind it, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !text.ends_with(&message) {
            text = format!("{text}: {message}");
        }
        next = cause.source();
    }
    text
}

impl IntoResponse for Problem {
    /// The response carries the problem along, for the log.
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
        if self.kind == Kind::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}
