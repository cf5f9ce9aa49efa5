//! Colours of the dialogue, where the terminal has them.

use std::io::{self, IsTerminal};

/// Marks text by colour, or leaves it as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    is_coloured: bool,
}

const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[1;33m";
const RESET: &str = "\x1b[0m";

impl Palette {
    /// Colours are for terminals, unless `NO_COLOR` disables or `CLICOLOR_FORCE` forces them.
    pub fn for_stdout() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let is_forced = variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let is_coloured = is_forced || io::stdout().is_terminal();
        Palette { is_coloured: is_coloured && variable("NO_COLOR").is_none() }
    }

    fn wrapped(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("{code}{text}{RESET}") } else { text.to_owned() }
    }

    /// What matters.
    pub fn bold(self, text: &str) -> String {
        self.wrapped(BOLD, text)
    }

    /// What is good.
    pub fn good(self, text: &str) -> String {
        self.wrapped(GREEN, text)
    }

    /// A board with what the last move changed marked. Every game draws its own board, so that
    /// boards are compared as text, word by word.
    pub fn changed(self, before: &str, after: &str) -> String {
        if !self.is_coloured {
            return after.to_owned();
        }
        let mut earlier = before.lines();
        let mut text = String::new();
        for line in after.lines() {
            let earlier: Vec<char> = earlier.next().unwrap_or(line).chars().collect();
            let chars: Vec<char> = line.chars().collect();
            let mut column = 0;
            for word in chars.chunk_by(|a, b| a.is_whitespace() == b.is_whitespace()) {
                let shown = word.strip_suffix(&[',']).unwrap_or(word);
                let differs = !is_same(earlier.get(column..column + shown.len()), shown);
                column += word.len();
                let word: String = word.iter().collect();
                let is_marked = differs && is_on_board(shown);
                text += &if is_marked { self.wrapped(YELLOW, &word) } else { word };
            }
            text.push('\n');
        }
        text
    }
}

/// Whether two words show the same; a possible move is an empty square.
fn is_same(earlier: Option<&[char]>, later: &[char]) -> bool {
    let shown = |c: &char| if *c == '*' { '.' } else { *c };
    earlier.is_some_and(|earlier| earlier.iter().map(shown).eq(later.iter().map(shown)))
}

/// Whether a word is a piece, a square or a number of them, rather than text beside the board.
fn is_on_board(word: &[char]) -> bool {
    match word {
        [one] => !one.is_whitespace() && *one != '*',
        _ => word.iter().all(char::is_ascii_digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_marked() {
        let coloured = Palette { is_coloured: true };
        let before = "  f  e\n  4  4  North 0\n  4 10  South 0, to move\n";
        let after = "  f  e\n  5  4  North 0, to move\n  0 11  South 2\n";
        let marked = "  f  e\n  <5>  4  North 0, to move\n  <0> <11>  South <2>\n";
        let marked = marked.replace('<', YELLOW).replace('>', RESET);
        assert_eq!(coloured.changed(before, after), marked);
        assert_eq!(Palette { is_coloured: false }.changed(before, after), after);
        // Moves that have become possible are not a change.
        assert_eq!(coloured.changed(". * x\n", "* . o\n"), format!("* . {YELLOW}o{RESET}\n"));
    }
}
