//! Endings solved and checked, compared with published figures.

use std::path::Path;
use std::sync::Arc;

use nutcracker_any::{AnyGame, Registered};
use nutcracker_chess::{Chess, ChessPosition, Role};
use nutcracker_game::{Metric, Numbering, SliceId};
use nutcracker_retro::{Silent, SolveOptions, open_metric};
use nutcracker_table::{Disk, Storage};

/// The deepest wins of an ending: how many positions, and the winner's moves; by who wins, the
/// first side or the second, and by who is to move.
type Row = [Option<(u64, u16)>; 4];

/// Solves what the text selects, with all that it needs.
pub fn solve(selected: &str, metric: Metric, dir: &Path) -> Vec<SliceId> {
    solve_with(selected, metric, dir, true)
}

/// The same without the check of each file, for values that a test compares one by one.
pub fn solve_unchecked(selected: &str, metric: Metric, dir: &Path) -> Vec<SliceId> {
    solve_with(selected, metric, dir, false)
}

fn solve_with(selected: &str, metric: Metric, dir: &Path, verify: bool) -> Vec<SliceId> {
    let game: AnyGame = Chess.erase();
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
    let options = SolveOptions { metric: Some(metric), verify, ..SolveOptions::new(2, "test") };
    let slices = Chess.select(selected).unwrap();
    let reports = game.solve_slices(&disk, dir, &slices, &options, &Silent).unwrap();
    reports.iter().map(|report| report.slice).collect()
}

/// The values of a slice, holes as they are stored.
pub fn values(slice: SliceId, metric: Metric, dir: &Path) -> Vec<i8> {
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
    let set = open_metric(&Chess, Some(metric), disk, dir, 1 << 20);
    let mut values = vec![0; Chess.slice_len(slice) as usize];
    set.get(slice.0).unwrap().read(0, &mut values).unwrap();
    values
}

/// How often a position is counted: published tables have both images of a position without pawns
/// whose kings stand on a long diagonal, if they differ.
pub fn weight(position: &ChessPosition) -> u64 {
    let men: Vec<(u8, (Role, bool))> =
        (0..64).filter_map(|square| Some((square, position.man(square)?))).collect();
    if men.iter().any(|(_, (role, _))| *role == Role::Pawn) {
        return 1;
    }
    let images: [fn(u8) -> u8; 2] =
        [|square| square % 8 * 8 + square / 8, |square| (7 - square % 8) * 8 + 7 - square / 8];
    for image in images {
        let stays = |square: u8| image(square) == square;
        if men.iter().filter(|man| man.1.0 == Role::King).all(|man| stays(man.0)) {
            let same = men.iter().all(|man| position.man(image(man.0)) == Some(man.1));
            return if same { 1 } else { 2 };
        }
    }
    1
}

/// The deepest wins of a class.
pub fn row(slice: SliceId, metric: Metric, dir: &Path) -> Row {
    let values = values(slice, metric, dir);
    let mut row: Row = [None; 4];
    let mut add = |place: usize, moves: u16, weight: u64| match &mut row[place] {
        Some((count, most)) if *most == moves => *count += weight,
        Some((_, most)) if *most > moves => {}
        entry => *entry = Some((weight, moves)),
    };
    let parts = Chess.parts(slice);
    for (mover, part) in parts.iter().enumerate() {
        for index in part.range.clone() {
            let Some(distance) = metric.distance(values[index as usize].into()) else { continue };
            let Some(position) = Chess.unrank(slice, index) else { continue };
            let weight = weight(&position);
            // Places: the first side wins with itself and with the other to move, the second side
            // wins with the other and with itself to move.
            let place = |mover: usize| match (distance.wins, mover) {
                (true, 0) => 0,
                (false, 1) => 1,
                (false, _) => 2,
                (true, _) => 3,
            };
            add(place(mover), distance.moves, weight);
            if parts.len() == 1 {
                add(place(1), distance.moves, weight);
            }
        }
    }
    row
}

/// A row as it is published: four counts, then four numbers of moves.
fn read(line: &str) -> (String, Row) {
    let words: Vec<&str> = line.split_whitespace().filter(|&word| word != "|").collect();
    let entry = |place: usize| {
        let moves = words[5 + place].parse().ok()?;
        Some((words[1 + place].parse().expect("a count"), moves))
    };
    (words[0].to_lowercase(), [0, 1, 2, 3].map(entry))
}

/// Compares the rows of endings that a text selects with what is in a directory.
pub fn compare_in(rows: &str, metric: Metric, selected: &str, dir: &Path) {
    let slices = Chess.select(selected).unwrap();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for line in rows.lines().filter(|line| !line.starts_with('#')) {
        let (name, expected) = read(line);
        let slice = Chess.slice_named(&name).expect("an ending");
        if !slices.contains(&slice) {
            continue;
        }
        compared += 1;
        let found = row(slice, metric, dir);
        if found != expected {
            wrong.push(format!("{name}: {found:?}, published {expected:?}"));
        }
    }
    assert!(wrong.is_empty() && compared > 0, "{}", wrong.join("\n"));
}

/// Solves endings and compares their rows.
pub fn compare(rows: &str, metric: Metric, selected: &str) {
    let dir = tempfile::tempdir().unwrap();
    solve(selected, metric, dir.path());
    compare_in(rows, metric, selected, dir.path());
}

pub const DTC: &str = include_str!("dtc.txt");
pub const DTZ: &str = include_str!("dtz.txt");

#[test]
fn conversions_of_three_men_are_the_published_ones() {
    compare(DTC, Metric::Dtc, "3");
}

#[test]
fn zeroing_moves_of_three_men_are_the_published_ones() {
    compare(DTZ, Metric::Dtz, "3");
}

/// Published of the bishop and knight to move: won in 99.51% of positions, in 24.68 moves on average.
#[test]
fn bishop_and_knight_against_king() {
    let dir = tempfile::tempdir().unwrap();
    solve("kbnk", Metric::Dtc, dir.path());
    compare_in(DTC, Metric::Dtc, "kbnk", dir.path());
    let slice = Chess.slice_named("kbnk").unwrap();
    let values = values(slice, Metric::Dtc, dir.path());
    let (mut all, mut won, mut moves) = (0, 0, 0);
    for index in Chess.parts(slice)[0].range.clone() {
        let Some(position) = Chess.unrank(slice, index) else { continue };
        let weight = weight(&position);
        all += weight;
        if let Some(distance) = Metric::Dtc.distance(values[index as usize].into()) {
            assert!(distance.wins);
            won += weight;
            moves += weight * u64::from(distance.moves);
        }
    }
    let (presence, mean) = (won as f64 / all as f64, moves as f64 / won as f64);
    assert_eq!(format!("{:.2} {mean:.2}", 100.0 * presence), "99.51 24.68");
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn zeroing_moves_of_four_men_are_the_published_ones() {
    compare(DTZ, Metric::Dtz, "4");
}

#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn conversions_of_four_men_are_the_published_ones() {
    compare(DTC, Metric::Dtc, "4");
}

/// Published: Black to move loses in 0 to 16 moves in this many positions, and draws in 2,796; White
/// to move wins in 16 in 121. No position is counted twice here.
#[test]
fn king_and_rook_against_king() {
    let lost =
        [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
    let dir = tempfile::tempdir().unwrap();
    let slices = solve("krk", Metric::Dtw, dir.path());
    let names: Vec<String> = slices.iter().map(|&slice| Chess.slice_name(slice)).collect();
    assert_eq!(names, ["kk", "krk"]);
    let values = values(slices[1], Metric::Dtw, dir.path());
    let parts = Chess.parts(slices[1]);
    let count = |mover: usize, value: i8| {
        let range = parts[mover].range.clone();
        let is = |&index: &u64| {
            values[index as usize] == value && Chess.unrank(slices[1], index).is_some()
        };
        range.filter(is).count()
    };
    for (moves, expected) in lost.into_iter().enumerate() {
        assert_eq!(count(1, -(127 - moves as i8)), expected, "lost in {moves}");
    }
    assert_eq!((count(1, 0), count(0, 128u8.wrapping_sub(16) as i8)), (2796, 121));
}
