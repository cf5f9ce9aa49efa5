//! Options of processes that share the work by a directory alone.

use std::str::FromStr;
use std::time::Duration;

use nutcracker_retro::PATIENCE;
use nutcracker_retro::check::Share;

/// Slices as jobs over a directory that several processes or machines share.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Fleet {
    /// Solve together with every process that runs the same command on the same data directory:
    /// each takes a slice that is ready, and waits while others work on all that are. For games
    /// whose slices form a graph
    #[arg(long, conflicts_with_all = ["processes", "hosts"])]
    fleet: bool,
    /// Take over the slice of a process that has not shown for this long that it is alive
    #[arg(long, value_name = "SECONDS", requires = "fleet", value_parser = parse_seconds)]
    patience: Option<Duration>,
}

impl Fleet {
    /// After what time the slice of another process is taken over; `None` for a process that works
    /// alone.
    pub fn patience(&self) -> Option<Duration> {
        self.fleet.then(|| self.patience.unwrap_or(PATIENCE))
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> =
        text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "it is a number from 0.1 to 86400".to_owned())
}

/// A part of a check, such as `2/8`.
pub fn parse_share(text: &str) -> Result<Share, String> {
    let share = text
        .split_once('/')
        .and_then(|(part, of)| Share::new(u32::from_str(part).ok()?, u32::from_str(of).ok()?));
    share.ok_or_else(|| "a part is one of several, such as 2/8; there are at most 1000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_seconds() {
        assert_eq!(parse_share("2/8").unwrap().to_string(), "2/8");
        for wrong in ["", "2", "0/8", "9/8", "1/0", "1/1001", "-1/8", "1/8/9", "a/b"] {
            assert!(parse_share(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "0", "-1", "nan", "inf", "1e9"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
