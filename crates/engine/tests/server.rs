//! Scripts of the protocol, with the engine in this process.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nutcracker_engine::{
    Dialect, Identity, OptionKind, Player, PlayerError, PlayerOption, Progress, Request, Thought,
    serve,
};
use nutcracker_game::Game;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;

/// Plays the last legal move; searches until stopped unless a depth is set.
struct Last;

impl<G: Game> Player<G> for Last {
    fn name(&self) -> String {
        "last".to_owned()
    }

    fn options(&self) -> Vec<PlayerOption> {
        vec![PlayerOption::new("Mood", OptionKind::Switch { default: true })]
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        match (name, value) {
            ("Mood", Some("true" | "false")) => Ok(()),
            _ => Err(format!("cannot set {name}")),
        }
    }

    fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
        let Request { played, limits, pace, on_progress, .. } = request;
        on_progress(&Progress { depth: Some(1), ..Progress::default() });
        pace.during(|| {
            while limits.depth.is_none() && !pace.is_over() {
                thread::sleep(Duration::from_millis(1));
            }
        });
        let best = *played.legal().last().expect("a legal move");
        let mut next = played.clone();
        next.play(best);
        Ok(Thought { ponder: next.legal().first().copied(), ..Thought::only(best) })
    }
}

fn identity() -> Identity {
    Identity { name: "Test 1".to_owned(), author: "Tester".to_owned() }
}

fn script<G: Game>(game: G, lines: &[u8]) -> String {
    let mut output = Vec::new();
    serve(game, Last, &identity(), None, lines, &mut output).expect("nothing fails");
    String::from_utf8(output).expect("text")
}

fn awari() -> Awari {
    Awari::new(6).expect("six pits")
}

#[test]
fn a_game_by_script() {
    let output = script(
        awari(),
        b"uci\nsetoption name Mood value false\nsetoption name Moon value 1\nisready\n\
          ucinewgame\nposition startpos moves F4 f4\ngo depth 1\nquit\n",
    );
    assert_eq!(
        output,
        "id name Test 1\nid author Tester\noption name Mood type check default true\nuciok\n\
         info string cannot set Moon\nreadyok\ninfo depth 1\nbestmove E4 ponder a6\n"
    );
}

#[test]
fn invalid_input_is_ignored() {
    let mut input = b"\x00\xff\xfe position\ngo home\nposition moves\n\n   \nsetoption\n".to_vec();
    input.extend(vec![b'x'; 200_000]);
    input
        .extend(b"\nposition 1,2,3 S\nposition startpos moves Z9 A4\nposition startpos moves A4\n");
    input.extend(b"position startpos moves A4 A4\ngo depth 1\n");
    let output = script(awari(), &input);
    let lines: Vec<&str> = output.lines().collect();
    // `go home` has no limit: the search would never end, and is stopped at the end of input; here
    // the next `go` arrives before.
    assert!(lines.iter().any(|line| line.contains("the position is unchanged")), "{output}");
    assert!(lines.iter().any(|line| line.starts_with("bestmove")), "{output}");
}

#[test]
fn terminal_positions_have_no_move() {
    let output = script(awari(), b"position 0,0,0,0,0,0/1,0,0,0,0,0 S\ngo depth 3\n");
    assert_eq!(output, "info string the game is over\nbestmove (none)\n");
    let output = script(
        awari(),
        b"position 1,0,0,0,0,0/1,0,0,0,0,0 S moves A1 a1 B1 b1 C1 c1 D1 d1 E1 e1 F1\ngo depth 1\n",
    );
    assert!(output.ends_with("bestmove f1\n") || output.contains("bestmove f1 ponder"), "{output}");
}

#[test]
fn a_side_may_move_again() {
    let kalah = Kalah::new(6, 4, false).expect("kalah");
    let output = script(kalah, b"position startpos moves C4x1+ F5\ngo depth 1\n");
    assert!(output.contains("bestmove f4"), "{output}");
}

/// An engine in a thread, and its output so far.
pub struct Talk {
    sender: Option<Sender<Vec<u8>>>,
    received: Receiver<String>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

struct Pipe(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let n = self.1.len().min(buffer.len());
        buffer[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

struct Lines(Sender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes).trim_end().to_owned();
        self.0.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Talk {
    fn new() -> Self {
        Talk::with(awari(), Last, None)
    }

    pub fn with<G: Game>(
        game: G,
        player: impl Player<G> + 'static,
        dialect: Option<Dialect>,
    ) -> Self {
        let (sender, input) = channel();
        let (output, received) = channel();
        let thread = thread::spawn(move || {
            let input = BufReader::new(Pipe(input, Vec::new()));
            serve(game, player, &identity(), dialect, input, Lines(output))
        });
        Talk { sender: Some(sender), received, thread: Some(thread) }
    }

    pub fn send(&self, line: &str) {
        let sender = self.sender.as_ref().expect("not ended");
        sender.send(format!("{line}\n").into_bytes()).expect("the engine is running");
    }

    pub fn expect_line(&self, expected: &str) {
        let line = self.received.recv_timeout(Duration::from_secs(20)).expect("an answer");
        assert_eq!(line, expected);
    }

    pub fn end(mut self) {
        self.sender = None;
        self.thread.take().expect("runs").join().expect("no panic").expect("no error");
    }
}

#[test]
fn stop_ends_a_search() {
    let talk = Talk::new();
    talk.send("go infinite");
    talk.expect_line("info depth 1");
    talk.send("isready");
    talk.expect_line("readyok");
    talk.send("go depth 1");
    talk.expect_line("info string still searching: send stop first");
    talk.send("stop");
    talk.expect_line("bestmove F4 ponder a5");
    talk.send("stop");
    talk.send("isready");
    talk.expect_line("readyok");
    talk.end();
}

#[test]
fn an_infinite_search_waits_for_stop() {
    let talk = Talk::new();
    // The search ends at once; the answer waits for `stop`.
    talk.send("go infinite depth 1");
    talk.expect_line("info depth 1");
    talk.send("isready");
    talk.expect_line("readyok");
    talk.send("stop");
    talk.expect_line("bestmove F4 ponder a5");
    talk.send("go infinite");
    talk.end();
}

#[test]
fn pondering() {
    let talk = Talk::new();
    talk.send("position startpos moves F4 f4");
    talk.send("go ponder wtime 60 btime 60");
    talk.expect_line("info depth 1");
    // Longer than the clock has: it has not started yet.
    thread::sleep(Duration::from_millis(150));
    talk.send("isready");
    talk.expect_line("readyok");
    talk.send("ponderhit");
    talk.expect_line("bestmove E4 ponder a6");
    talk.send("go ponder movetime 100000");
    talk.expect_line("info depth 1");
    talk.send("stop");
    talk.expect_line("bestmove E4 ponder a6");
    talk.end();
}

#[test]
fn clocks_end_searches() {
    let talk = Talk::new();
    for go in [
        "go movetime 40",
        "go wtime 400 btime 9",
        "go wtime 40 winc 10 movestogo 1",
        "go permove 40 wreserve 0 breserve 0 percent 50 maxturn 1000",
    ] {
        talk.send(go);
        talk.expect_line("info depth 1");
        talk.expect_line("bestmove F4 ponder a5");
    }
    talk.end();
}

#[test]
fn a_closed_output_ends_the_engine() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let ended = serve(awari(), Last, &identity(), None, &b"uci\nisready\nuci\n"[..], Closed);
    assert_eq!(ended.expect_err("closed").kind(), io::ErrorKind::BrokenPipe);
}
