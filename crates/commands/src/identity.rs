//! The game that a file names by its canonical options.

use nutcracker_any::AnyGame;
use nutcracker_game::Rules;

use crate::args::{Data, MetricOption, RuleOptions, Subject, games};

/// The game with this name, these canonical rule options and this start, with its databases in a
/// directory; the error is one sentence.
pub fn subject(
    name: &str,
    options: &str,
    start: &str,
    data: &Data,
) -> Result<(Subject, AnyGame), String> {
    let info = games().info(name).map_err(|error| error.to_string())?;
    let given = RuleOptions::from_text(info, &format!("{options},{start}"))?;
    // A canonical form may leave a flag out, so that it says what it said before there was the flag.
    let flags = info.options.iter().filter(|option| option.value.is_none());
    let flagged = flags.map(|option| {
        let mut rules = given.clone();
        rules.0.push((option.name, None));
        rules
    });
    for rules in [given.clone()].into_iter().chain(flagged) {
        let game = info.game(&rules.options()).map_err(|error| error.to_string())?;
        if (game.id().options.as_str(), game.start_options().as_str()) == (options, start) {
            let (game_name, data) = (name.to_owned(), data.clone());
            let metric = MetricOption::default();
            return Ok((Subject { game: game_name, rules, data, metric }, game));
        }
    }
    Err(format!("there is no {name} with the options {options:?}"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_game_that_is_not_known_is_an_error() {
        let data = Data { data: PathBuf::new() };
        let error = subject("go", "", "", &data).unwrap_err();
        assert!(error.starts_with("there is no game \"go\""), "{error}");
    }
}
