//! Fits the weights of a game's evaluation to positions with known values.
//!
//! - [`from_databases`], [`from_games`], [`from_results`]: such positions, as [`Known`];
//! - [`fit`]: weights fitted to them, and how good they are on positions held out;
//! - [`regression`]: least squares and Kendall's tau, for any features.
//!
//! ```
//! use nutcracker_fit::{FitOptions, Goal, SelfPlay, fit, from_games};
//! use nutcracker_game::SliceId;
//! use nutcracker_games::kalah::Kalah;
//!
//! let kalah = Kalah::new(3, 2, false)?;
//! let play = SelfPlay { games: 50, solve_at: 6, threads: 1, seed: 1 };
//! let known = from_games(&kalah, &play, |_| ())?;
//! let slices = SliceId(1)..=SliceId(12);
//! let fit = fit(&kalah, &known, &FitOptions { slices, goal: Goal::Squares, seed: 1 })?;
//! assert_eq!(fit.fitted.len(), fit.shipped.len());
//! assert!(fit.held_out.fitted.rmse > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod fit;
mod known;
pub mod regression;

pub use error::FitError;
pub use fit::{Comparison, Fit, FitOptions, Goal, fit};
pub use known::{Known, SelfPlay, from_databases, from_games, from_results};
