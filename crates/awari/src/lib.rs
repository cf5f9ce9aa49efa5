//! Awari (oware): the rules.
//!
//! Each player owns a row of pits, South `A` to `F`, North `a` to `f`; sowing runs
//! `A…F a…f A…`, one stone a pit, and skips the emptied pit on every lap. If the last stone falls
//! into an opponent's pit that then holds 2 or 3 stones, these are captured, and so are those of
//! the pits before it in unbroken sequence as long as they are the opponent's and hold 2 or 3.
//! A player who cannot move ends the game, and the opponent takes what is left. A move that leaves
//! the opponent without a stone is illegal unless every move does. A position that repeats ends
//! the game with the stones on the board divided equally.

mod evaluate;
mod forward;
mod numbering;
mod row_moves;
mod unmoves;
mod view;
mod weights;

use std::sync::Arc;

use nutcracker_game::{GameId, Notation, ParseError, Rules, Score, Side, Situation, Step, Turn};

pub use forward::AwariForward;
use nutcracker_any::{GameInfo, OptionInfo, Options, Registered};
use nutcracker_boards::halves::{self, Board, Half, Halves, stones};
pub use view::AwariView;

/// The rules of awari for two to six pits a side.
///
/// ```
/// use nutcracker_game::{Numbering, Rules, SliceId};
/// use nutcracker_awari::Awari;
///
/// let awari = Awari::new(6).unwrap();
/// let at = awari.parse("0,0,6,0,3,5/2,1,1,0,0,0 S 20-10").unwrap();
/// assert_eq!(awari.slice_of(&at.position), SliceId(18));
/// // C6 would capture seven stones and leave North none, so it is illegal.
/// let mut moves = Vec::new();
/// awari.moves(&at.position, &mut moves);
/// let names: Vec<String> = moves
///     .iter()
///     .map(|mv| awari.format_move(&at, mv, &awari.play(&at.position, mv)))
///     .collect();
/// assert_eq!(names, ["E3x5", "F5"]);
/// ```
#[derive(Clone, Debug)]
pub struct Awari {
    halves: Arc<Halves>,
    /// At `pit * (max + 1) + stones`.
    sowings: Arc<[Sowing]>,
}

/// What sowing this many stones from a pit adds to the two halves, not counting the emptied pit.
#[derive(Clone, Copy, Debug, Default)]
struct Sowing {
    own: u64,
    other: u64,
    last: Option<u8>,
}

/// A move: the pit that is sown, counted from 0 in the order of sowing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pit(pub u8);

/// The result of sowing one pit, before any capture.
#[derive(Clone, Copy, Debug)]
struct Sown {
    own: Half,
    other: Half,
    /// The opponent's pit with the last stone; `None` if that stone fell on the mover's side.
    last: Option<u8>,
}

/// The sowings of 0, 1, … `max` stones from a pit.
fn sowings(pits: usize, pit: usize, max: usize) -> Vec<Sowing> {
    let (mut own, mut other) = (Half::default(), Half::default());
    let mut at = pit;
    let mut list = vec![Sowing::default()];
    while list.len() <= max {
        at = (at + 1) % (2 * pits);
        if at == pit {
            continue;
        }
        let half = if at < pits { &mut own } else { &mut other };
        half[at % pits] += 1;
        list.push(Sowing {
            own: u64::from_le_bytes(own),
            other: u64::from_le_bytes(other),
            last: at.checked_sub(pits).map(|last| last as u8),
        });
    }
    list
}

/// Whether a pit with this many stones is captured.
fn is_prize(stones: u8) -> bool {
    stones == 2 || stones == 3
}

impl Awari {
    /// Awari with this many pits a side; the error says which numbers are possible.
    pub fn new(pits: usize) -> Result<Self, String> {
        Self::numbered(pits, Halves::new)
    }

    /// The same game, its databases without the positions that no move leads to: the side that
    /// has just moved has an empty pit.
    ///
    /// ```
    /// use nutcracker_game::{Numbering, Rules, SliceId};
    /// use nutcracker_awari::Awari;
    ///
    /// let awari = Awari::reachable(6).unwrap();
    /// assert_eq!(awari.slice_len(SliceId(48)), 203_648_015_935);
    /// assert!(!awari.is_indexed(&awari.start().position));
    /// ```
    pub fn reachable(pits: usize) -> Result<Self, String> {
        Self::numbered(pits, Halves::reachable)
    }

    fn numbered(pits: usize, halves: fn(usize, usize) -> Halves) -> Result<Self, String> {
        if !(2..=halves::MAX_PITS).contains(&pits) {
            return Err(format!("awari is played with 2 to 6 pits a side, not {pits}"));
        }
        let max = 8 * pits;
        let sowings = (0..pits).flat_map(|pit| sowings(pits, pit, max)).collect();
        Ok(Awari { halves: Arc::new(halves(pits, max)), sowings })
    }

    fn pits(&self) -> usize {
        self.halves.pits()
    }

    fn sowable<'a>(&self, board: &'a Board) -> impl Iterator<Item = usize> + 'a {
        (0..self.pits()).filter(|&pit| board.own[pit] > 0)
    }

    #[inline]
    fn sow(&self, board: &Board, pit: usize) -> Sown {
        let Board { mut own, other } = *board;
        let stones = usize::from(own[pit]);
        own[pit] = 0;
        let sowing = &self.sowings[pit * (self.halves.rows().max() + 1) + stones];
        Sown {
            own: (u64::from_le_bytes(own) + sowing.own).to_le_bytes(),
            other: (u64::from_le_bytes(other) + sowing.other).to_le_bytes(),
            last: sowing.last,
        }
    }

    /// Removes the captured stones from the opponent's half and counts them.
    fn capture(sown: &mut Sown) -> u8 {
        let mut captured = 0;
        if let Some(last) = sown.last {
            for pit in sown.other[..=usize::from(last)].iter_mut().rev() {
                if !is_prize(*pit) {
                    break;
                }
                captured += *pit;
                *pit = 0;
            }
        }
        captured
    }
}

impl Rules for Awari {
    type Position = Board;
    type Move = Pit;

    fn id(&self) -> GameId {
        let reachable = if self.halves.rows().has_gaps_first() { ",reachable" } else { "" };
        GameId::new("awari", format!("pits={}{reachable}", self.pits()))
    }

    fn outcome(&self, position: &Board) -> Option<Score> {
        (stones(&position.own) == 0).then(|| -(position.stones() as Score))
    }

    fn moves(&self, position: &Board, out: &mut Vec<Pit>) {
        let first = out.len();
        for pit in self.sowable(position) {
            let mut sown = self.sow(position, pit);
            Self::capture(&mut sown);
            if stones(&sown.other) > 0 {
                out.push(Pit(pit as u8));
            }
        }
        if out.len() == first {
            // Every move leaves the opponent without a stone, so any may be played.
            out.extend(self.sowable(position).map(|pit| Pit(pit as u8)));
        }
    }

    fn steps(&self, position: &Board, out: &mut Vec<Step<Board>>) {
        let first = out.len();
        for pit in self.sowable(position) {
            let step = self.play(position, &Pit(pit as u8));
            if stones(&step.next.own) > 0 {
                out.push(step);
            }
        }
        if out.len() == first {
            out.extend(self.sowable(position).map(|pit| self.play(position, &Pit(pit as u8))));
        }
    }

    fn play(&self, position: &Board, &Pit(pit): &Pit) -> Step<Board> {
        let mut sown = self.sow(position, usize::from(pit));
        let gain = Score::from(Self::capture(&mut sown));
        Step::new(Board { own: sown.other, other: sown.own }, gain, Turn::Passes)
    }

    fn start(&self) -> Situation<Board> {
        let mut half = Half::default();
        half[..self.pits()].fill(4);
        Situation {
            position: Board { own: half, other: half },
            mover: Side::First,
            banked: Some([0, 0]),
            quiet: 0,
        }
    }

    fn parse(&self, text: &str) -> Result<Situation<Board>, ParseError> {
        halves::parse(self.pits(), self.halves.rows().max(), "stones", text)
    }

    fn format(&self, situation: &Situation<Board>) -> String {
        halves::format(self.pits(), situation)
    }

    fn format_move(
        &self,
        situation: &Situation<Board>,
        &Pit(pit): &Pit,
        step: &Step<Board>,
    ) -> String {
        let first = match situation.mover {
            Side::First => b'A',
            Side::Second => b'a',
        };
        let stones = situation.position.own[usize::from(pit)];
        let name = format!("{}{stones}", char::from(first + pit));
        if step.gain > 0 { format!("{name}x{}", step.gain) } else { name }
    }

    fn format_in(&self, situation: &Situation<Board>, notation: Notation) -> Option<String> {
        halves::format_in(self.pits(), situation, notation)
    }

    fn format_move_in(
        &self,
        situation: &Situation<Board>,
        mv: &Pit,
        step: &Step<Board>,
        notation: Notation,
    ) -> Option<String> {
        halves::move_in(self.pits(), situation, usize::from(mv.0), notation)
            .or_else(|| Some(self.format_move(situation, mv, step)))
    }

    fn draw(&self, situation: &Situation<Board>) -> String {
        halves::draw(self.pits(), situation)
    }

    fn side_name(&self, side: Side) -> &'static str {
        halves::side_name(side)
    }

    fn final_result(&self, situation: &Situation<Board>, score: Score) -> Option<[f64; 2]> {
        halves::final_result(situation, score)
    }
}

/// The game for a list of games. Its inner loops are compiled here, once.
pub static GAME: GameInfo = GameInfo::of::<Awari>("awari");

impl Registered for Awari {
    const ABOUT: &'static str = "oware: sow stones, capture twos and threes";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo { name: "pits", value: Some("M"), about: "pits a side, 2 to 6", default: "6" },
        OptionInfo {
            name: "reachable",
            value: None,
            about: "databases without positions no move leads to",
            default: "all positions",
        },
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let pits = options.number(&Self::OPTIONS[0])?;
        if options.flag(&Self::OPTIONS[1]) { Awari::reachable(pits) } else { Awari::new(pits) }
    }

    // Unit tests solve nothing, and solvers would be most of what is compiled for them.
    #[cfg(test)]
    fn erase(self) -> nutcracker_any::AnyGame {
        nutcracker_any::AnyGame::small(self)
    }
}
