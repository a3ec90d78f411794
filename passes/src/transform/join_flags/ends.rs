//! What threads do when they end: set a flag, or count, and store what they end with.

use sapa_ir::goto::operation::THREAD_END;
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, FunctionId, Global, GlobalId, Initializer, Location, MemoryOrder,
    Module, Op, Operand, Section, TerminatorKind, Type, ValueId,
};

use super::known::{Start, Starts};
use crate::analysis::call_graph::{CallGraph, Use};
use crate::transform::copy_function;

/// The type of a flag: 0, or 1 once the thread has ended.
pub(super) const FLAG: Type = Type::Int(8);

/// The type of a counter of ended threads.
pub(super) const COUNTER: Type = Type::Int(32);

/// Starts of a function from which on their ends are counted.
const COUNTED: usize = 3;

/// Makes the function of a start one that sets a flag in the end, and stores what it ends with
/// before, if that is of a type here; the flag and where the result is.
pub(super) fn flagged(
    module: &mut Module,
    entry: FunctionId,
    handle: ValueId,
    start: &Start,
    result: Option<&Type>,
) -> (GlobalId, Option<GlobalId>) {
    let location = module.function(entry).block(start.block).instructions[start.index].location;
    let operation = Some(module.intern_name(THREAD_END));
    let location = Location { operation, ..location };
    let flag = zero(module, format!("ended#{}", handle.0), FLAG, location);
    let stored = result.map(|ty| {
        let name = format!("result#{}", handle.0);
        (zero(module, name, ty.clone(), location), ty.clone())
    });
    let copy = if only_starts(module, entry, start.function) == Some(1) {
        start.function
    } else {
        copy_function::copy(module, start.function, &format!("#{}", handle.0))
    };
    let instruction =
        &mut module.functions[entry.index()].blocks[start.block.index()].instructions[start.index];
    if let Op::Spawn { function, .. } = &mut instruction.op {
        *function = Operand::Function(copy);
    }
    at_ends(module, copy, |builder, value| {
        if let (Some((result, ty)), Some(value)) = (&stored, value) {
            builder.effect(store(*result, ty.clone(), value));
        }
        builder.effect(store(flag, FLAG, Operand::int(8, 1)));
    });
    (flag, stored.map(|(result, _)| result))
}

/// Whether the ends of a function's threads are counted: all that is done with it is to start it at
/// most once at each of several places, with the same arguments.
pub(super) fn is_counted(
    module: &Module,
    entry: FunctionId,
    starts: &Starts,
    function: FunctionId,
) -> bool {
    let starts: Vec<&Start> = starts.values().filter(|s| s.function == function).collect();
    let mut arguments = starts.iter().map(|start| &start.arguments);
    let first = arguments.next();
    starts.len() >= COUNTED
        && arguments.all(|other| Some(other) == first)
        && only_starts(module, entry, function) == Some(starts.len())
}

/// At how many places the entry starts a function, if that is all that is done with it.
pub(super) fn only_starts(
    module: &Module,
    entry: FunctionId,
    function: FunctionId,
) -> Option<usize> {
    let graph = CallGraph::new(module);
    let uses = |id| graph.sites(id).iter().filter(|site| site.callee == Some(function));
    let places = uses(entry).filter(|site| site.kind == Use::Spawn).count();
    let all: usize = module.functions().map(|(id, _)| uses(id).count()).sum();
    (all == places && !graph.address_taken().contains(&function)).then_some(places)
}

/// Makes a function one that counts its ends; the counter.
pub(super) fn counted(module: &mut Module, id: FunctionId) -> GlobalId {
    let function = module.function(id);
    let (name, location) = (format!("ended#{}", function.name), function.location);
    let operation = Some(module.intern_name(THREAD_END));
    let location = Location { operation, ..location };
    let counter = zero(module, name, COUNTER, location);
    at_ends(module, id, |builder, _| {
        builder.effect(Op::AtomicBegin(Section::Locked));
        count(builder, counter);
        builder.effect(Op::AtomicEnd);
    });
    counter
}

/// A counter of the starts of a function.
pub(super) fn starts_counter(module: &mut Module, id: FunctionId) -> GlobalId {
    let function = module.function(id);
    let (name, location) = (format!("started#{}", function.name), function.location);
    zero(module, name, COUNTER, location)
}

/// Counts one more.
pub(super) fn count(builder: &mut Builder<'_>, counter: GlobalId) {
    let before = builder.define(load(counter), COUNTER);
    let sum = builder.binary(BinaryOp::Add, before, Operand::int(32, 1), false);
    builder.effect(store(counter, COUNTER, sum));
}

/// Adds code where a thread that runs a function ends, and with what value if with any.
fn at_ends(
    module: &mut Module,
    id: FunctionId,
    mut add: impl FnMut(&mut Builder<'_>, Option<Operand>),
) {
    let operation = Some(module.intern_name(THREAD_END));
    let function = &mut module.functions[id.index()];
    for block in (0..function.blocks.len()).map(BlockId::new) {
        let terminator = &function.block(block).terminator;
        if let TerminatorKind::Return(value) | TerminatorKind::EndThread(value) = terminator.kind {
            let location = Location { operation, ..terminator.location };
            let mut builder = Builder::new(function, location);
            builder.switch_to(block);
            add(&mut builder, value);
        }
    }
}

/// Adds a global that starts with 0.
fn zero(module: &mut Module, name: String, ty: Type, location: Location) -> GlobalId {
    module.add_global(Global {
        name,
        ty,
        initializer: Initializer::Zero,
        thread_local: false,
        constant: false,
        signed: false,
        location,
    })
}

pub(super) fn load(global: GlobalId) -> Op {
    let order = MemoryOrder::SequentiallyConsistent;
    Op::Load { address: Operand::Global(global), order, volatile: false }
}

fn store(global: GlobalId, ty: Type, value: Operand) -> Op {
    let order = MemoryOrder::SequentiallyConsistent;
    Op::Store { address: Operand::Global(global), value, ty, order, volatile: false }
}
