//! Rule sets that have a name: files that are compiled in.

use nutcracker_any::{AnyGame, GameInfo, OptionInfo, Options, Registered};
use nutcracker_game::GameId;

use crate::file::{Described, read_text};
use crate::{RuleSet, Sowing};

/// The rule sets that files can inherit from, with the text of their files.
pub const BASES: &[(&str, &str)] = &[
    ("awari", include_str!("../rulesets/awari.toml")),
    ("bestemshe", include_str!("../rulesets/bestemshe.toml")),
    ("bohnenspiel", include_str!("../rulesets/bohnenspiel.toml")),
    ("kalah", include_str!("../rulesets/kalah.toml")),
    ("mangala", include_str!("../rulesets/mangala.toml")),
    ("oware", include_str!("../rulesets/oware.toml")),
    ("vai-lung-thlan", include_str!("../rulesets/vai-lung-thlan.toml")),
];

/// The rule set with a name.
pub fn base(name: &str) -> Option<Described> {
    let (name, text) = BASES.iter().find(|(base, _)| *base == name)?;
    read_text(name, text).ok()
}

/// The options of a game with a name.
const OPTIONS: &[OptionInfo] = &[
    OptionInfo { name: "pits", value: Some("M"), about: "pits a side, 1 to 6", default: "6" },
    OptionInfo { name: "seeds", value: Some("N"), about: "seeds a pit at the start", default: "4" },
];

/// Defines the games with a name that are played by this crate.
macro_rules! games {
    ($($static:ident = $name:literal, $about:literal, $pits:literal, $seeds:literal;)+) => {
        $(#[doc = concat!("The game ", $name, ".")]
        pub static $static: GameInfo = {
            const OPTIONS: &[OptionInfo] = &[
                OptionInfo { default: $pits, ..self::OPTIONS[0] },
                OptionInfo { default: $seeds, ..self::OPTIONS[1] },
            ];
            GameInfo::new($name, $about, OPTIONS, |options| {
                make($name, options.number(&OPTIONS[0])?, options.number(&OPTIONS[1])?)
            })
        };)+
    };
}

games! {
    BESTEMSHE = "bestemshe", "five pits, first seed back, capture even numbers", "5", "5";
    BOHNENSPIEL = "bohnenspiel", "capture twos, fours and sixes on both sides", "6", "6";
    MANGALA = "mangala", "capture even numbers, and what lies opposite", "6", "4";
    OWARE = "oware", "Abapa, as people play it: a grand slam captures nothing", "6", "4";
    VAI_LUNG_THLAN = "vai-lung-thlan", "capture single seeds, the last ones of a sowing", "6", "5";
}

fn make(name: &'static str, pits: usize, seeds: usize) -> Result<AnyGame, String> {
    let known = base(name).ok_or_else(|| format!("there is no rule set {name:?}"))?;
    let size = |size: usize| u8::try_from(size).unwrap_or(u8::MAX);
    let rules = RuleSet { pits: size(pits), seeds: size(seeds), ..known.rules };
    Ok(Sowing::new(rules)?.called(GameId::new(name, format!("pits={pits}"))).erase())
}

/// A game of the family without a name of its own: `sowing`, with its rules in one line. The inner
/// loops of the family are compiled here, once.
pub static SOWING: GameInfo = GameInfo::of::<Sowing>("sowing");

impl Registered for Sowing {
    const ABOUT: &'static str = "any game of sowing on two rows; give a .toml file as its name";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo {
            name: "rules",
            value: Some("RULES"),
            about: "the rules in one line, as databases name them",
            default: "pits:6",
        },
        OPTIONS[1],
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let [rules, seeds] = Self::OPTIONS else { unreachable!("sowing has two options") };
        let known = RuleSet::from_canonical(options.text(rules))?;
        let seeds = u8::try_from(options.number(seeds)?).unwrap_or(u8::MAX);
        Sowing::new(RuleSet { seeds, ..known })
    }

    // Not the provided method: that would be compiled again in every crate that calls it.
    #[cfg(not(test))]
    fn erase(self) -> AnyGame {
        AnyGame::new(self)
    }

    // Unit tests solve nothing, and solvers would be most of what is compiled for them.
    #[cfg(test)]
    fn erase(self) -> AnyGame {
        AnyGame::small(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None of the games that come along is invented.
    #[test]
    fn every_game_names_where_its_rules_are_published() {
        for (name, text) in BASES {
            let source = text.lines().find_map(|line| line.strip_prefix("source = \""));
            let published = |source: &str| source.contains("http") || source.contains("(20");
            assert!(source.is_some_and(published), "{name}");
        }
    }
}
