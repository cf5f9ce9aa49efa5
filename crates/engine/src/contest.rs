//! One game between two players, with a referee.

use std::time::{Duration, Instant};

use nutcracker_game::{Game, Side};

use crate::record::{OPENING, Outcome, Record, RecordedMove};
use crate::{Clock, MoveLimits, Played, Player, PlayerError, Thinker, TimeControl};

/// A player at the board, with its limits besides the clock.
pub struct Seat<'a, G: Game> {
    /// The player.
    pub player: &'a mut dyn Player<G>,
    /// Depth, positions, time.
    pub limits: MoveLimits,
    /// Whether it thinks in the opponent's time, too.
    pub ponders: bool,
}

impl<'a, G: Game> Seat<'a, G> {
    /// A player that thinks in its own time only.
    pub fn new(player: &'a mut dyn Player<G>, limits: MoveLimits) -> Self {
        Seat { player, limits, ponders: false }
    }
}

impl<G: Game> std::fmt::Debug for Seat<'_, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The conditions of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contest {
    /// The time control, if there is one.
    pub control: Option<TimeControl>,
    /// After this many moves of both players together the game is stopped and counted as it stands.
    pub longest: usize,
}

impl Default for Contest {
    fn default() -> Self {
        Contest { control: None, longest: 1000 }
    }
}

/// A finished game.
#[derive(Debug)]
pub struct Finished<G: Game> {
    /// The game.
    pub played: Played<G>,
    /// The winner.
    pub outcome: Outcome,
    /// Why it ended.
    pub why: String,
    /// The side that failed, if one did: the other one has won.
    pub fault: Option<(Side, PlayerError)>,
    /// Its moves, with the players' evaluations.
    pub moves: Vec<RecordedMove>,
}

impl Contest {
    /// Continues a game from an opening; the seats are the first and the second player's.
    pub fn play<G: Game>(&self, opening: Played<G>, seats: [Seat<'_, G>; 2]) -> Finished<G> {
        let names = opening.names();
        let moves = names.iter().map(|name| RecordedMove::new(name).with_comment(OPENING));
        let game = Finished {
            moves: moves.collect(),
            played: opening,
            outcome: Outcome::Open,
            why: String::new(),
            fault: None,
        };
        std::thread::scope(|scope| {
            let mut seated = Vec::new();
            for (seat, side) in seats.into_iter().zip([Side::First, Side::Second]) {
                let Seat { player, limits, ponders } = seat;
                let name = player.name();
                let ready = Thinker::start(scope, player);
                match ready.and_then(|mut thinker| thinker.new_game().map(|()| thinker)) {
                    Ok(thinker) => seated.push(Seated { name, thinker, limits, ponders }),
                    Err(error) => return game.lost(side, &error.to_string(), Some(error)),
                }
            }
            self.referee(game, &mut seated)
        })
    }

    fn referee<G: Game>(&self, mut game: Finished<G>, seated: &mut [Seated<G>]) -> Finished<G> {
        let mut clocks = self.control.map(|control| [Clock::new(control); 2]);
        let started = Instant::now();
        loop {
            if let Some(ending) = game.played.ending() {
                return game.counted(ending.to_string());
            }
            if game.played.moves().len() >= self.longest {
                let why = format!("stopped after {} moves and counted", self.longest);
                return game.counted(why);
            }
            let made = clocks.map_or([0, 0], |clocks| clocks.map(|clock| clock.moves()));
            if self.control.is_some_and(|control| control.stops_game(started.elapsed(), made)) {
                return game.counted("stopped by the time control and counted".to_owned());
            }
            let side = game.played.now().mover;
            let place = side as usize;
            let player = &mut seated[place];
            let limits = limits_for(&player.limits, clocks.as_ref(), side);
            let started = Instant::now();
            let thought = player.thinker.choose(&game.played, limits);
            let used = started.elapsed();
            let thought = match thought {
                Ok(thought) => thought,
                Err(error) => return game.lost(side, &error.to_string(), Some(error)),
            };
            if let Some(clocks) = &mut clocks
                && let Err(lost) = clocks[place].spend(used)
            {
                return game.lost(side, &format!("time: {lost}"), None);
            }
            if !game.played.legal().contains(&thought.best) {
                let error = PlayerError::NotLegal {
                    player: player.name.clone(),
                    position: game.played.game().format(game.played.now()),
                };
                return game.lost(side, &error.to_string(), Some(error));
            }
            game.moves.push(RecordedMove {
                name: game.played.name(&thought.best),
                value: thought.score,
                time: Some(Duration::from_millis(used.as_millis() as u64)),
                comment: None,
            });
            game.played.play(thought.best);
            if player.ponders
                && game.played.now().mover != side
                && let Some(reply) = thought.ponder
            {
                let limits = limits_for(&player.limits, clocks.as_ref(), side);
                player.thinker.ponder(&game.played, reply, limits);
            }
        }
    }
}

/// A player at the board, ready to play.
struct Seated<G: Game> {
    name: String,
    thinker: Thinker<G>,
    limits: MoveLimits,
    ponders: bool,
}

/// The limits of a player: its own, and the clocks where they run.
fn limits_for(limits: &MoveLimits, clocks: Option<&[Clock; 2]>, side: Side) -> MoveLimits {
    match clocks {
        None => *limits,
        Some(clocks) => MoveLimits {
            depth: limits.depth,
            nodes: limits.nodes,
            clock: Some(Clock::state(clocks, side)),
            ..MoveLimits::default()
        },
    }
}

impl<G: Game> Finished<G> {
    /// Decided by points.
    fn counted(mut self, why: String) -> Self {
        let margin = self.played.final_margin().unwrap_or_else(|| self.played.margin(0));
        self.outcome = Outcome::of_margin(margin);
        self.why = why;
        self
    }

    /// Decided by the failure of one side.
    fn lost(mut self, side: Side, why: &str, fault: Option<PlayerError>) -> Self {
        self.outcome = if side == Side::First { Outcome::Second } else { Outcome::First };
        self.why = format!("{} loses: {why}", self.played.game().side_name(side));
        self.fault = fault.map(|fault| (side, fault));
        self
    }

    /// The result of the first player: 1, one half or 0.
    pub fn result(&self) -> f64 {
        match self.outcome {
            Outcome::First => 1.0,
            Outcome::Second => 0.0,
            Outcome::Draw | Outcome::Open => 0.5,
        }
    }

    /// The record of the game; `options` are the rule options.
    pub fn record(&self, options: &str, names: [&str; 2]) -> Record {
        let mut record = of_played(&self.played, options, names);
        record.outcome = self.outcome;
        record.set("Result", self.outcome.to_string());
        if let Some([first, second]) = self.played.final_points() {
            record.set("Score", format!("{first}-{second}"));
        }
        record.set("Termination", self.why.clone());
        record.moves.clone_from(&self.moves);
        record
    }
}

/// The record of a game so far.
pub(crate) fn of_played<G: Game>(played: &Played<G>, options: &str, names: [&str; 2]) -> Record {
    let mut record = Record::default();
    record.set("Game", played.game().id().name);
    if !options.is_empty() {
        record.set("Options", options);
    }
    record.set("First", names[0]);
    record.set("Second", names[1]);
    record.set("Position", played.game().format(played.start()));
    record.moves = played.names().into_iter().map(RecordedMove::new).collect();
    record.outcome = played.final_margin().map_or(Outcome::Open, Outcome::of_margin);
    record.set("Result", record.outcome.to_string());
    record
}

impl<G: Game> Played<G> {
    /// The record of an unfinished game; `options` are the rule options.
    pub fn record(&self, options: &str, names: [&str; 2]) -> Record {
        of_played(self, options, names)
    }

    /// Replays a recorded game by the rules. The error is one sentence.
    pub fn replay(game: G, record: &Record) -> Result<Self, String> {
        let start = match record.tag("Position") {
            Some(text) => game.parse(text).map_err(|error| format!("its position: {error}"))?,
            None => game.start(),
        };
        let mut played = Played::new(game, start);
        for (mv, number) in record.moves.iter().zip(1..) {
            played.play_named(&mv.name).map_err(|error| format!("move {number}: {error}"))?;
        }
        Ok(played)
    }
}
