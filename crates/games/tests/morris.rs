//! Morris: laws, published counts, and small games solved from the start.

use std::collections::HashSet;

use nutcracker_any::Options;
use nutcracker_game::{Metric, Numbering, Rules, Score, SliceId, find_move, law};
use nutcracker_games::GAMES;
use nutcracker_games::morris::{Morris, MorrisPosition};

use crate::solved::solved_any;

fn game(men: u8) -> Morris {
    Morris::new(men, true).unwrap()
}

#[test]
fn laws() {
    for flying in [true, false] {
        let small = Morris::new(3, flying).unwrap();
        let all = small.select("all").unwrap();
        assert!(law::check(&small, all, u64::MAX).unwrap().exhaustive);
    }
    laws_of(&[(5, &["h1_3v4"]), (9, &["4v4"]), (12, &["4v3"])]);
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn laws_of_large_slices() {
    laws_of(&[(6, &["h12_0v0"]), (9, &["9v9", "h1_8v9"]), (12, &["12v12", "h1_11v12"])]);
}

/// Checks slices of these names and all below them, with flying and without.
fn laws_of(games: &[(u8, &[&str])]) {
    for &(men, names) in games {
        for flying in [true, false] {
            let game = Morris::new(men, flying).unwrap();
            let slices = names.iter().map(|name| game.slice_named(name).unwrap());
            law::check(&game, slices, 200).unwrap();
        }
    }
}

/// Positions of nine men's morris after placing, images of one another counted once: 28 subspaces
/// with 8,904,593,601 positions, as computed elsewhere.
#[test]
fn subspaces_of_nine_men() {
    let game = game(9);
    let slices = game.select("9").unwrap();
    assert_eq!(slices.len(), 28);
    let numbers: u64 = slices.iter().map(|&slice| game.slice_len(slice)).sum();
    assert_eq!(numbers, 9_193_626_407);
    let positions = |name: &str| {
        let slice = game.slice_named(name).unwrap();
        (0..game.slice_len(slice)).filter(|&index| game.unrank(slice, index).is_some()).count()
    };
    assert_eq!([positions("3v3"), positions("4v3")], [169_626, 1_520_796]);
}

/// Lines of play from the start, in which a stone that is taken is part of the move.
#[test]
fn lines_of_play() {
    fn perft(game: &Morris, position: &MorrisPosition, depth: u32) -> u64 {
        let mut steps = Vec::new();
        game.steps(position, &mut steps);
        if depth == 1 {
            return steps.len() as u64;
        }
        steps.iter().map(|step| perft(game, &step.next, depth - 1)).sum()
    }
    let game = game(9);
    let start = game.start().position;
    // Until a third stone can close a mill, every empty point: 24 * 23 * 22 * 21.
    assert_eq!(perft(&game, &start, 4), 255_024);
    // Sixteen mills of White's three stones, in six orders, each taking one of two stones: one move
    // more where a mill is closed.
    let pairs = 21 * 20;
    assert_eq!(perft(&game, &start, 5), 255_024 * 20 + 16 * 6 * pairs);
}

#[test]
fn a_mill_takes_a_stone_that_is_in_none() {
    let game = game(9);
    let moves = |text: &str| {
        let situation = game.parse(text).unwrap();
        let mut moves = Vec::new();
        game.moves(&situation.position, &mut moves);
        let name = |mv| game.format_move(&situation, mv, &game.play(&situation.position, mv));
        moves.iter().map(name).collect::<Vec<_>>()
    };
    // a1, d1 and g1 are a mill of Black's; e4 is alone.
    let found = moves("W:Wa7,d7,g4,b2:Ba1,d1,g1,e4");
    let taken: Vec<&String> = found.iter().filter(|name| name.contains('x')).collect();
    assert_eq!(taken, ["g4-g7xe4"]);
    // All in the mill.
    let found = moves("W:Wa7,d7,g4,b2:Ba1,d1,g1");
    let taken: Vec<&String> = found.iter().filter(|name| name.contains('x')).collect();
    assert_eq!(taken, ["g4-g7xg1", "g4-g7xd1", "g4-g7xa1"]);
    // Three stones fly, four do not; without flying neither do.
    assert_eq!(moves("W:Wa7,b6,c4:Ba1,d1,g1").len(), 3 * 18);
    assert_eq!(moves("W:Wa7,d7,g7,a4:Ba1,d1,g1").len(), 3);
    let walking = Morris::new(9, false).unwrap();
    let situation = walking.parse("W:Wa7,d7,g7:Ba1,d1,g1").unwrap();
    let mut moves = Vec::new();
    walking.moves(&situation.position, &mut moves);
    assert_eq!(moves.len(), 3);
    let situation = game.parse("W:Wa7,d7,g4,b2:Ba1,d1,g1,e4").unwrap();
    assert!(find_move(&game, &situation, "g4-g7xe4").is_ok());
    assert!(find_move(&game, &situation, "g4-g7xa1").is_err());
}

#[test]
fn a_full_board_is_a_draw() {
    let game = game(12);
    let (mut white, mut black) = (Vec::new(), Vec::new());
    for (place, name) in ["a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4"].iter().enumerate() {
        if place % 2 == 0 { white.push(*name) } else { black.push(*name) }
    }
    white.extend(["b6", "f6", "f2", "b2", "c5", "e5", "e3", "c3"]);
    black.extend(["d6", "f4", "d2", "b4", "d5", "e4", "d3", "c4"]);
    let text = format!("W:W{}:B{}", white.join(","), black.join(","));
    let situation = game.parse(&text).unwrap();
    assert_eq!(game.outcome(&situation.position), Some(0));
}

#[test]
fn positions_are_read_back_and_errors_explained() {
    let game = game(9);
    for text in ["W:W:B:H9,9", "B:Wd2:B:H8,9", "W:Wa1,d1,g1:Ba4,b4,c4,d7", "B:Wa1,b2,d5:Ba7,g1"] {
        assert_eq!(game.format(&game.parse(text).unwrap()), text);
    }
    for (text, why) in [
        ("", "written like W:Wd2"),
        ("W:Wd4:B:H8,8", "no point \"d4\""),
        ("W:Wd2:Bd2:H8,8", "two stones on d2"),
        ("W:Wd2:B:H9", "such as H7,8"),
        ("B:Wd2:B:H9,9", "more than 9 men"),
        ("W:Wd2:B:H8,9", "placed in turn"),
        ("W:Wa1,d1,g1:Ba4,b4", "fewer than three men"),
        ("W:W:B:H5,5", "cannot have been taken"),
        ("W:Wd2:Wd3:Bd1", "W stands twice"),
    ] {
        let said = game.parse(text).unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
    assert!(Morris::new(7, true).unwrap_err().contains("3, 4, 5, 6, 9 or 12"));
    assert!(game.select("10").unwrap_err().to_string().contains("4v3"));
}

/// The value of the start, solved with all of placing, and how many positions follow from it, images
/// counted apart.
fn start_of(men: u8, flying: bool) -> (Score, usize) {
    let game = Morris::new(men, flying).unwrap();
    let mut options = Options::new();
    options.set("men", men.to_string());
    if !flying {
        options.set("no-flying", "yes");
    }
    let any = GAMES.game("morris", &options).unwrap();
    let values = solved_any(&any, Metric::Wdl, None, game.largest_slice());
    let start = game.start().position;
    let value = values[game.slice_of(&start).0 as usize][game.rank(&start) as usize];
    (value.into(), reachable(&game))
}

/// How many positions follow from the start, with who is to move, images counted apart.
fn reachable(game: &Morris) -> usize {
    let start = game.start().position;
    let (mut seen, mut open) = (HashSet::from([(start, true)]), vec![(start, true)]);
    while let Some((position, white)) = open.pop() {
        let mut steps = Vec::new();
        game.steps(&position, &mut steps);
        for step in steps {
            if seen.insert((step.next, !white)) {
                open.push((step.next, !white));
            }
        }
    }
    seen.len()
}

/// Without flying the first player wins, as players know; with it the game is a draw.
#[test]
fn three_men() {
    let (flying, _) = start_of(3, true);
    let (walking, _) = start_of(3, false);
    assert_eq!([flying, walking], [0, 1]);
}

/// Four and five men are a draw, with flying and without. The numbers of positions without flying are
/// published (B. Liou, game-solver).
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn four_and_five_men() {
    assert_eq!(start_of(4, true), (0, 4_111_327));
    assert_eq!(start_of(4, false), (0, 4_111_151));
    assert_eq!(start_of(5, true), (0, 17_846_785));
    assert_eq!(start_of(5, false), (0, 17_844_721));
}

/// Six men are a draw; the number of positions without flying is published as well. Apart from the
/// others: the positions take 1.7 GB of memory.
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn six_men() {
    assert_eq!(start_of(6, false), (0, 42_372_745));
}

#[test]
fn slices_lead_to_smaller_ones() {
    let game = game(9);
    let below = |name: &str| {
        let below = game.below(game.slice_named(name).unwrap());
        below.into_iter().map(|slice: SliceId| game.slice_name(slice)).collect::<Vec<_>>()
    };
    assert_eq!(below("3v3"), ["over"]);
    assert_eq!(below("5v4"), ["5v3", "4v4"]);
    assert_eq!(below("h1_8v9"), ["9v8", "9v9"]);
    assert_eq!(below("h13_2v3"), ["h12_2v3", "h12_3v3"]);
    assert_eq!(below("h18_0v0"), ["h17_0v1"]);
}
