//! Wythoff's game and its relatives: lost positions by solving and by their recurrence.

use nutcracker_any::{Options, Registered};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, law};
use nutcracker_games::piles::Piles;
use nutcracker_games::wythoff::{Variant, Wythoff};
use nutcracker_retro::{SolverName, fit_solvers};

use crate::solved::solved;

const ALL: SliceId = SliceId(0);

const VARIANTS: [Variant; 10] = [
    Variant::Constant(1),
    Variant::Constant(2),
    Variant::Constant(5),
    Variant::G1,
    Variant::G2,
    Variant::G3,
    Variant::Ex1,
    Variant::Ex2,
    Variant::Ex3,
    Variant::Ex4,
];

fn piles(x: i32, y: i32) -> Piles {
    let mut piles = Piles::default();
    (piles[0], piles[1]) = (x as u8, y as u8);
    piles
}

/// The lost positions with no pile beyond `largest`, by the recurrence: the least number that is in
/// no pair yet, and the difference of the pair before, wider by the bound.
fn pairs(variant: Variant, largest: i32) -> Vec<(i32, i32)> {
    let mut pairs = vec![(0, 0)];
    loop {
        let &(a, b) = pairs.last().unwrap();
        let next = (a + 1..a + 3).find(|n| pairs.iter().all(|(_, b)| n != b)).unwrap();
        // In one variant the second numbers double: beyond any pile it does not matter how large.
        let pair = (next, (variant.bound(a, b, next) + b - a + next).min(1 << 20));
        if next > largest {
            return pairs;
        }
        pairs.push(pair);
    }
}

/// The second piles of the published tables, the last row as its own recurrence has it: the printed
/// one has two errors.
#[test]
fn the_recurrence_gives_the_published_sequences() {
    let g3 =
        |n: usize| [0, 1, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19][n] + (1 << n) - 1;
    let g3: [i32; 17] = std::array::from_fn(g3);
    for (variant, expected) in [
        (Variant::G1, [0, 2, 6, 11, 17, 25, 34, 44, 55, 68, 82, 97, 113, 130, 149, 169, 190]),
        (Variant::G2, [0, 2, 6, 8, 10, 14, 18, 22, 24, 26, 30, 32, 34, 38, 40, 42, 46]),
        (
            Variant::G3,
            [0, 2, 6, 11, 20, 38, 71, 136, 265, 523, 1036, 2061, 4110, 8207, 16400, 32785, 65554],
        ),
        (Variant::Ex1, [0, 2, 7, 12, 18, 25, 35, 45, 56, 68, 83, 98, 114, 131, 149, 170, 191]),
        (Variant::Ex2, [0, 4, 8, 12, 18, 22, 26, 32, 36, 40, 46, 50, 54, 58, 62, 68, 72]),
        (Variant::Ex3, [0, 4, 10, 14, 21, 25, 27, 31, 33, 38, 44, 48, 55, 59, 61, 65, 67]),
        (Variant::Ex4, [0, 2, 5, 7, 18, 33, 51, 53, 75, 77, 103, 105, 135, 137, 171, 174, 176]),
        (Variant::Constant(1), [0, 2, 5, 7, 10, 13, 15, 18, 20, 23, 26, 28, 31, 34, 36, 39, 41]),
    ] {
        let found: Vec<i32> = pairs(variant, 40).iter().map(|&(_, b)| b).take(17).collect();
        assert_eq!(found, expected, "{variant:?}");
        assert!(variant != Variant::G3 || expected == g3);
    }
}

#[test]
fn solving_finds_the_lost_positions() {
    for variant in VARIANTS {
        lost_positions_are_the_pairs(variant, 36);
    }
    // All 17 published pairs of these variants.
    for variant in [Variant::Constant(1), Variant::G2, Variant::Ex2, Variant::Ex3] {
        lost_positions_are_the_pairs(variant, 72);
    }
}

/// All 17 published pairs of every variant but one have piles of at most 191.
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn solving_finds_all_published_positions() {
    for variant in VARIANTS {
        lost_positions_are_the_pairs(variant, 191);
    }
}

fn lost_positions_are_the_pairs(variant: Variant, largest: i32) {
    let game = Wythoff::new(variant, largest as usize).unwrap();
    let values = solved(&game, Metric::Wdl, None, ALL).remove(0);
    let mut lost = Vec::new();
    for (index, &value) in (0..).zip(&values) {
        let [x, y, ..] = game.unrank(ALL, index).unwrap();
        assert!(value == 1 || value == -1, "{x},{y} of {variant:?}");
        if value == -1 {
            lost.push((i32::from(x), i32::from(y)));
        }
    }
    lost.sort_unstable();
    let mut expected = pairs(variant, largest);
    expected.retain(|&(_, b)| b <= largest);
    assert_eq!(lost, expected, "{variant:?}");
}

/// From every other position a rule leads to a lost one: from a pile that is the larger of a pair to
/// that pair; from one that is the smaller, down to its pair, or from both to the first pair whose
/// difference is near enough.
#[test]
fn the_winning_rule_wins() {
    const LARGEST: i32 = 60;
    for variant in VARIANTS {
        let game = Wythoff::new(variant, LARGEST as usize).unwrap();
        let pairs = pairs(variant, LARGEST);
        for y in 0..=LARGEST {
            for x in (0..=y).filter(|&x| !pairs.contains(&(x, y))) {
                let n = pairs.iter().position(|&(a, b)| x == a || x == b).unwrap();
                let (a, b) = pairs[n];
                let to = if x == b && a != b {
                    (b, a)
                } else if y > b {
                    (a, b)
                } else {
                    let near = |&&(am, bm): &&(i32, i32)| {
                        (bm - am..bm - am + variant.bound(am, bm, a)).contains(&(y - a))
                    };
                    *pairs[..n].iter().find(near).unwrap()
                };
                let mut steps = Vec::new();
                game.steps(&piles(x, y), &mut steps);
                let to = piles(to.0, to.1);
                let played = steps.iter().any(|step| step.next == to);
                assert!(played, "{variant:?} from {x},{y} to {to:?}");
            }
        }
    }
}

/// Piles that are alike make several moves to one position, which counts once.
#[test]
fn laws_hold() {
    for variant in VARIANTS {
        let game = Wythoff::new(variant, 12).unwrap();
        let report = law::check(&game, [ALL], u64::MAX).unwrap();
        assert!(report.exhaustive && report.unmoves > 0);
        assert_eq!(report.positions, 91);
    }
}

#[test]
fn every_solver_finds_the_same() {
    for variant in [Variant::Constant(1), Variant::G3, Variant::Ex3] {
        let game = Wythoff::new(variant, 13).unwrap();
        for (metric, least) in [(Metric::Dtw, 3), (Metric::Wdl, 7)] {
            let expected = solved(&game, metric, Some(SolverName::OnePass), ALL);
            let fit = fit_solvers(&game, ALL, Some(metric));
            assert!(fit.len() >= least, "{fit:?}");
            for solver in fit {
                assert!(solved(&game, metric, Some(solver), ALL) == expected, "{solver}");
            }
        }
    }
}

#[test]
fn options_and_refusals() {
    let game = |given: &[(&str, &str)]| {
        let mut options = Options::new();
        for &(name, value) in given {
            options.set(name, value);
        }
        Wythoff::from_options(&options).map(|game| game.id().to_string())
    };
    assert_eq!(game(&[]).unwrap(), "wythoff (variant=wythoff,within=1,largest=100)");
    assert_eq!(
        game(&[("variant", "ex2"), ("largest", "9")]).unwrap(),
        "wythoff (variant=ex2,within=1,largest=9)"
    );
    for (given, message) in [
        (("within", "0"), "the numbers taken from both piles differ by less than 1 at least"),
        (("largest", "255"), "the largest pile of wythoff is 1 to 254, not 255"),
        (("variant", "g4"), "a variant is wythoff, g1, g2, g3, ex1, ex2, ex3 or ex4, not \"g4\""),
    ] {
        assert_eq!(game(&[given]).unwrap_err(), message);
    }
    let both = game(&[("variant", "g1"), ("within", "2")]).unwrap_err();
    assert_eq!(both, "--within is for variant wythoff, not for g1");
    let game = Wythoff::new(Variant::G1, 9).unwrap();
    for (text, message) in [
        ("", "there are 2 piles, with commas between, and \"\" has 1"),
        ("3,10", "a pile has 0 to 9 counters, not \"10\""),
        ("3,9 x", "the side to move is first or second, not \"x\""),
        ("3,9 first x", "\"x\" is more than a position says"),
    ] {
        assert_eq!(game.parse(text).unwrap_err().to_string(), message);
    }
    let at = game.parse("3,0 second").unwrap();
    assert_eq!(game.parse(&game.format(&at)), Ok(at));
    assert_eq!(game.draw(&at), "a   3 ooo\nb   0 \nsecond to move\n");
}
