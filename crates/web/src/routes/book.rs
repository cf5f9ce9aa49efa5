//! Opening books.

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Deserialize;
use utoipa::IntoParams;

use super::probe::{At, Common, name_of};
use crate::app::App;
use crate::explorer::{BookFacts, BookLine, BookNode, DropOuts, ExplorerError, Whose};
use crate::openapi::Problems;
use crate::problem::Problem;
use crate::reply::{Ask, Cached, Fresh};

/// Whether there must be something.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Perhaps {
    /// With `true`, what is in no book is answered with `null` and is no error.
    optional: Option<bool>,
}

impl Perhaps {
    /// Nothing instead of an error, where the client wants that.
    fn apply<T>(&self, found: Result<T, ExplorerError>) -> Result<Option<T>, ExplorerError> {
        match found {
            Err(ExplorerError::NotInBook(_)) if self.optional == Some(true) => Ok(None),
            found => found.map(Some),
        }
    }
}

/// Tells what there is to know of a game's book
#[utoipa::path(get, path = "/api/v1/games/{game}/book", tag = "books", params(Common, Perhaps, ("game", description = "The game")),
    responses((status = 200, body = Option<BookFacts>), Problems))]
pub async fn facts(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(common): Ask<Common>,
    Ask(perhaps): Ask<Perhaps>,
) -> Result<Fresh<Option<BookFacts>>, Problem> {
    let game = app.game(name_of(&game), common.options())?;
    app.run_blocking(move |_| perhaps.apply(game.book_facts())).await.map(Fresh)
}

/// Tells what a book says of a position
#[utoipa::path(get, path = "/api/v1/games/{game}/book/node", tag = "books", params(At, Perhaps, ("game", description = "The game")),
    responses((status = 200, body = Option<BookNode>), Problems))]
pub async fn node(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(at): Ask<At>,
    Ask(perhaps): Ask<Perhaps>,
) -> Result<Cached<Option<BookNode>>, Problem> {
    let (game, position) = at.find(&app, name_of(&game))?;
    app.run_blocking(move |_| perhaps.apply(game.book_node(&position))).await.map(Cached)
}

/// Whose diagram.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Side {
    /// Whose book it is.
    player: Option<Whose>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Shows where an opponent can leave a book, and what that costs: the drop-out diagram
#[utoipa::path(get, path = "/api/v1/games/{game}/book/dropouts", tag = "books", params(Side, ("game", description = "The game")),
    responses((status = 200, body = DropOuts), Problems))]
pub async fn dropouts(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(side): Ask<Side>,
) -> Result<Cached<DropOuts>, Problem> {
    let game = app.game(name_of(&game), side.options.as_deref())?;
    let whose = side.player.unwrap_or_default();
    app.run_blocking(move |_| game.book_dropouts(whose)).await.map(Cached)
}

/// Which leaf of a diagram.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Leaf {
    /// Moves from the start.
    depth: u32,
    /// What the book's player then has, in points.
    value: f64,
    /// Whose book it is.
    player: Option<Whose>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Finds the way to a leaf of the drop-out diagram
#[utoipa::path(get, path = "/api/v1/games/{game}/book/leaf", tag = "books", params(Leaf, ("game", description = "The game")),
    responses((status = 200, body = BookLine), Problems))]
pub async fn leaf(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(leaf): Ask<Leaf>,
) -> Result<Cached<BookLine>, Problem> {
    let game = app.game(name_of(&game), leaf.options.as_deref())?;
    let whose = leaf.player.unwrap_or_default();
    app.run_blocking(move |_| game.book_leaf(whose, leaf.depth, leaf.value)).await.map(Cached)
}
