//! Walks of a view: every number once, with the exits and the moves of the rules.

use super::{Breach, MadeUp};
use crate::{Exits, ForwardView, Game, Metric, SliceId, SliceView, Target, exits_of, targets_of};

/// How often numbers are visited.
struct Visits(Vec<u8>);

impl Visits {
    fn new(len: u64, exhaustive: bool) -> Self {
        Visits(if exhaustive { vec![0; len as usize] } else { Vec::new() })
    }

    fn add(&mut self, index: u64) {
        if let Some(visits) = self.0.get_mut(index as usize) {
            *visits = visits.saturating_add(1);
        }
    }

    /// The first number that was not visited as often as it should be.
    fn wrong(&self, should: impl Fn(u64) -> u8) -> Option<u64> {
        (0..).zip(&self.0).find(|&(index, &visits)| visits != should(index)).map(|(index, _)| index)
    }
}

/// Of many walks, a few spread evenly.
fn chosen(walks: u64, exhaustive: bool) -> impl Iterator<Item = u64> {
    (0..walks).step_by(if exhaustive { 1 } else { walks / 2 + 1 } as usize)
}

/// The exits of walks are those of the rules, on made-up values of smaller slices.
pub(super) fn exits<G: Game>(
    game: &G,
    slice: SliceId,
    view: &G::View,
    metric: Metric,
    exhaustive: bool,
) -> Result<(), Breach> {
    let children = MadeUp { game, metric };
    let mut visits = Visits::new(view.len(), exhaustive && view.walks() > 0);
    let (mut steps, mut breach) = (Vec::new(), None);
    for walk in chosen(view.walks(), exhaustive) {
        let Ok(()) = view.walk_exits(metric, walk, &children, |index, exits| {
            visits.add(index);
            let expected = match game.unrank(slice, index) {
                Some(position) => {
                    let Ok(exits) = exits_of(game, metric, &position, &mut steps, &children);
                    exits
                }
                None => Exits::HOLE,
            };
            if exits != expected && breach.is_none() {
                breach = Some(format!(
                    "by walk {walk} position {index} of slice {slice} has {exits:?}; by the rules \
                     it has {expected:?}"
                ));
            }
        });
    }
    match (breach, visits.wrong(|_| 1)) {
        (Some(breach), _) => Err(Breach(breach)),
        (None, Some(index)) => Err(Breach(format!(
            "the walks of slice {slice} do not have the exits of number {index} once"
        ))),
        (None, None) => Ok(()),
    }
}

/// The moves of walks are those of the rules.
pub(super) fn moves<G: Game>(
    game: &G,
    slice: SliceId,
    view: &G::Forward,
    exhaustive: bool,
) -> Result<(), Breach> {
    let mut visits = Visits::new(game.slice_len(slice), exhaustive && view.walks() > 0);
    let mut breach = None;
    for walk in chosen(view.walks(), exhaustive) {
        view.walk(walk, |index, outcome, targets| {
            visits.add(index);
            let right = game.unrank(slice, index).is_some_and(|position| {
                let mut expected = Vec::new();
                if outcome.is_none() {
                    targets_of(game, &position, |target| expected.push(target));
                }
                outcome == game.outcome(&position) && sorted(targets) == sorted(&expected)
            });
            if !right && breach.is_none() {
                breach = Some(format!(
                    "walk {walk} finds other moves of position {index} of slice {slice} than the \
                     rules: {targets:?}"
                ));
            }
        });
    }
    match (breach, visits.wrong(|index| u8::from(!game.is_hole(slice, index)))) {
        (Some(breach), _) => Err(Breach(breach)),
        (None, Some(index)) => Err(Breach(format!(
            "the walks of slice {slice} do not visit number {index} as they should"
        ))),
        (None, None) => Ok(()),
    }
}

/// Targets in an order of their own.
fn sorted(targets: &[Target]) -> Vec<Target> {
    let mut targets = targets.to_vec();
    targets.sort_unstable_by_key(|target| match *target {
        Target::Inside(index) => (0, 0, index),
        Target::Zeroing(index) => (1, 0, index),
        Target::Outside { slice, index, .. } => (2, slice.0, index),
    });
    targets
}
