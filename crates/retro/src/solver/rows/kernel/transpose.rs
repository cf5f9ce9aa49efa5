//! Transposition of squares of 64 by 64 bits.

/// Transposes two squares side by side: bit j of word i becomes bit i of
/// word j.
#[inline(always)]
pub(crate) fn transpose(squares: &mut [[u64; 2]; 64]) {
    stage::<32>(squares, 0x0000_0000_FFFF_FFFF);
    stage::<16>(squares, 0x0000_FFFF_0000_FFFF);
    stage::<8>(squares, 0x00FF_00FF_00FF_00FF);
    stage::<4>(squares, 0x0F0F_0F0F_0F0F_0F0F);
    stage::<2>(squares, 0x3333_3333_3333_3333);
    stage::<1>(squares, 0x5555_5555_5555_5555);
}

/// Squares of twice this width exchange their off-diagonal quarters.
#[inline(always)]
fn stage<const WIDTH: usize>(squares: &mut [[u64; 2]; 64], mask: u64) {
    for both in squares.chunks_exact_mut(2 * WIDTH) {
        let (above, below) = both.split_at_mut(WIDTH);
        for (above, below) in above.iter_mut().zip(below) {
            for side in 0..2 {
                let exchanged = (above[side] >> WIDTH ^ below[side]) & mask;
                above[side] ^= exchanged << WIDTH;
                below[side] ^= exchanged;
            }
        }
    }
}

/// Eight bytes as eight rows of eight bits, transposed: bit j of byte i becomes bit i of byte j.
#[inline(always)]
pub(crate) fn transpose_bytes(mut bytes: u64) -> u64 {
    let mut exchange = |shift: u32, mask: u64| {
        let exchanged = (bytes ^ bytes >> shift) & mask;
        bytes ^= exchanged ^ exchanged << shift;
    };
    exchange(7, 0x00AA_00AA_00AA_00AA);
    exchange(14, 0x0000_CCCC_0000_CCCC);
    exchange(28, 0x0000_0000_F0F0_F0F0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut squares = [[0; 2]; 64];
        let mut state = 1u64;
        for word in squares.as_flattened_mut() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *word = state ^ state >> 31;
        }
        let before = squares;
        transpose(&mut squares);
        for (i, row) in before.iter().enumerate() {
            for (j, column) in squares.iter().enumerate() {
                for side in 0..2 {
                    assert_eq!(row[side] >> j & 1, column[side] >> i & 1);
                }
            }
        }
        for &bytes in before.as_flattened() {
            let turned = transpose_bytes(bytes);
            for i in 0..8 {
                for j in 0..8 {
                    assert_eq!(bytes >> (8 * i + j) & 1, turned >> (8 * j + i) & 1);
                }
            }
        }
    }
}
