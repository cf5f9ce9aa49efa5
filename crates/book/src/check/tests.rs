use crate::grow::Plan;
use crate::grow::tests::toys;
use crate::store::MemoryStore;
use crate::strategy::Strategy;
use crate::toy::ToyBook;
use crate::value::Value;
use crate::{Book, node::State};
use proptest::prelude::{ProptestConfig, prop_assert, proptest};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A bound that nothing supports is found, also where everything around it is made to agree.
    #[test]
    fn a_forged_bound_is_found(toy in toys(), which in 0..24_u64, grown in 1..12_u64, up in 0..2) {
        let mut book =
            Book::create(toy.clone(), MemoryStore::new(), &0, &mut toy.expert()).unwrap();
        let plan = Plan { expansions: Some(grown), ..Plan::new(Strategy::BestFirst) };
        book.grow(&mut [toy.expert()], &plan, &mut |_| {}).unwrap();
        book.find_cycles().unwrap();
        let checked = book.check(&mut |_| {}).unwrap();
        prop_assert!(checked.flaws.is_empty());
        let id = which % book.facts().nodes;
        let node = book.node(id).unwrap();
        let (value, own, proof) = (node.value, node.own, node.proof);
        if value.is_solved() || node.state != State::Interior {
            return Ok(());
        }
        // One more than is proven, on either side.
        let forged = if up > 0 {
            Value { lower: value.lower + 1, ..value }
        } else {
            Value { upper: value.upper - 1, ..value }
        };
        let forged = Value { cycle: None, heuristic: own.heuristic, ..forged }.normal();
        book.valued.graph.set_value(id, forged, proof).unwrap();
        // What follows from it is made to follow.
        let parents = book.node(id).unwrap().parents.clone();
        if book.valued.back_up(&parents).is_err() {
            return Ok(());
        }
        let checked = book.check(&mut |_| {}).unwrap();
        prop_assert!(!checked.flaws.is_empty(), "{value:?} {forged:?}");
    }
}
