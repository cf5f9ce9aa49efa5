//! How long a query may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A time limit, and a flag that ends the work earlier.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Instant,
    stop: Arc<AtomicBool>,
}

impl Budget {
    /// A budget of this time, or until the flag is set.
    pub fn new(time: Duration, stop: Arc<AtomicBool>) -> Self {
        Budget { deadline: Instant::now() + time, stop }
    }

    /// The time left.
    pub fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The flag that ends it.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// The same flag, and no more than this time.
    #[must_use]
    pub fn at_most(&self, time: Duration) -> Self {
        let deadline = self.deadline.min(Instant::now() + time);
        Budget { deadline, stop: Arc::clone(&self.stop) }
    }

    /// Whether the time is up or the flag is set.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}
