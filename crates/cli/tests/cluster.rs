//! Several processes, and several machines, as a user runs them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::endure::files;
use crate::harness::{Place, tables};

/// The lines in which a run says why it failed.
fn errors(stderr: &str) -> Vec<&str> {
    stderr.lines().filter(|line| line.starts_with("nutcracker: ")).collect()
}

#[test]
fn processes_write_the_same_files() {
    let expected = files(&Place::with_awari(9));
    for (processes, threads) in [("2", "1"), ("3", "2")] {
        let place = Place::in_memory();
        let mut args = vec!["solve", "awari", "--stones", "9", "--shared-positions", "100"];
        args.extend(["--processes", processes, "--threads", threads]);
        let run = place.run(&args).success();
        assert!(run.stdout.contains(" 293,930 "), "{}", run.stdout);
        assert!(files(&place) == expected, "{processes} processes of {threads} threads");
    }
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn started_by(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse() else { continue };
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        if line.is_some_and(|line| line.trim() == parent.to_string()) {
            found.push(id);
        }
    }
    found.sort_unstable();
    found
}

/// Waits until a slice is written by all processes, and a little longer.
#[cfg(target_os = "linux")]
fn let_it_work(place: &Place, child: &mut Child, stones: usize) {
    while tables(&place.awari()).len() <= stones && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_process_is_named_and_the_same_command_continues() {
    let place = Place::in_memory();
    let args = ["solve", "awari", "--stones", "12", "--shared-positions", "1000"];
    let args = [&args[..], &["--processes", "3", "--threads", "1", "--no-verify"]].concat();
    let mut child = place.spawn(&args);
    let_it_work(&place, &mut child, 9);
    let others = started_by(child.id());
    assert_eq!(others.len(), 2);
    let status = Command::new("sh").args(["-c", &format!("kill -KILL {}", others[1])]).status();
    assert!(status.unwrap().success());
    let killed = Instant::now();
    let run = place.read(child.wait_with_output().unwrap());
    assert!(killed.elapsed() < Duration::from_secs(10));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let errors = errors(&run.stderr);
    assert_eq!(errors.len(), 1, "{}", run.stderr);
    assert!(errors[0].starts_with("nutcracker: process 3 is lost: "), "{}", errors[0]);
    assert!(errors[0].ends_with("; the same command continues from here"), "{}", errors[0]);
    // The other one has ended, too.
    assert!(!Path::new(&format!("/proc/{}/exe", others[0])).exists());
    let kept = files(&place).len();
    assert!((10..13).contains(&kept), "{kept}");
    place.run(&args).success();
    assert!(files(&place) == files(&Place::with_awari(12)));
}

#[test]
#[cfg(target_os = "linux")]
fn supervised_processes_are_run_again() {
    let place = Place::in_memory();
    let args = ["solve", "awari", "--stones", "12", "--shared-positions", "1000", "--no-verify"];
    let more = ["--processes", "2", "--threads", "1", "--supervise", "--checkpoint-every", "0"];
    let args = [&args[..], &more, &["--checkpoint-positions", "0"]].concat();
    let mut child = place.spawn(&args);
    // First the one that leads, then the one that helps.
    for (stones, helper) in [(8, false), (10, true)] {
        let_it_work(&place, &mut child, stones);
        let Some(&leads) = started_by(child.id()).first() else { continue };
        let killed = if helper { started_by(leads).first().copied() } else { Some(leads) };
        let Some(killed) = killed else { continue };
        let status = Command::new("sh").args(["-c", &format!("kill -KILL {killed}")]).status();
        assert!(status.unwrap().success());
    }
    let run = place.read(child.wait_with_output().unwrap()).success();
    assert!(run.stderr.contains("running it again in 1 s (attempt 2)"), "{}", run.stderr);
    assert!(files(&place) == files(&Place::with_awari(12)));
}

#[test]
fn what_another_run_does_not_change_is_not_run_again() {
    let place = Place::in_memory();
    let run = place.run(&["solve", "awari", "--stones", "3", "--supervise"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("--supervise is for --processes and --hosts"), "{}", run.stderr);
    let args = ["solve", "awari", "--stones", "99", "--processes", "2", "--supervise"];
    let run = place.run(&args);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_eq!(errors(&run.stderr).len(), 1, "{}", run.stderr);
    for (solver, many, why) in [("rows", true, "is for one machine"), ("cluster", false, "several")]
    {
        let mut args = vec!["solve", "awari", "--stones", "3", "--solver", solver];
        args.extend(if many { &["--processes", "2"][..] } else { &[] });
        let run = place.run(&args);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

/// Addresses of this machine that are free.
fn hosts(place: &Place, count: usize) -> PathBuf {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let lines = listeners.iter().map(|one| format!("{}\n", one.local_addr().unwrap()));
    let path = place.path().join("hosts.txt");
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    path
}

/// Starts a machine of a cluster with databases of its own.
fn machine(place: &Place, hosts: &Path, number: usize, token: &str, more: &[&str]) -> Child {
    let file = place.path().join("token");
    std::fs::write(&file, token).unwrap();
    let mut args = vec!["solve", "awari", "--shared-positions", "100", "--wait", "20"];
    let number = number.to_string();
    args.extend(["--hosts", hosts.to_str().unwrap(), "--machine", &number]);
    args.extend(["--token-file", file.to_str().unwrap(), "--threads", "1"]);
    args.extend(more);
    place.spawn(&args)
}

#[test]
fn machines_have_databases_of_their_own() {
    let (first, second) = (Place::in_memory(), Place::in_memory());
    let (hosts, token) = (hosts(&first, 2), "a token of some length");
    // The second has some of the tables already.
    second.run(&["solve", "awari", "--stones", "4"]).success();
    let more = ["--stones", "8"];
    let leads = machine(&first, &hosts, 1, token, &more);
    let helps = machine(&second, &hosts, 2, token, &more);
    let run = first.read(leads.wait_with_output().unwrap()).success();
    assert!(run.stderr.contains("waiting for the others"), "{}", run.stderr);
    let run = second.read(helps.wait_with_output().unwrap()).success();
    assert!(run.stderr.contains("Helped machine 1 (127.0.0.1:"), "{}", run.stderr);
    let expected = files(&Place::with_awari(8));
    assert!(files(&first) == expected);
    // It got what the slices need: no move leads from 8 stones to 7.
    assert!(files(&second) == expected[..7]);
}

#[test]
fn machines_that_do_not_agree_say_why() {
    let (first, second) = (Place::in_memory(), Place::in_memory());
    let hosts = hosts(&first, 2);
    let token = "a token of some length";
    let leads = machine(&first, &hosts, 1, token, &["--stones", "8"]);
    let helps = machine(&second, &hosts, 2, token, &["--stones", "7"]);
    for (place, child) in [(&first, leads), (&second, helps)] {
        let run = place.read(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let errors = errors(&run.stderr);
        assert_eq!(errors.len(), 1, "{}", run.stderr);
        assert!(errors[0].starts_with("nutcracker: machine 2 (127.0.0.1:"), "{}", errors[0]);
        assert!(errors[0].contains(" has stones 7, and machine 1 (127.0.0.1:"), "{}", errors[0]);
        assert!(errors[0].ends_with(" has 8; they must be the same"), "{}", errors[0]);
    }
    let mut leads = machine(&first, &hosts, 1, token, &["--stones", "8"]);
    let other = "a token of another kind";
    let helps = machine(&second, &hosts, 2, other, &["--stones", "8"]);
    let run = second.read(helps.wait_with_output().unwrap());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let said = errors(&run.stderr);
    assert_eq!(said.len(), 1, "{}", run.stderr);
    assert!(said[0].ends_with(" has another token; give all machines the same"), "{}", said[0]);
    leads.kill().unwrap();
    leads.wait().unwrap();
}

/// The answer to a request, with its head.
fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "{request} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn what_every_process_does_can_be_scraped() {
    let place = Place::in_memory();
    let args = ["solve", "awari", "--stones", "13", "--shared-positions", "1000", "--no-verify"];
    let more = ["--processes", "2", "--threads", "1", "--metrics", "127.0.0.1:0"];
    let mut child = place.spawn(&[&args[..], &more].concat());
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let address = loop {
        let mut line = String::new();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it does not say where");
        if let Some((_, rest)) = line.split_once("http://") {
            break rest.trim_end().trim_end_matches("/metrics").to_owned();
        }
    };
    assert!(ask(&address, "GET /").starts_with("HTTP/1.1 404 "));
    assert!(ask(&address, "PUT /metrics").starts_with("HTTP/1.1 405 "));
    // Both processes have done something, sent something, and hold memory.
    let named = |name: &str, process: u32| {
        format!("\nnutcracker_cluster_{name}{{machine=\"process {process}\"}} ")
    };
    let text = loop {
        let text = ask(&address, "GET /metrics");
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        let value = |name: &str, process: u32| {
            let rest = text.split_once(&named(name, process)).expect("the value").1;
            rest.lines().next().unwrap().parse::<f64>().expect("a number")
        };
        let values = ["positions_total", "sent_bytes_total", "received_bytes_total", "share_ratio"];
        if values.iter().all(|name| value(name, 1) > 0.0 && value(name, 2) > 0.0) {
            if cfg!(target_os = "linux") {
                assert!(value("resident_bytes", 2) > 1e6, "{text}");
            }
            break text;
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before both had told: {text}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(text.contains("\nnutcracker_cluster_machines 2\n"), "{text}");
    assert!(text.contains("\nnutcracker_cluster_imbalance_ratio 1"), "{text}");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{rest}");
    // Only the first of several machines serves it.
    let said = place.run(&["solve", "awari", "--metrics", "127.0.0.1:0"]).usage_error();
    assert!(said.contains("give --processes or --hosts"), "{said}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let args = ["solve", "awari", "--stones", "5", "--processes", "2", "--metrics", &taken];
    let said = place.run(&args).failure();
    assert!(said.contains(&format!("cannot serve --metrics at {taken}: ")), "{said}");
}

#[test]
fn refusals() {
    let place = Place::new();
    let hosts = hosts(&place, 2);
    let hosts = hosts.to_str().unwrap();
    let solve = |more: &[&str]| place.run(&[&["solve", "awari"], more].concat()).usage_error();
    for (more, wanted) in [
        (&["--processes", "0"][..], "1..=64"),
        (&["--processes", "2", "--solver", "memory"], "--solver"),
        (&["--hosts", hosts], "--machine"),
        (&["--machine", "1"], "--hosts"),
        (&["--hosts", hosts, "--machine", "1"], "machines need a token"),
    ] {
        let said = solve(more);
        assert!(said.contains(wanted), "{more:?}: {said}");
    }
    let token = place.path().join("short");
    std::fs::write(&token, "short").unwrap();
    let token = token.to_str().unwrap();
    let said = solve(&["--hosts", hosts, "--machine", "1", "--token-file", token]);
    assert!(said.contains("16 characters or more"), "{said}");
    std::fs::write(token, "a token of some length").unwrap();
    let said = solve(&["--hosts", hosts, "--machine", "3", "--token-file", token]);
    assert!(said.contains("--machine is 1 to 2"), "{said}");
}
