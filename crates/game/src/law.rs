//! The laws every game must keep, checked on the game itself.
//!
//! A wrong rank or a missing un-move gives databases that look right and are not; these checks
//! find such mistakes in seconds, before hours are spent.

use std::error::Error;
use std::fmt;

use crate::combi::PitRows;
use crate::{
    Children, Exits, ForwardView, Game, IndexMatrix, Metric, Pits, RowMoves, SliceId, SliceView,
    Target, closure, exits_of, is_counted, is_internal, targets_of,
};

/// Returns from the enclosing function with a breach unless the law holds.
macro_rules! law {
    ($holds:expr, $($breach:tt)*) => {
        if !$holds {
            return Err($crate::law::Breach(format!($($breach)*)));
        }
    };
}

mod graph;
mod lines;
mod rules;
mod walks;

/// Positions examined where a game does not number them: more would take minutes without benefit.
const MOST_IN_LINES: u64 = 100_000;

/// What was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Slices examined.
    pub slices: u32,
    /// Positions examined.
    pub positions: u64,
    /// Moves examined.
    pub moves: u64,
    /// Un-moves examined; 0 for a game without them.
    pub unmoves: u64,
    /// Whether every position of these slices was examined, or only a sample.
    pub exhaustive: bool,
}

/// The law a game breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach(String);

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Breach {}

/// Checks the laws on the given slices and all below them: exhaustively where a slice has at most
/// `sample` numbers, else on that many spread evenly over it.
///
/// Of a game [without databases](crate::Numbering::has_databases) about `sample` positions are
/// checked that random play reaches from the start; their numbers and views are not.
pub fn check<G: Game>(
    game: &G,
    slices: impl IntoIterator<Item = SliceId>,
    sample: u64,
) -> Result<Report, Breach> {
    check_metrics(game)?;
    if !game.has_databases() {
        check_start(game)?;
        return lines::check(game, sample.clamp(1, MOST_IN_LINES));
    }
    let slices: Vec<SliceId> = slices.into_iter().collect();
    for &slice in &slices {
        law!(
            game.has_database(slice),
            "there is no slice {slice} with a database: the last is {}",
            game.largest_slice()
        );
    }
    let mut report = Report { exhaustive: true, ..Report::default() };
    for slice in closure(game, slices) {
        graph::check(game, slice)?;
        Check { game, slice, report: &mut report }.slice(sample.max(1))?;
    }
    check_start(game)?;
    Ok(report)
}

fn check_metrics<G: Game>(game: &G) -> Result<(), Breach> {
    law!(!game.metrics().is_empty(), "the game lists no metric for its tables");
    law!(
        game.has_bounds() || !game.depends_on_history(),
        "the game has tables of bounds, and HAS_BOUNDS is not set"
    );
    law!(
        G::HAS_ZEROING || !game.metrics().iter().any(|metric| metric.counts_to_zeroing()),
        "the game lists a metric that counts to zeroing moves, and HAS_ZEROING is not set"
    );
    Ok(())
}

fn check_start<G: Game>(game: &G) -> Result<(), Breach> {
    let start = game.start();
    let text = game.format(&start);
    law!(
        game.parse(&text).as_ref() == Ok(&start),
        "the start position is written {text:?}, which is not read back as the same"
    );
    Ok(())
}

struct Check<'a, G: Game> {
    game: &'a G,
    slice: SliceId,
    report: &'a mut Report,
}

impl<G: Game> Check<'_, G> {
    fn slice(&mut self, sample: u64) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        let len = game.slice_len(slice);
        let view = game.view(slice);
        law!(
            view.len() == len,
            "the view of slice {slice} has {} positions, not {len}",
            view.len()
        );
        let max = game.max_score(slice);
        law!((0..=127).contains(&max), "scores of slice {slice} reach {max}; 127 is the most");
        law!(
            max <= 1 || game.metrics().iter().all(|metric| metric.is_points()),
            "scores of slice {slice} reach {max}; wdl and distances are for games with 1, 0 and -1"
        );
        self.report.slices += 1;
        let exhaustive = len <= sample;
        self.report.exhaustive &= exhaustive;

        let matrices = game.matrices(slice);
        let mut next = 0;
        for matrix in &matrices {
            law!(
                matrix.first == next,
                "the matrices of slice {slice} continue at {}, not at {next}",
                matrix.first
            );
            next += matrix.rows * matrix.columns;
        }
        law!(next == len, "the matrices of slice {slice} have {next} numbers, not {len}");

        let forward = game.forward(slice);
        let row_moves = game.row_moves(slice);
        let halves = row_moves.as_ref().map(|row_moves| {
            let new = if row_moves.gaps_first() { PitRows::gaps_first } else { PitRows::new };
            new(row_moves.pits(), row_moves.stones())
        });
        // With tables of half the size, as solvers with little memory have them.
        let (bytes, forward_bytes) = (game.view_bytes(slice), game.forward_bytes(slice));
        let limited = (bytes > 0).then(|| game.view_within(slice, bytes / 2));
        let limited_forward =
            (forward_bytes > 0).then(|| game.forward_within(slice, forward_bytes / 2));
        let zeroing = game.zeroing_view(slice);
        law!(
            zeroing.is_none() || game.metrics().contains(&Metric::Dtz),
            "slice {slice} has a view for dtz, and the game does not have that metric"
        );
        let step = if exhaustive { 1 } else { len / sample };
        for index in (0..len).step_by(step as usize) {
            let Some(position) = game.unrank(slice, index) else {
                self.hole(&forward, index)?;
                continue;
            };
            let after = matrices.partition_point(|matrix| matrix.first <= index);
            let IndexMatrix { first, second, rows, columns } = matrices[after - 1];
            let (row, column) = ((index - first) / columns, (index - first) % columns);
            law!(
                game.second_rank(&position) == second + column * rows + row,
                "the matrices of slice {slice} give position {index} another second number"
            );
            self.position(index, &position, zeroing.is_some())?;
            self.forward(&forward, index, &position)?;
            if let Some(limited) = &limited_forward {
                self.forward(limited, index, &position)?;
            }
            if let (Some(row_moves), Some(halves)) = (&row_moves, &halves) {
                self.row_moves(&**row_moves, halves, index, &position)?;
            }
            self.report.positions += 1;
            if self.game.is_acyclic(self.slice) {
                self.acyclic(index)?;
            }
            if game.properties().unmoves {
                self.report.unmoves += self.unmoves(&view, index, &position)?;
                if let Some(limited) = &limited {
                    self.unmoves(limited, index, &position)?;
                }
                self.visits(&view, Metric::Score, index, &position)?;
                if let Some(zeroing) = &zeroing {
                    self.visits(zeroing, Metric::Dtz, index, &position)?;
                }
            }
        }
        for &metric in game.metrics() {
            let own = zeroing.as_ref().filter(|_| metric == Metric::Dtz);
            self.exits(own.unwrap_or(&view), metric, exhaustive)?;
            walks::exits(game, self.slice, own.unwrap_or(&view), metric, exhaustive)?;
        }
        walks::moves(game, self.slice, &forward, exhaustive)?;
        Ok(())
    }

    /// The holes among one number.
    fn holes_at(&self, index: u64) -> Vec<u64> {
        let mut holes = Vec::new();
        self.game.holes(self.slice, index..index + 1, &mut |hole| holes.push(hole));
        holes
    }

    /// A number without a position is a hole for every view.
    fn hole(&self, forward: &G::Forward, index: u64) -> Result<(), Breach> {
        let slice = self.slice;
        law!(
            self.game.is_hole(slice, index) && self.holes_at(index) == [index],
            "number {index} of slice {slice} has no position, and is no hole by is_hole or holes"
        );
        law!(
            self.game.properties().holes,
            "number {index} of slice {slice} has no position, and `holes` is not set"
        );
        law!(
            forward.key_at(&mut Default::default(), index).is_none(),
            "the forward view takes the hole {index} of slice {slice} for a position"
        );
        Ok(())
    }

    /// The moves of a row of boards are the moves of each board.
    fn row_moves(
        &self,
        row_moves: &dyn RowMoves,
        halves: &PitRows,
        index: u64,
        position: &G::Position,
    ) -> Result<(), Breach> {
        let stones = row_moves.stones();
        let others = |held: usize| {
            if halves.has_gaps_first() { halves.with_gap(held) } else { halves.count(held) }
        };
        let block = |own: usize| halves.count(own) * others(stones - own);
        let (mut held, mut rest) = (0, index);
        while rest >= block(held) {
            rest -= block(held);
            held += 1;
        }
        let (mut own, mut other) = (Pits::default(), Pits::default());
        halves.unrank(held, rest / others(stones - held), &mut own);
        halves.unrank(stones - held, rest % others(stones - held), &mut other);
        let mut moves = Vec::new();
        row_moves.moves(&own, &mut moves);
        let mut by_rows = Vec::new();
        for mv in moves {
            if mv.leaves_from(&other) {
                continue;
            }
            let mut next = other;
            for (pit, added) in next.iter_mut().zip(mv.added) {
                *pit += added;
            }
            let held: usize = next.iter().map(|&pit| usize::from(pit)).sum();
            by_rows.push(
                (0..held).map(block).sum::<u64>()
                    + halves.rank(&next) * others(stones - held)
                    + halves.rank(&mv.own),
            );
        }
        let mut by_rules = Vec::new();
        targets_of(self.game, position, |target| {
            if let Target::Inside(index) | Target::Zeroing(index) = target {
                by_rules.push(index);
            }
        });
        by_rows.sort_unstable();
        by_rules.sort_unstable();
        law!(
            by_rows == by_rules,
            "by rows, position {index} of slice {} leads to {by_rows:?}, by the rules to {by_rules:?}",
            self.slice
        );
        Ok(())
    }

    fn position(
        &mut self,
        index: u64,
        position: &G::Position,
        has_zeroing_view: bool,
    ) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        law!(
            game.slice_of(position) == slice,
            "position {index} of slice {slice} belongs to slice {} by slice_of",
            game.slice_of(position)
        );
        law!(
            game.is_indexed(position),
            "position {index} of slice {slice} is not indexed by is_indexed"
        );
        law!(
            !game.is_hole(slice, index) && self.holes_at(index).is_empty(),
            "number {index} of slice {slice} has a position, and is a hole by is_hole or holes"
        );
        let rank = game.rank(position);
        law!(rank == index, "position {index} of slice {slice} is ranked {rank}");
        law!(
            game.canonical(position) == *position,
            "position {index} of slice {slice} is not its own canonical form"
        );
        let second = game.second_rank(position);
        law!(
            second < game.slice_len(slice) && game.second_unrank(slice, second) == Some(*position),
            "the second number of position {index} of slice {slice} leads to another position"
        );
        if !game.properties().holes {
            self.neighbours(index, second, position)?;
        }
        let label = || format!("position {index} of slice {slice}");
        let steps = rules::check(game, position, label)?;
        self.report.moves += steps.len() as u64;
        for step in steps {
            let to = game.slice_of(&step.next);
            law!(
                game.is_indexed(&step.next),
                "a move of position {index} of slice {slice} leads to a position that the index \
                 leaves out"
            );
            law!(
                has_zeroing_view
                    || !(step.zeroes && is_internal(game, slice, &step))
                    || !game.metrics().contains(&Metric::Dtz),
                "a move of position {index} of slice {slice} zeroes and stays there, and the slice \
                 has no view for dtz"
            );
            let canonical = game.canonical(&step.next);
            law!(
                game.properties().symmetric || canonical == step.next,
                "a move of position {index} of slice {slice} leads to {:?}, whose canonical form \
                 is another position, and `symmetric` is not set",
                step.next
            );
            let next = game.rank(&step.next);
            law!(
                next < game.slice_len(to) && game.unrank(to, next) == Some(canonical),
                "a move of position {index} of slice {slice} leads to a position without a number"
            );
            if game.properties().symmetric && canonical != step.next {
                rules::mirrored(game, &step.next, &canonical)?;
            }
        }
        Ok(())
    }

    /// The next position in each numbering is the one that walks in sequence find.
    fn neighbours(&self, index: u64, second: u64, position: &G::Position) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        if let Some(mut stepped) = second.checked_sub(1).and_then(|n| game.second_unrank(slice, n))
        {
            game.second_next(slice, second, &mut stepped);
            law!(
                stepped == *position,
                "the position after second number {} of slice {slice} is not number {second}",
                second - 1
            );
        }
        if let Some(mut stepped) = index.checked_sub(1).and_then(|n| game.unrank(slice, n)) {
            game.next_index(slice, index, &mut stepped);
            law!(
                stepped == *position,
                "the position after number {} of slice {slice} is not number {index}",
                index - 1
            );
        }
        Ok(())
    }

    /// Every un-move is a position with a move to here, and the view finds the same ones.
    fn unmoves(&self, view: &G::View, index: u64, position: &G::Position) -> Result<u64, Breach> {
        let (game, slice) = (self.game, self.slice);
        let mut before = Vec::new();
        game.unmoves(position, &mut before);
        rules::lead_back(game, &before, position, || format!("position {index} of slice {slice}"))?;
        let mut ranks: Vec<u64> = before.iter().map(|earlier| game.rank(earlier)).collect();
        let mut seen = Vec::new();
        let key = view.key_at(&mut Default::default(), index);
        law!(
            view.second_index(key) == game.second_rank(position),
            "the view gives position {index} of slice {slice} another second number than the rules"
        );
        view.predecessors(key, |rank, _| seen.push(rank));
        ranks.sort_unstable();
        if game.properties().symmetric {
            ranks.dedup();
            seen.sort_unstable();
            seen.dedup();
        }
        seen.sort_unstable();
        law!(
            ranks == seen,
            "the view finds other predecessors of position {index} of slice {slice} than the \
             rules: {seen:?}, not {ranks:?}"
        );
        Ok(ranks.len() as u64)
    }

    /// A slice that calls itself acyclic leads back to no position, as far as `LIMIT` positions
    /// show.
    fn acyclic(&self, index: u64) -> Result<(), Breach> {
        const LIMIT: usize = 1000;
        let (game, slice) = (self.game, self.slice);
        let (mut seen, mut open, mut steps) = (Vec::new(), vec![index], Vec::new());
        while let Some(at) = open.pop().filter(|_| seen.len() < LIMIT) {
            let Some(position) = game.unrank(slice, at) else { continue };
            steps.clear();
            game.steps(&position, &mut steps);
            for step in steps.iter().filter(|step| is_internal(game, slice, step)) {
                let next = game.rank(&step.next);
                law!(
                    next != index,
                    "slice {slice} has no cycles by its word, and one through position {index}"
                );
                if !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        Ok(())
    }

    /// Over all its successors, a position is visited as often as it counts internal moves:
    /// otherwise a solver that counts them down would stop too early or never.
    fn visits(
        &self,
        view: &G::View,
        metric: Metric,
        index: u64,
        position: &G::Position,
    ) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        let mut steps = Vec::new();
        let Ok(exits) = exits_of(game, metric, position, &mut steps, &MadeUp { game, metric });
        let mut successors: Vec<u64> = steps
            .iter()
            .filter(|step| is_counted(game, slice, metric, step))
            .map(|step| game.rank(&step.next))
            .collect();
        successors.sort_unstable();
        successors.dedup();
        let mut visits = 0;
        for &next in &successors {
            let key = view.key_at(&mut Default::default(), next);
            let before = visits;
            view.predecessors(key, |rank, _| visits += u32::from(rank == index));
            law!(
                visits > before,
                "in slice {slice} the move from position {index} to {next} has no un-move"
            );
        }
        law!(
            visits == u32::from(exits.internal),
            "position {index} of slice {slice} counts {} internal moves, and un-moves visit it \
             {visits} times",
            exits.internal
        );
        Ok(())
    }

    /// The forward view's successors are the rules' successors.
    fn forward(&self, view: &G::Forward, index: u64, position: &G::Position) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        let (located, key) = view.locate(position);
        let second = game.second_rank(position);
        law!(
            view.position(key) == *position
                && located == index
                && view.index(key) == index
                && view
                    .second_key_at(&mut Default::default(), second)
                    .is_some_and(|key| view.position(key) == *position)
                && view
                    .key_at(&mut Default::default(), index)
                    .is_some_and(|key| view.position(key) == *position),
            "the forward view takes position {index} of slice {slice} for another"
        );
        law!(
            view.outcome(key) == game.outcome(position),
            "the forward view and the rules disagree whether position {index} of slice {slice} is \
             over"
        );
        let (mut seen, mut expected) = (Vec::new(), Vec::new());
        if view.outcome(key).is_none() {
            view.targets(key, |target| seen.push(target));
            targets_of(game, position, |target| expected.push(target));
        }
        law!(
            seen == expected,
            "the forward view finds other successors of position {index} of slice {slice} than \
             the rules: {seen:?}, not {expected:?}"
        );
        let inside: Vec<(u64, bool)> = expected.into_iter().filter_map(Target::inside).collect();
        let second = |next| game.unrank(slice, next).map(|next| game.second_rank(&next));
        let both: Vec<(u64, u64)> =
            inside.iter().map(|&(next, _)| (next, second(next).unwrap_or(u64::MAX))).collect();
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        if view.outcome(key).is_none() {
            view.inside(key, |first| firsts.push(first));
            view.inside_second(key, |second| seconds.push(second));
        }
        let seen: Vec<(u64, u64)> = firsts.iter().copied().zip(seconds.iter().copied()).collect();
        law!(
            firsts.len() == seconds.len() && seen == both,
            "the forward view gives the successors of position {index} of slice {slice} other \
             numbers than the game: {firsts:?} and {seconds:?}, not {both:?}"
        );
        let (mut by_number, mut by_position) = (Vec::new(), inside);
        view.inside_at(&mut Default::default(), index, |next, zeroes| {
            by_number.push((next, zeroes));
        });
        by_position.sort_unstable();
        by_number.sort_unstable();
        law!(
            by_number == by_position,
            "the forward view finds other successors of number {index} of slice {slice} than of \
             its position: {by_number:?}, not {by_position:?}"
        );
        Ok(())
    }

    /// The view's exits are the rules' exits, on made-up scores of the smaller slices.
    fn exits(&self, view: &G::View, metric: Metric, exhaustive: bool) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        let children = MadeUp { game, metric };
        let mut covered = 0;
        let mut steps = Vec::new();
        let mut breach = None;
        // Of a large slice, a few parts spread evenly over it.
        let stride = if exhaustive { 1 } else { view.parts() / 4 + 1 };
        for part in (0..view.parts()).step_by(stride as usize) {
            let Ok(()) = view.exits(metric, part, &children, |start, run| {
                covered += run.len() as u64;
                for (index, exits) in (start..).zip(run) {
                    let expected = match game.unrank(slice, index) {
                        Some(position) => {
                            let Ok(exits) =
                                exits_of(game, metric, &position, &mut steps, &children);
                            exits
                        }
                        None => Exits::HOLE,
                    };
                    let most = game.max_internal_moves(slice);
                    if expected != Exits::TOO_FAR && expected.internal > most {
                        breach.get_or_insert_with(|| {
                            format!(
                                "position {index} of slice {slice} has {} internal moves, more \
                                 than max_internal_moves",
                                expected.internal
                            )
                        });
                    }
                    if *exits != expected && breach.is_none() {
                        breach = Some(format!(
                            "by the view position {index} of slice {slice} has {exits:?}; by \
                             the rules it has {expected:?}"
                        ));
                    }
                }
            });
        }
        if let Some(breach) = breach {
            return Err(Breach(breach));
        }
        law!(
            !exhaustive || covered == view.len(),
            "the parts of the view of slice {slice} cover {covered} positions of {}",
            view.len()
        );
        Ok(())
    }
}

/// Reproducible pseudo-random values; where the game is over, the true ones.
struct MadeUp<'a, G> {
    game: &'a G,
    metric: Metric,
}

impl<G: Game> Children for MadeUp<'_, G> {
    type Error = std::convert::Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let MadeUp { game, metric } = *self;
        let max = u64::from(metric.largest(game.max_score(slice)).unsigned_abs());
        for (index, value) in (start..).zip(out) {
            let mixed = (index ^ u64::from(slice.0) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let random = ((mixed >> 33) % (2 * max + 1)) as i64 - max as i64;
            let over = game.unrank(slice, index).and_then(|position| game.outcome(&position));
            *value = over.map_or(random as i8, |score| metric.over(score) as i8);
        }
        Ok(())
    }
}
