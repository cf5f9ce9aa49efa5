//! Numbers formatted for people.

const UNITS: [(u128, &str); 7] = [
    (1, ""),
    (1_000, "thousand"),
    (1_000_000, "million"),
    (1_000_000_000, "billion"),
    (1_000_000_000_000, "trillion"),
    (1_000_000_000_000_000, "quadrillion"),
    (1_000_000_000_000_000_000, "quintillion"),
];

/// `1234567` as `1,234,567`.
pub fn grouped(value: u128) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// In full below a million, from there on three digits and a word: `7.73 million`.
pub fn brief(value: u128) -> String {
    if value < 1_000_000 {
        return grouped(value);
    }
    for &(unit, name) in &UNITS[2..] {
        let scaled = value as f64 / unit as f64;
        if scaled < 9.995 {
            return format!("{scaled:.2} {name}");
        } else if scaled < 99.95 {
            return format!("{scaled:.1} {name}");
        } else if scaled < 999.5 {
            return format!("{scaled:.0} {name}");
        }
    }
    grouped(value)
}

/// `count` and its noun: `1 slice`, `2 slices`.
pub fn counted(count: u128, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A score with its sign, and a true minus.
pub fn signed(score: i32) -> String {
    match score {
        0 => "0".into(),
        1.. => format!("+{score}"),
        _ => format!("\u{2212}{}", score.unsigned_abs()),
    }
}

/// A mean with its sign and two decimals.
pub fn signed_mean(mean: f64) -> String {
    let digits = format!("{:.2}", mean.abs());
    match mean {
        _ if digits == "0.00" => digits,
        _ if mean < 0.0 => format!("\u{2212}{digits}"),
        _ => format!("+{digits}"),
    }
}

/// A share in per cent. Only 0 is formatted as 0.0%, and only everything as 100.0%.
pub fn share(part: u128, total: u128) -> String {
    if total == 0 {
        return "\u{2013}".into();
    }
    match (part * 1000 + total / 2) / total {
        0 if part > 0 => "<0.1%".into(),
        1000 if part < total => ">99.9%".into(),
        permille => format!("{}.{}%", permille / 10, permille % 10),
    }
}

/// The ticks of a linear axis from 0.
#[derive(Debug, PartialEq, Eq)]
pub struct Ticks {
    /// The values of the ticks.
    pub at: Vec<u128>,
    /// Their labels.
    pub labels: Vec<String>,
    /// The unit of the labels: `millions`, or nothing.
    pub unit: String,
}

/// At most six steps of 1, 2 or 5 times a power of ten up to `max`.
pub fn ticks(max: u128) -> Ticks {
    let step = round_step(max, 6);
    let at: Vec<u128> = (0..=max / step).map(|i| i * step).collect();
    // Four digits are still easy to read.
    let &(unit, name) = match max {
        0..10_000 => &UNITS[0],
        _ => UNITS.iter().rev().find(|(unit, _)| max >= *unit).unwrap_or(&UNITS[0]),
    };
    // Fewer than seven steps reach `max`, and `max` the unit: one decimal is enough.
    let labels = at.iter().map(|&value| match (unit, step < unit) {
        (1, _) => grouped(value),
        (_, true) => format!("{}.{}", value / unit, value % unit * 10 / unit),
        (_, false) => grouped(value / unit),
    });
    Ticks {
        labels: labels.collect(),
        at,
        unit: if name.is_empty() { String::new() } else { format!("{name}s") },
    }
}

/// A number of points with its sign, at most two decimals, and a true minus: `+4`, `−0.5`, `0`.
pub fn signed_points(points: f64) -> String {
    match crate::svg::number(points) {
        text if text == "0" => text,
        text => match text.strip_prefix('-') {
            Some(digits) => format!("\u{2212}{digits}"),
            None => format!("+{text}"),
        },
    }
}

/// The least 1, 2 or 5 times a power of ten that is not below a step.
pub fn round_fraction(step: f64) -> f64 {
    let power = 10_f64.powi(step.log10().floor() as i32);
    let found = [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|&round| round >= step);
    found.unwrap_or(10.0 * power)
}

/// The least 1, 2 or 5 times a power of ten of which at most `steps` go into `max`.
pub fn round_step(max: u128, steps: u128) -> u128 {
    let mut power = 1;
    loop {
        if let Some(step) = [power, 2 * power, 5 * power].into_iter().find(|s| max / s <= steps) {
            return step;
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(889_063_398_405), "889,063,398,405");
    }

    #[test]
    fn brief_keeps_three_digits() {
        assert_eq!(brief(999_999), "999,999");
        assert_eq!(brief(7_726_160), "7.73 million");
        assert_eq!(brief(99_960_000), "100 million");
        assert_eq!(brief(999_999_999), "1.00 billion");
        assert_eq!(brief(u128::from(u64::MAX)), "18.4 quintillion");
    }

    #[test]
    fn shares_never_round_to_none_or_all() {
        assert_eq!(share(1, 3), "33.3%");
        assert_eq!(share(0, 3), "0.0%");
        assert_eq!(share(3, 3), "100.0%");
        assert_eq!(share(1, 1_000_000), "<0.1%");
        assert_eq!(share(999_999, 1_000_000), ">99.9%");
        assert_eq!(share(0, 0), "\u{2013}");
    }

    #[test]
    fn signs() {
        assert_eq!([signed(-3), signed(0), signed(3)], ["\u{2212}3", "0", "+3"]);
        assert_eq!(signed_mean(-0.001), "0.00");
        assert_eq!(signed_mean(-0.5), "\u{2212}0.50");
        assert_eq!(signed_mean(1.255), "+1.25");
        assert_eq!(
            [4.0, -0.5, -0.001, 0.126].map(signed_points),
            ["+4", "\u{2212}0.5", "0", "+0.13"]
        );
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0).labels, ["0"]);
        assert_eq!(ticks(7).labels, ["0", "2", "4", "6"]);
        assert_eq!(ticks(9_000).labels, ["0", "2,000", "4,000", "6,000", "8,000"]);
        let millions = ticks(1_077_291);
        assert_eq!(millions.labels, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(millions.unit, "millions");
        assert_eq!(ticks(352_716).labels, ["0", "100", "200", "300"]);
        for exponent in 0..30 {
            for lead in 1..100 {
                let max = lead * 10_u128.pow(exponent);
                let found = ticks(max);
                assert!((2..=7).contains(&found.at.len()), "{max}: {found:?}");
                let mut distinct = found.labels.clone();
                distinct.dedup();
                assert_eq!(distinct, found.labels, "{max}");
            }
        }
    }

    #[test]
    fn steps_are_round() {
        let steps = [0.3, 1.0, 5.5, 0.02].map(|step| crate::svg::number(round_fraction(step)));
        assert_eq!(steps, ["0.5", "1", "10", "0.02"]);
        assert_eq!(round_step(0, 6), 1);
        assert_eq!(round_step(15, 15), 1);
        assert_eq!(round_step(48, 15), 5);
        assert_eq!(round_step(32_768, 8), 5_000);
    }
}
