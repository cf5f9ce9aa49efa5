//! Chess endings in the form that chess programs know.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::probe::find;
use crate::app::App;
use crate::explorer::Tablebase;
use crate::openapi::Problems;
use crate::problem::Problem;
use crate::reply::{Cached, Params};

/// A position of chess.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FenParams {
    /// The position as FEN; underscores may stand for its spaces.
    #[param(example = "8/8/8/8/8/2k5/8/K1R5 w - -", max_length = 4096)]
    fen: String,
}

/// Describes a chess ending and its moves as tablebase servers do
#[utoipa::path(get, path = "/api/v1/chess/tablebase", operation_id = "probeTablebase", tag = "positions", params(FenParams),
    responses((status = 200, body = Tablebase), Problems))]
pub async fn tablebase(
    State(app): State<Arc<App>>,
    Params(params): Params<FenParams>,
) -> Result<Cached<Tablebase>, Problem> {
    let (game, fen) = find(&app, "chess", Some(params.fen.replace('_', " ")), None)?;
    app.metrics.positions.fetch_add(1, Relaxed);
    Ok(Cached(game.tablebase(&fen)?))
}
