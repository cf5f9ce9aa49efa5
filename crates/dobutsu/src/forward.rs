//! Forward view of dobutsu shogi: moves on lists of men.

use nutcracker_game::{ForwardView, Numbering, Score, SliceId, Target, Turn, targets_of};

use super::men::{HAND, HEN, Men, PLACE, Tables, tables};
use super::numbering::{END, EXPOSED, LOST, exposed, lost};
use super::{Dobutsu, DobutsuPosition};

/// A slice of dobutsu shogi. Its keys are seen by their mover as side 0, in the orientation that
/// is numbered, and each pair of men is in the order of its squares.
#[derive(Clone, Copy, Debug)]
pub struct DobutsuForward {
    slice: SliceId,
    tables: &'static Tables,
}

/// The last rank.
const LAST: u16 = 0o7000;

impl DobutsuForward {
    pub(super) fn new(slice: SliceId) -> Self {
        DobutsuForward { slice, tables: tables() }
    }

    /// Whether the mover has a man in hand or one that can move.
    #[inline(always)]
    fn can_move(&self, men: Men) -> bool {
        let [attacked, squares] = self.tables.survey(men);
        let own = squares as u16 | 1 << men.lions[0];
        let to = attacked as u16 | self.tables.around[usize::from(men.lions[0])];
        to & !own != 0 || men.men.contains(&HAND)
    }

    /// Visits the position after every move, and its number where it is in slice `end`.
    #[inline(always)]
    pub(super) fn every_move(&self, men: Men, mut visit: impl FnMut(Men, Option<u64>)) {
        let tables = self.tables;
        let [own_lion, other_lion] = men.lions();
        let [attacked, squares] = tables.survey(men);
        let attacked = (attacked >> 16) as u16 | tables.around[other_lion];
        let own = squares as u16 | 1 << own_lion;
        let other = (squares >> 16) as u16;
        let next = men.passed();
        let take = |next: &mut Men, square: u32| {
            if other >> square & 1 == 1 {
                for at in &mut next.men {
                    if *at & PLACE == square as u8 + 12 {
                        *at = HAND;
                    }
                }
            }
        };

        let mut to = tables.around[own_lion] & !own;
        while to != 0 {
            let square = to.trailing_zeros();
            to &= to - 1;
            let mut next = next;
            next.lions[0] = square as u8 + 12;
            take(&mut next, square);
            let end = if attacked >> square & 1 == 1 {
                Some(EXPOSED)
            } else {
                (LAST >> square & 1 == 1).then_some(LOST)
            };
            visit(next, end);
        }

        // Squares to which a man other than the lion can move without leaving it to be taken.
        let mut fine = u16::MAX;
        for (slot, at) in men.men.into_iter().enumerate() {
            if tables.attacks[slot / 2][usize::from(at) & 63] >> (16 + own_lion) & 1 == 1 {
                fine &= (tables.squares[usize::from(at & PLACE)] >> 16) as u16;
            }
        }
        for (slot, at) in men.men.into_iter().enumerate() {
            let mut to = tables.attacks[slot / 2][usize::from(at) & 63] as u16 & !own;
            while to != 0 {
                let square = to.trailing_zeros();
                to &= to - 1;
                let mut next = next;
                let promotes = slot >= 4 && LAST >> square & 1 == 1;
                let hen = if promotes { HEN } else { at & HEN };
                take(&mut next, square);
                next.men[slot] = square as u8 | hen;
                visit(next, (fine >> square & 1 == 0).then_some(EXPOSED));
            }
        }
        let empty = 0o7777 & !(own | other | 1 << other_lion);
        for kind in 0..3 {
            let slot = 2 * kind + usize::from(men.men[2 * kind] != HAND);
            if men.men[slot] != HAND {
                continue;
            }
            let mut to = empty;
            while to != 0 {
                let square = to.trailing_zeros();
                to &= to - 1;
                let mut next = next;
                next.men[slot] = square as u8;
                visit(next, (fine != u16::MAX).then_some(EXPOSED));
            }
        }
    }
}

impl ForwardView for DobutsuForward {
    type Position = DobutsuPosition;
    type Key = Men;
    type Cursor = ();

    #[inline]
    fn key_at(&self, (): &mut (), index: u64) -> Option<Men> {
        if self.slice == END { Some(Men::end(index)) } else { self.tables.open(index) }
    }

    #[inline]
    fn second_key_at(&self, cursor: &mut (), second: u64) -> Option<Men> {
        self.key_at(cursor, second)
    }

    fn locate(&self, position: &DobutsuPosition) -> (u64, Men) {
        let index = Dobutsu.rank(position);
        (index, self.key_at(&mut (), index).expect("the number of a position stands for one"))
    }

    fn position(&self, key: Men) -> DobutsuPosition {
        match key.end_index() {
            None => key.position(),
            Some(LOST) => lost(),
            Some(_) => exposed(),
        }
    }

    #[inline]
    fn index(&self, key: Men) -> u64 {
        key.end_index().unwrap_or_else(|| self.tables.index(key))
    }

    #[inline]
    fn outcome(&self, key: Men) -> Option<Score> {
        let over = if self.slice == END { key == Men::end(LOST) } else { !self.can_move(key) };
        over.then_some(-1)
    }

    #[inline]
    fn targets(&self, key: Men, mut visit: impl FnMut(Target)) {
        if self.slice == END {
            return targets_of(&Dobutsu, &self.position(key), visit);
        }
        self.every_move(key, |next, end| {
            visit(match end {
                None => Target::Inside(self.tables.index(next)),
                Some(index) => Target::Outside {
                    slice: END,
                    index,
                    gain: 0,
                    turn: Turn::Passes,
                    converts: false,
                },
            });
        });
    }

    #[inline]
    fn inside(&self, key: Men, mut visit: impl FnMut(u64)) {
        if self.slice == END {
            return targets_of(&Dobutsu, &self.position(key), |target| {
                if let Target::Inside(index) = target {
                    visit(index);
                }
            });
        }
        self.every_move(key, |next, end| {
            if end.is_none() {
                visit(self.tables.index(next));
            }
        });
    }

    fn inside_second(&self, key: Men, visit: impl FnMut(u64)) {
        self.inside(key, visit);
    }
}
