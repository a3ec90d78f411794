//! `check-bounds`: what is read or written through an index of an array is an element of it.
//!
//! The arrays are those that the code names where it accesses them: variables, members, and elements of arrays, which
//! all have a length. Where a pointer leads is what `check-pointers` asserts. An address that is only computed,
//! as that one past the end, is not looked at. An array of no elements as the last member of a structure is one of
//! any length.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CompareOp, Function, FunctionId, Module, Op, Operand, Type, ValueId,
};

use super::{Claim, assert_in_source, pointer_steps};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};
use crate::property::VALID_POINTERS;

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-bounds",
    summary: "assert that what is accessed by an index is an element of the array",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    let addresses = Addresses::of(module.function(id));
    if !module.function(id).is_model() && addresses.has_pointers(module.function(id)) {
        module.note(VALID_POINTERS);
    }
    // What was asserted in the block before.
    let mut known: FxHashSet<(BlockId, Operand)> = FxHashSet::default();
    assert_in_source(module, id, context, |module, builder, instruction| {
        let mut claims = Vec::new();
        for address in accessed(&instruction.op) {
            let is_new = builder.block().is_none_or(|block| known.insert((block, address)));
            if is_new {
                addresses.claims(module, builder, address, &mut claims);
            }
        }
        claims
    })
}

/// The addresses that an operation reads or writes at.
fn accessed(op: &Op) -> Vec<Operand> {
    match op {
        Op::Load { address, .. } | Op::Store { address, .. } | Op::HavocMemory { address, .. } => {
            vec![*address]
        }
        Op::CopyMemory { destination, source, .. } => vec![*source, *destination],
        Op::Sync { arguments, .. } => arguments.clone(),
        _ => Vec::new(),
    }
}

/// The operations of a function that compute addresses.
struct Addresses {
    by_result: FxHashMap<ValueId, Op>,
}

/// An array that the code names: its name, the type of its elements, and how many there are.
struct Array<'m> {
    name: &'m str,
    element: &'m Type,
    count: u64,
}

impl Addresses {
    fn of(function: &Function) -> Self {
        let mut addresses = Self { by_result: pointer_steps(function) };
        addresses.look_through_slots(function);
        addresses
    }

    /// An address that is kept in a local variable, which nobody knows the address of, and is read again in the same
    /// block is what it was.
    fn look_through_slots(&mut self, function: &Function) {
        let mut others: FxHashSet<Operand> = FxHashSet::default();
        for instruction in function.instructions() {
            match &instruction.op {
                Op::Load { address: Operand::Slot(_), .. } => {}
                Op::Store { address: Operand::Slot(_), value, .. } => {
                    others.insert(*value);
                }
                op => op.for_each_operand(|operand| {
                    others.insert(operand);
                }),
            }
        }
        let mut kept = Vec::new();
        for block in &function.blocks {
            let mut now: FxHashMap<Operand, Operand> = FxHashMap::default();
            for instruction in &block.instructions {
                match (&instruction.op, instruction.result) {
                    (Op::Store { address: address @ Operand::Slot(_), value, .. }, _)
                        if !others.contains(address) =>
                    {
                        now.insert(*address, *value);
                    }
                    (Op::Load { address, .. }, Some(result)) => {
                        kept.extend(now.get(address).map(|&value| (result, value)));
                    }
                    _ => {}
                }
            }
        }
        for (result, value) in kept {
            self.by_result.insert(result, Op::Copy { a: value });
        }
    }

    fn computed(&self, mut address: Operand) -> Option<&Op> {
        loop {
            match self.by_result.get(&address.value()?)? {
                Op::Copy { a } => address = *a,
                op => return Some(op),
            }
        }
    }

    /// Whether a function accesses what a pointer leads to, which may be an element of an array that the code does
    /// not name there.
    fn has_pointers(&self, function: &Function) -> bool {
        let is_pointer = |mut address: Operand| {
            while let Some(op) = self.computed(address) {
                match op {
                    Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. } => {
                        address = *base
                    }
                    _ => break,
                }
            }
            self.source(address).value().is_some()
        };
        function.instructions().flat_map(|i| accessed(&i.op)).any(is_pointer)
    }

    /// What an address is a copy of.
    fn source(&self, mut address: Operand) -> Operand {
        while let Some(Op::Copy { a }) = address.value().and_then(|v| self.by_result.get(&v)) {
            address = *a;
        }
        address
    }

    /// The array at an address, if the code says that there is one.
    fn array<'m>(
        &'m self,
        module: &'m Module,
        function: &'m Function,
        at: Operand,
    ) -> Option<Array<'m>> {
        let at = self.source(at);
        let (name, ty) = match at {
            Operand::Global(id) => module.globals.get(id.index()).map(|g| (&g.name, &g.ty))?,
            Operand::Slot(slot) => function.slots.get(slot.index()).map(|s| (&s.name, &s.ty))?,
            _ => match self.computed(at)? {
                Op::FieldAddress { structure, field, .. } => {
                    let fields = &module.structs.get(structure.index())?.fields;
                    fields.get(field.index()).map(|field| (&field.name, &field.ty))?
                }
                // An array of arrays has the name that it had.
                Op::IndexAddress { base, element: Type::Array(inner, count), .. } => {
                    let name = self.array(module, function, *base).map_or("an array", |a| a.name);
                    return Some(Array { name, element: inner, count: *count });
                }
                _ => return None,
            },
        };
        match ty {
            Type::Array(element, count) => Some(Array { name, element, count: *count }),
            _ => None,
        }
    }

    /// What has to hold where something is accessed at an address.
    fn claims(
        &self,
        module: &Module,
        builder: &mut Builder<'_>,
        address: Operand,
        claims: &mut Vec<Claim>,
    ) {
        let mut at = address;
        // Indices of elements of this type that lead from `at` to where the way began.
        let mut indices: Vec<Operand> = Vec::new();
        while let Some(op) = self.computed(at) {
            let (Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. }) = op else { break };
            if let Op::IndexAddress { element, index, .. } = op {
                indices.push(*index);
                let array = self.array(module, builder.function, *base);
                let array = array.filter(|array| array.element == element);
                if let Some(array) = array.map(|array| (array.name.to_owned(), array.count)) {
                    claims.extend(claim(module, builder, &indices, array));
                    indices.clear();
                } else if !matches!(self.computed(*base), Some(Op::IndexAddress { element: other, .. }) if other == element)
                {
                    indices.clear();
                }
            } else {
                indices.clear();
            }
            at = *base;
        }
    }
}

/// What has to hold of the sum of these indices into an array of this name and this number of elements.
fn claim(
    module: &Module,
    builder: &mut Builder<'_>,
    indices: &[Operand],
    (name, count): (String, u64),
) -> Option<Claim> {
    let bits = module.target.pointer_bits;
    let known = indices.iter().try_fold(0_u128, |sum, index| match index {
        Operand::Int { value, .. } => Some(sum.wrapping_add(*value)),
        _ => None,
    });
    let index = match known.map(|sum| Operand::int(bits, sum)) {
        _ if count == 0 => return None,
        Some(Operand::Int { value, .. }) if value < u128::from(count) => return None,
        Some(index) => index,
        None => {
            let mut rest = indices.iter().copied();
            let first = rest.next()?;
            rest.fold(first, |sum, index| builder.binary(BinaryOp::Add, sum, index, false))
        }
    };
    // A negative one is a large one.
    let limit = Operand::int(bits, count.into());
    let condition = builder.compare(CompareOp::UnsignedLt, index, limit);
    Some((condition, format!("the index of `{name}` is from 0 to {}", count - 1)))
}
