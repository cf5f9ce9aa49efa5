//! Connect four: published counts and results.

use std::collections::HashSet;

use nutcracker_game::{Metric, Numbering, Rules, SliceId, law};
use nutcracker_games::connect_four::ConnectFour;
use nutcracker_games::grid::Stones;
use nutcracker_search::{Empty, ExactLimits, exact_value};
use proptest::prelude::*;

use crate::solved::solved;

fn connect(columns: usize, rows: usize, connect: usize) -> ConnectFour {
    ConnectFour::new(columns, rows, connect).unwrap()
}

fn positions(game: &ConnectFour) -> u64 {
    (0..=game.largest_slice().0).map(|slice| game.reachable().count(SliceId(slice))).sum()
}

/// Published: 161,029 positions on 4×4 squares.
#[test]
fn the_laws_hold() {
    let game = connect(4, 4, 4);
    assert_eq!(positions(&game), 161_029);
    law::check(&game, [SliceId(16)], 2_000).unwrap();
    for (columns, rows, line) in [(3, 3, 3), (4, 3, 3), (2, 6, 2), (6, 2, 4)] {
        let game = connect(columns, rows, line);
        let report = law::check(&game, [game.largest_slice()], u64::MAX).unwrap();
        assert!(report.exhaustive);
        assert_eq!(report.positions, positions(&game));
    }
    law::check(&connect(7, 6, 4), [], 20_000).unwrap();
    law::check(&connect(8, 7, 4), [], 2_000).unwrap();
}

/// Published.
#[test]
#[ignore = "takes 20 seconds; scripts/test-long runs it"]
fn five_columns_of_five_have_69_763_700_positions() {
    assert_eq!(positions(&connect(5, 5, 4)), 69_763_700);
}

/// Published: the positions of the usual board by the number of stones.
#[test]
fn the_usual_board_stone_by_stone() {
    let game = connect(7, 6, 4);
    assert!(!game.has_databases());
    let mut layer = HashSet::from([game.start().position]);
    let mut steps = Vec::new();
    for (ply, expected) in [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859].into_iter().enumerate() {
        assert_eq!(layer.len(), expected, "{ply} stones");
        steps.clear();
        for stones in &layer {
            game.steps(stones, &mut steps);
        }
        layer = steps.iter().map(|step| step.next).collect();
    }
}

fn start_value(game: &ConnectFour) -> i8 {
    solved(game, Metric::Dtw, None, game.largest_slice()).pop().unwrap()[0]
}

/// Published: 4×4 squares are a draw. The values of smaller games by another search.
#[test]
fn small_boards_are_solved() {
    assert_eq!(start_value(&connect(4, 4, 4)), 0);
    for (columns, rows, line) in [(3, 3, 3), (4, 3, 3), (3, 4, 3), (2, 5, 3), (5, 2, 3)] {
        let game = connect(columns, rows, line);
        let searched = exact_value(&game, &game.start().position, &Empty, &ExactLimits::default());
        let score = searched.unwrap().unwrap().score;
        let value = i16::from(start_value(&game));
        assert_eq!(value.signum(), score, "{}", game.id());
    }
}

#[test]
fn notation_and_refusals() {
    let game = connect(4, 3, 3);
    let text = "..../.o../xxo. o";
    assert!(game.parse(text).is_err(), "there are two stones each");
    let situation = game.parse("..../.o../xxo. x").unwrap();
    assert_eq!(game.format(&situation), "..../.o../xxo. x");
    assert_eq!(game.draw(&situation), " . . . .\n . o . .\n x x o .\n a b c d\nx to move\n");
    for (text, message) in [
        ("..../x.../....", "a stone in column a has none below it"),
        (
            "..../.xx./.oo.",
            "no game leads here: the sides take turns, stones fall, and the first line ends it",
        ),
        (
            "..../ooo./xxx.",
            "no game leads here: the sides take turns, stones fall, and the first line ends it",
        ),
    ] {
        assert_eq!(game.parse(text).unwrap_err().to_string(), message, "{text}");
    }
    for (columns, rows, line, message) in [
        (1, 6, 4, "connect-four has 2 to 20 columns and rows, not 1 and 6"),
        (4, 4, 5, "a winning line has 2 to 4 stones on this board, not 5"),
        (4, 4, 1, "a winning line has 2 to 4 stones on this board, not 1"),
    ] {
        assert_eq!(ConnectFour::new(columns, rows, line).unwrap_err(), message);
    }
    assert_eq!(game.id().to_string(), "connect-four (columns=4,rows=3,connect=3)");
}

/// What the notation takes for a position is what play from the start leads to.
#[test]
fn positions_that_arise_are_those_that_are_read() {
    let game = connect(3, 3, 3);
    let read = |code: u32| {
        let symbol = |square: u32| char::from(b".xo"[(code / 3u32.pow(square) % 3) as usize]);
        let row = |row: u32| (3 * row..3 * row + 3).map(symbol).collect::<String>();
        game.parse(&[row(0), row(1), row(2)].join("/"))
    };
    let stones: HashSet<Stones> =
        (0..3u32.pow(9)).filter_map(|code| read(code).ok()).map(|read| read.position).collect();
    assert_eq!(stones.len() as u64, positions(&game));
    assert!(
        stones
            .iter()
            .all(|stones| { game.reachable().contains(game.slice_of(stones), game.rank(stones)) })
    );
}

proptest! {
    /// Along random games, a win is found by looking from every square in every direction.
    #[test]
    fn games_end_with_the_first_line(
        (columns, rows, line) in prop::sample::select(vec![(7, 6, 4), (8, 7, 4), (5, 4, 3)]),
        chances in prop::collection::vec(any::<prop::sample::Index>(), 56),
    ) {
        let game = connect(columns, rows, line);
        let mut board: Vec<Vec<char>> = vec![Vec::new(); columns];
        let mut at = game.start();
        for (chance, mark) in chances.iter().zip("xo".chars().cycle()) {
            let mut moves = Vec::new();
            game.moves(&at.position, &mut moves);
            let wins = |mark: char| {
                let get = |c: isize, r: isize| {
                    board.get(usize::try_from(c).ok()?)?.get(usize::try_from(r).ok()?)
                };
                (0..columns as isize).any(|c| (0..rows as isize).any(|r| {
                    [(0, 1), (1, -1), (1, 0), (1, 1)].iter().any(|(dc, dr)| {
                        (0..line as isize).all(|i| get(c + i * dc, r + i * dr) == Some(&mark))
                    })
                }))
            };
            let last = if mark == 'x' { 'o' } else { 'x' };
            let expected = if wins(last) {
                Some(-1)
            } else {
                board.iter().all(|column| column.len() == rows).then_some(0)
            };
            prop_assert_eq!(game.outcome(&at.position), expected);
            prop_assert_eq!(game.parse(&game.format(&at)), Ok(at));
            prop_assert_eq!(moves.is_empty(), expected.is_some());
            if expected.is_some() {
                break;
            }
            let mv = *chance.get(&moves);
            board[usize::from(mv)].push(mark);
            at = game.advance(&at, &game.play(&at.position, &mv));
        }
    }
}
