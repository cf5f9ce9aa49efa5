//! throwaway
use nutcracker_game::*;
use nutcracker_games::awari::Awari;
use nutcracker_retro::fixpoint::memory::States;
use std::time::Instant;
struct Mem(Vec<Vec<i8>>);
impl Children for Mem {
    type Error = std::convert::Infallible;
    fn read(&self, s: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        out.copy_from_slice(&self.0[s.0 as usize][start as usize..start as usize + out.len()]);
        Ok(())
    }
}
fn main() {
    let a: Vec<u32> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let awari = Awari::new(6).unwrap();
    let mut mem = Mem(vec![]);
    let threads = a[1] as usize;
    for n in 0..=a[0] {
        let t0 = Instant::now();
        let view = awari.view(SliceId(n));
        let t1 = Instant::now();
        let states = States::new(view.len(), n as u8, 6).unwrap();
        let next = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|s| {
            for _ in 0..threads {
                s.spawn(|| {
                    loop {
                        let p = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if p >= view.parts() {
                            break;
                        }
                        let Ok(()) = view.exits(p, &mem, |st, run| states.enter(st, run));
                    }
                });
            }
        });
        let t2 = Instant::now();
        states.settle(&view, threads, &nutcracker_retro::progress::Silent);
        let t3 = Instant::now();
        let mut v = vec![0; view.len() as usize];
        states.scores(0, &mut v);
        let t4 = Instant::now();
        let len = view.len() as f64;
        println!(
            "{n} {} tables {:.0}ms conv {:.0}ms fix {:.0}ms out {:.0}ms  {:.1} Mpos/s; core-ns/pos conv {:.1} fix {:.1}",
            view.len(),
            (t1 - t0).as_secs_f64() * 1e3,
            (t2 - t1).as_secs_f64() * 1e3,
            (t3 - t2).as_secs_f64() * 1e3,
            (t4 - t3).as_secs_f64() * 1e3,
            len / 1e6 / (t3 - t0).as_secs_f64(),
            (t2 - t1).as_secs_f64() * 1e9 / len * threads as f64,
            (t3 - t2).as_secs_f64() * 1e9 / len * threads as f64
        );
        if n <= 15 {
            let mut h = std::collections::BTreeMap::new();
            for x in &v {
                *h.entry(*x).or_insert(0u64) += 1;
            }
            let want: std::collections::BTreeMap<i8, u64> =
                std::fs::read_to_string("/work/shared/truth/awari-scores.csv")
                    .unwrap()
                    .lines()
                    .skip(1)
                    .filter_map(|l| {
                        let f: Vec<&str> = l.split(',').collect();
                        (f[0].parse::<u32>().unwrap() == n)
                            .then(|| (f[1].parse().unwrap(), f[2].parse().unwrap()))
                    })
                    .collect();
            assert!(h == want, "{h:?}");
        }
        mem.0.push(v);
    }
}
