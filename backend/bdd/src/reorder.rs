//! Dynamic variable reordering: Rudell's sifting over groups of variables.
//!
//! A swap of two neighbouring levels rewrites the upper level's nodes in place, so every node
//! keeps its index and its function, and handles stay valid. While levels move, each node's
//! number of parents and handles is kept, so that what a swap leaves without either is freed at
//! once and the size that sifting looks at is the true one.

use crate::edge::Edge;
use crate::gc::Marks;
use crate::node::{NIL, Node, Store};

/// A group may make the diagrams this much larger on its way to a better place.
const GROWTH: f64 = 1.2;
/// Nodes looked at for the interaction of variables, per node that exists. Beyond it, all
/// variables are taken to interact, which costs time and nothing else.
const INTERACTION_WORK: usize = 16;

/// What sifting knows besides the store.
struct Sifter<'s> {
    store: &'s mut Store,
    /// How many parents and handles a node has; indexed as the nodes.
    counts: Vec<u32>,
    interactions: Interactions,
    /// Scratch: nodes of the level that moves down, and nodes to free.
    upper: Vec<u32>,
    dead: Vec<u32>,
}

/// Which variables occur together in some diagram that is not part of another; a square of bits.
struct Interactions {
    words: usize,
    rows: Vec<u64>,
}

impl Interactions {
    fn contains(&self, a: u32, b: u32) -> bool {
        self.rows[a as usize * self.words + b as usize / 64] >> (b % 64) & 1 == 1
    }
}

impl Store {
    /// Sifts every group to its best place. Between operations only.
    pub(crate) fn reorder(&mut self) {
        self.collect();
        self.reorderings += 1;
        // Freed indices are used for new nodes while levels move.
        self.computed.clear();
        let mut sifter = Sifter::new(self);
        sifter.sift_all();
    }

    /// Makes these variables neighbours for good, in their present order; changes nothing and
    /// returns false if they are not neighbours.
    pub(crate) fn group(&mut self, vars: &[u32]) -> bool {
        let mut levels: Vec<u32> = vars.iter().map(|&var| self.level_of[var as usize]).collect();
        levels.sort_unstable();
        if levels.windows(2).any(|pair| pair[1] != pair[0] + 1) {
            return false;
        }
        if let Some(&first) = vars.first() {
            let group = self.group_of[first as usize];
            for &var in vars {
                self.group_of[var as usize] = group;
            }
        }
        true
    }
}

impl<'s> Sifter<'s> {
    fn new(store: &'s mut Store) -> Sifter<'s> {
        let mut counts: Vec<u32> = store.references.iter().map(|&count| count.min(1)).collect();
        let mut indices = Vec::new();
        for table in &store.unique {
            table.collect_into(&store.nodes, &mut indices);
        }
        let mut has_parent = Marks::new(counts.len());
        for &index in &indices {
            let node = store.nodes[index as usize];
            for child in [node.low, node.high] {
                counts[child.index()] += 1;
                has_parent.insert(child.index());
            }
        }
        indices.retain(|&index| !has_parent.contains(index as usize));
        let interactions = interactions(store, &indices);
        Sifter { store, counts, interactions, upper: Vec::new(), dead: Vec::new() }
    }

    fn size(&self) -> usize {
        self.store.allocated
    }

    fn level_size(&self, level: usize) -> usize {
        self.store.unique[self.store.var_at[level] as usize].len
    }

    fn sift_all(&mut self) {
        let mut groups: Vec<u32> = self.store.group_of.clone();
        groups.sort_unstable();
        groups.dedup();
        let size = |this: &Self, group: u32| -> usize {
            let members = this.store.group_of.iter().enumerate().filter(|(_, of)| **of == group);
            members.map(|(var, _)| this.store.unique[var].len).sum()
        };
        let mut sized: Vec<(usize, u32)> =
            groups.into_iter().map(|group| (size(self, group), group)).collect();
        sized.sort_unstable_by(|a, b| b.cmp(a));
        for (nodes, group) in sized {
            if nodes > 0 {
                self.sift(group);
            }
        }
    }

    /// The levels of the blocks of the present order: where each begins, and the end.
    fn boundaries(&self) -> Vec<usize> {
        let group_at = |level: usize| self.store.group_of[self.store.var_at[level] as usize];
        let levels = self.store.var_at.len();
        let mut starts: Vec<usize> =
            (0..levels).filter(|&l| l == 0 || group_at(l) != group_at(l - 1)).collect();
        starts.push(levels);
        starts
    }

    /// Moves one group through the whole order and leaves it at the best place.
    fn sift(&mut self, group: u32) {
        let starts = self.boundaries();
        let mut sizes: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let Some(home) = starts[..sizes.len()]
            .iter()
            .position(|&start| self.store.group_of[self.store.var_at[start] as usize] == group)
        else {
            return;
        };
        let mut walk = Walk { at: home, best: home, best_size: self.size() };
        // The nearer end first, so that the way back is short.
        let down_first = home >= sizes.len() / 2;
        for down in [down_first, !down_first] {
            self.walk(&mut walk, &mut sizes, down);
        }
        while walk.at != walk.best {
            let down = walk.at < walk.best;
            self.step_back(&mut walk, &mut sizes, down);
        }
    }

    /// Moves on until the end, too much growth, or no hope of a better place.
    fn walk(&mut self, walk: &mut Walk, sizes: &mut [usize], down: bool) {
        loop {
            let end = if down { walk.at + 1 == sizes.len() } else { walk.at == 0 };
            if end || self.lower_bound(walk, sizes, down) >= walk.best_size {
                return;
            }
            if !self.step(walk, sizes, down) {
                return;
            }
            if self.size() < walk.best_size {
                walk.best = walk.at;
                walk.best_size = self.size();
            } else if self.size() as f64 > walk.best_size as f64 * GROWTH {
                return;
            }
        }
    }

    /// The size cannot fall below this on the way: only the group's own levels and the levels
    /// still to be passed that interact with it can lose nodes.
    fn lower_bound(&self, walk: &Walk, sizes: &[usize], down: bool) -> usize {
        let start: usize = sizes[..walk.at].iter().sum();
        let end = start + sizes[walk.at];
        let interacts = |level: usize| {
            let var = self.store.var_at[level];
            (start..end).any(|own| self.interactions.contains(self.store.var_at[own], var))
        };
        let others = if down { end..self.store.var_at.len() } else { 0..start };
        let losable: usize = others.filter(|&l| interacts(l)).map(|l| self.level_size(l)).sum();
        let own: usize = (start..end).map(|level| self.level_size(level)).sum();
        // Each level that is in use keeps one node at least.
        (self.size() + sizes[walk.at]).saturating_sub(losable + own)
    }

    /// Exchanges the group with its neighbour; whether there was room to.
    fn step(&mut self, walk: &mut Walk, sizes: &mut [usize], down: bool) -> bool {
        let upper = if down { walk.at } else { walk.at - 1 };
        let start: usize = sizes[..upper].iter().sum();
        let swaps = exchange(start, sizes[upper], sizes[upper + 1]);
        for (done, &level) in swaps.iter().enumerate() {
            if !self.has_room(level) {
                swaps[..done].iter().rev().for_each(|&level| self.swap(level));
                return false;
            }
            self.swap(level);
        }
        sizes.swap(upper, upper + 1);
        walk.at = if down { walk.at + 1 } else { walk.at - 1 };
        true
    }

    /// Takes back the [`step`](Sifter::step) that came here from the neighbour in this direction,
    /// swap by swap. It goes through the orders that the step went through, for which there was
    /// room, so it asks for none.
    fn step_back(&mut self, walk: &mut Walk, sizes: &mut [usize], down: bool) {
        let upper = if down { walk.at } else { walk.at - 1 };
        let start: usize = sizes[..upper].iter().sum();
        let swaps = exchange(start, sizes[upper + 1], sizes[upper]);
        swaps.iter().rev().for_each(|&level| self.swap(level));
        sizes.swap(upper, upper + 1);
        walk.at = if down { walk.at + 1 } else { walk.at - 1 };
    }

    /// Whether there is room for the nodes that an exchange of this level and the one below makes
    /// before it frees others, and for an exchange back.
    fn has_room(&self, level: usize) -> bool {
        let limit = self.store.options.node_limit;
        let ceiling = match self.store.options.memory_limit {
            Some(_) => limit.min(self.store.nodes.capacity()),
            None => limit,
        };
        self.size() + 2 * self.level_size(level) + self.level_size(level + 1) <= ceiling
    }

    /// Exchanges a level with the one below.
    fn swap(&mut self, level: usize) {
        let (x, y) = (self.store.var_at[level], self.store.var_at[level + 1]);
        if self.interactions.contains(x, y) {
            self.rewrite(x, y);
        }
        self.store.var_at.swap(level, level + 1);
        self.store.level_of.swap(x as usize, y as usize);
    }

    /// Makes the nodes of `x` that have a child at `y`, the level below, nodes of `y`.
    fn rewrite(&mut self, x: u32, y: u32) {
        let mut upper = std::mem::take(&mut self.upper);
        upper.clear();
        let nodes = &mut self.store.nodes;
        self.store.unique[x as usize].collect_into(nodes, &mut upper);
        upper.retain(|&index| {
            let node = nodes[index as usize];
            nodes[node.low.index()].var == y || nodes[node.high.index()].var == y
        });
        for &index in &upper {
            self.store.unique[x as usize].remove(nodes, index);
        }
        for &index in &upper {
            let Node { low: f0, high: f1, .. } = self.store.nodes[index as usize];
            let (f00, f01) = self.children(f0, y);
            let (f10, f11) = self.children(f1, y);
            // `f1` is regular and so is `f11`; the new high edge is regular as it must be.
            let high = self.make(x, f01, f11);
            let low = self.make(x, f00, f10);
            self.count(high);
            self.count(low);
            self.uncount(f0);
            self.uncount(f1);
            let node = &mut self.store.nodes[index as usize];
            *node = Node { var: y, low, high, next: NIL };
            let table = &mut self.store.unique[y as usize];
            table.grow_if_full(&mut self.store.nodes);
            table.insert(&mut self.store.nodes, index);
        }
        self.upper = upper;
        let mut dead = std::mem::take(&mut self.dead);
        while let Some(index) = dead.pop().or_else(|| self.dead.pop()) {
            let node = self.store.nodes[index as usize];
            if self.counts[index as usize] > 0 || node.var == crate::node::FREE {
                continue;
            }
            self.store.unique[node.var as usize].remove(&mut self.store.nodes, index);
            self.store.release_slot(index);
            self.store.allocated -= 1;
            self.uncount(node.low);
            self.uncount(node.high);
        }
        self.dead = dead;
    }

    fn children(&self, edge: Edge, var: u32) -> (Edge, Edge) {
        let node = self.store.node(edge);
        if node.var != var {
            return (edge, edge);
        }
        let complement = edge.is_complement();
        (node.low.complement_if(complement), node.high.complement_if(complement))
    }

    fn count(&mut self, edge: Edge) {
        self.counts[edge.index()] += 1;
    }

    fn uncount(&mut self, edge: Edge) {
        let count = &mut self.counts[edge.index()];
        *count -= 1;
        if *count == 0 {
            self.dead.push(edge.index() as u32);
        }
    }

    fn make(&mut self, var: u32, low: Edge, high: Edge) -> Edge {
        if low == high {
            return low;
        }
        let complement = high.is_complement();
        let (low, high) = (low.complement_if(complement), high.complement_if(complement));
        let store = &mut *self.store;
        if let Some(index) = store.unique[var as usize].find(&store.nodes, low, high) {
            return Edge::regular_to(index).complement_if(complement);
        }
        let index = store.place(Node { var, low, high, next: NIL });
        let table = &mut store.unique[var as usize];
        table.grow_if_full(&mut store.nodes);
        table.insert(&mut store.nodes, index);
        self.counts.resize(self.store.nodes.len(), 0);
        self.count(low);
        self.count(high);
        Edge::regular_to(index).complement_if(complement)
    }
}

/// Where a group is and where it was best, as numbers of blocks.
struct Walk {
    at: usize,
    best: usize,
    best_size: usize,
}

/// The swaps of neighbouring levels, each named by its upper one, that exchange a block of `above`
/// levels from `start` on and the `below` levels under it.
fn exchange(start: usize, above: usize, below: usize) -> Vec<usize> {
    // The lowest of the upper block first, each past the whole lower block.
    (start..start + above).rev().flat_map(|from| from..from + below).collect()
}

/// The supports of the roots, as pairs. `roots` are the nodes without parents.
fn interactions(store: &Store, roots: &[u32]) -> Interactions {
    let vars = store.var_at.len();
    let words = vars.div_ceil(64);
    let mut rows = vec![0u64; vars * words];
    let mut stamps = vec![0u32; store.nodes.len()];
    let mut budget = store.allocated.saturating_mul(INTERACTION_WORK);
    let mut support = vec![0u64; words];
    let mut stack = Vec::new();
    for (stamp, &root) in (1u32..).zip(roots) {
        support.fill(0);
        stack.push(root);
        while let Some(index) = stack.pop() {
            if index == 0 || stamps[index as usize] == stamp {
                continue;
            }
            stamps[index as usize] = stamp;
            let node = store.nodes[index as usize];
            support[node.var as usize / 64] |= 1 << (node.var % 64);
            stack.extend([node.low.index() as u32, node.high.index() as u32]);
            if budget == 0 {
                rows.fill(u64::MAX);
                return Interactions { words, rows };
            }
            budget -= 1;
        }
        for var in (0..vars).filter(|&var| support[var / 64] >> (var % 64) & 1 == 1) {
            let row = &mut rows[var * words..(var + 1) * words];
            row.iter_mut().zip(&support).for_each(|(row, support)| *row |= support);
        }
    }
    Interactions { words, rows }
}
