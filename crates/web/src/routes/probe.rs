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
use crate::config::Limits;
use crate::explorer::{
    Explorer, ExplorerError, Filters, Line, Moves, Probed, RandomPosition, Sampled, Seeds,
};
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::{Kind, Problem, ProblemBody};
use crate::reply::{Cached, Fresh, JsonBody, Params, raw, unwritten};

/// Bytes of a batch that is probed on the thread of its connection.
const SMALL_BATCH: usize = 2048;

/// The rule options of a request.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RulesParams {
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
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
    #[param(max_length = 400)]
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
#[utoipa::path(get, path = "/api/v1/games/{game}/probe", operation_id = "probePosition", tag = "positions", params(PositionParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
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

/// The value of one position of a batch.
fn probe_one(limits: &Limits, game: &Explorer, text: &str) -> Result<Worth, Problem> {
    if text.len() > limits.text_bytes {
        return Err(Problem::new(Kind::TooMany, "the position is too long"));
    }
    Ok(game.value(text)?)
}

/// Probes many positions
#[utoipa::path(post, path = "/api/v1/games/{game}/probe", operation_id = "probePositions", tag = "positions", params(RulesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
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
            batch.positions.iter().map(|text| probe_one(&app.config.limits, &game, text)).collect();
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
        app.run_read(move |_| probe(&shared)).await?
    };
    Ok(raw(body))
}

/// Lists the legal moves of a position with their values, after the moves played from there on
#[utoipa::path(get, path = "/api/v1/games/{game}/moves", operation_id = "listMoves", tag = "positions", params(LineParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Moves), Problems))]
pub async fn moves(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<LineParams>,
) -> Result<Cached<Moves>, Problem> {
    let options = params.options.as_deref();
    let (game, position) = find(&app, name_of(&game), params.position, options)?;
    let moves = params.moves.unwrap_or_default();
    let played = names(&app, &moves)?;
    app.metrics.positions.fetch_add(1, Relaxed);
    if !game.depends_on_history() {
        return Ok(Cached(game.moves(&position, &played)?));
    }
    // A search would block the other connections of this thread.
    app.run_read(move |_| {
        let played: Vec<&str> = moves.split_whitespace().collect();
        game.moves(&position, &played)
    })
    .await
    .map(Cached)
}

/// The names of moves with spaces between.
pub fn names<'a>(app: &App, moves: &'a str) -> Result<Vec<&'a str>, Problem> {
    let limits = app.config.limits;
    let names: Vec<&str> = moves.split_whitespace().collect();
    if moves.len() > limits.text_bytes || names.len() > limits.plies {
        let detail = "the line is too long; start from a later position";
        return Err(Problem::new(Kind::TooMany, detail));
    }
    Ok(names)
}

/// A position and moves from there.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LineParams {
    /// The position before the first move; without it, the start of the game.
    #[param(max_length = 4096)]
    pub position: Option<String>,
    /// The names of the moves, with spaces between.
    #[param(example = "E3x5", max_length = 4096)]
    pub moves: Option<String>,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    pub options: Option<String>,
}

/// What becomes of a line with an illegal move.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PrefixParams {
    /// With `true`, the line ends before a move that is not legal, instead of an error.
    prefix: Option<bool>,
}

/// Plays a line and values each of its positions
#[utoipa::path(get, path = "/api/v1/games/{game}/line", operation_id = "playLine", tag = "positions", params(LineParams, PrefixParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Line), Problems))]
pub async fn line(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<LineParams>,
    Params(prefix): Params<PrefixParams>,
) -> Result<Cached<Line>, Problem> {
    let options = params.options.as_deref();
    let (game, position) = find(&app, name_of(&game), params.position, options)?;
    let moves = params.moves.unwrap_or_default();
    names(&app, &moves)?;
    let prefix = prefix.prefix.unwrap_or(false);
    app.run_read(move |_| {
        let moves: Vec<&str> = moves.split_whitespace().collect();
        game.line(&position, &moves, prefix)
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
    #[param(max_length = 400)]
    options: Option<String>,
}

/// Plays best moves to the end
#[utoipa::path(get, path = "/api/v1/games/{game}/best-line", operation_id = "playBestLine", tag = "positions", params(BestLineParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
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
    app.run_read(move |budget| game.best_line(&position, plies, budget)).await.map(Cached)
}

/// Says what changes with one seed more or less in each pit, in games of sowing
#[utoipa::path(get, path = "/api/v1/games/{game}/seeds", operation_id = "compareSeeds", tag = "positions", params(PositionParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Seeds), Problems))]
pub async fn seeds(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(params): Params<PositionParams>,
) -> Result<Cached<Seeds>, Problem> {
    let (game, position) = params.find(&app, name_of(&game))?;
    app.run_read(move |_| game.seeds(&position)).await.map(Cached)
}

/// Finds a random position that matches the filters
#[utoipa::path(get, path = "/api/v1/games/{game}/random", operation_id = "findRandomPosition", tag = "positions", params(Filters, RulesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = RandomPosition), Problems))]
pub async fn random(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
    Params(filters): Params<Filters>,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), rules.options())?;
    let seeded = filters.seed.is_some();
    let (sampled, filters, game) = app
        .run_read(move |budget| {
            let sampled = game.sample(&filters, budget)?;
            Ok::<_, ExplorerError>((sampled, filters, game))
        })
        .await?;
    let found = match sampled {
        Sampled::Found(found) => found,
        Sampled::Rare(scan) => {
            app.run_search(client, move |budget| game.scan(&filters, scan, budget)).await?
        }
    };
    Ok(if seeded { Cached(found).into_response() } else { Fresh(found).into_response() })
}
