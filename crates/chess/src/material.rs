//! Material classes: which men each side has. They are the slices.

use std::sync::LazyLock;

use nutcracker_game::SliceId;

use crate::board::{ChessPosition, Role};

/// How many men of each kind a side has beside its king, in the order of [`Role::MEN`].
pub(crate) type Counts = [u8; 5];

/// The place of pawns in [`Counts`].
pub(crate) const PAWNS: usize = 4;

/// The most men, kings included, of a class with a database.
pub(crate) const MOST_MEN: usize = 5;

/// The men of both sides: the first has more of them or, if both have equally many, the better ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Material {
    pub sides: [Counts; 2],
}

impl Material {
    /// The class of two sides, and which of them is its first side.
    pub fn new(own: Counts, other: Counts) -> (Self, usize) {
        let order = |side: Counts| (side.iter().sum::<u8>(), side);
        if order(own) >= order(other) {
            (Material { sides: [own, other] }, 0)
        } else {
            (Material { sides: [other, own] }, 1)
        }
    }

    /// Men beside the kings.
    fn men(&self) -> usize {
        self.sides.iter().flatten().map(|&count| usize::from(count)).sum()
    }

    /// The pawns of both sides.
    pub fn pawns(&self) -> u8 {
        self.sides[0][PAWNS] + self.sides[1][PAWNS]
    }

    /// Whether both sides have the same men, so that exchanging them makes no difference.
    pub fn is_even(&self) -> bool {
        self.sides[0] == self.sides[1]
    }

    /// Its name, such as `krkn`.
    pub fn name(&self) -> String {
        self.side_name(0).to_lowercase() + &self.side_name(1).to_lowercase()
    }

    /// The men of a side, such as `KR`.
    pub fn side_name(&self, side: usize) -> String {
        let mut name = String::from("K");
        for (role, &count) in Role::MEN.iter().zip(&self.sides[side]) {
            name.extend(std::iter::repeat_n(role.letter(), count.into()));
        }
        name
    }

    /// The class that a text names, in whatever order, and upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut sides = Vec::new();
        for letter in name.chars() {
            match Role::from_letter(letter)? {
                Role::King => sides.push([0; 5]),
                role => {
                    let place = Role::MEN.iter().position(|&man| man == role)?;
                    let count: &mut u8 = &mut sides.last_mut()?[place];
                    *count = count.checked_add(1)?;
                }
            }
        }
        let [own, other] = sides[..] else { return None };
        Some(Material::new(own, other).0)
    }

    /// All classes that a move out of this one leads to.
    fn below(&self) -> Vec<Material> {
        let mut found = Vec::new();
        for mover in 0..2 {
            let (own, other) = (self.sides[mover], self.sides[1 - mover]);
            let mut own_after = vec![own];
            if own[PAWNS] > 0 {
                for place in 0..PAWNS {
                    let mut promoted = own;
                    promoted[PAWNS] -= 1;
                    promoted[place] += 1;
                    own_after.push(promoted);
                }
            }
            let mut other_after = vec![other];
            for place in (0..5).filter(|&place| other[place] > 0) {
                let mut taken = other;
                taken[place] -= 1;
                other_after.push(taken);
            }
            for &own in &own_after {
                found.extend(other_after.iter().map(|&other| Material::new(own, other).0));
            }
        }
        found.retain(|class| class != self);
        found
    }

    /// A number for the men of both sides.
    fn key(own: Counts, other: Counts) -> u32 {
        own.into_iter().chain(other).fold(0, |key, count| key << 3 | u32::from(count))
    }
}

/// All classes with databases, in an order in which they can be solved.
#[derive(Debug)]
pub(crate) struct Classes {
    /// By slice.
    pub all: Vec<Material>,
    /// By [`Material::key`]: the slice, and which side of its class the mover is.
    by_key: Vec<(u32, (u32, u8))>,
}

/// The only one.
pub(crate) static CLASSES: LazyLock<Classes> = LazyLock::new(Classes::new);

impl Classes {
    fn new() -> Self {
        let mut all: Vec<Material> = Vec::new();
        let mut add = |own, other| {
            let (class, _) = Material::new(own, other);
            if class.men() + 2 <= MOST_MEN && !all.contains(&class) {
                all.push(class);
            }
        };
        let sides = sides(MOST_MEN - 2);
        for &own in &sides {
            for &other in &sides {
                add(own, other);
            }
        }
        // Captures leave fewer men, promotions fewer pawns. Names stand for an order of their own.
        all.sort_by_key(|class| (class.men(), class.pawns(), std::cmp::Reverse(class.sides)));
        let mut by_key = Vec::new();
        for (slice, class) in (0..).zip(&all) {
            let [first, second] = class.sides;
            by_key.push((Material::key(first, second), (slice, 0)));
            if !class.is_even() {
                by_key.push((Material::key(second, first), (slice, 1)));
            }
        }
        by_key.sort_unstable();
        Classes { all, by_key }
    }

    /// The slice of these men, and which side of its class the mover is.
    #[inline]
    pub fn find(&self, own: Counts, other: Counts) -> Option<(SliceId, usize)> {
        let key = Material::key(own, other);
        let place = self.by_key.binary_search_by_key(&key, |entry| entry.0).ok()?;
        let (slice, mover) = self.by_key[place].1;
        Some((SliceId(slice), usize::from(mover)))
    }

    /// The slice of a class.
    pub fn slice(&self, class: &Material) -> Option<SliceId> {
        self.find(class.sides[0], class.sides[1]).map(|found| found.0)
    }

    /// The slices that moves out of this one lead to, ascending.
    pub fn below(&self, slice: SliceId) -> Vec<SliceId> {
        let below = self.all[slice.0 as usize].below();
        let mut slices: Vec<SliceId> = below.iter().filter_map(|class| self.slice(class)).collect();
        slices.sort_unstable();
        slices.dedup();
        slices
    }

    /// The slices with at most this many men.
    pub fn up_to(&self, men: usize) -> Vec<SliceId> {
        let fits = |(_, class): &(u32, &Material)| class.men() + 2 <= men;
        (0..).zip(&self.all).filter(fits).map(|(slice, _)| SliceId(slice)).collect()
    }
}

/// All that a side can have of at most `most` men.
fn sides(most: usize) -> Vec<Counts> {
    let mut found = vec![[0; 5]];
    for place in 0..5 {
        for side in found.clone() {
            for count in 1..=most as u8 - side.iter().sum::<u8>() {
                let mut more = side;
                more[place] = count;
                found.push(more);
            }
        }
    }
    found
}

/// The men of the side to move, and of the other side.
#[inline(always)]
pub(crate) fn counts(position: &ChessPosition) -> [Counts; 2] {
    [position.own(), position.other()]
        .map(|men| Role::MEN.map(|role| (position.of(role) & men).count_ones() as u8))
}
