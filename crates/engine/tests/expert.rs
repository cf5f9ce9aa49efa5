//! Programs as experts of a book: those that answer, and those that do not.
#![cfg(unix)]

use std::fs;

use nutcracker_book::BookError;
use nutcracker_book::expert::{Expert, ExpertSettings};
use nutcracker_engine::{ExpertSpec, ExternalExpert, MoveLimits, experts};
use nutcracker_game::Rules;
use nutcracker_games::awari::Awari;
use nutcracker_games::chess::Chess;
use nutcracker_search::{Empty, Engine, EngineOptions, Limits, Worth};

use crate::client::{POLITE, Script};

const DEFAULTS: ExpertSettings =
    ExpertSettings { depth: 3, search_nodes: None, probe_depth: 0, table_bytes: 1 << 20 };

fn awari() -> Awari {
    Awari::new(6).expect("six pits")
}

/// A program that answers `go` with these lines of shell.
fn script(go: &str) -> Script {
    Script::new(&format!("{POLITE}\ngo*) echo \"$position $line\" >> received; {go};;"))
}

fn expert(script: &Script) -> ExternalExpert<Awari> {
    let program = script.start().expect("it starts");
    ExternalExpert::new(awari(), program, MoveLimits::depth(2))
}

fn value(expert: &mut ExternalExpert<Awari>, position: &str) -> Result<Worth, String> {
    let at = awari().parse(position).expect("a position");
    expert.evaluate(&at.position).map_err(|error| match error {
        BookError::Expert(why) => why,
        error => panic!("{error}"),
    })
}

fn start_value(expert: &mut ExternalExpert<Awari>) -> Result<Worth, String> {
    value(expert, "4,4,4,4,4,4/4,4,4,4,4,4 S")
}

#[test]
fn what_a_program_says_is_a_guess() {
    for (score, guess) in [
        ("cp 35", 35),
        ("cp 300 proven", 300),
        ("cp 200 lowerbound proven", 200),
        // No more than there is on the board.
        ("cp -999999", -4800),
        ("mate 3", 4800),
    ] {
        let script = script(&format!("echo 'info depth 2 score {score}'; echo bestmove A4"));
        let mut expert = expert(&script);
        assert_eq!(start_value(&mut expert), Ok(Worth::guess(guess)), "{score}");
        let received = fs::read_to_string(script.dir.path().join("received")).expect("received");
        assert_eq!(received.trim(), "position 4,4,4,4,4,4/4,4,4,4,4,4 S go depth 2");
    }
}

#[test]
fn a_failure_costs_one_position() {
    for (failure, why) in [
        ("echo 'out of nuts' >&2; exit 3", "exited (exit status: 3: out of nuts)"),
        // It hangs, deaf to everything.
        ("exec sleep 60", "did not answer \"go depth 2\" within 0.7"),
        ("exec yes", "did not answer"),
        ("echo bestmove Z9", "\"Z9\" is not a legal move here"),
        ("echo 'bestmove (none)'", "answered no move"),
        ("echo bestmove A4", "Polite answered no score in 4,4,4,4,4,4/4,4,4,4,4,4 S"),
        ("echo 'info score cp 1'; exit", "exited"),
    ] {
        let script = script(&format!(
            "if [ -e failed ]; then echo 'info score cp 7'; echo bestmove A4; \
             else touch failed; {failure}; fi"
        ));
        let mut expert = expert(&script);
        let error = start_value(&mut expert).expect_err(failure);
        // A flood ends by its number of lines, or by the clock of a slow machine.
        assert!(error.contains(why) || error.contains("lines without an answer"), "{error}");
        assert_eq!(expert.failures(), 1);
        assert_eq!(start_value(&mut expert), Ok(Worth::guess(7)), "after {failure}");
        assert_eq!(expert.failures(), 0);
    }
}

#[test]
fn a_late_answer_is_not_taken_for_the_next() {
    // The answer to the first question comes with the second one.
    let script = script(
        "if [ -e late ]; then echo 'info score cp 9'; echo bestmove B4; \
         else touch late; sleep 1; echo 'info score cp 1'; echo bestmove A4; fi",
    );
    let mut expert = expert(&script);
    assert!(start_value(&mut expert).is_err());
    assert_eq!(start_value(&mut expert), Ok(Worth::guess(9)));
}

#[test]
fn a_program_that_keeps_failing_is_restarted_each_time() {
    let script = script("echo x >> starts; exit 1");
    let mut expert = expert(&script);
    for failures in 1..=3 {
        assert!(start_value(&mut expert).is_err());
        assert_eq!(expert.failures(), failures);
    }
    let starts = fs::read_to_string(script.dir.path().join("starts")).expect("starts");
    assert_eq!(starts.lines().count(), 3);
    // Without the program there is nothing to restart.
    fs::remove_file(script.dir.path().join("engine")).expect("it is there");
    assert!(start_value(&mut expert).expect_err("gone").starts_with("cannot start"));
}

#[test]
fn forced_moves_are_not_asked_for() {
    let script = script("echo 'info score cp 50'; echo bestmove e1");
    let mut expert = expert(&script);
    // South has one move, North has to feed South, and South has one move again.
    let forced = "0,0,0,0,0,1/0,0,0,0,1,1 S";
    assert_eq!(value(&mut expert, forced), Ok(Worth::guess(-50)));
    let received = fs::read_to_string(script.dir.path().join("received")).expect("received");
    assert_eq!(received.trim(), format!("position {forced} moves F1 f1 A1 go depth 2"));
    // Neither side ever has a choice: by the rules alone, what a complete search finds.
    let only = "0,0,0,0,0,1/0,0,0,0,0,0 S";
    let at = awari().parse(only).expect("a position").position;
    let mut engine = Engine::new(awari(), Empty, EngineOptions::default());
    let searched = engine.search(&at, &[], &Limits::default(), &mut |_| ()).expect("no error");
    assert!(searched.value.is_exact());
    assert_eq!(value(&mut expert, only), Ok(searched.value));
}

#[test]
fn several_experts_with_their_own_limits() {
    let script = script("echo 'info score cp 5'; echo bestmove A4");
    let program = |limits: &str| format!("{limits}cmd:{}", script.command());
    let texts = [program(""), program("depth=5,count=2,option.hash=7,"), program("time=80ms,")];
    let specs: Vec<ExpertSpec> =
        texts.iter().map(|text| text.parse().expect("a description")).collect();
    let own: ExpertSpec = "depth=0".parse().expect("a description");
    let mut all = experts(&[&specs[..], &[own]].concat(), &awari(), None::<&Empty>, &DEFAULTS)
        .expect("they start");
    let start = awari().start().position;
    let values: Vec<Worth> =
        all.iter_mut().map(|expert| expert.evaluate(&start).expect("a value")).collect();
    let guess = Worth::guess(5);
    assert_eq!(values[..4], [guess, guess, guess, guess]);
    assert_eq!(values.len(), 5);
    let received = fs::read_to_string(script.dir.path().join("received")).expect("received");
    let asked: Vec<&str> =
        received.lines().filter_map(|line| line.split_once(" S ").map(|(_, go)| go)).collect();
    assert_eq!(asked, ["go depth 3", "go depth 5", "go depth 5", "go movetime 80"]);
    // All of them start, or none does.
    let missing: ExpertSpec = "cmd:/no/such/engine".parse().expect("a description");
    let error = experts(&[missing], &awari(), None::<&Empty>, &DEFAULTS).err().expect("no program");
    assert!(error.to_string().starts_with("cannot start \"/no/such/engine\""), "{error}");
}

#[test]
fn descriptions_are_checked() {
    for (text, why) in [
        ("", "\"\" describes no expert"),
        ("cmd:", "there is no program behind cmd:"),
        ("strong", "\"strong\" describes no expert"),
        ("depth=x", "depth takes a number from 0 to 1000"),
        ("depth=0,cmd:x", "depth takes a number from 1 to 1000"),
        ("count=0", "count takes a number from 1 to 1024"),
        ("time=1s", "\"time=1s\" describes no expert"),
        ("time=0s,cmd:x", "time is a time above 0"),
        ("time=soon,cmd:x", "\"soon\" is not a time"),
        ("hash=8,cmd:x", "\"hash=8\" is no limit of a program"),
        (",cmd:x", "\"\" is no limit of a program"),
    ] {
        let error = text.parse::<ExpertSpec>().expect_err(text);
        assert!(error.starts_with(why) && !error.contains('\n'), "{text}: {error}");
    }
    // What comes after cmd: belongs to the command.
    let spec: ExpertSpec = "nodes=9,cmd: ./a --x=1,depth=2".parse().expect("a description");
    assert_eq!(spec.command(), Some("./a --x=1,depth=2"));
}

/// Chess programs are told a position as FEN and a depth or a time, and say hundredths of a pawn or
/// moves to mate, of which the last line counts.
#[test]
fn chess_programs_are_experts() {
    let chess = Chess;
    for (answer, points) in [
        ("info depth 1 score cp 900 pv e2e4\\ninfo depth 8 score cp 100 pv e2e4 e7e5", 18),
        ("info depth 8 seldepth 9 multipv 1 score cp -30 nodes 1 pv e2e4", -6),
        ("info depth 8 score mate 3 pv e2e4", 100),
        ("info depth 8 score mate -2 pv e2e4", -100),
        ("info depth 8 score cp 0 upperbound", 0),
    ] {
        let script = script(&format!("printf '{answer}\\nbestmove e2e4 ponder e7e5\\n'"));
        let told = |limit: &str| -> (Worth, String) {
            let spec = format!("{limit},option.Hash=4,cmd:{}", script.command());
            let spec: ExpertSpec = spec.parse().expect("a description");
            let mut all = experts(&[spec], &chess, None::<&Empty>, &DEFAULTS).expect("it starts");
            let text = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
            let at = chess.parse(text).expect("a position").position;
            let worth = all[0].evaluate(&at).expect("a value");
            let received =
                fs::read_to_string(script.dir.path().join("received")).expect("received");
            (worth, received.lines().last().expect("a line").to_owned())
        };
        let (worth, received) = told("depth=8");
        assert_eq!(worth, Worth::guess(points), "{answer}");
        assert!(received.starts_with("position fen rnbqkbnr/"), "{received}");
        assert!(received.ends_with(" go depth 8"), "{received}");
        assert!(told("time=50ms").1.ends_with(" go movetime 50"));
    }
}
