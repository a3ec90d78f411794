//! `mem2reg`: scalar stack objects that are only loaded and stored become SSA
//! values (Cytron et al.: block parameters at iterated dominance frontiers,
//! where the object is live).
//!
//! A store becomes a `Copy` that is tagged with the source variable, also where
//! its value is never read: the variable's value is that of the last tagged
//! definition executed.

use std::collections::{BTreeMap, BTreeSet};

use rpds::RedBlackTreeMap;

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BlockId, Expression, Function, FunctionId, Instruction, Module, Op, Operand, SlotId,
    SourceVariable, Type, ValueId, VariableId,
};
use sapa_limits::{Exceeded, Limits};

use super::{slots, unreachable};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "mem2reg",
    summary: "promote scalar stack objects to SSA values",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    let function = &mut module.functions[id.index()];
    let slots = promotable(function);
    if slots.is_empty() {
        return Ok(false);
    }
    promote(module, id, slots, context.limits)?;
    Ok(true)
}

/// Makes SSA values of scalar slots that are only the address of loads, stores and havocs of their
/// own type.
pub(super) fn promote(
    module: &mut Module,
    id: FunctionId,
    slots: BTreeSet<SlotId>,
    limits: &Limits,
) -> Result<(), Exceeded> {
    let function = &mut module.functions[id.index()];
    unreachable::remove(function);
    let variables = Promotion::new(function, slots).run(limits)?;
    rewrite_predicates(module, id, &variables);
    slots::remove(module, id, &variables.into_keys().collect());
    Ok(())
}

/// Scalar slots that are only the address of loads, stores and havocs of their own type.
fn promotable(function: &Function) -> BTreeSet<SlotId> {
    let mut slots: BTreeSet<SlotId> = (0..function.slots.len())
        .map(SlotId::new)
        .filter(|s| function.slots[s.index()].ty.is_scalar())
        .collect();
    let mut keep = |operand: Operand| {
        if let Operand::Slot(slot) = operand {
            slots.remove(&slot);
        }
    };
    let same = |operand: &Operand, ty: &Type| match operand {
        Operand::Slot(slot) => function.slots[slot.index()].ty == *ty,
        _ => true,
    };
    for block in &function.blocks {
        for instruction in &block.instructions {
            match (&instruction.op, instruction.result) {
                (Op::Load { address, .. }, Some(result))
                    if same(address, &function.values[result.index()].ty) => {}
                (Op::Store { address, value, ty, .. }, _) if same(address, ty) => keep(*value),
                (Op::HavocMemory { address, ty }, _) if same(address, ty) => {}
                (op, _) => op.for_each_operand(&mut keep),
            }
        }
        block.terminator.kind.for_each_operand(&mut keep);
    }
    slots
}

struct Promotion<'f> {
    function: &'f mut Function,
    variables: BTreeMap<SlotId, VariableId>,
    cfg: Cfg,
    dominators: Dominators,
    /// Per block: slots that get a block parameter, and the parameter.
    parameters: Vec<BTreeMap<SlotId, ValueId>>,
    /// Per block: the slots' values at its end. Blocks share what they have in common.
    ends: Vec<RedBlackTreeMap<SlotId, Operand>>,
    /// What loads were replaced by.
    replaced: BTreeMap<ValueId, Operand>,
    /// Contents before the first store.
    undefined: BTreeMap<SlotId, ValueId>,
}

impl<'f> Promotion<'f> {
    fn new(function: &'f mut Function, slots: BTreeSet<SlotId>) -> Self {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let mut variables = BTreeMap::new();
        for slot in slots {
            let data = function.slots[slot.index()].clone();
            let variable = SourceVariable { name: data.name, ty: data.ty, signed: data.signed };
            variables.insert(slot, function.add_variable(variable));
        }
        let count = function.blocks.len();
        Self {
            function,
            variables,
            cfg,
            dominators,
            parameters: vec![BTreeMap::new(); count],
            ends: vec![RedBlackTreeMap::new(); count],
            replaced: BTreeMap::new(),
            undefined: BTreeMap::new(),
        }
    }

    fn run(mut self, limits: &Limits) -> Result<BTreeMap<SlotId, VariableId>, Exceeded> {
        self.place_parameters(limits)?;
        for block in self.cfg.reverse_postorder().to_vec() {
            limits.check()?;
            self.rename(block);
        }
        self.pass_arguments();
        self.replace_loads();
        self.define_undefined();
        Ok(self.variables)
    }

    /// Slots whose value at the start of a block may be read.
    fn live(&self, limits: &Limits) -> Result<Vec<BTreeSet<SlotId>>, Exceeded> {
        let count = self.function.blocks.len();
        let mut live = vec![BTreeSet::new(); count];
        let mut written = vec![BTreeSet::new(); count];
        for (index, block) in self.function.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                if let Some((slot, writes)) = access(&self.variables, &instruction.op) {
                    if writes {
                        written[index].insert(slot);
                    } else if !written[index].contains(&slot) {
                        live[index].insert(slot);
                    }
                }
            }
        }
        let mut work: Vec<BlockId> = self.cfg.reverse_postorder().to_vec();
        while let Some(block) = work.pop() {
            limits.check()?;
            for &predecessor in self.cfg.predecessors(block) {
                let index = predecessor.index();
                let new: Vec<SlotId> = live[block.index()]
                    .iter()
                    .filter(|slot| !written[index].contains(slot) && !live[index].contains(slot))
                    .copied()
                    .collect();
                if !new.is_empty() {
                    live[index].extend(new);
                    work.push(predecessor);
                }
            }
        }
        Ok(live)
    }

    fn place_parameters(&mut self, limits: &Limits) -> Result<(), Exceeded> {
        let live = self.live(limits)?;
        let frontiers = self.dominators.frontiers(&self.cfg);
        let mut definitions: BTreeMap<SlotId, Vec<BlockId>> = BTreeMap::new();
        for (block, data) in self.function.blocks() {
            for instruction in &data.instructions {
                if let Some((slot, true)) = access(&self.variables, &instruction.op) {
                    definitions.entry(slot).or_default().push(block);
                }
            }
        }
        for (slot, mut work) in definitions {
            limits.check()?;
            // Contents before the first store are a definition too.
            work.push(Function::ENTRY);
            while let Some(block) = work.pop() {
                for &frontier in frontiers.get(block.index()).map_or(&[][..], Vec::as_slice) {
                    let index = frontier.index();
                    if live[index].contains(&slot) && !self.parameters[index].contains_key(&slot) {
                        let ty = self.function.slots[slot.index()].ty.clone();
                        let parameter =
                            self.function.add_value(ty, self.variables.get(&slot).copied());
                        self.parameters[index].insert(slot, parameter);
                        work.push(frontier);
                    }
                }
            }
        }
        Ok(())
    }

    fn rename(&mut self, block: BlockId) {
        // Without a parameter, the value is the one at the end of the immediate
        // dominator, or the slot is not read.
        let mut now = match self.dominators.immediate(block) {
            Some(parent) if parent != block => self.ends[parent.index()].clone(),
            _ => RedBlackTreeMap::new(),
        };
        for (&slot, &value) in &self.parameters[block.index()] {
            now.insert_mut(slot, Operand::Value(value));
        }
        let Self { function, variables, replaced, undefined, .. } = self;
        function.rewrite_block(block, |builder, _, mut instruction| {
            let Some((slot, writes)) = access(variables, &instruction.op) else {
                return builder.push(instruction);
            };
            if !writes {
                let value = match now.get(&slot) {
                    Some(&value) => value,
                    None => Operand::Value(undefined_value(builder.function, undefined, slot)),
                };
                replaced.extend(instruction.result.map(|result| (result, value)));
                return;
            }
            let ty = builder.function.slots[slot.index()].ty.clone();
            let version = builder.function.add_value(ty, variables.get(&slot).copied());
            instruction.op = match instruction.op {
                Op::Store { value, .. } => Op::Copy { a: value },
                _ => Op::Nondet { unmodelled: None },
            };
            instruction.result = Some(version);
            now.insert_mut(slot, Operand::Value(version));
            builder.push(instruction);
        });
        self.ends[block.index()] = now;
    }

    fn pass_arguments(&mut self) {
        for index in 0..self.function.blocks.len() {
            let mut kind = self.function.blocks[index].terminator.kind.clone();
            kind.for_each_target_mut(|target| {
                let slots: Vec<SlotId> =
                    self.parameters[target.block.index()].keys().copied().collect();
                for slot in slots {
                    let value = match self.ends[index].get(&slot) {
                        Some(&value) => value,
                        None => {
                            let undefined = &mut self.undefined;
                            Operand::Value(undefined_value(self.function, undefined, slot))
                        }
                    };
                    target.arguments.push(value);
                }
            });
            self.function.blocks[index].terminator.kind = kind;
            let parameters: Vec<ValueId> = self.parameters[index].values().copied().collect();
            self.function.blocks[index].parameters.extend(parameters);
        }
    }

    fn replace_loads(&mut self) {
        // A load may have read what another load gave. Chains end: each load comes after what it
        // reads.
        self.function.replace_values(|value| self.replaced.get(&value).copied());
    }

    fn define_undefined(&mut self) {
        let Some(entry) = self.function.blocks.first_mut() else { return };
        let location = entry.instructions.first().map_or(entry.terminator.location, |i| i.location);
        let choices = self.undefined.values().map(|&value| Instruction {
            op: Op::Nondet { unmodelled: None },
            result: Some(value),
            location,
        });
        entry.instructions.splice(0..0, choices);
    }
}

/// The slot that an operation reads or writes, if it is one of those with a variable, and whether it
/// writes.
fn access(variables: &BTreeMap<SlotId, VariableId>, op: &Op) -> Option<(SlotId, bool)> {
    let (address, writes) = match op {
        Op::Load { address, .. } => (address, false),
        Op::Store { address, .. } | Op::HavocMemory { address, .. } => (address, true),
        _ => return None,
    };
    match address {
        Operand::Slot(slot) if variables.contains_key(slot) => Some((*slot, writes)),
        _ => None,
    }
}

/// What a slot holds before the first store.
fn undefined_value(
    function: &mut Function,
    undefined: &mut BTreeMap<SlotId, ValueId>,
    slot: SlotId,
) -> ValueId {
    *undefined.entry(slot).or_insert_with(|| {
        let ty = function.slots[slot.index()].ty.clone();
        function.add_value(ty, None)
    })
}

fn rewrite_predicates(
    module: &mut Module,
    id: FunctionId,
    variables: &BTreeMap<SlotId, VariableId>,
) {
    for predicate in &mut module.predicates {
        predicate.expression.for_each_mut(&mut |e| {
            if let Expression::Load { address, .. } = e
                && let Expression::Slot { function, slot } = **address
                && function == id
                && let Some(&variable) = variables.get(&slot)
            {
                *e = Expression::Variable { function, variable };
            }
        });
    }
}
