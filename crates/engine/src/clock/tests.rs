//! Clocks follow the rules of each control, and no plan oversteps the time.

use proptest::prelude::*;

use super::*;
use crate::grammar::Command;
use crate::wire::{go_of, limits_of};

fn limits(clocks: &[Clock; 2], mover: Side) -> MoveLimits {
    MoveLimits { clock: Some(Clock::state(clocks, mover)), ..MoveLimits::default() }
}

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

fn clock(text: &str) -> Clock {
    Clock::new(text.parse().expect("a time control"))
}

#[test]
fn moves_of_a_period() {
    let mut clock = clock("2/60s");
    assert_eq!(clock.moves_to_go(), Some(2));
    clock.spend(seconds(50)).expect("in time");
    assert_eq!((clock.moves_to_go(), clock.available()), (Some(1), seconds(10)));
    clock.spend(seconds(10)).expect("in time");
    assert_eq!((clock.moves_to_go(), clock.available()), (Some(2), seconds(60)));
    let lost = clock.spend(seconds(61)).expect_err("too late");
    assert_eq!(lost.to_string(), "the move took 1m1s with 1m left");
}

#[test]
fn a_fixed_time_is_the_same_every_move() {
    let mut clock = clock("5s/move");
    for _ in 0..3 {
        clock.spend(seconds(5)).expect("in time");
        assert_eq!(clock.available(), seconds(5));
    }
    assert!(clock.spend(seconds(6)).is_err());
}

#[test]
fn reserves_fill_and_empty() {
    // 75 percent of 50 s unused are 37.5 s, and half a second is rounded up.
    let mut clock = clock("arimaa:60s/5m/75/0/4h/4m");
    clock.spend(seconds(10)).expect("in time");
    assert_eq!(clock.left, seconds(338));
    // Beyond the time of the move the reserve is used.
    clock.spend(seconds(100)).expect("in time");
    assert_eq!(clock.left, seconds(298));
    // A move has its own limit, whatever the reserve.
    assert_eq!(clock.available(), seconds(240));
    assert!(clock.spend(seconds(241)).is_err());
}

#[test]
fn a_full_reserve_does_not_grow() {
    let mut clock = clock("arimaa:0:30/5/100/3");
    clock.spend(seconds(10)).expect("in time");
    assert_eq!(clock.left, seconds(300), "above its limit from the start");
    clock.spend(seconds(160)).expect("in time");
    assert_eq!(clock.left, seconds(170));
    clock.spend(seconds(0)).expect("in time");
    assert_eq!(clock.left, seconds(180), "up to the limit");
}

#[test]
fn games_are_stopped() {
    let control: TimeControl = "arimaa:4/4/100/4/90t/5".parse().expect("a control");
    assert!(!control.stops_game(seconds(0), [90, 89]));
    assert!(control.stops_game(seconds(0), [90, 90]));
    let control: TimeControl = "arimaa:4/4/100/4/6".parse().expect("a control");
    assert!(!control.stops_game(seconds(6 * 3600 - 1), [500, 500]));
    assert!(control.stops_game(seconds(6 * 3600), [1, 0]));
}

#[test]
fn the_time_of_a_move_is_used() {
    let limits = MoveLimits::time(seconds(1));
    let plan = Allotment::of(&limits, Side::First).expect("a clock runs");
    assert_eq!(plan.soft, plan.hard);
    assert!(plan.hard >= Duration::from_millis(980));
    // Whatever the search thinks of it, as what is left is of no use later.
    let hour = MoveLimits::time(seconds(3600));
    assert!(!crate::Pace::new(&hour, Side::First).is_late(0.0));
    let state = Clock::state(&[clock("1h"); 2], Side::First);
    let game = MoveLimits { clock: Some(state), ..MoveLimits::default() };
    assert!(crate::Pace::new(&game, Side::First).is_late(0.0));
    assert!(!crate::Pace::new(&game, Side::First).is_late(1.0));
}

#[test]
fn no_moves_to_go_are_no_periods() {
    let plan = |moves_to_go| {
        let (left, increment) = ([Some(seconds(60)); 2], [Duration::ZERO; 2]);
        let clock = Some(ClockState::Game { left, increment, moves_to_go });
        Allotment::of(&MoveLimits { clock, ..MoveLimits::default() }, Side::First)
    };
    assert_eq!(plan(Some(0)), plan(None));
    assert_ne!(plan(Some(1)), plan(None));
}

#[test]
fn nothing_is_planned_where_no_clock_runs() {
    assert_eq!(Allotment::of(&MoveLimits::depth(3), Side::First), None);
    let analysis = MoveLimits { answer: AnswerWhen::Stopped, ..MoveLimits::time(seconds(1)) };
    assert_eq!(Allotment::of(&analysis, Side::First), None);
}

fn time() -> impl Strategy<Value = Duration> {
    prop_oneof![0..200_u64, 0..600_000_u64].prop_map(Duration::from_millis)
}

fn control() -> impl Strategy<Value = TimeControl> {
    let some = || time().prop_map(|time| time + Duration::from_millis(1));
    prop_oneof![
        some().prop_map(TimeControl::Move),
        (some(), time(), proptest::option::of(1..60_u32))
            .prop_map(|(time, increment, moves)| TimeControl::Game { time, increment, moves }),
        (some(), time(), 0..=100_u32, time(), time()).prop_map(
            |(per_move, reserve, percent, limit, turn)| TimeControl::Reserve(Reserve {
                per_move,
                reserve,
                percent,
                limit,
                game: GameLimit::None,
                turn,
            })
        ),
    ]
}

proptest! {
    /// For every control, and for every part of its plan that a player uses, the time is kept.
    #[test]
    fn the_flag_never_falls(
        control in control(),
        uses in proptest::collection::vec(0..=100_u32, 1..200),
    ) {
        let mut clocks = [Clock::new(control); 2];
        for (ply, percent) in uses.into_iter().enumerate() {
            let side = if ply % 2 == 0 { Side::First } else { Side::Second };
            // The protocol transmits whole milliseconds.
            let limits = limits(&clocks, side);
            let limits = match Command::parse(&go_of(&limits).to_string()) {
                Some(Command::Go(go)) => limits_of(&go, side),
                other => panic!("{other:?}"),
            };
            let plan = Allotment::of(&limits, side).expect("a clock runs");
            let clock = &mut clocks[ply % 2];
            prop_assert!(plan.soft <= plan.hard && plan.hard <= clock.available());
            // Late by the overhead, if that much is left.
            let late = if clock.available() > OVERHEAD * 2 { OVERHEAD } else { Duration::ZERO };
            let used = plan.hard * percent / 100 + late;
            prop_assert!(clock.spend(used).is_ok(), "{:?} of {:?}", used, clock);
        }
    }

    /// A player who always uses the plan still has time for the last of many moves.
    #[test]
    fn time_lasts(time in 1_000..600_000_u64, increment in 0..10_000_u64) {
        let control = TimeControl::Game {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
            moves: None,
        };
        let mut clock = Clock::new(control);
        let first = Allotment::of(&limits(&[clock; 2], Side::First), Side::First);
        for _ in 0..60 {
            let plan = Allotment::of(&limits(&[clock; 2], Side::First), Side::First);
            clock.spend(plan.expect("a clock runs").soft).expect("in time");
        }
        let last = Allotment::of(&limits(&[clock; 2], Side::First), Side::First);
        let (first, last) = (first.expect("a plan"), last.expect("a plan"));
        prop_assert!(last.soft * 20 > first.soft, "{:?} then {:?}", first, last);
    }
}
