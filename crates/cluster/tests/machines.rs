//! Machines as threads of a test.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nutcracker_cluster::{Cluster, ClusterError, Settings, Term, Token};
use nutcracker_game::{Game, SliceId};
use nutcracker_retro::{Progress, Silent, SolveError, SolveOptions, help_slices, solve_slices};
use nutcracker_table::{Disk, Storage};

/// Settings with which machines find each other.
pub fn settings(threads: usize) -> Settings {
    Settings {
        token: Token::new("a token for the tests").unwrap(),
        threads,
        terms: vec![Term::new("game", "test")],
        smallest: 0,
        patience: Duration::from_secs(20),
        memory: || None,
    }
}

pub fn disk() -> Arc<dyn Storage> {
    Arc::new(Disk { map: false })
}

pub fn labels(machines: usize) -> Vec<String> {
    (1..=machines).map(|number| format!("machine {number}")).collect()
}

pub fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// Joins a cluster as machine `me`, from 1 on.
pub fn join(me: usize, first: &str, settings: Settings) -> Result<Cluster, ClusterError> {
    let (own, address) = listener();
    Cluster::join(own, &address, me, (first, "machine 1"), settings, &mut || Ok(()))
}

/// Solves slices with all machines; `dirs` has a directory for each. What each of them says, the
/// first one first.
pub fn solve_together<G: Game>(
    game: &G,
    dirs: &[&Path],
    slices: &[SliceId],
    options: &SolveOptions,
    progress: &dyn Progress,
) -> Vec<Result<(), SolveError>> {
    let settings = settings(options.threads);
    let (own, address) = listener();
    thread::scope(|scope| {
        let others: Vec<_> = (1..dirs.len())
            .map(|me| {
                let (address, settings, options) =
                    (address.clone(), settings.clone(), options.clone());
                scope.spawn(move || {
                    let cluster = Arc::new(join(me, &address, settings)?);
                    let options =
                        SolveOptions { machines: Some(Arc::clone(&cluster) as _), ..options };
                    let result = help_slices(game, &disk(), dirs[me], &options, &Silent);
                    cluster.end(result.as_ref().err().map(ToString::to_string).as_deref());
                    result.map(drop)
                })
            })
            .collect();
        let first = || {
            let labels = labels(dirs.len());
            let cluster = Cluster::lead(own, &address, &labels, settings, &mut || Ok(()))?;
            let cluster = Arc::new(cluster);
            let machines = Some(Arc::clone(&cluster) as _);
            let options = SolveOptions { machines, ..options.clone() };
            let result = solve_slices(game, &disk(), dirs[0], slices, &options, progress);
            cluster.end(result.as_ref().err().map(ToString::to_string).as_deref());
            result.map(drop)
        };
        let first = first();
        let others = others.into_iter().map(|other| other.join().unwrap());
        std::iter::once(first).chain(others).collect()
    })
}
