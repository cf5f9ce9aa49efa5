//! Two bits in memory: un-moves followed from each new win and loss at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};

use nutcracker_game::{ForwardView, Game, SliceView};

use super::{ForwardCursor, Key};
use crate::progress::Progress;
use crate::store::Status;
use crate::store::bits::TwoBits;

/// What spreads from new wins, and from positions that may be lost from now on.
pub(super) type FollowNews<'a> = dyn Fn(&[(u64, Status)]) + Sync + 'a;

/// Wins whose predecessors are visited together.
const BATCH: usize = 16;
/// Batches between two checks for a stop.
const STOP_INTERVAL: u32 = 1 << 12;

/// Follows un-moves from new wins and losses at once, on a bounded worklist.
pub(super) struct Follow<'a, G: Game> {
    /// Un-moves.
    pub(super) view: &'a G::View,
    /// Moves.
    pub(super) forward: &'a G::Forward,
    /// Both sides.
    pub(super) bits: &'a TwoBits,
    /// The most wins on a thread's worklist.
    pub(super) worklist: usize,
    /// Set when a worklist was full: the rest must be found by sweeps.
    pub(super) left_over: &'a AtomicBool,
    /// Queried whether to stop.
    pub(super) progress: &'a dyn Progress,
}

impl<G: Game> Follow<'_, G> {
    /// Spreads from positions that are newly won, or newly may be lost; ends early if a stop is
    /// requested.
    pub(super) fn spread(&self, fresh: &[(u64, Status)]) {
        let mut back = Default::default();
        let mut ahead = Default::default();
        let (mut wins, mut before) = (Vec::new(), Vec::new());
        let mut until_query = STOP_INTERVAL;
        for &(index, status) in fresh {
            let key = self.view.key_at(&mut back, index);
            if status == Status::Won {
                wins.push(key);
            } else {
                self.visit(index, key, &mut ahead, &mut wins);
            }
            while !wins.is_empty() {
                until_query -= 1;
                if until_query == 0 {
                    until_query = STOP_INTERVAL;
                    if self.progress.must_stop() {
                        return;
                    }
                }
                before.clear();
                for won in wins.drain(wins.len().saturating_sub(BATCH)..) {
                    self.view.predecessors(won, |index, key| {
                        self.bits.prefetch(index);
                        before.push((index, key));
                    });
                }
                // Two threads may win the last two successors of a position at once: each must
                // see the other's win, or neither would find the loss.
                fence(SeqCst);
                for &(index, key) in &before {
                    self.visit(index, key, &mut ahead, &mut wins);
                }
            }
        }
    }

    /// If an open position has only won successors, it is lost, and its predecessors are won.
    #[inline]
    fn visit(&self, index: u64, key: Key<G>, ahead: &mut ForwardCursor<G>, wins: &mut Vec<Key<G>>) {
        if self.bits.status(index) != Status::Open {
            return;
        }
        let mut all = true;
        let Some(own) = self.forward.key_at(ahead, index) else { return };
        self.forward.inside(own, |next| {
            all = all && self.bits.status(next) == Status::Won;
        });
        if !all || !self.bits.lose_one(index) {
            return;
        }
        self.view.predecessors(key, |index, key| {
            if self.bits.win_one(index) {
                if wins.len() < self.worklist {
                    wins.push(key);
                } else {
                    self.left_over.store(true, Relaxed);
                }
            }
        });
    }
}
