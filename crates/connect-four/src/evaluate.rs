//! Heuristic evaluation of connect four.

use nutcracker_game::{Evaluate, Side, Step, weigh};

use super::ConnectFour;
use super::weights::FITTED;
use nutcracker_boards::grid::Stones;

/// What each feature is called.
const FEATURES: &[&str] = &[
    "winning squares: own minus other",
    "winning squares in rows that fall to their side at the end: mover's minus opponent's",
    "winning squares to play at once: own",
    "open lines that lack two stones: own minus other",
    "lines through each stone: own minus other",
    "on move",
];

/// What the lines of the board hold of one side, where the opponent has no stone on them.
#[derive(Clone, Copy, Default)]
struct OpenLines {
    /// The squares that complete a line.
    wins: u64,
    /// Lines that lack two stones.
    twos: f32,
}

impl OpenLines {
    fn add(&mut self, line: u64, stones: u64, connect: u32) {
        match connect - (line & stones).count_ones() {
            1 => self.wins |= line & !stones,
            2 => self.twos += 1.0,
            _ => {}
        }
    }
}

impl ConnectFour {
    /// The open lines of the mover and of the opponent.
    fn open_lines(&self, stones: Stones) -> [OpenLines; 2] {
        let mut open = [OpenLines::default(); 2];
        for &line in &self.lines {
            match (line & stones.own != 0, line & stones.other != 0) {
                (true, false) => open[0].add(line, stones.own, self.grid.connect()),
                (false, true) => open[1].add(line, stones.other, self.grid.connect()),
                _ => {}
            }
        }
        open
    }

    /// The rows on which a winning square falls to a side when all other columns are full: x places
    /// every odd stone.
    fn rows_of(&self, side: Side) -> u64 {
        let odd = (0..self.grid.rows()).step_by(2).fold(0, |rows, row| rows | self.bottoms << row);
        match side {
            Side::First => odd,
            Side::Second => self.area & !odd,
        }
    }
}

impl Evaluate for ConnectFour {
    fn feature_names(&self) -> &'static [&'static str] {
        FEATURES
    }

    fn features(&self, stones: &Stones, out: &mut [f32]) {
        let [own, other] = self.open_lines(*stones);
        let count = |set: u64| set.count_ones() as f32;
        let late = |open: OpenLines, side: Side| count(open.wins & self.rows_of(side));
        let mover = stones.mover();
        let through = |stones: u64| self.lines.iter().map(|line| count(line & stones)).sum::<f32>();
        let values = [
            count(own.wins) - count(other.wins),
            late(own, mover) - late(other, mover.other()),
            count(own.wins & self.targets(*stones)).min(1.0),
            own.twos - other.twos,
            through(stones.own) - through(stones.other),
            1.0,
        ];
        out.copy_from_slice(&values);
    }

    fn fitted(&self) -> &[f32] {
        &FITTED
    }

    fn evaluate(&self, stones: &Stones, weights: &[f32]) -> i32 {
        let mut features = [0.0; FEATURES.len()];
        self.features(stones, &mut features);
        weigh(&features, weights)
    }

    /// A move that wins, then those on squares through which many lines go.
    fn promise(&self, stones: &Stones, _: &u8, step: &Step<Stones>) -> i32 {
        if self.grid.has_line(step.next.other) {
            return 1000;
        }
        let square = step.next.other ^ stones.own;
        self.lines.iter().filter(|&line| line & square != 0).count() as i32
    }

    /// A side that could win at once if it were to move.
    fn is_unquiet(&self, stones: &Stones) -> bool {
        let targets = self.targets(*stones);
        self.open_lines(*stones).iter().any(|open| open.wins & targets != 0)
    }
}
