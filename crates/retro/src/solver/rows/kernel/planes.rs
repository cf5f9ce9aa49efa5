//! Scores and exits of consecutive positions as bit planes, and back.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nutcracker_game::Exits;

use super::transpose::transpose_bytes;

/// A one in every byte.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;

/// The planes of `value + top` of the best exits of up to 64 positions.
pub(crate) fn exit_planes(exits: &[Exits], top: u8) -> [u64; 8] {
    let mut values = [0; 8];
    let top = top as i8;
    for (at, eight) in exits.chunks(8).enumerate() {
        let mut bytes = [0; 8];
        for (byte, exits) in bytes.iter_mut().zip(eight) {
            // No exit counts as the worst one.
            *byte = exits.best.clamp(-top, top).wrapping_add(top) as u8;
        }
        let bits = transpose_bytes(u64::from_le_bytes(bytes));
        for (plane, place) in values.iter_mut().enumerate() {
            *place |= (bits >> (8 * plane) & 0xFF) << (8 * at);
        }
    }
    values
}

/// The planes of 64 bytes.
pub(crate) fn planes_of(values: &[u8; 64]) -> [u64; 8] {
    let mut planes = [0; 8];
    for (at, eight) in values.as_chunks::<8>().0.iter().enumerate() {
        let bits = transpose_bytes(u64::from_le_bytes(*eight));
        for (plane, place) in planes.iter_mut().enumerate() {
            *place |= (bits >> (8 * plane) & 0xFF) << (8 * at);
        }
    }
    planes
}

/// The 64 bytes with some planes; planes beyond are empty.
pub(crate) fn bytes_of(planes: impl Iterator<Item = u64>) -> [u8; 64] {
    let mut bits = [0; 8];
    for (place, plane) in bits.iter_mut().zip(planes) {
        *place = plane;
    }
    let mut values = [0; 64];
    for (at, eight) in values.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let rows =
            (0..8).fold(0, |rows, plane| rows | (bits[plane] >> (8 * at) & 0xFF) << (8 * plane));
        *eight = transpose_bytes(rows).to_le_bytes();
    }
    values
}

/// Writes bits into a word of which other threads may fill the rest.
pub(crate) fn put(place: &AtomicU64, bits: u64, first: usize, count: usize) {
    if count == 64 {
        place.store(bits, Relaxed);
    } else {
        place.fetch_or(bits << first, Relaxed);
    }
}

/// The scores of up to 64 positions, from a place on: those without one are drawn.
pub(crate) fn scores(
    unscored: u64,
    planes: impl Iterator<Item = u64>,
    first: usize,
    top: u8,
    out: &mut [i8],
) {
    let mut bits = [0; 8];
    for (place, plane) in bits.iter_mut().zip(planes) {
        *place = plane >> first;
    }
    let unscored = unscored >> first;
    let drawn = u64::from(top) * LOW_BITS;
    for (at, eight) in out.chunks_mut(8).enumerate() {
        let rows =
            (0..8).fold(0, |rows, plane| rows | (bits[plane] >> (8 * at) & 0xFF) << (8 * plane));
        let values = transpose_bytes(rows);
        let open = transpose_bytes(unscored >> (8 * at) & 0xFF) * 0xFF;
        let values = (values & !open | drawn & open).to_le_bytes();
        for (score, value) in eight.iter_mut().zip(values) {
            *score = value.wrapping_sub(top) as i8;
        }
    }
}
