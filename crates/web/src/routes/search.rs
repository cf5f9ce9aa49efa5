//! Searches as streams of reports, and replies of the opponent.

use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use nutcracker_book::play::{DrawAs, Style};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

use super::probe::{find, name_of, names};
use crate::app::{App, StopOnDrop};
use crate::explorer::{Budget, ExplorerError, Opponent, Reply, ReplySource, Searched};
use crate::openapi::Problems;
use crate::peer::Peer;
use crate::problem::{Kind, Problem};
use crate::queue::Ticket;
use crate::reply::{Cached, Fresh, Params};

/// Reports queued for a slow client; when the queue is full the search blocks.
const REPORT_QUEUE: usize = 16;
/// Interval between two looks of a waiting search whether the server stops.
const CLOSING_CHECK: Duration = Duration::from_millis(250);

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
    #[param(max_length = 200)]
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
    let mut ticket = app.line_up(client)?;
    let (sender, receiver) = mpsc::channel(REPORT_QUEUE);
    let stop = Arc::new(AtomicBool::new(false));
    let events = Events {
        receiver,
        _stop: StopOnDrop(Arc::clone(&stop)),
        app: Arc::clone(&app),
        ended: false,
    };
    tokio::spawn(async move {
        if !tell_places(&app, &mut ticket, &sender).await {
            return;
        }
        tokio::task::spawn_blocking(move || {
            let _slot = ticket;
            let line: Vec<&str> = moves.iter().map(String::as_str).collect();
            let budget = Budget::new(time.min(limit), stop);
            let mut report = |found: Searched| {
                // The client is gone or the server stops: the search ends when it next checks the
                // flag.
                if app.is_closing() || sender.blocking_send(SearchEvent::Report(found)).is_err() {
                    budget.flag().store(true, Ordering::Relaxed);
                }
            };
            let last = match game.search(&position, &line, params.depth, &budget, &mut report) {
                Ok(()) => SearchEvent::Done,
                Err(error) => {
                    let problem = Problem::from(error);
                    problem.log("search");
                    SearchEvent::Problem(problem)
                }
            };
            let _ = sender.blocking_send(last);
        });
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// Waits for a slot and tells the client its place in the line; false where the client is gone or the
/// server stops.
async fn tell_places(app: &App, ticket: &mut Ticket, sender: &mpsc::Sender<SearchEvent>) -> bool {
    loop {
        let place = ticket.place();
        if place == 0 {
            return true;
        }
        if sender.send(SearchEvent::Queued(Queued { place })).await.is_err() {
            return false;
        }
        loop {
            tokio::select! {
                () = ticket.moved() => break,
                () = sender.closed() => return false,
                () = tokio::time::sleep(CLOSING_CHECK) => {
                    if app.is_closing() {
                        return false;
                    }
                }
            }
        }
    }
}

fn owned_names(app: &App, moves: Option<String>) -> Result<Vec<String>, Problem> {
    let moves = moves.unwrap_or_default();
    Ok(names(app, &moves)?.into_iter().map(str::to_owned).collect())
}

/// A search that waits for a slot.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Queued {
    /// Its place in the line; 1 is next.
    #[schema(example = 1, minimum = 1)]
    place: usize,
}

enum SearchEvent {
    Queued(Queued),
    Report(Searched),
    Problem(Problem),
    Done,
}

/// The events of a search; the search ends when they are dropped.
struct Events {
    receiver: mpsc::Receiver<SearchEvent>,
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
        this.receiver.poll_recv(context).map(|event| {
            let event = match event? {
                SearchEvent::Queued(queued) => Event::default().event("queued").json_data(queued),
                SearchEvent::Report(found) => Event::default().event("report").json_data(&found),
                SearchEvent::Problem(problem) => {
                    this.ended = true;
                    Event::default().event("problem").json_data(problem.body())
                }
                SearchEvent::Done => {
                    this.ended = true;
                    Ok(Event::default().event("done").data("{}"))
                }
            };
            Some(event)
        })
    }
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
    #[param(max_length = 200)]
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
