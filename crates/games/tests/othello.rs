//! Othello satisfies its laws, its perft counts are the published ones, and its values are those of
//! plain minimax.

use std::collections::HashMap;

use nutcracker_game::perft::perft;
use nutcracker_game::{Numbering, Rules, Score, Side, Situation, SliceId, law};
use nutcracker_games::othello::{Discs, Move, Othello};
use nutcracker_search::{Empty, ExactLimits, exact_value};

#[test]
fn laws_hold() {
    let small = Othello::new(4).unwrap();
    let report = law::check(&small, (0..=0).map(SliceId), u64::MAX).unwrap();
    assert!(report.exhaustive);
    let report = law::check(&small, (0..=12).map(SliceId), 5_000).unwrap();
    assert!(report.unmoves > 0 && !report.exhaustive);
    for size in [6, 8] {
        let othello = Othello::new(size).unwrap();
        assert!(!othello.has_databases());
        let report = law::check(&othello, (0..=12).map(SliceId), 5_000).unwrap();
        assert!(report.positions >= 5_000 && report.unmoves > 0);
        assert!(report.slices as usize > size * size - 8);
    }
}

#[test]
fn every_board_has_an_index() {
    let othello = Othello::new(4).unwrap();
    let mut all = 0;
    for slice in (0..=12).map(SliceId) {
        let len = othello.slice_len(slice);
        for index in (0..len).step_by(1 + slice.0 as usize * 7) {
            let discs = othello.unrank(slice, index).unwrap();
            assert_eq!(othello.slice_of(&discs), slice);
            assert_eq!(othello.rank(&discs), index);
        }
        all += len;
    }
    // 3^16 colourings without those with fewer than four discs.
    assert_eq!(all, 3u64.pow(16) - 1 - 16 * 2 - 120 * 4 - 560 * 8);
}

#[test]
fn perft_counts_are_the_published_ones() {
    let othello = Othello::new(8).unwrap();
    let start = othello.start().position;
    let known = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216];
    for (depth, count) in (0..).zip(known) {
        assert_eq!(perft(&othello, &start, depth), count, "depth {depth}");
    }
}

/// The score by the definition alone.
fn minimax(othello: &Othello, discs: Discs, known: &mut HashMap<Discs, Score>) -> Score {
    if let Some(score) = othello.outcome(&discs) {
        return score;
    }
    if let Some(&score) = known.get(&discs) {
        return score;
    }
    let mut moves = Vec::new();
    othello.moves(&discs, &mut moves);
    let values = moves.iter().map(|mv| -minimax(othello, othello.play(&discs, mv).next, known));
    let score = values.max().expect("a position that is not over has a move");
    known.insert(discs, score);
    score
}

#[test]
fn the_small_board_is_lost_for_black() {
    let othello = Othello::new(4).unwrap();
    let start = othello.start();
    let score = minimax(&othello, start.position, &mut HashMap::new());
    // White wins by eleven discs to three with two squares empty.
    assert_eq!(score, -10);
    assert_eq!(othello.final_result(&start, score), Some([3.0, 13.0]));
    let solved = exact_value(&othello, &start.position, &Empty, &ExactLimits::default());
    let solved = solved.unwrap().expect("no limit was set");
    assert_eq!(solved.score, score);
    assert_eq!(solved.best.len(), 4, "the first move is the same by symmetry");
}

fn play_all(othello: &Othello, names: &[&str]) -> Situation<Discs> {
    names.iter().fold(othello.start(), |at, name| {
        let mut moves = Vec::new();
        othello.moves(&at.position, &mut moves);
        let mv = moves
            .iter()
            .find(|mv| othello.format_move(&at, mv, &othello.play(&at.position, mv)) == *name);
        let mv = mv.unwrap_or_else(|| panic!("{name} is not legal in {}", othello.format(&at)));
        othello.advance(&at, &othello.play(&at.position, mv))
    })
}

#[test]
fn moves_follow_the_rules() {
    let othello = Othello::new(8).unwrap();
    // The shortest game: Black captures everything with the ninth disc.
    let end = play_all(&othello, &["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]);
    assert_eq!(end.position.own, 0);
    assert_eq!(othello.outcome(&end.position), Some(-64));
    assert_eq!(othello.final_result(&end, -64), Some([64.0, 0.0]));
    // A side that can flip nothing passes, and the other continues.
    let stuck = othello.parse("xo6/8/8/8/8/8/8/xoo5 o").unwrap();
    let mut moves = Vec::new();
    othello.moves(&stuck.position, &mut moves);
    assert_eq!(moves, [Move::Pass]);
    let step = othello.play(&stuck.position, &Move::Pass);
    assert_eq!(othello.format_move(&stuck, &Move::Pass, &step), "pass");
    assert_eq!(othello.format(&othello.advance(&stuck, &step)), "xo6/8/8/8/8/8/8/xoo5 x");
    // Neither can move: equal counts stay equal, whatever is empty.
    let level = othello.parse("xx6/8/8/8/8/8/8/oo6 o").unwrap();
    assert_eq!(othello.outcome(&level.position), Some(0));
}

#[test]
fn notation() {
    let othello = Othello::new(4).unwrap();
    let at = othello.parse(".Xo./1xo1/4/xoox O").unwrap();
    assert_eq!(othello.format(&at), "1xo1/1xo1/4/xoox o");
    assert_eq!(at.mover, Side::Second);
    assert_eq!(
        othello.draw(&at),
        "   a b c d\n 1 * x o .\n 2 * x o .   Black x 4\n 3 * . . .   White o 4, to move\n \
         4 x o o x\n"
    );
    for (text, reason) in [
        ("", "empty"),
        ("4/4/4", "4 rows"),
        ("4/4/4/4/4", "4 rows"),
        ("xxxx/4/5/4", "5 squares"),
        ("xxxx/4/xo/4", "2 squares"),
        ("xxxx/4/xooooooooooooooooooxx/4", "21 squares"),
        ("xxxx/4/xoz1/4", "'z'"),
        ("xxxx/4/xo0oo/4", "'0'"),
        ("xxxx/4/4/4 w", "x (Black) or o (White)"),
        ("xxxx/4/4/4 x now", "more than a position says"),
        ("xxx1/4/4/4 x", "at least the 4 discs"),
    ] {
        let error = othello.parse(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text:?}: {error}");
    }
    assert!(Othello::new(5).unwrap_err().contains("4, 6 or 8"));
    assert!(Othello::new(10).is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[xo.0-9/ é]{0,80}") {
        for size in [4, 6, 8] {
            let _ = Othello::new(size).unwrap().parse(&text);
        }
    }
}
