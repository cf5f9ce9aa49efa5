//! A relay between two machines that delays what it carries, or cuts the connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_cluster::Cluster;
use nutcracker_game::SliceId;
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Silent, SolveOptions, help_slices, solve_slices};

use crate::files::{Tables, tables};
use crate::machines::{disk, join, labels, listener, settings};

/// Carries connections to `target`, later by `delay`, until `most` bytes have passed.
fn relay(target: String, delay: Duration, most: u64) -> String {
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
                thread::spawn(move || carry(from, to, delay, &passed, most));
            }
        }
    });
    address
}

fn carry(mut from: TcpStream, mut to: TcpStream, delay: Duration, passed: &AtomicU64, most: u64) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        thread::sleep(delay);
        if passed.fetch_add(read as u64, Relaxed) > most {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Solves awari on two machines between which the records, but not the messages, go through a
/// relay. The tables of the first, and what both say.
fn solve_through(delay: Duration, most: u64) -> (Tables, [Option<String>; 2]) {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let awari = Awari::new(6).unwrap();
    let (own, address) = listener();
    let public = relay(address.clone(), delay, most);
    let said = thread::scope(|scope| {
        let second = scope.spawn(|| {
            let cluster = Arc::new(join(1, &address, settings(1)).unwrap());
            let machines = Some(Arc::clone(&cluster) as _);
            let options = SolveOptions { machines, ..SolveOptions::new(1, "test") };
            let result = help_slices(&awari, &disk(), dirs[1].path(), &options, &Silent);
            let said = result.err().map(|error| error.to_string());
            cluster.end(said.as_deref());
            said
        });
        let cluster = Cluster::lead(own, &public, &labels(2), settings(1), &mut || Ok(())).unwrap();
        let cluster = Arc::new(cluster);
        let machines = Some(Arc::clone(&cluster) as _);
        let options = SolveOptions { machines, ..SolveOptions::new(1, "test") };
        let slices = [SliceId(7)];
        let result = solve_slices(&awari, &disk(), dirs[0].path(), &slices, &options, &Silent);
        let said = result.err().map(|error| error.to_string());
        cluster.end(said.as_deref());
        [said, second.join().unwrap()]
    });
    (tables(dirs[0].path()), said)
}

#[test]
fn a_delay_changes_nothing() {
    let alone = tempfile::tempdir().unwrap();
    let options = SolveOptions::new(1, "test");
    let awari = Awari::new(6).unwrap();
    solve_slices(&awari, &disk(), alone.path(), &[SliceId(7)], &options, &Silent).unwrap();
    let (found, said) = solve_through(Duration::from_millis(1), u64::MAX);
    assert_eq!(said, [None, None]);
    assert!(found == tables(alone.path()));
}

#[test]
fn a_connection_that_is_cut_is_named() {
    let started = Instant::now();
    let (_, said) = solve_through(Duration::ZERO, 100_000);
    assert!(started.elapsed() < Duration::from_secs(20));
    for said in said {
        let said = said.unwrap();
        // Whoever notices first tells the other.
        let names = said.contains("the connection to machine 1 is lost: ")
            || said.contains("the connection to machine 2 is lost: ");
        assert!(names, "{said}");
    }
}
