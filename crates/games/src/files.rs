//! Games described by files: the game of the list that a file means.

use std::path::Path;

use nutcracker_any::GameInfo;
use nutcracker_sowing::{BASES, RuleSet, SOWING, base, read_file};

use crate::registry::GAMES;

/// The game that a file describes: one with a name where its rules are the same, so that it is
/// solved by the loops of that game and has its databases; else one of the family of sowing games.
pub(crate) fn read(path: &Path) -> Result<&'static GameInfo, String> {
    let described = read_file(path).map_err(|error| error.to_string())?;
    let rules = described.rules;
    let (known, given) = match named(&rules) {
        Some((known, given)) => (*known, given),
        None => (SOWING, format!("rules={},seeds={}", rules.canonical(), rules.seeds)),
    };
    let about = if described.about.is_empty() { known.about } else { &*described.about.leak() };
    // Once for each file that a command is given, and used until its end.
    Ok(Box::leak(Box::new(known.with(about, given.leak()))))
}

/// The game of the list with these rules, and its options.
fn named(rules: &RuleSet) -> Option<(&'static GameInfo, String)> {
    let &RuleSet { pits, seeds, .. } = rules;
    let same = |name: &str| {
        base(name).is_some_and(|known| RuleSet { pits, seeds, ..known.rules } == *rules)
    };
    let (name, _) = BASES.iter().find(|(name, _)| same(name))?;
    let info = GAMES.info(name).ok()?;
    if *name == "awari" {
        // It always begins with four stones in a pit.
        return (seeds == 4 && pits > 1).then(|| (info, format!("pits={pits}")));
    }
    Some((info, format!("pits={pits},seeds={seeds}")))
}
