//! A recogniser compared with every position of a finished database.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};

use nutcracker_game::{Game, Metric, Recognised, SliceId, WinDistance};

use crate::Oracle;
use crate::player::PlayerError;

/// Wrong claims that are kept as examples.
const EXAMPLES: usize = 10;

/// What a recogniser said of positions, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recognition {
    /// Drawn positions.
    pub draws: Answers,
    /// Wins and losses of the side to move, by the winner's moves.
    pub decided: BTreeMap<WinDistance, Answers>,
    /// The first positions of which it said something wrong, by their numbers.
    pub examples: Vec<(u64, Recognised)>,
}

/// What a recogniser said of positions that have the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Right, the number of moves included.
    pub right: u64,
    /// Nothing.
    pub open: u64,
    /// Wrong.
    pub wrong: u64,
}

impl Answers {
    /// All positions.
    pub fn positions(&self) -> u64 {
        self.right + self.open + self.wrong
    }
}

impl AddAssign for Answers {
    fn add_assign(&mut self, more: Answers) {
        self.right += more.right;
        self.open += more.open;
        self.wrong += more.wrong;
    }
}

impl Recognition {
    /// Compares what `recognise` says of the positions with these numbers with their values in a
    /// database that counts moves to the end of the game. `None` where there is no such database.
    pub fn measure<G: Game, O: Oracle>(
        game: &G,
        oracle: &O,
        slice: SliceId,
        range: Range<u64>,
        recognise: &dyn Fn(&G::Position) -> Recognised,
        advance: &mut dyn FnMut(u64),
    ) -> Result<Option<Self>, PlayerError<O::Error>> {
        const STEP: u64 = 1 << 16;
        let metric = oracle.metric(slice).map_err(PlayerError::Oracle)?;
        if !oracle.covers(slice) || metric != Metric::Dtw {
            return Ok(None);
        }
        let mut found = Recognition::default();
        for index in range.clone() {
            if (index - range.start) % STEP == STEP - 1 {
                advance(STEP);
            }
            let Some(position) = game.unrank(slice, index) else { continue };
            let value = oracle.value(slice, index).map_err(PlayerError::Oracle)?;
            found.add(index, metric.distance(value), recognise(&position));
        }
        Ok(Some(found))
    }

    /// All wins of the side to move, or all losses.
    pub fn all(&self, wins: bool) -> Answers {
        let mut sum = Answers::default();
        for (_, &answers) in self.decided.iter().filter(|(distance, _)| distance.wins == wins) {
            sum += answers;
        }
        sum
    }

    fn add(&mut self, index: u64, truth: Option<WinDistance>, said: Recognised) {
        let answers = match truth {
            None => &mut self.draws,
            Some(distance) => self.decided.entry(distance).or_default(),
        };
        let is_right = match said {
            Recognised::Unknown => {
                answers.open += 1;
                return;
            }
            Recognised::Draw => truth.is_none(),
            Recognised::Decided(distance) => truth == Some(distance),
        };
        if is_right {
            answers.right += 1;
            return;
        }
        answers.wrong += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push((index, said));
        }
    }
}
