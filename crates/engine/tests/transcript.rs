//! Games of other programs are read, and written as those read them.

use nutcracker_engine::record::{Outcome, Record};
use nutcracker_engine::{Played, Transcript, write_game};
use nutcracker_game::{Game, Notation, Rules};
use nutcracker_games::awari::Awari;
use nutcracker_games::checkers::Checkers;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::sowing::{RuleSet, Sowing};
use proptest::collection::vec;
use proptest::prelude::*;

const CHECKERS: Checkers = Checkers::BY_PIECES;

fn oware() -> Sowing {
    Sowing::new(RuleSet::ABAPA).expect("oware")
}

fn read(text: &str) -> (Played<Sowing>, Record) {
    let games = Transcript::read_all(text).expect(text);
    assert_eq!(games.len(), 1, "{text}");
    games[0].replay(oware()).expect(text)
}

/// A file as Aualé writes it.
const OGN: &str = "[Variant \"Oware Abapa\"]
[Event \"?\"]
[Site \"Accra \\\"Abapa\\\"\"]
[Date \"2024.05.01\"]
[Round \"?\"]
[South \"Ama\"]
[North \"Kofi\"]
[Result \"26-22\"]

1. F f 2. B e { a fine move } 3. B
c 4. D+2?! (4. A a {worse}) a $3 26-22
";

#[test]
fn a_game_of_auale() {
    let games = Transcript::read_all(OGN).expect("a game");
    assert_eq!(games[0].notation(), Notation::Auale);
    assert_eq!(games[0].game().as_deref(), Some("oware"));
    let (played, record) = read(OGN);
    assert_eq!(played.names_in(Notation::Auale).expect("names").concat(), "FfBeBcDa");
    assert_eq!(record.moves.len(), 8);
    assert_eq!(record.moves[3].comment.as_deref(), Some("a fine move"));
    assert_eq!(record.outcome, Outcome::First);
    let tags: Vec<&str> = record.tags.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        tags,
        ["Game", "First", "Second", "Position", "Result", "Score", "Site", "Date"],
        "what is not known is left out"
    );
    assert_eq!((record.tag("First"), record.tag("Second")), (Some("Ama"), Some("Kofi")));
    assert_eq!((record.tag("Result"), record.tag("Score")), (Some("1-0"), Some("26-22")));
    assert_eq!(record.tag("Site"), Some("Accra \"Abapa\""));
}

/// A file in PDN, in which results are those of White, and Black begins.
const PDN: &str = "[Event \"1863\"]
[White \"Robert Martins\"]
[Black \"James Wyllie\"]
[Result \"1-0\"]
[GameType \"21\"]

1. 11-15 23-19 2. 8-11 22-17 3. 11-16 24-20 4. 16x23 27x18x11 {two}
5. 7*16 20:11 6. 3-7 28-24? 1-0

1. 9-14 22-18 2. 5-9
";

#[test]
fn games_of_draughts() {
    let games = Transcript::read_all(PDN).expect("games");
    assert_eq!(games.len(), 2);
    let played = |number: usize| {
        assert_eq!(games[number].game().as_deref(), Some("checkers"));
        games[number].replay(CHECKERS).expect("legal moves")
    };
    let (game, record) = played(0);
    assert_eq!(
        game.names().join(" "),
        "11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x11 7x16 20x11 3-7 28-24"
    );
    assert_eq!(record.moves[7].comment.as_deref(), Some("two"));
    assert_eq!(record.outcome, Outcome::Second);
    assert_eq!((record.tag("First"), record.tag("Result")), (Some("James Wyllie"), Some("0-1")));
    // Without a result, the last move looks like one by points.
    let (game, record) = played(1);
    assert_eq!(
        (game.names().join(" ").as_str(), record.outcome),
        ("9-14 22-18 5-9", Outcome::Open)
    );
    let line = &Transcript::read_all("11-15 23-19 8-11").expect("a line")[0];
    assert_eq!(line.game().as_deref(), Some("checkers"));
    assert!(line.replay(CHECKERS).is_ok());
    // A move that cannot be is no result, and points of draughts are.
    let read = |moves: &str| {
        let text = format!("[GameType \"21\"]\n\n1. {moves}");
        Transcript::read_all(&text).expect("a game").remove(0)
    };
    for wrong in ["9-99", "51-46", "12-12"] {
        let game = read(&format!("11-15 {wrong} *"));
        assert_eq!(game.game().as_deref(), Some("checkers"), "{wrong}");
        assert!(game.replay(CHECKERS).is_err(), "{wrong}");
    }
    let (_, record) = read("11-15 23-19 1-1").replay(CHECKERS).expect("legal moves");
    assert_eq!(record.outcome, Outcome::Draw);
    // Another kind of draughts has the same look.
    let frisian = PDN.replace("\"21\"", "\"40\"");
    assert_eq!(Transcript::read_all(&frisian).expect("games")[0].game(), None);
}

#[test]
fn games_by_their_looks() {
    // What the programs' own tests and documents have as examples.
    let playstrategy = "d1e2 c2b1 e1c2 b2d1 f1a2 d2c1 b1d2 b2a1";
    let openspiel = "2 5 2 1 1 2 2 3 5 4 2 3 3 4 0 1 3";
    for (text, notation, moves) in [
        ("FfBeBcDa", Notation::Auale, "FfBeBcDa"),
        ("F f B e B c D a", Notation::Auale, "FfBeBcDa"),
        ("1. Ff 2. Be", Notation::Auale, "FfBe"),
        (playstrategy, Notation::PlayStrategy, "DdEeFcBe"),
        (openspiel, Notation::OpenSpiel, "CfCbBcCdFeCdDeAbD"),
        ("startpos moves FfBe", Notation::Auale, "FfBe"),
        ("position startpos moves FfBe", Notation::Auale, "FfBe"),
        ("4-4-4-4-0-5-5-5-5-4-4-4-0-0-N moves dB", Notation::Auale, "dB"),
        ("5S,5S,6S,6S,1S,5S/1,5S,5S,5S,1,5S 0 0 N 2 moves f2a2 b1f2", Notation::PlayStrategy, "aB"),
        ("1 | 0 0 | 4 4 0 5 5 5 5 4 4 4 4 4 moves 5 2", Notation::OpenSpiel, "fC"),
        ("F4 f4 B5 e4", Notation::Own, "FfBe"),
        ("# a comment\n\nF4 f4 B5 e4\n", Notation::Own, "FfBe"),
        (
            "\u{feff}[Variant \"Oware\"]\n[P1 \"x\"]\n\n1. d1e2 c2b1 2. e1c2",
            Notation::PlayStrategy,
            "DdE",
        ),
    ] {
        let games = Transcript::read_all(text).expect(text);
        assert_eq!(games[0].notation(), notation, "{text}");
        let (played, record) = read(text);
        assert_eq!(played.names_in(Notation::Auale).expect("names").concat(), moves, "{text}");
        assert_eq!(record.moves.len(), moves.len(), "{text}");
    }
}

#[test]
fn a_state_of_openspiel() {
    let text = "# Automatically generated by OpenSpiel SerializeGameAndState
[Meta]
Version: 1

[Game]
oware(num_houses_per_player=6,num_seeds_per_house=4)
[State]
2
5
2
1

";
    let games = Transcript::read_all(text).expect("a state");
    assert_eq!(games[0].game().as_deref(), Some("oware"));
    assert_eq!(games[0].options(), "pits=6,seeds=4");
    let (played, _) = read(text);
    assert_eq!(
        played.game().format_in(played.now(), Notation::OpenSpiel).as_deref(),
        // As its tests print it.
        Some("0 | 0 0 | 5 5 0 7 5 5 5 0 5 5 5 1")
    );
    let mancala = text.replace("oware(num", "mancala(num");
    let error = Transcript::read_all(&mancala).expect_err("another game").to_string();
    assert!(error.starts_with("line 6: games of OpenSpiel's mancala"), "{error}");
}

/// A game that `PlayStrategy` has a test for, because it is long: the moves by their pits.
#[test]
fn a_long_game_of_playstrategy() {
    let pits = [
        0, 11, 0, 8, 0, 11, 0, 6, 5, 8, 4, 10, 1, 10, 3, 10, 0, 6, 2, 8, 3, 7, 4, 9, 4, 7, 3, 11,
        1, 6, 2, 8, 3, 7, 4, 8, 0, 10, 3, 11, 1, 9, 4, 6, 1, 7, 2, 8, 3, 9, 4, 6, 5, 10, 2, 8, 3,
        9, 4, 11, 0, 10, 1, 11, 5, 6, 2, 7, 4, 9, 5, 7, 0, 8, 1, 11, 0, 9, 1, 10, 0, 11, 0, 6, 3,
        6, 4, 7, 2, 8, 1, 10, 2, 9, 3, 10, 5, 7, 4, 8, 5, 11, 0, 7, 1, 10, 2, 9, 3, 8, 4, 11, 0,
        10, 1, 9, 5, 7, 2, 8,
    ];
    let square = |pit: u8| match pit {
        0..6 => format!("{}1", char::from(b'a' + pit)),
        _ => format!("{}2", char::from(b'a' + 11 - pit)),
    };
    // Only where a move begins: `PlayStrategy` reads that, too. The first has both, as a sign.
    let words: Vec<String> = pits.into_iter().map(square).collect();
    let text = format!("a1e1 {}", words[1..].join(" "));
    let (played, _) = read(&text);
    assert_eq!(played.moves().len(), pits.len());
    let record = played.record("", ["a", "b"]);
    let whole = write_game(&played, &record, Notation::PlayStrategy).expect("it is written");
    let (again, _) = read(&whole);
    assert_eq!(again.situations(), played.situations());
}

#[test]
fn errors_name_the_line() {
    for (text, why) in [
        (
            "[Variant \"Oware Abapa\"]\n\n1. F f\n2. F e\n",
            "line 4: move 3: \"F\" is not a legal move",
        ),
        (
            "[Variant \"Oware Abapa\"]\n\n1. F f\n2. B9 e\n",
            "line 4: moves are letters such as F or FfBe, not \"B9\"",
        ),
        (
            "[Variant \"Oware Abapa\"]\n[FEN \"4-4-4\"]\n\n1. F f",
            "line 2: its position: the side to move",
        ),
        (
            "[Variant \"Oware\"]\n\n1. d1e2 c2b1\n2. e1d2 a2a1\n",
            "line 4: move 3: \"e1d2\" is not a legal move",
        ),
        ("FfBe\n\nFfFe\n", "line 3: move 3: \"F\" is not a legal move"),
        ("2 5\n2 5 9\n", "line 2: move 3: \"9\" is not a legal move"),
        (
            "[Meta]\n[Game]\noware()\n[State]\n2\nfive\n",
            "line 6: an action is a number from 0 on, not \"five\"",
        ),
        ("[Meta]\n[Game]\noware(turbo=1)\n[State]\n", "line 3: \"turbo\" is no parameter of oware"),
        ("1. F (2. B\n", "line 1: a variation is opened with '(' and never closed"),
        (
            "4S,4S/4S 0 0 S moves d1e2",
            "line 1: its position: North has 6 pits, and \"4S,4S\" has 2",
        ),
    ] {
        let replay = |games: Vec<Transcript>| {
            games.iter().try_for_each(|game| game.replay(oware()).map(|_| ()))
        };
        let error = Transcript::read_all(text).and_then(replay).expect_err(text).to_string();
        assert!(error.starts_with(why) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn games_that_others_do_not_know() {
    let kalah = Kalah::new(6, 4, false).expect("kalah");
    let played = Played::from_start(kalah.clone());
    for notation in Notation::FOREIGN {
        let error = write_game(&played, &Record::default(), notation).expect_err("no notation");
        assert_eq!(error, format!("{} has no notation for kalah", notation.program()));
    }
    // Letters alone are then our own names.
    let games = Transcript::read_all("C F d").expect("moves");
    let (played, _) = games[0].replay(kalah).expect("legal");
    assert_eq!(played.names(), ["C4x1+", "F5x1", "d5x1"]);
    let mut played = Played::from_start(oware());
    played.play_named("F").expect("legal");
    let mut later = Played::new(oware(), *played.now());
    later.play_named("f").expect("legal");
    let error = write_game(&later, &Record::default(), Notation::OpenSpiel).expect_err("later");
    assert!(error.starts_with("OpenSpiel writes games from the start alone"), "{error}");
}

/// Plays by numbers: each selects a legal move.
fn play<G: Game>(game: G, before: &[u8], choices: &[u8]) -> Played<G> {
    let mut played = Played::from_start(game.clone());
    let go = |played: &mut Played<G>, choices: &[u8]| {
        for &choice in choices {
            let legal = played.legal();
            let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
            played.play(mv);
        }
    };
    go(&mut played, before);
    let mut played = Played::new(game, *played.now());
    go(&mut played, choices);
    played
}

fn is_read_back<G: Game>(played: &Played<G>, comment: &str) -> Result<(), TestCaseError> {
    let mut record = played.record("", ["A \"b\"", "C \\ d"]);
    record.set("Event", "a [strange] {one}");
    if let Some([first, second]) = played.final_points() {
        record.set("Score", format!("{first}-{second}"));
    }
    if let Some(mv) = record.moves.first_mut() {
        *mv = mv.clone().with_comment(comment);
    }
    for notation in Notation::ALL {
        let text = match write_game(played, &record, notation) {
            Ok(text) => text,
            Err(why) => {
                prop_assert!([Notation::OpenSpiel, Notation::Uci].contains(&notation), "{}", why);
                continue;
            }
        };
        let games = Transcript::read_all(&text).expect("what was written");
        prop_assert_eq!(games.len(), 1, "{}", text);
        // A game without moves has no names to be recognised by.
        prop_assert!(games[0].notation() == notation || played.is_new(), "{}", text);
        let (again, read) = games[0].replay(played.game().clone()).expect("it is legal");
        prop_assert_eq!(again.situations(), played.situations());
        if notation != Notation::OpenSpiel {
            prop_assert_eq!(&read.moves, &record.moves);
            prop_assert_eq!(read.outcome, record.outcome, "{}", text);
            for tag in ["First", "Second", "Event", "Score", "Position", "Result"] {
                prop_assert_eq!(read.tag(tag), record.tag(tag), "{}", tag);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn games_are_read_back(
        before in vec(any::<u8>(), 0..40),
        choices in vec(any::<u8>(), 0..300),
        comment in "[^\r\n]{0,60}",
        small in any::<bool>(),
    ) {
        is_read_back(&play(oware(), &before, &choices), &comment)?;
        is_read_back(&play(oware(), &[], &choices), &comment)?;
        let pits = if small { 3 } else { 6 };
        is_read_back(&play(Awari::new(pits).expect("awari"), &before, &choices), &comment)?;
    }

    /// A text that is cut, doubled or changed is read or refused in a sentence with its line.
    #[test]
    fn damage_does_no_harm(
        choices in vec(any::<u8>(), 0..40),
        edits in vec((any::<prop::sample::Index>(), 0..4_u8, any::<char>()), 1..6),
    ) {
        let played = play(oware(), &[], &choices);
        let record = played.record("", ["a", "b"]);
        for notation in Notation::ALL {
            let Ok(text) = write_game(&played, &record, notation) else {
                prop_assert_eq!(notation, Notation::Uci);
                continue;
            };
            let mut letters: Vec<char> = text.chars().collect();
            for (place, edit, letter) in &edits {
                if letters.is_empty() {
                    break;
                }
                let place = place.index(letters.len());
                match edit {
                    0 => drop(letters.remove(place)),
                    1 => letters.insert(place, *letter),
                    2 => letters[place] = *letter,
                    _ => letters.truncate(place),
                }
            }
            let damaged: String = letters.into_iter().collect();
            let read = Transcript::read_all(&damaged)
                .and_then(|games| games.iter().try_for_each(|game| game.replay(oware()).map(|_| ())));
            if let Err(error) = read {
                let lines = damaged.lines().count().max(1);
                prop_assert!((1..=lines).contains(&error.line), "{} of {}", error, lines);
                prop_assert!(!error.to_string().contains('\n'), "{}", error);
            }
        }
    }

    #[test]
    fn no_text_does_harm(text in "[FfBe12 .+()\\[\\]{}\"|/,S-]{0,60}|.{0,80}") {
        for game in Transcript::read_all(&text).unwrap_or_default() {
            let _ = game.replay(oware());
        }
        let _ = oware().parse(&text);
    }
}
