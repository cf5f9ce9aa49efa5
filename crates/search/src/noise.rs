//! What minimax does with values that are not quite right, after Sadikov, Bratko and Kononenko: a
//! perfect table of distances is corrupted, backed up, and compared with the truth.

use std::ops::Range;

use nutcracker_game::{Game, Random, SliceId};

use crate::Oracle;
use crate::player::PlayerError;

/// What was measured of values that are backed up by some plies; in moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The plies that were backed up.
    pub depth: u32,
    /// The root of the mean square of the errors.
    pub deviation: f64,
    /// By how much values are too small on average: too optimistic for the winner.
    pub bias: f64,
    /// The deviation that is left without the bias.
    pub unbiased: f64,
    /// How the winner plays by these values, where that was asked for.
    pub play: Option<Play>,
}

/// Games from every position, in which the winner follows the values and the loser never errs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// The winner's moves above the least, on average. A game that is given up after [`GIVE_UP`] moves
    /// counts as one of that length.
    pub excess: f64,
    /// The share of games that were won before they were given up.
    pub won: f64,
}

/// The winner's moves after which a game is given up.
pub const GIVE_UP: u32 = 50;

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
    /// and measures them at every depth up to this one; with `play`, games by them, too. Draws are
    /// known, mates are not.
    pub fn measure(
        &self,
        deviation: f64,
        depth: u32,
        play: bool,
        random: &mut Random,
    ) -> Vec<Level> {
        let first: Vec<f64> =
            self.moves.iter().map(|moves| moves + deviation * gaussian(random)).collect();
        let best_defence = if play { self.best_defence() } else { Vec::new() };
        let level = |depth: u32, values: &[f64]| Level {
            play: play.then(|| self.play(values, &best_defence)),
            ..self.level(depth, values)
        };
        let mut values = first.clone();
        let mut found = vec![level(0, &values)];
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
            found.push(level(depth, &values));
        }
        found
    }

    fn level(&self, depth: u32, values: &[f64]) -> Level {
        let n = values.len().max(1) as f64;
        let too_small = || self.moves.iter().zip(values).map(|(moves, value)| moves - value);
        let bias = too_small().sum::<f64>() / n;
        let square = too_small().map(|error| error * error).sum::<f64>() / n;
        let unbiased = too_small().map(|error| (error - bias).powi(2)).sum::<f64>() / n;
        Level { depth, deviation: square.sqrt(), bias, unbiased: unbiased.sqrt(), play: None }
    }

    /// For each position, the place in `replies` of a move that holds out longest; the length of
    /// `replies` where it is mated.
    fn best_defence(&self) -> Vec<usize> {
        let nearest = |place: &usize| {
            let replies = self.replies[*place].iter().map(|&reply| self.moves[reply as usize]);
            replies.fold(f64::INFINITY, f64::min)
        };
        let longest = |steps: &Range<usize>| {
            let best = steps.clone().max_by(|a, b| nearest(a).total_cmp(&nearest(b)));
            best.unwrap_or(self.replies.len())
        };
        self.steps.iter().map(longest).collect()
    }

    /// A game from every position. The winner moves to the position with the least value that has not
    /// occurred in the game; where all have, the game is given up.
    fn play(&self, values: &[f64], best_defence: &[usize]) -> Play {
        let mut seen = vec![usize::MAX; values.len()];
        let (mut excess, mut won) = (0.0, 0_usize);
        for start in 0..values.len() {
            let (mut at, mut moves) = (start, 0);
            let is_won = loop {
                seen[at] = start;
                let Some(replies) = self.replies.get(best_defence[at]) else { break true };
                let replies = replies.iter().map(|&reply| reply as usize);
                let new = replies.filter(|&reply| seen[reply] != start);
                let Some(next) = new.min_by(|&a, &b| values[a].total_cmp(&values[b])) else {
                    break false;
                };
                if moves == GIVE_UP {
                    break false;
                }
                moves += 1;
                at = next;
            };
            let length = if is_won { moves } else { GIVE_UP };
            excess += f64::from(length) - self.moves[start];
            won += usize::from(is_won);
        }
        let games = values.len().max(1) as f64;
        Play { excess: excess / games, won: won as f64 / games }
    }
}

/// The least correlation of deviations and biases that move together.
pub const TOGETHER: f64 = 0.9;

/// From which depth on deviation and bias move together: over it and all further depths, of which
/// there have to be four, they are correlated, and so from every further depth.
pub fn together_from(levels: &[Level]) -> Option<u32> {
    let tails = (0..levels.len().saturating_sub(3)).rev().map(|start| &levels[start..]);
    let together = tails.take_while(|levels| correlation(levels) >= TOGETHER);
    together.last().map(|levels| levels[0].depth)
}

/// Pearson's correlation of deviation and bias over some depths.
fn correlation(levels: &[Level]) -> f64 {
    let mean = |of: fn(&Level) -> f64| levels.iter().map(of).sum::<f64>() / levels.len() as f64;
    let (deviation, bias) = (mean(|level| level.deviation), mean(|level| level.bias));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        levels.iter().map(|level| of(level.deviation - deviation, level.bias - bias)).sum()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

/// A number of the standard normal distribution.
fn gaussian(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}
