//! Positions: their values, moves and lines.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use nutcracker_search::Worth;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::explorer::{Explorer, Filters, Line, Moves, Probed, RandomPosition};
use crate::openapi::Problems;
use crate::problem::{Kind, Problem, ProblemBody};
use crate::reply::{Cached, Fresh, JsonBody, Params, raw, unwritten};

/// Bytes of a batch that is probed on the thread of its connection.
const SMALL_BATCH: usize = 2048;

/// The rule options of a request.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RulesParams {
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

impl RulesParams {
    /// The options, if there are any.
    pub fn options(&self) -> Option<&str> {
        self.options.as_deref()
    }
}

/// A game's name in a path.
pub fn name_of(path: &Path<String>) -> &str {
    &path.0
}

/// A position.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PositionParams {
    /// The position as the game writes it; without it, the start of the game.
    #[param(example = "0,0,4,0,3,2/2,1,1,0,0,2 S 20-13", max_length = 4096)]
    position: Option<String>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

impl PositionParams {
    /// The game and the position.
    pub fn find(self, app: &App, game: &str) -> Result<(Arc<Explorer>, String), Problem> {
        find(app, game, self.position, self.options.as_deref())
    }
}

/// The game and the position of a request.
pub fn find(
    app: &App,
    game: &str,
    position: Option<String>,
    options: Option<&str>,
) -> Result<(Arc<Explorer>, String), Problem> {
    let game = app.game(game, options)?;
    let position = match position {
        Some(position) if position.len() > app.config.limits.text_bytes => {
            return Err(Problem::new(Kind::TooMany, "the position is too long"));
        }
        Some(position) => position,
        None => game.card()?.start,
    };
    Ok((game, position))
}

/// Probes a position
#[utoipa::path(get, path = "/api/v1/games/{game}/probe", tag = "positions", params(PositionParams, ("game", description = "The game")),
    responses((status = 200, body = Probed), Problems))]
pub async fn probe(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<PositionParams>,
) -> Result<Cached<Probed>, Problem> {
    let (game, position) = params.find(&app, name_of(&game))?;
    app.metrics.positions.fetch_add(1, Relaxed);
    Ok(Cached(game.probe(&position)?))
}

/// Positions to probe.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Batch<'a> {
    /// The positions as the game writes them.
    #[serde(borrow)]
    #[schema(value_type = Vec<String>, max_items = 10_000)]
    positions: Vec<Cow<'a, str>>,
}

/// The results of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProbeResults<'a> {
    /// One entry a position, in the order of the request.
    results: Vec<ProbeResult<'a>>,
}

/// The result of one position.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ProbeResult<'a> {
    /// Its value.
    Known(Worth),
    /// Why it has none.
    Unknown {
        /// What is wrong with this position.
        problem: ProblemBody<'a>,
    },
}

/// Probes many positions
#[utoipa::path(post, path = "/api/v1/games/{game}/probe", tag = "positions", params(RulesParams, ("game", description = "The game")),
    request_body = Batch, responses((status = 200, body = ProbeResults), Problems))]
pub async fn probe_many(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
    body: JsonBody,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), rules.options())?;
    let limit = app.config.limits.batch;
    let small = body.0.len() <= SMALL_BATCH;
    let probe = move |app: &App| {
        let batch: Batch = body.read()?;
        if batch.positions.len() > limit {
            let detail = format!("at most {limit} positions may be probed in one request");
            return Err(Problem::new(Kind::TooMany, detail));
        }
        app.metrics.positions.fetch_add(batch.positions.len() as u64, Relaxed);
        let found: Vec<Result<_, Problem>> =
            batch.positions.iter().map(|text| game.value(text).map_err(Problem::from)).collect();
        let results = found
            .iter()
            .map(|found| match found {
                Ok(value) => ProbeResult::Known(*value),
                Err(problem) => {
                    problem.log("probe of many positions");
                    ProbeResult::Unknown { problem: problem.body() }
                }
            })
            .collect();
        serde_json::to_vec(&ProbeResults { results }).map_err(|error| unwritten(&error))
    };
    // A large batch would block the other connections of this thread.
    let body = if small {
        probe(&app)?
    } else {
        let shared = Arc::clone(&app);
        app.run_blocking(move |_| probe(&shared)).await?
    };
    Ok(raw(body))
}

/// Lists the legal moves with their values
#[utoipa::path(get, path = "/api/v1/games/{game}/moves", tag = "positions", params(PositionParams, ("game", description = "The game")),
    responses((status = 200, body = Moves), Problems))]
pub async fn moves(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<PositionParams>,
) -> Result<Cached<Moves>, Problem> {
    let (game, position) = params.find(&app, name_of(&game))?;
    app.metrics.positions.fetch_add(1, Relaxed);
    Ok(Cached(game.moves(&position)?))
}

/// A position and moves from there.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LineParams {
    /// The position before the first move; without it, the start of the game.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The names of the moves, with spaces between.
    #[param(example = "E3x5", max_length = 4096)]
    moves: Option<String>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Plays a line and values each of its positions
#[utoipa::path(get, path = "/api/v1/games/{game}/line", tag = "positions", params(LineParams, ("game", description = "The game")),
    responses((status = 200, body = Line), Problems))]
pub async fn line(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<LineParams>,
) -> Result<Cached<Line>, Problem> {
    let options = params.options.as_deref();
    let (game, position) = find(&app, name_of(&game), params.position, options)?;
    let moves = params.moves.unwrap_or_default();
    let limits = app.config.limits;
    if moves.len() > limits.text_bytes || moves.split_whitespace().count() > limits.plies {
        return Err(Problem::new(
            Kind::TooMany,
            "the line is too long; start from a later position",
        ));
    }
    app.run_blocking(move |_| {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        game.line(&position, &moves)
    })
    .await
    .map(Cached)
}

/// A position and a number of moves.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BestLineParams {
    /// The position; without it, the start of the game.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The largest number of moves; 100 by default.
    #[param(minimum = 0, maximum = 1000)]
    plies: Option<usize>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Plays best moves to the end
#[utoipa::path(get, path = "/api/v1/games/{game}/best-line", tag = "positions", params(BestLineParams, ("game", description = "The game")),
    responses((status = 200, body = Line), Problems))]
pub async fn best_line(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<BestLineParams>,
) -> Result<Cached<Line>, Problem> {
    let (game, position) = find(&app, name_of(&game), params.position, params.options.as_deref())?;
    let plies = params.plies.unwrap_or(100);
    if plies > app.config.limits.plies {
        return Err(Problem::new(
            Kind::TooMany,
            "the line is too long; start from a later position",
        ));
    }
    app.run_blocking(move |_| game.best_line(&position, plies)).await.map(Cached)
}

/// Finds a random position that matches the filters
#[utoipa::path(get, path = "/api/v1/games/{game}/random", tag = "positions", params(Filters, RulesParams, ("game", description = "The game")),
    responses((status = 200, body = RandomPosition), Problems))]
pub async fn random(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
    Params(filters): Params<Filters>,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), rules.options())?;
    let seeded = filters.seed.is_some();
    let found = app.run_blocking(move |budget| game.random(&filters, budget)).await?;
    Ok(if seeded { Cached(found).into_response() } else { Fresh(found).into_response() })
}
