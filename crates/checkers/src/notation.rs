//! Positions and moves as PDN, the portable draughts notation, writes them.

use std::fmt::Write;

use nutcracker_game::{ParseError, Side, Situation};

use super::board::{CheckersMove, CheckersPosition, HOME, SQUARES, bits, step};
use super::material::MOST;

const EXAMPLE: &str = "a position is written like B:W21,K30:B1,K5: the side to move, then White's \
                       and Black's squares, K before those of kings";

/// As Black sees it.
fn seen_by_black(situation: &Situation<CheckersPosition>) -> CheckersPosition {
    match situation.mover {
        Side::First => situation.position,
        Side::Second => situation.position.turned(),
    }
}

pub(super) fn parse(text: &str) -> Result<Situation<CheckersPosition>, ParseError> {
    let text = text.trim().trim_end_matches('.');
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let &[mover, first, second] = parts.as_slice() else { return Err(ParseError::new(EXAMPLE)) };
    let mover = match mover {
        "B" => Side::First,
        "W" => Side::Second,
        _ => return Err(ParseError::new(format!("B or W is to move, not {mover:?}; {EXAMPLE}"))),
    };
    let mut position = CheckersPosition::default();
    let mut seen = [false; 2];
    for part in [first, second] {
        let (colour, squares) = match part.chars().next() {
            Some('B') => (0, &part[1..]),
            Some('W') => (1, &part[1..]),
            _ => return Err(ParseError::new(EXAMPLE)),
        };
        if std::mem::replace(&mut seen[colour], true) {
            return Err(ParseError::new(
                "each side's squares are listed once, after B and after W",
            ));
        }
        let (mut men, mut kings) = (0, 0);
        for word in squares.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (number, king) =
                word.strip_prefix('K').map_or((word, false), |number| (number, true));
            let number = number.parse().ok().filter(|number| (1..=SQUARES).contains(number));
            let Some(number) = number else {
                return Err(ParseError::new(format!("squares are 1 to 32, not {word:?}")));
            };
            let square = 1 << (number - 1);
            if (position.own() | position.other() | men | kings) & square != 0 {
                return Err(ParseError::new(format!("there are two pieces on square {number}")));
            }
            if king {
                kings |= square;
            } else {
                men |= square;
            }
        }
        let (last, name) = if colour == 0 { (HOME << 28, "Black") } else { (HOME, "White") };
        if men & last != 0 {
            let number = (men & last).trailing_zeros() + 1;
            return Err(ParseError::new(format!(
                "{name}'s man on {number} would be a king: write K{number}"
            )));
        }
        if (men | kings).count_ones() as usize > MOST {
            return Err(ParseError::new(format!("{name} has more than {MOST} pieces")));
        }
        if colour == 0 {
            (position.men, position.kings) = (men, kings);
        } else {
            (position.other_men, position.other_kings) = (men, kings);
        }
    }
    if mover == Side::Second {
        position = position.turned();
    }
    if position.other() == 0 {
        return Err(ParseError::new("the side that is not to move has no pieces"));
    }
    Ok(Situation::new(position, mover))
}

pub(super) fn format(situation: &Situation<CheckersPosition>) -> String {
    let seen = seen_by_black(situation);
    let list = |men: u32, kings: u32| {
        let square = |bit: u32| {
            let number = bit.trailing_zeros() + 1;
            if kings & bit != 0 { format!("K{number}") } else { number.to_string() }
        };
        bits(men | kings).map(square).collect::<Vec<_>>().join(",")
    };
    let mover = if situation.mover == Side::First { 'B' } else { 'W' };
    let (white, black) = (list(seen.other_men, seen.other_kings), list(seen.men, seen.kings));
    format!("{mover}:W{white}:B{black}")
}

/// The number of a square, which the mover sees as one bit.
fn number(square: u32, mover: Side) -> u32 {
    let square = square.trailing_zeros();
    1 + if mover == Side::First { square } else { SQUARES - 1 - square }
}

pub(super) fn format_move(situation: &Situation<CheckersPosition>, mv: &CheckersMove) -> String {
    let (position, mover) = (&situation.position, situation.mover);
    let effect = mv.effect();
    let (from, to) = (number(effect.from, mover), number(effect.to, mover));
    if mv.jumps == 0 {
        return format!("{from}-{to}");
    }
    let mut alike = 0;
    position.each_move(|_, other| {
        alike += u32::from((other.from, other.to) == (effect.from, effect.to));
    });
    if alike < 2 {
        return format!("{from}x{to}");
    }
    path(situation, mv)
}

/// All squares of a capture.
pub(super) fn path(situation: &Situation<CheckersPosition>, mv: &CheckersMove) -> String {
    let (mover, mut at) = (situation.mover, mv.effect().from);
    let mut text = number(at, mover).to_string();
    for jump in 0..mv.jumps {
        let direction = mv.direction(jump);
        at = step(step(at, direction), direction);
        let _ = write!(text, "x{}", number(at, mover));
    }
    text
}

pub(super) fn draw(situation: &Situation<CheckersPosition>) -> String {
    let seen = seen_by_black(situation);
    let letter = |square: u32| {
        let bit = 1 << square;
        let pieces =
            [(seen.men, 'b'), (seen.kings, 'B'), (seen.other_men, 'w'), (seen.other_kings, 'W')];
        pieces.iter().find(|(squares, _)| squares & bit != 0).map_or('.', |(_, letter)| *letter)
    };
    let mut text = String::new();
    for rank in 0..SQUARES / 4 {
        let _ = write!(text, "{:>2}-{:<2} ", rank * 4 + 1, rank * 4 + 4);
        for square in rank * 4..rank * 4 + 4 {
            let piece = letter(square);
            let _ =
                if rank % 2 == 0 { write!(text, "   {piece}") } else { write!(text, " {piece}  ") };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let name = if situation.mover == Side::First { "Black" } else { "White" };
    text + name + " to move (B and W are kings)\n"
}
