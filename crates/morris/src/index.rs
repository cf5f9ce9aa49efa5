//! The number of a position among those with the same stones: the class of the mover's stones, then
//! the opponent's on the points that are left. Where symmetries keep the mover's stones, only the
//! smallest of the opponent's images is a position; the others are holes.

use std::ops::Range;

use super::board::{Board, each};
use super::classes::NO_OTHER;
use super::places::{images, least};
use super::sets::{binomial, next_set};
use super::slices::{FEWEST, Stones};

/// Positions in which the mover has `own` stones on the board and the opponent `other`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) board: &'static Board,
    pub(crate) own: u32,
    pub(crate) other: u32,
}

impl Layout {
    /// How many ways there are to place the opponent's stones beside the mover's.
    #[inline]
    pub(crate) fn ways(&self) -> u64 {
        binomial(self.board.points - self.own, self.other)
    }

    /// How many classes of the mover's stones there are.
    #[inline]
    pub(crate) fn classes(&self) -> u64 {
        self.board.classes(self.own).len()
    }

    /// How many numbers there are, holes included.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.classes() * self.ways()
    }

    /// The stones of its positions, once all are placed.
    pub(crate) fn stones(&self) -> Stones {
        let [own, other] = [self.own, self.other].map(|stones| stones as u8);
        match own.min(other) {
            fewer if u32::from(fewer) < FEWEST => Stones::Over,
            fewer => Stones::Moving { more: own.max(other), fewer },
        }
    }

    /// The first number that it is used for in its slice, once all stones are placed: the side with
    /// more stones comes first.
    #[inline]
    pub(crate) fn start(&self) -> u64 {
        if self.own < self.other { self.turned().len() } else { 0 }
    }

    /// With the opponent on the move.
    #[inline]
    pub(crate) fn turned(&self) -> Self {
        Layout { own: self.other, other: self.own, ..*self }
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
        let mut number = self.number(image, free);
        let keep = classes.keep(class);
        if keep != NO_OTHER {
            // These symmetries are a group: the images of an image are the same.
            let first = image;
            for symmetry in each(u32::from(keep) & !u32::from(NO_OTHER)) {
                let other = board.image(symmetry as u8, first);
                let its = self.number(other, free);
                if its < number {
                    (number, image) = (its, other);
                }
            }
        }
        (u64::from(class) * self.ways() + u64::from(number), [set, image])
    }

    /// The number of the opponent's stones among the sets of free points.
    #[inline]
    fn number(&self, stones: u32, free: u32) -> u32 {
        self.board.sets.number(self.board.sets.places(stones, free))
    }

    /// The stones of both sides at a number; `None` for a hole.
    pub(crate) fn unrank(&self, number: u64) -> Option<[u32; 2]> {
        let (class, number) = ((number / self.ways()) as u32, number % self.ways());
        let classes = self.board.classes(self.own);
        let set = classes.set(class);
        let free = self.board.all() & !set;
        let other = self.board.sets.with_number(number, self.other, free);
        (!self.has_smaller(class, free, other)).then_some([set, other])
    }

    /// Visits the numbers of a range that stand for no position, in ascending order.
    pub(crate) fn each_hole(&self, range: Range<u64>, mut visit: impl FnMut(u64)) {
        let (board, ways) = (self.board, self.ways());
        for class in range.start / ways..range.end.div_ceil(ways) {
            let keep = board.classes(self.own).keep(class as u32);
            if keep == NO_OTHER {
                continue;
            }
            let free = board.all() & !board.classes(self.own).set(class as u32);
            let images = images(board, keep, free);
            let first = class * ways;
            let numbers = range.start.max(first) - first..range.end.min(first + ways) - first;
            // Sets of places are those of as many points that are all free.
            let places = (1 << free.count_ones()) - 1;
            let mut set = board.sets.with_number(numbers.start, self.other, places);
            for number in numbers.clone() {
                if number > numbers.start {
                    set = next_set(set);
                }
                if u64::from(least(board, &images, set)) < number {
                    visit(first + number);
                }
            }
        }
    }

    /// Whether another image of the opponent's stones has a smaller number.
    fn has_smaller(&self, class: u32, free: u32, other: u32) -> bool {
        let keep = self.board.classes(self.own).keep(class);
        let number = self.number(other, free);
        let smaller =
            |symmetry| self.number(self.board.image(symmetry as u8, other), free) < number;
        keep != NO_OTHER && each(u32::from(keep) & !u32::from(NO_OTHER)).any(smaller)
    }
}
