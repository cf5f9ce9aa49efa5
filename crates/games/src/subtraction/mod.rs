//! Subtraction games: several piles, and a list of the numbers that may be taken from one of them.
//!
//! The sides move in turn, and who cannot move has lost. Nim is the game in which every number may
//! be taken.

mod numbering;

use nutcracker_game::{Evaluate, GameId, ParseError, Rules, Score, Side, Situation, Step};

use crate::piles::{MAX_PILES, Piles, Shape};
use nutcracker_any::{AnyGame, OptionInfo, Options, Registered};

/// The most counters of a game: a distance is at most 127 moves of the winner, and a move takes one
/// counter or more.
const MOST: usize = 250;
/// The most numbers that may be listed.
const MOST_NUMBERS: usize = 64;

/// Piles, and the numbers that may be taken from one.
///
/// ```
/// use nutcracker_game::Rules;
/// use nutcracker_games::subtraction::Subtraction;
///
/// let game = Subtraction::new(&[1, 2, 3], 2, 10)?;
/// let at = game.parse("4,7")?;
/// let step = game.play(&at.position, &(1, 3));
/// assert_eq!(game.format_move(&at, &(1, 3), &step), "b3");
/// assert_eq!(game.format(&game.advance(&at, &step)), "4,4 second");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Subtraction {
    /// Ascending.
    take: Vec<u8>,
    shape: Shape,
}

impl Subtraction {
    /// A game in which one of the numbers in `take` is taken from one of `piles` piles, each of at
    /// most `largest` counters; the error is one sentence.
    pub fn new(take: &[usize], piles: usize, largest: usize) -> Result<Self, String> {
        if !(1..=MAX_PILES).contains(&piles) {
            return Err(format!("subtraction has 1 to {MAX_PILES} piles, not {piles}"));
        }
        if largest == 0 || largest > MOST / piles {
            return Err(format!(
                "the largest of {piles} piles has 1 to {} counters, not {largest}",
                MOST / piles
            ));
        }
        let mut take = take.to_vec();
        take.sort_unstable();
        take.dedup();
        if take.is_empty() || take.len() > MOST_NUMBERS || take[0] == 0 {
            return Err(format!(
                "one to {MOST_NUMBERS} numbers may be taken, and none of them is 0"
            ));
        }
        // Nothing is ever taken from a pile that has too few counters.
        let take = take.into_iter().map(|number| number.min(usize::from(u8::MAX)) as u8).collect();
        Ok(Subtraction { take, shape: Shape::new(piles, largest) })
    }

    /// The numbers that may be taken, ascending.
    pub fn take(&self) -> &[u8] {
        &self.take
    }
}

impl Rules for Subtraction {
    type Position = Piles;
    /// The pile, and what is taken from it.
    type Move = (u8, u8);

    fn id(&self) -> GameId {
        let take: Vec<String> = self.take.iter().map(ToString::to_string).collect();
        let (piles, largest) = (self.shape.piles(), self.shape.largest());
        // Commas separate options.
        let take = take.join("+");
        GameId::new("subtraction", format!("take={take},piles={piles},largest={largest}"))
    }

    fn outcome(&self, piles: &Piles) -> Option<Score> {
        piles[..self.shape.piles()].iter().all(|&pile| pile < self.take[0]).then_some(-1)
    }

    fn moves(&self, piles: &Piles, out: &mut Vec<(u8, u8)>) {
        for (pile, &counters) in (0..).zip(&piles[..self.shape.piles()]) {
            let numbers = self.take.iter().take_while(|&&number| number <= counters);
            out.extend(numbers.map(|&number| (pile, number)));
        }
    }

    fn play(&self, piles: &Piles, &(pile, number): &(u8, u8)) -> Step<Piles> {
        let mut next = *piles;
        next[usize::from(pile)] -= number;
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

    /// The pile's letter, and what is taken from it.
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
impl Evaluate for Subtraction {}

impl Registered for Subtraction {
    const ABOUT: &'static str = "take one of some numbers from one of some piles";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo {
            name: "take",
            value: Some("LIST"),
            about: "the numbers that may be taken, with + or commas between",
            default: "1+2+3",
        },
        OptionInfo { name: "piles", value: Some("N"), about: "piles, 1 to 8", default: "3" },
        OptionInfo {
            name: "largest",
            value: Some("N"),
            about: "counters of the largest pile",
            default: "10",
        },
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let [take, piles, largest] = Self::OPTIONS else {
            unreachable!("subtraction has three options");
        };
        let list = options.text(take);
        // An address has a space for +.
        let numbers: Result<Vec<usize>, _> =
            list.split(['+', ',', ' ']).map(|number| number.trim().parse()).collect();
        let numbers = numbers.map_err(|_| {
            format!("--take has whole numbers with + or commas between, not {list:?}")
        })?;
        Subtraction::new(&numbers, options.number(piles)?, options.number(largest)?)
    }

    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}
