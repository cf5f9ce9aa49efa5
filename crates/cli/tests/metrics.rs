//! Databases of distances on the command line, with king and rook against king.

use crate::harness::Place;

#[test]
fn distances_are_solved_probed_counted_and_verified() {
    let place = Place::new();
    place.run(&["solve", "krk"]).success();
    let probed = place.run(&["probe", "krk", "Ke1 Ra1 ke8 w"]).success().stdout;
    assert!(probed.contains("\nWhite wins in 12 moves\n"), "{probed}");
    let best: Vec<&str> = probed.lines().filter(|line| line.ends_with("best")).collect();
    assert_eq!(best, ["Ra7   win in 12  best"]);
    let probed = place.run(&["probe", "krk", "Kb6 Rh8 ka8 b"]).success().stdout;
    assert!(probed.contains("White has won"), "{probed}");

    // Published: 28,056 positions with Black to move, 390 of them lost in 16 moves; White to move
    // wins all 21,959, 121 of them in 16 moves.
    let stats = place.run(&["stats", "krk", "--format", "json"]).json();
    let krk = &stats["slices"][1];
    assert_eq!((&krk["slice"], &krk["metric"]), (&"krk".into(), &"dtw".into()));
    assert_eq!(krk["positions"], 21_959 + 28_056);
    let [white, black] = [0, 1].map(|side| &krk["sides"][side]);
    assert_eq!((&white["positions"], &white["won"]), (&21_959.into(), &21_959.into()));
    let longest = serde_json::json!({ "moves": 16, "plies": 31, "positions": 121 });
    assert_eq!((&white["longest_win"], &white["longest_loss"]), (&longest, &().into()));
    assert_eq!((&black["positions"], &black["drawn"]), (&28_056.into(), &2_796.into()));
    let longest = serde_json::json!({ "moves": 16, "plies": 32, "positions": 390 });
    assert_eq!(black["longest_loss"], longest);
    place.run(&["verify", "krk"]).success();
}

#[test]
fn sides_are_named_by_their_material() {
    let place = Place::new();
    place.run(&["solve", "checkers", "--up-to", "2"]).success();
    let stats = place.run(&["stats", "checkers", "--metric", "dtw", "--format", "json"]).json();
    let slices = stats["slices"].as_array().unwrap().iter();
    let sides = slices.flat_map(|slice| slice["sides"].as_array().unwrap());
    let won = |material: &str| {
        let mut named = sides.clone().filter(|side| side["material"] == material);
        let side = named.next().unwrap();
        (side["won"].clone(), side["longest_win"]["plies"].clone())
    };
    assert_eq!(won("1K+0C v 0K+1C"), (331.into(), 11.into()));
    assert_eq!(won("0K+1C v 1K+0C"), (53.into(), 11.into()));
}

#[test]
fn what_was_not_checked_says_so_in_every_answer() {
    let place = Place::new();
    place.run(&["solve", "krk", "--metric", "dtc", "--no-verify"]).success();
    let run = |rest: &[&str]| {
        let args = [rest[0], "krk", "--metric", "dtc"];
        place.run(&[&args[..], &rest[1..]].concat())
    };
    let probe = ["probe", "Kc2 Rh1 ka2 w"];
    let probed = run(&probe).success().stdout;
    assert!(probed.contains("win, conversion in 2, unchecked   best"), "{probed}");
    assert!(probed.contains("Not checked: the databases of krk"), "{probed}");
    let json = run(&[&probe[..], &["--format", "json"]].concat()).json();
    assert_eq!(json["value"]["checked"], false);
    assert_eq!(json["moves"][0]["value"]["checked"], false);
    let stats = run(&["stats", "--format", "json"]).json();
    assert_eq!(stats["slices"][1]["checked"], false);
    run(&["verify"]).success();
    let json = run(&[&probe[..], &["--format", "json"]].concat()).json();
    assert_eq!(json["value"]["checked"], serde_json::Value::Null);
}

/// Each is checked by its own moves, too; that they can disagree is tested where they are compared.
#[test]
fn databases_with_several_metrics_are_compared() {
    let place = Place::new();
    for metric in ["dtm", "dtc", "dtz", "wdl", "dtz5", "dtz12", "dtr", "dth12"] {
        place.run(&["solve", "chess", "--up-to", "krk", "--metric", metric]).success();
        place.run(&["verify", "chess", "--metric", metric]).success();
    }
}

#[test]
fn a_metric_that_a_game_does_not_have_is_a_usage_error() {
    let place = Place::new();
    let error = place.run(&["solve", "awari", "--metric", "dtw"]).usage_error();
    assert_eq!(error, "nutcracker: awari (pits=6) has no metric dtw; it has score\n");
    // Chess players say distance to mate; it is read in letters of either case.
    let error = place.run(&["solve", "chess", "--metric", "SCORE"]).usage_error();
    let expected = "has no metric score; it has dtm, dtc, dtz, wdl, dtzN, dthN, dtr";
    assert!(error.contains(expected), "{error}");
    let solved = place.run(&["solve", "chess", "--up-to", "kk", "--metric", "DTM"]).success();
    assert!(solved.stderr.contains("verify chess --metric dtm"), "{}", solved.stderr);
    let json = place.run(&["stats", "chess", "--metric", "dtm", "--format", "json"]).json();
    assert_eq!(json["slices"][0]["metric"], "dtw");
    let run = place.run(&["solve", "krk", "--solver", "two-bit"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("it does not compute distances"), "{}", run.stderr);
    for clipped in [["--window", "1"], ["--start", "krk"]] {
        let error = place.run(&["solve", "krk", clipped[0], clipped[1]]).usage_error();
        assert!(error.contains("hold distances"), "{error}");
    }
}
