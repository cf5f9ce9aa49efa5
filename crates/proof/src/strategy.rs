//! Where a proof comes from: anything that knows what to do at every position it leads to.

use crate::goal::Claim;

/// What a strategy does at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reply {
    /// The proving side is to move, and plays the move at this place of the list of moves.
    Play(usize),
    /// The other side is to move, and may play anything.
    Any,
    /// The database of the position's slice has a score that suffices.
    Database,
}

/// A strategy of one side: the table of a proof search, a solved opening book.
///
/// [`ProofWriter::claim`](crate::ProofWriter::claim) walks through the positions that arise under
/// it, depth first, and asks for each that neither the end of the game nor the bound of its slice
/// decides. A position may be asked for again with another need.
pub trait Strategy<P> {
    /// Why there is no reply.
    type Error;

    /// What to do at a claim. After [`Reply::Play`] and [`Reply::Any`] the walk goes on to what
    /// follows, and calls [`leave`](Strategy::leave) when all of that is written.
    fn enter(&mut self, claim: &Claim<P>) -> Result<Reply, Self::Error>;

    /// The walk leaves the claim that was entered last: only for strategies that depend on the way
    /// to a position.
    fn leave(&mut self) {}
}
