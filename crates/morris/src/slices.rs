//! Slices: how many stones each side has on the board, and how many are still to be placed.

use nutcracker_game::SliceId;

use super::position::MorrisPosition;

/// The fewest men with which a side has not lost.
pub(crate) const FEWEST: u32 = 3;

/// The slice of positions in which the game is over for want of men.
pub(crate) const OVER: SliceId = SliceId(0);

/// The stones of a slice's positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Stones {
    /// The mover has fewer than three men left.
    Over,
    /// All stones were placed, and either side may have the move.
    Moving {
        /// Of the side with more of them.
        more: u8,
        /// Of the other one.
        fewer: u8,
    },
    /// Some are still to be placed, which tells who has the move: the first player, if the number is
    /// even.
    Placing {
        /// Stones of both sides that are still to be placed.
        hands: u8,
        /// Of the mover.
        own: u8,
        /// Of the opponent.
        other: u8,
    },
}

/// All slices of a game, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Slices {
    men: u8,
    all: Vec<Stones>,
    /// Their numbers by stones in hand and on the board; 0 where there is no slice.
    numbers: Vec<u16>,
}

/// The place of stones in that list.
fn place(hands: u8, first: u8, second: u8) -> usize {
    (usize::from(hands) * SIDE + usize::from(first)) * SIDE + usize::from(second)
}

/// More than any number of men a side.
const SIDE: usize = 13;

/// The mover's stones in hand, and the opponent's.
pub(crate) fn hands_of(hands: u8) -> [u8; 2] {
    [hands.div_ceil(2), hands / 2]
}

impl Slices {
    pub(crate) fn new(men: u8) -> Self {
        let mut all = vec![Stones::Over];
        for both in 2 * FEWEST as u8..=2 * men {
            for fewer in FEWEST as u8..=both / 2 {
                if both - fewer <= men {
                    all.push(Stones::Moving { more: both - fewer, fewer });
                }
            }
        }
        let mut slices = Slices { men, all: Vec::new(), numbers: vec![0; 25 * SIDE * SIDE] };
        for hands in 1..=2 * men {
            for own in 0..=men {
                for other in 0..=men {
                    let stones = Stones::Placing { hands, own, other };
                    if slices.is_possible(hands, own, other) {
                        all.push(stones);
                    }
                }
            }
        }
        for (number, stones) in all.iter().enumerate() {
            let number = number as u16;
            match *stones {
                Stones::Over => {}
                Stones::Moving { more, fewer } => slices.numbers[place(0, more, fewer)] = number,
                Stones::Placing { hands, own, other } => {
                    slices.numbers[place(hands, own, other)] = number;
                }
            }
        }
        Slices { all, ..slices }
    }

    /// Whether these numbers of stones can be on the board. The first two that a side places close no mill,
    /// every other one at most one.
    pub(crate) fn is_possible(&self, hands: u8, own: u8, other: u8) -> bool {
        let [hand, other_hand] = hands_of(hands);
        let (Some(placed), Some(other_placed)) =
            (self.men.checked_sub(hand), self.men.checked_sub(other_hand))
        else {
            return false;
        };
        let lost = |stones: u8, placed: u8, by: u8| {
            stones <= placed && placed - stones <= by.saturating_sub(FEWEST as u8 - 1)
        };
        lost(own, placed, other_placed)
            && lost(other, other_placed, placed)
            && u32::from(own + hand) >= FEWEST
            && u32::from(other + other_hand) >= FEWEST
    }

    /// What the positions of a slice have.
    pub(crate) fn stones(&self, slice: SliceId) -> Stones {
        self.all.get(slice.0 as usize).copied().unwrap_or(Stones::Over)
    }

    /// The slice with these stones; [`Stones::Over`] for those that cannot be.
    #[inline]
    pub(crate) fn number(&self, stones: Stones) -> SliceId {
        let place = match stones {
            Stones::Over => return OVER,
            Stones::Moving { more, fewer } => place(0, more, fewer),
            Stones::Placing { hands, own, other } => place(hands, own, other),
        };
        SliceId(self.numbers.get(place).copied().unwrap_or(0).into())
    }

    /// The last slice.
    pub(crate) fn last(&self) -> SliceId {
        SliceId(self.all.len() as u32 - 1)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SliceId, Stones)> {
        (0..).map(SliceId).zip(self.all.iter().copied())
    }

    /// The stones of a position.
    pub(crate) fn of(position: &MorrisPosition) -> Stones {
        if position.men() < FEWEST {
            return Stones::Over;
        }
        let [own, other] = [position.own, position.other].map(|set| set.count_ones() as u8);
        match position.hands() {
            0 => Stones::Moving { more: own.max(other), fewer: own.min(other) },
            hands => Stones::Placing { hands, own, other },
        }
    }

    /// What moves out of a slice lead to.
    pub(crate) fn below(&self, stones: Stones) -> Vec<SliceId> {
        let moving = |own: u8, other: u8| {
            if u32::from(own.min(other)) < FEWEST {
                return Stones::Over;
            }
            Stones::Moving { more: own.max(other), fewer: own.min(other) }
        };
        let below = match stones {
            Stones::Over => Vec::new(),
            Stones::Moving { more, fewer } => {
                vec![moving(more - 1, fewer), moving(more, fewer - 1)]
            }
            Stones::Placing { hands, own, other } => {
                let after = |left: u8| {
                    let hand = hands_of(hands)[1];
                    if u32::from(left + hand) < FEWEST {
                        Stones::Over
                    } else if hands == 1 {
                        moving(left, own + 1)
                    } else {
                        Stones::Placing { hands: hands - 1, own: left, other: own + 1 }
                    }
                };
                let takes = own >= 2 && other > 0;
                let left = [Some(other), takes.then(|| other.saturating_sub(1))];
                left.into_iter().flatten().map(after).collect()
            }
        };
        let mut found: Vec<SliceId> = below.into_iter().map(|stones| self.number(stones)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A name for people and files: `9v8`, or `h7_6v5` while seven stones are to be placed.
    pub(crate) fn name(&self, slice: SliceId) -> String {
        match self.stones(slice) {
            Stones::Over => "over".to_owned(),
            Stones::Moving { more, fewer } => format!("{more}v{fewer}"),
            Stones::Placing { hands, own, other } => format!("h{hands}_{own}v{other}"),
        }
    }

    /// The slice with a name.
    pub(crate) fn named(&self, name: &str) -> Option<SliceId> {
        self.iter().map(|(slice, _)| slice).find(|&slice| self.name(slice) == name)
    }
}
