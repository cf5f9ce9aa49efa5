//! The routes.

mod book;
mod charts;
mod fleet;
mod games;
mod jobs;
mod probe;
mod puzzle;
mod rates;
mod review;
mod search;
mod stream;
mod tablebase;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use nutcracker_table::CacheStats;
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::ParameterIn;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use stream::Queued;

use crate::app::App;
use crate::assets::{HTML, asset};
use crate::openapi::Document;
use crate::origin;
use crate::problem::{Kind, PROBLEM, Problem};
use crate::reply::{Cached, is_known, not_modified};

/// What the page may do: load from here, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The interface and its description.
fn api() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(games::list))
        .routes(routes!(games::card))
        .routes(routes!(games::rules))
        .routes(routes!(games::slices))
        .routes(routes!(charts::slices))
        .routes(routes!(games::extremes))
        .routes(routes!(probe::probe, probe::probe_many))
        .routes(routes!(probe::moves))
        .routes(routes!(probe::line))
        .routes(routes!(charts::line))
        .routes(routes!(probe::best_line))
        .routes(routes!(probe::random))
        .routes(routes!(search::reply))
        .routes(routes!(search::search))
        .routes(routes!(rates::rates))
        .routes(routes!(review::read))
        .routes(routes!(review::review))
        .routes(routes!(puzzle::puzzle))
        .routes(routes!(probe::seeds))
        .routes(routes!(tablebase::tablebase))
        .routes(routes!(book::facts))
        .routes(routes!(book::node))
        .routes(routes!(book::dropouts))
        .routes(routes!(charts::dropouts))
        .routes(routes!(book::leaf))
        .routes(routes!(jobs::list, jobs::start))
        .routes(routes!(jobs::job, jobs::cancel))
        .routes(routes!(jobs::events))
        .routes(routes!(fleet::status))
        .routes(routes!(fleet::chart))
        .routes(routes!(fleet::acquire))
        .routes(routes!(fleet::submit))
        .routes(routes!(fleet::beat))
        .routes(routes!(fleet::abort))
        .routes(routes!(fleet::propose))
        .routes(routes!(fleet::workers))
        .routes(routes!(fleet::ban))
        .routes(routes!(fleet::unban))
}

/// The description of the interface, as it is served.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = api().into_openapi();
    for item in document.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            for response in operation.responses.responses.values_mut() {
                // A response needs a description; what it is, the operation and its schema say.
                if let RefOr::T(response) = response
                    && response.description.is_empty()
                {
                    "Success".clone_into(&mut response.description);
                }
            }
        }
    }
    document
}

/// All routes with their layers.
pub fn router(app: &Arc<App>) -> Router {
    let description = Arc::new(openapi());
    let known = Arc::new(Known::of(&description));
    let (api, _) = api().split_for_parts();
    let page = || get(async || asset("index.html"));
    Router::new()
        .merge(api)
        .route("/api/v1/openapi.json", get(async move || Cached(&*description).into_response()))
        .route("/api", get(async || asset("api.html")))
        .route("/metrics", get(metrics))
        .route("/health", get(async || "ok\n"))
        .route("/", page())
        .route("/games", page())
        .route("/games/{game}", page())
        .route("/games/{game}/databases", page())
        .route("/games/{game}/book", page())
        .route("/games/{game}/practice", page())
        .route("/fleet", page())
        .route("/page/{name}", get(async |Path(name): Path<String>| asset(&name)))
        .fallback(missing)
        .method_not_allowed_fallback(async || {
            Problem::new(Kind::MethodNotAllowed, "see /api for the methods of this endpoint")
        })
        .with_state(Arc::clone(app))
        // All in one: each layer of a router costs every request a copy of what is below it.
        .layer(
            ServiceBuilder::new()
                .option_layer(cors(app))
                .layer(compression())
                .layer(from_fn_with_state((Arc::clone(app), known), frame)),
        )
}

/// Where requests come from, time limit, panics, counting, `ETag`s, headers.
async fn frame(
    State((app, known_parameters)): State<(Arc<App>, Arc<Known>)>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let allowed = origin::check(&app.config, request.method(), request.uri(), request.headers())
        .and_then(|()| known_parameters.check(route.as_ref(), &request));
    let answer = async {
        match allowed {
            Ok(()) => Caught(pin!(next.run(request))).await,
            Err(problem) => Ok(problem.into_response()),
        }
    };
    let answer = tokio::time::timeout(app.config.limits.request_time, answer).await;
    let mut response = match answer {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            app.metrics.panics.fetch_add(1, Relaxed);
            Problem::new(Kind::Internal, "internal error; please report it with the request")
                .because("the handler panicked")
                .into_response()
        }
        Err(_) => {
            Problem::new(Kind::TooSlow, "the request took too long to arrive or to be served")
                .into_response()
        }
    };
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let explained = content_type.is_some_and(|kind| kind == PROBLEM || kind == HTML);
    if response.status().is_client_error() && !explained {
        // Refused by a library before a handler ran.
        response = Problem::new(Kind::BadRequest, "the address is malformed").into_response();
    }
    if let Some(known) = known
        && response.headers().get(header::ETAG).is_some_and(|tag| is_known(&known, tag))
    {
        response = not_modified(response);
    }
    guard(response.headers_mut());
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        problem.log(route);
    }
    app.metrics.count(route, response.status().as_u16(), started.elapsed());
    response
}

/// What is not there: people get a page, programs a problem.
async fn missing(request: Request) -> Response {
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let page = accepts.is_some_and(|kinds| kinds.contains("text/html"));
    if page && request.method() == Method::GET && !request.uri().path().starts_with("/api/") {
        return (StatusCode::NOT_FOUND, asset("index.html")).into_response();
    }
    Problem::new(Kind::NotFound, "see /api for all endpoints").into_response()
}

/// The query parameters of every endpoint, by its path and method.
#[derive(Debug)]
struct Known(HashMap<(String, Method), Vec<String>>);

impl Known {
    fn of(description: &utoipa::openapi::OpenApi) -> Self {
        let mut known = HashMap::new();
        for (path, item) in &description.paths.paths {
            let operations = [
                (Method::GET, &item.get),
                (Method::POST, &item.post),
                (Method::DELETE, &item.delete),
            ];
            for (method, operation) in operations {
                let Some(operation) = operation else { continue };
                let names = operation.parameters.iter().flatten().filter_map(|one| match one {
                    RefOr::T(one) => {
                        (one.parameter_in == ParameterIn::Query).then(|| one.name.clone())
                    }
                    RefOr::Ref(_) => None,
                });
                let names = names.collect();
                known.insert((path.clone(), method), names);
            }
        }
        Known(known)
    }

    /// Refuses parameters that an endpoint does not have: a misspelt `position` would else be
    /// answered with the start of the game.
    fn check(&self, route: Option<&MatchedPath>, request: &Request) -> Result<(), Problem> {
        let (Some(route), Some(query)) = (route, request.uri().query()) else { return Ok(()) };
        let key = (route.as_str().to_owned(), request.method().clone());
        let Some(known) = self.0.get(&key) else { return Ok(()) };
        let unknown = query
            .split('&')
            .map(|part| part.split('=').next().unwrap_or_default())
            .find(|name| !name.is_empty() && !known.iter().any(|one| one == name));
        match unknown {
            None => Ok(()),
            Some(name) => {
                let name: String = name.chars().take(40).collect();
                let detail = match &known[..] {
                    [] => format!("there is no parameter {name:?} here"),
                    all => format!("there is no parameter {name:?} here, only {}", all.join(", ")),
                };
                Err(Problem::new(Kind::BadRequest, detail))
            }
        }
    }
}

/// Adds the security headers of every response.
fn guard(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// A handler whose panic is a value: its client gets a problem, other requests are not affected.
struct Caught<F>(F);

impl<F: Future + Unpin> Future for Caught<F> {
    type Output = std::thread::Result<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // After a panic it is not polled again.
        let poll = catch_unwind(AssertUnwindSafe(|| Pin::new(&mut self.0).poll(context)));
        match poll {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

/// Small responses are not compressed: they fit a packet anyway. Streams are never held back.
fn compression() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new().compress_when(DefaultPredicate::new().and(SizeAbove::new(1024)))
}

/// `None` where no other origin may read responses.
fn cors(app: &App) -> Option<CorsLayer> {
    if app.config.cors.is_empty() {
        return None;
    }
    let origins = app.config.cors.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([header::CONTENT_TYPE, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG]);
    Some(if app.config.cors.iter().any(|origin| origin == "*") {
        layer.allow_origin(AllowOrigin::any())
    } else {
        layer.allow_origin(AllowOrigin::list(origins))
    })
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
    let mut text = app.metrics.text(cache, app.jobs.running());
    if let Some(fleet) = app.fleet()
        && let Ok(status) = fleet.run(|desk| Ok(desk.status()?)).await
    {
        text.push_str(&crate::fleet::metrics(&status, fleet.desk.active_workers()));
    }
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
