//! Notation of boards of two halves, and the results of their scores.

use nutcracker_game::{ParseError, Score, Side, Situation};

use super::{Board, Half, foreign};

/// Formats a situation as `A,B,C/a,b,c S 4-2`: South's pits, North's pits, the side to move, and
/// the captures of South and North where they are known.
pub fn format(pits: usize, situation: &Situation<Board>) -> String {
    let Board { own, other } = situation.position;
    let (south, north, side) = match situation.mover {
        Side::First => (own, other, 'S'),
        Side::Second => (other, own, 'N'),
    };
    let list =
        |half: &Half| half[..pits].iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let captured = situation.banked.map(|[south, north]| format!(" {south}-{north}"));
    format!("{}/{} {side}{}", list(&south), list(&north), captured.unwrap_or_default())
}

/// Parses the output of [`format()`]; side and captures may be omitted, South then moves. Boards in
/// the notations of Aualé, `PlayStrategy` and `OpenSpiel` are read too.
///
/// `all` is the number of stones in the game and `things` their name.
pub fn parse(
    pits: usize,
    all: usize,
    things: &str,
    text: &str,
) -> Result<Situation<Board>, ParseError> {
    if let Some(situation) = foreign::parse(pits, all, things, text) {
        return with_at_most(all, things, situation?);
    }
    let mut words = text.split_whitespace();
    let board = words.next().ok_or_else(|| ParseError::new("the position is empty"))?;
    let halves: Vec<&str> = board.split('/').collect();
    let &[south, north] = halves.as_slice() else {
        return Err(ParseError::new(format!(
            "a position has South's and North's pits with one '/' between, not {board:?}"
        )));
    };
    let south = parse_half(pits, things, "South", south)?;
    let north = parse_half(pits, things, "North", north)?;

    let mut word = words.next();
    let mover = match word {
        Some("S" | "s") => Side::First,
        Some("N" | "n") => Side::Second,
        Some(other) if !other.contains('-') => {
            return Err(ParseError::new(format!("the side to move is S or N, not {other:?}")));
        }
        _ => Side::First,
    };
    if word.is_some_and(|word| !word.contains('-')) {
        word = words.next();
    }
    let banked = word.map(|word| parse_captured(things, word)).transpose()?;
    if let Some(extra) = words.next() {
        return Err(ParseError::new(format!("{extra:?} is more than a position says")));
    }

    let position = match mover {
        Side::First => Board { own: south, other: north },
        Side::Second => Board { own: north, other: south },
    };
    with_at_most(all, things, Situation { position, mover, banked, quiet: 0 })
}

/// The situation, unless it has more stones than the game.
fn with_at_most(
    all: usize,
    things: &str,
    situation: Situation<Board>,
) -> Result<Situation<Board>, ParseError> {
    let Situation { position, banked, .. } = &situation;
    let on_board: usize =
        position.own.iter().chain(&position.other).copied().map(usize::from).sum();
    let captured = banked.map_or(0, |[south, north]| usize::from(south) + usize::from(north));
    if on_board + captured > all {
        return Err(ParseError::new(format!(
            "there are {} {things} on the board and captured, and the game has {all}",
            on_board + captured
        )));
    }
    Ok(situation)
}

fn parse_half(pits: usize, things: &str, who: &str, text: &str) -> Result<Half, ParseError> {
    let numbers: Vec<&str> = text.split(',').collect();
    if numbers.len() != pits {
        return Err(ParseError::new(format!(
            "{who} has {pits} pits, separated by commas, and {text:?} has {}",
            numbers.len()
        )));
    }
    let mut half = Half::default();
    for (pit, number) in half.iter_mut().zip(numbers) {
        *pit = parse_count(things, number)?;
    }
    Ok(half)
}

fn parse_captured(things: &str, text: &str) -> Result<[u16; 2], ParseError> {
    let counts: Vec<&str> = text.split('-').collect();
    let &[south, north] = counts.as_slice() else {
        return Err(ParseError::new(format!(
            "captured {things} are written like 20-10, South's first, not {text:?}"
        )));
    };
    Ok([u16::from(parse_count(things, south)?), u16::from(parse_count(things, north)?)])
}

/// A number of stones: at most three digits, so that no sum of them overflows.
pub(super) fn parse_count(things: &str, text: &str) -> Result<u8, ParseError> {
    let digits = text.trim();
    if digits.starts_with('-') {
        return Err(ParseError::new(format!("{digits:?} is negative: no pit holds that")));
    }
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseError::new(format!("{digits:?} is not a number of {things}")));
    }
    digits.parse().map_err(|_| ParseError::new(format!("{digits} {things} are too many")))
}

/// The board for a terminal: North's pits above South's with the letters of the moves, the captures
/// where they are known, and the side to move.
///
/// ```
/// use nutcracker_boards::halves::{draw, parse};
/// let at = parse(3, 18, "seeds", "0,12,1/2,0,0 S 2-1").unwrap();
/// assert_eq!(draw(3, &at), "   c  b  a
///    0  0  2   North 1
///    0 12  1   South 2, to move
///    A  B  C
/// ");
/// ```
pub fn draw(pits: usize, situation: &Situation<Board>) -> String {
    let Board { own, other } = situation.position;
    let (south, north) = match situation.mover {
        Side::First => (own, other),
        Side::Second => (other, own),
    };
    let side = |side: Side, name: &str| {
        let captured = situation.banked.map(|banked| format!(" {}", banked[side as usize]));
        let turn = if situation.mover == side { ", to move" } else { "" };
        format!("   {name}{}{turn}", captured.unwrap_or_default())
    };
    let row = |cells: Vec<String>, end: &str| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>2}")).collect();
        format!("  {}{end}\n", cells.join(" "))
    };
    let letters = |first: u8| (first..).take(pits).map(|letter| char::from(letter).to_string());
    let stones = |half: &Half| half[..pits].iter().map(ToString::to_string).collect::<Vec<_>>();
    let backwards = |cells: Vec<String>| cells.into_iter().rev().collect::<Vec<_>>();
    row(backwards(letters(b'a').collect()), "")
        + &row(backwards(stones(&north)), &side(Side::Second, "North"))
        + &row(stones(&south), &side(Side::First, "South"))
        + &row(letters(b'A').collect(), "")
}

/// The names of the two players.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "south",
        Side::Second => "north",
    }
}

/// The final points of South and North if the mover gets `score` more of the stones on the board;
/// an odd number of stones that is divided equally gives each half a stone.
pub fn final_result(situation: &Situation<Board>, score: Score) -> Option<[f64; 2]> {
    let [mine, theirs] = situation.banked_by_mover()?;
    let on_board = situation.position.stones() as f64;
    let mover = f64::from(mine) + f64::midpoint(on_board, f64::from(score));
    let other = f64::from(theirs) + f64::midpoint(on_board, -f64::from(score));
    Some(match situation.mover {
        Side::First => [mover, other],
        Side::Second => [other, mover],
    })
}
