//! Kalah against its laws, and against an independent implementation of rules and search.

use std::collections::HashMap;
use std::convert::Infallible;

use nutcracker_game::{Children, Numbering, Rules, Score, Side, SliceId, Turn, law};
use nutcracker_games::halves::Board;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::{Empty, ExactLimits, UpTo, exact_value};
use proptest::prelude::*;

fn kalah(pits: usize, seeds: usize, empty_capture: bool) -> Kalah {
    Kalah::new(pits, seeds, empty_capture).unwrap()
}

/// The rules that change what a move does and when the game ends.
#[derive(Clone, Copy, Debug)]
struct Variant {
    empty_capture: bool,
    play_on: bool,
}

const VARIANTS: [Variant; 4] = [
    Variant { empty_capture: false, play_on: false },
    Variant { empty_capture: true, play_on: false },
    Variant { empty_capture: false, play_on: true },
    Variant { empty_capture: true, play_on: true },
];

impl Variant {
    fn game(self, pits: usize, seeds: usize) -> Kalah {
        let game = kalah(pits, seeds, self.empty_capture);
        if self.play_on { game.playing_on() } else { game }
    }
}

#[test]
fn laws_hold() {
    for variant in VARIANTS {
        for (pits, last) in [(1, 24), (2, 20), (3, 12), (4, 9)] {
            let game = variant.game(pits, 12);
            let report = law::check(&game, (0..=last).map(SliceId), u64::MAX).unwrap();
            assert!(report.exhaustive);
            assert_eq!(report.unmoves > 0, pits > 1, "{report:?}");
        }
        law::check(&variant.game(6, 4), (0..=12).map(SliceId), 300).unwrap();
    }
}

#[test]
fn rejects_impossible_options() {
    for (pits, seeds, message) in [
        (0, 4, "kalah has 1 to 6 pits a side, not 0"),
        (7, 4, "kalah has 1 to 6 pits a side, not 7"),
        (6, 0, "kalah begins with at least 1 seed in every pit, not 0"),
        (6, 11, "11 seeds a pit are too many: with 6 pits a side there can be 10"),
        (4, 99, "99 seeds a pit are too many: with 4 pits a side there can be 15"),
    ] {
        assert_eq!(Kalah::new(pits, seeds, false).unwrap_err(), message);
    }
    assert!(Kalah::new(1, usize::MAX, false).is_err());
}

#[test]
fn databases_do_not_depend_on_the_start() {
    assert_eq!(kalah(6, 3, false).id(), kalah(6, 4, false).id());
    assert_eq!(kalah(6, 4, false).id().to_string(), "kalah (pits=6,empty-capture=no,play-on=no)");
    assert_eq!(kalah(3, 4, true).id().folder(), "kalah-pits3-empty-captureyes-play-onno");
    // As files have it from when there was no other end.
    let old = kalah(6, 4, false).playing_on();
    assert_eq!(old.id().to_string(), "kalah (pits=6,empty-capture=no)");
    assert_eq!(old.id().folder(), "kalah-pits6-empty-captureno");
}

/// Plays moves given by their pits; returns their names, and the position reached.
fn play(game: &Kalah, from: &str, pits: &str) -> (String, String) {
    let mut situation = game.parse(from).unwrap();
    let mut written = Vec::new();
    for pit in pits.bytes() {
        let mv = pit.to_ascii_lowercase() - b'a';
        let step = game.play(&situation.position, &mv);
        written.push(game.format_move(&situation, &mv, &step));
        situation = game.advance(&situation, &step);
    }
    (written.join(" "), game.format(&situation))
}

#[test]
fn moves_follow_the_rules() {
    let game = kalah(6, 4, false);
    let start = game.format(&game.start());
    for (from, pits, written, reached) in [
        // Into the store and another move; past the store; and the reply.
        (start.as_str(), "CFa", "C4x1+ F5x1 a5", "4,4,0,5,5,0/0,6,6,6,5,5 S 2-0"),
        // Into an own empty pit with seeds opposite.
        ("1,0,0,0,0,1/0,0,0,0,3,1 S 0-0", "A", "A1x4", "0,0,0,0,0,1/0,0,0,0,0,1 N 4-0"),
        // Nothing opposite: the seed stays.
        ("1,0,0,0,0,1/0,0,0,0,0,1 S", "A", "A1", "0,1,0,0,0,1/0,0,0,0,0,1 N"),
        // Thirteen seeds skip the opponent's store and capture from the pit of origin.
        ("0,13,0,0,0,0/0,0,0,0,2,0 S 0-0", "B", "B13x5", "1,0,1,1,1,1/1,1,1,1,0,1 N 5-0"),
        // Fourteen sow into the emptied pit, too.
        ("0,14,0,0,0,0/0,0,0,0,2,0 S 0-0", "B", "B14x1", "1,1,2,1,1,1/1,1,1,1,3,1 N 1-0"),
        // North sows by way of its own store into South's pits.
        ("0,0,0,0,0,1/0,0,0,0,1,3 N 0-0", "f", "f3x1", "1,1,0,0,0,1/0,0,0,0,1,0 S 0-1"),
        // The last seed of all goes to the store: the mover has another move and cannot make it.
        ("0,0,0,0,0,1/0,0,2,0,0,0 S 9-9", "F", "F1x1+", "0,0,0,0,0,0/0,0,2,0,0,0 S 10-9"),
    ] {
        let played = play(&game, from, pits);
        assert_eq!((played.0.as_str(), played.1.as_str()), (written, reached), "{pits} of {from}");
    }
    let (written, reached) = play(&kalah(6, 4, true), "1,0,0,0,0,1/0,0,0,0,0,1 S 0-0", "A");
    assert_eq!((&*written, &*reached), ("A1x1", "0,0,0,0,0,1/0,0,0,0,0,1 N 1-0"));
}

#[test]
fn ends_when_a_side_has_no_seeds() {
    let game = kalah(6, 4, false);
    for (text, score, result) in [
        ("0,0,0,0,0,0/0,0,2,0,0,1 S 10-9", -3, [10.0, 12.0]),
        ("0,0,0,0,0,0/0,0,2,0,0,1 N 10-9", 3, [10.0, 12.0]),
        ("0,0,0,0,0,0/0,0,0,0,0,0 N 10-9", 0, [10.0, 9.0]),
    ] {
        let over = game.parse(text).unwrap();
        assert_eq!(game.outcome(&over.position), Some(score), "{text}");
        assert_eq!(game.final_result(&over, score), Some(result), "{text}");
        let mut moves = Vec::new();
        game.moves(&over.position, &mut moves);
        assert!(moves.is_empty());
    }
}

#[test]
fn played_on_it_ends_when_the_mover_has_no_seeds() {
    let game = kalah(6, 4, false).playing_on();
    let over = game.parse("0,0,0,0,0,0/0,0,2,0,0,1 S 10-9").unwrap();
    assert_eq!(game.outcome(&over.position), Some(-3));
    assert_eq!(game.final_result(&over, -3), Some([10.0, 12.0]));
    let goes_on = game.parse("0,0,0,0,0,0/0,0,2,0,0,1 N 10-9").unwrap();
    assert_eq!(game.outcome(&goes_on.position), None);
    assert_eq!(game.final_result(&goes_on, 1), Some([11.0, 11.0]));
}

#[test]
fn invalid_notation_is_explained() {
    let game = kalah(2, 1, false);
    for (text, message) in [
        ("", "the position is empty"),
        ("1,1,1/1,1", "South has 2 pits, separated by commas, and \"1,1,1\" has 3"),
        ("3,1/1,0", "there are 5 seeds on the board and captured, and the game has 4"),
        ("1,x/1,1", "\"x\" is not a number of seeds"),
    ] {
        assert_eq!(game.parse(text).unwrap_err().to_string(), message);
    }
}

/// Kalah as a ring: South's pits and store, North's pits and store.
#[derive(Clone, Copy, Debug)]
struct TableTop {
    pits: usize,
    rules: Variant,
    /// Only the first `2 * pits + 2` are used.
    ring: [u8; 14],
    north_moves: bool,
}

impl TableTop {
    fn new(pits: usize, seeds: u8, rules: Variant) -> Self {
        let mut ring = [0; 14];
        ring[..pits].fill(seeds);
        ring[pits + 1..=2 * pits].fill(seeds);
        TableTop { pits, rules, ring, north_moves: false }
    }

    /// The mover's store.
    fn store(&self) -> usize {
        if self.north_moves { 2 * self.pits + 1 } else { self.pits }
    }

    /// The mover's pits with seeds.
    fn moves(&self) -> impl Iterator<Item = usize> + use<'_> {
        (self.store() - self.pits..self.store()).filter(|&pit| self.ring[pit] > 0)
    }

    /// The opponent's store.
    fn other_store(&self) -> usize {
        if self.north_moves { self.pits } else { 2 * self.pits + 1 }
    }

    fn play(&mut self, pit: usize) {
        let size = 2 * self.pits + 2;
        let store = self.store();
        let other_store = self.other_store();
        let mut hand = self.ring[pit];
        self.ring[pit] = 0;
        let mut at = pit;
        while hand > 0 {
            at = (at + 1) % size;
            if at != other_store {
                self.ring[at] += 1;
                hand -= 1;
            }
        }
        if at == store {
            return;
        }
        let own = at + self.pits >= store && at < store;
        let opposite = 2 * self.pits - at;
        if own && self.ring[at] == 1 && (self.ring[opposite] > 0 || self.rules.empty_capture) {
            self.ring[store] += self.ring[opposite] + 1;
            self.ring[opposite] = 0;
            self.ring[at] = 0;
        }
        self.north_moves = !self.north_moves;
    }

    /// The mover's store minus the opponent's.
    fn ahead(&self) -> i32 {
        i32::from(self.ring[self.store()]) - i32::from(self.ring[self.other_store()])
    }

    /// The seeds in the mover's pits and in the opponent's.
    fn pits(&self) -> (&[u8], &[u8]) {
        let (south, north) = (&self.ring[..self.pits], &self.ring[self.pits + 1..][..self.pits]);
        if self.north_moves { (north, south) } else { (south, north) }
    }

    /// The mover's score from here on, by searching every line of play.
    fn value(&self, memory: &mut HashMap<u64, i8>) -> i32 {
        let (own, other) = self.pits();
        let key = own.iter().chain(other).fold(0, |key, &seeds| key << 6 | u64::from(seeds));
        if let Some(&value) = memory.get(&key) {
            return i32::from(value);
        }
        let [own, other] = [own, other].map(|pits| i32::from(pits.iter().sum::<u8>()));
        let over = own == 0 || other == 0 && !self.rules.play_on;
        let lines = self.moves().filter(|_| !over).map(|pit| {
            let mut next = *self;
            next.play(pit);
            let ahead = next.ahead() + next.value(memory);
            let ahead = if next.north_moves == self.north_moves { ahead } else { -ahead };
            ahead - self.ahead()
        });
        let value = lines.max().unwrap_or(own - other);
        memory.insert(key, value as i8);
        value
    }
}

/// The scores of slices, by sweeping through each until nothing changes.
struct Slices<'a> {
    game: &'a Kalah,
    scores: Vec<Vec<i8>>,
}

impl Slices<'_> {
    fn solve(game: &Kalah, last: u32) -> Slices<'_> {
        let mut slices = Slices { game, scores: Vec::new() };
        for slice in (0..=last).map(SliceId) {
            slices.solve_slice(slice);
        }
        slices
    }

    fn solve_slice(&mut self, slice: SliceId) {
        let len = self.game.slice_len(slice);
        self.scores.push(vec![0; len as usize]);
        let mut moves = Vec::new();
        let mut changed = true;
        while changed {
            changed = false;
            for index in 0..len {
                let board = self.game.unrank(slice, index).unwrap();
                moves.clear();
                self.game.moves(&board, &mut moves);
                let values = moves.iter().map(|mv| {
                    let step = self.game.play(&board, mv);
                    step.value(self.of(&step.next))
                });
                let value = values.max().or(self.game.outcome(&board)).unwrap() as i8;
                let score = &mut self.scores[slice.0 as usize][index as usize];
                changed |= *score != value;
                *score = value;
            }
        }
    }

    fn of(&self, board: &Board) -> Score {
        let slice = self.game.slice_of(board).0 as usize;
        self.scores[slice][self.game.rank(board) as usize].into()
    }
}

impl Children for &Slices<'_> {
    type Error = Infallible;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Infallible> {
        let start = start as usize;
        out.copy_from_slice(&self.scores[slice.0 as usize][start..start + out.len()]);
        Ok(())
    }
}

/// The values of the start positions with 1 to 4 pits and 1 to 4 seeds a pit, by every available
/// method.
fn values(rules: Variant) -> Vec<[i32; 4]> {
    let of_pits = |(pits, last)| {
        let largest = rules.game(pits, 4);
        let slices = Slices::solve(&largest, last);
        let mut memory = HashMap::new();
        [1, 2, 3, 4].map(|seeds| {
            let what = format!("{pits} pits, {seeds} seeds");
            let value = TableTop::new(pits, seeds, rules).value(&mut memory);
            let game = rules.game(pits, seeds.into());
            let start = game.start().position;
            if game.largest_slice() <= SliceId(last) {
                assert_eq!(i32::from(slices.of(&start)), value, "{what}");
            }
            let limits = ExactLimits { table_bytes: 16 << 20, ..ExactLimits::default() };
            let searched = exact_value(&game, &start, &Empty, &limits).unwrap().unwrap();
            assert_eq!(i32::from(searched.score), value, "{what}");
            for last in [5, last.min(12)] {
                let oracle = UpTo { children: &slices, last: SliceId(last) };
                let probed = exact_value(&game, &start, &oracle, &limits).unwrap().unwrap();
                assert_eq!(
                    (probed.score, &probed.best),
                    (searched.score, &searched.best),
                    "{what}"
                );
            }
            value
        })
    };
    // Tables are used as long as they stay small; beyond, the two searches are compared.
    [(1, 8), (2, 16), (3, 18), (4, 12)].map(of_pits).to_vec()
}

#[test]
fn values_without_empty_captures() {
    let expected = [[0, -2, 6, -2], [2, -2, -2, -10], [0, 4, 2, 2], [2, 6, 6, 2]];
    assert_eq!(values(VARIANTS[0]), expected);
}

#[test]
fn values_with_empty_captures() {
    let expected = [[0, -2, 6, -2], [2, -2, -2, -12], [0, 4, 2, 2], [2, 6, 8, 2]];
    assert_eq!(values(VARIANTS[1]), expected);
}

#[test]
fn values_played_on_without_empty_captures() {
    let expected = [[0, -2, 6, -2], [2, -2, -2, -12], [0, 4, 2, 2], [2, 6, 6, 2]];
    assert_eq!(values(VARIANTS[2]), expected);
}

#[test]
fn values_played_on_with_empty_captures() {
    let expected = [[0, -2, 6, -2], [2, 0, -2, -10], [0, 4, 4, 0], [2, 6, 8, 4]];
    assert_eq!(values(VARIANTS[3]), expected);
}

/// Whether the first player wins, draws or loses.
fn result(pits: usize, seeds: usize) -> char {
    let game = kalah(pits, seeds, true);
    let found = exact_value(&game, &game.start().position, &Empty, &ExactLimits::default());
    match found.unwrap().unwrap().score {
        1.. => 'W',
        0 => 'D',
        _ => 'L',
    }
}

/// Published by Irving, Donkers and Uiterwijk, Solving Kalah, 2000: with captures of a single seed,
/// by pits and seeds.
#[test]
fn published_results() {
    let results = [(1, "DLWLWD"), (2, "WLLLWW"), (3, "DWWWWL"), (4, "WWWW"), (5, "DDW"), (6, "WW")];
    for (pits, expected) in results {
        let found: String = (1..=expected.len()).map(|seeds| result(pits, seeds)).collect();
        assert_eq!(found, expected, "{pits} pits");
    }
}

/// The largest of them that a search without databases reaches in seconds.
#[test]
#[ignore = "takes 15 seconds; scripts/test-long runs it"]
fn six_pits_with_three_seeds_are_won() {
    assert_eq!(result(6, 3), 'W');
}

proptest! {
    /// Random games: no seed is lost, and both implementations agree on every move.
    #[test]
    fn random_games_agree_with_the_ring(
        pits in 1usize..=6,
        seeds in 1u8..=10,
        rules in prop::sample::select(VARIANTS.to_vec()),
        chances in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
    ) {
        let game = rules.game(pits, seeds.into());
        let mut situation = game.start();
        let mut table_top = TableTop::new(pits, seeds, rules);
        for chance in chances {
            let Board { own, other } = situation.position;
            prop_assert_eq!((&own[..pits], &other[..pits]), table_top.pits());
            prop_assert_eq!(situation.mover == Side::Second, table_top.north_moves);
            let banked = situation.banked.unwrap();
            let stores = [table_top.ring[pits], table_top.ring[2 * pits + 1]];
            prop_assert_eq!(banked, stores.map(u16::from));
            let in_all = situation.position.stones() + usize::from(banked[0] + banked[1]);
            prop_assert_eq!(in_all, 2 * pits * usize::from(seeds));

            let mut moves = Vec::new();
            game.moves(&situation.position, &mut moves);
            if let Some(score) = game.outcome(&situation.position) {
                prop_assert!(moves.is_empty());
                let end = game.final_result(&situation, score).unwrap();
                prop_assert_eq!((end[0] + end[1]) as usize, in_all);
                break;
            }
            let mv = *chance.get(&moves);
            let step = game.play(&situation.position, &mv);
            prop_assert!(step.turn == Turn::Passes || step.gain > 0);
            situation = game.advance(&situation, &step);
            let first = table_top.store() - pits;
            table_top.play(first + usize::from(mv));
        }
    }
}
