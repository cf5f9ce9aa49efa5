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
use crate::reply::{Fresh, JsonBody};

/// A set of databases to build.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildRequest {
    /// The game.
    #[schema(example = "awari")]
    game: String,
    /// Rule options other than the defaults.
    options: Option<String>,
    /// The slices to build, as `nutcracker solve --up-to` takes them; without it, the small set.
    #[schema(example = "15", max_length = 100)]
    up_to: Option<String>,
    /// What their values are: a metric of the game, as `nutcracker solve --metric` takes it; without
    /// it, that of the databases that are here, or the game's usual one.
    #[schema(example = "score", max_length = 20)]
    metric: Option<String>,
}

/// Lists the jobs, running and ended
#[utoipa::path(get, path = "/api/v1/jobs", operation_id = "listJobs", tag = "jobs", responses((status = 200, body = Vec<Job>), Problems))]
pub async fn list(State(app): State<Arc<App>>) -> Fresh<Vec<Job>> {
    Fresh(app.jobs.all())
}

/// Builds databases
#[utoipa::path(post, path = "/api/v1/jobs", operation_id = "startJob", tag = "jobs", request_body = BuildRequest,
    responses((status = 202, body = Job), Problems))]
pub async fn start(State(app): State<Arc<App>>, body: JsonBody) -> Result<Response, Problem> {
    let request: BuildRequest = body.read()?;
    let game = app.game(&request.game, request.options.as_deref())?;
    let (up_to, metric) = (request.up_to.as_deref(), request.metric.as_deref());
    let job = app.jobs.start(&app, game, up_to, metric)?;
    let place = format!("/api/v1/jobs/{}", job.id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Fresh(job)).into_response())
}

fn number(text: &str) -> Result<u64, Problem> {
    text.parse().map_err(|_| Problem::new(Kind::NotFound, "the id of a job is a number"))
}

/// Describes a job and its progress
#[utoipa::path(get, path = "/api/v1/jobs/{id}", operation_id = "getJob", tag = "jobs", params(("id" = u64, description = "The job")),
    responses((status = 200, body = Job), Problems))]
pub async fn job(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Fresh<Job>, Problem> {
    app.jobs.find(number(&id)?).map(Fresh)
}

/// Cancels a job
///
/// It ends soon after; what it has finished is kept. Nothing happens to a job that has ended.
#[utoipa::path(delete, path = "/api/v1/jobs/{id}", operation_id = "cancelJob", tag = "jobs", params(("id" = u64, description = "The job")),
    responses((status = 202, body = Job), Problems))]
pub async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let job = app.jobs.cancel(number(&id)?)?;
    Ok((StatusCode::ACCEPTED, Fresh(job)).into_response())
}

/// Streams the job's progress as server-sent events named `job`, until it ends
#[utoipa::path(get, path = "/api/v1/jobs/{id}/events", operation_id = "watchJob", tag = "jobs", params(("id" = u64, description = "The job")),
    responses((status = 200, body = String, content_type = "text/event-stream",
        description = "Events named `job`, each with a Job as its data"), Problems))]
pub async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let events = app.jobs.watch(Arc::clone(&app), number(&id)?)?;
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}
