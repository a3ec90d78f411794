//! Passes that assert what C leaves undefined, so that whoever looks for failing assertions finds it. They run on
//! what the frontend writes, before all other passes; [`crate::property`] lists what they are for.
//!
//! | file | asserts |
//! | --- | --- |
//! | `assertions` | nothing: runs end where the program's own assertions fail |
//! | `accesses` | nothing: what functions access, for `bounds` and `pointers` |
//! | `bounds` | that indices are within their arrays, and accesses within their objects |
//! | `deadlock` | that not all threads wait for ever |
//! | `division` | that divisions and shifts are defined |
//! | `extents` | nothing: which array within an object a pointer came from, for `bounds` |
//! | `leaks` | that what is allocated is freed before the program ends |
//! | `overflow` | that signed arithmetic does not overflow |
//! | `pointers` | that accesses are to objects that exist, and what is freed was allocated |
//! | `record` | nothing: what passes remember of what the program did |
//! | `brief_locals` | nothing: locals whose addresses may outlive their calls become heap objects |
//! | `scopes` | nothing: where the blocks are left that declare locals |
//! | `races` | that no two threads come to accesses that race |
//!
//! `section` knows in which atomic sections code is executed.

use sapa_ir::goto::{
    Builder, Function, FunctionId, Instruction, Location, Module, Op, Operand, operation,
};
use sapa_limits::Limits;

use super::{constant_propagation, inline, mem2reg, unreachable};
use crate::error::PassError;
use crate::pass::{Context, Pass};
use crate::pipeline::{Pipeline, Step};

mod accesses;
pub mod assertions;
pub mod bounds;
mod brief_locals;
#[cfg(test)]
mod choice;
pub mod deadlock;
pub mod division;
mod extents;
pub mod leaks;
pub mod overflow;
pub mod pointers;
pub mod races;
mod record;
pub mod scopes;
mod section;

/// How the names of models begin that stand for what is no call in C, such as arithmetic of floating
/// point. They divide and shift only as is defined, whatever they are given.
const OWN_MODELS: &str = "__sapa_";

/// Whether what stands at a location is a part of such a model.
#[must_use]
pub fn is_own_model(module: &Module, location: Location) -> bool {
    module.operation(location).is_some_and(|name| name.starts_with(OWN_MODELS))
}

/// How the names of the files begin that the library's models are in.
const LIBRARY: &str = "<library>/";

/// Passes whose assertions are over ghosts, which they count or announce things in.
const WITH_GHOSTS: [Pass; 3] = [races::PASS, deadlock::PASS, deadlock::JOINS];

/// Whether what stands at a location is no code of the program, but over the ghosts of a pass here, or asserts something
/// of them.
#[must_use]
pub fn is_of_ghosts(module: &Module, location: Location) -> bool {
    let operation = module.operation(location);
    operation.is_some_and(|name| WITH_GHOSTS.iter().any(|pass| pass.name == name))
}

/// What makes accesses and waits of different callers and rounds different ones, and scalars values.
const PREPARING: [Pass; 4] =
    [inline::PASS, unreachable::PASS, mem2reg::PASS, constant_propagation::PASS];

/// The module for a pass that looks at what threads do to memory: without calls, and with values for what only one
/// thread accesses. Where that is not possible, as where functions call themselves, it stays as it is.
///
/// # Errors
/// A limit ended it.
fn prepared(module: &Module, limits: &Limits) -> Result<Module, PassError> {
    let pipeline = Pipeline { steps: PREPARING.into_iter().map(Step::new).collect() };
    let mut inlined = module.clone();
    match pipeline.run_within(&mut inlined, &mut [], limits) {
        Ok(()) => Ok(inlined),
        Err(PassError::Refused { .. }) => Ok(module.clone()),
        Err(error) => Err(error),
    }
}

/// Whether a program executes operations of certain names.
fn executes(module: &Module, is_one: impl Fn(&str) -> bool) -> bool {
    let mut code = module.functions.iter().flat_map(Function::instructions);
    code.any(|instruction| module.operation(instruction.location).is_some_and(&is_one))
}

/// Whether an operation is a function that prints what pointers lead to.
fn is_output(name: &str) -> bool {
    const OUTPUT: [&str; 6] = ["printf", "puts", "fputs", "fwrite", "write", "perror"];
    OUTPUT.iter().any(|output| name.ends_with(output))
}

/// Whether an instruction allocates what ends with its call: an array of variable length, or what `alloca` returns.
#[must_use]
pub fn is_automatic(module: &Module, instruction: &Instruction) -> bool {
    let operation = module.operation(instruction.location);
    matches!(instruction.op, Op::Allocate { .. })
        && operation.is_some_and(|name| name.ends_with(operation::AUTOMATIC))
}

/// What is asserted: a condition, and what it claims.
type Claim = (Operand, String);

/// The same but for functions of the library's models, which keep to what is defined whatever they are given.
fn assert_in_source(
    module: &mut Module,
    id: FunctionId,
    context: &Context<'_>,
    claims: impl FnMut(&Module, &mut Builder<'_>, &Instruction) -> Vec<Claim>,
) -> Result<bool, PassError> {
    if module.function(id).is_model() {
        return Ok(false);
    }
    assert_before(module, id, context, claims)
}

/// Asserts before each instruction of a function what `claims` says of it, given the module without the function,
/// which is the builder's; whether there was any.
fn assert_before(
    module: &mut Module,
    id: FunctionId,
    context: &Context<'_>,
    mut claims: impl FnMut(&Module, &mut Builder<'_>, &Instruction) -> Vec<Claim>,
) -> Result<bool, PassError> {
    context.limits.check()?;
    let mut function = std::mem::take(&mut module.functions[id.index()]);
    let mut changed = false;
    function.rewrite(|builder, _, instruction| {
        for (condition, property) in claims(module, builder, &instruction) {
            changed = true;
            builder.effect(Op::Assert { condition, property });
        }
        builder.push(instruction);
    });
    module.functions[id.index()] = function;
    Ok(changed)
}
