//! Where a repetition is worth something: what is claimed after a game is true, and what can be
//! forced is realised. The judge is a search that knows every position of the game.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use nutcracker_game::{Game, Numbering, Random, Rules, Score, SliceId, Step, Turn};
use nutcracker_games::halves::Board;
use nutcracker_games::sowing::{RuleSet, Sowing};
use nutcracker_search::player::{Adviser, Level, Manner, Perfect, Source};
use nutcracker_search::{
    Empty, Engine, EngineOptions, Limits, Oracle, SearchError, Worth, known_bounds,
};

use crate::play::{By, Player, any_position, greedy, moves, random};

/// Lower bounds by slice and rank, as databases have them.
#[derive(Debug)]
struct Bounds(Vec<Vec<Score>>);

impl Oracle for Bounds {
    type Error = Infallible;

    fn covers(&self, _: SliceId) -> bool {
        false
    }

    fn score(&self, slice: SliceId, _: u64) -> Result<Score, Infallible> {
        unreachable!("slice {slice} is not covered")
    }

    fn bounds(&self, slice: SliceId) -> bool {
        (slice.0 as usize) < self.0.len()
    }

    fn lower(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
        Ok(self.0[slice.0 as usize][index as usize])
    }
}

/// Both bounds of all boards by iteration from the least.
fn iterated(game: &Sowing, last: u32) -> Bounds {
    let mut all: Vec<Vec<[Score; 2]>> = Vec::new();
    for slice in (0..=last).map(SliceId) {
        let boards: Vec<Board> =
            (0..game.slice_len(slice)).map(|index| game.unrank(slice, index).unwrap()).collect();
        let steps: Vec<(Option<Score>, Vec<Step<Board>>)> = boards
            .iter()
            .map(|board| {
                let mut steps = Vec::new();
                (game.expand(board, &mut steps), steps)
            })
            .collect();
        all.push(vec![[-game.max_score(slice); 2]; boards.len()]);
        let mut changed = true;
        while changed {
            changed = false;
            for (index, (over, steps)) in steps.iter().enumerate() {
                let through = |step: &Step<Board>| {
                    let [mover, other] = all[step.next.stones()][game.rank(&step.next) as usize];
                    [step.gain + other, mover - step.gain]
                };
                let after: Vec<[Score; 2]> = steps.iter().map(through).collect();
                let forced = match over {
                    Some(score) => [*score, -score],
                    None => [
                        after.iter().map(|[mover, _]| *mover).max().unwrap(),
                        after.iter().map(|[_, other]| *other).min().unwrap(),
                    ],
                };
                let known = &mut all[slice.0 as usize][index];
                changed |= *known != forced;
                *known = forced;
            }
        }
    }
    let lower = |slice: Vec<[Score; 2]>| slice.into_iter().map(|[mover, _]| mover).collect();
    Bounds(all.into_iter().map(lower).collect())
}

/// Oware with six pits and up to 6 seeds.
fn oware() -> (&'static Sowing, &'static Bounds) {
    static SOLVED: OnceLock<(Sowing, Bounds)> = OnceLock::new();
    let (game, bounds) = SOLVED.get_or_init(|| {
        let game = Sowing::new(RuleSet::ABAPA).unwrap();
        let bounds = iterated(&game, 6);
        (game, bounds)
    });
    (game, bounds)
}

/// What the first mover got, and whether a position was repeated.
fn play<G: Game>(
    game: &G,
    start: &G::Position,
    mut history: Vec<G::Position>,
    [first, second]: [&mut dyn Player<G>; 2],
) -> (Score, bool) {
    let (mut position, mut firsts_turn) = (*start, true);
    let mut seen: HashSet<_> =
        history.iter().rev().enumerate().map(|(ago, before)| (*before, ago % 2 == 1)).collect();
    let mut banked = 0;
    loop {
        let sign = if firsts_turn { 1 } else { -1 };
        if !seen.insert((position, firsts_turn)) {
            return (banked + sign * game.repeated(&position), true);
        }
        if let Some(score) = game.outcome(&position) {
            return (banked + sign * score, false);
        }
        let player: &mut dyn Player<G> = if firsts_turn { first } else { second };
        let mv = player.choose(&position, &history);
        let step = game.play(&position, &mv);
        assert_eq!(step.turn, Turn::Passes, "positions of a game alternate here");
        banked += sign * step.gain;
        history.push(position);
        position = step.next;
        firsts_turn = !firsts_turn;
    }
}

/// Repeats a position whenever that is possible, else plays any move.
fn repeater(game: &Sowing, seed: u64) -> impl Player<Sowing> {
    let mut random = Random::new(seed);
    By(move |position: &Board, history: &[Board]| {
        let moves = moves(game, position);
        let seen = |mv: &&u8| {
            let next = game.play(position, mv).next;
            history.iter().rev().step_by(2).any(|before| *before == next)
        };
        let any = moves[random.below(moves.len() as u64) as usize];
        moves.iter().find(seen).copied().unwrap_or(any)
    })
}

/// Plays a perfect player against several kinds of opponents, first and second in turn, after games
/// of random moves or none; checks that it gets what its database says it can force.
fn realises(after: bool, games: u64) -> u64 {
    let (game, bounds) = oware();
    let mut player = Perfect::new(game.clone(), bounds);
    let mut twin = Perfect::new(game.clone(), bounds);
    let mut seeds = Random::new(7);
    let mut repeated = 0;
    for number in 0..games {
        let mut start = any_position(game, 2..=6, &mut seeds);
        let mut history = Vec::new();
        if after {
            (history, start) = wander(game, &start, seeds.below(30), &mut seeds);
        }
        if game.outcome(&start).is_some() {
            continue;
        }
        let forced = if after {
            let values = player.values(&start, &history).unwrap();
            (
                values.iter().map(|valued| valued.value).max().unwrap(),
                values.iter().map(|valued| valued.most).max().unwrap(),
            )
        } else {
            known_bounds(game, bounds, &start).unwrap().unwrap()
        };
        assert!(forced.0 <= forced.1);
        for kind in 0..4 {
            let mut opponent: Box<dyn Player<Sowing> + '_> = match kind {
                0 => Box::new(random(game, number)),
                1 => Box::new(greedy(game, number)),
                2 => Box::new(repeater(game, number)),
                _ => Box::new(By(|position: &Board, history: &[Board]| {
                    twin.choose(position, history).unwrap()
                })),
            };
            let mut perfect =
                By(|position: &Board, history: &[Board]| player.choose(position, history).unwrap());
            let players: [&mut dyn Player<Sowing>; 2] = [&mut perfect, &mut *opponent];
            let (first, again) = play(game, &start, history.clone(), players);
            assert!(first >= forced.0, "{start:?} {history:?} {kind}: {first} {forced:?}");
            assert!(kind < 3 || first <= forced.1, "{start:?} {history:?}: {first} {forced:?}");
            repeated += u64::from(again);
            let players: [&mut dyn Player<Sowing>; 2] = [&mut *opponent, &mut perfect];
            let (first, again) = play(game, &start, history.clone(), players);
            assert!(first <= forced.1, "{start:?} {history:?} {kind}: {first} {forced:?}");
            repeated += u64::from(again);
        }
    }
    repeated
}

/// A position after some random moves, without a repetition, with the positions before it.
fn wander(game: &Sowing, start: &Board, plies: u64, random: &mut Random) -> (Vec<Board>, Board) {
    let (mut history, mut position) = (Vec::new(), *start);
    for _ in 0..plies {
        let moves = moves(game, &position);
        if moves.is_empty() || game.outcome(&position).is_some() {
            break;
        }
        let next = game.play(&position, &moves[random.below(moves.len() as u64) as usize]).next;
        if history.iter().rev().step_by(2).any(|before| *before == next) {
            continue;
        }
        history.push(position);
        position = next;
    }
    (history, position)
}

#[test]
fn what_can_be_forced_is_realised() {
    let repeated = realises(false, 60);
    assert!(repeated > 30, "{repeated} repetitions are too few to mean anything");
}

#[test]
fn what_can_be_forced_after_any_game_is_realised() {
    let repeated = realises(true, 60);
    assert!(repeated > 30, "{repeated} repetitions are too few to mean anything");
}

/// The value of a position after a game, by a search that knows all of it; `None` where the nodes
/// do not suffice.
fn judge(
    game: &Sowing,
    path: &mut Vec<Board>,
    board: &Board,
    (mut alpha, beta): (Score, Score),
    nodes: &mut u64,
) -> Option<Score> {
    *nodes = nodes.checked_sub(1)?;
    let mut steps = Vec::new();
    if let Some(score) = game.expand(board, &mut steps) {
        return Some(score);
    }
    steps.sort_by_key(|step| -step.gain);
    path.push(*board);
    let mut best = Score::MIN;
    for step in steps {
        let inside = step.next.stones() == board.stones();
        let seen = inside && path.iter().rev().skip(1).step_by(2).any(|old| *old == step.next);
        let window = (step.gain - beta, step.gain - alpha);
        let score = if seen {
            Some(game.repeated(&step.next))
        } else if inside {
            judge(game, path, &step.next, window, nodes)
        } else {
            judge(game, &mut Vec::new(), &step.next, window, nodes)
        };
        let Some(score) = score else {
            path.pop();
            return None;
        };
        best = best.max(step.gain - score);
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    path.pop();
    Some(best)
}

/// Wider than any score.
const WINDOW: (Score, Score) = (-99, 99);
/// Enough for the judge in most positions with up to 4 seeds.
const NODES: u64 = 20_000;

/// The positions since the last capture.
fn recent(history: &[Board], position: &Board) -> Vec<Board> {
    let stones = position.stones();
    let recent = history.iter().rev().take_while(|before| before.stones() == stones).count();
    history[history.len() - recent..].to_vec()
}

/// The values of all moves after a game; `None` where the nodes do not suffice for one.
fn judge_moves(game: &Sowing, history: &[Board], position: &Board) -> Option<Vec<(u8, Score)>> {
    let mut path = recent(history, position);
    path.push(*position);
    let value = |mv: u8| {
        let step = game.play(position, &mv);
        let mut path =
            if step.next.stones() == position.stones() { path.clone() } else { Vec::new() };
        let score = if path.iter().rev().skip(1).step_by(2).any(|old| *old == step.next) {
            game.repeated(&step.next)
        } else {
            judge(game, &mut path, &step.next, WINDOW, &mut { NODES })?
        };
        Some((mv, step.gain - score))
    };
    moves(game, position).into_iter().map(value).collect()
}

/// Positions with few seeds after games of random moves, and their values.
fn judged(games: u64, mut visit: impl FnMut(&Board, &[Board], Score)) -> u64 {
    let (game, _) = oware();
    let mut random = Random::new(11);
    let mut judged = 0;
    for _ in 0..games {
        let start = any_position(game, 2..=4, &mut random);
        let plies = random.below(30);
        let (history, position) = wander(game, &start, plies, &mut random);
        let value =
            judge(game, &mut recent(&history, &position), &position, WINDOW, &mut { NODES });
        if let (Some(value), None) = (value, game.outcome(&position)) {
            judged += 1;
            visit(&position, &history, value);
        }
    }
    judged
}

fn allows(worth: Worth, value: Score) -> bool {
    worth.lower.is_none_or(|lower| lower <= value) && worth.upper.is_none_or(|upper| value <= upper)
}

#[test]
fn what_is_claimed_after_a_game_is_true() {
    let (game, bounds) = oware();
    let adviser = Adviser::new(game.clone(), Arc::new(bounds), EngineOptions::default());
    let (mut exact, mut open, mut changed) = (0, 0, 0);
    let judged = judged(600, |position, history, value| {
        let advice = adviser.by_databases(position, history).unwrap().unwrap();
        let worth = advice.value;
        assert!(allows(worth, value), "{position:?} {history:?}: {worth} is not {value}");
        exact += u64::from(worth.is_exact());
        open += u64::from(!worth.is_exact());
        let (lower, upper) = known_bounds(game, bounds, position).unwrap().unwrap();
        changed += u64::from(lower == upper && value != lower);
        assert_eq!(advice.source, Source::Database);
    });
    println!("{judged} positions after games: {exact} exact, {open} with bounds");
    println!("{changed} of those that are exact without history are worth something else");
    assert!(judged > 200 && exact > 50 && open > 10 && changed > 0);
}

/// What is said of a position without history, and of the moves of any position.
#[test]
fn what_is_claimed_of_moves_is_true() {
    let (game, bounds) = oware();
    let adviser = Adviser::new(game.clone(), Arc::new(bounds), EngineOptions::default());
    let (mut exact, mut best, mut all) = (0, 0, 0);
    let mut compare = |position: &Board, history: &[Board]| {
        let Some(truth) = judge_moves(game, history, position) else { return };
        let advice = adviser.by_databases(position, history).unwrap().unwrap();
        let most = truth.iter().map(|(_, value)| *value).max().unwrap();
        assert!(allows(advice.value, most), "{position:?} {history:?}: {} {most}", advice.value);
        for (mv, value) in truth {
            let (_, worth) = advice.values.iter().find(|(other, _)| *other == mv).unwrap();
            assert!(allows(*worth, value), "{position:?} {history:?} {mv}: {worth} is not {value}");
            let is_best = advice.is_best(&mv);
            assert!(is_best.is_none_or(|is_best| is_best == (value == most)), "{position:?}");
            exact += u64::from(worth.is_exact());
            best += u64::from(is_best.is_some());
            all += 1;
        }
    };
    judged(300, |position, history, _| {
        compare(position, history);
        compare(position, &[]);
        let (lower, upper) = known_bounds(game, bounds, position).unwrap().unwrap();
        let alone = adviser.by_databases(position, &[]).unwrap().unwrap().value;
        assert!(alone.lower >= Some(lower) && alone.upper <= Some(upper), "{position:?}: {alone}");
    });
    println!("{all} moves: {exact} exact, of {best} it is known whether one is better");
    assert!(all > 300 && exact > all / 4 && best > all / 4 && exact < all);
}

/// Searches every judged position.
fn searches<O: Oracle<Error: Send + std::fmt::Debug> + Sync>(oracle: O, depth: u32) -> (u64, u64) {
    let (game, _) = oware();
    let options = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
    let mut engine = Engine::new(game.clone(), oracle, options);
    let (mut exact, mut bound) = (0, 0);
    judged(300, |position, history, value| {
        let limits = Limits::depth(depth);
        let found = engine.search(position, history, &limits, &mut |_| ());
        let found = found.map_err(|SearchError::Oracle(error)| error).unwrap().value;
        assert!(allows(found, value), "{position:?} {history:?}: {found} is not {value}");
        exact += u64::from(found.is_exact());
        bound += u64::from(found.lower.is_some() || found.upper.is_some());
        let all = engine.search_all(position, history, &limits);
        let all = all.map_err(|SearchError::Oracle(error)| error).unwrap();
        let all: Vec<Worth> = all.into_iter().map(|(_, worth)| worth).collect();
        let best = Worth::best(&all);
        assert!(allows(best, value), "{position:?} {history:?}: {best} is not {value}");
    });
    (exact, bound)
}

/// Whatever the table holds from other paths, and whether or not databases take part.
#[test]
fn what_a_search_proves_after_a_game_is_true() {
    let (_, Bounds(all)) = oware();
    let small = Bounds(all[..3].to_vec());
    let (exact, bound) = searches(&small, 9);
    assert!(exact > 5 && bound > exact, "{exact} {bound}");
    let (exact, bound) = searches(Empty, 9);
    assert!(exact > 5 && bound > exact, "{exact} {bound}");
}

/// Every choice that an adviser offers goes through the same databases.
#[test]
fn advice_and_choice_agree() {
    let (game, bounds) = oware();
    let mut adviser = Adviser::new(game.clone(), Arc::new(bounds), EngineOptions::default());
    let mut seeds = Random::new(3);
    for _ in 0..50 {
        let start = any_position(game, 2..=6, &mut seeds);
        let (history, position) = wander(game, &start, 10, &mut seeds);
        if game.outcome(&position).is_some() {
            continue;
        }
        let manner = Manner { level: Level::PERFECT, trappy: false };
        let limits = Limits::depth(2);
        let chosen =
            adviser.choose(&position, &history, manner, &mut seeds, &limits, &mut |_| ()).unwrap();
        assert_eq!(chosen.source, Source::Database);
        assert_eq!(chosen.value.lower, chosen.best.lower, "{position:?} {history:?}");
        assert!(chosen.value.upper >= chosen.best.upper || !chosen.best.is_exact());
    }
}
