//! `check-leaks`: what is allocated is freed before the program ends, by the return of its entry function or by `exit`.
//!
//! A record (`record.rs`) has one allocation that is not freed yet. At the end there must be none: if some object is not
//! freed, it was chosen in some run.
//!
//! An allocation that fails allocates nothing, though in the code it is an object that nobody gets: a choice between the
//! object and null, or a call that returns one of them, stands behind [`Op::Allocate`]. So what is put on record is what
//! that gives, and null never is. What `mmap` maps is not looked at.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{
    Builder, Entity, Function, FunctionId, GlobalId, Location, Module, Op, Operand, TerminatorKind,
    ValueId, operation,
};

use super::is_automatic;
use super::record::Record;
use crate::analysis::call_graph::CallGraph;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-leaks",
    summary: "assert that what is allocated is freed before the program ends",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

/// Of programs that may end when their last thread does.
const RETURNS: &str =
    "assuming that the program ends by the return of its entry function, or by `exit`";

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let allocates = |op: &Op| matches!(op, Op::Allocate { .. });
    if !module.functions.iter().any(|f| f.instructions().any(|i| allocates(&i.op))) {
        return Ok(false);
    }
    let calls = context.analyses.get::<CallGraph>(module)?;
    let is_called = |id: FunctionId| {
        let sites = (0..module.functions.len()).flat_map(|f| calls.sites(FunctionId::new(f)));
        calls.address_taken().contains(&id) || sites.into_iter().any(|s| s.callee == Some(id))
    };
    if let Some(entry) = module.entry.filter(|&entry| is_called(entry)) {
        let message =
            "the program calls its entry function, so that the end of that need not be its own";
        return Err(PassError::new(PASS.name, module, Entity::Function(entry), message));
    }
    let ends_thread = |kind: &TerminatorKind| matches!(kind, TerminatorKind::EndThread(_));
    if module.functions.iter().any(|f| f.blocks.iter().any(|b| ends_thread(&b.terminator.kind))) {
        module.note(RETURNS);
    }
    let kept = Record::new(module, RECORD);
    let exits = ["exit", "__builtin_exit"].map(|name| Some(module.intern_name(name)));
    for index in 0..module.functions.len() {
        context.limits.check()?;
        let id = FunctionId::new(index);
        let handed_out = handed_out(module, module.function(id));
        let function = &mut module.functions[index];
        function.rewrite(|builder, _, instruction| {
            if let Op::Free { address } = instruction.op {
                kept.forget(builder, address);
            }
            let object = instruction.result.filter(|result| handed_out.contains(result));
            builder.push(instruction);
            if let Some(object) = object {
                kept.choose(builder, Operand::Value(object));
            }
        });
        let is_entry = module.entry == Some(id);
        let ends = function.blocks().filter(|(_, block)| match block.terminator.kind {
            TerminatorKind::Return(_) => is_entry,
            TerminatorKind::Halt => exits.contains(&block.terminator.location.operation),
            _ => false,
        });
        let ends: Vec<_> = ends.map(|(id, block)| (id, block.terminator.clone())).collect();
        for (block, end) in ends {
            let location = Location { operation: None, ..end.location };
            let mut builder = Builder::new(function, location);
            builder.switch_to(block);
            let condition = kept.is_none(&mut builder);
            let property = "what is allocated is freed before the program ends".to_owned();
            builder.effect(Op::Assert { condition, property });
            builder.location = end.location;
            builder.terminate(end.kind);
        }
    }
    Ok(true)
}

/// The name of the record.
const RECORD: &str = "kept";

/// Whether a global is the record of an allocation that is not freed.
#[must_use]
pub fn is_record(module: &Module, id: GlobalId) -> bool {
    super::record::is_named(module, id, RECORD)
}

/// The model of what an allocation that may fail returns: its argument, or null.
const OR_NULL: &str = "__sapa_or_null";

/// What the code of a function gets of its allocations that have to be freed: the object, or, where that is given to
/// nobody but a choice between it and null, what is chosen.
fn handed_out(module: &Module, function: &Function) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    for instruction in function.instructions() {
        if let (Op::Allocate { .. }, Some(object)) = (&instruction.op, instruction.result)
            && !is_automatic(module, instruction)
            && !is_mapped(module, instruction.location)
        {
            found.insert(object);
        }
    }
    let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
    function.for_each_operand(|operand| {
        if let Some(value) = operand.value() {
            *uses.entry(value).or_default() += 1;
        }
    });
    // What becomes of a value that is used once, for a choice between it and null. (Only allocators make it: `?:` of the
    // source is control flow, so that nothing is lost there.)
    let mut chosen: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for instruction in function.instructions() {
        let given = match &instruction.op {
            Op::Select { a: Operand::Null, b: other, .. }
            | Op::Select { a: other, b: Operand::Null, .. } => Some(*other),
            Op::Call { callee: Operand::Function(callee), arguments }
                if module.function(*callee).name == OR_NULL =>
            {
                arguments.first().copied()
            }
            _ => None,
        };
        if let (Some(object), Some(result)) = (given.and_then(Operand::value), instruction.result)
            && uses.get(&object) == Some(&1)
        {
            chosen.insert(object, result);
        }
    }
    // Each is defined by the one before, so that there is an end.
    let last = |mut object: ValueId| {
        while let Some(&next) = chosen.get(&object) {
            object = next;
        }
        object
    };
    found.into_iter().map(last).collect()
}

/// Whether an instruction is a part of `mmap`.
fn is_mapped(module: &Module, location: Location) -> bool {
    module.operation(location).is_some_and(|name| name.starts_with(operation::MAP))
}
