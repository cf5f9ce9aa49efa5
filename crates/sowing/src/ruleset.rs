//! The rules of one game of the family, as data.

use std::fmt;

use nutcracker_boards::halves::MAX_PITS;

/// The largest number of seeds of a game: scores must fit the databases.
pub(crate) const MAX_SEEDS: usize = 127;

/// Defines a choice between named ways to play: an enum with the names that files have for them.
macro_rules! choice {
    ($(#[$doc:meta])* $type:ident { $($(#[$item:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $type {
            $($(#[$item])* $variant,)+
        }

        impl $type {
            pub(crate) const NAMES: &'static [&'static str] = &[$($name),+];

            pub(crate) fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)+ }
            }

            pub(crate) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some($type::$variant),)+ _ => None }
            }
        }
    };
}

choice! {
    /// What sowing does with the pit that was emptied.
    Origin {
        /// It is passed over on every lap.
        Skip = "skip",
        /// It is sown into like any other pit when the seeds reach it again.
        Sow = "sow",
        /// The first seed goes back into it, unless it was the only one.
        FirstSeed = "first-seed",
    }
}

choice! {
    /// In which pits a last seed captures by the number of seeds it makes.
    CapturesFrom {
        /// In the opponent's.
        Opponent = "opponent",
        /// In any.
        Both = "both",
    }
}

choice! {
    /// What a last seed in an own pit that was empty captures.
    CapturesOwn {
        /// Nothing.
        Nothing = "nothing",
        /// Itself and the seeds of the pit opposite, if there are any.
        Opposite = "opposite",
        /// Itself and the seeds of the pit opposite, even if there are none.
        Always = "always",
    }
}

choice! {
    /// A move that would capture all seeds of the opponent.
    GrandSlam {
        /// It must not be played.
        Illegal = "illegal",
        /// It may be played and captures nothing.
        Nothing = "nothing",
        /// It captures like any other.
        Legal = "legal",
        /// It captures, and the opponent takes all other seeds: the game is over.
        Rest = "rest",
        /// It captures all but the pit into which the last seed fell.
        LeavesLast = "leaves-last",
        /// It captures all but the pit of the chain that was sown into first.
        LeavesFirst = "leaves-first",
    }
}

choice! {
    /// What a side must do for an opponent without a seed.
    Feed {
        /// Nothing.
        No = "no",
        /// Give a seed; without such a move it has no move.
        Must = "must",
        /// Give a seed if a move does; without one, any move is legal, also a grand slam.
        IfPossible = "if-possible",
    }
}

choice! {
    /// When the game is over.
    End {
        /// When the side to move has no legal move.
        NoMove = "no-move",
        /// As soon as one side has no seed after a move.
        EmptyRow = "empty-row",
        /// When no seed is left; a side without a legal move passes.
        EmptyBoard = "empty-board",
    }
}

choice! {
    /// Who takes the seeds that are left when the game is over.
    Rest {
        /// The opponent of the side that cannot move.
        Opponent = "opponent",
        /// Each side takes those of its own row.
        OwnRows = "own-rows",
        /// The side whose row is empty.
        EmptyRow = "empty-row",
    }
}

choice! {
    /// What a position that repeats means. The game is over there.
    Repetition {
        /// The seeds on the board are divided equally.
        Equal = "equal",
        /// Each side takes those of its own row.
        OwnRows = "own-rows",
    }
}

/// Numbers of seeds, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Counts(pub(crate) u128);

impl Counts {
    /// 2, 4, 6, and so on.
    pub(crate) const EVEN: Counts = Counts(0x5555_5555_5555_5555_5555_5555_5555_5554);

    /// These numbers, each less than 128.
    pub(crate) fn of(counts: impl IntoIterator<Item = u8>) -> Self {
        Counts(counts.into_iter().fold(0, |set, count| set | 1 << count))
    }

    pub(crate) fn contains(self, count: u8) -> bool {
        self.0 >> count & 1 == 1
    }

    /// Reads what [`Display`](fmt::Display) writes.
    fn named(text: &str) -> Option<Self> {
        match text {
            "even" => Some(Counts::EVEN),
            "none" => Some(Counts(0)),
            list => {
                let counts = list.split('+').map(|count| {
                    count.parse().ok().filter(|count| (1..=MAX_SEEDS as u8).contains(count))
                });
                Some(Counts::of(counts.collect::<Option<Vec<u8>>>()?))
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Counts::EVEN => f.write_str("even"),
            Counts(0) => f.write_str("none"),
            counts => {
                let counts = (0..128_u8).filter(|&count| counts.contains(count));
                let counts: Vec<String> = counts.map(|count| count.to_string()).collect();
                f.write_str(&counts.join("+"))
            }
        }
    }
}

/// The rules of a two-row game of sowing in single laps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// Pits a side.
    pub pits: u8,
    /// Seeds in every pit at the start.
    pub seeds: u8,
    /// What sowing does with the pit that was emptied.
    pub origin: Origin,
    /// Whether a player sows into the own store in passing.
    pub store: bool,
    /// Whether a last seed in the own store gives another turn.
    pub extra_turn: bool,
    /// A last seed that makes one of these numbers captures them.
    pub captures: Counts,
    /// In whose pits it does.
    pub captures_from: CapturesFrom,
    /// Whether the pits before it are captured too, as long as they hold one of these numbers.
    pub chain: bool,
    /// What a last seed in an own pit that was empty captures.
    pub captures_own: CapturesOwn,
    /// A move that would capture all seeds of the opponent.
    pub grand_slam: GrandSlam,
    /// What a side must do for an opponent without a seed.
    pub feed: Feed,
    /// When the game is over.
    pub end: End,
    /// Who takes the seeds that are left then.
    pub rest: Rest,
    /// What a position that repeats means.
    pub repetition: Repetition,
}

/// Every key of the canonical text, in its order.
const KEYS: [&str; 13] = [
    "pits",
    "origin",
    "store",
    "extra-turn",
    "captures",
    "captures-from",
    "chain",
    "captures-own",
    "grand-slam",
    "feed",
    "end",
    "rest",
    "repetition",
];

impl RuleSet {
    /// Abapa: what a file that says nothing else describes. Names of databases depend on it, so it
    /// never changes.
    pub const ABAPA: RuleSet = RuleSet {
        pits: 6,
        seeds: 4,
        origin: Origin::Skip,
        store: false,
        extra_turn: false,
        captures: Counts(1 << 2 | 1 << 3),
        captures_from: CapturesFrom::Opponent,
        chain: true,
        captures_own: CapturesOwn::Nothing,
        grand_slam: GrandSlam::Nothing,
        feed: Feed::Must,
        end: End::NoMove,
        rest: Rest::OwnRows,
        repetition: Repetition::OwnRows,
    };

    /// The value of a key, as text.
    fn value(&self, key: &str) -> String {
        let flag = |set: bool| if set { "yes" } else { "no" }.to_owned();
        match key {
            "pits" => self.pits.to_string(),
            "origin" => self.origin.name().to_owned(),
            "store" => flag(self.store),
            "extra-turn" => flag(self.extra_turn),
            "captures" => self.captures.to_string(),
            "captures-from" => self.captures_from.name().to_owned(),
            "chain" => flag(self.chain),
            "captures-own" => self.captures_own.name().to_owned(),
            "grand-slam" => self.grand_slam.name().to_owned(),
            "feed" => self.feed.name().to_owned(),
            "end" => self.end.name().to_owned(),
            "rest" => self.rest.name().to_owned(),
            _ => self.repetition.name().to_owned(),
        }
    }

    /// Sets a key; `None` where the value is not one it can have.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let flag = || match value {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        match key {
            "pits" => self.pits = value.parse().ok()?,
            "origin" => self.origin = Origin::named(value)?,
            "store" => self.store = flag()?,
            "extra-turn" => self.extra_turn = flag()?,
            "captures" => self.captures = Counts::named(value)?,
            "captures-from" => self.captures_from = CapturesFrom::named(value)?,
            "chain" => self.chain = flag()?,
            "captures-own" => self.captures_own = CapturesOwn::named(value)?,
            "grand-slam" => self.grand_slam = GrandSlam::named(value)?,
            "feed" => self.feed = Feed::named(value)?,
            "end" => self.end = End::named(value)?,
            "rest" => self.rest = Rest::named(value)?,
            "repetition" => self.repetition = Repetition::named(value)?,
            _ => return None,
        }
        Some(())
    }

    /// The rules in one line, by which databases and books name the game: the pits, and what is
    /// not as in Abapa. The seeds at the start are left out: databases are the same for all.
    ///
    /// ```
    /// use nutcracker_sowing::{GrandSlam, RuleSet};
    ///
    /// let rules = RuleSet { grand_slam: GrandSlam::Illegal, ..RuleSet::ABAPA };
    /// assert_eq!(rules.canonical(), "pits:6;grand-slam:illegal");
    /// assert_eq!(RuleSet::from_canonical("pits:6;grand-slam:illegal"), Ok(rules));
    /// ```
    pub fn canonical(&self) -> String {
        let parts = KEYS
            .iter()
            .filter(|&&key| key == "pits" || self.value(key) != RuleSet::ABAPA.value(key));
        let parts: Vec<String> = parts.map(|key| format!("{key}:{}", self.value(key))).collect();
        parts.join(";")
    }

    /// Reads [`canonical`](RuleSet::canonical); the error is one sentence.
    pub fn from_canonical(text: &str) -> Result<Self, String> {
        let mut rules = RuleSet::ABAPA;
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let known = part.split_once(':').and_then(|(key, value)| rules.set(key, value));
            if known.is_none() {
                return Err(format!("{part:?} is no rule of a game of sowing"));
            }
        }
        rules.check()?;
        Ok(rules)
    }

    /// The first contradiction: the key that should change, and why. The seeds are checked too.
    pub(crate) fn contradiction(&self) -> Option<(&'static str, String)> {
        let (pits, seeds) = (usize::from(self.pits), usize::from(self.seeds));
        if !(1..=MAX_PITS).contains(&pits) {
            return Some(("pits", format!("a side has 1 to {MAX_PITS} pits, not {pits}")));
        }
        let most = MAX_SEEDS / (2 * pits);
        if !(1..=most).contains(&seeds) {
            return Some((
                "seeds",
                format!(
                    "with {pits} pits a side, a pit begins with 1 to {most} seeds, not {seeds}"
                ),
            ));
        }
        if self.extra_turn && !self.store {
            return Some(("extra-turn", "another turn needs a store to sow into".to_owned()));
        }
        if self.store && self.repetition == Repetition::OwnRows && self.extra_turn {
            let why = "with extra turns, a repetition can only divide the seeds equally";
            return Some(("repetition", why.to_owned()));
        }
        None
    }

    /// An error where the rules contradict each other, in one sentence.
    pub fn check(&self) -> Result<(), String> {
        self.contradiction().map_or(Ok(()), |(_, why)| Err(why))
    }

    /// Whether the side that has just moved always has an empty pit, so that databases can leave
    /// out positions in which it has none.
    pub(crate) fn leaves_a_gap(&self) -> bool {
        self.origin == Origin::Skip && !self.store && self.end != End::EmptyBoard
    }

    /// The seeds of the whole game.
    pub(crate) fn all_seeds(&self) -> usize {
        2 * usize::from(self.pits) * usize::from(self.seeds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_text_that_is_read_back() {
        let mut rules = RuleSet::ABAPA;
        assert_eq!(rules.canonical(), "pits:6");
        let others = [
            ("pits", "5"),
            ("origin", "first-seed"),
            ("store", "yes"),
            ("captures", "even"),
            ("captures", "none"),
            ("captures", "1+4+127"),
            ("captures-from", "both"),
            ("chain", "no"),
            ("captures-own", "always"),
            ("grand-slam", "leaves-first"),
            ("feed", "if-possible"),
            ("end", "empty-board"),
            ("rest", "empty-row"),
            ("repetition", "equal"),
            ("extra-turn", "yes"),
        ];
        for (key, value) in others {
            rules.set(key, value).unwrap();
            assert_eq!(rules.value(key), value);
            assert_eq!(RuleSet::from_canonical(&rules.canonical()), Ok(rules), "{key}");
        }
        // It stands in the header of every file, in at most 255 bytes.
        assert!(rules.canonical().len() < 230, "{}", rules.canonical());
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in ["pits", "pits:", "moons:3", "chain:maybe", "captures:0", "captures:128"] {
            let error = RuleSet::from_canonical(text).unwrap_err();
            assert!(error.contains("is no rule of a game of sowing"), "{error}");
        }
        let error = RuleSet::from_canonical("pits:7").unwrap_err();
        assert_eq!(error, "a side has 1 to 6 pits, not 7");
        let error = RuleSet::from_canonical("pits:6;extra-turn:yes").unwrap_err();
        assert_eq!(error, "another turn needs a store to sow into");
    }
}
