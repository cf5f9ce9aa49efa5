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
    "men.css": STYLE,
    "review.css": STYLE,
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
    "checkers.js": SCRIPT,
    "chess.js": SCRIPT,
    "choices.js": SCRIPT,
    "databases.js": SCRIPT,
    "dom.js": SCRIPT,
    "engine.js": SCRIPT,
    "faces.js": SCRIPT,
    "fleet.js": SCRIPT,
    "games.js": SCRIPT,
    "grid.js": SCRIPT,
    "hint.js": SCRIPT,
    "layout.js": SCRIPT,
    "line.js": SCRIPT,
    "lines.js": SCRIPT,
    "morris.js": SCRIPT,
    "open.js": SCRIPT,
    "opening.js": SCRIPT,
    "pieces.js": SCRIPT,
    "pits.js": SCRIPT,
    "plain.js": SCRIPT,
    "play.js": SCRIPT,
    "practice.js": SCRIPT,
    "review.js": SCRIPT,
    "routes.js": SCRIPT,
    "rules.js": SCRIPT,
    "seeds.js": SCRIPT,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts are fetched together: none has to be found in another that was fetched before.
    #[test]
    fn the_page_names_every_script_it_needs() {
        let text = |name: &str| {
            let asset = ASSETS.iter().find(|asset| asset.name == name).expect("a file");
            String::from_utf8_lossy(asset.bytes).into_owned()
        };
        let mut needed = vec!["main.js".to_owned()];
        let mut at = 0;
        while let Some(name) = needed.get(at).cloned() {
            for import in text(&name).split("from \"./").skip(1) {
                let import = import.split('"').next().expect("a name").to_owned();
                if !needed.contains(&import) {
                    needed.push(import);
                }
            }
            at += 1;
        }
        assert!(needed.len() > 20, "{needed:?}");
        let index = text("index.html");
        let named = index.matches("rel=\"modulepreload\"").count();
        for name in &needed[1..] {
            let link = format!("<link rel=\"modulepreload\" href=\"/page/{name}\">");
            assert!(index.contains(&link), "{link}");
        }
        assert_eq!(named, needed.len() - 1, "and no other");
    }
}
