//! `nutcracker moves`.

use serde_json::{Value, json};

use crate::harness::Place;

#[test]
fn positions_of_standard_input_are_answered_in_their_order() {
    let place = Place::new();
    let lines = "Kc2 Rb7 kc8 b\n\nKb6 Rh8 kb8 b\n";
    let run = place.talk(&["moves", "krk", "-", "--format", "json"], lines).success();
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let capture = json!({"move": "Kxb7", "position": "Kc2 - kb7 w"});
    assert_eq!(answers[0]["moves"][0], capture);
    assert_eq!(answers[0]["outcome"], Value::Null);
    assert_eq!((&answers[1]["outcome"], &answers[1]["moves"]), (&json!(-1), &json!([])));
    let run = place.talk(&["moves", "krk", "-"], "Kc2 Rb7 kc8 b\nmate\n");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("nutcracker: line 2 of standard input: "), "{}", run.stderr);
}

#[test]
fn a_finished_game_says_so() {
    let place = Place::new();
    let run = place.run(&["moves", "krk", "Kb6 Rh8 kb8 b"]).success();
    assert!(run.stdout.ends_with("The game is over: White wins\n"), "{}", run.stdout);
    for (position, end) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - -", "The game is over by checkmate: White wins\n"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", "The game is over by stalemate: a draw\n"),
    ] {
        let run = place.run(&["moves", "chess", position]).success();
        assert!(run.stdout.ends_with(end), "{}", run.stdout);
    }
    let mate = ["moves", "chess", "7k/6Q1/6K1/8/8/8/8/8 b - -", "--format", "json"];
    assert_eq!(place.run(&mate).success().json()["end"], "checkmate");
    let run = place.run(&["moves", "othello"]).success();
    assert!(run.stdout.contains("d3    8/8/3x4/3xx3/3xo3/8/8/8 o\n"), "{}", run.stdout);
    assert_eq!(place.run(&["moves", "krk", "Ka1"]).code, Some(2));
}
