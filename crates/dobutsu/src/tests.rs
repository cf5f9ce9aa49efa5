//! Figures of all positions, and of those that the start leads to.

use nutcracker_game::Rules;

use super::Dobutsu;
use super::forward::DobutsuForward;
use super::men::{ALL_NUMBERS, Men, NUMBERS, tables};
use super::numbering::{LOST, PLAY};

/// One bit a number.
struct Bits(Vec<u64>);

impl Bits {
    fn insert(&mut self, index: u64) -> bool {
        let (word, bit) = (&mut self.0[index as usize / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

/// Published (T. Tanaka 2009): not counting mirror images and exchanged sides, the start leads to
/// 246,803,167 positions. Of these, the game is open in the first number below; in the second, the
/// lion can be taken; the third are tries that succeeded.
#[test]
#[ignore = "takes two minutes; scripts/test-long runs it"]
fn positions_that_the_start_leads_to() {
    let (view, tables) = (DobutsuForward::new(PLAY), tables());
    let mut seen = Bits(vec![0; ALL_NUMBERS.div_ceil(64) as usize]);
    let (mut open, mut exposed, mut tried) = (0u64, 0u64, 0u64);
    let start = tables.index(Men::new(&Dobutsu.start().position));
    seen.insert(start);
    let mut stack = vec![start as u32];
    while let Some(index) = stack.pop() {
        open += 1;
        let men = tables.open(index.into()).expect("only open positions are on the stack");
        view.every_move(men, |next, end| {
            let index = tables.index(next);
            if seen.insert(index) {
                match end {
                    None => stack.push(index as u32),
                    Some(LOST) => tried += 1,
                    Some(_) => exposed += 1,
                }
            }
        });
    }
    assert_eq!([open, exposed, tried], [99_485_568, 140_298_614, 7_018_985]);
    assert_eq!(open + exposed + tried, 246_803_167);
}

/// Without regard to mirror images, two lions and six other men stand in 1,567,925,964 ways
/// (published by T. Tanaka 2009).
#[test]
fn all_positions_are_numbered() {
    let ways = ALL_NUMBERS / 72;
    assert_eq!(12 * 11 * ways, 1_567_925_964);
    assert_eq!(NUMBERS, 21 * ways);
    for index in (0..ALL_NUMBERS).step_by(99_991) {
        if let Some(men) = tables().men(index) {
            assert_eq!(tables().index(men), index);
        }
    }
}
