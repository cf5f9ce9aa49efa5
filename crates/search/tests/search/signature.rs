//! The node counts of fixed searches with one thread.
//!
//! A change that is meant to keep the search as it is must keep these numbers; a change that is
//! meant to alter it replaces them.

use std::fmt::Debug;
use std::sync::Arc;

use nutcracker_game::{Evaluate, Game, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::othello::Othello;
use nutcracker_proof::Goal;
use nutcracker_retro::{Silent, SolveOptions, open_set, solve};
use nutcracker_search::{
    Empty, Engine, EngineOptions, ExactLimits, Limits, Oracle, Prover, TableOracle, exact_value,
};
use nutcracker_table::{Disk, Storage};

use crate::replay;

/// Nodes, probes, value in hundredths and best move of a search from the position of `text`, or
/// from the start position.
fn alphabeta<G: Evaluate, O: Oracle<Error: Send + Debug> + Sync>(
    game: &G,
    oracle: O,
    text: &str,
    depth: u32,
) -> String {
    let at = if text.is_empty() { game.start() } else { game.parse(text).unwrap() };
    let options = EngineOptions { table_bytes: 32 << 20, ..EngineOptions::default() };
    let mut engine = Engine::new(game.clone(), oracle, options);
    let report = engine.search(&at.position, &[], &Limits::depth(depth), &mut |_| ()).unwrap();
    let best = report.best().unwrap();
    let step = game.play(&at.position, &best);
    format!(
        "{} nodes {} probes {} {}",
        report.nodes,
        report.probes,
        report.value.hundredths(),
        game.format_move(&at, &best, &step)
    )
}

#[test]
fn alphabeta_visits_the_pinned_number_of_nodes() {
    let awari = Awari::new(6).unwrap();
    let kalah = Kalah::new(6, 4, false).unwrap();
    let othello = Othello::new(8).unwrap();
    let counts = [
        alphabeta(&awari, Empty, "", 12),
        alphabeta(&awari, Empty, "0,0,1,0,3,1/2,1,1,0,0,0 S", 24),
        alphabeta(&kalah, Empty, "", 13),
        alphabeta(&othello, Empty, "", 10),
    ];
    assert_eq!(
        counts,
        [
            "166694 nodes 0 probes 125 F4",
            "10353 nodes 0 probes 100 E3x5",
            "55807 nodes 0 probes 828 C4x1+",
            "40164 nodes 0 probes 148 d3",
        ]
    );
}

#[test]
fn alphabeta_over_databases_visits_the_pinned_number_of_nodes() {
    let awari = Awari::new(3).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(Disk::default());
    let options = SolveOptions::new(1, "test");
    solve(&awari, &storage, dir.path(), SliceId(6), &options, &Silent).unwrap();
    let set = Arc::new(open_set(&awari, storage, dir.path(), 1 << 20));
    let oracle = TableOracle::new(set).unwrap();
    assert_eq!(alphabeta(&awari, &oracle, "", 20), "115630 nodes 194 probes 16 C4");
}

#[test]
fn proof_search_expands_the_pinned_number_of_nodes() {
    let kalah = Kalah::new(3, 3, false).unwrap();
    let othello = Othello::new(4).unwrap();
    assert_eq!(proof(&kalah, Goal::AtLeast(1)), "true 371 nodes, proof of 47");
    assert_eq!(proof(&kalah, Goal::AtMost(5)), "true 545 nodes, proof of 133");
    let kalah = kalah.playing_on();
    assert_eq!(proof(&kalah, Goal::AtLeast(1)), "true 422 nodes, proof of 64");
    assert_eq!(proof(&kalah, Goal::AtMost(5)), "true 562 nodes, proof of 140");
    assert_eq!(proof(&othello, Goal::AtLeast(-8)), "false 660 nodes, proof of 130");
}

fn proof<G: Game>(game: &G, goal: Goal) -> String {
    let limits = ExactLimits { table_bytes: 32 << 20, ..ExactLimits::default() };
    let mut prover = Prover::new(game, &Empty, limits);
    let start = game.start().position;
    let (yes, file) = replay::proof(game, &mut prover, &Empty, &start, goal).unwrap();
    let checked = replay::check(game, &Empty, &file).unwrap();
    format!("{yes} {} nodes, proof of {}", prover.nodes(), checked.nodes)
}

#[test]
fn exact_search_expands_the_pinned_number_of_nodes() {
    let kalah = Kalah::new(4, 3, false).unwrap();
    assert_eq!(exact(&kalah), "20141 nodes, score 6, 1 best");
    assert_eq!(exact(&kalah.playing_on()), "20576 nodes, score 6, 1 best");
    assert_eq!(exact(&Othello::new(4).unwrap()), "3784 nodes, score -10, 4 best");
}

fn exact<G: Game>(game: &G) -> String {
    let limits = ExactLimits { table_bytes: 32 << 20, ..ExactLimits::default() };
    let solved = exact_value(game, &game.start().position, &Empty, &limits).unwrap().unwrap();
    format!("{} nodes, score {}, {} best", solved.nodes, solved.score, solved.best.len())
}
