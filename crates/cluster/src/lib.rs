//! One slice solved by several machines together, when it outgrows the memory of one or is wanted
//! sooner.
//!
//! The positions of a slice are [spread](Spread) over the threads of all machines. A thread that
//! settles a position sends records to the owners of its predecessors; work migrates to where the
//! data is, and nobody waits for a remote answer. [timely dataflow] carries the records and finds
//! out when a level has come to rest everywhere. The values are those of the solver `memory`, and the
//! files are the same byte for byte.
//!
//! | part | items |
//! |---|---|
//! | machines that meet | [`Cluster`], [`Settings`], [`Term`], [`Token`], [`ClusterError`] |
//! | where they are | [`parse_hosts`], [`PORT`] |
//! | who owns a position | [`Spread`], [`Place`] |
//! | what many would do | [`Tracer`], [`Trace`], [`Forecast`] |
//! | what they do | [`MachineView`], [`Status`], [`Activity`], [`imbalance`] |
//!
//! Two machines, here two threads, that solve awari with up to 6 stones:
//!
//! ```
//! use std::net::TcpListener;
//! use std::sync::Arc;
//! use std::thread;
//! use std::time::Duration;
//!
//! use nutcracker_cluster::{Cluster, Settings, Term, Token};
//! use nutcracker_game::SliceId;
//! use nutcracker_games::awari::Awari;
//! use nutcracker_retro::{Silent, SolveOptions, help_slices, solve};
//! use nutcracker_table::{Disk, Storage};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings {
//!     token: Token::new("a secret that nobody guesses").ok_or("too short")?,
//!     threads: 1,
//!     terms: vec![Term::new("game", "awari")],
//!     smallest: 0,
//!     patience: Duration::from_secs(10),
//!     memory: || None,
//! };
//! let first = TcpListener::bind("127.0.0.1:0")?;
//! let (address, theirs) = (first.local_addr()?.to_string(), settings.clone());
//! let dir = tempfile::tempdir()?;
//! let disk: Arc<dyn Storage> = Arc::new(Disk::default());
//! let (path, storage, to) = (dir.path().join("second"), Arc::clone(&disk), address.clone());
//! let second = thread::spawn(move || {
//!     let own = TcpListener::bind("127.0.0.1:0").unwrap();
//!     let address = own.local_addr().unwrap().to_string();
//!     let cluster = Cluster::join(own, &address, 1, (&to, "the first"), theirs, &mut || Ok(()));
//!     let machines = Some(Arc::new(cluster.unwrap()) as _);
//!     let options = SolveOptions { machines, ..SolveOptions::new(1, "example") };
//!     help_slices(&Awari::new(6).unwrap(), &storage, &path, &options, &Silent).unwrap()
//! });
//! let labels = ["the first".to_owned(), "the second".to_owned()];
//! let cluster = Arc::new(Cluster::lead(first, &address, &labels, settings, &mut || Ok(()))?);
//! let machines = Some(Arc::clone(&cluster) as _);
//! let options = SolveOptions { machines, ..SolveOptions::new(1, "example") };
//! let solved = solve(&Awari::new(6)?, &disk, dir.path(), SliceId(6), &options, &Silent)?;
//! cluster.end(None);
//! assert_eq!((solved.len(), second.join().unwrap()), (7, 7));
//! # Ok(())
//! # }
//! ```
//!
//! [timely dataflow]: https://github.com/TimelyDataflow/timely-dataflow

mod batch;
mod cluster;
mod control;
mod error;
mod flow;
mod forecast;
mod hosts;
mod link;
mod pending;
mod rounds;
mod share;
mod spread;
mod status;
mod tables;
mod threads;
mod token;
mod trace;
mod wire;

pub use cluster::{Cluster, Settings};
pub use error::ClusterError;
pub use forecast::{Forecast, HOSTS, Load, Rack, Step, Trace};
pub use hosts::{PORT, parse_hosts};
pub use spread::{Place, Spread};
pub use status::{Activity, MachineView, Status, imbalance};
pub use token::Token;
pub use trace::Tracer;
pub use wire::Term;
