//! A 32-bit reference to a node: index and complement bit.

use std::ops::Not;

/// `index << 1 | complement`. Node 0 is the terminal, so `TRUE` is 0 and `FALSE` is 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Edge(u32);

impl Edge {
    pub(crate) const TRUE: Edge = Edge(0);
    pub(crate) const FALSE: Edge = Edge(1);

    /// The regular (uncomplemented) edge to the node at `index`.
    pub(crate) fn regular_to(index: u32) -> Edge {
        Edge(index << 1)
    }

    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn is_constant(self) -> bool {
        self.0 <= 1
    }

    pub(crate) fn regular(self) -> Edge {
        Edge(self.0 & !1)
    }

    /// Complemented if `complement`, else the edge itself.
    pub(crate) fn complement_if(self, complement: bool) -> Edge {
        Edge(self.0 ^ u32::from(complement))
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}
