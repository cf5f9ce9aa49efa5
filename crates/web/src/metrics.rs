//! Counters in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nutcracker_table::CacheStats;

/// Upper bounds of the classes of durations, in microseconds.
const BOUNDS: [u64; 12] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000, 10_000_000];

/// What was served since the start.
#[derive(Debug, Default)]
pub struct Metrics {
    /// By route, how many answers with status 1xx to 5xx.
    routes: Mutex<BTreeMap<String, [u64; 5]>>,
    /// Requests by duration: up to each bound; the last class has none.
    durations: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
    /// Positions looked up on request.
    pub positions: AtomicU64,
    /// Connections open now.
    pub connections: AtomicU64,
    /// Handlers that panicked.
    pub panics: AtomicU64,
}

impl Metrics {
    /// Counts an answer.
    pub fn count(&self, route: &str, status: u16, duration: Duration) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        {
            let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(counts) = routes.get_mut(route) {
                counts[class] += 1;
            } else {
                let mut counts = [0; 5];
                counts[class] = 1;
                routes.insert(route.to_owned(), counts);
            }
        }
        let microseconds = duration.as_micros() as u64;
        let at = BOUNDS.partition_point(|&bound| bound < microseconds);
        self.durations[at].fetch_add(1, Relaxed);
        self.microseconds.fetch_add(microseconds, Relaxed);
    }

    /// All of it as text.
    pub fn text(&self, cache: CacheStats, jobs: u64) -> String {
        let mut out = String::new();
        let head = |name: &str, kind: &str, help: &str, out: &mut String| {
            let _ = writeln!(out, "# HELP nutcracker_{name} {help}");
            let _ = writeln!(out, "# TYPE nutcracker_{name} {kind}");
        };
        head("requests_total", "counter", "Answers by route and class of status.", &mut out);
        for (route, counts) in &*self.routes.lock().unwrap_or_else(PoisonError::into_inner) {
            for (class, count) in (1..).zip(counts).filter(|(_, count)| **count > 0) {
                let _ = writeln!(
                    out,
                    "nutcracker_requests_total{{route=\"{route}\",status=\"{class}xx\"}} {count}"
                );
            }
        }
        let help = "How long answers took to be made.";
        head("request_duration_seconds", "histogram", help, &mut out);
        let mut sum = 0;
        for (at, count) in self.durations.iter().enumerate() {
            sum += count.load(Relaxed);
            let bound =
                BOUNDS.get(at).map_or("+Inf".to_owned(), |us| (*us as f64 / 1e6).to_string());
            let _ =
                writeln!(out, "nutcracker_request_duration_seconds_bucket{{le=\"{bound}\"}} {sum}");
        }
        let seconds = self.microseconds.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(out, "nutcracker_request_duration_seconds_sum {seconds}");
        let _ = writeln!(out, "nutcracker_request_duration_seconds_count {sum}");
        let numbers = [
            ("positions_total", "counter", "Positions looked up.", self.positions.load(Relaxed)),
            ("connections", "gauge", "Connections open.", self.connections.load(Relaxed)),
            ("panics_total", "counter", "Faults of the server.", self.panics.load(Relaxed)),
            ("cache_hits_total", "counter", "Blocks of scores found decoded.", cache.hits),
            ("cache_misses_total", "counter", "Blocks of scores decoded.", cache.misses),
            ("cache_bytes", "gauge", "Bytes of decoded scores kept.", cache.bytes),
            ("jobs_running", "gauge", "Databases being built.", jobs),
        ];
        for (name, kind, help, number) in numbers {
            head(name, kind, help, &mut out);
            let _ = writeln!(out, "nutcracker_{name} {number}");
        }
        out
    }
}
