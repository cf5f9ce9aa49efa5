//! Fox and hounds: its laws, its published values, and two solvers that agree.

use nutcracker_any::{AnyGame, Registered};
use nutcracker_game::{Metric, Numbering, Rules, law};
use nutcracker_games::fox_and_hounds::FoxAndHounds;
use nutcracker_retro::SolverName;

use crate::solved::solved_any;

fn game(size: usize) -> AnyGame {
    FoxAndHounds::new(size).unwrap().erase()
}

#[test]
fn the_laws_hold() {
    for (size, positions) in [(4, 324), (6, 23_400)] {
        let game = game(size);
        let report = law::check(&game, [game.largest_slice()], u64::MAX).unwrap();
        assert!(report.exhaustive);
        assert_eq!(report.positions, positions);
    }
}

/// Published by J. Leslie-Hurd (github.com/gilith/solve) in plies, for the same rules: the hounds
/// win on the smallest board and the fox on the next; the hounds win the last position.
#[test]
fn published_values() {
    let values = |size, text: &str| {
        let game = game(size);
        let values = solved_any(&game, Metric::Dtw, None, game.largest_slice());
        let position = game.parse(text).unwrap().position;
        let slice = game.slice_of(&position).0 as usize;
        Metric::Dtw.distance(values[slice][game.rank(&position) as usize].into()).unwrap()
    };
    let start = values(4, "c1 b4,d4 fox");
    assert_eq!((start.wins, start.plies()), (false, 8));
    assert!(values(6, "c1 b6,d6,f6 fox").wins);
    let late = values(6, "a3 a5,d6,f6 pack");
    assert_eq!((late.wins, late.plies()), (true, 17));
}

#[test]
fn one_pass_and_un_moves_agree() {
    let game = game(6);
    let by = |solver| solved_any(&game, Metric::Dtw, Some(solver), game.largest_slice());
    assert_eq!(by(SolverName::OnePass), by(SolverName::Memory));
}

#[test]
fn notation_and_refusals() {
    let game = FoxAndHounds::new(4).unwrap();
    let start = game.start();
    assert_eq!(game.format(&start), "c1 b4,d4 fox");
    assert_eq!(
        game.draw(&start),
        "4   h   h\n3 .   .\n2   .   .\n1 .   F\n  a b c d\nFox to move\n"
    );
    for (text, message) in [
        ("", "a position is the fox, the hounds and who is to move"),
        ("c2 b4,d4 fox", "\"c2\" is not a dark square"),
        ("c1 b4,d5 fox", "\"d5\" is not a dark square"),
        ("c1 b4,d4 dog", "fox or pack moves, not \"dog\""),
        ("b4 b4,d4 fox", "no game leads here: count the pieces and their steps"),
        ("c1 b4 fox", "no game leads here: count the pieces and their steps"),
        ("c1 b2,d2,b4,d4 fox", "no game leads here: count the pieces and their steps"),
    ] {
        assert_eq!(game.parse(text).unwrap_err().to_string(), message, "{text:?}");
    }
    for size in [0, 5, 10] {
        assert!(FoxAndHounds::new(size).unwrap_err().contains("4, 6 or 8"), "{size}");
    }
}
