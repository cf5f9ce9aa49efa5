//! Values that support each other in a cycle: every position equals the best of its successors, and
//! the table is wrong.

use std::collections::HashMap;
use std::fs;

use nutcracker_game::{Numbering, Rules, Score, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_retro::open_set;
use nutcracker_table::{Disk, Header, Manifest, PackOptions, pack};

use crate::harness::Place;

const SLICE: SliceId = SliceId(3);

/// Scores of awari by the rules alone: every value that is derived from ends and captures, 0 for
/// the rest. Slow, short, and independent of the solver.
struct Truth {
    game: Awari,
    scores: HashMap<(u32, u64), Score>,
}

impl Truth {
    fn up_to(last: u32) -> Self {
        let game = Awari::new(6).expect("six pits");
        let mut truth = Truth { game, scores: HashMap::new() };
        for slice in (0..=last).map(SliceId) {
            // By iteration from 0 with a horizon: values of play that ends within a number of
            // moves, and 0 for play that does not; they settle.
            let len = truth.game.slice_len(slice);
            for index in 0..len {
                truth.scores.insert((slice.0, index), 0);
            }
            loop {
                let next: Vec<Score> = (0..len).map(|index| truth.best(slice, index)).collect();
                let settled =
                    (0..len).all(|index| truth.scores[&(slice.0, index)] == next[index as usize]);
                for (index, score) in next.into_iter().enumerate() {
                    truth.scores.insert((slice.0, index as u64), score);
                }
                if settled {
                    break;
                }
            }
        }
        truth
    }

    fn best(&self, slice: SliceId, index: u64) -> Score {
        let position = self.game.unrank(slice, index).unwrap();
        self.game.outcome(&position).unwrap_or_else(|| {
            let mut steps = Vec::new();
            self.game.steps(&position, &mut steps);
            steps
                .iter()
                .map(|step| step.value(self.scores[&self.number(&step.next)]))
                .max()
                .expect("a move")
        })
    }

    fn number(&self, position: &<Awari as Rules>::Position) -> (u32, u64) {
        (self.game.slice_of(position).0, self.game.rank(position))
    }
}

/// Positions with a choice between capturing and not, and those in which not capturing is better.
pub fn choices(slice: u32) -> (u64, u64) {
    let truth = Truth::up_to(slice);
    let (mut positions, mut quiet_better) = (0, 0);
    for index in 0..truth.game.slice_len(SliceId(slice)) {
        let mut steps = Vec::new();
        truth.game.steps(&truth.game.unrank(SliceId(slice), index).unwrap(), &mut steps);
        let best = |captures: bool| {
            steps
                .iter()
                .filter(|step| (step.gain > 0) == captures)
                .map(|step| step.value(truth.scores[&truth.number(&step.next)]))
                .max()
        };
        if let (Some(quiet), Some(capture)) = (best(false), best(true)) {
            positions += 1;
            quiet_better += u64::from(quiet > capture);
        }
    }
    (positions, quiet_better)
}

/// Gives each vertex +1 or -1 such that -1 leads to +1 only and +1 leads to some -1: the shape of a
/// cycle of invented values. `graph[v]` are the successors of `v`.
fn circle(graph: &[Vec<usize>], mut values: Vec<Option<i8>>) -> Option<Vec<i8>> {
    loop {
        let mut changed = false;
        for (vertex, successors) in graph.iter().enumerate() {
            let seen: Vec<Option<i8>> = successors.iter().map(|&next| values[next]).collect();
            let forced = if seen.contains(&Some(-1)) {
                Some(1)
            } else if seen.iter().all(|value| *value == Some(1)) {
                Some(-1)
            } else {
                None
            };
            match (values[vertex], forced) {
                (None, Some(_)) => (values[vertex], changed) = (forced, true),
                (Some(value), Some(forced)) if value != forced => return None,
                _ => {}
            }
        }
        if !changed {
            break;
        }
    }
    let Some(open) = values.iter().position(Option::is_none) else {
        return values.into_iter().collect();
    };
    [-1, 1].into_iter().find_map(|value| {
        let mut guess = values.clone();
        guess[open] = Some(value);
        circle(graph, guess)
    })
}

#[test]
fn a_cycle_of_invented_values_is_refused() {
    let place = Place::with_awari(3);
    let disk = Disk::default();
    let mut truth = Truth::up_to(SLICE.0);
    let len = truth.game.slice_len(SLICE);
    let drawn: Vec<u64> = (0..len).filter(|index| truth.scores[&(SLICE.0, *index)] == 0).collect();
    assert_eq!(drawn.len(), 63);
    let graph: Vec<Vec<usize>> = drawn
        .iter()
        .map(|&index| {
            let mut steps = Vec::new();
            truth.game.steps(&truth.game.unrank(SLICE, index).unwrap(), &mut steps);
            let numbers = steps.iter().map(|step| truth.number(&step.next));
            numbers
                .filter(|(slice, _)| *slice == SLICE.0)
                .filter_map(|(_, next)| drawn.binary_search(&next).ok())
                .collect()
        })
        .collect();
    let invented = circle(&graph, vec![None; drawn.len()]).expect("there is such a table");
    for (&index, &value) in drawn.iter().zip(&invented) {
        truth.scores.insert((SLICE.0, index), value.into());
    }
    // All 63 are wrong, and every position still equals the best of its successors.
    for index in 0..len {
        assert_eq!(truth.scores[&(SLICE.0, index)], truth.best(SLICE, index), "{index}");
    }

    let dir = place.awari();
    let sound = open_set(&truth.game, std::sync::Arc::new(disk), &dir, 0);
    let header: Header = sound.get(SLICE.0).expect("the table").header().clone();
    drop(sound);
    fs::remove_file(place.file(SLICE.0)).expect("a file");
    let scores: Vec<i8> = (0..len).map(|index| truth.scores[&(SLICE.0, index)] as i8).collect();
    let sealed = pack(&disk, &dir, &header, &PackOptions::default(), &scores).expect("packed");
    let mut manifest = Manifest::load(&disk, &dir).expect("the manifest");
    manifest.record(&sealed);
    manifest.save(&disk, &dir).expect("saved");

    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    let error = run.stdout.lines().last().expect("3 stones");
    assert!(error.starts_with("WRONG   3 stones"), "{error}");
    assert!(error.contains("rests on repeated positions alone and so should be 0"), "{error}");
    assert!(error.contains("63 positions are like this"), "{error}");
}

#[test]
fn a_score_that_is_not_the_best_move_is_refused() {
    let place = Place::with_awari(4);
    let disk = Disk::default();
    let game = Awari::new(6).expect("six pits");
    let dir = place.awari();
    let set = open_set(&game, std::sync::Arc::new(disk), &dir, 0);
    let table = set.get(4).expect("the table");
    let mut scores = vec![0; table.positions() as usize];
    table.read(0, &mut scores).expect("scores");
    let header = table.header().clone();
    drop((table, set));
    scores[700] = if scores[700] == 2 { -2 } else { 2 };
    fs::remove_file(place.file(4)).expect("a file");
    let sealed = pack(&disk, &dir, &header, &PackOptions::default(), &scores).expect("packed");
    let mut manifest = Manifest::load(&disk, &dir).expect("the manifest");
    manifest.record(&sealed);
    manifest.save(&disk, &dir).expect("saved");
    let run = place.run(&["verify", "awari"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    let error = run.stdout.lines().last().expect("4 stones");
    assert!(error.starts_with("WRONG   4 stones") && error.contains("has score"), "{error}");
    assert!(error.contains("delete the file and solve it again"), "{error}");
    assert_eq!(error.matches("delete").count(), 1, "{error}");
}

#[test]
fn a_clipped_file_beside_an_exact_one_is_checked_before_it_is_adopted() {
    let place = Place::with_awari(6);
    place.run(&["solve", "awari", "--stones", "7", "--window", "1"]).success();
    let disk = Disk::default();
    let game = Awari::new(6).expect("six pits");
    let dir = place.awari();
    let clipped = dir.join("awari-07-w1.nut");
    let set = open_set(&game, std::sync::Arc::new(disk), &dir, 0);
    let table = set.get(7).expect("the table");
    let mut scores = vec![0; table.positions() as usize];
    table.read(0, &mut scores).expect("scores");
    let header = table.header().clone();
    drop((table, set));
    let won = scores.iter().position(|&score| score == 1).expect("a win");
    scores[won] = -1;
    fs::remove_file(&clipped).expect("a file");
    pack(&disk, &dir, &header, &PackOptions::default(), &scores).expect("packed");
    // What the best file of the slice says is right; the manifest, which can be deleted at any
    // time, does not know the other one.
    let hidden = place.awari().join("awari-07-w1.hidden");
    fs::rename(&clipped, &hidden).expect("renamed");
    place.run(&["solve", "awari", "--stones", "7"]).success();
    fs::rename(&hidden, &clipped).expect("renamed");
    fs::remove_file(dir.join("manifest.json")).expect("the manifest");
    let run = place.run(&["solve", "awari", "--stones", "7"]);
    assert_eq!(run.code, Some(1), "{} {}", run.stdout, run.stderr);
    assert!(run.stderr.contains("awari-07-w1.nut"), "{}", run.stderr);
}
