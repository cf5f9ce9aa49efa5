//! The solver by rows against whole states: windows, threads, with and without the instruction.
//!
//! `cargo bench -p nutcracker-bench --bench rows`; `STONES=20` for another slice, `TURNS=3` for the
//! number of rounds, `WINDOW=1` for one window by rows alone.

use nutcracker_bench::{ScoreArrays, Times};
use nutcracker_game::{Game, Numbering, SliceId};
use nutcracker_games::awari::Awari;

fn main() {
    let number = |name: &str, usual: u32| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
    };
    let (stones, turns) = (number("STONES", 16), number("TURNS", 3));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let awari = Awari::new(6).expect("awari has six pits");
    let slices = ScoreArrays::below(&awari, stones);
    let slice = SliceId(stones);
    let full = stones as u8;
    let positions = awari.slice_len(slice) as f64;
    println!("{stones} stones, {positions} positions; nanoseconds of a position in the fixpoint");
    println!("by                     window threads  exits     fixpoint  a level  passes");
    if let Ok(window) = std::env::var("WINDOW") {
        let top = window.parse().expect("a number");
        for threads in (0..turns).flat_map(|_| [1, threads]) {
            let (_, work, times) = slices.solve_by_rows(&awari, slice, top, threads, false);
            line("rows", top, threads, &times, Some(work.passes), positions);
        }
        return;
    }
    // In alternation, because the machine's speed changes from minute to minute.
    for _ in 0..turns {
        for threads in [1, threads] {
            let times = slices.solve(&awari.view(slice), full, threads).1;
            line("whole states", full, threads, &times, None, positions);
        }
        for (top, threads, portable) in [
            (full, 1, false),
            (full, threads, false),
            (full.min(4), 1, false),
            (full.min(4), threads, false),
            (1, 1, false),
            (1, threads, false),
            (full, 1, true),
            (1, 1, true),
        ] {
            let (_, work, times) = slices.solve_by_rows(&awari, slice, top, threads, portable);
            let name = if portable { "rows, portable" } else { "rows" };
            line(name, top, threads, &times, Some(work.passes), positions);
        }
    }
}

fn line(name: &str, top: u8, threads: usize, times: &Times, passes: Option<u64>, positions: f64) {
    let nanoseconds = |time: std::time::Duration| time.as_secs_f64() * 1e9 / positions;
    let fixpoint = nanoseconds(times.fixpoint);
    println!(
        "{name:22} {top:6} {threads:7} {:12.2} {fixpoint:12.2} {:8.2} {:>7}",
        nanoseconds(times.exits),
        fixpoint / f64::from(top),
        passes.map_or(String::new(), |passes| passes.to_string())
    );
}
