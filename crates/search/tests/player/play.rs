//! Games played to their end, by the rules.

use std::collections::HashSet;

use nutcracker_game::Random;
use nutcracker_game::{Game, Score, SliceId, Turn};
use nutcracker_search::player::Perfect;

use crate::solved::Solved;

/// Chooses moves; `history` holds the positions before this one.
pub trait Player<G: Game> {
    fn choose(&mut self, position: &G::Position, history: &[G::Position]) -> G::Move;
}

impl<G: Game> Player<G> for Perfect<G, &Solved> {
    fn choose(&mut self, position: &G::Position, history: &[G::Position]) -> G::Move {
        Perfect::choose(self, position, history).unwrap()
    }
}

/// Plays the moves that a closure returns.
pub struct By<F>(pub F);

impl<G: Game, F: FnMut(&G::Position, &[G::Position]) -> G::Move> Player<G> for By<F> {
    fn choose(&mut self, position: &G::Position, history: &[G::Position]) -> G::Move {
        (self.0)(position, history)
    }
}

pub fn moves<G: Game>(game: &G, position: &G::Position) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(position, &mut moves);
    moves
}

/// Any move.
pub fn random<G: Game>(game: &G, seed: u64) -> impl Player<G> {
    let mut random = Random::new(seed);
    By(move |position: &G::Position, _: &[G::Position]| {
        let moves = moves(game, position);
        moves[random.below(moves.len() as u64) as usize]
    })
}

/// What banks most at once; any of those.
pub fn greedy<G: Game>(game: &G, seed: u64) -> impl Player<G> {
    let mut random = Random::new(seed);
    By(move |position: &G::Position, _: &[G::Position]| {
        let mut moves = moves(game, position);
        let gain = |mv: &G::Move| game.play(position, mv).gain;
        let most = moves.iter().map(gain).max().unwrap();
        moves.retain(|mv| gain(mv) == most);
        moves[random.below(moves.len() as u64) as usize]
    })
}

/// What has become of a game.
#[derive(Debug)]
pub struct Played {
    /// What the first mover got, minus what the other got.
    pub first: Score,
    /// Where a position was repeated, which side repeated it, and its score for the first mover.
    pub repeated: Option<(bool, Score)>,
}

/// Plays from a position to the end of the game, or until a position repeats: what is on the board
/// is then divided.
pub fn game<G: Game>(
    game: &G,
    solved: &Solved,
    start: &G::Position,
    players: [&mut dyn Player<G>; 2],
) -> Played {
    let [first, second] = players;
    let (mut position, mut firsts_turn) = (*start, true);
    let mut history = Vec::new();
    let mut seen = HashSet::new();
    let mut banked = 0;
    loop {
        let sign = if firsts_turn { 1 } else { -1 };
        if !seen.insert((position, firsts_turn)) {
            let score = sign * solved.of(game, &position);
            let by_first = !firsts_turn;
            return Played { first: banked, repeated: Some((by_first, score)) };
        }
        if let Some(score) = game.outcome(&position) {
            return Played { first: banked + sign * score, repeated: None };
        }
        let player: &mut dyn Player<G> = if firsts_turn { first } else { second };
        let mv = player.choose(&position, &history);
        assert!(moves(game, &position).contains(&mv));
        let step = game.play(&position, &mv);
        banked += sign * step.gain;
        history.push(position);
        position = step.next;
        firsts_turn ^= step.turn == Turn::Passes;
    }
}

/// Any position of the slices `slices` where the game is not over.
pub fn any_position<G: Game>(
    game: &G,
    slices: std::ops::RangeInclusive<u32>,
    random: &mut Random,
) -> G::Position {
    loop {
        let choice = random.below(u64::from(slices.end() - slices.start() + 1)) as u32;
        let slice = SliceId(slices.start() + choice);
        let position = game.unrank(slice, random.below(game.slice_len(slice))).unwrap();
        if game.outcome(&position).is_none() {
            return position;
        }
    }
}
