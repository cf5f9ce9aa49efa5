//! The JSON form of what a position is worth.

use nutcracker_game::Score;
use serde::{Serialize, Serializer};

use super::Worth;

/// What a position is worth to the side to move from here on; what is not known is left out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Form {
    /// One number for charts and comparisons: the score, else the guess, else a bound.
    #[serde(serialize_with = "points")]
    #[cfg_attr(feature = "schema", schema(value_type = f64))]
    points: i32,
    /// Whether the score is known.
    exact: bool,
    /// Proven: the score is this or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Score>,
    /// Proven: the score is this or less.
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Score>,
    /// A guess, in points.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe_points")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<f64>))]
    guess: Option<i32>,
    /// How many moves of the winner a win or loss takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Distance>,
    /// `false` where it rests on a database that was not checked; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<bool>,
    /// For people: `+3`, `≥ 10`, `~+1.25, ≥ 0`, `win in 13`.
    text: String,
}

/// How many moves of the winner a win or loss takes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Distance {
    /// Moves of the winner.
    moves: u16,
    /// To the end of the game (`dtw`) or to the next conversion (`dtc`).
    metric: &'static str,
    /// `true` where it may be one more; else left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    or_one_more: bool,
}

/// Hundredths as points; whole numbers are written as such.
fn points<S: Serializer>(hundredths: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    match hundredths % 100 {
        0 => serializer.serialize_i32(hundredths / 100),
        _ => serializer.serialize_f64(f64::from(*hundredths) / 100.0),
    }
}

#[expect(clippy::ref_option, reason = "serde passes it so")]
fn maybe_points<S: Serializer>(guess: &Option<i32>, serializer: S) -> Result<S::Ok, S::Error> {
    points(&guess.unwrap_or(0), serializer)
}

impl Serialize for Worth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let distance = self.distance;
        Form {
            points: self.hundredths(),
            exact: self.is_exact(),
            lower: self.lower,
            upper: self.upper,
            guess: self.guess,
            distance: distance.map(|d| Distance {
                moves: d.moves,
                metric: d.metric.name(),
                or_one_more: d.or_one_more,
            }),
            checked: self.unchecked.then_some(false),
            text: self.to_string(),
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
mod schema {
    use utoipa::openapi::{RefOr, schema::Schema};
    use utoipa::{PartialSchema, ToSchema};

    use super::{Form, Worth};

    impl PartialSchema for Worth {
        fn schema() -> RefOr<Schema> {
            Form::schema()
        }
    }

    impl ToSchema for Worth {
        fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
            Form::schemas(schemas);
        }
    }
}
