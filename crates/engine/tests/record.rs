//! Records are read back as they were written.

use std::time::Duration;

use nutcracker_engine::record::{Outcome, Record, RecordedMove};
use nutcracker_game::Metric;
use nutcracker_search::{Distance, Worth};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Worth> {
    prop_oneof![
        (-20_000..20_000_i32).prop_map(Worth::guess),
        (-127..=127_i16).prop_map(Worth::exact),
        (-127..=127_i16).prop_map(Worth::at_least),
        (-127..=127_i16).prop_map(Worth::at_most),
        (-127..=0_i16, 1..=127_i16, any::<i16>())
            .prop_map(|(lower, upper, guess)| Worth::between(lower, upper).with_guess(guess.into())),
        (1..=127_u16).prop_map(|moves| Worth::exact(-1)
            .with_distance(Distance::new(moves, Metric::Dtc))),
    ]
}

fn mv() -> impl Strategy<Value = RecordedMove> {
    let time = (0..100_000_000_u64).prop_map(Duration::from_millis);
    ("[A-Za-z]{1,2}[0-9x+]{0,4}", of(value()), of(time), ".{0,100}").prop_map(
        |(name, value, time, comment)| {
            let mv = RecordedMove::new(name).with_comment(&comment);
            RecordedMove { value, time, ..mv }
        },
    )
}

fn record() -> impl Strategy<Value = Record> {
    let outcome = prop_oneof![
        Just(Outcome::First),
        Just(Outcome::Second),
        Just(Outcome::Draw),
        Just(Outcome::Open)
    ];
    // A name that no tag of ours has, and any text in one line.
    let tag = ("X[A-Za-z_-]{0,8}", "[^\r\n]{0,40}");
    (vec(tag, 0..5), vec(mv(), 0..30), outcome).prop_map(|(tags, moves, outcome)| {
        let mut record = Record { moves, outcome, ..Record::default() };
        for (name, value) in tags {
            record.set(&name, value);
        }
        record
    })
}

proptest! {
    #[test]
    fn records_are_read_back(records in vec(record(), 1..4)) {
        let text: Vec<String> = records.iter().map(ToString::to_string).collect();
        let text = text.join("\n");
        prop_assert_eq!(Record::parse_all(&text), Ok(records));
    }

    #[test]
    fn no_text_does_harm(text in "[\\[\\]{}\"%\\\\ \n0-9.a-z*-]{0,80}|.{0,80}") {
        if let Ok(records) = Record::parse_all(&text) {
            for record in records {
                let again = Record::parse_all(&record.to_string());
                prop_assert!(again.is_ok(), "{:?}", again);
            }
        }
    }
}

#[test]
fn hand_written_records_are_parsed() {
    let text = "[Game \"awari\"] [First \"a \\\"b\\\"\"]\n1.F4 f4{good} {[%value exact -2.00]}\n3. E5 \n\
                [Game \"kalah\"]\nA1 0-1 B2";
    let records = Record::parse_all(text).expect("records");
    let moves: Vec<Vec<&str>> = records
        .iter()
        .map(|record| record.moves.iter().map(|mv| mv.name.as_str()).collect())
        .collect();
    assert_eq!(moves, [vec!["F4", "f4", "E5"], vec!["A1"], vec!["B2"]]);
    assert_eq!(records[0].tag("First"), Some("a \"b\""));
    let noted = &records[0].moves[1];
    assert_eq!(noted.comment.as_deref(), Some("good"));
    let value = noted.value.expect("a value");
    assert_eq!(value, Worth::exact(-2));
    assert_eq!(records[1].outcome, Outcome::Second);
}

/// As chess players write it; a game of points may end so.
#[test]
fn castling_with_digits_is_a_move() {
    let records =
        Record::parse_all("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 0-0-0 1-0").expect("a record");
    let names: Vec<&str> = records[0].moves.iter().map(|mv| mv.name.as_str()).collect();
    assert_eq!(names, ["Nf3", "Nf6", "g3", "g6", "Bg2", "Bg7", "0-0", "0-0-0"]);
}

#[test]
fn lines_of_pgn_are_no_moves() {
    let text = "; a file\n% of a program\n1. e4 ; the king's pawn\ne5 2. exd6 e.p. *";
    let records = Record::parse_all(text).expect("a record");
    let names: Vec<&str> = records[0].moves.iter().map(|mv| mv.name.as_str()).collect();
    assert_eq!(names, ["e4", "e5", "exd6"]);
    assert_eq!(records[0].moves[0].comment.as_deref(), Some("the king's pawn"));
}

#[test]
fn errors_name_their_line() {
    let wrong = Record::parse_all("[Game \"awari\"]\n\n1. F4 {never closed").expect_err("open");
    assert_eq!(wrong.to_string(), "line 3: a comment is opened with '{' and never closed");
    let wrong = Record::parse_all("\n[Game awari]").expect_err("no quotes");
    assert_eq!(wrong.to_string(), "line 2: a tag is written [Name \"value\"]");
}
