//! The number of a position among those with the same stones: the class of the mover's stones, then
//! the opponent's on the points that are left. Where symmetries keep the mover's stones, only the
//! smallest of the opponent's images is a position; the others are holes.

use super::board::{Board, each};
use super::classes::NO_OTHER;
use super::sets::{binomial, set_number, set_with_number};

/// Positions in which the mover has `own` stones on the board and the opponent `other`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) board: &'static Board,
    pub(crate) own: u32,
    pub(crate) other: u32,
}

impl Layout {
    /// How many ways there are to place the opponent's stones beside the mover's.
    pub(crate) fn ways(&self) -> u64 {
        binomial(self.board.points - self.own, self.other)
    }

    /// How many numbers there are, holes included.
    pub(crate) fn len(&self) -> u64 {
        self.board.classes(self.own).len() * self.ways()
    }

    /// The number of a position, and the position that stands for all its images.
    #[inline]
    pub(crate) fn rank(&self, own: u32, other: u32) -> (u64, [u32; 2]) {
        let board = self.board;
        let classes = board.classes(self.own);
        let (class, symmetry) = classes.of(board, own);
        let set = classes.set(class);
        let free = board.all() & !set;
        let mut image = board.image(symmetry, other);
        let mut number = set_number(image, free);
        let keep = classes.keep(class);
        if keep != NO_OTHER {
            // These symmetries are a group: the images of an image are the same.
            let first = image;
            for symmetry in each(u32::from(keep) & !u32::from(NO_OTHER)) {
                let other = board.image(symmetry as u8, first);
                let its = set_number(other, free);
                if its < number {
                    (number, image) = (its, other);
                }
            }
        }
        (u64::from(class) * self.ways() + number, [set, image])
    }

    /// The stones of both sides at a number; `None` for a hole.
    pub(crate) fn unrank(&self, number: u64) -> Option<[u32; 2]> {
        let (class, number) = ((number / self.ways()) as u32, number % self.ways());
        let classes = self.board.classes(self.own);
        let set = classes.set(class);
        let free = self.board.all() & !set;
        let other = set_with_number(number, self.other, free);
        (!self.is_hole(class, free, other, number)).then_some([set, other])
    }

    /// Whether another image of the opponent's stones has a smaller number.
    fn is_hole(&self, class: u32, free: u32, other: u32, number: u64) -> bool {
        let keep = self.board.classes(self.own).keep(class);
        keep != NO_OTHER
            && each(u32::from(keep) & !u32::from(NO_OTHER))
                .any(|symmetry| set_number(self.board.image(symmetry as u8, other), free) < number)
    }
}
