//! The addresses.

mod book;
mod games;
mod jobs;
mod probe;
mod search;

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Path, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use nutcracker_table::CacheStats;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::assets::asset;
use crate::openapi::Document;
use crate::problem::{Kind, Problem};
use crate::reply::{Cached, is_known, not_modified};

/// What the page may do: load from here, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The interface and its description.
fn api() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(games::list))
        .routes(routes!(games::card))
        .routes(routes!(games::slices))
        .routes(routes!(games::extremes))
        .routes(routes!(probe::one, probe::many))
        .routes(routes!(probe::moves))
        .routes(routes!(probe::line))
        .routes(routes!(probe::best_line))
        .routes(routes!(probe::random))
        .routes(routes!(search::reply))
        .routes(routes!(search::search))
        .routes(routes!(book::facts))
        .routes(routes!(book::node))
        .routes(routes!(book::dropouts))
        .routes(routes!(book::leaf))
        .routes(routes!(jobs::list, jobs::start))
        .routes(routes!(jobs::one))
        .routes(routes!(jobs::events))
}

/// The description of the interface, as it is served.
pub fn openapi() -> utoipa::openapi::OpenApi {
    OpenApiRouter::<Arc<App>>::new().nest("/api/v1", api()).into_openapi()
}

/// Everything the server answers.
pub fn router(app: &Arc<App>) -> Router {
    let limits = app.config.limits;
    let description = Arc::new(openapi());
    let (api, _) = api().split_for_parts();
    let page = || get(async || asset("index.html"));
    Router::new()
        .nest("/api/v1", api)
        .route("/api/v1/openapi.json", get(async move || Cached(&*description).into_response()))
        .route("/api", get(async || asset("api.html")))
        .route("/metrics", get(metrics))
        .route("/health", get(async || "ok\n"))
        .route("/", page())
        .route("/games", page())
        .route("/games/{game}", page())
        .route("/games/{game}/databases", page())
        .route("/games/{game}/book", page())
        .route("/page/{name}", get(async |Path(name): Path<String>| asset(&name)))
        .fallback(async || Problem::new(Kind::NotFound, "see /api for what there is"))
        .method_not_allowed_fallback(async || {
            Problem::new(Kind::MethodNotAllowed, "see /api for what this address takes")
        })
        .with_state(Arc::clone(app))
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(from_fn_with_state(Arc::clone(app), frame))
        .layer(compression())
        .layer(cors(app))
        .layer(from_fn(headers))
}

/// Time limit, panics, counting, `ETag`s.
async fn frame(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = tokio::time::timeout(app.config.limits.request_time, next.run(request)).await;
    let mut response = response.unwrap_or_else(|_| {
        Problem::new(Kind::TooSlow, "the request took too long to arrive or to be answered")
            .into_response()
    });
    if let Some(known) = known
        && response.headers().get(header::ETAG).is_some_and(|tag| is_known(&known, tag))
    {
        response = not_modified(response);
    }
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    app.metrics.count(route, response.status().as_u16(), started.elapsed());
    response
}

/// What every answer says of itself.
async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Small answers are sent as they are: they fit a packet anyway. Streams are never held back.
fn compression() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new().compress_when(DefaultPredicate::new().and(SizeAbove::new(1024)))
}

fn cors(app: &App) -> CorsLayer {
    let origins = app.config.cors.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG]);
    if app.config.cors.iter().any(|origin| origin == "*") {
        layer.allow_origin(AllowOrigin::any())
    } else {
        layer.allow_origin(AllowOrigin::list(origins))
    }
}

/// Catches faults of handlers: the one who asked gets a problem, others go on.
pub fn catching(app: Arc<App>, router: Router) -> Router {
    router.layer(CatchPanicLayer::custom(move |_| {
        app.metrics.panics.fetch_add(1, Relaxed);
        Problem::new(Kind::Internal, "a fault of the server; please report what was asked")
            .into_response()
    }))
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let cache =
        app.open_games().iter().map(|game| game.cache()).fold(CacheStats::default(), |sum, one| {
            CacheStats {
                hits: sum.hits + one.hits,
                misses: sum.misses + one.misses,
                bytes: sum.bytes + one.bytes,
            }
        });
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    let text = app.metrics.text(cache, app.jobs.running());
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
