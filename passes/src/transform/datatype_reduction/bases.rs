//! Where addresses of families come from: an index of an array, an allocation.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    Builder, CompareOp, Function, FunctionId, Global, GlobalId, Initializer, Instruction, Module,
    Op, Operand, Section, Type, bytes, types::BOOL,
};

use super::accesses::MAX_STEPS;
use super::family::{FLAG, Families, Family, Origin};
use crate::analysis::definitions::Definitions;
use crate::analysis::once::ExecutedOnce;
use crate::transform::allocation_sites::allocated;
use crate::transform::scalars::{make_zero, scalar_at, scalars, scalars_and_padding};

/// Most scalars whose contents at first differ from element to element that are told apart.
const MAX_DIFFERENT: usize = 64;

/// Largest array of which it is known what it holds at first, in bytes.
const MAX_INITIALIZED: usize = 1 << 16;

/// Lets all addresses of elements and of new objects be those of the one that is followed or of what stands for the
/// others, in all families but those that are `left_out`. What is done with the addresses stays as it is.
pub(super) fn replace(
    module: &mut Module,
    once: &ExecutedOnce,
    left_out: &BTreeSet<Origin>,
) -> Families {
    let mut families = Families::default();
    let mut indices: BTreeMap<u64, GlobalId> = BTreeMap::new();
    for array in arrays(module) {
        if !left_out.contains(&Origin::Array(array)) {
            families.push(array_family(module, array, &mut indices));
        }
    }
    let mut allocations = FxHashMap::default();
    for (origin, ty, name) in allocations_of(module, once) {
        if !left_out.contains(&origin) {
            let family = allocation_family(module, origin, ty, &name);
            families.push(family.clone());
            let layout = scalars_and_padding(module, &family.ty);
            allocations.insert(origin, (family, layout));
        }
    }
    if families.is_empty() {
        return families;
    }
    let bits = module.target.pointer_bits;
    for id in (0..module.functions.len()).map(FunctionId::new) {
        let mut function = std::mem::take(&mut module.functions[id.index()]);
        function.rewrite(|builder, (block, index), instruction| {
            match allocations.get(&Origin::Allocation(id, block, index)) {
                Some(family) => allocate(builder, family, bits, instruction),
                None => addresses(builder, &families, bits, instruction),
            }
        });
        module.functions[id.index()] = function;
    }
    for family in families.iter() {
        if let Origin::Array(array) = family.origin {
            initialize(module, array, family, once);
        }
    }
    families
}

/// The arrays that may be families: those that all threads share, have several elements, and hold no addresses at first.
fn arrays(module: &Module) -> Vec<GlobalId> {
    let mut found: BTreeSet<GlobalId> = BTreeSet::new();
    let is_array = |id: &GlobalId| {
        let Global { ty, thread_local, constant, initializer, .. } = &module.globals[id.index()];
        // Elements of no size have one address.
        matches!(ty, Type::Array(element, count) if *count > 1 && element.size(module) > 0)
            && !thread_local
            && !constant
            && !holds_address(initializer)
    };
    for function in &module.functions {
        for instruction in function.instructions() {
            instruction.op.for_each_operand(|operand| {
                if let Operand::Global(id) = operand {
                    found.insert(id);
                }
            });
        }
    }
    found.retain(is_array);
    for global in &module.globals {
        addresses_in(&global.initializer, &mut |id| {
            found.remove(&id);
        });
    }
    for function in &module.functions {
        for block in &function.blocks {
            block.terminator.kind.for_each_operand(|operand| {
                if let Operand::Global(id) = operand {
                    found.remove(&id);
                }
            });
        }
        // Who waits for a thread has to know for which.
        let definitions = Definitions::new(function);
        for instruction in function.instructions() {
            if let Op::Join { handle } = instruction.op
                && let Some(Op::Load { address, .. }) = definitions.behind_copies(handle)
                && let Some(id) = root(&definitions, *address)
            {
                found.remove(&id);
            }
        }
    }
    found.into_iter().collect()
}

/// The global in which an address is, if the code says so where it computes it, in few steps.
fn root(definitions: &Definitions<'_>, mut address: Operand) -> Option<GlobalId> {
    for _ in 0..MAX_STEPS {
        address = match definitions.behind_copies(address) {
            Some(Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. }) => *base,
            _ => break,
        };
    }
    match definitions.copied(address) {
        Operand::Global(id) => Some(id),
        _ => None,
    }
}

fn holds_address(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Global(..) | Initializer::Function(_) | Initializer::Nondet => true,
        Initializer::Aggregate(items) => items.iter().any(holds_address),
        Initializer::Zero | Initializer::Undefined | Initializer::Int(_) => false,
    }
}

/// Calls `f` with each global whose address is in initial contents.
fn addresses_in(initializer: &Initializer, f: &mut impl FnMut(GlobalId)) {
    match initializer {
        Initializer::Global(id, _) => f(*id),
        Initializer::Aggregate(items) => items.iter().for_each(|item| addresses_in(item, f)),
        _ => {}
    }
}

/// The allocations that are executed any number of times, with the type of each object and a name for it.
fn allocations_of(module: &Module, once: &ExecutedOnce) -> Vec<(Origin, Type, String)> {
    let mut found = Vec::new();
    for (id, function) in module.functions() {
        for (block, data) in function.blocks() {
            for (index, instruction) in data.instructions.iter().enumerate() {
                let Some(ty) = allocated(module, function, instruction) else { continue };
                if once.contains_block(id, block) {
                    continue;
                }
                let name = format!("{}::heap#{}", function.name, found.len());
                let origin = Origin::Allocation(id, block, index);
                found.push((origin, ty, name));
            }
        }
    }
    found
}

/// Adds a global that the program does not declare.
fn add(module: &mut Module, name: String, ty: Type, initializer: Initializer) -> GlobalId {
    module.add_global(Global {
        name,
        ty,
        initializer,
        thread_local: false,
        constant: false,
        signed: false,
        location: Default::default(),
    })
}

/// The family of an array. Arrays of one length mostly belong together: the same element of each is followed, of which
/// `indices` says, by length, where it is.
fn array_family(
    module: &mut Module,
    array: GlobalId,
    indices: &mut BTreeMap<u64, GlobalId>,
) -> Family {
    let Global { name, ty, signed, location, .. } = module.globals[array.index()].clone();
    let Type::Array(element, count) = ty else { unreachable!("the global is an array") };
    let ty = *element;
    let one = add(module, format!("{name}::one"), ty.clone(), Initializer::Undefined);
    let others = add(module, format!("{name}::others"), ty.clone(), Initializer::Undefined);
    for id in [one, others] {
        let global = &mut module.globals[id.index()];
        (global.signed, global.location) = (signed, location);
    }
    // Which one is chosen before the run, and never again.
    let state = *indices.entry(count).or_insert_with(|| {
        let index = Type::Int(module.target.pointer_bits);
        let state = add(module, format!("{name}::index"), index, Initializer::Undefined);
        module.globals[state.index()].constant = true;
        state
    });
    Family { origin: Origin::Array(array), one, others, ty, state }
}

fn allocation_family(module: &mut Module, origin: Origin, ty: Type, name: &str) -> Family {
    let one = add(module, format!("{name}::one"), ty.clone(), Initializer::Undefined);
    let others = add(module, format!("{name}::others"), ty.clone(), Initializer::Undefined);
    let state = add(module, format!("{name}::exists"), FLAG, Initializer::Zero);
    Family { origin, one, others, ty, state }
}

/// Appends an instruction in which addresses of arrays of families are those of the one or of the others.
fn addresses(
    builder: &mut Builder<'_>,
    families: &Families,
    bits: u16,
    mut instruction: Instruction,
) {
    if let Op::IndexAddress { base: Operand::Global(array), element, index } = &instruction.op
        && let Some(family) = families.of_array(*array)
        && family.ty == *element
    {
        let op = element_address(builder, family, *index, bits);
        builder.push(Instruction { op, ..instruction });
        return;
    }
    // The array itself is its first element.
    instruction.op.for_each_operand_mut(|operand| {
        if let Operand::Global(array) = operand
            && let Some(family) = families.of_array(*array)
        {
            let op = element_address(builder, family, Operand::int(bits, 0), bits);
            *operand = builder.define(op, Type::Pointer);
        }
    });
    builder.push(instruction);
}

/// The address of an element.
fn element_address(builder: &mut Builder<'_>, family: &Family, index: Operand, bits: u16) -> Op {
    let followed = builder.load(Type::Int(bits), Operand::Global(family.state));
    let condition = builder.compare(CompareOp::Eq, index, followed);
    Op::Select { condition, a: Operand::Global(family.one), b: Operand::Global(family.others) }
}

/// An allocation: of the one, if there is none, or of another. It is one step, as it was. Who chooses the one where it exists
/// goes no further: the run with the other choice does.
fn allocate(
    builder: &mut Builder<'_>,
    (family, layout): &(Family, Option<Vec<(u64, Type)>>),
    bits: u16,
    instruction: Instruction,
) {
    let (Op::Allocate { zeroed, .. }, Some(result)) = (&instruction.op, instruction.result) else {
        return;
    };
    let (one, exists) = (Operand::Global(family.one), Operand::Global(family.state));
    let [new, another, after] = [(); 3].map(|()| builder.add_block());
    builder.function.blocks[after.index()].parameters.push(result);
    let chosen = builder.nondet(BOOL);
    builder.branch(chosen, new, another);
    builder.switch_to(new);
    builder.effect(Op::AtomicBegin(Section::Step));
    let flag = builder.load(FLAG, exists);
    let condition = builder.compare(CompareOp::Eq, flag, Operand::int(8, 0));
    builder.effect(Op::Assume { condition });
    builder.store(FLAG, exists, Operand::int(8, 1));
    match layout {
        Some(layout) if *zeroed => make_zero(builder, one, layout, bits),
        _ => builder.effect(Op::HavocMemory { address: one, ty: family.ty.clone() }),
    }
    builder.effect(Op::AtomicEnd);
    builder.jump_with(after, vec![one]);
    builder.switch_to(another);
    builder.jump_with(after, vec![Operand::Global(family.others)]);
    builder.switch_to(after);
}

/// Gives the followed element of an array what the array holds there at first: by a store at the beginning of the program,
/// where that is not the same for all.
fn initialize(module: &mut Module, array: GlobalId, family: &Family, once: &ExecutedOnce) {
    let Global { ty, initializer, .. } = module.globals[array.index()].clone();
    let (Type::Array(element, count), Some(entry)) = (&ty, module.entry) else { return };
    if matches!(initializer, Initializer::Zero | Initializer::Undefined) {
        // Nobody reads the others, but they are known to hold no address that nobody wrote.
        for id in [family.one, family.others] {
            module.globals[id.index()].initializer = initializer.clone();
        }
        return;
    }
    // What is not told apart is any value. The program may begin again in a thread.
    if !once.contains_block(entry, Function::ENTRY) {
        return;
    }
    let (Some(layout), Ok(size)) = (scalars(module, element), usize::try_from(ty.size(module)))
    else {
        return;
    };
    let count = usize::try_from(*count).unwrap_or(usize::MAX);
    if size > MAX_INITIALIZED || layout.len().saturating_mul(count) > MAX_DIFFERENT {
        return;
    }
    let mut contents = vec![None; size];
    bytes::initialize(module, &ty, &initializer, &mut contents);
    let endianness = module.target.endianness;
    let at = |place: u64, ty: &Type| {
        let start = usize::try_from(place).ok()?;
        let end = start.checked_add(usize::try_from(ty.size(module)).ok()?)?;
        let value = bytes::get(contents.get(start..end)?, endianness)?;
        match ty {
            Type::Int(bits) => Some(Operand::int(*bits, value)),
            _ => (value == 0).then_some(Operand::Null),
        }
    };
    let each = element.size(module);
    let of_all = |offset: u64, ty: &Type| -> Option<Vec<Operand>> {
        (0..count as u64).map(|index| at(index * each + offset, ty)).collect()
    };
    let first: Vec<_> = layout
        .iter()
        .filter_map(|(offset, ty)| Some((*offset, ty.clone(), of_all(*offset, ty)?)))
        .collect();
    let bits = module.target.pointer_bits;
    let function = &mut module.functions[entry.index()];
    let mut is_done = false;
    function.rewrite_block(Function::ENTRY, |builder, _, instruction| {
        if !std::mem::replace(&mut is_done, true) {
            let followed = builder.load(Type::Int(bits), Operand::Global(family.state));
            for (offset, ty, values) in &first {
                let (&last, before) = values.split_last().expect("an array has elements");
                let mut value = last;
                for (index, &own) in before.iter().enumerate().filter(|(_, own)| **own != last) {
                    let index = Operand::int(bits, index as u128);
                    let condition = builder.compare(CompareOp::Eq, followed, index);
                    value = builder.define(Op::Select { condition, a: own, b: value }, ty.clone());
                }
                let one = Operand::Global(family.one);
                let address = scalar_at(builder, one, *offset, bits);
                builder.store(ty.clone(), address, value);
            }
        }
        builder.push(instruction);
    });
}
