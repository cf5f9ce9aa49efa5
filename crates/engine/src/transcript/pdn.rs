//! Games in PDN, the portable draughts notation: moves between numbered squares. Its results are those
//! of White and Black, and in English checkers Black begins.

use nutcracker_game::{Rules, Side};

use crate::record::{Outcome, Record};

/// `11-15`, `22x15` or `1x10x19`, with marks after it; some write captures with a colon or a star.
pub(crate) fn is_move(word: &str) -> bool {
    let word = word.trim_end_matches(['!', '?']);
    let is_square = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse().is_ok_and(|square: u8| (1..=50).contains(&square))
    };
    let squares: Vec<&str> = word.split(CAPTURES).flat_map(|part| part.split('-')).collect();
    squares.len() > 1 && squares.into_iter().all(is_square)
}

/// A result by points, two for a win.
pub(crate) fn is_result(word: &str) -> bool {
    matches!(word, "2-0" | "0-2" | "1-1" | "0-0")
}

/// What stands between the squares of a capture.
const CAPTURES: [char; 3] = ['x', ':', '*'];

/// A move as our names have it.
pub(super) fn name(word: &str) -> String {
    word.trim_end_matches(['!', '?']).replace(CAPTURES, "x")
}

/// Whether a record may have moves in PDN; where it has moves, all of them are.
pub(crate) fn is_game(record: &Record) -> bool {
    record.tag("Game").is_none()
        && record.tag("Variant").is_none()
        && record.moves.iter().all(|mv| is_move(&mv.name))
}

/// The name of the game: English checkers is type 21, and what has no type.
pub(super) fn game(record: &Record) -> Option<String> {
    let is_english = match record.tag("GameType") {
        // Whatever its moves are: a wrong one is named when they are played.
        Some(kind) => kind.split(',').next().is_some_and(|number| number.trim() == "21"),
        None => !record.moves.is_empty() && is_game(record),
    };
    is_english.then(|| "checkers".to_owned())
}

/// Whether White is the second player of a game in PDN.
pub(super) fn white_is_second<G: Rules>(game: &G, record: &Record) -> bool {
    is_game(record) && game.side_name(Side::Second) == "White"
}

/// The result, where that of White stands first.
pub(super) fn turned(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::First => Outcome::Second,
        Outcome::Second => Outcome::First,
        Outcome::Draw | Outcome::Open => outcome,
    }
}
