//! How a search works, and when it ends.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How an [`Engine`](crate::Engine) works.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineOptions {
    /// Threads that search together, at least one. One thread gives the same answer every time;
    /// several may not.
    pub threads: usize,
    /// The size of the transposition table, in bytes.
    pub table_bytes: usize,
    /// Databases are probed only where at least this many plies are left to search; 0 probes them
    /// everywhere.
    pub probe_depth: u32,
    /// The weights of the game's features; those of the game itself if `None`.
    pub weights: Option<Vec<f32>>,
    /// Late move reductions: whether moves late in the order are first searched less deeply.
    pub late_move_reductions: bool,
    /// The lines that a search reports, at least one, each with another first move (`MultiPV`).
    /// More than one cost time, and are not needed to play.
    pub lines: usize,
}

impl Default for EngineOptions {
    /// One thread, 64 MiB, databases probed everywhere, the game's own weights, every move searched
    /// to full depth, one line.
    fn default() -> Self {
        EngineOptions {
            threads: 1,
            table_bytes: 64 << 20,
            probe_depth: 0,
            weights: None,
            late_move_reductions: false,
            lines: 1,
        }
    }
}

/// What a search examines, and when it ends: at the first of these limits, or when the value is
/// proven.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// The plies of the deepest iteration.
    pub depth: Option<u32>,
    /// The most positions searched, by all threads together; several threads may exceed it by a
    /// few.
    pub nodes: Option<u64>,
    /// The time it takes.
    pub time: Option<Duration>,
    /// The search ends soon after this becomes true.
    pub stop: Option<&'a AtomicBool>,
    /// The moves of the position that are searched, by their places in the order of the rules; all
    /// if `None` or if none of these places has a move.
    pub among: Option<&'a [usize]>,
}

impl Limits<'_> {
    /// Which of this many moves of the position are not searched, by their places.
    pub(crate) fn left_out(&self, moves: usize) -> Vec<u16> {
        let among = self.among.unwrap_or_default();
        if !among.iter().any(|&place| place < moves) {
            return Vec::new();
        }
        (0..moves).filter(|place| !among.contains(place)).map(|place| place as u16).collect()
    }

    /// A depth in plies and no other limit.
    pub fn depth(depth: u32) -> Self {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A number of positions and no other limit.
    pub fn nodes(nodes: u64) -> Self {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A time and no other limit.
    pub fn time(time: Duration) -> Self {
        Limits { time: Some(time), ..Limits::default() }
    }
}
