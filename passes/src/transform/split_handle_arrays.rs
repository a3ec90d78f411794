//! `split-handle-arrays`: an array that threads are joined by becomes an object for each element.
//!
//! `join-flags` asks for whom a join waits. It sees handles that are values, or that a global is
//! stored with; `pthread_t t[N]` is neither, but its elements are if nothing but constants names
//! them. Other arrays stay what they are: users write predicates about them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Expression, Function, FunctionId, Global, GlobalId, Initializer, Instruction, Module, Op,
    Operand, Slot, SlotId, Type, ValueId,
};

use super::slots;
use crate::analysis::Preserved;
use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "split-handle-arrays",
    summary: "make objects of the elements of arrays that hold handles of threads",
    options: &[],
    run,
};

/// Most elements of an array that is split.
const MAX_ELEMENTS: u64 = 64;

/// Most dimensions of an array that is split.
const MAX_DIMENSIONS: usize = 3;

/// An array, as an operand of a function; a global is one of all functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Array {
    Slot(FunctionId, SlotId),
    Global(GlobalId),
}

/// The objects that an array becomes.
type Elements = BTreeMap<Array, Vec<Operand>>;

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let joined = joined(module);
    if joined.is_empty() {
        return Ok(Changed::when(false, Preserved::NOTHING));
    }
    let kept = used_otherwise(module);
    let mut elements = Elements::new();
    for array in joined.into_iter().filter(|array| !kept.contains(array)) {
        if let Some(count) = element_count(module, array) {
            let made = (0..count).map(|index| make_element(module, array, index)).collect();
            elements.insert(array, made);
        }
    }
    for index in 0..module.functions.len() {
        let id = FunctionId::new(index);
        rewrite(module, id, &elements);
        let slots: BTreeSet<SlotId> = elements
            .keys()
            .filter_map(|array| match array {
                Array::Slot(function, slot) if *function == id => Some(*slot),
                _ => None,
            })
            .filter(|slot| !is_used(module.function(id), *slot))
            .collect();
        if !slots.is_empty() {
            slots::remove(module, id, &slots);
        }
    }
    Ok(Changed::when(!elements.is_empty(), Preserved::NOTHING))
}

/// Whether a stack object is still named: by a version of a pointer that nothing reads.
fn is_used(function: &Function, slot: SlotId) -> bool {
    let mut used = false;
    function.for_each_operand(|operand| used |= operand == Operand::Slot(slot));
    used
}

/// The array that an operand is the address of.
fn array(function: FunctionId, operand: Operand) -> Option<Array> {
    match operand {
        Operand::Slot(slot) => Some(Array::Slot(function, slot)),
        Operand::Global(global) => Some(Array::Global(global)),
        _ => None,
    }
}

/// The type of handles.
fn handle(module: &Module) -> Type {
    Type::Int(module.target.pointer_bits)
}

/// How many elements an array of handles has; `None` if it is something else, or is not to be split.
fn element_count(module: &Module, array: Array) -> Option<u64> {
    let ty = match array {
        Array::Slot(function, slot) => &module.function(function).slots.get(slot.index())?.ty,
        Array::Global(global) => {
            let global = module.globals.get(global.index())?;
            if global.thread_local || global.constant || parts(global).is_none() {
                return None;
            }
            &global.ty
        }
    };
    let count = handles(module, ty)?;
    (matches!(ty, Type::Array(..)) && (1..=MAX_ELEMENTS).contains(&count)).then_some(count)
}

/// How many handles an object of a type is; `None` if it is something else.
fn handles(module: &Module, ty: &Type) -> Option<u64> {
    match ty {
        Type::Array(element, count) => handles(module, element)?.checked_mul(*count),
        ty => (*ty == handle(module)).then_some(1),
    }
}

/// What the elements of a global array of integers hold at first, in order; what is missing is zero.
/// `None` if they hold something else.
fn parts(global: &Global) -> Option<&[Initializer]> {
    match &global.initializer {
        Initializer::Zero => Some(&[]),
        Initializer::Aggregate(items) => items
            .iter()
            .all(|item| matches!(item, Initializer::Zero | Initializer::Int(_)))
            .then_some(items),
        _ => None,
    }
}

/// By how many handles an instruction moves an address, if that is a constant.
fn constant_index(module: &Module, op: &Op) -> Option<(Operand, usize)> {
    let Op::IndexAddress { base, element, index: Operand::Int { value, .. } } = op else {
        return None;
    };
    let step = usize::try_from(handles(module, element)?).ok()?;
    Some((*base, usize::try_from(*value).ok()?.checked_mul(step)?))
}

/// The addresses of elements of arrays that a function computes: of which array, and which element.
fn addresses(module: &Module, id: FunctionId) -> FxHashMap<ValueId, (Array, usize)> {
    let mut addresses: FxHashMap<ValueId, (Array, usize)> = FxHashMap::default();
    let function = module.function(id);
    // Rows of an array of arrays first, in whatever order the blocks stand.
    for _ in 0..MAX_DIMENSIONS {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(((base, index), result)) =
                constant_index(module, &instruction.op).zip(instruction.result)
            else {
                continue;
            };
            let start = match base.value() {
                Some(value) => addresses.get(&value).copied(),
                None => array(id, base).map(|array| (array, 0)),
            };
            if let Some((array, start)) = start
                // A pointer of the source is a use of its own.
                && function.values[result.index()].variable.is_none()
                && let Some(index) = start.checked_add(index)
            {
                addresses.insert(result, (array, index));
            }
        }
    }
    addresses
}

/// The arrays an element of which a join waits by.
fn joined(module: &Module) -> BTreeSet<Array> {
    let mut joined = BTreeSet::new();
    for (id, function) in module.functions() {
        let code = || function.blocks.iter().flat_map(|block| &block.instructions);
        let handles: FxHashSet<Operand> = code()
            .filter_map(|instruction| match instruction.op {
                Op::Join { handle } => Some(handle),
                _ => None,
            })
            .collect();
        if handles.is_empty() {
            continue;
        }
        let addresses = addresses(module, id);
        for instruction in code() {
            if let (Op::Load { address, .. }, Some(result)) = (&instruction.op, instruction.result)
                && handles.contains(&Operand::Value(result))
            {
                let element = address.value().and_then(|value| addresses.get(&value));
                joined.extend(element.map(|(array, _)| *array).or_else(|| array(id, *address)));
            }
        }
    }
    joined
}

/// The arrays that something else is done with than loading and storing handles in elements that
/// constants name, and giving the whole any contents.
fn used_otherwise(module: &Module) -> BTreeSet<Array> {
    let mut kept = BTreeSet::new();
    for (id, _) in module.functions() {
        let addresses = addresses(module, id);
        let element = |operand: Operand| match operand.value() {
            Some(value) => addresses.get(&value).copied(),
            None => array(id, operand).map(|array| (array, 0)),
        };
        let mut keep = |operand: Operand| kept.extend(element(operand).map(|(array, _)| array));
        let function = module.function(id);
        // What constant propagation leaves of a parameter of a function that was inlined is a version
        // of a source variable that nothing reads.
        let read = function.values_read();
        for block in &function.blocks {
            for instruction in &block.instructions {
                other_uses(module, function, instruction, &addresses, &read, &mut keep);
            }
            let mut kind = block.terminator.kind.clone();
            kind.for_each_target_mut(|target| {
                let parameters = &function.block(target.block).parameters;
                for (&argument, parameter) in target.arguments.iter().zip(parameters) {
                    if read.contains(parameter) {
                        keep(argument);
                    }
                }
                target.arguments.clear();
            });
            kind.for_each_operand(&mut keep);
        }
        for (array, index) in addresses.values() {
            let count = element_count(module, *array).and_then(|count| usize::try_from(count).ok());
            if count.is_none_or(|count| *index >= count) {
                kept.insert(*array);
            }
        }
    }
    for global in &module.globals {
        initial_uses(&global.initializer, &mut kept);
    }
    for predicate in &module.predicates {
        predicate.expression.for_each(&mut |e| match e {
            Expression::Slot { function, slot } => {
                kept.insert(Array::Slot(*function, *slot));
            }
            Expression::Global(global) => {
                kept.insert(Array::Global(*global));
            }
            Expression::Value { function, value } => {
                let named = addresses(module, *function).get(value).map(|(array, _)| *array);
                kept.extend(named);
            }
            _ => {}
        });
    }
    kept
}

/// Calls `keep` with the operands of an instruction that are used otherwise.
fn other_uses(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
    addresses: &FxHashMap<ValueId, (Array, usize)>,
    read: &FxHashSet<ValueId>,
    keep: &mut dyn FnMut(Operand),
) {
    let handle = handle(module);
    match &instruction.op {
        Op::Load { .. }
            if instruction
                .result
                .is_some_and(|r| function.operand_type(Operand::Value(r)) == handle) => {}
        Op::Store { value, ty, .. } if *ty == handle => keep(*value),
        Op::HavocMemory { address: Operand::Slot(slot), ty }
            if function.slots.get(slot.index()).is_some_and(|slot| slot.ty == *ty) => {}
        Op::IndexAddress { .. }
            if instruction.result.is_some_and(|result| addresses.contains_key(&result)) => {}
        Op::Copy { .. } if instruction.result.is_some_and(|result| !read.contains(&result)) => {}
        op => op.for_each_operand(keep),
    }
}

/// Adds the globals whose addresses are in the initial contents of another.
fn initial_uses(initializer: &Initializer, kept: &mut BTreeSet<Array>) {
    match initializer {
        Initializer::Global(global, _) => {
            kept.insert(Array::Global(*global));
        }
        Initializer::Aggregate(items) => items.iter().for_each(|item| initial_uses(item, kept)),
        _ => {}
    }
}

/// Makes the object of an element. A global array stays, unused.
fn make_element(module: &mut Module, array: Array, index: u64) -> Operand {
    let ty = handle(module);
    match array {
        Array::Slot(id, slot) => {
            let function = &mut module.functions[id.index()];
            let array = function.slots[slot.index()].clone();
            let mut name = format!("{}[{index}]", array.name);
            while function.slots.iter().any(|slot| slot.name == name)
                || function.variables.iter().any(|variable| variable.name == name)
            {
                name.push('\'');
            }
            Operand::Slot(function.add_slot(Slot { name, ty, signed: array.signed }))
        }
        Array::Global(global) => {
            let array = module.globals[global.index()].clone();
            let name = format!("{}[{index}]", array.name);
            let part = parts(&array)
                .zip(usize::try_from(index).ok())
                .and_then(|(parts, index)| parts.get(index).cloned());
            let initializer = part.unwrap_or(Initializer::Zero);
            Operand::Global(module.add_global(Global { name, ty, initializer, ..array }))
        }
    }
}

/// Names the elements by their objects.
fn rewrite(module: &mut Module, id: FunctionId, elements: &Elements) {
    let object = |array: Option<Array>, index: usize| {
        array.and_then(|array| elements.get(&array)?.get(index).copied())
    };
    let addresses = addresses(module, id);
    let ty = handle(module);
    let of_value = |operand: &mut Operand| {
        let element = operand.value().and_then(|value| addresses.get(&value));
        if let Some(found) = element.and_then(|(array, index)| object(Some(*array), *index)) {
            *operand = found;
        }
    };
    let of_any = |operand: &mut Operand| {
        if let Some(found) = object(array(id, *operand), 0) {
            *operand = found;
        }
        of_value(operand);
    };
    for block in &mut module.functions[id.index()].blocks {
        let old = std::mem::take(&mut block.instructions);
        for mut instruction in old {
            let address = instruction.result.and_then(|result| addresses.get(&result));
            if address.is_some_and(|(array, index)| object(Some(*array), *index).is_some()) {
                continue;
            }
            if let Op::HavocMemory { address, .. } = &instruction.op
                && let Some(objects) = array(id, *address).and_then(|array| elements.get(&array))
            {
                let location = instruction.location;
                block.instructions.extend(objects.iter().map(|&address| Instruction {
                    op: Op::HavocMemory { address, ty: ty.clone() },
                    result: None,
                    location,
                }));
                continue;
            }
            match &mut instruction.op {
                // What nobody reads may name the whole.
                Op::Copy { a } => of_value(a),
                op => op.for_each_operand_mut(of_any),
            }
            block.instructions.push(instruction);
        }
        block.terminator.kind.for_each_operand_mut(of_value);
    }
}
