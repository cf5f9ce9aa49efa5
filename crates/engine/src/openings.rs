//! Openings for matches: a few random moves to positions in which neither side is ahead, random
//! positions of a slice, or a list.

use std::collections::HashSet;

use nutcracker_game::{Game, Random, Side, Situation, SliceId};

use crate::{Played, Transcript};

/// Candidates generated for each opening requested.
const CANDIDATES: usize = 4;
/// Attempts for each candidate, where there are few different ones.
const TRIES: usize = 8;

/// Random openings of this many moves, different ones as long as there are enough: of all
/// candidates, the most balanced. `value` evaluates a position for its mover from there on, in
/// hundredths of a point. The same seed gives the same openings.
///
/// ```
/// use nutcracker_engine::level_openings;
/// use nutcracker_games::awari::Awari;
///
/// let game = Awari::new(6).unwrap();
/// let openings = level_openings(&game, 5, 4, 1, &mut |_| Ok::<_, String>(0)).unwrap();
/// assert_eq!(openings.len(), 5);
/// assert!(openings.iter().all(|opening| opening.moves().len() == 4));
/// ```
pub fn level_openings<G: Game, E>(
    game: &G,
    count: usize,
    plies: usize,
    seed: u64,
    value: &mut dyn FnMut(&Played<G>) -> Result<i32, E>,
) -> Result<Vec<Played<G>>, E> {
    let mut random = Random::new(seed);
    let mut seen = HashSet::new();
    let mut found: Vec<(i32, Played<G>)> = Vec::new();
    for _ in 0..count * CANDIDATES * TRIES {
        if found.len() >= count * CANDIDATES {
            break;
        }
        let Some(opening) = random_game(game, plies, &mut random) else { continue };
        if !seen.insert(*opening.now()) {
            continue;
        }
        let worth = value(&opening)?;
        let ahead = match opening.now().mover {
            Side::First => opening.lead(),
            Side::Second => -opening.lead(),
        };
        found.push(((100 * ahead + worth).abs(), opening));
    }
    if found.is_empty() {
        // A game that ends this early is played from its start.
        found.push((0, Played::from_start(game.clone())));
    }
    found.sort_by_key(|(unevenness, _)| *unevenness);
    Ok(found.iter().map(|(_, opening)| opening.clone()).cycle().take(count).collect())
}

/// Random positions of a slice in which the game is not over; from the start where there is none. The
/// same seed gives the same positions.
pub fn slice_openings<G: Game>(
    game: &G,
    slice: SliceId,
    count: usize,
    seed: u64,
) -> Vec<Played<G>> {
    let mut random = Random::new(seed);
    let one = || {
        let position = game.unrank(slice, random.below(game.slice_len(slice)))?;
        let played = Played::new(game.clone(), Situation::new(position, Side::First));
        played.ending().is_none().then_some(played)
    };
    // In the sparsest of slices, one number in some hundred stands for such a position.
    let drawn = std::iter::repeat_with(one).take(1000 * count.max(1)).flatten();
    let mut found: Vec<Played<G>> = drawn.take(count).collect();
    if found.is_empty() {
        found.push(Played::from_start(game.clone()));
    }
    found.iter().cloned().cycle().take(count).collect()
}

/// This many random moves; `None` if the game ends on the way.
fn random_game<G: Game>(game: &G, plies: usize, random: &mut Random) -> Option<Played<G>> {
    let mut played = Played::from_start(game.clone());
    for _ in 0..plies {
        let legal = played.legal();
        played.play(*legal.get(random.below(legal.len() as u64) as usize)?);
    }
    played.ending().is_none().then_some(played)
}

/// The openings of a text with games, such as one line of moves for each, or PDN; one for every
/// position that they lead to. The error is the rest of a sentence.
///
/// ```
/// use nutcracker_engine::listed_openings;
/// use nutcracker_games::checkers::Checkers;
///
/// let text = "# two ways to one position\n9-13 22-18 10-14\n10-14 22-18 9-13\n";
/// let openings = listed_openings(&Checkers::BY_PIECES, text).unwrap();
/// assert_eq!(openings.len(), 1);
/// assert_eq!(openings[0].names(), ["9-13", "22-18", "10-14"]);
/// ```
pub fn listed_openings<G: Game>(game: &G, text: &str) -> Result<Vec<Played<G>>, String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (number, transcript) in (1..).zip(Transcript::read_all(text).map_err(|e| e.to_string())?) {
        let wrong = |why: String| format!("opening {number}: {why}");
        if let Some(name) = transcript.game().filter(|name| *name != game.id().name) {
            return Err(wrong(format!("it is one of {name:?}")));
        }
        let (played, _) =
            transcript.replay(game.clone()).map_err(|error| wrong(error.to_string()))?;
        if played.ending().is_some() {
            return Err(wrong("the game is over after it".to_owned()));
        }
        if seen.insert(*played.now()) {
            found.push(played);
        }
    }
    if found.is_empty() { Err("it has no openings".to_owned()) } else { Ok(found) }
}
