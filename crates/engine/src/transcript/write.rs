//! Games written as other programs do.

use std::fmt;

use nutcracker_game::{Game, Notation, format_in};

use super::{FIRST, SECOND, openspiel};
use crate::Played;
use crate::record::{Outcome, Record, RecordedMove, write_lines, write_tag};

/// Writes a game in a notation, with the tags and comments of its record as far as that has them.
/// The error is one sentence.
///
/// ```
/// use nutcracker_engine::{Played, write_game};
/// use nutcracker_game::Notation;
/// use nutcracker_games::GAMES;
///
/// let oware = GAMES.game("oware", &Default::default()).unwrap();
/// let mut game = Played::from_start(oware);
/// game.play_named("D4")?;
/// game.play_named("d4")?;
/// let record = game.record("", ["Ada", "Bea"]);
/// let text = write_game(&game, &record, Notation::PlayStrategy).unwrap();
/// assert!(text.ends_with("\n\n1. d1e2 c2b1 *\n"));
/// let text = write_game(&game, &record, Notation::Auale).unwrap();
/// assert!(text.contains("[South \"Ada\"]") && text.ends_with("\n\n1. D d *\n"));
/// # Ok::<(), nutcracker_game::MoveError>(())
/// ```
pub fn write_game<G: Game>(
    played: &Played<G>,
    record: &Record,
    notation: Notation,
) -> Result<String, String> {
    let game = played.game();
    let start = format_in(game, played.start(), notation)?;
    let nameless = || format!("{} has no names for these moves", notation.program());
    let names = played.names_in(notation).ok_or_else(nameless)?;
    let elsewhere = *played.start() != game.start();
    let name = game.id().name;
    match notation {
        Notation::Own => Ok(record.to_string()),
        Notation::OpenSpiel if elsewhere => Err(format!(
            "OpenSpiel writes games from the start alone, and this one is from {start}"
        )),
        Notation::OpenSpiel => {
            openspiel::write(name, record.tag("Options").unwrap_or_default(), &names)
        }
        Notation::Auale | Notation::PlayStrategy | Notation::Uci => {
            let position = elsewhere.then_some(start);
            let mut text = String::new();
            // Writing to a `String` cannot fail.
            let _ = write_tags(&mut text, name, record, position, notation);
            let _ = write_lines(&mut text, pieces(played, record, &names, notation));
            Ok(text)
        }
    }
}

/// The result in a tag and behind the moves.
fn result(record: &Record, notation: Notation) -> String {
    let score = record.tag("Score").filter(|_| notation == Notation::Auale);
    match score {
        // By points, as Aualé has it, unless the game was decided otherwise.
        Some(score) if record.outcome != Outcome::Open => score.to_owned(),
        _ => record.outcome.to_string(),
    }
}

fn write_tags(
    text: &mut String,
    name: &str,
    record: &Record,
    position: Option<String>,
    notation: Notation,
) -> fmt::Result {
    let variant = match (name, notation) {
        ("oware", Notation::Auale) => "Oware Abapa".to_owned(),
        (name, _) => {
            let mut letters = name.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        }
    };
    let [first, second] = match notation {
        Notation::Auale => ["South", "North"],
        _ => ["P1", "P2"],
    };
    write_tag(text, "Variant", &variant)?;
    for name in ["Event", "Site", "Date", "Round"] {
        write_tag(text, name, record.tag(name).unwrap_or("?"))?;
    }
    write_tag(text, first, record.tag("First").unwrap_or("?"))?;
    write_tag(text, second, record.tag("Second").unwrap_or("?"))?;
    write_tag(text, "Result", &result(record, notation))?;
    if let Some(position) = position {
        write_tag(text, "FEN", &position)?;
    }
    let mut known = vec!["Game", "Position", "Variant", "FEN", "Result"];
    known.extend(["Event", "Site", "Date", "Round"]);
    known.extend(FIRST.iter().chain(&SECOND));
    if notation == Notation::Auale {
        known.push("Score");
    }
    let others = record.tags.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    for (name, value) in others {
        write_tag(text, name, value)?;
    }
    text.push('\n');
    Ok(())
}

/// The moves, two to a number, and the result.
fn pieces<G: Game>(
    played: &Played<G>,
    record: &Record,
    names: &[String],
    notation: Notation,
) -> impl Iterator<Item = String> {
    let mut pieces = Vec::new();
    for (ply, name) in names.iter().enumerate() {
        if ply % 2 == 0 {
            pieces.push(format!("{}.", ply / 2 + 1));
        }
        let gain =
            played.game().play(&played.situations()[ply].position, &played.moves()[ply]).gain;
        let captured = match notation {
            Notation::Auale if gain > 0 => format!("+{gain}"),
            _ => String::new(),
        };
        let said = record.moves.get(ply).cloned().unwrap_or_default();
        pieces.push(RecordedMove { name: format!("{name}{captured}"), ..said }.to_string());
    }
    pieces.push(result(record, notation));
    pieces.into_iter()
}
