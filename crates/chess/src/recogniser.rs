//! Two knights against a bishop or a knight: who wins is recognised by sets of squares, without a
//! search. After E. A. Heinz, Static Recognition of Potential Wins in KNNKB and KNNKN, with what the
//! databases show to be wrong there put right.

use nutcracker_game::Recognised;

use crate::attacks::{self, Set, squares};
use crate::board::{ChessPosition, Role};

const CORNERS: Set = 0x8100_0000_0000_0081;
const EDGE: Set = 0xFF81_8181_8181_81FF;
/// b2, g2, b7 and g7: the squares beside a corner that are not on the edge.
const EXTENDED: Set = 0x0042_0000_0000_4200;
/// c3, f3, c6 and f6, from which a knight covers the squares of the edge beside a corner.
const INNER: Set = 0x0000_2400_0024_0000;
/// The squares of the edge from which a king is checked by a bishop on a square of [`EXTENDED`].
const BESIDE: Set = 0x2400_8100_0081_0024;

fn has(set: Set, square: u8) -> bool {
    set >> square & 1 == 1
}

/// Two knights on one side, a bishop or a knight on the other.
struct Men {
    /// Whether the side with two knights is to move.
    strong_moves: bool,
    /// The king of the side with two knights, and the other.
    strong: u8,
    weak: u8,
    /// The two knights.
    pair: Set,
    /// The bishop or knight of the other side, and whether it is a bishop.
    minor: u8,
    is_bishop: bool,
    occupied: Set,
}

impl Men {
    /// `None` where there are other men.
    fn of(position: &ChessPosition) -> Option<Self> {
        let kings = position.of(Role::King);
        let knights = position.of(Role::Knight);
        let [own, other] = [position.own() & !kings, position.other() & !kings];
        let is_pair = |men: Set| men.count_ones() == 2 && men & !knights == 0;
        let strong_moves = is_pair(own);
        let (pair, minor) = if strong_moves { (own, other) } else { (other, own) };
        let light = knights | position.of(Role::Bishop);
        (is_pair(pair) && minor.is_power_of_two() && minor & !light == 0).then(|| Men {
            strong_moves,
            strong: position.king(strong_moves),
            weak: position.king(!strong_moves),
            pair,
            minor: minor.trailing_zeros() as u8,
            is_bishop: minor & knights == 0,
            occupied: position.occupied(),
        })
    }

    /// Whether the side with two knights would be mated by the minor on a square, with these knights
    /// left.
    fn is_mated_from(&self, square: u8, pair: Set) -> bool {
        let near = attacks::king(self.strong);
        let attacked = if self.is_bishop {
            // Only a bishop beside the king mates: there is always a knight that can stand between.
            if !has(near, square) {
                return false;
            }
            let men = self.occupied & !(1 << self.minor | 1 << self.strong);
            attacks::bishop(square, men)
        } else {
            attacks::knight(square)
        };
        let escapes = near & !pair & !attacked & !attacks::king(self.weak);
        has(attacked, self.strong) && escapes == 0 && attacks::knight(square) & pair == 0
    }

    /// Whether the minor can mate.
    fn minor_mates(&self) -> bool {
        let reach = if self.is_bishop {
            attacks::bishop(self.minor, self.occupied) & attacks::king(self.strong)
        } else {
            attacks::knight(self.minor) & attacks::knight(self.strong)
        };
        squares(reach & !(1 << self.weak)).any(|to| {
            let pair = self.pair & !(1 << to);
            attacks::knight(self.weak) & pair == 0 && self.is_mated_from(to, pair)
        })
    }

    /// The squares to which the king of the side with the minor can step.
    fn escapes(&self) -> Set {
        let knights = squares(self.pair).fold(0, |set, from| set | attacks::knight(from));
        let covered = knights | attacks::king(self.strong) | 1 << self.minor;
        attacks::king(self.weak) & !covered
    }

    /// The king of the minor's side is in a corner, behind its own man, and a knight covers the squares
    /// beside it: a check by the other knight is mate.
    fn is_trapped(&self) -> bool {
        has(CORNERS, self.weak)
            && has(EXTENDED & attacks::king(self.weak), self.minor)
            && self.pair & self.inner() != 0
    }

    fn inner(&self) -> Set {
        INNER & attacks::king(self.minor)
    }

    /// What the knights can do to a king that [is trapped](Men::is_trapped).
    fn trapped(&self) -> Recognised {
        let checks = attacks::knight(self.weak);
        if self.pair & checks != 0 {
            return Recognised::loss(0);
        }
        let near = attacks::king(self.minor);
        if self.is_bishop && (!self.strong_moves || has(near & BESIDE, self.strong)) {
            // It takes the knight, or checks so that a king has to move first.
            return Recognised::Draw;
        }
        let other = (self.pair & !self.inner()).trailing_zeros() as u8;
        let targets = checks & attacks::knight(other);
        if !self.strong_moves {
            return Recognised::Unknown;
        }
        if self.is_bishop || !has(attacks::knight(self.minor), self.strong) {
            let free = targets & !(1 << self.strong) != 0;
            return if free { Recognised::win(1) } else { Recognised::Unknown };
        }
        // In check, it steps to where it covers the minor's square, if a square for mate is left then.
        let steps = attacks::king(self.strong) & checks;
        if squares(steps).any(|step| targets & !(1 << step) != 0) {
            Recognised::win(2)
        } else {
            Recognised::Unknown
        }
    }

    /// Whether the kings are too far apart for a mate in the open, by what databases show.
    fn is_far(&self) -> bool {
        let (a, b) = (self.strong, self.weak);
        let distance = (a % 8).abs_diff(b % 8).max((a / 8).abs_diff(b / 8));
        distance > if self.strong_moves && !self.is_bishop { 4 } else { 3 }
    }
}

/// What is recognised of a position; `None` where it is none with these men.
pub(crate) fn recognise(position: &ChessPosition) -> Option<Recognised> {
    Men::of(position).map(|men| {
        // The minor wins by mate now, or not at all.
        if men.strong_moves {
            if men.is_mated_from(men.minor, men.pair) {
                return Recognised::loss(0);
            }
        } else if men.minor_mates() {
            return Recognised::win(1);
        }
        let (near, around) = (attacks::king(men.strong), attacks::king(men.weak));
        let boxed = has(CORNERS, men.strong) && near & !men.pair & !around == 0;
        // Boxed in, the knights' side does not win, unless the other side is mated already.
        if boxed
            && (men.strong_moves || men.escapes() != 0 || attacks::knight(men.weak) & men.pair == 0)
        {
            return Recognised::Draw;
        }
        let cage = EDGE | if men.is_bishop { 0 } else { EXTENDED };
        if !has(cage, men.weak) {
            return Recognised::Draw;
        }
        if men.is_trapped() {
            return men.trapped();
        }
        if men.is_far() || !men.strong_moves && men.escapes() & !cage != 0 {
            return Recognised::Draw;
        }
        Recognised::Unknown
    })
}
