//! Lines of play: given by their moves, or the best.

use std::collections::HashSet;

use nutcracker_any::{AnyGame, AnyMove, AnyPosition};
use nutcracker_game::{Rules, Score, Situation};
use nutcracker_search::TableOracle;
use nutcracker_search::Worth;
use nutcracker_search::player::{Perfect, PlayerError};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Explorer, Outcome};

/// A line of play.
#[derive(Debug, Serialize, ToSchema)]
pub struct Line {
    /// The positions, the first one before any move.
    pub nodes: Vec<Node>,
    /// Whether the game is over after the last move by the rules.
    pub over: bool,
    /// Whether the last position was there before.
    pub repeats: bool,
}

/// A position of a line.
#[derive(Debug, Serialize, ToSchema)]
pub struct Node {
    /// The position.
    pub position: String,
    /// The same without what the players have won.
    pub board: String,
    /// The side to move.
    pub mover: &'static str,
    /// What it is worth to the side to move, where that is known.
    pub value: Option<Worth>,
    /// How the game ends for the side to move, where that is known.
    pub outcome: Option<Outcome>,
    /// The move that was played here; nothing at the end of the line.
    pub played: Option<Played>,
}

/// A move of a line.
#[derive(Debug, Serialize, ToSchema)]
pub struct Played {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// What the mover banked by it.
    pub captures: Score,
    /// What it is worth to the mover, where that is known.
    pub value: Option<Worth>,
    /// How the game ends for the mover after it, where that is known.
    pub outcome: Option<Outcome>,
    /// Whether no move was better; nothing where that is not known.
    pub best: Option<bool>,
}

impl Explorer {
    /// Whether moves by their names can be played, without their values.
    pub fn check_line(&self, text: &str, moves: &[&str]) -> Result<(), ExplorerError> {
        self.history(self.parse(text)?, moves).map(drop)
    }

    /// Plays moves by their names.
    pub fn line(&self, text: &str, moves: &[&str]) -> Result<Line, ExplorerError> {
        let mut names = moves.iter();
        self.walk(self.parse(text)?, |handle, situation, _| {
            let Some(&name) = names.next() else { return Ok(None) };
            let place = handle.find_move(situation, name)?;
            Ok(Some((place, handle.candidates(&situation.position)?)))
        })
    }

    /// Plays best moves.
    pub fn best_line(&self, text: &str, plies: usize) -> Result<Line, ExplorerError> {
        let start = self.parse(text)?;
        self.probe_position(&start.position)?;
        self.play_perfectly(&mut self.perfect()?, start, plies)
    }

    /// Lets a perfect player play both sides.
    pub(super) fn play_perfectly(
        &self,
        player: &mut Perfect<AnyGame, TableOracle>,
        start: Situation<AnyPosition>,
        plies: usize,
    ) -> Result<Line, ExplorerError> {
        let mut left = plies;
        self.walk(start, |handle, situation, history| {
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            let options = handle.candidates(&situation.position)?;
            let chosen = match player.choose(&situation.position, history) {
                Err(PlayerError::Over) => None,
                chosen => Some(chosen.map_err(|error| handle.player_error(error))?),
            };
            let at = chosen.and_then(|mv| options.iter().position(|option| option.mv == mv));
            Ok(at.map(|at| (at, options)))
        })
    }

    /// Plays the moves that `choose` picks until it picks none or the game is over.
    fn walk(
        &self,
        start: Situation<AnyPosition>,
        mut choose: impl FnMut(
            &Self,
            &Situation<AnyPosition>,
            &[AnyPosition],
        ) -> Result<Option<(usize, Chosen)>, ExplorerError>,
    ) -> Result<Line, ExplorerError> {
        let game = &self.game;
        let mut seen = HashSet::new();
        let mut history = Vec::new();
        let mut nodes = Vec::new();
        let mut situation = start;
        loop {
            let board = self.board(&situation);
            let repeats = !seen.insert(board.clone());
            let value = match self.known(&situation.position)? {
                _ if repeats => Some(Worth::exact(0)),
                found => found.map(|found| found.worth),
            };
            let chosen = if repeats { None } else { choose(self, &situation, &history)? };
            let mut node = Node {
                position: game.format(&situation),
                board,
                mover: game.side_name(situation.mover),
                value,
                outcome: value.and_then(|value| Outcome::of(game, &situation, value)),
                played: None,
            };
            let Some((at, options)) = chosen else {
                let mut moves = Vec::new();
                game.moves(&situation.position, &mut moves);
                nodes.push(node);
                return Ok(Line { nodes, over: moves.is_empty(), repeats });
            };
            let option = &options[at];
            node.played = Some(Played {
                name: game.format_move(&situation, &option.mv, &option.step),
                captures: option.step.gain,
                value: option.value,
                outcome: option.value.and_then(|value| Outcome::of(game, &situation, value)),
                best: option.best,
            });
            nodes.push(node);
            history.push(situation.position);
            situation = game.advance(&situation, &option.step);
        }
    }
}

type Chosen = Vec<super::moves::Candidate<AnyMove, AnyPosition>>;
