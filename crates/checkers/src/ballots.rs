//! Three-move ballots: openings of three moves, from one of which every game of a match begins.
//!
//! The deck of tournaments is a list that players agreed on. This one is computed: of all lines of
//! three moves, one for each position they lead to in which neither side can win a man by force
//! within [`PLIES`] plies. Captures at the end of these are played out.

use std::collections::HashSet;

use nutcracker_game::{Rules, Situation};

use super::{Checkers, CheckersPosition};

/// Whatever its slices.
const CHECKERS: Checkers = Checkers::BY_PIECES;
/// Moves of an opening.
const MOVES: usize = 3;
/// Plies within which no man may be won. From 4 to 9 the deck is the same.
const PLIES: u32 = 6;

/// The deck: the moves of each opening, in the order of the moves.
pub(super) fn deck() -> Vec<String> {
    let mut lines = different();
    lines.retain(|(_, at)| is_even(&at.position, PLIES));
    lines.into_iter().map(|(names, _)| names.join(" ")).collect()
}

/// A line of moves, and where it leads.
type Line = (Vec<String>, Situation<CheckersPosition>);

/// One line to every position after three moves: the first of them.
fn different() -> Vec<Line> {
    let mut lines = vec![(Vec::new(), CHECKERS.start())];
    for _ in 0..MOVES {
        lines = lines.into_iter().flat_map(|(names, at)| longer(&names, &at)).collect();
    }
    let mut seen = HashSet::new();
    lines.retain(|(_, at)| seen.insert(at.position));
    lines
}

/// A line with every move after it.
fn longer(names: &[String], at: &Situation<CheckersPosition>) -> Vec<Line> {
    let mut moves = Vec::new();
    CHECKERS.moves(&at.position, &mut moves);
    let after = moves.iter().map(|mv| {
        let step = CHECKERS.play(&at.position, mv);
        let name = CHECKERS.format_move(at, mv, &step);
        ([names, &[name]].concat(), CHECKERS.advance(at, &step))
    });
    after.collect()
}

/// How many men the mover is ahead.
fn lead(position: &CheckersPosition) -> i32 {
    position.own().count_ones() as i32 - position.other().count_ones() as i32
}

/// Whether neither side can be ahead by force after these plies.
fn is_even(position: &CheckersPosition, plies: u32) -> bool {
    !reaches(position, plies, 1) && reaches(position, plies, 0)
}

/// Whether the mover can be ahead by this many men after these plies, when no capture is left.
fn reaches(position: &CheckersPosition, plies: u32, goal: i32) -> bool {
    if plies == 0 && !position.can_capture() {
        return lead(position) >= goal;
    }
    let mut found = false;
    position.each_move(|_, effect| {
        found = found || !reaches(&position.after(effect), plies.saturating_sub(1), 1 - goal);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 302 lines lead to 216 positions. Published: 174 ballots without those that lead to the same
    /// position and those that lose at once (R. Newell, The Checker Maven).
    #[test]
    fn a_hundred_and_seventy_four() {
        let positions = different();
        assert_eq!(positions.len(), 216);
        for plies in 4..8 {
            let even = positions.iter().filter(|(_, at)| is_even(&at.position, plies));
            assert_eq!(even.count(), 174, "{plies} plies");
        }
        assert_eq!(deck().len(), 174);
    }

    #[test]
    fn a_man_given_away_is_no_opening_and_an_exchange_is_one() {
        let deck = deck();
        let has = |line: &str| deck.iter().any(|opening| opening == line);
        assert!(has("11-15 23-19 8-11") && has("11-16 23-19 16x23"));
        assert!(!has("9-14 21-17 14x21") && !has("12-16 24-20 16-19"));
    }
}
