//! Draws a histogram of scores: lines `slice,score,positions` after a header, from standard input.
//!
//! ```sh
//! cargo run -p nutcracker-draw --example histogram < awari-scores.csv > awari-scores.svg
//! ```

use std::io::{Error, stdin};

use nutcracker_draw::{Histogram, Measure, ScoreSlice, score_histogram};

fn main() -> Result<(), Error> {
    let mut slices: Vec<ScoreSlice> = Vec::new();
    for line in stdin().lines().skip(1) {
        let line = line?;
        let row: Vec<&str> = line.split(',').collect();
        let &[stones, score, positions] = row.as_slice() else {
            return Err(Error::other(format!("three columns expected, got {line:?}")));
        };
        let label = format!("{stones} {}", if stones == "1" { "stone" } else { "stones" });
        let count = (
            score.parse().map_err(|_| Error::other(format!("score expected, got {score:?}")))?,
            positions
                .parse()
                .map_err(|_| Error::other(format!("count expected, got {positions:?}")))?,
        );
        match slices.last_mut() {
            Some(slice) if slice.label == label => slice.counts.push(count),
            _ => slices.push(ScoreSlice { label, counts: vec![count] }),
        }
    }
    let title = "Awari positions by score";
    let chart = Histogram { title, measure: Measure::Scores("stones"), ..Histogram::default() };
    print!("{}", score_histogram(&chart, &slices));
    Ok(())
}
