//! Lines of play from random positions, counted by Stockfish for each first move.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use nutcracker_chess::Chess;
use nutcracker_game::{Random, Rules, Situation, perft::perft};

type Position = <Chess as Rules>::Position;

/// Random games, and the longest of them in plies.
const GAMES: usize = 400;
const LONGEST: u64 = 200;
/// The length of lines: about ten thousand from a position in the middle of a game.
const DEPTH: u32 = 3;

struct Stockfish {
    process: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Stockfish {
    /// Debian's package has it outside of the path.
    fn start() -> Self {
        let start = |name: &&str| {
            let mut command = Command::new(name);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()
        };
        let mut process =
            ["stockfish", "/usr/games/stockfish"].iter().find_map(start).expect("Stockfish");
        let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        Stockfish { process, lines }
    }

    /// The lines of play after each move of a position.
    fn count(&mut self, position: &str) -> BTreeMap<String, u64> {
        let input = self.process.stdin.as_mut().expect("its input");
        writeln!(input, "position fen {position} 0 1\ngo perft {DEPTH}").expect("a command");
        let mut counts = BTreeMap::new();
        for line in &mut self.lines {
            let line = line.expect("an answer");
            if line.starts_with("Nodes searched") {
                break;
            }
            // The first line says who wrote the program.
            if let Some((name, count)) = line.split_once(": ") {
                counts.extend(count.parse().ok().map(|count| (name.to_owned(), count)));
            }
        }
        counts
    }
}

fn our_count(at: &Situation<Position>) -> BTreeMap<String, u64> {
    let mut moves = Vec::new();
    Chess.moves(&at.position, &mut moves);
    let count = |mv| {
        let name = Chess.other_name(at, mv).expect("the squares of a move");
        (name, perft(&Chess, &Chess.play(&at.position, mv).next, DEPTH - 1))
    };
    moves.iter().map(count).collect()
}

/// The position at the end of a random game, or before it is over.
fn random_position(random: &mut Random) -> Situation<Position> {
    let mut at = Chess.start();
    for _ in 0..random.below(LONGEST) {
        let mut moves = Vec::new();
        Chess.moves(&at.position, &mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len() as u64) as usize];
        at = Situation::new(Chess.play(&at.position, &mv).next, at.mover.other());
    }
    at
}

#[test]
#[ignore = "needs Stockfish; scripts/test-long runs it"]
fn random_positions_have_the_lines_that_stockfish_counts() {
    let mut stockfish = Stockfish::start();
    let mut random = Random::new(18);
    let mut lines = 0;
    for _ in 0..GAMES {
        let at = random_position(&mut random);
        let text = Chess.format(&at);
        let expected = stockfish.count(&text);
        assert_eq!(our_count(&at), expected, "{text}");
        lines += expected.values().sum::<u64>();
    }
    assert!(lines > 1_000_000, "{lines} lines are too few to mean anything");
    drop(stockfish.process.stdin.take());
    stockfish.process.wait().expect("it ends with its input");
}
