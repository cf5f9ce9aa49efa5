//! The state of a fleet, for people and for monitoring.

use super::desk::{Desk, lock};
use super::{account_of, now};
use crate::protocol::{Growth, Status, VERSION, WorkerState};
use crate::table::Result;

/// Points of the curve of growth: when there are more, every second one is dropped.
const POINTS: usize = 240;
/// Workers in one report: the last seen.
const WORKERS: usize = 200;
/// Milliseconds of which expansions a minute are computed.
const MINUTE: u64 = 60_000;

/// What is known of a worker.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// When it was last heard of.
    pub at: u64,
    pub program: String,
    pub speed: f64,
    /// Positions that it asked for last.
    pub wants: usize,
    pub accepted: u64,
    pub late: u64,
    pub expired: u64,
}

/// The size of the book over time.
#[derive(Debug)]
pub(super) struct Timeline {
    began: u64,
    /// Between two points, in milliseconds.
    interval: u64,
    points: Vec<(u64, Growth)>,
    /// Expansions of the last minute, by the second.
    recent: Vec<(u64, u64)>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline { began: now(), interval: 1000, points: Vec::new(), recent: Vec::new() }
    }
}

impl Timeline {
    /// Notes the size of the book.
    pub fn note(&mut self, now: u64, nodes: u64, expansions: u64) {
        if self.recent.last().is_none_or(|&(at, _)| now >= at + 500) {
            self.recent.retain(|&(at, _)| at + MINUTE >= now);
            self.recent.push((now, expansions));
        }
        if self.points.last().is_some_and(|&(at, _)| now < at + self.interval) {
            return;
        }
        let at = now.saturating_sub(self.began) as f64 / 1000.0;
        self.points.push((now, Growth { at, nodes, expansions }));
        if self.points.len() > POINTS {
            let mut keep = false;
            self.points.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval *= 2;
        }
    }

    fn a_minute(&self) -> f64 {
        let (Some(first), Some(last)) = (self.recent.first(), self.recent.last()) else {
            return 0.0;
        };
        let minutes = last.0.saturating_sub(first.0) as f64 / MINUTE as f64;
        if minutes <= 0.0 { 0.0 } else { last.1.saturating_sub(first.1) as f64 / minutes }
    }
}

impl Desk {
    /// The state of the fleet.
    pub fn status(&self) -> Result<Status> {
        let counts = self.table.counts()?;
        let now = now();
        let seconds = |since: u64| now.saturating_sub(since) as f64 / 1000.0;
        let (game, start) = self.game();
        let state = lock(&self.state);
        let mut jobs = std::collections::HashMap::<&str, u64>::new();
        for (_, worker) in state.out.values() {
            *jobs.entry(worker).or_default() += 1;
        }
        let mut seen: Vec<_> = state.workers.iter().collect();
        seen.sort_by_key(|(id, seen)| (std::cmp::Reverse(seen.at), (*id).clone()));
        seen.truncate(WORKERS);
        let workers = seen.into_iter().map(|(id, seen)| WorkerState {
            account: account_of(id).to_owned(),
            name: id.split_once('/').map_or("", |(_, name)| name).to_owned(),
            program: seen.program.clone(),
            speed: seen.speed,
            seen: seconds(seen.at),
            jobs: jobs.get(id.as_str()).copied().unwrap_or(0),
            accepted: seen.accepted,
            late: seen.late,
            expired: seen.expired,
        });
        Ok(Status {
            protocol: VERSION,
            game: game.to_owned(),
            start: start.to_owned(),
            public_proposals: self.settings.public_proposals,
            ended: state.ended.clone(),
            book: state.book.clone(),
            ready: counts.ready,
            out: counts.leased,
            done: counts.done,
            oldest_lease: state.out.values().map(|&(since, _)| since).min().map(seconds),
            expired: state.expired,
            late: state.late_count,
            expansions_a_minute: state.timeline.a_minute(),
            proposals: state.proposals.len(),
            workers: workers.collect(),
            accounts: state.accounts.values().cloned().collect(),
            growth: state.timeline.points.iter().map(|&(_, point)| point).collect(),
        })
    }

    /// The number of workers that were heard of within a lease.
    pub fn active_workers(&self) -> usize {
        lock(&self.state).active(self.settings.lease.as_millis() as u64).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_stays_small() {
        let mut timeline = Timeline::default();
        let began = timeline.began;
        for second in 0..10_000 {
            timeline.note(began + 1000 * second, second, 3 * second);
        }
        assert!(timeline.points.len() <= POINTS && timeline.points.len() > POINTS / 3);
        assert!(timeline.points.is_sorted_by_key(|&(at, _)| at));
        assert!((timeline.a_minute() - 180.0).abs() < 1.0, "{}", timeline.a_minute());
    }
}
