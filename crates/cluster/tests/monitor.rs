//! The first machine knows what all do.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_cluster::{Activity, Cluster, Settings, imbalance};
use nutcracker_game::{Numbering, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Silent, SolveOptions, help_slices, solve_slices};

use crate::machines::{disk, join, labels, listener, settings};

#[test]
fn statuses_of_two_machines_add_up_to_the_slice() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let awari = Awari::new(6).unwrap();
    let last = SliceId(8);
    let (own, address) = listener();
    let known = Settings { memory: || Some(12_345), ..settings(1) };
    let theirs = known.clone();
    let view = thread::scope(|scope| {
        scope.spawn(|| {
            let cluster = Arc::new(join(1, &address, theirs).unwrap());
            let machines = Some(Arc::clone(&cluster) as _);
            let options = SolveOptions { machines, ..SolveOptions::new(1, "test") };
            help_slices(&awari, &disk(), dirs[1].path(), &options, &Silent).unwrap();
            cluster.end(None);
        });
        let address = own.local_addr().unwrap().to_string();
        let cluster = Cluster::lead(own, &address, &labels(2), known, &mut || Ok(())).unwrap();
        let cluster = Arc::new(cluster);
        let machines = Some(Arc::clone(&cluster) as _);
        let options = SolveOptions { machines, ..SolveOptions::new(1, "test") };
        solve_slices(&awari, &disk(), dirs[0].path(), &[last], &options, &Silent).unwrap();
        // The last status is of the time when both had finished.
        let began = Instant::now();
        let view = loop {
            let view = cluster.view();
            let ready = view.iter().all(|machine| {
                let at_rest = [Activity::Alone, Activity::Next].contains(&machine.status.activity);
                at_rest && machine.status.slices == view[0].status.slices
            });
            if ready || began.elapsed() > Duration::from_secs(20) {
                break view;
            }
            thread::sleep(Duration::from_millis(10));
        };
        cluster.end(None);
        view
    });
    assert_eq!([&view[0].label, &view[1].label], ["machine 1", "machine 2"]);
    assert_eq!(
        [view[0].status.activity, view[1].status.activity],
        [Activity::Alone, Activity::Next]
    );
    let sum = |field: fn(&nutcracker_cluster::Status) -> u64| -> u64 {
        view.iter().map(|machine| field(&machine.status)).sum()
    };
    let len = awari.slice_len(last);
    assert_eq!(sum(|status| status.entered), len);
    let settled = sum(|status| status.settled);
    assert!(settled > len / 2 && settled <= len, "{settled}");
    // All slices below are counted in the positions.
    assert!(sum(|status| status.positions) > len + settled);
    for machine in &view {
        assert_eq!(machine.status.memory, Some(12_345));
        assert!(machine.status.sent > 0 && machine.share > 0.3, "{machine:?}");
    }
    assert_eq!(view[0].status.sent, view[1].status.received);
    assert_eq!(view[1].status.sent, view[0].status.received);
    assert!((1.0..1.4).contains(&imbalance(&view)), "{view:?}");
}
