//! Propagation from single positions, when few are newly decided.
//!
//! Scanning whole rows costs the same however little is new in them. When little is, each decided
//! position is followed to its own predecessors: a loss wins them; after a win, each predecessor at
//! risk is pending until one of its moves is found that does not lead to a won position.

use std::sync::atomic::Ordering::Relaxed;

use nutcracker_mem::prefetch;

use super::part::Owners;
use crate::solver::rows::kernel::compress::{Compress, Work, run};
use crate::solver::rows::kernel::{AT_RISK, Decided, Kernel, OPEN, Undecided};
use crate::solver::rows::layout::{EdgeLists, TILE};

/// A position that was settled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// The row of the opponent's half.
    row: u32,
    /// The place of the mover's half in it, twice, and whether the mover has lost.
    place: u32,
}

impl Event {
    pub(crate) fn new(row: usize, place: usize, lost: bool) -> Self {
        Event { row: row as u32, place: (place as u32) << 1 | u32::from(lost) }
    }

    /// As a word.
    pub(crate) fn to_word(self) -> u64 {
        u64::from(self.row) << 32 | u64::from(self.place)
    }

    /// From a word.
    pub(crate) fn from_word(word: u64) -> Self {
        Event { row: (word >> 32) as u32, place: word as u32 }
    }
}

/// A predecessor of a position that was settled.
#[derive(Clone, Copy, Debug, Default)]
struct Predecessor {
    row: u32,
    /// Stones in the row's half.
    row_stones: u32,
    place: u32,
    /// Which word of the slice it is in.
    word: u32,
    /// Whether a move leads to a lost position.
    wins: bool,
}

/// A position that is lost if all its moves, from one on, lead to won positions.
#[derive(Clone, Copy, Debug)]
struct Pending {
    before: Predecessor,
    /// Which of its moves is checked now.
    at: u32,
    /// Where this leads to: which word of the slice, and which bit.
    word: u32,
    bit: u32,
}

/// Positions whose memory is prefetched.
const PREFETCHED: usize = 32;

impl Kernel {
    /// Propagates events to predecessors, of some machine's tiles if owners are given; what that
    /// settles is pushed to `next`. With `BOTH`, positions are settled for their mover and for the
    /// opponent, independently.
    pub(crate) fn propagate<const BOTH: bool>(
        &self,
        edges: &EdgeLists,
        owners: Option<&Owners>,
        events: &[Event],
        undecided: Undecided<'_>,
        decided: Decided<'_>,
        next: &mut Vec<Event>,
    ) {
        let (kernel, pending, entered) = (self, [None; PREFETCHED], 0);
        run(
            self.portable,
            Propagate::<BOTH> {
                kernel,
                edges,
                owners,
                events,
                undecided,
                decided,
                next,
                pending,
                entered,
            },
        );
    }

    /// Publishes what was settled; it is read when all threads have completed this step.
    #[inline(always)]
    pub(crate) fn publish_events(&self, settled: &[Event], decided: Decided<'_>) {
        let shape = &self.shape;
        let place = |event: &Event| {
            let (row, place) = (event.row as usize, (event.place >> 1) as usize);
            let word = shape.row_word(row, shape.stones_of_row(row)) + place / 64;
            (&decided.at(word)[(event.place & 1) as usize], 1_u64 << (place % 64))
        };
        for event in &settled[..settled.len().min(PREFETCHED)] {
            prefetch(place(event).0);
        }
        for (at, event) in settled.iter().enumerate() {
            if let Some(later) = settled.get(at + PREFETCHED) {
                prefetch(place(later).0);
            }
            let (word, bit) = place(event);
            word.fetch_or(bit, Relaxed);
        }
    }
}

struct Propagate<'a, const BOTH: bool> {
    kernel: &'a Kernel,
    edges: &'a EdgeLists,
    owners: Option<&'a Owners>,
    events: &'a [Event],
    undecided: Undecided<'a>,
    decided: Decided<'a>,
    next: &'a mut Vec<Event>,
    /// A ring of those whose next move is being prefetched.
    pending: [Option<Pending>; PREFETCHED],
    /// How many have entered it.
    entered: usize,
}

impl<const BOTH: bool> Work for Propagate<'_, BOTH> {
    #[inline(always)]
    fn run<C: Compress>(mut self) {
        let (moves, shape) = (&self.kernel.moves, &self.kernel.shape);
        let before = self.next.len();
        let mut queue = [Predecessor::default(); PREFETCHED];
        let mut queued = 0;
        for event in self.events {
            let row_stones = shape.stones_of_row(event.row as usize);
            let (place, wins) = ((event.place >> 1) as usize, event.place & 1 == 1);
            for mv in self.edges.before(event.row as usize) {
                if self.owners.is_some_and(|owners| !owners.owns(mv.row as usize / TILE)) {
                    continue;
                }
                let projection = moves.projection(mv.kind);
                let Some(place) = moves.place_before(&projection, place) else { continue };
                if !moves.stays_at(mv.kind, place) {
                    continue;
                }
                let row_stones = row_stones + projection.sown;
                let word = shape.row_word(mv.row as usize, row_stones) + place / 64;
                prefetch(&self.undecided.at(word)[0]);
                let before = Predecessor {
                    row: mv.row,
                    row_stones: row_stones as u32,
                    place: place as u32,
                    word: word as u32,
                    wins,
                };
                let ready = std::mem::replace(&mut queue[queued % PREFETCHED], before);
                queued += 1;
                if queued > PREFETCHED {
                    self.visit::<C>(ready);
                }
            }
        }
        for ready in queued.saturating_sub(PREFETCHED)..queued {
            self.visit::<C>(queue[ready % PREFETCHED]);
        }
        while self.pending.iter().any(Option::is_some) {
            self.enter_ring::<C>(None);
        }
        self.kernel.publish_events(&self.next[before..], self.decided);
    }
}

impl<const BOTH: bool> Propagate<'_, BOTH> {
    /// Settles a predecessor of an event, if the event decides it.
    #[inline(always)]
    fn visit<C: Compress>(&mut self, before: Predecessor) {
        let pair = self.undecided.at(before.word as usize);
        let bit = 1_u64 << (before.place % 64);
        let open = if BOTH && !before.wins { AT_RISK } else { OPEN };
        if pair[open].load(Relaxed) & bit == 0 {
            return;
        }
        if before.wins {
            self.settle(before);
        } else if BOTH || pair[AT_RISK].load(Relaxed) & bit != 0 {
            self.check_next::<C>(before, 0);
        }
    }

    /// Settles a position, unless it is settled.
    #[inline(always)]
    fn settle(&mut self, before: Predecessor) {
        let pair = self.undecided.at(before.word as usize);
        let bit = 1_u64 << (before.place % 64);
        let open = if BOTH && !before.wins { AT_RISK } else { OPEN };
        // Another thread may have been first.
        if pair[open].fetch_and(!bit, Relaxed) & bit == 0 {
            return;
        }
        if !BOTH && before.wins {
            pair[AT_RISK].fetch_and(!bit, Relaxed);
        }
        let shape = &self.kernel.shape;
        let row_stones = before.row_stones as usize;
        let rank = before.row as usize - shape.first_tile(row_stones) * TILE;
        let row = shape.first_tile(shape.stones - row_stones) * TILE + before.place as usize;
        self.next.push(Event::new(row, rank, !before.wins));
    }

    /// Checks a position's internal moves, from one on. Without any it is lost.
    #[inline(always)]
    fn check_next<C: Compress>(&mut self, before: Predecessor, from: u32) {
        match self.next_pending::<C>(before, from) {
            Some(pending) => self.enter_ring::<C>(Some(pending)),
            None => self.settle(before),
        }
    }

    #[inline(always)]
    fn next_pending<C: Compress>(&self, before: Predecessor, from: u32) -> Option<Pending> {
        let (moves, shape) = (&self.kernel.moves, &self.kernel.shape);
        let place = before.place as usize;
        let list = self.edges.of(before.row as usize);
        let stays = list[from as usize..].iter().position(|mv| moves.stays_at(mv.kind, place))?;
        let at = from as usize + stays;
        let projection = moves.projection(list[at].kind);
        let place = moves.place_after::<C>(&projection, place);
        let row_stones = before.row_stones as usize - projection.sown;
        let word = shape.row_word(list[at].row as usize, row_stones) + place / 64;
        prefetch(&self.decided.at(word)[0]);
        Some(Pending { before, at: at as u32, word: word as u32, bit: (place % 64) as u32 })
    }

    /// Puts a pending position into the ring, and continues with the one in its place: if its move
    /// leads to a won position, its next move is checked, and so on.
    #[inline(always)]
    fn enter_ring<C: Compress>(&mut self, mut pending: Option<Pending>) {
        loop {
            let place = &mut self.pending[self.entered % PREFETCHED];
            self.entered += 1;
            let Some(ready) = std::mem::replace(place, pending) else { return };
            if self.decided.at(ready.word as usize)[0].load(Relaxed) >> ready.bit & 1 == 0 {
                return;
            }
            pending = self.next_pending::<C>(ready.before, ready.at + 1);
            if pending.is_none() {
                self.settle(ready.before);
                return;
            }
        }
    }
}
