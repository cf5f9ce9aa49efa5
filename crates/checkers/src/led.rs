//! Men numbered without holes where each side's foremost man stands on a given rank.
//!
//! The mover's men stand on the ranks up to their leader's, at least one of them on that rank. What
//! the opponent's men can do depends on how many of the mover's stand on the rank of their own
//! leader, and how many behind it, as the opponent sees it: so the squares of the mover's men are
//! three zones, and men are counted by how many are in each. Within a zone, and for the opponent's
//! men on the squares that are left, sets without a man on the leader's rank come first in
//! colexicographic order, if that rank has the last squares: their numbers are left out.

use super::index::{RANK, binomial, deposit, set_number, set_with_number};

/// Zones of the mover's men: before the opponent's leader, on its rank, and behind.
const ZONES: usize = 3;

/// The numbers of men with given leaders.
#[derive(Clone, Debug)]
pub(crate) struct LedMen {
    zones: [Zone; ZONES],
    /// The opponent's men, and the rank of their leader.
    other: u8,
    other_lead: u32,
    /// By the numbers of the mover's men in the zones.
    blocks: Vec<Block>,
    len: u64,
}

/// Squares that follow one another.
#[derive(Clone, Copy, Debug)]
struct Zone {
    first: u32,
    size: u32,
    /// Whether the last of its ranks is that of the leader, where a man must stand.
    leads: bool,
}

/// Men with given numbers of the mover's in the zones.
#[derive(Clone, Debug)]
struct Block {
    counts: [u8; ZONES],
    start: u64,
    /// Ways to place the opponent's men.
    others: u64,
}

impl Zone {
    /// From one square to before another, if there are any.
    fn new(first: u32, end: u32, leads: bool) -> Self {
        let size = end.saturating_sub(first);
        Zone { first, size, leads: leads && size > 0 }
    }

    /// Sets without a man of the leader's rank, which come first.
    fn skipped(self, men: u8) -> u64 {
        if self.leads { binomial(self.size - RANK, men) } else { 0 }
    }

    fn ways(self, men: u8) -> u64 {
        binomial(self.size, men) - self.skipped(men)
    }

    /// The zone's part of some squares, moved to the right.
    fn part(self, squares: u32) -> u32 {
        let all = if self.size == 32 { u32::MAX } else { (1 << self.size) - 1 };
        squares.checked_shr(self.first).unwrap_or(0) & all
    }

    fn set(self, number: u64, men: u8) -> u32 {
        let set = set_with_number(number + self.skipped(men), men);
        if set == 0 { 0 } else { set << self.first }
    }
}

impl LedMen {
    /// The mover's men and the opponent's, and the ranks of their leaders from 1 to 7, as each side
    /// sees them; 0 for a side without men.
    pub(crate) fn new([own, other]: [u8; 2], [lead, other_lead]: [u8; 2]) -> Self {
        let (end, other_lead) = (u32::from(lead) * RANK, u32::from(other_lead));
        // Where the opponent's leader stands, as the mover sees it.
        let rank = (8 - other_lead) * RANK;
        let bounds = [0, rank.min(end), (rank + RANK).min(end), end];
        let last = (0..ZONES).rev().find(|&zone| bounds[zone] < bounds[zone + 1]);
        let zones = std::array::from_fn(|zone| {
            Zone::new(bounds[zone], bounds[zone + 1], last == Some(zone) && own > 0)
        });
        let mut men = LedMen { zones, other, other_lead, blocks: Vec::new(), len: 0 };
        for on_rank in 0..=own {
            for behind in 0..=own - on_rank {
                let counts = [own - on_rank - behind, on_rank, behind];
                let others = men.others(counts);
                men.blocks.push(Block { counts, start: men.len, others });
                men.len += men.ways(counts).iter().product::<u64>() * others;
            }
        }
        men
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    fn ways(&self, counts: [u8; ZONES]) -> [u64; ZONES] {
        std::array::from_fn(|zone| self.zones[zone].ways(counts[zone]))
    }

    /// Free squares of the opponent's men, and those of them behind their leader's rank.
    fn free([_, on_rank, behind]: [u8; ZONES], lead: u32) -> [u32; 2] {
        let behind = u32::from(behind);
        let all = (lead * RANK).checked_sub(u32::from(on_rank) + behind);
        [all.unwrap_or(0), ((lead - 1) * RANK).saturating_sub(behind)]
    }

    /// Sets of the opponent's men without a leader, which come first.
    fn skipped(&self, counts: [u8; ZONES]) -> u64 {
        if self.other == 0 {
            0
        } else {
            binomial(Self::free(counts, self.other_lead)[1], self.other)
        }
    }

    fn others(&self, counts: [u8; ZONES]) -> u64 {
        if self.other == 0 {
            return 1;
        }
        // Impossible counts of the mover's men have no ways; there the difference may be negative.
        let all = binomial(Self::free(counts, self.other_lead)[0], self.other);
        all.saturating_sub(self.skipped(counts))
    }

    /// The squares of the opponent's men, as the opponent sees them, of which the mover's leave some.
    fn other_squares(&self, men: u32) -> u32 {
        let all = (1_u32 << (self.other_lead * RANK)) - 1;
        all & !men.reverse_bits()
    }

    pub(crate) fn rank(&self, men: u32, other_men: u32) -> u64 {
        let parts = self.zones.map(|zone| zone.part(men));
        let counts = parts.map(|part| part.count_ones() as u8);
        let block = self.blocks.iter().find(|block| block.counts == counts);
        let block = block.expect("men have the leaders of their slice");
        let mut number = 0;
        for ((zone, part), men) in self.zones.iter().zip(parts).zip(counts) {
            number = number * zone.ways(men) + set_number(part, u32::MAX) - zone.skipped(men);
        }
        let of_others = set_number(other_men.reverse_bits(), self.other_squares(men));
        block.start + number * block.others + of_others - self.skipped(counts)
    }

    /// The men with a number: the mover's, and the opponent's.
    pub(crate) fn unrank(&self, number: u64) -> [u32; 2] {
        let place = self.blocks.partition_point(|block| block.start <= number);
        let block = &self.blocks[place - 1];
        let number = number - block.start;
        let (mut number, of_others) = (number / block.others, number % block.others);
        let mut men = 0;
        for (zone, count) in self.zones.iter().zip(block.counts).rev() {
            let ways = zone.ways(count);
            men |= zone.set(number % ways, count);
            number /= ways;
        }
        let places = set_with_number(of_others + self.skipped(block.counts), self.other);
        let other_men = deposit(places, self.other_squares(men)).reverse_bits();
        [men, other_men]
    }
}
