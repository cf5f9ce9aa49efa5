//! The reference player of endgames, and the model of how long it takes to win, against the published
//! figures of KQKR.

use std::path::Path;
use std::sync::Arc;

use nutcracker_game::{Metric, Numbering, Random, SliceId};
use nutcracker_games::GAMES;
use nutcracker_games::chess::Chess;
use nutcracker_retro::{Silent, SolveOptions, open_metric};
use nutcracker_search::TableOracle;
use nutcracker_search::player::{Analyser, Chain, Prospect, Reference, play_out, survey};
use nutcracker_table::{Disk, Storage};

#[expect(clippy::default_trait_access, reason = "these tests do not depend on the type's crate")]
pub fn solve(class: &str, metric: Metric, dir: &Path) -> (SliceId, TableOracle) {
    let game = GAMES.info("chess").unwrap().game(&Default::default()).unwrap();
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: true });
    let options = SolveOptions { metric: Some(metric), ..SolveOptions::new(2, "test") };
    let slices = Chess.select(class).unwrap();
    game.solve_slices(&disk, dir, &slices, &options, &Silent).unwrap();
    let set = open_metric(&Chess, Some(metric), disk, dir, 1 << 26);
    (Chess.slice_named(class).unwrap(), TableOracle::new(Arc::new(set)).unwrap())
}

/// Haworth and Andrist: R20, R21 and R22 in KQKR by distance to conversion, against best defence.
#[test]
#[ignore = "takes half a minute; scripts/test-long runs it"]
fn kqkr_takes_as_long_as_published() {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("kqkr", Metric::Dtc, dir.path());
    let queens = Chess.parts(slice)[0].range.clone();
    let asked = (&[20.0, 21.0, 22.0][..], [31, 3]);
    let chains = survey(&Chess, &oracle, slice, queens, asked, &mut |_| ()).unwrap().unwrap();
    let longest = |place: usize| format!("{:.2}", chains[place].expected_moves()[31]);
    assert_eq!([0, 1, 2].map(longest), ["97.20", "83.70", "74.16"]);
    assert_eq!(format!("{:.2}%", 100.0 * chains[0].won_within(50)[31]), "12.67%");
    // Two positions are as far away as any; most moves are needed in the middle of the way.
    assert_eq!(chains[0].positions[31], 2);
    let steps: Vec<f64> =
        chains[0].expected_moves().windows(2).map(|pair| pair[1] - pair[0]).collect();
    let steepest = (0..31).max_by(|&a, &b| steps[a].total_cmp(&steps[b])).unwrap();
    assert!((17..26).contains(&steepest), "{steepest}");
    // Errors are rarer the larger the competence.
    let rates: Vec<f64> = chains.iter().map(Chain::error_rate).collect();
    assert!(rates[0] > rates[1] && rates[1] > rates[2] && rates[2] > 0.0, "{rates:?}");
}

#[test]
fn a_player_that_never_errs_takes_the_distance_and_a_blind_one_longer() {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("krk", Metric::Dtw, dir.path());
    let rooks = Chess.parts(slice)[0].range.clone();
    let asked = (&[f64::INFINITY, 50.0, 10.0, 5.0][..], [16, 16]);
    let chains =
        survey(&Chess, &oracle, slice, rooks.clone(), asked, &mut |_| ()).unwrap().unwrap();
    let [perfect, strong, weak, weaker] = [0, 1, 2, 3].map(|i: usize| chains[i].expected_moves());
    for distance in 0..=16 {
        assert!((perfect[distance] - distance as f64).abs() < 1e-9, "{distance}");
        assert!(strong[distance] >= perfect[distance] - 1e-9);
        assert!(weak[distance] >= strong[distance] - 1e-9);
        assert!(weaker[distance] >= weak[distance] - 1e-9);
    }
    // Games from there show the competence; the model's average is of other positions, too.
    let player = Reference::new(10.0, [16, 16]);
    let start = rooks.filter(|&index| {
        use nutcracker_search::Oracle;
        oracle.value(slice, index).unwrap() == 128 - 16
    });
    let start = Chess.unrank(slice, start.min().unwrap()).unwrap();
    let mut random = Random::new(1);
    let (mut moves, mut seen) = (0, Analyser::new(50, [16, 16]));
    for _ in 0..200 {
        moves +=
            play_out(&Chess, &oracle, &start, &player, &mut seen, &mut random).unwrap().unwrap();
    }
    let mean = f64::from(moves) / 200.0;
    assert!(mean > 16.0 && mean < weak[16], "{mean} moves, {} expected", weak[16]);
    assert!((seen.competence() - 10.0).abs() < 0.7, "{}", seen.competence());
}

#[test]
fn competence_orders_prospects() {
    let moves =
        [Prospect::Win(0), Prospect::Win(9), Prospect::Draw, Prospect::Loss(5), Prospect::Loss(0)];
    let blind = Reference::new(0.0, [10, 6]).probabilities(&moves);
    assert!(blind.iter().all(|chance| (chance - 0.2).abs() < 1e-12), "{blind:?}");
    for competence in [0.5, 1.0, 3.0, 40.0] {
        let chances = Reference::new(competence, [10, 6]).probabilities(&moves);
        assert!(chances.windows(2).all(|pair| pair[0] > pair[1]), "{chances:?}");
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert_eq!(Reference::new(1.0, [10, 6]).choose(&[], &mut Random::new(1)), None);
}
