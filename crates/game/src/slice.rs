//! Slices: the sets of positions that are solved together.

use std::fmt;

/// The number of a slice within its game.
///
/// Slices are numbered in an order in which they can be solved: a move either stays in its slice
/// (*internal*) or leads to a slice with a smaller number (*conversion*).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SliceId(pub u32);

impl fmt::Display for SliceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
