//! Revision: what experts said of positions, replaced by what others say.

use nutcracker_game::Game;

use crate::book::Book;
use crate::error::{BookError, Result};
use crate::node::{NodeId, State};
use crate::store::Store;
use crate::value::Value;

impl<G: Game, S: Store> Book<G, S> {
    /// Replaces the experts' values of nodes whose values are guesses, and propagates them; nodes
    /// with bounds of their own, which are proven, stay as they are. Returns how many were
    /// replaced.
    ///
    /// Nothing that is proven can rest on a guess, so this takes no more than an expansion does,
    /// unlike [`set_own`](Book::set_own). After an error the book is as it was at the last commit.
    pub fn revise(&mut self, values: &[(NodeId, Value)]) -> Result<usize> {
        let replaced = self.atomically(|book| {
            let mut changed = Vec::with_capacity(values.len());
            for &(id, own) in values {
                let position = book.position(id)?;
                let max = book.valued.graph.max_score(&position);
                if own.lower < -max || own.upper > max || own.lower > own.upper {
                    let what = format!("a score of {} is within ±{max}", book.node(id)?.position);
                    return Err(BookError::Illegal(what));
                }
                let node = book.node(id)?;
                let guessed = node.own.lower == -max && node.own.upper == max;
                if node.state == State::Over || !guessed || node.own == own {
                    continue;
                }
                book.valued.graph.edit(id)?.own = own;
                changed.push(id);
            }
            book.valued.back_up(&changed)?;
            Ok(changed.len())
        })?;
        if replaced > 0 {
            self.chooser.clear();
        }
        Ok(replaced)
    }
}

#[cfg(test)]
mod tests {
    use crate::toy::{Toy, ToyBook};
    use crate::value::Value;

    /// Guesses are replaced as if they had been so from the beginning; proven values stay.
    #[test]
    fn revised_guesses_are_propagated() {
        let graph: &[(u32, &[u32])] = &[(0, &[1, 2]), (1, &[3, 4]), (2, &[4, 5]), (5, &[6])];
        let toy = |six: i32| {
            Toy::new(graph).over(&[(3, 1)]).guesses(&[(4, -20), (6, six)]).book(&[0, 1, 2, 5])
        };
        let (mut book, mut other) = (toy(90), toy(-40));
        let (six, three) = (book.find(&6).unwrap().unwrap(), book.find(&3).unwrap().unwrap());
        let guess = Value::guess(-40, 1);
        assert_eq!(book.revise(&[(six, guess), (three, guess)]).unwrap(), 1);
        for id in 0..7 {
            assert_eq!(book.node(id).unwrap().value, other.node(id).unwrap().value, "{id}");
        }
        assert_eq!(book.revise(&[(six, guess)]).unwrap(), 0);
        assert!(book.revise(&[(six, Value::guess(0, 2))]).is_err());
        assert!(book.check(&mut |_| {}).unwrap().flaws.is_empty());
    }
}
