//! What is wrong with a proof file.

use std::io;

use nutcracker_game::Score;
use thiserror::Error;

use crate::goal::Goal;
use crate::tables::TablesError;

/// Why a file is not accepted as a proof. Its text is one sentence.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is a file of another kind.
    #[error("it is not a proof file: its first line is not \"nutcracker-proof\" and a version")]
    Foreign,
    /// It is of a later version.
    #[error("it has format version {found}, and this program reads up to {known}; use a newer one")]
    Newer {
        /// Its version.
        found: u32,
        /// The latest version that is read.
        known: u32,
    },
    /// It is not as it was written.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// It is about another game.
    #[error("it is about {found}, not {expected}")]
    OtherGame {
        /// The game of the file.
        found: String,
        /// The game it is checked by.
        expected: String,
    },
    /// A line is wrong.
    #[error("line {line}: {fault}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The lines of a claim do not prove it.
    #[error("it does not prove {goal}: {fault}")]
    Unproven {
        /// The claim.
        goal: Goal,
        /// What is missing.
        fault: Fault,
    },
    /// It claims nothing.
    #[error("it claims nothing")]
    Empty,
    /// The check was stopped.
    #[error("the check was stopped")]
    Stopped,
}

/// What is wrong with a line of a proof file. Positions are in the game's notation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// It does not have the form of any line that may stand here.
    #[error("{0}")]
    Form(String),
    /// A text is no position, or not as the game writes that position.
    #[error("{text:?} is not a position as the game writes it{reason}")]
    Position {
        /// The text.
        text: String,
        /// What the game says, after a colon.
        reason: String,
    },
    /// A move is played where the game is over.
    #[error("the game is over at {position}")]
    Over {
        /// The position.
        position: String,
    },
    /// A move is not legal, or its name does not tell which one it is.
    #[error("{name:?} is not the name of one legal move at {position}")]
    Move {
        /// The position.
        position: String,
        /// The text.
        name: String,
    },
    /// A score is too small.
    #[error("{need} is needed at {position}, which {by} {score}")]
    Wrong {
        /// The position.
        position: String,
        /// What the proving side needs there.
        need: Score,
        /// What it gets.
        score: Score,
        /// Who says so.
        by: &'static str,
    },
    /// A position can arise for which the proof has no line, or none before the line that needs it.
    #[error("no line{above} shows how {need} is reached at {position}")]
    Missing {
        /// The position.
        position: String,
        /// What the proving side needs there.
        need: Score,
        /// ` above`, where a line below does not count.
        above: &'static str,
    },
    /// A move breaks the laws of slices, without which repetitions mean nothing.
    #[error("a move at {position} leads up to a larger slice, or stays in its slice and banks")]
    Lawless {
        /// The position it is played in.
        position: String,
    },
    /// The database that the proof names is not the one there is.
    #[error("the database of slice {slice} has digest {found}, and the proof rests on {expected}")]
    Digest {
        /// The name of the slice.
        slice: String,
        /// Of the database there is.
        found: String,
        /// Of the one that the proof names.
        expected: String,
    },
    /// A database cannot be read.
    #[error("{0}")]
    Tables(TablesError),
}
