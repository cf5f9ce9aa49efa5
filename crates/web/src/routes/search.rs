//! Searches, told as they go on, and moves of the other side.

use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde::Deserialize;
use tokio::sync::mpsc;
use utoipa::IntoParams;

use super::probe::{find, name_of};
use crate::app::{App, StopOnDrop};
use crate::explorer::{ExplorerError, Opponent, Reply, Searched};
use crate::openapi::Problems;
use crate::problem::{Kind, Problem};
use crate::reply::{Ask, Cached, Fresh};

/// Reports that wait for a slow reader; a search that is further ahead waits.
const AHEAD: usize = 16;

/// What to search.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Sought {
    /// The position; without it, where the game starts.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The names of the moves from there on, with spaces between: what was played counts, as a
    /// position that repeats ends some games.
    #[param(max_length = 4096)]
    moves: Option<String>,
    /// How long at most; 5 unless said otherwise.
    #[param(minimum = 0, maximum = 20)]
    seconds: Option<f64>,
    /// How deep at most.
    depth: Option<u32>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Searches a position, as server-sent events named `report` until one named `done` or `problem`
#[utoipa::path(get, path = "/api/v1/games/{game}/search", tag = "positions", params(Sought, ("game", description = "The game")),
    responses((status = 200, body = Searched, content_type = "text/event-stream"), Problems))]
pub async fn search(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(sought): Ask<Sought>,
) -> Result<Response, Problem> {
    let (game, position) = find(&app, name_of(&game), sought.position, sought.options.as_deref())?;
    let moves = names(&app, sought.moves)?;
    let limit = app.config.limits.search_time;
    let seconds = sought.seconds.unwrap_or(5.0);
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| Problem::new(Kind::BadRequest, "seconds must be a number from 0 up"))?;
    // A bad request is refused before the stream begins.
    let (game, position, moves) = app
        .run_blocking(move |_| {
            let line: Vec<&str> = moves.iter().map(String::as_str).collect();
            game.check_line(&position, &line)?;
            Ok::<_, ExplorerError>((game, position, moves))
        })
        .await?;
    let (search, stop) = app.begin(time.min(limit)).await?;
    let (sender, receiver) = mpsc::channel(AHEAD);
    let closing = Arc::clone(&app);
    tokio::task::spawn_blocking(move || {
        let line: Vec<&str> = moves.iter().map(String::as_str).collect();
        let budget = search.budget();
        let mut tell = |found: Searched| {
            // Nobody listens, or the server stops: the search ends at its next look at the flag.
            if closing.is_closing() || sender.blocking_send(Told::Report(found)).is_err() {
                search.end();
            }
        };
        let last = match game.search(&position, &line, sought.depth, budget, &mut tell) {
            Ok(()) => Told::Done,
            Err(error) => {
                let problem = Problem::from(error);
                problem.log("search");
                Told::Problem(problem)
            }
        };
        let _ = sender.blocking_send(last);
    });
    let events = Events { receiver, _stop: stop, app, ended: false };
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

fn names(app: &App, moves: Option<String>) -> Result<Vec<String>, Problem> {
    let moves = moves.unwrap_or_default();
    let limits = app.config.limits;
    if moves.len() > limits.text_bytes || moves.split_whitespace().count() > limits.plies {
        return Err(Problem::new(Kind::TooMany, "the line is too long; begin it further on"));
    }
    Ok(moves.split_whitespace().map(str::to_owned).collect())
}

enum Told {
    Report(Searched),
    Problem(Problem),
    Done,
}

/// Events of a search; when they are dropped the search ends.
struct Events {
    receiver: mpsc::Receiver<Told>,
    _stop: StopOnDrop,
    app: Arc<App>,
    ended: bool,
}

impl Stream for Events {
    type Item = Result<Event, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.ended || this.app.is_closing() {
            return Poll::Ready(None);
        }
        this.receiver.poll_recv(context).map(|told| {
            let event = match told? {
                Told::Report(found) => Event::default().event("report").json_data(&found),
                Told::Problem(problem) => {
                    this.ended = true;
                    Event::default().event("problem").json_data(problem.body())
                }
                Told::Done => {
                    this.ended = true;
                    Ok(Event::default().event("done").data("{}"))
                }
            };
            Some(event)
        })
    }
}

/// Who is to reply to what.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    /// The position; without it, where the game starts.
    #[param(max_length = 4096)]
    position: Option<String>,
    /// The names of the moves from there on, with spaces between.
    #[param(max_length = 4096)]
    moves: Option<String>,
    /// How strong: 1 to 10, or perfect, which it is unless said otherwise.
    #[param(example = "perfect")]
    level: Option<String>,
    /// The same number gives the same errors.
    seed: Option<u64>,
    /// Rule options that are not the usual ones, such as `pits=4`.
    #[param(max_length = 200)]
    options: Option<String>,
}

/// Chooses a move as a player of a level does
#[utoipa::path(get, path = "/api/v1/games/{game}/reply", tag = "positions", params(Asked, ("game", description = "The game")),
    responses((status = 200, body = Reply), Problems))]
pub async fn reply(
    State(app): State<Arc<App>>,
    game: Path<String>,
    Ask(asked): Ask<Asked>,
) -> Result<Response, Problem> {
    let (game, position) = find(&app, name_of(&game), asked.position, asked.options.as_deref())?;
    let level = asked.level.as_deref().unwrap_or("perfect");
    let level = level.parse().map_err(|error: String| Problem::new(Kind::BadRequest, error))?;
    let seed = asked.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let opponent = Opponent { moves: names(&app, asked.moves)?, level, seed };
    let reply = app.run_blocking(move |budget| game.reply(&position, &opponent, budget)).await?;
    let certain = asked.seed.is_some() && reply.source == crate::explorer::Source::Database;
    Ok(if certain { Cached(reply).into_response() } else { Fresh(reply).into_response() })
}
