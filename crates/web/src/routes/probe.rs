//! Positions: their values, moves and lines.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::explorer::{Explorer, Line, Moves, Probed, Random, Value, Wanted};
use crate::openapi::Problems;
use crate::problem::{Kind, Problem, ProblemBody};
use crate::reply::{Ask, Cached, Fresh, Posted, raw, unwritten};

/// Bytes of a batch that is answered where it arrives.
const SMALL: usize = 2048;

/// Which rules.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Common {
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

impl Common {
    /// The options, if there are any.
    pub fn options(&self) -> Option<&str> {
        self.options.as_deref()
    }
}

/// A game's name in a path.
pub fn name_of(path: &Path<String>) -> &str {
    &path.0
}

/// Which position.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct At {
    /// The position as the game writes it; without it, where the game starts.
    #[param(example = "0,0,4,0,3,2/2,1,1,0,0,2 S 20-13", max_length = 4096)]
    position: Option<String>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

impl At {
    /// The game and the position.
    pub fn find(self, app: &App, game: &str) -> Result<(Arc<dyn Explorer>, String), Problem> {
        find(app, game, self.position, self.options.as_deref())
    }
}

/// The game and the position of a question.
pub fn find(
    app: &App,
    game: &str,
    position: Option<String>,
    options: Option<&str>,
) -> Result<(Arc<dyn Explorer>, String), Problem> {
    let game = app.game(game, options)?;
    let position = match position {
        Some(position) if position.len() > app.config.limits.text_bytes => {
            return Err(Problem::new(Kind::TooMany, "no position is that long"));
        }
        Some(position) => position,
        None => game.card()?.start,
    };
    Ok((game, position))
}

/// Looks up a position
#[utoipa::path(get, path = "/api/v1/games/{game}/probe", tag = "positions", params(At, ("game", description = "The game")),
    responses((status = 200, body = Probed), Problems))]
pub async fn one(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(at): Ask<At>,
) -> Result<Cached<Probed>, Problem> {
    let (game, position) = at.find(&app, name_of(&game))?;
    app.metrics.positions.fetch_add(1, Relaxed);
    Ok(Cached(game.probe(&position)?))
}

/// Positions to be looked up.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Batch<'a> {
    /// The positions as the game writes them.
    #[serde(borrow)]
    #[schema(value_type = Vec<String>, max_items = 10_000)]
    positions: Vec<Cow<'a, str>>,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answers<'a> {
    /// One entry a position, in the order of the request.
    results: Vec<Answer<'a>>,
}

/// What was found of one position.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Answer<'a> {
    /// Its value.
    Known(Value),
    /// Why there is none.
    Unknown {
        /// What is wrong with this position.
        problem: ProblemBody<'a>,
    },
}

/// Looks up many positions at once
#[utoipa::path(post, path = "/api/v1/games/{game}/probe", tag = "positions", params(Common, ("game", description = "The game")),
    request_body = Batch, responses((status = 200, body = Answers), Problems))]
pub async fn many(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(common): Ask<Common>,
    body: Posted,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), common.options())?;
    let limit = app.config.limits.batch;
    let small = body.0.len() <= SMALL;
    let answer = move |app: &App| {
        let batch: Batch = body.read()?;
        if batch.positions.len() > limit {
            let detail = format!("at most {limit} positions are looked up in one request");
            return Err(Problem::new(Kind::TooMany, detail));
        }
        app.metrics.positions.fetch_add(batch.positions.len() as u64, Relaxed);
        let found: Vec<Result<_, Problem>> =
            batch.positions.iter().map(|text| game.value(text).map_err(Problem::from)).collect();
        let results = found
            .iter()
            .map(|found| match found {
                Ok(value) => Answer::Known(*value),
                Err(problem) => {
                    problem.log("probe of many positions");
                    Answer::Unknown { problem: problem.body() }
                }
            })
            .collect();
        serde_json::to_vec(&Answers { results }).map_err(|error| unwritten(&error))
    };
    // A large batch would make others wait on this thread.
    let body = if small {
        answer(&app)?
    } else {
        let for_work = Arc::clone(&app);
        app.run_blocking(move |_| answer(&for_work)).await?
    };
    Ok(raw(body))
}

/// Lists the legal moves with their values
#[utoipa::path(get, path = "/api/v1/games/{game}/moves", tag = "positions", params(At, ("game", description = "The game")),
    responses((status = 200, body = Moves), Problems))]
pub async fn moves(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(at): Ask<At>,
) -> Result<Cached<Moves>, Problem> {
    let (game, position) = at.find(&app, name_of(&game))?;
    app.metrics.positions.fetch_add(1, Relaxed);
    Ok(Cached(game.moves(&position)?))
}

/// Which position and which moves from there.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Along {
    /// The position before the first move; without it, where the game starts.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The names of the moves, with spaces between.
    #[param(example = "E3x5", max_length = 4096)]
    moves: Option<String>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Plays a line and values each of its positions
#[utoipa::path(get, path = "/api/v1/games/{game}/line", tag = "positions", params(Along, ("game", description = "The game")),
    responses((status = 200, body = Line), Problems))]
pub async fn line(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(along): Ask<Along>,
) -> Result<Cached<Line>, Problem> {
    let options = along.options.as_deref();
    let (game, position) = find(&app, name_of(&game), along.position, options)?;
    let moves = along.moves.unwrap_or_default();
    let limits = app.config.limits;
    if moves.len() > limits.text_bytes || moves.split_whitespace().count() > limits.plies {
        return Err(Problem::new(Kind::TooMany, "the line is too long; begin it further on"));
    }
    app.run_blocking(move |_| {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        game.play(&position, &moves)
    })
    .await
    .map(Cached)
}

/// Which position, and how far.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Far {
    /// The position; without it, where the game starts.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// Moves at most; 100 unless said otherwise.
    #[param(minimum = 0, maximum = 1000)]
    plies: Option<usize>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Plays best moves to the end
#[utoipa::path(get, path = "/api/v1/games/{game}/best-line", tag = "positions", params(Far, ("game", description = "The game")),
    responses((status = 200, body = Line), Problems))]
pub async fn best_line(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(far): Ask<Far>,
) -> Result<Cached<Line>, Problem> {
    let (game, position) = find(&app, name_of(&game), far.position, far.options.as_deref())?;
    let plies = far.plies.unwrap_or(100);
    if plies > app.config.limits.plies {
        return Err(Problem::new(Kind::TooMany, "the line is too long; begin it further on"));
    }
    app.run_blocking(move |_| game.best_line(&position, plies)).await.map(Cached)
}

/// Finds a random position that is like this
#[utoipa::path(get, path = "/api/v1/games/{game}/random", tag = "positions", params(Wanted, Common, ("game", description = "The game")),
    responses((status = 200, body = Random), Problems))]
pub async fn random(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(common): Ask<Common>,
    Ask(wanted): Ask<Wanted>,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), common.options())?;
    let seeded = wanted.seed.is_some();
    let found = app.run_blocking(move |budget| game.random(&wanted, budget)).await?;
    Ok(if seeded { Cached(found).into_response() } else { Fresh(found).into_response() })
}
