//! The explorer: every position's exact value, over HTTP and in the browser.
//!
//! One server answers for all games of the registry from the databases of a directory. The
//! interface is under `/api/v1` and describes itself at `/api/v1/openapi.json`; the page is inside
//! the program.
//!
//! ```
//! use nutcracker_web::{App, Config, Server};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let config = Config::new("127.0.0.1:0".parse()?, nutcracker_games::GAMES, dir.path());
//! let app = App::new(config)?;
//! tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
//!     let server = Server::bind(app).await?;
//!     assert!(server.address()?.ip().is_loopback());
//!     server.run(async {}).await;
//!     std::io::Result::Ok(())
//! })?;
//! # Ok(())
//! # }
//! ```

pub mod app;
mod assets;
pub mod config;
pub mod explorer;
pub mod fleet;
pub mod job;
mod lru;
pub mod metrics;
mod openapi;
mod origin;
mod peer;
pub mod problem;
pub mod queue;
mod reply;
pub mod routes;
mod server;
mod stall;

pub use app::App;
pub use config::{Config, FileGame, Limits};
pub use fleet::FleetConfig;
pub use routes::openapi;
pub use server::Server;
