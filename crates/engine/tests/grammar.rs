//! Formatted lines parse to the same value, and no line does harm.

use std::time::Duration;

use nutcracker_engine::grammar::{Answer, Bound, Command, Go, Info, WireScore};
use nutcracker_engine::{OptionKind, PlayerOption};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

/// Words outside the grammar.
fn word() -> impl Strategy<Value = String> {
    "[A-Z0-9,/=-]{1,8}"
}

fn words() -> impl Strategy<Value = String> {
    vec(word(), 1..4).prop_map(|words| words.join(" "))
}

fn time() -> impl Strategy<Value = Duration> {
    (0..10_000_000_u64).prop_map(Duration::from_millis)
}

prop_compose! {
    fn go()(
        (depth, nodes, movestogo, percent) in (of(any::<u32>()), of(any::<u64>()), of(any::<u32>()), of(any::<u32>())),
        (infinite, ponder) in any::<(bool, bool)>(),
        times in proptest::array::uniform10(of(time())),
        searchmoves in vec(word(), 0..4),
    ) -> Go {
        let [movetime, w, b, wi, bi, per_move, wr, br, max_reserve, max_turn] = times;
        Go {
            depth, nodes, movetime, infinite, ponder, left: [w, b], increment: [wi, bi], movestogo,
            per_move, reserve: [wr, br], percent, max_reserve, max_turn, searchmoves,
        }
    }
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        Just(Command::Uci),
        Just(Command::IsReady),
        Just(Command::NewGame),
        Just(Command::Stop),
        Just(Command::PonderHit),
        Just(Command::Quit),
        (words(), of(words())).prop_map(|(name, value)| Command::SetOption { name, value }),
        (of(words()), vec(word(), 0..6))
            .prop_map(|(start, moves)| Command::Position { start, moves }),
        go().prop_map(Command::Go),
    ]
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![Just(Bound::Exact), Just(Bound::Lower), Just(Bound::Upper)]
}

prop_compose! {
    fn info()(
        (depth, multipv) in any::<(Option<u32>, Option<u32>)>(),
        score in of((any::<i32>(), bound(), any::<bool>(), of(-200..200))),
        (nodes, nps, tbhits) in any::<(Option<u64>, Option<u64>, Option<u64>)>(),
        time in of(time()),
        hashfull in of(0..=1000_u32),
        pv in vec(word(), 0..6),
        text in of(words()),
    ) -> Info {
        // Moves to mate are written instead of a number, and read as one that is large.
        let score = score.map(|(hundredths, bound, proven, mate)| {
            let hundredths = mate.map_or(hundredths, |moves| if moves > 0 { 12_700 } else { -12_700 });
            WireScore { hundredths, bound, proven, mate }
        });
        Info { depth, multipv, score, nodes, nps, time, hashfull, tbhits, pv, text }
    }
}

fn option_kind() -> impl Strategy<Value = OptionKind> {
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Switch { default }),
        any::<(i64, i64, i64)>().prop_map(|(default, min, max)| OptionKind::Number {
            default,
            min,
            max
        }),
        (words(), vec(words(), 0..4))
            .prop_map(|(default, choices)| OptionKind::Choice { default, choices }),
        Just(OptionKind::Action),
        prop_oneof![Just(String::new()), words()].prop_map(|default| OptionKind::Text { default }),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        words().prop_map(Answer::Name),
        words().prop_map(Answer::Author),
        (words(), option_kind())
            .prop_map(|(name, kind)| Answer::Option(PlayerOption { name, kind })),
        Just(Answer::UciOk),
        Just(Answer::ReadyOk),
        info().prop_map(Answer::Info),
        (of(word()), of(word())).prop_map(|(best, ponder)| Answer::BestMove { best, ponder }),
    ]
}

/// Lines of the grammar's own words in any order, and of any text.
fn noise() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "uci",
        "setoption",
        "name",
        "value",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "depth",
        "wtime",
        "movetime",
        "searchmoves",
        "multipv",
        "-5",
        "99999999999999999999",
        "infinite",
        "info",
        "score",
        "cp",
        "mate",
        "lowerbound",
        "proven",
        "pv",
        "string",
        "option",
        "type",
        "spin",
        "combo",
        "var",
        "default",
        "min",
        "bestmove",
        "ponder",
        "(none)",
        "\u{0}",
        "ß",
    ]);
    prop_oneof![vec(known, 0..12).prop_map(|words| words.join(" ")), any::<String>(), ".{0,200}",]
}

proptest! {
    #[test]
    fn commands_are_read_back(command in command()) {
        let line = command.to_string();
        prop_assert_eq!(Command::parse(&line), Some(command.clone()));
        let spaced = format!("  noise\t{} \r", line.replace(' ', "  "));
        prop_assert_eq!(Command::parse(&spaced), Some(command));
    }

    #[test]
    fn answers_are_read_back(answer in answer()) {
        prop_assert_eq!(Answer::parse(&answer.to_string()), Some(answer));
    }

    #[test]
    fn no_line_does_harm(line in noise()) {
        // Whatever was parsed is formatted the same way again.
        if let Some(command) = Command::parse(&line) {
            prop_assert_eq!(Command::parse(&command.to_string()), Some(command));
        }
        Answer::parse(&line);
    }
}

#[test]
fn chess_interfaces_are_supported() {
    let Some(Command::Position { start, moves }) = Command::parse("position fen A/B moves X Y")
    else {
        panic!("a position");
    };
    assert_eq!((start.as_deref(), moves.len()), (Some("A/B"), 2));
    assert_eq!(Command::parse("position"), None);
    assert_eq!(Command::parse("setoption Hash 12"), None);
    let Some(Command::Go(go)) = Command::parse("go wtime -20 btime x winc depth 4") else {
        panic!("go");
    };
    assert_eq!((go.left, go.depth), ([Some(Duration::ZERO), None], Some(4)));
    for (line, depth) in [("go mate 3", 5), ("go mate 0", 1), ("go mate 4000000000", u32::MAX - 1)]
    {
        let Some(Command::Go(go)) = Command::parse(line) else { panic!("{line}") };
        assert_eq!(go.depth, Some(depth), "{line}");
    }
    let Some(Answer::Info(info)) = Answer::parse("info depth 3 seldepth 9 score mate -2 pv") else {
        panic!("info");
    };
    assert_eq!(info.score.map(|score| score.hundredths), Some(-12_700));
}
