//! `nutcracker prove`, and `nutcracker verify --proof`.

use std::fs;
use std::process::Command;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::Place;

impl Place {
    /// Where a proof is written.
    fn proof(&self) -> String {
        self.path().join("proof.txt").to_string_lossy().into_owned()
    }

    fn prove(&self, args: &[&str]) -> crate::harness::Run {
        self.run(&[&["prove"], args, &["--proof", &self.proof(), "--hash", "16"]].concat())
    }

    fn verify(&self) -> crate::harness::Run {
        self.run(&["verify", "--proof", &self.proof()])
    }
}

/// What was printed, without times.
fn untimed(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        if words[at].trim_end_matches([',', '\n']) == "s" || words[at].starts_with("s\n") {
            words[at - 1] = "N";
        }
    }
    words.join(" ")
}

#[test]
fn help() {
    let text = Place::new().run(&["prove", "--help"]).success().stdout;
    // The rule options are those of all games.
    assert_snapshot!("prove_help", text[..text.find("RuleOptions").expect("options")].trim_end());
}

#[test]
fn a_score_is_narrowed_and_proven() {
    let place = Place::new();
    let run = place.prove(&["kalah", "--pits", "3", "--seeds", "2"]).success();
    let file = fs::read_to_string(place.proof()).expect("a proof");
    let verified = place.verify().success().stdout;
    assert_snapshot!(
        "prove_kalah",
        untimed(&run.stdout) + "\n" + &untimed(&verified) + "\n" + &file
    );
    // The name is taken now.
    let refused = place.prove(&["kalah"]).usage_error();
    assert!(refused.contains("proof.txt exists; use another --proof"), "{refused}");
}

#[test]
fn questions_are_answered_with_the_proof_of_what_is_true() {
    for (least, verdict, claim) in
        [("0", "proven", json!([{ "at_least": 0 }])), ("1", "disproven", json!([{ "at_most": 0 }]))]
    {
        let place = Place::new();
        let json = place.prove(&["tic-tac-toe", "--at-least", least, "--format", "json"]).json();
        assert_eq!(json["verdict"], verdict);
        let verified = place.run(&["verify", "--proof", &place.proof(), "--format", "json"]).json();
        assert_eq!((&verified["ok"], &verified["claims"]), (&json!(true), &claim));
        assert_eq!(verified["positions"], json["claims"][0]["positions"]);
    }
}

/// Every kind of game: with cycles, with options in its name, without databases, with both sides.
#[test]
fn games_of_every_kind() {
    for (args, result) in [
        (&["awari", "--pits", "2", "4,4/4,4"][..], "score 0"),
        (&["awari", "--pits", "2", "1,2/3,1 N"], "score -1 for North"),
        (&["awari", "--pits", "2", "--reachable", "1,2/3,1 N"], "score -1 for North"),
        (&["kalah", "--pits", "2", "--seeds", "2", "--play-on"], "score -2 for South"),
        (&["connect-four", "--columns", "4", "--rows", "3", "--connect", "3"], "X wins"),
        (&["krk", "Kc6 Rh2 kb8 w"], "White wins"),
        (&["krk", "Ka1 Rh2 kg3 b"], "draw"),
        (&["dobutsu", "..l/.../.L./... S EEGGCC"], "Sente wins"),
        (&["othello", "--size", "4", "xxxx/xxox/xooo/xx2 o"], "score -16 for White"),
        (
            &["subtraction", "--take", "1+3", "--piles", "2", "--largest", "6", "2,4 second"],
            "First wins",
        ),
    ] {
        let place = Place::new();
        let run = place.prove(args).success();
        assert!(run.stdout.contains(&format!("proven: {result}")), "{args:?}: {}", run.stdout);
        let verified = place.verify().success().stdout;
        assert!(verified.starts_with("OK  ") && verified.contains(result), "{verified}");
    }
}

/// The placing phase of morris over the databases of what follows, depth first.
#[test]
fn placing_is_proven_over_databases_of_moving() {
    let place = Place::new();
    let game = ["morris", "--men", "3", "--no-flying", "--metric", "wdl"];
    let prove = [&game[..], &["--depth-first"]].concat();
    let error = place.prove(&prove).usage_error();
    assert!(error.contains("needs the database of 3v3: positions can repeat there"), "{error}");
    place.run(&[&["solve"], &game[..], &["--up-to", "3"]].concat()).success();
    let run = place.prove(&prove).success();
    assert!(run.stdout.contains("proven: White wins"), "{}", run.stdout);
    let verified = place.verify().success().stdout;
    assert!(verified.starts_with("OK  ") && verified.contains("from 1 database"), "{verified}");
}

#[test]
fn databases_are_used_named_and_compared() {
    let place = Place::with_awari(5);
    let position = "0,0,1,0,3,1/2,1,1,0,0,0 S 20-19";
    place.prove(&["awari", position]).success();
    let json = place.run(&["verify", "--proof", &place.proof(), "--format", "json"]).json();
    let tables = json["tables"].as_array().expect("tables").clone();
    assert!(!tables.is_empty() && json["probes"].as_u64() > Some(0), "{json}");
    let manifest = fs::read_to_string(place.awari().join("manifest.json")).expect("a manifest");
    for table in &tables {
        assert!(manifest.contains(table["blake3"].as_str().expect("a digest")), "{table}");
    }
    let slice = tables[0]["slice"].as_str().expect("a slice").parse().expect("stones");
    // A database with another byte, a database that is not there.
    let table = place.file(slice);
    let sound = fs::read(&table).expect("a table");
    let mut changed = sound.clone();
    let middle = changed.len() - 150;
    changed[middle] ^= 1;
    fs::write(&table, changed).expect("a writable table");
    let error = place.verify().failure();
    assert!(error.contains("proves nothing: line ") && error.contains("is damaged"), "{error}");
    fs::remove_file(&table).expect("a table");
    let error = place.verify().failure();
    assert!(error.contains("there is no awari table for slice"), "{error}");
    // One of the same slice with other contents: not the one that the proof rests on.
    let other = Place::with_awari(5);
    let text = fs::read_to_string(place.proof()).expect("a proof");
    let digest = tables[0]["blake3"].as_str().expect("a digest");
    let body = text[..text.rfind("end\t").expect("an end")].replace(digest, &"0".repeat(64));
    let sealed = format!("{body}end\t{}\n", blake3::hash(body.as_bytes()));
    fs::write(other.proof(), sealed).expect("a file");
    let error = other.verify().failure();
    assert!(error.contains("and the proof rests on 00000"), "{error}");
}

#[test]
fn damaged_proofs_are_refused() {
    let place = Place::new();
    place.prove(&["tic-tac-toe", "--at-least", "0"]).success();
    let sound = fs::read(place.proof()).expect("a proof");
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    for round in 0..20 {
        let mut bytes = sound.clone();
        let at = random(bytes.len());
        match round % 3 {
            0 => bytes[at] ^= 1 << random(8),
            1 => bytes.truncate(at),
            _ => drop(bytes.remove(at)),
        }
        fs::write(place.proof(), &bytes).expect("a file");
        let error = place.verify().failure();
        assert!(error.contains("proof.txt proves nothing: it "), "{error}");
    }
    for (bytes, reason) in [
        (&b""[..], "it is damaged: it is cut off: the last line is missing"),
        (b"[Game \"awari\"]\n", "it is not a proof file"),
        (b"nutcracker-proof\t9\n", "it has format version 9"),
    ] {
        fs::write(place.proof(), bytes).expect("a file");
        let error = place.verify().failure();
        assert!(error.contains(reason), "{error}");
    }
    let json = place.run(&["verify", "--proof", &place.proof(), "--format", "json"]);
    assert_eq!(json.code, Some(1));
    assert!(json.stdout.starts_with("{\"ok\":false,\"error\":\""), "{}", json.stdout);
}

#[test]
fn refusals() {
    let place = Place::new();
    let beside = |more: &[&str]| place.run(&[&["verify", "--proof", "p.txt"], more].concat());
    let sound = place.path().join("sound.txt").to_string_lossy().into_owned();
    place.run(&["prove", "tic-tac-toe", "--at-least", "0", "--proof", &sound]).success();
    let text = fs::read_to_string(&sound).expect("a proof");
    let forged = |from: &str, to: &str| {
        let body = text[..text.rfind("end\t").expect("an end")].replace(from, to);
        let sealed = format!("{body}end\t{}\n", blake3::hash(body.as_bytes()));
        fs::write(place.proof(), sealed).expect("a file");
        place.verify().failure()
    };
    let refused = [
        place.prove(&["tic-tac-toe", "--at-least", "2"]).usage_error(),
        place.prove(&["tic-tac-toe", "--at-least", "5000"]).usage_error(),
        place.prove(&["tic-tac-toe", "xxx"]).usage_error(),
        place.prove(&["othello", "--nodes", "500"]).failure(),
        place.prove(&["othello", "--nodes", "500", "--at-least", "1"]).failure(),
        place.run(&["prove", "krk", "--proof", "/nonexistent/p.txt"]).failure(),
        place.run(&["verify"]).usage_error(),
        place.run(&["verify", "--proof", "/nonexistent/p.txt"]).failure(),
        beside(&["awari"]).usage_error(),
        beside(&["--pits", "3"]).usage_error(),
        beside(&["--sample", "3"]).usage_error(),
        forged("options\t", "options\tpits=3"),
        forged("metric\tdtw", "metric\tdtc"),
        forged("at-least\t0", "at-least\t1"),
    ];
    assert_snapshot!("prove_refusals", untimed(&refused.concat()));
    let unknown = forged("game\ttic-tac-toe", "game\tcheese");
    assert!(unknown.contains("proves nothing: there is no game \"cheese\""), "{unknown}");
    // Nothing unfinished is left behind.
    let mut left: Vec<_> = fs::read_dir(place.path())
        .expect("a directory")
        .map(|file| file.expect("a file").path())
        .collect();
    left.sort();
    assert_eq!(left, [place.path().join("proof.txt"), place.path().join("sound.txt")]);
}

#[test]
fn a_signal_stops_it_and_leaves_nothing() {
    let place = Place::new();
    let proof = place.proof();
    let mut child = place.spawn(&["prove", "dobutsu", "--proof", &proof, "--hash", "16"]);
    let draft = place.path().join("proof.txt.tmp");
    while !draft.exists() && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("a command").success());
    let run = place.read(child.wait_with_output().expect("a child"));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert_eq!(run.stderr, "nutcracker: stopped; nothing was written\n");
    assert!(!draft.exists() && !place.path().join("proof.txt").exists());
}
