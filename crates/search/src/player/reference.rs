//! The reference player of endgames, after Haworth and Andrist: it knows how far away every win and
//! loss is, and errs to a degree.

use nutcracker_game::{Metric, Random, Score};

/// What a move leads to, for its mover, where databases count moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Prospect {
    /// A win after which the winner needs this many moves more.
    Win(u16),
    /// A draw.
    Draw,
    /// A loss in this many moves of the opponent.
    Loss(u16),
}

impl Prospect {
    /// What a move worth `value` to its mover leads to.
    pub fn of(metric: Metric, value: Score) -> Self {
        match metric.distance(value) {
            None => Prospect::Draw,
            Some(distance) if distance.wins => Prospect::Win(distance.moves.saturating_sub(1)),
            Some(distance) => Prospect::Loss(distance.moves),
        }
    }

    /// Larger is better: wins that are near, draws, losses that are far away.
    pub(super) fn order(self) -> i32 {
        const FAR: i32 = 1 << 17;
        match self {
            Prospect::Win(moves) => FAR - i32::from(moves),
            Prospect::Draw => 0,
            Prospect::Loss(moves) => i32::from(moves) - FAR,
        }
    }

    /// The best of several.
    fn best(moves: &[Prospect]) -> Option<Prospect> {
        moves.iter().copied().max_by_key(|mv| mv.order())
    }

    /// Whether none of these is better.
    pub(super) fn is_best_of(self, moves: &[Prospect]) -> bool {
        Prospect::best(moves).is_none_or(|best| best == self)
    }

    /// Whether it is a win.
    pub fn wins(self) -> bool {
        matches!(self, Prospect::Win(_))
    }

    /// 1, 0 or -1.
    pub fn result(self) -> i32 {
        self.order().signum()
    }
}

/// A player that chooses a move with a probability proportional to `S(prospect)`, where
///
/// - `S(win, d) = (d + 1)^-c`,
/// - `S(draw) = S(win, n) = S(loss, m)` with `n` and `m` beyond the farthest win and loss,
/// - `S(loss, d)` is proportional to `(d + 1)^c`.
///
/// Its competence `c` is 0 for blind play; the larger it is, the rarer are errors, large ones above
/// all; infinite, there are none.
///
/// ```
/// use nutcracker_search::player::{Prospect, Reference};
///
/// let moves = [Prospect::Win(1), Prospect::Win(3), Prospect::Draw];
/// let chances = Reference::new(2.0, [7, 7]).probabilities(&moves);
/// assert!((chances[0] / chances[1] - 4.0).abs() < 1e-9);
/// // A draw is as a win in eight.
/// assert!((chances[0] / chances[2] - 20.25).abs() < 1e-9);
/// assert_eq!(Reference::new(f64::INFINITY, [7, 7]).probabilities(&moves), [1.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reference {
    competence: f64,
    /// The logarithms of `n + 1` and `m + 1`.
    beyond: [f64; 2],
}

/// The logarithm of a distance as it is weighed.
fn log(moves: u16) -> f64 {
    (f64::from(moves) + 1.0).ln()
}

impl Reference {
    /// The player of this competence, at least 0, where no win and no loss is farther away than
    /// `farthest`.
    pub fn new(competence: f64, farthest: [u16; 2]) -> Self {
        let beyond = farthest.map(|moves| log(moves.saturating_add(1)));
        Reference { competence: competence.max(0.0), beyond }
    }

    /// The competence.
    pub fn competence(&self) -> f64 {
        self.competence
    }

    /// The logarithm of the weight of a move, divided by the competence.
    fn exponent(&self, prospect: Prospect) -> f64 {
        match prospect {
            Prospect::Win(moves) => -log(moves),
            Prospect::Draw => -self.beyond[0],
            Prospect::Loss(moves) => log(moves) - self.beyond[0] - self.beyond[1],
        }
    }

    /// The weight of a move beside that of the best, which is 1.
    pub(super) fn weight(&self, prospect: Prospect, best: Prospect) -> f64 {
        // Compared before it is raised: one to an infinite power is not one everywhere.
        if prospect == best {
            return 1.0;
        }
        (self.competence * (self.exponent(prospect) - self.exponent(best))).exp()
    }

    /// The probability of each move, by what it leads to.
    pub fn probabilities(&self, moves: &[Prospect]) -> Vec<f64> {
        let Some(best) = Prospect::best(moves) else { return Vec::new() };
        let weights: Vec<f64> = moves.iter().map(|&mv| self.weight(mv, best)).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// The place of the move it chooses; `None` where there is none.
    pub fn choose(&self, moves: &[Prospect], random: &mut Random) -> Option<usize> {
        let mut left = random.unit();
        for (place, chance) in self.probabilities(moves).into_iter().enumerate() {
            left -= chance;
            if left < 0.0 {
                return Some(place);
            }
        }
        // Rounding has left a little over.
        (0..moves.len()).max_by_key(|&place| moves[place].order())
    }
}

/// Tells the competence of a player by its moves: how likely each of many competences is, after every
/// move in which there was a choice.
///
/// ```
/// use nutcracker_search::player::{Analyser, Prospect};
///
/// let mut analyser = Analyser::new(50, [31, 3]);
/// assert!((analyser.competence() - 25.0).abs() < 1e-9);
/// for _ in 0..20 {
///     analyser.observe(&[Prospect::Win(4), Prospect::Win(5)], Prospect::Win(4));
/// }
/// assert!(analyser.competence() > 30.0);
/// ```
#[derive(Clone, Debug)]
pub struct Analyser {
    players: Vec<Reference>,
    /// The logarithm of how likely each is, but for a summand.
    beliefs: Vec<f64>,
}

impl Analyser {
    /// Competences 0, 1 and so on up to `most`, all equally likely at first.
    pub fn new(most: u16, farthest: [u16; 2]) -> Self {
        let players = (0..=most).map(|c| Reference::new(c.into(), farthest)).collect();
        Analyser { players, beliefs: vec![0.0; usize::from(most) + 1] }
    }

    /// Learns from a move: what all moves lead to, and what the chosen one does.
    pub fn observe(&mut self, moves: &[Prospect], chosen: Prospect) {
        for (player, belief) in self.players.iter().zip(&mut self.beliefs) {
            let chances = player.probabilities(moves);
            let to: f64 =
                moves.iter().zip(chances).filter(|(mv, _)| **mv == chosen).map(|m| m.1).sum();
            *belief += to.max(f64::MIN_POSITIVE).ln();
        }
    }

    /// The competence that is to be expected.
    pub fn competence(&self) -> f64 {
        let most = self.beliefs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely = self.beliefs.iter().map(|belief| (belief - most).exp());
        let (mut sum, mut mean) = (0.0, 0.0);
        for (player, likely) in self.players.iter().zip(likely) {
            sum += likely;
            mean += likely * player.competence();
        }
        mean / sum
    }
}
