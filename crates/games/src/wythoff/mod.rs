//! Wythoff's game and its relatives: two piles, from one of which a move takes any number, or from
//! both numbers that differ by little.
//!
//! The sides move in turn, and who cannot move has lost. A move takes one counter or more from one
//! pile, or k from one and l from the other, both at least 1, where |k - l| is less than a bound f.
//! With f = 1 this is Wythoff's game: from both piles the same. In the variants f depends on the
//! smaller pile x0 before the move, and on the smaller and the larger pile x1 and y1 after it.
//!
//! In all of them the lost positions are pairs (A, B), one for each n: A is the least number in no
//! earlier pair, and B = A + the difference of the pair before + f, taken from that pair and A.

mod numbering;

use nutcracker_game::{Evaluate, GameId, ParseError, Rules, Score, Side, Situation, Step};

use crate::piles::{Piles, Shape};
use nutcracker_any::{AnyGame, OptionInfo, Options, Registered};

/// The largest pile: a position has no more moves than 65,535.
const LARGEST: usize = 254;

/// The bound of the numbers taken from both piles. They are less than it apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variant {
    /// The same everywhere; 1 is Wythoff's game.
    Constant(u16),
    /// x1 + 1
    G1,
    /// x0 - x1
    G2,
    /// y1 - x1 + 1
    G3,
    /// x1 - ⌊(x1 + 1) / x0⌋ + 2
    Ex1,
    /// x0 - x1 + 2
    Ex2,
    /// 5 where y1 is even and x1 odd, 1 where y1 is odd and x1 even, else 3
    Ex3,
    /// 2 x1 + 1 where x1 is even, 1 where it is odd
    Ex4,
}

impl Variant {
    /// The bound of a move from a position whose smaller pile is `x0`, not 0, to `x1` and `y1`, the
    /// smaller first.
    pub fn bound(self, x1: i32, y1: i32, x0: i32) -> i32 {
        let sign = |n: i32| if n % 2 == 0 { 1 } else { -1 };
        match self {
            Variant::Constant(bound) => bound.into(),
            Variant::G1 => x1 + 1,
            Variant::G2 => x0 - x1,
            Variant::G3 => y1 - x1 + 1,
            Variant::Ex1 => x1 - (x1 + 1) / x0 + 2,
            Variant::Ex2 => x0 - x1 + 2,
            Variant::Ex3 => sign(y1) - sign(x1) + 3,
            Variant::Ex4 => x1 * (1 + sign(x1)) + 1,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Variant::Constant(_) => "wythoff",
            Variant::G1 => "g1",
            Variant::G2 => "g2",
            Variant::G3 => "g3",
            Variant::Ex1 => "ex1",
            Variant::Ex2 => "ex2",
            Variant::Ex3 => "ex3",
            Variant::Ex4 => "ex4",
        }
    }
}

/// Two piles and a variant.
///
/// ```
/// use nutcracker_game::Rules;
/// use nutcracker_games::wythoff::{Variant, Wythoff};
///
/// let game = Wythoff::new(Variant::Constant(1), 20)?;
/// let at = game.parse("4,7")?;
/// let step = game.play(&at.position, &(3, 3));
/// assert_eq!(game.format_move(&at, &(3, 3), &step), "a3b3");
/// assert_eq!(game.format(&game.advance(&at, &step)), "1,4 second");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Wythoff {
    variant: Variant,
    shape: Shape,
}

impl Wythoff {
    /// The game with piles of up to `largest` counters, 1 to 254; the error is one sentence.
    pub fn new(variant: Variant, largest: usize) -> Result<Self, String> {
        if !(1..=LARGEST).contains(&largest) {
            return Err(format!("the largest pile of wythoff is 1 to {LARGEST}, not {largest}"));
        }
        if variant == Variant::Constant(0) {
            return Err("the numbers taken from both piles differ by less than 1 at least".into());
        }
        Ok(Wythoff { variant, shape: Shape::new(2, largest) })
    }

    /// Whether one may take from both piles so that `before` becomes `after`.
    fn is_bounded(&self, before: [u8; 2], after: [u8; 2]) -> bool {
        let [k, l] = [0, 1].map(|pile| i32::from(before[pile]) - i32::from(after[pile]));
        let least = |piles: [u8; 2]| i32::from(piles[0].min(piles[1]));
        let y1 = i32::from(after[0].max(after[1]));
        (k - l).abs() < self.variant.bound(least(after), y1, least(before))
    }
}

impl Rules for Wythoff {
    type Position = Piles;
    /// What is taken from each pile.
    type Move = (u8, u8);

    fn id(&self) -> GameId {
        let (variant, largest) = (self.variant.name(), self.shape.largest());
        let within = if let Variant::Constant(within) = self.variant { within } else { 1 };
        GameId::new("wythoff", format!("variant={variant},within={within},largest={largest}"))
    }

    fn outcome(&self, &[x, y, ..]: &Piles) -> Option<Score> {
        (x == 0 && y == 0).then_some(-1)
    }

    fn moves(&self, &[x, y, ..]: &Piles, out: &mut Vec<(u8, u8)>) {
        out.extend((1..=x).map(|k| (k, 0)));
        out.extend((1..=y).map(|l| (0, l)));
        let both = (1..=x).flat_map(|k| (1..=y).map(move |l| (k, l)));
        out.extend(both.filter(|&(k, l)| self.is_bounded([x, y], [x - k, y - l])));
    }

    fn play(&self, piles: &Piles, &(k, l): &(u8, u8)) -> Step<Piles> {
        let mut next = *piles;
        next[0] -= k;
        next[1] -= l;
        Step::quiet(next)
    }

    fn start(&self) -> Situation<Piles> {
        Situation::new(self.shape.start(), Side::First)
    }

    fn parse(&self, text: &str) -> Result<Situation<Piles>, ParseError> {
        self.shape.parse(text)
    }

    fn format(&self, situation: &Situation<Piles>) -> String {
        self.shape.format(situation)
    }

    /// The piles, a and b, each with what is taken from it: `a2`, `b3`, `a2b2`.
    fn format_move(
        &self,
        situation: &Situation<Piles>,
        _: &(u8, u8),
        step: &Step<Piles>,
    ) -> String {
        self.shape.format_move(&situation.position, &step.next)
    }

    fn draw(&self, situation: &Situation<Piles>) -> String {
        self.shape.draw(situation)
    }
}

/// Positions are looked up, not guessed.
impl Evaluate for Wythoff {}

impl Registered for Wythoff {
    const ABOUT: &'static str = "take from one of two piles, or nearly the same from both";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo {
            name: "variant",
            value: Some("NAME"),
            about: "wythoff, g1 to g3 or ex1 to ex4: how far apart what is taken from both may be",
            default: "wythoff",
        },
        OptionInfo {
            name: "within",
            value: Some("T"),
            about: "numbers taken from both differ by less than this; for variant wythoff",
            default: "1",
        },
        OptionInfo {
            name: "largest",
            value: Some("N"),
            about: "counters of the largest pile",
            default: "100",
        },
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let [variant, within, largest] = Self::OPTIONS else {
            unreachable!("wythoff has three options");
        };
        let (name, within) = (options.text(variant), options.number(within)?);
        let within = u16::try_from(within).map_err(|_| format!("--within {within} is too much"))?;
        let all = [
            Variant::Constant(within),
            Variant::G1,
            Variant::G2,
            Variant::G3,
            Variant::Ex1,
            Variant::Ex2,
            Variant::Ex3,
            Variant::Ex4,
        ];
        let variant = all.into_iter().find(|variant| variant.name() == name).ok_or_else(|| {
            format!("a variant is wythoff, g1, g2, g3, ex1, ex2, ex3 or ex4, not {name:?}")
        })?;
        if within != 1 && variant != Variant::Constant(within) {
            return Err(format!("--within is for variant wythoff, not for {name}"));
        }
        Wythoff::new(variant, options.number(largest)?)
    }

    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}
