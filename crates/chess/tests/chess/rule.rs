//! Endings under a rule of N moves, compared with a solver that has the clock in its positions.

use nutcracker_chess::{Chess, ChessPosition};
use nutcracker_game::{Metric, Numbering, Rules, SliceId, Step};

use super::solved::{row, solve, values};

/// Where a move leads: a number of the ending, or of a smaller one.
#[derive(Clone, Copy)]
enum To {
    Quiet(u32),
    Zeroing(u32),
    Smaller(u16, u32),
}

/// An ending as a list of moves.
struct Graph {
    slice: SliceId,
    /// By position: the end of its moves in the list; holes have none.
    ends: Vec<u32>,
    moves: Vec<To>,
    /// Positions in which the side to move is mated.
    mated: Vec<bool>,
}

impl Graph {
    fn new(slice: SliceId) -> Self {
        let len = Chess.slice_len(slice) as usize;
        let (mut ends, mut mated) = (Vec::with_capacity(len), vec![false; len]);
        let (mut moves, mut steps) = (Vec::new(), Vec::<Step<ChessPosition>>::new());
        for (index, mated) in (0..).zip(&mut mated) {
            if let Some(position) = Chess.unrank(slice, index) {
                steps.clear();
                Chess.steps(&position, &mut steps);
                *mated = Chess.outcome(&position) == Some(-1);
                moves.extend(steps.iter().map(|step| {
                    let (to, next) = (Chess.slice_of(&step.next), Chess.rank(&step.next) as u32);
                    match (to == slice, step.zeroes) {
                        (true, false) => To::Quiet(next),
                        (true, true) => To::Zeroing(next),
                        (false, _) => To::Smaller(to.0 as u16, next),
                    }
                }));
            }
            ends.push(moves.len() as u32);
        }
        Graph { slice, ends, moves, mated }
    }

    fn moves(&self, index: usize) -> &[To] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.moves[start as usize..self.ends[index] as usize]
    }

    /// Who wins each position under a rule of `limit` moves, with no ply on the clock; and for how
    /// many plies on the clock that stays so. `smaller` has who wins in smaller endings.
    fn solve(&self, limit: usize, smaller: &[Vec<i8>]) -> (Vec<i8>, Vec<u8>) {
        let len = self.ends.len();
        let mut fresh = vec![0; len];
        loop {
            let mut until = vec![0; len];
            // With the clock at its end, a game that is not over is drawn.
            let mut next: Vec<i8> = self.mated.iter().map(|&mated| -i8::from(mated)).collect();
            for clock in (0..2 * limit).rev() {
                let mut now = vec![0; len];
                for index in 0..len {
                    let value = |to: &To| match *to {
                        To::Quiet(to) => -next[to as usize],
                        To::Zeroing(to) => -fresh[to as usize],
                        To::Smaller(slice, to) => -smaller[usize::from(slice)][to as usize],
                    };
                    let best = self.moves(index).iter().map(value).max();
                    now[index] = best.unwrap_or(-i8::from(self.mated[index]));
                    if now[index] != 0 && until[index] == 0 {
                        until[index] = clock as u8;
                    }
                }
                next = now;
            }
            if next == fresh {
                return (fresh, until);
            }
            fresh = next;
        }
    }
}

/// The endings up to one, each after those that it needs.
fn endings(name: &str) -> Vec<SliceId> {
    let mut all = nutcracker_game::closure(&Chess, Chess.select(name).unwrap());
    all.sort_unstable();
    all
}

/// Compares `dtzN` for some N, and the smallest N for which an ending is won where all are given.
fn compare(name: &str, limits: impl Iterator<Item = usize> + Clone, smallest: bool) {
    let slices = endings(name);
    let graphs: Vec<Graph> = slices.iter().map(|&slice| Graph::new(slice)).collect();
    let count = slices.iter().map(|slice| slice.0 as usize + 1).max().unwrap();
    let mut rules: Vec<Vec<i8>> = graphs.iter().map(|graph| vec![0; graph.ends.len()]).collect();
    for limit in limits.clone() {
        let dir = tempfile::tempdir().unwrap();
        let metric = Metric::DtzIn(limit as u8);
        solve(name, metric, dir.path());
        let mut winners = vec![Vec::new(); count];
        for (graph, rules) in graphs.iter().zip(&mut rules) {
            let (fresh, until) = graph.solve(limit, &winners);
            let found = values(graph.slice, metric, dir.path());
            for index in 0..fresh.len() {
                let plies = 2 * limit as i16 - i16::from(until[index]);
                let expected = match fresh[index] {
                    _ if graph.mated[index] => -127,
                    1 => 128 - (plies + 1) / 2,
                    -1 => plies / 2 - 127,
                    _ => 0,
                };
                let is_hole = Chess.unrank(graph.slice, index as u64).is_none();
                assert!(
                    is_hole || i16::from(found[index]) == expected,
                    "{} {index} under {limit}: {} not {expected}",
                    graph.slice,
                    found[index]
                );
                if rules[index] == 0 && fresh[index] != 0 {
                    rules[index] = match fresh[index] {
                        _ if graph.mated[index] => -127,
                        1 => (128 - limit) as i8,
                        _ => (limit as i16 - 127) as i8,
                    };
                }
            }
            winners[graph.slice.0 as usize] = fresh;
        }
    }
    if smallest {
        compare_rules(name, &graphs, &rules, limits.max().unwrap());
    }
}

/// Compares the smallest rules, and those above a rule of four moves.
fn compare_rules(name: &str, graphs: &[Graph], rules: &[Vec<i8>], most: usize) {
    let dirs = [Metric::Dth(0), Metric::Dth(4), Metric::DtzIn(4)].map(|metric| {
        let dir = tempfile::tempdir().unwrap();
        solve(name, metric, dir.path());
        (metric, dir)
    });
    for (graph, rules) in graphs.iter().zip(rules) {
        let [rule, hybrid, limited] =
            dirs.each_ref().map(|(metric, dir)| values(graph.slice, *metric, dir.path()));
        for index in 0..rules.len() {
            if Chess.unrank(graph.slice, index as u64).is_none() {
                continue;
            }
            let found = Metric::Dth(0).distance(rule[index].into());
            if found.is_none_or(|found| usize::from(found.moves) <= most) {
                assert_eq!(rule[index], rules[index], "{} {index}", graph.slice);
            } else {
                assert_eq!(rules[index], 0, "{} {index}", graph.slice);
            }
            let expected = if limited[index] != 0 { limited[index] } else { rule[index] };
            assert_eq!(hybrid[index], expected, "{} {index}", graph.slice);
        }
    }
}

#[test]
fn three_men_under_a_rule_of_three_moves() {
    compare("kpk", 3..4, false);
}

#[test]
#[ignore = "takes a minute; scripts/test-long runs it"]
fn three_men_under_rules_of_up_to_twelve_moves() {
    compare("kpk", 1..13, true);
}

/// Captures and pawns' moves of both sides, and losers that have to zero at the last ply.
#[test]
#[ignore = "takes minutes; scripts/test-long runs it"]
fn four_men_under_rules_of_five_to_fifteen_moves() {
    compare("kqkr", [5, 9, 15].into_iter(), false);
    compare("kpkp", [5, 10].into_iter(), false);
}

/// Table 3 of the paper of dtc.txt: the deepest wins under the rule of fifty moves.
#[test]
#[ignore = "takes an hour; scripts/test-long runs it"]
fn two_knights_against_a_pawn_under_the_rule_of_fifty_moves() {
    let dir = tempfile::tempdir().unwrap();
    let metric = Metric::DtzIn(50);
    solve("knnkp", metric, dir.path());
    let slice = Chess.slice_named("knnkp").unwrap();
    let expected = [(60_080, 50), (12_023, 50), (1, 11), (1, 11)].map(Some);
    assert_eq!(row(slice, metric, dir.path()), expected);
}
