//! Workers that grow a book.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use nutcracker_draw::{GrowthPoint, growth_chart};
use nutcracker_fleet::protocol::{
    Account, Acquire, Ban, Held, Jobs, Proposal, Proposed, Status, Submit, Work,
};
use nutcracker_fleet::tokens::Role;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::fleet::Fleet;
use crate::openapi::FleetProblems;
use crate::problem::{Kind, Problem};
use crate::reply::{Fresh, JsonBody, Params, Picture};

fn fleet(app: &App) -> Result<Arc<Fleet>, Problem> {
    app.fleet().ok_or_else(|| {
        let what = "this server has no fleet; `nutcracker serve --grow BOOK --tokens FILE` has one";
        Problem::new(Kind::NoFleet, what)
    })
}

/// The fleet, and the account of the request.
fn allowed(app: &App, headers: &HeaderMap, role: Role) -> Result<(Arc<Fleet>, String), Problem> {
    let fleet = fleet(app)?;
    let account = fleet.account(headers, role)?;
    Ok((fleet, account))
}

/// Whether a missing fleet is an error.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatusParams {
    /// With `true`, a server without a fleet gives `null` instead of an error.
    optional: Option<bool>,
}

/// Describes the fleet: its workers, jobs, and the growth of its book
#[utoipa::path(get, path = "/api/v1/fleet/status", operation_id = "getFleetStatus", tag = "fleet", params(StatusParams),
    responses((status = 200, body = Option<Status>), FleetProblems))]
pub async fn status(
    State(app): State<Arc<App>>,
    Params(params): Params<StatusParams>,
) -> Result<Fresh<Option<Status>>, Problem> {
    match fleet(&app) {
        Err(_) if params.optional == Some(true) => Ok(Fresh(None)),
        fleet => fleet?.run(|desk| Ok(desk.status()?)).await.map(|status| Fresh(Some(status))),
    }
}

/// Draws the growth of the book of a fleet
#[utoipa::path(get, path = "/api/v1/fleet/status/chart", operation_id = "drawFleetGrowth", tag = "fleet",
    responses((status = 200, body = String, content_type = "image/svg+xml", description = "A chart for a page"), FleetProblems))]
pub async fn chart(State(app): State<Arc<App>>) -> Result<Picture, Problem> {
    let status = fleet(&app)?.run(|desk| Ok(desk.status()?)).await?;
    let points =
        status.growth.iter().map(|point| GrowthPoint { seconds: point.at, count: point.nodes });
    let points: Vec<GrowthPoint> = points.collect();
    Ok(Picture(growth_chart("The growth of the book", "position", &points)))
}

/// Gives jobs to a worker (role work)
#[utoipa::path(post, path = "/api/v1/fleet/acquire", operation_id = "acquireWork", tag = "fleet", request_body = Acquire,
    responses((status = 200, body = Work), FleetProblems))]
pub async fn acquire(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Fresh<Work>, Problem> {
    let (fleet, account) = allowed(&app, &headers, Role::Work)?;
    let request: Acquire = body.read()?;
    fleet.run(move |desk| desk.acquire(&account, &request)).await.map(Fresh)
}

/// Takes results of a worker, and gives it more jobs (role work)
#[utoipa::path(post, path = "/api/v1/fleet/submit", operation_id = "submitWork", tag = "fleet", request_body = Submit,
    responses((status = 200, body = Work), FleetProblems))]
pub async fn submit(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Fresh<Work>, Problem> {
    let (fleet, account) = allowed(&app, &headers, Role::Work)?;
    let request: Submit = body.read()?;
    fleet.run(move |desk| desk.submit(&account, request)).await.map(Fresh)
}

/// Extends the leases of a worker (role work)
#[utoipa::path(post, path = "/api/v1/fleet/beat", operation_id = "keepJobs", tag = "fleet", request_body = Jobs,
    responses((status = 200, body = Held), FleetProblems))]
pub async fn beat(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Fresh<Held>, Problem> {
    let (fleet, account) = allowed(&app, &headers, Role::Work)?;
    let request: Jobs = body.read()?;
    fleet.run(move |desk| desk.beat(&account, &request)).await.map(Fresh)
}

/// Takes jobs back from a worker (role work)
#[utoipa::path(post, path = "/api/v1/fleet/abort", operation_id = "abortJobs", tag = "fleet", request_body = Jobs,
    responses((status = 200, body = Held), FleetProblems))]
pub async fn abort(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Fresh<Held>, Problem> {
    let (fleet, account) = allowed(&app, &headers, Role::Work)?;
    let request: Jobs = body.read()?;
    fleet.run(move |desk| desk.abort(&account, &request)).await.map(Fresh)
}

/// Proposes a position, to be expanded next (role propose, or anyone where the server allows it)
#[utoipa::path(post, path = "/api/v1/fleet/propose", operation_id = "proposePosition", tag = "fleet", request_body = Proposal,
    responses((status = 200, body = Proposed), FleetProblems))]
pub async fn propose(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Fresh<Proposed>, Problem> {
    let fleet = fleet(&app)?;
    if !fleet.desk.takes_public_proposals() {
        fleet.account(&headers, Role::Propose)?;
    }
    let request: Proposal = body.read()?;
    let limits = app.config.limits;
    let moves: Vec<&str> = request.moves.split_whitespace().take(limits.plies + 1).collect();
    if request.moves.len() > limits.text_bytes || moves.len() > limits.plies {
        let what = format!("a line has at most {} moves", limits.plies);
        return Err(Problem::new(Kind::TooMany, what));
    }
    let names: Vec<String> = moves.into_iter().map(str::to_owned).collect();
    let game = Arc::clone(&fleet.game);
    let line = app.run_read(move |_| game.keys_of_line(&names)).await?;
    fleet.run(move |desk| desk.propose(line)).await.map(Fresh)
}

/// Lists the accounts of all workers (role administer)
#[utoipa::path(get, path = "/api/v1/fleet/workers", operation_id = "listWorkers", tag = "fleet",
    responses((status = 200, body = Vec<Account>), FleetProblems))]
pub async fn workers(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Fresh<Vec<Account>>, Problem> {
    let (fleet, _) = allowed(&app, &headers, Role::Administer)?;
    fleet.run(|desk| Ok(desk.status()?.accounts)).await.map(Fresh)
}

/// Suspends an account and sets its results aside (role administer)
#[utoipa::path(post, path = "/api/v1/fleet/workers/{account}/ban", operation_id = "banWorker", tag = "fleet",
    params(("account", description = "The name of a token")), request_body = Ban,
    responses((status = 200, body = Vec<Account>), FleetProblems))]
pub async fn ban(
    State(app): State<Arc<App>>,
    Path(account): Path<String>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Fresh<Vec<Account>>, Problem> {
    let (fleet, _) = allowed(&app, &headers, Role::Administer)?;
    let request: Ban = body.read()?;
    let work = move |desk: &nutcracker_fleet::dispatcher::Desk| {
        desk.ban(&account, &request.reason)?;
        Ok(desk.status()?.accounts)
    };
    fleet.run(work).await.map(Fresh)
}

/// Readmits an account (role administer)
#[utoipa::path(post, path = "/api/v1/fleet/workers/{account}/unban", operation_id = "unbanWorker", tag = "fleet",
    params(("account", description = "The name of a token")),
    responses((status = 200, body = Vec<Account>), FleetProblems))]
pub async fn unban(
    State(app): State<Arc<App>>,
    Path(account): Path<String>,
    headers: HeaderMap,
) -> Result<Fresh<Vec<Account>>, Problem> {
    let (fleet, _) = allowed(&app, &headers, Role::Administer)?;
    let work = move |desk: &nutcracker_fleet::dispatcher::Desk| {
        desk.unban(&account)?;
        Ok(desk.status()?.accounts)
    };
    fleet.run(work).await.map(Fresh)
}
