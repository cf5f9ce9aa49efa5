//! The reference player of endgames, and the model of how long it takes to win, against the published
//! figures of KQKR.

use std::path::Path;
use std::sync::Arc;

use nutcracker_game::{Game, Metric, Numbering, Random, Rules, SliceId};
use nutcracker_games::GAMES;
use nutcracker_games::chess::Chess;
use nutcracker_retro::{Silent, SolveOptions, open_metric};
use nutcracker_search::player::{
    Analyser, Chain, Fallible, Level, Perfect, Prospect, Reference, play_out, reached, survey,
};
use nutcracker_search::{Oracle, TableOracle};
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
    let chains = survey(&Chess, &oracle, &[(slice, queens)], asked, &mut |_| ()).unwrap().unwrap();
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
        survey(&Chess, &oracle, &[(slice, rooks.clone())], asked, &mut |_| ()).unwrap().unwrap();
    let [perfect, strong, weak, weaker] = [0, 1, 2, 3].map(|i: usize| chains[i].expected_moves());
    for distance in 0..=16 {
        assert!((perfect[distance] - distance as f64).abs() < 1e-9, "{distance}");
        assert!(strong[distance] >= perfect[distance] - 1e-9);
        assert!(weak[distance] >= strong[distance] - 1e-9);
        assert!(weaker[distance] >= weak[distance] - 1e-9);
    }
    // Games from there show the competence; the model's average is of other positions, too.
    let player = Reference::new(10.0, [16, 16]);
    let start = rooks.filter(|&index| oracle.value(slice, index).unwrap() == 128 - 16);
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

/// The pawn queens and queens are taken: the count goes on in other slices, in some of which wins are
/// farther away.
#[test]
fn a_count_that_goes_on_in_other_slices_is_followed_there() {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("kpk", Metric::Dtw, dir.path());
    let pawns = Chess.parts(slice)[0].range.clone();
    let [class, _] = reached(&Chess, &(slice, pawns.clone()), &|_| true);
    // With the pawn, with each piece that it can become, and alone.
    assert_eq!(class.len(), 6);
    let asked = (&[f64::INFINITY, 10.0][..], [28, 0]);
    let chains = survey(&Chess, &oracle, &class, asked, &mut |_| ()).unwrap().unwrap();
    assert!(chains.iter().all(|chain| chain.unknown().is_none()));
    let moves = chains[0].expected_moves();
    assert_eq!(moves.len(), 29);
    for (distance, moves) in moves.iter().enumerate() {
        assert!((moves - distance as f64).abs() < 1e-9, "{distance}: {moves}");
    }
    assert!(chains[1].expected_moves()[28] > 28.0);
    // A win that no position of the parts has is told.
    let queens = Chess.slice_named("kqk").unwrap();
    let kings = (queens, Chess.parts(queens)[1].range.clone());
    let none = survey(&Chess, &oracle, &[kings], asked, &mut |_| ()).unwrap().unwrap();
    assert_eq!((none[0].positions.len(), none[0].unknown()), (1, None));
}

/// Prints the table of `docs/player.md`: errors by the model fall evenly, so that levels differ.
#[test]
#[expect(clippy::default_trait_access, reason = "these tests do not depend on the type's crate")]
fn levels_share_the_errors_of_a_blind_player_out_evenly() {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("krk", Metric::Dtw, dir.path());
    let mut rooks = Perfect::new(Chess, oracle);
    let krk = measured(&mut rooks, slice);
    let game = GAMES.info("tic-tac-toe").unwrap().game(&Default::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: true });
    let options = SolveOptions::new(2, "test");
    let slices = game.select("9").unwrap();
    game.solve_slices(&disk, dir.path(), &slices, &options, &Silent).unwrap();
    let set = open_metric(&game, None, disk, dir.path(), 1 << 26);
    let slice = game.slice_of(&game.start().position);
    let mut stones = Perfect::new(game, TableOracle::new(Arc::new(set)).unwrap());
    let noughts = measured(&mut stones, slice);
    println!("| level | krk: c | not best | gives away | tic-tac-toe: c | not best | gives away |");
    for ((level, a), b) in Level::all().zip(&krk).zip(&noughts) {
        let cells = |[c, slips, gifts]: &[f64; 3]| {
            format!("{c:.2} | {:.1}% | {:.2}%", 100.0 * slips, 100.0 * gifts)
        };
        println!("| {level} | {} | {} |", cells(a), cells(b));
    }
    for found in [krk, noughts] {
        let step = found[0][1] - found[1][1];
        assert!(step > 0.01);
        for pair in found.windows(2) {
            assert!(pair[0][0] < pair[1][0], "{found:?}");
            assert!((pair[0][1] - pair[1][1] - step).abs() < 1e-6, "{found:?}");
        }
    }
}

/// The competence of each level in a slice and below, and how often it errs there.
fn measured<G: Game, O: Oracle<Error: std::fmt::Debug>>(
    perfect: &mut Perfect<G, O>,
    slice: SliceId,
) -> Vec<[f64; 3]> {
    let trials = perfect.trials(slice).unwrap().unwrap();
    Level::all()
        .map(|level| {
            let player = trials.player(trials.competence(level.share()));
            let [slips, gifts] = trials.rates(&player);
            [player.competence(), slips, gifts]
        })
        .collect()
}

/// Over all positions of one side, where they are few: the same whichever numbers are tried first.
#[test]
fn errors_are_those_of_one_side() {
    let dir = tempfile::tempdir().unwrap();
    let (slice, oracle) = solve("krk", Metric::Dtw, dir.path());
    let mut perfect = Perfect::new(Chess, oracle);
    let rooks = (slice, Chess.parts(slice)[0].range.clone());
    let parts = reached(&Chess, &rooks, &|_| true);
    let level = |text: &str| Fallible::new(&Chess, text.parse().unwrap());
    let [rook, king] =
        [0, 1].map(|side: usize| perfect.error_rates(&parts[side], &level("3")).unwrap().unwrap());
    // A rook has more moves that are not the best than a king, and can be lost.
    assert!(rook[0] > 1.3 * king[0], "{rook:?} {king:?}");
    let stronger = perfect.error_rates(&parts[0], &level("8")).unwrap().unwrap();
    assert!(stronger[0] < rook[0] && stronger[1] < rook[1], "{stronger:?}");
    let none = perfect.error_rates(&parts[0], &level("perfect")).unwrap().unwrap();
    assert!(none.iter().all(|rate| rate.abs() < f64::EPSILON), "{none:?}");
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
