//! Boards of two halves, numbered: what awari, kalah and their family have in common.

use nutcracker_game::combi::Rows;
use nutcracker_game::{ParseError, Score, Side, Situation};

/// The most pits a half can have.
pub const MAX_PITS: usize = 6;

/// Boards have fewer stones than this.
const LIMIT: usize = 128;

/// A one in every byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// One side's pits in the order of sowing; pits beyond the game's number stay empty. Padded to a
/// machine word, so that whole halves are added and summed at once.
pub type Half = [u8; 8];

/// A board as the side to move sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board {
    /// The mover's pits.
    pub own: Half,
    /// The opponent's pits.
    pub other: Half,
}

/// The stones in a half.
pub fn stones(half: &Half) -> usize {
    // The top byte of the product is the sum of all bytes; no game has 256 stones.
    (u64::from_le_bytes(*half).wrapping_mul(BYTES) >> 56) as usize
}

impl Board {
    /// The stones on the board.
    pub fn stones(&self) -> usize {
        stones(&self.own) + stones(&self.other)
    }

    /// The same board as the opponent sees it.
    #[must_use]
    pub fn turned(self) -> Self {
        Board { own: self.other, other: self.own }
    }
}

/// The index by halves.
///
/// Boards with n stones are numbered by σ, the stones on the mover's side, then by the mover's
/// half S, then by the other half N, both in lexicographic order:
/// base(n, σ) + rank(S) · C(ν + p - 1, p - 1) + rank(N), with ν = n - σ and p pits a half.
#[derive(Clone, Debug)]
pub struct Halves {
    rows: Rows,
    /// What each pit adds to the rank of its half, by the stones in it and behind it, wrapping;
    /// nothing for pits beyond the game's.
    steps: Box<[[u64; LIMIT]; MAX_PITS]>,
    /// The number of halves with so many stones.
    counts: Box<[u64; LIMIT]>,
    /// `bases[n * (max + 2) + own]`: see [`Halves::base`].
    bases: Vec<u64>,
}

impl Halves {
    /// The index for this many pits a half and up to `max` stones.
    pub fn new(pits: usize, max: usize) -> Self {
        assert!((1..=MAX_PITS).contains(&pits), "a half has 1 to {MAX_PITS} pits");
        assert!(max < LIMIT, "a board has fewer than {LIMIT} stones");
        let rows = Rows::new(pits, max);
        let mut steps = Box::new([[0; LIMIT]; MAX_PITS]);
        let mut counts = Box::new([0; LIMIT]);
        for stones in 0..=max {
            counts[stones] = rows.count(stones);
            for (pit, steps) in steps.iter_mut().enumerate().take(pits) {
                steps[stones] = rows.step(pit, stones);
            }
        }
        let mut bases = Vec::with_capacity((max + 1) * (max + 2));
        for n in 0..=max {
            let mut base = 0;
            for own in 0..max + 2 {
                bases.push(base);
                if own <= n {
                    base += rows.count(own) * rows.count(n - own);
                }
            }
        }
        Halves { rows, steps, counts, bases }
    }

    /// The numbering of single halves.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Pits a half.
    pub fn pits(&self) -> usize {
        self.rows.pits()
    }

    /// The number of boards with `n` stones.
    pub fn len(&self, n: usize) -> u64 {
        self.base(n, n + 1)
    }

    /// The number of boards with `n` stones, fewer than `own` of them on the mover's side.
    pub fn base(&self, n: usize, own: usize) -> u64 {
        self.bases[n * (self.rows.max() + 2) + own]
    }

    /// The rank of a half among those with as many stones.
    #[inline]
    pub fn half_rank(&self, half: &Half) -> u64 {
        // Byte i of the product is the sum of bytes 0 to i: all look-ups can begin at once.
        let sums = u64::from_le_bytes(*half).wrapping_mul(BYTES).to_le_bytes();
        let all = sums[7];
        let mut rank = self.steps[0][usize::from(all) % LIMIT];
        for (steps, before) in self.steps[1..].iter().zip(sums) {
            rank = rank.wrapping_add(steps[usize::from(all - before) % LIMIT]);
        }
        rank
    }

    /// The index of a board among those with as many stones.
    #[inline]
    pub fn rank(&self, board: &Board) -> u64 {
        let (own, other) = (stones(&board.own), stones(&board.other));
        self.base(own + other, own)
            + self.half_rank(&board.own) * self.counts[other % LIMIT]
            + self.half_rank(&board.other)
    }

    /// The board with `n` stones and this index.
    pub fn unrank(&self, n: usize, index: u64) -> Board {
        let own = (0..n).find(|&own| index < self.base(n, own + 1)).unwrap_or(n);
        let index = index - self.base(n, own);
        let row = self.rows.count(n - own);
        let mut board = Board::default();
        self.rows.unrank(own, index / row, &mut board.own);
        self.rows.unrank(n - own, index % row, &mut board.other);
        board
    }

    /// The board after this one among those with as many stones; after the last, any board.
    #[must_use]
    pub fn after(&self, mut board: Board) -> Board {
        if !self.rows.advance(&mut board.other) {
            let last = self.pits() - 1;
            let (own, other) = (stones(&board.own) as u8, stones(&board.other) as u8);
            board.other = Half::default();
            if self.rows.advance(&mut board.own) {
                board.other[last] = other;
            } else {
                board.own = Half::default();
                board.own[last] = own + 1;
                board.other[last] = other.saturating_sub(1);
            }
        }
        board
    }

    /// The index of the board whose halves are exchanged: the numbering by the opponent's half.
    pub fn second_rank(&self, board: &Board) -> u64 {
        self.rank(&board.turned())
    }
}

/// A board as a pair of half ids: the mover's and the other's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The id of the mover's half.
    pub own: u32,
    /// The id of the other half.
    pub other: u32,
}

impl Pair {
    /// The same board as the opponent sees it.
    #[must_use]
    pub fn turned(self) -> Self {
        Pair { own: self.other, other: self.own }
    }
}

/// The index by halves for one number of stones, from half ids: a multiplication and two additions.
#[derive(Clone, Debug)]
pub struct PairIndex {
    rows: Rows,
    stones: usize,
    /// By stones on the mover's side: index = origin + own id · row + other id, wrapping.
    origin: Vec<u64>,
    row: Vec<u64>,
    /// The index of the first board with so many stones on the mover's side.
    base: Vec<u64>,
}

/// Where the row of the last key begins and ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairCursor {
    start: u64,
    end: u64,
    own: u32,
    first_other: u32,
}

impl PairIndex {
    /// The index of boards with `n` stones.
    pub fn new(halves: &Halves, n: usize) -> Self {
        let rows = Rows::new(halves.pits(), n);
        let mut index =
            PairIndex { stones: n, origin: Vec::new(), row: Vec::new(), base: Vec::new(), rows };
        for own in 0..=n {
            let row = index.rows.count(n - own);
            let base = halves.base(n, own);
            let skipped = index.rows.first_id(own).wrapping_mul(row);
            let origin = base.wrapping_sub(skipped).wrapping_sub(index.rows.first_id(n - own));
            index.origin.push(origin);
            index.row.push(row);
            index.base.push(base);
        }
        index.base.push(halves.len(n));
        index
    }

    /// The numbering of halves with up to as many stones.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The number of boards.
    pub fn len(&self) -> u64 {
        self.base(self.stones + 1)
    }

    /// Whether there are none; there is always one.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The index of the first board with so many stones on the mover's side.
    pub fn base(&self, own: usize) -> u64 {
        self.base[own]
    }

    /// The boards with the same mover's half, which has so many stones.
    pub fn row(&self, own: usize) -> u64 {
        self.row[own]
    }

    /// The index of a board whose mover's half has so many stones.
    #[inline(always)]
    pub fn index(&self, own_stones: usize, pair: Pair) -> u64 {
        self.origin[own_stones]
            .wrapping_add(u64::from(pair.own) * self.row[own_stones])
            .wrapping_add(u64::from(pair.other))
    }

    /// The id of a half.
    pub fn id(&self, halves: &Halves, half: &Half) -> u32 {
        (self.rows.first_id(stones(half)) + halves.half_rank(half)) as u32
    }

    /// The half with this id.
    pub fn half(&self, id: u32) -> Half {
        let own = (0..self.stones).find(|&own| u64::from(id) < self.rows.first_id(own + 1));
        let own = own.unwrap_or(self.stones);
        let mut half = Half::default();
        self.rows.unrank(own, u64::from(id) - self.rows.first_id(own), &mut half);
        half
    }

    /// The ids of a board.
    pub fn key_of(&self, halves: &Halves, board: &Board) -> Pair {
        Pair { own: self.id(halves, &board.own), other: self.id(halves, &board.other) }
    }

    /// The ids of the board with this index.
    pub fn key_at(&self, cursor: &mut PairCursor, index: u64) -> Pair {
        if !(cursor.start..cursor.end).contains(&index) {
            let own = self.base.partition_point(|&base| base <= index) - 1;
            let row = (index - self.base[own]) / self.row[own];
            cursor.start = self.base[own] + row * self.row[own];
            cursor.end = cursor.start + self.row[own];
            cursor.own = (self.rows.first_id(own) + row) as u32;
            cursor.first_other = self.rows.first_id(self.stones - own) as u32;
        }
        Pair { own: cursor.own, other: cursor.first_other + (index - cursor.start) as u32 }
    }

    /// Visits all halves with up to as many stones in the order of their ids.
    pub fn for_each_half(&self, mut visit: impl FnMut(&Half)) {
        for own in 0..=self.stones {
            let mut half = Half::default();
            self.rows.unrank(own, 0, &mut half);
            loop {
                visit(&half);
                if !self.rows.advance(&mut half) {
                    break;
                }
            }
        }
    }
}

/// Writes a situation as `A,B,C/a,b,c S 4-2`: South's pits, North's pits, the side to move, and
/// what South and North have captured where that is known.
pub fn format(pits: usize, situation: &Situation<Board>) -> String {
    let Board { own, other } = situation.position;
    let (south, north, side) = match situation.mover {
        Side::First => (own, other, 'S'),
        Side::Second => (other, own, 'N'),
    };
    let list =
        |half: &Half| half[..pits].iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let captured = situation.banked.map(|[south, north]| format!(" {south}-{north}"));
    format!("{}/{} {side}{}", list(&south), list(&north), captured.unwrap_or_default())
}

/// Reads what [`format()`] writes; side and captures may be left out, South then moves.
///
/// `all` is the number of stones in the game and `things` what they are called.
pub fn parse(
    pits: usize,
    all: usize,
    things: &str,
    text: &str,
) -> Result<Situation<Board>, ParseError> {
    let mut words = text.split_whitespace();
    let board = words.next().ok_or_else(|| ParseError::new("the position is empty"))?;
    let halves: Vec<&str> = board.split('/').collect();
    let &[south, north] = halves.as_slice() else {
        return Err(ParseError::new(format!(
            "a position has South's and North's pits with one '/' between, not {board:?}"
        )));
    };
    let south = parse_half(pits, things, "South", south)?;
    let north = parse_half(pits, things, "North", north)?;

    let mut word = words.next();
    let mover = match word {
        Some("S" | "s") => Side::First,
        Some("N" | "n") => Side::Second,
        Some(other) if !other.contains('-') => {
            return Err(ParseError::new(format!("the side to move is S or N, not {other:?}")));
        }
        _ => Side::First,
    };
    if word.is_some_and(|word| !word.contains('-')) {
        word = words.next();
    }
    let banked = word.map(|word| parse_captured(things, word)).transpose()?;
    if let Some(extra) = words.next() {
        return Err(ParseError::new(format!("{extra:?} is more than a position says")));
    }

    let on_board = stones(&south) + stones(&north);
    let captured = banked.map_or(0, |[south, north]| usize::from(south) + usize::from(north));
    if on_board + captured > all {
        return Err(ParseError::new(format!(
            "there are {} {things} on the board and captured, and the game has {all}",
            on_board + captured
        )));
    }
    let position = match mover {
        Side::First => Board { own: south, other: north },
        Side::Second => Board { own: north, other: south },
    };
    Ok(Situation { position, mover, banked })
}

fn parse_half(pits: usize, things: &str, who: &str, text: &str) -> Result<Half, ParseError> {
    let numbers: Vec<&str> = text.split(',').collect();
    if numbers.len() != pits {
        return Err(ParseError::new(format!(
            "{who} has {pits} pits, separated by commas, and {text:?} has {}",
            numbers.len()
        )));
    }
    let mut half = Half::default();
    for (pit, number) in half.iter_mut().zip(numbers) {
        *pit = parse_count(things, number)?;
    }
    Ok(half)
}

fn parse_captured(things: &str, text: &str) -> Result<[u16; 2], ParseError> {
    let counts: Vec<&str> = text.split('-').collect();
    let &[south, north] = counts.as_slice() else {
        return Err(ParseError::new(format!(
            "captured {things} are written like 20-10, South's first, not {text:?}"
        )));
    };
    Ok([u16::from(parse_count(things, south)?), u16::from(parse_count(things, north)?)])
}

/// A number of stones: at most three digits, so that no sum of them overflows.
fn parse_count(things: &str, text: &str) -> Result<u8, ParseError> {
    let digits = text.trim();
    if digits.starts_with('-') {
        return Err(ParseError::new(format!("{digits:?} is negative: no pit holds that")));
    }
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseError::new(format!("{digits:?} is not a number of {things}")));
    }
    digits.parse().map_err(|_| ParseError::new(format!("{digits} {things} are too many")))
}

/// The board for a terminal: North's pits above South's with the letters moves have, what each has
/// captured where that is known, and who moves.
///
/// ```
/// use nutcracker_games::halves::{draw, parse};
/// let at = parse(3, 18, "seeds", "0,12,1/2,0,0 S 2-1").unwrap();
/// assert_eq!(draw(3, &at), "   c  b  a
///    0  0  2   North 1
///    0 12  1   South 2, to move
///    A  B  C
/// ");
/// ```
pub fn draw(pits: usize, situation: &Situation<Board>) -> String {
    let Board { own, other } = situation.position;
    let (south, north) = match situation.mover {
        Side::First => (own, other),
        Side::Second => (other, own),
    };
    let side = |side: Side, name: &str| {
        let captured = situation.banked.map(|banked| format!(" {}", banked[side as usize]));
        let turn = if situation.mover == side { ", to move" } else { "" };
        format!("   {name}{}{turn}", captured.unwrap_or_default())
    };
    let row = |cells: Vec<String>, end: &str| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>2}")).collect();
        format!("  {}{end}\n", cells.join(" "))
    };
    let letters = |first: u8| (first..).take(pits).map(|letter| char::from(letter).to_string());
    let stones = |half: &Half| half[..pits].iter().map(ToString::to_string).collect::<Vec<_>>();
    let backwards = |cells: Vec<String>| cells.into_iter().rev().collect::<Vec<_>>();
    row(backwards(letters(b'a').collect()), "")
        + &row(backwards(stones(&north)), &side(Side::Second, "North"))
        + &row(stones(&south), &side(Side::First, "South"))
        + &row(letters(b'A').collect(), "")
}

/// What the two players are called.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "south",
        Side::Second => "north",
    }
}

/// What South and North end up with when the mover gets `score` more of what is on the board; an
/// odd number of stones that is divided equally gives each half a stone.
pub fn final_result(situation: &Situation<Board>, score: Score) -> Option<[f64; 2]> {
    let [mine, theirs] = situation.banked_by_mover()?;
    let on_board = situation.position.stones() as f64;
    let mover = f64::from(mine) + f64::midpoint(on_board, f64::from(score));
    let other = f64::from(theirs) + f64::midpoint(on_board, -f64::from(score));
    Some(match situation.mover {
        Side::First => [mover, other],
        Side::Second => [other, mover],
    })
}
