//! Opening books.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::probe::{PositionParams, RulesParams, name_of};
use crate::app::App;
use crate::explorer::{BookFacts, BookLine, BookNode, DropOuts, ExplorerError, Whose};
use crate::openapi::Problems;
use crate::problem::Problem;
use crate::reply::{Cached, Fresh, Params};

/// Whether a missing book is an error.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OptionalParams {
    /// With `true`, a missing book or position gives `null` instead of an error.
    optional: Option<bool>,
}

impl OptionalParams {
    /// `null` instead of an error, if the client requests that.
    fn apply<T>(&self, found: Result<T, ExplorerError>) -> Result<Option<T>, ExplorerError> {
        match found {
            Err(ExplorerError::NotInBook(_)) if self.optional == Some(true) => Ok(None),
            found => found.map(Some),
        }
    }
}

/// Describes a game's book
#[utoipa::path(get, path = "/api/v1/games/{game}/book", operation_id = "getBook", tag = "books", params(RulesParams, OptionalParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Option<BookFacts>), Problems))]
pub async fn facts(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
    Params(optional): Params<OptionalParams>,
) -> Result<Fresh<Option<BookFacts>>, Problem> {
    let game = app.game(name_of(&game), rules.options())?;
    app.run_read(move |_| optional.apply(game.book_facts())).await.map(Fresh)
}

/// Describes a position of a book
#[utoipa::path(get, path = "/api/v1/games/{game}/book/node", operation_id = "getBookNode", tag = "books", params(PositionParams, OptionalParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Option<BookNode>), Problems))]
pub async fn node(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<PositionParams>,
    Params(optional): Params<OptionalParams>,
) -> Result<Cached<Option<BookNode>>, Problem> {
    let (game, position) = params.find(&app, name_of(&game))?;
    app.run_read(move |_| optional.apply(game.book_node(&position))).await.map(Cached)
}

/// The side of a drop-out diagram.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DropOutParams {
    /// Whose book it is.
    pub player: Option<Whose>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    pub options: Option<String>,
}

/// Lists the drop-outs of a book: where an opponent can leave it, and at what cost
#[utoipa::path(get, path = "/api/v1/games/{game}/book/dropouts", operation_id = "getDropOuts", tag = "books", params(DropOutParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = DropOuts), Problems))]
pub async fn dropouts(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<DropOutParams>,
) -> Result<Cached<DropOuts>, Problem> {
    let game = app.game(name_of(&game), params.options.as_deref())?;
    let whose = params.player.unwrap_or_default();
    app.run_read(move |_| game.book_dropouts(whose)).await.map(Cached)
}

/// A leaf of a drop-out diagram.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LeafParams {
    /// Moves from the start.
    depth: u32,
    /// What the book's player then has, in points.
    value: f64,
    /// Whose book it is.
    player: Option<Whose>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

/// Finds the line to a leaf of the drop-out diagram
#[utoipa::path(get, path = "/api/v1/games/{game}/book/leaf", operation_id = "findBookLeaf", tag = "books", params(LeafParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = BookLine), Problems))]
pub async fn leaf(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<LeafParams>,
) -> Result<Cached<BookLine>, Problem> {
    let game = app.game(name_of(&game), params.options.as_deref())?;
    let whose = params.player.unwrap_or_default();
    app.run_read(move |_| game.book_leaf(whose, params.depth, params.value)).await.map(Cached)
}
