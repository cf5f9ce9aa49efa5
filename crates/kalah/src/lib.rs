//! Kalah: pits, seeds and a store for each side.
//!
//! A side has m pits and a store, and every pit begins with n seeds. A move takes all seeds of an
//! own pit and sows them one by one counter-clockwise: through the own pits, the own store, the
//! opponent's pits, and round again, never into the opponent's store. The emptied pit is sown into
//! like any other when the seeds reach it again.
//! - The last seed falls into the own store: the same side moves again.
//! - The last seed falls into an own pit that was empty: it and the seeds opposite go to the
//!   store. When the opposite pit is empty, `empty_capture` says whether the one seed goes there.
//!   A move of 2m + 1 seeds ends in the pit it emptied and captures.
//! - One side has no seed left after a move: the game is over, and the other takes what is left.
//!   With `play_on` it is over only when the side to move has none, as databases of older programs
//!   have it.
//!
//! A slice is a number of seeds on the board. A move is internal when no seed goes to a store; it
//! then only shifts seeds along the mover's own pits towards the store, so that nothing ever
//! repeats. The board does not determine the initial number of seeds: games that differ only in
//! that share their databases.

mod evaluate;
mod numbering;
mod row_moves;
mod sow;
mod weights;

use nutcracker_game::{GameId, ParseError, Rules, Score, Side, Situation, Step, Turn};

use nutcracker_any::{AnyGame, GameInfo, OptionInfo, Options, Registered};
use nutcracker_boards::halves::{self, Board, Halves, MAX_PITS, stones};
use nutcracker_sowing::{CapturesOwn, End, Rest, RuleSet, Sowing};

/// The largest number of seeds of a game: scores must fit the databases.
const MAX_SEEDS: usize = 127;

/// Kalah with its options.
///
/// ```
/// use nutcracker_game::{Rules, Turn};
/// use nutcracker_kalah::Kalah;
///
/// let kalah = Kalah::new(6, 4, false)?;
/// let start = kalah.start();
/// assert_eq!(kalah.format(&start), "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0");
///
/// // The third pit's four seeds end in the store: South moves again.
/// let step = kalah.play(&start.position, &2);
/// assert_eq!((step.gain, step.turn), (1, Turn::Stays));
/// assert_eq!(kalah.format_move(&start, &2, &step), "C4x1+");
/// let next = kalah.advance(&start, &step);
/// assert_eq!(kalah.format(&next), "4,4,0,5,5,5/4,4,4,4,4,4 S 1-0");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kalah {
    pits: usize,
    seeds: usize,
    empty_capture: bool,
    play_on: bool,
    halves: Halves,
}

impl Kalah {
    /// Kalah with `pits` pits a side, 1 to 6, and `seeds` seeds in each of them, at least one and
    /// together at most 127; `empty_capture` says whether a last seed in an own empty pit goes to
    /// the store even when there is nothing opposite. The error is one sentence.
    ///
    /// ```
    /// use nutcracker_kalah::Kalah;
    /// assert!(Kalah::new(6, 10, false).is_ok());
    /// assert_eq!(
    ///     Kalah::new(6, 11, false).unwrap_err(),
    ///     "11 seeds a pit are too many: with 6 pits a side there can be 10"
    /// );
    /// ```
    pub fn new(pits: usize, seeds: usize, empty_capture: bool) -> Result<Kalah, String> {
        if !(1..=MAX_PITS).contains(&pits) {
            return Err(format!("kalah has 1 to {MAX_PITS} pits a side, not {pits}"));
        }
        if seeds == 0 {
            return Err("kalah begins with at least 1 seed in every pit, not 0".to_owned());
        }
        let most = MAX_SEEDS / (2 * pits);
        if seeds > most {
            return Err(format!(
                "{seeds} seeds a pit are too many: with {pits} pits a side there can be {most}"
            ));
        }
        let halves = Halves::new(pits, 2 * pits * seeds);
        Ok(Kalah { pits, seeds, empty_capture, play_on: false, halves })
    }

    /// The same game, which goes on while the side to move has seeds, even if the other has none.
    #[must_use]
    pub fn playing_on(self) -> Self {
        Kalah { play_on: true, ..self }
    }

    /// Pits a side.
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// Seeds in every pit at the start.
    pub fn seeds(&self) -> usize {
        self.seeds
    }

    /// Whether a last seed in an own empty pit goes to the store even when there is nothing
    /// opposite.
    pub fn empty_capture(&self) -> bool {
        self.empty_capture
    }

    /// Whether the game goes on while the side to move has seeds, even if the other has none.
    pub fn plays_on(&self) -> bool {
        self.play_on
    }

    /// The same game as a member of the family of sowing games.
    fn in_the_family(&self) -> Result<Sowing, String> {
        let Kalah { pits, seeds, empty_capture, play_on, .. } = *self;
        let known = nutcracker_sowing::base("kalah").ok_or("there are no rules of kalah")?.rules;
        let rules = RuleSet {
            pits: pits as u8,
            seeds: seeds as u8,
            captures_own: if empty_capture { CapturesOwn::Always } else { known.captures_own },
            end: if play_on { End::NoMove } else { known.end },
            rest: if play_on { Rest::Opponent } else { known.rest },
            ..known
        };
        Ok(Sowing::new(rules)?.called(self.id()))
    }

    fn is_over(&self, board: &Board) -> bool {
        stones(&board.own) == 0 || !self.play_on && stones(&board.other) == 0
    }
}

impl Rules for Kalah {
    type Position = Board;
    /// The pit that is emptied, counted from 0 in the order of sowing.
    type Move = u8;

    fn id(&self) -> GameId {
        let empty_capture = if self.empty_capture { "yes" } else { "no" };
        // Files of the time when every game was played on do not say so.
        let play_on = if self.play_on { "" } else { ",play-on=no" };
        GameId::new("kalah", format!("pits={},empty-capture={empty_capture}{play_on}", self.pits))
    }

    fn start_options(&self) -> String {
        format!("seeds={}", self.seeds)
    }

    fn outcome(&self, board: &Board) -> Option<Score> {
        let score = || stones(&board.own) as Score - stones(&board.other) as Score;
        self.is_over(board).then(score)
    }

    fn moves(&self, board: &Board, out: &mut Vec<u8>) {
        if !self.is_over(board) {
            out.extend((0..self.pits as u8).filter(|&pit| board.own[usize::from(pit)] > 0));
        }
    }

    fn play(&self, board: &Board, &pit: &u8) -> Step<Board> {
        self.sow(*board, usize::from(pit))
    }

    fn steps(&self, board: &Board, out: &mut Vec<Step<Board>>) {
        if !self.is_over(board) {
            let pits = (0..self.pits).filter(|&pit| board.own[pit] > 0);
            out.extend(pits.map(|pit| self.sow(*board, pit)));
        }
    }

    fn start(&self) -> Situation<Board> {
        let mut position = Board::default();
        position.own[..self.pits].fill(self.seeds as u8);
        position.other = position.own;
        Situation { position, mover: Side::First, banked: Some([0, 0]), quiet: 0 }
    }

    fn parse(&self, text: &str) -> Result<Situation<Board>, ParseError> {
        halves::parse(self.pits, 2 * self.pits * self.seeds, "seeds", text)
    }

    fn format(&self, situation: &Situation<Board>) -> String {
        halves::format(self.pits, situation)
    }

    /// The pit's letter, upper case for South, and its seeds; `x` and the seeds that reach the
    /// store, sown or captured, where there are any; `+` where the same side moves again.
    fn format_move(&self, situation: &Situation<Board>, &pit: &u8, step: &Step<Board>) -> String {
        let first = match situation.mover {
            Side::First => b'A',
            Side::Second => b'a',
        };
        let letter = char::from(first + pit);
        let seeds = situation.position.own[usize::from(pit)];
        let banked = if step.gain > 0 { format!("x{}", step.gain) } else { String::new() };
        let again = if step.turn == Turn::Stays { "+" } else { "" };
        format!("{letter}{seeds}{banked}{again}")
    }

    fn draw(&self, situation: &Situation<Board>) -> String {
        halves::draw(self.pits, situation)
    }

    fn side_name(&self, side: Side) -> &'static str {
        halves::side_name(side)
    }

    fn final_result(&self, situation: &Situation<Board>, score: Score) -> Option<[f64; 2]> {
        halves::final_result(situation, score)
    }
}

/// The game for a list of games.
pub static GAME: GameInfo = GameInfo::of::<Kalah>("kalah");

impl Registered for Kalah {
    const ABOUT: &'static str = "sow into your store, move again, capture what lies opposite";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo { name: "pits", value: Some("M"), about: "pits a side, 1 to 6", default: "6" },
        OptionInfo {
            name: "seeds",
            value: Some("N"),
            about: "seeds a pit at the start",
            default: "4",
        },
        OptionInfo {
            name: "empty-capture",
            value: None,
            about: "a last seed in an empty pit is captured even if nothing lies opposite",
            default: "no",
        },
        OptionInfo {
            name: "play-on",
            value: None,
            about: "the game goes on while the side to move has seeds, even if the other has none",
            default: "no",
        },
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let [pits, seeds, empty_capture, play_on] = Self::OPTIONS else {
            unreachable!("kalah has four options");
        };
        let (pits, seeds) = (options.number(pits)?, options.number(seeds)?);
        let kalah = Kalah::new(pits, seeds, options.flag(empty_capture))?;
        let playing_on = options.flag(play_on);
        Ok(if playing_on { kalah.playing_on() } else { kalah })
    }

    /// Solvers are those of the family of sowing games, compiled there.
    fn erase(self) -> AnyGame {
        match self.in_the_family() {
            // Unit tests solve nothing, and solvers would be most of what is compiled for them.
            Ok(same) if !cfg!(test) => AnyGame::with_loops(self, same.erase()),
            _ => AnyGame::small(self),
        }
    }
}
