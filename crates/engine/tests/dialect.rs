//! The dialects of Aualé and Aalina, and of chess programs, from both sides.
#![cfg(unix)]

use std::fs;

use nutcracker_engine::{
    Dialect, MoveLimits, Pace, Played, Player, PlayerError, Progress, Request, Thought,
};
use nutcracker_game::{Game, Rules};
use nutcracker_games::chess::Chess;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::sowing::{RuleSet, Sowing};
use nutcracker_search::Worth;

use crate::client::{POLITE, Script};
use crate::server::Talk;

/// Plays the first legal move and expects the first one as the answer, with one report.
struct First;

impl<G: Game> Player<G> for First {
    fn name(&self) -> String {
        "first".to_owned()
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        let Request { played, on_progress, .. } = request;
        let best = *played.legal().first().expect("a legal move");
        let mut next = played.clone();
        next.play(best);
        let ponder = next.legal().first().copied();
        on_progress(&Progress {
            depth: Some(2),
            value: Some(Worth::exact(3)),
            nodes: Some(12),
            line: [Some(best), ponder].into_iter().flatten().collect(),
            ..Progress::default()
        });
        Ok(Thought { ponder, ..Thought::only(best) })
    }
}

fn oware() -> Sowing {
    Sowing::new(RuleSet::ABAPA).expect("oware")
}

/// Plays a recorded dialogue.
fn replay<G: Game>(game: G, text: &str, dialect: Option<Dialect>) {
    let talk = Talk::with(game, First, dialect);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ') {
            Some((">", command)) => talk.send(command),
            Some(("<", answer)) => talk.expect_line(answer),
            _ => panic!("{line:?} is no line of a dialogue"),
        }
    }
    talk.end();
}

#[test]
fn recorded_dialogues() {
    replay(oware(), include_str!("dialogues/auale.txt"), Some(Dialect::Auale));
    replay(oware(), include_str!("dialogues/detected.txt"), None);
    replay(oware(), include_str!("dialogues/board.txt"), None);
    assert_eq!((Dialect::usual(&oware()), Dialect::usual(&Chess)), (None, Some(Dialect::Uci)));
    replay(Chess, include_str!("dialogues/uci.txt"), Dialect::usual(&Chess));
}

#[test]
fn a_game_without_letters_is_not_spoken_about() {
    let kalah = Kalah::new(6, 4, false).expect("kalah");
    let error = Dialect::Auale.check(&kalah).expect_err("no notation");
    assert_eq!(error, "Aualé has no notation for kalah");
    assert_eq!(Dialect::Own.check(&kalah), Ok(()));
    assert_eq!(Dialect::Auale.check(&oware()), Ok(()));
}

/// What a program is told about a game, and its answer.
fn ask(
    script: &Script,
    dialect: Option<Dialect>,
    played: &Played<Sowing>,
) -> (String, Result<Thought<u8>, PlayerError>) {
    let program = script.start().expect("it starts");
    let mut program = match dialect {
        Some(dialect) => program.speaking(dialect),
        None => program,
    };
    let limits = MoveLimits::depth(3);
    let pace = Pace::new(&limits, played.now().mover);
    let request = Request { played, limits, pace: &pace, among: &[], on_progress: &mut |_| () };
    let thought = program.choose(request);
    (fs::read_to_string(script.dir.path().join("received")).unwrap_or_default(), thought)
}

fn answering(handshake: &str, answer: &str) -> Script {
    Script::new(&format!("{handshake}\ngo*) echo \"$position $line\" > received; {answer};;"))
}

#[test]
fn programs_are_spoken_to() {
    let mut played = Played::from_start(oware());
    for name in ["F", "f", "B"] {
        played.play_named(name).expect("legal");
    }
    let answer = "echo 'info depth 3 score cp 25 lowerbound pv eA'; echo bestmove e ponder A";
    let script = answering(POLITE, answer);
    let (received, thought) = ask(&script, Some(Dialect::Auale), &played);
    assert_eq!(received.trim(), "position startpos moves FfB go depth 3");
    let thought = thought.expect("a move");
    assert_eq!((thought.best, thought.ponder), (4, Some(0)));
    assert_eq!(thought.score, Some(Worth::guess(25)));
    // Aalina is recognised.
    let aalina =
        POLITE.replace("echo uciok", "echo 'option name DrawSearch type check'; echo uciok");
    let (received, thought) = ask(&answering(&aalina, answer), None, &played);
    assert_eq!(received.trim(), "position startpos moves FfB go depth 3");
    assert_eq!(thought.expect("a move").best, 4);
    // Another program is not.
    let (received, _) = ask(&script, None, &played);
    assert_eq!(received.trim(), "position startpos moves F4 f4 B5 go depth 3");
    // From another position.
    let mut later = Played::new(oware(), *played.now());
    let (received, _) = ask(&script, Some(Dialect::Auale), &later);
    assert_eq!(received.trim(), "position fen 5-0-6-6-5-1-6-5-5-5-4-0-0-0-N go depth 3");
    later.play_named("e").expect("legal");
    let (received, thought) = ask(&script, Some(Dialect::Auale), &later);
    assert_eq!(received.trim(), "position fen 5-0-6-6-5-1-6-5-5-5-4-0-0-0-N moves e go depth 3");
    // A letter of the other side is no move.
    assert!(matches!(thought, Err(PlayerError::Illegal { .. })), "{thought:?}");
}

/// Aalina stops where more than half of the seeds are captured; then any move will do, and nowhere
/// else.
#[test]
fn a_null_move_where_the_game_is_decided() {
    let script = answering(POLITE, "echo bestmove 0000");
    let at = |text: &str| Played::new(oware(), oware().parse(text).expect(text));
    let decided = at("4-4-0-0-0-0-4-4-0-0-0-0-25-7-S");
    let (_, thought) = ask(&script, Some(Dialect::Auale), &decided);
    assert_eq!(thought.expect("any move").best, 0);
    for (text, dialect) in [
        ("4-4-0-0-0-0-4-4-0-0-0-0-24-8-S", Dialect::Auale),
        ("4-4-0-0-0-0-4-4-0-0-0-0-25-7-S", Dialect::Own),
    ] {
        let (_, thought) = ask(&script, Some(dialect), &at(text));
        assert!(matches!(thought, Err(PlayerError::NoMove { .. })), "{text}: {thought:?}");
    }
}
