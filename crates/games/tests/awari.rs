//! Awari keeps its laws, and its rules are what the board game's are.

use nutcracker_game::{Game, SliceId, law};
use nutcracker_games::awari::Awari;

#[test]
fn laws_hold_exhaustively_on_small_slices() {
    for (pits, stones) in [(2, 16), (3, 14), (4, 11), (5, 9), (6, 8)] {
        let report = law::check(&Awari::new(pits).unwrap(), SliceId(stones), u64::MAX).unwrap();
        assert!(report.exhaustive);
        assert!(report.unmoves > 0);
    }
}

#[test]
fn laws_hold_on_samples_of_large_slices() {
    // From 23 stones on, sowings of two laps occur.
    for pits in [4, 6] {
        let awari = Awari::new(pits).unwrap();
        let last = awari.largest_slice().0.min(24);
        let report = law::check(&awari, SliceId(last), 2_000).unwrap();
        assert!(!report.exhaustive);
    }
}
