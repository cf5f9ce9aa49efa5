//! Many simulated workers against one server: jobs a second, and how long requests take.
//!
//! `cargo run --release -p nutcracker-fleet --example load -- URL TOKEN WORKERS SECONDS PAUSE_MS`
//!
//! Each worker submits a result and gets the next jobs in one request, then pauses as if it
//! evaluated them. All guesses are 0: this measures the server, not the book.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use nutcracker_fleet::protocol::{Acquire, Hello, JobResult, PositionValue, Submit, VERSION, Work};
use nutcracker_fleet::worker::Caller;

/// Positions that a worker asks for.
const POSITIONS: usize = 10;
/// Memory of a worker's thread.
const STACK: usize = 256 << 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, token, workers, seconds, pause] = &args[..] else {
        return Err("usage: load URL TOKEN WORKERS SECONDS PAUSE_MS".into());
    };
    let workers: u64 = workers.parse()?;
    let (time, pause) =
        (Duration::from_secs(seconds.parse()?), Duration::from_millis(pause.parse()?));
    let (began, jobs, failures) = (Instant::now(), AtomicU64::new(0), AtomicU64::new(0));
    let times: Mutex<Vec<Duration>> = Mutex::default();
    let servers = [url.clone()];
    std::thread::scope(|scope| -> Result<(), Box<dyn std::error::Error>> {
        for n in 0..workers {
            let caller = Caller::new(&servers, token, "load")?;
            let (jobs, failures, times) = (&jobs, &failures, &times);
            let simulate = move || {
                // Workers of the real world do not start at the same moment.
                std::thread::sleep(pause.mul_f64(n as f64 / workers as f64));
                let took = work(&caller, n, began + time, pause, jobs, failures);
                times.lock().expect("no panic").extend(took);
            };
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, simulate)?;
        }
        Ok(())
    })?;
    let mut times = times.into_inner()?;
    times.sort_unstable();
    let at = |share: f64| {
        let place = (share * times.len() as f64) as usize;
        times.get(place.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{workers} workers, {seconds:.1} s: {} requests, {:.0} a second; {} jobs, {:.0} a second; \
         {} failures",
        times.len(),
        times.len() as f64 / seconds,
        jobs.load(Relaxed),
        jobs.load(Relaxed) as f64 / seconds,
        failures.load(Relaxed),
    );
    println!("median {:.1?}, 99th percentile {:.1?}, longest {:.1?}", at(0.5), at(0.99), at(1.0));
    Ok(())
}

/// The life of a worker; how long its requests took.
fn work(
    caller: &Caller,
    number: u64,
    end: Instant,
    pause: Duration,
    jobs: &AtomicU64,
    failures: &AtomicU64,
) -> Vec<Duration> {
    let worker = Hello { protocol: VERSION, name: format!("load-{number}"), ..Hello::default() };
    let (mut results, mut times) = (Vec::new(), Vec::new());
    while Instant::now() < end {
        let began = Instant::now();
        let done = results.len() as u64;
        let answer = if results.is_empty() {
            caller.call::<_, Work>(
                "acquire",
                &Acquire { worker: worker.clone(), positions: POSITIONS },
            )
        } else {
            let results = std::mem::take(&mut results);
            caller.call("submit", &Submit { worker: worker.clone(), results, positions: POSITIONS })
        };
        match answer {
            Ok(work) => {
                times.push(began.elapsed());
                jobs.fetch_add(done, Relaxed);
                let guess = |position: String| PositionValue {
                    position,
                    guess: Some(0.0),
                    ..PositionValue::default()
                };
                results = work
                    .jobs
                    .into_iter()
                    .map(|job| JobResult {
                        job: job.job,
                        values: job.positions.into_iter().map(guess).collect(),
                    })
                    .collect();
            }
            Err(_) => drop(failures.fetch_add(1, Relaxed)),
        }
        let idle = if results.is_empty() { Duration::from_millis(250) } else { Duration::ZERO };
        std::thread::sleep(pause.max(idle));
    }
    times
}
