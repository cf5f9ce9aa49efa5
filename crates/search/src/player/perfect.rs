//! The player that never gives away a score and realises it.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use nutcracker_game::{Game, Random, Score, SliceId, Step};

use super::distance::Counted;
use super::realise::{Closed, Distances, Root, Way};
use super::trials::Known;
use super::{Fallible, trappy};
use crate::{Oracle, Worth, known};

/// Why a player cannot choose a move.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PlayerError<E> {
    /// The game is over.
    Over,
    /// The databases do not go so far.
    NoDatabase {
        /// The slice that is missing.
        slice: SliceId,
    },
    /// The oracle failed.
    Oracle(E),
}

impl<E> fmt::Display for PlayerError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerError::Over => f.write_str("the game is over here, so there is no move"),
            PlayerError::NoDatabase { slice } => write!(
                f,
                "perfect play here needs the database of slice {slice}; solve it or play by search"
            ),
            PlayerError::Oracle(_) => f.write_str("a score could not be read from a database"),
        }
    }
}

impl<E: Error + 'static> Error for PlayerError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            PlayerError::Oracle(error) => Some(error),
            PlayerError::Over | PlayerError::NoDatabase { .. } => None,
        }
    }
}

/// The score of a position, from its database.
pub(super) fn score_of<G: Game, O: Oracle>(
    game: &G,
    oracle: &O,
    position: &G::Position,
) -> Result<Score, PlayerError<O::Error>> {
    let score = known(game, oracle, position).map_err(PlayerError::Oracle)?;
    score.ok_or_else(|| PlayerError::NoDatabase { slice: missing(game, oracle, position) })
}

/// Whether there is a database of a slice.
fn answers<O: Oracle>(oracle: &O, slice: SliceId) -> bool {
    oracle.covers(slice) || oracle.bounds(slice)
}

/// The slice without a database, so that a position's score is not known.
pub(super) fn missing<G: Game, O: Oracle>(game: &G, oracle: &O, position: &G::Position) -> SliceId {
    let slice = game.slice_of(position);
    if !answers(oracle, slice) {
        return slice;
    }
    let mut steps = Vec::new();
    game.steps(position, &mut steps);
    let mut below = steps.iter().map(|step| game.slice_of(&step.next));
    below.find(|&below| !answers(oracle, below)).unwrap_or(slice)
}

/// A move, what it does and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Valued<G: Game> {
    /// The move.
    pub mv: G::Move,
    /// What it does.
    pub step: Step<G::Position>,
    /// What its mover gets from here on if both play perfectly after it; where a repetition is
    /// worth something, what its mover can force after the game so far.
    pub value: Score,
    /// The same, or more where a repetition is worth something: the opponent can force that it is
    /// no more than this.
    pub most: Score,
    /// What databases say of it, whatever the game so far.
    pub alone: Score,
    /// Whether it repeats a position of the game, which ends it.
    pub repeats: bool,
}

impl<G: Game> Valued<G> {
    /// What the move is worth to its mover; how far away that is, [`Perfect::worths`] adds.
    pub(super) fn worth(&self) -> Worth {
        Worth::between(self.value, self.most)
    }
}

/// The moves that keep the attainable value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keeping<M> {
    /// What the mover gets from here on.
    pub value: Score,
    /// The moves that keep it and make progress, best first; never empty.
    pub moves: Vec<M>,
    /// Where a side profits, the plies within which it forces an exit from the slice or the end,
    /// this move among them; with databases that count moves, the plies to what they count. `None`
    /// where the value is 0, where it would take too long to compute, and where the game so far
    /// leaves no way.
    pub plies: Option<u32>,
}

/// A player that never gives away a score that databases know, and realises it.
///
/// Among the moves that keep the score it chooses
/// - where the score is above 0, one that forces an exit from the slice soonest: the number of
///   plies to it falls with every move, so no position repeats before the score is realised;
/// - where it is 0, one that repeats nothing if there is one, preferably an exit;
/// - where it is below 0, one that holds out longest.
///
/// Where databases count moves ([`Oracle::metric`]), they determine how soon and how long: to the
/// end of the game with `dtw`, to the next conversion with `dtc`. Otherwise a search finds the
/// plies to the exit.
///
/// The game so far counts: a move that repeats a position ends the game with 0 from there, and one
/// after which the opponent can do so is worth no more.
///
/// Where a repetition is worth something else, databases hold what each side can force, and the
/// player forces as much as the game so far allows: every move it chooses is one after which its
/// bound can still be forced, whatever was played before.
///
/// ```
/// use std::convert::Infallible;
/// use nutcracker_game::{Numbering, Rules, Score, SliceId};
/// use nutcracker_games::awari::Awari;
/// use nutcracker_search::Oracle;
/// use nutcracker_search::player::Perfect;
///
/// // The databases of up to one stone are small enough to be written as a rule: the side that has
/// // the stone gets it, unless it has to move it to the other side.
/// struct OneStone(Awari);
/// impl Oracle for OneStone {
///     type Error = Infallible;
///     fn covers(&self, slice: SliceId) -> bool { slice <= SliceId(1) }
///     fn score(&self, slice: SliceId, index: u64) -> Result<Score, Infallible> {
///         let board = self.0.unrank(slice, index).expect("awari has no holes");
///         let keeps = board.own[..5].contains(&1);
///         Ok(if keeps { slice.0 as Score } else { -(slice.0 as Score) })
///     }
/// }
///
/// let awari = Awari::new(6).unwrap();
/// let at = awari.parse("0,0,0,1,0,0/0,0,0,0,0,0 S").unwrap();
/// let mut player = Perfect::new(awari.clone(), OneStone(awari));
/// let keeping = player.keeping(&at.position, &[])?;
/// assert_eq!((keeping.value, keeping.moves.len(), keeping.plies), (1, 1, Some(1)));
/// # Ok::<(), nutcracker_search::player::PlayerError<Infallible>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Perfect<G: Game, O> {
    pub(super) game: G,
    pub(super) oracle: O,
    pub(super) distances: Distances,
    /// By which levels are fitted to where they play.
    pub(super) known: Known,
}

impl<G: Game, O: Oracle> Perfect<G, O> {
    /// A player that examines up to 500,000 positions for a move, a second or two at worst; results
    /// are kept.
    pub fn new(game: G, oracle: O) -> Self {
        Perfect::with_limit(game, oracle, 500_000)
    }

    /// A player that examines at most about `positions` positions for a move. Where that is not
    /// enough it keeps the score and avoids positions of the game so far, and progress is not
    /// certain.
    pub fn with_limit(game: G, oracle: O, positions: usize) -> Self {
        Perfect { game, oracle, distances: Distances::new(positions), known: Known::default() }
    }

    /// Examines at most about `positions` positions for a move from now on. What was found before is
    /// kept.
    pub fn set_limit(&mut self, positions: usize) {
        self.distances.limit = positions;
    }

    /// The game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The databases.
    pub fn oracle(&self) -> &O {
        &self.oracle
    }

    /// Whether databases answer for the position's slice and all that its moves can lead to, so
    /// that a move can be chosen by them alone.
    pub fn reaches(&self, position: &G::Position) -> bool {
        let slice = self.game.slice_of(position);
        let answers = |slice: SliceId| answers(&self.oracle, slice);
        if self.game.has_database(slice) {
            return answers(slice) && self.game.below(slice).into_iter().all(answers);
        }
        // No database can have it: in chess, where the next move ends a right to castle.
        let mut steps = Vec::new();
        self.game.steps(position, &mut steps);
        let reached = |step: &Step<_>| self.game.slice_of(&step.next);
        !steps.is_empty() && steps.iter().map(reached).all(answers)
    }

    /// Every legal move with its value. `history` holds the positions before this one, oldest
    /// first, each as its mover saw it. A repetition counts whether the move makes it or the
    /// opponent can at once, this position included.
    ///
    /// Where a repetition is worth something, the bounds of a move hold for the game so far, the
    /// position itself included. They are as close as a bounded search finds them.
    pub fn values(
        &self,
        position: &G::Position,
        history: &[G::Position],
    ) -> Result<Vec<Valued<G>>, PlayerError<O::Error>> {
        let mut moves = Vec::new();
        if self.game.outcome(position).is_none() {
            self.game.moves(position, &mut moves);
        }
        if moves.is_empty() {
            return Err(PlayerError::Over);
        }
        let seen = self.seen(position, history);
        if self.oracle.bounds(self.game.slice_of(position)) {
            return self.bounded_values(position, &seen, &moves);
        }
        let value = |mv| {
            let step = self.game.play(position, &mv);
            let inside = self.is_inside(position, &step);
            let repeats = inside && seen.contains(&(step.next, false));
            let alone = step.value(score_of(&self.game, &self.oracle, &step.next)?);
            let value = if repeats {
                step.value(self.game.repeated(&step.next))
            } else if inside && alone > 0 {
                self.least_after_reply(position, &step, &seen).map_or(alone, |ends| alone.min(ends))
            } else {
                alone
            };
            Ok(Valued { mv, step, value, most: value, alone, repeats })
        };
        moves.into_iter().map(value).collect()
    }

    /// The least that a move inside the slice is worth if the opponent answers it by a repetition;
    /// `None` where it cannot.
    fn least_after_reply(
        &self,
        position: &G::Position,
        step: &Step<G::Position>,
        seen: &Closed<G::Position>,
    ) -> Option<Score> {
        if self.game.outcome(&step.next).is_some() {
            return None;
        }
        let mut replies = Vec::new();
        self.game.steps(&step.next, &mut replies);
        let repeats = |reply: &&Step<G::Position>| {
            let back = self.game.occurrences() == 2 && reply.next == *position;
            back || seen.contains(&(reply.next, true))
        };
        let inside = replies.iter().filter(|reply| self.is_inside(&step.next, reply));
        let ends = |reply: &Step<_>| step.value(reply.value(self.game.repeated(&reply.next)));
        inside.filter(repeats).map(ends).min()
    }

    /// What a position is worth to its mover after the game so far, by the values of its moves and
    /// by its own bounds: exact only where both sides can force it past the positions of the game.
    pub fn worth(
        &self,
        position: &G::Position,
        history: &[G::Position],
        moves: &[Worth],
    ) -> Result<Worth, PlayerError<O::Error>> {
        let by_moves = Worth::best(moves);
        if !self.oracle.bounds(self.game.slice_of(position)) {
            return Ok(by_moves);
        }
        Ok(by_moves.narrowed(self.bounded_worth(position, &self.seen(position, history))?))
    }

    /// The moves that keep the value and make progress, best first.
    pub fn keeping(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
    ) -> Result<Keeping<G::Move>, PlayerError<O::Error>> {
        let slice = self.game.slice_of(position);
        if self.oracle.bounds(slice) && self.game.outcome(position).is_none() {
            return self.hold(position, history, None);
        }
        let values = self.values(position, history)?;
        self.keeping_of(position, history, values)
    }

    /// The same where the values of all moves are known already.
    pub(super) fn keeping_of(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        mut best: Vec<Valued<G>>,
    ) -> Result<Keeping<G::Move>, PlayerError<O::Error>> {
        if self.oracle.bounds(self.game.slice_of(position)) {
            return self.hold(position, history, Some(best));
        }
        let value = best.iter().map(|valued| valued.value).max().expect("there are moves");
        let counted = Counted::new(&self.game, &self.oracle, position, &best)?;
        if let Some(counted) = counted.filter(|_| value != 0) {
            return self.by_distance(position, history, value, &best, &counted);
        }
        if value > 0 {
            return self.advance(position, history, value, &best);
        }
        best.retain(|valued| valued.value == value);
        let plies = match value {
            0 => {
                if best.iter().any(|valued| !valued.repeats) {
                    best.retain(|valued| !valued.repeats);
                }
                // An opponent that can repeat a position may overlook it.
                let most = best.iter().map(|valued| valued.alone).max();
                best.retain(|valued| Some(valued.alone) == most);
                best.sort_by_key(|valued| self.is_inside(position, &valued.step));
                None
            }
            _ => self.resist(position, &mut best)?,
        };
        Ok(Keeping { value, moves: best.iter().map(|valued| valued.mv).collect(), plies })
    }

    /// The move to play.
    pub fn choose(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
    ) -> Result<G::Move, PlayerError<O::Error>> {
        Ok(self.keeping(position, history)?.moves[0])
    }

    /// The move of a fallible player that knows the exact values. Where it loses nothing it is the
    /// perfect player's, so that a score that is kept is also realised.
    pub fn choose_fallible(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        fallible: &Fallible,
        random: &mut Random,
    ) -> Result<G::Move, PlayerError<O::Error>> {
        let valued = self.values(position, history)?;
        let counted = Counted::new(&self.game, &self.oracle, position, &valued)?;
        if let Some(counted) = counted.filter(Counted::counts_down) {
            let prospects = counted.prospects(&valued);
            let player = self.reference(self.game.slice_of(position), fallible)?;
            let place = player.and_then(|player| player.choose(&prospects, random));
            return match place.filter(|&place| !prospects[place].is_best_of(&prospects)) {
                Some(place) => Ok(valued[place].mv),
                None => Ok(self.keeping_of(position, history, valued)?.moves[0]),
            };
        }
        let values = hundredths(&valued);
        let best = values.iter().map(|&(_, value)| value).max();
        match fallible.choose(&values, random) {
            Some((mv, value)) if Some(value) != best => Ok(mv),
            _ => Ok(self.keeping_of(position, history, valued)?.moves[0]),
        }
    }

    /// Of the moves that keep the value and make progress, the one after which an opponent that
    /// knows only the values of `shallow` for its moves, in hundredths of a point, is expected to
    /// lose most.
    pub fn choose_trappy(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        opponent: &Fallible,
        shallow: impl FnMut(&G::Position) -> Result<Vec<(G::Move, i32)>, PlayerError<O::Error>>,
    ) -> Result<G::Move, PlayerError<O::Error>> {
        let keeping = self.keeping(position, history)?.moves;
        if let [only] = keeping[..] {
            return Ok(only);
        }
        let played = [history, &[*position]].concat();
        let truth = |next: &G::Position| Ok(hundredths(&self.values(next, &played)?));
        let traps = trappy::traps(&self.game, position, &keeping, opponent, truth, shallow)?;
        Ok(traps[0].mv)
    }

    /// Positions of the game so far that end it if they come again, and whether the mover of `position`
    /// was to move. Inside a slice the movers alternate, and no slice is entered twice.
    pub(super) fn seen(
        &self,
        position: &G::Position,
        history: &[G::Position],
    ) -> Closed<G::Position> {
        let slice = self.game.slice_of(position);
        let same_slice = history.iter().rev().take_while(|p| self.game.slice_of(p) == slice);
        let before = same_slice.enumerate().map(|(ago, p)| (*p, ago % 2 == 1));
        let times = self.game.occurrences() - 1;
        if times == 1 {
            return before.collect();
        }
        let mut seen: HashMap<_, usize> = HashMap::new();
        for one in before.chain([(*position, true)]) {
            *seen.entry(one).or_default() += 1;
        }
        seen.retain(|_, occurs| *occurs >= times);
        seen.into_keys().collect()
    }

    pub(super) fn is_inside(&self, position: &G::Position, step: &Step<G::Position>) -> bool {
        self.game.slice_of(position) == self.game.slice_of(&step.next)
    }

    /// The moves that force the exit soonest, where `level` is above 0.
    fn advance(
        &mut self,
        position: &G::Position,
        history: &[G::Position],
        level: Score,
        moves: &[Valued<G>],
    ) -> Result<Keeping<G::Move>, PlayerError<O::Error>> {
        let keeps = |valued: &&Valued<G>| valued.value == level;
        let keeping: Vec<_> = moves.iter().filter(keeps).map(|valued| valued.mv).collect();
        if !self.game.is_indexed(position) {
            return Ok(Keeping { value: level, moves: keeping, plies: None });
        }
        let slice = self.game.slice_of(position);
        let whole = level == score_of(&self.game, &self.oracle, position)?;
        let root = Root { position: *position, level, whole };
        let free = self.distances.keep(&self.game, &self.oracle, root)?;
        let Way::Forced { plies, next } = free else {
            return Ok(Keeping { value: level, moves: keeping, plies: None });
        };
        // Positions of the game so far are in the way if they were worth more, or as much and are
        // nearer. This player does not come from there: its score never falls, and at the same
        // score its distance does.
        let (closed, mut in_the_way) = (self.seen(position, history), false);
        for (before, same_mover) in &closed {
            let score = score_of(&self.game, &self.oracle, before)?;
            let was = if *same_mover { score } else { -score };
            let nearer = || {
                let index = self.game.is_indexed(before).then(|| self.game.rank(before));
                let its = index.and_then(|index| self.distances.known(slice, index));
                its.is_some_and(|its| its < plies)
            };
            in_the_way |= was > level || was == level && nearer();
        }
        if !in_the_way {
            let moves = self.leading(position, moves, &next, level);
            return Ok(Keeping { value: level, moves, plies: Some(plies) });
        }
        self.past(position, &closed, level, moves, keeping)
    }

    /// The moves that follow a search's result at a level: if it lists no position inside the
    /// slice, the exits.
    fn leading(
        &self,
        position: &G::Position,
        moves: &[Valued<G>],
        next: &[G::Position],
        level: Score,
    ) -> Vec<G::Move> {
        let leads = |valued: &&Valued<G>| {
            if self.is_inside(position, &valued.step) {
                next.contains(&valued.step.next) && valued.value >= level
            } else {
                next.is_empty() && valued.value == level
            }
        };
        moves.iter().filter(leads).map(|valued| valued.mv).collect()
    }

    /// The moves that force as much of `level` as possible past positions of the game so far;
    /// `keeping` where that is nothing or takes too long to compute.
    pub(super) fn past(
        &self,
        position: &G::Position,
        closed: &Closed<G::Position>,
        level: Score,
        moves: &[Valued<G>],
        keeping: Vec<G::Move>,
    ) -> Result<Keeping<G::Move>, PlayerError<O::Error>> {
        let mut value = 0;
        for level in (1..=level).rev() {
            let root = Root { position: *position, level, whole: false };
            match self.distances.force(&self.game, &self.oracle, root, closed)? {
                Way::Forced { plies, next } => {
                    let moves = self.leading(position, moves, &next, level);
                    return Ok(Keeping { value: level, moves, plies: Some(plies) });
                }
                Way::Never => {}
                Way::Unknown => {
                    value = level;
                    break;
                }
            }
        }
        // The opponent may be able to repeat a position, but may overlook it.
        Ok(Keeping { value, moves: keeping, plies: None })
    }

    /// Sorts the moves by how long they hold out, the longest first.
    fn resist(
        &mut self,
        position: &G::Position,
        best: &mut [Valued<G>],
    ) -> Result<Option<u32>, PlayerError<O::Error>> {
        let slice = self.game.slice_of(position);
        let mut lasts = Vec::with_capacity(best.len());
        for &Valued { mv, step, value, .. } in best.iter() {
            let plies = if self.game.slice_of(&step.next) < slice {
                Some(1)
            } else {
                let root = Root { position: step.next, level: -value, whole: true };
                match self.distances.keep(&self.game, &self.oracle, root)? {
                    Way::Forced { plies, .. } => Some(plies + 1),
                    Way::Never | Way::Unknown => None,
                }
            };
            lasts.push((mv, plies.unwrap_or(u32::MAX)));
        }
        let lasting = |valued: &Valued<G>| {
            lasts.iter().find(|(mv, _)| *mv == valued.mv).map(|&(_, plies)| plies)
        };
        best.sort_by_key(|valued| std::cmp::Reverse(lasting(valued)));
        Ok(best.first().and_then(lasting).filter(|&plies| plies != u32::MAX))
    }
}

fn hundredths<G: Game>(values: &[Valued<G>]) -> Vec<(G::Move, i32)> {
    values.iter().map(|valued| (valued.mv, 100 * i32::from(valued.value))).collect()
}
