//! Values as runs of equal ones, each run's value predicted from the runs before it.
//!
//! A run mostly has the value of the one two before it, because values alternate. So a run is a code
//! and a length: code 0 says that the prediction holds, any other is the value's distance from the
//! prediction. Codes and lengths are apart, so that each part is alike in itself for the compressor
//! that follows.
//!
//! ```text
//!   4  number of runs
//!   1  for each run: its value minus the predicted one, as a byte
//!   n  for each run: its length minus 1, seven bits a byte, the lowest first; a set high bit says that
//!      more follow
//! ```

/// The last seven bits of a length; more are not needed for the largest block.
const LAST_SHIFT: u32 = 21;

/// Bytes that the runs of a number of values take at most.
pub(crate) fn longest(values: usize) -> usize {
    4 + 2 * values
}

/// The runs of values.
pub(crate) fn encode(values: &[u8]) -> Vec<u8> {
    let (mut codes, mut lengths) = (Vec::new(), Vec::new());
    let [mut before, mut last] = [0_u8; 2];
    for run in values.chunk_by(|a, b| a == b) {
        codes.push(run[0].wrapping_sub(before));
        [before, last] = [last, run[0]];
        let mut length = run.len() - 1;
        while length >= 0x80 {
            lengths.push(length as u8 | 0x80);
            length >>= 7;
        }
        lengths.push(length as u8);
    }
    let mut out = (codes.len() as u32).to_le_bytes().to_vec();
    out.append(&mut codes);
    out.append(&mut lengths);
    out
}

/// Fills `values` exactly with the values of runs; `None` if they do not, or are followed by anything.
/// Any bytes may be passed.
pub(crate) fn decode(bytes: &[u8], mut values: &mut [u8]) -> Option<()> {
    let (count, bytes) = bytes.split_first_chunk()?;
    let (codes, lengths) = bytes.split_at_checked(u32::from_le_bytes(*count) as usize)?;
    let mut lengths = lengths.iter();
    let [mut before, mut last] = [0_u8; 2];
    for code in codes {
        let (mut length, mut shift) = (0, 0);
        loop {
            let byte = *lengths.next()?;
            length |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
            if shift > LAST_SHIFT {
                return None;
            }
        }
        let value = before.wrapping_add(*code);
        let (run, rest) = values.split_at_mut_checked(length + 1)?;
        run.fill(value);
        values = rest;
        [before, last] = [last, value];
    }
    (values.is_empty() && lengths.next().is_none()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_alternate_are_predicted() {
        let mut values = vec![1; 300];
        values.extend([255, 1, 1, 255, 0, 255]);
        let runs = encode(&values);
        // 1 and 255 are the first of their kind, and 0 comes where 1 was predicted.
        let codes = [1, 255, 0, 0, 255, 0];
        let lengths = [0xAB, 2, 0, 1, 0, 0, 0];
        assert_eq!(runs, [&[6, 0, 0, 0][..], &codes, &lengths].concat());
        let mut back = vec![0; values.len()];
        assert_eq!((decode(&runs, &mut back), back), (Some(()), values));
    }

    #[test]
    fn runs_that_do_not_fill_the_values_are_refused() {
        let runs = encode(&[7; 200]);
        assert_eq!(decode(&runs, &mut [0; 200]), Some(()));
        for len in [0, 199, 201] {
            assert_eq!(decode(&runs, &mut vec![0; len]), None);
        }
        for end in 0..runs.len() {
            assert_eq!(decode(&runs[..end], &mut [0; 200]), None);
        }
        let endless = [&[1, 0, 0, 0, 7][..], &[0xFF; 12]].concat();
        assert_eq!(decode(&endless, &mut [0; 200]), None);
        assert_eq!(decode(&[&runs[..], &[0]].concat(), &mut [0; 200]), None);
    }
}
