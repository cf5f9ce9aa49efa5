//! King and rook against king, the chess ending on which databases are tried first: distances, a
//! symmetric board, two different sides.

mod numbering;

use std::fmt::Write;

use nutcracker_game::{Evaluate, GameId, ParseError, Rules, Score, Side, Situation, Step};

use nutcracker_any::{AnyGame, OptionInfo, Options, Registered};

/// White has king and rook, Black the king. Black draws by capturing the rook, or by stalemate.
#[derive(Clone, Debug)]
pub struct Krk;

/// Squares are 0 for a1, 1 for b1, 8 for a2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KrkPosition {
    /// Whether White is to move.
    pub white: bool,
    /// The white king.
    pub king: u8,
    /// The black king.
    pub black: u8,
    /// The rook, if it has not been captured.
    pub rook: Option<u8>,
}

fn xy(square: u8) -> (i8, i8) {
    ((square % 8) as i8, (square / 8) as i8)
}

fn square(x: i8, y: i8) -> Option<u8> {
    ((0..8).contains(&x) && (0..8).contains(&y)).then_some((y * 8 + x) as u8)
}

/// The name of a square.
fn name(at: u8) -> String {
    format!("{}{}", char::from(b'a' + at % 8), at / 8 + 1)
}

fn adjacent(a: u8, b: u8) -> bool {
    let ((ax, ay), (bx, by)) = (xy(a), xy(b));
    (ax - bx).abs() <= 1 && (ay - by).abs() <= 1
}

/// The squares around one.
fn around(centre: u8) -> impl Iterator<Item = u8> {
    let (x, y) = xy(centre);
    (-1..=1)
        .flat_map(move |dy| (-1..=1).filter_map(move |dx| square(x + dx, y + dy)))
        .filter(move |&to| to != centre)
}

/// The squares a rook reaches, up to the first of the blockers in every direction.
fn slides(rook: u8, blockers: [u8; 2]) -> Vec<u8> {
    let (x, y) = xy(rook);
    let mut squares = Vec::new();
    for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        let ray = (1..8).map_while(|n| square(x + n * dx, y + n * dy));
        squares.extend(ray.take_while(|to| !blockers.contains(to)));
    }
    squares
}

/// Whether the rook attacks a square, with the king as the only piece between.
fn attacks(rook: u8, target: u8, king: u8) -> bool {
    let ((rx, ry), (tx, ty)) = (xy(rook), xy(target));
    let (kx, ky) = xy(king);
    let between = |a: i8, b: i8, c: i8| a.min(c) < b && b < a.max(c);
    rook != target
        && (rx == tx && !(kx == rx && between(ry, ky, ty))
            || ry == ty && !(ky == ry && between(rx, kx, tx)))
}

impl KrkPosition {
    /// Whether the pieces can stand like this: on squares of their own, kings apart, and the side
    /// that has just moved not in check.
    fn is_legal(self) -> bool {
        let KrkPosition { white, king, black, rook } = self;
        let apart = rook != Some(king) && rook != Some(black) && !adjacent(king, black);
        apart && !(white && rook.is_some_and(|rook| attacks(rook, black, king)))
    }

    fn map(self, turn: impl Fn(u8) -> u8) -> Self {
        let KrkPosition { white, king, black, rook } = self;
        KrkPosition { white, king: turn(king), black: turn(black), rook: rook.map(turn) }
    }

    fn images(self) -> impl Iterator<Item = Self> {
        (0..8).map(move |image| {
            self.map(|at| {
                let (mut x, mut y) = xy(at);
                if image & 1 > 0 {
                    x = 7 - x;
                }
                if image & 2 > 0 {
                    y = 7 - y;
                }
                if image & 4 > 0 {
                    (x, y) = (y, x);
                }
                square(x, y).expect("the board is turned onto itself")
            })
        })
    }
}

impl Rules for Krk {
    type Position = KrkPosition;
    /// The squares a piece moves between.
    type Move = (u8, u8);

    fn id(&self) -> GameId {
        GameId::new("krk", "")
    }

    fn outcome(&self, position: &KrkPosition) -> Option<Score> {
        let mut moves = Vec::new();
        self.moves(position, &mut moves);
        let mated = position.rook.is_some_and(|rook| attacks(rook, position.black, position.king));
        moves.is_empty().then(|| -Score::from(!position.white && mated))
    }

    fn moves(&self, position: &KrkPosition, out: &mut Vec<(u8, u8)>) {
        let KrkPosition { white, king, black, rook } = *position;
        let Some(rook) = rook else { return };
        if white {
            let free = around(king).filter(|&to| to != rook && !adjacent(to, black));
            out.extend(free.map(|to| (king, to)));
            out.extend(slides(rook, [king, black]).into_iter().map(|to| (rook, to)));
        } else {
            let free = around(black)
                .filter(|&to| !adjacent(to, king) && (to == rook || !attacks(rook, to, king)));
            out.extend(free.map(|to| (black, to)));
        }
    }

    fn play(&self, position: &KrkPosition, &(from, to): &(u8, u8)) -> Step<KrkPosition> {
        let mut next = KrkPosition { white: !position.white, ..*position };
        if !position.white {
            next.black = to;
            if position.rook == Some(to) {
                next.rook = None;
                return Step::quiet(next).converting();
            }
        } else if from == position.king {
            next.king = to;
        } else {
            next.rook = Some(to);
        }
        Step::quiet(next)
    }

    fn start(&self) -> Situation<KrkPosition> {
        // Ke1, Ra1 against ke8.
        let position = KrkPosition { white: true, king: 4, black: 60, rook: Some(0) };
        Situation::new(position, Side::First)
    }

    fn parse(&self, text: &str) -> Result<Situation<KrkPosition>, ParseError> {
        let wrong = || {
            ParseError::new(
                "White's king, the rook or -, Black's king and the side to move are needed",
            )
        };
        let at = |name: &str, piece: char| {
            let name = name.strip_prefix(piece)?.as_bytes();
            let &[file, rank] = name else { return None };
            square(file.wrapping_sub(b'a') as i8, rank.wrapping_sub(b'1') as i8)
        };
        let words: Vec<&str> = text.split(' ').collect();
        let &[king, rook, black, mover] = words.as_slice() else { return Err(wrong()) };
        let white = mover == "w";
        let position = KrkPosition {
            white,
            king: at(king, 'K').ok_or_else(wrong)?,
            black: at(black, 'k').ok_or_else(wrong)?,
            rook: if rook == "-" { None } else { Some(at(rook, 'R').ok_or_else(wrong)?) },
        };
        if !position.is_legal() || !["w", "b"].contains(&mover) {
            return Err(ParseError::new("the pieces cannot stand like this"));
        }
        Ok(Situation::new(position, if white { Side::First } else { Side::Second }))
    }

    fn format(&self, situation: &Situation<KrkPosition>) -> String {
        let KrkPosition { white, king, black, rook } = situation.position;
        let rook = rook.map_or("-".to_owned(), |rook| format!("R{}", name(rook)));
        let mover = if white { 'w' } else { 'b' };
        format!("K{} {rook} k{} {mover}", name(king), name(black))
    }

    fn format_move(
        &self,
        situation: &Situation<KrkPosition>,
        &(from, to): &(u8, u8),
        step: &Step<KrkPosition>,
    ) -> String {
        let piece = if situation.position.rook == Some(from) { 'R' } else { 'K' };
        let takes = if step.converts { "x" } else { "" };
        format!("{piece}{takes}{}", name(to))
    }

    fn draw(&self, situation: &Situation<KrkPosition>) -> String {
        let KrkPosition { white, king, black, rook } = situation.position;
        let mut text = String::new();
        for rank in (0..8).rev() {
            let _ = write!(text, "{} ", rank + 1);
            for at in rank * 8..rank * 8 + 8 {
                let piece = match at {
                    _ if at == king => 'K',
                    _ if at == black => 'k',
                    _ if rook == Some(at) => 'R',
                    _ => '.',
                };
                let _ = write!(text, " {piece}");
            }
            text.push('\n');
        }
        let mover = if white { "White" } else { "Black" };
        text + "   a b c d e f g h\n" + mover + " to move\n"
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "White",
            Side::Second => "Black",
        }
    }
}

/// Positions are looked up, not guessed.
impl Evaluate for Krk {}

impl Registered for Krk {
    const ABOUT: &'static str = "king and rook against king, the chess ending";
    const OPTIONS: &'static [OptionInfo] = &[];

    fn from_options(_: &Options) -> Result<Self, String> {
        Ok(Krk)
    }

    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}
