//! Tic-tac-toe: published counts, and its solution.

use std::collections::HashSet;

use nutcracker_game::{Metric, Numbering, Rules, SliceId, law};
use nutcracker_games::grid::Stones;
use nutcracker_games::tic_tac_toe::TicTacToe;

use crate::solved::solved;

/// Published: 765 positions up to symmetry, 138 of them the end of a game and 3 of these draws.
#[test]
fn the_laws_hold_for_765_positions() {
    let report = law::check(&TicTacToe, [SliceId(9)], u64::MAX).unwrap();
    assert!(report.exhaustive);
    assert_eq!(report.positions, 765);
    let positions = (0..=9).map(SliceId).flat_map(|slice| {
        (0..TicTacToe.slice_len(slice)).filter_map(move |index| TicTacToe.unrank(slice, index))
    });
    let ends: Vec<_> = positions.filter_map(|position| TicTacToe.outcome(&position)).collect();
    assert_eq!(ends.len(), 138);
    assert_eq!(ends.iter().filter(|&&score| score == 0).count(), 3);
}

fn visit(stones: &Stones, seen: &mut HashSet<Stones>, games: &mut [u32; 3]) {
    seen.insert(*stones);
    if let Some(score) = TicTacToe.outcome(stones) {
        let winner = if score == 0 { 0 } else { 1 + stones.occupied().count_ones() as usize % 2 };
        games[winner] += 1;
    }
    let mut steps = Vec::new();
    TicTacToe.steps(stones, &mut steps);
    for step in steps {
        visit(&step.next, seen, games);
    }
}

/// Published: 5,478 positions, and 255,168 games, of which x wins 131,184 and o 77,904.
#[test]
fn every_game_is_played() {
    let (mut seen, mut games) = (HashSet::new(), [0; 3]);
    visit(&Stones::default(), &mut seen, &mut games);
    assert_eq!(seen.len(), 5_478);
    assert_eq!(games, [46_080, 77_904, 131_184]);
    // What the index takes for a position is what arises in play.
    let canonical: HashSet<_> = seen.iter().map(|stones| TicTacToe.canonical(stones)).collect();
    assert_eq!(canonical.len(), 765);
    assert!(canonical.iter().all(|stones| {
        TicTacToe.unrank(TicTacToe.slice_of(stones), TicTacToe.rank(stones)) == Some(*stones)
    }));
}

#[test]
fn it_is_a_draw() {
    let values = solved(&TicTacToe, Metric::Dtw, None, SliceId(9));
    let value = |text: &str| {
        let stones = TicTacToe.parse(text).unwrap().position;
        let slice = TicTacToe.slice_of(&stones).0 as usize;
        i16::from(values[slice][TicTacToe.rank(&stones) as usize])
    };
    assert_eq!(value(".../.../... x"), 0);
    // A corner is answered in the centre, and nowhere else.
    assert_eq!(value("x../.o./... x"), 0);
    for wrong in ["xo./.../...", "x.o/.../...", "x../..o/...", "x../.../..o"] {
        assert!(value(wrong) > 0, "{wrong}");
    }
    // x completes a row with the next stone; o cannot stop two rows at once.
    assert_eq!(Metric::Dtw.distance(value("xx./oo./... x")).unwrap().plies(), 1);
    assert_eq!(Metric::Dtw.distance(value("xox/.../o.x o")).unwrap().plies(), 2);
}

#[test]
fn notation_and_refusals() {
    let start = TicTacToe.parse("3/.x./3").unwrap();
    assert_eq!(TicTacToe.format(&start), ".../.x./... o");
    assert_eq!(TicTacToe.draw(&start), "1 . . .\n2 . x .\n3 . . .\n  a b c\no to move\n");
    let mut moves = Vec::new();
    TicTacToe.moves(&start.position, &mut moves);
    let name = |mv| TicTacToe.format_move(&start, mv, &TicTacToe.play(&start.position, mv));
    let names: Vec<String> = moves.iter().map(name).collect();
    assert_eq!(names, ["a3", "a2", "a1", "b3", "b1", "c3", "c2", "c1"]);
    for (text, message) in [
        ("", "the position is empty"),
        ("../...", "the board has 3 rows with '/' between, and \"../...\" has 2"),
        ("..../.../...", "row \"....\" has 4 squares, and the board has 3"),
        ("..y/.../...", "\"..y\" has 'y'; a row is written with x, o, and . for an empty square"),
        (
            "xx./.../...",
            "x begins and the sides take turns: there cannot be 2 stones of x and 0 of o",
        ),
        (".../.x./... x", "with 1 stone of x and 0 of o it is the turn of o, not of \"x\""),
        ("3/3/3 x x", "\"x\" is more than a position says"),
        ("xxx/ooo/...", "no game leads here: the first line ends it"),
        ("xxx/oo./o..", "no game leads here: the first line ends it"),
    ] {
        assert_eq!(TicTacToe.parse(text).unwrap_err().to_string(), message, "{text:?}");
    }
}
