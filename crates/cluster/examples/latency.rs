//! What latency costs: one slice of awari, solved by two machines between which every byte comes
//! later by some milliseconds.
//!
//! `cargo run --release -p nutcracker-cluster --example latency -- STONES MILLISECONDS...`
//!
//! Both machines are threads of this process, with one thread each; what they send each other goes
//! through the relay of the tests. The times are of the whole slice, packing included.

#[path = "../tests/carrier.rs"]
mod carrier;

use std::error::Error;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nutcracker_cluster::{Cluster, Settings, Token};
use nutcracker_game::{Numbering, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::{Silent, SolveOptions, SolverName, help_slices, solve_slices};
use nutcracker_table::{Disk, Storage};

use carrier::{FINE, Fault, relay};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [stones, delays @ ..] = &args[..] else {
        return Err("usage: latency STONES MILLISECONDS...".into());
    };
    let (awari, slice) = (Awari::new(6)?, SliceId(stones.parse()?));
    let smaller = tempfile::tempdir()?;
    let (below, options) = (SliceId(slice.0 - 1), SolveOptions::new(2, "latency"));
    solve_slices(&awari, &disk(), smaller.path(), &[below], &options, &Silent)?;
    println!("{stones} stones, {} positions, two machines of one thread", awari.slice_len(slice));
    for solver in [SolverName::ClusterRows, SolverName::Cluster] {
        for delay in delays {
            let delay = Duration::from_secs_f64(delay.parse::<f64>()? / 1000.0);
            let (seconds, bytes) = solve(&awari, slice, smaller.path(), solver, delay)?;
            let solver = solver.to_string();
            println!("{solver:12} {delay:>6?} {seconds:6.2} s, {bytes} bytes sent by the first");
        }
    }
    Ok(())
}

fn disk() -> Arc<dyn Storage> {
    Arc::new(Disk { map: true })
}

/// Seconds that two machines take for a slice, and bytes that the first sends.
fn solve(
    awari: &Awari,
    slice: SliceId,
    smaller: &Path,
    solver: SolverName,
    delay: Duration,
) -> Result<(f64, u64), Failure> {
    let dirs = [tempfile::tempdir()?, tempfile::tempdir()?];
    for dir in &dirs {
        for entry in std::fs::read_dir(smaller)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                std::fs::copy(entry.path(), dir.path().join(entry.file_name()))?;
            }
        }
    }
    let settings = Settings {
        token: Token::new("a token for the example").ok_or("no token")?,
        threads: 1,
        terms: Vec::new(),
        smallest: 0,
        patience: Duration::from_secs(20),
        memory: || None,
    };
    let options = SolveOptions { solver: Some(solver), ..SolveOptions::new(1, "latency") };
    let own = TcpListener::bind("127.0.0.1:0")?;
    let address = own.local_addr()?.to_string();
    let public = relay(address.clone(), Fault { delay, ..FINE });
    std::thread::scope(|scope| {
        let second = scope.spawn(|| -> Result<(), Failure> {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let here = listener.local_addr()?.to_string();
            let first = (&*address, "machine 1");
            let joined = Cluster::join(listener, &here, 1, first, settings.clone(), &mut || Ok(()));
            let cluster = Arc::new(joined?);
            let machines = Some(Arc::clone(&cluster) as _);
            let options = SolveOptions { machines, ..options.clone() };
            let result = help_slices(awari, &disk(), dirs[1].path(), &options, &Silent);
            cluster.end(result.as_ref().err().map(ToString::to_string).as_deref());
            Ok(result.map(drop)?)
        });
        let labels = ["machine 1".to_owned(), "machine 2".to_owned()];
        let led = Cluster::lead(own, &public, &labels, settings.clone(), &mut || Ok(()));
        let cluster = Arc::new(led?);
        let machines = Some(Arc::clone(&cluster) as _);
        let options = SolveOptions { machines, ..options.clone() };
        let began = Instant::now();
        let result = solve_slices(awari, &disk(), dirs[0].path(), &[slice], &options, &Silent);
        let seconds = began.elapsed().as_secs_f64();
        cluster.end(result.as_ref().err().map(ToString::to_string).as_deref());
        result?;
        second.join().map_err(|_| "the second machine panicked")??;
        Ok((seconds, cluster.bytes_sent()))
    })
}
