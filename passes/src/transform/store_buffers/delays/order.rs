//! What starts and joins keep apart: code that is never executed while a store of a thread waits.
//!
//! A thread waits until its buffer is empty before it starts or joins another, and before it ends. So
//! while a store of it waits, no thread acts that it starts only later, or that it has joined; nor
//! does one that started it do what comes before that start, or behind its join. That is looked for
//! where functions, starts and joins are executed once.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, FunctionId, Op, Operand, ValueId};

use super::super::Position;
use super::Threads;

/// The order of steps of different threads that starts and joins make.
pub(super) struct Order {
    /// Of functions that one thread executes, once, but for the entry: how it comes to that.
    lives: BTreeMap<FunctionId, Life>,
    /// Of the functions that start these.
    dominators: BTreeMap<FunctionId, Dominators>,
}

struct Life {
    start: Position,
    /// The blocks that may be executed after the start, by its thread.
    after: BTreeSet<BlockId>,
    /// Where the thread is joined, by the one that has started it.
    joins: Vec<Position>,
}

impl Life {
    /// Whether the thread that executes the start may execute something behind it.
    fn may_start_before(&self, at: Position) -> bool {
        let Position { block, index, .. } = self.start;
        block == at.block && index < at.index || self.after.contains(&at.block)
    }
}

impl Order {
    pub fn new(threads: &Threads<'_>) -> Self {
        let mut new = Self { lives: BTreeMap::new(), dominators: BTreeMap::new() };
        for &parent in threads.codes.keys() {
            let function = threads.module.function(parent);
            let cfg = Cfg::new(function);
            for (start, op, handle) in instructions(function, parent) {
                if let Op::Spawn { function: Operand::Function(started), .. } = op
                    && threads.once.contains(*started)
                {
                    let joins = instructions(function, parent).filter(|(_, op, _)| match op {
                        Op::Join { handle: Operand::Value(of) } => Some(*of) == handle,
                        _ => false,
                    });
                    let joins = joins.map(|(at, ..)| at).collect();
                    let life = Life { start, after: after(&cfg, start.block), joins };
                    new.lives.insert(*started, life);
                    new.dominators.entry(parent).or_insert_with(|| Dominators::new(&cfg));
                }
            }
        }
        new
    }

    /// Whether a thread may execute something while a store of another waits.
    pub fn may_act(&self, store: Position, at: Position) -> bool {
        !(self.is_before_thread(store.function, at)
            || self.is_after_thread(store.function, at)
            || self.is_not_started(store, at.function)
            || self.has_ended(store, at.function))
    }

    /// Whether something is executed only before the one thread of a function is started.
    fn is_before_thread(&self, thread: FunctionId, at: Position) -> bool {
        self.lives.get(&thread).is_some_and(|life| {
            let parent = life.start.function;
            parent == at.function && !life.may_start_before(at) || self.is_before_thread(parent, at)
        })
    }

    /// Whether something is executed only after the one thread of a function has ended.
    fn is_after_thread(&self, thread: FunctionId, at: Position) -> bool {
        self.lives.get(&thread).is_some_and(|life| self.is_joined(life, at))
            || self.lives.get(&at.function).is_some_and(|l| self.is_after_thread(thread, l.start))
    }

    /// Whether something is a join of a thread, or is executed only behind one.
    fn is_joined(&self, life: &Life, at: Position) -> bool {
        let Some(dominators) = self.dominators.get(&at.function) else { return false };
        life.joins.iter().any(|join| match join.block == at.block {
            true => join.function == at.function && join.index <= at.index,
            false => join.function == at.function && dominators.dominates(join.block, at.block),
        })
    }

    /// Whether the one thread of a function is not started until a store that waits has reached
    /// memory.
    fn is_not_started(&self, store: Position, thread: FunctionId) -> bool {
        self.lives.get(&thread).is_some_and(|life| {
            let parent = life.start.function;
            parent == store.function && !life.may_start_before(store)
                || self.is_not_started(store, parent)
        })
    }

    /// Whether the one thread of a function has ended when a store begins to wait.
    fn has_ended(&self, store: Position, thread: FunctionId) -> bool {
        let Some(life) = self.lives.get(&thread) else { return false };
        // The store, the start of its thread, the start of what started that, and so on.
        let start = |at: &Position| self.lives.get(&at.function).map(|life| life.start);
        std::iter::successors(Some(store), start).any(|at| self.is_joined(life, at))
    }
}

/// The blocks that may come after a block.
fn after(cfg: &Cfg, block: BlockId) -> BTreeSet<BlockId> {
    let mut found = BTreeSet::new();
    let mut pending = cfg.successors(block).to_vec();
    while let Some(block) = pending.pop() {
        if found.insert(block) {
            pending.extend(cfg.successors(block));
        }
    }
    found
}

/// The instructions of a function, with where they are and what they define.
fn instructions(
    function: &Function,
    id: FunctionId,
) -> impl Iterator<Item = (Position, &Op, Option<ValueId>)> {
    function.blocks().flat_map(move |(block, data)| {
        let here = data.instructions.iter().enumerate();
        here.map(move |(index, i)| (Position { function: id, block, index }, &i.op, i.result))
    })
}
