//! Extracts a proof from the table of a proof search.

use std::collections::HashSet;

use nutcracker_game::{Game, Step};

use crate::Oracle;
use crate::dfpn::{Claim, Halt, Prover};
use crate::proof::{ProofNode, Reply};

/// A position on the way down, with the claims that must hold after it.
struct Level<P> {
    next: Vec<Claim<P>>,
    at: usize,
}

type Nodes<P, O> = Result<Vec<ProofNode<P>>, Halt<<O as Oracle>::Error>>;

/// The strategy of the attacker if the root's claim holds, else that of the defender.
///
/// Goes down from the root along decisive moves. What the table has lost is searched again. A
/// decisive move was decided before the position it is played in, so that strategies do not go
/// round where they must not; what was lost and found again may break that, and then there is a
/// gap.
pub(crate) fn extract<G: Game, O: Oracle>(
    prover: &mut Prover<'_, G, O>,
    root: &Claim<G::Position>,
    yes: bool,
) -> Nodes<G::Position, O> {
    let mut nodes = Vec::new();
    let mut seen = HashSet::new();
    let mut steps = Vec::new();
    let mut levels = Vec::new();
    if prover.plain(root)?.is_none() {
        seen.insert(*root);
        levels.push(enter(prover, root, yes, &mut nodes, &mut steps)?);
    }
    while let Some(level) = levels.last_mut() {
        let Some(claim) = level.next.get(level.at).copied() else {
            levels.pop();
            prover.leave();
            continue;
        };
        level.at += 1;
        if let Some(decided) = prover.plain(&claim)? {
            if decided != yes {
                return Err(Halt::Gap);
            }
        } else if prover.earlier(&claim).is_some() && (claim.need <= 0) != yes {
            return Err(Halt::Gap);
        } else if seen.insert(claim) {
            levels.push(enter(prover, &claim, yes, &mut nodes, &mut steps)?);
        }
    }
    Ok(nodes)
}

/// Adds a node for a claim and puts it on the path.
fn enter<G: Game, O: Oracle>(
    prover: &mut Prover<'_, G, O>,
    claim: &Claim<G::Position>,
    yes: bool,
    nodes: &mut Vec<ProofNode<G::Position>>,
    steps: &mut Vec<Step<G::Position>>,
) -> Result<Level<G::Position>, Halt<O::Error>> {
    let mut known = prover.recall(claim);
    if known.is_none() {
        prover.decide(claim)?;
        known = prover.recall(claim);
    }
    let best = known.filter(|(decided, _)| *decided == yes).ok_or(Halt::Gap)?.1;
    steps.clear();
    prover.game.steps(&claim.position, steps);
    let proving = claim.attacks == yes;
    let mut next: Vec<_> = steps.iter().map(|step| claim.after(step)).collect();
    let reply = if proving {
        next = vec![*next.get(usize::from(best)).ok_or(Halt::Gap)?];
        Reply::Play(best)
    } else {
        Reply::Any
    };
    // The defender of a need proves that the attacker gets at most one less.
    let need = if yes { claim.need } else { 1 - claim.need };
    nodes.push(ProofNode { position: claim.position, need, reply });
    prover.enter(claim);
    Ok(Level { next, at: 0 })
}
