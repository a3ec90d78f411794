//! Functions: laws 5 to 7.

use rustc_hash::FxHashSet;

use super::Verifier;
use super::types::fits;
use crate::goto::cfg::Cfg;
use crate::goto::dominators::Dominators;
use crate::goto::entity::{BlockId, Entity, FunctionId, SlotId, ValueId, VariableId};
use crate::goto::function::Function;
use crate::goto::instruction::{Operand, Target, TerminatorKind};
use crate::goto::types::{BOOL, Type};

/// Where a value is defined: a block, and a position in it (0: its parameters).
type Definition = (BlockId, usize);

impl<'m> Verifier<'m> {
    pub(super) fn body(&mut self, id: FunctionId, function: &'m Function) {
        let before = self.count;
        let head = Entity::Function(id);
        self.location(function.location, head);
        for ty in function.parameters.iter().chain(&function.result) {
            self.scalar_type(ty, head);
        }
        for (index, variable) in function.variables.iter().enumerate() {
            self.scalar_type(&variable.ty, Entity::Variable(id, VariableId::new(index)));
        }
        for (index, slot) in function.slots.iter().enumerate() {
            self.object_type(&slot.ty, Entity::Slot(id, SlotId::new(index)));
        }
        for (index, value) in function.values.iter().enumerate() {
            let entity = Entity::Value(id, ValueId::new(index));
            self.scalar_type(&value.ty, entity);
            let Some(variable) = value.variable else { continue };
            match function.variables.get(variable.index()) {
                None => self.error(entity, format!("there is no variable {variable}")),
                Some(of) if of.ty != value.ty => {
                    let (own, other) = (self.named(&value.ty), self.named(&of.ty));
                    let name = &of.name;
                    let message =
                        format!("%{index} has type {own}, but its variable `{name}` has {other}");
                    self.error(entity, message);
                }
                Some(_) => {}
            }
        }
        let Some(entry) = function.blocks.first() else { return };
        let types = entry.parameters.iter().map(|p| function.values.get(p.index()).map(|v| &v.ty));
        if !types.clone().eq(function.parameters.iter().map(Some)) {
            let (own, other) =
                (self.all_named(types.flatten()), self.all_named(&function.parameters));
            let message = format!("bb0 has parameters {own}, but the function has {other}");
            self.error(Entity::Block(id, Function::ENTRY), message);
        }
        let definitions = self.definitions(id, function);
        if self.count > before {
            return;
        }
        self.uses(id, function, &definitions);
        if self.count > before {
            return;
        }
        for (at, block) in function.blocks() {
            for (index, instruction) in block.instructions.iter().enumerate() {
                self.operation(function, instruction, Entity::Instruction(id, at, index));
            }
            self.terminator(function, &block.terminator.kind, Entity::Terminator(id, at));
        }
    }

    /// Law 6, definitions; indexed by value.
    fn definitions(&mut self, of: FunctionId, function: &Function) -> Vec<Option<Definition>> {
        let mut definitions = vec![None; function.values.len()];
        for (id, block) in function.blocks() {
            let results = block.instructions.iter().enumerate().filter_map(|(at, i)| {
                i.result.map(|result| (result, at + 1, Entity::Instruction(of, id, at)))
            });
            let parameters = block.parameters.iter().map(|p| (*p, 0, Entity::Block(of, id)));
            for (value, position, entity) in parameters.chain(results) {
                match definitions.get_mut(value.index()) {
                    None => self.error(entity, format!("there is no value {value}")),
                    Some(Some(_)) => {
                        let message = format!("{value} is defined a second time");
                        self.error(entity, message);
                    }
                    Some(entry) => *entry = Some((id, position)),
                }
            }
        }
        definitions
    }

    /// Law 6, uses; and that all operands exist.
    fn uses(&mut self, of: FunctionId, function: &Function, definitions: &[Option<Definition>]) {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let dominates = |value: ValueId, block: BlockId, position: usize| {
            let Some(Some((at, defined))) = definitions.get(value.index()) else { return false };
            if !cfg.is_reachable(block) {
                return true;
            }
            if *at == block {
                *defined < position
            } else {
                cfg.is_reachable(*at) && dominators.dominates(*at, block)
            }
        };
        for (id, block) in function.blocks() {
            let used = |verifier: &mut Self, operand, position, entity| {
                verifier.operand(function, operand, entity);
                if let Operand::Value(value) = operand
                    && !dominates(value, id, position)
                {
                    let message = format!("{value} is used where no definition of it dominates");
                    verifier.error(entity, message);
                }
            };
            for (index, instruction) in block.instructions.iter().enumerate() {
                let entity = Entity::Instruction(of, id, index);
                self.location(instruction.location, entity);
                instruction.op.for_each_operand(|operand| used(self, operand, index + 1, entity));
            }
            let (entity, end) = (Entity::Terminator(of, id), block.instructions.len() + 1);
            self.location(block.terminator.location, entity);
            block.terminator.kind.for_each_operand(|operand| used(self, operand, end, entity));
        }
    }

    /// That an operand names something.
    fn operand(&mut self, function: &Function, operand: Operand, entity: Entity) {
        let missing = match operand {
            // Reported as a use without a definition.
            Operand::Value(_) | Operand::Null => return,
            Operand::Int { bits, value } if !((1..=128).contains(&bits) && fits(value, bits)) => {
                format!("{value}i{bits} is no constant: it does not fit its width")
            }
            Operand::Global(id) if id.index() >= self.module.globals.len() => {
                format!("there is no global {id}")
            }
            Operand::Function(id) if self.known_function(id).is_none() => {
                format!("there is no function {id}")
            }
            Operand::Slot(id) if id.index() >= function.slots.len() => {
                format!("there is no slot {id}")
            }
            _ => return,
        };
        self.error(entity, missing);
    }

    /// Law 7, and the types of what a terminator reads.
    fn terminator(&mut self, function: &Function, kind: &TerminatorKind, entity: Entity) {
        kind.for_each_target(|target| self.target(function, target, entity));
        match kind {
            TerminatorKind::Branch { condition, .. } => {
                let ty = function.operand_type(*condition);
                if ty != BOOL {
                    let name = self.named(&ty);
                    let message = format!("the condition of a branch has type {name}, expected i1");
                    self.error(entity, message);
                }
            }
            TerminatorKind::Switch { value, cases, .. } => {
                let mut seen = FxHashSet::default();
                let Type::Int(bits) = function.operand_type(*value) else {
                    return self.error(entity, "a switch is over a pointer, expected an integer");
                };
                for (case, _) in cases {
                    self.require(fits(*case, bits), entity, || {
                        format!("case {case} does not fit in the {bits} bits of the switch")
                    });
                    self.require(seen.insert(*case), entity, || {
                        format!("case {case} is there a second time")
                    });
                }
            }
            TerminatorKind::Return(value) => {
                let found = value.map(|value| function.operand_type(value));
                if found != function.result {
                    let found = self.result_named(found.as_ref());
                    let wanted = self.result_named(function.result.as_ref());
                    let message = format!("the function returns {wanted}, but {found} is given");
                    self.error(entity, message);
                }
            }
            TerminatorKind::Jump(_)
            | TerminatorKind::EndThread(_)
            | TerminatorKind::Halt
            | TerminatorKind::Unreachable => {}
        }
    }

    fn target(&mut self, function: &Function, target: &Target, entity: Entity) {
        let label = target.block;
        let Some(block) = function.blocks.get(label.index()) else {
            return self.error(entity, format!("there is no block {label}"));
        };
        self.require(label != Function::ENTRY, entity, || {
            "nothing may jump to bb0, where the function begins".to_owned()
        });
        let types = |operands: &[Operand]| -> Vec<Type> {
            operands.iter().map(|operand| function.operand_type(*operand)).collect()
        };
        let parameters: Vec<_> = block.parameters.iter().map(|p| Operand::Value(*p)).collect();
        let (parameters, arguments) = (types(&parameters), types(&target.arguments));
        if parameters != arguments {
            let (wanted, found) = (self.all_named(&parameters), self.all_named(&arguments));
            self.error(entity, format!("{label} takes {wanted}, but {found} is given"));
        }
    }
}
