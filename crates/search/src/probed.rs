//! What databases know of a position: the score, with a distance where they count moves, or a bound
//! where they are clipped to a window.

use nutcracker_game::{Game, Metric, Score, upper_bound};
use nutcracker_table::{ErrorKind, Reach, TableError, TableSet};

use crate::Worth;
use crate::table_oracle::metric_of;

/// The answer of the databases to a position.
///
/// This is the way to look a position up: it knows positions that no database numbers, and
/// distinguishes a score from the edge of a window, which a bare byte of a table does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed {
    /// What the position is worth.
    pub worth: Worth,
    /// What scores of the same database are clipped to, if they are: within it, moves beyond the
    /// window cannot be distinguished.
    window: Option<Score>,
}

impl Probed {
    /// A score that is known.
    pub fn exact(score: Score) -> Self {
        Probed { worth: Worth::exact(score), window: None }
    }

    /// The value of a position in the best database of its slice; where the database leaves it out
    /// because no move leads to it, the value by those of its moves.
    pub fn probe<G: Game>(
        game: &G,
        set: &TableSet,
        position: &G::Position,
    ) -> Result<Self, TableError> {
        if let Some(score) = game.outcome(position).filter(|_| !game.is_indexed(position)) {
            return Ok(Self::exact(score));
        }
        if !game.is_indexed(position) {
            let mut steps = Vec::new();
            game.steps(position, &mut steps);
            let moves: Result<Vec<Worth>, TableError> = steps
                .iter()
                .map(|step| Ok(Self::probe(game, set, &step.next)?.worth.through(step)))
                .collect();
            return Ok(Probed { worth: Worth::best(&moves?), window: None });
        }
        let table = set.get(game.slice_of(position).0)?;
        let metric = metric_of(&table)?;
        let byte = set.value(&table, game.rank(position))?;
        let score = Score::from(byte);
        let worth = match table.is_clipped(byte) {
            _ if metric == Metric::Forced => {
                let upper = upper_bound(game, position, &mut |next| {
                    let table = set.get(game.slice_of(next).0)?;
                    set.value(&table, game.rank(next)).map(Score::from)
                })?;
                Worth::between(score, upper)
            }
            false => Worth::by(metric, score),
            true if score > 0 => Worth::at_least(score),
            true => Worth::at_most(score),
        };
        let window = match table.header().reach {
            Reach::Exact => None,
            Reach::Within(window) => Some(window.get().into()),
        };
        let worth = Worth { unchecked: !table.is_checked(), ..worth };
        Ok(Probed { worth, window })
    }

    /// What databases say of any position of the game; `None` where they are not here. One that no
    /// database can have is worth what its moves are where these all lead to positions that databases
    /// have: in chess, where the next move ends a right to castle.
    pub fn find<G: Game>(
        game: &G,
        set: &TableSet,
        position: &G::Position,
    ) -> Result<Option<Self>, TableError> {
        let probe = |position: &G::Position| match Self::probe(game, set, position) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == ErrorKind::NotHere => Ok(None),
            Err(error) => Err(error),
        };
        if game.has_database(game.slice_of(position)) {
            return probe(position);
        }
        if let Some(score) = game.outcome(position) {
            return Ok(Some(Self::exact(score)));
        }
        let (mut steps, mut moves) = (Vec::new(), Vec::new());
        game.steps(position, &mut steps);
        for step in &steps {
            if !game.has_database(game.slice_of(&step.next)) {
                return Ok(None);
            }
            match probe(&step.next)? {
                Some(found) => moves.push(found.worth.through(step)),
                None => return Ok(None),
            }
        }
        Ok(Some(Worth::best(&moves).into()))
    }

    /// Whether a move worth that is as good as this position's value, as far as its database
    /// distinguishes scores: with distances, a win that takes longer is not as good, nor is a loss
    /// that comes sooner. `None` where the database does not tell.
    pub fn is_reached_by(self, mv: Worth) -> Option<bool> {
        if let Some((distance, its)) = self.worth.distance.zip(mv.distance)
            && distance.metric == its.metric
        {
            let same = self.worth.score() == mv.score();
            return if same { its.is_that_of(distance) } else { Some(false) };
        }
        let Some((score, mv)) = self.worth.proven().zip(mv.proven()) else { return Some(false) };
        Some(match self.window {
            None => mv == score,
            Some(window) => mv.clamp(-window, window) == score,
        })
    }

    /// Of moves with what they are worth and whether they are [known to be best](Self::is_reached_by),
    /// the place of the one that must be, where that follows from the others.
    pub fn only_one_left(
        self,
        moves: impl Iterator<Item = (Option<Worth>, Option<bool>)>,
    ) -> Option<usize> {
        self.worth.distance?;
        let mut left = moves.enumerate().filter(|(_, (_, best))| *best != Some(false));
        match (left.next(), left.next()) {
            (Some((place, (Some(_), None))), None) => Some(place),
            _ => None,
        }
    }
}

impl From<Worth> for Probed {
    /// What a database without bounds says.
    fn from(worth: Worth) -> Self {
        Probed { worth, window: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_beyond_the_window_reach_it() {
        let won = Probed { worth: Worth::at_least(2), window: Some(2) };
        for (score, reaches) in [(5, true), (2, true), (1, false)] {
            assert_eq!(won.is_reached_by(Worth::exact(score)), Some(reaches));
        }
        let drawn = Probed { worth: Worth::exact(0), window: Some(2) };
        for (score, reaches) in [(0, true), (-3, false)] {
            assert_eq!(drawn.is_reached_by(Worth::exact(score)), Some(reaches));
        }
    }
}
