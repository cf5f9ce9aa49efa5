//! Which solver, and how much of the scores.

use std::fmt;

use nutcracker_game::{Game, SliceId, Sowing};

use crate::fixpoint::changes::Changes;
use crate::fixpoint::memory::States;
use crate::fixpoint::rows::{Needs, RowStates, fast_here};
use crate::limited::Method;
use crate::plan::cache_bytes;
use crate::solve::{SolveError, SolveOptions};
use crate::store::paged::Paging;

/// A solver by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Solver {
    /// The fastest that fits the memory: rows where the game has them, else whole states, else two
    /// bits, else one bit, else the dual index.
    #[default]
    Auto,
    /// Whole states in memory.
    Memory,
    /// Two bits a position in memory, un-moves followed at once.
    TwoBit,
    /// Two bits a position in memory, repeated sweeps.
    TwoBitSweeps,
    /// One bit a position in memory.
    OneBit,
    /// One bit a position through a cache, by the second index.
    DualIndex,
    /// Whole rows of boards at once, for games of sowing; in memory, or streamed from disk.
    Rows,
}

impl Solver {
    /// All of them.
    pub const ALL: [Solver; 7] = [
        Solver::Auto,
        Solver::Memory,
        Solver::TwoBit,
        Solver::TwoBitSweeps,
        Solver::OneBit,
        Solver::DualIndex,
        Solver::Rows,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::Memory => "memory",
            Solver::TwoBit => "two-bit",
            Solver::TwoBitSweeps => "two-bit-sweeps",
            Solver::OneBit => "one-bit",
            Solver::DualIndex => "dual-index",
            Solver::Rows => "rows",
        }
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much of the scores is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Window {
    /// Exact scores.
    #[default]
    Full,
    /// Whether the score of the largest slice is at least k or at most -k, for k up to this; of
    /// smaller slices, what that needs.
    Top(u8),
    /// What decides every game that starts with so many stones.
    Game(u32),
}

impl Window {
    /// The largest k that is asked in a slice when `last` is the largest.
    pub fn of<G: Game>(self, game: &G, slice: SliceId, last: SliceId) -> u8 {
        let max = i64::from(game.max_score(slice));
        let top = match self {
            Window::Full => max,
            Window::Top(k) => i64::from(k) + i64::from(game.max_score(last)) - max,
            Window::Game(stones) => i64::from(stones) + 1 - max,
        };
        top.clamp(i64::from(max > 0), max) as u8
    }

    /// The slices to be solved up to `last`: no game of G stones has G - 1 left.
    pub fn slices<G: Game>(self, _game: &G, last: SliceId) -> impl Iterator<Item = SliceId> {
        let left_out = match self {
            Window::Game(stones) => stones.checked_sub(1),
            _ => None,
        };
        (0..=last.0).filter(move |slice| Some(*slice) != left_out).map(SliceId)
    }
}

/// What was chosen.
pub(crate) enum Chosen {
    Memory,
    Sweep,
    Limited(Method),
    /// By rows; with bytes for lines of rows if they are streamed from disk.
    Rows(Box<dyn Sowing>, Option<u64>),
}

pub(crate) struct Choice {
    pub(crate) solver: Chosen,
    /// Bytes for the game's tables.
    pub(crate) tables: u64,
    /// Bytes of memory at the peak.
    pub(crate) memory: u64,
    /// One line for the person who waits.
    pub(crate) reason: String,
}

/// Code, stacks, buffers: what every solver needs.
fn overhead(threads: usize) -> u64 {
    (8 << 20) + threads as u64 * (3 << 20)
}

/// Bytes of memory the independent check of a slice takes.
pub fn memory_to_check<G: Game>(game: &G, slice: SliceId) -> u64 {
    let positions = game.slice_len(slice);
    let width = if game.max_score(slice) < 32 { 1 } else { 2 };
    positions * width + game.forward_bytes(slice) + cache_bytes(positions) + overhead(1)
}

/// The least that the dual-index solver has for its cache and strips.
const LEAST_CACHE: u64 = 1 << 20;

/// Positions of a strip beside a cache of so many bytes: an eighth of its bits.
pub(crate) fn strip(cache_bytes: u64) -> u64 {
    cache_bytes.max(512 << 10)
}

/// Slices with fewer positions are solved in a moment either way, and rows would need tables first.
const LEAST_ROWS: u64 = 1 << 18;

/// What the solver by rows would need.
struct ByRows {
    /// Whether it is worth a thought.
    worthwhile: bool,
    /// Whether it would stream from disk.
    streams: bool,
    /// Bytes in all.
    bytes: u64,
    /// Bytes of these that streaming needs whatever else there is.
    fixed: u64,
}

impl ByRows {
    fn new<G: Game>(
        game: &G,
        slice: SliceId,
        top: u8,
        overhead: u64,
        options: &SolveOptions,
    ) -> Self {
        let Some(sowing) = game.sowing(slice) else {
            return ByRows { worthwhile: false, streams: false, bytes: u64::MAX, fixed: 0 };
        };
        let in_memory =
            overhead + RowStates::bytes(&*sowing, top, options.threads) + game.view_bytes(slice);
        let needs = Needs::new(&*sowing, top, options.threads);
        let streams = options.rows.room.is_some() || in_memory > options.memory;
        ByRows {
            worthwhile: game.slice_len(slice) >= LEAST_ROWS && fast_here(),
            streams,
            bytes: if streams {
                overhead + needs.least().max(needs.conversions)
            } else {
                in_memory
            },
            fixed: needs.fixed,
        }
    }

    /// The solvers that `auto` tries.
    fn fastest_first(&self) -> &'static [Solver] {
        match (self.worthwhile, self.streams) {
            (true, false) => &[Solver::Rows, Solver::Memory],
            (true, true) => &[Solver::Memory, Solver::Rows, Solver::TwoBit, Solver::OneBit],
            (false, _) => &[Solver::Memory, Solver::TwoBit, Solver::OneBit],
        }
    }
}

pub(crate) fn choose<G: Game>(
    game: &G,
    slice: SliceId,
    top: u8,
    options: &SolveOptions,
) -> Result<Choice, SolveError> {
    let name = format!("{slice} {}", game.slice_unit());
    let sowing = game.sowing(slice);
    if sowing.is_none() && options.solver == Solver::Rows {
        return Err(SolveError::NoRows { game: game.id().to_string() });
    }
    if !G::UNMOVES {
        let reason = format!("{name}: sweeps, because the game has no un-moves");
        let memory = overhead(1) + game.slice_len(slice);
        return Ok(Choice { solver: Chosen::Sweep, tables: 0, memory, reason });
    }
    let len = game.slice_len(slice);
    let given = options.memory;
    let cache = cache_bytes(len).min(given / 8);
    let overhead = overhead(options.threads) + cache;
    let all_tables = game.view_bytes(slice) + game.forward_bytes(slice);
    let worklist = (given / 64 / 16).clamp(1 << 10, 1 << 18) as usize;
    let lists = (worklist * 16 * options.threads) as u64;
    let width = States::bytes_per_position(top, game.max_moves());
    let (block_bytes, policy) = options.paging;
    let rows = ByRows::new(game, slice, top, overhead, options);
    // What a solver needs apart from the tables that make it fast.
    let needed = |solver| match solver {
        Solver::Rows => rows.bytes,
        Solver::Memory => overhead + len * width + game.view_bytes(slice) + len / 16,
        Solver::TwoBit | Solver::TwoBitSweeps => overhead + Changes::memory(len) + len / 4 + lists,
        Solver::OneBit => overhead + Changes::memory(len) + len / 8,
        Solver::Auto | Solver::DualIndex => overhead + Changes::memory(len) + LEAST_CACHE,
    };
    // By the rules everything is several times slower, so a solver that leaves no room for the
    // tables is chosen only by name; the last one shares what there is between tables and cache.
    let with_tables = |solver| match solver {
        Solver::Rows if rows.streams => needed(solver) + game.view_bytes(slice),
        Solver::Memory | Solver::Rows => needed(solver),
        _ => needed(solver) + all_tables,
    };
    let solver = match options.solver {
        Solver::Auto => rows
            .fastest_first()
            .iter()
            .copied()
            .find(|&solver| with_tables(solver) <= given)
            .unwrap_or(Solver::DualIndex),
        solver => solver,
    };
    let Some(room) = given.checked_sub(needed(solver)) else {
        return Err(SolveError::TooLittleMemory {
            game: game.id().to_string(),
            slice: name,
            solver,
            needed: needed(solver),
            given,
        });
    };
    let (tables, cache_bytes) = match solver {
        Solver::Memory | Solver::Auto => (0, 0),
        Solver::Rows => (room.min(game.view_bytes(slice)), 0),
        Solver::TwoBit | Solver::TwoBitSweeps | Solver::OneBit => (room.min(all_tables), 0),
        Solver::DualIndex => {
            let most = (len / 8 + 2 * block_bytes).min(options.cache.unwrap_or(u64::MAX));
            let whole = (most + 2 * strip(most) / 8).saturating_sub(LEAST_CACHE);
            let tables = all_tables.min(room.saturating_sub(whole).max(room / 2));
            (tables, (room - tables).min(whole))
        }
    };
    let memory = match solver {
        Solver::Rows if rows.streams => given,
        Solver::Rows => needed(solver),
        _ => needed(solver) + tables + cache_bytes,
    };
    let chosen = match solver {
        Solver::Memory | Solver::Auto => Chosen::Memory,
        Solver::Rows => {
            let sowing = sowing.expect("the game was asked");
            // Tables are given back before rows are there.
            let lines = given.saturating_sub(overhead + rows.fixed);
            let lines = rows.streams.then(|| options.rows.room.unwrap_or(lines));
            Chosen::Rows(sowing, lines)
        }
        Solver::TwoBit => Chosen::Limited(Method::TwoBit { worklist }),
        Solver::TwoBitSweeps => Chosen::Limited(Method::TwoBitSweeps),
        Solver::OneBit => Chosen::Limited(Method::OneBit),
        Solver::DualIndex => {
            let most = options.cache.unwrap_or(u64::MAX);
            // Strips of an eighth, twice.
            let cache_bytes = ((cache_bytes + LEAST_CACHE) / 5 * 4).min(most);
            Chosen::Limited(Method::DualIndex(Paging { block_bytes, cache_bytes, policy }))
        }
    };
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let reason = format!(
        "{name}: solver {solver}{}, {} MiB of memory{} (whole states would take {}, two bits {}, \
         one bit {})",
        if solver == Solver::Rows && rows.streams { " streamed from disk" } else { "" },
        mebibytes(memory),
        if tables < all_tables && !matches!(solver, Solver::Memory | Solver::Rows) {
            format!(", tables cut from {} to {} MiB", mebibytes(all_tables), mebibytes(tables))
        } else {
            String::new()
        },
        mebibytes(with_tables(Solver::Memory)),
        mebibytes(with_tables(Solver::TwoBit)),
        mebibytes(with_tables(Solver::OneBit))
    );
    Ok(Choice { solver: chosen, tables, memory, reason })
}
