//! The bits of a word that a mask selects, moved together: one instruction where the processor has
//! it, detected at run time.

/// A way to compress.
pub(crate) trait Compress {
    /// The bits of `bits` under `mask`, moved together at the low end.
    fn compress(bits: u64, mask: u64) -> u64;

    /// The place of the set bit of a mask with `below` set bits below it.
    fn place(mask: u64, below: u32) -> usize;
}

/// Work for the fastest way that this processor has. All of it must be inlined into `run`, which is
/// what the compiler enables the instruction for.
pub(crate) trait Work {
    /// Does it.
    fn run<C: Compress>(self);
}

/// By plain arithmetic, on any processor.
pub(crate) struct Portable;

impl Compress for Portable {
    #[inline(always)]
    fn compress(bits: u64, mask: u64) -> u64 {
        let mut bits = bits & mask;
        if bits.count_ones() <= FEW_BITS {
            // Each bit by itself: it goes where as many bits of the mask are below it.
            let mut out = 0;
            while bits != 0 {
                let lowest = bits & bits.wrapping_neg();
                out |= 1 << (mask & (lowest - 1)).count_ones();
                bits ^= lowest;
            }
            return out;
        }
        // All at once, by powers of two: a bit moves by as many places as zeros of the mask are
        // below it.
        let mut mask = mask;
        let mut zeros = !mask << 1;
        for step in 0..6 {
            // Bit i: whether the zeros below i are odd.
            let mut odd = zeros;
            for shift in 0..6 {
                odd ^= odd << (1 << shift);
            }
            let moving = odd & mask;
            mask = mask ^ moving | moving >> (1 << step);
            let moved = bits & moving;
            bits = bits ^ moved | moved >> (1 << step);
            zeros &= !odd;
        }
        bits
    }

    #[inline(always)]
    fn place(mut mask: u64, below: u32) -> usize {
        for _ in 0..below {
            mask &= mask - 1;
        }
        mask.trailing_zeros() as usize
    }
}

/// Up to this many bits are moved one by one.
const FEW_BITS: u32 = 6;

#[cfg(target_arch = "x86_64")]
mod pext {
    use super::{Compress, Work};

    /// By the processor's instruction.
    struct Pext;

    impl Compress for Pext {
        #[inline(always)]
        fn compress(bits: u64, mask: u64) -> u64 {
            // SAFETY: this type is private, and `run` uses it only if the processor reports BMI2.
            #[allow(unsafe_code)]
            unsafe {
                std::arch::x86_64::_pext_u64(bits, mask)
            }
        }

        #[inline(always)]
        fn place(mask: u64, below: u32) -> usize {
            // SAFETY: as above.
            #[allow(unsafe_code)]
            unsafe {
                std::arch::x86_64::_pdep_u64(1 << below, mask).trailing_zeros() as usize
            }
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn with_instruction<W: Work>(work: W) {
        work.run::<Pext>();
    }

    pub(super) fn here() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
    }

    /// Does the work if the processor has the instruction; returns it otherwise.
    pub(super) fn run<W: Work>(work: W) -> Option<W> {
        if !here() {
            return Some(work);
        }
        // SAFETY: `here` has found all four features that the function enables.
        #[allow(unsafe_code)]
        unsafe {
            with_instruction(work);
        }
        None
    }
}

/// Whether this processor has the instruction.
pub(crate) fn fast_here() -> bool {
    #[cfg(target_arch = "x86_64")]
    return pext::here();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Does the work, by the instruction unless `portable` is set.
pub(crate) fn run<W: Work>(portable: bool, work: W) {
    if portable {
        return work.run::<Portable>();
    }
    #[cfg(target_arch = "x86_64")]
    let Some(work) = pext::run(work) else { return };
    work.run::<Portable>();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit after another.
    fn plain(bits: u64, mask: u64) -> u64 {
        let (mut out, mut to) = (0, 0);
        for at in (0..64).filter(|at| mask >> at & 1 == 1) {
            out |= (bits >> at & 1) << to;
            to += 1;
        }
        out
    }

    struct Compare(u64, u64);

    impl Work for Compare {
        #[inline(always)]
        fn run<C: Compress>(self) {
            assert_eq!(
                C::compress(self.0, self.1),
                plain(self.0, self.1),
                "{:x?}",
                (self.0, self.1)
            );
        }
    }

    #[test]
    fn every_way_moves_the_same_bits() {
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut words = vec![0, 1, u64::MAX, 1 << 63, 0x5555_5555_5555_5555];
        words.extend((0..200).map(|_| random()));
        for turn in 0..4 {
            for &bits in &words {
                for &mask in &words {
                    // Thinner and thinner.
                    let (bits, mask) = (0..turn).fold((bits, mask), |(bits, mask), by| {
                        (bits & bits.rotate_left(7 + by), mask & mask.rotate_left(5 + by))
                    });
                    run(true, Compare(bits, mask));
                    run(false, Compare(bits, mask));
                }
            }
        }
    }
}
