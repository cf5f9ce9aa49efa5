//! Two machines between which a relay delays what it carries, stalls, or cuts the connection.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_cluster::Cluster;
use nutcracker_game::SliceId;
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Silent, SolveOptions, SolverName, help_slices, solve_slices};

use crate::carrier::{FINE, Fault, relay};
use crate::files::{Tables, tables, tables_alone};
use crate::machines::{disk, join, labels, listener, settings};

/// Solves awari on two machines between which the records, but not the messages, go through a
/// relay. The tables of the first, and what both say.
fn solve_through(solver: SolverName, fault: Fault) -> (Tables, [Option<String>; 2]) {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let awari = Awari::new(6).unwrap();
    let (own, address) = listener();
    let public = relay(address.clone(), fault);
    let options = SolveOptions { solver: Some(solver), ..SolveOptions::new(1, "test") };
    let said = thread::scope(|scope| {
        let second = scope.spawn(|| {
            let cluster = Arc::new(join(1, &address, settings(1)).unwrap());
            let machines = Some(Arc::clone(&cluster) as _);
            let options = SolveOptions { machines, ..options.clone() };
            let result = help_slices(&awari, &disk(), dirs[1].path(), &options, &Silent);
            let said = result.err().map(|error| error.to_string());
            cluster.end(said.as_deref());
            said
        });
        let cluster = Cluster::lead(own, &public, &labels(2), settings(1), &mut || Ok(())).unwrap();
        let cluster = Arc::new(cluster);
        let machines = Some(Arc::clone(&cluster) as _);
        let options = SolveOptions { machines, ..options.clone() };
        let slices = [LAST];
        let result = solve_slices(&awari, &disk(), dirs[0].path(), &slices, &options, &Silent);
        let said = result.err().map(|error| error.to_string());
        cluster.end(said.as_deref());
        [said, second.join().unwrap()]
    });
    (tables(dirs[0].path()), said)
}

/// What is solved.
const LAST: SliceId = SliceId(8);
const SOLVERS: [SolverName; 2] = [SolverName::Cluster, SolverName::ClusterRows];

fn same_files(solvers: &[SolverName], fault: Fault) {
    let expected = tables_alone(&Awari::new(6).unwrap(), &[LAST], &SolveOptions::new(1, "test"));
    for &solver in solvers {
        let (found, said) = solve_through(solver, fault);
        assert_eq!(said, [None, None]);
        assert!(found == expected, "{solver}");
    }
}

#[test]
fn a_delay_changes_nothing() {
    same_files(&SOLVERS, Fault { delay: Duration::from_millis(1), ..FINE });
}

#[test]
fn a_stall_changes_nothing() {
    // Longer than the silence after which a machine counts as lost: it still says that it is there.
    let stall = Some((200_000, Duration::from_secs(11)));
    same_files(&[SolverName::ClusterRows], Fault { stall, ..FINE });
}

#[test]
fn a_connection_that_is_cut_is_named() {
    for solver in SOLVERS {
        let started = Instant::now();
        let (_, said) = solve_through(solver, Fault { cut: 500_000, ..FINE });
        assert!(started.elapsed() < Duration::from_secs(30));
        for said in said {
            let said = said.unwrap();
            // Whoever notices first tells the other; it may be while they connect.
            let names = ["the connection to machine 1 is lost: ", "machine 1 is missing: "];
            let named = names.iter().any(|name| {
                said.contains(name) || said.contains(&name.replace("machine 1", "machine 2"))
            });
            assert!(named, "{said}");
        }
    }
}
