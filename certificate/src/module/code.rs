//! What is known of a thread function before any of it is executed: where pointers come from, where
//! values and versions of source variables are defined, and how deep in atomic sections blocks are.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BlockId, Function, FunctionId, GlobalId, Instruction, Location, Module, Op, Operand, SlotId,
    ValueId, VariableId,
};

use super::Problem;
use super::pointers::{Pointers, Targets};

/// A place of a function: before the instruction of this index of a block, or before its end.
pub(super) type Place = (BlockId, usize);

/// An object that a pointer is known to point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Object {
    /// One that all threads see.
    Shared(GlobalId),
    /// The thread's own copy of a `_Thread_local` global.
    OwnGlobal(GlobalId),
    /// A stack object of the thread.
    Slot(SlotId),
}

impl Object {
    /// Whether only one thread sees it.
    pub(super) fn is_own(self) -> bool {
        !matches!(self, Object::Shared(_))
    }
}

/// What source variables are known to be equal to.
pub(super) type Bound = FxHashMap<VariableId, ValueId>;

/// A thread function.
pub(super) struct Code<'m> {
    pub(super) module: &'m Module,
    pub(super) id: FunctionId,
    pub(super) function: &'m Function,
    pub(super) cfg: Cfg,
    dominators: Dominators,
    /// Where each value is defined: at the start of a block (`None`) or by an instruction.
    defined: FxHashMap<ValueId, (BlockId, Option<usize>)>,
    /// The objects that values point into, where their definitions say it.
    objects: FxHashMap<ValueId, Object>,
    /// What variables are bound to at the start of blocks that are reached.
    bound: FxHashMap<BlockId, Bound>,
    /// How many atomic sections are open at the start of blocks.
    depths: FxHashMap<BlockId, usize>,
    /// Whether constant objects are sure to stay as they are.
    pub(super) constants_stay: bool,
    /// Where pointers may lead that are no constants.
    pub(super) pointers: Rc<Pointers>,
}

impl<'m> Code<'m> {
    /// Looks at a function.
    pub(super) fn new(module: &'m Module, id: FunctionId) -> Result<Self, Problem> {
        let constants_stay = false;
        let function = module.function(id);
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let mut defined = FxHashMap::default();
        for (block, data) in function.blocks() {
            for parameter in &data.parameters {
                defined.insert(*parameter, (block, None));
            }
            for (index, instruction) in data.instructions.iter().enumerate() {
                if let Some(result) = instruction.result {
                    defined.insert(result, (block, Some(index)));
                }
            }
        }
        let (objects, bound, depths) = Default::default();
        let mut code = Code {
            module,
            id,
            function,
            cfg,
            dominators,
            defined,
            objects,
            bound,
            depths,
            constants_stay,
            pointers: Rc::default(),
        };
        code.find_objects();
        code.find_bindings();
        code.find_depths();
        code.own_addresses_stay()?;
        Ok(code)
    }

    /// The object that an operand points into, where that is known from how it was made.
    pub(super) fn object(&self, operand: Operand) -> Option<Object> {
        match operand {
            Operand::Global(id) => Some(self.global(id)),
            Operand::Slot(slot) => Some(Object::Slot(slot)),
            Operand::Value(value) => self.objects.get(&value).copied(),
            _ => None,
        }
    }

    /// Whether an instruction may write to a constant object: to one that it names, or wherever a pointer leads.
    pub(super) fn may_write_constants(&self) -> bool {
        let may = |address: Operand| match self.object(address) {
            Some(Object::Shared(id)) => {
                self.module.globals.get(id.index()).is_none_or(|global| global.constant)
            }
            Some(_) => false,
            None => self
                .targets(address)
                .shared()
                .any(|id| self.module.globals.get(id.index()).is_none_or(|global| global.constant)),
        };
        self.function.instructions().any(|instruction| match instruction.op {
            Op::Store { address, .. } | Op::HavocMemory { address, .. } => may(address),
            Op::CopyMemory { destination, .. } => may(destination),
            _ => false,
        })
    }

    /// The object that the address of a global is of.
    pub(super) fn global(&self, id: GlobalId) -> Object {
        match self.module.globals.get(id.index()) {
            Some(global) if global.thread_local => Object::OwnGlobal(id),
            _ => Object::Shared(id),
        }
    }

    /// Whether all threads see what is at an address, and it may change.
    pub(super) fn is_shared(&self, address: Operand) -> bool {
        match self.object(address) {
            Some(Object::Shared(id)) => {
                let is_constant = self.module.globals.get(id.index()).is_some_and(|g| g.constant);
                !(is_constant && self.constants_stay)
            }
            Some(_) => false,
            None => {
                let targets = self.targets(address);
                targets.has_heap() || targets.shared().any(|id| self.is_shared(Operand::Global(id)))
            }
        }
    }

    /// Where an address may lead.
    pub(super) fn targets(&self, address: Operand) -> Targets {
        self.pointers.operand(self.id, address)
    }

    /// The instruction that defines a value.
    pub(super) fn definition(&self, value: ValueId) -> Option<&'m Instruction> {
        let (block, index) = self.defined.get(&value)?;
        self.function.block(*block).instructions.get((*index)?)
    }

    /// Whether every way to a place comes by the definition of a value.
    pub(super) fn is_defined_at(&self, value: ValueId, (block, index): Place) -> bool {
        match self.defined.get(&value) {
            Some((at, Some(by))) if *at == block => *by < index,
            Some((at, None)) if *at == block => true,
            Some((at, _)) => self.dominators.dominates(*at, block),
            None => false,
        }
    }

    /// What source variables are bound to at a place: on every way there the last version of the
    /// variable is this value.
    pub(super) fn bound_at(&self, (block, index): Place) -> Bound {
        let mut bound = self.bound.get(&block).cloned().unwrap_or_default();
        self.bind(block, index, &mut bound);
        bound
    }

    fn bind(&self, block: BlockId, end: usize, bound: &mut Bound) {
        let data = self.function.block(block);
        let results = data.instructions.iter().take(end).filter_map(|i| i.result);
        for value in data.parameters.iter().copied().chain(results) {
            if let Some(variable) = self.function.values[value.index()].variable {
                bound.insert(variable, value);
            }
        }
    }

    fn find_bindings(&mut self) {
        let mut found: FxHashMap<BlockId, Bound> = FxHashMap::default();
        found.insert(Function::ENTRY, Bound::default());
        let order = self.cfg.reverse_postorder().to_vec();
        let mut changed = true;
        while changed {
            changed = false;
            for block in &order {
                let Some(mut bound) = found.get(block).cloned() else { continue };
                self.bind(*block, usize::MAX, &mut bound);
                for next in self.cfg.successors(*block) {
                    match found.get_mut(next) {
                        None => {
                            found.insert(*next, bound.clone());
                            changed = true;
                        }
                        Some(known) => {
                            let before = known.len();
                            known.retain(|variable, value| bound.get(variable) == Some(value));
                            changed |= known.len() != before;
                        }
                    }
                }
            }
        }
        self.bound = found;
    }

    fn find_objects(&mut self) {
        // Definitions come before their uses in this order, but for the parameters of blocks.
        for block in self.cfg.reverse_postorder().to_vec() {
            for instruction in &self.function.block(block).instructions {
                let from = match instruction.op {
                    Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. } => base,
                    Op::Copy { a } => a,
                    _ => continue,
                };
                if let (Some(result), Some(object)) = (instruction.result, self.object(from)) {
                    self.objects.insert(result, object);
                }
            }
        }
    }

    /// How many atomic sections are open at the start of a block.
    pub(super) fn depth(&self, block: BlockId) -> usize {
        self.depths.get(&block).copied().unwrap_or(0)
    }

    /// How many are open at a place.
    pub(super) fn depth_at(&self, (block, index): Place) -> usize {
        let instructions = self.function.block(block).instructions.iter().take(index);
        instructions.fold(self.depth(block), |depth, instruction| deeper(depth, &instruction.op))
    }

    fn find_depths(&mut self) {
        self.depths.insert(Function::ENTRY, 0);
        for block in self.cfg.reverse_postorder().to_vec() {
            let end = self.depth_at((block, usize::MAX));
            for next in self.cfg.successors(block) {
                // The verifier has seen that it is the same on all ways.
                self.depths.entry(*next).or_insert(end);
            }
        }
    }

    /// The addresses of what is one thread's own may be used to access it and for nothing else: then no
    /// pointer that is read from anywhere leads there, and where it lies makes no difference.
    fn own_addresses_stay(&self) -> Result<(), Problem> {
        for block in self.cfg.reverse_postorder() {
            let data = self.function.block(*block);
            for instruction in &data.instructions {
                let mut allowed = 0;
                let mut allow = |operand: Operand| allowed += u32::from(self.is_own(operand));
                match instruction.op {
                    Op::Load { address, .. }
                    | Op::Store { address, .. }
                    | Op::HavocMemory { address, .. } => allow(address),
                    Op::CopyMemory { destination, source, .. } => {
                        allow(destination);
                        allow(source);
                    }
                    Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. } => allow(base),
                    Op::Copy { a } => allow(a),
                    _ => {}
                }
                let mut all = 0;
                instruction.op.for_each_operand(|operand| all += u32::from(self.is_own(operand)));
                if all > allowed {
                    return Err(self.own_address(instruction.location));
                }
            }
            let mut escapes = false;
            data.terminator.kind.for_each_operand(|operand| escapes |= self.is_own(operand));
            if escapes {
                return Err(self.own_address(data.terminator.location));
            }
        }
        Ok(())
    }

    fn is_own(&self, operand: Operand) -> bool {
        self.object(operand).is_some_and(Object::is_own)
    }

    fn own_address(&self, location: Location) -> Problem {
        self.unsupported("the address of a thread's own object is more than accessed", location)
    }

    /// That something is not supported here.
    pub(super) fn unsupported(&self, what: &str, location: Location) -> Problem {
        Problem::Unsupported { what: what.to_owned(), at: Some(self.module.describe(location)) }
    }

    /// Where in the source a place is.
    pub(super) fn location(&self, (block, index): Place) -> Location {
        let data = self.function.block(block);
        data.instructions.get(index).map_or(data.terminator.location, |i| i.location)
    }
}

/// How many atomic sections are open after an instruction.
pub(super) fn deeper(depth: usize, op: &Op) -> usize {
    match op {
        Op::AtomicBegin(_) => depth + 1,
        Op::AtomicEnd => depth.saturating_sub(1),
        _ => depth,
    }
}
