//! Slices: the sets of positions that are solved together, and the graph they form.

use std::collections::BTreeSet;
use std::fmt;

use crate::Numbering;

/// The number of a slice within its game.
///
/// Slices are numbered in a topological order: a move either stays in its slice (*internal*) or
/// leads to a slice with a smaller number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SliceId(pub u32);

impl fmt::Display for SliceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The selected slices and all that moves can lead to from them, in an order in which they can be
/// solved.
///
/// ```
/// use nutcracker_game::{SliceId, closure, toy::Heap};
/// let slices = closure(&Heap, [SliceId(1)]);
/// assert_eq!(slices, [SliceId(0), SliceId(1)]);
/// ```
pub fn closure<G: Numbering>(
    game: &G,
    selected: impl IntoIterator<Item = SliceId>,
) -> Vec<SliceId> {
    let mut found = BTreeSet::new();
    let mut open: Vec<SliceId> = selected.into_iter().collect();
    while let Some(slice) = open.pop() {
        if found.insert(slice) {
            open.extend(game.below(slice).into_iter().filter(|below| !found.contains(below)));
        }
    }
    found.into_iter().collect()
}
