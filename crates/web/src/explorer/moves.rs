//! The legal moves of a position, each with what it is worth.

use nutcracker_any::{AnyMove, AnyPosition};
use nutcracker_game::{Numbering, Rules, Score, Step, Turn};
use serde::Serialize;
use utoipa::ToSchema;

use nutcracker_search::{Probed, Worth};
use nutcracker_table::ErrorKind;

use super::error::ExplorerError;
use super::{Explorer, Outcome, Points};

/// A position with its moves.
#[derive(Debug, Serialize, ToSchema)]
pub struct Moves {
    /// The position as this program writes it.
    pub position: String,
    /// The same without what the players have won so far: two positions are the same where this
    /// is.
    pub board: String,
    /// The position as plain text for people, several lines.
    pub drawing: String,
    /// The side to move.
    pub mover: &'static str,
    /// The name of the slice it belongs to.
    pub slice: String,
    /// What it is worth to the side to move, where that is known.
    pub value: Option<Worth>,
    /// How the game ends for the side to move, where that is known.
    pub outcome: Option<Outcome>,
    /// What the players end up with, where that is known.
    pub result: Option<Points>,
    /// Why the value is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Whether the game is over here.
    pub over: bool,
    /// The legal moves, the best first.
    pub moves: Vec<Choice>,
}

/// A legal move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Choice {
    /// Its name.
    #[serde(rename = "move")]
    #[schema(example = "E3x5")]
    pub name: String,
    /// What the mover banks by it.
    pub captures: Score,
    /// Whether the same side moves again.
    pub again: bool,
    /// The position after it.
    pub next: String,
    /// The same without what the players have won.
    pub next_board: String,
    /// What it is worth to the mover, where that is known.
    pub value: Option<Worth>,
    /// How the game ends for the mover after it, where that is known.
    pub outcome: Option<Outcome>,
    /// Whether no move is better; nothing where that is not known.
    pub best: Option<bool>,
}

/// A move before it is described.
pub(super) struct Candidate<M, P> {
    pub mv: M,
    pub step: Step<P>,
    pub value: Option<Worth>,
    pub best: Option<bool>,
}

type Candidates = Vec<Candidate<AnyMove, AnyPosition>>;

impl Explorer {
    /// The database's value, or `None` where there is no database.
    pub(super) fn known(&self, position: &AnyPosition) -> Result<Option<Probed>, ExplorerError> {
        match Probed::probe(&self.game, &self.set, position) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == ErrorKind::NotHere => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The legal moves in the order of the rules.
    pub(super) fn candidates(&self, position: &AnyPosition) -> Result<Candidates, ExplorerError> {
        let known = self.known(position)?;
        let mut moves = Vec::new();
        self.game.moves(position, &mut moves);
        moves
            .into_iter()
            .map(|mv| {
                let step = self.game.play(position, &mv);
                let value = self.known(&step.next)?.map(|found| found.worth.through(&step));
                let best = known.zip(value).map(|(known, value)| known.is_reached_by(value));
                Ok(Candidate { mv, step, value, best })
            })
            .collect()
    }

    /// The legal moves with their values.
    pub fn moves(&self, text: &str) -> Result<Moves, ExplorerError> {
        let situation = &self.parse(text)?;
        let game = &self.game;
        let known = self.known(&situation.position)?.map(|found| found.worth);
        let slice = game.slice_of(&situation.position);
        let mut options = self.candidates(&situation.position)?;
        options.sort_by_key(|option| (option.value.is_none(), option.value.map(Worth::order)));
        let over = options.is_empty();
        let value = known.or_else(|| {
            let score = game.outcome(&situation.position).filter(|_| over)?;
            Some(Worth::exact(score))
        });
        let moves = options
            .into_iter()
            .map(|Candidate { mv, step, value, best }| {
                let next = game.advance(situation, &step);
                Choice {
                    name: game.format_move(situation, &mv, &step),
                    captures: step.gain,
                    again: step.turn == Turn::Stays,
                    next: game.format(&next),
                    next_board: self.board(&next),
                    value,
                    outcome: value.and_then(|value| Outcome::of(game, situation, value)),
                    best,
                }
            })
            .collect();
        Ok(Moves {
            position: game.format(situation),
            board: self.board(situation),
            drawing: game.draw(situation),
            mover: game.side_name(situation.mover),
            slice: game.slice_name(slice),
            value,
            outcome: value.and_then(|value| Outcome::of(game, situation, value)),
            result: value.and_then(|value| self.points(situation, value)),
            missing: value.is_none().then(|| self.missing(slice)),
            over,
            moves,
        })
    }
}
