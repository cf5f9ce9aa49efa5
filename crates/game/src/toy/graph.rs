//! Games that are nothing but a graph.

use std::sync::Arc;

use crate::{
    Evaluate, GameId, Numbering, ParseError, Random, Rules, Score, Side, Situation, SliceId, Step,
    Turn, plain_views,
};

/// A game given by its moves. Positions are numbered; each slice has `width` of them.
///
/// ```
/// use nutcracker_game::{Rules, toy::{Graph, Node}};
/// // 0 and 1 lead to each other; 1 may also end the game, which 2 has lost.
/// let to = |moves: &[u32]| Node::quiet(moves);
/// let graph = Graph::new(3, vec![to(&[1]), to(&[0, 2]), Node::over(-1)]);
/// assert_eq!(graph.outcome(&2), Some(-1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Positions a slice.
    pub width: u32,
    /// All positions.
    pub nodes: Arc<Vec<Node>>,
    /// Whether the game claims that no position repeats inside a slice.
    pub acyclic: bool,
}

/// A position: its moves, or its score where it has none.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What its moves do.
    pub steps: Vec<Step<u32>>,
    /// The score of the side to move where there are no moves.
    pub score: Score,
}

impl Node {
    /// A position with quiet moves.
    pub fn quiet(moves: &[u32]) -> Self {
        Node { steps: moves.iter().map(|&to| Step::quiet(to)).collect(), score: 0 }
    }

    /// A position in which the game is over.
    pub fn over(score: Score) -> Self {
        Node { steps: Vec::new(), score }
    }
}

/// The most a move of a random graph banks, and an end is worth.
const MOST: u64 = 3;

impl Graph {
    /// A game with these positions.
    pub fn new(width: u32, nodes: Vec<Node>) -> Self {
        Graph { width, nodes: Arc::new(nodes), acyclic: false }
    }

    /// The same game, which claims that no position repeats inside a slice.
    #[must_use]
    pub fn acyclic(self) -> Self {
        Graph { acyclic: true, ..self }
    }

    /// A random game: `slices` slices of `width` positions. Internal moves lead to smaller numbers
    /// only, unless the game is `cyclic`.
    pub fn random(seed: u64, slices: u32, width: u32, cyclic: bool) -> Graph {
        let mut random = Random::new(seed);
        let signed = |random: &mut Random| random.below(2 * MOST + 1) as Score - MOST as Score;
        let mut nodes = Vec::new();
        for number in 0..slices * width {
            let bottom = number / width * width;
            let mut node = Node { score: signed(&mut random), ..Node::default() };
            for _ in 0..random.below(5) {
                let internal = if cyclic { width } else { number - bottom };
                if random.below(2) == 0 && internal > 0 {
                    let next = bottom + random.below(internal.into()) as u32;
                    node.steps.push(Step::quiet(next));
                } else if bottom > 0 {
                    let next = random.below(bottom.into()) as u32;
                    let turn = if random.below(3) == 0 { Turn::Stays } else { Turn::Passes };
                    node.steps.push(Step::new(next, signed(&mut random), turn));
                }
            }
            nodes.push(node);
        }
        Graph::new(width, nodes)
    }

    /// The number of positions.
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// For every position the least and the most its mover gets if endless repetition is bad and
    /// good for them. Where the two are equal, repetition does not matter.
    pub fn bounds(&self) -> Vec<(Score, Score)> {
        let unknown = |p| (-self.max_score(self.slice_of(&p)), self.max_score(self.slice_of(&p)));
        let mut bounds: Vec<_> = (0..self.len()).map(unknown).collect();
        loop {
            let mut changed = false;
            for p in 0..self.len() {
                let values = self.steps(p).iter().map(|step| {
                    let (least, most) = bounds[step.next as usize];
                    match step.turn {
                        Turn::Passes => (step.gain - most, step.gain - least),
                        Turn::Stays => (step.gain + least, step.gain + most),
                    }
                });
                let better = values.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
                let score = self.nodes[p as usize].score;
                let new = better.unwrap_or((score, score));
                changed |= new != bounds[p as usize];
                bounds[p as usize] = new;
            }
            if !changed {
                return bounds;
            }
        }
    }

    /// The scores of all positions, with 0 for endless repetition: from below and from above at
    /// once, slice by slice, as solvers do it.
    pub fn scores(&self) -> Vec<Score> {
        let mut scores: Vec<Score> = vec![0; self.len() as usize];
        for slice in 0..=self.largest_slice().0 {
            let range = slice * self.width..(slice + 1) * self.width;
            let max = self.max_score(SliceId(slice));
            // A position is worth at least a threshold if a move leads to one known to be worth
            // it to the mover, at most if all do.
            for k in (1..=max).rev() {
                loop {
                    let mut changed = false;
                    for p in range.clone() {
                        if scores[p as usize].abs() >= k {
                            continue;
                        }
                        let steps = self.steps(p);
                        let value = |step: &Step<u32>| step.value(scores[step.next as usize]);
                        // Inside the slice a score below the threshold is not known yet.
                        let inside = |step: &Step<u32>| range.contains(&step.next);
                        let fixed = |step: &Step<u32>| {
                            !inside(step) || scores[step.next as usize].abs() >= k
                        };
                        let (won, lost) = if steps.is_empty() {
                            let score = self.nodes[p as usize].score;
                            (score >= k, score <= -k)
                        } else {
                            (
                                steps.iter().any(|step| fixed(step) && value(step) >= k),
                                steps.iter().all(|step| fixed(step) && value(step) <= -k),
                            )
                        };
                        if won || lost {
                            scores[p as usize] = if won { k } else { -k };
                            changed = true;
                        }
                    }
                    if !changed {
                        break;
                    }
                }
            }
        }
        scores
    }

    /// What the moves of a position do.
    pub fn steps(&self, position: u32) -> &[Step<u32>] {
        &self.nodes[position as usize].steps
    }
}

impl Rules for Graph {
    type Position = u32;
    type Move = usize;

    fn id(&self) -> GameId {
        GameId::new("graph", "")
    }
    fn outcome(&self, &position: &u32) -> Option<Score> {
        let node = &self.nodes[position as usize];
        node.steps.is_empty().then_some(node.score)
    }
    fn moves(&self, &position: &u32, out: &mut Vec<usize>) {
        out.extend(0..Graph::steps(self, position).len());
    }
    fn play(&self, &position: &u32, &mv: &usize) -> Step<u32> {
        Graph::steps(self, position)[mv]
    }
    fn start(&self) -> Situation<u32> {
        Situation::new(self.len() - 1, Side::First)
    }
    fn parse(&self, text: &str) -> Result<Situation<u32>, ParseError> {
        let position = text.parse().ok().filter(|&position| position < self.len());
        let position = position.ok_or_else(|| ParseError::new("there is no such position"))?;
        Ok(Situation::new(position, Side::First))
    }
    fn format(&self, situation: &Situation<u32>) -> String {
        situation.position.to_string()
    }
    fn format_move(&self, _: &Situation<u32>, place: &usize, step: &Step<u32>) -> String {
        format!("{place} to {}", step.next)
    }
}

impl Numbering for Graph {
    fn largest_slice(&self) -> SliceId {
        SliceId(self.len() / self.width - 1)
    }
    fn slice_of(&self, &position: &u32) -> SliceId {
        SliceId(position / self.width)
    }
    fn slice_len(&self, _: SliceId) -> u64 {
        self.width.into()
    }
    fn rank(&self, &position: &u32) -> u64 {
        u64::from(position % self.width)
    }
    fn unrank(&self, slice: SliceId, index: u64) -> Option<u32> {
        Some(slice.0 * self.width + index as u32)
    }
    fn index_scheme(&self) -> &'static str {
        "number-1"
    }
    fn max_score(&self, slice: SliceId) -> Score {
        (MOST * (u64::from(slice.0) + 1)).min(10_000) as Score
    }
    fn is_acyclic(&self, _: SliceId) -> bool {
        self.acyclic
    }

    fn max_moves(&self, _: SliceId) -> u16 {
        self.nodes.iter().map(|node| node.steps.len()).max().unwrap_or(0) as u16
    }
}

plain_views!(Graph);

impl Evaluate for Graph {
    /// A meaningless but reproducible evaluation.
    fn evaluate(&self, &position: &u32, _: &[f32]) -> i32 {
        Random::new(u64::from(position) ^ 0x5EED).below(701) as i32 - 350
    }

    fn is_unquiet(&self, &position: &u32) -> bool {
        Random::new(u64::from(position)).below(4) == 0
    }
}
