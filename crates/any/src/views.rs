//! Views of any game: a virtual call for a position or a run of them, not one for every move.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use nutcracker_game::{
    Children, Evaluate, Exits, ForwardView, Metric, PlainView, Score, SliceId, SliceView, Target,
};

use crate::erased::Concrete;
use crate::{AnyGame, AnyPosition};

/// The views that a game has of its own.
pub(crate) trait Views: fmt::Debug + Send + Sync {
    fn view(&self, slice: SliceId, bytes: u64) -> Box<dyn ErasedView>;
    fn zeroing(&self, slice: SliceId) -> Option<Box<dyn ErasedView>>;
    fn forward(&self, slice: SliceId, bytes: u64) -> Box<dyn ErasedForward>;
}

impl<G: Evaluate> Views for Concrete<G>
where
    G::Forward: ForwardView<Key = G::Position> + 'static,
{
    fn view(&self, slice: SliceId, bytes: u64) -> Box<dyn ErasedView> {
        Box::new(Own(self.0.view_within(slice, bytes)))
    }

    fn zeroing(&self, slice: SliceId) -> Option<Box<dyn ErasedView>> {
        let view = self.0.zeroing_view(slice)?;
        Some(Box::new(Own(view)))
    }

    fn forward(&self, slice: SliceId, bytes: u64) -> Box<dyn ErasedForward> {
        Box::new(Own(self.0.forward_within(slice, bytes)))
    }
}

/// A view of a known type.
struct Own<V>(V);

/// What [`SliceView`] has, with numbers as keys.
pub(crate) trait ErasedView: Send + Sync {
    fn len(&self) -> u64;
    fn second_index(&self, index: u64) -> u64;
    fn predecessors(&self, index: u64, put: &mut dyn FnMut(&[u64]));
    fn parts(&self) -> u64;
    fn part_range(&self, part: u64) -> Range<u64>;
    fn exits(
        &self,
        metric: Metric,
        part: u64,
        children: &dyn ReadValues,
        put: &mut dyn FnMut(u64, &[Exits]),
    ) -> Result<(), Unread>;
    fn walks(&self) -> u64;
    fn walk_exits(
        &self,
        metric: Metric,
        walk: u64,
        children: &dyn ReadValues,
        put: &mut dyn FnMut(u64, Exits),
    ) -> Result<(), Unread>;
}

impl<V: SliceView> ErasedView for Own<V> {
    fn len(&self) -> u64 {
        self.0.len()
    }
    fn second_index(&self, index: u64) -> u64 {
        self.0.second_index(self.0.key_at(&mut V::Cursor::default(), index))
    }
    fn predecessors(&self, index: u64, put: &mut dyn FnMut(&[u64])) {
        let key = self.0.key_at(&mut V::Cursor::default(), index);
        let mut batch = Batch::new(put);
        self.0.predecessors(key, |index, _| batch.push(index));
        batch.finish();
    }
    fn parts(&self) -> u64 {
        self.0.parts()
    }
    fn part_range(&self, part: u64) -> Range<u64> {
        self.0.part_range(part)
    }
    fn exits(
        &self,
        metric: Metric,
        part: u64,
        children: &dyn ReadValues,
        put: &mut dyn FnMut(u64, &[Exits]),
    ) -> Result<(), Unread> {
        self.0.exits(metric, part, &Virtual(children), put)
    }
    fn walks(&self) -> u64 {
        self.0.walks()
    }
    fn walk_exits(
        &self,
        metric: Metric,
        walk: u64,
        children: &dyn ReadValues,
        put: &mut dyn FnMut(u64, Exits),
    ) -> Result<(), Unread> {
        self.0.walk_exits(metric, walk, &Virtual(children), put)
    }
}

/// Numbers that are passed on together, so that a virtual call is not made for each.
struct Batch<'a> {
    numbers: [u64; 64],
    len: usize,
    put: &'a mut dyn FnMut(&[u64]),
}

impl<'a> Batch<'a> {
    fn new(put: &'a mut dyn FnMut(&[u64])) -> Self {
        Batch { numbers: [0; 64], len: 0, put }
    }

    #[inline(always)]
    fn push(&mut self, number: u64) {
        if self.len == self.numbers.len() {
            (self.put)(&self.numbers);
            self.len = 0;
        }
        self.numbers[self.len] = number;
        self.len += 1;
    }

    fn finish(self) {
        (self.put)(&self.numbers[..self.len]);
    }
}

/// A value could not be read: the reader knows why.
pub(crate) struct Unread;

/// [`Children`] with one type of error for all.
pub(crate) trait ReadValues {
    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Unread>;
    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Unread>;
}

/// Keeps the error that it has met.
struct Reader<'a, C: Children> {
    children: &'a C,
    error: RefCell<Option<C::Error>>,
}

impl<'a, C: Children> Reader<'a, C> {
    /// Calls `read` with a reader; the error is the one that it has met.
    fn with(
        children: &'a C,
        read: impl FnOnce(&dyn ReadValues) -> Result<(), Unread>,
    ) -> Result<(), C::Error> {
        let reader = Reader { children, error: RefCell::new(None) };
        let done = read(&reader);
        match reader.error.into_inner() {
            Some(error) if done.is_err() => Err(error),
            _ => Ok(()),
        }
    }

    fn keep(&self, error: C::Error) -> Unread {
        self.error.replace(Some(error));
        Unread
    }
}

impl<C: Children> ReadValues for Reader<'_, C> {
    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Unread> {
        self.children.read(slice, start, out).map_err(|error| self.keep(error))
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Unread> {
        self.children.score(slice, index).map_err(|error| self.keep(error))
    }
}

struct Virtual<'a>(&'a dyn ReadValues);

impl Children for Virtual<'_> {
    type Error = Unread;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Unread> {
        self.0.read(slice, start, out)
    }

    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Unread> {
        self.0.score(slice, index)
    }
}

/// What is called with the number of a position, the score if the game is over, and where its moves
/// lead.
type VisitMoves<'a> = dyn FnMut(u64, Option<Score>, &[Target]) + 'a;

/// What [`ForwardView`] has, with positions of any game as keys.
pub(crate) trait ErasedForward: Send + Sync {
    fn key_at(&self, index: u64) -> Option<AnyPosition>;
    fn second_key_at(&self, second: u64) -> Option<AnyPosition>;
    fn locate(&self, position: &AnyPosition) -> (u64, AnyPosition);
    fn index(&self, key: &AnyPosition) -> u64;
    fn outcome(&self, key: &AnyPosition) -> Option<Score>;
    fn targets(&self, key: &AnyPosition, visit: &mut dyn FnMut(Target));
    /// Numbers are doubled, and one more where the move zeroes.
    fn inside_at(&self, index: u64, put: &mut dyn FnMut(&[u64]));
    fn inside_second(&self, key: &AnyPosition, visit: &mut dyn FnMut(u64));
    fn walks(&self) -> u64;
    fn walk(&self, walk: u64, visit: &mut VisitMoves<'_>);
}

impl<P: crate::Value, V: ForwardView<Position = P, Key = P>> ErasedForward for Own<V> {
    fn key_at(&self, index: u64) -> Option<AnyPosition> {
        self.0.key_at(&mut V::Cursor::default(), index).map(AnyPosition::new)
    }
    fn second_key_at(&self, second: u64) -> Option<AnyPosition> {
        self.0.second_key_at(&mut V::Cursor::default(), second).map(AnyPosition::new)
    }
    fn locate(&self, position: &AnyPosition) -> (u64, AnyPosition) {
        let (index, key) = self.0.locate(position.get());
        (index, AnyPosition::new(key))
    }
    fn index(&self, key: &AnyPosition) -> u64 {
        self.0.index(*key.get())
    }
    fn outcome(&self, key: &AnyPosition) -> Option<Score> {
        self.0.outcome(*key.get())
    }
    fn targets(&self, key: &AnyPosition, visit: &mut dyn FnMut(Target)) {
        self.0.targets(*key.get(), visit);
    }
    fn inside_at(&self, index: u64, put: &mut dyn FnMut(&[u64])) {
        let mut batch = Batch::new(put);
        self.0.inside_at(&mut V::Cursor::default(), index, |next, zeroes| {
            batch.push(next << 1 | u64::from(zeroes));
        });
        batch.finish();
    }
    fn inside_second(&self, key: &AnyPosition, visit: &mut dyn FnMut(u64)) {
        self.0.inside_second(*key.get(), visit);
    }
    fn walks(&self) -> u64 {
        self.0.walks()
    }
    fn walk(&self, walk: u64, visit: &mut VisitMoves<'_>) {
        self.0.walk(walk, visit);
    }
}

/// How solvers walk through a slice of any game: by its own view, or by the rules.
pub struct AnyView(Either<Box<dyn ErasedView>>);

/// How the check walks through a slice of any game.
pub struct AnyForward(Either<Box<dyn ErasedForward>>);

enum Either<O> {
    Own(O),
    Plain(PlainView<AnyGame>),
}

impl AnyView {
    pub(crate) fn new(game: &AnyGame, slice: SliceId, bytes: u64) -> Self {
        AnyView(match &game.views {
            Some(views) => Either::Own(views.view(slice, bytes)),
            None => Either::Plain(PlainView::new(game.clone(), slice)),
        })
    }

    pub(crate) fn zeroing(game: &AnyGame, slice: SliceId) -> Option<Self> {
        game.views.as_ref()?.zeroing(slice).map(|view| AnyView(Either::Own(view)))
    }
}

impl AnyForward {
    pub(crate) fn new(game: &AnyGame, slice: SliceId, bytes: u64) -> Self {
        AnyForward(match &game.views {
            Some(views) => Either::Own(views.forward(slice, bytes)),
            None => Either::Plain(PlainView::new(game.clone(), slice)),
        })
    }
}

impl fmt::Debug for AnyView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyView")
    }
}

impl fmt::Debug for AnyForward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyForward")
    }
}

impl SliceView for AnyView {
    /// The position's number.
    type Key = u64;
    type Cursor = ();

    fn len(&self) -> u64 {
        match &self.0 {
            Either::Own(view) => view.len(),
            Either::Plain(view) => view.len(),
        }
    }

    fn key_at(&self, (): &mut (), index: u64) -> u64 {
        index
    }

    fn second_index(&self, key: u64) -> u64 {
        match &self.0 {
            Either::Own(view) => view.second_index(key),
            Either::Plain(view) => view.second_index(SliceView::key_at(view, &mut (), key)),
        }
    }

    fn predecessors(&self, key: u64, mut visit: impl FnMut(u64, u64)) {
        match &self.0 {
            Either::Own(view) => view.predecessors(key, &mut |numbers| {
                for &index in numbers {
                    visit(index, index);
                }
            }),
            Either::Plain(view) => {
                let position = SliceView::key_at(view, &mut (), key);
                view.predecessors(position, |index, _| visit(index, index));
            }
        }
    }

    fn parts(&self) -> u64 {
        match &self.0 {
            Either::Own(view) => view.parts(),
            Either::Plain(view) => view.parts(),
        }
    }

    fn part_range(&self, part: u64) -> Range<u64> {
        match &self.0 {
            Either::Own(view) => view.part_range(part),
            Either::Plain(view) => view.part_range(part),
        }
    }

    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        match &self.0 {
            Either::Own(view) => {
                Reader::with(children, |reader| view.exits(metric, part, reader, &mut put))
            }
            Either::Plain(view) => view.exits(metric, part, children, put),
        }
    }

    fn walks(&self) -> u64 {
        match &self.0 {
            Either::Own(view) => view.walks(),
            Either::Plain(view) => SliceView::walks(view),
        }
    }

    fn walk_exits<C: Children>(
        &self,
        metric: Metric,
        walk: u64,
        children: &C,
        mut put: impl FnMut(u64, Exits),
    ) -> Result<(), C::Error> {
        match &self.0 {
            Either::Own(view) => {
                Reader::with(children, |reader| view.walk_exits(metric, walk, reader, &mut put))
            }
            Either::Plain(view) => view.walk_exits(metric, walk, children, put),
        }
    }
}

impl ForwardView for AnyForward {
    type Position = AnyPosition;
    type Key = AnyPosition;
    type Cursor = <PlainView<AnyGame> as ForwardView>::Cursor;

    fn key_at(&self, cursor: &mut Self::Cursor, index: u64) -> Option<AnyPosition> {
        match &self.0 {
            Either::Own(view) => view.key_at(index),
            Either::Plain(view) => ForwardView::key_at(view, cursor, index),
        }
    }

    fn second_key_at(&self, cursor: &mut Self::Cursor, second: u64) -> Option<AnyPosition> {
        match &self.0 {
            Either::Own(view) => view.second_key_at(second),
            Either::Plain(view) => view.second_key_at(cursor, second),
        }
    }

    fn locate(&self, position: &AnyPosition) -> (u64, AnyPosition) {
        match &self.0 {
            Either::Own(view) => view.locate(position),
            Either::Plain(view) => view.locate(position),
        }
    }

    fn position(&self, key: AnyPosition) -> AnyPosition {
        key
    }

    fn index(&self, key: AnyPosition) -> u64 {
        match &self.0 {
            Either::Own(view) => view.index(&key),
            Either::Plain(view) => view.index(key),
        }
    }

    fn outcome(&self, key: AnyPosition) -> Option<Score> {
        match &self.0 {
            Either::Own(view) => view.outcome(&key),
            Either::Plain(view) => view.outcome(key),
        }
    }

    fn targets(&self, key: AnyPosition, mut visit: impl FnMut(Target)) {
        match &self.0 {
            Either::Own(view) => view.targets(&key, &mut visit),
            Either::Plain(view) => view.targets(key, visit),
        }
    }

    fn inside_at(&self, cursor: &mut Self::Cursor, index: u64, mut visit: impl FnMut(u64, bool)) {
        match &self.0 {
            Either::Own(view) => {
                view.inside_at(index, &mut |numbers| {
                    for number in numbers {
                        visit(number >> 1, number & 1 == 1);
                    }
                });
            }
            Either::Plain(view) => view.inside_at(cursor, index, visit),
        }
    }

    fn inside_second(&self, key: AnyPosition, mut visit: impl FnMut(u64)) {
        match &self.0 {
            Either::Own(view) => view.inside_second(&key, &mut visit),
            Either::Plain(view) => view.inside_second(key, visit),
        }
    }

    fn walks(&self) -> u64 {
        match &self.0 {
            Either::Own(view) => view.walks(),
            Either::Plain(view) => ForwardView::walks(view),
        }
    }

    fn walk(&self, walk: u64, mut visit: impl FnMut(u64, Option<Score>, &[Target])) {
        match &self.0 {
            Either::Own(view) => view.walk(walk, &mut visit),
            Either::Plain(view) => view.walk(walk, visit),
        }
    }
}

/// The numbers of a game are those of its views.
#[cfg(test)]
mod tests {
    use super::*;
    use nutcracker_game::{Game, Numbering, toy::Heap};

    #[test]
    fn own_views_are_those_of_the_rules() {
        let [own, plain] = [AnyGame::viewed(Heap), AnyGame::small(Heap)];
        let slice = Heap.largest_slice();
        let [own, plain] = [own.view(slice), plain.view(slice)];
        assert_eq!(own.len(), plain.len());
        for index in 0..own.len() {
            let before = |view: &AnyView| {
                let mut found = Vec::new();
                view.predecessors(index, |index, _| found.push(index));
                found
            };
            assert_eq!(before(&own), before(&plain));
        }
    }
}
