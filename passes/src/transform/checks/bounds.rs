//! `check-bounds`: what is read or written through an index of an array is an element of it, and what is read or
//! written through a pointer lies within an object.
//!
//! Arrays that the code names where it accesses them (variables, members, and elements of arrays) have a length, which
//! the index is compared with. What comes there through a variable, or by the library, and what is not one of the elements, may leave
//! members and rows as all pointers may (`extents`). An array of one element or none as the last member of a structure is one of any length. Pointers
//! that came from such an array elsewhere may come to its elements alone (`extents`). Of other pointers it is asserted that an object of the type lies where the access is ([`Op::Accessible`]), also within the library's
//! models. An address that is only computed, as that one past the end, is not looked at.
//!
//! Whether a pointer is null is left to `check-pointers`, and so is whether an object has ended: its bounds stay what they were. Where
//! that pass runs as well, it asserts what is accessed through pointers, and only the arrays with names are left here
//! (`through-pointers=false`).

use rustc_hash::FxHashSet;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CompareOp, Function, FunctionId, Instruction, Module, Op, Operand,
    Type,
};

use super::accesses::{Addresses, GUESSES, PRINTED, WITHIN, accesses, size_of_variable};
use super::extents::{self, Accessed, Extents, is_flexible, is_union};
use super::{Claim, assert_before, executes, is_output};
use crate::analysis::call_graph::CallGraph;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};
use crate::property::VALID_POINTERS;

/// What is claimed of an access through a pointer that came from an array.
const IN_ARRAY: &str = "what is accessed lies within the array that the pointer is to";

/// Whether accesses through pointers are looked at.
pub const THROUGH_POINTERS: OptionSpec = OptionSpec {
    name: "through-pointers",
    kind: OptionKind::Switch(true),
    summary: "look at accesses through pointers, not only at arrays that the code names",
};

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-bounds",
    summary: "assert that what is accessed is an element of its array, or within an object",
    options: &[THROUGH_POINTERS],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let through_pointers = context.options.switch(THROUGH_POINTERS.name);
    if through_pointers && executes(module, is_output) {
        module.note(PRINTED);
    }
    let graph = context.analyses.get::<CallGraph>(module)?;
    let (extents, mut changed) = extents::put(module, &graph, context.limits)?;
    if changed {
        context.analyses.keep(&[]);
    }
    for id in (0..module.functions.len()).map(FunctionId::new) {
        let function = module.function(id);
        let is_model = function.is_model();
        if function.name.starts_with(GUESSES) {
            continue;
        }
        let mut addresses = Addresses::of(function);
        addresses.look_through_slots(function);
        if !through_pointers && !is_model && has_pointers(&addresses, function) {
            module.note(VALID_POINTERS);
        }
        let mut checks = Checks {
            addresses: &addresses,
            extents: &extents[id.index()],
            names_arrays: !is_model,
            through_pointers,
            known: FxHashSet::default(),
            within: FxHashSet::default(),
            in_arrays: FxHashSet::default(),
        };
        changed |= assert_before(module, id, context, |module, builder, instruction| {
            checks.claims(module, builder, instruction)
        })?;
    }
    Ok(changed)
}

/// Whether a function accesses what a pointer leads to, which may be an element of an array that the code does
/// not name there.
fn has_pointers(addresses: &Addresses, function: &Function) -> bool {
    let is_pointer = |mut address: Operand| {
        while let Some(Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. }) =
            addresses.computed(address)
        {
            address = *base;
        }
        addresses.source(address).value().is_some()
    };
    let accessed = function.instructions().filter(|instruction| is_access(instruction));
    accessed.flat_map(|i| accesses(function, i)).any(|(address, _)| is_pointer(address))
}

/// Whether something is accessed, and not only its size.
fn is_access(instruction: &Instruction) -> bool {
    !matches!(instruction.op, Op::ObjectSize { .. })
}

/// What is asserted in a function.
struct Checks<'c> {
    addresses: &'c Addresses,
    /// Of pointers that came from arrays elsewhere.
    extents: &'c Extents,
    /// Whether indices of arrays that the code names are looked at: those of models are right whatever they are given.
    names_arrays: bool,
    through_pointers: bool,
    /// The addresses of which something was asserted in a block before.
    known: FxHashSet<(BlockId, Operand)>,
    /// The same for objects of a size: none becomes smaller.
    within: FxHashSet<(BlockId, Operand, u64)>,
    /// The same for arrays that pointers came from.
    in_arrays: FxHashSet<(BlockId, Accessed)>,
}

/// An array that the code names: its name, the type of its elements, and how many there are.
struct Array<'m> {
    name: &'m str,
    element: &'m Type,
    count: u64,
    /// Whether pointers that came from there may come to more, as [`extents`] says.
    is_part: bool,
}

/// What has to hold of an access, by the arrays that the code names on the way to it.
#[derive(Default)]
struct Named {
    /// Indices whose sum is that of an element, the array's name, and how many elements it has.
    asked: Vec<(Vec<Operand>, String, u64)>,
    /// What lies in an array that is not asked for an index, if the pointer came from one.
    left: Vec<Accessed>,
}

impl Array<'_> {
    fn size(&self, module: &Module) -> u64 {
        self.element.size(module).saturating_mul(self.count)
    }
}

impl Checks<'_> {
    fn claims(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        instruction: &Instruction,
    ) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (address, ty) in accesses(builder.function, instruction) {
            let size = ty.size(module);
            let has_indices = self.names_arrays && is_access(instruction);
            if is_access(instruction) {
                let named = self.named(module, builder.function, address, size);
                let is_new = builder.block().is_none_or(|b| self.known.insert((b, address)));
                if has_indices && is_new {
                    claims.extend(named.asked.into_iter().filter_map(|(indices, name, count)| {
                        claim(module, builder, &indices, (name, count))
                    }));
                }
                for part in named.left {
                    self.extent(module, builder, part, &mut claims);
                }
            }
            if self.through_pointers {
                let room =
                    has_indices.then(|| self.room(module, builder.function, address, (0, false)));
                self.access(module, builder, (address, ty), room.flatten(), &mut claims);
            }
        }
        claims
    }

    /// That what is accessed is a part of the array that the pointer came from.
    fn extent(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        accessed: Accessed,
        claims: &mut Vec<Claim>,
    ) {
        if builder.block().is_some_and(|b| !self.in_arrays.insert((b, accessed))) {
            return;
        }
        let condition = self.extents.within(module, builder, accessed, self.names_arrays);
        claims.extend(condition.map(|condition| (condition, IN_ARRAY.to_owned())));
    }

    /// That an object of a type is at an address, where it is computed from a pointer that is not null. How much room there is
    /// may be known by what is asserted of indices.
    fn access(
        &mut self,
        module: &Module,
        builder: &mut Builder<'_>,
        (address, ty): (Operand, Type),
        room: Option<u64>,
        claims: &mut Vec<Claim>,
    ) {
        let size = ty.size(module);
        let (root, _) = self.addresses.root(module, address);
        let is_known = builder.block().is_some_and(|b| !self.within.insert((b, address, size)));
        if is_known
            || root == Operand::Null
            || room.is_some_and(|room| size <= room)
            || self.addresses.is_within(module, builder.function, address, size)
        {
            return;
        }
        let mut condition = builder.define(Op::Accessible { address, ty, ended: true }, BOOL);
        if root.value().is_some() {
            let is_null = builder.compare(CompareOp::Eq, root, Operand::Null);
            condition = builder.binary(BinaryOp::Or, is_null, condition, false);
        }
        claims.push((condition, WITHIN.to_owned()));
    }

    /// How many bytes of a variable there are from an address on at least, if the code names it there and the indices are
    /// within their arrays, as is asserted where these are as large as `need`, which is what the address is taken for, and it is not
    /// left to what is known of pointers that are handed on.
    fn room(
        &self,
        module: &Module,
        function: &Function,
        at: Operand,
        (need, is_handed_on): (u64, bool),
    ) -> Option<u64> {
        let is_handed_on = is_handed_on || self.addresses.is_handed_on(at);
        let at = self.addresses.source(at);
        if let Some(size) = size_of_variable(module, function, at) {
            return Some(size);
        }
        match self.addresses.computed(at)? {
            Op::FieldAddress { base, structure, field } => {
                let structure = module.structs.get(structure.index())?;
                let field = structure.fields.get(field.index())?;
                let need = need.max(structure.size);
                let is_handed_on = is_handed_on && !matches!(field.ty, Type::Array(..));
                self.room(module, function, *base, (need, is_handed_on))?.checked_sub(field.offset)
            }
            Op::IndexAddress { base, element, index } => {
                // What is asserted is of the sum of the indices into an array.
                let mut is_handed_on = is_handed_on;
                let mut first = *base;
                loop {
                    is_handed_on |= self.addresses.is_handed_on(first);
                    let array = self.array(module, function, first);
                    let array = array.filter(|array| array.element == element);
                    if let Some(array) = array
                        .filter(|array| array.size(module) >= need)
                        .filter(|array| !(array.is_part && is_handed_on))
                    {
                        let last = array.count.checked_sub(1)?.checked_mul(element.size(module))?;
                        let need = array.size(module);
                        return self
                            .room(module, function, first, (need, false))?
                            .checked_sub(last);
                    }
                    match self.addresses.computed(first) {
                        Some(Op::IndexAddress { base, element: other, .. }) if other == element => {
                            first = *base;
                        }
                        _ => break,
                    }
                }
                let Operand::Int { value, .. } = index else { return None };
                let step = u64::try_from(*value).ok()?.checked_mul(element.size(module))?;
                self.room(module, function, *base, (need, is_handed_on))?.checked_sub(step)
            }
            _ => None,
        }
    }

    /// The array at an address, if the code says that there is one.
    fn array<'m>(
        &'m self,
        module: &'m Module,
        function: &'m Function,
        at: Operand,
    ) -> Option<Array<'m>> {
        let at = self.addresses.source(at);
        let (name, ty, is_part) = match at {
            Operand::Global(id) => {
                module.globals.get(id.index()).map(|g| (&g.name, &g.ty, false))?
            }
            Operand::Slot(slot) => {
                function.slots.get(slot.index()).map(|s| (&s.name, &s.ty, false))?
            }
            _ => match self.addresses.computed(at)? {
                Op::FieldAddress { structure, field, .. } => {
                    let structure = module.structs.get(structure.index())?;
                    let field = structure.fields.get(field.index())?;
                    if is_flexible(structure, field) {
                        return None;
                    }
                    // A pointer to one element is moved by the size of the array: of that no extent says anything.
                    let is_single = matches!(field.ty, Type::Array(_, 1)) && !is_union(structure);
                    (&field.name, &field.ty, !is_single)
                }
                // An array of arrays has the name that it had.
                Op::IndexAddress { base, element: Type::Array(inner, count), index } => {
                    let name = self.array(module, function, *base).map_or("an array", |a| a.name);
                    let is_part = matches!(index, Operand::Int { value: 0, .. });
                    return Some(Array { name, element: inner, count: *count, is_part });
                }
                _ => return None,
            },
        };
        match ty {
            Type::Array(element, count) => Some(Array { name, element, count: *count, is_part }),
            _ => None,
        }
    }

    /// What has to hold where something of a size is accessed at an address.
    fn named(&self, module: &Module, function: &Function, address: Operand, size: u64) -> Named {
        let mut named = Named::default();
        let mut at = address;
        // Indices of elements of this type that lead from `at` to where the way began.
        let mut indices: Vec<Operand> = Vec::new();
        // What the address is taken for: a structure around the array (`container_of`) has no index in it.
        let mut need = 0;
        let mut part = Part::new(Accessed { address, size, need: size });
        // The array that was met last.
        let mut met = None;
        while let Some(op) = self.addresses.computed(at) {
            part.is_handed_on |= self.addresses.is_handed_on(at);
            match op {
                Op::IndexAddress { base, element, index } => {
                    indices.push(*index);
                    let array = self.array(module, function, *base);
                    let array = array.filter(|array| array.element == element);
                    if let Some(array) = array.filter(|array| array.size(module) >= need) {
                        let is_handed_on = part.is_handed_on || self.addresses.is_handed_on(*base);
                        if array.is_part && is_handed_on {
                            named.left.push(part.accessed);
                            indices.clear();
                        } else {
                            let indices = std::mem::take(&mut indices);
                            named.asked.push((indices, array.name.to_owned(), array.count));
                            let end = part.distance.and_then(|d| d.checked_add(part.accessed.size));
                            if end.is_none_or(|end| end > element.size(module)) {
                                named.left.push(part.accessed);
                            }
                        }
                        met = Some(self.addresses.source(*base));
                        part = Part::start(*base, array.size(module));
                    } else if !matches!(self.addresses.computed(*base), Some(Op::IndexAddress { element: other, .. }) if other == element)
                    {
                        indices.clear();
                        part.distance = None;
                    }
                    at = *base;
                }
                Op::FieldAddress { base, structure, field } => {
                    indices.clear();
                    let structure_type = module.structs.get(structure.index());
                    let field = structure_type.and_then(|s| s.fields.get(field.index()));
                    if field.is_none_or(|field| matches!(field.ty, Type::Array(..))) {
                        if met != Some(self.addresses.source(at)) {
                            named.left.push(part.accessed);
                        }
                        part = Part::start(*base, Type::Struct(*structure).size(module));
                    } else {
                        let offset = field.map(|field| field.offset);
                        let sum = part.distance.zip(offset);
                        part.distance =
                            sum.and_then(|(distance, offset)| distance.checked_add(offset));
                    }
                    need = need.max(Type::Struct(*structure).size(module));
                    at = *base;
                }
                _ => break,
            }
        }
        named.left.push(part.accessed);
        named
    }
}

/// A part of the array that is met next on the way to an access.
struct Part {
    accessed: Accessed,
    /// How far it is behind where the way is, if that is known.
    distance: Option<u64>,
    /// Whether the pointer to it was handed on from there.
    is_handed_on: bool,
}

impl Part {
    fn new(accessed: Accessed) -> Self {
        Self { accessed, distance: Some(0), is_handed_on: false }
    }

    /// Where something of a size begins that an array is in: not all of it may be there.
    fn start(address: Operand, need: u64) -> Self {
        Self::new(Accessed { address, size: 1, need })
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
