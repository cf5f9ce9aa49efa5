//! The page, as it is in `page/`, inside the program.

use std::sync::LazyLock;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::problem::{Kind, Problem};
use crate::reply::etag;

/// A file of the page.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

/// The content type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal: $kind:expr),+ $(,)?) => {
        const ASSETS: &[Asset] = &[$(Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!("../page/", $name)),
        }),+];
    };
}

assets! {
    "index.html": HTML,
    "api.html": HTML,
    "style.css": STYLE,
    "boards.css": STYLE,
    "icon.svg": SVG,
    "main.js": SCRIPT,
    "animals.js": SCRIPT,
    "api.js": SCRIPT,
    "best.js": SCRIPT,
    "board.js": SCRIPT,
    "boards.js": SCRIPT,
    "book.js": SCRIPT,
    "build.js": SCRIPT,
    "chart.js": SCRIPT,
    "choices.js": SCRIPT,
    "databases.js": SCRIPT,
    "dom.js": SCRIPT,
    "engine.js": SCRIPT,
    "faces.js": SCRIPT,
    "fleet.js": SCRIPT,
    "games.js": SCRIPT,
    "grid.js": SCRIPT,
    "line.js": SCRIPT,
    "opening.js": SCRIPT,
    "pits.js": SCRIPT,
    "plain.js": SCRIPT,
    "play.js": SCRIPT,
    "rules.js": SCRIPT,
    "session.js": SCRIPT,
    "setup.js": SCRIPT,
    "tools.js": SCRIPT,
    "try.js": SCRIPT,
    "url.js": SCRIPT,
    "words.js": SCRIPT,
}

static TAGS: LazyLock<Vec<HeaderValue>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| etag(asset.bytes)).collect());

/// A file by its name.
pub fn asset(name: &str) -> Response {
    let Some(at) = ASSETS.iter().position(|asset| asset.name == name) else {
        return Problem::new(Kind::NotFound, "there is no such file").into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(ASSETS[at].kind)),
        (header::ETAG, TAGS[at].clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, ASSETS[at].bytes).into_response()
}
