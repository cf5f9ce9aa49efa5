//! The measurement of cache misses against caches that are simulated one by one, and the same
//! measurement with a plain index of awari.

use std::collections::VecDeque;

use nutcracker_game::combi::PitRows;
use nutcracker_game::{
    Game, GameId, Numbering, ParseError, Properties, Rules, Score, Situation, SliceId, Step,
    plain_views,
};
use nutcracker_games::awari::{Awari, Pit};
use nutcracker_games::halves::Board;
use nutcracker_games::kalah::Kalah;
use nutcracker_retro::experiment::{BLOCK_BYTES, CacheMisses, CacheRow, Distances, cache_misses};

/// A cache of `size` blocks that evicts the least recently used.
struct Lru {
    blocks: VecDeque<u32>,
    size: usize,
    misses: u64,
}

impl Lru {
    fn new(size: usize) -> Self {
        Lru { blocks: VecDeque::new(), size, misses: 0 }
    }

    fn access(&mut self, block: u32) {
        if let Some(place) = self.blocks.iter().position(|&held| held == block) {
            self.blocks.remove(place);
        } else {
            self.misses += 1;
            if self.blocks.len() == self.size {
                self.blocks.pop_back();
            }
        }
        self.blocks.push_front(block);
    }
}

/// The misses of a cache of `size` blocks, by simulation.
fn simulated(accesses: &[u32], size: u64) -> u64 {
    let mut cache = Lru::new(size as usize);
    for &block in accesses {
        cache.access(block);
    }
    cache.misses
}

fn counted(accesses: &[u32]) -> Distances {
    let mut distances = Distances::default();
    for &block in accesses {
        distances.access(block);
    }
    distances
}

#[test]
fn distances_give_the_misses_of_every_cache() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..200 {
        let blocks = 1 + random(40);
        let near = 1 + random(blocks);
        // Runs near one place, a jump to another, and so on: caches help, but not always.
        let mut accesses = Vec::new();
        for _ in 0..random(20) {
            let place = random(blocks);
            for _ in 0..random(50) {
                accesses.push(((place + random(near)) % blocks) as u32);
            }
        }
        let distances = counted(&accesses);
        assert_eq!(distances.accesses(), accesses.len() as u64);
        for size in 1..=blocks + 2 {
            assert_eq!(distances.misses(size), simulated(&accesses, size), "{size}: {accesses:?}");
        }
    }
}

#[test]
fn distances_of_nothing_and_of_cycles() {
    let nothing = Distances::default();
    assert_eq!((nothing.accesses(), nothing.blocks(), nothing.misses(1)), (0, 0, 0));
    // The worst case: a cycle one block longer than the cache.
    let cycle: Vec<u32> = (0..30).map(|access| access % 5).collect();
    let distances = counted(&cycle);
    assert_eq!([1, 2, 3, 4].map(|size| distances.misses(size)), [30; 4]);
    assert_eq!([5, 6, u64::MAX].map(|size| distances.misses(size)), [5; 3]);
}

/// The blocks of all successors inside a slice, by the rules.
fn accesses<G: Game>(
    game: &G,
    slice: SliceId,
    block_bytes: u64,
    rank: impl Fn(&G::Position) -> u64,
) -> Vec<u32> {
    let mut accesses = Vec::new();
    for index in 0..game.slice_len(slice) {
        let position = game.unrank(slice, index).unwrap();
        let mut moves = Vec::new();
        game.moves(&position, &mut moves);
        for step in moves.iter().map(|mv| game.play(&position, mv)) {
            if game.slice_of(&step.next) == slice {
                accesses.push((rank(&step.next) / (8 * block_bytes)) as u32);
            }
        }
    }
    accesses
}

fn agrees_with_the_rules<G: Game>(game: &G, slice: u32, block_bytes: u64) -> CacheMisses {
    let slice = SliceId(slice);
    let found = cache_misses(game, slice, block_bytes, 2, |_| {});
    let one = accesses(game, slice, block_bytes, |next| game.rank(next));
    let two = accesses(game, slice, block_bytes, |next| game.second_rank(next));
    assert_eq!(found.accesses(), one.len() as u64);
    assert_eq!(found.two.accesses(), one.len() as u64);
    for row in found.rows() {
        assert_eq!(row.one, simulated(&one, row.cache), "{row:?}");
        assert_eq!(row.two, simulated(&two, row.cache), "{row:?}");
    }
    found
}

#[test]
fn passes_agree_with_the_rules() {
    let awari = Awari::new(6).unwrap();
    agrees_with_the_rules(&awari, 0, 1);
    agrees_with_the_rules(&awari, 1, 1);
    agrees_with_the_rules(&awari, 5, 4);
    agrees_with_the_rules(&awari, 7, 32);
    agrees_with_the_rules(&Awari::new(3).unwrap(), 12, 8);
    agrees_with_the_rules(&Kalah::new(4, 2, true).unwrap(), 8, 8);
}

#[test]
fn two_indices_miss_less() {
    let found = agrees_with_the_rules(&Awari::new(6).unwrap(), 8, 64);
    assert_eq!((found.positions, found.blocks), (75_582, 148));
    assert!(found.at(10).ratio() > 10.0, "{:?}", found.at(10));
    // All bits in the cache: every block misses once.
    let all = found.at(100);
    assert_eq!((all.cache, all.one, all.two), (148, found.one.blocks(), found.two.blocks()));
}

#[test]
fn two_stones_by_hand() {
    // Two pits a side. Positions 0 to 2 have all stones on the other side and are over; then
    //   3 = 01/01, 4 = 01/10, 5 = 10/01, 6 = 10/10, 7 = 02/00, 8 = 11/00, 9 = 20/00.
    // 4 captures. The others have one legal move each, to the bits
    //   by the first index:  3 -> 8, 5 -> 3, 6 -> 5, 7 -> 8, 8 -> 6, 9 -> 5;
    //   by the second:       3 -> 1, 5 -> 3, 6 -> 4, 7 -> 1, 8 -> 6, 9 -> 4.
    // Blocks hold eight positions.
    let awari = Awari::new(2).unwrap();
    let found = cache_misses(&awari, SliceId(2), 1, 1, |_| {});
    assert_eq!((found.positions, found.blocks, found.accesses()), (10, 2, 6));
    assert_eq!(found.at(1), CacheRow { percent: 1, cache: 1, one: 4, two: 1 });
    assert_eq!(found.at(99), CacheRow { percent: 99, cache: 1, one: 4, two: 1 });
    assert_eq!(found.at(100), CacheRow { percent: 100, cache: 2, one: 2, two: 1 });
}

#[test]
fn progress_ends_at_the_number_of_positions() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let most = AtomicU64::new(0);
    let game = Awari::new(6).unwrap();
    cache_misses(&game, SliceId(9), BLOCK_BYTES, 2, |done| {
        most.fetch_max(done, Relaxed);
    });
    assert_eq!(most.into_inner(), 2 * game.slice_len(SliceId(9)));
}

/// Awari with the index by all twelve pits at once, in lexicographic order: positions with the
/// same stones on the mover's side are not together.
#[derive(Clone, Debug)]
struct ByPits {
    game: Awari,
    rows: PitRows,
}

impl ByPits {
    fn new(stones: usize) -> Self {
        ByPits { game: Awari::new(6).unwrap(), rows: PitRows::new(12, stones) }
    }
}

impl Rules for ByPits {
    type Position = Board;
    type Move = Pit;

    fn id(&self) -> GameId {
        self.game.id()
    }
    fn outcome(&self, board: &Board) -> Option<Score> {
        self.game.outcome(board)
    }
    fn moves(&self, board: &Board, out: &mut Vec<Pit>) {
        self.game.moves(board, out);
    }
    fn play(&self, board: &Board, mv: &Pit) -> Step<Board> {
        self.game.play(board, mv)
    }
    fn start(&self) -> Situation<Board> {
        self.game.start()
    }
    fn parse(&self, text: &str) -> Result<Situation<Board>, ParseError> {
        self.game.parse(text)
    }
    fn format(&self, situation: &Situation<Board>) -> String {
        self.game.format(situation)
    }
    fn format_move(&self, from: &Situation<Board>, mv: &Pit, step: &Step<Board>) -> String {
        self.game.format_move(from, mv, step)
    }
}

impl Numbering for ByPits {
    fn properties(&self) -> Properties {
        Properties { second_index: true, ..Properties::default() }
    }

    fn rank(&self, board: &Board) -> u64 {
        let mut pits = [0; 12];
        pits[..6].copy_from_slice(&board.own[..6]);
        pits[6..].copy_from_slice(&board.other[..6]);
        self.rows.rank(&pits)
    }
    fn unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        let mut pits = [0; 12];
        self.rows.unrank(slice.0 as usize, index, &mut pits);
        let mut board = Board::default();
        board.own[..6].copy_from_slice(&pits[..6]);
        board.other[..6].copy_from_slice(&pits[6..]);
        Some(board)
    }
    fn second_rank(&self, board: &Board) -> u64 {
        self.rank(&board.turned())
    }
    fn second_unrank(&self, slice: SliceId, index: u64) -> Option<Board> {
        Some(self.unrank(slice, index)?.turned())
    }
    fn index_scheme(&self) -> &'static str {
        "pits-1"
    }
    fn largest_slice(&self) -> SliceId {
        SliceId(self.rows.max() as u32)
    }
    fn slice_of(&self, board: &Board) -> SliceId {
        self.game.slice_of(board)
    }
    fn slice_len(&self, slice: SliceId) -> u64 {
        self.game.slice_len(slice)
    }
    fn max_score(&self, slice: SliceId) -> Score {
        self.game.max_score(slice)
    }
    fn max_moves(&self, slice: SliceId) -> u16 {
        self.game.max_moves(slice)
    }
}

plain_views!(ByPits);

#[test]
fn passes_with_the_plain_index_agree_with_the_rules() {
    agrees_with_the_rules(&ByPits::new(6), 6, 16);
}

/// For `docs/performance.md`; a minute.
#[test]
#[ignore = "prints a table, asserts nothing"]
fn the_plain_index_at_20_stones() {
    let found = cache_misses(&ByPits::new(20), SliceId(20), BLOCK_BYTES, 2, |_| {});
    println!("{} blocks, {} accesses", found.blocks, found.accesses());
    for row in found.rows() {
        let CacheRow { percent, cache, one, two } = row;
        println!("{percent:>3} {cache:>5} {one:>12} {two:>10} {:>8.1}", row.ratio());
    }
}
