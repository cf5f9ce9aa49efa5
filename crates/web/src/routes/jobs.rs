//! Databases built on request.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::job::Job;
use crate::openapi::Problems;
use crate::problem::{Kind, Problem};
use crate::reply::{Fresh, Posted};

/// What to build.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Order {
    /// The game.
    #[schema(example = "awari")]
    game: String,
    /// Rule options that are not the usual ones.
    options: Option<String>,
    /// The last slice; without it, the small set.
    up_to: Option<u32>,
}

/// Lists what is being built and what was
#[utoipa::path(get, path = "/api/v1/jobs", tag = "jobs", responses((status = 200, body = Vec<Job>)))]
pub async fn list(State(app): State<Arc<App>>) -> Fresh<Vec<Job>> {
    Fresh(app.jobs.all())
}

/// Builds databases
#[utoipa::path(post, path = "/api/v1/jobs", tag = "jobs", request_body = Order,
    responses((status = 202, body = Job), Problems))]
pub async fn start(State(app): State<Arc<App>>, body: Posted) -> Result<Response, Problem> {
    let order: Order = body.read()?;
    let game = app.game(&order.game, order.options.as_deref())?;
    let job = app.jobs.start(&app, game, order.up_to)?;
    let place = format!("/api/v1/jobs/{}", job.id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Fresh(job)).into_response())
}

fn number(text: &str) -> Result<u64, Problem> {
    text.parse().map_err(|_| Problem::new(Kind::NotFound, "a job has a number"))
}

/// Tells how far a job is
#[utoipa::path(get, path = "/api/v1/jobs/{id}", tag = "jobs", params(("id" = u64, description = "The job")),
    responses((status = 200, body = Job), Problems))]
pub async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Fresh<Job>, Problem> {
    app.jobs.find(number(&id)?).map(Fresh)
}

/// Tells it again and again, as server-sent events named `job`, until the job ends
#[utoipa::path(get, path = "/api/v1/jobs/{id}/events", tag = "jobs", params(("id" = u64, description = "The job")),
    responses((status = 200, body = Job, content_type = "text/event-stream"), Problems))]
pub async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let events = app.jobs.watch(Arc::clone(&app), number(&id)?)?;
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}
