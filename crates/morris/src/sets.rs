//! Numbers of sets of points, in colexicographic order.

use super::board::MOST_POINTS;

/// `n` over `k`, for n up to 24 and k up to 12.
const BINOMIAL: [[u32; 13]; MOST_POINTS + 1] = {
    let mut table = [[0; 13]; MOST_POINTS + 1];
    let mut n = 0;
    while n <= MOST_POINTS {
        table[n][0] = 1;
        let mut k = 1;
        while k < 13 && n > 0 {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of sets of `k` of `n` points.
#[inline]
pub(crate) fn binomial(n: u32, k: u32) -> u64 {
    BINOMIAL[n as usize][k as usize].into()
}

/// Tables by which sets are numbered a byte or twelve places at a time.
#[derive(Debug)]
pub(crate) struct Sets {
    /// How many bits of a byte are set.
    counts: [u8; 256],
    /// For eight points, by which of them are free: the places of some of these among the free ones.
    gathered: Vec<[u8; 256]>,
    /// The points at some places.
    scattered: Vec<[u8; 256]>,
    /// The number of a set of the first twelve places, and above twelve bits its size.
    low: Vec<u16>,
    /// By the size of that part, what the twelve places after these add to the number.
    high: Vec<[u32; PART]>,
}

/// Sets of twelve places.
const PART: usize = 1 << PART_PLACES;
const PART_PLACES: u32 = 12;

impl Sets {
    pub(crate) fn new() -> Self {
        let byte = 0..=u8::MAX;
        let row = |of: fn(u8, u8) -> u8| {
            byte.clone().map(|free| std::array::from_fn(|set| of(free, set as u8))).collect()
        };
        let low = |set: u32| sum(set, 0, 0) as u16 | (set.count_ones() as u16) << PART_PLACES;
        let high = |below| std::array::from_fn(|set| sum(set as u32, PART_PLACES, below));
        Sets {
            counts: std::array::from_fn(|byte| (byte as u8).count_ones() as u8),
            gathered: row(|free, points| gather(points, free)),
            scattered: row(|free, places| deposit(places.into(), free.into()) as u8),
            low: (0..PART as u32).map(low).collect(),
            high: (0..=PART_PLACES).map(high).collect(),
        }
    }

    /// The number of a set of places among those of its size.
    #[inline]
    pub(crate) fn number(&self, places: u32) -> u32 {
        let low = self.low[places as usize % PART];
        let high = &self.high[usize::from(low >> PART_PLACES)];
        u32::from(low) % PART as u32 + high[(places >> PART_PLACES) as usize % PART]
    }

    /// The places of points among the free ones.
    #[inline]
    pub(crate) fn places(&self, points: u32, free: u32) -> u32 {
        let part = |byte: u32| {
            let (free, points) = ((free >> byte) as usize & 0xFF, (points >> byte) as usize & 0xFF);
            u32::from(self.gathered[free][points])
        };
        let [first, second] = self.counted(free);
        part(0) | part(8) << first | part(16) << second
    }

    /// The points at places among the free ones.
    #[inline]
    pub(crate) fn points(&self, places: u32, free: u32) -> u32 {
        let part = |byte: u32, from: u8| {
            let (free, places) = ((free >> byte) as usize & 0xFF, (places >> from) as usize & 0xFF);
            u32::from(self.scattered[free][places]) << byte
        };
        let [first, second] = self.counted(free);
        part(0, 0) | part(8, first) | part(16, second)
    }

    /// How many of the first eight and of the first sixteen points are free.
    #[inline]
    fn counted(&self, free: u32) -> [u8; 2] {
        let first = self.counts[free as usize & 0xFF];
        [first, first + self.counts[(free >> 8) as usize & 0xFF]]
    }

    /// The set of `size` of the free points with a number.
    pub(crate) fn with_number(&self, mut number: u64, size: u32, free: u32) -> u32 {
        let (mut places, mut place) = (0, free.count_ones());
        for size in (1..=size).rev() {
            place -= 1;
            while binomial(place, size) > number {
                place -= 1;
            }
            places |= 1 << place;
            number -= binomial(place, size);
        }
        self.points(places, free)
    }
}

/// What the places of a set, counted from `first` on, add to its number where `below` places before
/// them are in it.
fn sum(set: u32, first: u32, below: u32) -> u32 {
    let places = (0..PART_PLACES).filter(|place| set >> place & 1 == 1);
    let add = |(size, place): (u32, u32)| BINOMIAL[(first + place) as usize].get(size as usize);
    (below + 1..).zip(places).filter_map(add).sum()
}

/// The places of points among the free ones of eight.
fn gather(points: u8, free: u8) -> u8 {
    let places = (0..8u32).filter(|point| free >> point & 1 == 1).enumerate();
    places.fold(0, |all, (place, point)| all | (points >> point & 1) << place)
}

/// The set that follows another one of the same size.
#[inline]
pub(crate) fn next_set(places: u32) -> u32 {
    let lowest = places & places.wrapping_neg();
    let carried = places + lowest;
    carried | (((places ^ carried) / lowest) >> 2)
}

/// Places among the free points, as points.
fn deposit(mut places: u32, mut free: u32) -> u32 {
    let mut points = 0;
    while places != 0 {
        let lowest = free & free.wrapping_neg();
        if places & 1 != 0 {
            points |= lowest;
        }
        free ^= lowest;
        places >>= 1;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sets() {
        let (sets, free): (_, u32) = (Sets::new(), 0b1011_0000_0110_0111_0110);
        for size in 0..=4 {
            let mut places: u32 = (1 << size) - 1;
            for number in 0..binomial(free.count_ones(), size) {
                let set = sets.with_number(number, size, free);
                assert_eq!(set, deposit(places, free));
                assert_eq!((set & !free, set.count_ones()), (0, size));
                assert_eq!(sets.places(set, free), places);
                assert_eq!(u64::from(sets.number(places)), number);
                if size > 0 {
                    places = next_set(places);
                }
            }
        }
    }
}
