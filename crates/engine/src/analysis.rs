//! Where a game was lost: every move with its value and the best one's.

use std::cmp::Reverse;
use std::error::Error;
use std::sync::Arc;

use nutcracker_game::{Evaluate, Side};
use nutcracker_search::player::Perfect;
use nutcracker_search::{Engine, EngineOptions, Limits, Oracle, Worth};

use crate::searcher::Shared;
use crate::{Played, PlayerError};

/// What a value rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A database.
    Database,
    /// A search that came to an end everywhere it mattered.
    Proof,
    /// A search that guessed somewhere, so many moves deep.
    Search {
        /// Its depth.
        depth: u32,
    },
}

impl Source {
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Source::Database => "database",
            Source::Proof => "proof",
            Source::Search { .. } => "search",
        }
    }
}

/// What a move cost, in points of score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Loss {
    /// So much, proven.
    Exact(i32),
    /// So much or more, proven.
    AtLeast(i32),
    /// About so much.
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

    /// What a move of value `played` cost where `best` was to be had.
    fn between(best: Worth, played: Worth) -> Self {
        let proven = best.lower.zip(played.upper).map(|(best, played)| i32::from(best - played));
        match proven {
            Some(points) if best.is_exact() && played.is_exact() => Loss::Exact(points),
            Some(points) if points > 0 => Loss::AtLeast(points),
            _ => Loss::About(f64::from((best.hundredths() - played.hundredths()).max(0)) / 100.0),
        }
    }
}

/// A position and what is known of its moves.
#[derive(Clone, Debug)]
pub struct Choices<M> {
    /// Moves with what each is worth to the mover, best first: all that databases know, or by
    /// search.
    pub values: Vec<(M, Worth)>,
    /// What they rest on.
    pub source: Source,
}

/// Who says what moves are worth: databases where they reach, search above.
#[derive(Debug)]
pub struct Judge<G: Evaluate, O: Oracle> {
    game: G,
    oracle: Shared<O>,
    perfect: Perfect<G, Shared<O>>,
    engine: Engine<G, Shared<O>>,
}

fn failed<E: Error + 'static>(error: E) -> PlayerError {
    PlayerError::Other(match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

impl<G: Evaluate, O> Judge<G, O>
where
    O: Oracle<Error: Error + Send + 'static> + Send + Sync,
{
    /// A judge with these databases.
    pub fn new(game: G, oracle: Arc<O>, options: EngineOptions) -> Self {
        let oracle = Shared(oracle);
        Judge {
            perfect: Perfect::new(game.clone(), oracle.clone()),
            engine: Engine::new(game.clone(), oracle.clone(), options),
            oracle,
            game,
        }
    }

    fn by_database(&mut self, at: &Played<G>) -> Result<Option<Choices<G::Move>>, PlayerError> {
        let position = &at.now().position;
        if !self.oracle.covers(self.game.slice_of(position)) {
            return Ok(None);
        }
        let valued = self.perfect.values(position, &at.history()).map_err(failed)?;
        let mut values: Vec<(G::Move, Worth)> =
            valued.iter().map(|valued| (valued.mv, Worth::exact(valued.value))).collect();
        values.sort_by_key(|(_, value)| Reverse(value.hundredths()));
        Ok(Some(Choices { values, source: Source::Database }))
    }

    /// Every move of a game that has not ended with its value, best first.
    pub fn moves(
        &mut self,
        at: &Played<G>,
        limits: &Limits<'_>,
    ) -> Result<Choices<G::Move>, PlayerError> {
        if let Some(choices) = self.by_database(at)? {
            return Ok(choices);
        }
        // As deep below each move as the whole is to be.
        let below = Limits { depth: limits.depth.map(|depth| depth.max(1) - 1), ..*limits };
        let values = self.engine.search_all(&at.now().position, &at.history(), &below);
        let values = values.map_err(failed)?;
        let source = source(values.iter().map(|(_, value)| *value), limits.depth.unwrap_or(0));
        Ok(Choices { values, source })
    }

    /// What a position is worth to its mover, from there on.
    pub fn value(&mut self, at: &Played<G>, limits: &Limits<'_>) -> Result<Worth, PlayerError> {
        if let Some(choices) = self.by_database(at)? {
            return Ok(choices.values.first().map_or(Worth::exact(0), |(_, value)| *value));
        }
        let report = self.engine.search(&at.now().position, &at.history(), limits, &mut |_| ());
        Ok(report.map_err(failed)?.value)
    }

    /// What a move of a game was worth, and what the best one.
    fn judge(
        &mut self,
        at: &Played<G>,
        mv: G::Move,
        limits: &Limits<'_>,
    ) -> Result<Judged<G::Move>, PlayerError> {
        let situation = at.now();
        let told = |best: (G::Move, Worth), value: Worth, source| Judged {
            side: situation.mover,
            mv,
            value,
            best: best.0,
            best_value: best.1,
            loss: Loss::between(best.1, value),
            lead: at.lead(),
            source,
        };
        if let Some(choices) = self.by_database(at)? {
            let value = choices.values.iter().find(|(other, _)| *other == mv);
            if let (Some((_, value)), Some(best)) = (value, choices.values.first()) {
                // Of equal moves the one that was played is the best one.
                let best = if value == &best.1 { (mv, *value) } else { *best };
                return Ok(told(best, *value, choices.source));
            }
        }
        let (position, history) = (&situation.position, at.history());
        let report = self.engine.search(position, &history, limits, &mut |_| ()).map_err(failed)?;
        let best = (report.best().unwrap_or(mv), report.value);
        let depth = report.depth;
        if best.0 == mv {
            return Ok(told(best, best.1, source([best.1].into_iter(), depth)));
        }
        let mut next = at.clone();
        next.play(mv);
        let step = at.step(&mv);
        let value = match next.ending() {
            Some(crate::Ending::Over(score)) => Worth::exact(score),
            Some(crate::Ending::Repeated) => Worth::exact(0),
            None => {
                // As deep as the best move was looked at.
                let below = Limits { depth: Some(depth.max(1) - 1), ..*limits };
                self.value(&next, &below)?
            }
        };
        let value = value.through(&step);
        // A search that liked the move better than its own has nothing better to offer.
        let best = if value.hundredths() >= best.1.hundredths() { (mv, value) } else { best };
        Ok(told(best, value, source([best.1, value].into_iter(), depth)))
    }

    /// Every move of a game; `watch` hears of each.
    pub fn analyse(
        &mut self,
        played: &Played<G>,
        limits: &Limits<'_>,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Analysis<G::Move>, PlayerError> {
        let mut moves = Vec::new();
        for (ply, mv) in played.moves().iter().enumerate() {
            watch(ply);
            moves.push(self.judge(&played.up_to(ply), *mv, limits)?);
        }
        Ok(Analysis { moves, margin: played.final_margin() })
    }
}

fn source(mut values: impl Iterator<Item = Worth>, depth: u32) -> Source {
    if values.all(Worth::is_proven) { Source::Proof } else { Source::Search { depth } }
}

/// A move and what it was worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged<M> {
    /// Who made it.
    pub side: Side,
    /// The move.
    pub mv: M,
    /// What it is worth to its mover, from before the move on.
    pub value: Worth,
    /// The best move.
    pub best: M,
    /// What that is worth.
    pub best_value: Worth,
    /// What was lost.
    pub loss: Loss,
    /// By how much the first player was ahead before.
    pub lead: i32,
    /// What all this rests on.
    pub source: Source,
}

impl<M> Judged<M> {
    /// What the first player would win the game by, in points, with best play from before this
    /// move, and from after it.
    pub fn margins(&self) -> [f64; 2] {
        let sign = if self.side == Side::First { 1.0 } else { -1.0 };
        [self.best_value, self.value]
            .map(|value| f64::from(self.lead) + sign * f64::from(value.hundredths()) / 100.0)
    }
}

/// A game with every move judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis<M> {
    /// The moves.
    pub moves: Vec<Judged<M>>,
    /// What the first player won by, if the game came to its end.
    pub margin: Option<i32>,
}

/// The last move that changed who wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Its place, from 0.
    pub ply: usize,
    /// What its mover had before: 1 for a win, 0 for a draw.
    pub from: i32,
    /// And after: 0 for a draw, -1 for a loss.
    pub to: i32,
}

/// Guesses nearer to a draw than this are draws.
const LEVEL: f64 = 0.5;

impl<M> Analysis<M> {
    /// The moves of a side that lost at least so much.
    pub fn errors(&self, side: Side, least: f64) -> Vec<usize> {
        let lost = |judged: &Judged<M>| judged.loss.points() > 0.0 && judged.loss.points() >= least;
        let errs = |(ply, judged): (usize, &Judged<M>)| {
            (judged.side == side && lost(judged)).then_some(ply)
        };
        self.moves.iter().enumerate().filter_map(errs).collect()
    }

    /// What a side lost in all.
    pub fn lost(&self, side: Side) -> f64 {
        let own = self.moves.iter().filter(|judged| judged.side == side);
        own.map(|judged| judged.loss.points()).sum()
    }

    /// The last move with which its side let a better outcome go: a win or a draw.
    pub fn decision(&self) -> Option<Decision> {
        let class = |margin: f64| i32::from(margin >= LEVEL) - i32::from(margin <= -LEVEL);
        let change = |(ply, judged): (usize, &Judged<M>)| {
            let sign = if judged.side == Side::First { 1 } else { -1 };
            let [from, to] = judged.margins().map(|margin| sign * class(margin));
            (to < from).then_some(Decision { ply, from, to })
        };
        self.moves.iter().enumerate().filter_map(change).last()
    }
}
