//! throwaway
use nutcracker_game::*;
use nutcracker_games::awari::Awari;
use nutcracker_retro::solve::*;
use std::sync::Arc;
fn main() {
    let a: Vec<u32> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let awari = Awari::new(6).unwrap();
    let dir = std::path::PathBuf::from("/tmp/pipe");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let storage: Arc<dyn nutcracker_table::Storage> =
        Arc::new(nutcracker_table::Disk { map: false });
    let r = solve(
        &awari,
        &storage,
        &dir,
        SliceId(a[0]),
        &SolveOptions { threads: a[1] as usize, verify: true, program: "x".into() },
        &nutcracker_retro::progress::Silent,
    )
    .unwrap();
    for x in &r {
        let s = x.seconds.unwrap();
        let f = 1e9 * f64::from(a[1]) / x.positions as f64;
        if x.slice.0 > 10 {
            println!(
                "{} {} bits {:.2} core-ns: conv {:.1} fix {:.1} pack {:.1} verify {:.1} ratio {:.2}",
                x.slice,
                x.positions,
                x.bytes as f64 * 8.0 / x.positions as f64,
                s.conversions * f,
                s.fixpoint * f,
                s.pack * f,
                s.verify * f,
                (s.pack + s.verify) / (s.conversions + s.fixpoint)
            );
        }
    }
}
