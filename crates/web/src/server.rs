//! Connections: accepted, timed, counted, and ended in an orderly way.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::Layer;

use crate::app::App;
use crate::peer::Peer;
use crate::routes::router;
use crate::stall::Stall;

/// Delay after the system could not accept a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);
/// Interval between two searches for idle books.
const IDLE_CHECK: Duration = Duration::from_secs(1);
/// Bytes of a request's head, and of what is read ahead. An address may have half of it.
const BUFFER: usize = 128 << 10;

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
}

impl Server {
    /// Begins to listen.
    pub async fn bind(app: Arc<App>) -> io::Result<Self> {
        let listener = TcpListener::bind(app.config.listen).await?;
        Ok(Server { listener, app })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` is ready; then takes no more connections, ends streams, and lets others
    /// finish for a while.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Server { listener, app } = self;
        let limits = app.config.limits;
        let service = router(&app);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(limits.client_time).max_buf_size(BUFFER);
        let places = Arc::new(Semaphore::new(limits.connections));
        let graceful = GracefulShutdown::new();
        let idle_books = tokio::spawn(close_idle(Arc::clone(&app)));
        let mut stop = pin!(stop);
        loop {
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (listener.accept().await, place)
            };
            let (accepted, place) = tokio::select! {
                next = next => next,
                () = &mut stop => break,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!("cannot accept a connection: {error}");
                    tokio::time::sleep(ACCEPT_RETRY).await;
                    continue;
                }
            };
            // Responses are small and written whole: Nagle's algorithm would only delay them.
            let _ = stream.set_nodelay(true);
            let stream = TokioIo::new(Stall::new(stream, limits.client_time));
            let service = Extension(Peer(peer.ip().to_canonical())).layer(service.clone());
            let service = TowerToHyperService::new(service);
            let connection = graceful.watch(http.serve_connection(stream, service));
            let app = Arc::clone(&app);
            app.metrics.connections.fetch_add(1, Relaxed);
            tokio::spawn(async move {
                // Connection errors are the client's; nothing to do.
                if let Err(error) = connection.await {
                    tracing::debug!("connection ended: {error}");
                }
                app.metrics.connections.fetch_sub(1, Relaxed);
                drop(place);
            });
        }
        drop(listener);
        idle_books.abort();
        app.close();
        let _ = tokio::time::timeout(limits.shutdown_time, graceful.shutdown()).await;
    }
}

/// Closes idle books at intervals.
async fn close_idle(app: Arc<App>) {
    loop {
        tokio::time::sleep(IDLE_CHECK).await;
        let app = Arc::clone(&app);
        // Closing a file may write.
        let _ = tokio::task::spawn_blocking(move || app.release_books()).await;
    }
}
