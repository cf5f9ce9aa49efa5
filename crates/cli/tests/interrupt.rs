//! Ctrl-C, SIGTERM, SIGHUP, disks that are full, and limits of the process.

use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::endure::files;
use crate::harness::{PROGRAM, Place, tables};

fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(status.expect("a shell").success());
}

/// Waits until a solve has begun to write, and a little longer.
fn let_it_work(place: &Place, child: &mut Child, milliseconds: u64) {
    let here = tables(&place.awari()).len();
    while tables(&place.awari()).len() == here && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(milliseconds));
}

const SENTENCE: &str = "nutcracker: stopped; the same command continues from here";

#[test]
fn a_signal_stops_it_gracefully() {
    let expected = files(&Place::with_awari(10));
    let mut stopped = 0;
    let mut random = 7u64;
    for solver in ["memory", "two-bit", "two-bit-sweeps", "one-bit", "dual-index", "rows"] {
        let place = Place::in_memory();
        let args =
            ["solve", "awari", "--stones", "10", "--solver", solver, "--checkpoint-positions", "1"];
        for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("INT", 130)] {
            let mut child = place.spawn(&args);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let_it_work(&place, &mut child, (random >> 33) % 100);
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            signal(&child, name);
            let run = place.read(child.wait_with_output().expect("a child"));
            if run.code == Some(0) || !run.stderr.contains(SENTENCE) && files(&place) == expected {
                // It had solved everything: a signal then ends it at once.
                break;
            }
            stopped += 1;
            assert_eq!(run.code, Some(code), "{solver}: {}", run.stderr);
            assert_eq!(run.stdout, "");
            let errors: Vec<&str> =
                run.stderr.lines().filter(|line| line.starts_with("nutcracker: ")).collect();
            assert_eq!(errors, [SENTENCE], "{solver}");
            assert_eq!(run.stderr.lines().last(), Some(SENTENCE));
        }
        place.run(&args).success();
        assert!(files(&place) == expected, "{solver}");
    }
    assert!(stopped > 0, "only {stopped} runs were stopped");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let place = Place::in_memory();
    let mut child = place.spawn(&["solve", "awari", "--stones", "13", "--solver", "one-bit"]);
    let_it_work(&place, &mut child, 50);
    signal(&child, "INT");
    signal(&child, "INT");
    let run = place.read(child.wait_with_output().expect("a child"));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    place.run(&["solve", "awari", "--stones", "8"]).success();
    place.run(&["verify", "awari"]).success();
}

/// What is measured is solved in a directory for a while.
#[test]
fn a_plan_that_is_interrupted_leaves_nothing_behind() {
    let place = Place::new();
    let temporary = place.path().join("temporary");
    std::fs::create_dir(&temporary).expect("a directory");
    let args = ["plan", "chess", "--up-to", "kqrk", "--calibration-positions", "3000000"];
    let mut command = Command::new(PROGRAM);
    command.args(args).env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a child");
    let entries = || std::fs::read_dir(&temporary).expect("a directory").count();
    while entries() == 0 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "INT");
    let run = place.read(child.wait_with_output().expect("a child"));
    assert_eq!((run.code, run.stdout.as_str()), (Some(130), ""), "{}", run.stderr);
    assert_eq!(run.stderr, "nutcracker: interrupted: nothing was planned\n");
    assert_eq!(entries(), 0);
}

/// Runs a shell script in which `$NUTCRACKER` is the program.
fn script(place: &Place, text: &str) -> Output {
    Command::new("sh")
        .args(["-c", text])
        .env("NUTCRACKER", PROGRAM)
        .env("NUTCRACKER_DATA", place.path())
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}

#[test]
fn files_that_may_not_grow_are_one_sentence() {
    let expected = files(&Place::with_awari(11));
    // Blocks of 512 or 1024 bytes: less than the work files of 11 stones, with 705,432 positions.
    let limit = "ulimit -f 600; exec \"$NUTCRACKER\" solve awari --stones 11 --no-verify --solver";
    for solver in ["two-bit", "dual-index"] {
        let place = Place::in_memory();
        let run = place.read(script(&place, &format!("{limit} {solver}")));
        assert_eq!(run.code, Some(1), "{solver}: {}", run.stderr);
        let errors: Vec<&str> =
            run.stderr.lines().filter(|line| line.starts_with("nutcracker: ")).collect();
        assert_eq!(errors.len(), 1, "{}", run.stderr);
        assert!(errors[0].contains("cannot make room for DATA/awari-pits6/work-"), "{}", errors[0]);
        assert!(
            errors[0].contains("ulimit -f") && errors[0].contains("continues from"),
            "{}",
            errors[0]
        );
        let kept = files(&place);
        assert!(kept.len() > 8 && kept.iter().zip(&expected).all(|(a, b)| a == b), "{solver}");
        place.run(&["solve", "awari", "--stones", "11", "--solver", solver]).success();
        assert!(files(&place) == expected, "{solver}");
    }
    // The finished file itself: 11 stones take about 300 KiB.
    let place = Place::in_memory();
    let run = place.read(script(&place, "ulimit -f 150; exec $NUTCRACKER solve awari --stones 11"));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let error = run.stderr.lines().last().expect("an error");
    assert!(error.starts_with("nutcracker: cannot write DATA/awari-pits6/awari-"), "{error}");
    assert!(error.contains("ulimit -f") && error.contains("continues from"), "{error}");
    place.run(&["solve", "awari", "--stones", "11"]).success();
    assert!(files(&place) == expected);
}

#[test]
fn a_full_disk_is_one_sentence() {
    // A small file system of our own, if the system permits; it is unmounted with the shell.
    let small = "mount -t tmpfs -o size=6m none \"$NUTCRACKER_DATA\"";
    let place = Place::in_memory();
    let unshare = format!("unshare --user --map-root-user --mount sh -c '{small}'");
    if !script(&place, &unshare).status.success() {
        println!("left out: this machine gives us no disk of our own");
        return;
    }
    let expected = files(&Place::with_awari(11));
    let keep = Place::in_memory();
    for solver in ["two-bit", "one-bit", "memory"] {
        // Another process fills the disk as soon as it has been found large enough.
        let solve = format!(
            "\"$NUTCRACKER\" solve awari --stones 11 --solver {solver} --checkpoint-positions 1"
        );
        let inside = format!(
            "{small} && cd \"$NUTCRACKER_DATA\" || exit 99
             {solve} 2>errors & while ! [ -e awari-pits6/awari-09.nut ]; do sleep 0.01; done
             cat /dev/zero >filler 2>/dev/null; wait $!; echo code $?
             grep ^nutcracker: errors; ls awari-pits6 | grep -c nut$
             rm filler; {solve} >/dev/null 2>&1; echo code $?
             mkdir -p {keep}/{solver}/awari-pits6
             cp awari-pits6/*.nut {keep}/{solver}/awari-pits6",
            keep = keep.path().display(),
        );
        let output = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &inside])
            .env("NUTCRACKER", PROGRAM)
            .env("NUTCRACKER_DATA", place.path())
            .stdin(Stdio::null())
            .output()
            .expect("unshare");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{solver}: {text}");
        assert_eq!((lines[0], lines[3]), ("code 1", "code 0"), "{solver}: {text}");
        assert!(lines[1].contains("No space left on device"), "{solver}: {text}");
        assert!(lines[1].contains("continues from"), "{solver}: {text}");
        let kept: usize = lines[2].parse().expect("a number");
        assert!(kept >= 10, "{solver}: {text}");
        let made = keep.path().join(solver).join("awari-pits6");
        let made: Vec<Vec<u8>> =
            tables(&made).iter().map(|path| std::fs::read(path).expect("a file")).collect();
        assert!(made.iter().eq(expected.iter().map(|(_, bytes)| bytes)), "{solver}");
    }
}

/// What happened before: "failed to spawn thread", a panic.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_no_panic() {
    let place = Place::with_awari(5);
    let run = place.read(script(
        &place,
        "ulimit -v 200000; printf 'go depth 3\\n' | $NUTCRACKER engine awari --hash 4096",
    ));
    assert!(run.stdout.contains("bestmove"), "{}{}", run.stdout, run.stderr);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for command in ["verify awari", "solve awari --stones 6"] {
        let text = format!("ulimit -v 200000; exec $NUTCRACKER {command} --threads 64");
        let refused = place.read(script(&place, &text)).usage_error();
        assert!(refused.contains("(ulimit -v); use fewer"), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn nohup_is_respected() {
    let place = Place::in_memory();
    let text = "trap '' HUP; $NUTCRACKER solve awari --stones 12 & pid=$!; sleep 0.2; \
        kill -HUP $pid; wait $pid";
    place.read(script(&place, text)).success();
}
