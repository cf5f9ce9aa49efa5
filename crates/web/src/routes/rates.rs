//! How often levels err.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::probe::{find, name_of};
use crate::app::App;
use crate::explorer::ErrorRates;
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::{Kind, Problem};
use crate::reply::{Cached, Params};

/// Where a game begins, and who plays it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RatesParams {
    /// The position; without it, the start of the game.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The level: 1 to 10, or perfect, the default.
    #[param(example = "3")]
    level: Option<String>,
    /// The name of the side that the player of this level has; without it, the one to move.
    #[param(max_length = 20)]
    side: Option<String>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

/// Says how often a player of a level errs from a position on, where databases count moves
///
/// By the model of the level, on average over the positions with this player to move that can follow, all
/// of them if there are not too many, else a sample that is always the same.
#[utoipa::path(get, path = "/api/v1/games/{game}/error-rates", operation_id = "findErrorRates", tag = "positions", params(RatesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = ErrorRates), Problems))]
pub async fn rates(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(params): Params<RatesParams>,
) -> Result<Cached<ErrorRates>, Problem> {
    let RatesParams { position, level, side, options } = params;
    let (game, position) = find(&app, name_of(&game), position, options.as_deref())?;
    let level = level.as_deref().unwrap_or("perfect").parse();
    let level = level.map_err(|error: String| Problem::new(Kind::BadRequest, error))?;
    let rates = app.run_search(client, move |budget| {
        game.error_rates(&position, side.as_deref(), level, budget)
    });
    rates.await.map(Cached)
}
