//! Which stores may be seen to wait: delays on critical cycles.
//!
//! A store that waits (`s`) and something that its thread does meanwhile (`b`) are a *delay* if others
//! can tell: if from `b` on, by conflicts with other threads and by what these do in the order of
//! their programs, there is a way back to `s` (Shasha, Snir, "Efficient and Correct Execution of
//! Parallel Programs that Share Memory", TOPLAS 1988; for TSO: Owens, ECOOP 2010; Bouajjani, Meyer,
//! Möhlmann, ICALP 2011). Here it is enough that a store that begins no delay need not be the first
//! that waits: it is written to memory if the buffer is empty, and waits behind others if not. If there is no
//! delay at all, then no store ever waits, and the program behaves as under sequential consistency. A way may
//! come through a thread several times: for the second part, unlike for the first, minimal cycles are not enough.
//!
//! **Theorem.** Each run with buffers has a run with the same steps of each thread, reading the
//! same values, in which only stores that begin a delay wait in a buffer that was empty.
//!
//! *Proof.* A run is a sequence of steps: `e(a)`, in which a thread executes `a`, and `m(s)`, in which
//! the waiting store `s` reaches memory (at the end of the run, if it never does). Let `s` begin no
//! delay and wait in a buffer that was empty; the run is `α e(s) β m(s) γ`. *Dependencies* between
//! steps of the run are, in its order: `e(a)` before `e(b)`, `m(b)` and, if so in the run,
//! `m(a)` before `e(b)` and `m(b)`, for `a` before `b` in the program of one thread (but not `e(b)`
//! before `m(a)`); between steps on the same bytes in memory, one of which writes; from a load that
//! reads its own thread's waiting store to what overwrites this store; between a start and the
//! first step of what is started, the last step and a join; between starts and allocations, which
//! number threads and objects. The steps of an atomic section are one. Let `H` be the steps of
//! `β` that `m(s)` depends on. A sequence in which the other steps of `β` come after `m(s)` is a run too,
//! in which all read what they read before: a load that is late now and read a waiting store of
//! its own thread finds it in memory, as nobody has overwritten it yet. If `H` has no step of the
//! thread of `s`, then `e(s)`, with the section that it is in, can be moved behind `H`, next to
//! `m(s)`: it does not wait. Else take the last step of that thread on a way of dependencies to `m(s)`. The
//! next is another thread's: so it is a load or another access to memory of a `b` that is later
//! than `s`, or in the same section, and from there the way goes through other threads, in the order
//! of their programs, or from any step of a section to any other. With PSO it may also be that `b` is a
//! store that has overtaken `s`. So `s` begins a delay: a contradiction. The new run has no new pairs of a
//! store and a step that its thread makes before it reaches memory, and fewer stores wait in it.
//! Stores behind `s` may meet an empty buffer now, and have their turn; as fewer and fewer wait, this ends.
//! Nor do more stores wait at any time, so that a bound on buffers stays kept. ∎
//!
//! What the proof leaves out: a store to an object whose life another thread may end is lost if
//! that comes first. These stores may always wait.
//!
//! Ways are searched in the code, where each function that may be executed several times stands
//! for any number of threads. All steps of a way are made while `s` waits; what starts and joins
//! keep apart from that is on no way (`order.rs`), nor what locks do (`locks.rs`), nor what comes
//! before the first start of a thread.

mod graph;
mod locks;
mod order;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Entity, FunctionId, Location, MemoryModel, Module, Op, Section};
use sapa_limits::{Exceeded, Limits};

use self::graph::{Graph, Node, NodeId};
use super::access::{Access, Overlap};
use super::alone::Alone;
use super::effect::{Effect, Effects, Reader};
use super::sections::Sections;
use super::{PRINT_DELAYS, Position, has_no_buffers, split, started, threads};
use crate::analysis::Analyses;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;

/// Whether no store of a module without buffers is seen to wait under a memory model: what is proved
/// under sequential consistency then holds under that model, too. `wait_for_room` says whether a start
/// may have to wait until another thread has ended, as only so many may exist at once.
///
/// # Errors
/// What the passes `tso` and `pso` refuse, or a limit.
pub fn is_robust(
    module: &Module,
    model: MemoryModel,
    wait_for_room: bool,
    limits: &Limits,
) -> Result<bool, PassError> {
    let search = Search { pass: PRINT_DELAYS.name, model, wait_for_room, limits };
    Ok(search.delays(&mut module.clone(), &mut Analyses::new(limits))?.is_empty())
}

/// A search for delays.
pub(super) struct Search<'l> {
    /// The pass that looks.
    pub pass: &'static str,
    pub model: MemoryModel,
    /// Whether a start may have to wait until another thread has ended.
    pub wait_for_room: bool,
    pub limits: &'l Limits,
}

/// A store that waits while its thread goes on, which others can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delay {
    /// The store.
    pub store: Position,
    /// What its thread does before the store reaches memory; `None` where the store may be lost, as
    /// another thread may end the life of its object.
    pub then: Option<Position>,
    /// What other threads do on the way from there back to the store.
    pub others: Vec<Position>,
}

/// What is known of a module where delays are looked for.
struct Threads<'m> {
    search: &'m Search<'m>,
    module: &'m Module,
    codes: &'m BTreeMap<FunctionId, Code>,
    points_to: &'m PointsTo,
    shared: &'m FxHashSet<Object>,
    alone: &'m Alone,
    once: &'m ExecutedOnce,
}

/// What is known of the code of a thread.
struct Code {
    effects: Effects,
    sections: Sections,
}

impl Search<'_> {
    /// The delays of a module that the memory model allows; for each store and each `b`, one way
    /// back. Copies of whole objects become accesses to scalars, as they do where they get buffers.
    ///
    /// # Errors
    /// What the passes `tso` and `pso` refuse, or a limit.
    pub fn delays(
        &self,
        module: &mut Module,
        analyses: &mut Analyses,
    ) -> Result<Vec<Delay>, PassError> {
        let Self { pass, model, limits, .. } = *self;
        has_no_buffers(module, pass)?;
        let once = analyses.get::<ExecutedOnce>(module)?;
        let points_to = analyses.get::<PointsTo>(module)?;
        let (points_to, shared) = split(module, pass, model, &points_to, limits)?;
        self.of_scalars(module, &points_to, &shared, &once)
    }

    /// The same of a module in which all that may wait is scalars, given what pointers point to, what is
    /// shared, and what is executed once.
    ///
    /// # Errors
    /// As those of [`delays`](Self::delays).
    pub fn of_scalars(
        &self,
        module: &Module,
        points_to: &PointsTo,
        shared: &FxHashSet<Object>,
        once: &ExecutedOnce,
    ) -> Result<Vec<Delay>, PassError> {
        let Self { pass, model, .. } = *self;
        let started = started(module);
        let alone = &Alone::new(module, |entry| started.contains(&entry));
        let reader = Reader { pass, model, module, points_to, shared, alone };
        let code = |id| {
            let effects = reader.read(id)?;
            let sections = Sections::new(module.function(id)).map_err(|block| {
                let message = "a block is entered from sections of different kinds";
                PassError::new(pass, module, Entity::Block(id, block), message)
            })?;
            Ok::<_, PassError>((id, Code { effects, sections }))
        };
        let codes = &threads(module).into_iter().map(code).collect::<Result<_, _>>()?;
        let threads = Threads { search: self, module, codes, points_to, shared, alone, once };
        Ok(threads.delays()?)
    }
}

impl Threads<'_> {
    fn delays(&self) -> Result<Vec<Delay>, Exceeded> {
        let graph = Graph::new(self)?;
        let mut found = Vec::new();
        for (&id, code) in self.codes {
            let function = self.module.function(id);
            let cfg = Cfg::new(function);
            for (block, data) in function.blocks() {
                for index in 0..data.instructions.len() {
                    self.search.limits.check()?;
                    let store = Position { function: id, block, index };
                    let Some(node) = graph.at(store) else { continue };
                    let Some(access) = waiting(code, store, graph.node(node)) else { continue };
                    let own = Own { threads: self, graph: &graph, cfg: &cfg, store, node, access };
                    own.delays(&mut found)?;
                }
            }
        }
        Ok(found)
    }
}

/// What a store that may wait touches.
fn waiting<'c>(code: &'c Code, at: Position, node: &Node) -> Option<&'c Access> {
    match &code.effects.of[at.block.index()][at.index] {
        Effect::Store { class, .. } if !node.sections.contains(&Section::Locked) => {
            Some(&code.effects.classes.get(*class).access)
        }
        _ => None,
    }
}

/// A store that may wait, in its own thread.
struct Own<'t> {
    threads: &'t Threads<'t>,
    graph: &'t Graph<'t>,
    cfg: &'t Cfg,
    store: Position,
    node: NodeId,
    access: &'t Access,
}

impl Own<'_> {
    fn delays(&self, found: &mut Vec<Delay>) -> Result<(), Exceeded> {
        let Self { graph, store, .. } = *self;
        let ways = graph.ways_to(self.node)?;
        if let Some(end) = self.may_be_lost() {
            let others = end.into_iter().collect();
            found.push(Delay { store, then: None, others });
        }
        for then in self.meanwhile() {
            if let Some(others) = ways.from(then) {
                let others = others.into_iter().map(|node| graph.node(node).at).collect();
                found.push(Delay { store, then: Some(graph.node(then).at), others });
            }
        }
        Ok(())
    }

    /// Whether another thread may end the life of what is stored to; where, if in the code.
    fn may_be_lost(&self) -> Option<Option<Position>> {
        let module = self.threads.module;
        let end = self.graph.conflicts(self.node).iter().map(|&node| self.graph.node(node).at);
        let mut end = end.filter(|at| {
            let instructions = &module.function(at.function).block(at.block).instructions;
            matches!(instructions.get(at.index).map(|i| &i.op), Some(Op::Free { .. }))
        });
        if let Some(end) = end.next() {
            return Some(Some(end));
        }
        let own = self.store.function;
        let of_others = |object: Object| match object {
            Object::Slot(function, _) => function != own || !self.threads.once.contains(own),
            object => object.is_any(),
        };
        let slots = self.access.places.iter().any(|place| of_others(place.object));
        slots.then_some(None)
    }

    /// What the thread may do while the store waits, or in one step with it, apart from what is
    /// ordered behind it.
    fn meanwhile(&self) -> BTreeSet<NodeId> {
        let mut found = self.graph.same_section(self.node);
        found.remove(&self.node);
        let function = self.threads.module.function(self.store.function);
        let effects = &self.threads.codes[&self.store.function].effects;
        // Positions, and whether a barrier has been passed.
        let mut known: BTreeSet<(BlockId, bool)> = BTreeSet::new();
        let mut pending = vec![(self.store.block, self.store.index + 1, false)];
        'blocks: while let Some((block, from, mut is_behind)) = pending.pop() {
            for index in from..function.block(block).instructions.len() {
                let effect = &effects.of[block.index()][index];
                if effect.drains() {
                    continue 'blocks;
                }
                is_behind |= matches!(effect, Effect::Barrier);
                if let Some(node) = self.graph.at(Position { block, index, ..self.store })
                    && self.may_overtake(effect, is_behind)
                {
                    found.insert(node);
                }
            }
            for &next in self.cfg.successors(block) {
                if known.insert((next, is_behind)) {
                    pending.push((next, 0, is_behind));
                }
            }
        }
        found
    }

    /// Whether an access that comes later may be seen before the store, by the order in which they
    /// reach memory; `is_behind`: a barrier is between them.
    fn may_overtake(&self, effect: &Effect, is_behind: bool) -> bool {
        let is_apart = |access: &Access| {
            // A load of what waits reads it, or waits until it has reached memory.
            !matches!(self.access.overlap(access), Overlap::All { .. } | Overlap::Part)
        };
        match effect {
            Effect::Load { access, .. } => is_apart(access),
            Effect::Store { class, release, .. } => {
                let classes = &self.threads.codes[&self.store.function].effects.classes;
                let access = &classes.get(*class).access;
                // It may be to anything, also to what never waits.
                let is_unknown = access.may_touch(|_| false);
                let is_pso = self.threads.search.model == MemoryModel::Pso;
                (is_unknown || is_pso && !release && !is_behind) && is_apart(access)
            }
            _ => true,
        }
    }
}

/// The place of a position in the source; behind the last instruction it is the end of the block.
pub(super) fn location(module: &Module, at: Position) -> Location {
    let block = module.function(at.function).block(at.block);
    let instruction = block.instructions.get(at.index);
    instruction.map_or(block.terminator.location, |instruction| instruction.location)
}
