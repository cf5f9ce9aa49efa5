//! Puzzles from the databases.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};

use super::probe::{RulesParams, name_of};
use crate::app::App;
use crate::explorer::{Puzzle, PuzzleFilters};
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::reply::{Cached, Fresh, Params};

/// Finds a position in which one move alone holds the result, and says which levels miss it
#[utoipa::path(get, path = "/api/v1/games/{game}/puzzle", operation_id = "findPuzzle", tag = "positions", params(PuzzleFilters, RulesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Puzzle), Problems))]
pub async fn puzzle(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
    Params(filters): Params<PuzzleFilters>,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), rules.options())?;
    let seeded = filters.seed.is_some();
    let found = app.run_search(client, move |budget| game.puzzle(&filters, budget)).await?;
    Ok(if seeded { Cached(found).into_response() } else { Fresh(found).into_response() })
}
