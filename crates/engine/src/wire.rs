//! Requests and reports as lines of the protocol, and back: the server and the client translate
//! here, and nothing else knows both sides.

use nutcracker_game::{Game, Side};

use crate::grammar::{Go, Info};
use crate::{AnswerWhen, ClockState, Dialect, MoveLimits, Played, Progress};

/// The limits that a `go` command sets for the player of `side`.
pub(crate) fn limits_of(go: &Go, side: Side) -> MoveLimits {
    let place = side as usize;
    let game = ClockState::Game {
        left: go.left,
        increment: go.increment.map(Option::unwrap_or_default),
        moves_to_go: go.movestogo,
    };
    let reserve = ClockState::Reserve {
        per_move: go.per_move.unwrap_or_default(),
        reserve: go.reserve.map(Option::unwrap_or_default),
        percent: go.percent.unwrap_or(100),
        limit: go.max_reserve,
        turn: go.max_turn,
    };
    // A command with several clocks is answered by the first that runs for this side.
    let clock = if let Some(time) = go.movetime {
        Some(ClockState::Move(time))
    } else if go.left[place].is_some() {
        Some(game)
    } else if go.per_move.is_some() || go.reserve[place].is_some() {
        Some(reserve)
    } else {
        let other = go.left != [None; 2] || go.reserve != [None; 2];
        other.then_some(game)
    };
    let answer = match (go.ponder, go.infinite) {
        (true, _) => AnswerWhen::PonderHit,
        (false, true) => AnswerWhen::Stopped,
        (false, false) => AnswerWhen::Ready,
    };
    MoveLimits { depth: go.depth, nodes: go.nodes, clock, answer }
}

/// The `go` command for these limits.
pub(crate) fn go_of(limits: &MoveLimits) -> Go {
    let go = Go {
        depth: limits.depth,
        nodes: limits.nodes,
        infinite: limits.answer == AnswerWhen::Stopped,
        ponder: limits.answer == AnswerWhen::PonderHit,
        ..Go::default()
    };
    match limits.clock {
        None => go,
        Some(ClockState::Move(time)) => Go { movetime: Some(time), ..go },
        Some(ClockState::Game { left, increment, moves_to_go }) => Go {
            left,
            increment: increment.map(|time| (!time.is_zero()).then_some(time)),
            movestogo: moves_to_go,
            ..go
        },
        Some(ClockState::Reserve { per_move, reserve, percent, limit, turn }) => Go {
            per_move: Some(per_move),
            reserve: reserve.map(Some),
            percent: Some(percent),
            max_reserve: limit,
            max_turn: turn,
            ..go
        },
    }
}

/// The `info` line of a report about a game.
pub(crate) fn info_of<G: Game>(
    played: &Played<G>,
    progress: &Progress<G::Move>,
    dialect: Dialect,
) -> Info {
    let speed = progress.nodes.zip(progress.elapsed).and_then(|(nodes, elapsed)| {
        let seconds = elapsed.as_secs_f64();
        // A shorter time is not measured well enough.
        (seconds > 0.001).then(|| (nodes as f64 / seconds) as u64)
    });
    dialect.info(Info {
        depth: progress.depth,
        multipv: progress.rank,
        score: progress.value.map(Into::into),
        nodes: progress.nodes,
        nps: speed,
        time: progress.elapsed,
        hashfull: progress.table_permille,
        tbhits: progress.probes,
        pv: played.line_in(&progress.line, dialect.notation()),
        text: None,
    })
}

/// The report of an `info` line about a game; its line of play as far as it is legal.
pub(crate) fn progress_of<G: Game>(
    played: &Played<G>,
    info: &Info,
    dialect: Dialect,
) -> Progress<G::Move> {
    Progress {
        depth: info.depth,
        rank: info.multipv,
        value: info.score.map(|score| dialect.worth(score)),
        nodes: info.nodes,
        elapsed: info.time,
        table_permille: info.hashfull,
        probes: info.tbhits,
        line: played.find_line(&dialect.moves(&info.pv)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::option::of;
    use proptest::prelude::*;

    use super::*;
    use crate::grammar::Command;

    fn time() -> impl Strategy<Value = Duration> {
        (0..10_000_000_u64).prop_map(Duration::from_millis)
    }

    fn clock() -> impl Strategy<Value = ClockState> {
        prop_oneof![
            time().prop_map(ClockState::Move),
            (time(), of(time()), [time(), time()], of(1..100_u32)).prop_map(
                |(own, other, increment, moves_to_go)| ClockState::Game {
                    left: [Some(own), other],
                    increment,
                    moves_to_go
                }
            ),
            (time(), [time(), time()], 0..=100_u32, of(time()), of(time())).prop_map(
                |(per_move, reserve, percent, limit, turn)| ClockState::Reserve {
                    per_move,
                    reserve,
                    percent,
                    limit,
                    turn
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn limits_are_transmitted(
            (depth, nodes, clock) in (of(any::<u32>()), of(any::<u64>()), of(clock())),
            answer in prop::sample::select(
                &[AnswerWhen::Ready, AnswerWhen::Stopped, AnswerWhen::PonderHit][..],
            ),
        ) {
            let limits = MoveLimits { depth, nodes, clock, answer };
            let Some(Command::Go(go)) = Command::parse(&go_of(&limits).to_string()) else {
                panic!("no command");
            };
            prop_assert_eq!(limits_of(&go, Side::First), limits);
        }
    }

    #[test]
    fn the_clock_of_the_mover_counts() {
        let go = Go { left: [None, Some(Duration::ZERO)], ..Go::default() };
        let go = Go { per_move: Some(Duration::from_secs(1)), ..go };
        let available = |side| limits_of(&go, side).available(side);
        assert_eq!(available(Side::First), Some(Duration::from_secs(1)));
        assert_eq!(available(Side::Second), Some(Duration::ZERO));
        // A clock of the other side alone is none, and yet the search has an end.
        let go = Go { reserve: [None, Some(Duration::ZERO)], ..Go::default() };
        let limits = limits_of(&go, Side::First);
        assert_eq!((limits.available(Side::First), limits.is_open()), (None, false));
    }
}
