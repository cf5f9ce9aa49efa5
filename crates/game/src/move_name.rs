//! Which legal move a name means.

use std::error::Error;
use std::fmt;

use crate::{Notation, Rules, Situation};

/// Why a text is not a move here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// No legal move has this name.
    Illegal {
        /// The text.
        text: String,
        /// The legal moves.
        legal: Vec<String>,
    },
    /// Several moves have it.
    Ambiguous {
        /// The text.
        text: String,
        /// The candidates.
        legal: Vec<String>,
    },
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| match names {
            [] => "none: the game is over".to_owned(),
            names => names.join(", "),
        };
        match self {
            MoveError::Illegal { text, legal } => {
                write!(f, "{text:?} is not a legal move here; legal are {}", list(legal))
            }
            MoveError::Ambiguous { text, legal } => {
                write!(f, "{text:?} is ambiguous: {}; write more of it", list(legal))
            }
        }
    }
}

impl Error for MoveError {}

/// The place of the legal move with this name, in the order of [`Rules::moves`].
///
/// A name is in the game's notation, with or without captures (`E3x5`, `E3`), or any unambiguous
/// prefix of it (`E`); upper and lower case matter only where they distinguish two moves. Some games
/// have a [second name](Rules::other_name) for each move, which is read in full.
///
/// ```
/// use nutcracker_game::{MoveError, Rules, find_move, toy::Heap};
///
/// let start = Heap.start();
/// assert_eq!(find_move(&Heap, &start, "Take 2"), Ok(1));
/// assert!(matches!(find_move(&Heap, &start, "take"), Err(MoveError::Ambiguous { .. })));
/// assert!(matches!(find_move(&Heap, &start, "9"), Err(MoveError::Illegal { .. })));
/// ```
pub fn find_move<G: Rules>(
    game: &G,
    situation: &Situation<G::Position>,
    text: &str,
) -> Result<usize, MoveError> {
    find_move_in(game, situation, text, Notation::Own)
}

/// The place of the legal move that has this name in a notation. In those of other programs a name
/// is complete, or an unambiguous prefix (`d1` for `d1e2`), and upper and lower case differ.
pub fn find_move_in<G: Rules>(
    game: &G,
    situation: &Situation<G::Position>,
    text: &str,
    notation: Notation,
) -> Result<usize, MoveError> {
    let mut moves = Vec::new();
    if game.outcome(&situation.position).is_none() {
        game.moves(&situation.position, &mut moves);
    }
    let name = |mv: &G::Move| {
        let step = game.play(&situation.position, mv);
        let foreign = game.format_move_in(situation, mv, &step, notation);
        foreign.unwrap_or_else(|| game.format_move(situation, mv, &step))
    };
    let names: Vec<String> = moves.iter().map(name).collect();
    // Marks of annotators are no part of the name.
    let text = text.trim();
    let text =
        Some(text.trim_end_matches(['!', '?'])).filter(|rest| !rest.is_empty()).unwrap_or(text);
    if !names.iter().any(|name| name == text) {
        let is_other =
            |mv: &G::Move| game.other_name(situation, mv).is_some_and(|name| name == text);
        if let Some(place) = moves.iter().position(is_other) {
            return Ok(place);
        }
        let spelled: Vec<usize> =
            (0..moves.len()).filter(|&at| game.is_spelled(situation, &moves[at], text)).collect();
        match spelled[..] {
            [] => {}
            [place] => return Ok(place),
            _ => {
                let legal = spelled.into_iter().map(|at| names[at].clone()).collect();
                return Err(MoveError::Ambiguous { text: shortened(text), legal });
            }
        }
    }
    place_of(text, names, notation)
}

/// The place of the name that a text means.
fn place_of(text: &str, names: Vec<String>, notation: Notation) -> Result<usize, MoveError> {
    let low = text.to_lowercase();
    let own: [&dyn Fn(&str) -> bool; 4] = [
        &|name| name == text,
        &|name| plain(name) == plain(text),
        &|name| name.starts_with(text),
        &|name| plain(name).to_lowercase().starts_with(plain(&low)),
    ];
    let foreign: [&dyn Fn(&str) -> bool; 2] = [own[0], own[2]];
    let ways = if notation == Notation::Own { &own[..] } else { &foreign[..] };
    for way in ways.iter().filter(|_| !text.is_empty()) {
        let found: Vec<usize> = (0..names.len()).filter(|&at| way(&names[at])).collect();
        match found[..] {
            [] => {}
            [one] => return Ok(one),
            _ => {
                let legal = found.iter().map(|&at| names[at].clone()).collect();
                return Err(MoveError::Ambiguous { text: shortened(text), legal });
            }
        }
    }
    Err(MoveError::Illegal { text: shortened(text), legal: names })
}

/// A move's name without captures: `E3x5` as `E3`, `C4x1+` as `C4`.
fn plain(name: &str) -> &str {
    let bare = name.strip_suffix('+').unwrap_or(name);
    let digits = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    match digits.strip_suffix('x') {
        Some(plain) if !plain.is_empty() && digits.len() < bare.len() => plain,
        _ => bare,
    }
}

/// The beginning of a foreign text, long enough to recognise it.
pub fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_without_captures() {
        let cases = [("E3x5", "E3"), ("C4x1+", "C4"), ("C4+", "C4"), ("x3", "x3"), ("ex", "ex")];
        for (name, short) in cases {
            assert_eq!(plain(name), short);
        }
    }
}
