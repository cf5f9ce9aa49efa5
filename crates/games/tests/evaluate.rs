//! Evaluations agree with their features, and are symmetric in the sides.

use nutcracker_game::{Evaluate, Numbering, Rules, SliceId, Step, weigh};
use nutcracker_games::awari::Awari;
use nutcracker_games::checkers::Checkers;
use nutcracker_games::connect_four::ConnectFour;
use nutcracker_games::dobutsu::Dobutsu;
use nutcracker_games::halves::Board;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::othello::{Discs, Move, Othello};
use proptest::prelude::*;

const CHECKERS: Checkers = Checkers::BY_PIECES;

fn features<G: Evaluate>(game: &G, position: &G::Position) -> Vec<f32> {
    let mut features = vec![0.0; game.feature_names().len()];
    game.features(position, &mut features);
    features
}

/// Properties of every evaluation: the weighted sum of its features, with a weight for each, finite
/// and within twice what a game can be worth.
fn is_sound<G: Evaluate>(game: &G, position: &G::Position) {
    let features = features(game, position);
    assert_eq!(game.fitted().len(), game.feature_names().len());
    assert!(features.iter().all(|feature| feature.is_finite()), "{features:?}");
    let guess = game.evaluate(position, game.fitted());
    assert_eq!(guess, weigh(&features, game.fitted()));
    let most = 200 * i32::from(game.max_score(game.largest_slice()));
    assert!(guess.abs() <= most, "{guess} for {position:?}");
    // Weights other than the fitted ones work as well.
    let ones = vec![0.25; features.len()];
    assert_eq!(game.evaluate(position, &ones), weigh(&features, &ones));
}

/// From the other side's point of view, differences are negated, own features become the other's,
/// and the rest stays.
fn turns_round<G: Evaluate>(game: &G, seen: &[f32], turned: &[f32]) {
    for (place, name) in game.feature_names().iter().enumerate() {
        let expected = if name.contains("own minus other") {
            -seen[place]
        } else if let Some(of) = name.strip_suffix(": own") {
            let pair = format!("{of}: other");
            match game.feature_names().iter().position(|name| *name == pair) {
                Some(pair) => seen[pair],
                None => continue,
            }
        } else if let Some(of) = name.strip_suffix(": other") {
            let pair = format!("{of}: own");
            seen[game.feature_names().iter().position(|name| *name == pair).expect("a pair")]
        } else {
            seen[place]
        };
        assert!((turned[place] - expected).abs() < 1e-6, "{name}: {seen:?} {turned:?}");
    }
}

fn turned(board: &Board) -> Board {
    board.turned()
}

proptest! {
    #[test]
    fn awari(pits in 2usize..=6, stones in 1u32..=48, index in any::<u64>()) {
        let awari = Awari::new(pits).unwrap();
        let slice = SliceId(stones.min(awari.largest_slice().0));
        let board = awari.unrank(slice, index % awari.slice_len(slice)).unwrap();
        is_sound(&awari, &board);
        turns_round(&awari, &features(&awari, &board), &features(&awari, &turned(&board)));
        // The best capture is the largest gain of any move.
        let mut steps: Vec<Step<Board>> = Vec::new();
        awari.steps(&board, &mut steps);
        let most = steps.iter().map(|step| step.gain).max().unwrap_or(0);
        let place = awari.feature_names().iter().position(|name| *name == "best capture: own").unwrap();
        let seen = features(&awari, &board)[place];
        // Where every move captures all of the opponent's stones, each is legal after all.
        if steps.iter().all(|step| step.next.own != [0; 8]) {
            prop_assert_eq!(seen as i16, most);
        }
    }

    #[test]
    fn checkers(index in any::<u64>(), slice in 1..=CHECKERS.largest_slice().0) {
        let slice = SliceId(slice);
        let position = CHECKERS.unrank(slice, index % CHECKERS.slice_len(slice)).unwrap();
        is_sound(&CHECKERS, &position);
        let turned = features(&CHECKERS, &position.turned());
        turns_round(&CHECKERS, &features(&CHECKERS, &position), &turned);
    }

    #[test]
    fn dobutsu(index in any::<u64>()) {
        let slice = Dobutsu.largest_slice();
        if let Some(position) = Dobutsu.unrank(slice, index % Dobutsu.slice_len(slice)) {
            is_sound(&Dobutsu, &position);
            let turned = features(&Dobutsu, &position.turned());
            turns_round(&Dobutsu, &features(&Dobutsu, &position), &turned);
        }
    }

    #[test]
    fn kalah(pits in 1usize..=6, seeds in 1u32..=40, index in any::<u64>(), rule in any::<bool>()) {
        let kalah = Kalah::new(pits, 6, rule).unwrap();
        let slice = SliceId(seeds.min(kalah.largest_slice().0));
        let board = kalah.unrank(slice, index % kalah.slice_len(slice)).unwrap();
        is_sound(&kalah, &board);
        turns_round(&kalah, &features(&kalah, &board), &features(&kalah, &turned(&board)));
    }

    #[test]
    fn connect_four(chances in prop::collection::vec(any::<prop::sample::Index>(), 0..42)) {
        let game = ConnectFour::new(7, 6, 4).unwrap();
        let (mut at, mut image) = (game.start().position, game.start().position);
        for chance in chances {
            let mut moves = Vec::new();
            game.moves(&at, &mut moves);
            if moves.is_empty() {
                break;
            }
            let column = *chance.get(&moves);
            at = game.play(&at, &column).next;
            image = game.play(&image, &(6 - column)).next;
        }
        is_sound(&game, &at);
        prop_assert_eq!(features(&game, &at), features(&game, &image));
        prop_assert_eq!(game.is_unquiet(&at), game.is_unquiet(&image));
    }

    #[test]
    fn othello(occupied in any::<u64>(), colours in any::<u64>(), size in 2usize..=4) {
        let size = 2 * size;
        let othello = Othello::new(size).unwrap();
        let rows = |set: u64| (0..size).fold(0, |all, row| {
            all | (set >> (8 * row) & (u64::MAX >> (64 - size))) << (8 * row)
        });
        let occupied = rows(occupied) | rows(0x0000_0018_1800_0000 >> (9 * (4 - size / 2)));
        let discs = Discs { own: occupied & colours, other: occupied & !colours };
        is_sound(&othello, &discs);
        // The board is symmetric in its reflections, also in both diagonals.
        let seen = features(&othello, &discs);
        for map in [|x: usize, y: usize, n: usize| (n - 1 - x, y), |x, y, _| (y, x)] {
            let moved = |set: u64| (0..64usize).fold(0u64, |all, square| {
                let (x, y) = (square % 8, square / 8);
                if x >= size || y >= size { return all; }
                let (to_x, to_y) = map(x, y, size);
                all | (set >> square & 1) << (8 * to_y + to_x)
            });
            let image = Discs { own: moved(discs.own), other: moved(discs.other) };
            prop_assert_eq!(&features(&othello, &image), &seen);
        }
        // Differences are negated with the sides; parity and the move are not.
        let turned = features(&othello, &discs.turned());
        for (place, name) in othello.feature_names().iter().enumerate() {
            let stays = name.starts_with("parity") || name.starts_with("on move");
            let expected = if stays { seen[place] } else { -seen[place] };
            prop_assert!((turned[place] - expected).abs() < 1e-6, "{}", name);
        }
    }
}

#[test]
fn promising_moves_come_first() {
    let othello = Othello::new(8).unwrap();
    let at = othello.parse("1ox5/8/8/3xo3/3ox3/8/8/8 x").unwrap();
    let mut moves = Vec::new();
    othello.moves(&at.position, &mut moves);
    let promise = |mv: &Move| othello.promise(&at.position, mv, &othello.play(&at.position, mv));
    assert_eq!(moves.iter().max_by_key(|mv| promise(mv)), Some(&Move::Disc(0)), "the corner");
    let game = ConnectFour::new(7, 6, 4).unwrap();
    let at = game.parse("......./......./......./x....../x...o../x..ooxo x").unwrap();
    let mut moves = Vec::new();
    game.moves(&at.position, &mut moves);
    let promise = |mv: &u8| game.promise(&at.position, mv, &game.play(&at.position, mv));
    assert_eq!(moves.iter().max_by_key(|mv| promise(mv)), Some(&0), "four in a column");
    assert!(game.is_unquiet(&at.position) && !game.is_unquiet(&game.start().position));
    let awari = Awari::new(6).unwrap();
    let at = awari.parse("0,0,6,0,3,5/2,1,1,0,0,0 S 20-10").unwrap();
    let mut moves = Vec::new();
    awari.moves(&at.position, &mut moves);
    let gain = |mv| awari.play(&at.position, mv).gain;
    let first = moves
        .iter()
        .max_by_key(|mv| awari.promise(&at.position, mv, &awari.play(&at.position, mv)));
    assert_eq!(first.map(gain), Some(5), "the capture");
}
