//! Lines of play: given by their moves, or the best.

use std::collections::HashMap;
use std::time::Duration;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_game::{Rules, Score, Situation};
use nutcracker_search::TableOracle;
use nutcracker_search::Worth;
use nutcracker_search::player::{Perfect, PlayerError};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::moves::Candidates;
use super::{Budget, Explorer, Loss, Outcome, Points};

/// How long best moves are looked for where databases do not count moves, and a search has to.
const LINE_TIME: Duration = Duration::from_secs(5);

/// A line of play.
#[derive(Debug, Serialize, ToSchema)]
pub struct Line {
    /// The positions, the first one before any move.
    pub nodes: Vec<Node>,
    /// Whether the game is over after the last move, by the rules or because a position repeats.
    pub over: bool,
    /// What players call this end of the game, if they have a word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "checkmate")]
    pub end: Option<&'static str>,
    /// Whether the last position has come again, which ends the game: for the second time, in chess the
    /// third.
    pub repeats: bool,
    /// Why the line ends before the first move that is not legal, where that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub illegal: Option<String>,
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
    /// What the players end up with, where that is known.
    pub result: Option<Points>,
    /// What the players have banked so far, where the position contains that.
    pub banked: Option<Points>,
    /// What the players have banked since the beginning of the line.
    pub taken: Points,
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
    /// What the players end up with after it, where that is known.
    pub result: Option<Points>,
    /// Whether no move was better; nothing where that is not known.
    pub best: Option<bool>,
    /// What it lost against the best move, where it is known to have lost something.
    pub loses: Option<Loss>,
}

impl Explorer {
    /// Whether moves by their names can be played, without their values.
    pub fn check_line(&self, text: &str, moves: &[&str]) -> Result<(), ExplorerError> {
        self.history(self.parse(text)?, moves).map(drop)
    }

    /// Plays moves by their names. With `prefix`, the line ends before a move that is not legal.
    pub fn line(&self, text: &str, moves: &[&str], prefix: bool) -> Result<Line, ExplorerError> {
        let mut names = moves.iter();
        let mut illegal = None;
        let line = self.walk(self.parse(text)?, |situation, _, _| {
            let Some(&name) = names.next() else { return Ok(None) };
            match self.find_move(situation, name) {
                Err(error) if prefix => {
                    illegal = Some(error.to_string());
                    Ok(None)
                }
                place => place.map(Some),
            }
        })?;
        Ok(Line { illegal, ..line })
    }

    /// Plays moves by their names, until a position repeats.
    pub(super) fn tread(
        &self,
        start: Situation<AnyPosition>,
        moves: &[&str],
    ) -> Result<Trodden, ExplorerError> {
        let (mut situation, mut seen) = (start, Boards::new(self.game.occurrences()));
        seen.enter(self.board(&start));
        let (mut repeats, mut legal, mut taken) = (false, Vec::new(), [0.0; 2]);
        let mut history = Vec::with_capacity(moves.len());
        for name in moves {
            if repeats {
                return Err(ExplorerError::IllegalMove(format!(
                    "{name} cannot be played: the game is over where a position repeats"
                )));
            }
            let place = self.find_move(&situation, name)?;
            legal.clear();
            self.game.moves(&situation.position, &mut legal);
            let step = self.game.play(&situation.position, &legal[place]);
            taken[situation.mover as usize] += f64::from(step.gain);
            history.push(situation.position);
            situation = self.game.advance(&situation, &step);
            repeats = seen.enter(self.board(&situation));
        }
        Ok(Trodden { situation, history, seen, taken, repeats })
    }

    /// Plays best moves, as far as the budget allows.
    pub fn best_line(
        &self,
        text: &str,
        plies: usize,
        budget: &Budget,
    ) -> Result<Line, ExplorerError> {
        let start = self.parse(text)?;
        let Some((set, _)) = self.known_by(&start.position)? else {
            return Err(ExplorerError::NoDatabase(self.missing_for(&start.position)));
        };
        let mut player = self.perfect_by(set)?;
        self.play_perfectly(&mut player, start, plies, &budget.at_most(LINE_TIME))
    }

    /// Lets a perfect player play both sides, as far as the budget allows.
    pub(super) fn play_perfectly(
        &self,
        player: &mut Perfect<AnyGame, TableOracle>,
        start: Situation<AnyPosition>,
        plies: usize,
        budget: &Budget,
    ) -> Result<Line, ExplorerError> {
        let mut left = plies;
        self.walk(start, |situation, history, options| {
            if left == 0 || left < plies && budget.is_over() {
                return Ok(None);
            }
            left -= 1;
            let chosen = match player.choose(&situation.position, history) {
                Err(PlayerError::Over) => None,
                chosen => Some(chosen.map_err(|error| self.player_error(error))?),
            };
            Ok(chosen.and_then(|mv| options.iter().position(|option| option.mv == mv)))
        })
    }

    /// Plays the moves that `choose` picks until it picks none or the game is over.
    fn walk(
        &self,
        start: Situation<AnyPosition>,
        mut choose: impl FnMut(
            &Situation<AnyPosition>,
            &[AnyPosition],
            &Candidates,
        ) -> Result<Option<usize>, ExplorerError>,
    ) -> Result<Line, ExplorerError> {
        let (game, historian) = (&self.game, self.historian()?);
        let mut seen = Boards::new(game.occurrences());
        let mut history = Vec::new();
        let mut nodes = Vec::new();
        let mut situation = start;
        let mut taken = [0.0; 2];
        loop {
            let board = self.board(&situation);
            let repeats = seen.enter(board.clone());
            let (value, options) = if repeats {
                (Some(Worth::exact(game.repeated(&situation.position))), Vec::new())
            } else {
                self.known_after(&historian, &situation.position, &history)?
            };
            let chosen = if repeats { None } else { choose(&situation, &history, &options)? };
            let outcome = value.and_then(|value| Outcome::of(game, &situation, value));
            let mut node = Node {
                position: game.format(&situation),
                board,
                mover: game.side_name(situation.mover),
                value,
                outcome,
                result: value.and_then(|value| self.points(&situation, value)),
                banked: self.banked(&situation),
                taken: self.named_points(taken),
                played: None,
            };
            let Some(option) = chosen.map(|at| &options[at]) else {
                nodes.push(node);
                let (over, end) = (options.is_empty(), game.end_name(&situation.position));
                return Ok(Line { nodes, over, end, repeats, illegal: None });
            };
            // Where a position repeats the game ends, whatever databases say of what could follow.
            let next = game.advance(&situation, &option.step);
            let repeated = historian.is_none() && seen.ends_with(&self.board(&next));
            let (reached, best) = if repeated {
                let repeated = Worth::exact(game.repeated(&option.step.next));
                let reached = repeated.through(&option.step);
                (Some(reached), value.map(|value| reached.order() == value.order()))
            } else {
                (option.value, option.best)
            };
            let after = reached.and_then(|value| Outcome::of(game, &situation, value));
            node.played = Some(Played {
                name: game.format_move(&situation, &option.mv, &option.step),
                captures: option.step.gain,
                value: reached,
                outcome: after,
                result: reached.and_then(|value| self.points(&situation, value)),
                best,
                loses: Loss::of(best, (value, outcome), (reached, after)),
            });
            taken[situation.mover as usize] += f64::from(option.step.gain);
            nodes.push(node);
            history.push(situation.position);
            situation = next;
        }
    }
}

/// How often boards have occurred.
pub(super) struct Boards {
    occurred: HashMap<String, usize>,
    /// So many times end the game.
    last: usize,
}

impl Boards {
    fn new(last: usize) -> Self {
        Boards { occurred: HashMap::new(), last }
    }

    /// A board occurs. Whether that ends the game.
    fn enter(&mut self, board: String) -> bool {
        let occurred = self.occurred.entry(board).or_default();
        *occurred += 1;
        *occurred >= self.last
    }

    /// Whether the game ends if this board is the next.
    pub fn ends_with(&self, board: &str) -> bool {
        self.occurred.get(board).is_some_and(|occurred| occurred + 1 >= self.last)
    }
}

/// Where moves lead.
pub(super) struct Trodden {
    pub situation: Situation<AnyPosition>,
    /// The positions before it.
    pub history: Vec<AnyPosition>,
    /// The boards on the way, the last one included.
    pub seen: Boards,
    /// What the first and the second side have banked on the way.
    pub taken: [f64; 2],
    /// Whether the last one has come again, which ends the game.
    pub repeats: bool,
}
