//! King and rook against king: mirror images share a number.

use nutcracker_game::toy::{Krk, KrkPosition};
use nutcracker_game::{Numbering, Rules};
use nutcracker_search::player::Perfect;

use crate::solved;

fn position(text: &str) -> KrkPosition {
    Krk.parse(text).unwrap().position
}

/// A game that has been in the mirror image of a position has not been in the position.
#[test]
fn a_mirror_image_is_no_repetition() {
    // Rook to a8 mates; the game so far came by the other side of the board.
    let now = position("Kd6 Ra1 kd8 w");
    let (mated, image) = (position("Kd6 Ra8 kd8 b"), position("Ke6 Rh8 ke8 b"));
    assert_eq!(Krk.rank(&mated), Krk.rank(&image));

    let mut player = Perfect::new(Krk, solved::krk());
    let mates = |player: &Perfect<_, _>, history: &[_]| {
        let values = player.values(&now, history).unwrap();
        let mating = values.iter().find(|valued| valued.step.next == mated).unwrap();
        (mating.mv, mating.repeats, mating.value)
    };
    let (mv, ..) = mates(&player, &[]);
    assert_eq!(mates(&player, &[image]), (mv, false, 1));
    assert_eq!(mates(&player, &[mated]), (mv, true, 0));

    let free = player.keeping(&now, &[]).unwrap();
    assert_eq!((free.value, free.moves.as_slice(), free.plies), (1, &[mv][..], Some(1)));
    assert_eq!(player.keeping(&now, &[image]).unwrap(), free);
    assert!(!player.keeping(&now, &[mated]).unwrap().moves.contains(&mv));
}
