//! The moves of positions by the plain rules, as numbers: all that has to be compiled for each game
//! where tables hold bounds.

use std::ops::Range;

use nutcracker_game::{Game, SliceId, Turn};

/// A move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ply {
    /// Where it leads to.
    pub(crate) index: u64,
    pub(crate) slice: u32,
    pub(crate) gain: i8,
    /// Whether the same side moves again.
    pub(crate) stays: bool,
}

/// A position, and where its moves end in the list of all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expanded {
    /// The result, if the game is over; a number without a position counts as such.
    pub(crate) over: Option<i8>,
    end: u32,
}

/// Some positions and their moves.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    positions: Vec<Expanded>,
    moves: Vec<Ply>,
}

impl Expansion {
    /// The moves of all positions.
    pub(crate) fn moves(&self) -> &[Ply] {
        &self.moves
    }

    /// Each position with its moves.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (&Expanded, &[Ply])> {
        let mut start = 0;
        self.positions.iter().map(move |position| {
            let moves = &self.moves[start..position.end as usize];
            start = position.end as usize;
            (position, moves)
        })
    }
}

/// Which moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    All,
    /// Those that leave the slice.
    Exits,
}

/// A game's moves.
pub(crate) trait Plies: Sync {
    /// The moves of consecutive positions of a slice.
    fn expand(&self, slice: SliceId, range: Range<u64>, wanted: Wanted, out: &mut Expansion);
}

/// By the rules.
pub(crate) struct PlainPlies<'a, G>(pub(crate) &'a G);

impl<G: Game> Plies for PlainPlies<'_, G> {
    fn expand(&self, slice: SliceId, range: Range<u64>, wanted: Wanted, out: &mut Expansion) {
        let game = self.0;
        let holes = game.properties().holes;
        out.positions.clear();
        out.moves.clear();
        let mut steps = Vec::new();
        let mut position = game.unrank(slice, range.start);
        for index in range.clone() {
            match &mut position {
                Some(position) if !holes => {
                    if index > range.start {
                        game.next_index(slice, index, position);
                    }
                }
                _ => position = game.unrank(slice, index),
            }
            steps.clear();
            let over =
                position.as_ref().map_or(Some(0), |position| game.expand(position, &mut steps));
            for step in steps.iter().filter(|_| over.is_none()) {
                let (to, stays) = (game.slice_of(&step.next), step.turn == Turn::Stays);
                if wanted == Wanted::All || stays || to != slice {
                    out.moves.push(Ply {
                        index: game.rank(&step.next),
                        slice: to.0,
                        gain: step.gain as i8,
                        stays,
                    });
                }
            }
            out.positions.push(Expanded {
                over: over.map(|score| score as i8),
                end: out.moves.len() as u32,
            });
        }
    }
}
