//! Passes that assert what C leaves undefined, so that whoever looks for failing assertions finds it. They run on
//! what the frontend writes, before all other passes; [`crate::property`] lists what they are for.
//!
//! | file | asserts |
//! | --- | --- |
//! | `assertions` | nothing: runs end where the program's own assertions fail |
//! | `bounds` | that indices are within their arrays |
//! | `division` | that divisions and shifts are defined |
//! | `leaks` | that what is allocated is freed before the program ends |
//! | `overflow` | that signed arithmetic does not overflow |
//! | `pointers` | that accesses are to objects that exist, and what is freed was allocated |
//! | `record` | nothing: what passes remember of what the program did |
//! | `brief_locals` | nothing: locals whose addresses may outlive their calls become heap objects |

use sapa_ir::goto::{Builder, FunctionId, Instruction, Location, Module, Op, Operand};

use crate::error::PassError;
use crate::pass::Context;

pub mod assertions;
pub mod bounds;
mod brief_locals;
pub mod division;
pub mod leaks;
pub mod overflow;
pub mod pointers;
mod record;

/// How the names of models begin that stand for what is no call in C, such as arithmetic of floating
/// point. They divide and shift only as is defined, whatever they are given.
const OWN_MODELS: &str = "__sapa_";

/// Whether what stands at a location is a part of such a model.
#[must_use]
pub fn is_own_model(module: &Module, location: Location) -> bool {
    module.operation(location).is_some_and(|name| name.starts_with(OWN_MODELS))
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
