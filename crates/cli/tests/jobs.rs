//! Processes that share work by a directory alone: `solve --fleet` and `verify --part`.

use std::process::{Child, Command};
use std::time::Duration;

use crate::endure::files;
use crate::harness::{Place, Run, tables};

fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(status.expect("a shell").success());
}

fn end(place: &Place, child: Child) -> Run {
    place.read(child.wait_with_output().expect("it ends"))
}

const FLEET: [&str; 6] = ["solve", "awari", "--stones", "9", "--fleet", "--threads"];

#[test]
fn three_processes_write_the_files_of_one() {
    let expected = Place::with_awari(9);
    let place = Place::in_memory();
    let args = [&FLEET[..], &["1"]].concat();
    let children: Vec<Child> = (0..3).map(|_| place.spawn(&args)).collect();
    for child in children {
        let run = end(&place, child).success();
        assert!(run.stdout.contains(" 293,930 "), "{}", run.stdout);
    }
    assert!(files(&place) == files(&expected));
    assert!(!place.awari().join("fleet").exists());
    let manifest = |place: &Place| std::fs::read(place.awari().join("manifest.json")).unwrap();
    assert!(manifest(&place) == manifest(&expected));
    place.run(&["stats", "awari"]).success();
    place.run(&["verify", "awari"]).success();
}

/// Waits until one of the processes has begun a slice, some slices after the first.
fn let_it_work(place: &Place, child: &mut Child) {
    while tables(&place.awari()).len() < 5 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The process that is killed or stopped has a slice that others need; they take it over.
fn taken_over(name: &str, then: Option<&str>) {
    let expected = files(&Place::with_awari(11));
    let place = Place::in_memory();
    let args = ["solve", "awari", "--stones", "11", "--fleet", "--threads", "1", "--patience", "1"];
    let mut first = place.spawn(&args);
    let_it_work(&place, &mut first);
    signal(&first, name);
    let others: Vec<Child> = (0..2).map(|_| place.spawn(&args)).collect();
    for other in others {
        end(&place, other).success();
    }
    // What it had when it was stopped does no harm.
    if let Some(then) = then {
        signal(&first, then);
        end(&place, first).success();
    } else {
        first.wait().unwrap();
    }
    assert!(files(&place) == expected);
    assert!(tables(&place.awari()).iter().all(|file| file.extension().is_some_and(|e| e == "nut")));
    place.run(&["verify", "awari"]).success();
    assert!(files(&place) == expected);
}

#[test]
fn the_slice_of_a_killed_process_is_taken_over() {
    taken_over("KILL", None);
}

#[test]
fn a_process_that_wakes_up_again_damages_nothing() {
    taken_over("STOP", Some("CONT"));
}

#[test]
fn a_fleet_and_a_process_alone_refuse_each_other() {
    let place = Place::in_memory();
    let mut child = place.spawn(&["solve", "awari", "--stones", "14", "--fleet", "--threads", "1"]);
    let_it_work(&place, &mut child);
    let run = place.run(&["solve", "awari", "--stones", "12"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let expected = "nutcracker: a fleet works in DATA/awari-pits6; join it with --fleet, wait for \
                    it, or use another directory (--data)";
    assert_eq!(run.stderr.lines().last(), Some(expected));
    // Databases that are finished can be read meanwhile.
    place.run(&["stats", "awari", "--stones", "3"]).success();
    signal(&child, "INT");
    let run = end(&place, child);
    assert!(run.code == Some(130) || run.code == Some(0), "{}", run.stderr);
    let both = ["solve", "awari", "--fleet", "--processes", "2"];
    assert!(place.run(&both).usage_error().contains("cannot be used with"));
}

#[test]
fn parts_of_a_check_together_name_the_file() {
    let place = Place::in_memory();
    place.run(&["solve", "awari", "--stones", "6", "--no-verify"]).success();
    let unchecked = || {
        let left = |path: &std::path::PathBuf| path.to_string_lossy().ends_with(".unchecked");
        tables(&place.awari()).iter().filter(|path| left(path)).count()
    };
    for part in ["3/3", "1/3"] {
        let run = place.run(&["verify", "awari", "--part", part]).success();
        assert!(run.stderr.contains("and 0 of 7 files have passed all parts"), "{}", run.stderr);
        assert_eq!(unchecked(), 7);
    }
    let run = place.run(&["verify", "awari", "--part", "2/3"]).success();
    assert!(run.stdout.contains("; all parts have passed"), "{}", run.stdout);
    assert!(run.stderr.contains("Part 2 of 3 has passed, and 7 of 7 files"), "{}", run.stderr);
    assert_eq!(unchecked(), 0);
    assert!(files(&place) == files(&Place::with_awari(6)));
    place.run(&["verify", "awari"]).success();
    let names: Vec<_> = std::fs::read_dir(place.awari()).unwrap().flatten().collect();
    // The tables, the manifest, and the lock.
    assert_eq!(names.len(), 9);
    let error = place.run(&["verify", "awari", "--part", "4/3"]).usage_error();
    assert!(error.contains("a part is one of several, such as 2/8"), "{error}");
}
