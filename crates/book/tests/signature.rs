//! The choices of 200 expansions of a book, pinned for every strategy.
//!
//! Nodes are numbered in the order in which expansions add them, so the list of all nodes shows
//! which leaves were chosen, and in which order. A change that is meant to keep the choice must
//! keep these numbers; one that is meant to alter it replaces them.

use nutcracker_book::expert::StaticExpert;
use nutcracker_book::grow::Plan;
use nutcracker_book::store::MemoryStore;
use nutcracker_book::{Book, Player, Strategy};
use nutcracker_game::Evaluate;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;

const STRATEGIES: [Strategy; 6] = [
    Strategy::BestFirst,
    Strategy::DropOut(Player::First),
    Strategy::DropOut(Player::Second),
    Strategy::DropOut(Player::Both),
    Strategy::Conspiracy,
    Strategy::Proof,
];

/// The number of nodes, and a hash (FNV-1a) of all of them with their values.
fn grown<G: Evaluate>(game: &G, strategy: Strategy) -> (u64, u64) {
    let mut expert = StaticExpert(game.clone());
    let start = game.start().position;
    let mut book = Book::create(game.clone(), MemoryStore::new(), &start, &mut expert).unwrap();
    let plan = Plan { expansions: Some(200), ..Plan::new(strategy) };
    book.grow(&mut [expert], &plan, &mut |_| {}).unwrap();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut from = 0;
    while let Some(id) = book.next_node(from).unwrap() {
        from = id + 1;
        let node = book.node(id).unwrap();
        let value = node.value;
        let line = format!(
            "{id} {} {} {} {}\n",
            node.position,
            value.lower,
            value.upper,
            value.estimate()
        );
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    (book.facts().nodes, hash)
}

#[test]
fn two_hundred_expansions_of_awari_are_the_pinned_ones() {
    let awari = Awari::new(6).unwrap();
    assert_eq!(
        STRATEGIES.map(|strategy| grown(&awari, strategy)),
        [
            (985, 0x3bfc_7dc9_df88_ec00),
            (1005, 0x1b20_1e16_55b7_8a28),
            (992, 0x7d96_84b4_884e_1b42),
            (1011, 0x4a2b_00d1_7adf_4c93),
            (997, 0xa3e8_d1f0_3d30_9395),
            (1014, 0xfb24_11a9_9979_ef51)
        ]
    );
}

#[test]
fn two_hundred_expansions_of_kalah_are_the_pinned_ones() {
    let kalah = Kalah::new(6, 4, false).unwrap();
    assert_eq!(
        STRATEGIES.map(|strategy| grown(&kalah, strategy)),
        [
            (804, 0x1f25_6c75_58df_5449),
            (915, 0xc3cf_0fe2_aeb2_793c),
            (932, 0x876e_61e4_518b_7b66),
            (950, 0x6f4c_d267_ac2a_f2cb),
            (931, 0xe89d_8179_211c_bd22),
            (942, 0x1e91_bf09_b2e7_9bc4)
        ]
    );
}
