//! The family for the solver `rows`, where its rules allow that.

use nutcracker_boards::halves::{Board, Half, stones};
use nutcracker_game::{Leaves, Pits, RowMove, RowMoves, Rules, Slams, SliceId, Turn};

use crate::Sowing;
use crate::play::Last;
use crate::rules::PASS;
use crate::ruleset::{CapturesFrom, CapturesOwn, End, Feed, GrandSlam};

/// One slice.
#[derive(Clone, Debug)]
pub(crate) struct SowingRows {
    game: Sowing,
    stones: usize,
}

impl SowingRows {
    /// `None` where whether a move captures depends on more than one pit of the opponent, beside a
    /// grand slam that takes nothing.
    pub(crate) fn new(game: &Sowing, slice: SliceId) -> Option<Self> {
        let rules = game.rule_set();
        let spares = matches!(
            rules.grand_slam,
            GrandSlam::Nothing | GrandSlam::LeavesLast | GrandSlam::LeavesFirst
        );
        // There a chain can begin or end in the mover's half.
        let by_both = spares && rules.captures_from == CapturesFrom::Both;
        // Where a side with seeds can have no legal move, it passes by what the other half holds.
        let passes = rules.end == End::EmptyBoard
            && (rules.feed != Feed::No || rules.grand_slam == GrandSlam::Illegal);
        let simple = !by_both && !passes;
        simple.then(|| SowingRows { game: game.clone(), stones: slice.0 as usize })
    }

    /// The board on which the opponent has no seed: only there rules of feeding matter, so that it
    /// is played by the rules.
    fn starving(&self, own: &Pits, out: &mut Vec<RowMove>) {
        let board = Board { own: *own, other: Half::default() };
        let mut moves = Vec::new();
        self.game.moves(&board, &mut moves);
        for pit in moves.into_iter().filter(|&pit| pit != PASS) {
            let step = self.game.play(&board, &pit);
            if step.gain == 0 && step.turn == Turn::Passes && step.next.stones() == self.stones {
                out.push(RowMove { own: step.next.other, added: step.next.own, leaves: None });
            }
        }
    }

    /// When a move whose last seed falls there leaves the slice, by the seeds of a pit of the other
    /// half before it.
    fn leaves(&self, last: Last, own: &Pits, added: &Pits) -> Leaves {
        let rules = self.game.rule_set();
        let (never, always) = (0, u128::MAX);
        match last {
            Last::Store => Leaves { pit: 0, counts: always, slams: None },
            Last::Other(at) => {
                let longest = match rules.grand_slam {
                    GrandSlam::Nothing if rules.chain => self.game.pits() as u8,
                    // Of a single pit, the one that is left is all.
                    GrandSlam::Nothing | GrandSlam::LeavesLast | GrandSlam::LeavesFirst => 1,
                    GrandSlam::Illegal | GrandSlam::Legal | GrandSlam::Rest => 0,
                };
                let slams = (longest > 0).then_some(Slams { counts: rules.captures.0, longest });
                Leaves { pit: at, counts: rules.captures.0 >> added[usize::from(at)], slams }
            }
            Last::Own(at) => {
                let seeds = own[usize::from(at)];
                let opposite = self.game.pits() - 1 - usize::from(at);
                let both = rules.captures_from == CapturesFrom::Both;
                let counts = match rules.captures_own {
                    _ if both && rules.captures.contains(seeds) => always,
                    CapturesOwn::Nothing => never,
                    _ if seeds != 1 => never,
                    CapturesOwn::Opposite if added[opposite] == 0 => !1,
                    _ => always,
                };
                // What lies opposite, if that is all the opponent has.
                let spares = rules.grand_slam == GrandSlam::Nothing && counts != never;
                let slams = spares.then_some(Slams { counts: !1, longest: 1 });
                Leaves { pit: opposite as u8, counts, slams }
            }
        }
    }
}

impl RowMoves for SowingRows {
    fn pits(&self) -> usize {
        self.game.pits()
    }

    fn stones(&self) -> usize {
        self.stones
    }

    fn gaps_first(&self) -> bool {
        self.game.halves.rows().has_gaps_first()
    }

    fn moves(&self, own: &Pits, out: &mut Vec<RowMove>) {
        let held = stones(own);
        if held == self.stones {
            return self.starving(own, out);
        }
        if held == 0 && self.game.rule_set().end == End::EmptyBoard {
            // A pass: the halves change their roles, and nothing else.
            out.push(RowMove { own: *own, added: Pits::default(), leaves: None });
        }
        for pit in (0..self.game.pits()).filter(|&pit| own[pit] > 0) {
            let pattern = self.game.pattern(pit, own[pit]);
            if pattern.store > 0 {
                continue;
            }
            let mut after = *own;
            after[pit] = 0;
            let after = (u64::from_le_bytes(after) + pattern.own).to_le_bytes();
            let added = pattern.other.to_le_bytes();
            let leaves = self.leaves(pattern.last, &after, &added);
            if leaves.counts != u128::MAX || leaves.slams.is_some() {
                let leaves = (leaves.counts != 0).then_some(leaves);
                out.push(RowMove { own: after, added, leaves });
            }
        }
    }
}
