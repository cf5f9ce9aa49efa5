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
            (809, 0x1f6f_8314_2b42_3ed0),
            (916, 0xa91b_5a43_3a48_b50d),
            (934, 0x0f95_db01_fe9a_564d),
            (945, 0xda83_2936_052a_8681),
            (944, 0xe62b_2068_b3fd_0f9a),
            (943, 0x1b3f_a164_6609_4d71)
        ]
    );
}
