//! What is wrong with a machine is told in one sentence that names it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use nutcracker_cluster::{Cluster, ClusterError, Settings, Term, Token};
use nutcracker_game::SliceId;
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Phase, Progress, SolveOptions};

use crate::machines::{join, labels, listener, settings, solve_together};

/// What the two machines of a cluster say.
fn meet(first: Settings, second: Settings) -> [Result<(), ClusterError>; 2] {
    let (own, address) = listener();
    let other = thread::spawn(move || join(1, &address, second).map(drop));
    let address = own.local_addr().unwrap().to_string();
    let first = Cluster::lead(own, &address, &labels(2), first, &mut || Ok(())).map(drop);
    [first, other.join().unwrap()]
}

fn sentence(result: &Result<(), ClusterError>) -> String {
    result.as_ref().unwrap_err().to_string()
}

#[test]
fn another_token() {
    let patience = Duration::from_millis(1500);
    let token = Token::new("another token for the tests").unwrap();
    let first = Settings { patience, ..settings(1) };
    let [first, second] = meet(first, Settings { token, ..settings(1) });
    assert_eq!(sentence(&second), "machine 1 has another token; give all machines the same");
    assert_eq!(
        sentence(&first),
        "machine 2 is missing: a caller from 127.0.0.1 has another token, and it did not connect \
         for 1 seconds"
    );
}

#[test]
fn other_options() {
    let terms = vec![Term::new("game", "another")];
    let [first, second] = meet(settings(1), Settings { terms, ..settings(1) });
    let expected = "machine 2 has game another, and machine 1 has test; they must be the same";
    assert_eq!([sentence(&first), sentence(&second)], [expected; 2]);
    let [first, second] = meet(settings(1), settings(2));
    let expected = "machine 2 has threads 2, and machine 1 has 1; they must be the same";
    assert_eq!([sentence(&first), sentence(&second)], [expected; 2]);
}

#[test]
fn a_machine_that_is_not_there() {
    let patience = Duration::from_secs(1);
    let (own, address) = listener();
    let short = Settings { patience, ..settings(1) };
    let first = Cluster::lead(own, &address, &labels(2), short.clone(), &mut || Ok(())).map(drop);
    assert_eq!(sentence(&first), "machine 2 is missing: it did not connect for 1 seconds");
    let (own, address) = listener();
    drop(own);
    let second = sentence(&join(1, &address, short).map(drop));
    assert!(second.starts_with("machine 1 is missing: Connection refused"), "{second}");
    assert!(second.ends_with("for 1 seconds"), "{second}");
}

/// Requests a stop when the fixpoint of a slice begins.
#[derive(Default)]
struct Impatient(AtomicBool);

impl Progress for Impatient {
    fn begin(&self, phase: Phase, positions: u64) {
        if phase == Phase::Fixpoint && positions > 10_000 {
            self.0.store(true, Relaxed);
        }
    }

    fn must_stop(&self) -> bool {
        self.0.load(Relaxed)
    }
}

#[test]
fn a_stop_on_the_first_machine_ends_the_others() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let paths = [dirs[0].path(), dirs[1].path()];
    let slices: Vec<SliceId> = (0..=9).map(SliceId).collect();
    let options = SolveOptions::new(1, "test");
    let started = Instant::now();
    let results =
        solve_together(&Awari::new(6).unwrap(), &paths, &slices, &options, &Impatient::default());
    assert!(started.elapsed() < Duration::from_secs(30));
    let said: Vec<String> =
        results.iter().map(|result| result.as_ref().unwrap_err().to_string()).collect();
    let stopped = "stopped; the same command continues from here";
    assert_eq!(said, [stopped.to_owned(), format!("machine 1: {stopped}")]);
}

#[test]
fn a_caller_that_says_nothing_does_no_harm() {
    let (own, address) = listener();
    let silent = std::net::TcpStream::connect(&address).unwrap();
    let to = address.clone();
    let second = thread::spawn(move || join(1, &to, settings(1)).map(Arc::new).unwrap());
    let first = Cluster::lead(own, &address, &labels(2), settings(1), &mut || Ok(())).unwrap();
    let second = second.join().unwrap();
    drop(silent);
    first.end(None);
    second.end(None);
}
