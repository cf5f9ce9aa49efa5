//! How a span of time is written.

use std::fmt::Write;
use std::time::Duration;

use thiserror::Error;

/// Milliseconds.
pub(crate) const SECOND: u64 = 1_000;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The longest time: sums of such times do not overflow.
const LONGEST: u64 = 1_000 * DAY;

/// Why a text is not a time.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0:?} is not a time; write 0.5s, 250ms, 2m or 1m30s")]
pub struct TimeError(String);

impl TimeError {
    /// The error about a text, which may also be a time that is not allowed where it stands.
    pub fn new(text: &str) -> Self {
        TimeError(nutcracker_game::shortened(text))
    }
}

/// Reads a time: numbers with the units `ms`, `s`, `m`, `h` and `d`, or a number of seconds.
///
/// Zero is a time; the caller decides whether it makes sense.
///
/// ```
/// use std::time::Duration;
/// use nutcracker_engine::parse_time;
///
/// assert_eq!(parse_time("1m30s"), Ok(Duration::from_secs(90)));
/// assert_eq!(parse_time("250ms"), Ok(Duration::from_millis(250)));
/// assert_eq!(parse_time("0.5"), Ok(Duration::from_millis(500)));
/// assert!(parse_time("soon").is_err());
/// ```
pub fn parse_time(text: &str) -> Result<Duration, TimeError> {
    let millis = match number(text) {
        Some(number) => Some(number * SECOND as f64),
        None => with_units(text),
    };
    millis.and_then(from_millis).ok_or_else(|| TimeError::new(text))
}

/// A number without sign or exponent.
pub(crate) fn number(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

/// This number of milliseconds as a time; `None` if it is too long.
pub(crate) fn from_millis(millis: f64) -> Option<Duration> {
    (millis <= LONGEST as f64).then(|| Duration::from_millis(millis.round() as u64))
}

/// Milliseconds of numbers, each with its unit.
fn with_units(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let (amount, after) = rest.split_at(digits);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (name, after) = after.split_at(letters);
        let unit = match name {
            "ms" => 1,
            "s" => SECOND,
            "m" => MINUTE,
            "h" => HOUR,
            "d" => DAY,
            _ => return None,
        };
        sum += number(amount)? * unit as f64;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

/// A time as text: `1m30s`, `0.25s`.
pub(crate) fn time_text(time: Duration) -> String {
    let mut millis = time.as_millis() as u64;
    let mut text = String::new();
    for (unit, name) in [(DAY, 'd'), (HOUR, 'h'), (MINUTE, 'm')] {
        if millis >= unit {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{}{name}", millis / unit);
            millis %= unit;
        }
    }
    if millis > 0 || text.is_empty() {
        let _ = write!(text, "{}s", millis as f64 / SECOND as f64);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        for (text, millis) in
            [("0", 0), ("2h", 2 * HOUR), ("1d1ms", DAY + 1), ("1.5m", 90_000), ("1000d", LONGEST)]
        {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", " 2h", "s", "5x", "1s1", "-1s", "1e3", "1:30", "1.5.2s", "NaN", "inf", "1001d"]
        {
            let error = parse_time(text).expect_err(text);
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
