//! What the moves of a game say about its players, where databases count moves.

use std::error::Error;
use std::fmt;

use nutcracker_game::{Evaluate, Side};
use nutcracker_search::Oracle;
use nutcracker_search::player::{self, Level};

use crate::{Analyser, Played, PlayerError};

/// The largest competence that is considered.
const MOST: u16 = 50;

/// How well a side has played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Apparent {
    /// The competence of a reference player that is to be expected after its moves.
    pub competence: f64,
    /// The level whose competence is nearest, in the class of the first of these moves.
    pub level: Level,
    /// The moves of the side that show it: those with a choice.
    pub moves: u32,
}

impl fmt::Display for Apparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Apparent { competence, level, moves } = self;
        let plural = if *moves == 1 { "" } else { "s" };
        write!(
            f,
            "apparent competence {competence:.1}, nearest to level {level}, by {moves} move{plural} \
             with a choice"
        )
    }
}

impl<G: Evaluate, O> Analyser<G, O>
where
    O: Oracle<Error: Error + Send + 'static> + Send + Sync,
{
    /// How well both sides played the moves of a game after its `opening`; `None` for a side of which
    /// no move shows it.
    pub fn apparent(
        &mut self,
        played: &Played<G>,
        opening: usize,
    ) -> Result<[Option<Apparent>; 2], PlayerError> {
        let perfect = self.adviser.perfect();
        let history = played.history();
        // Of the class of the first move that counts, for both sides.
        let mut class = None;
        let mut seen: [Option<(player::Analyser, u32)>; 2] = [None, None];
        let moves = played.situations().iter().zip(played.moves()).enumerate();
        for (ply, (at, mv)) in moves.skip(opening) {
            let Some(moves) = perfect.prospects(&at.position, &history[..ply])? else { continue };
            let chosen = moves.iter().find(|(other, _)| other == mv).map(|(_, to)| *to);
            let prospects: Vec<player::Prospect> = moves.iter().map(|(_, to)| *to).collect();
            let Some(chosen) = chosen.filter(|_| prospects.iter().any(|to| *to != prospects[0]))
            else {
                continue;
            };
            if class.is_none() {
                class = perfect.trials(played.game().slice_of(&at.position))?;
            }
            let Some(trials) = &class else { continue };
            let side = &mut seen[usize::from(at.mover == Side::Second)];
            let (analyser, count) =
                side.get_or_insert_with(|| (player::Analyser::new(MOST, trials.farthest()), 0));
            analyser.observe(&prospects, chosen);
            *count += 1;
        }
        let Some(trials) = class else { return Ok([None, None]) };
        let levels: Vec<(Level, f64)> =
            Level::all().map(|level| (level, trials.competence(level.share()))).collect();
        Ok(seen.map(|side| {
            let (analyser, moves) = side?;
            let competence = analyser.competence();
            let away = |(_, of_level): &&(Level, f64)| (of_level - competence).abs();
            let nearest = levels.iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
            Some(Apparent { competence, level: nearest.0, moves })
        }))
    }
}
