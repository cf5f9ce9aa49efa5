//! Killed at any moment, and with little memory.

use std::time::Duration;

use crate::harness::{Place, tables};

/// The names and bytes of all awari tables.
pub fn files(place: &Place) -> Vec<(String, Vec<u8>)> {
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().replace(".unchecked", "");
        (name, std::fs::read(path).unwrap())
    };
    tables(&place.awari()).into_iter().map(read).collect()
}

#[test]
fn killed_at_any_moment_it_resumes_to_the_same_bytes() {
    let reference = Place::with_awari(9);
    let expected = files(&reference);
    let mut random = 1u64;
    for solver in ["two-bit", "one-bit", "dual-index", "rows"] {
        let place = Place::new();
        let mut args = vec![
            "solve",
            "awari",
            "--stones",
            "9",
            "--solver",
            solver,
            "--memory",
            "64MiB",
            "--checkpoint-positions",
            "1",
        ];
        if solver == "rows" {
            // From disk, and a tile at a time.
            args.extend(["--row-room", "1"]);
        }
        let mut killed = 0;
        for _ in 0..25 {
            let mut child = place.spawn(&args);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            std::thread::sleep(Duration::from_millis((random >> 33) % 400));
            if child.try_wait().unwrap().is_none() {
                killed += 1;
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(killed > 0, "{solver} was never running");
        place.run(&args).success();
        assert!(files(&place) == expected, "{solver}");
        place.run(&["verify", "awari"]).success();
    }
}

#[test]
fn stays_within_the_memory_it_was_given() {
    for solver in ["auto", "two-bit", "one-bit", "dual-index", "rows"] {
        let place = Place::new();
        let args = ["solve", "awari", "--stones", "13", "--solver", solver, "--memory", "40MiB"];
        let run = place.run(&[&args[..], &["--format", "json"]].concat()).success();
        let peak = run.json()["peak_memory"].as_u64().expect("Linux reports the peak");
        assert!(peak <= (40 << 20) * 105 / 100, "{solver}: {peak} bytes at the peak");
    }
}

#[test]
fn too_little_memory_is_one_sentence() {
    let place = Place::new();
    let run = place.run(&["solve", "awari", "--stones", "12", "--memory", "1MiB"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr.lines().filter(|line| line.starts_with("nutcracker: ")).count(), 1);
    assert!(run.stderr.contains("raise --memory"), "{}", run.stderr);
}
