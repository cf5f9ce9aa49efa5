//! Analysis of a game: every move with its value and that of the best move.

use std::error::Error;
use std::sync::Arc;

use nutcracker_game::{Evaluate, Side};
use nutcracker_search::player::{Advice, Adviser, Source};
use nutcracker_search::{EngineOptions, Limits, Oracle, Report, Worth};

use crate::{Played, PlayerError};

/// What a move cost, in points of score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Loss {
    /// Exactly this much, proven.
    Exact(i32),
    /// At least this much, proven.
    AtLeast(i32),
    /// About this much.
    About(f64),
}

impl Loss {
    /// The number.
    pub fn points(self) -> f64 {
        match self {
            Loss::Exact(points) | Loss::AtLeast(points) => f64::from(points),
            Loss::About(points) => points,
        }
    }

    /// Whether it is proven.
    pub fn is_proven(self) -> bool {
        !matches!(self, Loss::About(_))
    }

    /// The cost of a move of value `played` where the best move was worth `best`; `open` if yet
    /// another one may be worth more.
    fn between(best: Worth, played: Worth, open: bool) -> Self {
        let proven = best.lower.zip(played.upper).map(|(best, played)| i32::from(best - played));
        match proven {
            Some(points) if best.is_exact() && played.is_exact() && !open => Loss::Exact(points),
            Some(points) if points > 0 => Loss::AtLeast(points),
            _ => Loss::About(f64::from((best.hundredths() - played.hundredths()).max(0)) / 100.0),
        }
    }
}

/// Evaluates moves: by databases where they reach, by search elsewhere.
#[derive(Debug)]
pub struct Analyser<G: Evaluate, O: Oracle> {
    pub(crate) adviser: Adviser<G, O>,
}

impl<G: Evaluate, O> Analyser<G, O>
where
    O: Oracle<Error: Error + Send + 'static> + Send + Sync,
{
    /// An analyser with these databases.
    pub fn new(game: G, oracle: Arc<O>, options: EngineOptions) -> Self {
        Analyser { adviser: Adviser::new(game, oracle, options) }
    }

    /// Every move of a game that has not ended with its value, best first.
    pub fn moves(
        &mut self,
        at: &Played<G>,
        limits: &Limits<'_>,
    ) -> Result<Advice<G::Move>, PlayerError> {
        Ok(self.adviser.moves(&at.now().position, &at.history(), limits)?)
    }

    /// The value of a position for its mover, from there on.
    pub fn value(&mut self, at: &Played<G>, limits: &Limits<'_>) -> Result<Worth, PlayerError> {
        Ok(self.adviser.value(&at.now().position, &at.history(), limits)?)
    }

    /// The last iteration that a search completes, at least one: what an unfinished one finds is not
    /// comparable.
    fn last_complete(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<Report<G::Move>, PlayerError> {
        let mut complete = None;
        let mut on_report = |report: &Report<G::Move>| {
            if report.rank == 1 {
                complete = Some(report.clone());
            }
        };
        let last = self.adviser.search(position, history, limits, &mut on_report)?;
        match complete {
            Some(complete) => Ok(complete),
            None if last.depth > 0 || last.line.is_empty() => Ok(last),
            None => Ok(self.adviser.search(position, history, &Limits::depth(1), &mut |_| ())?),
        }
    }

    /// The value of a move of a game, and that of the best one.
    fn evaluate_move(
        &mut self,
        at: &Played<G>,
        mv: G::Move,
        limits: &Limits<'_>,
    ) -> Result<EvaluatedMove<G::Move>, PlayerError> {
        let situation = at.now();
        let evaluated = |best: (G::Move, Worth), value: Worth, open, source| EvaluatedMove {
            side: situation.mover,
            mv,
            value,
            best: best.0,
            best_value: best.1,
            loss: Loss::between(best.1, value, open),
            lead: at.lead(),
            source,
        };
        let (position, history) = (&situation.position, at.history());
        if let Some(advice) = self.adviser.by_databases(position, &history)? {
            let value = advice.values.iter().find(|(other, _)| *other == mv);
            if let (Some((_, value)), Some(best)) = (value, advice.values.first()) {
                // Among equal moves, the move played counts as the best one.
                let best = if value == &best.1 { (mv, *value) } else { *best };
                // Of bounds that are not exact, the best is not known.
                let may_be_more = |(_, other): &(G::Move, Worth)| {
                    other.upper.is_none_or(|upper| best.1.lower.is_some_and(|best| upper > best))
                };
                let open = advice.values.iter().any(may_be_more);
                return Ok(evaluated(best, *value, open, advice.source));
            }
        }
        // A move has the same value whatever was analysed before it.
        self.adviser.forget();
        let report = self.last_complete(position, &history, limits)?;
        let best = (report.best().unwrap_or(mv), report.value);
        let depth = report.depth;
        if best.0 == mv {
            return Ok(evaluated(best, best.1, false, Source::of_search([best.1], depth)));
        }
        let mut next = at.clone();
        next.play(mv);
        let step = at.step(&mv);
        let value = match next.ending() {
            Some(crate::Ending::Over(score)) => Worth::exact(score),
            Some(crate::Ending::Repeated) => Worth::exact(next.repeated()),
            None => {
                // As deep as the best move was searched, however long that takes: a value of another
                // depth could not be compared. One that is proven has no depth.
                let below = if best.1.is_exact() {
                    Limits { among: None, ..*limits }
                } else {
                    Limits { stop: limits.stop, ..Limits::depth(depth.max(1) - 1) }
                };
                // Nor may deeper entries of an unfinished iteration take part.
                self.adviser.forget();
                self.value(&next, &below)?
            }
        };
        let value = value.through(&step);
        // If the search prefers the move played to its own, there is no better move to offer.
        let best = if value.hundredths() >= best.1.hundredths() { (mv, value) } else { best };
        Ok(evaluated(best, value, false, Source::of_search([best.1, value], depth)))
    }

    /// One move of a game; the limits are as for all of them.
    pub fn evaluate(
        &mut self,
        played: &Played<G>,
        ply: usize,
        limits: &Limits<'_>,
    ) -> Result<EvaluatedMove<G::Move>, PlayerError> {
        self.evaluate_move(&played.up_to(ply), played.moves()[ply], limits)
    }

    /// Every move of a game; calls `watch` with each. The limits are those of the search for the best
    /// move; the move played is then searched to the same depth.
    pub fn analyse(
        &mut self,
        played: &Played<G>,
        limits: &Limits<'_>,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Analysis<G::Move>, PlayerError> {
        let mut moves = Vec::new();
        for ply in 0..played.moves().len() {
            watch(ply);
            moves.push(self.evaluate(played, ply, limits)?);
        }
        Ok(Analysis { moves, opening: 0, margin: played.final_margin() })
    }
}

/// A move and its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EvaluatedMove<M> {
    /// The side that made it.
    pub side: Side,
    /// The move.
    pub mv: M,
    /// Its value for its mover, from before the move on.
    pub value: Worth,
    /// The best move.
    pub best: M,
    /// The value of the best move.
    pub best_value: Worth,
    /// What was lost.
    pub loss: Loss,
    /// The first player's lead before the move.
    pub lead: i32,
    /// The source of the values.
    pub source: Source,
}

impl<M> EvaluatedMove<M> {
    /// The margin by which the first player would win, in points, with best play from before this
    /// move, and from after it.
    pub fn margins(&self) -> [f64; 2] {
        let sign = if self.side == Side::First { 1.0 } else { -1.0 };
        [self.best_value, self.value]
            .map(|value| f64::from(self.lead) + sign * f64::from(value.hundredths()) / 100.0)
    }
}

impl<M> EvaluatedMove<M> {
    /// The outcome for its mover with best play from before this move, and from after it: 1 for a
    /// win, 0 for a draw, -1 for a loss.
    pub fn outcomes(&self) -> [i32; 2] {
        let sign = if self.side == Side::First { 1 } else { -1 };
        let class = |margin: f64| i32::from(margin >= LEVEL) - i32::from(margin <= -LEVEL);
        self.margins().map(|margin| sign * class(margin))
    }
}

/// A game with every move evaluated.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis<M> {
    /// The moves.
    pub moves: Vec<EvaluatedMove<M>>,
    /// How many of the first moves no player has chosen: they are the opening of a match, and not
    /// counted as errors.
    pub opening: usize,
    /// The margin by which the first player won, if the game was finished.
    pub margin: Option<i32>,
}

/// The last move that changed who wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Its index, from 0.
    pub ply: usize,
    /// The outcome before, for its mover: 1 for a win, 0 for a draw.
    pub from: i32,
    /// The outcome after: 0 for a draw, -1 for a loss.
    pub to: i32,
}

/// Guesses closer to a draw than this count as draws.
const LEVEL: f64 = 0.5;

impl<M> Analysis<M> {
    /// The moves that a player has chosen, with their index.
    pub fn chosen(&self) -> impl Iterator<Item = (usize, &EvaluatedMove<M>)> {
        self.moves.iter().enumerate().skip(self.opening)
    }

    /// The moves of a side that lost at least this much.
    pub fn errors(&self, side: Side, least: f64) -> Vec<usize> {
        let lost = |evaluated: &EvaluatedMove<M>| {
            evaluated.loss.points() > 0.0 && evaluated.loss.points() >= least
        };
        let errs = |(ply, evaluated): (usize, &EvaluatedMove<M>)| {
            (evaluated.side == side && lost(evaluated)).then_some(ply)
        };
        self.chosen().filter_map(errs).collect()
    }

    /// The total loss of a side.
    pub fn lost(&self, side: Side) -> f64 {
        let own = self.chosen().filter(|(_, evaluated)| evaluated.side == side);
        own.map(|(_, evaluated)| evaluated.loss.points()).sum()
    }

    /// The last move by which a side gave away a better outcome: a win or a draw.
    pub fn decision(&self) -> Option<Decision> {
        let change = |(ply, evaluated): (usize, &EvaluatedMove<M>)| {
            let [from, to] = evaluated.outcomes();
            (to < from).then_some(Decision { ply, from, to })
        };
        self.chosen().filter_map(change).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_exact_only_if_the_best_is_known() {
        let [best, played] = [Worth::exact(5), Worth::exact(2)];
        assert_eq!(Loss::between(best, played, false), Loss::Exact(3));
        assert_eq!(Loss::between(best, played, true), Loss::AtLeast(3));
        assert_eq!(Loss::between(best, best, true), Loss::About(0.0));
    }
}
