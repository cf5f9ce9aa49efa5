//! Tests of the server in the process and over real connections; one program, linked once.

#[path = "api.rs"]
mod api;
#[path = "charts.rs"]
mod charts;
#[path = "chess.rs"]
mod chess;
#[path = "common.rs"]
mod common;
#[path = "connections.rs"]
mod connections;
#[path = "endings.rs"]
mod endings;
#[path = "fleet.rs"]
mod fleet;
#[path = "generated.rs"]
mod generated;
#[path = "history.rs"]
mod history;
#[path = "origin.rs"]
mod origin;
#[path = "replies.rs"]
mod replies;
#[path = "review.rs"]
mod review;
