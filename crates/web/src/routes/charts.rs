//! Charts for pages, as SVG: styled by the page, with parts that can be chosen.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::book::DropOutParams;
use super::probe::{LineParams, find, name_of, names};
use crate::app::App;
use crate::openapi::Problems;
use crate::problem::Problem;
use crate::reply::{Params, Picture};

/// Draws the course of a line: the margin of the first side at each position, errors marked
#[utoipa::path(get, path = "/api/v1/games/{game}/line/chart", operation_id = "drawLine", tag = "positions", params(LineParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = String, content_type = "image/svg+xml", description = "A chart for a page; every position is a button with `data-ply`"), Problems))]
pub async fn line(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<LineParams>,
) -> Result<Picture, Problem> {
    let LineParams { position, moves, options } = params;
    let (game, position) = find(&app, name_of(&game), position, options.as_deref())?;
    let moves = moves.unwrap_or_default();
    names(&app, &moves)?;
    app.run_read(move |_| {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        game.line_chart(&position, &moves)
    })
    .await
    .map(Picture)
}

/// A slice, or all.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SliceParams {
    /// The name of a slice; without it, all databases together.
    #[param(max_length = 100)]
    slice: Option<String>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

/// Draws how many positions have each value
#[utoipa::path(get, path = "/api/v1/games/{game}/slices/chart", operation_id = "drawSlices", tag = "databases", params(SliceParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = String, content_type = "image/svg+xml", description = "A chart for a page; every column is a button with `data-score`"), Problems))]
pub async fn slices(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<SliceParams>,
) -> Result<Picture, Problem> {
    let game = app.game(name_of(&game), params.options.as_deref())?;
    app.run_read(move |_| game.slice_chart(params.slice.as_deref())).await.map(Picture)
}

/// Draws the drop-out diagram of a book
#[utoipa::path(get, path = "/api/v1/games/{game}/book/dropouts/chart", operation_id = "drawDropOuts", tag = "books", params(DropOutParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = String, content_type = "image/svg+xml", description = "A chart for a page; every leaf is a button with `data-depth` and `data-value`"), Problems))]
pub async fn dropouts(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<DropOutParams>,
) -> Result<Picture, Problem> {
    let game = app.game(name_of(&game), params.options.as_deref())?;
    let whose = params.player.unwrap_or_default();
    app.run_read(move |_| game.dropout_chart(whose)).await.map(Picture)
}
