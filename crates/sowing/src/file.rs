//! Rule sets from TOML files, with the line of whatever is wrong.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::named::{BASES, base};
use crate::ruleset::{
    CapturesFrom, CapturesOwn, Counts, End, Feed, GrandSlam, MAX_SEEDS, Origin, Repetition, Rest,
    RuleSet,
};

/// The keys of a file.
const KEYS: &[&str] = &[
    "inherits",
    "about",
    "source",
    "pits",
    "seeds",
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

/// How many files may inherit from each other.
const MOST_ANCESTORS: usize = 8;

/// What a file describes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// The rules.
    pub rules: RuleSet,
    /// The game in one line; empty where the file does not say.
    pub about: String,
}

/// What is wrong with a file: one sentence, with the file's name and the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError(String);

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FileError {}

/// Reads a file.
pub fn read_file(path: &Path) -> Result<Described, FileError> {
    read_path(path, 0)
}

fn read_path(path: &Path, depth: usize) -> Result<Described, FileError> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| FileError(format!("cannot read {name}: {error}")))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    read(&name.to_string(), &text, Some(directory), depth)
}

/// Reads the text of a file that inherits from no other file, only from rule sets with a name.
///
/// ```
/// use nutcracker_sowing::{GrandSlam, RuleSet, read_text};
///
/// let text = "inherits = \"oware\"\ngrand-slam = \"legal\"\n";
/// let legal = RuleSet { grand_slam: GrandSlam::Legal, ..RuleSet::ABAPA };
/// assert_eq!(read_text("my.toml", text).unwrap().rules, legal);
///
/// let error = read_text("my.toml", "pits = 6\ngrand-slam = \"maybe\"\n").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "my.toml:2: grand-slam is illegal, nothing, legal, rest, leaves-last or leaves-first, \
///      not \"maybe\""
/// );
/// ```
pub fn read_text(name: &str, text: &str) -> Result<Described, FileError> {
    read(name, text, None, 0)
}

/// A file being read.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
}

type Key<'a> = Spanned<Cow<'a, str>>;
type Value<'a> = Spanned<DeValue<'a>>;

impl Source<'_> {
    fn error(&self, span: Range<usize>, what: impl fmt::Display) -> FileError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        FileError(format!("{}:{line}: {what}", self.name))
    }

    fn text_of<'v>(&self, key: &str, value: &'v Value<'_>) -> Result<&'v str, FileError> {
        let text = value.get_ref().as_str();
        text.ok_or_else(|| self.error(value.span(), format_args!("{key} is a text in quotes")))
    }

    fn flag(&self, key: &str, value: &Value<'_>) -> Result<bool, FileError> {
        let flag = value.get_ref().as_bool();
        flag.ok_or_else(|| self.error(value.span(), format_args!("{key} is true or false")))
    }

    fn number(&self, key: &str, value: &Value<'_>) -> Result<u8, FileError> {
        let number = value.get_ref().as_integer();
        let number =
            number.and_then(|number| u8::from_str_radix(number.as_str(), number.radix()).ok());
        number.filter(|&number| usize::from(number) <= MAX_SEEDS).ok_or_else(|| {
            self.error(value.span(), format_args!("{key} is a whole number up to {MAX_SEEDS}"))
        })
    }

    fn choice<T>(
        &self,
        key: &str,
        value: &Value<'_>,
        names: &[&str],
        named: fn(&str) -> Option<T>,
    ) -> Result<T, FileError> {
        let text = self.text_of(key, value)?;
        named(text).ok_or_else(|| {
            let (last, others) = names.split_last().expect("there is a choice");
            let what = format!("{key} is {} or {last}, not {text:?}", others.join(", "));
            self.error(value.span(), what)
        })
    }

    fn counts(&self, key: &str, value: &Value<'_>) -> Result<Counts, FileError> {
        if value.get_ref().as_str() == Some("even") {
            return Ok(Counts::EVEN);
        }
        let what = format!("{key} is a list of numbers from 1 to {MAX_SEEDS}, or \"even\"");
        let Some(list) = value.get_ref().as_array() else {
            return Err(self.error(value.span(), what));
        };
        let mut counts = Vec::new();
        for count in list {
            match self.number(key, count) {
                Ok(number @ 1..) => counts.push(number),
                _ => return Err(self.error(count.span(), what)),
            }
        }
        Ok(Counts::of(counts))
    }

    /// The rules from which a file begins.
    fn inherited(
        &self,
        value: &Value<'_>,
        directory: Option<&Path>,
        depth: usize,
    ) -> Result<Described, FileError> {
        let name = self.text_of("inherits", value)?;
        if let Some(described) = base(name) {
            return Ok(described);
        }
        let is_file = Path::new(name).extension().is_some_and(|end| end == "toml");
        match directory.filter(|_| is_file) {
            Some(_) if depth == MOST_ANCESTORS => {
                let what = format!("more than {MOST_ANCESTORS} files inherit from each other");
                Err(self.error(value.span(), what))
            }
            Some(directory) => read_path(&directory.join(name), depth + 1),
            None => {
                let known: Vec<&str> = BASES.iter().map(|(name, _)| *name).collect();
                let what = format!(
                    "there is no rule set {name:?}; known are {}, and paths that end in .toml",
                    known.join(", ")
                );
                Err(self.error(value.span(), what))
            }
        }
    }

    fn set(&self, rules: &mut RuleSet, key: &Key<'_>, value: &Value<'_>) -> Result<(), FileError> {
        let name: &str = key.get_ref();
        match name {
            "pits" => rules.pits = self.number(name, value)?,
            "seeds" => rules.seeds = self.number(name, value)?,
            "origin" => rules.origin = self.choice(name, value, Origin::NAMES, Origin::named)?,
            "store" => rules.store = self.flag(name, value)?,
            "extra-turn" => rules.extra_turn = self.flag(name, value)?,
            "captures" => rules.captures = self.counts(name, value)?,
            "captures-from" => {
                let names = CapturesFrom::NAMES;
                rules.captures_from = self.choice(name, value, names, CapturesFrom::named)?;
            }
            "chain" => rules.chain = self.flag(name, value)?,
            "captures-own" => {
                let names = CapturesOwn::NAMES;
                rules.captures_own = self.choice(name, value, names, CapturesOwn::named)?;
            }
            "grand-slam" => {
                rules.grand_slam = self.choice(name, value, GrandSlam::NAMES, GrandSlam::named)?;
            }
            "feed" => rules.feed = self.choice(name, value, Feed::NAMES, Feed::named)?,
            "end" => rules.end = self.choice(name, value, End::NAMES, End::named)?,
            "rest" => rules.rest = self.choice(name, value, Rest::NAMES, Rest::named)?,
            "repetition" => {
                let names = Repetition::NAMES;
                rules.repetition = self.choice(name, value, names, Repetition::named)?;
            }
            "source" => {
                self.text_of(name, value)?;
            }
            _ => {
                let what = format!("there is no key {name:?}; known are {}", KEYS.join(", "));
                return Err(self.error(key.span(), what));
            }
        }
        Ok(())
    }
}

fn read(
    name: &str,
    text: &str,
    directory: Option<&Path>,
    depth: usize,
) -> Result<Described, FileError> {
    let source = Source { name, text };
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        source.error(error.span().unwrap_or(0..0), message)
    })?;
    let table = table.get_ref();
    let mut described = match table.get("inherits") {
        Some(value) => source.inherited(value, directory, depth)?,
        None => Described { rules: RuleSet::ABAPA, about: String::new() },
    };
    described.about.clear();
    for (key, value) in table {
        match &**key.get_ref() {
            "inherits" => {}
            "about" => source.text_of("about", value)?.clone_into(&mut described.about),
            _ => source.set(&mut described.rules, key, value)?,
        }
    }
    if let Some((key, why)) = described.rules.contradiction() {
        // The line of the key, or of the one it comes from.
        let given = table.get(key).or_else(|| table.get("inherits"));
        return Err(source.error(given.map_or(0..0, Spanned::span), why));
    }
    Ok(described)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        read_text("g.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn the_line_of_a_mistake_is_named() {
        let mistakes = [
            ("pits = 6\nmoons = 3\n", "g.toml:2: there is no key \"moons\"; known are inherits,"),
            ("\n\npits = \"six\"\n", "g.toml:3: pits is a whole number up to 127"),
            ("pits = -1\n", "g.toml:1: pits is a whole number up to 127"),
            ("pits = 6\n\nseeds = 11\n", "g.toml:3: with 6 pits a side, a pit begins with 1 to 10"),
            ("pits = 9\n", "g.toml:1: a side has 1 to 6 pits, not 9"),
            ("# none\ncaptures = [2, 0]\n", "g.toml:2: captures is a list of numbers from 1"),
            ("captures = \"odd\"\n", "g.toml:1: captures is a list of numbers from 1"),
            ("store = \"yes\"\n", "g.toml:1: store is true or false"),
            ("feed = 3\n", "g.toml:1: feed is a text in quotes"),
            ("pits = 5\ninherits = \"chess\"\n", "g.toml:2: there is no rule set \"chess\"; known"),
            ("inherits = \"oware\"\nextra-turn = true\n", "g.toml:2: another turn needs a store"),
            ("pits = 6\npits = 5\n", "g.toml:2: duplicate key"),
            ("pits = 6\nchain = \n", "g.toml:2: "),
        ];
        for (text, expected) in mistakes {
            let error = error(text);
            assert!(error.starts_with(expected), "{text:?}: {error}");
            assert!(!error.contains('\n'), "{error:?}");
        }
    }

    #[test]
    fn files_inherit_from_files() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        write("base.toml", "inherits = \"kalah\"\npits = 4\nabout = \"small\"\n");
        write("child.toml", "inherits = \"base.toml\"\nseeds = 2\n");
        let child = read_file(&dir.path().join("child.toml")).unwrap();
        assert_eq!((child.rules.pits, child.rules.seeds, child.rules.store), (4, 2, true));
        assert_eq!(child.about, "");
        write("loop.toml", "pits = 6\ninherits = \"loop.toml\"\n");
        let error = read_file(&dir.path().join("loop.toml")).unwrap_err().to_string();
        assert!(error.ends_with("loop.toml:2: more than 8 files inherit from each other"));
        let error = read_file(&dir.path().join("none.toml")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read "), "{error}");
    }
}
