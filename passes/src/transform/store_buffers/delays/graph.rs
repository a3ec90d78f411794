//! What threads do to memory, in which order, and what of it conflicts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sapa_ir::goto::{
    Block, BlockId, FunctionId, Instruction, Op, Operand, Section, SlotId, TerminatorKind,
};
use sapa_limits::Exceeded;

use super::super::Position;
use super::super::access::{Access, Overlap};
use super::Threads;
use super::locks::Locks;
use super::order::Order;
use crate::analysis::access::Accesses;
use crate::analysis::points_to::{Object, Offsets, Place};

/// Indexes the nodes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in super::super) struct NodeId(usize);

/// Something that a thread does.
#[derive(Clone, Debug)]
pub(in super::super) struct Node {
    /// Where; the start of a block is at its first instruction.
    pub at: Position,
    /// The sections that it is in, the outermost first.
    pub sections: Vec<Section>,
    /// What is read of memory, and what is written.
    reads: Vec<Access>,
    writes: Vec<Access>,
    /// Whether it gives the next number to a thread or an object.
    numbers: bool,
}

/// All that threads do to shared memory. An edge leads to what may come next.
pub(in super::super) struct Graph<'t> {
    threads: &'t Threads<'t>,
    order: Order,
    locks: Locks,
    nodes: Vec<Node>,
    of: BTreeMap<Position, NodeId>,
    /// Of each node: those before it.
    before: Vec<Vec<NodeId>>,
    /// Of each node: those in the same section, next to it.
    beside: Vec<Vec<NodeId>>,
    /// Of each node: those of other threads that conflict with it.
    conflicts: Vec<Vec<NodeId>>,
}

/// The nodes of other threads from which there is a way to a node.
pub(in super::super) struct Ways<'g> {
    graph: &'g Graph<'g>,
    /// By node: the next on the way, or `None` for the last.
    next: BTreeMap<NodeId, Option<NodeId>>,
}

impl Node {
    /// A step that touches no shared memory.
    fn nothing(at: Position, sections: Vec<Section>) -> Self {
        Self { at, sections, reads: Vec::new(), writes: Vec::new(), numbers: false }
    }
}

impl<'t> Graph<'t> {
    pub fn new(threads: &'t Threads<'t>) -> Result<Self, Exceeded> {
        let mut graph = Self {
            threads,
            order: Order::new(threads),
            locks: Locks::new(threads)?,
            nodes: Vec::new(),
            of: BTreeMap::new(),
            before: Vec::new(),
            beside: Vec::new(),
            conflicts: Vec::new(),
        };
        let mut ends = Vec::new();
        let mut starts = BTreeMap::new();
        for &id in threads.codes.keys() {
            threads.search.limits.check()?;
            let start = graph.function(id, &mut ends);
            starts.insert(id, start);
        }
        graph.starts_and_joins(&starts, &ends);
        graph.find_conflicts()?;
        Ok(graph)
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// What is done by an instruction, if it touches shared memory.
    pub fn at(&self, position: Position) -> Option<NodeId> {
        self.of.get(&position).copied()
    }

    /// What other threads do that conflicts with a node.
    pub fn conflicts(&self, id: NodeId) -> &[NodeId] {
        &self.conflicts[id.0]
    }

    fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes.push(node);
        self.before.push(Vec::new());
        self.beside.push(Vec::new());
        self.conflicts.push(Vec::new());
        id
    }

    fn edge(&mut self, from: NodeId, to: NodeId, in_section: bool) {
        self.before[to.0].push(from);
        if in_section {
            self.before[from.0].push(to);
            self.beside[from.0].push(to);
            self.beside[to.0].push(from);
        }
    }

    /// Adds what a function does; its start. `ends` get where it ends.
    fn function(&mut self, id: FunctionId, ends: &mut Vec<NodeId>) -> NodeId {
        let threads = self.threads;
        let function = threads.module.function(id);
        let code = &threads.codes[&id];
        let starts: Vec<NodeId> = function
            .blocks()
            .map(|(block, _)| {
                let sections = code.sections.before(function, block, 0);
                self.add(Node::nothing(Position { function: id, block, index: 0 }, sections))
            })
            .collect();
        for (block, data) in function.blocks() {
            let (last, in_section) = self.block(id, block, data, starts[block.index()]);
            data.terminator.kind.for_each_target(|target| {
                self.edge(last, starts[target.block.index()], in_section);
            });
            let ends_thread = match data.terminator.kind {
                // The program ends, and nothing comes after that.
                TerminatorKind::Return(_) => {
                    threads.module.entry != Some(id) || !threads.once.contains(id)
                }
                TerminatorKind::EndThread(_) => true,
                _ => false,
            };
            if ends_thread {
                ends.push(self.end(id, block, data, last));
            }
        }
        starts[0]
    }

    /// Adds the end of a thread, with which its stack objects end.
    fn end(&mut self, id: FunctionId, block: BlockId, data: &Block, last: NodeId) -> NodeId {
        let slots = (0..self.threads.module.function(id).slots.len()).map(SlotId::new);
        let slots = slots.map(|slot| Object::Slot(id, slot));
        let places: BTreeSet<Place> = slots
            .filter(|slot| self.threads.shared.contains(slot))
            .map(|object| Place { object, offsets: Offsets::ALL })
            .collect();
        if places.is_empty() {
            return last;
        }
        let at = Position { function: id, block, index: data.instructions.len() };
        let writes = vec![Access { places, size: 1 }];
        let end = self.add(Node { writes, ..Node::nothing(at, Vec::new()) });
        self.of.insert(at, end);
        self.edge(last, end, false);
        end
    }

    /// Adds what a block does; the last of it, and whether one section goes on from there.
    fn block(
        &mut self,
        id: FunctionId,
        block: BlockId,
        data: &Block,
        start: NodeId,
    ) -> (NodeId, bool) {
        let mut last = start;
        let mut sections = self.nodes[start.0].sections.clone();
        let mut in_section = !sections.is_empty();
        for (index, instruction) in data.instructions.iter().enumerate() {
            match &instruction.op {
                Op::AtomicBegin(section) => sections.push(*section),
                Op::AtomicEnd => {
                    sections.pop();
                    in_section &= !sections.is_empty();
                }
                _ => {}
            }
            let at = Position { function: id, block, index };
            if self.threads.alone.at(id, block, index) {
                continue;
            }
            let Some(node) = self.read(at, instruction, &sections) else { continue };
            let node = self.add(node);
            self.of.insert(at, node);
            self.edge(last, node, in_section);
            in_section = !sections.is_empty();
            last = node;
        }
        (last, in_section)
    }

    /// What an instruction does, if others can tell.
    fn read(&self, at: Position, instruction: &Instruction, sections: &[Section]) -> Option<Node> {
        let Threads { module, points_to, shared, .. } = *self.threads;
        let mut node = Node::nothing(at, sections.to_vec());
        match &instruction.op {
            Op::Join { .. } => return Some(node),
            Op::Allocate { .. } | Op::Spawn { .. } => node.numbers = true,
            _ => {
                let Accesses { reads, writes } =
                    Accesses::of(module, points_to, at.function, instruction);
                (node.reads, node.writes) = (reads, writes);
            }
        }
        let is_shared = |access: &Access| access.may_touch(|object| shared.contains(&object));
        let touches = node.reads.iter().chain(&node.writes).any(is_shared);
        (touches || node.numbers).then_some(node)
    }

    /// What a thread does comes after its start, and before it is joined, or makes room for another.
    fn starts_and_joins(&mut self, starts: &BTreeMap<FunctionId, NodeId>, ends: &[NodeId]) {
        let threads = self.threads;
        for (&at, &id) in &self.of {
            let block = threads.module.function(at.function).block(at.block);
            let Some(instruction) = block.instructions.get(at.index) else { continue };
            match &instruction.op {
                Op::Spawn { function, .. } => {
                    if let Operand::Function(started) = function
                        && let Some(start) = starts.get(started)
                    {
                        self.before[start.0].push(id);
                    }
                    if threads.search.wait_for_room {
                        self.before[id.0].extend(ends);
                    }
                }
                Op::Join { handle } => {
                    let started = self.started_with(at.function, *handle);
                    let is_joined = |end: &&NodeId| {
                        started.is_none_or(|started| self.nodes[end.0].at.function == started)
                    };
                    self.before[id.0].extend(ends.iter().filter(is_joined));
                }
                _ => {}
            }
        }
    }

    /// The function of the thread that a handle names, where the same function has started it.
    fn started_with(&self, function: FunctionId, handle: Operand) -> Option<FunctionId> {
        let handle = handle.value()?;
        let mut instructions = self.threads.module.function(function).instructions();
        instructions.find_map(|instruction| match instruction.op {
            Op::Spawn { function: Operand::Function(started), .. } => {
                (instruction.result == Some(handle)).then_some(started)
            }
            _ => None,
        })
    }

    fn find_conflicts(&mut self) -> Result<(), Exceeded> {
        let ids: Vec<NodeId> = self.of.values().copied().collect();
        for (number, &a) in ids.iter().enumerate() {
            self.threads.search.limits.check()?;
            for &b in &ids[number..] {
                if self.are_others(a, b) && self.conflict(a, b) {
                    self.conflicts[a.0].push(b);
                    if a != b {
                        self.conflicts[b.0].push(a);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether two nodes may be of different threads.
    fn are_others(&self, a: NodeId, b: NodeId) -> bool {
        self.is_other(self.nodes[a.0].at.function, b)
    }

    /// Whether a node may be of another thread than one that executes a function.
    fn is_other(&self, function: FunctionId, node: NodeId) -> bool {
        self.nodes[node.0].at.function != function || !self.threads.once.contains(function)
    }

    fn conflict(&self, a: NodeId, b: NodeId) -> bool {
        let (a, b) = (&self.nodes[a.0], &self.nodes[b.0]);
        let overlap = |a: &[Access], b: &[Access]| {
            a.iter().any(|a| b.iter().any(|b| a.overlap(b) != Overlap::None))
        };
        a.numbers && b.numbers
            || overlap(&a.writes, &b.writes)
            || overlap(&a.writes, &b.reads)
            || overlap(&a.reads, &b.writes)
    }

    /// The nodes that are in one section with a node.
    pub fn same_section(&self, node: NodeId) -> BTreeSet<NodeId> {
        let mut found = BTreeSet::new();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if found.insert(node) {
                pending.extend(&self.beside[node.0]);
            }
        }
        found
    }

    /// The ways to a node of a store that waits, through threads other than its own.
    pub fn ways_to(&self, node: NodeId) -> Result<Ways<'_>, Exceeded> {
        let store = self.nodes[node.0].at;
        let may_act = |node: NodeId| {
            let at = self.nodes[node.0].at;
            self.is_other(store.function, node)
                && self.order.may_act(store, at)
                && !self.locks.keep_apart(store, at)
        };
        let mut next = BTreeMap::new();
        let mut pending = VecDeque::new();
        for &last in self.conflicts[node.0].iter().filter(|node| may_act(**node)) {
            next.insert(last, None);
            pending.push_back(last);
        }
        while let Some(node) = pending.pop_front() {
            self.threads.search.limits.check()?;
            for &before in self.before[node.0].iter().chain(&self.conflicts[node.0]) {
                if !next.contains_key(&before) && may_act(before) {
                    next.insert(before, Some(node));
                    pending.push_back(before);
                }
            }
        }
        Ok(Ways { graph: self, next })
    }
}

impl Ways<'_> {
    /// A way from a node of the thread that ways lead to: what conflicts on it.
    pub fn from(&self, node: NodeId) -> Option<Vec<NodeId>> {
        let conflicts = self.graph.conflicts(node);
        let mut at = *conflicts.iter().find(|node| self.next.contains_key(node))?;
        let mut found = vec![at];
        while let Some(&next) = self.next.get(&at) {
            let is_conflict = next.is_none_or(|next| self.graph.conflicts(at).contains(&next));
            if is_conflict && found.last() != Some(&at) {
                found.push(at);
            }
            let Some(next) = next else { break };
            if is_conflict {
                found.push(next);
            }
            at = next;
        }
        found.dedup();
        Some(found)
    }
}
