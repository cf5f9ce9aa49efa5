//! Damaged files are named, and never answered from.

use std::fs;

use crate::harness::Place;

/// Changes one byte of a file.
fn flip(place: &Place, stones: u32, at: impl Fn(usize) -> usize) {
    let path = place.file(stones);
    let mut bytes = fs::read(&path).expect("a table");
    let at = at(bytes.len());
    bytes[at] ^= 0x20;
    fs::write(path, bytes).expect("a writable table");
}

#[test]
fn verify_names_a_damaged_file() {
    // In the header, in the blocks, in the index, in the trailer.
    let places: [fn(usize) -> usize; 4] = [|_| 9, |len| len / 2, |len| len - 120, |len| len - 20];
    for (number, at) in places.into_iter().enumerate() {
        let place = Place::with_awari(7);
        flip(&place, 5, at);
        let run = place.run(&["verify", "awari"]);
        assert_eq!(run.code, Some(1), "{number}: {}", run.stdout);
        let wrong: Vec<&str> =
            run.stdout.lines().filter(|line| line.starts_with("WRONG")).collect();
        assert_eq!(wrong.len(), 1, "{}", run.stdout);
        let name = place.file(5).file_name().expect("a name").to_string_lossy().into_owned();
        assert!(wrong[0].contains(&name), "{}", wrong[0]);
        // Captures take two or more: six stones do not lead to the damaged slice, seven do, and
        // nothing is claimed of their scores.
        let mut lines = run.stdout.lines().rev();
        let (seven, six) = (lines.next().expect("7 stones"), lines.next().expect("6 stones"));
        assert!(seven.starts_with('-') && seven.contains("7 stones"), "{seven}");
        assert!(six.starts_with("OK") && six.contains("6 stones"), "{six}");
        let json = place.run(&["verify", "awari", "--format", "json"]);
        assert_eq!(json.code, Some(1));
        let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert_eq!(json["ok"], false);
        assert_eq!(json["slices"][4]["ok"], true);
        assert_eq!(json["slices"][5]["ok"], false);
        assert!(json["slices"][5]["error"].as_str().is_some_and(|error| error.contains(&name)));
    }
}

#[test]
fn probe_gives_no_answer_from_a_damaged_block() {
    let place = Place::with_awari(6);
    let probe = ["probe", "awari", "1,1,0,0,0,1/1,1,0,0,0,1 S"];
    let before = place.run(&probe).success().stdout;
    flip(&place, 6, |len| len / 2);
    let error = place.run(&probe).failure();
    assert!(error.contains("is damaged") && error.contains("build it again"), "{error}");
    // The advice is good.
    fs::remove_file(place.file(6)).expect("a file");
    place.run(&["solve", "awari", "--stones", "6"]).success();
    assert_eq!(place.run(&probe).success().stdout, before);
}

#[test]
fn foreign_truncated_and_empty_files() {
    let place = Place::with_awari(4);
    let path = place.file(4);
    let sound = fs::read(&path).expect("a table");
    let other = fs::read(place.file(3)).expect("a table");
    for (what, bytes) in [
        ("empty", &[][..]),
        ("truncated", &sound[..sound.len() - 1]),
        ("foreign", b"stones,score,positions\n"),
        ("another slice", &other),
    ] {
        fs::write(&path, bytes).expect("a writable table");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        for command in [
            &["probe", "awari", "1,1,0,0,0,0/1,1,0,0,0,0"][..],
            &["stats", "awari"],
            &["solve", "awari", "--stones", "4"],
        ] {
            let run = place.run(command);
            assert_eq!(run.code, Some(1), "{what}: {command:?} {}", run.stdout);
            assert_eq!(run.stdout, "", "{what}: {command:?}");
            let error = run.stderr.lines().last().expect("an error");
            assert!(error.starts_with("nutcracker: ") && error.contains(&name), "{what}: {error}");
        }
        assert_eq!(place.run(&["verify", "awari"]).code, Some(1), "{what}");
    }
}
