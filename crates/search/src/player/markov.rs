//! What becomes of wins in the hands of a reference player: a Markov model over the distances of a
//! class, and games that it plays.

use nutcracker_game::{Game, Random, Step};

use super::distance::values_of_steps;
use super::{Analyser, PlayerError, Prospect, Reference, SlicePart};
use crate::Oracle;

/// How a reference player gets on with wins, against an opponent that never errs.
///
/// The chances are averages over all positions of a distance, each as likely as any other. Moves that
/// give the win away are left out of them, and counted apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The player's competence.
    pub competence: f64,
    /// For each distance up to the farthest, how many positions are won in it.
    pub positions: Vec<u64>,
    /// The chance to be at each distance after a move, by the distance before it; row 0 is empty.
    pub chances: Vec<Vec<f64>>,
    /// For each distance, the chance that a move gives the win away, were it not left out.
    pub gives_away: Vec<f64>,
}

impl Chain {
    fn empty(competence: f64) -> Self {
        Chain {
            competence,
            positions: vec![0; STATES],
            chances: vec![vec![0.0; STATES]; STATES],
            gives_away: vec![0.0; STATES],
        }
    }

    /// Leaves out the distances beyond the farthest that occurs.
    fn trim(&mut self) {
        let occurs = |&distance: &usize| {
            let reached = self.chances.iter().any(|row| row[distance] > 0.0);
            reached || self.positions[distance] > 0
        };
        let states = (0..STATES).rev().find(occurs).map_or(1, |farthest| farthest + 1);
        self.positions.truncate(states);
        self.gives_away.truncate(states);
        self.chances.truncate(states);
        self.chances.iter_mut().for_each(|row| row.truncate(states));
    }

    /// A distance that moves lead to and no position has, so that nothing is known of what comes after
    /// it; `None` where the model is complete.
    pub fn unknown(&self) -> Option<usize> {
        let reached = |distance: &usize| self.chances.iter().any(|row| row[*distance] > 0.0);
        (1..self.positions.len()).filter(|&d| self.positions[d] == 0).find(reached)
    }

    /// The moves that the player is expected to need, for each distance.
    pub fn expected_moves(&self) -> Vec<f64> {
        // Each is one move, and what is expected of wherever that leads: linear equations.
        let n = self.chances.len();
        let mut rows: Vec<Vec<f64>> = (1..n)
            .map(|from| {
                let chance = |to: usize| self.chances[from].get(to).copied().unwrap_or(0.0);
                let mut row: Vec<f64> =
                    (1..n).map(|to| f64::from(u8::from(to == from)) - chance(to)).collect();
                row.push(1.0);
                row
            })
            .collect();
        solve(&mut rows);
        std::iter::once(0.0).chain(rows.iter().map(|row| row[n - 1])).collect()
    }

    /// The chance to have won within some moves, for each distance.
    pub fn won_within(&self, moves: u32) -> Vec<f64> {
        let mut won = vec![0.0; self.chances.len()];
        won[0] = 1.0;
        for _ in 0..moves {
            let after =
                |row: &Vec<f64>| row.iter().zip(&won).map(|(chance, won)| chance * won).sum();
            let next: Vec<f64> = self.chances.iter().skip(1).map(after).collect();
            won.splice(1.., next);
        }
        won
    }

    /// The chance that a move gives a win away, over all positions.
    pub fn error_rate(&self) -> f64 {
        let total: u64 = self.positions.iter().sum();
        let errs = self.positions.iter().zip(&self.gives_away);
        errs.map(|(&count, chance)| count as f64 * chance).sum::<f64>() / total.max(1) as f64
    }
}

/// Solves linear equations, each with its right side last, which becomes the solution.
fn solve(rows: &mut [Vec<f64>]) {
    for column in 0..rows.len() {
        let largest = (column..rows.len())
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .unwrap_or(column);
        rows.swap(column, largest);
        let pivot: Vec<f64> = rows[column].iter().map(|x| x / rows[column][column]).collect();
        for row in rows.iter_mut() {
            let factor = row[column];
            for (x, above) in row.iter_mut().zip(&pivot) {
                *x -= factor * above;
            }
        }
        rows[column] = pivot;
    }
}

/// The largest distance that databases hold, and 0.
const STATES: usize = 128;

/// The model of reference players of some competences, from the wins of the mover in these parts, which
/// are all that its count leads through: see [`reached`](super::reached). `farthest` is how far away a
/// win and a loss are at most there, and `advance` is told how many positions were examined. A position
/// counts as often as it has mirror images. `None` where databases do not count moves.
pub fn survey<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    class: &[SlicePart],
    (competences, farthest): (&[f64], [u16; 2]),
    advance: &mut dyn FnMut(u64),
) -> Result<Option<Vec<Chain>>, PlayerError<O::Error>> {
    const CHUNK: u64 = 1 << 14;
    let players: Vec<Reference> =
        competences.iter().map(|&competence| Reference::new(competence, farthest)).collect();
    let mut chains: Vec<Chain> = competences.iter().map(|&c| Chain::empty(c)).collect();
    let (mut steps, mut counts, mut others) = (Vec::new(), vec![0_u32; STATES], Vec::new());
    let mut totals = vec![0.0; STATES];
    for (slice, index) in class.iter().flat_map(|(slice, all)| all.clone().map(|i| (*slice, i))) {
        if index % CHUNK == 0 {
            advance(CHUNK);
        }
        if !oracle.covers(slice) {
            return Ok(None);
        }
        let metric = oracle.metric(slice).map_err(PlayerError::Oracle)?;
        if !metric.counts_down() {
            return Ok(None);
        }
        let value = oracle.value(slice, index).map_err(PlayerError::Oracle)?;
        let Some(before) = metric.distance(value).filter(|distance| distance.wins) else {
            continue;
        };
        let Some(position) = game.unrank(slice, index) else { continue };
        if game.outcome(&position).is_some() {
            continue;
        }
        steps.clear();
        game.steps(&position, &mut steps);
        let Some(values) = values_of_steps(game, oracle, metric, &steps)? else { return Ok(None) };
        let weight = f64::from(game.images(&position));
        counts.fill(0);
        others.clear();
        for value in values {
            match Prospect::of(metric, value) {
                Prospect::Win(moves) => counts[usize::from(moves)] += 1,
                other => others.push(other),
            }
        }
        let reached: Vec<(usize, f64)> = counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(moves, &count)| (moves, count.into()))
            .collect();
        // A win has a move that comes nearer.
        let best = Prospect::Win(before.moves - 1);
        let before = usize::from(before.moves);
        totals[before] += weight;
        for (chain, player) in chains.iter_mut().zip(&players) {
            let weigh = |&(moves, count): &(usize, f64)| {
                (moves, count * player.weight(Prospect::Win(moves as u16), best))
            };
            let weights: Vec<(usize, f64)> = reached.iter().map(weigh).collect();
            let winning: f64 = weights.iter().map(|(_, share)| share).sum();
            let losing: f64 = others.iter().map(|&other| player.weight(other, best)).sum();
            chain.positions[before] += 1;
            chain.gives_away[before] += weight * losing / (winning + losing);
            for (moves, share) in weights {
                chain.chances[before][moves] += weight * share / winning;
            }
        }
    }
    for chain in &mut chains {
        for (distance, total) in totals.iter().enumerate().filter(|(_, total)| **total > 0.0) {
            chain.gives_away[distance] /= total;
            chain.chances[distance].iter_mut().for_each(|chance| *chance /= total);
        }
        chain.trim();
    }
    Ok(Some(chains))
}

/// Lets a reference player that gives no win away win a position against an opponent that holds out
/// as long as it can, at random among equal moves: the number of its moves, and what an analyser
/// thinks of it. `None` where the position is not won, or not in databases that count moves.
pub fn play_out<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    start: &G::Position,
    player: &Reference,
    analyser: &mut Analyser,
    random: &mut Random,
) -> Result<Option<u32>, PlayerError<O::Error>> {
    let mut position = *start;
    let (mut moves, mut steps) = (0, Vec::<Step<G::Position>>::new());
    loop {
        let slice = game.slice_of(&position);
        let metric = oracle.metric(slice).map_err(PlayerError::Oracle)?;
        steps.clear();
        game.steps(&position, &mut steps);
        let Some(values) = values_of_steps(game, oracle, metric, &steps)? else { return Ok(None) };
        let won: Vec<(usize, Prospect)> = values
            .iter()
            .map(|&value| Prospect::of(metric, value))
            .enumerate()
            .filter(|(_, prospect)| prospect.wins())
            .collect();
        let prospects: Vec<Prospect> = won.iter().map(|&(_, prospect)| prospect).collect();
        let Some(place) = player.choose(&prospects, random) else { return Ok(None) };
        analyser.observe(&prospects, prospects[place]);
        moves += 1;
        if prospects[place] == Prospect::Win(0) {
            return Ok(Some(moves));
        }
        position = steps[won[place].0].next;
        steps.clear();
        game.steps(&position, &mut steps);
        let Some(values) = values_of_steps(game, oracle, metric, &steps)? else { return Ok(None) };
        let best = values.iter().max().copied();
        let equal: Vec<usize> = (0..values.len()).filter(|&i| Some(values[i]) == best).collect();
        position = steps[equal[random.below(equal.len() as u64) as usize]].next;
    }
}
