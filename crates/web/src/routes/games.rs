//! Games and their databases.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::probe::{RulesParams, name_of};
use crate::app::App;
use crate::explorer::{self, ExplorerError, Extremes, GameCard, Holding, Slices};
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::reply::{Cached, Params};

/// A game of the registry.
#[derive(Debug, Serialize, ToSchema)]
pub struct Summary {
    /// Its name.
    #[schema(example = "awari")]
    name: &'static str,
    /// The game in one line.
    about: &'static str,
    /// Its rule options.
    options: Vec<RuleOption>,
    /// Whether it has databases under the usual options.
    databases: bool,
    /// The slices with a database here, under the usual options.
    slices: Vec<String>,
    /// What the number of a slice counts, if its name is a number.
    unit: &'static str,
    /// What is here of it: databases and books under any rule options.
    holdings: Vec<Holding>,
}

/// A rule option of a game.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleOption {
    /// Its name.
    name: &'static str,
    /// What its value is called; nothing for an option that is given or not.
    value: Option<&'static str>,
    /// What it means.
    about: &'static str,
    /// The value it has when it is not given.
    default: &'static str,
}

/// Lists the games
#[utoipa::path(get, path = "/api/v1/games", operation_id = "listGames", tag = "games",
    responses((status = 200, body = Vec<Summary>), Problems))]
pub async fn list(State(app): State<Arc<App>>) -> Result<Cached<Vec<Summary>>, Problem> {
    let registry = app.config.games;
    let shared = Arc::clone(&app);
    let mut found = app
        .run_read(move |_| {
            let config = &shared.config;
            Ok::<_, Problem>(explorer::holdings(registry, &config.files, &config.data))
        })
        .await?;
    let mut games = Vec::new();
    for info in app.config.games.iter() {
        let game = app.game(info.name, None)?;
        let card = game.card()?;
        let options = info
            .options
            .iter()
            .map(|option| RuleOption {
                name: option.name,
                value: option.value,
                about: option.about,
                default: option.default,
            })
            .collect();
        games.push(Summary {
            name: info.name,
            about: info.about,
            options,
            databases: game.has_databases(),
            slices: card.slices,
            unit: card.unit,
            holdings: found.remove(info.name).unwrap_or_default(),
        });
    }
    Ok(Cached(games))
}

/// Describes a game
#[utoipa::path(get, path = "/api/v1/games/{game}", operation_id = "getGame", tag = "games", params(RulesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = GameCard), Problems))]
pub async fn card(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
) -> Result<Cached<GameCard>, Problem> {
    Ok(Cached(app.game(name_of(&game), rules.options())?.card()?))
}

/// The rules of a game in words.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulesText {
    /// The game.
    #[schema(example = "awari")]
    game: &'static str,
    /// Markdown: paragraphs, lists, tables, `code`, *emphasis* and **strong** words.
    rules: &'static str,
}

/// Explains the rules of a game and its notation in words
#[utoipa::path(get, path = "/api/v1/games/{game}/rules", operation_id = "getRules", tag = "games", params(("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = RulesText), Problems))]
pub async fn rules(
    State(app): State<Arc<App>>,
    game: Path<String>,
) -> Result<Cached<RulesText>, Problem> {
    let games = app.config.games;
    let info = games.info(name_of(&game)).map_err(ExplorerError::from)?;
    let rules = games.rules_of(info.name).unwrap_or_default();
    Ok(Cached(RulesText { game: info.name, rules }))
}

/// Lists the databases of a game with their sizes and scores
#[utoipa::path(get, path = "/api/v1/games/{game}/slices", operation_id = "listSlices", tag = "databases", params(RulesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Slices), Problems))]
pub async fn slices(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Params(rules): Params<RulesParams>,
) -> Result<Cached<Slices>, Problem> {
    let game = app.game(name_of(&game), rules.options())?;
    app.run_read(move |_| game.slices()).await.map(Cached)
}

/// A slice.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExtremesParams {
    /// The name of the slice.
    #[param(max_length = 100)]
    slice: String,
    /// Rule options other than the defaults, such as `pits=4`.
    #[param(max_length = 400)]
    options: Option<String>,
}

/// Finds remarkable positions of a slice
#[utoipa::path(get, path = "/api/v1/games/{game}/extremes", operation_id = "findExtremes", tag = "databases", params(ExtremesParams, ("game" = String, Path, description = "The name of the game", example = "awari")),
    responses((status = 200, body = Extremes), Problems))]
pub async fn extremes(
    State(app): State<Arc<App>>,
    Peer(client): Peer,
    game: Path<String>,
    Params(params): Params<ExtremesParams>,
) -> Result<Response, Problem> {
    let game = app.game(name_of(&game), params.options.as_deref())?;
    let found = app.run_search(client, move |budget| game.extremes(&params.slice, budget)).await?;
    Ok(Cached(&*found).into_response())
}
