//! Single positions, when few are left to be settled.
//!
//! Looking at whole rows costs the same however little is new in them. When little is, each position
//! that was settled is followed back by its own moves: a loss wins what comes before it; a win may
//! have been the last hope of what comes before it, which is looked up.

use std::sync::atomic::Ordering::Relaxed;

use nutcracker_mem::prefetch;

use super::compress::{Compress, Work, run};
use super::kernel::{Kernel, Known, Lines, line};
use super::shape::TILE;
use super::singles::Singles;

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
}

/// A position before one that was settled.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    row: u32,
    /// Stones in the row's half.
    held: u32,
    place: u32,
    /// Which word of the slice it is in.
    word: u32,
    /// Whether a move leads to a lost position.
    wins: bool,
}

/// A position that has lost if all its moves, from one on, lead to won positions.
#[derive(Clone, Copy, Debug)]
struct Doubt {
    before: Before,
    /// Which of its moves is looked up.
    at: u32,
    /// Where this leads to: which word of the slice, and which bit.
    word: u32,
    bit: u32,
}

/// Positions that are on their way from memory.
const LAG: usize = 32;

impl Kernel {
    /// Follows events back; what is settled by that is pushed to `next`.
    pub(crate) fn follow(
        &self,
        singles: &Singles,
        events: &[Event],
        lines: Lines<'_>,
        known: Known<'_>,
        next: &mut Vec<Event>,
    ) {
        let (doubts, asked) = ([None; LAG], 0);
        run(
            self.portable,
            Follow { kernel: self, singles, events, lines, known, next, doubts, asked },
        );
    }
}

struct Follow<'a> {
    kernel: &'a Kernel,
    singles: &'a Singles,
    events: &'a [Event],
    lines: Lines<'a>,
    known: Known<'a>,
    next: &'a mut Vec<Event>,
    /// A ring of those whose next move is on its way from memory.
    doubts: [Option<Doubt>; LAG],
    /// How many have come into it.
    asked: usize,
}

impl Work for Follow<'_> {
    #[inline(always)]
    fn run<C: Compress>(mut self) {
        let (moves, shape) = (&self.kernel.moves, &self.kernel.shape);
        let before = self.next.len();
        let mut queue = [Before::default(); LAG];
        let mut queued = 0;
        for event in self.events {
            let held = shape.row_held(event.row as usize);
            let (place, wins) = ((event.place >> 1) as usize, event.place & 1 == 1);
            for mv in self.singles.before(event.row as usize) {
                let selection = moves.selection(mv.kind);
                let Some(place) = moves.place_before(&selection, place) else { continue };
                if !moves.stays_at(mv.kind, place) {
                    continue;
                }
                let held = held + selection.sown;
                let word = shape.row_word(mv.row as usize, held) + place / 64;
                prefetch(&self.lines.at(word)[0]);
                let before = Before {
                    row: mv.row,
                    held: held as u32,
                    place: place as u32,
                    word: word as u32,
                    wins,
                };
                let ready = std::mem::replace(&mut queue[queued % LAG], before);
                queued += 1;
                if queued > LAG {
                    self.meet::<C>(ready);
                }
            }
        }
        for ready in queued.saturating_sub(LAG)..queued {
            self.meet::<C>(queue[ready % LAG]);
        }
        while self.doubts.iter().any(Option::is_some) {
            self.ask::<C>(None);
        }
        self.tell(&self.next[before..]);
    }
}

impl Follow<'_> {
    /// Settles a position before an event, if that does.
    #[inline(always)]
    fn meet<C: Compress>(&mut self, before: Before) {
        let line = self.lines.at(before.word as usize);
        let bit = 1_u64 << (before.place % 64);
        if line[line::OPEN].load(Relaxed) & bit == 0 {
            return;
        }
        if before.wins {
            self.settle(before);
        } else if line[line::BAD].load(Relaxed) & bit != 0 {
            self.doubt::<C>(before, 0);
        }
    }

    /// Settles a position, unless that has happened.
    #[inline(always)]
    fn settle(&mut self, before: Before) {
        let line = self.lines.at(before.word as usize);
        let bit = 1_u64 << (before.place % 64);
        // Another thread may have come first.
        if line[line::OPEN].fetch_and(!bit, Relaxed) & bit == 0 {
            return;
        }
        if before.wins {
            line[line::BAD].fetch_and(!bit, Relaxed);
        }
        let shape = &self.kernel.shape;
        let held = before.held as usize;
        let rank = before.row as usize - shape.first_tile(held) * TILE;
        let row = shape.first_tile(shape.stones - held) * TILE + before.place as usize;
        self.next.push(Event::new(row, rank, !before.wins));
    }

    /// Lets it be known what was settled; it is looked at when all threads are done with this.
    #[inline(always)]
    fn tell(&self, settled: &[Event]) {
        let place = |event: &Event| {
            let shape = &self.kernel.shape;
            let (row, place) = (event.row as usize, (event.place >> 1) as usize);
            let word = shape.row_word(row, shape.row_held(row)) + place / 64;
            (&self.known.at(word)[(event.place & 1) as usize], 1_u64 << (place % 64))
        };
        for event in &settled[..settled.len().min(LAG)] {
            prefetch(place(event).0);
        }
        for (at, event) in settled.iter().enumerate() {
            if let Some(later) = settled.get(at + LAG) {
                prefetch(place(later).0);
            }
            let (word, bit) = place(event);
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Asks where the next of a position's moves that stay leads to, from one on. Without any it
    /// has lost.
    #[inline(always)]
    fn doubt<C: Compress>(&mut self, before: Before, from: u32) {
        match self.next_doubt::<C>(before, from) {
            Some(doubt) => self.ask::<C>(Some(doubt)),
            None => self.settle(before),
        }
    }

    #[inline(always)]
    fn next_doubt<C: Compress>(&self, before: Before, from: u32) -> Option<Doubt> {
        let (moves, shape) = (&self.kernel.moves, &self.kernel.shape);
        let place = before.place as usize;
        let list = self.singles.of(before.row as usize);
        let stays = list[from as usize..].iter().position(|mv| moves.stays_at(mv.kind, place))?;
        let at = from as usize + stays;
        let selection = moves.selection(list[at].kind);
        let place = moves.place_after::<C>(&selection, place);
        let held = before.held as usize - selection.sown;
        let word = shape.row_word(list[at].row as usize, held) + place / 64;
        prefetch(&self.known.at(word)[0]);
        Some(Doubt { before, at: at as u32, word: word as u32, bit: (place % 64) as u32 })
    }

    /// Puts a doubt into the ring, and answers the one that waited there: if its move leads to a won
    /// position, the next move is in doubt, and so on.
    #[inline(always)]
    fn ask<C: Compress>(&mut self, mut doubt: Option<Doubt>) {
        loop {
            let place = &mut self.doubts[self.asked % LAG];
            self.asked += 1;
            let Some(ready) = std::mem::replace(place, doubt) else { return };
            if self.known.at(ready.word as usize)[0].load(Relaxed) >> ready.bit & 1 == 0 {
                return;
            }
            doubt = self.next_doubt::<C>(ready.before, ready.at + 1);
            if doubt.is_none() {
                self.settle(ready.before);
                return;
            }
        }
    }
}
