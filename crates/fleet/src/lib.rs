//! Many workers that grow one book.
//!
//! The server keeps the book. It hands out leaves as jobs, with leases in a [`table`] that outlives
//! it, and applies what comes back; workers on other machines evaluate positions and only ever send
//! requests. What a worker says is believed as far as the server can check it ([`trust`]), and who
//! may say something is decided by [`tokens`].
//!
//! | part | for what |
//! |---|---|
//! | [`protocol`] | the messages, in JSON |
//! | [`dispatcher`] | the server side, without HTTP: [`Desk`](dispatcher::Desk) and [`Keeper`](dispatcher::Keeper) |
//! | [`worker`] | the client, with HTTP |

pub mod dispatcher;
pub mod protocol;
pub mod table;
pub mod tokens;
pub mod trust;
pub mod worker;
