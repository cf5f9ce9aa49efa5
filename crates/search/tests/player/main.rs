//! The players, in real games over solved slices.

mod bounds;
#[path = "../search/graph.rs"]
#[allow(dead_code, reason = "the tests of the exact search need the rest")]
mod graph;
mod krk;
mod large;
mod levels;
mod noise;
mod perfect;
mod play;
mod recogniser;
mod reference;
mod solved;
mod trappy;
