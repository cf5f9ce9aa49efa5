//! Boards: points, the lines of three on them, and their symmetries.
//!
//! Points are counted ring by ring from the outer one on, eight a ring clockwise from its upper left
//! corner: even numbers are corners, odd ones the middles of sides. The smallest board is one ring
//! and the centre, which is point 8.

use std::sync::OnceLock;

use super::classes::Classes;
use super::sets::Sets;

/// Points of a ring.
const RING: u32 = 8;
/// Points of the largest board.
pub(crate) const MOST_POINTS: usize = 24;
/// Lines through one point of a board with diagonals, at most; the centre of the smallest has four.
pub(crate) const MOST_LINES: usize = 4;

/// A board. Sets of points are numbers with a bit for each.
#[derive(Debug)]
pub(crate) struct Board {
    /// How many points there are.
    pub(crate) points: u32,
    /// The lines of three points.
    lines: Vec<u32>,
    /// For each point the lines through it, 0 beyond the last.
    pub(crate) through: [[u32; MOST_LINES]; MOST_POINTS],
    /// For each point those that a step leads to.
    pub(crate) neighbours: [u32; MOST_POINTS],
    /// For each symmetry, where the points of each eight go: the identity is the first.
    images: Vec<[[u32; 256]; 3]>,
    /// The symmetry that undoes each.
    pub(crate) inverses: Vec<u8>,
    /// Numbers of sets of points. All points are the first places: their sets are numbered as they are.
    pub(crate) sets: Sets,
    /// The sets of stones of each size, made when they are needed.
    classes: [OnceLock<Classes>; 13],
}

/// Which board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Centre,
    TwoRings,
    ThreeRings,
    Diagonals,
}

impl Board {
    /// The board for this many men a side.
    pub(crate) fn of_men(men: u8) -> &'static Board {
        static BOARDS: [OnceLock<Board>; 4] = [const { OnceLock::new() }; 4];
        let kind = match men {
            0..=3 => Kind::Centre,
            4..=6 => Kind::TwoRings,
            7..=9 => Kind::ThreeRings,
            _ => Kind::Diagonals,
        };
        BOARDS[kind as usize].get_or_init(|| Board::new(kind))
    }

    fn new(kind: Kind) -> Self {
        let rings = match kind {
            Kind::Centre => 1,
            Kind::TwoRings => 2,
            Kind::ThreeRings | Kind::Diagonals => 3,
        };
        let points = RING * rings + u32::from(kind == Kind::Centre);
        let mut lines = Vec::new();
        let mut neighbours = [0; MOST_POINTS];
        let mut join = |a: u32, b: u32| {
            neighbours[a as usize] |= 1 << b;
            neighbours[b as usize] |= 1 << a;
        };
        for start in (0..rings).map(|ring| ring * RING) {
            for corner in (0..RING).step_by(2) {
                let [first, middle, last] =
                    [corner, corner + 1, (corner + 2) % RING].map(|point| start + point);
                lines.push(1 << first | 1 << middle | 1 << last);
                join(first, middle);
                join(middle, last);
            }
        }
        // From ring to ring, or through the centre.
        for point in 0..RING {
            let corner = point % 2 == 0;
            if kind == Kind::Centre {
                join(point, RING);
                if point < RING / 2 {
                    lines.push(1 << point | 1 << RING | 1 << (point + RING / 2));
                }
            } else if !corner || kind == Kind::Diagonals {
                for ring in 1..rings {
                    join((ring - 1) * RING + point, ring * RING + point);
                }
                if rings == 3 {
                    lines.push((1 | 1 << RING | 1 << (2 * RING)) << point);
                }
            }
        }
        let mut through = [[0; MOST_LINES]; MOST_POINTS];
        for point in 0..points {
            let lines = lines.iter().filter(|&line| line >> point & 1 != 0);
            for (place, &line) in through[point as usize].iter_mut().zip(lines) {
                *place = line;
            }
        }
        let maps = symmetries(kind, rings);
        let images = maps.iter().map(image_table).collect();
        let inverse = |map: &Map| {
            let undoes = |other: &Map| (0..points).all(|p| other[map[p as usize] as usize] == p);
            maps.iter().position(undoes).expect("symmetries are a group") as u8
        };
        let inverses = maps.iter().map(inverse).collect();
        let classes = [const { OnceLock::new() }; 13];
        Board { points, lines, through, neighbours, images, inverses, sets: Sets::new(), classes }
    }

    /// The sets of this many stones, up to symmetry.
    #[inline]
    pub(crate) fn classes(&self, stones: u32) -> &Classes {
        self.classes[stones as usize].get_or_init(|| Classes::new(self, stones))
    }

    /// All points.
    #[inline]
    pub(crate) fn all(&self) -> u32 {
        (1 << self.points) - 1
    }

    /// Whether the corners of rings are joined.
    pub(crate) fn has_diagonals(&self) -> bool {
        self.points as usize == MOST_POINTS && self.neighbours[0].count_ones() > 2
    }

    /// Whether the stones have a line through this point, which is one of them.
    #[inline]
    pub(crate) fn is_in_mill(&self, stones: u32, point: u32) -> bool {
        self.through[point as usize].iter().any(|&line| line != 0 && stones & line == line)
    }

    /// The stones that are in a line of three.
    pub(crate) fn in_mills(&self, stones: u32) -> u32 {
        let mills = self.lines.iter().filter(|&line| stones & line == *line);
        mills.fold(0, |all, line| all | line)
    }

    /// Lines of which the stones have two points, with the third one of `empty`.
    pub(crate) fn open_lines(&self, stones: u32, empty: u32) -> u32 {
        let open =
            |&line: &u32| (line & stones).count_ones() == 2 && (line & empty).is_power_of_two();
        self.lines.iter().copied().filter(open).count() as u32
    }

    /// How many symmetries there are.
    pub(crate) fn symmetries(&self) -> u8 {
        self.images.len() as u8
    }

    /// Where a symmetry takes points.
    #[inline]
    pub(crate) fn image(&self, symmetry: u8, points: u32) -> u32 {
        let [first, second, third] = &self.images[usize::from(symmetry)];
        first[(points & 0xFF) as usize]
            | second[(points >> 8 & 0xFF) as usize]
            | third[(points >> 16 & 0xFF) as usize]
    }

    /// The name of a point: a column and a row, from `a1` at the lower left.
    pub(crate) fn name(&self, point: u32) -> String {
        let (column, row) = self.place(point);
        format!("{}{}", char::from(b'a' + column as u8), row + 1)
    }

    /// The point with a name.
    pub(crate) fn named(&self, name: &str) -> Option<u32> {
        (0..self.points).find(|&point| self.name(point) == name)
    }

    /// The rows and columns on which points lie.
    pub(crate) fn size(&self) -> u32 {
        2 * (self.points / RING) + 1
    }

    /// Column and row of a point, from the lower left.
    pub(crate) fn place(&self, point: u32) -> (u32, u32) {
        let middle = self.points / RING;
        if point == RING && self.points == RING + 1 {
            return (middle, middle);
        }
        let (ring, around) = (point / RING, point % RING);
        let far = middle - ring;
        let (right, up) =
            [(-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0)][around as usize];
        let at = |direction: i32| middle.wrapping_add_signed(direction * far as i32);
        (at(right), at(up))
    }
}

/// Every point of a set, as a number.
#[inline]
pub(crate) fn each(mut points: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (points != 0).then(|| points.trailing_zeros());
        points &= points.wrapping_sub(1);
        lowest
    })
}

/// Where each point goes.
type Map = [u32; MOST_POINTS];

/// Rotations and reflections, each also with the innermost ring outermost.
fn symmetries(kind: Kind, rings: u32) -> Vec<Map> {
    let mut maps = Vec::new();
    for swaps in [false, true].into_iter().take(if kind == Kind::Centre { 1 } else { 2 }) {
        for reflects in [false, true] {
            for turn in (0..RING).step_by(2) {
                maps.push(std::array::from_fn(|point| {
                    let (ring, around) = (point as u32 / RING, point as u32 % RING);
                    if ring >= rings {
                        return point as u32;
                    }
                    let around = if reflects { (RING + 2 - around) % RING } else { around };
                    let ring = if swaps { rings - 1 - ring } else { ring };
                    ring * RING + (around + turn) % RING
                }));
            }
        }
    }
    maps
}

fn image_table(map: &Map) -> [[u32; 256]; 3] {
    std::array::from_fn(|byte| {
        std::array::from_fn(|bits| {
            let points = each(bits as u32).map(|bit| map[byte * RING as usize + bit as usize]);
            points.fold(0, |image, point| image | 1 << point)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_steps() {
        // Points, lines, steps; published for nine men: 16 mills.
        for (men, points, lines, steps) in
            [(3, 9, 8, 16), (6, 16, 8, 20), (9, 24, 16, 32), (12, 24, 20, 40)]
        {
            let board = Board::of_men(men);
            let ends: u32 = board.neighbours.iter().map(|points| points.count_ones()).sum();
            assert_eq!((board.points, board.lines.len(), ends / 2), (points, lines, steps));
        }
    }

    #[test]
    fn symmetries_keep_lines_and_steps() {
        for (men, number) in [(3, 8), (6, 16), (9, 16), (12, 16)] {
            let board = Board::of_men(men);
            assert_eq!(board.symmetries(), number);
            for symmetry in 0..number {
                for &line in &board.lines {
                    assert!(board.lines.contains(&board.image(symmetry, line)));
                }
                for point in 0..board.points {
                    let image = board.image(symmetry, 1 << point).trailing_zeros();
                    let steps = board.image(symmetry, board.neighbours[point as usize]);
                    assert_eq!(steps, board.neighbours[image as usize]);
                    let back = board.image(board.inverses[usize::from(symmetry)], 1 << image);
                    assert_eq!(back, 1 << point);
                }
            }
        }
    }

    #[test]
    fn names_are_those_of_players() {
        let board = Board::of_men(9);
        let names: Vec<String> = (0..24).map(|point| board.name(point)).collect();
        assert_eq!(names[..8], ["a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4"]);
        assert_eq!(names[16..18], ["c5", "d5"]);
        assert_eq!(Board::of_men(6).name(0), "a5");
        assert_eq!(Board::of_men(3).name(8), "b2");
        for men in [3, 6, 9] {
            let board = Board::of_men(men);
            for point in 0..board.points {
                assert_eq!(board.named(&board.name(point)), Some(point));
            }
        }
    }
}
