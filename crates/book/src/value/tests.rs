use super::*;
use proptest::prelude::*;

/// The values of a game of wins, draws and losses as the literature writes them, and their
/// propagation case by case: an independent implementation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Paper {
    Win,
    Loss,
    Draw,
    H(i32),
    AtLeast(i32),
    AtMost(i32),
    Cycle(Option<i32>, Option<i32>),
}
use Paper::{AtLeast, AtMost, Cycle as Round, Draw, H, Loss, Win};

impl Paper {
    fn value(self) -> Value {
        match self {
            Win => Value::exact(1),
            Loss => Value::exact(-1),
            Draw => Value::exact(0),
            H(h) => Value::guess(h, 1),
            AtLeast(a) => Value::at_least(0, a, 1),
            AtMost(a) => Value::at_most(0, a, 1),
            Round(other, own) => Value::cycle(other, own, 1),
        }
    }

    fn normal(self) -> Self {
        match self {
            Round(None, None) => Draw,
            Round(None, Some(own)) => AtLeast(own),
            Round(Some(other), None) => AtMost(other),
            other => other,
        }
    }

    fn propagate(moves: &[Paper]) -> Paper {
        let all: Vec<Paper> = moves.iter().map(|v| v.normal()).filter(|v| *v != Loss).collect();
        if all.contains(&Win) {
            return Win;
        }
        if all.is_empty() {
            return Loss;
        }
        let is = |f: fn(&Paper) -> bool| all.iter().any(f);
        let (h, at_least) = (is(|v| matches!(v, H(_))), is(|v| matches!(v, AtLeast(_))));
        let (round, at_most) = (is(|v| matches!(v, Round(..))), is(|v| matches!(v, AtMost(_))));
        if all.contains(&Draw) || at_least {
            if !h && !at_least && !round {
                return Draw;
            }
            let attributes = all.iter().filter_map(|v| match v {
                H(h) | AtLeast(h) => Some(*h),
                Round(..) => Some(0),
                _ => None,
            });
            return AtLeast(attributes.max().unwrap());
        }
        if at_most && !h && !round {
            let attributes =
                all.iter().filter_map(|v| if let AtMost(a) = v { Some(*a) } else { None });
            return AtMost(attributes.max().unwrap());
        }
        let best_h = all.iter().filter_map(|v| if let H(h) = v { Some(*h) } else { None }).max();
        if round && !at_most && best_h.is_none_or(|h| h < 0) {
            let rounds = all.iter().filter_map(|v| match v {
                Round(other, own) => Some((other.unwrap(), own.unwrap())),
                _ => None,
            });
            let other = rounds.clone().map(|(other, _)| other).min().unwrap();
            let own = rounds.map(|(_, own)| own).chain(best_h).max().unwrap();
            return Round(Some(other), Some(own));
        }
        let attributes = all.iter().map(|v| match *v {
            H(h) => h,
            AtMost(a) => a.min(0),
            _ => 0,
        });
        H(attributes.max().unwrap())
    }
}

fn all_values() -> Vec<Paper> {
    let mut all = vec![Win, Loss, Draw];
    for h in -2..=2 {
        all.extend([H(h), AtLeast(h), AtMost(h)]);
    }
    for other in [None, Some(1), Some(2)] {
        all.extend([None, Some(-1), Some(-2)].map(|own| Round(other, own)));
    }
    all
}

fn propagate(moves: &[Paper]) -> Value {
    super::propagate(moves.iter().map(|v| v.value())).unwrap()
}

#[test]
fn wins_draws_and_losses_are_the_special_case() {
    let all = all_values();
    for &a in &all {
        assert_eq!(propagate(&[a]), Paper::propagate(&[a]).value(), "{a:?}");
        for &b in &all {
            for &c in &all {
                let moves = [a, b, c];
                assert_eq!(propagate(&moves), Paper::propagate(&moves).value(), "{moves:?}");
            }
        }
    }
}

#[test]
fn negation_is_its_own_inverse_and_turns_bounds() {
    for v in all_values() {
        let value = v.value();
        assert_eq!(value.negated().negated(), value);
        assert_eq!(value.normal().negated(), value.negated().normal());
    }
    assert_eq!(AtLeast(2).value().negated(), AtMost(-2).value());
    assert_eq!(Round(Some(2), Some(-1)).value().negated(), Round(Some(1), Some(-2)).value());
    assert_eq!(Win.value().negated(), Loss.value());
}

/// Figure 4.11: of two values that the diagram orders, the larger one is propagated.
#[test]
fn the_hasse_diagram() {
    let below = |a: Paper, b: Paper| match (a, b) {
        (Loss, _) | (_, Win) | (AtMost(_), Draw | AtLeast(_)) | (Draw, AtLeast(_)) => true,
        (H(a), H(b) | AtLeast(b)) | (AtLeast(a), AtLeast(b)) | (AtMost(a), AtMost(b) | H(b)) => {
            a <= b
        }
        _ => false,
    };
    for a in all_values() {
        for b in all_values() {
            if !matches!(a, Round(..)) && !matches!(b, Round(..)) && below(a, b) {
                assert_eq!(propagate(&[a, b]), b.value(), "{a:?} below {b:?}");
            }
        }
    }
    // The two incomparable pairs.
    assert_eq!(propagate(&[AtLeast(-1), H(2)]), AtLeast(2).value());
    assert_eq!(propagate(&[AtMost(2), H(-1)]), H(0).value());
}

/// Figures 4.5 to 4.10, from the maximising player's point of view.
#[test]
fn a_proven_draw_is_kept() {
    assert_eq!(propagate(&[Draw, H(0)]), AtLeast(0).value());
    assert_eq!(propagate(&[Draw, H(9)]), AtLeast(9).value());
    let below = propagate(&[Draw, H(0)]).negated();
    let solved = super::propagate([below, Value::exact(0)]).unwrap();
    assert_eq!(solved.score(), Some(0));
}

#[test]
fn scores_have_bounds_of_any_size() {
    let max = 10;
    let value = |moves: &[Value]| super::propagate(moves.iter().copied()).unwrap();
    // A proven +3 beside a guess: at least 3.
    assert_eq!(value(&[Value::exact(3), Value::guess(120, max)]), Value::at_least(3, 120, max));
    // The opponent can hold one move down to 2; the other may be worth more.
    assert_eq!(value(&[Value::at_most(2, 500, max), Value::guess(100, max)]).estimate(), 200);
    // A capture of two stones into a cycle: its centre moves.
    let cycle = Value::cycle(Some(70), Some(-30), 8).through(2, Turn::Passes);
    assert_eq!(cycle.cycle, Some(Cycle { centre: 2, other: Some(230), own: Some(130) }));
    // A cycle without capture is a worse exit.
    let both = value(&[cycle, Value::cycle(Some(70), Some(-30), max)]);
    assert_eq!(both.cycle, Some(Cycle { centre: 2, other: Some(230), own: Some(130) }));
    // Proven scores below the centre are worse exits, and still bounds.
    let bounded = value(&[Value::cycle(Some(70), Some(-30), max), Value::exact(-4)]);
    assert_eq!((bounded.lower, bounded.cycle.unwrap().own), (-4, Some(-30)));
}

#[test]
fn values_for_people() {
    let texts = [
        (Value::exact(0), "0"),
        (Value::exact(-3), "-3"),
        (Value::guess(-125, 24), "~-1.25"),
        (Value::at_least(0, 120, 24), "~+1.20, ≥ 0"),
        (Value::at_most(2, -30, 24), "~-0.30, ≤ 2"),
        (Value::cycle(Some(110), Some(-70), 24), "~+0.00 (cycle, +1.10 or -0.70)"),
        (Value::at_least(0, -30, 24), "≥ 0 (else ~-0.30)"),
    ];
    for (value, text) in texts {
        assert_eq!(value.text(24), text);
    }
}

const MAX: Score = 12;

/// Any value that a book can hold.
fn any_value() -> impl Strategy<Value = Value> {
    let bounds = (-MAX..=MAX, -MAX..=MAX).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let wide = Just((-MAX, MAX));
    let bounds = prop_oneof![2 => wide, 1 => bounds];
    let plain = (bounds.clone(), -1300..=1300).prop_map(|((lower, upper), heuristic)| {
        Value { lower, upper, heuristic, cycle: None }.normal()
    });
    let end =
        |side: i32| proptest::option::weighted(0.9, 1..400).prop_map(move |h| h.map(|h| side * h));
    let round =
        (bounds, -2..=2_i16, end(1), end(-1)).prop_map(|((lower, upper), centre, other, own)| {
            let base = hundredths(centre);
            let cycle =
                Cycle { centre, other: other.map(|h| base + h), own: own.map(|h| base + h) };
            Value { lower, upper, heuristic: base, cycle: Some(cycle) }.normal()
        });
    prop_oneof![2 => plain, 1 => round]
}

fn moves() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::vec(any_value(), 1..6)
}

/// What must be equal for two values to be of one kind.
fn kind(v: &Value) -> (Score, Score, Option<(Score, bool, bool)>) {
    (v.lower, v.upper, v.cycle.map(|c| (c.centre, c.other.is_some(), c.own.is_some())))
}

proptest! {
    #[test]
    fn the_order_of_moves_is_irrelevant(moves in moves(), seed in any::<u64>()) {
        let mut shuffled = moves.clone();
        let mut state = seed | 1;
        for i in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(i, (state >> 33) as usize % (i + 1));
        }
        prop_assert_eq!(super::propagate(moves), super::propagate(shuffled));
    }

    #[test]
    fn proven_bounds_are_never_lost(moves in moves(), at in 0.0..1.0_f64) {
        let value = super::propagate(moves.clone()).unwrap();
        prop_assert!(value.lower >= moves.iter().map(|v| v.lower).max().unwrap());
        prop_assert!(value.upper <= moves.iter().map(|v| v.upper).max().unwrap());
        // Whatever the true scores are within their bounds, the largest is within the result's.
        let truth = moves.iter().map(|v| v.lower + (f64::from(v.upper - v.lower) * at) as Score);
        let best = truth.max().unwrap();
        prop_assert!((value.lower..=value.upper).contains(&best));
        prop_assert_eq!(value.normal(), value);
    }

    #[test]
    fn better_attributes_never_hurt(moves in moves(), which in any::<prop::sample::Index>(),
                                    part in 0..3, more in 1..300_i32) {
        let mut better = moves.clone();
        let v = which.get(&moves);
        let i = moves.iter().position(|m| std::ptr::eq(m, v)).unwrap();
        match (&mut better[i], part) {
            (Value { cycle: Some(cycle), .. }, 0) => cycle.other = cycle.other.map(|h| h + more),
            (Value { cycle: Some(cycle), .. }, _) => {
                let most = hundredths(cycle.centre) - 1;
                cycle.own = cycle.own.map(|h| (h + more).min(most));
            }
            (value, _) if !value.is_solved() => value.heuristic += more,
            _ => {}
        }
        let before = super::propagate(moves).unwrap();
        let after = super::propagate(better).unwrap();
        prop_assert!(after.estimate() >= before.estimate(), "{:?} {:?}", before, after);
        if kind(&before) == kind(&after) {
            prop_assert!(after.heuristic >= before.heuristic);
            if let (Some(a), Some(b)) = (before.cycle, after.cycle) {
                prop_assert!(b.other >= a.other && b.own >= a.own);
            }
        }
    }

    #[test]
    fn a_turn_and_back_is_nothing(value in any_value(), gain in -3..=3_i16) {
        prop_assert_eq!(value.through(gain, Turn::Passes).through(gain, Turn::Passes), value);
        prop_assert_eq!(value.through(gain, Turn::Stays).through(-gain, Turn::Stays), value);
    }
}

/// Bounds from an expert that contradict each other are no value, and no node of a book.
#[test]
fn contradictory_bounds_are_refused() {
    use crate::BookError;
    use crate::toy::{Toy, ToyBook};
    use nutcracker_search::Worth;

    let between = |lower, upper| Worth { guess: Some(10), ..Worth::between(lower, upper) };
    assert_eq!(Value::from_worth(between(2, 1), 3), None);
    assert_eq!(
        Value::from_worth(between(1, 2), 3),
        Some(Value { lower: 1, ..Value::at_most(2, 10, 3) })
    );
    assert_eq!(Value::from_worth(Worth::at_most(-4), 3), None);

    let mut book = Toy::new(&[(0, &[1])]).book(&[]);
    let said = std::collections::HashMap::from([(book.key(&1), between(1, -1))]);
    let refused = book.expand(0, &said);
    assert!(matches!(refused, Err(BookError::Contradiction(_))), "{refused:?}");
    assert_eq!((book.facts().nodes, book.node(0).unwrap().edges.len()), (1, 0));
}
