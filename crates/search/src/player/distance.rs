//! Play by databases that count moves: the nearest win, the farthest loss, without any search.

use std::collections::HashMap;
use std::iter;

use nutcracker_game::{Game, Metric, Score, Step, Turn};

use super::Prospect;
use super::perfect::{Keeping, Perfect, PlayerError, Valued, score_of};
use super::realise::Closed;
use crate::{Oracle, Worth};

/// Moves as a metric values them.
#[derive(Debug)]
pub(super) struct Counted {
    metric: Metric,
    /// In the order of the moves.
    values: Vec<Score>,
}

impl Counted {
    /// The values of a position's moves, where databases count moves: in its own slice, or where that
    /// has none in the first that a move leads to, and wherever a move leads to whose distance continues
    /// there. Where smallest rules are stored beside moves, that is in positions that have moves: there
    /// the nearest win counts them down, too.
    pub fn new<G: Game, O: Oracle>(
        game: &G,
        oracle: &O,
        position: &G::Position,
        moves: &[Valued<G>],
    ) -> Result<Option<Self>, PlayerError<O::Error>> {
        let own = game.slice_of(position);
        let reached = moves.iter().map(|valued| game.slice_of(&valued.step.next));
        let mut slices = iter::once(own).chain(reached);
        let Some(slice) = slices.find(|&slice| oracle.covers(slice)) else { return Ok(None) };
        let metric = oracle.metric(slice).map_err(PlayerError::Oracle)?;
        let counts = match metric {
            Metric::Dth(limit) if slice == own => {
                let value =
                    value_of(game, oracle, metric, position).map_err(PlayerError::Oracle)?;
                metric.distance(value).is_some_and(|distance| distance.moves <= limit.into())
            }
            _ => metric.counts_down(),
        };
        if !counts {
            return Ok(None);
        }
        let steps: Vec<Step<G::Position>> = moves.iter().map(|valued| valued.step).collect();
        let values = values_of_steps(game, oracle, metric, &steps)?;
        Ok(values.map(|values| Counted { metric, values }))
    }

    /// The values of those moves whose worth the game so far does not change.
    fn unchanged<G: Game>(&self, moves: &[Valued<G>]) -> impl Iterator<Item = Option<Score>> {
        let score = |value| self.metric.score(value);
        moves
            .iter()
            .zip(&self.values)
            .map(move |(valued, &value)| (score(value) == valued.value).then_some(value))
    }

    /// Whether every best move counts down, wherever it leads: what models of play need.
    pub fn counts_down(&self) -> bool {
        self.metric.counts_down()
    }

    /// What each move leads to; one after which a position repeats ends the game with a draw.
    pub fn prospects<G: Game>(&self, moves: &[Valued<G>]) -> Vec<Prospect> {
        let prospect = |value: Option<Score>| {
            value.map_or(Prospect::Draw, |value| Prospect::of(self.metric, value))
        };
        self.unchanged(moves).map(prospect).collect()
    }
}

/// What moves are worth by a metric; `None` where one leads to a slice with another.
pub(super) fn values_of_steps<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    metric: Metric,
    steps: &[Step<G::Position>],
) -> Result<Option<Vec<Score>>, PlayerError<O::Error>> {
    let mut values = Vec::with_capacity(steps.len());
    for step in steps {
        let next = if metric.restarts(step) && metric.counts_down() {
            // The count restarts: only the winner matters.
            score_of(game, oracle, &step.next)?
        } else {
            let other = oracle.metric(game.slice_of(&step.next)).map_err(PlayerError::Oracle)?;
            if other != metric {
                return Ok(None);
            }
            value_of(game, oracle, metric, &step.next).map_err(PlayerError::Oracle)?
        };
        values.push(metric.value(step, next));
    }
    Ok(Some(values))
}

/// The value of a position whose score is known.
fn value_of<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    metric: Metric,
    position: &G::Position,
) -> Result<Score, O::Error> {
    if game.is_indexed(position) {
        return oracle.value(game.slice_of(position), game.rank(position));
    }
    if let Some(score) = game.outcome(position) {
        return Ok(metric.over(score));
    }
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    let mut best = Score::MIN;
    for step in steps {
        best = best.max(metric.value(&step, value_of(game, oracle, metric, &step.next)?));
    }
    Ok(best)
}

/// Moves, each with what it leads to.
pub type Prospects<M> = Vec<(M, Prospect)>;

impl<G: Game, O: Oracle> Perfect<G, O> {
    /// What moves are worth, in their order, with how far away their wins and losses are where
    /// databases count that.
    pub fn worths(
        &self,
        position: &G::Position,
        moves: &[Valued<G>],
    ) -> Result<Vec<Worth>, PlayerError<O::Error>> {
        let mut worths: Vec<Worth> = moves.iter().map(Valued::worth).collect();
        if let Some(counted) = Counted::new(&self.game, &self.oracle, position, moves)? {
            let ruled = matches!(counted.metric, Metric::DtzIn(_));
            for ((worth, value), &alone) in
                worths.iter_mut().zip(counted.unchanged(moves)).zip(&counted.values)
            {
                if ruled && alone == 0 {
                    // Won after the move, and one move too late for the rule.
                    *worth = Worth { unchecked: worth.unchecked, ..Worth::exact(0) };
                }
                worth.distance = value.and_then(|value| Worth::by(counted.metric, value).distance);
            }
        }
        Ok(worths)
    }

    /// What every move leads to, where databases count moves; `None` elsewhere, and where the game is
    /// over.
    pub fn prospects(
        &self,
        position: &G::Position,
        history: &[G::Position],
    ) -> Result<Option<Prospects<G::Move>>, PlayerError<O::Error>> {
        let counts = self.oracle.covers(self.game.slice_of(position));
        if !counts || !self.reaches(position) || self.game.outcome(position).is_some() {
            return Ok(None);
        }
        let valued = self.values(position, history)?;
        let counted = Counted::new(self.game(), self.oracle(), position, &valued)?;
        Ok(counted.filter(Counted::counts_down).map(|counted| {
            let prospects = counted.prospects(&valued);
            valued.iter().map(|valued| valued.mv).zip(prospects).collect()
        }))
    }

    /// The moves that keep `level`, which is not 0: those that win soonest, or all of them, those
    /// that hold out longest first.
    pub(super) fn by_distance(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        level: Score,
        moves: &[Valued<G>],
        counted: &Counted,
    ) -> Result<Keeping<G::Move>, PlayerError<O::Error>> {
        let mut keeping: Vec<(&Valued<G>, Score)> = moves
            .iter()
            .zip(counted.values.iter().copied())
            .filter(|(valued, _)| valued.value == level)
            .collect();
        // Of moves that count the same, one that ends the game comes before a conversion.
        keeping.sort_by_cached_key(|(valued, value)| {
            (-value, self.game().outcome(&valued.step.next).is_none())
        });
        let best = keeping.first().map_or(0, |&(_, value)| value);
        let all = keeping.iter().map(|(valued, _)| valued.mv).collect();
        let closed = self.seen(position, history);
        let plies = counted.metric.distance(best).map(|distance| u32::from(distance.plies()));
        if level > 0 && self.is_barred(&closed, best, counted.metric)? {
            let mut way = Way { metric: counted.metric, closed: &closed, known: HashMap::new() };
            let mut clear = Vec::new();
            for (valued, _) in keeping.iter().filter(|&&(_, value)| value == best) {
                if self.is_clear_after(&mut way, position, &valued.step)? {
                    clear.push(valued.mv);
                }
            }
            if clear.is_empty() {
                return self.past(position, &closed, level, moves, all);
            }
            return Ok(Keeping { value: level, moves: clear, plies });
        }
        let soonest = keeping.iter().filter(|&&(_, value)| value == best);
        let moves = if level > 0 { soonest.map(|(valued, _)| valued.mv).collect() } else { all };
        Ok(Keeping { value: level, moves, plies })
    }

    /// Whether the way to a win worth `best` may lead through a position of the game so far, which
    /// would end the game: one that is nearer to the win than it is from here. A player that always
    /// takes the nearest win does not come from there.
    fn is_barred(
        &self,
        closed: &Closed<G::Position>,
        best: Score,
        metric: Metric,
    ) -> Result<bool, PlayerError<O::Error>> {
        for (before, same_mover) in closed {
            let value = value_of(self.game(), self.oracle(), metric, before);
            let value = value.map_err(PlayerError::Oracle)?;
            // The side that has lost in m moves is a ply nearer than the one that wins in m + 1.
            if if *same_mover { value > best } else { -value >= best } {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a side that takes the nearest win from here on can stay clear of positions of the game
    /// so far, whatever the other side plays.
    fn is_clear(
        &self,
        way: &mut Way<'_, G::Position>,
        position: &G::Position,
    ) -> Result<bool, PlayerError<O::Error>> {
        if let Some(&known) = way.known.get(position) {
            return Ok(known);
        }
        if way.known.len() == MOST_ON_WAY {
            return Ok(false);
        }
        let mut steps = Vec::new();
        self.game.steps(position, &mut steps);
        let values = values_of_steps(&self.game, &self.oracle, way.metric, &steps)?;
        let values = values.unwrap_or_default();
        let best = values.iter().copied().max();
        let mut clear = false;
        for (step, _) in steps.iter().zip(values).filter(|&(_, value)| Some(value) == best) {
            if self.is_clear_after(way, position, step)? {
                clear = true;
                break;
            }
        }
        way.known.insert(*position, clear);
        Ok(clear)
    }

    /// The same after a move of that side: distances fall, so that no line is endless, and what leaves
    /// the slice never comes back to a position of the game.
    fn is_clear_after(
        &self,
        way: &mut Way<'_, G::Position>,
        position: &G::Position,
        step: &Step<G::Position>,
    ) -> Result<bool, PlayerError<O::Error>> {
        if !self.is_inside(position, step) {
            return Ok(true);
        }
        if step.turn != Turn::Passes || way.closed.contains(&(step.next, false)) {
            return Ok(false);
        }
        let mut replies = Vec::new();
        if self.game.outcome(&step.next).is_none() {
            self.game.steps(&step.next, &mut replies);
        }
        for reply in replies.iter().filter(|reply| self.is_inside(&step.next, reply)) {
            let repeats = way.closed.contains(&(reply.next, true));
            if reply.turn != Turn::Passes || repeats || !self.is_clear(way, &reply.next)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Positions on the way to a win that are examined before every way past the game so far is.
const MOST_ON_WAY: usize = 20_000;

/// The nearest way to a win, past positions of the game so far.
struct Way<'a, P> {
    metric: Metric,
    closed: &'a Closed<P>,
    /// Whether it is clear from a position on, with the winner to move.
    known: HashMap<P, bool>,
}
