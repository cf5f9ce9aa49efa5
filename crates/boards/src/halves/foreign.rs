//! Boards and moves as other programs for games of sowing write them.
//!
//! - Aalina and Aualé: `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`: South's pits, North's, what each has, the
//!   mover; a move is the letter of its pit.
//! - `PlayStrategy`: `4S,4S,1,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 2 N 2`: North's row as South sees it and
//!   South's row, a number alone for that number of empty pits; what South and North have; the
//!   mover; the number of the move. A move is the pit it begins in and the one it ends in: `d1e2`.
//! - `OpenSpiel`: `1 | 0 2 | 4 4 4 4 4 4 4 4 4 0 4 4`: 0 or 1 for the mover; what South and North
//!   have; South's pits and North's. A move is the number of its pit, from 0. The drawing that
//!   `OpenSpiel` prints of a state is read too.

use nutcracker_game::{Notation, ParseError, Side, Situation, shortened};

use super::notation::parse_count;
use super::{Board, Half};

/// Whose notation a text is in, by its looks.
fn notation_of(text: &str) -> Notation {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let first = words.first().copied().unwrap_or_default();
    if text.contains('|') || text.contains("score =") {
        Notation::OpenSpiel
    } else if first.contains('/') {
        // Our own boards have the side in the second place, and no letters in the first.
        let numbers = words.get(1..3).is_some_and(|words| words.iter().all(is_number));
        if first.contains(['S', 's']) || numbers { Notation::PlayStrategy } else { Notation::Own }
    } else if words.len() == 1
        && first.contains('-')
        && !first.contains(',')
        && first.starts_with(|c: char| c.is_ascii_digit())
    {
        Notation::Auale
    } else {
        Notation::Own
    }
}

/// Reads a board of `pits` pits a side in the notation of another program; `None` if it looks like
/// none of those. `all` is the number of stones in the game and `things` their name.
pub(super) fn parse(
    pits: usize,
    all: usize,
    things: &str,
    text: &str,
) -> Option<Result<Situation<Board>, ParseError>> {
    let reader = Reader { pits, all, things };
    match notation_of(text) {
        Notation::Own | Notation::Uci => None,
        Notation::Auale => Some(reader.dashes(text.trim())),
        Notation::PlayStrategy => Some(reader.fen(&text.replace('_', " "))),
        Notation::OpenSpiel if text.contains('|') => Some(reader.bars(text)),
        Notation::OpenSpiel => Some(reader.drawing(text)),
    }
}

struct Reader<'a> {
    pits: usize,
    all: usize,
    things: &'a str,
}

type Read<T> = Result<T, ParseError>;

impl Reader<'_> {
    fn counts<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Read<Vec<u8>> {
        words.into_iter().map(|word| parse_count(self.things, word)).collect()
    }

    fn situation(&self, rows: &[u8], banked: [u8; 2], mover: Side) -> Situation<Board> {
        let (south, north) = rows.split_at(self.pits);
        let (south, north) = (half(south), half(north));
        let position = match mover {
            Side::First => Board { own: south, other: north },
            Side::Second => Board { own: north, other: south },
        };
        Situation { position, mover, banked: Some(banked.map(u16::from)), quiet: 0 }
    }

    fn dashes(&self, text: &str) -> Read<Situation<Board>> {
        let (numbers, mover) = text.rsplit_once('-').unwrap_or((text, ""));
        let mover = side(mover)?;
        let numbers = self.counts(numbers.split('-'))?;
        match numbers.split_last_chunk::<2>() {
            Some((rows, &banked)) if rows.len() == 2 * self.pits => {
                Ok(self.situation(rows, banked, mover))
            }
            _ => Err(ParseError::new(format!(
                "a board of Aualé has {} pits and two stores, with dashes between, and {:?} has {} \
                 numbers",
                2 * self.pits,
                shortened(text),
                numbers.len()
            ))),
        }
    }

    fn fen(&self, text: &str) -> Read<Situation<Board>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        // The number of the move may be left out.
        let (&[rows, south, north, mover] | &[rows, south, north, mover, _]) = &words[..] else {
            return Err(ParseError::new(format!(
                "a board of PlayStrategy has two rows, what South and North have, S or N and the \
                 number of the move, not {:?}",
                shortened(text)
            )));
        };
        let (above, below) = rows.split_once('/').unwrap_or((rows, ""));
        let (mut north_row, south_row) = (self.row("North", above)?, self.row("South", below)?);
        north_row.reverse();
        let banked = [parse_count(self.things, south)?, parse_count(self.things, north)?];
        let own = [&south_row, &north_row].map(|row| row.iter().map(|&n| usize::from(n)).sum());
        let rows = [south_row, north_row].concat();
        let banked = self.before_the_end(banked, own);
        Ok(self.situation(&rows, banked, side(mover)?))
    }

    /// Where a game is over, `PlayStrategy` adds each side's row to what it has, and leaves the
    /// seeds where they are.
    fn before_the_end(&self, banked: [u8; 2], own: [usize; 2]) -> [u8; 2] {
        let [south, north] = [0, 1].map(|side| usize::from(banked[side]).checked_sub(own[side]));
        match (south, north) {
            (Some(south), Some(north)) if south + north + own[0] + own[1] == self.all => {
                [south as u8, north as u8]
            }
            _ => banked,
        }
    }

    fn row(&self, who: &str, text: &str) -> Read<Vec<u8>> {
        let mut row = Vec::new();
        for place in text.split(',') {
            if let Some(stones) = place.strip_suffix(['S', 's']) {
                row.push(parse_count(self.things, stones)?);
            } else {
                let empty = usize::from(parse_count("pits", place)?);
                row.resize(row.len() + empty, 0);
            }
        }
        if row.len() == self.pits {
            return Ok(row);
        }
        Err(ParseError::new(format!(
            "{who} has {} pits, and {:?} has {}",
            self.pits,
            shortened(text),
            row.len()
        )))
    }

    fn bars(&self, text: &str) -> Read<Situation<Board>> {
        let wrong = || {
            ParseError::new(format!(
                "a board of OpenSpiel is 0 or 1 for the mover, what South and North have, and {} \
                 pits, with | between, not {:?}",
                2 * self.pits,
                shortened(text)
            ))
        };
        let parts: Vec<&str> = text.split('|').collect();
        let &[mover, banked, rows] = &parts[..] else { return Err(wrong()) };
        let mover = match mover.trim() {
            "1" => Side::Second,
            // At the end neither is to move.
            "0" | "-4" => Side::First,
            _ => return Err(wrong()),
        };
        let (banked, rows) =
            (self.counts(banked.split_whitespace())?, self.counts(rows.split_whitespace())?);
        let &[south, north] = &banked[..] else { return Err(wrong()) };
        if rows.len() != 2 * self.pits {
            return Err(wrong());
        }
        Ok(self.situation(&rows, [south, north], mover))
    }

    /// Six lines: North's score, its letters and its row as South sees it, and the same of South
    /// from the row to the score. The side to move is marked `[PLAYING]`.
    fn drawing(&self, text: &str) -> Read<Situation<Board>> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let &[north, _, above, below, _, south] = &lines[..] else {
            return Err(ParseError::new(format!(
                "a state of OpenSpiel has six lines, not {}",
                lines.len()
            )));
        };
        let score = |line: &str| {
            let number = line.split_once("score =").map_or("", |(_, after)| after.trim_start());
            parse_count(self.things, number.split_whitespace().next().unwrap_or_default())
        };
        let row = |who: &str, line: &str| {
            let row = self.counts(line.split_whitespace())?;
            if row.len() == self.pits {
                return Ok(row);
            }
            let (pits, count) = (self.pits, row.len());
            Err(ParseError::new(format!("{who} has {pits} pits, and {line:?} has {count}")))
        };
        let (mut above, below) = (row("North", above)?, row("South", below)?);
        above.reverse();
        let mover = if north.contains("PLAYING") { Side::Second } else { Side::First };
        let banked = [score(south)?, score(north)?];
        Ok(self.situation(&[below, above].concat(), banked, mover))
    }
}

fn side(text: &str) -> Read<Side> {
    match text {
        "S" | "s" => Ok(Side::First),
        "N" | "n" => Ok(Side::Second),
        _ => Err(ParseError::new(format!("the side to move is S or N, not {text:?}"))),
    }
}

fn half(pits: &[u8]) -> Half {
    let mut half = Half::default();
    for (pit, &stones) in half.iter_mut().zip(pits) {
        *pit = stones;
    }
    half
}

/// Writes a board of `pits` pits a side as another program does, in our own notation for
/// [`Notation::Own`]; `None` where that program has no such games. Others have no way to say that
/// captures are not known: then they are 0.
pub fn format_in(pits: usize, situation: &Situation<Board>, notation: Notation) -> Option<String> {
    let Board { own, other } = situation.position;
    let (south, north, side) = match situation.mover {
        Side::First => (own, other, 'S'),
        Side::Second => (other, own, 'N'),
    };
    let [mine, theirs] = situation.banked.unwrap_or_default();
    let rows = south[..pits].iter().chain(&north[..pits]).map(ToString::to_string);
    let listed = |between: &str| rows.clone().collect::<Vec<_>>().join(between);
    let text = match notation {
        Notation::Uci => return None,
        Notation::Own => super::format(pits, situation),
        Notation::Auale => format!("{}-{mine}-{theirs}-{side}", listed("-")),
        Notation::PlayStrategy => {
            let (above, below) = (fen_row(north[..pits].iter().rev()), fen_row(&south[..pits]));
            format!("{above}/{below} {mine} {theirs} {side} 1")
        }
        Notation::OpenSpiel => {
            let mover = u8::from(situation.mover == Side::Second);
            format!("{mover} | {mine} {theirs} | {}", listed(" "))
        }
    };
    Some(text)
}

/// A row of pits; empty ones next to each other are counted.
fn fen_row<'a>(pits: impl IntoIterator<Item = &'a u8>) -> String {
    let (mut places, mut empty) = (Vec::new(), 0);
    for &stones in pits {
        if stones == 0 {
            empty += 1;
            continue;
        }
        places.extend((empty > 0).then(|| empty.to_string()));
        places.push(format!("{stones}S"));
        empty = 0;
    }
    places.extend((empty > 0).then(|| empty.to_string()));
    places.join(",")
}

/// The name that another program has for the move of a pit, where sowing passes over the pit that
/// was emptied; `None` for our own notation, in which a move says what it does.
pub fn move_in(
    pits: usize,
    situation: &Situation<Board>,
    pit: usize,
    notation: Notation,
) -> Option<String> {
    let north = situation.mover == Side::Second;
    match notation {
        Notation::Own | Notation::Uci => None,
        Notation::Auale => {
            let first = if north { b'a' } else { b'A' };
            Some(char::from(first + pit as u8).to_string())
        }
        Notation::PlayStrategy => {
            let sown = usize::from(situation.position.own[pit]);
            let start = if north { pits + pit } else { pit };
            let laps = sown.saturating_sub(1) / (2 * pits - 1);
            let end = (start + sown + laps) % (2 * pits);
            Some(square(pits, start) + &square(pits, end))
        }
        Notation::OpenSpiel => Some(pit.to_string()),
    }
}

/// A pit as a square: South's are a1, b1 and so on, North's lie above them.
fn square(pits: usize, place: usize) -> String {
    let (file, rank) = if place < pits { (place, 1) } else { (2 * pits - 1 - place, 2) };
    format!("{}{rank}", char::from(b'a' + file as u8))
}

#[cfg(test)]
mod tests {
    use super::super::{format, parse};
    use super::*;

    fn read(text: &str) -> Result<String, ParseError> {
        parse(6, 48, "seeds", text).map(|at| format(6, &at))
    }

    const PLAYTHROUGH: &str = "Player 1 score = 0 [PLAYING]
  f  e  d  c  b  a
  4  4  4  4  4  5
  4  4  0  5  5  5
  A  B  C  D  E  F
Player 0 score = 0
";

    #[test]
    fn boards_of_other_programs() {
        for (theirs, ours) in [
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"),
            ("0-0-6-0-3-5-2-1-1-0-0-0-20-10-N", "0,0,6,0,3,5/2,1,1,0,0,0 N 20-10"),
            ("5S,5S,6S,6S,1S,5S/1,5S,5S,5S,1,5S 0 0 N 2", "0,5,5,5,0,5/5,1,6,6,5,5 N 0-0"),
            ("6/2,1S,3S,2 20 22 S 50", "0,0,1,3,0,0/0,0,0,0,0,0 S 20-22"),
            ("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S", "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"),
            ("5,13s/4s,1,1s,2,3s_25_2_S_50", "4,0,1,0,0,3/13,0,0,0,0,0 S 25-2"),
            // A game that is over: both have their rows already.
            ("6/2,1S,3S,2 24 24 S 50", "0,0,1,3,0,0/0,0,0,0,0,0 S 20-24"),
            ("1 | 0 0 | 4 4 0 5 5 5 5 4 4 4 4 4", "4,4,0,5,5,5/5,4,4,4,4,4 N 0-0"),
            ("-4 | 26 22 | 0 0 0 0 0 0 0 0 0 0 0 0", "0,0,0,0,0,0/0,0,0,0,0,0 S 26-22"),
            (PLAYTHROUGH, "4,4,0,5,5,5/5,4,4,4,4,4 N 0-0"),
        ] {
            assert_eq!(read(theirs).as_deref(), Ok(ours));
        }
    }

    #[test]
    fn what_is_wrong_with_a_board() {
        for (wrong, why) in [
            ("9-9-9-9-9-9-4-4-4-4-4-4-0-0-S", "there are 78 seeds on the board"),
            ("4-4-4-4-4-4-0-0-S", "a board of Aualé has 12 pits and two stores"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-X", "the side to move is S or N, not \"X\""),
            ("4-4-4-4-4-4-4-4-4-4-4-x-0-0-S", "\"x\" is not a number of seeds"),
            ("7/6 0 0 S 1", "North has 6 pits, and \"7\" has 7"),
            ("300/6 0 0 S 1", "300 pits are too many"),
            ("6/6S 0 0", "a board of PlayStrategy has two rows"),
            ("6/5,4S 0 0 W 1", "the side to move is S or N, not \"W\""),
            ("2 | 0 0 | 4 4 0 5 5 5 5 4 4 4 4 4", "a board of OpenSpiel is 0 or 1"),
            ("0 | 0 | 4 4 0 5 5 5 5 4 4 4 4 4", "a board of OpenSpiel is 0 or 1"),
            ("0 | 0 0 | 4 4 0 5 5 5 5 4 4 4 4", "a board of OpenSpiel is 0 or 1"),
            ("Player 1 score = 3", "a state of OpenSpiel has six lines, not 1"),
        ] {
            let error = read(wrong).expect_err(wrong).to_string();
            assert!(error.starts_with(why) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn moves_of_other_programs() {
        const SOWN: [Notation; 3] = [Notation::Auale, Notation::PlayStrategy, Notation::OpenSpiel];
        let names = |text: &str, pit| {
            let at = parse(6, 48, "seeds", text).expect(text);
            SOWN.map(|notation| move_in(6, &at, pit, notation).expect("a name"))
        };
        // The first moves of a game that PlayStrategy tests itself with: d1e2 c2b1 e1c2 b2d1.
        assert_eq!(names("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", 3), ["D", "d1e2", "3"]);
        assert_eq!(names("4,4,4,0,5,5/5,5,4,4,4,4 N 0-0", 3), ["d", "c2b1", "3"]);
        assert_eq!(names("5,5,4,0,5,5/5,5,4,0,5,5 S 0-0", 4), ["E", "e1c2", "4"]);
        assert_eq!(names("5,5,4,0,0,6/6,6,5,1,5,5 N 0-0", 4), ["e", "b2d1", "4"]);
        // A lap passes over the pit it began in: the twelfth stone falls next to it.
        assert_eq!(names("0,12,0,0,0,0/1,0,0,0,0,0 S 0-0", 1), ["B", "b1c1", "1"]);
        assert_eq!(names("0,11,0,0,0,0/1,0,0,0,0,0 S 0-0", 1), ["B", "b1a1", "1"]);
        assert_eq!(names("1,0,0,0,0,0/0,0,0,0,0,23 N 0-0", 5), ["f", "a2a1", "5"]);
    }
}
