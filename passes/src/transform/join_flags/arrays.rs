//! Joins in loops over an array of handles: `for (i = 0; i < n; i++) pthread_join(t[i], NULL);`.
//!
//! Which thread such a join waits for is not known, but how many have ended behind it is, at least. Let an array hold
//! handles only, each of which was stored where its thread was started, and once; then no two of its elements ever name
//! one thread. A loop whose joins go through it element by element, upwards or downwards, has waited for as
//! many threads as it has joined, whichever these are. So threads count their ends, and each join waits for
//! as many ends as the loop has come to. How many the loop comes to is for `invariants` to find.
//!
//! The starts are counted, too, where they are: no more threads end than were started.
//!
//! A handle that was never stored is waited for without end, as is one that was joined before: where a program joins what it
//! finds in memory that it has not written, which is undefined, the engines need not agree.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::arithmetic;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CastOp, Function, FunctionId, GlobalId, Initializer, Instruction,
    Module, Op, Operand, Type,
};
use sapa_limits::{Exceeded, Limits};

use super::ends::{COUNTER, only_starts};
use super::known::{Joins, ends_itself, handle_type};
use crate::analysis::definitions::Definitions;
use crate::analysis::loops::{Loop, natural};
use crate::analysis::thread_bound::most_ever_started;

/// The number of a join in its loop: by how much what the loop carries from round to round has gone on since it was
/// entered, and one more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// What is larger of what the loop carries now and what it began with, and what is smaller.
    more: Operand,
    less: Operand,
    /// Its width.
    bits: u16,
}

/// A join in a loop over an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayJoin {
    /// What the threads in the array execute.
    pub(super) function: FunctionId,
    pub(super) number: Number,
}

/// The joins of the entry that go through an array, by their places; `known` are others.
///
/// # Errors
/// If a limit ends the search.
pub(super) fn array_joins(
    module: &Module,
    entry: FunctionId,
    known: &Joins,
    limits: &Limits,
) -> Result<FxHashMap<(BlockId, usize), ArrayJoin>, Exceeded> {
    let mut found = FxHashMap::default();
    let function = module.function(entry);
    let joins = function.blocks().flat_map(|(block, content)| {
        let code = content.instructions.iter().enumerate();
        code.filter_map(move |(index, instruction)| match instruction.op {
            Op::Join { handle } => Some(((block, index), handle)),
            _ => None,
        })
    });
    let unknown: Vec<_> = joins.filter(|(place, _)| !known.contains_key(place)).collect();
    // Counters of 32 bits have room for all of them.
    let counts =
        || most_ever_started(module, limits).is_some_and(|most| u32::try_from(most).is_ok());
    if unknown.is_empty() || !counts() {
        return Ok(found);
    }
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(&cfg);
    let loops = natural(function);
    let entry =
        Entry { module, id: entry, function, definitions: Definitions::new(function), limits };
    for (place, handle) in unknown {
        limits.check()?;
        let around = loops.iter().filter(|content| content.blocks.contains(&place.0));
        let Some(content) = around.min_by_key(|content| content.blocks.len()) else { continue };
        let join = entry.element(handle).and_then(|(array, index)| {
            Some((array, entry.number(index, place.0, content, &cfg, &dominators)?))
        });
        let Some((array, number)) = join else { continue };
        let function = entry.threads_in(array)?;
        found.extend(function.map(|function| (place, ArrayJoin { function, number })));
    }
    Ok(found)
}

impl Number {
    /// Computes it, as wide as a counter: there are no more threads than that has numbers.
    pub(super) fn computed(self, builder: &mut Builder<'_>) -> Operand {
        let Self { more, less, bits } = self;
        let before = builder.binary(BinaryOp::Sub, more, less, false);
        let here = builder.binary(BinaryOp::Add, before, Operand::int(bits, 1), false);
        match bits {
            32 => here,
            ..32 => builder.cast(CastOp::ZeroExtend, here, COUNTER),
            _ => builder.cast(CastOp::Truncate, here, COUNTER),
        }
    }
}

/// The function that starts the threads and joins them.
struct Entry<'m> {
    module: &'m Module,
    id: FunctionId,
    function: &'m Function,
    definitions: Definitions<'m>,
    limits: &'m Limits,
}

impl Entry<'_> {
    /// The array that a handle is read from, and the index.
    fn element(&self, handle: Operand) -> Option<(Operand, Operand)> {
        let Some(Op::Load { address, .. }) = self.definitions.behind_copies(handle) else {
            return None;
        };
        let Some(Op::IndexAddress { base, element, index }) =
            self.definitions.behind_copies(*address)
        else {
            return None;
        };
        (*element == handle_type(self.module)).then_some((self.definitions.copied(*base), *index))
    }

    /// The number of a join in a block of a loop, if each round has one and reads an element that no other has read.
    fn number(
        &self,
        index: Operand,
        block: BlockId,
        content: &Loop,
        cfg: &Cfg,
        dominators: &Dominators,
    ) -> Option<Number> {
        let counter = self.carried(index)?;
        let parameters = &self.function.block(content.header).parameters;
        let position = parameters.iter().position(|p| Operand::Value(*p) == counter)?;
        let Type::Int(bits) = self.function.operand_type(counter) else { return None };
        let (mut starts, mut steps) = (BTreeSet::new(), BTreeSet::new());
        for &from in cfg.predecessors(content.header).iter().filter(|b| cfg.is_reachable(**b)) {
            let returns = content.blocks.contains(&from);
            if returns && !dominators.dominates(block, from) {
                return None;
            }
            let mut is_counted = true;
            self.function.block(from).terminator.kind.for_each_target(|target| {
                if target.block == content.header {
                    let given = target.arguments.get(position).map(|a| self.definitions.copied(*a));
                    match given {
                        Some(given) if returns => match self.step(given, counter) {
                            Some(step) => drop(steps.insert(step)),
                            None => is_counted = false,
                        },
                        Some(given) => drop(starts.insert(given)),
                        None => is_counted = false,
                    }
                }
            });
            if !is_counted {
                return None;
            }
        }
        let (1, 1) = (starts.len(), steps.len()) else { return None };
        let (start, goes_up) = (starts.pop_first()?, steps.pop_first()?);
        let (more, less) = if goes_up { (counter, start) } else { (start, counter) };
        Some(Number { more, less, bits })
    }

    /// The value of which an index is another for each: itself, widened or with a constant added.
    fn carried(&self, index: Operand) -> Option<Operand> {
        let mut index = self.definitions.copied(index);
        loop {
            let inner = match self.definitions.behind_copies(index) {
                Some(Op::Cast { op: CastOp::ZeroExtend | CastOp::SignExtend, a }) => *a,
                Some(Op::Binary {
                    op: BinaryOp::Add | BinaryOp::Sub,
                    a,
                    b: Operand::Int { .. },
                    ..
                }) => *a,
                Some(Op::Binary { op: BinaryOp::Add, a: Operand::Int { .. }, b, .. }) => *b,
                _ => return index.value().map(Operand::Value),
            };
            index = self.definitions.copied(inner);
        }
    }

    /// Whether a value is that of the round before and one more; or, one less.
    fn step(&self, next: Operand, counter: Operand) -> Option<bool> {
        match *self.definitions.behind_copies(next)? {
            Op::Binary { op, a, b: Operand::Int { bits, value }, .. }
                if self.definitions.copied(a) == counter =>
            {
                let is_minus_one = value == arithmetic::mask(bits);
                match op {
                    BinaryOp::Add if value == 1 || is_minus_one => Some(value == 1),
                    BinaryOp::Sub if value == 1 || is_minus_one => Some(value != 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What all threads execute whose handles are in an array; `None` if there may be anything else in it, or one
    /// twice.
    fn threads_in(&self, array: Operand) -> Result<Option<FunctionId>, Exceeded> {
        let is_array = match array {
            Operand::Global(global) => self.is_own(global),
            Operand::Slot(_) => true,
            Operand::Value(value) => {
                matches!(self.definitions.get(&value), Some(Op::Allocate { .. }))
            }
            _ => false,
        };
        if !is_array {
            return Ok(None);
        }
        let pointers = self.pointers_into(array)?;
        let counts = |id: &FunctionId| {
            *id != self.id
                && ends_itself(self.module.function(*id))
                && only_starts(self.module, self.id, *id).is_some()
        };
        Ok(self.started_into(&pointers).filter(counts))
    }

    /// The values that point into an array, as far as addresses are computed, and the array.
    fn pointers_into(&self, array: Operand) -> Result<BTreeSet<Operand>, Exceeded> {
        let mut pointers = BTreeSet::from([array]);
        let mut before = 0;
        while pointers.len() > before {
            self.limits.check()?;
            before = pointers.len();
            for instruction in self.function.instructions() {
                if let Op::Copy { a } | Op::IndexAddress { base: a, .. } = &instruction.op
                    && pointers.contains(a)
                {
                    pointers.extend(instruction.result.map(Operand::Value));
                }
            }
        }
        Ok(pointers)
    }

    /// The one function of which handles are stored through these pointers: each behind its start in the same block, and
    /// once. `None` if anything else is done with the pointers than to read, to store such handles, and to free.
    fn started_into(&self, pointers: &BTreeSet<Operand>) -> Option<FunctionId> {
        let mut started: Option<FunctionId> = None;
        let mut stored = BTreeSet::new();
        for (_, content) in self.function.blocks() {
            let mut here: FxHashMap<Operand, FunctionId> = FxHashMap::default();
            for Instruction { op, result, .. } in &content.instructions {
                if let (Op::Spawn { function: Operand::Function(function), .. }, Some(handle)) =
                    (op, result)
                {
                    here.insert(Operand::Value(*handle), *function);
                }
                let may_read = match op {
                    Op::Store { address, value, .. } if pointers.contains(address) => {
                        let handle = self.definitions.copied(*value);
                        let function = *here.get(&handle)?;
                        let is_first = stored.insert(handle);
                        if !is_first
                            || !self.is_element(*address)
                            || *started.get_or_insert(function) != function
                        {
                            return None;
                        }
                        true
                    }
                    Op::IndexAddress { index, .. } => !pointers.contains(index),
                    Op::Copy { .. } | Op::Load { .. } | Op::Free { .. } | Op::Compare { .. } => {
                        true
                    }
                    _ => false,
                };
                let mut reads = false;
                op.for_each_operand(|operand| reads |= pointers.contains(&operand));
                if reads && !may_read {
                    return None;
                }
            }
            let mut leaves = false;
            let end = &content.terminator.kind;
            end.for_each_operand(|operand| leaves |= pointers.contains(&operand));
            if leaves {
                return None;
            }
        }
        started
    }

    /// Whether an address is that of an element: of a handle, that many elements behind another.
    fn is_element(&self, address: Operand) -> bool {
        let handle = handle_type(self.module);
        matches!(self.definitions.behind_copies(address),
            Some(Op::IndexAddress { element, .. }) if *element == handle)
    }

    /// Whether a global is named by the entry only.
    fn is_own(&self, global: GlobalId) -> bool {
        let names = |function: &Function| {
            let mut names = false;
            function.for_each_operand(|operand| names |= operand == Operand::Global(global));
            names
        };
        let mut others = self.module.functions().filter(|(id, _)| *id != self.id);
        !others.any(|(_, function)| names(function))
            && !self.module.globals.iter().any(|other| points_to(&other.initializer, global))
            && matches!(self.module.globals[global.index()].initializer, Initializer::Zero)
    }
}

/// Whether an initial value has the address of a global.
fn points_to(initializer: &Initializer, global: GlobalId) -> bool {
    match initializer {
        Initializer::Global(other, _) => *other == global,
        Initializer::Aggregate(parts) => parts.iter().any(|part| points_to(part, global)),
        _ => false,
    }
}
