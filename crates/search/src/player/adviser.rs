//! Databases where they reach, search elsewhere: the one place that decides which.

use std::cmp::Reverse;
use std::sync::Arc;

use nutcracker_game::{Evaluate, Random};

use super::{Fallible, Level, Perfect, PlayerError};
use crate::{
    Compared, Engine, EngineOptions, Limits, MoveValues, Oracle, Report, SearchError, Worth,
};

/// The depth that a trap assumes of the opponent.
const TRAP_DEPTH: u32 = 2;

/// The source of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A database.
    Database,
    /// A search that was complete wherever it mattered.
    Proof,
    /// A search with guesses, of this depth in plies.
    Search {
        /// Its depth.
        depth: u32,
    },
}

impl Source {
    /// The source of values that a search of this depth found.
    pub fn of_search(values: impl IntoIterator<Item = Worth>, depth: u32) -> Self {
        if values.into_iter().all(Worth::is_proven) {
            Source::Proof
        } else {
            Source::Search { depth }
        }
    }

    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Source::Database => "database",
            Source::Proof => "proof",
            Source::Search { .. } => "search",
        }
    }
}

/// The moves of a position with their values.
#[derive(Clone, PartialEq, Debug)]
pub struct Advice<M> {
    /// Every move with its value for the mover, best first.
    pub values: MoveValues<M>,
    /// What the position is worth to its mover; after a search, by the moves that it compared.
    pub value: Worth,
    /// The source of the values.
    pub source: Source,
}

impl<M: PartialEq> Advice<M> {
    /// Whether no move is better than this one; `None` where that is not known, as bounds overlap.
    pub fn is_best(&self, mv: &M) -> Option<bool> {
        let (_, value) = self.values.iter().find(|(other, _)| other == mv)?;
        let others = || self.values.iter().filter(|(other, _)| other != mv).map(|(_, other)| other);
        let beaten = |by: &Worth| by.lower.zip(value.upper).is_some_and(|(by, most)| by > most);
        if others().any(beaten) {
            return Some(false);
        }
        let is_less = |other: &Worth| other.upper.is_some_and(|upper| value.lower >= Some(upper));
        others().all(is_less).then_some(true)
    }
}

/// How a player chooses among the moves it has values for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// How strong it is.
    pub level: Level,
    /// Whether a perfect player prefers moves that provoke errors among equal ones, where databases
    /// reach.
    pub trappy: bool,
}

/// A chosen move.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen<M> {
    /// The move.
    pub mv: M,
    /// Its value for its mover.
    pub value: Worth,
    /// The value of the best move.
    pub best: Worth,
    /// The reply that a search expects.
    pub reply: Option<M>,
    /// The values of all moves, best first, where they were needed for the choice.
    pub values: MoveValues<M>,
    /// The source of the values.
    pub source: Source,
}

/// Values of moves and positions: from databases where they reach, else by search.
///
/// Everything that plays or analyses asks here, so that they agree on where databases reach, and so
/// that a level plays alike wherever it is offered.
///
/// ```
/// use std::sync::Arc;
/// use nutcracker_game::{Random, Rules};
/// use nutcracker_games::kalah::Kalah;
/// use nutcracker_search::player::{Adviser, Level, Manner, Source};
/// use nutcracker_search::{Empty, EngineOptions, Limits, Worth};
///
/// let kalah = Kalah::new(3, 2, false)?;
/// let start = kalah.start().position;
/// let mut adviser = Adviser::new(kalah, Arc::new(Empty), EngineOptions::default());
/// // There is no database, and the search is complete.
/// let advice = adviser.moves(&start, &[], &Limits::default())?;
/// assert_eq!((advice.values[0].1, advice.source), (Worth::exact(4), Source::Proof));
/// let manner = Manner { level: Level::PERFECT, trappy: false };
/// let mut random = Random::new(1);
/// let chosen =
///     adviser.choose(&start, &[], manner, &mut random, &Limits::default(), &mut |_| ())?;
/// assert_eq!(chosen.value, Worth::exact(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Adviser<G: Evaluate, O: Oracle> {
    perfect: Perfect<G, Arc<O>>,
    options: EngineOptions,
    /// Made for the first search: where databases reach, its table would be filled for nothing.
    engine: Option<Engine<G, Arc<O>>>,
}

impl<G: Evaluate, O: Oracle<Error: Send> + Send + Sync> Adviser<G, O> {
    /// An adviser with these databases, and with these options of its search.
    pub fn new(game: G, oracle: Arc<O>, options: EngineOptions) -> Self {
        Adviser { perfect: Perfect::new(game, oracle), options, engine: None }
    }

    /// Makes the search start afresh, with these options. Its memory is set up here, not when the
    /// first search needs it and a clock may be running.
    pub fn restart(&mut self, options: EngineOptions) {
        self.options = options;
        self.engine = None;
        self.engine();
    }

    /// Forgets what was searched, so that the next search depends on its limits alone.
    pub fn forget(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.clear();
        }
    }

    fn engine(&mut self) -> &mut Engine<G, Arc<O>> {
        engine_of(&mut self.engine, &self.perfect, &self.options)
    }

    /// The player by databases.
    pub fn perfect(&mut self) -> &mut Perfect<G, Arc<O>> {
        &mut self.perfect
    }

    /// Lets a choice by databases examine at most about this many positions; see
    /// [`Perfect::with_limit`].
    pub fn limit_positions(&mut self, positions: usize) {
        self.perfect.set_limit(positions);
    }

    /// Every move of a position with its value, where databases have them all; `None` elsewhere. Of
    /// equal ones those that win soonest or hold out longest come first, where databases count that.
    /// `history` holds the positions before this one, oldest first, each as its mover saw it.
    pub fn by_databases(
        &self,
        position: &G::Position,
        history: &[G::Position],
    ) -> Result<Option<Advice<G::Move>>, PlayerError<O::Error>> {
        if !self.perfect.reaches(position) {
            return Ok(None);
        }
        let valued = self.perfect.values(position, history)?;
        let worths = self.perfect.worths(position, &valued)?;
        let value = self.perfect.worth(position, history, &worths)?;
        let mut values: MoveValues<G::Move> =
            valued.iter().map(|valued| valued.mv).zip(worths).collect();
        let key = |value: Worth| (Reverse((value.hundredths(), value.upper)), value.order());
        values.sort_by_key(|(_, value)| key(*value));
        Ok(Some(Advice { values, value, source: Source::Database }))
    }

    /// The same for the moves that the limits allow.
    fn known_moves(
        &self,
        position: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<Option<Advice<G::Move>>, PlayerError<O::Error>> {
        let mut advice = self.by_databases(position, history)?;
        if let (Some(advice), Some(_)) = (&mut advice, limits.among) {
            let mut moves = Vec::new();
            self.perfect.game().moves(position, &mut moves);
            let left_out = limits.left_out(moves.len());
            let left_out: Vec<G::Move> =
                left_out.into_iter().map(|place| moves[usize::from(place)]).collect();
            advice.values.retain(|(mv, _)| !left_out.contains(mv));
        }
        Ok(advice)
    }

    /// Searches a position, whether or not databases reach it: [`Engine::search_averaged`].
    pub fn search(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
        on_report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Result<Report<G::Move>, PlayerError<O::Error>> {
        Ok(self.engine().search_averaged(position, history, limits, on_report)?)
    }

    /// Every move that the limits allow with its value, best first. A search takes the limits for all
    /// moves together, and its depth counts from the position; the source has the depth that was
    /// completed for every move.
    pub fn moves(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<Advice<G::Move>, PlayerError<O::Error>> {
        if let Some(advice) = self.known_moves(position, history, limits)? {
            return Ok(advice);
        }
        let Compared { averaged: values, depth, .. } =
            self.engine().compare(position, history, limits)?;
        let source = Source::of_search(values.iter().map(|(_, value)| *value), depth);
        let all: Vec<Worth> = values.iter().map(|(_, value)| *value).collect();
        Ok(Advice { value: Worth::best(&all), values, source })
    }

    /// The value of a position for its mover, from there on.
    pub fn value(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        limits: &Limits<'_>,
    ) -> Result<Worth, PlayerError<O::Error>> {
        match self.by_databases(position, history)? {
            Some(advice) => Ok(advice.value),
            None => Ok(self.search(position, history, limits, &mut |_| ())?.value),
        }
    }

    /// The move of a player. A perfect one keeps and realises the score where databases reach, and
    /// searches elsewhere; one that errs chooses by the values of all moves, [as deep as its
    /// level](Level::depth) looks if the limits set no depth.
    pub fn choose(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        manner: Manner,
        random: &mut Random,
        limits: &Limits<'_>,
        on_report: &mut dyn FnMut(&Report<G::Move>),
    ) -> Result<Chosen<G::Move>, PlayerError<O::Error>> {
        let errs = manner.level < Level::PERFECT;
        if let Some(advice) = self.known_moves(position, history, limits)? {
            let mv = self.choose_by_databases(position, history, manner, random)?;
            let (best, _) = *advice.values.first().ok_or(PlayerError::Over)?;
            // That is a choice among all moves, and may be one that the limits leave out.
            let allowed = advice.values.iter().any(|(other, _)| *other == mv);
            return chosen(advice, if allowed { mv } else { best });
        }
        if errs {
            let depth = limits.depth.or(manner.level.depth());
            let advice = self.moves(position, history, &Limits { depth, ..*limits })?;
            let seen: Vec<_> =
                advice.values.iter().map(|(mv, value)| (*mv, value.hundredths())).collect();
            let fallible = Fallible::new(self.perfect.game(), manner.level);
            let (mv, _) = fallible.choose(&seen, random).ok_or(PlayerError::Over)?;
            return chosen(advice, mv);
        }
        let report = self.search(position, history, limits, on_report)?;
        Ok(Chosen {
            mv: report.best().ok_or(PlayerError::Over)?,
            value: report.value,
            best: report.value,
            reply: report.line.get(1).copied(),
            source: Source::of_search([report.value], report.depth),
            values: Vec::new(),
        })
    }

    fn choose_by_databases(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        manner: Manner,
        random: &mut Random,
    ) -> Result<G::Move, PlayerError<O::Error>> {
        let fallible = Fallible::new(self.perfect.game(), manner.level);
        if manner.level < Level::PERFECT {
            return self.perfect.choose_fallible(position, history, &fallible, random);
        }
        if !manner.trappy {
            return self.perfect.choose(position, history);
        }
        let engine = engine_of(&mut self.engine, &self.perfect, &self.options);
        self.perfect.choose_trappy(position, history, &fallible, |at| {
            let values = engine.search_all(at, &[], &Limits::depth(TRAP_DEPTH))?;
            Ok(values.into_iter().map(|(mv, value)| (mv, value.hundredths())).collect())
        })
    }
}

fn engine_of<'a, G: Evaluate, O: Oracle<Error: Send> + Send + Sync>(
    engine: &'a mut Option<Engine<G, Arc<O>>>,
    perfect: &Perfect<G, Arc<O>>,
    options: &EngineOptions,
) -> &'a mut Engine<G, Arc<O>> {
    engine.get_or_insert_with(|| {
        Engine::new(perfect.game().clone(), Arc::clone(perfect.oracle()), options.clone())
    })
}

/// A move chosen by the values of all moves.
fn chosen<M: Copy + PartialEq, E>(advice: Advice<M>, mv: M) -> Result<Chosen<M>, PlayerError<E>> {
    let Advice { values, source, .. } = advice;
    let (_, best) = *values.first().ok_or(PlayerError::Over)?;
    let value = values.iter().find(|(other, _)| *other == mv).map_or(best, |found| found.1);
    Ok(Chosen { mv, value, best, reply: None, source, values })
}

impl<E> From<SearchError<E>> for PlayerError<E> {
    fn from(SearchError::Oracle(error): SearchError<E>) -> Self {
        PlayerError::Oracle(error)
    }
}
