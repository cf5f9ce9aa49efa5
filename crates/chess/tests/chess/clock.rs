//! Endings under a rule of N moves by their definition, with the clock in the positions. It knows no
//! un-moves and no distances.

use nutcracker_chess::{Chess, ChessPosition};
use nutcracker_game::{Numbering, Rules, SliceId, Step};

/// Lists of numbers, one list after the other.
struct Lists {
    /// Where each list ends.
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    fn get(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.all[start as usize..self.ends[index] as usize]
    }

    /// The lists in which each number is.
    fn reversed(&self) -> Lists {
        let len = self.ends.len();
        let mut ends = vec![0; len];
        for &to in &self.all {
            ends[to as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // For now where the list begins; each entry moves it on.
            sum += std::mem::replace(end, sum);
        }
        let mut all = vec![0; self.all.len()];
        for index in 0..len {
            for &to in self.get(index) {
                let end = &mut ends[to as usize];
                all[*end as usize] = index as u32;
                *end += 1;
            }
        }
        Lists { ends, all }
    }
}

/// An ending as lists of moves.
pub struct Graph {
    pub slice: SliceId,
    /// Where moves lead that neither zero the clock nor leave the ending, and back.
    quiet: Lists,
    back: Lists,
    /// Moves that do: a position, the ending that its move leads to, and the number there.
    zeroing: Vec<(u32, u16, u32)>,
    /// Positions in which the side to move is mated.
    pub mated: Vec<bool>,
}

/// The value of a best zeroing move where there is none.
const NONE: i8 = -2;

impl Graph {
    pub fn new(slice: SliceId) -> Self {
        let len = Chess.slice_len(slice) as usize;
        let mut mated = vec![false; len];
        let mut quiet = Lists { ends: Vec::with_capacity(len), all: Vec::new() };
        let (mut zeroing, mut steps) = (Vec::new(), Vec::<Step<ChessPosition>>::new());
        for (index, mated) in (0..).zip(&mut mated) {
            if let Some(position) = Chess.unrank(slice, index) {
                steps.clear();
                Chess.steps(&position, &mut steps);
                *mated = Chess.outcome(&position) == Some(-1);
                for step in &steps {
                    let (to, next) = (Chess.slice_of(&step.next), Chess.rank(&step.next) as u32);
                    if to == slice && !step.zeroes {
                        quiet.all.push(next);
                    } else {
                        zeroing.push((index as u32, to.0 as u16, next));
                    }
                }
            }
            quiet.ends.push(quiet.all.len() as u32);
        }
        let back = quiet.reversed();
        Graph { slice, quiet, back, zeroing, mated }
    }

    pub fn len(&self) -> usize {
        self.mated.len()
    }

    /// Who wins each position under a rule of `limit` moves, with no ply on the clock; and the most
    /// plies on the clock with which that is so. `smaller` has who wins in smaller endings.
    pub fn solve(&self, limit: usize, smaller: &[Vec<i8>]) -> (Vec<i8>, Vec<u8>) {
        let mut fresh = vec![0; self.len()];
        loop {
            // The best zeroing move of each position.
            let mut best = vec![NONE; self.len()];
            let mut stays = false;
            for &(from, slice, to) in &self.zeroing {
                let own = u32::from(slice) == self.slice.0;
                stays |= own;
                let values = if own { &fresh } else { &smaller[usize::from(slice)] };
                let best = &mut best[from as usize];
                *best = (*best).max(-values[to as usize]);
            }
            let (now, until) = self.count_down(limit, &best);
            if !stays || now == fresh {
                return (now, until);
            }
            fresh = now;
        }
    }

    /// The same, with the values of the best zeroing moves given.
    fn count_down(&self, limit: usize, zeroing: &[i8]) -> (Vec<i8>, Vec<u8>) {
        let mut until = vec![0; self.len()];
        // With the clock at its end, a game that is not over is drawn.
        let mut values: Vec<i8> = self.mated.iter().map(|&mated| -i8::from(mated)).collect();
        // Only where a move leads to a value that has just changed can a value change.
        let mut open: Vec<u32> = (0..self.len() as u32).collect();
        let (mut changed, mut seen) = (Vec::new(), vec![u8::MAX; self.len()]);
        for clock in (0..2 * limit as u8).rev() {
            changed.clear();
            for &index in &open {
                let place = index as usize;
                // Who wins with more plies on the clock wins with fewer.
                if values[place] != 0 {
                    continue;
                }
                let moves = self.quiet.get(place).iter().map(|&to| -values[to as usize]);
                let best = moves.max().unwrap_or(NONE).max(zeroing[place]);
                if best != NONE && best != 0 {
                    changed.push((index, best));
                }
            }
            open.clear();
            for &(index, value) in &changed {
                (values[index as usize], until[index as usize]) = (value, clock);
                for &before in self.back.get(index as usize) {
                    if seen[before as usize] != clock {
                        seen[before as usize] = clock;
                        open.push(before);
                    }
                }
            }
        }
        (values, until)
    }
}
