//! Nodes read ahead of a walk.

use crate::node::NodeId;

/// Consecutive nodes.
#[derive(Debug)]
pub struct Page {
    /// All nodes from this id to the last of them are here.
    from: NodeId,
    nodes: Vec<(NodeId, Vec<u8>)>,
}

impl Page {
    /// The nodes that a query found from an id on; if it found none, there are none.
    pub fn new(from: NodeId, nodes: Vec<(NodeId, Vec<u8>)>) -> Self {
        Page { from, nodes }
    }

    /// There are no nodes from an id on.
    pub fn end(from: NodeId) -> Self {
        Page::new(from, Vec::new())
    }

    /// The record of a node, if it is here.
    pub fn get(&self, id: NodeId) -> Option<&[u8]> {
        let place = self.nodes.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(&self.nodes[place].1)
    }

    /// The first node with this id or a larger one; `None` if that is not known here.
    #[expect(clippy::option_option, reason = "whether it is known, and whether there is one")]
    pub fn next(&self, from: NodeId) -> Option<Option<(NodeId, Vec<u8>)>> {
        if from < self.from {
            return None;
        }
        if self.nodes.is_empty() {
            return Some(None);
        }
        let place = self.nodes.partition_point(|&(id, _)| id < from);
        self.nodes.get(place).cloned().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_what_it_knows() {
        let page = Page::new(5, vec![(6, vec![6]), (9, vec![9])]);
        assert_eq!(page.next(4), None);
        assert_eq!(page.next(5), Some(Some((6, vec![6]))));
        assert_eq!(page.next(7), Some(Some((9, vec![9]))));
        assert_eq!(page.next(10), None);
        assert_eq!((page.get(9), page.get(7)), (Some(&[9][..]), None));
        let end = Page::end(10);
        assert_eq!((end.next(9), end.next(10), end.next(11)), (None, Some(None), Some(None)));
    }
}
