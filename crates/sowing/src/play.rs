//! Sowing, capturing, and which moves are legal.

use nutcracker_boards::halves::{Board, Half, stones};
use nutcracker_game::{Score, Turn};

use crate::Sowing;
use crate::ruleset::{CapturesFrom, CapturesOwn, End, Feed, GrandSlam, Origin, Rest, RuleSet};

/// Where the last seed of a sowing falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    Own(u8),
    Other(u8),
    Store,
}

/// What sowing this many seeds from a pit adds, the emptied pit included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) own: u64,
    pub(crate) other: u64,
    pub(crate) store: u8,
    pub(crate) last: Last,
}

/// The patterns of 0, 1, … `max` seeds from a pit.
pub(crate) fn patterns(rules: &RuleSet, pit: usize, max: usize) -> Vec<Pattern> {
    let pits = usize::from(rules.pits);
    // The order of sowing: the mover's pits, the mover's store, the opponent's pits.
    let order: Vec<Last> = (0..pits as u8)
        .map(Last::Own)
        .chain(rules.store.then_some(Last::Store))
        .chain((0..pits as u8).map(Last::Other))
        .filter(|&place| rules.origin != Origin::Skip || place != Last::Own(pit as u8))
        .collect();
    let first = match rules.origin {
        Origin::Skip => pit,
        Origin::Sow | Origin::FirstSeed => pit + 1,
    };
    let mut along = order.iter().cycle().skip(first % order.len()).copied();
    let nothing = Pattern { own: 0, other: 0, store: 0, last: Last::Own(pit as u8) };
    let mut list = vec![nothing];
    let mut sown = nothing;
    while list.len() <= max {
        if rules.origin == Origin::FirstSeed && list.len() == 2 {
            // Two seeds and more begin in the pit itself; one does not.
            sown.own += 1 << (8 * pit);
        } else if let Some(place) = along.next() {
            match place {
                Last::Own(at) => sown.own += 1 << (8 * at),
                Last::Other(at) => sown.other += 1 << (8 * at),
                Last::Store => sown.store += 1,
            }
            sown.last = place;
        }
        list.push(sown);
    }
    list
}

/// The result of sowing one pit, seen by the side that sowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sown {
    pub(crate) own: Half,
    pub(crate) other: Half,
    pub(crate) gain: Score,
    pub(crate) turn: Turn,
    /// Whether all seeds of the opponent were captured.
    slam: bool,
}

/// Some pits of the board, a bit each: the mover's from bit 0, the opponent's from bit 8 on.
type Taken = u16;

impl Sowing {
    pub(crate) fn pattern(&self, pit: usize, seeds: u8) -> &Pattern {
        &self.patterns[pit * (self.halves.rows().max() + 1) + usize::from(seeds)]
    }

    /// Sows a pit that is not empty, and captures.
    pub(crate) fn sow(&self, board: &Board, pit: usize) -> Sown {
        let Board { mut own, other } = *board;
        let pattern = self.pattern(pit, own[pit]);
        own[pit] = 0;
        let mut sown = Sown {
            own: (u64::from_le_bytes(own) + pattern.own).to_le_bytes(),
            other: (u64::from_le_bytes(other) + pattern.other).to_le_bytes(),
            gain: pattern.store.into(),
            turn: Turn::Passes,
            slam: false,
        };
        let rules = &self.rules;
        match pattern.last {
            Last::Store if rules.extra_turn => sown.turn = Turn::Stays,
            Last::Store => {}
            Last::Other(at) => {
                if rules.captures.contains(sown.other[usize::from(at)]) {
                    self.capture(&mut sown, pattern.last);
                }
            }
            Last::Own(at) => {
                let at = usize::from(at);
                if rules.captures_from == CapturesFrom::Both
                    && rules.captures.contains(sown.own[at])
                {
                    self.capture(&mut sown, pattern.last);
                } else if rules.captures_own != CapturesOwn::Nothing && sown.own[at] == 1 {
                    let opposite = self.pits() - 1 - at;
                    if sown.other[opposite] > 0 || rules.captures_own == CapturesOwn::Always {
                        self.take(&mut sown, 1 << at | 1 << (8 + opposite), opposite, opposite);
                    }
                }
            }
        }
        sown
    }

    /// Captures by the number of seeds, from the pit of the last seed back.
    fn capture(&self, sown: &mut Sown, last: Last) {
        let rules = &self.rules;
        let pits = self.pits();
        let mut taken: Taken = 0;
        // The pits of the opponent that are captured, the last seed's first.
        let (mut latest, mut earliest) = (None, 0);
        let mut place = last;
        loop {
            let (bit, seeds) = match place {
                Last::Own(at) => (u16::from(at), sown.own[usize::from(at)]),
                Last::Other(at) => (8 + u16::from(at), sown.other[usize::from(at)]),
                Last::Store => break,
            };
            if taken >> bit & 1 == 1 || !rules.captures.contains(seeds) {
                break;
            }
            taken |= 1 << bit;
            if let Last::Other(at) = place {
                latest = latest.or(Some(usize::from(at)));
                earliest = usize::from(at);
            }
            let both = rules.captures_from == CapturesFrom::Both;
            place = match place {
                _ if !rules.chain => break,
                Last::Other(0) | Last::Own(0) if !both => break,
                Last::Other(0) => Last::Own(pits as u8 - 1),
                Last::Own(0) => Last::Other(pits as u8 - 1),
                Last::Other(at) => Last::Other(at - 1),
                Last::Own(at) => Last::Own(at - 1),
                Last::Store => break,
            };
        }
        self.take(sown, taken, latest.unwrap_or(0), earliest);
    }

    /// Takes the seeds of some pits, as far as a grand slam does.
    fn take(&self, sown: &mut Sown, taken: Taken, latest: usize, earliest: usize) {
        let seeds = |taken: Taken| -> Score {
            let of = |half: &Half, taken: u16| {
                (0..8).filter(|pit| taken >> pit & 1 == 1).map(|pit| Score::from(half[pit])).sum()
            };
            let (own, other): (Score, Score) = (of(&sown.own, taken), of(&sown.other, taken >> 8));
            own + other
        };
        let from_other = seeds(taken & 0xFF00);
        let slam = from_other > 0 && from_other == stones(&sown.other) as Score;
        let taken = match self.rules.grand_slam {
            _ if !slam => taken,
            GrandSlam::Illegal | GrandSlam::Legal | GrandSlam::Rest => taken,
            GrandSlam::Nothing => 0,
            GrandSlam::LeavesLast => taken & !(1 << (8 + latest)),
            GrandSlam::LeavesFirst => taken & !(1 << (8 + earliest)),
        };
        sown.gain += seeds(taken);
        sown.slam = slam && self.rules.grand_slam == GrandSlam::Illegal;
        for pit in 0..8 {
            if taken >> pit & 1 == 1 {
                sown.own[pit] = 0;
            }
            if taken >> (8 + pit) & 1 == 1 {
                sown.other[pit] = 0;
            }
        }
        if slam && self.rules.grand_slam == GrandSlam::Rest {
            sown.gain -= stones(&sown.own) as Score;
            sown.own = Half::default();
        }
    }

    /// The pits that may be sown, a bit each; none where the game is over or a side must pass.
    pub(crate) fn legal(&self, board: &Board) -> u8 {
        let other = stones(&board.other);
        if self.rules.end == End::EmptyRow && other == 0 {
            return 0;
        }
        let mut all = 0;
        for pit in (0..self.pits()).filter(|&pit| board.own[pit] > 0) {
            all |= 1 << pit;
        }
        let feeds = self.rules.feed != Feed::No && other == 0;
        if !feeds && self.rules.grand_slam != GrandSlam::Illegal {
            return all;
        }
        let mut good = 0;
        for pit in (0..self.pits()).filter(|&pit| board.own[pit] > 0) {
            let sown = self.sow(board, pit);
            if !(sown.slam || feeds && stones(&sown.other) == 0) {
                good |= 1 << pit;
            }
        }
        if good == 0 && self.rules.feed == Feed::IfPossible { all } else { good }
    }

    /// If the game is over here, the score of the side to move; `legal` are its moves.
    pub(crate) fn over(&self, board: &Board, legal: u8) -> Option<Score> {
        let (own, other) = (stones(&board.own) as Score, stones(&board.other) as Score);
        let over = match self.rules.end {
            End::NoMove => legal == 0,
            End::EmptyRow => own == 0 || other == 0 || legal == 0,
            End::EmptyBoard => own + other == 0,
        };
        over.then(|| match self.rules.rest {
            Rest::Opponent if self.rules.end == End::NoMove => -own - other,
            Rest::EmptyRow if own == 0 || other == 0 => other - own,
            _ => own - other,
        })
    }
}
