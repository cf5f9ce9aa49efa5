//! Where the bits of a slice are, and what moves do to rows of them.

mod edges;
mod moves;
mod shape;

pub(crate) use edges::EdgeLists;
pub(crate) use moves::{MoveGroup, Moves, Projection, ProjectionPart};
pub(crate) use shape::{GROUP, Shape, TILE, Tile};
