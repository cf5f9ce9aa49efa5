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
pub(crate) fn binomial(n: u32, k: u32) -> u64 {
    BINOMIAL[n as usize][k as usize].into()
}

/// The number of a set among those of its size within the free points.
#[inline]
pub(crate) fn set_number(mut points: u32, free: u32) -> u64 {
    let (mut number, mut size) = (0, 1);
    while points != 0 {
        let point = points & points.wrapping_neg();
        let place = (free & (point - 1)).count_ones();
        number += BINOMIAL[place as usize][size];
        points ^= point;
        size += 1;
    }
    number.into()
}

/// The set of `size` of the free points with a number.
pub(crate) fn set_with_number(mut number: u64, size: u32, free: u32) -> u32 {
    let (mut places, mut place) = (0, free.count_ones());
    for size in (1..=size).rev() {
        place -= 1;
        while binomial(place, size) > number {
            place -= 1;
        }
        places |= 1 << place;
        number -= binomial(place, size);
    }
    deposit(places, free)
}

/// The set that follows another one of the same size.
pub(crate) fn next_set(places: u32) -> u32 {
    let lowest = places & places.wrapping_neg();
    let carried = places + lowest;
    carried | (((places ^ carried) / lowest) >> 2)
}

/// Places among the free points, as points.
pub(crate) fn deposit(mut places: u32, mut free: u32) -> u32 {
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
        let free: u32 = 0b1011_0111_0110;
        for size in 0..=4 {
            let mut places: u32 = (1 << size) - 1;
            for number in 0..binomial(free.count_ones(), size) {
                let set = set_with_number(number, size, free);
                assert_eq!(set, deposit(places, free));
                assert_eq!((set & !free, set.count_ones()), (0, size));
                assert_eq!(set_number(set, free), number);
                if size > 0 {
                    places = next_set(places);
                }
            }
        }
    }
}
