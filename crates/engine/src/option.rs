//! Options of a player, described for those who set them.

/// An option of a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerOption {
    /// Its name; may contain blanks.
    pub name: String,
    /// Its values.
    pub kind: OptionKind,
}

/// The values of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// True or false.
    Switch {
        /// The default.
        default: bool,
    },
    /// An integer.
    Number {
        /// The default.
        default: i64,
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of several words.
    Choice {
        /// The default.
        default: String,
        /// The words.
        choices: Vec<String>,
    },
    /// None: setting it does something.
    Action,
    /// A text.
    Text {
        /// The default.
        default: String,
    },
}

impl PlayerOption {
    /// An option with this name.
    pub fn new(name: impl Into<String>, kind: OptionKind) -> Self {
        PlayerOption { name: name.into(), kind }
    }
}
