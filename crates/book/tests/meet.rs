//! Books and databases meet: games solved from their start position, against exact values.

use std::sync::Arc;

use nutcracker_book::expert::{Expert, ExpertSettings, StaticExpert, WithDatabases};
use nutcracker_book::grow::{Ended, Plan};
use nutcracker_book::store::MemoryStore;
use nutcracker_book::{Book, Player, Strategy};
use nutcracker_game::{Evaluate, Game, Numbering, Rules as _, Score, SliceId};
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::othello::Othello;
use nutcracker_games::sowing::{RuleSet, Sowing};
use nutcracker_retro::{Silent, SolveOptions, open_set, solve};
use nutcracker_search::{
    Empty, ExactLimits, Oracle, TableOracle, Worth, exact_value, known_bounds,
};
use nutcracker_table::{Disk, Storage};

/// Databases up to a slice, in a directory that is removed after use.
fn databases<G: Game>(game: &G, last: u32) -> (tempfile::TempDir, TableOracle) {
    let dir = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Storage> = Arc::new(Disk::default());
    let mut options = SolveOptions::new(1, "test");
    options.verify = false;
    solve(game, &disk, dir.path(), SliceId(last), &options, &Silent).unwrap();
    let oracle = TableOracle::new(Arc::new(open_set(game, disk, dir.path(), 1 << 24)));
    (dir, oracle.unwrap())
}

/// Grows a book from the start position until it is solved.
fn solved<G: Game, E: Expert<G> + Send>(
    game: &G,
    start: &G::Position,
    mut expert: E,
    strategy: Strategy,
) -> Book<G, MemoryStore> {
    let mut book = Book::create(game.clone(), MemoryStore::new(), start, &mut expert).unwrap();
    let plan = Plan { expansions: Some(200_000), ..Plan::new(strategy) };
    let ended = book.grow(&mut [expert], &plan, &mut |_| {}).unwrap();
    assert_eq!(ended, Ended::Solved, "{strategy:?}: {:?}", book.facts());
    book
}

/// The best moves of the book are best, and its value is right.
fn agrees<G: Game>(
    book: &mut Book<G, MemoryStore>,
    score: Score,
    exact: &mut dyn FnMut(&G::Position) -> Score,
) {
    let root = book.root();
    assert_eq!(book.root_value().unwrap().score(), Some(score));
    let best = book.best_moves(root).unwrap();
    let (position, moves) = book.moves(root).unwrap();
    let step = book.game().play(&position, &moves[best[0]]);
    assert_eq!(step.value(exact(&step.next)), score);
    // Everything proven anywhere in the book is true.
    let mut from = 0;
    while let Some(id) = book.next_node(from).unwrap() {
        from = id + 1;
        let value = book.node(id).unwrap().value;
        if value.is_solved() && id % 7 == 0 {
            let position = book.position(id).unwrap();
            assert_eq!(value.score(), Some(exact(&position)));
        }
    }
    let checked = book.check(&mut |_| {}).unwrap();
    assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
}

const STRATEGIES: [Strategy; 4] =
    [Strategy::BestFirst, Strategy::DropOut(Player::Both), Strategy::Conspiracy, Strategy::Proof];

#[test]
fn kalah_with_four_pits_and_three_seeds() {
    let kalah = Kalah::new(4, 3, false).unwrap();
    let start = kalah.start().position;
    let (_dir, oracle) = databases(&kalah, 14);
    let mut exact =
        |at: &_| exact_value(&kalah, at, &oracle, &ExactLimits::default()).unwrap().unwrap().score;
    let score = exact(&start);
    for strategy in STRATEGIES {
        let above = StaticExpert(kalah.clone());
        let expert = WithDatabases { game: kalah.clone(), oracle: &oracle, above };
        let mut book = solved(&kalah, &start, expert, strategy);
        agrees(&mut book, score, &mut exact);
    }
}

#[test]
fn othello_on_four_by_four_from_the_empty_book() {
    let othello = Othello::new(4).unwrap();
    let start = othello.start().position;
    let mut exact =
        |at: &_| exact_value(&othello, at, &Empty, &ExactLimits::default()).unwrap().unwrap().score;
    let score = exact(&start);
    for strategy in [Strategy::BestFirst, Strategy::Proof] {
        let mut book = solved(&othello, &start, StaticExpert(othello.clone()), strategy);
        agrees(&mut book, score, &mut exact);
    }
}

/// Awari has cycles: its start positions are solved only by searching for them.
#[test]
fn awari_with_two_stones_a_pit() {
    let awari = Awari::new(3).unwrap();
    let start = awari.parse("2,2,2/2,2,2 S").unwrap().position;
    let (_dir, all) = databases(&awari, 12);
    let mut exact = |at: &_| all.score(awari.slice_of(at), awari.rank(at)).unwrap();
    let score = exact(&start);
    for last in [4, 7] {
        for strategy in STRATEGIES {
            let oracle = UpTo(&all, SliceId(last));
            let above = StaticExpert(awari.clone());
            let expert = WithDatabases { game: awari.clone(), oracle, above };
            let mut book = solved(&awari, &start, expert, strategy);
            agrees(&mut book, score, &mut exact);
        }
    }
}

/// The whole board with one stone a pit, where moves capture and positions repeat often.
#[test]
fn awari_with_one_stone_a_pit() {
    let awari = Awari::new(6).unwrap();
    let start = awari.parse("1,1,1,1,1,1/1,1,1,1,1,1 S").unwrap().position;
    let (_dir, all) = databases(&awari, 12);
    let mut exact = |at: &_| all.score(awari.slice_of(at), awari.rank(at)).unwrap();
    let score = exact(&start);
    for strategy in STRATEGIES {
        let oracle = UpTo(&all, SliceId(10));
        let above = StaticExpert(awari.clone());
        let expert = WithDatabases { game: awari.clone(), oracle, above };
        let mut book = solved(&awari, &start, expert, strategy);
        agrees(&mut book, score, &mut exact);
    }
}

/// In oware a repetition is worth something: a book proves what each side can force without one, as
/// databases do, whether or not it meets some of them.
#[test]
fn oware_with_two_seeds_a_pit() {
    for (pits, start) in [(2, "2,2/2,2 S"), (3, "1,1,2/2,1,1 S")] {
        let oware = Sowing::new(RuleSet { pits, ..RuleSet::ABAPA }).unwrap();
        let start = oware.parse(start).unwrap().position;
        let (_dir, all) = databases(&oware, 8);
        for last in [None, Some(SliceId(4))] {
            for strategy in STRATEGIES {
                // What a search proves may rest on a repetition.
                let settings = ExpertSettings {
                    depth: 8,
                    search_nodes: None,
                    probe_depth: 0,
                    table_bytes: 1 << 16,
                };
                let expert = || settings.expert(&oware, Some(BoundsUpTo(&all, last)));
                let store = MemoryStore::new();
                let mut book = Book::create(oware.clone(), store, &start, &mut expert()).unwrap();
                let mut ended = Ended::Planned;
                let mut grown = 0;
                while ended == Ended::Planned {
                    let plan = Plan { expansions: Some(60), ..Plan::new(strategy) };
                    ended = book.grow(&mut [expert()], &plan, &mut |_| {}).unwrap();
                    grown += 1;
                    assert!(grown < 100, "{strategy:?} {:?}", book.facts());
                    bounds_hold(&mut book, &oware, &all);
                }
                // Nothing is left that could close its bounds.
                let value = book.root_value().unwrap();
                let known = known_bounds(&oware, &all, &start).unwrap().unwrap();
                assert_eq!((value.lower, value.upper), known, "{strategy:?} {ended:?} {last:?}");
                let checked = book.check(&mut |_| {}).unwrap();
                assert!(checked.flaws.is_empty(), "{:?}", checked.flaws);
            }
        }
    }
}

/// No bound of a book is closer than what each side can force.
fn bounds_hold(book: &mut Book<Sowing, MemoryStore>, game: &Sowing, all: &TableOracle) {
    let mut from = 0;
    while let Some(id) = book.next_node(from).unwrap() {
        from = id + 1;
        let value = book.node(id).unwrap().value;
        let position = book.position(id).unwrap();
        let (lower, upper) = known_bounds(game, all, &position).unwrap().unwrap();
        assert!(value.lower <= lower && upper <= value.upper, "{position:?}: {value:?}");
        assert!(value.cycle.is_none(), "{position:?}: {value:?}");
    }
}

/// The slices of an oracle with bounds, up to one.
#[derive(Clone, Copy)]
struct BoundsUpTo<'a>(&'a TableOracle, Option<SliceId>);

impl Oracle for BoundsUpTo<'_> {
    type Error = nutcracker_table::TableError;

    fn covers(&self, _: SliceId) -> bool {
        false
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        self.0.score(slice, index)
    }

    fn bounds(&self, slice: SliceId) -> bool {
        Some(slice) <= self.1
    }

    fn lower(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        self.0.lower(slice, index)
    }
}

/// Some of the slices of an oracle.
#[derive(Clone, Copy)]
struct UpTo<'a>(&'a TableOracle, SliceId);

impl Oracle for UpTo<'_> {
    type Error = nutcracker_table::TableError;

    fn covers(&self, slice: SliceId) -> bool {
        slice <= self.1
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        self.0.score(slice, index)
    }
}

/// Pruning with larger databases keeps the value.
#[test]
fn pruning_with_a_larger_database_keeps_the_value() {
    let awari = Awari::new(3).unwrap();
    let start = awari.parse("2,2,2/2,2,2 S").unwrap().position;
    let (_dir, all) = databases(&awari, 9);
    let mut expert = StaticExpert(awari.clone());
    let mut book = Book::create(awari.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
    let plan = Plan { expansions: Some(300), ..Plan::new(Strategy::DropOut(Player::Both)) };
    book.grow(&mut [expert], &plan, &mut |_| {}).unwrap();
    let before = book.facts().nodes;
    let gone = book
        .prune(&mut |at| {
            let slice = awari.slice_of(at);
            Ok(all.covers(slice).then(|| all.score(slice, awari.rank(at)).unwrap()))
        })
        .unwrap();
    assert!(gone > 0);
    assert_eq!(book.facts().nodes, before - gone);
    assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
}

/// The trait object form, and the game's evaluation.
#[test]
fn experts_can_be_chosen_at_run_time() {
    fn evaluated<G: Evaluate>(game: G) -> Worth {
        let start = game.start().position;
        let mut expert: Box<dyn Expert<G> + Send> = Box::new(StaticExpert(game));
        expert.evaluate(&start).unwrap()
    }
    assert!(!evaluated(Awari::new(6).unwrap()).is_proven());
}
