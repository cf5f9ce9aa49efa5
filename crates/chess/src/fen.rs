//! Positions as FEN, the notation of chess programs.
//!
//! The board from rank 8 down, the side to move, rights to castle, the square of a capture in
//! passing; then two numbers that count moves. No value depends on them here; the first, the plies
//! since a capture or a move of a pawn, is kept for players that heed a rule of fifty moves.

use std::fmt::Write;

use nutcracker_game::{ParseError, Side, Situation, shortened};

use crate::attacks::{FLIP, king, squares};
use crate::board::{ChessPosition, ENDS, LONG, Role, SHORT};

/// The letters of rights to castle, in the order of their bits as White sees them.
const RIGHTS: [(char, u8, u8); 4] =
    [('K', SHORT, 7), ('Q', LONG, 0), ('k', SHORT << 2, 63), ('q', LONG << 2, 56)];

/// The name of a square.
pub(crate) fn name(square: u8) -> String {
    format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1)
}

fn square_named(text: &str) -> Option<u8> {
    let &[file, rank] = text.as_bytes() else { return None };
    let fits = (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
    fits.then(|| (rank - b'1') * 8 + file - b'a')
}

/// The position as White sees it: White's men are the own ones.
pub(crate) fn seen_by_white(situation: &Situation<ChessPosition>) -> ChessPosition {
    match situation.mover {
        Side::First => situation.position,
        Side::Second => situation.position.turned(),
    }
}

fn wrong(message: impl Into<String>) -> ParseError {
    ParseError::new(message)
}

fn impossible(message: impl Into<String>) -> ParseError {
    ParseError::impossible(message)
}

/// Reads a position.
pub(crate) fn parse(text: &str) -> Result<Situation<ChessPosition>, ParseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (board, mover, castling, passed, counters) = match words[..] {
        [board, mover] => (board, mover, "-", "-", &[][..]),
        [board, mover, castling] => (board, mover, castling, "-", &[][..]),
        [board, mover, castling, passed, ..] => (board, mover, castling, passed, &words[4..]),
        _ => {
            return Err(wrong(
                "a position is a board, the side to move, castling rights and the square of a \
                 capture in passing",
            ));
        }
    };
    let quiet = read_counters(counters)?;
    let mover = match mover {
        "w" => Side::First,
        "b" => Side::Second,
        _ => return Err(wrong(format!("w or b is to move, not {mover:?}"))),
    };
    let mut position = read_board(board)?;
    check_men(&position)?;
    position.set_castling(read_castling(castling, &position)?);
    if kings_touch(&position) {
        return Err(impossible("the kings stand next to each other"));
    }
    if mover == Side::Second {
        position = position.turned();
    }
    if position.is_exposed() {
        return Err(impossible("the side that is not to move is in check"));
    }
    if passed != "-" {
        position.set_passed(read_passed(passed, mover, &position)?);
    }
    Ok(Situation { quiet, ..Situation::new(position, mover) })
}

/// The plies since a zeroing move, which the first of two numbers after the position counts.
fn read_counters(words: &[&str]) -> Result<u16, ParseError> {
    let read = match words {
        [] => Some(0),
        [quiet, number] => number.parse::<u16>().and_then(|_| quiet.parse()).ok(),
        _ => None,
    };
    read.ok_or_else(|| {
        wrong(format!(
            "the move counters at the end of a position are two numbers up to {}, as in 0 1, or left \
             out, not {:?}",
            u16::MAX,
            shortened(&words.join(" ")),
        ))
    })
}

/// Whether the kings, of which each side has one, are on neighbouring squares.
fn kings_touch(position: &ChessPosition) -> bool {
    let kings = position.of(Role::King);
    let own = (kings & position.own()).trailing_zeros() as u8;
    king(own) & kings & position.other() != 0
}

/// White's men are the own ones.
fn read_board(board: &str) -> Result<ChessPosition, ParseError> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return Err(wrong(format!("a board has 8 ranks, not {}", ranks.len())));
    }
    let mut position = ChessPosition::EMPTY;
    for (rank, text) in (1..=8).rev().zip(ranks) {
        let mut file = 0;
        for letter in text.chars() {
            let number = letter.to_digit(10);
            if let Some(empty) = number.filter(|empty| (1..=8).contains(empty)) {
                file += empty;
            } else if let Some(role) = Role::from_letter(letter) {
                if file < 8 {
                    let square = (rank - 1) * 8 + file as u8;
                    position.put(square, role, letter.is_ascii_uppercase());
                }
                file += 1;
            } else if number.is_some() {
                return Err(wrong(format!("{letter} empty squares do not fit a rank of 8")));
            } else {
                return Err(wrong(format!(
                    "{letter:?} is no man: K, Q, R, B, N and P are White's, small letters Black's"
                )));
            }
            if file > 8 {
                break;
            }
        }
        if file != 8 {
            return Err(wrong(format!("rank {rank} does not have 8 squares")));
        }
    }
    Ok(position)
}

/// Refuses men that no game leads to.
fn check_men(position: &ChessPosition) -> Result<(), ParseError> {
    for (side, men) in [("White", position.own()), ("Black", position.other())] {
        let count = |role: Role| (position.of(role) & men).count_ones();
        match count(Role::King) {
            0 => return Err(impossible(format!("{side} has no king"))),
            1 => {}
            kings => return Err(impossible(format!("{side} has {kings} kings, not one"))),
        }
        if count(Role::Pawn) > 8 {
            return Err(impossible(format!("{side} has more than 8 pawns")));
        }
        let usual = [(Role::Queen, 1), (Role::Rook, 2), (Role::Bishop, 2), (Role::Knight, 2)];
        let promoted: u32 =
            usual.iter().map(|&(role, usual)| count(role).saturating_sub(usual)).sum();
        if count(Role::Pawn) + promoted > 8 {
            return Err(impossible(format!("{side} has more men than eight pawns can become")));
        }
    }
    if position.of(Role::Pawn) & ENDS != 0 {
        return Err(impossible("a pawn stands on the first or the last rank"));
    }
    Ok(())
}

/// As White sees the board.
fn read_castling(text: &str, position: &ChessPosition) -> Result<u8, ParseError> {
    let mut rights = 0;
    for letter in text.chars().filter(|_| text != "-") {
        let Some((_, right, rook)) = RIGHTS.into_iter().find(|right| right.0 == letter) else {
            return Err(wrong(format!("castling rights are some of KQkq, or -, not {text:?}")));
        };
        let white = letter.is_ascii_uppercase();
        let king = if white { 4 } else { 60 };
        if position.man(king) != Some((Role::King, white))
            || position.man(rook) != Some((Role::Rook, white))
        {
            return Err(impossible(format!(
                "castling right {letter} needs a king on {} and a rook on {}",
                name(king),
                name(rook)
            )));
        }
        if rights & right != 0 {
            return Err(wrong(format!("castling right {letter} is there twice")));
        }
        rights |= right;
    }
    Ok(rights)
}

/// The square as the mover sees it; `None` if no pawn can capture there.
fn read_passed(
    text: &str,
    mover: Side,
    position: &ChessPosition,
) -> Result<Option<u8>, ParseError> {
    let seen = |square: u8| if mover == Side::First { square } else { square ^ FLIP };
    let square = square_named(text).map(seen).filter(|square| square / 8 == 5);
    let Some(square) = square else {
        return Err(wrong(format!("no pawn has passed over {text:?} with the last move")));
    };
    let behind = 1 << square | 1 << (square + 8);
    if position.man(square - 8) != Some((Role::Pawn, false)) || position.occupied() & behind != 0 {
        return Err(impossible(format!("no pawn has passed over {text} with the last move")));
    }
    Ok(position.can_pass(square).then_some(square))
}

/// Writes a position.
pub(crate) fn format(situation: &Situation<ChessPosition>) -> String {
    let seen = seen_by_white(situation);
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for square in rank * 8..rank * 8 + 8 {
            let Some(man) = seen.man(square) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                let _ = write!(text, "{empty}");
            }
            empty = 0;
            text.push(letter(man));
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        text.push(if rank > 0 { '/' } else { ' ' });
    }
    text.push_str(if situation.mover == Side::First { "w " } else { "b " });
    let rights = RIGHTS.into_iter().filter(|right| seen.castling() & right.1 != 0);
    let rights: String = rights.map(|right| right.0).collect();
    text.push_str(if rights.is_empty() { "-" } else { &rights });
    text.push(' ');
    match situation.position.passed() {
        Some(square) => {
            let turn = if situation.mover == Side::First { 0 } else { FLIP };
            text.push_str(&name(square ^ turn));
        }
        None => text.push('-'),
    }
    if situation.quiet > 0 {
        text += &clock(situation);
    }
    text
}

/// The plies since a zeroing move, and the number of the move, which nothing here counts.
fn clock(situation: &Situation<ChessPosition>) -> String {
    format!(" {} 1", situation.quiet)
}

/// The same with both numbers in any case, as programs expect them.
pub(crate) fn format_with_clock(situation: &Situation<ChessPosition>) -> String {
    let text = format(situation);
    if situation.quiet > 0 { text } else { text + &clock(situation) }
}

/// The letter of a man; own men are White's.
fn letter((role, white): (Role, bool)) -> char {
    if white { role.letter() } else { role.letter().to_ascii_lowercase() }
}

/// The board as a diagram.
pub(crate) fn draw(situation: &Situation<ChessPosition>) -> String {
    let seen = seen_by_white(situation);
    let mut text = String::new();
    for rank in (0..8).rev() {
        let _ = write!(text, "{} ", rank + 1);
        for square in squares(0xFF << (rank * 8)) {
            let _ = write!(text, " {}", seen.man(square).map_or('.', letter));
        }
        text.push('\n');
    }
    let mover = if situation.mover == Side::First { "White" } else { "Black" };
    text + "   a b c d e f g h\n" + mover + " to move\n"
}
