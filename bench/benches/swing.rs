//! How much the value of a position changes from one depth to the next, over 500 awari positions: as
//! the last iteration finds it, and averaged over two, as players and analysis show it; and when it is
//! asked for again.
//!
//! `cargo bench -p nutcracker-bench --bench swing`

use nutcracker_game::{Random, Rules};
use nutcracker_games::awari::Awari;
use nutcracker_search::{Empty, Engine, EngineOptions, Limits, Worth};

type Position = <Awari as Rules>::Position;

const POSITIONS: usize = 500;
const DEEPEST: u32 = 11;
/// Changes are averaged from this depth on.
const FROM: u32 = 4;
/// Positions are searched to this depth twice.
const AGAIN: u32 = 8;

fn engine(awari: &Awari) -> Engine<Awari, Empty> {
    let options = EngineOptions { table_bytes: 4 << 20, ..EngineOptions::default() };
    Engine::new(awari.clone(), Empty, options)
}

/// Positions of games in which one move in four is random, and the others are found by a search of
/// three plies.
fn positions(awari: &Awari) -> Vec<Position> {
    let (mut random, mut engine) = (Random::new(1), engine(awari));
    let mut found = Vec::new();
    while found.len() < POSITIONS {
        let mut position = awari.start().position;
        for ply in 0..2 + random.below(50) {
            if awari.outcome(&position).is_some() {
                break;
            }
            let mut moves = Vec::new();
            awari.moves(&position, &mut moves);
            let mut chosen = moves[random.below(moves.len() as u64) as usize];
            if ply >= 2 && random.below(4) > 0 {
                let Ok(report) = engine.search(&position, &[], &Limits::depth(3), &mut |_| ());
                chosen = report.best().unwrap_or(chosen);
            }
            position = awari.play(&position, &chosen).next;
        }
        if awari.outcome(&position).is_none() {
            found.push(position);
        }
    }
    found
}

/// The value of every depth, as it is and averaged with the one before; one that is proven stays.
fn values(engine: &mut Engine<Awari, Empty>, position: &Position) -> Vec<[Worth; 2]> {
    let limits = Limits::depth(DEEPEST);
    let (mut last, mut averaged) = (Vec::new(), Vec::new());
    engine.clear();
    let Ok(_) = engine.search(position, &[], &limits, &mut |report| last.push(report.value));
    engine.clear();
    let Ok(_) =
        engine.search_averaged(position, &[], &limits, &mut |report| averaged.push(report.value));
    let mut values: Vec<[Worth; 2]> =
        last.into_iter().zip(averaged).map(|(last, averaged)| [last, averaged]).collect();
    while values.len() < DEEPEST as usize {
        values.extend(values.last().copied());
    }
    values
}

/// How much the averaged value changes when a position is searched again, to a depth that it was
/// searched to and beyond before, on average over all positions.
fn change_when_asked_again(engine: &mut Engine<Awari, Empty>, positions: &[Position]) -> f64 {
    let changes = positions.iter().map(|position| {
        engine.clear();
        let values = [AGAIN, DEEPEST, AGAIN].map(|depth| {
            let limits = Limits::depth(depth);
            let Ok(report) = engine.search_averaged(position, &[], &limits, &mut |_| ());
            report.value.hundredths()
        });
        f64::from((values[2] - values[0]).abs()) / 100.0
    });
    changes.sum::<f64>() / positions.len() as f64
}

fn main() {
    let awari = Awari::new(6).expect("awari has six pits");
    let mut engine = engine(&awari);
    let positions = positions(&awari);
    let all: Vec<_> = positions.iter().map(|position| values(&mut engine, position)).collect();
    println!("mean change of the value in points, {POSITIONS} awari positions, no databases");
    println!("{:>10}  {:>14}  {:>8}", "depth", "last iteration", "averaged");
    let mut sums = [0.0; 2];
    for depth in FROM..DEEPEST {
        let mean = [0, 1].map(|kind| {
            let change = |values: &Vec<[Worth; 2]>| {
                let [now, next] =
                    [depth - 1, depth].map(|place| values[place as usize][kind].hundredths());
                f64::from((next - now).abs()) / 100.0
            };
            all.iter().map(change).sum::<f64>() / all.len() as f64
        });
        for (sum, mean) in sums.iter_mut().zip(mean) {
            *sum += mean;
        }
        println!(
            "{:>10}  {:>14.2}  {:>8.2}",
            format!("{depth} to {}", depth + 1),
            mean[0],
            mean[1]
        );
    }
    let [last, averaged] = sums.map(|sum| sum / f64::from(DEEPEST - FROM));
    println!("{:>10}  {last:>14.2}  {averaged:>8.2}", "mean");
    let again = change_when_asked_again(&mut engine, &positions);
    println!(
        "searched to depth {AGAIN}, to {DEEPEST} and to {AGAIN} again, the averaged value changes by \
         {again:.3}"
    );
}
