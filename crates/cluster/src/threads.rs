//! Threads that timely runs, over connections that are there already.

use nutcracker_retro::SolveError;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Allocator, Hooks, WorkerGuards, initialize_from};

use crate::link::Link;

/// Called many times a second while machines work; an error ends the work.
pub(crate) type Look<'a> = &'a mut dyn FnMut() -> Result<(), SolveError>;

/// Starts `threads` threads of this process, which is `process` of as many as there are sockets;
/// every process has as many. The socket of this one is `None`.
pub(crate) fn start(
    sockets: Vec<Option<Link>>,
    process: usize,
    threads: usize,
    job: impl Fn(Allocator) + Send + Sync + 'static,
) -> Result<WorkerGuards<()>, SolveError> {
    let cannot = |error: String| SolveError::Machine(format!("cannot start threads: {error}"));
    let hooks = Hooks::default();
    let local = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
    let (builders, guard) =
        initialize_networking_from_sockets(local, sockets, process, threads, hooks)
            .map_err(|error| cannot(error.to_string()))?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    initialize_from(builders, Box::new(guard), job).map_err(cannot)
}
