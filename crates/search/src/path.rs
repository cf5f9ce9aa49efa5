//! The line of play from the game's history down to the current position.

use nutcracker_game::SliceId;

/// The place of a position on the path.
pub(crate) type Place = usize;

/// What depends on no earlier position of the path.
pub(crate) const FREE: Place = Place::MAX;

/// The positions of a line of play.
///
/// Positions are kept as their movers saw them. A position repeats when the same side had the move
/// in it: moves that stay in a slice pass the turn, so that is at an even distance in the same
/// slice.
#[derive(Clone, Debug)]
pub(crate) struct Path<P> {
    frames: Vec<Frame<P>>,
}

#[derive(Clone, Debug)]
struct Frame<P> {
    position: P,
    slice: SliceId,
    /// The first place of this slice.
    since: Place,
}

impl<P> Default for Path<P> {
    fn default() -> Self {
        Path { frames: Vec::new() }
    }
}

impl<P: Copy + Eq> Path<P> {
    /// The part of a game's history that can come back at a position of `slice`: its last
    /// positions, as long as they are of the same slice.
    pub(crate) fn after(history: &[P], slice: SliceId, slice_of: impl Fn(&P) -> SliceId) -> Self {
        let others = history.iter().rev().take_while(|position| slice_of(position) == slice);
        let mut path = Path::default();
        for position in &history[history.len() - others.count()..] {
            path.push(*position, slice);
        }
        path
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> Place {
        self.frames.len()
    }

    pub(crate) fn truncate(&mut self, len: Place) {
        self.frames.truncate(len);
    }

    pub(crate) fn push(&mut self, position: P, slice: SliceId) {
        let since = self.since(slice);
        self.frames.push(Frame { position, slice, since });
    }

    pub(crate) fn pop(&mut self) {
        self.frames.pop();
    }

    /// Whether the last position is in `slice`.
    pub(crate) fn ends_in(&self, slice: SliceId) -> bool {
        self.frames.last().is_some_and(|last| last.slice == slice)
    }

    /// The first place of the run of positions of `slice` at the end.
    pub(crate) fn since(&self, slice: SliceId) -> Place {
        match self.frames.last() {
            Some(last) if last.slice == slice => last.since,
            _ => self.frames.len(),
        }
    }

    /// The place where a position to come next has been before with the same side to move.
    pub(crate) fn earlier(&self, position: &P, slice: SliceId) -> Option<Place> {
        let run = &self.frames[self.since(slice)..];
        let at =
            run.iter().rev().skip(1).step_by(2).position(|frame| frame.position == *position)?;
        Some(self.frames.len() - 2 - 2 * at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_side_repeats() {
        let slice_of = |p: &u32| SliceId(p / 10);
        let path = Path::after(&[25, 11, 12, 13], SliceId(1), slice_of);
        assert_eq!(path.len(), 3);
        let earlier = |position| path.earlier(&position, SliceId(1));
        assert_eq!(
            (earlier(12), earlier(11), earlier(13), earlier(14)),
            (Some(1), None, None, None)
        );
        assert_eq!(Path::after(&[11, 12], SliceId(0), slice_of).len(), 0);
    }

    #[test]
    fn a_new_slice_begins_anew() {
        let mut path = Path::after(&[], SliceId(3), |_| SliceId(3));
        for (position, slice) in [(1, 3), (2, 3), (1, 2), (2, 2), (3, 2)] {
            path.push(position, SliceId(slice));
        }
        assert_eq!(path.earlier(&2, SliceId(2)), Some(3));
        assert_eq!(path.earlier(&1, SliceId(2)), None);
        path.truncate(2);
        assert_eq!(path.earlier(&1, SliceId(3)), Some(0));
        path.pop();
        assert_eq!((path.len(), path.earlier(&1, SliceId(3))), (1, None));
    }
}
