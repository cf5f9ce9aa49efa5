//! The laws every game must keep, checked on the game itself.
//!
//! A wrong rank or a missing un-move gives databases that look right and are not; these checks
//! find such mistakes in seconds, before hours are spent.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use crate::combi::Rows;
use crate::{
    Children, Exchange, ForwardView, Game, Pits, SliceId, SliceView, Sowing, Target, exits_of,
    targets_of,
};

/// Returns from the enclosing function with a breach unless the law holds.
macro_rules! law {
    ($holds:expr, $($breach:tt)*) => {
        if !$holds {
            return Err($crate::law::Breach(format!($($breach)*)));
        }
    };
}

mod lines;
mod rules;

/// Positions looked at where a game has no numbers for them: minutes are no use there.
const MOST_IN_LINES: u64 = 100_000;

/// What was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Slices looked at.
    pub slices: u32,
    /// Positions looked at.
    pub positions: u64,
    /// Moves looked at.
    pub moves: u64,
    /// Un-moves looked at; 0 for a game without them.
    pub unmoves: u64,
    /// Whether every position of these slices was looked at, or only a sample.
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

/// Checks the laws on slices `0..=last`: exhaustively where a slice has at most `sample`
/// positions, else on that many spread evenly over it.
///
/// Of a game [without databases](Game::has_databases) about `sample` positions are looked at that
/// random play reaches from the start, whatever `last` says; their numbers and views are not.
pub fn check<G: Game>(game: &G, last: SliceId, sample: u64) -> Result<Report, Breach> {
    law!(
        last <= game.largest_slice(),
        "there is no slice {last}: the last is {}",
        game.largest_slice()
    );
    if !game.has_databases() {
        check_start(game)?;
        return lines::check(game, sample.clamp(1, MOST_IN_LINES));
    }
    let mut report = Report { exhaustive: true, ..Report::default() };
    for slice in (0..=last.0).map(SliceId) {
        Check { game, slice, report: &mut report }.slice(sample.max(1))?;
    }
    check_start(game)?;
    Ok(report)
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
        self.report.slices += 1;
        let exhaustive = len <= sample;
        self.report.exhaustive &= exhaustive;

        let exchanges = game.exchanges(slice);
        let mut next = 0;
        for exchange in &exchanges {
            law!(
                exchange.first == next,
                "the exchanges of slice {slice} go on at {}, not at {next}",
                exchange.first
            );
            next += exchange.rows * exchange.columns;
        }
        law!(next == len, "the exchanges of slice {slice} have {next} positions, not {len}");

        let forward = game.forward(slice);
        let sowing = game.sowing(slice);
        let halves = sowing.as_ref().map(|sowing| Rows::new(sowing.pits(), sowing.stones()));
        // With tables of half the size, as solvers with little memory have them.
        let (bytes, forward_bytes) = (game.view_bytes(slice), game.forward_bytes(slice));
        let limited = (bytes > 0).then(|| game.view_within(slice, bytes / 2));
        let limited_forward =
            (forward_bytes > 0).then(|| game.forward_within(slice, forward_bytes / 2));
        let step = if exhaustive { 1 } else { len / sample };
        let mut internal_edges: HashMap<(u64, u64), u32> = HashMap::new();
        for index in (0..len).step_by(step as usize) {
            let position = game.unrank(slice, index);
            let after = exchanges.partition_point(|exchange| exchange.first <= index);
            let Exchange { first, second, rows, columns } = exchanges[after - 1];
            let (row, column) = ((index - first) / columns, (index - first) % columns);
            law!(
                game.second_rank(&position) == second + column * rows + row,
                "the exchanges of slice {slice} give position {index} another second number"
            );
            self.position(index, &position, &mut internal_edges)?;
            self.forward(&forward, index, &position)?;
            if let Some(limited) = &limited_forward {
                self.forward(limited, index, &position)?;
            }
            if let (Some(sowing), Some(halves)) = (&sowing, &halves) {
                self.sowing(&**sowing, halves, index, &position)?;
            }
            self.report.positions += 1;
            if G::UNMOVES {
                self.report.unmoves += self.unmoves(&view, index, &position)?;
                if let Some(limited) = &limited {
                    self.unmoves(limited, index, &position)?;
                }
            }
        }
        if G::UNMOVES && exhaustive {
            self.duality(internal_edges)?;
        }
        self.exits(&view, exhaustive)
    }

    /// The moves of a row of boards are the moves of each board.
    fn sowing(
        &self,
        sowing: &dyn Sowing,
        halves: &Rows,
        index: u64,
        position: &G::Position,
    ) -> Result<(), Breach> {
        let stones = sowing.stones();
        let block = |own: usize| halves.count(own) * halves.count(stones - own);
        let (mut held, mut rest) = (0, index);
        while rest >= block(held) {
            rest -= block(held);
            held += 1;
        }
        let (mut own, mut other) = (Pits::default(), Pits::default());
        halves.unrank(held, rest / halves.count(stones - held), &mut own);
        halves.unrank(stones - held, rest % halves.count(stones - held), &mut other);
        let mut moves = Vec::new();
        sowing.moves(&own, &mut moves);
        let mut by_rows = Vec::new();
        for mv in moves {
            let left = mv
                .leaves
                .is_some_and(|leaves| leaves.counts >> other[usize::from(leaves.pit)] & 1 == 1);
            if left {
                continue;
            }
            let mut next = other;
            for (pit, added) in next.iter_mut().zip(mv.added) {
                *pit += added;
            }
            let held: usize = next.iter().map(|&pit| usize::from(pit)).sum();
            by_rows.push(
                (0..held).map(block).sum::<u64>()
                    + halves.rank(&next) * halves.count(stones - held)
                    + halves.rank(&mv.own),
            );
        }
        let mut by_rules = Vec::new();
        targets_of(self.game, position, |target| {
            if let Target::Inside(index) = target {
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
        edges: &mut HashMap<(u64, u64), u32>,
    ) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        law!(
            game.slice_of(position) == slice,
            "position {index} of slice {slice} says it belongs to slice {}",
            game.slice_of(position)
        );
        law!(
            game.is_indexed(position),
            "position {index} of slice {slice} is said to have no number"
        );
        let rank = game.rank(position);
        law!(rank == index, "position {index} of slice {slice} is ranked {rank}");
        let second = game.second_rank(position);
        law!(
            second < game.slice_len(slice) && game.second_unrank(slice, second) == *position,
            "the second number of position {index} of slice {slice} leads to another position"
        );
        if second > 0 {
            let mut stepped = game.second_unrank(slice, second - 1);
            game.second_next(slice, second, &mut stepped);
            law!(
                stepped == *position,
                "the position after second number {} of slice {slice} is not number {second}",
                second - 1
            );
        }
        if index > 0 {
            let mut stepped = game.unrank(slice, index - 1);
            game.next_index(slice, index, &mut stepped);
            law!(
                stepped == *position,
                "the position after number {} of slice {slice} is not number {index}",
                index - 1
            );
        }
        let who = || format!("position {index} of slice {slice}");
        let steps = rules::check(game, position, who)?;
        self.report.moves += steps.len() as u64;
        for step in steps {
            let to = game.slice_of(&step.next);
            law!(
                game.is_indexed(&step.next),
                "a move of position {index} of slice {slice} leads to a position that the index \
                 leaves out"
            );
            let next = game.rank(&step.next);
            law!(
                next < game.slice_len(to) && game.unrank(to, next) == step.next,
                "a move of position {index} of slice {slice} leads to a position without a number"
            );
            if to == slice {
                *edges.entry((index, next)).or_default() += 1;
            }
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
        seen.sort_unstable();
        law!(
            ranks == seen,
            "the view finds other predecessors of position {index} of slice {slice} than the \
             rules: {seen:?}, not {ranks:?}"
        );
        Ok(ranks.len() as u64)
    }

    /// Every internal move is found by an un-move, as often as there are such moves.
    fn duality(&self, mut edges: HashMap<(u64, u64), u32>) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        let mut before = Vec::new();
        for index in 0..game.slice_len(slice) {
            before.clear();
            game.unmoves(&game.unrank(slice, index), &mut before);
            for earlier in &before {
                let edge = (game.rank(earlier), index);
                let left = edges.get_mut(&edge).filter(|left| **left > 0);
                law!(
                    left.is_some(),
                    "in slice {slice} more un-moves than moves join position {} to {index}",
                    edge.0
                );
                *left.expect("just looked at") -= 1;
            }
        }
        if let Some(((from, to), _)) = edges.into_iter().find(|(_, left)| *left > 0) {
            return Err(Breach(format!(
                "in slice {slice} the move from position {from} to {to} has no un-move"
            )));
        }
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
                && view.position(view.second_key_at(&mut Default::default(), second)) == *position,
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
        let mut inside = Vec::new();
        for target in expected {
            if let Target::Inside(next) = target {
                inside.push((next, game.second_rank(&game.unrank(slice, next))));
            }
        }
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        if view.outcome(key).is_none() {
            view.inside(key, |first| firsts.push(first));
            view.inside_second(key, |second| seconds.push(second));
        }
        let seen: Vec<(u64, u64)> = firsts.iter().copied().zip(seconds.iter().copied()).collect();
        law!(
            firsts.len() == seconds.len() && seen == inside,
            "the forward view gives the successors of position {index} of slice {slice} other \
             numbers than the game: {firsts:?} and {seconds:?}, not {inside:?}"
        );
        Ok(())
    }

    /// The view's exits are the rules' exits, on made-up scores of the smaller slices.
    fn exits(&self, view: &G::View, exhaustive: bool) -> Result<(), Breach> {
        let (game, slice) = (self.game, self.slice);
        let children = MadeUp(game);
        let mut covered = 0;
        let mut moves = Vec::new();
        let mut breach = None;
        // Of a large slice, a few parts spread evenly over it.
        let stride = if exhaustive { 1 } else { view.parts() / 4 + 1 };
        for part in (0..view.parts()).step_by(stride as usize) {
            let Ok(()) = view.exits(part, &children, |start, run| {
                covered += run.len() as u64;
                for (index, exits) in (start..).zip(run) {
                    let position = game.unrank(slice, index);
                    let Ok(expected) = exits_of(game, &position, &mut moves, &children);
                    if *exits != expected && breach.is_none() {
                        breach = Some(format!(
                            "the view says position {index} of slice {slice} has {exits:?}; by \
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

/// Scores that look random and are always the same; where the game is over, the true ones.
struct MadeUp<'a, G>(&'a G);

impl<G: Game> Children for MadeUp<'_, G> {
    type Error = std::convert::Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let max = u64::from(self.0.max_score(slice).unsigned_abs());
        for (index, score) in (start..).zip(out) {
            let mixed = (index ^ u64::from(slice.0) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let random = ((mixed >> 33) % (2 * max + 1)) as i64 - max as i64;
            let over = self.0.outcome(&self.0.unrank(slice, index));
            *score = over.map_or(random as i8, |score| score as i8);
        }
        Ok(())
    }
}
