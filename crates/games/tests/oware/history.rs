//! A search that knows the positions since the last capture, against the bounds of boards without
//! history.
//!
//! It answers whether a board is worth at least k to its mover. What a board is worth depends on the
//! positions before it, so an answer is kept with what it rests on: which positions had to be among
//! those before, and which had to be missing. It is then right wherever both hold.

use std::collections::HashMap;

use nutcracker_game::{Numbering, Rules, Score, SliceId, Step, Turn};
use nutcracker_games::halves::Board;
use nutcracker_games::sowing::Sowing;

use super::{oware, solve};

/// Positions of a slice: boards with the side to move, the first half for one side.
#[derive(Clone, PartialEq)]
struct Positions(Vec<u64>);

impl Positions {
    fn none(boards: u64) -> Self {
        Positions(vec![0; 2 * boards.div_ceil(64) as usize])
    }

    fn place(&self, (board, side): (u64, usize)) -> (usize, u64) {
        (side * self.0.len() / 2 + board as usize / 64, 1 << (board % 64))
    }

    fn contains(&self, position: (u64, usize)) -> bool {
        let (word, bit) = self.place(position);
        self.0[word] & bit != 0
    }

    fn set(&mut self, position: (u64, usize), to: bool) {
        let (word, bit) = self.place(position);
        if to {
            self.0[word] |= bit;
        } else {
            self.0[word] &= !bit;
        }
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// As the other side sees them.
    fn turned(&self, side: usize) -> Self {
        let mut turned = self.clone();
        turned.0.rotate_left(side * self.0.len() / 2);
        turned
    }
}

/// What an answer rests on.
#[derive(Clone)]
struct Grounds {
    /// Positions that were there before.
    present: Positions,
    /// Positions that were not.
    absent: Positions,
}

impl Grounds {
    fn none(boards: u64) -> Self {
        Grounds { present: Positions::none(boards), absent: Positions::none(boards) }
    }

    fn add(&mut self, other: &Self) {
        self.present.add(&other.present);
        self.absent.add(&other.absent);
    }

    fn turned(&self, side: usize) -> Self {
        Grounds { present: self.present.turned(side), absent: self.absent.turned(side) }
    }

    fn hold_after(&self, path: &Positions, side: usize) -> bool {
        let half = path.0.len() / 2;
        let seen = |word: usize| path.0[(word + side * half) % path.0.len()];
        let all = self.present.0.iter().zip(&self.absent.0).enumerate();
        all.into_iter()
            .all(|(word, (present, absent))| present & !seen(word) == 0 && absent & seen(word) == 0)
    }
}

/// Who can force what without a repetition, and in how many rounds that is found: the order in which
/// the search tries moves.
#[derive(Default)]
struct Guide {
    /// Of a board and k: the mover forces k, or the opponent forces that it is less.
    forced: HashMap<(Board, Score), (bool, u32)>,
}

impl Guide {
    /// Adds a slice, after all smaller ones.
    fn add(&mut self, game: &Sowing, slice: SliceId) {
        let most = game.max_score(slice);
        let boards = (0..game.slice_len(slice)).map(|index| game.unrank(slice, index).unwrap());
        let boards: Vec<(Board, Option<Score>, Vec<Step<Board>>)> = boards
            .map(|board| {
                let mut steps = Vec::new();
                (board, game.expand(&board, &mut steps), steps)
            })
            .collect();
        for round in 0.. {
            let mut found = Vec::new();
            for (board, over, steps) in &boards {
                for k in 1 - most..=most {
                    if self.forced.contains_key(&(*board, k)) {
                        continue;
                    }
                    let after = |step: &Step<Board>| self.of(&step.next, step.gain - k + 1);
                    let forced = match over {
                        Some(score) => Some(*score >= k),
                        None if steps.iter().any(|step| after(step) == Some(false)) => Some(true),
                        None if steps.iter().all(|step| after(step) == Some(true)) => Some(false),
                        None => None,
                    };
                    found.extend(forced.map(|forced| ((*board, k), (forced, round))));
                }
            }
            if found.is_empty() {
                return;
            }
            self.forced.extend(found);
        }
    }

    /// Whether the mover forces k; `None` where neither side forces its own.
    fn of(&self, board: &Board, k: Score) -> Option<bool> {
        let most = board.stones() as Score;
        match k {
            _ if k <= -most => Some(true),
            _ if k > most => Some(false),
            _ => self.forced.get(&(*board, k)).map(|(forced, _)| *forced),
        }
    }

    /// Where a move is tried: first those after which the opponent is held below k, the sooner the
    /// better.
    fn order(&self, board: &Board, k: Score) -> (u8, u32) {
        match self.of(board, k) {
            Some(false) => (0, self.forced.get(&(*board, k)).map_or(0, |(_, round)| *round)),
            None => (1, 0),
            Some(true) => (2, 0),
        }
    }

    /// Both bounds of a board without history.
    fn bounds(&self, board: &Board) -> (Score, Score) {
        let most = board.stones() as Score;
        let lower = (-most..=most).rev().find(|&k| self.of(board, k) == Some(true));
        let upper = (-most..=most).find(|&k| self.of(board, k + 1) == Some(false));
        (lower.unwrap(), upper.unwrap())
    }
}

struct Searcher<'a> {
    game: &'a Sowing,
    guide: Guide,
    /// Answers for boards without history.
    without: HashMap<(Board, Score), bool>,
    /// Answers with their grounds, as the side to move sees these.
    within: HashMap<(Board, Score), Vec<(bool, Grounds)>>,
    words: usize,
    /// Positions left to examine.
    nodes: u64,
}

/// Numbers of 64 bits that kept answers may take.
const WORDS: usize = 1 << 25;

impl Searcher<'_> {
    /// Whether a board without history is worth at least k; `None` where the nodes do not suffice.
    fn at_least(&mut self, board: &Board, k: Score) -> Option<bool> {
        if let Some(&known) = self.without.get(&(*board, k)) {
            return Some(known);
        }
        let mut path = Positions::none(self.boards(board));
        let (found, _) = self.search(board, 0, k, &mut path)?;
        self.without.insert((*board, k), found);
        Some(found)
    }

    fn boards(&self, board: &Board) -> u64 {
        self.game.slice_len(SliceId(board.stones() as u32))
    }

    fn search(
        &mut self,
        board: &Board,
        side: usize,
        k: Score,
        path: &mut Positions,
    ) -> Option<(bool, Grounds)> {
        self.nodes = self.nodes.checked_sub(1)?;
        let mut grounds = Grounds::none(self.boards(board));
        let most = board.stones() as Score;
        let mut steps = Vec::new();
        let over = self.game.expand(board, &mut steps);
        if let Some(score) = over.or((k <= -most).then_some(k)).or((k > most).then_some(k - 1)) {
            return Some((score >= k, grounds));
        }
        let known = self.within.get(&(*board, k)).into_iter().flatten();
        if let Some((found, its)) = known.rev().find(|(_, its)| its.hold_after(path, side)) {
            return Some((*found, its.turned(side)));
        }
        steps.sort_by_key(|step| self.guide.order(&step.next, step.gain - k + 1));
        let here = (self.game.rank(board), side);
        path.set(here, true);
        let mut found = Some(false);
        for step in steps {
            assert_eq!(step.turn, Turn::Passes);
            let Some((reaches, its)) = self.after(&step, side, step.gain - k + 1, path) else {
                found = None;
                break;
            };
            if !reaches {
                (found, grounds) = (Some(true), its);
                break;
            }
            grounds.add(&its);
        }
        path.set(here, false);
        grounds.present.set(here, false);
        let found = found?;
        self.words += grounds.present.0.len() + grounds.absent.0.len();
        if self.words > WORDS {
            self.within.clear();
            self.words = 0;
        }
        self.within.entry((*board, k)).or_default().push((found, grounds.turned(side)));
        Some((found, grounds))
    }

    /// Whether the opponent gets k after a move of `side`.
    fn after(
        &mut self,
        step: &Step<Board>,
        side: usize,
        k: Score,
        path: &mut Positions,
    ) -> Option<(bool, Grounds)> {
        let nothing = Positions(vec![0; path.0.len()]);
        let mut grounds = Grounds { present: nothing.clone(), absent: nothing };
        if step.gain != 0 {
            // After a capture nothing of what was before counts.
            return Some((self.at_least(&step.next, k)?, grounds));
        }
        let next = (self.game.rank(&step.next), 1 - side);
        if path.contains(next) {
            grounds.present.set(next, true);
            return Some((self.game.repeated(&step.next) >= k, grounds));
        }
        let (found, mut grounds) = self.search(&step.next, 1 - side, k, path)?;
        grounds.absent.set(next, true);
        Some((found, grounds))
    }
}

/// What was found of a slice.
#[derive(Default, Debug)]
struct Tally {
    boards: u64,
    /// Boards of which it could not be decided whether they lie within their bounds.
    left_out: u64,
    /// Boards whose bounds differ, and those of which the value without history was found.
    open: u64,
    valued: u64,
}

/// Compares all boards up to some seeds with the databases, `nodes` positions for each question.
fn compare(last: u32, nodes: impl Fn(u32) -> u64) -> Vec<Tally> {
    let (game, any) = oware(6);
    let dir = tempfile::tempdir().unwrap();
    let set = solve(&any, dir.path(), last, 2);
    let (guide, without, within) = Default::default();
    let mut searcher = Searcher { game: &game, guide, without, within, words: 0, nodes: 0 };
    let mut tallies = Vec::new();
    for seeds in 0..=last {
        let slice = SliceId(seeds);
        searcher.guide.add(&game, slice);
        let mut tally = Tally { boards: game.slice_len(slice), ..Tally::default() };
        for index in 0..tally.boards {
            let board = game.unrank(slice, index).unwrap();
            let (lower, upper) = searcher.guide.bounds(&board);
            assert_eq!(Score::from(set.probe(seeds, index).unwrap()), lower, "{board:?}");
            let mut ask = |k: Score| {
                searcher.nodes = nodes(seeds);
                searcher.at_least(&board, k)
            };
            let (reaches, exceeds) = (ask(lower), ask(upper + 1));
            assert!(reaches != Some(false) && exceeds != Some(true), "{board:?}: {lower} {upper}");
            tally.left_out += u64::from(reaches.is_none() || exceeds.is_none());
            if lower < upper {
                let valued = (lower + 1..=upper).all(|k| ask(k).is_some());
                tally.open += 1;
                tally.valued += u64::from(valued);
            }
        }
        println!("{seeds} seeds: {tally:?}");
        (searcher.within, searcher.words) = Default::default();
        tallies.push(tally);
    }
    tallies
}

#[test]
fn play_with_history_lies_within_the_bounds() {
    let tallies = compare(5, |seeds| if seeds <= 3 { u64::MAX } else { 100_000 });
    assert!(tallies.iter().all(|tally| tally.left_out == 0), "{tallies:?}");
    assert!(tallies.iter().all(|tally| tally.valued == tally.open), "{tallies:?}");
    assert!(tallies[5].open > 0, "{tallies:?}");
}
