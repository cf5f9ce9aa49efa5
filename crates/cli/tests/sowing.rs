//! Games of sowing that files describe, and oware with its two bounds.

use std::fs;

use crate::harness::Place;

fn my_game(place: &Place, text: &str) -> String {
    let path = place.path().join("my-game.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_file_is_a_game_in_every_command() {
    let place = Place::new();
    let game =
        &my_game(&place, "inherits = \"bohnenspiel\"\npits = 3\nseeds = 2\nfeed = \"must\"\n");
    let check = place.run(&["games", "--check", game]).success().stdout;
    let name = "sowing (rules=pits:3;origin:sow;";
    assert!(check.starts_with(name) && check.contains("keeps its laws"), "{check}");
    let solved = place.run(&["solve", game, "--up-to", "8"]).success();
    assert!(!solved.stdout.is_empty());
    let json = place.run(&["probe", game, "1,0,2/0,3,0 S", "--format", "json"]).json();
    assert_eq!(json["value"]["exact"], true);
    let moves = place.run(&["moves", game]).success().stdout;
    assert!(moves.contains("A2"), "{moves}");
    let stats = place.run(&["stats", game, "--format", "json"]).json();
    assert_eq!(stats["slices"][8]["positions"], 1_287);
    place.run(&["verify", game]).success();
    let about = place.run(&["games", game]).success().stdout;
    assert!(about.contains("by seeds, 0 to 12 seeds"), "{about}");
    // The same rules are the same game, with the same databases.
    let rules = json_rules(&stats);
    let json = place.run(&["probe", "sowing", "--rules", &rules, "1,0,2/0,3,0 S", "--format=json"]);
    assert_eq!(json.json()["value"]["exact"], true);
}

fn json_rules(stats: &serde_json::Value) -> String {
    let options = stats["options"].as_str().unwrap();
    options.strip_prefix("rules=").unwrap().to_owned()
}

#[test]
fn a_mistake_is_named_with_its_line() {
    let place = Place::new();
    let game = &my_game(&place, "inherits = \"oware\"\n\ngrand-slam = \"maybe\"\n");
    for command in [&["games", "--check", game][..], &["solve", game], &["moves", game]] {
        let error = place.run(command).usage_error();
        assert!(error.contains("my-game.toml:3: grand-slam is illegal, nothing,"), "{error}");
    }
    let error = place.run(&["games", "--check", "nothing.toml"]).usage_error();
    assert!(error.contains("cannot read nothing.toml"), "{error}");
}

#[test]
fn oware_is_exact_or_between_bounds() {
    let place = Place::new();
    place.run(&["solve", "oware", "--up-to", "6"]).success();
    let stats = place.run(&["stats", "oware", "--format", "json"]).json();
    let slice = &stats["slices"][6];
    assert_eq!(slice["metric"], "forced");
    let (exact, positions) =
        (slice["exact"].as_u64().unwrap(), slice["positions"].as_u64().unwrap());
    assert!(0 < exact && exact < positions, "{exact} {positions}");
    assert_eq!(stats["all"]["positions"].as_u64().map(|all| all > positions), Some(true));
    assert!(place.run(&["stats", "oware"]).success().stdout.contains("exact"));
    let open = place.run(&["probe", "oware", "1,0,0,0,0,0/1,0,0,0,0,0 S 23-23"]).success().stdout;
    assert!(open.contains(" on a repetition\n"), "{open}");
    let exact = place.run(&["probe", "oware", "1,0,0,0,1,0/0,0,0,0,0,0 S 21-25"]).success().stdout;
    assert!(exact.contains("score +2 for South: final result 23-25 (North wins)"), "{exact}");
    // Lost as a board, and not so certain after a game that led there: the positions of the game may
    // repeat. Moves are open where bounds overlap.
    let board = "0,0,0,1,0,0/1,0,0,0,0,1 S";
    let game = "1,0,0,0,0,1/0,1,0,0,0,0 S moves F1 b1 A1 c1 B1 d1 C1 e1";
    let [alone, after] =
        [board, game].map(|text| place.run(&["probe", "oware", text, "--format", "json"]).json());
    assert_eq!(after["position"], board);
    assert_eq!(
        (&alone["value"]["text"], &after["value"]["text"]),
        (&"-3".into(), &"-3 to -1".into())
    );
    let after = place.run(&["probe", "oware", game]).success().stdout;
    assert!(
        after.contains("South can force 0, North 2, 1 seed depends on a repetition"),
        "{after}"
    );
    let again = format!("{board} moves D1 a1 E1 b1 F1 f1");
    let error = place.run(&["probe", "oware", &format!("{again} Z9")]).usage_error();
    assert!(error.contains("Z9"), "{error}");
    place.run(&["verify", "oware"]).success();
    // A book ends in the bounds of databases; there are no proofs.
    let start = "0,0,1,0,3,2/2,0,1,0,0,0 S";
    place.run(&["book", "new", "oware", "--start", start, "--depth", "2"]).success();
    let expand = ["book", "expand", "oware", "--expansions", "40", "--depth", "2"];
    place.run(&expand).success();
    let checked = place.run(&["book", "check", "oware"]).success().stdout;
    assert!(checked.contains("in order"), "{checked}");
    place.run(&["book", "cycles", "oware"]).success();
    for refused in
        [&["prove", "oware", "--proof", "p"][..], &["book", "proof", "oware", "--proof", "p"]]
    {
        let error = place.run(refused).usage_error();
        assert!(error.contains("there a repetition is worth something"), "{error}");
    }
    place.run(&["solve", "oware", "--up-to", "7", "--solver", "rows"]).success();
    let error = place.run(&["solve", "oware", "--up-to", "8", "--solver", "memory"]);
    assert!(error.stderr.contains("here a repetition leaves two bounds of it"), "{}", error.stderr);
    let error = place.run(&["solve", "oware", "--up-to", "8", "--window", "2"]).usage_error();
    assert!(error.contains("these databases hold bounds"), "{error}");
}
