//! Boards as other programs for games of sowing write them.

use nutcracker_game::{Side, Situation};

use super::{Board, Half};

/// Reads a board in the notation of another program; `None` if it is in none that is known.
///
/// - Aalina and Aualé: `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`: South's pits, North's, what each has, the
///   mover.
/// - `PlayStrategy`: `4S,4S,1,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 2 N 2`: North's row as South sees it and
///   South's row, a number alone for that number of empty pits; what South and North have; the mover; the
///   number of the move.
pub(super) fn parse(pits: usize, text: &str) -> Option<Situation<Board>> {
    dashes(pits, text.trim()).or_else(|| fen(pits, text.trim()))
}

fn situation(south: Half, north: Half, banked: [u16; 2], mover: Side) -> Situation<Board> {
    let position = match mover {
        Side::First => Board { own: south, other: north },
        Side::Second => Board { own: north, other: south },
    };
    Situation { position, mover, banked: Some(banked) }
}

fn side(text: &str) -> Option<Side> {
    match text {
        "S" => Some(Side::First),
        "N" => Some(Side::Second),
        _ => None,
    }
}

fn half(pits: impl IntoIterator<Item = u8>) -> Half {
    let mut half = Half::default();
    for (pit, stones) in half.iter_mut().zip(pits) {
        *pit = stones;
    }
    half
}

fn dashes(pits: usize, text: &str) -> Option<Situation<Board>> {
    let (numbers, mover) = text.rsplit_once('-')?;
    let numbers = numbers.split('-').map(|number| number.parse().ok());
    let numbers = numbers.collect::<Option<Vec<u8>>>()?;
    let (rows, &[south, north]) = numbers.split_last_chunk::<2>()?;
    if rows.len() != 2 * pits {
        return None;
    }
    let (own, other) = rows.split_at(pits);
    let (own, other) = (half(own.iter().copied()), half(other.iter().copied()));
    Some(situation(own, other, [south.into(), north.into()], side(mover)?))
}

fn fen(pits: usize, text: &str) -> Option<Situation<Board>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[rows, south, north, mover, _] = &words[..] else { return None };
    let (above, below) = rows.split_once('/')?;
    let row = |text: &str| {
        let mut row = Vec::new();
        for place in text.split(',') {
            match place.strip_suffix('S') {
                Some(stones) => row.push(stones.parse().ok()?),
                None => row.resize(row.len() + place.parse::<u8>().ok()? as usize, 0),
            }
        }
        (row.len() == pits).then_some(row)
    };
    let (above, below): (Vec<u8>, Vec<u8>) = (row(above)?, row(below)?);
    let banked = [u8_of(south)?, u8_of(north)?];
    Some(situation(half(below), half(above.into_iter().rev()), banked, side(mover)?))
}

fn u8_of(text: &str) -> Option<u16> {
    text.parse::<u8>().ok().map(u16::from)
}

#[cfg(test)]
mod tests {
    use super::super::{format, parse};

    #[test]
    fn boards_of_other_programs() {
        let read = |text: &str| parse(6, 48, "seeds", text).map(|at| format(6, &at));
        for (theirs, ours) in [
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"),
            ("0-0-6-0-3-5-2-1-1-0-0-0-20-10-N", "0,0,6,0,3,5/2,1,1,0,0,0 N 20-10"),
            ("5S,5S,6S,6S,1S,5S/1,5S,5S,5S,1,5S 0 0 N 2", "0,5,5,5,0,5/5,1,6,6,5,5 N 0-0"),
            ("6/2,1S,3S,2 20 22 S 50", "0,0,1,3,0,0/0,0,0,0,0,0 S 20-22"),
        ] {
            assert_eq!(read(theirs).as_deref(), Ok(ours));
        }
        // More than the game has, or another size: an error about the usual notation.
        for wrong in [
            "9-9-9-9-9-9-4-4-4-4-4-4-0-0-S",
            "4-4-4-4-4-4-0-0-S",
            "4-4-4-4-4-4-4-4-4-4-4-4-0-0-X",
            "7/6 0 0 S 1",
            "300/6 0 0 S 1",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
