//! The legal moves of a position, each with what it is worth.

use std::sync::Arc;

use nutcracker_any::{AnyGame, AnyMove, AnyPosition};
use nutcracker_game::{Numbering, Rules, Score, Step, Turn};
use nutcracker_search::player::Adviser;
use nutcracker_search::{Probed, TableOracle, Worth, forced_in_words};
use nutcracker_table::TableSet;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::line::Trodden;
use super::{Explorer, Measured, Outcome, Points};

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
    /// The same by databases of other metrics, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub metrics: Vec<Measured>,
    /// How the game ends for the side to move, where that is known.
    pub outcome: Option<Outcome>,
    /// What the players end up with, where that is known.
    pub result: Option<Points>,
    /// What each side can force, in words, where the rest depends on a repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "South can force 23, North 22, 3 seeds depend on a repetition")]
    pub forced: Option<String>,
    /// What the players have banked so far, where the position contains that.
    pub banked: Option<Points>,
    /// Why the value is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// What the players have banked since the position that the moves were played from.
    pub taken: Points,
    /// The side that wins whatever happens, because it has banked more than half.
    pub decided: Option<&'static str>,
    /// Whether the game is over here, by the rules or because the position repeats.
    pub over: bool,
    /// What players call this end of the game, if they have a word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "checkmate")]
    pub end: Option<&'static str>,
    /// Whether the position has come again, which ends the game.
    pub repeats: bool,
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
    /// Its other name, where moves have two: in chess that of UCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "e7e8q")]
    pub other_name: Option<String>,
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
    /// The same by databases of other metrics, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub metrics: Vec<Measured>,
    /// How the game ends for the mover after it, where that is known.
    pub outcome: Option<Outcome>,
    /// What the players end up with after it, where that is known.
    pub result: Option<Points>,
    /// Whether it repeats a position, which ends the game.
    pub repeats: bool,
    /// Whether no move is better; nothing where that is not known.
    pub best: Option<bool>,
    /// What it loses against the best move, where it is known to lose something.
    pub loses: Option<Loss>,
}

/// What a move loses against the best one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Loss {
    /// Points.
    pub points: f64,
    /// Whether it loses the result, too: a won or drawn game.
    pub result: bool,
}

impl Loss {
    /// What is lost by a move that is `best` or not, from `value` to what was `reached`, each with the
    /// outcome for the mover.
    pub(super) fn of(
        best: Option<bool>,
        value: (Option<Worth>, Option<Outcome>),
        reached: (Option<Worth>, Option<Outcome>),
    ) -> Option<Loss> {
        let (before, after) = (value.0?, reached.0?);
        let points = match before.lower.zip(after.upper) {
            Some((before, after)) => f64::from(before - after),
            None => f64::from(before.hundredths() - after.hundredths()) / 100.0,
        };
        let result = value.1.zip(reached.1).is_some_and(|(before, after)| before != after);
        (best == Some(false) && points > 0.0).then_some(Loss { points, result })
    }
}

/// A move before it is described.
pub(super) struct Candidate<M, P> {
    pub mv: M,
    pub step: Step<P>,
    pub value: Option<Worth>,
    pub best: Option<bool>,
}

pub(super) type Candidates = Vec<Candidate<AnyMove, AnyPosition>>;

/// What knows the game so far, for games in which values depend on it.
pub(super) type Historian = Option<Adviser<AnyGame, TableOracle>>;

impl Explorer {
    /// The database's value, or `None` where there is no database.
    pub(super) fn known(&self, position: &AnyPosition) -> Result<Option<Probed>, ExplorerError> {
        Ok(Probed::find(&self.game, &self.set(), position)?)
    }

    /// As [`known`](Self::known), with the databases that say so: where those that the explorer goes
    /// by do not have the slice, those of another metric do, unless values are points.
    pub(super) fn known_by(
        &self,
        position: &AnyPosition,
    ) -> Result<Option<(Arc<TableSet>, Probed)>, ExplorerError> {
        let here = self.databases();
        let others = if here.metric.is_points() { 0 } else { here.others.len() };
        for (_, set) in here.all().take(1 + others) {
            if let Some(found) = Probed::find(&self.game, set, position)? {
                return Ok(Some((Arc::clone(set), found)));
            }
        }
        Ok(None)
    }

    /// The legal moves in the order of the rules.
    pub(super) fn candidates(&self, position: &AnyPosition) -> Result<Candidates, ExplorerError> {
        let (set, known) = match self.known_by(position)? {
            Some((set, known)) => (set, Some(known)),
            None => (self.set(), None),
        };
        let mut moves = Vec::new();
        self.game.moves(position, &mut moves);
        let candidates: Result<Candidates, ExplorerError> = moves
            .into_iter()
            .map(|mv| {
                let step = self.game.play(position, &mv);
                let reached = Probed::find(&self.game, &set, &step.next)?;
                let mut value = reached.map(|found| found.worth.through(&step));
                if let (Some(value), Some(known)) = (&mut value, known) {
                    *value = value.from(known.worth);
                }
                let best = known.zip(value).and_then(|(known, value)| known.is_reached_by(value));
                Ok(Candidate { mv, step, value, best })
            })
            .collect();
        let mut candidates = candidates?;
        if let Some(known) = known
            && let Some(place) =
                known.only_one_left(candidates.iter().map(|one| (one.value, one.best)))
        {
            let only = &mut candidates[place];
            (only.value, only.best) = (Some(known.worth), Some(true));
        }
        Ok(candidates)
    }

    /// Whether values depend on the moves before, so that they may take a search.
    pub fn depends_on_history(&self) -> bool {
        self.game.depends_on_history()
    }

    pub(super) fn historian(&self) -> Result<Historian, ExplorerError> {
        self.depends_on_history().then(|| self.adviser()).transpose()
    }

    /// What a position is worth, and its moves with their values, after the positions before it. Where
    /// a repetition is worth something, databases alone do not tell: a search that knows these
    /// positions says what holds of their bounds.
    pub(super) fn known_after(
        &self,
        historian: &Historian,
        position: &AnyPosition,
        history: &[AnyPosition],
    ) -> Result<(Option<Worth>, Candidates), ExplorerError> {
        let mut options = self.candidates(position)?;
        let known = self.known_by(position)?.map(|(_, found)| found.worth);
        let over = || self.game.outcome(position).map(Worth::exact);
        let Some(historian) = historian.as_ref().filter(|_| !options.is_empty()) else {
            // Without databases, the end of the game still has its value.
            return Ok((known.or_else(over), options));
        };
        let advice = historian.by_databases(position, history);
        let Some(advice) = advice.map_err(|error| self.player_error(error))? else {
            // Only captures are known: there the game so far no longer counts.
            let slice = self.game.slice_of(position);
            for option in &mut options {
                option.value =
                    option.value.filter(|_| self.game.slice_of(&option.step.next) != slice);
                option.best = None;
            }
            return Ok((None, options));
        };
        let checked = |stored: Option<Worth>, value: Worth| Worth {
            unchecked: stored.is_some_and(|stored| stored.unchecked),
            ..value
        };
        for option in &mut options {
            let found = advice.values.iter().find(|(mv, _)| *mv == option.mv);
            option.value = found.map(|(_, value)| checked(option.value, *value));
            option.best = advice.is_best(&option.mv);
        }
        Ok((Some(checked(known, advice.value)), options))
    }

    /// The legal moves with their values, after the moves that were played from a position on.
    pub fn moves(&self, text: &str, played: &[&str]) -> Result<Moves, ExplorerError> {
        let Trodden { situation, history, seen, taken, repeats } =
            &self.tread(self.parse(text)?, played)?;
        let game = &self.game;
        let slice = game.slice_of(&situation.position);
        let (value, mut options) = if *repeats {
            (Some(Worth::exact(game.repeated(&situation.position))), Vec::new())
        } else {
            self.known_after(&self.historian()?, &situation.position, history)?
        };
        let ended = options.is_empty() && !*repeats;
        if !self.depends_on_history() {
            for option in &mut options {
                // Where a position repeats the game ends, whatever databases say of what could follow.
                if seen.ends_with(&self.board(&game.advance(situation, &option.step))) {
                    let repeated = Worth::exact(game.repeated(&option.step.next));
                    option.value = Some(repeated.through(&option.step));
                    option.best =
                        value.zip(option.value).map(|(all, one)| one.order() == all.order());
                }
            }
        }
        let outcome = value.and_then(|value| Outcome::of(game, situation, value));
        options.sort_by_key(|option| (option.value.is_none(), option.value.map(Worth::order)));
        let all = value;
        let metrics = self.measured(&situation.position)?;
        let measured = self.measured_moves(options.iter().map(|option| &option.step), &metrics)?;
        let moves: Result<Vec<Choice>, ExplorerError> = options
            .into_iter()
            .zip(measured)
            .map(|(Candidate { mv, step, value, best }, metrics)| {
                let next = game.advance(situation, &step);
                let reached = value.and_then(|value| Outcome::of(game, situation, value));
                Ok(Choice {
                    loses: Loss::of(best, (all, outcome), (value, reached)),
                    repeats: seen.ends_with(&self.board(&next)),
                    result: value.and_then(|value| self.points(situation, value)),
                    name: game.format_move(situation, &mv, &step),
                    other_name: game.other_name(situation, &mv),
                    metrics,
                    captures: step.gain,
                    again: step.turn == Turn::Stays,
                    next: game.format(&next),
                    next_board: self.board(&next),
                    value,
                    outcome: reached,
                    best,
                })
            })
            .collect();
        let over = ended || *repeats;
        let result = value.and_then(|value| self.points(situation, value));
        let banked = self.banked(situation);
        Ok(Moves {
            position: game.format(situation),
            board: self.board(situation),
            drawing: game.draw(situation),
            mover: game.side_name(situation.mover),
            slice: game.slice_name(slice),
            value,
            metrics,
            outcome,
            decided: if over { None } else { decided(banked.as_ref(), result.as_ref()) },
            result,
            forced: value.and_then(|value| forced_in_words(game, situation, value)),
            banked,
            taken: self.named_points(*taken),
            missing: value.is_none().then(|| self.missing_for(&situation.position)),
            over,
            end: game.end_name(&situation.position),
            repeats: *repeats,
            moves: moves?,
        })
    }
}

/// Who has banked more than half of what both end up with.
fn decided(banked: Option<&Points>, result: Option<&Points>) -> Option<&'static str> {
    let (Points(banked), Points([(_, first), (_, second)])) = (banked?, result?);
    banked.iter().find(|(_, points)| 2.0 * points > first + second).map(|&(side, _)| side)
}
