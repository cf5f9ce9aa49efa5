//! Two bits in memory: un-moves followed from each new win and loss at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst, fence};

use nutcracker_game::{ForwardView, SliceView};

use crate::progress::Progress;
use crate::store::Side;
use crate::store::bits::TwoBits;

/// What spreads from new wins, and from positions that may be lost from now on.
pub type FollowNews<'a> = dyn Fn(&[(u64, Side)]) + Sync + 'a;

/// Wins whose predecessors are looked at together.
const TOGETHER: usize = 16;
/// How often that is done before somebody is asked whether to stop.
const PATIENCE: u32 = 1 << 12;

/// Follows un-moves from new wins and losses at once, on a bounded worklist.
#[expect(missing_debug_implementations, reason = "whoever watches the progress has none")]
pub struct Follow<'a, V, F> {
    /// Un-moves.
    pub view: &'a V,
    /// Moves.
    pub forward: &'a F,
    /// Both sides.
    pub bits: &'a TwoBits,
    /// The most wins on a thread's worklist.
    pub worklist: usize,
    /// Set when a worklist was full: the rest must be found by sweeps.
    pub left_over: &'a AtomicBool,
    /// Who may want to stop.
    pub progress: &'a dyn Progress,
}

impl<V: SliceView, F> Follow<'_, V, F> {
    /// Spreads from positions that are newly won, or newly may be lost; ends early if work must
    /// stop.
    pub fn spread<P>(&self, news: &[(u64, Side)])
    where
        F: ForwardView<P>,
    {
        let mut back = V::Cursor::default();
        let mut ahead = F::Cursor::default();
        let (mut wins, mut before) = (Vec::new(), Vec::new());
        let mut patience = PATIENCE;
        for &(index, side) in news {
            let key = self.view.key_at(&mut back, index);
            if side == Side::Won {
                wins.push(key);
            } else {
                self.look(index, key, &mut ahead, &mut wins);
            }
            while !wins.is_empty() {
                patience -= 1;
                if patience == 0 {
                    patience = PATIENCE;
                    if self.progress.must_stop() {
                        return;
                    }
                }
                before.clear();
                for won in wins.drain(wins.len().saturating_sub(TOGETHER)..) {
                    self.view.predecessors(won, |index, key| {
                        self.bits.prefetch(index);
                        before.push((index, key));
                    });
                }
                // Two threads may win the last two successors of a position at once: each must
                // see the other's win, or neither would find the loss.
                fence(SeqCst);
                for &(index, key) in &before {
                    self.look(index, key, &mut ahead, &mut wins);
                }
            }
        }
    }

    /// If an open position has only won successors, it is lost, and its predecessors are won.
    #[inline]
    fn look<P>(&self, index: u64, key: V::Key, ahead: &mut F::Cursor, wins: &mut Vec<V::Key>)
    where
        F: ForwardView<P>,
    {
        if self.bits.side(index) != Side::Open {
            return;
        }
        let mut all = true;
        self.forward.inside(self.forward.key_at(ahead, index), |next| {
            all = all && self.bits.side(next) == Side::Won;
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
