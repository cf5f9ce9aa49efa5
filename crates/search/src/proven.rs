//! The strategy in the table of a proof search.

use nutcracker_game::Game;
use nutcracker_proof::{Claim, Reply, Strategy};

use crate::dfpn::{Halt, Prover};
use crate::{Oracle, database_reply};

/// How one side reaches what a [`Prover`] has decided, see [`Prover::strategy`].
///
/// What the table has lost is searched again. A decisive move was decided before the position it is
/// played in, so that strategies do not go round where they must not; what was lost and found again
/// may break that, and then the strategy is not written.
#[derive(Debug)]
pub struct Proven<'p, 'a, G: Game, O: Oracle> {
    prover: &'p mut Prover<'a, G, O>,
    yes: bool,
}

impl<'a, G: Game, O: Oracle> Prover<'a, G, O> {
    /// The strategy that proves a goal which was [decided](Prover::decide) with yes, or the opposite
    /// of one that was decided with no.
    pub fn strategy(&mut self, yes: bool) -> Proven<'_, 'a, G, O> {
        self.start_over();
        Proven { prover: self, yes }
    }
}

impl<G: Game, O: Oracle> Strategy<G::Position> for Proven<'_, '_, G, O> {
    type Error = Halt<O::Error>;

    fn enter(&mut self, claim: &Claim<G::Position>) -> Result<Reply, Halt<O::Error>> {
        let &Claim { position, need, proving } = claim;
        // The defender of a need proves that the attacker gets at most one less.
        let asked =
            if self.yes { *claim } else { Claim { position, need: 1 - need, proving: !proving } };
        let known = database_reply(self.prover.game, self.prover.oracle, claim);
        let reply = match known.map_err(Halt::Oracle)? {
            Some(Reply::Database) => return Ok(Reply::Database),
            Some(reply) => reply,
            None => {
                let mut known = self.prover.recall(&asked);
                if known.is_none() {
                    self.prover.answer(&asked)?;
                    known = self.prover.recall(&asked);
                }
                let (_, best) = known.filter(|&(yes, _)| yes == self.yes).ok_or(Halt::Gap)?;
                if proving { Reply::Play(best.into()) } else { Reply::Any }
            }
        };
        self.prover.enter(&asked);
        Ok(reply)
    }

    fn leave(&mut self) {
        self.prover.leave();
    }
}
