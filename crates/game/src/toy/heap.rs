//! A heap of counters from which moves take some.

use crate::{
    Evaluate, GameId, Metric, Numbering, ParseError, Rules, Score, Side, Situation, SliceId, Step,
    Turn, plain_views,
};

/// A move takes one to three counters; the player who takes the last one wins. A slice is one size
/// of the heap.
#[derive(Clone, Debug)]
pub struct Heap;

/// A move takes one to three counters, each worth a point; taking three moves again.
#[derive(Clone, Debug)]
pub struct Taking;

macro_rules! heap_game {
    ($game:ty, $name:literal, $start:literal, $max:expr, $metrics:expr,
     over: $over:expr, step: $step:expr) => {
        impl Rules for $game {
            type Position = u32;
            type Move = u32;

            fn id(&self) -> GameId {
                GameId::new($name, "")
            }
            fn outcome(&self, &heap: &u32) -> Option<Score> {
                (heap == 0).then_some($over)
            }
            fn moves(&self, &heap: &u32, out: &mut Vec<u32>) {
                out.extend(1..=heap.min(3));
            }
            fn play(&self, &heap: &u32, &take: &u32) -> Step<u32> {
                $step(heap, take)
            }
            fn start(&self) -> Situation<u32> {
                Situation::new($start, Side::First)
            }
            fn parse(&self, text: &str) -> Result<Situation<u32>, ParseError> {
                let heap = text.parse().map_err(|_| ParseError::new("a heap is a whole number"))?;
                Ok(Situation::new(heap, Side::First))
            }
            fn format(&self, situation: &Situation<u32>) -> String {
                situation.position.to_string()
            }
            fn format_move(&self, _: &Situation<u32>, take: &u32, _: &Step<u32>) -> String {
                format!("take {take}")
            }
        }

        impl Numbering for $game {
            fn metrics(&self) -> &'static [Metric] {
                $metrics
            }

            fn largest_slice(&self) -> SliceId {
                SliceId(1000)
            }
            fn slice_of(&self, &heap: &u32) -> SliceId {
                SliceId(heap)
            }
            fn slice_len(&self, _: SliceId) -> u64 {
                1
            }
            fn rank(&self, _: &u32) -> u64 {
                0
            }
            fn unrank(&self, slice: SliceId, _: u64) -> Option<u32> {
                Some(slice.0)
            }
            fn index_scheme(&self) -> &'static str {
                "heap-1"
            }
            fn max_score(&self, slice: SliceId) -> Score {
                $max(slice)
            }
            fn max_moves(&self, _: SliceId) -> u16 {
                3
            }
            fn below(&self, slice: SliceId) -> Vec<SliceId> {
                (slice.0.saturating_sub(3)..slice.0).map(SliceId).collect()
            }
            fn is_acyclic(&self, _: SliceId) -> bool {
                true
            }
        }

        plain_views!($game);
    };
}

heap_game!(
    Heap, "heap", 21, |_| 1, &[Metric::Wdl, Metric::Dtw],
    over: -1, step: |heap, take| Step::quiet(heap - take)
);

heap_game!(
    Taking, "taking", 14, |slice: SliceId| slice.0.min(127) as Score, &[Metric::Score],
    over: 0, step: |heap, take| {
        let turn = if take == 3 { Turn::Stays } else { Turn::Passes };
        Step::new(heap - take, take as Score, turn)
    }
);

impl Evaluate for Heap {
    fn feature_names(&self) -> &'static [&'static str] {
        &["counters beyond a multiple of four"]
    }

    fn features(&self, &heap: &u32, out: &mut [f32]) {
        out[0] = (heap % 4) as f32;
    }

    fn fitted(&self) -> &[f32] {
        &[0.3]
    }
}
