//! All positions with one set of the opponent's stones. The mover's stones run through the places
//! that are left; a move changes these places alone, so that a whole row is walked by tables of a few
//! kilobytes, and what its moves lead to lies in a few rows of the index.

use nutcracker_game::{Children, Exits, Metric, Score, SliceId, Target, Turn};

use super::Morris;
use super::board::{Board, MOST_LINES, MOST_POINTS, each};
use super::index::Layout;
use super::places::{Places, images, least};
use super::position::MorrisPosition;
use super::sets::{binomial, next_set};
use super::slices::{FEWEST, OVER};

/// The positions in which the opponent's stones are those of a class.
pub(crate) struct Row<'a> {
    game: &'a Morris,
    /// The mover's stones and the opponent's.
    layout: Layout,
    /// The opponent's stones, and the points that they leave.
    other: u32,
    free: u32,
    /// For each free point by its place, the places that a step leads to.
    neighbours: [u32; MOST_POINTS],
    /// The lines of free points through each, 0 beyond the last.
    through: [[u32; MOST_LINES]; MOST_POINTS],
    /// Where the symmetries that keep the opponent's stones take places.
    images: Vec<Places>,
}

/// Where the positions are after one of the opponent's stones was taken.
struct Taken {
    slice: SliceId,
    /// The first number of those in which the opponent is on the move with the stones that are left,
    /// and how many there are.
    first: u64,
    len: u64,
    /// Places among the points that are free then; `None` where the game is over.
    places: Option<Places>,
    /// Their images by symmetries that keep the stones that are left.
    images: Vec<Places>,
}

impl Taken {
    /// The place in the row of the mover's stones, once they have moved.
    #[inline]
    fn place(&self, board: &Board, after: u32) -> u64 {
        let Some(places) = &self.places else { return 0 };
        least(board, &self.images, places.of(after)).into()
    }
}

impl<'a> Row<'a> {
    /// The row of a class of the opponent's stones.
    pub(crate) fn new(game: &'a Morris, layout: Layout, class: u32) -> Self {
        let board = layout.board;
        let classes = board.classes(layout.other);
        let other = classes.set(class);
        let free = board.all() & !other;
        let mut neighbours = [0; MOST_POINTS];
        let mut through = [[0; MOST_LINES]; MOST_POINTS];
        for (place, point) in each(free).enumerate() {
            let near = board.neighbours[point as usize] & free;
            neighbours[place] = board.sets.places(near, free);
            let lines = board.through[point as usize].iter().filter(|&line| line & other == 0);
            for (to, &line) in through[place].iter_mut().zip(lines) {
                *to = board.sets.places(line, free);
            }
        }
        let images = images(board, classes.keep(class), free);
        Row { game, layout, other, free, neighbours, through, images }
    }

    /// How many sets of places the mover's stones run through.
    fn len(&self) -> u64 {
        binomial(self.free.count_ones(), self.layout.own)
    }

    /// Visits every set of places that stands for its images.
    #[inline]
    fn each_set(&self, mut visit: impl FnMut(u32)) {
        let mut places = (1 << self.layout.own) - 1;
        for number in 0..self.len() {
            if number > 0 {
                places = next_set(places);
            }
            let sets = &self.layout.board.sets;
            if self.images.iter().all(|image| u64::from(sets.number(image.of(places))) >= number) {
                visit(places);
            }
        }
    }

    /// Visits every move: the mover's places after it, and whether it closes a mill.
    #[inline]
    fn each_move(&self, own: u32, mut visit: impl FnMut(u32, bool)) {
        let empty = ((1 << self.free.count_ones()) - 1) & !own;
        let flies = self.game.flying && self.layout.own == FEWEST;
        for from in each(own) {
            let reach = if flies { empty } else { self.neighbours[from as usize] & empty };
            for to in each(reach) {
                let after = own ^ (1 << from | 1 << to);
                let lines = &self.through[to as usize];
                visit(after, lines.iter().any(|&line| line != 0 && after & line == line));
            }
        }
    }

    /// The score if the mover has no move.
    fn without_moves(&self) -> Score {
        // Twelve men a side may fill the board.
        if self.layout.own == self.free.count_ones() { 0 } else { -1 }
    }

    /// The position with the mover's stones at places.
    #[inline]
    fn position(&self, own: u32) -> MorrisPosition {
        let own = self.layout.board.sets.points(own, self.free);
        MorrisPosition { own, other: self.other, hand: 0, other_hand: 0 }
    }

    /// What taking each of the opponent's stones leads to.
    fn taken(&self) -> Vec<Taken> {
        let (board, slices) = (self.layout.board, &self.game.slices);
        let take = |point: u32| {
            let left: u32 = self.other ^ (1 << point);
            let layout = Layout { board, own: left.count_ones(), other: self.layout.own };
            let slice = slices.number(layout.stones());
            if slice == OVER {
                return Taken { slice, first: 0, len: 1, places: None, images: Vec::new() };
            }
            let classes = board.classes(layout.own);
            let (class, symmetry) = classes.of(board, left);
            let free = board.all() & !classes.set(class);
            let place = |point: u32| board.sets.places(board.image(symmetry, 1 << point), free);
            Taken {
                slice,
                first: layout.start() + u64::from(class) * layout.ways(),
                len: layout.ways(),
                places: Some(Places::new(self.free, place)),
                images: images(board, classes.keep(class), free),
            }
        };
        each(self.game.takeable(self.other)).map(take).collect()
    }

    /// Visits every position and its exits.
    pub(crate) fn exits<C: Children>(
        &self,
        metric: Metric,
        children: &C,
        mut visit: impl FnMut(MorrisPosition, Exits),
    ) -> Result<(), C::Error> {
        let board = self.layout.board;
        let mut rows = Vec::new();
        for taken in self.taken() {
            let mut values = vec![0; taken.len as usize];
            children.read(taken.slice, taken.first, &mut values)?;
            rows.push((taken, values));
        }
        // What a mill is worth by the mover's places then, once it is known.
        let mut mills: Vec<Option<Best>> = vec![None; self.len() as usize];
        let mut inside = Vec::new();
        self.each_set(|own| {
            let (mut best, mut internal) = (Best::NONE, 0);
            inside.clear();
            self.each_move(own, |after, mill| {
                if mill {
                    let of = |(taken, values): &(Taken, Vec<i8>)| {
                        Best::of(metric, values[taken.place(board, after) as usize].into())
                    };
                    let known = &mut mills[board.sets.number(after) as usize];
                    let all = || rows.iter().map(of).fold(Best::NONE, Best::max);
                    best = best.max(*known.get_or_insert_with(all));
                } else if self.images.is_empty() {
                    internal += 1;
                } else {
                    inside.push(least(board, &self.images, after));
                }
            });
            inside.sort_unstable();
            inside.dedup();
            internal += inside.len() as u16;
            let exits = if best == Best::NONE && internal == 0 {
                Exits { best: metric.over(self.without_moves()) as i8, internal }
            } else {
                best.exits(internal)
            };
            visit(self.position(own), exits);
        });
        Ok(())
    }

    /// Visits every position: the score if the game is over, and where its moves lead if not.
    pub(crate) fn targets(&self, mut visit: impl FnMut(MorrisPosition, Option<Score>, &[Target])) {
        let board = self.layout.board;
        let next = self.layout.turned();
        let class = board.classes(next.own).of(board, self.other).0;
        let first = next.start() + u64::from(class) * next.ways();
        let (taken, mut targets) = (self.taken(), Vec::new());
        self.each_set(|own| {
            targets.clear();
            self.each_move(own, |after, mill| {
                if !mill {
                    let number = least(board, &self.images, after);
                    targets.push(Target::Inside(first + u64::from(number)));
                    return;
                }
                targets.extend(taken.iter().map(|taken| Target::Outside {
                    slice: taken.slice,
                    index: taken.first + taken.place(board, after),
                    gain: 0,
                    turn: Turn::Passes,
                    converts: true,
                }));
            });
            let over = targets.is_empty().then(|| self.without_moves());
            visit(self.position(own), over, &targets);
        });
    }
}

/// The best of some values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Best {
    value: i8,
    /// Whether some value is a draw, and whether some is a loss too far away to store, which is less
    /// than a draw and more than every other loss.
    draws: bool,
    too_far: bool,
}

impl Best {
    /// Of none.
    const NONE: Best = Best { value: Exits::NONE, draws: false, too_far: false };

    /// Of a move that takes a stone and leads to a score.
    fn of(metric: Metric, score: Score) -> Self {
        let value = metric.through(0, Turn::Passes, true, score);
        let too_far = metric.is_too_far(value, score);
        Best { value: value as i8, draws: value == 0 && !too_far, too_far }
    }

    fn max(self, other: Best) -> Self {
        Best {
            value: self.value.max(other.value),
            draws: self.draws | other.draws,
            too_far: self.too_far | other.too_far,
        }
    }

    fn exits(self, internal: u16) -> Exits {
        if self.too_far && self.value == 0 && !self.draws {
            return Exits::TOO_FAR;
        }
        Exits { best: self.value, internal }
    }
}
