//! Programs that behave, and those that do not.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::Duration;

use nutcracker_engine::{
    AnswerWhen, ClockState, External, MoveLimits, Pace, Played, Player, PlayerError, Progress,
    Request, Thought, Timeouts,
};
use nutcracker_game::{Rules, Side};
use nutcracker_games::awari::{Awari, Pit};
use nutcracker_search::Worth;
use tempfile::TempDir;

/// A program of a few lines of shell, given by its responses.
pub struct Script {
    pub dir: TempDir,
}

/// Answers the handshake.
pub const POLITE: &str = "uci) echo 'id name Polite'; echo 'option name Hash type spin default 1 min 1 max 9'; echo uciok;;
isready) echo readyok;;
quit) exit 0;;
position*) position=$line;;";

impl Script {
    pub fn new(cases: &str) -> Self {
        let dir = TempDir::new().expect("a directory");
        let text = format!(
            "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nwhile read -r line; do\ncase \"$line\" in\n{cases}\nesac\ndone\n"
        );
        let path = dir.path().join("engine");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        Script { dir }
    }

    pub fn command(&self) -> String {
        format!("'{}'", self.dir.path().join("engine").display())
    }

    pub fn start(&self) -> Result<External, PlayerError> {
        self.start_with(&[])
    }

    fn start_with(&self, settings: &[(String, String)]) -> Result<External, PlayerError> {
        External::start(&self.command(), settings, hurry())
    }
}

pub fn hurry() -> Timeouts {
    Timeouts {
        start: Duration::from_secs(2),
        think: Duration::from_millis(700),
        margin: Duration::from_millis(500),
    }
}

fn game() -> Played<Awari> {
    Played::from_start(Awari::new(6).expect("six pits"))
}

fn query_move(player: &mut External, limits: MoveLimits) -> Result<Thought<Pit>, PlayerError> {
    let (played, pace) = (game(), Pace::new(&limits, Side::First));
    player.choose(Request {
        played: &played,
        limits,
        pace: &pace,
        among: &[],
        on_progress: &mut |_| (),
    })
}

fn depth() -> MoveLimits {
    MoveLimits::depth(1)
}

#[test]
fn a_well_behaved_program() {
    let script = Script::new(&format!(
        "{POLITE}\ngo*) echo hello; echo 'info string hm'; echo 'info depth 3 score cp 25 pv F4 Z9 a4'; echo 'bestmove F4 ponder f4';;"
    ));
    let settings = [("hash".to_owned(), "3".to_owned())];
    let mut player = script.start_with(&settings).expect("it starts");
    assert_eq!(Player::<Awari>::name(&player), "Polite");
    let mut reports = Vec::new();
    let (played, pace) = (game(), Pace::new(&depth(), Side::First));
    let request = Request {
        played: &played,
        limits: depth(),
        pace: &pace,
        among: &[],
        on_progress: &mut |progress| reports.push(progress.clone()),
    };
    let thought = player.choose(request).expect("a move");
    assert_eq!((thought.best, thought.ponder), (Pit(5), Some(Pit(5))));
    assert_eq!(thought.score, Some(Worth::guess(25)));
    let (value, line) = (Some(Worth::guess(25)), vec![Pit(5)]);
    assert_eq!(reports, [Progress { depth: Some(3), value, line, ..Progress::default() }]);
    assert_eq!(player.restarts(), 0);
}

#[test]
fn the_position_is_transmitted() {
    let script = Script::new(&format!(
        "{POLITE}\ngo*) echo \"$position $line\" > received; echo bestmove a;;"
    ));
    let mut player = script.start().expect("it starts");
    let awari = Awari::new(6).expect("six pits");
    let at = awari.parse("4,4,4,4,4,4/4,4,4,4,0,4 S 0-4").expect("a position");
    let mut played = Played::new(awari, at);
    played.play_named("A").expect("legal");
    let left = [Some(Duration::from_secs(9)); 2];
    let clock = ClockState::Game { left, increment: [Duration::ZERO; 2], moves_to_go: None };
    let limits = MoveLimits { clock: Some(clock), ..MoveLimits::default() };
    let pace = Pace::new(&limits, Side::Second);
    let request =
        Request { played: &played, limits, pace: &pace, among: &[], on_progress: &mut |_| () };
    player.choose(request).expect("a move");
    let received = fs::read_to_string(script.dir.path().join("received")).expect("received");
    assert_eq!(
        received.trim(),
        "position 4,4,4,4,4,4/4,4,4,4,0,4 S 0-4 moves A4 go wtime 9000 btime 9000"
    );
}

#[test]
fn selected_moves_and_several_lines() {
    let script = Script::new(&format!(
        "{POLITE}\ngo*) echo \"$line\" > received
echo 'info depth 2 multipv 1 score cp 30 pv B4'; echo 'info depth 2 multipv 2 score cp -5 pv A4'
echo bestmove B4;;"
    ));
    let mut player = script.start().expect("it starts");
    let (played, pace) = (game(), Pace::new(&depth(), Side::First));
    let mut ranks = Vec::new();
    let request = Request {
        played: &played,
        limits: depth(),
        pace: &pace,
        among: &[Pit(0), Pit(1)],
        on_progress: &mut |progress| ranks.push((progress.rank, progress.line.clone())),
    };
    let thought = player.choose(request).expect("a move");
    assert_eq!(thought.score, Some(Worth::guess(30)), "the score of the best line");
    assert_eq!(ranks, [(Some(1), vec![Pit(1)]), (Some(2), vec![Pit(0)])]);
    let received = fs::read_to_string(script.dir.path().join("received")).expect("received");
    assert_eq!(received.trim(), "go depth 1 searchmoves A4 B4");
}

#[test]
fn a_missing_program() {
    let error = External::start("/no/such/engine", &[], hurry()).expect_err("nothing");
    assert!(error.to_string().starts_with("cannot start \"/no/such/engine\""), "{error}");
    let error = External::start("  ", &[], hurry()).expect_err("nothing");
    assert!(error.to_string().contains("the command is empty"), "{error}");
}

#[test]
fn an_unknown_option() {
    let script = Script::new(POLITE);
    let settings = [("Depth".to_owned(), "3".to_owned())];
    let error = script.start_with(&settings).expect_err("no such option").to_string();
    assert!(error.ends_with("has no option \"Depth\"; it has Hash"), "{error}");
}

#[test]
fn a_silent_program_times_out() {
    let error = Script::new("uci) sleep 30;;").start().expect_err("silence").to_string();
    assert!(error.contains("did not answer \"uci\" within 2"), "{error}");
    let script = Script::new(&format!("{POLITE}\ngo*) ;;"));
    let mut player = script.start().expect("it starts");
    let error = query_move(&mut player, depth()).expect_err("silence").to_string();
    assert!(error.contains("did not answer \"go depth 1\" within 0.7"), "{error}");
    // The timeout also applies after its clock has run out.
    let limits = MoveLimits::time(Duration::from_millis(10));
    assert!(matches!(query_move(&mut player, limits), Err(PlayerError::Silent { .. })));
}

#[test]
fn a_crash_is_retried_once() {
    let script = Script::new(&format!(
        "{POLITE}\ngo*) if [ -e crashed ]; then echo 'bestmove A4'; else touch crashed; echo 'out of nuts' >&2; exit 3; fi;;"
    ));
    let mut player = script.start().expect("it starts");
    assert_eq!(query_move(&mut player, depth()).expect("a move").best, Pit(0));
    assert_eq!(player.restarts(), 1);
}

#[test]
fn a_second_crash_is_an_error() {
    let script = Script::new(&format!("{POLITE}\ngo*) echo 'out of nuts' >&2; exit 3;;"));
    let mut player = script.start().expect("it starts");
    let error = query_move(&mut player, depth()).expect_err("crashed").to_string();
    assert!(error.contains("exited (exit status: 3: out of nuts)"), "{error}");
    assert!(error.ends_with("before answering \"go depth 1\""), "{error}");
    let error = Script::new("uci) exit 7;;").start().expect_err("crashed").to_string();
    assert!(error.contains("exit status: 7"), "{error}");
}

#[test]
fn illegal_and_missing_moves() {
    for (answer, complaint) in [
        ("bestmove Z9", "\"Z9\" is not a legal move here; legal are A4, B4, C4, D4, E4, F4"),
        ("bestmove (none)", "answered no move in 4,4,4,4,4,4/4,4,4,4,4,4 S 0-0"),
    ] {
        let script = Script::new(&format!("{POLITE}\ngo*) echo '{answer}';;"));
        let mut player = script.start().expect("it starts");
        let error = query_move(&mut player, depth()).expect_err(answer).to_string();
        assert!(error.starts_with("Polite answered") && error.contains(complaint), "{error}");
    }
}

#[test]
fn a_flood_of_invalid_lines() {
    let script = Script::new(&format!("{POLITE}\ngo*) exec yes;;"));
    let mut player = script.start().expect("it starts");
    let patient = MoveLimits::time(Duration::from_mins(1));
    let error = query_move(&mut player, patient).expect_err("a flood").to_string();
    assert!(error.contains("lines without an answer to \"go movetime 60000\""), "{error}");
    // One endless line is rejected, too.
    let script = Script::new(&format!("{POLITE}\ngo*) exec cat /dev/zero;;"));
    let mut player = script.start().expect("it starts");
    assert!(query_move(&mut player, depth()).is_err());
}

#[test]
fn a_stop_is_forwarded() {
    let script = Script::new(&format!("{POLITE}\ngo*) ;;\nstop) echo bestmove C4;;"));
    let mut player = script.start().expect("it starts");
    let limits = MoveLimits { answer: AnswerWhen::Stopped, ..MoveLimits::default() };
    let (played, pace) = (game(), Pace::new(&limits, Side::First));
    let thought = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            pace.stop();
        });
        player.choose(Request {
            played: &played,
            limits,
            pace: &pace,
            among: &[],
            on_progress: &mut |_| (),
        })
    });
    assert_eq!(thought.expect("a move").best, Pit(2));
}
