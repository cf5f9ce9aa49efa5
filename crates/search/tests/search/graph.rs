//! Games that are nothing but a graph: every shape a game can have, and then some.

use std::sync::Arc;

use nutcracker_game::{
    Children, Evaluate, Game, GameId, ParseError, PlainView, Score, Side, Situation, SliceId, Step,
    Turn,
};

/// A game given by its moves.
#[derive(Clone, Debug)]
pub struct Graph {
    pub width: u32,
    pub nodes: Arc<Vec<Node>>,
}

/// A position: its moves, or its score where it has none.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub steps: Vec<Step<u32>>,
    pub score: Score,
}

/// The most a move banks or an end is worth.
const MOST: u64 = 3;

impl Graph {
    /// A game without plan: `slices` slices of `width` positions. Internal moves lead to smaller
    /// numbers only, unless the game is `cyclic`.
    pub fn random(seed: u64, slices: u32, width: u32, cyclic: bool) -> Graph {
        let mut random = Random(seed);
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
                    node.steps.push(Step { next, gain: signed(&mut random), turn });
                }
            }
            nodes.push(node);
        }
        Graph { width, nodes: Arc::new(nodes) }
    }

    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub fn steps(&self, position: u32) -> &[Step<u32>] {
        &self.nodes[position as usize].steps
    }

    /// For every position the least and the most its mover gets if all that repeats for ever is
    /// bad and good for them. Where the two are equal, repetition does not matter.
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
}

impl Game for Graph {
    type Position = u32;
    type Move = usize;
    type View = PlainView<Self>;
    type Forward = PlainView<Self>;

    fn id(&self) -> GameId {
        GameId::new("graph", "")
    }
    fn outcome(&self, &position: &u32) -> Option<Score> {
        self.steps(position).is_empty().then_some(self.nodes[position as usize].score)
    }
    fn moves(&self, &position: &u32, out: &mut Vec<usize>) {
        out.extend(0..self.steps(position).len());
    }
    fn play(&self, &position: &u32, &mv: &usize) -> Step<u32> {
        self.steps(position)[mv]
    }
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
    fn unrank(&self, slice: SliceId, index: u64) -> u32 {
        slice.0 * self.width + index as u32
    }
    fn max_score(&self, slice: SliceId) -> Score {
        (MOST * (u64::from(slice.0) + 1)).min(10_000) as Score
    }
    fn max_moves(&self) -> u8 {
        4
    }
    fn index_scheme(&self) -> &'static str {
        "number-1"
    }
    fn view(&self, slice: SliceId) -> PlainView<Self> {
        PlainView::new(self.clone(), slice)
    }
    fn forward(&self, slice: SliceId) -> PlainView<Self> {
        self.view(slice)
    }
    fn start(&self) -> Situation<u32> {
        Situation::new(self.len() - 1, Side::First)
    }
    fn parse(&self, text: &str) -> Result<Situation<u32>, ParseError> {
        let position = text.parse().map_err(|_| ParseError::new("a position is a number"))?;
        Ok(Situation::new(position, Side::First))
    }
    fn format(&self, situation: &Situation<u32>) -> String {
        situation.position.to_string()
    }
    fn format_move(&self, _: &Situation<u32>, _: &usize, step: &Step<u32>) -> String {
        format!("to {}", step.next)
    }
}

/// The scores of a graph as databases.
pub struct Scores {
    pub width: u32,
    pub scores: Vec<Score>,
}

impl Children for Scores {
    type Error = &'static str;

    fn read(&self, slice: SliceId, start: u64, out: &mut [i8]) -> Result<(), Self::Error> {
        let first = slice.0 as usize * self.width as usize + start as usize;
        let scores = self.scores.get(first..first + out.len()).ok_or("no such score")?;
        for (out, &score) in out.iter_mut().zip(scores) {
            *out = score as i8;
        }
        Ok(())
    }
}

/// Numbers that look random (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end
    }
}

impl Evaluate for Graph {
    /// A guess without any sense in it, the same every time.
    fn evaluate(&self, &position: &u32, _: &[f32]) -> i32 {
        Random(u64::from(position) ^ 0x5EED).below(701) as i32 - 350
    }

    fn is_unquiet(&self, &position: &u32) -> bool {
        Random(u64::from(position)).below(4) == 0
    }
}

impl Graph {
    /// The scores of all positions, with 0 for play that repeats for ever: from below and from
    /// above at once, slice by slice, as solvers do it.
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
}
