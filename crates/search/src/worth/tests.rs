use super::*;

#[test]
fn a_bound_turns_with_the_turn() {
    let capture = Step::new((), 2, Turn::Passes);
    let again = Step::new((), 1, Turn::Stays);
    assert_eq!(Worth::at_most(-4).through(&capture), Worth::at_least(6));
    assert_eq!(Worth::at_most(-4).through(&again), Worth::at_most(-3));
    assert_eq!(Worth::exact(-4).through(&Step::quiet(())), Worth::exact(4));
    assert_eq!(Worth::guess(50).through(&capture), Worth::guess(150));
}

#[test]
fn a_distance_passes_through_a_move_by_its_metric() {
    let again = Step { turn: Turn::Stays, ..Step::quiet(()) };
    for metric in [Metric::Dtw, Metric::Dtc] {
        for step in [Step::quiet(()), Step::quiet(()).converting(), again] {
            for next in -127..=127 {
                let value = metric.value(&step, next);
                let through = Worth::by(metric, next).through(&step);
                if metric.is_too_far(value, next) {
                    assert_eq!(through, Worth::exact(step.value(next.signum())));
                } else {
                    assert_eq!(through, Worth::by(metric, value), "{metric} {next} {step:?}");
                }
            }
        }
    }
    // As a record may have it.
    let far = Worth::exact(1).with_distance(Distance::new(300, Metric::Dtw));
    assert_eq!(far.through(&Step::quiet(())), Worth::exact(-1));
}

#[test]
fn the_best_distance_is_the_shortest_win_and_the_longest_loss() {
    let at = |score, moves| Worth::exact(score).with_distance(Distance::new(moves, Metric::Dtw));
    assert_eq!(Worth::best(&[at(1, 9), at(1, 2), at(-1, 1), Worth::exact(0)]), at(1, 2));
    assert_eq!(Worth::best(&[at(-1, 9), at(-1, 2)]), at(-1, 9));
    assert_eq!(Worth::best(&[at(1, 9), Worth::exact(1)]), Worth::exact(1));
    assert_eq!(Worth::best(&[at(1, 9), Worth::at_least(0)]), Worth::at_least(1));
}

#[test]
fn trivial_bounds_are_no_bounds() {
    assert_eq!(Worth::of(-500, -5, 5, 5), Worth::guess(-500));
    assert_eq!(Worth::of(-400, -4, 5, 5).kind(), Kind::AtLeast);
    assert_eq!(Worth::of(300, -4, 3, 5).kind(), Kind::AtMost);
    assert_eq!(Worth::of(0, 2, 2, 5), Worth::exact(2));
    assert_eq!(Worth::of(120, 1, 2, 5).kind(), Kind::Guess);
    assert_eq!(Worth::of(120, 1, 2, 5).hundredths(), 120);
}

#[test]
fn the_best_of_moves_keeps_what_is_known() {
    let (exact, least, most) = (Worth::exact, Worth::at_least, Worth::at_most);
    assert_eq!(Worth::best(&[exact(-1), exact(2)]), exact(2));
    assert_eq!(Worth::best(&[most(-3), exact(2)]), exact(2));
    assert_eq!(Worth::best(&[least(4), exact(2)]), least(4));
    assert_eq!(Worth::best(&[most(-4), exact(-5)]), Worth::between(-5, -4));
}

#[test]
fn every_form_has_one_text() {
    let end = |moves| Distance::new(moves, Metric::Dtw);
    let texts = [
        (Worth::exact(0), "0"),
        (Worth::exact(3), "+3"),
        (Worth::at_most(-10), "≤ -10"),
        (Worth::between(-5, -4), "-5 to -4"),
        (Worth::guess(-5), "~-0.05"),
        (Worth::at_least(0).with_guess(120), "~+1.20, ≥ 0"),
        (Worth::at_least(2).with_guess(120), "≥ 2"),
        (Worth::exact(1).with_distance(end(13)), "win in 13"),
        (Worth::exact(-1).with_distance(end(4)), "loss in 4"),
    ];
    for (worth, text) in texts {
        assert_eq!(worth.to_string(), text);
    }
    let unchecked = Worth { unchecked: true, ..Worth::exact(-3) };
    assert_eq!(unchecked.through(&Step::quiet(())).to_string(), "+3, unchecked");
    let converts = Distance::new(5, Metric::Dtc);
    let won = Worth::exact(1).with_distance(converts);
    assert_eq!(won.to_string(), "win, conversion in 5");
}

#[test]
fn short_wins_and_long_losses_come_first() {
    let at = |score, moves| Worth::exact(score).with_distance(Distance::new(moves, Metric::Dtw));
    let mut moves = [at(-1, 3), at(1, 9), Worth::exact(0), at(-1, 8), at(1, 2)];
    moves.sort_by_key(|worth| worth.order());
    assert_eq!(moves, [at(1, 2), at(1, 9), Worth::exact(0), at(-1, 8), at(-1, 3)]);
    let mut moves = [Worth::at_most(3), Worth::exact(3), Worth::at_least(3)];
    moves.sort_by_key(|worth| worth.order());
    assert_eq!(moves, [Worth::at_least(3), Worth::exact(3), Worth::at_most(3)]);
}

/// A rule of ten moves wins after the move; whether the move still fits into it is not known, and from
/// the position before, if it needs eleven, it is: it does not.
#[test]
fn a_rule_holds_for_the_move_before_or_one_more_does() {
    let by = |metric, score, moves| Worth::exact(score).with_distance(Distance::new(moves, metric));
    let about = |score, moves| {
        let distance = Distance { or_one_more: true, ..Distance::new(moves, Metric::Dth(0)) };
        Worth::exact(score).with_distance(distance)
    };
    let (dtr, hybrid) = (Metric::Dth(0), Metric::Dth(50));
    let quiet = Step::quiet(());
    assert_eq!(by(dtr, -1, 10).through(&quiet), about(1, 10));
    assert_eq!(by(dtr, 1, 10).through(&quiet), about(-1, 10));
    assert_eq!(by(dtr, -1, 10).through(&quiet.zeroing()), by(dtr, 1, 10));
    assert_eq!(by(dtr, -1, 0).through(&quiet), by(dtr, 1, 1));
    assert_eq!(by(hybrid, -1, 30).through(&quiet), by(hybrid, 1, 31));
    assert_eq!(about(1, 10).to_string(), "win by a rule of 10 or 11");

    assert_eq!(about(1, 10).from(by(dtr, 1, 11)), by(dtr, 1, 11));
    assert_eq!(about(1, 11).from(by(dtr, 1, 11)), about(1, 11));
    assert_eq!(by(dtr, 1, 12).from(by(dtr, 1, 11)), by(dtr, 1, 12));
    assert_eq!(about(-1, 11).from(by(dtr, -1, 11)), by(dtr, -1, 11));
    assert_eq!(about(-1, 10).from(by(dtr, -1, 11)), about(-1, 10));
    assert_eq!(by(Metric::Dtw, 1, 30).from(by(Metric::Dtw, 1, 31)), by(Metric::Dtw, 1, 30));
    assert_eq!(by(hybrid, 1, 30).from(by(hybrid, 1, 31)), by(hybrid, 1, 30));

    // As where no database has the position itself.
    assert_eq!(Worth::best(&[about(1, 11), by(dtr, 1, 11), about(1, 12)]), by(dtr, 1, 11));
    assert_eq!(Worth::best(&[by(dtr, 1, 12), about(1, 11)]), about(1, 11));
    assert_eq!(Worth::best(&[by(dtr, -1, 11), about(-1, 10)]), by(dtr, -1, 11));
    assert_eq!(Worth::best(&[by(dtr, -1, 11), about(-1, 11)]), about(-1, 11));
}

#[test]
fn whether_a_move_takes_as_long_is_known_where_ranges_are_apart_or_one_number() {
    let range =
        |moves, or_one_more| Distance { or_one_more, ..Distance::new(moves, Metric::Dth(0)) };
    for (mv, position, expected) in [
        (range(5, false), range(5, false), Some(true)),
        (range(6, false), range(5, false), Some(false)),
        (range(5, true), range(5, false), None),
        (range(4, true), range(5, false), None),
        (range(3, true), range(5, false), Some(false)),
        (range(5, true), range(5, true), None),
        (range(7, false), range(5, true), Some(false)),
    ] {
        assert_eq!(mv.is_that_of(position), expected, "{mv:?} {position:?}");
    }
}

/// What is won after the move may be won a move too late for the rule.
#[test]
fn a_move_beyond_a_rule_draws() {
    let lost = |moves| Worth::exact(-1).with_distance(Distance::new(moves, Metric::DtzIn(5)));
    let quiet = Step::quiet(());
    assert_eq!(lost(4).through(&quiet).to_string(), "win, zeroing in 5");
    assert_eq!(lost(5).through(&quiet), Worth::exact(0));
    let unchecked = Worth { unchecked: true, ..lost(5) };
    assert_eq!(unchecked.through(&quiet).to_string(), "0, unchecked");
    assert_eq!(lost(5).through(&quiet.zeroing()).to_string(), "win, zeroing in 1");
}
