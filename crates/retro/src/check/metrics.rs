//! Two tables of one slice, with different metrics, compared with each other.

use nutcracker_game::Metric;
use nutcracker_table::Table;

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

/// Whether two values of a position can both be right.
fn agree([a, b]: [(Metric, i8); 2]) -> bool {
    let ruled = |metric| matches!(metric, Metric::DtzIn(_));
    let same_winner = a.1.signum() == b.1.signum();
    // Under a rule, a win may be a draw.
    let drawn = |one: (Metric, i8), other: (Metric, i8)| {
        one.1 == 0 && ruled(one.0) && (other.1 != 0 || ruled(other.0))
    };
    if drawn(a, b) || drawn(b, a) {
        return true;
    }
    if !same_winner || !a.0.is_distance() || !b.0.is_distance() {
        return same_winner;
    }
    // Nearer is larger. What a rule takes longer for says nothing about mates and conversions.
    let (near, far) = (a.1.unsigned_abs(), b.1.unsigned_abs());
    match (a.0, b.0) {
        (Metric::Dtz, Metric::DtzIn(_) | Metric::Dth(_)) => near >= far,
        (Metric::DtzIn(_) | Metric::Dth(_), Metric::Dtz) => near <= far,
        (Metric::DtzIn(_) | Metric::Dth(_), _) | (_, Metric::DtzIn(_) | Metric::Dth(_)) => true,
        (first, second) if reach(first) <= reach(second) => near >= far,
        _ => near <= far,
    }
}

/// Compares two tables of a slice with different metrics: the same side wins, and mate is no nearer
/// than a conversion, and that no nearer than a zeroing move. `name` is the notation of the position
/// with a number, `None` for a hole.
pub fn check_metrics(
    tables: [(Metric, &Table); 2],
    name: &dyn Fn(u64) -> Option<String>,
    progress: &dyn Progress,
) -> Result<(), CheckError> {
    let [(first, one), (second, two)] = tables;
    let len = one.positions().min(two.positions());
    let mut values = [Vec::new(), Vec::new()];
    for start in (0..len).step_by(CHUNK as usize) {
        if progress.must_stop() {
            return Err(Stopped.into());
        }
        for (table, values) in [one, two].into_iter().zip(&mut values) {
            values.resize(CHUNK.min(len - start) as usize, 0);
            table.read(start, values)?;
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
}
