//! Work that a client watches, as server-sent events.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde::Serialize;
use tokio::sync::mpsc;
use utoipa::ToSchema;

use crate::app::{App, StopOnDrop};
use crate::explorer::{Budget, ExplorerError};
use crate::problem::Problem;
use crate::queue::Ticket;

/// Events queued for a slow client; when the queue is full the work blocks.
const EVENT_QUEUE: usize = 16;
/// Interval between two looks of waiting work whether the server stops.
const CLOSING_CHECK: Duration = Duration::from_millis(250);

/// A search that waits for a slot.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Queued {
    /// Its place in the line; 1 is next.
    #[schema(example = 1, minimum = 1)]
    place: usize,
}

/// An event, and whether it is the last one.
type Sent = (Result<Event, axum::Error>, bool);

/// Where work sends its events.
pub struct Watcher {
    sender: mpsc::Sender<Sent>,
    app: Arc<App>,
    stop: Arc<AtomicBool>,
}

impl Watcher {
    /// Sends an event. Where the client is gone or the server stops, the work ends when it next
    /// checks the flag of its budget.
    pub fn send(&self, name: &'static str, data: &impl Serialize) {
        let event = Event::default().event(name).json_data(data);
        if self.app.is_closing() || self.sender.blocking_send((event, false)).is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs work when it has a slot, in at most this time, and sends what it finds; the last event is
/// `done` or `problem`. `during` names the work in the log.
pub fn watched(
    app: Arc<App>,
    mut ticket: Ticket,
    time: Duration,
    during: &'static str,
    work: impl FnOnce(&Budget, &Watcher) -> Result<(), ExplorerError> + Send + 'static,
) -> Response {
    let (sender, receiver) = mpsc::channel(EVENT_QUEUE);
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
            let budget = Budget::new(time, Arc::clone(&stop));
            let watcher = Watcher { sender, app, stop };
            let last = match work(&budget, &watcher) {
                Ok(()) => Ok(Event::default().event("done").data("{}")),
                Err(error) => {
                    let problem = Problem::from(error);
                    problem.log(during);
                    Event::default().event("problem").json_data(problem.body())
                }
            };
            let _ = watcher.sender.blocking_send((last, true));
        });
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// Waits for a slot and tells the client its place in the line; false where the client is gone or the
/// server stops.
async fn tell_places(app: &App, ticket: &mut Ticket, sender: &mpsc::Sender<Sent>) -> bool {
    loop {
        let place = ticket.place();
        if place == 0 {
            return true;
        }
        let event = Event::default().event("queued").json_data(Queued { place });
        if sender.send((event, false)).await.is_err() {
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

/// The events of some work, which ends when they are dropped.
struct Events {
    receiver: mpsc::Receiver<Sent>,
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
        this.receiver.poll_recv(context).map(|sent| {
            let (event, last) = sent?;
            this.ended = last;
            Some(event)
        })
    }
}
