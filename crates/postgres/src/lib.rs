//! A blocking connection to PostgreSQL that survives restarts of the server.
//!
//! A [`Connection`] can be used from any thread, also from one that belongs to an asynchronous
//! runtime. Every operation is attempted once; if the connection is lost, it fails with
//! [`Error::Lost`], and [`Connection::retry`] connects again and repeats. So the caller
//! decides what can be repeated, and restores what belongs to a session: locks, snapshots.
//!
//! Connections are not encrypted: use a local socket, a private network or a tunnel.

mod address;
mod connection;
mod error;
#[cfg(feature = "testing")]
pub mod testing;
mod wait;

pub use address::Address;
pub use connection::{Connection, Transaction, column};
pub use error::Error;
pub use tokio_postgres::Row;
pub use tokio_postgres::types::ToSql;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
