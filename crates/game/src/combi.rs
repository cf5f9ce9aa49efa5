//! Binomial coefficients, and the numbering of the ways to put stones into pits.

/// `n` over `k`, or `None` where it does not fit 64 bits.
///
/// ```
/// use nutcracker_game::combi::binomial;
/// assert_eq!(binomial(59, 11), Some(279_871_768_995));
/// assert_eq!(binomial(3, 5), Some(0));
/// ```
#[inline]
pub fn binomial(n: u64, k: u64) -> Option<u64> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    let mut result: u128 = 1;
    for i in 0..k {
        result = result * u128::from(n - i) / u128::from(i + 1);
        if result > u128::from(u64::MAX) {
            return None;
        }
    }
    Some(result as u64)
}

/// The ways to put `0..=max` stones into a row of pits, numbered.
///
/// The ways with the same number of stones are in lexicographic order of the pits, or, by
/// [`PitRows::gaps_first`], those with an empty pit before those without. A *rank* counts within one
/// number of stones, an *id* counts through all numbers of stones, fewer first.
///
/// ```
/// use nutcracker_game::combi::PitRows;
/// let rows = PitRows::new(3, 10);
/// assert_eq!(rows.count(2), 6);
/// let in_order = [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]];
/// for (rank, row) in in_order.iter().enumerate() {
///     assert_eq!(rows.rank(row), rank as u64);
///     let mut pits = [0; 3];
///     rows.unrank(2, rank as u64, &mut pits);
///     assert_eq!(pits, *row);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct PitRows {
    pits: usize,
    max: usize,
    /// Whether rows with an empty pit come before those without.
    gaps_first: bool,
    /// `ways[q * (max + 1) + s]`: the ways to put at most `s` stones into `q` pits, which is
    /// C(s + q, q). Ranks are sums of differences of these.
    ways: Vec<u64>,
    /// `steps[i * (max + 1) + left]`: what pit i adds to the rank, wrapping, when `left` stones are
    /// in it and behind it. One look-up a pit.
    steps: Vec<u64>,
}

impl PitRows {
    /// The rows of `pits` pits with up to `max` stones.
    ///
    /// # Panics
    /// If there are no pits, or the rows are more than 64 bits can count.
    pub fn new(pits: usize, max: usize) -> Self {
        assert!(pits > 0, "a row has at least one pit");
        let mut ways = Vec::with_capacity((pits + 1) * (max + 1));
        for q in 0..=pits as u64 {
            for s in 0..=max as u64 {
                ways.push(binomial(s + q, q).expect("the rows can be counted in 64 bits"));
            }
        }
        let ways_at = |pits: usize, at_most: usize| ways[pits * (max + 1) + at_most];
        let mut steps = Vec::with_capacity(pits * (max + 1));
        for i in 0..pits {
            for left in 0..=max {
                let come_before = if i + 1 < pits { ways_at(pits - 1 - i, left) } else { 0 };
                let counted_before = if i > 0 { ways_at(pits - i, left) } else { 0 };
                steps.push(come_before.wrapping_sub(counted_before));
            }
        }
        PitRows { pits, max, gaps_first: false, ways, steps }
    }

    /// The same rows in another order: those with an empty pit before those without, each in
    /// lexicographic order.
    ///
    /// ```
    /// use nutcracker_game::combi::PitRows;
    /// let rows = PitRows::gaps_first(2, 10);
    /// let in_order = [[0, 3], [3, 0], [1, 2], [2, 1]];
    /// for (rank, row) in in_order.iter().enumerate() {
    ///     assert_eq!(rows.rank(row), rank as u64);
    /// }
    /// assert_eq!(rows.with_gap(3), 2);
    /// ```
    ///
    /// # Panics
    /// As [`PitRows::new`] does.
    #[inline]
    pub fn gaps_first(pits: usize, max: usize) -> Self {
        PitRows { gaps_first: true, ..Self::new(pits, max) }
    }

    /// Whether rows with an empty pit come before those without.
    #[inline]
    pub fn has_gaps_first(&self) -> bool {
        self.gaps_first
    }

    fn ways(&self, pits: usize, at_most: usize) -> u64 {
        self.ways[pits * (self.max + 1) + at_most]
    }

    /// The number of pits.
    #[inline]
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// The largest number of stones.
    #[inline]
    pub fn max(&self) -> usize {
        self.max
    }

    /// The number of rows with exactly this many stones.
    #[inline]
    pub fn count(&self, stones: usize) -> u64 {
        self.ways(self.pits - 1, stones)
    }

    /// The number of rows with exactly this many stones, at least one pit of them empty.
    #[inline]
    pub fn with_gap(&self, stones: usize) -> u64 {
        self.count(stones) - stones.checked_sub(self.pits).map_or(0, |spare| self.count(spare))
    }

    /// The number of rows with fewer stones: the first id with this many.
    #[inline]
    pub fn first_id(&self, stones: usize) -> u64 {
        if stones == 0 { 0 } else { self.ways(self.pits, stones - 1) }
    }

    /// The number of rows of any number of stones.
    #[inline]
    pub fn total(&self) -> u64 {
        self.ways(self.pits, self.max)
    }

    /// What a pit adds to the rank, wrapping, when `stones` stones are in it and behind it: the sum
    /// of the steps of all pits is the rank in lexicographic order.
    #[inline]
    pub fn step(&self, pit: usize, stones: usize) -> u64 {
        self.steps[pit * (self.max + 1) + stones]
    }

    /// The rank of a row among those with as many stones.
    #[inline]
    pub fn rank(&self, row: &[u8]) -> u64 {
        let row = &row[..self.pits];
        let stones: usize = row.iter().map(|&stones| usize::from(stones)).sum();
        if self.gaps_first { self.gaps_first_rank(row, stones) } else { self.lexical(row, stones) }
    }

    #[inline]
    fn lexical(&self, row: &[u8], stones: usize) -> u64 {
        let mut left = stones;
        let mut rank = 0u64;
        for (steps, &stones) in self.steps.chunks_exact(self.max + 1).zip(row) {
            rank = rank.wrapping_add(steps[left]);
            left -= usize::from(stones);
        }
        rank
    }

    fn gaps_first_rank(&self, row: &[u8], stones: usize) -> u64 {
        let Some(spare) = stones.checked_sub(self.pits) else {
            return self.lexical(row, stones);
        };
        // With a stone taken from every pit, rows without gaps are all rows of the spare stones.
        // Those before this one: at each pit up to its first gap, those that have fewer there.
        let mut left = spare;
        let mut full_before = 0;
        for (i, &here) in row.iter().enumerate() {
            let Some(more) = usize::from(here).checked_sub(1) else {
                return self.lexical(row, stones) - full_before;
            };
            let behind = self.pits - 1 - i;
            if more > left {
                full_before += self.ways(behind, left);
                return self.lexical(row, stones) - full_before;
            }
            full_before += self.ways(behind, left) - self.ways(behind, left - more);
            left -= more;
        }
        self.with_gap(stones) + full_before
    }

    /// Writes the row with this many stones and this rank.
    #[inline]
    pub fn unrank(&self, stones: usize, rank: u64, row: &mut [u8]) {
        if !self.gaps_first {
            return self.lexical_row(stones, rank, row);
        }
        let gapped = self.with_gap(stones);
        if let Some(rank) = rank.checked_sub(gapped) {
            self.lexical_row(stones - self.pits, rank, row);
            row[..self.pits].iter_mut().for_each(|pit| *pit += 1);
        } else {
            self.gapped_row(stones, rank, row);
        }
    }

    fn lexical_row(&self, stones: usize, mut rank: u64, row: &mut [u8]) {
        let mut left = stones;
        for (i, pit) in row[..self.pits - 1].iter_mut().enumerate() {
            let behind = self.pits - 1 - i;
            *pit = 0;
            // Rows that continue with one stone fewer behind come before those with more here.
            while left > 0 {
                let skipped = self.ways(behind, left) - self.ways(behind, left - 1);
                if rank < skipped {
                    break;
                }
                rank -= skipped;
                left -= 1;
                *pit += 1;
            }
        }
        row[self.pits - 1] = left as u8;
    }

    /// The row with this rank among those with an empty pit.
    fn gapped_row(&self, stones: usize, mut rank: u64, row: &mut [u8]) {
        let exactly = |pits: usize, stones: usize| match pits {
            0 => u64::from(stones == 0),
            _ => self.ways(pits - 1, stones),
        };
        let mut left = stones;
        let mut gap = false;
        for (i, pit) in row[..self.pits].iter_mut().enumerate() {
            let behind = self.pits - 1 - i;
            *pit = 0;
            loop {
                // The rows that continue from here, without those that have no gap at all.
                let mut here = exactly(behind, left);
                if !gap && *pit > 0 {
                    here -= left.checked_sub(behind).map_or(0, |spare| exactly(behind, spare));
                }
                if rank < here {
                    break;
                }
                rank -= here;
                left -= 1;
                *pit += 1;
            }
            gap |= *pit == 0;
        }
    }

    /// The next row with as many stones; false after the last.
    #[inline]
    pub fn advance(&self, row: &mut [u8]) -> bool {
        if !self.gaps_first {
            return self.lexical_next(row);
        }
        let has_gap = |row: &[u8]| row[..self.pits].contains(&0);
        if has_gap(row) {
            while self.lexical_next(row) {
                if has_gap(row) {
                    return true;
                }
            }
            let stones: usize = row[..self.pits].iter().map(|&pit| usize::from(pit)).sum();
            if stones < self.pits {
                return false;
            }
            row[..self.pits].fill(1);
            row[self.pits - 1] = (stones + 1 - self.pits) as u8;
            return true;
        }
        row[..self.pits].iter_mut().for_each(|pit| *pit -= 1);
        let more = self.lexical_next(row);
        row[..self.pits].iter_mut().for_each(|pit| *pit += 1);
        more
    }

    fn lexical_next(&self, row: &mut [u8]) -> bool {
        // The last stones that can move one pit forward in the order: find the last pit that has
        // a stone behind it, give it one, and gather the rest in the last pit.
        let last = self.pits - 1;
        let mut behind = usize::from(row[last]);
        for i in (0..last).rev() {
            if behind > 0 {
                row[i] += 1;
                for pit in &mut row[i + 1..=last] {
                    *pit = 0;
                }
                row[last] = (behind - 1) as u8;
                return true;
            }
            behind += usize::from(row[i]);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_small_row_has_its_rank() {
        for rows in (1..=6).flat_map(|pits| [PitRows::new(pits, 9), PitRows::gaps_first(pits, 9)]) {
            let pits = rows.pits();
            for stones in 0..=9 {
                let mut row = vec![0; pits];
                rows.unrank(stones, 0, &mut row);
                let mut walker = row.clone();
                for rank in 0..rows.count(stones) {
                    rows.unrank(stones, rank, &mut row);
                    assert_eq!(row, walker, "advance and unrank agree");
                    assert_eq!(rows.rank(&row), rank);
                    assert_eq!(rows.advance(&mut walker), rank + 1 < rows.count(stones));
                    if rows.has_gaps_first() {
                        assert_eq!(row.contains(&0), rank < rows.with_gap(stones));
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn rank_is_monotone(stones in 0usize..=48, a in any::<u64>(), b in any::<u64>()) {
            let rows = PitRows::new(6, 48);
            let (a, b) = (a % rows.count(stones), b % rows.count(stones));
            let (mut row_a, mut row_b) = ([0; 6], [0; 6]);
            rows.unrank(stones, a, &mut row_a);
            rows.unrank(stones, b, &mut row_b);
            prop_assert_eq!(row_a.cmp(&row_b), a.cmp(&b));
            prop_assert_eq!(rows.rank(&row_a), a);
        }
    }
}
