//! Games as files have them: our own records, and what other programs write.
//!
//! Whose notation a file is in is found out here, and nowhere else:
//!
//! | text | a game |
//! |---|---|
//! | it begins with the heading `[Meta]`, after comments | `OpenSpiel`'s game and state |
//! | it begins with a tag, a number of a move, or a comment | tags and moves: with the tag `Game` ours, else by the looks of the moves OGN, PDN, `PlayStrategy`'s or ours |
//! | anything else | a line: the moves, by their looks; after a position and the word `moves` from there |
//!
//! Where the rules have no names of moves in a notation, the moves are read as ours.

mod openspiel;
pub(crate) mod pdn;
mod write;

use nutcracker_game::{Game, Notation, Situation, shortened};

use crate::Played;
use crate::record::{Located, Outcome, Record, RecordError, RecordedMove, locate_all};
pub use write::write_game;

/// A game of a file.
///
/// ```
/// use nutcracker_engine::Transcript;
/// use nutcracker_games::GAMES;
///
/// let text = "[Variant \"Oware Abapa\"]\n[Result \"*\"]\n\n1. F f 2. B e\n";
/// let game = Transcript::read_all(text)?.swap_remove(0);
/// assert_eq!(game.game().as_deref(), Some("oware"));
/// let oware = GAMES.game("oware", &Default::default()).unwrap();
/// let (played, record) = game.replay(oware)?;
/// assert_eq!(played.names(), ["F4", "f4", "B5", "e4"]);
/// assert_eq!(record.tag("Game"), Some("oware"));
/// # Ok::<(), nutcracker_engine::record::RecordError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transcript {
    located: Located,
    notation: Notation,
}

impl Transcript {
    /// All games of a text, in order.
    pub fn read_all(text: &str) -> Result<Vec<Self>, RecordError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if openspiel::is_state(text) {
            let located = openspiel::read(text)?;
            return Ok(vec![Transcript { located, notation: Notation::OpenSpiel }]);
        }
        let all = if has_tags(text) { locate_all(text)? } else { lines(text) };
        let transcript = |located: Located| {
            let notation = notation_of(&located.record);
            Transcript { located, notation }
        };
        Ok(all.into_iter().map(transcript).collect())
    }

    /// The game as it is written.
    pub fn record(&self) -> &Record {
        &self.located.record
    }

    /// The name of the game, if the text has it.
    pub fn game(&self) -> Option<String> {
        let Located { record, .. } = &self.located;
        if let Some(name) = record.tag("Game") {
            return Some(name.to_owned());
        }
        if let Some(name) = pdn::game(record) {
            return Some(name);
        }
        Some(match record.tag("Variant")?.trim().to_lowercase().as_str() {
            "oware abapa" | "abapa" => "oware".to_owned(),
            name if is_chess(name) => "chess".to_owned(),
            name => name.replace(' ', "-"),
        })
    }

    /// Its rule options.
    pub fn options(&self) -> &str {
        self.located.record.tag("Options").unwrap_or_default()
    }

    /// The notation of its moves, by their looks.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// Plays the moves by the rules. The record is the same game with our tags and our names of
    /// moves, and has a move for each that was played.
    pub fn replay<G: Game>(&self, game: G) -> Result<(Played<G>, Record), RecordError> {
        let start = game.start();
        self.replay_from(game, start)
    }

    /// The same from another position, unless the text has one.
    pub fn replay_from<G: Game>(
        &self,
        game: G,
        start: Situation<G::Position>,
    ) -> Result<(Played<G>, Record), RecordError> {
        let Located { record, move_lines, .. } = &self.located;
        let known = game.format_in(&game.start(), self.notation).is_some();
        let notation = if known { self.notation } else { Notation::Own };
        let mut played = match self.position() {
            Some((text, line)) => {
                let start = game.parse(text).map_err(|error| RecordError {
                    line,
                    what: format!("its position: {error}"),
                })?;
                Played::new(game, start)
            }
            None => Played::new(game, start),
        };
        let is_pdn = notation == Notation::Own && pdn::is_game(record);
        let mut moves = Vec::with_capacity(record.moves.len());
        for (written, &line) in record.moves.iter().zip(move_lines) {
            let wrong = |what: String| RecordError { line, what };
            let names = if is_pdn {
                vec![pdn::name(&written.name)]
            } else {
                names_of(&written.name, notation).map_err(wrong)?
            };
            for name in names {
                let number = played.moves().len() + 1;
                let mv = played
                    .find_in(&name, notation)
                    .map_err(|error| wrong(format!("move {number}: {error}")))?;
                moves.push(RecordedMove::new(played.name(&mv)));
                played.play(mv);
            }
            // What is said of several moves that are written together is said of the last.
            if let Some(last) = moves.last_mut() {
                let name = std::mem::take(&mut last.name);
                *last = RecordedMove { name, ..written.clone() };
            }
        }
        let record = match notation {
            // A record keeps its moves as they are written.
            Notation::Own if record.tag("Game").is_some() => record.clone(),
            _ => {
                let outcome = if pdn::white_is_second(played.game(), record) {
                    pdn::turned(record.outcome)
                } else {
                    record.outcome
                };
                Record { tags: self.tags(&played, outcome), moves, outcome }
            }
        };
        Ok((played, record))
    }

    /// The position at which it begins, and its line.
    fn position(&self) -> Option<(&str, usize)> {
        let Located { record, tag_lines, .. } = &self.located;
        let named = |name: &str| {
            let tags = record.tags.iter().zip(tag_lines);
            let mut found = tags.filter(|((tag, _), _)| tag == name);
            found.next().map(|((_, value), &line)| (value.as_str(), line))
        };
        named("Position").or_else(|| named("FEN"))
    }

    /// The tags as our records have them.
    fn tags<G: Game>(&self, played: &Played<G>, outcome: Outcome) -> Vec<(String, String)> {
        let theirs = &self.located.record;
        let [first, second] = if pdn::white_is_second(played.game(), theirs) {
            [["First", "Black"], ["Second", "White"]].map(|names| names.to_vec())
        } else {
            [FIRST, SECOND].map(|names| names.to_vec())
        };
        let first_of = |names: &[&str]| {
            let value = names.iter().find_map(|name| theirs.tag(name));
            value.filter(|value| *value != "?").map(ToOwned::to_owned)
        };
        let result = theirs.tag("Result").filter(|result| Outcome::parse(result).is_none());
        let score = theirs.tag("Score").or(result.filter(|result| result.contains('-')));
        let ours = [
            ("Game", Some(played.game().id().name.to_owned())),
            ("Options", first_of(&["Options"])),
            ("First", first_of(&first)),
            ("Second", first_of(&second)),
            ("Position", Some(played.game().format(played.start()))),
            ("Result", Some(outcome.to_string())),
            ("Score", score.map(ToOwned::to_owned)),
        ];
        let ours = ours.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let is_other = |(name, value): &&(String, String)| {
            let translated = ["Game", "Variant", "Options", "Position", "FEN", "Result", "Score"];
            let name = name.as_str();
            let known = [&translated[..], &FIRST, &SECOND].concat();
            value != "?" && !known.contains(&name)
        };
        ours.chain(theirs.tags.iter().filter(is_other).cloned()).collect()
    }
}

/// The tags with the name of the first player, and of the second.
const FIRST: [&str; 4] = ["First", "South", "P1", "White"];
const SECOND: [&str; 4] = ["Second", "North", "P2", "Black"];

/// Whether a text has tags and numbered moves, not one game a line.
fn has_tags(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.split_whitespace().next().unwrap_or_default();
    let after = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after.len() < word.len() && after.starts_with('.');
    numbered || text.starts_with(['[', '{', ';', '%'])
}

/// Games of one line each; lines that are empty or begin with # are left out.
fn lines(text: &str) -> Vec<Located> {
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    });
    let read = |(text, line): (&str, usize)| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let place = words.iter().position(|word| *word == "moves");
        let (before, moves) = match place {
            Some(place) => (&words[..place], &words[place + 1..]),
            None => (&[][..], &words[..]),
        };
        let mut located = Located { move_lines: vec![line; moves.len()], ..Located::default() };
        let words = before.iter().filter(|word| !["position", "startpos", "fen"].contains(word));
        let position = words.copied().collect::<Vec<_>>().join(" ");
        if !position.is_empty() {
            located.record.set("Position", position);
            located.tag_lines.push(line);
        }
        located.record.moves = moves.iter().map(|mv| RecordedMove::new(*mv)).collect();
        located
    };
    lines.map(read).collect()
}

/// Whose names the moves of a record are.
fn notation_of(record: &Record) -> Notation {
    let names = || record.moves.iter().map(|mv| mv.name.as_str());
    if record.tag("Game").is_some() {
        return Notation::Own;
    }
    if names().any(is_from_to) {
        return Notation::PlayStrategy;
    }
    if let Some(variant) = record.tag("Variant") {
        let chess = is_chess(&variant.trim().to_lowercase());
        return if chess { Notation::Own } else { Notation::Auale };
    }
    let is_number = |name: &str| name.len() < 3 && name.bytes().all(|b| b.is_ascii_digit());
    if record.moves.is_empty() {
        Notation::Own
    } else if names().all(is_number) {
        Notation::OpenSpiel
    } else if names().all(|name| letters(name).is_some()) {
        Notation::Auale
    } else {
        Notation::Own
    }
}

/// Whether chess servers call chess so, from its start or another position.
fn is_chess(variant: &str) -> bool {
    ["chess", "standard", "from position"].contains(&variant)
}

/// `d1e2`.
fn is_from_to(name: &str) -> bool {
    let square = |bytes: &[u8]| bytes[0].is_ascii_lowercase() && bytes[1].is_ascii_digit();
    let bytes = name.trim_end_matches(['!', '?']).as_bytes();
    bytes.len() == 4 && bytes.chunks(2).all(square)
}

/// The moves of a word: one, except that Aualé's may be written without blanks.
fn names_of(word: &str, notation: Notation) -> Result<Vec<String>, String> {
    match notation {
        Notation::Auale => letters(word).ok_or_else(|| {
            format!("moves are letters such as F or FfBe, not {:?}", shortened(word))
        }),
        _ => Ok(vec![word.to_owned()]),
    }
}

/// The letters of a word such as `F`, `FfBe` or `f+3?!`: what a move captures comes after a plus,
/// and marks after that.
pub(crate) fn letters(word: &str) -> Option<Vec<String>> {
    let (mut moves, mut rest) = (Vec::new(), word);
    while let Some(letter) = rest.chars().next() {
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        moves.push(letter.to_string());
        rest = &rest[1..];
        if let Some(after) = rest.strip_prefix('+') {
            rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() == after.len() {
                return None;
            }
        }
        rest = rest.trim_start_matches(['!', '?']);
    }
    (!moves.is_empty()).then_some(moves)
}
