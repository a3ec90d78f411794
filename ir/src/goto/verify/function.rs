//! Functions: laws 5 to 7.

use rustc_hash::FxHashSet;

use super::Verifier;
use super::types::fits;
use crate::goto::cfg::Cfg;
use crate::goto::dominators::Dominators;
use crate::goto::entity::{BlockId, FunctionId, ValueId};
use crate::goto::function::Function;
use crate::goto::instruction::{Operand, Target, TerminatorKind};
use crate::goto::source::Location;
use crate::goto::types::{BOOL, Type};

/// Where a value is defined: a block, and a position in it (0: its parameters).
type Definition = (BlockId, usize);

impl<'m> Verifier<'m> {
    pub(super) fn body(&mut self, _: FunctionId, function: &'m Function) {
        let before = self.count;
        self.location(function.location);
        for ty in function.parameters.iter().chain(&function.result) {
            self.scalar_type(ty, function.location);
        }
        for variable in &function.variables {
            self.scalar_type(&variable.ty, function.location);
        }
        for slot in &function.slots {
            self.object_type(&slot.ty, function.location);
        }
        for (index, value) in function.values.iter().enumerate() {
            self.scalar_type(&value.ty, function.location);
            if let Some(variable) = value.variable {
                let same =
                    function.variables.get(variable.index()).is_some_and(|v| v.ty == value.ty);
                self.require(same, function.location, || {
                    format!("%{index} is a version of {variable:?}, which has another type")
                });
            }
        }
        let Some(entry) = function.blocks.first() else { return };
        let types = entry.parameters.iter().map(|p| function.values.get(p.index()).map(|v| &v.ty));
        let same = types.eq(function.parameters.iter().map(Some));
        self.require(same, function.location, || {
            "the parameters of bb0 are not those of the function".to_owned()
        });
        let definitions = self.definitions(function);
        if self.count > before {
            return;
        }
        self.uses(function, &definitions);
        if self.count > before {
            return;
        }
        for block in &function.blocks {
            for instruction in &block.instructions {
                self.operation(function, instruction);
            }
            self.terminator(function, &block.terminator.kind, block.terminator.location);
        }
    }

    /// Law 6, definitions; indexed by value.
    fn definitions(&mut self, function: &Function) -> Vec<Option<Definition>> {
        let mut definitions = vec![None; function.values.len()];
        for (id, block) in function.blocks() {
            let results = block
                .instructions
                .iter()
                .enumerate()
                .filter_map(|(at, i)| i.result.map(|r| (r, at + 1, i.location)));
            let parameters = block.parameters.iter().map(|p| (*p, 0, block.terminator.location));
            for (value, position, location) in parameters.chain(results) {
                match definitions.get_mut(value.index()) {
                    None => self.error(location, format!("there is no value {value:?}")),
                    Some(Some(_)) => {
                        self.error(location, format!("a second definition of {value:?}"));
                    }
                    Some(entry) => *entry = Some((id, position)),
                }
            }
        }
        definitions
    }

    /// Law 6, uses; and that all operands exist.
    fn uses(&mut self, function: &Function, definitions: &[Option<Definition>]) {
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
            for (index, instruction) in block.instructions.iter().enumerate() {
                self.location(instruction.location);
                instruction.op.for_each_operand(|operand| {
                    self.operand(function, operand, instruction.location);
                    if let Operand::Value(value) = operand
                        && !dominates(value, id, index + 1)
                    {
                        self.undominated(value, id, instruction.location);
                    }
                });
            }
            self.location(block.terminator.location);
            let end = block.instructions.len() + 1;
            block.terminator.kind.for_each_operand(|operand| {
                self.operand(function, operand, block.terminator.location);
                if let Operand::Value(value) = operand
                    && !dominates(value, id, end)
                {
                    self.undominated(value, id, block.terminator.location);
                }
            });
        }
    }

    fn undominated(&mut self, value: ValueId, block: BlockId, location: Location) {
        self.error(
            location,
            format!("{value:?} is used in {block:?} where no definition of it dominates"),
        );
    }

    /// That an operand names something.
    fn operand(&mut self, function: &Function, operand: Operand, location: Location) {
        let exists = match operand {
            // Reported as a use without a definition.
            Operand::Value(_) | Operand::Null => true,
            Operand::Int { bits, value } => (1..=128).contains(&bits) && fits(value, bits),
            Operand::Global(id) => id.index() < self.module.globals.len(),
            Operand::Function(id) => self.known_function(id).is_some(),
            Operand::Slot(id) => id.index() < function.slots.len(),
        };
        self.require(exists, location, || format!("there is no operand {operand:?}"));
    }

    /// Law 7, and the types of what a terminator reads.
    fn terminator(&mut self, function: &Function, kind: &TerminatorKind, location: Location) {
        kind.for_each_target(|target| self.target(function, target, location));
        match kind {
            TerminatorKind::Branch { condition, .. } => {
                let ty = function.operand_type(*condition);
                self.require(ty == BOOL, location, || {
                    format!("the condition of a branch has type {ty:?}, not i1")
                });
            }
            TerminatorKind::Switch { value, cases, .. } => {
                let mut seen = FxHashSet::default();
                let Type::Int(bits) = function.operand_type(*value) else {
                    return self.error(location, "a switch over something that is no integer");
                };
                for (case, _) in cases {
                    self.require(fits(*case, bits), location, || {
                        format!("case {case} does not fit in {bits} bits")
                    });
                    self.require(seen.insert(*case), location, || format!("a second case {case}"));
                }
            }
            TerminatorKind::Return(value) => {
                let found = value.map(|value| function.operand_type(value));
                self.require(found == function.result, location, || {
                    format!("the function returns {:?}, not {found:?}", function.result)
                });
            }
            TerminatorKind::Jump(_)
            | TerminatorKind::EndThread(_)
            | TerminatorKind::Halt
            | TerminatorKind::Unreachable => {}
        }
    }

    fn target(&mut self, function: &Function, target: &Target, location: Location) {
        let Some(block) = function.blocks.get(target.block.index()) else {
            return self.error(location, format!("there is no block {:?}", target.block));
        };
        self.require(target.block != Function::ENTRY, location, || {
            "a jump to bb0, where the function begins".to_owned()
        });
        let parameters = block.parameters.iter().map(|p| function.operand_type(Operand::Value(*p)));
        let arguments = target.arguments.iter().map(|a| function.operand_type(*a));
        self.require(parameters.eq(arguments), location, || {
            format!("the arguments of {:?} are not of its parameters' types", target.block)
        });
    }
}
