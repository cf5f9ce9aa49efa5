//! The dialogue of a game: lines in, board and text out.

use std::fs;
use std::io::{self, BufRead};
use std::time::Duration;

use nutcracker_any::{AnyGame, AnyMove};
use nutcracker_engine::{Analyser, Ending, MoveLimits, Played, Thinker};
use nutcracker_game::{Rules, Side};
use nutcracker_search::player::{Advice, Source};
use nutcracker_search::{Limits, Worth};

use crate::book_option::AnyLearner;
use crate::databases::Databases;
use crate::failure::Failure;
use crate::number::counted;
use crate::outcome::{counts_points, value_text};
use crate::{print, table};

use super::palette::Palette;

const HELP: &str = "type a move as it is listed; its first letters are enough. Or:
  moves         the moves you have
  hint          the move the computer would choose for you
  values        what every move is worth; exact where databases reach, else ~ by search
  undo          take back your last move
  board         the board again
  save FILE     write the game so far to a file that `nutcracker annotate` reads
  help          this list
  quit          leave the game
";

/// The next line that is typed; `None` at the end.
fn read_line(input: &mut impl BufRead, prompt: &str) -> Result<Option<String>, Failure> {
    print(prompt)?;
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(line.trim().to_owned())),
        // Input that is not UTF-8 is not a command.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some("?".to_owned())),
        Err(error) => Err(Failure::Failed(format!("cannot read what is typed: {error}"))),
    }
}

/// A game that is being played.
pub struct Session {
    pub played: Played<AnyGame>,
    pub human: Side,
    pub player: Thinker<AnyGame>,
    /// Whether the computer thinks while the user does.
    pub ponders: bool,
    pub palette: Palette,
    /// What learns the game, once it is over, and the moves of the last game it has learned.
    pub learner: Option<AnyLearner>,
    pub learned: Vec<AnyMove>,
    pub opponent: String,
    pub limits: MoveLimits,
    pub analyser: Analyser<AnyGame, Databases>,
    /// The last advice, and the moves of the game it is about.
    pub advised: Option<(Vec<AnyMove>, Advice<AnyMove>)>,
    pub options: String,
    /// How far databases reach, as in `up to 20 stones`.
    pub reach: Option<String>,
    /// How often the computer errs or what its strategy is, in a sentence.
    pub manner: Option<String>,
    pub depth: Option<u32>,
    pub think: Duration,
}

impl Session {
    /// Until the game ends or the user quits.
    pub fn run(mut self, input: &mut impl BufRead) -> Result<(), Failure> {
        let game = self.played.game();
        let you = name(game, self.human);
        let known = match &self.reach {
            Some(reach) => format!("Databases make values exact {reach}."),
            None => "There are no databases: values are what a search finds.".to_owned(),
        };
        // Perfect it is only where there are databases.
        let opponent = match (self.opponent.as_str(), &self.reach) {
            ("perfect", Some(_)) => "the perfect player (above the databases it goes by a search)",
            ("perfect", None) => "the perfect player (without databases it goes by a search)",
            (name, _) => name,
        };
        let manner = self.manner.take().map(|manner| manner + "\n").unwrap_or_default();
        print(&format!(
            "You are {you}, against {opponent}. Type help for what can be typed.\n{known}\n{manner}\n",
        ))?;
        self.show()?;
        loop {
            if let Some(ending) = self.played.ending() {
                let now = &self.played.now().position;
                let end = self.played.game().end_name(now).filter(|_| ending != Ending::Repeated);
                let how = end
                    .map_or_else(|| ending.to_string(), |end| format!("the game is over by {end}"));
                print(&format!("{how}: {}\n", self.result()))?;
                if let Some(learner) = &mut self.learner
                    && self.learned != self.played.moves()
                {
                    self.learned = self.played.moves().to_vec();
                    let expanded = learner.learn(&self.played)?;
                    let learned = counted(expanded, "position");
                    print(&format!("the book has learned {learned} of this game\n"))?;
                }
                // The game is over; commands about it still work.
                let Some(line) = read_line(input, "undo, save FILE or quit> ")? else { break };
                let mut words = line.split_whitespace();
                match words.next() {
                    Some("undo" | "u") => self.undo()?,
                    Some("save") => self.save(words.next())?,
                    Some("board" | "b") => self.show()?,
                    Some("quit" | "q") => break,
                    _ => {}
                }
                continue;
            }
            if self.played.now().mover != self.human {
                self.answer()?;
                continue;
            }
            let Some(line) = read_line(input, &format!("{you}> "))? else { break };
            if !self.execute(&line)? {
                break;
            }
        }
        print("\n")
    }

    /// The board, with what the last move changed marked.
    fn show(&self) -> Result<(), Failure> {
        let game = self.played.game();
        let board = game.draw(self.played.now());
        let situations = self.played.situations();
        let before = situations.len().checked_sub(2).map(|ply| game.draw(&situations[ply]));
        print(&self.palette.changed(before.as_ref().unwrap_or(&board), &board))
    }

    /// A move as it is announced, before it is played: `3. South plays E4`.
    fn announce(&self, mv: &AnyMove, why: &str) -> Result<(), Failure> {
        let number = self.played.moves().len() + 1;
        let side = name(self.played.game(), self.played.now().mover);
        let mv = self.palette.bold(&self.played.name(mv));
        print(&format!("{number}. {side} plays {mv}{why}\n"))
    }

    /// What was typed; false to leave.
    fn execute(&mut self, line: &str) -> Result<bool, Failure> {
        let mut words = line.split_whitespace();
        match words.next() {
            None => {}
            Some("quit" | "q" | "exit") => return Ok(false),
            Some("help" | "?" | "h") => print(HELP)?,
            Some("board") => self.show()?,
            Some("moves") => {
                let names: Vec<String> =
                    self.played.legal().iter().map(|mv| self.played.name(mv)).collect();
                print(&format!("{}\n", names.join(" ")))?;
            }
            Some("undo") => self.undo()?,
            Some("hint") => self.hint()?,
            Some("values") => self.values()?,
            Some("save") => self.save(words.next())?,
            Some(word) => match self.played.find(word) {
                Ok(mv) => {
                    self.announce(&mv, "")?;
                    self.played.play(mv);
                    self.show()?;
                }
                Err(error) => print(&format!("{error}; type help for what else can be typed\n"))?,
            },
        }
        Ok(true)
    }

    /// The computer's move.
    fn answer(&mut self) -> Result<(), Failure> {
        let thought = self.player.choose(&self.played, self.limits);
        let thought = thought.map_err(|error| Failure::Failed(error.to_string()))?;
        self.announce(&thought.best, if thought.from_book { ", from the book" } else { "" })?;
        self.played.play(thought.best);
        if self.ponders
            && self.played.now().mover == self.human
            && let Some(reply) = thought.ponder
        {
            self.player.ponder(&self.played, reply, self.limits);
        }
        self.show()
    }

    /// Back to before the user's last move.
    fn undo(&mut self) -> Result<(), Failure> {
        let situations = self.played.situations();
        let before = &situations[..self.played.moves().len()];
        match before.iter().rposition(|situation| situation.mover == self.human) {
            None => print("there is no move of yours to take back\n"),
            Some(ply) => {
                self.played = self.played.up_to(ply);
                self.show()
            }
        }
    }

    fn choices(&mut self) -> Result<Advice<AnyMove>, Failure> {
        // Asked again about the same position, the answer is the same.
        if let Some((moves, advice)) = &self.advised
            && moves == self.played.moves()
        {
            return Ok(advice.clone());
        }
        // The user waits: all moves together take as long as a move of the computer.
        let limits = match self.depth {
            Some(depth) => Limits::depth(depth),
            None => Limits::time(self.think),
        };
        let choices = self.analyser.moves(&self.played, &limits);
        let choices = choices.map_err(|error| Failure::Failed(error.to_string()))?;
        self.advised = Some((self.played.moves().to_vec(), choices.clone()));
        Ok(choices)
    }

    fn hint(&mut self) -> Result<(), Failure> {
        let choices = self.choices()?;
        let Some((mv, value)) = choices.values.first() else { return Ok(()) };
        let mv = self.played.name(mv);
        // `win in 11` says it all; a number does not say what it is.
        let text = value_text(self.played.game(), *value);
        let worth = if text.starts_with(char::is_alphabetic) { "" } else { "worth " };
        print(&format!("{mv} ({worth}{text}, {})\n", how(choices.source)))
    }

    fn values(&mut self) -> Result<(), Failure> {
        let choices = self.choices()?;
        let game = self.played.game();
        let key = |value: Worth| (value.hundredths(), value.distance);
        let best = choices.values.first().map(|(_, value)| key(*value));
        let rows = choices
            .values
            .iter()
            .map(|(mv, value)| {
                let is_best = Some(key(*value)) == best;
                let mark = if is_best { self.palette.good("best") } else { String::new() };
                vec![self.played.name(mv), value_text(game, *value), mark]
            })
            .collect();
        let (left, what): (&[usize], _) = if counts_points(game) {
            (&[0, 2], "what you win from here on")
        } else {
            (&[0, 1, 2], "what each move leads to for you")
        };
        let text = table::render(&["move", "worth", ""], left, rows);
        print(&format!("{text}{what}, {}\n", how(choices.source)))
    }

    fn save(&self, path: Option<&str>) -> Result<(), Failure> {
        let Some(path) = path else { return print("save where? type save FILE\n") };
        let names = match self.human {
            Side::First => ["you", &self.opponent],
            Side::Second => [&self.opponent, "you"],
        };
        let mut record = self.played.record(&self.options, names);
        if let Some([first, second]) = self.played.final_points() {
            record.set("Score", format!("{first}-{second}"));
        }
        match fs::write(path, record.to_string()) {
            Ok(()) => print(&format!("written to {path}\n")),
            Err(error) => print(&format!("cannot write {path}: {error}\n")),
        }
    }

    fn result(&self) -> String {
        let game = self.played.game();
        let margin = self.played.final_margin().unwrap_or_default();
        let points = match self.played.final_points() {
            Some([first, second]) => format!(" {first}-{second}"),
            None => String::new(),
        };
        match margin.signum() {
            1 => format!("{} wins{points}", name(game, Side::First)),
            0 => format!("a draw{points}"),
            _ => format!("{} wins{points}", name(game, Side::Second)),
        }
    }
}

/// A player's name as a sentence has it.
fn name(game: &AnyGame, side: Side) -> String {
    crate::outcome::name(game, side)
}

fn how(source: Source) -> String {
    match source {
        Source::Database => "from the databases".to_owned(),
        Source::Proof => "proven by search".to_owned(),
        Source::Search { depth } => format!("by search of depth {depth}"),
    }
}
