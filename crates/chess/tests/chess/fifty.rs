//! The rule of fifty moves in endings of five men, compared with J. Tamplin and G. Haworth, Chess
//! Endgames: Data and Strategy (2003). The databases are in the directory that `CHESS` names.

use std::sync::Arc;

use nutcracker_chess::{Chess, ChessPosition};
use nutcracker_game::{Metric, Numbering, Rules, Situation, SliceId, Step, WinDistance, find_move};
use nutcracker_retro::open_metric;
use nutcracker_table::{Disk, Storage};

use super::five::built;
use super::solved::{values, weight};

const FIFTY: Metric = Metric::DtzIn(50);

/// The values of an ending without a rule and under it.
struct Values {
    slice: SliceId,
    free: Vec<i8>,
    ruled: Vec<i8>,
}

impl Values {
    fn read(name: &str) -> Self {
        let slice = Chess.slice_named(name).expect("an ending");
        let [free, ruled] =
            [Metric::Dtz, FIFTY].map(|metric| values(slice, metric, &built(metric)));
        Values { slice, free, ruled }
    }

    /// Makes draws into losses in fifty moves, as they are printed, where every move loses under the
    /// rule. The winner has made fifty moves then and the loser has to zero as the 101st ply; by the
    /// laws of chess the loser may claim a draw before that, so ours are draws. Returns how many
    /// there are.
    fn count_winners_moves_only(&mut self) -> u64 {
        let (mut late, mut steps) = (Vec::new(), Vec::new());
        for index in 0..self.free.len() {
            if self.free[index] >= 0 || self.ruled[index] != 0 {
                continue;
            }
            let Some(position) = Chess.unrank(self.slice, index as u64) else { continue };
            steps.clear();
            Chess.steps(&position, &mut steps);
            let loses = |step: &Step<ChessPosition>| {
                Chess.slice_of(&step.next) == self.slice
                    && self.ruled[Chess.rank(&step.next) as usize] > 0
            };
            if steps.iter().all(loses) {
                late.push((index, weight(&position)));
            }
        }
        for &(index, _) in &late {
            self.ruled[index] = 50 - 127;
        }
        late.iter().map(|(_, weight)| weight).sum()
    }
}

/// Wins of a side that the rule turns into draws with the first side and with the second to move,
/// then wins that it delays; each as a number and as a percentage of all wins.
fn impact(values: &Values, first_wins: bool) -> [(u64, String); 4] {
    let Values { slice, free, ruled } = values;
    let slice = *slice;
    let (mut wins, mut counts) = ([0; 2], [0; 4]);
    for (mover, part) in Chess.parts(slice).iter().enumerate() {
        for index in part.range.clone() {
            let distance = |values: &[i8]| Metric::Dtz.distance(values[index as usize].into());
            let Some(free) = distance(free) else { continue };
            if free.wins != (first_wins == (mover == 0)) {
                continue;
            }
            let Some(position) = Chess.unrank(slice, index) else { continue };
            let weight = weight(&position);
            wins[mover] += weight;
            match distance(ruled) {
                None => counts[mover] += weight,
                Some(ruled) if ruled != free => counts[2 + mover] += weight,
                Some(_) => {}
            }
        }
    }
    [0, 1, 2, 3].map(|place| {
        let percentage = 100.0 * counts[place] as f64 / wins[place % 2] as f64;
        let text = match format!("{percentage:.2}") {
            _ if counts[place] == 0 => "0".to_owned(),
            small if small == "0.00" => "E".to_owned(),
            text => text,
        };
        (counts[place], text)
    })
}

/// Compares the rows of an ending.
fn compare(name: &str, values: &Values) {
    let mut wrong = Vec::new();
    for line in include_str!("fifty.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().filter(|&word| word != "|").collect();
        if words[0].to_lowercase() != name {
            continue;
        }
        let expected =
            [0, 1, 2, 3].map(|place| (words[2 + place].parse().unwrap(), words[6 + place].into()));
        let found = impact(values, words[1] == "1-0");
        if found != expected {
            wrong.push(format!("{name} {}: {found:?}, published {expected:?}", words[1]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Also published, of the knights' wins with the other side to move: 12,023 take fifty moves, the most
/// there are. They are all of those that end with a ply too many.
#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn wins_that_the_rule_takes_or_delays_with_two_knights() {
    let mut values = Values::read("knnkp");
    let longest = |values: &Values| {
        let lost = values.ruled[Chess.parts(values.slice)[1].range.start as usize..].iter();
        lost.filter(|&&value| value < 0).max().map(|value| 127 + i16::from(*value))
    };
    assert_eq!(longest(&values), Some(49));
    assert_eq!(values.count_winners_moves_only(), 12_023);
    compare("knnkp", &values);
    drop(values);

    let mut values = Values::read("knnkq");
    assert_eq!(values.count_winners_moves_only(), 0);
    compare("knnkq", &values);
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn wins_that_the_rule_takes_from_rook_and_bishop() {
    let mut values = Values::read("krbkr");
    assert_eq!(values.count_winners_moves_only(), 0);
    compare("krbkr", &values);
}

/// What a database has for a position.
fn distance(position: &ChessPosition, metric: Metric) -> Option<WinDistance> {
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
    let set = open_metric(&Chess, Some(metric), disk, &built(metric), 1 << 20);
    let mut value = [0];
    let table = set.get(Chess.slice_of(position).0).unwrap();
    table.read(Chess.rank(position), &mut value).unwrap();
    metric.distance(value[0].into())
}

fn read(board: &str, mover: &str) -> Situation<ChessPosition> {
    Chess.parse(&format!("{board} {mover} - -")).unwrap()
}

/// Compares positions of an ending in some metrics; plies are moves of the winner, who makes the
/// first or the second of them.
fn compare_positions(ending: &str, metrics: &[Metric]) {
    let all = [Metric::Dtc, Metric::Dtw, Metric::Dth(0), Metric::Dtz, FIFTY];
    let mut wrong = Vec::new();
    for line in include_str!("positions.txt").lines().filter(|line| line.starts_with(ending)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let position = read(words[2], words[3]).position;
        let wins = (words[1] == "1-0") == (words[3] == "w");
        for (metric, plies) in all.into_iter().zip(&words[4..]) {
            if !metrics.contains(&metric) || *plies == "?" {
                continue;
            }
            let moves = |plies: u16| WinDistance {
                wins,
                moves: if wins { plies.div_ceil(2) } else { plies / 2 },
            };
            let expected = plies.parse().ok().map(moves);
            let found = distance(&position, metric);
            if found != expected {
                wrong.push(format!("{line} in {metric}: {found:?}, published {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn positions_of_two_knights() {
    compare_positions("NN", &[Metric::Dtc, Metric::Dtw, Metric::Dth(0), Metric::Dtz, FIFTY]);
}

/// By our solver, where the print has 44 and, as not certain, 50 moves. Under a rule of one move less
/// both are drawn.
#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn rules_that_were_not_certain() {
    for (board, rule) in [("8/8/8/8/2K3Np/7N/3k4/8", 46), ("8/8/1N6/p7/8/4N3/8/K1k5", 49)] {
        let position = read(board, "w").position;
        let found = distance(&position, Metric::Dth(0));
        assert_eq!(found, Some(WinDistance { wins: true, moves: rule }), "{board}");
        assert_eq!(distance(&position, Metric::DtzIn(rule as u8 - 1)), None, "{board}");
    }
}

#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn positions_of_rook_and_bishop() {
    compare_positions("RB", &[Metric::Dtc, Metric::Dtw, Metric::Dth(0), Metric::Dtz]);
}

/// The position after a move.
fn after(situation: &Situation<ChessPosition>, name: &str) -> Situation<ChessPosition> {
    let place = find_move(&Chess, situation, name).unwrap();
    let mut moves = Vec::new();
    Chess.moves(&situation.position, &mut moves);
    Chess.advance(situation, &Chess.play(&situation.position, &moves[place]))
}

/// Whether no move is nearer to what a metric counts to.
fn is_nearest(situation: &Situation<ChessPosition>, name: &str, metric: Metric) -> bool {
    let rest = distance(&after(situation, name).position, metric);
    let whole = distance(&situation.position, metric).unwrap().moves;
    rest.is_some_and(|rest| !rest.wins && rest.moves + 1 == whole)
}

/// A move that is nearest by other metrics gives the win away under the rule; another one keeps it.
#[test]
#[ignore = "needs databases that take hours; scripts/test-long builds them"]
fn moves_that_only_draw_under_the_rule() {
    let first = read("8/8/8/8/2K3Np/7N/3k4/8", "w");
    for metric in [Metric::Dtc, Metric::Dtw, Metric::Dtz] {
        assert!(is_nearest(&first, "Ng1", metric), "{metric}");
    }
    let drawn = after(&first, "Ng1");
    assert_eq!(distance(&drawn.position, FIFTY), None);
    assert_eq!(distance(&after(&drawn, "h3").position, FIFTY), None);
    assert!(is_nearest(&first, "Ngf2", FIFTY));

    let second = read("8/8/1N6/p7/8/4N3/8/K1k5", "w");
    assert!(is_nearest(&second, "Nbc4", Metric::Dtz));
    assert_eq!(distance(&after(&second, "Nbc4").position, FIFTY), None);
    assert!(is_nearest(&second, "Na4", FIFTY));
}
