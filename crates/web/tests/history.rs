//! Values of positions that a line leads to, where a repetition is worth something.

use std::sync::{Arc, OnceLock};

use axum::Router;
use nutcracker_any::{AnyGame, AnyPosition, Options};
use nutcracker_game::{Numbering, Random, Rules, Score, Side, Situation, SliceId};
use nutcracker_games::GAMES;
use nutcracker_retro::{Silent, SolveOptions, folder};
use nutcracker_table::{Disk, Storage};
use nutcracker_web::Config;
use serde_json::Value;

use crate::common::{get, run, server};

/// A server with databases of up to 4 seeds.
fn oware() -> (AnyGame, Router) {
    static DATA: OnceLock<tempfile::TempDir> = OnceLock::new();
    let game = GAMES.game("oware", &Options::new()).expect("oware");
    let data = DATA.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a directory");
        let disk: Arc<dyn Storage> = Arc::new(Disk::default());
        let path = dir.path().join(folder(&game, game.metrics()[0]));
        let slices: Vec<SliceId> = (0..=4).map(SliceId).collect();
        let options = SolveOptions::new(2, "test");
        game.solve_slices(&disk, &path, &slices, &options, &Silent).expect("it is solved");
        dir
    });
    let config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, data.path());
    (game, server(config))
}

/// What a position is worth after a game, by all lines from there; `None` where they are too many.
fn judge(
    game: &AnyGame,
    path: &mut Vec<AnyPosition>,
    at: &AnyPosition,
    (mut alpha, beta): (Score, Score),
    nodes: &mut u64,
) -> Option<Score> {
    *nodes = nodes.checked_sub(1)?;
    if let Some(score) = game.outcome(at) {
        return Some(score);
    }
    let mut steps = Vec::new();
    game.steps(at, &mut steps);
    steps.sort_by_key(|step| -step.gain);
    path.push(*at);
    let mut best = None;
    for step in steps {
        let inside = game.slice_of(&step.next) == game.slice_of(at);
        let seen = path.iter().rev().skip(1).step_by(2).any(|before| *before == step.next);
        let window = (step.gain - beta, step.gain - alpha);
        let score = match (inside, seen) {
            (true, true) => Some(game.repeated(&step.next)),
            (true, false) => judge(game, path, &step.next, window, nodes),
            (false, _) => judge(game, &mut Vec::new(), &step.next, window, nodes),
        };
        let Some(score) = score else {
            path.pop();
            return None;
        };
        best = best.max(Some(step.gain - score));
        alpha = alpha.max(step.gain - score);
        if alpha >= beta {
            break;
        }
    }
    path.pop();
    best
}

fn allows(value: &Value, score: Score) -> bool {
    let bound = |name: &str| value[name].as_i64().expect("a bound");
    let score = i64::from(score);
    bound("lower") <= score && score <= bound("upper")
}

/// A position after some random moves without a repetition: the positions before it, and the names of
/// the moves.
fn wander(
    game: &AnyGame,
    start: Situation<AnyPosition>,
    plies: u64,
    random: &mut Random,
) -> (Situation<AnyPosition>, Vec<AnyPosition>, Vec<String>) {
    let (mut at, mut history, mut names) = (start, Vec::new(), Vec::new());
    for _ in 0..plies {
        let mut moves = Vec::new();
        game.moves(&at.position, &mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len() as u64) as usize];
        let step = game.play(&at.position, &mv);
        if history.iter().rev().step_by(2).any(|before| *before == step.next) {
            continue;
        }
        names.push(game.format_move(&at, &mv, &step));
        history.push(at.position);
        at = game.advance(&at, &step);
    }
    (at, history, names)
}

async fn ask(server: &Router, what: &str, start: &str, moves: &[String]) -> Value {
    let (start, moves) = (start.replace(' ', "%20"), moves.join("%20"));
    let uri = format!("/api/v1/games/oware/{what}?position={start}&moves={moves}");
    let answer = get(server, &uri).await;
    assert_eq!(answer.status, 200, "{uri}: {}", answer.text());
    answer.json()
}

/// After random lines every value is true, and lines and moves agree.
#[test]
fn values_count_the_positions_of_the_line() {
    run(async {
        let (game, server) = oware();
        let mut random = Random::new(5);
        let (mut judged, mut exact, mut changed) = (0, 0, 0);
        for number in 0..200 {
            let slice = SliceId(2 + random.below(3) as u32);
            let board = game.unrank(slice, random.below(game.slice_len(slice)));
            let start = Situation::new(board.expect("a position"), Side::First);
            let plies = random.below(30);
            let (at, history, names) = wander(&game, start, plies, &mut random);
            let start = game.format(&start);
            let found = ask(&server, "moves", &start, &names).await;
            let slice = game.slice_of(&at.position);
            let earlier = |before: &&AnyPosition| game.slice_of(before) != slice;
            let mut path: Vec<AnyPosition> = history.iter().skip_while(earlier).copied().collect();
            if let Some(score) = judge(&game, &mut path, &at.position, (-99, 99), &mut 10_000) {
                assert!(allows(&found["value"], score), "{score} after {names:?}: {found}");
                judged += 1;
                exact += u32::from(found["value"]["exact"] == true);
                let alone = ask(&server, "moves", &game.format(&at), &[]).await;
                changed += u32::from(!allows(&alone["value"], score));
            }
            let is_exact = found["value"]["exact"] == true;
            assert_eq!(found["forced"].is_null(), is_exact, "bounds are told in words: {found}");
            let line = ask(&server, "line", &start, &names).await;
            let nodes = line["nodes"].as_array().expect("nodes");
            assert_eq!(nodes[names.len()]["value"], found["value"], "{start} {names:?}");
            let Some(ply) = names.len().checked_sub(1).filter(|_| number % 4 == 0) else {
                continue;
            };
            let before = ask(&server, "moves", &start, &names[..ply]).await;
            let moves = before["moves"].as_array().expect("moves");
            let choice = moves.iter().find(|one| one["move"] == *names[ply]).expect("that move");
            for what in ["value", "best", "loses", "outcome"] {
                assert_eq!(nodes[ply]["played"][what], choice[what], "{start} {names:?}");
            }
        }
        println!("{judged} positions, {exact} exact, {changed} not what they are without history");
        assert!(judged > 50 && exact > 20 && changed > 0, "{judged} {exact} {changed}");
    });
}
