//! Games that were played: read from records, and every move with what it lost.

use std::sync::Arc;

use nutcracker_any::AnyGame;
use nutcracker_draw::Form;
use nutcracker_engine::record::{Outcome, Record};
use nutcracker_engine::{Analyser, Analysis, Annotated, Apparent, PlayerError, Transcript};
use nutcracker_game::{Notation, Rules, Side};
use nutcracker_search::player::Source;
use nutcracker_search::{Limits, Worth};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Budget, Explorer};

/// A game of a record.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecordedGame {
    /// The name of the game.
    #[schema(example = "awari")]
    pub game: String,
    /// Its rule options other than the defaults, as requests name them.
    #[schema(example = "pits=4")]
    pub options: String,
    /// Who played the first and the second side, where the record says it.
    pub players: [Option<String>; 2],
    /// Where it begins.
    pub position: String,
    /// The names of the moves, as this program writes them.
    #[schema(example = json!(["F4", "c5"]))]
    pub moves: Vec<String>,
    /// The result by the record: `1-0`, `0-1`, `1/2-1/2`, or `*` where it says nothing.
    #[schema(example = "1-0")]
    pub outcome: String,
    /// The game as this program writes records, as far as it can be replayed: a review takes it.
    pub record: String,
    /// Why the game ends before its record does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A move of a game, with what it lost.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReviewedMove {
    /// Its number, from 1.
    #[schema(example = 1, minimum = 1)]
    pub ply: usize,
    /// The side that made it.
    #[schema(example = "south")]
    pub side: &'static str,
    /// Its name.
    #[serde(rename = "move")]
    #[schema(example = "F4")]
    pub name: String,
    /// What it is worth to its mover, from before the move on.
    pub value: Worth,
    /// A best move; the move itself where none is better.
    pub best: String,
    /// What that is worth.
    pub best_value: Worth,
    /// What the move lost against it, in points.
    pub lost: f64,
    /// The same in words: `-3`, `~-0.75`, or nothing.
    pub lost_text: String,
    /// Whether that is an error: everything that is proven, and guesses that are large enough.
    pub error: bool,
    /// `?!`, `?` or `??` for an error, else nothing.
    #[schema(example = "?")]
    pub mark: &'static str,
    /// The margin of the first side at the end, with best play after the move.
    pub margin: f64,
    /// Where the values come from: `database`, `proof` or `search`.
    #[schema(example = "database")]
    pub source: &'static str,
    /// The depth of the search, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// The move that decided a game.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Decisive {
    /// Its number, from 1.
    #[schema(minimum = 1)]
    pub ply: usize,
    /// What it changed, in words.
    pub text: String,
}

/// How well a side has played, where databases count moves.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Competence {
    /// The competence of a player that errs as often, by the model of fallible players: 0 chooses
    /// blindly, and the larger it is, the rarer are errors.
    #[schema(example = 12.3, minimum = 0)]
    pub competence: f64,
    /// The level that comes nearest to it.
    #[schema(example = "5")]
    pub level: String,
    /// The moves of the side that show it: those with a choice.
    #[schema(example = 14)]
    pub moves: u32,
    /// All of it in words.
    #[schema(example = "apparent competence 12.3, nearest to level 5, by 14 moves with a choice")]
    pub text: String,
}

/// A game with all that was found about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Review {
    /// Who played.
    pub title: String,
    /// How it ended, in words.
    pub outcome: String,
    /// The errors of the first and of the second side and what they cost, in words.
    pub accounts: [String; 2],
    /// How well both have played; nothing for a side of which no move shows it, or where databases do
    /// not count moves.
    pub apparent: [Option<Competence>; 2],
    /// The last move that gave away a win or a draw.
    pub decisive: Option<Decisive>,
    /// Its moves.
    pub moves: Vec<ReviewedMove>,
    /// Whether these are all of them: the time may have been too short.
    pub complete: bool,
    /// The course of the game as SVG, for a page: every position is a button with `data-ply`.
    pub chart: String,
    /// The same as a file of its own.
    pub picture: String,
    /// The record with values and comments.
    pub record: String,
}

/// The same for any game of the family: a game that is played, its moves by their names.
type Played = nutcracker_engine::Played<AnyGame>;

impl Explorer {
    /// The record of a game that is written in any notation we read.
    pub fn record(&self, found: &Transcript) -> Result<Record, ExplorerError> {
        if found.record().tag("Game").is_some() {
            return Ok(found.record().clone());
        }
        match found.replay(self.game.clone()) {
            Ok((_, record)) => Ok(record),
            // It can be played up to a move that is wrong; which result the game had is not known.
            Err(_) if found.notation() == Notation::Own => {
                Ok(Record { outcome: Outcome::Open, ..found.record().clone() })
            }
            Err(error) => Err(ExplorerError::Request(error.to_string())),
        }
    }

    /// The game of a record, as far as its moves are legal, and why not further. `options` are those
    /// that requests name.
    pub fn recorded(&self, record: &Record, options: &str) -> Result<RecordedGame, ExplorerError> {
        let start = match record.tag("Position").or_else(|| record.tag("FEN")) {
            Some(text) => self.parse(text)?,
            None => self.game.start(),
        };
        let mut played = Played::new(self.game.clone(), start);
        let mut problem = None;
        for (mv, number) in record.moves.iter().zip(1..) {
            if let Err(error) = played.play_named(&mv.name) {
                problem = Some(format!("move {number}: {error}"));
                break;
            }
        }
        let position = self.game.format(&start);
        let mut replayed = record.clone();
        replayed.moves.truncate(played.moves().len());
        let moves = played.names();
        for (mv, name) in replayed.moves.iter_mut().zip(&moves) {
            mv.name.clone_from(name);
        }
        replayed.set("Game", self.info.name);
        if !options.is_empty() {
            replayed.set("Options", options);
        }
        replayed.set("Position", position.as_str());
        Ok(RecordedGame {
            game: self.info.name.to_owned(),
            options: options.to_owned(),
            players: ["First", "Second"].map(|tag| record.tag(tag).map(str::to_owned)),
            position,
            moves,
            outcome: record.outcome.to_string(),
            record: replayed.to_string(),
            problem,
        })
    }

    /// Whether the whole game of a record can be replayed here.
    pub fn replay(&self, record: &Record) -> Result<Played, ExplorerError> {
        if let Some(name) = record.tag("Game").filter(|&name| name != self.info.name) {
            let detail = format!("it is a record of {name:?}, not of {}", self.info.name);
            return Err(ExplorerError::Request(detail));
        }
        Played::replay(self.game.clone(), record).map_err(ExplorerError::IllegalMove)
    }

    /// Values every move of a game, by databases where they reach, else by searches of about `nodes`
    /// positions; `watch` is called with each move.
    pub fn review(
        &self,
        record: &Record,
        nodes: u64,
        budget: &Budget,
        watch: &mut dyn FnMut(&ReviewedMove),
    ) -> Result<Review, ExplorerError> {
        let played = self.replay(record)?;
        let oracle = Arc::new(self.oracle()?);
        let mut analyser = Analyser::new(self.game.clone(), oracle, super::search::options());
        let mut analysis = Analysis {
            moves: Vec::new(),
            opening: record.opening(),
            margin: played.final_margin(),
        };
        let names = played.names();
        for (ply, name) in names.iter().enumerate() {
            // The stop flag is that of the budget; the number of positions, not the time, ends a
            // search, so that the same game gives the same marks.
            let limits = Limits {
                nodes: Some(nodes),
                time: Some(budget.left()),
                stop: Some(budget.flag()),
                ..Limits::default()
            };
            let evaluated = analyser.evaluate(&played, ply, &limits).map_err(unplayed)?;
            if budget.is_over() {
                break;
            }
            analysis.moves.push(evaluated);
            watch(&self.reviewed(&annotated(&played, &analysis, record), ply, name));
        }
        let complete = analysis.moves.len() == names.len();
        let apparent = if complete && !budget.is_over() {
            analyser.apparent(&played, analysis.opening).map_err(unplayed)?
        } else {
            [None, None]
        };
        let annotated = annotated(&played, &analysis, record);
        let both = annotated.names();
        let moves = names.iter().take(analysis.moves.len()).enumerate();
        let [first, second] = annotated.players();
        Ok(Review {
            title: format!("{first} against {second}"),
            outcome: annotated.outcome(),
            accounts: [Side::First, Side::Second].map(|side| annotated.account(side)),
            apparent: apparent.map(|side| side.map(competence)),
            decisive: analysis
                .decision()
                .zip(annotated.decisive(&both))
                .map(|(decision, text)| Decisive { ply: decision.ply + 1, text }),
            moves: moves.map(|(ply, name)| self.reviewed(&annotated, ply, name)).collect(),
            complete,
            chart: annotated.picture(Form::Page),
            picture: annotated.picture(Form::File),
            record: annotated.commented().to_string(),
        })
    }

    fn reviewed(&self, game: &Annotated<'_, AnyGame>, ply: usize, name: &str) -> ReviewedMove {
        let evaluated = &game.analysis.moves[ply];
        let [_, margin] = evaluated.margins();
        ReviewedMove {
            ply: ply + 1,
            side: self.game.side_name(evaluated.side),
            name: name.to_owned(),
            value: evaluated.value,
            best: game.played.up_to(ply).name(&evaluated.best),
            best_value: evaluated.best_value,
            lost: evaluated.loss.points(),
            lost_text: evaluated.loss.text(),
            error: game.is_error(ply),
            mark: game.mark(ply),
            margin: (100.0 * margin).round() / 100.0,
            source: evaluated.source.name(),
            depth: match evaluated.source {
                Source::Search { depth } => Some(depth),
                _ => None,
            },
        }
    }
}

fn annotated<'a>(
    played: &'a Played,
    analysis: &'a Analysis<nutcracker_any::AnyMove>,
    record: &'a Record,
) -> Annotated<'a, AnyGame> {
    Annotated { played, analysis, record, threshold: None }
}

fn competence(apparent: Apparent) -> Competence {
    Competence {
        competence: (100.0 * apparent.competence).round() / 100.0,
        level: apparent.level.to_string(),
        moves: apparent.moves,
        text: apparent.to_string(),
    }
}

/// Why a move has no value: its databases cannot be read.
fn unplayed(error: PlayerError) -> ExplorerError {
    ExplorerError::System(std::io::Error::other(error))
}
