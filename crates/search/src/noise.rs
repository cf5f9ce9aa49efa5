//! What minimax does with values that are not quite right, after Sadikov, Bratko and Kononenko: a
//! perfect table of distances is corrupted, backed up, and compared with the truth.

use std::ops::Range;

use nutcracker_game::{Game, Random, SliceId};

use crate::Oracle;
use crate::player::PlayerError;

/// How wrong backed-up values are, in moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The plies that were backed up.
    pub depth: u32,
    /// The root of the mean square of the errors.
    pub deviation: f64,
    /// By how much values are too small on average: too optimistic for the winner.
    pub bias: f64,
    /// The deviation that is left without the bias.
    pub unbiased: f64,
}

/// The losses of a side to move: their distances, and where two plies lead.
#[derive(Clone, Debug)]
pub struct Losses {
    /// In how many moves each is lost.
    moves: Vec<f64>,
    /// For each of them, the places in `replies` of what its moves lead to; none where it is mated.
    steps: Vec<Range<usize>>,
    /// For each move of the loser, the places in `moves` that a reply of the winner leads to; the others
    /// give the win away.
    replies: Vec<Vec<u32>>,
}

impl Losses {
    /// The positions of a slice with these numbers that are lost for the side to move. `None` where
    /// databases do not count moves, or where a win leads out of the slice.
    pub fn new<G: Game, O: Oracle>(
        game: &G,
        oracle: &O,
        slice: SliceId,
        range: Range<u64>,
    ) -> Result<Option<Self>, PlayerError<O::Error>> {
        let metric = oracle.metric(slice).map_err(PlayerError::Oracle)?;
        if !oracle.covers(slice) || !metric.counts_down() {
            return Ok(None);
        }
        let (mut moves, mut positions) = (Vec::new(), Vec::new());
        let mut places = vec![u32::MAX; (range.end - range.start) as usize];
        for index in range.clone() {
            let Some(position) = game.unrank(slice, index) else { continue };
            let value = oracle.value(slice, index).map_err(PlayerError::Oracle)?;
            if let Some(distance) = metric.distance(value).filter(|distance| !distance.wins) {
                places[(index - range.start) as usize] = moves.len() as u32;
                moves.push(f64::from(distance.moves));
                positions.push(position);
            }
        }
        let mut losses = Losses { moves, steps: Vec::new(), replies: Vec::new() };
        let (mut steps, mut answers) = (Vec::new(), Vec::new());
        for position in positions {
            let start = losses.replies.len();
            steps.clear();
            game.steps(&position, &mut steps);
            for step in &steps {
                answers.clear();
                game.steps(&step.next, &mut answers);
                let place = |next: &G::Position| {
                    let inside = game.slice_of(next) == slice && game.is_indexed(next);
                    let index = inside.then(|| game.rank(next))?.checked_sub(range.start)?;
                    places.get(index as usize).copied().filter(|&place| place != u32::MAX)
                };
                let won: Vec<u32> =
                    answers.iter().filter_map(|answer| place(&answer.next)).collect();
                if won.is_empty() {
                    return Ok(None);
                }
                losses.replies.push(won);
            }
            losses.steps.push(start..losses.replies.len());
        }
        Ok(Some(losses))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Adds noise of a standard deviation to every distance, backs the values up two plies at a time,
    /// and says how wrong they are at every depth up to this one. Draws are known, mates are not.
    pub fn errors(&self, deviation: f64, depth: u32, random: &mut Random) -> Vec<Error> {
        let first: Vec<f64> =
            self.moves.iter().map(|moves| moves + deviation * gaussian(random)).collect();
        let mut values = first.clone();
        let mut found = vec![self.error(0, &values)];
        for depth in (2..=depth).step_by(2) {
            let best = |replies: &Vec<u32>| {
                replies.iter().map(|&place| values[place as usize]).fold(f64::INFINITY, f64::min)
            };
            let replies: Vec<f64> = self.replies.iter().map(best).collect();
            let next = self.steps.iter().zip(&first).map(|(steps, &first)| {
                let all = replies[steps.clone()].iter().copied().filter(|value| value.is_finite());
                let worst = all.fold(f64::NEG_INFINITY, f64::max);
                // Mated: there is nothing to back up. Else the winner has made a move.
                if worst.is_finite() { worst + 1.0 } else { first }
            });
            values = next.collect();
            found.push(self.error(depth, &values));
        }
        found
    }

    fn error(&self, depth: u32, values: &[f64]) -> Error {
        let n = values.len().max(1) as f64;
        let too_small = || self.moves.iter().zip(values).map(|(moves, value)| moves - value);
        let bias = too_small().sum::<f64>() / n;
        let square = too_small().map(|error| error * error).sum::<f64>() / n;
        let unbiased = too_small().map(|error| (error - bias).powi(2)).sum::<f64>() / n;
        Error { depth, deviation: square.sqrt(), bias, unbiased: unbiased.sqrt() }
    }
}

/// A number of the standard normal distribution.
fn gaussian(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}
