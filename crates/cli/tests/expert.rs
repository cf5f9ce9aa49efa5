//! Our own engine as an external program that evaluates the positions of a book.

use nutcracker_book::expert::ExpertSettings;
use nutcracker_engine::{ExpertSpec, experts};
use nutcracker_game::Rules;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::{Empty, Engine, EngineOptions, Limits, Worth};
use serde_json::Value;

use crate::harness::{PROGRAM, Place};

const DEFAULTS: ExpertSettings =
    ExpertSettings { depth: 4, search_nodes: None, probe_depth: 0, table_bytes: 1 << 20 };

#[test]
fn an_engine_behind_pipes_says_what_a_search_finds() {
    let place = Place::new();
    let data = place.path().display();
    let spec =
        format!("count=2,option.Hash=1,cmd:'{PROGRAM}' engine awari --threads 1 --data '{data}'");
    let spec: ExpertSpec = spec.parse().expect("a description");
    let awari = Awari::new(6).expect("six pits");
    let mut all = experts(&[spec], &awari, None::<&Empty>, &DEFAULTS).expect("they start");
    assert_eq!(all.len(), 2);
    let mut engine = Engine::new(awari.clone(), Empty, EngineOptions::default());
    for text in
        ["4,4,4,4,4,4/4,4,4,4,4,4 S", "0,0,4,0,3,2/2,1,1,0,0,2 S", "1,2,0,0,0,6/1,0,3,0,2,0 S"]
    {
        let at = awari.parse(text).expect("a position").position;
        let found =
            engine.search_averaged(&at, &[], &Limits::depth(4), &mut |_| ()).expect("no error");
        for expert in &mut all {
            let value = expert.evaluate(&at).expect("a value");
            assert_eq!(value, Worth::guess(found.value.hundredths()), "{text}");
        }
    }
}

#[test]
fn a_proof_of_another_program_is_a_guess() {
    let place = Place::new();
    let data = place.path().display();
    let command = format!("'{PROGRAM}' engine kalah --pits 3 --seeds 2 --data '{data}'");
    let spec: ExpertSpec = format!("time=20s,cmd:{command}").parse().expect("a description");
    let kalah = Kalah::new(3, 2, false).expect("kalah");
    let mut all = experts(&[spec], &kalah, None::<&Empty>, &DEFAULTS).expect("it starts");
    // The program proves 4 in no time.
    let value = all[0].evaluate(&kalah.start().position).expect("a value");
    assert_eq!(value, Worth::guess(400));
}

/// The positions of a book that some experts have grown, in their order, with what they said.
fn grown_by(place: &Place, name: &str, experts: &[&str]) -> Vec<(String, f64)> {
    let file = place.path().join(name).display().to_string();
    place.run(&["book", "new", "awari", "--book", &file, "--depth", "2"]).success();
    let mut expand = vec![
        "book",
        "expand",
        "--book",
        &file,
        "--depth",
        "2",
        "--expansions",
        "12",
        "--omega",
        "1",
    ];
    for expert in experts {
        expand.extend(["--expert", expert]);
    }
    let text = place.run(&expand).success().stdout;
    assert!(text.contains("as planned"), "{text}");
    let text = place.run(&["book", "check", "--book", &file]).success().stdout;
    assert!(text.ends_with("all in order\n"), "{text}");
    let lines = place.run(&["book", "export", "--book", &file]).success().stdout;
    let nodes = lines.lines().skip(1).map(|line| {
        let node: Value = serde_json::from_str(line).expect("JSON");
        let position = node["position"].as_str().expect("a position").to_owned();
        (position, node["own"]["points"].as_f64().expect("points"))
    });
    nodes.collect()
}

#[test]
fn a_program_grows_the_same_book() {
    let place = Place::new();
    let data = place.path().display();
    let program = format!("option.Hash=1,cmd:'{PROGRAM}' engine awari --threads 1 --data '{data}'");
    let ours = grown_by(&place, "ours.book", &["depth=2"]);
    assert_eq!(grown_by(&place, "theirs.book", &[&program]), ours);
    grown_by(&place, "both.book", &["depth=2", &program]);
}

#[cfg(unix)]
#[test]
fn failing_programs_cost_a_job_each() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    let script = |name: &str, go: &str| {
        let path = place.path().join(name);
        let text = format!(
            "#!/bin/sh\nwhile read -r line; do\ncase \"$line\" in\nuci) echo uciok;;\n\
             isready) echo readyok;;\nquit) exit 0;;\ngo*) {go};;\nesac\ndone\n"
        );
        std::fs::write(&path, text).expect("a file");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, executable).expect("permissions");
        format!("cmd:'{}'", path.display())
    };
    let crashes = script("crashes", "exit 3");
    let hangs = format!("timeout=200ms,{}", script("hangs", "exec sleep 60"));
    let lies = script("lies", "echo 'info score cp 1'; echo bestmove Z9");
    grown_by(&place, "mixed.book", &[&crashes, &hangs, &lies, "depth=2"]);
    // Without one that works there is no growth, and one sentence says why.
    let file = place.path().join("mixed.book").display().to_string();
    let run = place.run(&["book", "expand", "--book", &file, "--depth", "2", "--expert", &crashes]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("exited"), "{}", run.stderr);
    let run = place.run(&["book", "expand", "--book", &file, "--expert", "cmd:/no/such/engine"]);
    assert!(run.stderr.contains("cannot start \"/no/such/engine\""), "{}", run.stderr);
    let run = place.run(&["book", "expand", "--book", &file, "--expert", "strong"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
