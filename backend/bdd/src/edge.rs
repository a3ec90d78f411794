//! A 32-bit reference to a node: index and complement bit.

use std::ops::Not;

/// `index << 1 | complement`. Node 0 is the terminal, so `TRUE` is 0 and `FALSE` is 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Edge(u32);

impl Edge {
    pub(crate) const TRUE: Edge = Edge(0);
    pub(crate) const FALSE: Edge = Edge(1);

    /// The regular (uncomplemented) edge to the node at `index`.
    #[inline]
    pub(crate) fn regular_to(index: u32) -> Edge {
        Edge(index << 1)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub(crate) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 <= 1
    }

    #[inline]
    pub(crate) fn regular(self) -> Edge {
        Edge(self.0 & !1)
    }

    /// Complemented if `complement`, else the edge itself.
    #[inline]
    pub(crate) fn complement_if(self, complement: bool) -> Edge {
        Edge(self.0 ^ u32::from(complement))
    }

    #[inline]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// The edge with these [`bits`](Edge::bits).
    #[inline]
    pub(crate) fn from_bits(bits: u32) -> Edge {
        Edge(bits)
    }
}

impl Not for Edge {
    type Output = Edge;
    #[inline]
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}
