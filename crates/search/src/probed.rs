//! A score as a database tells it: exact, or on the edge of a window and so only a bound.

use nutcracker_game::{Game, Score, Step, Turn};
use nutcracker_table::{Reach, TableError, TableSet};

/// How much a number says of the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is the score.
    Exact,
    /// The score is this or more.
    AtLeast,
    /// The score is this or less.
    AtMost,
}

impl Kind {
    /// For programs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::AtLeast => "at-least",
            Kind::AtMost => "at-most",
        }
    }

    /// As the other side sees it.
    fn flipped(self) -> Self {
        match self {
            Kind::Exact => Kind::Exact,
            Kind::AtLeast => Kind::AtMost,
            Kind::AtMost => Kind::AtLeast,
        }
    }
}

/// What databases know of a score. Unlike a [`Value`](crate::Value), it remembers the window of
/// its database, within which moves cannot be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The number.
    pub score: Score,
    /// What it says.
    pub kind: Kind,
    /// What scores of the same database are clipped to, if they are.
    window: Option<Score>,
}

impl Probed {
    /// A score that is known.
    pub fn exact(score: Score) -> Self {
        Probed { score, kind: Kind::Exact, window: None }
    }

    /// What the best database of its slice says of a position; where the database leaves it out
    /// because no move leads to it, what those of its moves say.
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
            let values: Result<Vec<Self>, TableError> = steps
                .iter()
                .map(|step| Ok(Self::probe(game, set, &step.next)?.through(step)))
                .collect();
            return Ok(Self::best(&values?));
        }
        let table = set.get(game.slice_of(position).0)?;
        let score = set.cache().probe(&table, game.rank(position))?;
        let kind = match table.is_clipped(score) {
            false => Kind::Exact,
            true if score > 0 => Kind::AtLeast,
            true => Kind::AtMost,
        };
        let window = match table.header().reach {
            Reach::Exact => None,
            Reach::Within(window) => Some(window.get().into()),
        };
        Ok(Probed { score: score.into(), kind, window })
    }

    /// The value of a move to its mover when the next position has this one.
    #[must_use]
    pub fn through<P>(self, step: &Step<P>) -> Self {
        let kind = if step.turn == Turn::Passes { self.kind.flipped() } else { self.kind };
        Probed { score: step.value(self.score), kind, window: None }
    }

    /// What is known of a position whose moves have these values, of which there is one at least.
    fn best(moves: &[Probed]) -> Self {
        let most = |kinds: [Kind; 2]| {
            moves.iter().filter(|mv| kinds.contains(&mv.kind)).map(|mv| mv.score).max()
        };
        let sure = most([Kind::Exact, Kind::AtLeast]);
        let possible = most([Kind::Exact, Kind::AtMost]);
        let unbounded = moves.iter().any(|mv| mv.kind == Kind::AtLeast);
        match (sure, possible) {
            (Some(sure), _) if unbounded => {
                Probed { score: sure, kind: Kind::AtLeast, window: None }
            }
            (Some(sure), Some(possible)) if sure >= possible => Self::exact(sure),
            (_, possible) => {
                Probed { score: possible.unwrap_or(0), kind: Kind::AtMost, window: None }
            }
        }
    }

    /// Whether it is known.
    pub fn is_exact(self) -> bool {
        self.kind == Kind::Exact
    }

    /// Whether a move of that value is as good as this position's, as far as its database tells
    /// scores apart.
    pub fn is_reached_by(self, mv: Probed) -> bool {
        match self.window {
            None => mv.score == self.score,
            Some(window) => mv.score.clamp(-window, window) == self.score,
        }
    }

    /// For people: `+3`, `0`, `≥ 10`, `≤ -10`.
    pub fn text(self) -> String {
        match (self.kind, self.score) {
            (Kind::AtLeast, score) => format!("≥ {score}"),
            (Kind::AtMost, score) => format!("≤ {score}"),
            (Kind::Exact, 0) => "0".to_owned(),
            (Kind::Exact, score) => format!("{score:+}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_turns_with_the_turn() {
        let lost = Probed { score: -4, kind: Kind::AtMost, window: Some(4) };
        let won = lost.through(&Step::new((), 2, Turn::Passes));
        assert_eq!((won.text(), won.kind.name()), ("≥ 6".to_owned(), "at-least"));
        let again = lost.through(&Step::new((), 1, Turn::Stays));
        assert_eq!((again.text(), again.kind.name()), ("≤ -3".to_owned(), "at-most"));
        let known = Probed::exact(-4).through(&Step::quiet(()));
        assert_eq!((known.text(), known.is_exact()), ("+4".to_owned(), true));
    }

    #[test]
    fn the_best_move_says_what_is_known() {
        let of = |score, kind| Probed { score, kind, window: None };
        let exact = Probed::exact;
        assert_eq!(Probed::best(&[exact(-1), exact(2)]), exact(2));
        assert_eq!(Probed::best(&[of(-3, Kind::AtMost), exact(2)]), exact(2));
        assert_eq!(Probed::best(&[of(4, Kind::AtLeast), exact(2)]), of(4, Kind::AtLeast));
        assert_eq!(Probed::best(&[of(-4, Kind::AtMost), exact(-5)]), of(-4, Kind::AtMost));
    }

    #[test]
    fn moves_beyond_the_window_reach_it() {
        let won = Probed { score: 2, kind: Kind::AtLeast, window: Some(2) };
        assert!(won.is_reached_by(Probed::exact(5)) && won.is_reached_by(Probed::exact(2)));
        assert!(!won.is_reached_by(Probed::exact(1)));
        let drawn = Probed { score: 0, kind: Kind::Exact, window: Some(2) };
        assert!(drawn.is_reached_by(Probed::exact(0)) && !drawn.is_reached_by(Probed::exact(-3)));
    }
}
