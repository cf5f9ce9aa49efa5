//! A relay between two machines that delays what it carries, stalls, or cuts the connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_cluster::Cluster;
use nutcracker_game::SliceId;
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Silent, SolveOptions, SolverName, help_slices, solve_slices};

use crate::files::{Tables, tables, tables_alone};
use crate::machines::{disk, join, labels, listener, settings};

/// What a relay does to what it carries.
#[derive(Clone, Copy)]
struct Fault {
    /// All of it comes later by this time.
    delay: Duration,
    /// Nothing is carried for this time, once, after some bytes.
    stall: Option<(u64, Duration)>,
    /// The connection is cut after this many bytes.
    cut: u64,
}

/// Nothing is wrong.
const FINE: Fault = Fault { delay: Duration::ZERO, stall: None, cut: u64::MAX };

/// Carries connections to `target`.
fn relay(target: String, fault: Fault) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let passed = Arc::new(AtomicU64::new(0));
    thread::spawn(move || {
        for from in listener.incoming().flatten() {
            let Ok(to) = TcpStream::connect(&target) else { continue };
            from.set_nodelay(true).unwrap();
            to.set_nodelay(true).unwrap();
            for (from, to) in [(&from, &to), (&to, &from)] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let passed = Arc::clone(&passed);
                thread::spawn(move || carry(from, to, fault, &passed));
            }
        }
    });
    address
}

fn carry(mut from: TcpStream, mut to: TcpStream, fault: Fault, passed: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        thread::sleep(fault.delay);
        let before = passed.fetch_add(read as u64, Relaxed);
        if before > fault.cut {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
        if let Some((after, pause)) = fault.stall
            && (before..before + read as u64).contains(&after)
        {
            thread::sleep(pause);
        }
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

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
