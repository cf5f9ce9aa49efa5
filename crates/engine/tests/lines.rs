//! Several lines and selected moves, over the protocol.

use std::sync::Arc;

use nutcracker_engine::grammar::{Answer, Info};
use nutcracker_engine::{Identity, Searcher, Settings, serve};
use nutcracker_game::Evaluate;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::{Empty, EngineOptions, Oracle};

use crate::contest::All;

/// What our search answers to a script: its reports, and the best move.
fn answers<G: Evaluate, O>(game: G, oracle: O, script: &str) -> (Vec<Info>, String)
where
    O: Oracle<Error: std::error::Error + Send + 'static> + Send + Sync,
{
    let search = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
    let settings = Settings { search, ..Settings::default() };
    let player = Searcher::new(game.clone(), Arc::new(oracle), "test", settings);
    let identity = Identity { name: "Test".to_owned(), author: "Tester".to_owned() };
    let mut output = Vec::new();
    serve(game, player, &identity, None, script.as_bytes(), &mut output).expect("nothing fails");
    let output = String::from_utf8(output).expect("text");
    let (mut reports, mut best) = (Vec::new(), String::new());
    for answer in output.lines().filter_map(Answer::parse) {
        match answer {
            Answer::Info(info) => reports.push(info),
            Answer::BestMove { best: Some(mv), .. } => best = mv,
            _ => {}
        }
    }
    (reports, best)
}

fn awari() -> Awari {
    Awari::new(6).expect("six pits")
}

fn hundredths(info: &Info) -> i32 {
    info.score.expect("a score").hundredths
}

#[test]
fn several_lines() {
    let script = "setoption name MultiPV value 3\ngo depth 4\n";
    let (reports, best) = answers(awari(), Empty, script);
    let told: Vec<_> = reports.iter().map(|info| (info.depth, info.multipv)).collect();
    let expected: Vec<_> =
        (1..=4).flat_map(|depth| (1..=3).map(move |rank| (Some(depth), Some(rank)))).collect();
    assert_eq!(told, expected);
    let last = &reports[9..];
    assert!(last.windows(2).all(|pair| hundredths(&pair[0]) >= hundredths(&pair[1])));
    assert_eq!(last[0].pv[0], best);
    assert!(last[0].pv[0] != last[1].pv[0] && last[1].pv[0] != last[2].pv[0]);
    // The best line is that of a search for one line, which says nothing of ranks.
    let (one, alone) = answers(awari(), Empty, "go depth 4\n");
    assert_eq!((one.len(), one[3].multipv, alone), (4, None, best));
    assert_eq!((&one[3].pv, one[3].score), (&last[0].pv, last[0].score));
}

#[test]
fn selected_moves() {
    let (reports, best) = answers(awari(), Empty, "go searchmoves A Z9 b4 depth 3\n");
    let complaint = reports[0].text.as_deref().expect("a remark");
    assert!(complaint.starts_with("searchmoves: \"Z9\" is not a legal move"), "{complaint}");
    assert_eq!(reports.len(), 4);
    assert!(["A4", "B4"].contains(&best.as_str()), "{best}");
    // At any level.
    let level = "setoption name Level value 1\ngo depth 1 searchmoves C\n";
    assert_eq!(answers(awari(), Empty, level).1, "C4");
}

#[test]
fn databases_rank_all_moves() {
    let kalah = Kalah::new(2, 2, false).expect("kalah");
    let oracle = || All(kalah.clone());
    let script = "setoption name MultiPV value 9\ngo depth 1\n";
    let (reports, best) = answers(kalah.clone(), oracle(), script);
    let told: Vec<_> = reports.iter().map(|info| (info.multipv, info.pv.len())).collect();
    assert_eq!(told, [(Some(1), 1), (Some(2), 1)], "one for each legal move");
    assert!(reports.iter().all(|info| info.score.is_some_and(|score| score.proven)));
    assert!(hundredths(&reports[0]) > hundredths(&reports[1]));
    assert_eq!(best, reports[0].pv[0]);
    let other = &reports[1].pv[0];
    let (reports, best) = answers(kalah.clone(), oracle(), &format!("go searchmoves {other}\n"));
    assert_eq!((&best, reports.len()), (other, 1));
}
