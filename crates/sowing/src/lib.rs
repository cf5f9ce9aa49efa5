//! Games of sowing on two rows of pits, in single laps: one family, described by text files.
//!
//! Awari, oware, kalah and many others differ in a few rules: into which pits seeds are sown, what
//! the last one captures, what happens without a move. A [`RuleSet`] has these as data, read from
//! a TOML file ([`read_file`]) that may inherit from a named rule set; [`Sowing`] plays it.
//!
//! ```
//! use nutcracker_game::Rules;
//! use nutcracker_sowing::{GrandSlam, RuleSet, Sowing};
//!
//! let abapa = Sowing::new(RuleSet::ABAPA)?;
//! // C6 would capture all of North's seeds: it may be played, and captures nothing.
//! let at = abapa.parse("0,0,6,0,3,5/2,1,1,0,0,0 S 20-10")?;
//! let step = abapa.play(&at.position, &2);
//! assert_eq!((step.gain, abapa.format_move(&at, &2, &step)), (0, "C6".to_owned()));
//!
//! let legal = Sowing::new(RuleSet { grand_slam: GrandSlam::Legal, ..RuleSet::ABAPA })?;
//! assert_eq!(legal.play(&at.position, &2).gain, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod named;
mod numbering;
mod play;
mod row_moves;
mod rules;
mod ruleset;

use std::sync::Arc;

use nutcracker_boards::halves::Halves;
use nutcracker_game::GameId;

pub use file::{Described, FileError, read_file, read_text};
pub use named::{BASES, BESTEMSHE, BOHNENSPIEL, MANGALA, OWARE, SOWING, VAI_LUNG_THLAN, base};
pub use ruleset::{
    CapturesFrom, CapturesOwn, Counts, End, Feed, GrandSlam, Origin, Repetition, Rest, RuleSet,
};

/// A game of the family.
#[derive(Clone, Debug)]
pub struct Sowing {
    /// What the game is called if it has a name; else by its rules.
    id: Option<GameId>,
    rules: RuleSet,
    halves: Arc<Halves>,
    /// At `pit * (max + 1) + seeds`.
    patterns: Arc<[play::Pattern]>,
}

impl Sowing {
    /// The game with these rules; the error is one sentence.
    pub fn new(rules: RuleSet) -> Result<Self, String> {
        rules.check()?;
        let (pits, max) = (usize::from(rules.pits), rules.all_seeds());
        // Where scores are bounds, no solver needs the boards that no move leads to.
        let reachable = rules.repetition == Repetition::OwnRows && rules.leaves_a_gap();
        let halves = if reachable { Halves::reachable(pits, max) } else { Halves::new(pits, max) };
        let patterns = (0..pits).flat_map(|pit| play::patterns(&rules, pit, max)).collect();
        Ok(Sowing { id: None, rules, halves: Arc::new(halves), patterns })
    }

    /// The same game under a name, with its options.
    #[must_use]
    pub fn called(self, id: GameId) -> Self {
        Sowing { id: Some(id), ..self }
    }

    /// Its rules.
    pub fn rule_set(&self) -> &RuleSet {
        &self.rules
    }

    fn pits(&self) -> usize {
        self.halves.pits()
    }
}
