//! Piles of counters from which the sides take in turn; who cannot move has lost. What Wythoff's
//! game and subtraction games share: their notation, and one number for all orders of the piles.
//!
//! The whole game is one slice. A move lowers piles and raises none, so that it leads to a smaller
//! number, and nothing repeats.

use std::fmt::Write;
use std::sync::Arc;

use nutcracker_game::{ParseError, Side, Situation, combi};

/// The most piles of a game.
pub const MAX_PILES: usize = 8;

/// The counters of each pile, in the order in which the piles lie; piles beyond the game's number
/// are empty.
pub type Piles = [u8; MAX_PILES];

/// The shape of a game: how many piles there are, and how large they can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    piles: usize,
    largest: usize,
    /// At `count * (largest + 2) + sizes`: the multisets of `count` piles, each of one of `sizes`
    /// sizes.
    ways: Arc<[u64]>,
}

impl Shape {
    /// Few and small enough piles that their positions can be counted.
    pub fn new(piles: usize, largest: usize) -> Self {
        let ways = |count: u64, sizes: u64| match sizes {
            0 => u64::from(count == 0),
            _ => combi::binomial(sizes + count - 1, count).expect("the piles are few and small"),
        };
        let (most, sizes) = (piles as u64, largest as u64 + 1);
        let table = (0..=most).flat_map(|count| (0..=sizes).map(move |sizes| ways(count, sizes)));
        Shape { piles, largest, ways: table.collect() }
    }

    /// The number of piles.
    pub fn piles(&self) -> usize {
        self.piles
    }

    /// The most counters in a pile.
    pub fn largest(&self) -> usize {
        self.largest
    }

    fn ways(&self, count: usize, sizes: usize) -> u64 {
        self.ways[count * (self.largest + 2) + sizes]
    }

    /// Every pile as large as it can be.
    pub fn start(&self) -> Piles {
        let mut piles = Piles::default();
        piles[..self.piles].fill(self.largest as u8);
        piles
    }

    /// The same piles, the smallest first.
    pub fn sorted(&self, mut piles: Piles) -> Piles {
        piles[..self.piles].sort_unstable();
        piles
    }

    /// How many positions there are, whatever the order of their piles.
    pub fn positions(&self) -> u64 {
        self.ways(self.piles, self.largest + 1)
    }

    /// The number of a position: of piles in ascending order, the i-th with p counters stands after
    /// the multisets of i piles smaller than p.
    pub fn rank(&self, piles: &Piles) -> u64 {
        let piles = self.sorted(*piles);
        (1..).zip(&piles[..self.piles]).map(|(count, &pile)| self.ways(count, pile.into())).sum()
    }

    /// The sorted piles with this number.
    pub fn unrank(&self, mut index: u64) -> Piles {
        let (mut piles, mut most) = (Piles::default(), self.largest);
        for count in (1..=self.piles).rev() {
            while self.ways(count, most) > index {
                most -= 1;
            }
            index -= self.ways(count, most);
            piles[count - 1] = most as u8;
        }
        piles
    }

    /// The piles with commas between, and `second` where the second player is to move: `3,5`,
    /// `3,5 second`.
    pub fn format(&self, situation: &Situation<Piles>) -> String {
        let piles: Vec<String> =
            situation.position[..self.piles].iter().map(ToString::to_string).collect();
        let side = if situation.mover == Side::Second { " second" } else { "" };
        piles.join(",") + side
    }

    /// Parses the output of [`Shape::format`].
    pub fn parse(&self, text: &str) -> Result<Situation<Piles>, ParseError> {
        let mut words = text.split_whitespace();
        let counts: Vec<&str> = words.next().unwrap_or_default().split(',').collect();
        if counts.len() != self.piles {
            return Err(ParseError::new(format!(
                "there are {} piles, with commas between, and {text:?} has {}",
                self.piles,
                counts.len()
            )));
        }
        let mover = match words.next() {
            None | Some("first") => Side::First,
            Some("second") => Side::Second,
            Some(other) => {
                return Err(ParseError::new(format!(
                    "the side to move is first or second, not {other:?}"
                )));
            }
        };
        if let Some(extra) = words.next() {
            return Err(ParseError::new(format!("{extra:?} is more than a position says")));
        }
        let mut piles = Piles::default();
        for (pile, count) in piles.iter_mut().zip(counts) {
            let counters = count.parse::<usize>().ok().filter(|&n| n <= self.largest);
            let Some(counters) = counters else {
                return Err(ParseError::new(format!(
                    "a pile has 0 to {} counters, not {count:?}",
                    self.largest
                )));
            };
            *pile = counters as u8;
        }
        Ok(Situation::new(piles, mover))
    }

    /// The name of a move: every pile that becomes smaller, by its letter, and what is taken.
    pub fn format_move(&self, before: &Piles, after: &Piles) -> String {
        let mut name = String::new();
        for (letter, (before, after)) in (b'a'..).zip(before.iter().zip(after)) {
            if before > after {
                let _ = write!(name, "{}{}", char::from(letter), before - after);
            }
        }
        name
    }

    /// A pile a line, its letter and its counters; then the side to move.
    pub fn draw(&self, situation: &Situation<Piles>) -> String {
        let mut text = String::new();
        for (letter, &pile) in (b'a'..).zip(&situation.position[..self.piles]) {
            let (letter, counters) = (char::from(letter), "o".repeat(pile.into()));
            let _ = writeln!(text, "{letter} {pile:>3} {counters}");
        }
        let side = if situation.mover == Side::Second { "second" } else { "first" };
        text + side + " to move\n"
    }
}
