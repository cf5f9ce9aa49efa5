//! The option `--openings`: a deck of openings by its name, or a file with them.

use nutcracker_any::AnyGame;
use nutcracker_engine::{Played, listed_openings};
use nutcracker_game::{Random, Rules};

use crate::failure::Failure;

/// Openings of a list.
#[derive(Debug, clap::Args)]
pub struct DeckOption {
    /// Openings by the name of a deck, such as ballots in checkers, or from a file: a line of moves
    /// for each, or games as `nutcracker annotate` reads them
    #[arg(long, value_name = "DECK|FILE")]
    openings: Option<String>,
}

impl DeckOption {
    /// The openings, each position once; `None` where the option is not given.
    pub fn read(&self, game: &AnyGame) -> Result<Option<Vec<Played<AnyGame>>>, Failure> {
        let Some(name) = &self.openings else { return Ok(None) };
        let deck = game.decks().iter().find(|deck| deck.name == name);
        let text = match deck {
            Some(deck) => (deck.openings)().join("\n"),
            None => std::fs::read_to_string(name).map_err(|error| {
                let known = match game.decks() {
                    [] => format!("{} has no decks with a name", game.id()),
                    decks => {
                        let names: Vec<&str> = decks.iter().map(|deck| deck.name).collect();
                        format!("the decks of {} are {}", game.id(), names.join(", "))
                    }
                };
                Failure::Usage(format!("cannot read the openings {name}: {error}; {known}"))
            })?,
        };
        listed_openings(game, &text)
            .map(Some)
            .map_err(|why| Failure::Usage(format!("the openings {name}: {why}")))
    }
}

/// This many openings of a list in random order, all of them before any comes again.
pub fn drawn(mut openings: Vec<Played<AnyGame>>, count: usize, seed: u64) -> Vec<Played<AnyGame>> {
    let mut random = Random::new(seed);
    for last in (1..openings.len()).rev() {
        openings.swap(last, random.below(last as u64 + 1) as usize);
    }
    openings.into_iter().cycle().take(count).collect()
}
