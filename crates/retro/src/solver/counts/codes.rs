//! The whole state of a position as one small number.

use nutcracker_game::Exits;

/// How a position's state is one number.
///
/// | numbers | meaning |
/// |---|---|
/// | `0..floor` | open: `(worst - 1) << bits \| count`: exits are worth -worst at best, and `count` internal moves do not lead to a win yet |
/// | `floor..settled` | open, with an exit worth `number - floor` ≥ 0: never lost, so nothing is counted |
/// | `settled..settled + 2·max + 1` | settled: the score, plus max |
/// | the last two | settled at this level as a win, as a loss, and pending |
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    max: u64,
    bits: u32,
    floor: u64,
    settled: u64,
}

impl Codes {
    /// The numbers for scores up to `max` and up to `moves` internal moves.
    pub fn new(max: u8, moves: u16) -> Self {
        let bits = 16 - moves.leading_zeros();
        let floor = u64::from(max) << bits;
        Codes { max: u64::from(max), bits, floor, settled: floor + u64::from(max) + 1 }
    }

    /// One more than the largest number.
    pub fn count(&self) -> u64 {
        self.settled + 2 * self.max + 3
    }

    /// The state of a win of this level that is still to be spread.
    pub(super) fn pending_win(&self) -> u64 {
        self.count() - 2
    }

    /// The state of a loss of this level that is still to be spread.
    pub(super) fn pending_loss(&self) -> u64 {
        self.count() - 1
    }

    /// The state of a position of which nothing but its exits is known.
    #[inline]
    pub fn open(&self, exits: Exits) -> u64 {
        if exits.best >= 0 {
            self.floor + (exits.best as u64).min(self.max)
        } else if self.max == 0 {
            self.floor
        } else {
            // No exit is as good as the worst one.
            let worst = u64::from(exits.best.unsigned_abs()).min(self.max);
            (worst - 1) << self.bits | u64::from(exits.internal)
        }
    }

    /// The state of a win of `k`.
    #[inline(always)]
    pub fn win(&self, k: u64) -> u64 {
        self.settled + self.max + k
    }

    /// The state of a loss of `k`.
    #[inline(always)]
    pub fn loss(&self, k: u64) -> u64 {
        self.settled + self.max - k
    }

    /// The largest score.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Whether the score is still unknown.
    #[inline(always)]
    pub fn is_open(&self, code: u64) -> bool {
        code < self.settled
    }

    /// Whether the score is unknown and may be a loss, so that moves are counted.
    #[inline(always)]
    pub fn is_counted(&self, code: u64) -> bool {
        code < self.floor
    }

    /// The states that exits alone settle at a level, when nothing of the levels above is left to
    /// be spread: as a loss, and as a win.
    pub fn settled_by_exits(&self, level: u64) -> [u64; 2] {
        [(level - 1) << self.bits, self.floor + level]
    }

    /// Whether a [counted](Self::is_counted) state is lost at this level when one more move leads
    /// to a win.
    #[inline(always)]
    pub fn is_last(&self, code: u64, level: u64) -> bool {
        (code - 1) & ((1 << self.bits) - 1) == 0 && code >> self.bits >= level - 1
    }

    /// As [`is_last`](Self::is_last) where values are distances: lost one level below, as the
    /// winner's moves count, unless a move that leaves the slice takes longer to lose.
    #[inline(always)]
    pub fn is_last_distance(&self, code: u64, level: u64) -> bool {
        (code - 1) & ((1 << self.bits) - 1) == 0 && (code >> self.bits) + 2 >= level
    }

    /// The state of a position that [`is_last_distance`](Self::is_last_distance) is true of: the
    /// sweep of the level below settles it. At level 1 there is none, and the distance is too large
    /// to store.
    #[inline(always)]
    pub fn lost_below(&self, level: u64) -> u64 {
        level.saturating_sub(2) << self.bits
    }

    /// The score that a state means once nothing changes any more.
    pub fn score(&self, code: u64) -> i8 {
        if code >= self.settled {
            ((code - self.settled) as i16 - self.max as i16) as i8
        } else {
            0
        }
    }
}
