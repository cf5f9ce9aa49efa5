//! Awari satisfies its laws, and its rules are those of the board game.

use nutcracker_game::combi::binomial;
use nutcracker_game::{Numbering, Rules, SliceId, law};
use nutcracker_games::awari::Awari;

#[test]
fn laws_hold_exhaustively_on_small_slices() {
    for (pits, stones) in [(2, 16), (3, 14), (4, 11), (5, 9), (6, 8)] {
        let (all, reachable) = (Awari::new(pits).unwrap(), Awari::reachable(pits).unwrap());
        for (awari, stones) in [(all, stones), (reachable, stones - 1)] {
            let report = law::check(&awari, (0..=stones).map(SliceId), u64::MAX).unwrap();
            assert!(report.exhaustive);
            assert!(report.unmoves > 0);
        }
    }
}

#[test]
fn laws_hold_on_samples_of_large_slices() {
    // From 23 stones on, sowings of two laps occur.
    for pits in [4, 6] {
        for awari in [Awari::new(pits).unwrap(), Awari::reachable(pits).unwrap()] {
            let last = awari.largest_slice().0.min(24);
            let report = law::check(&awari, (0..=last).map(SliceId), 2_000).unwrap();
            assert!(!report.exhaustive);
        }
    }
}

#[test]
fn the_reachable_index_omits_unreachable_positions() {
    let awari = Awari::reachable(6).unwrap();
    assert_eq!(awari.slice_len(SliceId(41)), 47_062_945_644);
    // The published number is one more: it includes the start position, which no move leads to
    // either.
    assert_eq!(awari.slice_len(SliceId(48)), 203_648_015_936 - 1);
    for stones in 0..=48u64 {
        let all = binomial(stones + 11, 11).unwrap();
        let left_out = binomial(stones + 5, 11).unwrap();
        assert_eq!(awari.slice_len(SliceId(stones as u32)), all - left_out);
    }
}

#[test]
fn moves_follow_the_rules() {
    let awari = Awari::new(6).unwrap();
    let play = |text: &str, name: &str| {
        let at = awari.parse(text).unwrap();
        let mut moves = Vec::new();
        awari.moves(&at.position, &mut moves);
        for mv in moves {
            let step = awari.play(&at.position, &mv);
            if awari.format_move(&at, &mv, &step) == name {
                return awari.format(&awari.advance(&at, &step));
            }
        }
        panic!("{name} is not a legal move of {text}");
    };
    // Sowing, around the corner.
    assert_eq!(play("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", "F4"), "4,4,4,4,4,0/5,5,5,5,4,4 N 0-0");
    assert_eq!(play("4,4,4,4,4,4/4,4,4,4,4,4 N 0-0", "f4"), "5,5,5,5,4,4/4,4,4,4,4,0 S 0-0");
    // A lap of twelve stones skips the pit of origin.
    assert_eq!(play("12,0,0,0,0,0/1,0,0,0,0,0 S 0-0", "A12"), "0,2,1,1,1,1/2,1,1,1,1,1 N 0-0");
    // Twos and threes are captured in unbroken sequence, and only on the opponent's side.
    assert_eq!(play("0,0,0,0,0,4/2,1,2,1,5,0 S 0-0", "F4x10"), "0,0,0,0,0,0/0,0,0,0,5,0 N 10-0");
    assert_eq!(play("0,0,0,0,0,3/2,4,1,0,0,0 S 1-2", "F3x2"), "0,0,0,0,0,0/3,5,0,0,0,0 N 3-2");
    assert_eq!(play("0,0,0,1,1,0/1,0,0,0,0,0 S 0-0", "D1"), "0,0,0,0,2,0/1,0,0,0,0,0 N 0-0");
}

#[test]
fn a_move_must_leave_the_opponent_a_stone() {
    let awari = Awari::new(6).unwrap();
    let legal = |text: &str| {
        let at = awari.parse(text).unwrap();
        let mut moves = Vec::new();
        awari.moves(&at.position, &mut moves);
        let names =
            moves.iter().map(|mv| awari.format_move(&at, mv, &awari.play(&at.position, mv)));
        names.collect::<Vec<_>>()
    };
    // North has nothing: only a move that gives a stone is legal.
    assert_eq!(legal("1,0,0,0,0,1/0,0,0,0,0,0 S"), ["F1"]);
    // No move can give one: any may be played.
    assert_eq!(legal("1,0,1,0,0,0/0,0,0,0,0,0 S"), ["A1", "C1"]);
    // A capture of everything is illegal while another move is legal, else it is legal.
    assert_eq!(legal("1,0,0,0,0,1/1,0,0,0,0,0 S"), ["A1"]);
    assert_eq!(legal("0,0,0,0,0,1/1,0,0,0,0,0 S"), ["F1x2"]);
    // Without stones the game is over.
    let over = awari.parse("0,0,0,0,0,0/1,0,2,0,0,0 S 40-5").unwrap();
    assert_eq!(awari.outcome(&over.position), Some(-3));
    assert!(legal("0,0,0,0,0,0/1,0,2,0,0,0 S").is_empty());
    assert_eq!(awari.final_result(&over, -3), Some([40.0, 8.0]));
}

#[test]
fn invalid_notation_is_explained() {
    let awari = Awari::new(6).unwrap();
    for (text, reason) in [
        ("", "empty"),
        ("4,4,4,4,4,4", "one '/'"),
        ("4,4,4,4,4/4,4,4,4,4,4", "South has 6 pits"),
        ("4,4,4,4,4,4/4,4,4,4,4,4,4", "North has 6 pits"),
        ("4,4,x,4,4,4/4,4,4,4,4,4", "\"x\" is not a number"),
        ("4,4,,4,4,4/4,4,4,4,4,4", "\"\" is not a number"),
        ("-1,4,4,4,4,4/4,4,4,4,4,4", "negative"),
        ("4,4,4,4,4,5/4,4,4,4,4,4", "49 stones"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 S 1-0", "49 stones"),
        ("999,4,4,4,4,4/4,4,4,4,4,4", "too many"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 W", "S or N"),
        ("4,4,4,4,4,4/4,4,4,4,4,0 S 4", "20-10"),
        ("4,4,4,4,4,4/4,4,4,4,4,0 S 1-1-1", "20-10"),
        ("4,4,4,4,4,4/4,4,4,4,4,0 S 1-1 x", "more than a position says"),
    ] {
        let error = awari.parse(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text:?}: {error}");
    }
    assert!(Awari::new(1).unwrap_err().contains("2 to 6"));
    assert!(Awari::new(7).is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[-0-9,/ SNx]{0,40}") {
        let _ = Awari::new(6).unwrap().parse(&text);
    }

    #[test]
    fn unmoves_and_moves_are_inverse_anywhere(stones in 0u32..=48, index in 0u64..u64::MAX) {
        let awari = Awari::new(6).unwrap();
        let index = index % awari.slice_len(SliceId(stones));
        let position = awari.unrank(SliceId(stones), index).unwrap();
        proptest::prop_assert_eq!(awari.rank(&position), index);
        let mut before = Vec::new();
        awari.unmoves(&position, &mut before);
        for earlier in &before {
            let mut steps = Vec::new();
            awari.steps(earlier, &mut steps);
            proptest::prop_assert!(steps.contains(&nutcracker_game::Step::quiet(position)));
        }
        let mut steps = Vec::new();
        awari.steps(&position, &mut steps);
        for step in steps.iter().filter(|step| step.next.stones() == stones as usize) {
            let mut back = Vec::new();
            awari.unmoves(&step.next, &mut back);
            proptest::prop_assert!(back.contains(&position));
        }
    }
}
