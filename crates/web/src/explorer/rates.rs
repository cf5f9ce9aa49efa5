//! How often a player of a level errs, where databases count moves.

use std::sync::PoisonError;

use nutcracker_any::AnyPosition;
use nutcracker_game::{Numbering, Rules, Side, Situation};
use nutcracker_search::player::{Fallible, Level, part_of};
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ExplorerError;
use super::{Budget, Explorer};

/// What rates depend on: the part of a slice that a game begins in, by its slice and first number,
/// whether the player is to move there, and its level.
pub(super) type Beginning = (u32, u64, bool, Level);

/// How often a player of a level errs, by its model.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorRates {
    /// The level.
    #[schema(example = "3")]
    pub level: String,
    /// The side that it plays.
    #[schema(example = "White")]
    pub side: &'static str,
    /// The slice that the game begins in, in words.
    #[schema(example = "slice krk")]
    pub slice: String,
    /// The chance that a move of it is not the best; nothing where databases do not count moves.
    #[schema(example = 0.5244, minimum = 0, maximum = 1)]
    pub not_best: Option<f64>,
    /// The chance that a move of it gives the result away.
    #[schema(example = 0.0289, minimum = 0, maximum = 1)]
    pub gives_away: Option<f64>,
}

impl Explorer {
    /// How often a player of a level errs from a position on: on average over the positions with it to
    /// move that can follow. It plays the `side` of this name, or the one that is to move.
    pub fn error_rates(
        &self,
        text: &str,
        side: Option<&str>,
        level: Level,
        budget: &Budget,
    ) -> Result<ErrorRates, ExplorerError> {
        let start = self.parse(text)?;
        let side = side.map_or(Ok(start.mover), |name| self.side_named(name))?;
        let rates = self.rates(&start, side, level, budget)?;
        // Enough digits that a percentage is rounded as the number itself would be.
        let rate = |place: usize| rates.map(|rates| (1e7 * rates[place]).round() / 1e7);
        Ok(ErrorRates {
            level: level.to_string(),
            side: self.game.side_name(side),
            slice: self.game.slice_label(self.game.slice_of(&start.position)),
            not_best: rate(0),
            gives_away: rate(1),
        })
    }

    fn rates(
        &self,
        start: &Situation<AnyPosition>,
        side: Side,
        level: Level,
        budget: &Budget,
    ) -> Result<Option<[f64; 2]>, ExplorerError> {
        let Some((slice, numbers)) = part_of(&self.game, &start.position) else { return Ok(None) };
        let begins = start.mover == side;
        let key: Beginning = (slice.0, numbers.start, begins, level);
        let here = self.databases();
        let known = || here.rates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rates) = known().get(&key) {
            return Ok(*rates);
        }
        let fallible = Fallible::new(&self.game, level);
        let over = || budget.is_over();
        let rates = self.perfect()?.error_rates_from(&start.position, begins, &fallible, &over);
        let rates = rates.map_err(|error| self.player_error(error))?;
        if budget.is_over() {
            return Err(ExplorerError::TimedOut(
                "too many positions can follow for the time allowed; try a smaller ending",
            ));
        }
        known().insert(key, rates);
        Ok(rates)
    }

    fn side_named(&self, name: &str) -> Result<Side, ExplorerError> {
        let sides = [Side::First, Side::Second];
        sides.into_iter().find(|&side| self.game.side_name(side) == name).ok_or_else(|| {
            let [first, second] = sides.map(|side| self.game.side_name(side));
            let game = self.game.id().name;
            ExplorerError::Request(format!("the sides of {game} are {first} and {second}"))
        })
    }
}
