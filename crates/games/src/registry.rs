//! The list of all games: the only place where a name becomes a type.

use nutcracker_any::{GameInfo, Registry};
use nutcracker_sowing as sowing;

use crate::files;

/// All games.
///
/// ```
/// use nutcracker_any::Options;
/// use nutcracker_game::{Numbering, SliceId};
/// use nutcracker_games::GAMES;
///
/// let mut options = Options::new();
/// options.set("pits", "3");
/// let awari = GAMES.game("awari", &options).unwrap();
/// assert_eq!(awari.slice_len(SliceId(2)), 21);
/// assert!(GAMES.game("go", &Options::new()).is_err());
/// ```
pub static GAMES: Registry = Registry {
    games: &[
        &nutcracker_awari::GAME,
        &sowing::BESTEMSHE,
        &sowing::BOHNENSPIEL,
        &nutcracker_checkers::GAME,
        &nutcracker_chess::GAME,
        &nutcracker_connect_four::GAME,
        &nutcracker_dobutsu::GAME,
        &GameInfo::of::<crate::fox_and_hounds::FoxAndHounds>("fox-and-hounds"),
        &nutcracker_kalah::GAME,
        &GameInfo::of::<crate::krk::Krk>("krk"),
        &sowing::MANGALA,
        &nutcracker_morris::GAME,
        &GameInfo::of::<crate::othello::Othello>("othello"),
        &sowing::OWARE,
        &sowing::SOWING,
        &GameInfo::of::<crate::subtraction::Subtraction>("subtraction"),
        &GameInfo::of::<crate::tic_tac_toe::TicTacToe>("tic-tac-toe"),
        &sowing::VAI_LUNG_THLAN,
        &GameInfo::of::<crate::wythoff::Wythoff>("wythoff"),
    ],
    read: files::read,
    rules: include_str!("../../../docs/rules.md"),
};
