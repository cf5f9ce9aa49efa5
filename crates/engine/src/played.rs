//! A game in progress: its start position, its moves, and the current position.

use std::fmt;

use nutcracker_game::{
    Game, MoveError, Notation, Score, Side, Situation, Step, find_move_in, shortened,
};

/// A game from its start to the current position.
///
/// ```
/// use nutcracker_engine::{Ending, Played};
/// use nutcracker_games::awari::Awari;
///
/// let mut game = Played::from_start(Awari::new(2).unwrap());
/// game.play_named("A")?;
/// game.play_named("b5")?;
/// assert_eq!(game.names(), ["A4", "b5"]);
/// assert!(game.play_named("b5").is_err());
/// assert_eq!(game.ending(), None);
/// # Ok::<(), nutcracker_game::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Played<G: Game> {
    game: G,
    /// One more than the moves.
    situations: Vec<Situation<G::Position>>,
    moves: Vec<G::Move>,
    /// What the first player has banked in these moves minus what the second has, after each.
    leads: Vec<i32>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// By the rules; the score of the side to move.
    Over(Score),
    /// The position repeated with the same side to move: it is worth what the rules say.
    Repeated,
}

impl<G: Game> Played<G> {
    /// A game that starts here.
    pub fn new(game: G, start: Situation<G::Position>) -> Self {
        Played { game, situations: vec![start], moves: Vec::new(), leads: vec![0] }
    }

    /// A game from the start position of the rules.
    pub fn from_start(game: G) -> Self {
        let start = game.start();
        Self::new(game, start)
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The start position.
    pub fn start(&self) -> &Situation<G::Position> {
        &self.situations[0]
    }

    /// The current position.
    pub fn now(&self) -> &Situation<G::Position> {
        &self.situations[self.moves.len()]
    }

    /// The moves so far.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// The situations before each move, and the current one.
    pub fn situations(&self) -> &[Situation<G::Position>] {
        &self.situations
    }

    /// The positions before the current one, oldest first, as their movers see them.
    pub fn history(&self) -> Vec<G::Position> {
        self.situations[..self.moves.len()].iter().map(|situation| situation.position).collect()
    }

    /// The plies since the last move that zeroes, with those before the start that its text told of.
    pub fn quiet(&self) -> u32 {
        let plies = self.situations.iter().zip(&self.moves).rev();
        let zeroes = |at: &G::Position, mv: &G::Move| self.game.play(at, mv).zeroes;
        let quiet = plies.take_while(|(at, mv)| !zeroes(&at.position, mv)).count();
        let before = if quiet == self.moves.len() { self.start().quiet } else { 0 };
        quiet as u32 + u32::from(before)
    }

    /// Whether no move has been played.
    pub fn is_new(&self) -> bool {
        self.moves.is_empty()
    }

    /// The game after this many of its moves.
    #[must_use]
    pub fn up_to(&self, moves: usize) -> Self {
        let mut game = self.clone();
        game.moves.truncate(moves);
        game.situations.truncate(moves + 1);
        game.leads.truncate(moves + 1);
        game
    }

    /// The legal moves; none where the game has ended, including by repetition.
    pub fn legal(&self) -> Vec<G::Move> {
        let mut moves = Vec::new();
        if self.ending().is_none() {
            self.game.moves(&self.now().position, &mut moves);
        }
        moves
    }

    /// The effect of a move.
    pub fn step(&self, mv: &G::Move) -> Step<G::Position> {
        self.game.play(&self.now().position, mv)
    }

    /// The name of a legal move.
    pub fn name(&self, mv: &G::Move) -> String {
        self.game.format_move(self.now(), mv, &self.step(mv))
    }

    /// The name of a legal move in a notation; in our own where that has none for it.
    pub fn name_in(&self, mv: &G::Move, notation: Notation) -> String {
        let foreign = self.game.format_move_in(self.now(), mv, &self.step(mv), notation);
        foreign.unwrap_or_else(|| self.name(mv))
    }

    /// The names of the moves so far.
    pub fn names(&self) -> Vec<String> {
        self.names_in(Notation::Own).unwrap_or_default()
    }

    /// The names of the moves so far in a notation; `None` where it has none for one of them.
    pub fn names_in(&self, notation: Notation) -> Option<Vec<String>> {
        let name = |(mv, at): (&G::Move, &Situation<G::Position>)| {
            self.game.format_move_in(at, mv, &self.game.play(&at.position, mv), notation)
        };
        self.moves.iter().zip(&self.situations).map(name).collect()
    }

    /// The names of a line of moves from here, as far as it is legal.
    pub fn line(&self, moves: &[G::Move]) -> Vec<String> {
        self.line_in(moves, Notation::Own)
    }

    /// The same in a notation; nothing where it has no names for them.
    pub fn line_in(&self, moves: &[G::Move], notation: Notation) -> Vec<String> {
        let mut ahead = Played::new(self.game.clone(), *self.now());
        for mv in moves {
            let mut legal = Vec::new();
            self.game.moves(&ahead.now().position, &mut legal);
            if !legal.contains(mv) {
                break;
            }
            ahead.play(*mv);
        }
        ahead.names_in(notation).unwrap_or_default()
    }

    /// The moves of a line from here given by their names, as far as they are legal.
    pub fn find_line(&self, names: &[impl AsRef<str>]) -> Vec<G::Move> {
        let mut ahead = Played::new(self.game.clone(), *self.now());
        names.iter().map_while(|name| ahead.play_named(name.as_ref()).ok()).collect()
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: G::Move) {
        let step = self.step(&mv);
        let lead = self.leads[self.moves.len()];
        let gain = i32::from(step.gain);
        self.leads.push(if self.now().mover == Side::First { lead + gain } else { lead - gain });
        self.situations.push(self.game.advance(self.now(), &step));
        self.moves.push(mv);
    }

    /// Plays the legal move with this name.
    pub fn play_named(&mut self, text: &str) -> Result<G::Move, MoveError> {
        let mv = self.find(text)?;
        self.play(mv);
        Ok(mv)
    }

    /// Takes the last move back; false where there is none.
    pub fn undo(&mut self) -> bool {
        let undone = self.moves.pop().is_some();
        if undone {
            self.situations.pop();
            self.leads.pop();
        }
        undone
    }

    /// Whether and how the game has ended here.
    pub fn ending(&self) -> Option<Ending> {
        let now = self.now();
        if let Some(score) = self.game.outcome(&now.position) {
            return Some(Ending::Over(score));
        }
        let same =
            |at: &&Situation<G::Position>| (at.position, at.mover) == (now.position, now.mover);
        let occurs = self.situations.iter().filter(same).take(self.game.occurrences()).count();
        (occurs == self.game.occurrences()).then_some(Ending::Repeated)
    }

    /// The first player's lead: what was banked before the start, as far as it is known, and since
    /// then.
    pub fn lead(&self) -> i32 {
        self.banked() + self.leads[self.moves.len()]
    }

    /// The first player's lead at the start, as far as it is known.
    fn banked(&self) -> i32 {
        self.start().banked.map_or(0, |[first, second]| i32::from(first) - i32::from(second))
    }

    /// The margin of the first player, if the rest is worth `score` to the side to move.
    pub fn margin(&self, score: Score) -> i32 {
        let score = i32::from(score);
        self.lead() + if self.now().mover == Side::First { score } else { -score }
    }

    /// What the position is worth to its mover if it repeats.
    pub fn repeated(&self) -> Score {
        self.game.repeated(&self.now().position)
    }

    /// The margin of the first player; `None` while the game is not over.
    pub fn final_margin(&self) -> Option<i32> {
        self.ending().map(|ending| match ending {
            Ending::Over(score) => self.margin(score),
            Ending::Repeated => self.margin(self.repeated()),
        })
    }

    /// Every position before a move, with what the rest of the game was worth to its mover; `None`
    /// while the game is not over.
    pub fn results(&self) -> Option<Vec<(G::Position, Score)>> {
        let margin = self.final_margin()?;
        let before = self.situations.iter().zip(&self.leads).take(self.moves.len());
        let rest = |(at, lead): (&Situation<G::Position>, &i32)| {
            let rest = margin - self.banked() - lead;
            (at.position, if at.mover == Side::First { rest } else { -rest } as Score)
        };
        Some(before.map(rest).collect())
    }

    /// The final points of both players, where the game counts them; `None` while it is not over.
    pub fn final_points(&self) -> Option<[f64; 2]> {
        let score = match self.ending()? {
            Ending::Over(score) => score,
            Ending::Repeated => self.repeated(),
        };
        self.game.final_result(self.now(), score)
    }

    /// The legal move with this name.
    ///
    /// A name is in the game's notation, or a part of it that is clear: see
    /// [`find_move`](nutcracker_game::find_move).
    pub fn find(&self, text: &str) -> Result<G::Move, MoveError> {
        self.find_in(text, Notation::Own)
    }

    /// The legal move with this name in a notation.
    pub fn find_in(&self, text: &str, notation: Notation) -> Result<G::Move, MoveError> {
        // None is legal any more where a repetition has ended the game.
        let legal = self.legal();
        let place = find_move_in(&self.game, self.now(), text, notation)?;
        let over = || MoveError::Illegal { text: shortened(text), legal: Vec::new() };
        legal.get(place).copied().ok_or_else(over)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Over(_) => "the game is over",
            Ending::Repeated => "the position was repeated, which ends the game",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nutcracker_game::Rules;
    use nutcracker_games::awari::Awari;

    #[test]
    fn a_move_has_several_names() {
        let awari = Awari::new(6).expect("six pits");
        let at = awari.parse("0,0,4,0,3,2/2,1,1,0,0,2 S 20-13").expect("a position");
        let game = Played::new(awari, at);
        let e3 = game.find("E3x5").expect("as printed");
        for text in ["E3", "E", "e", "e3x5", " E3x4 "] {
            assert_eq!(game.find(text), Ok(e3), "{text}");
        }
        for text in ["", "A", "G9", "E4", "E3x5x", "ß", "bestmove"] {
            let error = game.find(text).expect_err(text).to_string();
            assert!(error.ends_with("legal are C4x3, E3x5, F2x5"), "{error}");
        }
        assert_eq!(game.lead(), 7);
    }

    #[test]
    fn a_repetition_ends_the_game() {
        let awari = Awari::new(2).expect("two pits");
        let at = awari.parse("1,0/1,0 S 4-2").expect("a position");
        let mut game = Played::new(awari, at);
        for (ply, mv) in ["A1", "a1", "B1", "b1"].into_iter().enumerate() {
            assert_eq!(game.ending(), None, "after {ply} moves");
            game.play_named(mv).expect("legal");
        }
        assert_eq!(game.ending(), Some(Ending::Repeated));
        assert!(game.legal().is_empty());
        assert_eq!((game.final_margin(), game.final_points()), (Some(2), Some([5.0, 3.0])));
        let rest: Vec<_> = game.results().unwrap().into_iter().map(|(_, score)| score).collect();
        assert_eq!(rest, [0, 0, 0, 0]);
        assert!(game.undo() && game.ending().is_none());
    }
}
