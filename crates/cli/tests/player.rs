//! `nutcracker play`, `match`, `annotate` and `engine`.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};

use nutcracker_engine::Transcript;
use nutcracker_engine::record::Outcome;
use serde_json::Value;

use crate::harness::Place;
use crate::serve::{get, start};

fn path(place: &Place, name: &str) -> String {
    place.path().join(name).to_string_lossy().into_owned()
}

#[test]
fn the_protocol_by_script() {
    let place = Place::with_awari(6);
    let script = "hello\nuci\nsetoption name Hash value 4\nsetoption name Level value 99\nisready\n\
                  position 0,0,0,0,2,1/1,1,0,0,0,0 S 20-23\ngo depth 4\n\
                  position startpos moves F4 x\nposition startpos moves F4 f4\ngo depth 3\nquit\n";
    let output = place.talk(&["engine", "awari", "--threads", "1"], script).success().stdout;
    let lines: Vec<&str> = output.lines().collect();
    assert!(
        lines[0].starts_with("id name Nutcracker ") && lines[0].ends_with(" awari"),
        "{output}"
    );
    let has = |start: &str| lines.iter().any(|line| line.starts_with(start));
    assert!(has("option name Threads type spin default 1 min 1 max 1024"), "{output}");
    assert!(has("option name Level type combo default perfect var 1 var 2"), "{output}");
    assert!(has("info string a level is 1 to 10 or perfect, not 99"), "{output}");
    assert!(
        has("info string the position is unchanged: \"x\" is not a legal move here"),
        "{output}"
    );
    assert!(has("bestmove"), "{output}");
}

#[test]
fn values_on_the_wire_are_proven_where_databases_reach() {
    let place = Place::with_awari(6);
    let script = "position 0,0,0,0,2,1/1,1,0,0,0,0 S\ngo depth 4\n";
    let output = place.talk(&["engine", "awari"], script).success().stdout;
    let probed =
        place.run(&["probe", "awari", "0,0,0,0,2,1/1,1,0,0,0,0 S", "--format=json"]).json();
    let score = 100 * probed["value"]["points"].as_i64().expect("a score");
    assert!(output.contains(&format!("score cp {score} proven")), "{output}");
    let best: Vec<String> = probed["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .filter(|mv| mv["best"] == true)
        .map(|mv| format!("bestmove {}", mv["move"].as_str().expect("a name")))
        .collect();
    assert!(best.iter().any(|best| output.contains(best)), "{output} {best:?}");
    let over = place.talk(&["engine", "awari"], "position 0,0,0,0,0,0/1,0,0,0,0,0 S\ngo\n");
    assert!(over.success().stdout.ends_with("bestmove (none)\n"));
}

#[test]
fn a_deeper_search_beats_a_shallower_one() {
    let place = Place::new();
    let record = path(&place, "match.txt");
    let args = ["match", "awari", "--record", &record, "--format", "json", "--games", "40"];
    let result = place.run(&[&args[..], &["depth=6", "depth=1"]].concat()).json();
    assert_eq!((&result["games"], &result["openings"]), (&40.into(), &20.into()));
    assert_eq!(result["significant"], true, "{result}");
    assert!(result["elo_low"].as_f64().is_some_and(|low| low > 0.0), "{result}");
    assert!(result["superiority"].as_f64() > Some(0.99), "{result}");
    assert_eq!(result["faults"], serde_json::json!({"a": 0, "b": 0}));
    // Every game is in the file, both sides from every opening, and can be read back.
    let text = fs::read_to_string(&record).expect("the records");
    assert_eq!(text.matches("[Game \"awari\"]").count(), 40);
    assert_eq!(text.matches("[First \"depth=6\"]").count(), 20);
    let run = place.run(&["annotate", &record, "--number", "40", "--depth", "2"]).success();
    assert!(run.stdout.starts_with("South (depth=1) against North (depth=6)"), "{}", run.stdout);
}

#[test]
fn a_match_from_listed_openings() {
    let place = Place::new();
    let (record, list) = (path(&place, "match.txt"), path(&place, "openings.txt"));
    let args = ["match", "checkers", "depth=1,hash=1", "depth=2,hash=1", "--record", &record];
    let start = |openings: &str, games: &str| {
        place.run(&[&args[..], &["--openings", openings, "--games", games]].concat())
    };
    start("ballots", "6").success();
    // Two ways to one position, and another: as a list of moves, and as PDN.
    let lines = "# ours\n9-13 22-18 10-14\n10-14 22-18 9-13\n11-15 23-19 8-11\n";
    let pdn = "[GameType \"21\"]\n1. 9-13 22-18 2. 10-14 *\n\n[GameType \"21\"]\n1. 11-15 23-19 2. 8-11 *\n";
    for text in [lines, pdn] {
        fs::write(&list, text).expect("a file");
        fs::remove_file(&record).expect("records");
        let run = start(&list, "6").success();
        assert!(run.stderr.contains("only 2 different openings for 3 pairs"), "{}", run.stderr);
        let text = fs::read_to_string(&record).expect("the records");
        let games = text.split("[Game ").skip(1);
        assert!(
            games.clone().all(|game| game.contains("1. 9-13 {opening} 2. 22-18 {opening}")
                || game.contains("1. 11-15 {opening} 2. 23-19 {opening}")),
            "{text}"
        );
        assert_eq!(games.count(), 6);
    }
    for (text, why) in [
        ("9-13 21-22\n", "opening 1"),
        ("[Game \"awari\"]\n1. A\n", "it is one of \"awari\""),
        ("# nothing\n", "it has no openings"),
    ] {
        fs::write(&list, text).expect("a file");
        let error = start(&list, "2").usage_error();
        assert!(error.contains(why), "{error}");
    }
    let error = start("balots", "2").usage_error();
    assert!(error.contains("the decks of checkers are ballots"), "{error}");
}

/// Where databases have distances, perfect play takes exactly as long as they say, and against any
/// other play no longer: a won ending is won, not repeated.
#[test]
fn endings_are_won_within_their_distance() {
    let place = Place::new();
    place.run(&["solve", "checkers", "--up-to", "3"]).success();
    let (record, list) = (path(&place, "match.txt"), path(&place, "endings.txt"));
    let mut plies = HashMap::new();
    for slice in ["1001", "2100", "1110", "0021"] {
        let args = ["sample", "checkers", "--slice", slice, "--count", "12", "--format", "json"];
        let output = place.run(&args).success().stdout;
        for line in output.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let moves = line["value"]["distance"]["moves"].as_u64().unwrap_or(0);
            if line["value"]["points"] == 1 && moves > 0 {
                let position = line["position"].as_str().expect("a position");
                // The winner's moves, with those of the opponent between them.
                plies.insert(position.to_owned(), 2 * moves as usize - 1);
            }
        }
    }
    let endings: Vec<String> = plies.keys().map(|at| format!("{at} moves\n")).collect();
    fs::write(&list, endings.concat()).expect("a file");
    let games = (2 * endings.len()).to_string();
    for opponent in ["perfect,depth=2,hash=1", "random"] {
        let players = ["match", "checkers", "perfect,depth=2,hash=1", opponent];
        let rest = ["--openings", &list, "--games", &games, "--record", &record];
        place.run(&[&players[..], &rest].concat()).success();
        let text = fs::read_to_string(&record).expect("the records");
        fs::remove_file(&record).expect("the records");
        let played = Transcript::read_all(&text).expect("games");
        assert_eq!(played.len(), 2 * endings.len());
        for game in played.iter().map(Transcript::record) {
            let (start, moves) = (game.tag("Position").expect("a start"), game.moves.len());
            let most = plies[start];
            let perfect = game.tag("First") == Some("perfect,depth=2,hash=1");
            if opponent == "random" && perfect {
                assert!(moves <= most, "{start}: {moves} moves, not {most}");
            } else if opponent != "random" {
                assert_eq!(moves, most, "{start}");
            }
            if opponent != "random" || perfect {
                // The side that begins is the one that wins.
                assert_eq!(game.outcome, Outcome::First, "{start}");
            }
        }
    }
}

#[test]
fn a_round_robin_rates_its_players() {
    let place = Place::new();
    let record = path(&place, "match.txt");
    let rules = ["match", "kalah", "--pits", "3", "--seeds", "3", "--record", &record];
    let players = ["depth=6", "random", "depth=2", "--games", "40", "--format", "json"];
    let result = place.run(&[&rules[..], &players].concat()).json();
    let matches = result["matches"].as_array().expect("matches");
    assert_eq!(matches.len(), 3);
    assert!(matches.iter().all(|one| one["games"] == 40), "{result}");
    let list = result["ratings"].as_array().expect("ratings");
    assert_eq!(list.len(), 3);
    assert_eq!(list[2]["player"], "random", "{result}");
    assert!(list.iter().all(|one| one["elo_low"].as_f64() < one["elo"].as_f64()), "{result}");
    let text = fs::read_to_string(&record).expect("the records");
    assert_eq!(text.matches("[Game \"kalah\"]").count(), 120);
}

/// Every level meets the one below it.
#[test]
fn a_ladder_of_levels() {
    let place = Place::new();
    let record = path(&place, "match.txt");
    let args = ["match", "kalah", "--pits", "2", "--seeds", "2", "--ladder", "--games", "4"];
    let output = place.run(&[&args[..], &["--record", &record]].concat()).success().stdout;
    for step in ["level=1 ", "level=10 ", "perfect "] {
        assert!(output.lines().any(|line| line.starts_with(step)), "{output}");
    }
    assert!(output.contains("95% between") && output.contains("ratings relative"), "{output}");
    let wrong = place.run(&["match", "kalah", "--ladder", "depth=2"]).usage_error();
    assert!(wrong.contains("cannot be used with"), "{wrong}");
}

#[test]
fn the_same_match_twice() {
    let place = Place::with_awari(5);
    let run = |record: &str| {
        let record = path(&place, record);
        let args =
            ["match", "awari", "--games", "4", "--record", &record, "level=4,depth=2", "random"];
        let output = place.run(&args).success().stdout;
        assert!(
            output.starts_with("A is level=4,depth=2, B is random\n4 games: A won "),
            "{output}"
        );
        let text = fs::read_to_string(&record).expect("the records");
        // Move times differ, and so do the line breaks.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut parts = text.split("[%time ");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| all + part.split_once(']').map_or("", |(_, rest)| rest))
    };
    assert_eq!(run("one.txt"), run("two.txt"));
}

#[test]
#[cfg(unix)]
fn programs_play_and_misbehave() {
    let place = Place::new();
    let record = path(&place, "match.txt");
    let ours =
        format!("cmd:'{}' engine kalah --pits 3 --seeds 2", env!("CARGO_BIN_EXE_nutcracker"));
    let args =
        ["match", "kalah", "--pits", "3", "--seeds", "2", "--games", "2", "--record", &record];
    let time = ["--time", "30s+1s", "--format", "json"];
    let result = place.run(&[&args[..], &time, &["depth=4", &ours]].concat()).json();
    assert_eq!(result["games"], 2);
    assert_eq!(result["faults"], serde_json::json!({"a": 0, "b": 0}), "{result}");
    // `--engine-command` is equivalent.
    let run = place.run(&[&args[..], &["depth=2", "--engine-command", "/no/such/engine"]].concat());
    assert!(run.failure().starts_with("nutcracker: cannot start \"/no/such/engine\""));
    let liar = r#"cmd:sh -c 'while read -r l; do case "$l" in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove Q9;; quit) exit;; esac; done'"#;
    let run = place.run(&["match", "awari", "depth=1", liar, "--games", "2", "--record", &record]);
    let run = run.success();
    assert!(run.stderr.contains("answered an illegal move"), "{}", run.stderr);
    assert!(run.stdout.contains("2 games: A won 2, drew 0, lost 0"), "{}", run.stdout);
    let run = place.run(&["match", "awari", "depth=1", liar, "--games", "9", "--record", &record]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("failed 3 games in a row"), "{}", run.stderr);
}

#[test]
fn invalid_matches_are_refused() {
    let place = Place::new();
    for (args, complaint) in [
        (&["match", "awari", "depth=2", "strong"][..], "\"strong\" describes no player"),
        (&["match", "awari", "depth=2"], "<B>"),
        (&["match", "awari", "depth=2", "depth=3", "--time", "soon"], "is not a time control"),
        (&["match", "awari", "depth=2", "depth=3", "--games", "0"], "0 is not in 1"),
        (&["match", "go", "depth=2", "depth=3"], "there is no game \"go\""),
    ] {
        let error = place.run(args).usage_error();
        assert!(error.contains(complaint), "{error}");
    }
}

/// A game of few stones with an error in it.
const GAME: &str = "[Game \"awari\"]\n[First \"Anna\"]\n[Second \"Bert\"]\n\
                    [Position \"2,0,0,0,1,1/0,1,1,0,0,1 S 20-21\"]\n\n";

/// What every move is worth, by `probe`.
fn probe(place: &Place, position: &str) -> Vec<(String, i64)> {
    let answer = place.run(&["probe", "awari", position, "--format", "json"]).json();
    let moves = answer["moves"].as_array().expect("moves").iter();
    moves
        .map(|mv| {
            let name = mv["move"].as_str().expect("a name").to_owned();
            (name, mv["value"]["points"].as_i64().expect("a score"))
        })
        .collect()
}

#[test]
fn losses_are_exact_where_databases_reach() {
    let place = Place::with_awari(7);
    let start = "2,0,0,0,1,1/0,1,1,0,0,1 S 20-21";
    let moves = probe(&place, start);
    let ((_, best), (worst, least)) = (moves.first().expect("moves"), moves.last().expect("moves"));
    assert!(best > least, "the game has an error to make: {moves:?}");
    let file = path(&place, "game.txt");
    fs::write(&file, format!("{GAME}1. {worst} *\n")).expect("a file");
    let analysis = place.run(&["annotate", &file, "--format", "json"]).json();
    let first = &analysis["moves"][0];
    assert_eq!(first["lost"], best - least);
    assert_eq!((&first["lost_kind"], &first["source"]), (&"exact".into(), &"database".into()));
    assert_eq!(first["value"]["points"], *least);
    assert_eq!(first["best_value"]["points"], *best);
    assert_eq!(first["error"], true);
    assert_eq!(analysis["summary"][0]["errors"], 1);
    assert_eq!(analysis["summary"][0]["lost_proven"], (best - least) as f64);
    assert_eq!(analysis["summary"][1]["errors"], 0);
    let text = place.run(&["annotate", &file]).success().stdout;
    assert!(
        text.starts_with("South (Anna) against North (Bert): the game was not finished"),
        "{text}"
    );
    assert!(text.contains(&format!("-{}  database", best - least)), "{text}");
    assert!(text.contains(&format!("South: 1 error, {} points lost", best - least)), "{text}");
    let svg = place.run(&["annotate", &file, "--format", "svg"]).success().stdout;
    assert!(svg.starts_with("<svg ") && svg.contains("was better"), "{svg}");
    // The record with comments is a record.
    let record = place.run(&["annotate", &file, "--format", "record"]).success().stdout;
    assert!(record.contains("[%value exact ") && record.contains(" loses "), "{record}");
    fs::write(&file, record).expect("a file");
    let again = place.run(&["annotate", &file, "--format", "json"]).json();
    assert_eq!(again["moves"], analysis["moves"]);
}

#[test]
fn without_databases_the_source_is_a_search() {
    let place = Place::new();
    let file = path(&place, "game.txt");
    fs::write(&file, "[Game \"awari\"]\n1. A4 a4 B5 b5 C6 *\n").expect("a file");
    let analysis = place.run(&["annotate", &file, "--format", "json", "--depth", "4"]).json();
    let moves = analysis["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 5);
    for mv in moves {
        assert_eq!((&mv["source"], &mv["depth"]), (&"search".into(), &4.into()), "{mv}");
        assert_eq!(mv["lost_kind"], "guess");
        assert!(mv["lost"].as_f64() >= Some(0.0));
    }
}

/// The same record gets the same marks; a match's opening is no player's error.
#[test]
fn annotations_are_repeatable() {
    let place = Place::new();
    let file = path(&place, "game.txt");
    let moves = "1. A4 {opening} a4 {opening} 2. B5 b5 3. C6 c7";
    fs::write(&file, format!("[Game \"awari\"]\n{moves} *\n")).expect("a file");
    let args = ["annotate", &file, "--format", "json", "--threads", "1", "--nodes", "20000"];
    let analysis = place.run(&args).json();
    assert_eq!(analysis, place.run(&args).json());
    let moves = analysis["moves"].as_array().expect("moves");
    for (ply, mv) in moves.iter().enumerate() {
        assert_eq!(mv["opening"], ply < 2, "{mv}");
        assert!(ply >= 2 || mv["error"] == false && mv["mark"] == "", "{mv}");
    }
    assert!(moves.iter().any(|mv| mv["lost"].as_f64() > Some(0.5)), "{analysis}");
}

/// In a game that is won or lost, the error that loses it is the gravest.
#[test]
fn marks_are_by_the_size_of_the_game() {
    let place = Place::new();
    let file = path(&place, "game.txt");
    fs::write(&file, "[Game \"tic-tac-toe\"]\n1. a1 b1 *\n").expect("a file");
    let analysis = place.run(&["annotate", &file, "--format", "json"]).json();
    assert_eq!(
        (&analysis["moves"][1]["mark"], &analysis["moves"][1]["lost"]),
        (&"??".into(), &1.into())
    );
    assert_eq!(analysis["moves"][0]["mark"], "");
}

/// `hint` and `values` agree, with each other and when asked twice, however long they take.
#[test]
fn advice_is_the_same_when_asked_twice() {
    let place = Place::new();
    let args = ["play", "awari", "--think", "100ms"];
    let output = place.talk(&args, "hint\nvalues\nhint\nquit\n").success().stdout;
    let hints: Vec<&str> = output
        .lines()
        .filter(|line| line.contains("(worth"))
        .map(|line| line.split_once("> ").map_or(line, |(_, hint)| hint))
        .collect();
    assert_eq!((hints.len(), hints[0]), (2, hints[1]), "{output}");
    let best = output.lines().find(|line| line.ends_with(" best")).expect("a best move");
    let (mv, value) = best.trim_end_matches(" best").split_once(' ').expect("a move and a value");
    let value = value.trim();
    assert!(hints[0].starts_with(&format!("{mv} (worth {value}, by search of depth ")), "{output}");
}

/// What an engine says of positions that are searched one after another in one session, in
/// hundredths.
fn scores(place: &Place, threads: &str, requests: &[&str]) -> Vec<String> {
    let mut command = place.command(&["engine", "awari", "--threads", threads]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let scores = requests.iter().map(|request| {
        writeln!(input, "{request}").expect("sent");
        let mut score = None;
        loop {
            let line = lines.next().expect("an answer").expect("text");
            if line.starts_with("bestmove") {
                return score.expect("a score");
            }
            let mut words = line.split_whitespace().skip_while(|word| *word != "cp");
            score = words.nth(1).map(str::to_owned).or(score);
        }
    });
    let scores = scores.collect();
    writeln!(input, "quit").expect("sent");
    assert!(child.wait().expect("it ends").success());
    scores
}

/// What was searched in between changes no advice to the same depth.
#[test]
fn advice_is_the_same_later() {
    let place = Place::new();
    for threads in ["1", "2"] {
        let requests = [
            "position 5,5,0,5,5,5/5,0,5,5,5,3 S 0-0\ngo depth 7",
            "position 5,5,5,5,4,0/4,4,4,4,4,4 N 0-0\ngo depth 8",
        ];
        let said = scores(&place, threads, &requests.repeat(3));
        assert_eq!(said[..2], said[2..4], "{said:?}");
        assert_eq!(said[..2], said[4..], "{said:?}");
    }
    let args = ["play", "awari", "--depth", "8"];
    let output = place.talk(&args, "F\nhint\nB\nhint\nundo\nhint\nquit\n").success().stdout;
    let hints: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split_once("(worth ")?.1.split([',', ')']).next())
        .collect();
    assert_eq!((hints.len(), hints[0]), (3, hints[2]), "{output}");
}

/// Where databases count moves, values say how many, and a repetition that is allowed is a draw.
#[test]
fn distances_are_shown_and_lost() {
    let place = Place::new();
    place.run(&["solve", "chess", "--up-to", "krk"]).success();
    let position = "8/8/8/8/8/4k3/8/R3K3 w - -";
    let probed = place.run(&["probe", "chess", position]).success().stdout;
    let args = ["play", "chess", "--position", position];
    let played = place.talk(&args, "values\nhint\nquit\n").success().stdout;
    let rows: Vec<&str> = probed.lines().filter(|line| line.contains("win in")).collect();
    assert!(rows.len() > 5 && rows.iter().all(|row| played.contains(row)), "{probed}{played}");
    assert_eq!(played.matches("  best\n").count(), 1, "{played}");
    assert!(played.contains("Ra4 (win in 11, from the databases)"), "{played}");
    assert!(played.contains("what each move leads to for you, from the databases"), "{played}");

    // With the second Rc1 White lets Black bring the first position about for the third time.
    let game = "[Game \"chess\"]\n[Position \"8/8/8/8/8/3k4/8/K1R5 w - -\"]\n\n\
                1. Rg1 Ke3 2. Rc1 Kd3 3. Rg1 Ke3 4. Rc1 Kd3 1/2-1/2\n";
    let file = place.path().join("game.txt");
    fs::write(&file, game).expect("a file");
    let said = place.run(&["annotate", file.to_str().expect("a path")]).success().stdout;
    assert!(said.contains("the decisive move was 7. Rc1 by White: a win became a draw"), "{said}");
    assert!(said.contains("Black: 0 errors"), "{said}");
}

/// The engine, `values`, `hint` and the explorer say the same of a position to the same depth.
#[test]
fn all_advice_agrees() {
    let place = Place::new();
    let (_server, address) = start(&place, &[]);
    for (position, side) in [
        ("4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", "south"),
        ("5,5,5,5,4,0/4,4,4,4,4,4 N 0-0", "north"),
        ("5,5,0,5,5,5/5,0,5,5,5,3 S 0-0", "south"),
        ("1,0,3,6,0,2/0,4,1,1,7,3 S 9-11", "south"),
    ] {
        let script = format!("position {position}\ngo depth 7\n");
        let said = place.talk(&["engine", "awari", "--threads", "1"], &script).success().stdout;
        let report = said.lines().rev().find(|line| line.starts_with("info depth 7 "));
        let words: Vec<&str> = report.expect("a report").split_whitespace().collect();
        let after = |word| words[1 + words.iter().position(|other| *other == word).expect(word)];
        let hundredths: i32 = after("cp").parse().expect("a number");
        let (value, best) = (format!("~{:+.2}", f64::from(hundredths) / 100.0), after("pv"));

        let position_in_uri = position.replace(' ', "%20");
        let uri = format!("/api/v1/games/awari/search?depth=7&position={position_in_uri}");
        for _ in 0..2 {
            let reports = get(&address, &uri);
            let data = reports.lines().filter_map(|line| line.strip_prefix("data: "));
            let found: Vec<Value> = data.flat_map(serde_json::from_str).collect();
            let last = found.iter().rfind(|report| report["depth"] == 7).expect("a report");
            let shown = last["value"]["text"].as_str().expect("a text");
            assert!(shown.starts_with(&value), "{position}: {value} and {last}");
            assert_eq!(last["line"][0], best, "{position}: {last}");
        }

        let args = ["play", "awari", "--depth", "7", "--position", position, "--side", side];
        let output = place.talk(&args, "values\nhint\nquit\n").success().stdout;
        let hint = format!("{best} (worth {value}");
        assert!(output.contains(&hint), "{hint}: {output}");
        assert!(output.contains("by search of depth 7)"), "{output}");
        let row = output.lines().find(|line| line.ends_with(" best")).expect("a best move");
        let mut words = row.split_whitespace();
        assert_eq!(words.next(), Some(best), "{output}");
        assert_eq!(words.next().map(|word| word.trim_end_matches(',')), Some(&*value), "{output}");
    }
}

#[test]
fn invalid_records_are_refused() {
    let place = Place::new();
    let file = path(&place, "game.txt");
    for (text, complaint) in [
        ("1. A4 *", "no tag names the game"),
        (
            "[Game \"awari\"]\n1. Z9 *",
            "cannot be replayed: line 2: move 1: \"Z9\" is not a legal move",
        ),
        ("[Game \"awari\"]\n[Position \"1,2\"]\n*", "cannot be replayed: line 2: its position"),
        ("[Game \"awari\"]\n[Options \"seeds=4\"]\n*", "awari has no option \"seeds\""),
        ("[Game awari]", "is not a record: line 1"),
    ] {
        fs::write(&file, text).expect("a file");
        let error = place.run(&["annotate", &file]).failure();
        assert!(error.contains(complaint), "{error}");
    }
    fs::write(&file, "[Game \"go\"]\n*").expect("a file");
    assert!(place.run(&["annotate", &file]).usage_error().contains("no game \"go\""));
    assert!(
        place.run(&["annotate", &file, "--number", "2"]).usage_error().contains("has 1 game, so")
    );
    assert!(place.run(&["annotate", "nowhere.txt"]).failure().contains("cannot read nowhere.txt"));
}

#[test]
fn a_game_at_the_terminal() {
    let place = Place::with_awari(7);
    let file = path(&place, "saved.txt");
    let position = "2,0,0,0,1,1/0,1,1,0,0,1 S 20-21";
    let (best, score) = probe(&place, position).swap_remove(0);
    let lines =
        format!("help\nmoves\nvalues\nhint\nZ\n\n{best}\nundo\n{best}\nsave {file}\nsave\nquit\n");
    let args = ["play", "awari", "--level", "perfect", "--position", position, "--depth", "4"];
    let output = place.talk(&args, &lines).success().stdout;
    let opponent = "the perfect player (above the databases it goes by a search)";
    assert!(
        output.starts_with(&format!("You are South, against {opponent}. Type help")),
        "{output}"
    );
    assert!(output.contains("take back your last move"), "{output}");
    assert!(output.contains("what you win from here on, from the databases"), "{output}");
    assert!(
        output.contains(&format!("{best} (worth {}, from the databases)", signed(score))),
        "{output}"
    );
    assert!(output.contains("\"Z\" is not a legal move here"), "{output}");
    assert!(output.matches("North plays ").count() >= 2, "{output}");
    assert!(output.contains("save where?"), "{output}");
    assert!(!output.contains('\u{1b}'), "no colours without a terminal");
    let analysis = place.run(&["annotate", &file, "--format", "json"]).json();
    assert_eq!(analysis["moves"][0]["move"], Value::from(best));
    assert_eq!(analysis["summary"][1]["errors"], 0, "the perfect player errs nowhere: {analysis}");
}

/// Moves are numbered, and what they change is marked where there are colours.
#[test]
fn the_last_move_is_marked() {
    let place = Place::new();
    let lines = "E\nquit\n";
    let args = ["play", "awari", "--level", "1", "--seed", "1"];
    let plain = place.talk(&args, lines).success().stdout;
    assert!(plain.contains("South> 1. South plays E4\n"), "{plain}");
    assert!(plain.contains("\n2. North plays "), "{plain}");
    let mut command = place.command(&args);
    command.env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR").stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let sent = child.stdin.take().expect("a pipe").write_all(lines.as_bytes());
    sent.expect("sent");
    let coloured = place.read(child.wait_with_output().expect("it ends")).success().stdout;
    // The pit is empty, and the next stones lie in the pits that follow.
    let south = "4  4  4  4  \u{1b}[1;33m0\u{1b}[0m  \u{1b}[1;33m5\u{1b}[0m";
    assert!(coloured.contains(south), "{coloured}");
    assert!(coloured.contains("South plays \u{1b}[1mE4\u{1b}[0m"), "{coloured}");
}

/// Thinking in the opponent's time changes no result of a search of fixed depth.
#[test]
fn pondering() {
    let place = Place::new();
    let lines = "E\nmoves\nA\nquit\n";
    let args = ["play", "awari", "--level", "perfect", "--depth", "5"];
    let plain = place.talk(&args, lines).success().stdout;
    let pondered = place.talk(&[&args[..], &["--ponder"]].concat(), lines).success().stdout;
    assert_eq!(plain, pondered);
    let record = path(&place, "match.txt");
    let args = ["match", "kalah", "--pits", "3", "--seeds", "3", "--record", &record];
    let program = format!("cmd:'{}' engine kalah --pits 3 --seeds 3", crate::harness::PROGRAM);
    let time = ["--games", "4", "--time", "2s+0.02s", "--ponder", "--format", "json"];
    let result = place.run(&[&args[..], &time, &["time=1s", &program]].concat()).json();
    assert_eq!(result["faults"], serde_json::json!({"a": 0, "b": 0}), "{result}");
}

fn signed(score: i64) -> String {
    if score == 0 { "0".to_owned() } else { format!("{score:+}") }
}

#[test]
fn the_other_side_and_the_end() {
    let place = Place::with_awari(3);
    // North has one move left, and then South takes what is left.
    let args = ["play", "awari", "--side", "n", "--position", "0,0,0,0,0,1/0,0,0,0,0,1 S 24-22"];
    let output = place.talk(&args, "moves\nf\nundo\nquit\n").success().stdout;
    assert!(output.starts_with("You are North, against level 5."), "{output}");
    assert!(output.contains("South plays F1"), "{output}");
    let wrong = place.run(&["play", "awari", "--side", "west"]).usage_error();
    assert!(wrong.contains("the sides of awari are south and north"), "{wrong}");
    let wrong = place.run(&["play", "awari", "--level", "11"]).usage_error();
    assert!(wrong.contains("a level is 1 to 10 or perfect"), "{wrong}");
}
