//! Responses in JSON, and extractors of parameters and bodies.

use std::sync::Arc;

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use crate::app::App;
use crate::problem::{Kind, Problem};

/// A response in JSON that is the same as long as the databases are: with an `ETag`, to be
/// revalidated before it is used again.
#[derive(Debug)]
pub struct Cached<T>(pub T);

/// A response in JSON that differs each time.
#[derive(Debug)]
pub struct Fresh<T>(pub T);

/// A chart, which is the same as long as its data are.
#[derive(Debug)]
pub struct Picture(pub String);

impl IntoResponse for Picture {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
            (header::ETAG, etag(self.0.as_bytes())),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        (headers, self.0).into_response()
    }
}

/// The `ETag` of some bytes. Weak, as compression may change what is sent.
pub fn etag(bytes: &[u8]) -> HeaderValue {
    let tag = format!("W/\"{:016x}\"", xxh3_64(bytes));
    HeaderValue::from_str(&tag).unwrap_or_else(|_| HeaderValue::from_static("W/\"\""))
}

fn json<T: Serialize>(body: &T) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(body).map_err(|error| unwritten(&error))
}

/// A response that could not be serialized.
pub fn unwritten(error: &serde_json::Error) -> Problem {
    Problem::new(Kind::Internal, "the response could not be written").because(error.to_string())
}

/// JSON that is written already.
pub fn raw(body: Vec<u8>) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], body).into_response()
}

impl<T: Serialize> IntoResponse for Cached<T> {
    fn into_response(self) -> Response {
        match json(&self.0) {
            Ok(body) => {
                let tag = etag(&body);
                let mut response = raw(body);
                let headers = response.headers_mut();
                headers.insert(header::ETAG, tag);
                headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
                response
            }
            Err(problem) => problem.into_response(),
        }
    }
}

impl<T: Serialize> IntoResponse for Fresh<T> {
    fn into_response(self) -> Response {
        match json(&self.0) {
            Ok(body) => {
                let mut response = raw(body);
                let no_store = HeaderValue::from_static("no-store");
                response.headers_mut().insert(header::CACHE_CONTROL, no_store);
                response
            }
            Err(problem) => problem.into_response(),
        }
    }
}

/// Whether a client has what an `ETag` stands for.
pub fn is_known(if_none_match: &HeaderValue, tag: &HeaderValue) -> bool {
    let strip = |text: &str| text.trim().trim_start_matches("W/").to_owned();
    let (Ok(known), Ok(tag)) = (if_none_match.to_str(), tag.to_str()) else { return false };
    known.trim() == "*" || known.split(',').any(|one| strip(one) == strip(tag))
}

/// The response to a client that has the body.
pub fn not_modified(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    *response.body_mut() = axum::body::Body::empty();
    response.headers_mut().remove(header::CONTENT_TYPE);
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}

/// The query parameters of a request.
#[derive(Debug)]
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        read_query(&parts.uri).map(Params)
    }
}

fn read_query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    Query::try_from_uri(uri).map(|Query(params)| params).map_err(|error| {
        let text = error.body_text();
        let text = text.split_once("query string: ").map_or(&*text, |(_, rest)| rest);
        Problem::new(Kind::BadRequest, sentence(&plain(text)))
    })
}

/// A body in JSON.
#[derive(Debug)]
pub struct JsonBody(pub Bytes);

impl FromRequest<Arc<App>> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let is_json = kind
            .and_then(|kind| kind.to_str().ok())
            .and_then(|kind| kind.split(';').next())
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
        if !is_json {
            let detail = "the body must be JSON with Content-Type application/json";
            return Err(Problem::new(Kind::BadRequest, detail));
        }
        let limit = app.config.limits.body_bytes;
        let too_large = || {
            Problem::new(Kind::TooLarge, "the body is too large; send fewer positions per request")
        };
        let body = request.into_body();
        // A body that announces itself as too large is not read.
        if body.size_hint().lower() > limit as u64 {
            return Err(too_large());
        }
        let body = Limited::new(body, limit).collect().await;
        body.map(|body| JsonBody(body.to_bytes())).map_err(|error| {
            if error.is::<LengthLimitError>() {
                too_large()
            } else {
                Problem::new(Kind::BadRequest, sentence(&error.to_string()))
            }
        })
    }
}

impl JsonBody {
    /// The body as a type that may borrow from it.
    pub fn read<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Problem> {
        serde_json::from_slice(&self.0)
            .map_err(|error| Problem::new(Kind::BadRequest, sentence(&error.to_string())))
    }
}

/// What is wrong with a parameter, in plain words instead of those of the libraries that read it.
fn plain(text: &str) -> String {
    let (name, what) = text.split_once(": ").unwrap_or(("a parameter", text));
    if let Some(missing) =
        what.strip_prefix("missing field `").or(text.strip_prefix("missing field `"))
    {
        return format!("the parameter {} is missing", missing.trim_end_matches('`'));
    }
    if let Some(again) = what.strip_prefix("duplicate field `") {
        return format!("the parameter {} is there twice", again.trim_end_matches('`'));
    }
    if let Some((_, values)) = what.split_once("expected one of ").or(what.split_once("expected "))
    {
        return format!("{name} must be {}", values.replace('`', "").replace(", ", " or "));
    }
    let must = match what {
        _ if what.contains("invalid digit") || what.contains("empty string") => "a whole number",
        _ if what.contains("invalid float") || what.contains("empty float") => "a number",
        _ if what.contains("too large") || what.contains("too small") => "a number nearer to 0",
        _ if what.contains("`true` or `false`") => "true or false",
        _ => return text.to_owned(),
    };
    format!("{name} must be {must}")
}

/// The message of a library, in one line of reasonable length.
fn sentence(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    line.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_explained_in_plain_words() {
        #[derive(Debug, serde::Deserialize)]
        #[expect(dead_code, reason = "only the errors matter")]
        struct Wanted {
            slice: String,
            depth: Option<u32>,
            seconds: Option<f64>,
            book: Option<bool>,
            score: Option<i16>,
            only: Option<crate::explorer::Only>,
        }
        for (query, expected) in [
            ("depth=1", "the parameter slice is missing"),
            ("slice=1&slice=2", "the parameter slice is there twice"),
            ("slice=1&depth=x", "depth must be a whole number"),
            ("slice=1&depth=", "depth must be a whole number"),
            ("slice=1&depth=99999999999", "depth must be a number nearer to 0"),
            ("slice=1&seconds=x", "seconds must be a number"),
            ("slice=1&book=x", "book must be true or false"),
            ("slice=1&score=-99999", "score must be a number nearer to 0"),
            ("slice=1&only=x", "only must be winning or best"),
        ] {
            let uri = format!("/?{query}").parse().expect("an address");
            let error = read_query::<Wanted>(&uri).expect_err(query);
            assert_eq!(error.detail, expected, "{query}");
        }
    }
}
