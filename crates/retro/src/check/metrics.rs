//! Two tables of one slice, with different metrics, compared with each other.

use nutcracker_game::Metric;
use nutcracker_table::{Table, TableSet};

use crate::check_error::{CheckError, Discrepancy};
use crate::progress::{Progress, Stopped};

/// Positions that are read at a time.
const CHUNK: u64 = 1 << 16;

/// How far a metric counts: to the end of the game, or to something that comes before it.
fn reach(metric: Metric) -> u8 {
    match metric {
        Metric::Dtw => 3,
        Metric::Dtc => 2,
        _ => 1,
    }
}

/// The number of moves of the rule that a metric rests on.
fn rule(metric: Metric) -> Option<i16> {
    match metric {
        Metric::DtzIn(moves) | Metric::Dth(moves) => Some(moves.into()),
        _ => None,
    }
}

/// The moves that a win or loss takes, or those of the rule that it needs.
fn moves(value: i8) -> i16 {
    if value > 0 { 128 - i16::from(value) } else { 127 + i16::from(value) }
}

/// Whether values of a position under two rules can both be right, the first rule no longer than the
/// second: what is won under a rule is won under a longer one, and no later.
fn agree_under_rules([a, b]: [(Metric, i8); 2], longer: i16) -> bool {
    let same_winner = a.1.signum() == b.1.signum();
    let won = a.1 != 0 && (!matches!(a.0, Metric::Dth(_)) || moves(a.1) <= longer);
    if won {
        let exact = matches!(a.0, Metric::Dth(_)) && rule(a.0) == Some(longer);
        let later = moves(b.1) > moves(a.1) || exact && b.1 != a.1;
        return same_winner && !later;
    }
    match (a.0, b.0) {
        // Not won under the longer rule, either: one says so, two say the same number.
        (Metric::Dth(_), Metric::DtzIn(_)) => b.1 == 0,
        (Metric::Dth(_), _) => b.1 == a.1,
        _ => true,
    }
}

/// Whether two values of a position can both be right.
fn agree([a, b]: [(Metric, i8); 2]) -> bool {
    let same_winner = a.1.signum() == b.1.signum();
    if let (Some(first), Some(second)) = (rule(a.0), rule(b.0)) {
        let hybrid = |metric| matches!(metric, Metric::Dth(_));
        return if first < second || first == second && hybrid(a.0) {
            agree_under_rules([a, b], second)
        } else {
            agree_under_rules([b, a], first)
        };
    }
    // Under a rule, a win may be a draw.
    let drawn = |one: (Metric, i8)| one.1 == 0 && matches!(one.0, Metric::DtzIn(_));
    if drawn(a) || drawn(b) {
        return true;
    }
    if !same_winner || !a.0.is_distance() || !b.0.is_distance() {
        return same_winner;
    }
    // Nearer is larger. What a rule takes longer for says nothing about mates and conversions.
    let (near, far) = (a.1.unsigned_abs(), b.1.unsigned_abs());
    match (a.0, b.0) {
        (Metric::Dtz, _) if rule(b.0).is_some() => near >= far,
        (_, Metric::Dtz) if rule(a.0).is_some() => near <= far,
        _ if rule(a.0).or(rule(b.0)).is_some() => true,
        (first, second) if reach(first) <= reach(second) => near >= far,
        _ => near <= far,
    }
}

/// Compares two tables of a slice with different metrics: the same side wins, mate is no nearer than
/// a conversion, and that no nearer than a zeroing move; and under a rule those positions are won
/// whose smallest rule is no longer. `name` is the notation of the position with a number, `None` for
/// a hole.
pub fn check_metrics(
    tables: [(Metric, &TableSet, &Table); 2],
    name: &dyn Fn(u64) -> Option<String>,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    let [(first, _, one), (second, _, two)] = tables;
    let len = one.positions().min(two.positions());
    let mut values = [Vec::new(), Vec::new()];
    for start in (0..len).step_by(CHUNK as usize) {
        if progress.must_stop() {
            return Err(Stopped.into());
        }
        for ((_, set, table), values) in tables.into_iter().zip(&mut values) {
            values.resize(CHUNK.min(len - start) as usize, 0);
            set.values(table, start, values)?;
        }
        for (index, (&a, &b)) in (start..).zip(values[0].iter().zip(&values[1])) {
            if agree([(first, a), (second, b)]) {
                continue;
            }
            let Some(position) = name(index) else { continue };
            let fault = Discrepancy::OtherMetric { position, index, first, a, second, b };
            return Err(CheckError::Wrong { file: one.path().display().to_string(), fault });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_is_no_nearer_than_what_comes_before_it() {
        let agree = |a, b| agree([a, b]) && agree([b, a]);
        let (near, far) = (120, 100);
        assert!(agree((Metric::Dtw, far), (Metric::Dtc, near)));
        assert!(!agree((Metric::Dtw, near), (Metric::Dtc, far)));
        assert!(agree((Metric::Dtc, -far), (Metric::Dtz, -near)));
        assert!(!agree((Metric::Dtz, -far), (Metric::Dtw, -near)));
        assert!(!agree((Metric::Dtw, near), (Metric::Dtc, -near)));
        assert!(agree((Metric::Wdl, 1), (Metric::Dtc, near)));
        assert!(!agree((Metric::Wdl, 0), (Metric::Dtc, near)));
        // A rule turns wins into draws, and makes others longer.
        assert!(agree((Metric::DtzIn(5), 0), (Metric::Dtz, near)));
        assert!(!agree((Metric::DtzIn(50), near), (Metric::Dtz, 0)));
        assert!(agree((Metric::DtzIn(50), far), (Metric::Dtz, near)));
        assert!(!agree((Metric::Dth(0), near), (Metric::Dtz, far)));
        assert!(agree((Metric::DtzIn(50), far), (Metric::Dtc, near)));
    }

    #[test]
    fn what_is_won_under_a_rule_is_won_under_longer_ones() {
        let agree = |a, b| agree([a, b]) && agree([b, a]);
        let (win, loss) = (|moves: i8| 127 - (moves - 1), |moves: i8| moves - 127);
        let (dtr, hybrid) = (Metric::Dth(0), Metric::Dth(20));
        let within = Metric::DtzIn;
        // The smallest rule is of 30 moves.
        assert!(agree((dtr, win(30)), (within(30), win(25))));
        assert!(agree((dtr, win(30)), (within(29), 0)));
        assert!(!agree((dtr, win(30)), (within(30), 0)));
        assert!(!agree((dtr, win(30)), (within(29), win(29))));
        assert!(!agree((dtr, win(30)), (within(31), loss(3))));
        assert!(!agree((dtr, loss(30)), (within(29), loss(2))));
        assert!(agree((dtr, loss(30)), (within(31), loss(30))));
        assert!(!agree((dtr, 0), (within(126), loss(30))));
        // A mated side needs no rule.
        assert!(agree((dtr, loss(0)), (within(1), loss(0))));
        // Distances up to a rule, and rules from there on.
        assert!(agree((hybrid, win(7)), (within(20), win(7))));
        assert!(!agree((hybrid, win(7)), (within(20), win(8))));
        assert!(!agree((hybrid, win(7)), (within(20), 0)));
        assert!(agree((hybrid, win(21)), (within(20), 0)));
        assert!(!agree((hybrid, win(21)), (within(20), win(20))));
        assert!(agree((hybrid, win(21)), (dtr, win(21))));
        assert!(!agree((hybrid, win(22)), (dtr, win(21))));
        assert!(agree((hybrid, win(7)), (dtr, win(15))));
        assert!(!agree((hybrid, win(15)), (dtr, win(7))));
        assert!(agree((hybrid, win(7)), (within(10), 0)));
        assert!(agree((hybrid, win(7)), (within(10), win(9))));
        assert!(!agree((hybrid, win(25)), (within(10), win(9))));
        // Two rules.
        assert!(agree((within(5), 0), (within(9), win(8))));
        assert!(agree((within(5), win(5)), (within(9), win(3))));
        assert!(!agree((within(5), win(3)), (within(9), win(4))));
        assert!(!agree((within(5), win(3)), (within(9), 0)));
    }
}
