//! Pauses after failures: they double, and are spread at random so that a thousand workers do not
//! come back at the same moment.

use std::time::Duration;

use crate::dispatcher::chance;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_mins(1);

/// Counts failures in a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next attempt is the first one again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// How long to wait after a failure; no less than the server asks for.
    pub fn next(&mut self, retry_after: Option<Duration>) -> Duration {
        let doubled = FIRST.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST);
        self.failures = self.failures.saturating_add(1).min(16);
        let asked = retry_after.unwrap_or_default().min(10 * LONGEST);
        spread(doubled).max(asked)
    }
}

/// A time between half and all of this.
pub(super) fn spread(time: Duration) -> Duration {
    time.mul_f64(0.5 + 0.5 * chance())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let mut backoff = Backoff::new();
        let first = backoff.next(None);
        assert!(first >= FIRST / 2 && first <= FIRST);
        for _ in 0..30 {
            assert!(backoff.next(None) <= LONGEST);
        }
        assert!(backoff.next(None) >= LONGEST / 2);
        let asked = Duration::from_mins(5);
        assert_eq!(backoff.next(Some(asked)), asked);
        backoff.reset();
        assert!(backoff.next(None) <= FIRST);
    }
}
