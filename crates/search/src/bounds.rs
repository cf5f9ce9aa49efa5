//! The score of a position by questions to a proof search.

use nutcracker_game::{Game, Score};
use nutcracker_proof::Goal;

use crate::dfpn::Prover;
use crate::{Oracle, SearchError};

impl<G: Game, O: Oracle> Prover<'_, G, O> {
    /// Narrows the bounds of a position's score until they meet or a limit is reached, by questions
    /// "at least k?" that begin at a guess. Calls `asks` with k before each of them.
    ///
    /// The lower bound is one that was decided with yes, the upper one is one less than what was
    /// decided with no, unless they are the bounds that every position of the slice keeps.
    ///
    /// ```
    /// use nutcracker_game::Rules;
    /// use nutcracker_games::kalah::Kalah;
    /// use nutcracker_search::{Empty, ExactLimits, Prover};
    ///
    /// let kalah = Kalah::new(3, 2, false)?;
    /// let start = kalah.start().position;
    /// let mut prover = Prover::new(&kalah, &Empty, ExactLimits::default());
    /// assert_eq!(prover.bounds(&start, 0, |_| ())?, (4, 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds(
        &mut self,
        position: &G::Position,
        guess: Score,
        mut asks: impl FnMut(Score),
    ) -> Result<(Score, Score), SearchError<O::Error>> {
        let max = self.game.max_score(self.game.slice_of(position));
        let (mut lower, mut upper) = (-max, max);
        let (mut ask, mut step): (Score, Score) = (guess, 1);
        let mut last = None;
        while lower < upper {
            ask = ask.clamp(lower + 1, upper);
            asks(ask);
            let Some(yes) = self.decide(position, Goal::AtLeast(ask))? else { break };
            // As long as the answers are the same, the guess was far off: the steps grow.
            step = if last == Some(yes) { step.saturating_mul(2) } else { 1 };
            last = Some(yes);
            if yes {
                lower = ask;
                ask = lower.saturating_add(step);
            } else {
                upper = ask - 1;
                ask = upper.saturating_add(1).saturating_sub(step);
            }
        }
        Ok((lower, upper))
    }
}
