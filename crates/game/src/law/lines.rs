//! The laws of a game whose positions have no numbers, along random lines of play.

use std::collections::HashSet;

use super::{Breach, Report, rules};
use crate::{Game, Situation};

/// The longest line: games that repeat positions would never end.
const LONGEST: u32 = 1_000;

/// Examines about `sample` positions.
pub(super) fn check<G: Game>(game: &G, sample: u64) -> Result<Report, Breach> {
    let mut report = Report::default();
    let mut slices = HashSet::new();
    let mut random = 1u64;
    while report.positions < sample {
        let mut situation = game.start();
        for _ in 0..LONGEST {
            slices.insert(game.slice_of(&situation.position));
            let steps = position(game, &situation, &mut report)?;
            if steps.is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let step = steps[((random >> 33) % steps.len() as u64) as usize];
            situation = game.advance(&situation, &step);
        }
    }
    report.slices = slices.len() as u32;
    Ok(report)
}

fn position<G: Game>(
    game: &G,
    situation: &Situation<G::Position>,
    report: &mut Report,
) -> Result<Vec<crate::Step<G::Position>>, Breach> {
    let position = &situation.position;
    let slice = game.slice_of(position);
    let label = || format!("position {:?}", game.format(situation));
    let max = game.max_score(slice);
    law!((0..=127).contains(&max), "scores of slice {slice} reach {max}; 127 is the most");
    let steps = rules::check(game, position, label)?;
    report.positions += 1;
    report.moves += steps.len() as u64;
    if game.properties().unmoves {
        let mut before = Vec::new();
        game.unmoves(position, &mut before);
        report.unmoves += before.len() as u64;
        rules::lead_back(game, &before, position, label)?;
        for step in steps.iter().filter(|step| game.slice_of(&step.next) == slice) {
            before.clear();
            game.unmoves(&step.next, &mut before);
            law!(before.contains(position), "a move of {} has no un-move", label());
        }
    }
    Ok(steps)
}
