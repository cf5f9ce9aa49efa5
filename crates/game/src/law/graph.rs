//! The laws of slices: their names, what is below them, and their parts.

use super::Breach;
use crate::{Game, SliceId};

/// Checks the game's description of one slice.
pub(super) fn check<G: Game>(game: &G, slice: SliceId) -> Result<(), Breach> {
    let name = game.slice_name(slice);
    law!(
        !name.is_empty()
            && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'),
        "slice {slice} is called {name:?}, not small letters, digits and underscores"
    );
    law!(
        game.slice_named(&name) == Some(slice),
        "slice {slice} is called {name:?}, which names {:?}",
        game.slice_named(&name)
    );
    law!(
        game.select(&name).is_ok_and(|selected| selected.contains(&slice)),
        "{name:?} does not select the slice of that name"
    );
    let below = game.below(slice);
    law!(
        below.is_sorted_by(|a, b| a < b) && below.iter().all(|below| *below < slice),
        "the slices below {name} are not ascending, or have larger numbers"
    );
    law!(
        below.iter().all(|below| game.has_database(*below)),
        "slice {name} leads to a slice without a database"
    );
    let mut next = 0;
    for part in game.parts(slice) {
        law!(
            part.range.start == next && part.range.end >= next,
            "part {:?} of slice {name} begins at {}, not at {next}",
            part.name,
            part.range.start
        );
        next = part.range.end;
    }
    let len = game.slice_len(slice);
    law!(next == len, "the parts of slice {name} have {next} numbers, not {len}");
    Ok(())
}
