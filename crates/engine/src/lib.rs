//! The engine protocol: our player behind a pair of pipes, other programs as players; and the
//! infrastructure of games between them: clocks, time controls, records and results of matches.
//!
//! - [`Player`]: the interface of players; a [`Request`] asks for a move within [`MoveLimits`];
//! - [`grammar`]: the lines of the protocol;
//! - [`serve`]: any [`Player`] as an engine on a reader and a writer;
//! - [`Searcher`]: our search, perfect where databases reach, as a [`Player`];
//! - [`BookPlayer`]: any player with a book;
//! - [`External`]: any program that speaks the protocol as a [`Player`];
//! - [`ExternalExpert`]: such a program as an expert of a book, [`ExpertSpec`]: experts described in
//!   a line;
//! - [`parse_time`]: how a time is written;
//! - [`TimeControl`], [`Clock`], [`Allotment`], [`Pace`]: the time granted, left, planned, and the
//!   end of a search;
//! - [`record`]: games as text; [`Transcript`]: games as text of any program;
//! - [`Dialect`]: the protocol as other programs speak it;
//! - [`Thinker`]: a player that can think in the opponent's time;
//! - [`Contest`], [`level_openings`]: games between two players;
//! - [`Analyser`], [`Analysis`], [`Annotated`]: which moves lost a game;
//! - [`Tally`]: Elo with its interval.
//!
//! The protocol is described in `docs/protocol.md`.

mod analysis;
mod annotated;
mod apparent;
mod book_player;
mod client;
mod clock;
mod contest;
mod control;
mod dialect;
mod expert;
mod expert_spec;
pub mod grammar;
mod learner;
mod openings;
mod option;
mod pace;
mod played;
mod player;
mod process;
mod ratings;
pub mod record;
mod request;
mod searcher;
mod server;
mod strategist;
mod tally;
mod thinker;
mod time;
mod transcript;
mod wire;

pub use analysis::{Analyser, Analysis, Decision, EvaluatedMove, Loss};
pub use annotated::Annotated;
pub use apparent::Apparent;
pub use book_player::{BookOpener, BookPlayer, SharedBook};
pub use client::{External, Timeouts};
pub use clock::{Allotment, Clock, ClockState, OVERHEAD, TimeLost};
pub use contest::{Contest, Finished, Seat};
pub use control::{ControlError, GameLimit, Reserve, TimeControl};
pub use dialect::Dialect;
pub use expert::ExternalExpert;
pub use expert_spec::{BoxedExpert, ExpertSpec, Experts, experts};
pub use learner::{Learner, LearningPlayer};
pub use openings::{level_openings, listed_openings, slice_openings};
pub use option::{OptionKind, PlayerOption};
pub use pace::Pace;
pub use played::{Ending, Played};
pub use player::{Blind, Player, PlayerError, Thought};
pub use ratings::ratings;
pub use request::{AnswerWhen, MoveLimits, Progress, Request};
pub use searcher::{Searcher, Settings};
pub use server::{Identity, serve};
pub use strategist::Strategist;
pub use tally::{Elo, Tally};
pub use thinker::Thinker;
pub use time::{TimeError, parse_time};
pub use transcript::{Transcript, write_game};
