//! Names of moves: SAN, which people write, and that of UCI, which programs do.

use nutcracker_game::{Side, Situation};

use crate::attacks::FLIP;
use crate::board::{ChessPosition, Role};
use crate::fen::name;
use crate::moves::{ChessMove, Found};

/// The move as UCI names it: `e2e4`, `e1g1` where the king castles, `e7e8q`.
pub(crate) fn long(situation: &Situation<ChessPosition>, mv: &ChessMove) -> String {
    let seen = seen_from(situation.mover);
    let role = mv.promotion.map(|role| role.letter().to_ascii_lowercase());
    let [from, to] = [mv.from, mv.to].map(|square| name(seen(square)));
    from + &to + role.map(String::from).as_deref().unwrap_or("")
}

/// The move as people write it: `e4`, `Nbd7`, `exd6`, `O-O`, `e8=Q+`.
pub(crate) fn short(situation: &Situation<ChessPosition>, mv: &ChessMove) -> String {
    let (position, seen) = (&situation.position, seen_from(situation.mover));
    let Some((role, _)) = position.man(mv.from) else { return String::new() };
    let to = name(seen(mv.to));
    let (next, converts) = position.after(*mv);
    let takes = if converts && (role != Role::Pawn || mv.from % 8 != mv.to % 8) { "x" } else { "" };
    let mut text = match role {
        Role::King if mv.to == mv.from + 2 => "O-O".to_owned(),
        Role::King if mv.to + 2 == mv.from => "O-O-O".to_owned(),
        Role::Pawn if takes.is_empty() => to,
        Role::Pawn => format!("{}x{to}", char::from(b'a' + mv.from % 8)),
        _ => format!("{}{}{takes}{to}", role.letter(), origin(position, *mv, seen)),
    };
    if let Some(role) = mv.promotion {
        text.push('=');
        text.push(role.letter());
    }
    if next.is_check() {
        text.push(if next.can_move() { '+' } else { '#' });
    }
    text
}

/// Whether a text means the move as other programs and people write it: `0-0`, `e8Q`, `Nd5` for `Nxd5`,
/// `Nge2` where `Ne2` is enough, `Re8+` for mate.
pub(crate) fn is_spelled(situation: &Situation<ChessPosition>, mv: &ChessMove, text: &str) -> bool {
    let (position, seen) = (&situation.position, seen_from(situation.mover));
    let Some((role, _)) = position.man(mv.from) else { return false };
    let text = text.trim_end_matches(['+', '#']);
    let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end();
    if role == Role::King && mv.from.abs_diff(mv.to) == 2 {
        return text.replace('0', "O") == if mv.to > mv.from { "O-O" } else { "O-O-O" };
    }
    let (man, rest) = match text.chars().next() {
        Some(letter) if letter.is_ascii_uppercase() => (letter, &text[1..]),
        _ => ('P', text),
    };
    let promoted = rest.trim_end_matches(')').char_indices().next_back();
    let (rest, promotion) = match promoted {
        Some((at, letter)) if letter.is_ascii_uppercase() => (&rest[..at], Some(letter)),
        _ => (rest, None),
    };
    let rest = rest.trim_end_matches(['=', '(', '/']);
    let [from, to] = [mv.from, mv.to].map(|square| name(seen(square)));
    let Some(origin) = rest.strip_suffix(to.as_str()) else { return false };
    let origin = origin.trim_end_matches(['x', ':', '-']);
    let captures = role == Role::Pawn && mv.from % 8 != mv.to % 8;
    man == role.letter()
        && promotion == mv.promotion.map(Role::letter)
        && [&from[..1], &from[1..], &from, ""].contains(&origin)
        && !(captures && origin.is_empty())
}

/// What of the square of departure tells the move from those of other men of its kind: nothing, the
/// file, the rank, or both.
fn origin(position: &ChessPosition, mv: ChessMove, seen: impl Fn(u8) -> u8) -> String {
    let role = position.man(mv.from).map(|man| man.0);
    let (mut others, mut file, mut rank) = (false, false, false);
    position.legal(|Found { mv: other, role: its }| {
        if other.to == mv.to && other.from != mv.from && Some(its) == role {
            others = true;
            file |= other.from % 8 == mv.from % 8;
            rank |= other.from / 8 == mv.from / 8;
        }
    });
    let square = name(seen(mv.from));
    match (others, file, rank) {
        (false, ..) => String::new(),
        (_, false, _) => square[..1].to_owned(),
        (_, true, false) => square[1..].to_owned(),
        _ => square,
    }
}

/// Squares as White sees them.
fn seen_from(mover: Side) -> impl Fn(u8) -> u8 {
    move |square| if mover == Side::First { square } else { square ^ FLIP }
}
