//! What Sadikov, Bratko and Kononenko say of minimax on a corrupted table of KRK.

use nutcracker_game::{Metric, Numbering, Random};
use nutcracker_games::chess::Chess;
use nutcracker_search::noise::{Level, Losses, Play, together_from};

use crate::reference::solve;

fn krk() -> Losses {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("krk", Metric::Dtw, dir.path());
    let losers = Chess.parts(slice)[1].range.clone();
    Losses::new(&Chess, &oracle, slice, losers).unwrap().unwrap()
}

fn biases(levels: &[Level]) -> Vec<f64> {
    levels.iter().map(|level| level.bias).collect()
}

/// Minimax makes noise optimistic for the winner, most of it in the first two plies, and the more the
/// larger the noise is. Without the bias, the deviation falls at once; with it, it does not vanish.
#[test]
fn backed_up_noise_is_biased() {
    let losses = krk();
    // All but 27 of them are not mated yet, in 16 levels.
    assert_eq!(losses.len(), 25_260);
    let exact = losses.measure(0.0, 8, false, &mut Random::new(1));
    assert!(exact.iter().all(|level| level.deviation < 1e-9 && level.play.is_none()), "{exact:?}");
    let mut before = 0.0;
    let mut together = Vec::new();
    for sigma in [0.25, 0.5, 1.0, 2.0, 3.0, 5.0] {
        let levels = losses.measure(sigma, 32, false, &mut Random::new(1));
        assert!((levels[0].deviation - sigma).abs() < 0.02 * sigma.max(1.0), "{levels:?}");
        assert!(levels[0].bias.abs() < 0.05 * sigma.max(1.0), "{levels:?}");
        let biases = biases(&levels);
        assert!(biases[1..].iter().all(|&bias| bias > 0.0), "{biases:?}");
        assert!(biases[1] > before, "{biases:?}");
        let mut steps = biases.windows(2).map(|pair| pair[1] - pair[0]);
        let first = steps.next().expect("two depths");
        assert!(steps.all(|step| step <= first), "{biases:?}");
        assert!(levels[1].unbiased < levels[0].unbiased, "{levels:?}");
        before = biases[1];
        // At depth 16 it is about where it was, or higher where there is more noise.
        let ratio = levels[8].deviation / sigma;
        assert!(if sigma < 3.0 { ratio < 1.2 } else { ratio > 1.1 }, "{levels:?}");
        assert!(levels.iter().all(|level| level.deviation > 0.1 * sigma), "{levels:?}");
        together.push(together_from(&levels));
    }
    // Sooner or later deviation is bias: sooner where there is more noise.
    assert!(together.iter().all(Option::is_some), "{together:?}");
    assert!(
        together[0] > Some(8) && together[4..].iter().all(|&from| from <= Some(2)),
        "{together:?}"
    );
}

/// The winner plays almost perfectly where the noise is small, much better with eight plies than without
/// any where it is larger, and without any cannot mate within fifty moves where it is largest.
#[test]
fn noise_is_paid_for_in_moves() {
    let losses = krk();
    let mut random = Random::new(1);
    let exact = losses.measure(0.0, 0, true, &mut random);
    let play = exact[0].play.expect("asked for");
    assert!(play.excess.abs() < 1e-9 && (play.won - 1.0).abs() < 1e-9, "{play:?}");
    let mut played = |sigma: f64| -> Vec<Play> {
        let levels = losses.measure(sigma, 8, true, &mut random);
        levels.iter().map(|level| level.play.expect("asked for")).collect()
    };
    let small = played(0.25);
    assert!(small.iter().all(|play| play.excess < 0.1 && play.won > 0.999), "{small:?}");
    for sigma in [1.0, 2.0] {
        let plays = played(sigma);
        assert!(plays[4].excess < 0.2 * plays[0].excess, "{sigma}: {plays:?}");
    }
    // By the corrupted table itself, without a search.
    let large = played(5.0);
    assert!(large[0].won < 0.05, "{large:?}");
}
