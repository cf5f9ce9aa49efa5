//! Dobutsu shogi ("let's catch the lion"): rules and notation.
//!
//! The board has three files and four ranks. Each side has a lion, a giraffe, an elephant and a
//! chick; every man moves one square:
//!
//! | man | letter | moves |
//! |---|---|---|
//! | lion | `L` | in every direction |
//! | elephant | `E` | diagonally |
//! | giraffe | `G` | forward, backward and sideways |
//! | chick | `C` | forward; it becomes a hen on the last rank |
//! | hen | `H` | in every direction except diagonally backward |
//!
//! A captured man changes sides and goes to the hand, a hen as a chick. Instead of moving, a player
//! may drop a man from the hand on any empty square: a second chick on a file is allowed, so is mate
//! by a chick, and a chick dropped on the last rank stays a chick that cannot move.
//!
//! Whoever takes the lion wins, and so does the lion that reaches the last rank (a *try*) unless it
//! can be taken there at once. A player who cannot move has lost. A repetition is a draw. One simplification changes no value: a lion
//! that can be taken is taken, other moves are not legal then.
//!
//! # Notation
//! A position is written `gle/.c./.C./ELG S -`: ranks from Gote's side down, small letters for
//! Gote, the side to move (`S` or `G`), then the hands in the same letters, or `-`. Squares are a1
//! to c4, in the order of that text. Moves are `Gc4-c3`, `Cb3xb2`,
//! `Ca2-a1+` where the chick becomes a hen, and `C*b2` for a drop.

mod evaluate;
mod forward;
mod men;
mod numbering;
#[cfg(test)]
mod tests;
mod view;

use std::fmt::Write;

use nutcracker_game::{GameId, ParseError, Rules, Score, Side, Situation, Step};

use nutcracker_any::{GameInfo, OptionInfo, Options, Registered};

pub use forward::DobutsuForward;
pub use men::Men;
pub use view::DobutsuView;

/// The game; it has no options.
#[derive(Clone, Copy, Debug)]
pub struct Dobutsu;

/// What a man is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Animal {
    /// The king of the game.
    Lion,
    /// One step diagonally.
    Elephant,
    /// One step along a file or a rank.
    Giraffe,
    /// One step forward.
    Chick,
    /// A chick that has reached the last rank.
    Hen,
}

impl Animal {
    /// Those that can be in a hand, in the order of [`DobutsuPosition::hands`].
    pub const IN_HAND: [Animal; 3] = [Animal::Elephant, Animal::Giraffe, Animal::Chick];

    /// The steps of a man of the side that moves up the board: files to the right, ranks forward.
    fn steps(self) -> &'static [(i8, i8)] {
        // Orthogonal steps first, then diagonal ones forward, then those backward.
        const ALL: [(i8, i8); 8] =
            [(0, 1), (-1, 0), (1, 0), (0, -1), (-1, 1), (1, 1), (-1, -1), (1, -1)];
        match self {
            Animal::Lion => &ALL,
            Animal::Elephant => &ALL[4..],
            Animal::Giraffe => &ALL[..4],
            Animal::Chick => &ALL[..1],
            Animal::Hen => &ALL[..6],
        }
    }

    /// Its place in a hand; `None` for a lion.
    fn place(self) -> Option<usize> {
        match self {
            Animal::Lion => None,
            Animal::Elephant => Some(0),
            Animal::Giraffe => Some(1),
            Animal::Chick | Animal::Hen => Some(2),
        }
    }

    fn letter(self) -> char {
        match self {
            Animal::Lion => 'L',
            Animal::Elephant => 'E',
            Animal::Giraffe => 'G',
            Animal::Chick => 'C',
            Animal::Hen => 'H',
        }
    }

    fn from_letter(letter: char) -> Option<Self> {
        use Animal::{Chick, Elephant, Giraffe, Hen, Lion};
        [Lion, Elephant, Giraffe, Chick, Hen]
            .into_iter()
            .find(|animal| animal.letter() == letter.to_ascii_uppercase())
    }
}

/// A man on the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Man {
    /// What it is.
    pub animal: Animal,
    /// Whether it belongs to the side to move.
    pub own: bool,
}

/// Squares of the board.
pub const SQUARES: usize = 12;

/// A position as its mover sees it, who plays up the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DobutsuPosition {
    /// The men by square: 0 is the left end of the mover's home rank, 3 the square in front of it.
    pub board: [Option<Man>; SQUARES],
    /// How many elephants, giraffes and chicks the mover and the opponent have in hand.
    pub hands: [[u8; 3]; 2],
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DobutsuMove {
    /// A man of the board moves.
    Step {
        /// From this square.
        from: u8,
        /// To this one.
        to: u8,
    },
    /// A man is dropped from the hand.
    Drop {
        /// Which.
        animal: Animal,
        /// On this square.
        to: u8,
    },
}

/// The first square of the last rank.
const LAST_RANK: usize = 9;

/// The squares a man reaches from `from`.
fn reach(man: Man, from: usize) -> impl Iterator<Item = usize> {
    let (file, rank) = ((from % 3) as i8, (from / 3) as i8);
    let forward = if man.own { 1 } else { -1 };
    man.animal.steps().iter().filter_map(move |(right, up)| {
        let (file, rank) = (file + right * forward, rank + up * forward);
        ((0..3).contains(&file) && (0..4).contains(&rank)).then_some((rank * 3 + file) as usize)
    })
}

/// How far a game has come at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The mover has lost: the lion is taken, or the opponent's has reached the last rank.
    Lost,
    /// The mover can take the opponent's lion.
    Exposed,
    /// Anything else.
    Open,
}

impl DobutsuPosition {
    /// No men at all.
    const fn empty() -> Self {
        DobutsuPosition { board: [None; SQUARES], hands: [[0; 3]; 2] }
    }

    /// The same position as the opponent sees it.
    #[must_use]
    pub fn turned(&self) -> Self {
        let mut turned = *self;
        turned.board.reverse();
        for man in turned.board.iter_mut().flatten() {
            man.own = !man.own;
        }
        turned.hands.swap(0, 1);
        turned
    }

    /// The same position with left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let mut mirrored = *self;
        for rank in mirrored.board.chunks_mut(3) {
            rank.swap(0, 2);
        }
        mirrored
    }

    fn men(&self) -> impl Iterator<Item = (usize, Man)> {
        self.board.iter().enumerate().filter_map(|(square, man)| Some((square, (*man)?)))
    }

    fn lion(&self, own: bool) -> Option<usize> {
        let lion = Man { animal: Animal::Lion, own };
        self.board.iter().position(|man| *man == Some(lion))
    }

    fn stage(&self) -> Stage {
        let (Some(_), Some(other)) = (self.lion(true), self.lion(false)) else {
            return Stage::Lost;
        };
        let attacks =
            |(square, man): (usize, Man)| man.own && reach(man, square).any(|to| to == other);
        if self.men().any(attacks) {
            Stage::Exposed
        } else if other < 3 {
            Stage::Lost
        } else {
            Stage::Open
        }
    }

    /// Whether the mover has a man in hand, for which there is always an empty square, or one that
    /// can move.
    fn can_move(&self) -> bool {
        let free = |to: usize| self.board[to].is_none_or(|man| !man.own);
        let can_step = |(from, man): (usize, Man)| man.own && reach(man, from).any(free);
        self.hands[0] != [0; 3] || self.men().any(can_step)
    }

    /// Why this cannot be a position of the game.
    fn fault(&self) -> Option<&'static str> {
        let count = |animal: Animal| {
            let place = animal.place();
            let board = self.men().filter(|(_, man)| man.animal.place() == place).count();
            board
                + place.map_or(0, |place| usize::from(self.hands[0][place] + self.hands[1][place]))
        };
        if Animal::IN_HAND.into_iter().any(|animal| count(animal) != 2) {
            return Some("there are two elephants, two giraffes and two chicks or hens in all");
        }
        // The side to move may have lost its lion.
        if self.lion(false).is_none()
            || count(Animal::Lion) != 1 + usize::from(self.lion(true).is_some())
        {
            return Some("each side has one lion, and only that of the side to move can be taken");
        }
        let tried = self.lion(true).is_some_and(|lion| lion >= LAST_RANK);
        tried
            .then_some("the lion of the side to move is on its last rank: the game was over before")
    }
}

/// The square of a name is seen by Sente, whose home rank is the fourth.
fn name(square: usize, mover: Side) -> String {
    let square = if mover == Side::First { square } else { SQUARES - 1 - square };
    format!("{}{}", char::from(b'a' + (square % 3) as u8), 4 - square / 3)
}

impl Rules for Dobutsu {
    type Position = DobutsuPosition;
    type Move = DobutsuMove;

    fn id(&self) -> GameId {
        GameId::new("dobutsu", "")
    }

    fn outcome(&self, position: &DobutsuPosition) -> Option<Score> {
        (position.stage() == Stage::Lost || !position.can_move()).then_some(-1)
    }

    /// Lion, elephants, giraffes, chicks and hens by their squares, then drops.
    fn moves(&self, position: &DobutsuPosition, out: &mut Vec<DobutsuMove>) {
        let stage = position.stage();
        if stage == Stage::Lost {
            return;
        }
        for place in [None, Some(0), Some(1), Some(2)] {
            let men = position.men().filter(|(_, man)| man.own && man.animal.place() == place);
            for (from, man) in men {
                let mut to: Vec<usize> = reach(man, from).collect();
                to.sort_unstable();
                to.retain(|&to| {
                    let taken = position.board[to];
                    match stage {
                        Stage::Exposed => taken == Some(Man { animal: Animal::Lion, own: false }),
                        _ => taken.is_none_or(|man| !man.own),
                    }
                });
                out.extend(
                    to.iter().map(|&to| DobutsuMove::Step { from: from as u8, to: to as u8 }),
                );
            }
        }
        if stage == Stage::Exposed {
            return;
        }
        for (animal, count) in Animal::IN_HAND.into_iter().zip(position.hands[0]) {
            if count > 0 {
                let empty = (0..SQUARES).filter(|&square| position.board[square].is_none());
                out.extend(empty.map(|to| DobutsuMove::Drop { animal, to: to as u8 }));
            }
        }
    }

    fn play(&self, position: &DobutsuPosition, mv: &DobutsuMove) -> Step<DobutsuPosition> {
        let mut next = *position;
        match *mv {
            DobutsuMove::Step { from, to } => {
                let (from, to) = (usize::from(from), usize::from(to));
                let mut man = next.board[from].take().expect("a legal move begins at a man");
                if let Some(place) = next.board[to].and_then(|taken| taken.animal.place()) {
                    next.hands[0][place] += 1;
                }
                if man.animal == Animal::Chick && to >= LAST_RANK {
                    man.animal = Animal::Hen;
                }
                next.board[to] = Some(man);
            }
            DobutsuMove::Drop { animal, to } => {
                let place = animal.place().expect("no lion is in a hand");
                next.hands[0][place] -= 1;
                next.board[usize::from(to)] = Some(Man { animal, own: true });
            }
        }
        Step::quiet(next.turned())
    }

    fn start(&self) -> Situation<DobutsuPosition> {
        self.parse("gle/.c./.C./ELG S -").expect("the start is written as positions are")
    }

    fn parse(&self, text: &str) -> Result<Situation<DobutsuPosition>, ParseError> {
        let words: Vec<&str> = text.split(' ').collect();
        let &[board, mover, hands] = words.as_slice() else {
            return Err(ParseError::new(
                "four ranks, the side to move and the hands are needed, as in \
                 gle/.c./.C./ELG S -",
            ));
        };
        // As Sente sees it, at first.
        let mut position = DobutsuPosition::empty();
        let ranks: Vec<&str> = board.split('/').collect();
        if ranks.len() != 4 || ranks.iter().any(|rank| rank.chars().count() != 3) {
            return Err(ParseError::new("the board has four ranks of three squares"));
        }
        for (rank, row) in ranks.iter().rev().enumerate() {
            for (file, letter) in row.chars().enumerate() {
                let animal = Animal::from_letter(letter);
                if animal.is_none() && letter != '.' {
                    return Err(ParseError::new(format!(
                        "{letter:?} is no man: L, E, G, C and H are Sente's, small letters Gote's"
                    )));
                }
                let own = letter.is_ascii_uppercase();
                position.board[rank * 3 + file] = animal.map(|animal| Man { animal, own });
            }
        }
        for letter in hands.chars().filter(|_| hands != "-") {
            let animal = Animal::from_letter(letter).filter(|&animal| animal != Animal::Hen);
            let Some(place) = animal.and_then(Animal::place) else {
                return Err(ParseError::new(format!(
                    "a hand has the letters E, G and C or is -, not {letter:?}"
                )));
            };
            // More than two are refused below.
            let hand = &mut position.hands[usize::from(letter.is_ascii_lowercase())][place];
            *hand = hand.saturating_add(1).min(9);
        }
        let mover = match mover {
            "S" => Side::First,
            "G" => Side::Second,
            _ => return Err(ParseError::new(format!("S or G is to move, not {mover:?}"))),
        };
        if mover == Side::Second {
            position = position.turned();
        }
        match position.fault() {
            Some(fault) => Err(ParseError::new(fault)),
            None => Ok(Situation::new(position, mover)),
        }
    }

    fn format(&self, situation: &Situation<DobutsuPosition>) -> String {
        let seen = seen_by_sente(situation);
        let mut text = String::new();
        for rank in (0..4).rev() {
            for man in &seen.board[rank * 3..][..3] {
                text.push(man.map_or('.', letter));
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text.push(if situation.mover == Side::First { 'S' } else { 'G' });
        text.push(' ');
        let hands = hand(&seen, true) + &hand(&seen, false);
        text + if hands.is_empty() { "-" } else { &hands }
    }

    fn format_move(
        &self,
        situation: &Situation<DobutsuPosition>,
        mv: &DobutsuMove,
        _: &Step<DobutsuPosition>,
    ) -> String {
        let name = |square: u8| name(usize::from(square), situation.mover);
        let board = &situation.position.board;
        match *mv {
            DobutsuMove::Step { from, to } => {
                let animal = board[usize::from(from)].map_or(Animal::Lion, |man| man.animal);
                let joint = if board[usize::from(to)].is_some() { 'x' } else { '-' };
                let promotes = animal == Animal::Chick && usize::from(to) >= LAST_RANK;
                let end = if promotes { "+" } else { "" };
                format!("{}{}{joint}{}{end}", animal.letter(), name(from), name(to))
            }
            DobutsuMove::Drop { animal, to } => format!("{}*{}", animal.letter(), name(to)),
        }
    }

    fn draw(&self, situation: &Situation<DobutsuPosition>) -> String {
        let seen = seen_by_sente(situation);
        let mut text = String::from("   a b c\n");
        for rank in (0..4).rev() {
            let _ = write!(text, "{} ", 4 - rank);
            for man in &seen.board[rank * 3..][..3] {
                let _ = write!(text, " {}", man.map_or('.', letter));
            }
            let hand = match rank {
                3 => hand(&seen, false),
                0 => hand(&seen, true),
                _ => String::new(),
            };
            if !hand.is_empty() {
                let _ = write!(text, "   in hand: {hand}");
            }
            text.push('\n');
        }
        text + self.side_name(situation.mover) + " to move\n"
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "Sente",
            Side::Second => "Gote",
        }
    }
}

/// The position with Sente's men as the mover's own.
fn seen_by_sente(situation: &Situation<DobutsuPosition>) -> DobutsuPosition {
    match situation.mover {
        Side::First => situation.position,
        Side::Second => situation.position.turned(),
    }
}

/// The letter of a man; `own` men are Sente's.
fn letter(man: Man) -> char {
    let letter = man.animal.letter();
    if man.own { letter } else { letter.to_ascii_lowercase() }
}

/// The men in a hand; `own` is Sente's.
fn hand(seen: &DobutsuPosition, own: bool) -> String {
    let counts = seen.hands[usize::from(!own)];
    let men = Animal::IN_HAND.into_iter().zip(counts);
    men.flat_map(|(animal, count)| {
        std::iter::repeat_n(letter(Man { animal, own }), usize::from(count))
    })
    .collect()
}

/// The game for a list of games. Its inner loops are compiled here, once.
pub static GAME: GameInfo = GameInfo::of::<Dobutsu>("dobutsu");

impl Registered for Dobutsu {
    const ABOUT: &'static str = "dobutsu shogi: four animals a side, captured men are dropped";
    const OPTIONS: &'static [OptionInfo] = &[];

    fn from_options(_: &Options) -> Result<Self, String> {
        Ok(Dobutsu)
    }

    // Unit tests solve nothing, and solvers would be most of what is compiled for them.
    #[cfg(test)]
    fn erase(self) -> nutcracker_any::AnyGame {
        nutcracker_any::AnyGame::small(self)
    }
}
