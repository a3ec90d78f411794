//! `allocation-sites`: an allocation that is executed at most once becomes an
//! object of its site.
//!
//! A heap object that is made once is a global that nobody can name before. Its
//! type is the one that the allocation or what is done with its result says.

use rustc_hash::FxHashSet;
use sapa_ir::goto::operation::ALLOCATE;
use sapa_ir::goto::{
    BlockId, Function, FunctionId, Global, Initializer, Instruction, Module, Op, Operand, Type,
    ValueId,
};

use crate::analysis::AnalysisKind;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::once::ExecutedOnce;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "allocation-sites",
    summary: "make objects of heap allocations that are executed at most once",
    options: &[],
    preserves: &[AnalysisKind::of::<CallGraph>(), AnalysisKind::of::<ExecutedOnce>()],
    run: Run::Module(run),
};

/// Largest object that is made, in bytes.
const MAX_SIZE: u64 = 1 << 20;

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let mut changed = false;
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    for id in once.functions() {
        changed |= objects(module, &once, id);
    }
    Ok(changed)
}

/// Makes objects of the allocations of a function; whether there were any.
fn objects(module: &mut Module, once: &ExecutedOnce, id: FunctionId) -> bool {
    let has = |function: &Function| {
        function.instructions().any(|instruction| matches!(instruction.op, Op::Allocate { .. }))
    };
    if !has(module.function(id)) {
        return false;
    }
    let mut changed = false;
    for block in 0..module.function(id).blocks.len() {
        if !once.contains_block(id, BlockId::new(block)) {
            continue;
        }
        for index in 0..module.function(id).blocks[block].instructions.len() {
            let function = module.function(id);
            let instruction = &function.blocks[block].instructions[index];
            let Some(ty) =
                allocated(module, function, instruction).filter(|ty| ty.size(module) <= MAX_SIZE)
            else {
                continue;
            };
            let zeroed = matches!(instruction.op, Op::Allocate { zeroed: true, .. });
            let mut location = instruction.location;
            location.operation = location.operation.or_else(|| Some(module.intern_name(ALLOCATE)));
            let function = module.function(id);
            let name = format!("{}::heap#{}", function.name, module.globals.len());
            let object = module.add_global(Global {
                name,
                ty,
                initializer: if zeroed { Initializer::Zero } else { Initializer::Undefined },
                thread_local: false,
                constant: false,
                signed: false,
                location,
            });
            let function = &mut module.functions[id.index()];
            let instruction = &mut function.blocks[block].instructions[index];
            instruction.op = Op::Copy { a: Operand::Global(object) };
            changed = true;
        }
    }
    changed
}

/// The type of the objects of an allocation, if an instruction is one whose size is known: what the allocation or what is done
/// with its result says.
pub(super) fn allocated(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
) -> Option<Type> {
    let Op::Allocate { size: Operand::Int { value: size, .. }, ty, .. } = &instruction.op else {
        return None;
    };
    let (size, result) = (u64::try_from(*size).ok().filter(|size| *size > 0)?, instruction.result?);
    let element = ty.clone().or_else(|| used_as(module, function, result, size));
    Some(object_type(module, element, size))
}

/// An object of `size` bytes of an element type, of bytes if it does not fit.
fn object_type(module: &Module, element: Option<Type>, size: u64) -> Type {
    let element = element.unwrap_or(Type::Int(8));
    let each = element.size(module).max(1);
    match size / each {
        1 if size == each => element,
        count if size.is_multiple_of(each) => Type::Array(Box::new(element), count),
        _ => Type::Array(Box::new(Type::Int(8)), size),
    }
}

/// The type that the code of a function gives to what a value points to: the
/// largest that the object holds a whole number of.
fn used_as(module: &Module, function: &Function, value: ValueId, size: u64) -> Option<Type> {
    let mut same: FxHashSet<ValueId> = FxHashSet::default();
    same.insert(value);
    let mut found: Option<Type> = None;
    // Copies may stand before what they are copied from in the layout.
    for _ in 0..2 {
        for instruction in function.instructions() {
            let is_it = |operand: &Operand| operand.value().is_some_and(|v| same.contains(&v));
            let ty = match &instruction.op {
                Op::Copy { a } if is_it(a) => {
                    same.extend(instruction.result);
                    None
                }
                Op::FieldAddress { base, structure, .. } if is_it(base) => {
                    Some(Type::Struct(*structure))
                }
                Op::IndexAddress { base, element, .. } if is_it(base) => Some(element.clone()),
                Op::Store { address, ty, .. } if is_it(address) => Some(ty.clone()),
                Op::Load { address, .. } if is_it(address) => {
                    instruction.result.map(|r| function.operand_type(Operand::Value(r)))
                }
                _ => None,
            };
            let Some(ty) = ty.filter(|ty| (1..=size).contains(&ty.size(module))) else { continue };
            let better = found.as_ref().is_none_or(|old| old.size(module) < ty.size(module));
            if size.is_multiple_of(ty.size(module)) && better {
                found = Some(ty);
            }
        }
    }
    found
}
