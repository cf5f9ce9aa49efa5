//! Leaves that a proof of the root needs, or a change of its score.

use nutcracker_game::Game;

use super::efforts::{Counted, REPEATS, Threshold, at_least};
use super::{Chooser, score_like};
use crate::derive::Valued;
use crate::error::Result;
use crate::node::NodeId;
use crate::store::Store;

impl Chooser {
    /// The leaf that is needed to prove the root's estimate: that it is worth as much, or that it
    /// is not worth more, whichever is nearer.
    pub(super) fn prove<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
    ) -> Result<Option<NodeId>> {
        let value = at.graph.node(root)?.value;
        let score = score_like(value.estimate());
        let mut nearest = None;
        for (open, least, above) in [
            (i32::from(value.lower) < score, score, true),
            (i32::from(value.upper) > score, score + 1, false),
        ] {
            if open {
                self.consider(at, root, Counted::Prove, at_least(least), above, &mut nearest)?;
            }
        }
        let leaf = self.leaf_of(at, root, Counted::Prove, nearest)?;
        self.stuck |= leaf.is_none();
        Ok(leaf)
    }

    /// A leaf of the smallest set that must change together to change the root's estimated score.
    pub(super) fn conspire<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
    ) -> Result<Option<NodeId>> {
        let score = score_like(at.graph.node(root)?.value.estimate());
        let mut nearest = None;
        for (least, above) in [(score + 1, true), (score, false)] {
            self.consider(at, root, Counted::Change, at_least(least), above, &mut nearest)?;
        }
        match self.leaf_of(at, root, Counted::Change, nearest)? {
            // Only a repetition keeps the score: it is settled, though not proven.
            None => self.prove(at, root),
            found => Ok(found),
        }
    }

    fn consider<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
        counted: Counted,
        threshold: Threshold,
        above: bool,
        nearest: &mut Option<(u32, Threshold, bool)>,
    ) -> Result<()> {
        let effort = self.efforts.effort(at, root, counted, threshold)?;
        let effort = if above { effort.above } else { effort.below };
        if effort > 0 && effort < REPEATS && nearest.is_none_or(|(least, ..)| effort < least) {
            *nearest = Some((effort, threshold, above));
        }
        Ok(())
    }

    fn leaf_of<G: Game, S: Store>(
        &mut self,
        at: &mut Valued<G, S>,
        root: NodeId,
        counted: Counted,
        nearest: Option<(u32, Threshold, bool)>,
    ) -> Result<Option<NodeId>> {
        match nearest {
            Some((_, threshold, above)) => {
                self.efforts.leaf_for(at, root, counted, threshold, above)
            }
            None => Ok(None),
        }
    }
}
