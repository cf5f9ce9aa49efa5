//! A slice as solvers walk through it.

use std::ops::Range;

use crate::{Game, Score, SliceId, Step, Turn};

/// What a position's moves out of its slice are worth, and how many stay inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exits {
    /// The best value through a conversion or, where the game is over, its score;
    /// [`Exits::NONE`] where there is neither.
    pub best: i8,
    /// The number of internal moves.
    pub internal: u8,
}

impl Exits {
    /// Less than every score: the position has no conversion.
    pub const NONE: i8 = i8::MIN;
}

/// The scores of finished slices.
pub trait Children {
    /// Why a score cannot be had.
    type Error;

    /// Reads the scores of `out.len()` positions in sequence.
    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error>;

    /// The score of one position.
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
pub trait SliceView: Send + Sync {
    /// A position in the form in which its predecessors are found fastest.
    type Key: Copy + Send;
    /// Remembers where the last key was, so that the next one in sequence costs little.
    type Cursor: Default + Send;

    /// The number of positions.
    fn len(&self) -> u64;

    /// Whether the slice has no positions.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key of the position with this index.
    fn key_at(&self, cursor: &mut Self::Cursor, index: u64) -> Self::Key;

    /// The second number of a key's position.
    fn second_index(&self, key: Self::Key) -> u64;

    /// Visits index and key of every position from which an internal move leads to `key`.
    fn predecessors(&self, key: Self::Key, visit: impl FnMut(u64, Self::Key));

    /// The number of independent parts in which [`exits`](SliceView::exits) is computed.
    fn parts(&self) -> u64;

    /// A range of indices that holds all positions of a part, and perhaps others: who wants only some
    /// of the slice leaves out the parts beyond.
    fn part_range(&self, _part: u64) -> Range<u64> {
        0..self.len()
    }

    /// Computes the exits of all positions of a part and hands them over in runs of consecutive
    /// indices.
    fn exits<C: Children>(
        &self,
        part: u64,
        children: &C,
        put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error>;
}

/// Where a move leads, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// To a position of the same slice.
    Inside(u64),
    /// To a position of a finished slice.
    Outside {
        /// Which slice.
        slice: SliceId,
        /// The number there.
        index: u64,
        /// What the mover banks.
        gain: Score,
        /// Who moves next.
        turn: Turn,
    },
}

/// A slice as it is walked forward, by the rules: what the independent check sees of a game. No
/// solver that is checked uses it.
pub trait ForwardView<P>: Send + Sync {
    /// A position in the form in which its successors are found fastest.
    type Key: Copy + Send;
    /// Remembers where the last key was, so that the next one in sequence costs little.
    type Cursor: Default + Send;

    /// The key of the position with this number.
    fn key_at(&self, cursor: &mut Self::Cursor, index: u64) -> Self::Key;
    /// The key of the position with this second number.
    fn second_key_at(&self, cursor: &mut Self::Cursor, second: u64) -> Self::Key;
    /// Number and key of a position.
    fn locate(&self, position: &P) -> (u64, Self::Key);
    /// The position of a key.
    fn position(&self, key: Self::Key) -> P;
    /// The number of a key's position.
    fn index(&self, key: Self::Key) -> u64;
    /// If the game is over here, the score of the side to move.
    fn outcome(&self, key: Self::Key) -> Option<Score>;
    /// Visits where every legal move leads.
    fn targets(&self, key: Self::Key, visit: impl FnMut(Target));
    /// Visits the number of every internal successor: [`targets`](ForwardView::targets) without
    /// the trouble of conversions.
    fn inside(&self, key: Self::Key, mut visit: impl FnMut(u64)) {
        self.targets(key, |target| {
            if let Target::Inside(index) = target {
                visit(index);
            }
        });
    }
    /// Visits the second number of every successor inside the slice, in the order of
    /// [`targets`](ForwardView::targets).
    fn inside_second(&self, key: Self::Key, visit: impl FnMut(u64));
}

/// The view every game has: by way of its rules, one position after another.
#[derive(Clone, Debug)]
pub struct PlainView<G> {
    game: G,
    slice: SliceId,
    len: u64,
}

/// Positions in a part of a plain view.
const PART: u64 = 1 << 14;

impl<G: Game> PlainView<G> {
    /// The view of one slice.
    pub fn new(game: G, slice: SliceId) -> Self {
        let len = game.slice_len(slice);
        PlainView { game, slice, len }
    }

    fn part(&self, part: u64) -> Range<u64> {
        part * PART..((part + 1) * PART).min(self.len)
    }
}

/// The exits of one position, by way of the rules.
pub fn exits_of<G: Game, C: Children>(
    game: &G,
    position: &G::Position,
    moves: &mut Vec<G::Move>,
    children: &C,
) -> Result<Exits, C::Error> {
    if let Some(score) = game.outcome(position) {
        return Ok(Exits { best: score as i8, internal: 0 });
    }
    let slice = game.slice_of(position);
    let mut exits = Exits { best: Exits::NONE, internal: 0 };
    moves.clear();
    game.moves(position, moves);
    for mv in moves.iter() {
        let step = game.play(position, mv);
        let to = game.slice_of(&step.next);
        if to == slice && step.turn == Turn::Passes {
            exits.internal += 1;
        } else {
            // No lawful game keeps the turn within a slice, so `to` is a finished one.
            let score = children.score(to, game.rank(&step.next))?;
            exits.best = exits.best.max(step.value(score) as i8);
        }
    }
    Ok(exits)
}

impl<G: Game> SliceView for PlainView<G> {
    type Key = G::Position;
    type Cursor = ();

    fn len(&self) -> u64 {
        self.len
    }

    fn key_at(&self, (): &mut (), index: u64) -> G::Position {
        self.game.unrank(self.slice, index)
    }

    fn second_index(&self, key: G::Position) -> u64 {
        self.game.second_rank(&key)
    }

    fn predecessors(&self, key: G::Position, mut visit: impl FnMut(u64, G::Position)) {
        let mut before = Vec::new();
        self.game.unmoves(&key, &mut before);
        for position in before {
            visit(self.game.rank(&position), position);
        }
    }

    fn parts(&self) -> u64 {
        self.len.div_ceil(PART)
    }

    fn part_range(&self, part: u64) -> Range<u64> {
        self.part(part)
    }

    fn exits<C: Children>(
        &self,
        part: u64,
        children: &C,
        mut put: impl FnMut(u64, &[Exits]),
    ) -> Result<(), C::Error> {
        let range = self.part(part);
        let mut moves = Vec::new();
        let mut run = Vec::with_capacity((range.end - range.start) as usize);
        for index in range.clone() {
            let position = self.game.unrank(self.slice, index);
            run.push(exits_of(&self.game, &position, &mut moves, children)?);
        }
        put(range.start, &run);
        Ok(())
    }
}

impl<G: Game> ForwardView<G::Position> for PlainView<G> {
    type Key = G::Position;
    type Cursor = Option<(u64, G::Position)>;

    fn key_at(&self, _: &mut Self::Cursor, index: u64) -> G::Position {
        self.game.unrank(self.slice, index)
    }

    fn second_key_at(&self, cursor: &mut Self::Cursor, second: u64) -> G::Position {
        let position = match *cursor {
            Some((last, mut position)) if last + 1 == second => {
                self.game.second_next(self.slice, second, &mut position);
                position
            }
            _ => self.game.second_unrank(self.slice, second),
        };
        *cursor = Some((second, position));
        position
    }

    fn locate(&self, position: &G::Position) -> (u64, G::Position) {
        (self.game.rank(position), *position)
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
pub fn targets_of<G: Game>(game: &G, position: &G::Position, mut visit: impl FnMut(Target)) {
    let own = game.slice_of(position);
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    for Step { next, gain, turn } in steps {
        let (slice, index) = (game.slice_of(&next), game.rank(&next));
        visit(if slice == own && turn == Turn::Passes {
            Target::Inside(index)
        } else {
            Target::Outside { slice, index, gain, turn }
        });
    }
}

/// Visits the second number of every successor inside the slice, by way of the rules.
pub fn inside_second_of<G: Game>(game: &G, position: &G::Position, mut visit: impl FnMut(u64)) {
    let own = game.slice_of(position);
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    for Step { next, turn, .. } in steps {
        if turn == Turn::Passes && game.slice_of(&next) == own {
            visit(game.second_rank(&next));
        }
    }
}
