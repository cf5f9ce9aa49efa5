//! `nutcracker book shell`.

use std::io::{self, BufRead, IsTerminal};

use nutcracker_any::AnyGame;
use nutcracker_book::store::Access;
use nutcracker_book::value::Value;
use nutcracker_book::{StoredBook, Strategy};
use nutcracker_game::{Numbering, Rules};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use super::show;
use super::target::{AnyExpert, ExpertArgs, Place, Target, find_move, named_moves};
use crate::failure::Failure;
use crate::number::{counted, thousands};
use crate::{note, print};

/// Walk through a book by hand
///
/// A move's name plays it; `help` lists the commands. Reads commands from a file or a pipe as well.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  nutcracker book shell --book small.book")]
pub struct Args {
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    expert: ExpertArgs,
}

const HELP: &str = "\
MOVE            play a move
up, root        go back a move, go to the start
next [WHAT]     go to the leaf to be expanded next: drop-out, best-first, conspiracy, proof
show            the position with all its moves
line            principal variations from here
expand          add all moves of this position
look            evaluate this position by the engine and store the result
set VALUE       set the value of this position: 120 guesses +1.20, =3 proves +3
force MOVES     add a line from here, move by move
deviation       the best move here that no game has played
cycles          look for cycles in the whole book
stats, check    the same as `book stats` and `book check`
quit            leave
";

const COMMANDS: [&str; 15] = [
    "up",
    "root",
    "next",
    "show",
    "line",
    "expand",
    "look",
    "set",
    "force",
    "deviation",
    "cycles",
    "stats",
    "check",
    "help",
    "quit",
];

impl Args {
    /// Runs until there is nothing more to read.
    pub fn run(self) -> Result<(), Failure> {
        let opened = self.target.open(Access::Write)?;
        let databases = opened.databases()?;
        let (book, location) = (opened.book, opened.location);
        let game = &book.game().clone();
        let expert = self.expert.expert(game, databases.as_ref());
        let mut shell = Shell { book, expert, path: Vec::new() };
        shell.path.push(Place::start(&mut shell.book)?);
        print(&show::for_people(&mut shell.book, &shell.path[0])?)?;
        if !io::stdin().is_terminal() {
            for line in io::stdin().lock().lines() {
                let line = line.map_err(|error| {
                    Failure::Failed(format!("cannot read standard input: {error}"))
                })?;
                if !shell.execute(&line)? {
                    break;
                }
            }
            return Ok(shell.book.commit()?);
        }
        let failed = |error: ReadlineError| Failure::Failed(format!("cannot read a line: {error}"));
        let mut editor: Editor<Words, DefaultHistory> = Editor::new().map_err(failed)?;
        let history = location.file().map(|file| file.with_extension("history"));
        if let Some(history) = &history {
            // The first time there is none.
            let _ = editor.load_history(history);
        }
        loop {
            let here = named_moves(game, &shell.here().situation);
            let words = COMMANDS.iter().map(ToString::to_string);
            editor.set_helper(Some(Words(words.chain(here.into_iter().map(|(n, _)| n)).collect())));
            match editor.readline("book> ") {
                Ok(line) => {
                    let _ = editor.add_history_entry(line.as_str());
                    if !shell.execute(&line)? {
                        break;
                    }
                }
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => break,
                Err(error) => return Err(failed(error)),
            }
        }
        if let Some(history) = &history {
            // A history that cannot be kept is no reason to fail.
            let _ = editor.save_history(history);
        }
        Ok(shell.book.commit()?)
    }
}

struct Shell<'a> {
    book: StoredBook<AnyGame>,
    expert: AnyExpert<'a>,
    /// The places from the start to here.
    path: Vec<Place>,
}

impl Shell<'_> {
    fn here(&self) -> &Place {
        &self.path[self.path.len() - 1]
    }

    /// Executes a line; false to end.
    fn execute(&mut self, line: &str) -> Result<bool, Failure> {
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else { return Ok(true) };
        if word == "quit" {
            return Ok(false);
        }
        let rest: Vec<&str> = words.collect();
        match self.act(word, &rest) {
            // An unknown command does not end the shell.
            Err(Failure::Usage(why) | Failure::Failed(why)) => note(&why),
            Err(broken) => return Err(broken),
            Ok(()) => self.book.commit()?,
        }
        Ok(true)
    }

    fn act(&mut self, word: &str, rest: &[&str]) -> Result<(), Failure> {
        match word {
            "help" => return print(HELP),
            "show" => {}
            "up" => {
                if self.path.len() > 1 {
                    self.path.pop();
                }
            }
            "root" => self.path.truncate(1),
            "next" => self.next(rest.first().copied().unwrap_or("drop-out"))?,
            "line" => {
                let place = &self.path[self.path.len() - 1];
                return print(&show::lines(&mut self.book, place, 10)?);
            }
            "expand" => {
                let leaf = self.here().id;
                self.book.expand_all(&[leaf], std::slice::from_mut(&mut self.expert))?;
            }
            "look" => {
                let place = self.here();
                let (id, position) = (place.id, place.situation.position);
                if self.book.game().outcome(&position).is_none() {
                    let own = self.book.value_of(&position, self.expert.evaluate(&position)?)?;
                    self.book.set_own(id, own)?;
                }
            }
            "set" => self.set(rest.first().copied().unwrap_or(""))?,
            "force" => {
                for name in rest {
                    let leaf = self.here().id;
                    self.book.expand_all(&[leaf], std::slice::from_mut(&mut self.expert))?;
                    self.play(name)?;
                }
            }
            "deviation" => {
                let id = self.here().id;
                let names = named_moves(self.book.game(), &self.here().situation);
                let best = self.book.best_deviation(id)?;
                let name = best.map_or("none".to_owned(), |at| names[at].0.clone());
                return print(&format!("{name}\n"));
            }
            "cycles" => {
                let found = self.book.find_cycles()?;
                return print(&format!(
                    "{} in cycles, {} changed\n",
                    counted(found.positions, "position"),
                    counted(found.changed, "value"),
                ));
            }
            "stats" => {
                let facts = self.book.facts();
                return print(&format!(
                    "{}, {} solved, {}\n",
                    counted(facts.nodes, "node"),
                    thousands(facts.solved),
                    counted(facts.expansions, "expansion"),
                ));
            }
            "check" => {
                let checked = self.book.check(&mut |_| {})?;
                let flaws = counted(checked.flaws.len() as u64, "flaw");
                let mut text = format!("{}, {flaws}\n", counted(checked.nodes, "node"));
                for flaw in checked.flaws {
                    text = text + &flaw.what + "\n";
                }
                return print(&text);
            }
            name => self.play(name)?,
        }
        let place = &self.path[self.path.len() - 1];
        print(&show::for_people(&mut self.book, place)?)
    }

    fn max(&self) -> i16 {
        let game = self.book.game();
        game.max_score(game.slice_of(&self.here().situation.position))
    }

    fn play(&mut self, name: &str) -> Result<(), Failure> {
        let (at, _, step) =
            find_move(self.book.game(), &self.here().situation, name).map_err(|failure| {
                match failure {
                    Failure::Usage(why) => {
                        Failure::Usage(format!("{why}; `help` lists the commands"))
                    }
                    other => other,
                }
            })?;
        let id = self.here().id;
        let Some(edge) = self.book.node(id)?.edges.get(at).copied() else {
            return Err(Failure::Usage("this is a leaf; `expand` adds its moves".to_owned()));
        };
        let situation = self.book.game().advance(&self.here().situation, &step);
        self.path.push(Place { id: edge.child, situation });
        Ok(())
    }

    /// Goes to the leaf that a strategy chooses, by the shortest way.
    fn next(&mut self, name: &str) -> Result<(), Failure> {
        let strategy: Strategy = name.parse().map_err(Failure::Usage)?;
        let Some(&leaf) = self.book.choose(strategy, 1)?.first() else {
            return Err(Failure::Usage("there is nothing to expand".to_owned()));
        };
        // From the leaf back to the start, each time to the nearest predecessor.
        let mut way = vec![leaf];
        while let Some(&id) = way.last() {
            let parents = self.book.node(id)?.parents.clone();
            let mut nearest = None;
            for parent in parents {
                let depth = self.book.node(parent)?.depth;
                if nearest.is_none_or(|(least, _)| depth < least) {
                    nearest = Some((depth, parent));
                }
            }
            match nearest {
                Some((_, parent)) if id != self.book.root() => way.push(parent),
                _ => break,
            }
        }
        self.path.truncate(1);
        for id in way.into_iter().rev().skip(1) {
            let from = self.here().id;
            let edges = self.book.node(from)?.edges.clone();
            let names = named_moves(self.book.game(), &self.here().situation);
            if let Some(at) = edges.iter().position(|edge| edge.child == id) {
                self.play(&names[at].0)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, text: &str) -> Result<(), Failure> {
        let max = self.max();
        let wrong =
            || Failure::Usage(format!("{text:?} is no value; 120 guesses +1.20, =3 proves +3"));
        let own = match text.strip_prefix('=') {
            Some(score) => Value::exact(score.parse().map_err(|_| wrong())?),
            None => Value::guess(text.parse().map_err(|_| wrong())?, max),
        };
        let id = self.here().id;
        Ok(self.book.set_own(id, own)?)
    }
}

/// Completes commands and the names of moves.
struct Words(Vec<String>);

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..at];
        let start = before.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let like = self.0.iter().filter(|word| word.starts_with(&before[start..]));
        Ok((start, like.cloned().collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {}

impl Helper for Words {}
