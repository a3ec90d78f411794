//! The node array, variables with their levels, and `make`, which keeps diagrams canonical.

use crate::computed::ComputedTable;
use crate::edge::Edge;
use crate::manager::{LimitReached, ManagerOptions};
use crate::unique::Subtable;

/// End of a hash chain or of the free list.
pub(crate) const NIL: u32 = u32::MAX;
/// Variable of the terminal; its level is below every variable's.
pub(crate) const TERMINAL: u32 = u32::MAX;
/// Variable of a node on the free list.
pub(crate) const FREE: u32 = u32::MAX - 1;

/// A limit was hit. Says nothing more, so that a result of a recursive operation stays in
/// registers; [`Store::limit_reached`] tells which limit it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exhausted;

/// 16 bytes, so four nodes share a cache line. `high` is never complemented.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) var: u32,
    pub(crate) low: Edge,
    pub(crate) high: Edge,
    /// Next node in the unique table's chain, or in the free list.
    pub(crate) next: u32,
}

/// Everything a manager owns. Operations are methods of it, one family a file.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) nodes: Vec<Node>,
    /// How many handles name each node (external references only); saturates at `u32::MAX`.
    pub(crate) references: Vec<u32>,
    pub(crate) free: u32,
    pub(crate) allocated: usize,
    pub(crate) unique: Vec<Subtable>,
    pub(crate) computed: ComputedTable,
    /// Variable to level. Separate from the variable's number so that the order can change.
    pub(crate) level_of: Vec<u32>,
    pub(crate) var_at: Vec<u32>,
    /// The group of each variable: the variables of one stay next to each other.
    pub(crate) group_of: Vec<u32>,
    pub(crate) options: ManagerOptions,
    pub(crate) gc_threshold: usize,
    pub(crate) reorder_threshold: usize,
    pub(crate) collections: u64,
    pub(crate) reorderings: u64,
    pub(crate) peak: usize,
    pub(crate) next_substitution: u32,
}

impl Store {
    pub(crate) fn new(options: ManagerOptions) -> Store {
        let terminal = Node { var: TERMINAL, low: Edge::TRUE, high: Edge::TRUE, next: NIL };
        let reorder_threshold = options.first_reordering.unwrap_or(usize::MAX);
        Store {
            nodes: vec![terminal],
            references: vec![1],
            free: NIL,
            allocated: 1,
            unique: Vec::new(),
            computed: ComputedTable::new(
                options.computed_table_limit,
                options.limits.clone(),
                options.work_limit.unwrap_or(u64::MAX),
            ),
            level_of: Vec::new(),
            var_at: Vec::new(),
            group_of: Vec::new(),
            gc_threshold: options.first_collection.min(reorder_threshold),
            reorder_threshold,
            options,
            collections: 0,
            reorderings: 0,
            peak: 1,
            next_substitution: 0,
        }
    }

    pub(crate) fn new_var(&mut self) -> u32 {
        let var = self.level_of.len() as u32;
        self.level_of.push(self.var_at.len() as u32);
        self.var_at.push(var);
        self.group_of.push(var);
        self.unique.push(Subtable::new());
        var
    }

    #[inline]
    pub(crate) fn node(&self, edge: Edge) -> Node {
        self.nodes[edge.index()]
    }

    /// The level of the node's variable; `u32::MAX` for constants.
    #[inline]
    pub(crate) fn level(&self, edge: Edge) -> u32 {
        if edge.is_constant() {
            return u32::MAX;
        }
        self.level_of[self.nodes[edge.index()].var as usize]
    }

    /// The cofactors (variable false, variable true) with respect to the variable at `level`,
    /// which must not be below the edge's own.
    #[inline]
    pub(crate) fn cofactors(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        if self.level(edge) != level {
            return (edge, edge);
        }
        let node = self.node(edge);
        let complement = edge.is_complement();
        (node.low.complement_if(complement), node.high.complement_if(complement))
    }

    /// The canonical node "if the variable at `level` then `high` else `low`".
    #[inline]
    pub(crate) fn make(&mut self, level: u32, low: Edge, high: Edge) -> Result<Edge, Exhausted> {
        debug_assert!(level < self.level(low) && level < self.level(high));
        self.make_var(self.var_at[level as usize], low, high)
    }

    pub(crate) fn literal(&mut self, var: u32) -> Result<Edge, Exhausted> {
        self.make(self.level_of[var as usize], Edge::FALSE, Edge::TRUE)
    }

    /// A fresh slot for a node, from the free list or the end of the array.
    #[inline]
    pub(crate) fn allocate(&mut self, node: Node) -> Result<u32, Exhausted> {
        if self.free == NIL {
            if self.allocated >= self.options.node_limit {
                return Err(Exhausted);
            }
            if self.nodes.len() == self.nodes.capacity() {
                self.grow()?;
            }
        }
        Ok(self.place(node))
    }

    /// As [`allocate`](Store::allocate), whatever the limits.
    #[inline]
    pub(crate) fn place(&mut self, node: Node) -> u32 {
        if self.free == NIL {
            return self.push(node);
        }
        let index = self.free;
        self.free = self.nodes[index as usize].next;
        self.nodes[index as usize] = node;
        self.allocated += 1;
        index
    }

    fn push(&mut self, node: Node) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(node);
        self.references.push(0);
        self.allocated += 1;
        self.peak = self.peak.max(self.allocated);
        index
    }

    #[cold]
    fn grow(&mut self) -> Result<(), Exhausted> {
        let capacity = self.nodes.capacity();
        let mut more = (capacity / 2).max(1 << 10);
        if let Some(limit) = self.options.memory_limit {
            // A variable's table has at most two buckets for each node, and eight.
            let per_node = size_of::<Node>() + size_of::<u32>() + 2 * Subtable::BUCKET_BYTES;
            let fixed =
                self.computed.bytes_limit() + 8 * Subtable::BUCKET_BYTES * self.unique.len();
            more = more.min((limit.saturating_sub(fixed) / per_node).saturating_sub(capacity));
            if more == 0 {
                return Err(Exhausted);
            }
        }
        self.nodes.reserve_exact(more);
        self.references.reserve_exact(more);
        self.computed.allow(self.nodes.capacity());
        Ok(())
    }

    /// The memory of all tables.
    pub(crate) fn bytes(&self) -> usize {
        let unique: usize = self.unique.iter().map(Subtable::bytes).sum();
        self.nodes.capacity() * size_of::<Node>()
            + self.references.capacity() * size_of::<u32>()
            + self.computed.bytes()
            + unique
    }

    /// The limit that an [`Exhausted`] was about.
    pub(crate) fn limit_reached(&self) -> LimitReached {
        if self.computed.is_spent() {
            return LimitReached::Work;
        }
        if self.computed.is_expired() {
            return LimitReached::Time;
        }
        match self.options.memory_limit {
            Some(limit) if self.allocated < self.options.node_limit => LimitReached::Bytes(limit),
            _ => LimitReached::Nodes(self.options.node_limit),
        }
    }

    pub(crate) fn protect(&mut self, edge: Edge) {
        let count = &mut self.references[edge.index()];
        *count = count.saturating_add(1);
    }

    /// Gives one external reference back. A saturated count stays, so the node is kept for good.
    pub(crate) fn release(&mut self, edge: Edge) {
        let count = &mut self.references[edge.index()];
        if *count != u32::MAX {
            *count -= 1;
        }
    }
}
