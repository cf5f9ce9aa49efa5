//! Which numbers stand for positions that can arise from the start.

use std::fmt;

use crate::{Numbering, SliceId};

/// One bit for each number of a game's slices: whether play from the start can reach its position.
///
/// For games whose dense numbering has numbers without a position, and in which nothing simpler
/// than play itself tells them apart.
///
/// ```
/// use nutcracker_game::{Numbering, Reachable, SliceId, toy::Heap};
/// let reachable = Reachable::from_start(&Heap, |slice, index| Heap.unrank(slice, index).unwrap());
/// assert!(reachable.contains(SliceId(4), 0));
/// assert_eq!(reachable.count(SliceId(4)), 1);
/// ```
#[derive(Clone)]
pub struct Reachable {
    /// By slice, 64 numbers a word; no words for slices above the start.
    slices: Vec<Vec<u64>>,
}

impl Reachable {
    /// Plays every move of every position that can be reached from the start, slice by slice.
    /// `unrank` gives the position of a number, and is called for those that are reached only.
    ///
    /// # Panics
    /// If a move stays in its slice or leads up.
    pub fn from_start<G: Numbering>(
        game: &G,
        unrank: impl Fn(SliceId, u64) -> G::Position,
    ) -> Self {
        let start = game.start().position;
        let first = game.slice_of(&start);
        let words = |slice| vec![0; game.slice_len(SliceId(slice)).div_ceil(64) as usize];
        let mut slices: Vec<Vec<u64>> = (0..=first.0).map(words).collect();
        let mark = |below: &mut [Vec<u64>], position: &G::Position| {
            let index = game.rank(position);
            below[game.slice_of(position).0 as usize][(index / 64) as usize] |= 1 << (index % 64);
        };
        mark(&mut slices, &start);
        let mut steps = Vec::new();
        for slice in (0..=first.0).rev() {
            let (below, rest) = slices.split_at_mut(slice as usize);
            for (word, mut bits) in (0..).zip(rest[0].iter().copied()) {
                while bits != 0 {
                    let index = word * 64 + u64::from(bits.trailing_zeros());
                    bits &= bits - 1;
                    steps.clear();
                    game.steps(&unrank(SliceId(slice), index), &mut steps);
                    for step in &steps {
                        mark(below, &step.next);
                    }
                }
            }
        }
        Reachable { slices }
    }

    /// Whether the position with this number can be reached.
    pub fn contains(&self, slice: SliceId, index: u64) -> bool {
        let words = self.slices.get(slice.0 as usize);
        words.is_some_and(|words| words[(index / 64) as usize] >> (index % 64) & 1 == 1)
    }

    /// How many positions of a slice can be reached.
    pub fn count(&self, slice: SliceId) -> u64 {
        let words = self.slices.get(slice.0 as usize);
        words.into_iter().flatten().map(|word| u64::from(word.count_ones())).sum()
    }
}

impl fmt::Debug for Reachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slices = (0..self.slices.len() as u32).map(|slice| self.count(SliceId(slice)));
        f.debug_tuple("Reachable").field(&slices.collect::<Vec<_>>()).finish()
    }
}
