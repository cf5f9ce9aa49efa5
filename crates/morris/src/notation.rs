//! Positions and moves as players write them.

use std::fmt::Write;

use nutcracker_game::{ParseError, Side, Situation};

use super::Morris;
use super::board::each;
use super::position::{MorrisMove, MorrisPosition};
use super::slices::FEWEST;

const EXAMPLE: &str = "a position is written like W:Wd2,d3:Ba4:H7,8: the side to move, then White's \
                       and Black's points, then the stones that each has still to place";

/// As White sees it.
fn seen_by_white(situation: &Situation<MorrisPosition>) -> MorrisPosition {
    match situation.mover {
        Side::First => situation.position,
        Side::Second => situation.position.turned(),
    }
}

pub(super) fn parse(game: &Morris, text: &str) -> Result<Situation<MorrisPosition>, ParseError> {
    let fail = |message: String| Err(ParseError::new(message));
    let mut parts = text.trim().split(':').map(str::trim);
    let mover = match parts.next() {
        Some("W") => Side::First,
        Some("B") => Side::Second,
        _ => return fail(format!("W or B is to move; {EXAMPLE}")),
    };
    let mut seen = MorrisPosition::default();
    let mut given = [false; 3];
    for part in parts {
        let (kind, rest) = match part.chars().next() {
            Some('W') => (0, &part[1..]),
            Some('B') => (1, &part[1..]),
            Some('H') => (2, &part[1..]),
            _ => return fail(EXAMPLE.to_owned()),
        };
        if std::mem::replace(&mut given[kind], true) {
            return fail(format!("{} stands twice; {EXAMPLE}", &part[..1]));
        }
        let words = rest.split(',').map(str::trim).filter(|word| !word.is_empty());
        if kind == 2 {
            let hands: Option<Vec<u8>> = words.map(|word| word.parse().ok()).collect();
            let Some(&[white, black]) = hands.as_deref() else {
                return fail(format!(
                    "H is followed by White's and Black's stones to place, such as H7,8, not {rest:?}"
                ));
            };
            (seen.hand, seen.other_hand) = (white, black);
            continue;
        }
        for word in words {
            let Some(point) = game.board.named(word) else {
                return fail(format!("this board has no point {word:?}"));
            };
            if (seen.own | seen.other) >> point & 1 != 0 {
                return fail(format!("there are two stones on {word}"));
            }
            if kind == 0 {
                seen.own |= 1 << point;
            } else {
                seen.other |= 1 << point;
            }
        }
    }
    if !given[0] || !given[1] {
        return fail(EXAMPLE.to_owned());
    }
    let position = if mover == Side::First { seen } else { seen.turned() };
    check(game, &seen, &position)?;
    Ok(Situation::new(position, mover))
}

/// Whether stones on the board and in hand can belong to a game.
fn check(
    game: &Morris,
    seen: &MorrisPosition,
    position: &MorrisPosition,
) -> Result<(), ParseError> {
    let fail = |message: String| Err(ParseError::new(message));
    for (name, stones, hand) in
        [("White", seen.own, seen.hand), ("Black", seen.other, seen.other_hand)]
    {
        if stones.count_ones() + u32::from(hand) > u32::from(game.men) {
            return fail(format!("{name} has more than {} men", game.men));
        }
    }
    // Either colour may have begun.
    if !matches!(position.hand.checked_sub(position.other_hand), Some(0 | 1)) {
        return fail(
            "stones are placed in turn: the side to move has as many in hand as the other, or one \
             more"
                .to_owned(),
        );
    }
    if position.other_men() < FEWEST {
        return fail("the side that is not to move has fewer than three men".to_owned());
    }
    let hands = position.hands();
    let [own, other] = [position.own, position.other].map(|set| set.count_ones() as u8);
    if hands > 0 && position.men() >= FEWEST && !game.slices.is_possible(hands, own, other) {
        return fail(
            "the stones missing cannot have been taken while stones were placed".to_owned(),
        );
    }
    Ok(())
}

pub(super) fn format(game: &Morris, situation: &Situation<MorrisPosition>) -> String {
    let seen = seen_by_white(situation);
    let list = |stones: u32| {
        let mut names: Vec<String> = each(stones).map(|point| game.board.name(point)).collect();
        names.sort_unstable();
        names.join(",")
    };
    let mover = if situation.mover == Side::First { 'W' } else { 'B' };
    let mut text = format!("{mover}:W{}:B{}", list(seen.own), list(seen.other));
    if seen.hands() > 0 {
        let _ = write!(text, ":H{},{}", seen.hand, seen.other_hand);
    }
    text
}

pub(super) fn format_move(game: &Morris, mv: &MorrisMove) -> String {
    let name = |point: u8| game.board.name(point.into());
    let mut text = mv.from.map_or_else(String::new, |from| name(from) + "-");
    text += &name(mv.to);
    if let Some(take) = mv.take {
        text.push('x');
        text += &name(take);
    }
    text
}

pub(super) fn draw(game: &Morris, situation: &Situation<MorrisPosition>) -> String {
    let (seen, board) = (seen_by_white(situation), game.board);
    let size = board.size() as usize;
    // Rows from the top, with a column between two points for the line that joins them.
    let mut canvas = vec![vec![' '; 2 * size - 1]; size];
    let at = |point: u32| {
        let (column, row) = board.place(point);
        (size - 1 - row as usize, 2 * column as usize)
    };
    for point in 0..board.points {
        let (row, column) = at(point);
        for neighbour in each(board.neighbours[point as usize]) {
            let (other_row, other_column) = at(neighbour);
            if other_row == row {
                canvas[row][column.min(other_column)..column.max(other_column)].fill('-');
            } else if other_column == column {
                for line in &mut canvas[row.min(other_row)..row.max(other_row)] {
                    line[column] = '|';
                }
            }
        }
    }
    for point in 0..board.points {
        let (row, column) = at(point);
        let stones = [(seen.own, 'W'), (seen.other, 'B')];
        let stone = stones.iter().find(|(stones, _)| stones >> point & 1 != 0);
        canvas[row][column] = stone.map_or('.', |&(_, letter)| letter);
    }
    let mut text = String::new();
    for (row, line) in canvas.iter().enumerate() {
        let _ = writeln!(text, "{}  {}", size - row, line.iter().collect::<String>().trim_end());
    }
    let columns: Vec<String> =
        (0..size as u8).map(|column| char::from(b'a' + column).to_string()).collect();
    let _ = writeln!(text, "   {}", columns.join(" "));
    if board.has_diagonals() {
        text += "Corners are joined by diagonals\n";
    }
    if seen.hands() > 0 {
        let _ = writeln!(text, "To place: White {}, Black {}", seen.hand, seen.other_hand);
    }
    let name = if situation.mover == Side::First { "White" } else { "Black" };
    text + name + " to move\n"
}
