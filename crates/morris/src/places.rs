//! Where the symmetries of the board take places: points counted among those that one side's stones
//! leave free.

use super::board::{Board, each};
use super::classes::NO_OTHER;

/// Where places go, a byte of them at a time.
pub(crate) struct Places([[u32; 256]; 3]);

impl Places {
    /// For the places of a set of points, by where each point goes.
    pub(crate) fn new(free: u32, to: impl Fn(u32) -> u32) -> Self {
        let mut table = [[0; 256]; 3];
        for (place, point) in each(free).enumerate() {
            let (byte, bit) = (place / 8, 1 << (place % 8));
            for before in 0..bit {
                table[byte][before | bit] = table[byte][before] | to(point);
            }
        }
        Places(table)
    }

    #[inline]
    pub(crate) fn of(&self, places: u32) -> u32 {
        let byte = |byte: usize| self.0[byte][(places >> (8 * byte)) as usize & 0xFF];
        byte(0) | byte(1) | byte(2)
    }
}

/// The smallest number of a set of places and its images.
#[inline]
pub(crate) fn least(board: &Board, images: &[Places], places: u32) -> u32 {
    let number = board.sets.number(places);
    images.iter().fold(number, |least, image| least.min(board.sets.number(image.of(places))))
}

/// Where the symmetries of a class that are not the identity take the places of free points.
pub(crate) fn images(board: &Board, keep: u16, free: u32) -> Vec<Places> {
    let image = |symmetry: u32| {
        Places::new(free, |point| board.sets.places(board.image(symmetry as u8, 1 << point), free))
    };
    each(u32::from(keep & !NO_OTHER)).map(image).collect()
}
