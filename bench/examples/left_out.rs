//! How many bytes win, loss and draw of checkers take if values that follow from the moves are left
//! out: the table in `docs/performance.md`.
//!
//! `cargo run -p nutcracker-bench --example left_out -- DIR`, where DIR has the databases by `dtw` of
//! up to five pieces. A side that can capture must, and captures leave the slice, so such a value is
//! looked up in smaller slices. Where the opponent threatens to capture, the value follows from the
//! mover's moves, some of which stay in the slice. What is left out has the value before it, so that
//! runs go on. The codec, its level and its blocks are those of our files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use nutcracker_game::{Metric, Numbering};
use nutcracker_games::checkers::{Checkers, CheckersPosition};
use nutcracker_retro::open_metric;
use nutcracker_table::{Codec, Disk, PackOptions};

/// Bytes of the block index for each block.
const INDEX: usize = 12;
/// Positions and bytes: with all values, without those of captures, and without threats.
type Sizes = [u64; 4];

fn main() {
    let dir =
        std::env::args().nth(1).expect("the directory of the databases, such as data/checkers");
    let checkers = Checkers::BY_PIECES;
    let set =
        open_metric(&checkers, Some(Metric::Dtw), Arc::new(Disk { map: true }), Path::new(&dir), 0);
    let mut splits: BTreeMap<String, Sizes> = BTreeMap::new();
    for slice in checkers.select("5").expect("slices of up to five pieces") {
        let table = set.get(slice.0).expect("a database");
        let len = checkers.slice_len(slice) as usize;
        let mut values = vec![0; len];
        table.read(0, &mut values).expect("its values");
        for value in &mut values {
            *value = value.signum();
        }
        let codec = Codec::new(table.header().codec, PackOptions::default().level, &[]);
        let block = table.header().block_positions as usize;
        let position = |index: usize| checkers.unrank(slice, index as u64).expect("no holes");
        let first = position(0);
        let mut pieces = [first.own().count_ones(), first.other().count_ones()];
        pieces.sort_unstable_by(|a, b| b.cmp(a));
        let sizes = splits.entry(format!("{} v {}", pieces[0], pieces[1])).or_default();
        sizes[0] += len as u64;
        sizes[1] += bytes(&values, block, &codec);
        let kept = |is_left_out: &dyn Fn(&CheckersPosition) -> bool| {
            let mut last = 0;
            let mut kept = values.clone();
            for (index, value) in kept.iter_mut().enumerate() {
                if is_left_out(&position(index)) {
                    *value = last;
                }
                last = *value;
            }
            bytes(&kept, block, &codec)
        };
        sizes[2] += kept(&|at| at.can_capture());
        sizes[3] += kept(&|at| at.can_capture() || at.turned().can_capture());
    }
    println!(
        "| pieces | positions | all kept | a byte | no captures | a byte | nor threats | a byte |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (split, [positions, sizes @ ..]) in splits {
        print!("| {split} | {positions} |");
        for bytes in sizes {
            print!(" {bytes} | {:.1} |", positions as f64 / bytes as f64);
        }
        println!();
    }
}

/// The size of a file with these values, without its header.
fn bytes(values: &[i8], block: usize, codec: &Codec) -> u64 {
    let mut out = Vec::new();
    let sizes = values.chunks(block).map(|values| {
        out.clear();
        codec.encode(values, &mut out);
        out.len() + INDEX
    });
    sizes.sum::<usize>() as u64
}
