//! What the values of a histogram are.

use crate::{number::signed, svg::clip};

/// What the values of positions are.
#[derive(Clone, Copy)]
pub enum Measure<'a> {
    /// Scores, in a unit that may be empty, such as `stones`.
    Scores(&'a str),
    /// Who wins: -1, 0 and 1.
    Results,
    /// Distances: who wins, and in how many moves of the winner. This tells both of a value, or
    /// nothing for a draw.
    Distances(&'a dyn Fn(i16) -> Option<(bool, u16)>),
}

impl Default for Measure<'_> {
    fn default() -> Self {
        Measure::Scores("")
    }
}

impl std::fmt::Debug for Measure<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Measure::Scores(unit) => f.debug_tuple("Scores").field(unit).finish(),
            Measure::Results => f.write_str("Results"),
            Measure::Distances(_) => f.write_str("Distances"),
        }
    }
}

impl Measure<'_> {
    /// Where a value is on the axis: scores by themselves; distances to the right of draws for wins
    /// and to the left for losses, a loss in 0 moves next to the draws.
    pub fn place(self, value: i32) -> i32 {
        match (self, self.distance(value)) {
            (Measure::Scores(_) | Measure::Results, _) => value,
            (_, None) => 0,
            (_, Some((true, moves))) => i32::from(moves),
            (_, Some((false, moves))) => -i32::from(moves) - 1,
        }
    }

    fn distance(self, value: i32) -> Option<(bool, u16)> {
        match self {
            Measure::Scores(_) | Measure::Results => None,
            Measure::Distances(distance) => i16::try_from(value).ok().and_then(distance),
        }
    }

    /// A value in words.
    pub fn name(self, value: i32) -> String {
        match (self, self.distance(value)) {
            (Measure::Scores(_), _) => signed(value),
            (Measure::Results, _) => result(value).to_owned(),
            (_, None) => "draw".to_owned(),
            (_, Some((true, moves))) => format!("win in {moves}"),
            (_, Some((false, moves))) => format!("loss in {moves}"),
        }
    }

    /// The label of a place.
    pub fn mark(self, place: i32) -> String {
        match (self, place) {
            (Measure::Scores(_), _) => signed(place),
            (Measure::Results, _) => result(place).to_owned(),
            (_, 0) => "draw".to_owned(),
            (_, 1..) => place.to_string(),
            _ => (-place - 1).to_string(),
        }
    }

    /// The title of the axis.
    pub fn title(self) -> String {
        match self {
            Measure::Scores("") => "score for the side to move".to_owned(),
            Measure::Scores(unit) => format!("score for the side to move ({})", clip(unit, 40)),
            Measure::Results => "result for the side to move".to_owned(),
            Measure::Distances(_) => "losses, draws and wins, by the winner's moves".to_owned(),
        }
    }
}

fn result(value: i32) -> &'static str {
    match value {
        0 => "draw",
        1.. => "win",
        _ => "loss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_words() {
        let measure = Measure::Results;
        assert_eq!(
            [-1, 0, 1].map(|value| measure.mark(measure.place(value))),
            ["loss", "draw", "win"]
        );
        assert_eq!(measure.title(), "result for the side to move");
    }

    #[test]
    fn distances_are_next_to_draws_where_they_are_short() {
        // As databases have them: 127 for a win in 1 move, -127 for a loss in 0.
        let distance = |value: i16| match value {
            0 => None,
            1.. => Some((true, (128 - value) as u16)),
            _ => Some((false, (127 + value) as u16)),
        };
        let measure = Measure::Distances(&distance);
        let values = [-125, -127, 0, 127, 118];
        assert_eq!(values.map(|value| measure.place(value)), [-3, -1, 0, 1, 10]);
        assert_eq!(
            values.map(|value| measure.name(value)),
            ["loss in 2", "loss in 0", "draw", "win in 1", "win in 10"]
        );
        assert_eq!(
            values.map(|value| measure.mark(measure.place(value))),
            ["2", "0", "draw", "1", "10"]
        );
    }
}
