//! Searches as streams of reports, and replies of the opponent.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use nutcracker_book::play::{DrawAs, Style};
use serde::Deserialize;
use utoipa::IntoParams;

use super::probe::{find, name_of, names};
use super::stream::watched;
use crate::app::App;
use crate::explorer::{Budget, ExplorerError, Opponent, Reply, ReplySource, Searched};
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::{Kind, Problem};
use crate::reply::{Cached, Fresh, Params};

/// A position to search and the limits.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchParams {
    /// The position; without it, the start of the game.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The names of the moves from there on, separated by spaces. They matter, as a repeated
    /// position ends some games.
    #[param(max_length = 4096)]
    moves: Option<String>,
    /// Time limit in seconds; 5 by default.
    #[param(minimum = 0, maximum = 20)]
    seconds: Option<f64>,
    /// Depth limit in plies.
    depth: Option<u32>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

/// Searches a position, as events `queued` and `report` until one named `done` or `problem`
#[utoipa::path(get, path = "/api/v1/games/{game}/search", operation_id = "searchPosition", tag = "positions", params(SearchParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = String, content_type = "text/event-stream",
        description = "Events named `queued` while the search waits for a slot, each with a Queued as its data, then events named `report`, each with a Searched; the last one is named `done`, or `problem` with a Problem"), Problems))]
pub async fn search(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(params): Params<SearchParams>,
) -> Result<Response, Problem> {
    let (game, position) = find(&app, name_of(&game), params.position, params.options.as_deref())?;
    let moves = owned_names(&app, params.moves)?;
    let limit = app.config.limits.search_time;
    let seconds = params.seconds.unwrap_or(5.0);
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| Problem::new(Kind::BadRequest, "seconds must not be negative"))?;
    // A bad request is refused before the stream begins.
    let (game, position, moves) = app
        .run_read(move |_| {
            let line: Vec<&str> = moves.iter().map(String::as_str).collect();
            game.check_line(&position, &line)?;
            Ok::<_, ExplorerError>((game, position, moves))
        })
        .await?;
    let ticket = app.line_up(client)?;
    let time = time.min(limit);
    Ok(watched(app, ticket, time, "search", move |budget, watcher| {
        let line: Vec<&str> = moves.iter().map(String::as_str).collect();
        let mut report = |found: Searched| watcher.send("report", &found);
        game.search(&position, &line, params.depth, budget, &mut report)
    }))
}

fn owned_names(app: &App, moves: Option<String>) -> Result<Vec<String>, Problem> {
    let moves = moves.unwrap_or_default();
    Ok(names(app, &moves)?.into_iter().map(str::to_owned).collect())
}

/// A position and the strength of the replying player.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReplyParams {
    /// The position; without it, the start of the game.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The names of the moves from there on, separated by spaces.
    #[param(max_length = 4096)]
    moves: Option<String>,
    /// The level: 1 to 10, or perfect, the default.
    #[param(example = "perfect")]
    level: Option<String>,
    /// The same number gives the same errors.
    seed: Option<u64>,
    /// With `true`, moves come from the game's book as long as it lasts.
    book: Option<bool>,
    /// What a proven draw counts as in the book: `win`, `loss` or points.
    #[param(max_length = 20, example = "0")]
    draws: Option<String>,
    /// The same for draws that occurred in public games; without it, they count as the others do.
    #[param(max_length = 20, example = "loss")]
    public_draws: Option<String>,
    /// How many points worse than the best book moves may be, over the whole game.
    #[param(example = 0.0)]
    variety: Option<f64>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

impl ReplyParams {
    /// How moves are chosen from a book.
    fn style(&self) -> Result<Style, Problem> {
        let wrong = |error: String| Problem::new(Kind::BadRequest, error);
        let draws = self.draws.as_deref().unwrap_or("0");
        let public_draws = self.public_draws.as_deref().unwrap_or(draws);
        let draws_as = |text: &str| text.parse::<DrawAs>().map_err(wrong);
        let (public_draws, private_draws) = (draws_as(public_draws)?, draws_as(draws)?);
        let variety = self.variety.unwrap_or(0.0);
        if !(0.0..=1000.0).contains(&variety) {
            return Err(wrong("variety is a number of points, 0 or more".to_owned()));
        }
        let epsilon = (100.0 * variety).round() as i32;
        Ok(Style { public_draws, private_draws, epsilon })
    }
}

/// Chooses a move as a player of a level does
#[utoipa::path(get, path = "/api/v1/games/{game}/reply", operation_id = "chooseReply", tag = "positions", params(ReplyParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Reply), Problems))]
pub async fn reply(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(params): Params<ReplyParams>,
) -> Result<Response, Problem> {
    let book = params.book.unwrap_or(false).then(|| params.style()).transpose()?;
    let (game, position) = find(&app, name_of(&game), params.position, params.options.as_deref())?;
    let level = params.level.as_deref().unwrap_or("perfect");
    let level = level.parse().map_err(|error: String| Problem::new(Kind::BadRequest, error))?;
    let seed = params.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let opponent = Opponent { moves: owned_names(&app, params.moves)?, level, seed, book };
    let known = {
        let (game, position, opponent) = (Arc::clone(&game), position.clone(), opponent.clone());
        app.run_read(move |_| game.known_reply(&position, &opponent)).await?
    };
    let reply = if let Some(reply) = known {
        reply
    } else {
        let search = move |budget: &Budget| game.searched_reply(&position, &opponent, budget);
        app.run_search(client, search).await?
    };
    let certain = params.seed.is_some() && reply.source == ReplySource::Database;
    Ok(if certain { Cached(reply).into_response() } else { Fresh(reply).into_response() })
}
