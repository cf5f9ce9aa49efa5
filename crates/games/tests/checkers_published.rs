//! What E. Trice and G. Dodgen (2003) print of checkers: lines of play, and the longest wins of each
//! slice, with the misprints among them.

use std::collections::BTreeMap;

use nutcracker_game::{Metric, Rules, Situation};
use nutcracker_games::checkers::{Checkers, CheckersPosition};

use crate::checkers::Values;

const CHECKERS: Checkers = Checkers::BY_PIECES;

/// A line of play as printed.
struct Listing {
    number: u32,
    plies: usize,
    /// The positions from the start to the end.
    positions: Vec<Situation<CheckersPosition>>,
}

/// The lines of play, with every move found among the legal ones.
fn listings() -> Vec<Listing> {
    let text = include_str!("data/checkers-listings.txt");
    let paragraphs = text.split("\n\n").skip(1);
    let read = |paragraph: &str| {
        let (head, moves) = paragraph.split_once('\n').unwrap();
        let words: Vec<&str> = head.split([' ', ':']).filter(|word| !word.is_empty()).collect();
        let start = head.split_once("from ").unwrap().1;
        let mut positions = vec![CHECKERS.parse(start).unwrap()];
        for (ply, name) in moves.split_whitespace().enumerate() {
            let situation = positions.last().unwrap();
            let mut legal = Vec::new();
            CHECKERS.moves(&situation.position, &mut legal);
            // Captures are printed like steps: a move is known by its first and last square.
            let ends: Vec<&str> = name.split(['-', 'x']).collect();
            let steps = legal.iter().map(|mv| CHECKERS.play(&situation.position, mv));
            let played = legal.iter().zip(steps).filter(|(mv, step)| {
                let name = CHECKERS.format_move(situation, mv, step);
                let squares: Vec<&str> = name.split(['-', 'x']).collect();
                squares.first() == ends.first() && squares.last() == ends.last()
            });
            let mut next = played.map(|(_, step)| CHECKERS.advance(situation, &step));
            let (first, second) = (next.next(), next.next());
            assert!(second.is_none(), "ply {ply}: more than one {name}");
            let next = first.unwrap_or_else(|| panic!("{head}: ply {ply}: {name} is not legal"));
            positions.push(next);
        }
        Listing { number: words[1].parse().unwrap(), plies: words[2].parse().unwrap(), positions }
    };
    paragraphs.map(read).collect()
}

#[test]
fn printed_lines_are_legal_to_the_end() {
    let listings = listings();
    assert_eq!(listings.len(), 6);
    for listing in listings {
        let Listing { number, plies, positions } = listing;
        assert_eq!(positions.len(), plies + 1, "listing {number}");
        let last = positions.last().unwrap().position;
        let agreed = [6, 7].contains(&number);
        assert_eq!(last.own() == 0, !agreed, "listing {number}");
    }
}

/// From this many pieces on, the lines that a database of distances played are as long as ours say.
pub fn lines_are_perfect(values: &impl Values, pieces: u32) {
    let mut compared = 0;
    for listing in listings() {
        let last = listing.positions.len() - 1;
        for (ply, situation) in listing.positions.iter().enumerate() {
            let position = &situation.position;
            if position.own() == 0 || (position.own() | position.other()).count_ones() > pieces {
                continue;
            }
            let distance = Metric::Dtw.distance(values.of(position).into()).unwrap();
            let left = last - ply;
            assert_eq!(usize::from(distance.plies()), left, "listing {}", listing.number);
            assert_eq!(distance.wins, left % 2 == 1);
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

/// Table 2, up to six pieces: the longest win and loss in plies, of positions without captures and
/// for either side to move.
#[rustfmt::skip]
const PRINTED: [(&str, [i64; 2]); 78] = [
    ("1K+0C v 1K+0C", [11, 10]), ("1K+0C v 0K+1C", [11, 10]), ("0K+1C v 1K+0C", [5, 12]),
    ("0K+1C v 0K+1C", [13, 12]), ("2K+0C v 1K+0C", [33, 34]), ("2K+0C v 0K+1C", [33, 34]),
    ("1K+1C v 1K+0C", [47, 48]), ("1K+1C v 0K+1C", [47, 48]), ("0K+2C v 1K+0C", [61, 62]),
    ("0K+2C v 0K+1C", [61, 62]), ("2K+0C v 2K+0C", [49, 48]), ("2K+0C v 1K+1C", [95, 94]),
    ("2K+0C v 0K+2C", [89, 92]), ("1K+1C v 1K+1C", [103, 102]), ("1K+1C v 0K+2C", [107, 108]),
    ("0K+2C v 0K+2C", [109, 108]), ("3K+0C v 1K+0C", [29, 30]), ("3K+0C v 0K+1C", [27, 28]),
    ("2K+1C v 1K+0C", [41, 38]), ("2K+1C v 0K+1C", [37, 32]), ("1K+2C v 1K+0C", [53, 54]),
    ("1K+2C v 0K+1C", [41, 42]), ("0K+3C v 1K+0C", [59, 58]), ("0K+3C v 0K+1C", [55, 56]),
    ("3K+0C v 2K+0C", [67, 68]), ("3K+0C v 1K+1C", [89, 90]), ("3K+0C v 0K+2C", [81, 62]),
    ("2K+1C v 2K+0C", [147, 148]), ("2K+1C v 1K+1C", [139, 140]), ("2K+1C v 0K+2C", [93, 88]),
    ("1K+2C v 2K+0C", [149, 148]), ("1K+2C v 1K+1C", [159, 160]), ("1K+2C v 0K+2C", [111, 140]),
    ("0K+3C v 2K+0C", [155, 154]), ("0K+3C v 1K+1C", [161, 162]), ("0K+3C v 0K+2C", [155, 160]),
    ("4K+0C v 1K+0C", [29, 30]), ("4K+0C v 0K+1C", [23, 24]), ("3K+1C v 1K+0C", [29, 30]),
    ("3K+1C v 0K+1C", [25, 26]), ("2K+2C v 1K+0C", [37, 38]), ("2K+2C v 0K+1C", [31, 28]),
    ("1K+3C v 1K+0C", [43, 44]), ("1K+3C v 0K+1C", [39, 40]), ("0K+4C v 1K+0C", [51, 52]),
    ("0K+4C v 0K+1C", [49, 50]),
    ("3K+0C v 0K+3C", [149, 150]), ("2K+1C v 3K+0C", [147, 146]), ("2K+1C v 2K+1C", [153, 152]),
    ("2K+1C v 1K+2C", [161, 162]), ("2K+1C v 0K+3C", [155, 160]), ("1K+2C v 3K+0C", [151, 150]),
    ("1K+2C v 2K+1C", [161, 162]), ("1K+2C v 1K+2C", [167, 166]), ("1K+2C v 0K+3C", [163, 164]),
    ("0K+3C v 3K+0C", [149, 150]), ("0K+3C v 2K+1C", [155, 160]), ("0K+3C v 1K+2C", [163, 164]),
    ("0K+3C v 0K+3C", [161, 162]), ("4K+0C v 2K+0C", [67, 68]), ("4K+0C v 1K+1C", [87, 88]),
    ("4K+0C v 0K+2C", [51, 44]), ("3K+1C v 2K+0C", [135, 114]), ("3K+1C v 1K+1C", [91, 88]),
    ("3K+1C v 0K+2C", [95, 66]), ("2K+2C v 2K+0C", [147, 138]), ("2K+2C v 1K+1C", [143, 140]),
    ("2K+2C v 0K+2C", [99, 80]), ("1K+3C v 2K+0C", [149, 150]), ("1K+3C v 1K+1C", [153, 154]),
    ("1K+3C v 0K+2C", [109, 146]), ("0K+4C v 2K+0C", [155, 156]), ("0K+4C v 1K+1C", [153, 154]),
    ("0K+4C v 0K+2C", [153, 148]), ("0K+2C v 0K+4C", [153, 148]), ("3K+0C v 3K+0C", [73, 74]),
    ("3K+0C v 2K+1C", [147, 146]), ("3K+0C v 1K+2C", [151, 150]),
];

/// Rows of the table that are misprints, as they should be.
const MISPRINTS: [(&str, [i64; 2]); 3] =
    [("1K+0C v 0K+1C", [11, 12]), ("0K+1C v 1K+0C", [11, 12]), ("0K+1C v 0K+1C", [13, 6])];

/// Compares the table with the longest win and loss found for each side to move, of positions
/// without captures; returns how many rows there are.
pub fn table_is_as_printed(found: &BTreeMap<&str, [i64; 2]>) -> usize {
    let mut rows = 0;
    for (name, printed) in PRINTED {
        let (own, other) = name.split_once(" v ").unwrap();
        let Some(&mover) = found.get(name) else { continue };
        let both = [mover, found[format!("{other} v {own}").as_str()]];
        let larger = [both[0][0].max(both[1][0]), both[0][1].max(both[1][1])];
        let misprint = MISPRINTS.iter().find(|(row, _)| *row == name);
        let expected = misprint.map_or(printed, |(_, corrected)| *corrected);
        assert_eq!(larger, expected, "{name}");
        assert_eq!(misprint.is_some(), larger != printed, "{name}");
        rows += 1;
    }
    rows
}

/// The example that the table prints for two kings against one is no longest win: with the other
/// king on 14 instead of 19 it would be.
pub fn printed_example_is_shorter(values: &impl Values) {
    for (text, wins, plies) in
        [("B:WK19:BK1,K2", true, 29), ("W:WK19:BK1,K2", false, 34), ("B:WK14:BK1,K2", true, 33)]
    {
        let position = CHECKERS.parse(text).unwrap().position;
        let distance = Metric::Dtw.distance(values.of(&position).into()).unwrap();
        assert_eq!((distance.wins, distance.plies()), (wins, plies), "{text}");
    }
}
