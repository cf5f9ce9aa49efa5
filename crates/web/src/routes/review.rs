//! Games that were played: read from records, and reviewed.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use nutcracker_any::Options;
use nutcracker_engine::Transcript;
use nutcracker_game::Notation;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::probe::name_of;
use super::stream::watched;
use crate::app::App;
use crate::explorer::{ExplorerError, RecordedGame, canonical};
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::{Kind, Problem};
use crate::reply::{Fresh, JsonBody, Params};

/// Games of one text that are read.
const GAMES: usize = 500;
/// Positions that a search examines for a move of a review, if nothing else is requested.
const NODES: u64 = 50_000;
/// The most that may be requested.
const MOST_NODES: u64 = 10_000_000;

/// A text with records of games.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RecordsText {
    /// The records, one after the other.
    #[schema(example = "[Game \"awari\"]\n\n1. F4 2. c5 *")]
    text: String,
    /// The game of records that name none.
    #[schema(example = "awari")]
    game: Option<String>,
    /// Its rule options.
    options: Option<String>,
}

/// The games of a text.
#[derive(Debug, Serialize, ToSchema)]
pub struct Records {
    /// They, in the order of the text.
    games: Vec<RecordedGame>,
}

/// All games of a text: the one place of the interface that reads them.
fn games(app: &App, text: &str) -> Result<Vec<Transcript>, Problem> {
    let wrong = |detail: String| Problem::new(Kind::BadRequest, detail);
    let games = Transcript::read_all(text).map_err(|error| wrong(error.to_string()))?;
    if games.len() > GAMES {
        let detail = format!("at most {GAMES} games may be read in one request");
        return Err(Problem::new(Kind::TooMany, detail));
    }
    if games.iter().any(|game| moves_of(game) > app.config.limits.plies) {
        return Err(Problem::new(Kind::TooMany, "a game has more moves than a line may have"));
    }
    Ok(games)
}

/// The number of moves as written, at least: Aualé writes several as one word, a letter each.
fn moves_of(game: &Transcript) -> usize {
    let moves = &game.record().moves;
    match game.notation() {
        Notation::Auale => moves.iter().map(|mv| mv.name.len()).sum(),
        _ => moves.len(),
    }
}

/// Reads records of games
#[utoipa::path(post, path = "/api/v1/records", operation_id = "readRecords", tag = "games",
    request_body = RecordsText, responses((status = 200, body = Records), Problems))]
pub async fn read(State(app): State<Arc<App>>, body: JsonBody) -> Result<Fresh<Records>, Problem> {
    let shared = Arc::clone(&app);
    app.run_read(move |_| {
        let RecordsText { text, game, options } = body.read()?;
        let games = games(&shared, &text)?.into_iter().map(|found| {
            let named = found.game();
            // Options belong to the game that is named with them.
            let options = if named.is_some() { Some(found.options()) } else { options.as_deref() };
            let name = named.as_ref().or(game.as_ref()).ok_or_else(|| {
                Problem::new(
                    Kind::BadRequest,
                    "no tag names the game; add a line such as [Game \"awari\"]",
                )
            })?;
            let info = shared.config.games.info(name).map_err(ExplorerError::from)?;
            let options = canonical(info, &Options::from_text(options.unwrap_or_default()));
            let explorer = shared.game(name, Some(&options))?;
            Ok(explorer.recorded(&explorer.record(&found)?, &options)?)
        });
        let games = games.collect::<Result<Vec<_>, Problem>>()?;
        if games.is_empty() {
            return Err(Problem::new(Kind::BadRequest, "there is no game in the text"));
        }
        Ok::<_, Problem>(Records { games })
    })
    .await
    .map(Fresh)
}

/// How a game is reviewed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewParams {
    /// Positions that a search examines for the best move, where databases do not reach; 50,000 by
    /// default. The move played is then searched to the same depth.
    #[param(minimum = 1, maximum = 10_000_000)]
    nodes: Option<u64>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

/// A game to review.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ReviewRequest {
    /// The record of the game; if there are several, the first is reviewed.
    #[schema(example = "1. F4 2. c5 *")]
    record: String,
}

/// Reviews a game: every move with what it lost, as events until one named `done` or `problem`
#[utoipa::path(post, path = "/api/v1/games/{game}/review", operation_id = "reviewGame", tag = "games", params(ReviewParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    request_body = ReviewRequest,
    responses((status = 200, body = String, content_type = "text/event-stream",
        description = "Events named `queued` while the review waits for a slot, each with a Queued as its data, then events named `move`, each with a ReviewedMove, and one named `review` with a Review; the last one is named `done`, or `problem` with a Problem"), Problems))]
pub async fn review(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(params): Params<ReviewParams>,
    body: JsonBody,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), params.options.as_deref())?;
    let nodes = params.nodes.unwrap_or(NODES).clamp(1, MOST_NODES);
    let shared = Arc::clone(&app);
    // A bad request is refused before the stream begins.
    let (game, record) = app
        .run_read(move |_| {
            let ReviewRequest { record } = body.read()?;
            let games = games(&shared, &record)?;
            let Some(found) = games.first() else {
                return Err(Problem::new(Kind::BadRequest, "there is no game in the text"));
            };
            let record = game.record(found)?;
            game.replay(&record)?;
            Ok((game, record))
        })
        .await?;
    let ticket = app.line_up(client)?;
    let time = app.config.limits.review_time;
    Ok(watched(app, ticket, time, "review", move |budget, watcher| {
        let review = game.review(&record, nodes, budget, &mut |mv| watcher.send("move", mv))?;
        watcher.send("review", &review);
        Ok(())
    }))
}
