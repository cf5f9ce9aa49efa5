//! Numbers as people read them.

/// `7726160` as `7,726,160`.
pub fn thousands(number: u64) -> String {
    nutcracker_draw::grouped(number.into())
}

/// A number of things: `1 position`, `7,726 positions`.
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", thousands(number))
}

/// A size: `3.1 MiB`.
pub fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(amount < 100.0);
    format!("{amount:.digits$} {}", units[unit])
}

/// A time in its two largest units: `0.4 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        ..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        3_600..86_400 => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
        _ => format!("{} d {} h", whole / 86_400, whole % 86_400 / 3_600),
    }
}

/// A time that may be short: `80 us`, `3.2 ms`.
pub fn short_duration(seconds: f64) -> String {
    match seconds {
        0.0 => "0".to_owned(),
        ..1e-3 => format!("{:.0} us", seconds * 1e6),
        ..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => duration(seconds),
    }
}

/// The rate of a network in bits a second, from bytes: `10 Gbit/s`.
pub fn network(bytes: f64) -> String {
    let (rate, unit) = match bytes * 8.0 {
        bits @ 1e9.. => (bits / 1e9, "Gbit/s"),
        bits => (bits / 1e6, "Mbit/s"),
    };
    format!("{} {unit}", (rate * 1e3).round() / 1e3)
}

/// A time that is only a guess.
pub fn about(seconds: f64) -> String {
    if seconds < 1.0 { "less than 1 s".to_owned() } else { format!("about {}", duration(seconds)) }
}

/// Positions a second: `12.3 M/s`.
pub fn rate(positions: f64, seconds: f64) -> String {
    let rate = positions / seconds.max(1e-6);
    match rate {
        1e6.. => format!("{:.1} M/s", rate / 1e6),
        1e3.. => format!("{:.0} k/s", rate / 1e3),
        _ => format!("{rate:.0} /s"),
    }
}

/// A share: `41.9%`, `-` of nothing.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1}%", 100.0 * part as f64 / whole as f64)
}

/// A score or mean with its sign.
pub fn signed(mean: f64) -> String {
    // No minus sign in front of what is rounded to zero.
    let rounded = (mean * 1000.0).round() / 1000.0;
    if rounded == 0.0 { "0.000".to_owned() } else { format!("{rounded:+.3}") }
}

/// A number for programs: without a fraction where there is none.
pub fn json(number: f64) -> serde_json::Value {
    if number.fract() == 0.0 { (number as i64).into() } else { number.into() }
}

/// A time or mean for programs, without digits that mean nothing.
pub fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(7_726_160), "7,726,160");
        assert_eq!(counted(1, "move"), "1 move");
        assert_eq!(counted(2000, "move"), "2,000 moves");
        assert_eq!(size(512), "512 B");
        assert_eq!(size(3 << 20), "3.0 MiB");
        assert_eq!(size(1000 << 30), "1.0 TiB");
        assert_eq!(duration(0.04), "0.0 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(7_500.0), "2 h 5 min");
        assert_eq!(rate(12_345_678.0, 1.0), "12.3 M/s");
        assert_eq!(
            [0.0, 8e-5, 0.0032, 200.0].map(short_duration),
            ["0", "80 us", "3.2 ms", "3 min 20 s"]
        );
        assert_eq!([1.25e9, 1.25e7].map(network), ["10 Gbit/s", "100 Mbit/s"]);
        assert_eq!(percent(1, 3), "33.3%");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(signed(-0.0001), "0.000");
        assert_eq!(signed(1.5), "+1.500");
        assert_eq!(json(28.0).to_string(), "28");
        assert_eq!(json(8.5).to_string(), "8.5");
    }
}
