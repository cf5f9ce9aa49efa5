//! One type for all games.
//!
//! Everything that is generic over the game is compiled again for every game. That is right for the
//! inner loops of solvers and searches, and wasteful for commands, explorer and book, in which a
//! virtual call does not matter: they use [`AnyGame`], a game whose type is known only at run time.
//! It has all traits of a game; where speed matters, its own methods
//! ([`solve_slices`](AnyGame::solve_slices), [`check_file`](AnyGame::check_file)) run the code that
//! was compiled for the game it was made from.
//!
//! ```
//! use nutcracker_any::AnyGame;
//! use nutcracker_game::{Rules, toy::Heap};
//!
//! let game = AnyGame::new(Heap);
//! let heap = game.parse("7").unwrap();
//! let mut moves = Vec::new();
//! game.moves(&heap.position, &mut moves);
//! assert_eq!(moves.len(), 3);
//! ```

mod erased;
mod game;
mod inline;
mod loops;
mod registry;
mod views;

pub use game::AnyGame;
pub use inline::{Inline, Value};
pub use registry::{GameInfo, OptionInfo, Options, Registered, Registry, UnknownGame};
pub use views::{AnyForward, AnyView};

/// A position of any game: at most 64 bytes.
pub type AnyPosition = Inline<8>;
/// A move of any game: at most 16 bytes.
pub type AnyMove = Inline<2>;
