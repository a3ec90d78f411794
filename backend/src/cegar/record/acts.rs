//! Acts: what the order of the execution is about.

use std::collections::BTreeMap;

use sapa_ir::goto::{Function, Instruction, Module, Op, Operand, Type};
use sapa_passes::transform::store_buffers::{FLUSH, WAITS, Waiting};

use super::step::Step;
use crate::cegar::act::{Act, ActKind, Bytes, StoreId};
use crate::cegar::name::size;

/// The acts so far.
#[derive(Debug, Default)]
pub(super) struct Acts {
    pub found: Vec<Act>,
    /// The stores that wait, by thread and what they are to, the oldest first.
    waiting: BTreeMap<(u32, String), Vec<StoreId>>,
    stores: usize,
    /// Where the store is to that begins to wait next, of threads whose stores wait with addresses.
    addresses: BTreeMap<u32, u128>,
    /// The sections that threads are in: how deep, and the number of the outermost.
    sections: BTreeMap<u32, (usize, usize)>,
    begun: usize,
}

impl Acts {
    /// A thread is about to execute an instruction.
    pub fn before(&mut self, module: &Module, step: &Step<'_>, instruction: &Instruction) {
        let at = |operand: Operand| step.machine.value(step.thread, operand);
        let bytes = |address, ty: &Type| Bytes { pointer: at(address), size: size(module, ty) };
        let operation = module.operation(instruction.location);
        let kind = match &instruction.op {
            Op::AtomicBegin(_) => {
                let section = self.sections.entry(step.thread).or_insert((0, self.begun));
                section.0 += 1;
                self.begun += 1;
                return;
            }
            Op::AtomicEnd => {
                if let Some(section) = self.sections.get_mut(&step.thread) {
                    section.0 -= 1;
                    if section.0 == 0 {
                        self.sections.remove(&step.thread);
                    }
                }
                return;
            }
            Op::Copy { a } if operation == Some(WAITS) => {
                let variable = instruction.result.and_then(|result| step.variable(result));
                let variable = variable.and_then(|id| step.function.variables.get(id.index()));
                let Some((waiting, ty)) =
                    variable.and_then(|v| Some((Waiting::read(&v.name)?, &v.ty)))
                else {
                    return;
                };
                if waiting.is_address {
                    self.addresses.insert(step.thread, at(*a));
                    return;
                }
                let pointer = self.addresses.remove(&step.thread);
                let pointer = pointer.or_else(|| fixed(module, step, waiting.name));
                let store = StoreId(self.stores);
                self.stores += 1;
                let key = (step.thread, waiting.name.to_owned());
                self.waiting.entry(key).or_default().push(store);
                let size = size(module, ty);
                ActKind::Waits(store, pointer.map(|pointer| Bytes { pointer, size }))
            }
            Op::Store { address, value, ty, .. } if operation == Some(FLUSH) => {
                let bytes = bytes(*address, ty);
                match self.reaches(step, *value) {
                    Some(store) => ActKind::Reaches(store, bytes),
                    None => ActKind::Writes(bytes),
                }
            }
            Op::Store { address, ty, .. } => ActKind::Writes(bytes(*address, ty)),
            Op::Load { address, .. } => {
                let Some(result) = instruction.result else { return };
                let ty = step.function.operand_type(Operand::Value(result));
                ActKind::Reads(bytes(*address, &ty))
            }
            Op::Spawn { .. } | Op::Join { .. } | Op::Allocate { .. } => ActKind::Begins,
            Op::Free { .. } | Op::CopyMemory { .. } | Op::HavocMemory { .. } => ActKind::Changes,
            Op::Assert { condition, .. } if at(*condition) != 1 => ActKind::Fails,
            _ => return,
        };
        let section = self.sections.get(&step.thread).map(|(_, number)| *number);
        let location = instruction.location;
        self.found.push(Act { thread: step.thread, kind, location, section });
    }

    /// The store that has waited and whose value is written to memory.
    fn reaches(&mut self, step: &Step<'_>, value: Operand) -> Option<StoreId> {
        let waiting = waiting(step.function, value)?;
        let key = (step.thread, waiting.name.to_owned());
        let stores = self.waiting.get_mut(&key)?;
        let index = waiting.number.checked_sub(1).filter(|index| *index < stores.len())?;
        Some(stores.remove(index))
    }
}

/// The store that waits whose value a value is.
fn waiting(function: &Function, value: Operand) -> Option<Waiting<'_>> {
    let variable = function.values.get(value.value()?.index())?.variable?;
    Waiting::read(&function.variables.get(variable.index())?.name)
}

/// Where stores are to that wait without an address: the code that writes them to memory says it.
fn fixed(module: &Module, step: &Step<'_>, name: &str) -> Option<u128> {
    let pointer = |address: Operand| match address {
        Operand::Global(_) => Some(step.machine.value(step.thread, address)),
        address => {
            let defines = |i: &&Instruction| i.result.is_some() && i.result == address.value();
            match step.function.instructions().find(defines)?.op {
                Op::IndexAddress { base, index: Operand::Int { value, .. }, .. } => {
                    Some(step.machine.value(step.thread, base) + value)
                }
                _ => None,
            }
        }
    };
    step.function.instructions().find_map(|instruction| match &instruction.op {
        Op::Store { address, value, .. }
            if module.operation(instruction.location) == Some(FLUSH)
                && waiting(step.function, *value).is_some_and(|found| found.name == name) =>
        {
            pointer(*address)
        }
        _ => None,
    })
}
