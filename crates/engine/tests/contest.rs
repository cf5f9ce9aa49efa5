//! Games between players, and their analysis.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use nutcracker_engine::record::{Outcome, Record};
use nutcracker_engine::{
    Analyser, Blind, Contest, Loss, MoveLimits, Played, Player, PlayerError, Request, Searcher,
    Seat, Settings, Tally, Thought, level_openings,
};
use nutcracker_game::{Game, Numbering, Rules, Score, Side, SliceId, Turn};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::player::Source;
use nutcracker_search::{Empty, EngineOptions, Limits, Oracle};

fn kalah() -> Kalah {
    Kalah::new(3, 2, false).expect("kalah")
}

fn small() -> Settings {
    let search = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
    Settings { search, ..Settings::default() }
}

fn searcher<G: nutcracker_game::Evaluate>(game: &G) -> Searcher<G, Empty> {
    Searcher::new(game.clone(), Arc::new(Empty), "search", small())
}

#[test]
fn a_game_is_recorded_as_it_was_played() {
    let game = kalah();
    let (mut deep, mut blind) = (searcher(&game), Blind::new(3));
    let seats =
        [Seat::new(&mut deep, MoveLimits::depth(3)), Seat::new(&mut blind, MoveLimits::depth(1))];
    let finished = Contest::default().play(Played::from_start(game.clone()), seats);
    assert!(finished.fault.is_none() && finished.played.ending().is_some());
    let record = finished.record("pits=3,seeds=2", ["deep", "blind"]);
    let read = Record::parse_all(&record.to_string()).expect("a record");
    assert_eq!(read, [record]);
    assert_eq!(read[0].outcome, finished.outcome);
    let again = Played::replay(game, &read[0]).expect("it can be replayed");
    assert_eq!(again.moves(), finished.played.moves());
    assert_eq!(again.final_points(), finished.played.final_points());
}

#[test]
fn a_deeper_search_wins() {
    let game = Awari::new(6).expect("six pits");
    let openings = level_openings(&game, 12, 3, 5, &mut |_| Ok::<_, Infallible>(0)).expect("some");
    let mut tally = Tally::default();
    for opening in openings {
        let (mut deep, mut shallow) = (searcher(&game), searcher(&game));
        let mut pair = Vec::new();
        for deep_first in [true, false] {
            let deep = Seat::new(&mut deep, MoveLimits::depth(5));
            let shallow = Seat::new(&mut shallow, MoveLimits::depth(1));
            let seats = if deep_first { [deep, shallow] } else { [shallow, deep] };
            let result = Contest::default().play(opening.clone(), seats).result();
            pair.push(if deep_first { result } else { 1.0 - result });
        }
        tally.add_pair(&pair);
    }
    assert!(tally.is_significant() && tally.elo().low > 0.0, "{tally:?}");
}

#[test]
fn clocks_and_limits_end_games() {
    /// A player that ignores its clock.
    struct Slow;
    impl<G: Game> Player<G> for Slow {
        fn name(&self) -> String {
            "slow".to_owned()
        }
        fn choose(&mut self, request: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
            std::thread::sleep(Duration::from_millis(60));
            Ok(Thought::only(request.played.legal()[0]))
        }
    }
    let game = Awari::new(6).expect("six pits");
    let play = |contest: Contest| {
        let (mut slow, mut blind) = (Slow, Blind::new(1));
        let seats = [
            Seat::new(&mut blind, MoveLimits::depth(1)),
            Seat::new(&mut slow, MoveLimits::depth(1)),
        ];
        contest.play(Played::from_start(game.clone()), seats)
    };
    let timed = Contest { control: "0.05s/move".parse().ok(), ..Contest::default() };
    let lost = play(timed);
    assert_eq!(lost.outcome, Outcome::First);
    assert!(lost.why.starts_with("north loses: time: the move took 0.0"), "{}", lost.why);
    let short = play(Contest { longest: 3, ..Contest::default() });
    assert_eq!((short.played.moves().len(), short.fault.is_none()), (3, true));
    let turns = Contest { control: "arimaa:1/1/100/0/2t".parse().ok(), ..Contest::default() };
    assert_eq!(play(turns).played.moves().len(), 4);
}

/// Every score of a small game, by plain recursion.
pub struct All(pub Kalah);

impl All {
    fn value(&self, position: &<Kalah as Rules>::Position) -> Score {
        if let Some(score) = self.0.outcome(position) {
            return score;
        }
        let mut steps = Vec::new();
        self.0.steps(position, &mut steps);
        let worth = steps.iter().map(|step| step.value(self.value(&step.next)));
        worth.max().expect("a move")
    }
}

impl Oracle for All {
    type Error = Infallible;

    fn covers(&self, slice: SliceId) -> bool {
        slice <= SliceId(8)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
        Ok(self.value(&self.0.unrank(slice, index).unwrap()))
    }
}

#[test]
fn losses_add_up() {
    // With exact values, the losses of both sides lead from the value of the game to its result.
    let game = Kalah::new(2, 2, false).expect("kalah");
    for seed in 0..20 {
        let (mut a, mut b) = (Blind::new(seed), Blind::new(seed + 100));
        let seats =
            [Seat::new(&mut a, MoveLimits::depth(1)), Seat::new(&mut b, MoveLimits::depth(1))];
        let finished = Contest::default().play(Played::from_start(game.clone()), seats);
        let oracle = All(game.clone());
        let worth = i32::from(oracle.value(&game.start().position));
        let mut analyser = Analyser::new(game.clone(), Arc::new(oracle), EngineOptions::default());
        let mut reported = 0;
        let analysis = analyser
            .analyse(&finished.played, &Limits::depth(1), &mut |_| reported += 1)
            .expect("no error");
        assert_eq!(reported, finished.played.moves().len());
        assert!(analysis.moves.iter().all(|evaluated| evaluated.source == Source::Database));
        assert!(analysis.moves.iter().all(|evaluated| matches!(evaluated.loss, Loss::Exact(0..))));
        let lost = analysis.lost(Side::Second) - analysis.lost(Side::First);
        let margin = analysis.margin.expect("the game ended");
        assert_eq!(worth + lost as i32, margin, "seed {seed}");
        // The side with a worse outcome than the value of the game made the decisive move.
        if margin.signum() < worth.signum() {
            let decision = analysis.decision().expect("a decisive error");
            assert!(decision.to < decision.from);
        }
    }
}

/// Whatever limit ends the search, the move played and the best one are searched to one depth.
#[test]
fn moves_are_compared_at_one_depth() {
    let game = Awari::new(6).expect("six pits");
    for name in ["A", "E", "F"] {
        let mut played = Played::from_start(game.clone());
        played.play_named(name).expect("a move");
        let judge = |limits: &Limits<'_>| {
            let options = EngineOptions { table_bytes: 1 << 20, ..EngineOptions::default() };
            let mut analyser = Analyser::new(game.clone(), Arc::new(Empty), options);
            let mut analysis = analyser.analyse(&played, limits, &mut |_| ()).expect("no error");
            analysis.moves.swap_remove(0)
        };
        for nodes in [0, 1, 500, 1000, 2000, 4000, 8000] {
            let cut = judge(&Limits::nodes(nodes));
            let Source::Search { depth } = cut.source else { panic!("a guess: {cut:?}") };
            assert!(depth > 0, "{nodes} nodes");
            assert_eq!(cut, judge(&Limits::depth(depth)), "{name}, {nodes} nodes");
        }
    }
}

#[test]
fn opening_moves_are_not_errors() {
    let game = Kalah::new(2, 2, false).expect("kalah");
    let mut played = Played::from_start(game.clone());
    while played.ending().is_none() {
        played.play(*played.legal().last().expect("a move"));
    }
    let mut analyser = Analyser::new(game, Arc::new(Empty), EngineOptions::default());
    let mut analysis = analyser.analyse(&played, &Limits::depth(40), &mut |_| ()).expect("some");
    let all = [Side::First, Side::Second].map(|side| analysis.errors(side, 0.0)).concat();
    let last = *all.iter().max().expect("an error");
    analysis.opening = last + 1;
    for side in [Side::First, Side::Second] {
        assert!(analysis.errors(side, 0.0).is_empty() && analysis.lost(side) == 0.0);
    }
    assert_eq!(analysis.decision(), None);
}

#[test]
fn search_and_databases_agree() {
    let game = Kalah::new(2, 2, false).expect("kalah");
    let mut played = Played::from_start(game.clone());
    let mut exact =
        Analyser::new(game.clone(), Arc::new(All(game.clone())), EngineOptions::default());
    let mut search = Analyser::new(game, Arc::new(Empty), EngineOptions::default());
    while played.ending().is_none() {
        let known = exact.moves(&played, &Limits::depth(1)).expect("no error");
        let found = search.moves(&played, &Limits::depth(40)).expect("no error");
        assert_eq!((known.source, found.source), (Source::Database, Source::Proof));
        for (mv, value) in &known.values {
            let by_search = found.values.iter().find(|(other, _)| other == mv);
            assert_eq!(by_search.map(|(_, value)| value), Some(value), "{}", played.name(mv));
        }
        played.play(known.values.last().expect("a move").0);
    }
}

#[test]
fn the_strongest_level_beats_the_weakest() {
    let game = Awari::new(6).expect("six pits");
    let level = |text: &str| Settings { level: text.parse().expect("a level"), ..small() };
    let player = |text: &str| Searcher::new(game.clone(), Arc::new(Empty), text, level(text));
    let (mut weak, mut strong) = (player("1"), player("10"));
    let openings = level_openings(&game, 15, 4, 1, &mut |_| Ok::<_, Infallible>(0)).expect("some");
    let mut tally = Tally::default();
    for opening in openings {
        let pair = [true, false].map(|first| {
            let strong = Seat::new(&mut strong, MoveLimits::depth(2));
            let weak = Seat::new(&mut weak, MoveLimits::depth(2));
            let seats = if first { [strong, weak] } else { [weak, strong] };
            let finished = Contest::default().play(opening.clone(), seats);
            assert!(finished.fault.is_none(), "{}", finished.why);
            if first { finished.result() } else { 1.0 - finished.result() }
        });
        tally.add_pair(&pair);
    }
    assert!(tally.elo().low > 0.0, "{tally:?}");
}

#[test]
fn a_player_that_fails_loses() {
    struct Broken;
    impl<G: Game> Player<G> for Broken {
        fn name(&self) -> String {
            "broken".to_owned()
        }
        fn choose(&mut self, _: Request<'_, G>) -> Result<Thought<G::Move>, PlayerError> {
            Err(PlayerError::Other("no idea".to_owned()))
        }
    }
    let game = kalah();
    let (mut broken, mut blind) = (Broken, Blind::new(1));
    let seats =
        [Seat::new(&mut broken, MoveLimits::depth(1)), Seat::new(&mut blind, MoveLimits::depth(1))];
    let finished = Contest::default().play(Played::from_start(game), seats);
    assert_eq!(
        (finished.outcome, finished.why.as_str()),
        (Outcome::Second, "south loses: no idea")
    );
    assert!(matches!(finished.fault, Some((Side::First, PlayerError::Other(_)))));
}

#[test]
fn an_illegal_move_is_called_illegal() {
    /// Empties a pit that has nothing in it.
    struct Wrong;
    impl Player<Kalah> for Wrong {
        fn name(&self) -> String {
            "wrong".to_owned()
        }
        fn choose(&mut self, _: Request<'_, Kalah>) -> Result<Thought<u8>, PlayerError> {
            Ok(Thought::only(99))
        }
    }
    let (mut wrong, mut blind) = (Wrong, Blind::new(1));
    let seats =
        [Seat::new(&mut wrong, MoveLimits::depth(1)), Seat::new(&mut blind, MoveLimits::depth(1))];
    let finished = Contest::default().play(Played::from_start(kalah()), seats);
    assert_eq!(
        finished.why,
        "south loses: wrong answered a move that is not legal in 2,2,2/2,2,2 S 0-0"
    );
}

#[test]
fn openings_differ_and_are_reproducible() {
    let game = kalah();
    let value = &mut |played: &Played<Kalah>| Ok::<_, Infallible>(played.lead() * 10);
    let one = level_openings(&game, 6, 3, 9, value).expect("no error");
    let other = level_openings(&game, 6, 3, 9, value).expect("no error");
    let texts = |openings: &[Played<Kalah>]| {
        openings.iter().map(|opening| game.format(opening.now())).collect::<Vec<_>>()
    };
    assert_eq!(texts(&one), texts(&other));
    let mut different = texts(&one);
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 6);
    // More than exist, and longer than the game.
    assert_eq!(level_openings(&game, 500, 1, 9, value).expect("no error").len(), 500);
    let none = level_openings(&game, 2, 90, 9, value).expect("no error");
    assert!(none.iter().all(Played::is_new));
    let again = game.play(&game.start().position, &1).turn;
    assert_eq!(again, Turn::Stays, "some openings have a side move twice");
}
