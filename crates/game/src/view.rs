//! A slice as solvers and the check walk through it.

use std::ops::Range;

use crate::{Line, Metric, MoveMatrix, Numbering, Score, SliceId, Step, Turn};

/// What a position's moves out of its slice are worth, and how many stay inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exits {
    /// The best value through a move that leaves the slice or, where the game is over, its value;
    /// [`Exits::NONE`] where there is neither.
    pub best: i8,
    /// The number of internal moves; of different internal successors where positions share
    /// numbers with their mirror images.
    pub internal: u16,
}

impl Exits {
    /// Less than every value: no move leaves the slice.
    pub const NONE: i8 = i8::MIN;
    /// Of a number that stands for no position: a draw that nothing leads to.
    pub const HOLE: Exits = Exits { best: 0, internal: 0 };
    /// Of a position whose best exit is a loss too far away to store.
    pub const TOO_FAR: Exits = Exits { best: 0, internal: u16::MAX };
}

/// The values of finished slices.
pub trait Children {
    /// Why a value cannot be read.
    type Error;

    /// Reads the values of `out.len()` consecutive numbers.
    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error>;

    /// The value of one position.
    fn score(&self, slice: SliceId, index: u64) -> Result<Score, Self::Error> {
        let mut one = [0];
        self.read(slice, index, &mut one)?;
        Ok(Score::from(one[0]))
    }
}

/// A slice as solvers walk through it: by index where they go in sequence, by key where they jump.
///
/// [`PlainView`] implements it for every game by way of the rules. A game that solves millions of
/// positions a second has a view of its own, in which nothing is unranked on the way.
///
/// # Required
/// All methods but [`is_empty`](SliceView::is_empty), [`parts`](SliceView::parts),
/// [`part_range`](SliceView::part_range) and those of walks.
pub trait SliceView: Send + Sync {
    /// A position in the form in which its predecessors are found fastest.
    type Key: Copy + Send;
    /// Caches the last key, so that the next one in sequence is cheap.
    type Cursor: Default + Send;

    /// The number of numbers in the slice, holes included.
    fn len(&self) -> u64;

    /// Whether the slice has no positions.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of the position with this index, which is not a hole.
    fn key_at(&self, cursor: &mut Self::Cursor, index: u64) -> Self::Key;

    /// The second number of a key's position.
    fn second_index(&self, key: Self::Key) -> u64;

    /// Visits index and key of every position from which an internal move leads to `key`: as
    /// often, over all keys, as [`exits`](SliceView::exits) counts internal moves of it.
    fn predecessors(&self, key: Self::Key, visit: impl FnMut(u64, Self::Key));

    /// The number of independent parts in which [`exits`](SliceView::exits) is computed: runs of
    /// indices, unless a view has other parts, and with them a [range](SliceView::part_range) of each.
    fn parts(&self) -> u64 {
        self.len().div_ceil(PART)
    }

    /// A superset of the part's indices; callers that need a sub-range skip parts that do not
    /// intersect it.
    fn part_range(&self, part: u64) -> Range<u64> {
        part * PART..((part + 1) * PART).min(self.len())
    }

    /// Computes the exits of all positions of a part, [`Exits::HOLE`] for holes, and passes them
    /// on in runs of consecutive indices.
    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error>;

    /// The number of walks in which [`walk_exits`](SliceView::walk_exits) visits all numbers, for a
    /// view that knows an order in which the values of smaller slices lie close together; 0 for
    /// others.
    fn walks(&self) -> u64 {
        0
    }

    /// Computes the exits of all positions of a walk, and [`Exits::HOLE`] for some holes: over all
    /// walks every number once, in any order.
    fn walk_exits<C: Children>(
        &self,
        _metric: Metric,
        _walk: u64,
        _children: &C,
        _put: impl FnMut(u64, Exits),
    ) -> Result<(), C::Error> {
        Ok(())
    }
}

/// Where a move leads, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To a position of the same slice.
    Inside(u64),
    /// To a position of the same slice by a move that [zeroes](Step::zeroes).
    Zeroing(u64),
    /// To a position of a finished slice.
    Outside {
        /// Which slice.
        slice: SliceId,
        /// The number there.
        index: u64,
        /// What the mover banks.
        gain: Score,
        /// The side that moves next.
        turn: Turn,
        /// Whether the move is a [conversion](Step::converts).
        converts: bool,
    },
}

impl Target {
    /// The number in the same slice, and whether the move zeroes; `None` outside.
    #[inline]
    pub fn inside(self) -> Option<(u64, bool)> {
        match self {
            Target::Inside(index) => Some((index, false)),
            Target::Zeroing(index) => Some((index, true)),
            Target::Outside { .. } => None,
        }
    }
}

/// A slice as it is walked forward, by its moves.
///
/// The check uses it, and so do the solvers with one and two bits a position, and the one in memory
/// for distances under a rule of moves; by rows, by sweeps and for all else in memory it is not used.
/// So the check ends with a sample of positions by the plain rules, which uses no view.
///
/// # Required
/// All methods but [`inside`](ForwardView::inside), [`inside_at`](ForwardView::inside_at),
/// [`matrix`](ForwardView::matrix), [`lines`](ForwardView::lines) and those of walks.
pub trait ForwardView: Send + Sync {
    /// A position of the game.
    type Position;
    /// A position in the form in which its successors are found fastest.
    type Key: Copy + Send;
    /// Caches the last key, so that the next one in sequence is cheap.
    type Cursor: Default + Send;

    /// The key of the position with this number; `None` for a hole.
    fn key_at(&self, cursor: &mut Self::Cursor, index: u64) -> Option<Self::Key>;
    /// The key of the position with this second number; `None` for a hole.
    fn second_key_at(&self, cursor: &mut Self::Cursor, second: u64) -> Option<Self::Key>;
    /// Number and key of a position.
    fn locate(&self, position: &Self::Position) -> (u64, Self::Key);
    /// The position of a key.
    fn position(&self, key: Self::Key) -> Self::Position;
    /// The number of a key's position.
    fn index(&self, key: Self::Key) -> u64;
    /// If the game is over here, the score of the side to move.
    fn outcome(&self, key: Self::Key) -> Option<Score>;
    /// Visits where every legal move leads.
    fn targets(&self, key: Self::Key, visit: impl FnMut(Target));
    /// Visits the number of every internal successor: [`targets`](ForwardView::targets) without
    /// moves that leave the slice.
    fn inside(&self, key: Self::Key, mut visit: impl FnMut(u64)) {
        self.targets(key, |target| {
            if let Target::Inside(index) | Target::Zeroing(index) = target {
                visit(index);
            }
        });
    }
    /// [`inside`](ForwardView::inside) of the position with a number, each with whether the move
    /// [zeroes](Step::zeroes); nothing where the game is over, and for a hole.
    fn inside_at(&self, cursor: &mut Self::Cursor, index: u64, mut visit: impl FnMut(u64, bool)) {
        if let Some(key) = self.key_at(cursor, index).filter(|&key| self.outcome(key).is_none()) {
            self.targets(key, |target| {
                if let Some((index, zeroes)) = target.inside() {
                    visit(index, zeroes);
                }
            });
        }
    }
    /// Visits the second number of every successor inside the slice, in the order of
    /// [`targets`](ForwardView::targets).
    fn inside_second(&self, key: Self::Key, visit: impl FnMut(u64));
    /// The blocks of positions whose moves factor, by number from 0 on; `None` beyond the last. The
    /// check walks positions outside of them one by one, which is many times slower.
    fn matrix(&self, _number: u64) -> Option<MoveMatrix> {
        None
    }
    /// Visits the lines of a column of a block, in the order of their lengths there.
    fn lines(&self, _matrix: u64, _column: u64, _visit: impl FnMut(Line)) {}
    /// The number of walks in which [`walk`](ForwardView::walk) visits all positions, for a view
    /// that knows an order in which their successors lie close together; 0 for others.
    fn walks(&self) -> u64 {
        0
    }
    /// Visits every position of a walk: its number, the score if the game is over, and where its
    /// moves lead if not.
    fn walk(&self, _walk: u64, _visit: impl FnMut(u64, Option<Score>, &[Target])) {}
}

/// The view every game has: by way of its rules, one position after another.
#[derive(Clone, Debug)]
pub struct PlainView<G> {
    game: G,
    slice: SliceId,
    len: u64,
}

/// Numbers in a part, unless a view has parts of its own.
const PART: u64 = 1 << 14;

impl<G: Numbering> PlainView<G> {
    /// The view of one slice.
    pub fn new(game: G, slice: SliceId) -> Self {
        let len = game.slice_len(slice);
        PlainView { game, slice, len }
    }

    fn position_at(&self, index: u64) -> G::Position {
        self.game.unrank(self.slice, index).expect("only positions have values to spread")
    }
}

/// Whether a move from a position of `slice` stays there.
pub fn is_internal<G: Numbering>(game: &G, slice: SliceId, step: &Step<G::Position>) -> bool {
    step.turn == Turn::Passes && game.slice_of(&step.next) == slice
}

/// Whether a move from a position of `slice` stays there, and does not restart the count of the
/// metric: then what it is worth depends on the distance after it, not only on the winner.
pub fn is_counted<G: Numbering>(
    game: &G,
    slice: SliceId,
    metric: Metric,
    step: &Step<G::Position>,
) -> bool {
    is_internal(game, slice, step) && !metric.restarts(step)
}

/// The exits of one position, by way of the rules; `steps` is scratch space.
pub fn exits_of<G: Numbering, C: Children>(
    game: &G,
    metric: Metric,
    position: &G::Position,
    steps: &mut Vec<Step<G::Position>>,
    children: &C,
) -> Result<Exits, C::Error> {
    steps.clear();
    if let Some(score) = game.expand(position, steps) {
        return Ok(Exits { best: metric.over(score) as i8, internal: 0 });
    }
    let slice = game.slice_of(position);
    let mut exits = Exits { best: Exits::NONE, internal: 0 };
    // A distance too large to store is less than a draw and more than every other loss.
    let (mut draws, mut too_far) = (false, false);
    for step in &*steps {
        if is_counted(game, slice, metric, step) {
            exits.internal += 1;
        } else {
            let next = children.score(game.slice_of(&step.next), game.rank(&step.next))?;
            let value = metric.value(step, next);
            if metric.is_too_far(value, next) {
                too_far = true;
            } else {
                draws |= value == 0;
            }
            exits.best = exits.best.max(value as i8);
        }
    }
    if too_far && exits.best == 0 && !draws {
        return Ok(Exits::TOO_FAR);
    }
    if game.properties().symmetric {
        exits.internal = different(game, slice, metric, steps);
    }
    Ok(exits)
}

/// The number of different internal successors.
fn different<G: Numbering>(
    game: &G,
    slice: SliceId,
    metric: Metric,
    steps: &[Step<G::Position>],
) -> u16 {
    let internal = steps.iter().filter(|step| is_counted(game, slice, metric, step));
    let mut numbers: Vec<u64> = internal.map(|step| game.rank(&step.next)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() as u16
}

impl<G: Numbering> SliceView for PlainView<G> {
    type Key = G::Position;
    type Cursor = ();

    fn len(&self) -> u64 {
        self.len
    }

    fn key_at(&self, (): &mut (), index: u64) -> G::Position {
        self.position_at(index)
    }

    fn second_index(&self, key: G::Position) -> u64 {
        self.game.second_rank(&key)
    }

    fn predecessors(&self, key: G::Position, mut visit: impl FnMut(u64, G::Position)) {
        let mut before = Vec::new();
        self.game.unmoves(&key, &mut before);
        if self.game.properties().symmetric {
            // A move to any mirror image of this position is, mirrored, a move to the position
            // itself, so that its own un-moves find every predecessor; some of them twice.
            let mut numbers: Vec<u64> = before.iter().map(|p| self.game.rank(p)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            for index in numbers {
                visit(index, self.position_at(index));
            }
        } else {
            for position in before {
                visit(self.game.rank(&position), position);
            }
        }
    }

    fn exits<C: Children>(
        &self,
        metric: Metric,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let range = self.part_range(part);
        let mut steps = Vec::new();
        let mut run = Vec::with_capacity((range.end - range.start) as usize);
        for index in range.clone() {
            run.push(match self.game.unrank(self.slice, index) {
                Some(position) => exits_of(&self.game, metric, &position, &mut steps, children)?,
                None => Exits::HOLE,
            });
        }
        put(range.start, &run);
        Ok(())
    }
}

impl<G: Numbering> ForwardView for PlainView<G> {
    type Position = G::Position;
    type Key = G::Position;
    type Cursor = Option<(u64, G::Position)>;

    fn key_at(&self, _: &mut Self::Cursor, index: u64) -> Option<G::Position> {
        self.game.unrank(self.slice, index)
    }

    fn second_key_at(&self, cursor: &mut Self::Cursor, second: u64) -> Option<G::Position> {
        if self.game.properties().holes {
            return self.game.second_unrank(self.slice, second);
        }
        let position = match *cursor {
            Some((last, mut position)) if last + 1 == second => {
                self.game.second_next(self.slice, second, &mut position);
                position
            }
            _ => self.game.second_unrank(self.slice, second)?,
        };
        *cursor = Some((second, position));
        Some(position)
    }

    fn locate(&self, position: &G::Position) -> (u64, G::Position) {
        let position = self.game.canonical(position);
        (self.game.rank(&position), position)
    }

    fn position(&self, key: G::Position) -> G::Position {
        key
    }

    fn index(&self, key: G::Position) -> u64 {
        self.game.rank(&key)
    }

    fn outcome(&self, key: G::Position) -> Option<Score> {
        self.game.outcome(&key)
    }

    fn targets(&self, key: G::Position, visit: impl FnMut(Target)) {
        targets_of(&self.game, &key, visit);
    }

    fn inside_second(&self, key: G::Position, visit: impl FnMut(u64)) {
        inside_second_of(&self.game, &key, visit);
    }
}

/// Visits where every legal move leads, by way of the rules.
pub fn targets_of<G: Numbering>(game: &G, position: &G::Position, mut visit: impl FnMut(Target)) {
    let own = game.slice_of(position);
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    for step in steps {
        let Step { next, gain, turn, converts, zeroes } = step;
        let (slice, index) = (game.slice_of(&next), game.rank(&next));
        visit(if is_internal(game, own, &step) {
            if zeroes { Target::Zeroing(index) } else { Target::Inside(index) }
        } else {
            Target::Outside { slice, index, gain, turn, converts }
        });
    }
}

/// Visits the second number of every successor inside the slice, by way of the rules.
pub fn inside_second_of<G: Numbering>(
    game: &G,
    position: &G::Position,
    mut visit: impl FnMut(u64),
) {
    let own = game.slice_of(position);
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    for step in steps.iter().filter(|step| is_internal(game, own, step)) {
        visit(game.second_rank(&step.next));
    }
}
