//! `end-at-assertions`: the program ends where an assertion fails, which is then no failure. It is for runs in which
//! nobody asks about them: an assertion that fails ends a program of C, and what would happen behind it does not.

use sapa_ir::goto::{Function, FunctionId, Location, Module, Op, Operand, TerminatorKind};

use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "end-at-assertions",
    summary: "end the program where an assertion fails, in place of an error",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    context.limits.check()?;
    Ok(end_at(&mut module.functions[id.index()], |_, _| true))
}

/// Ends the program where those assertions of a function fail that are `meant`, by location and text; whether there are
/// any.
pub fn end_at(function: &mut Function, meant: impl Fn(Location, &str) -> bool) -> bool {
    let mut changed = false;
    function.rewrite(|builder, _, instruction| match &instruction.op {
        Op::Assert { condition, property } if meant(instruction.location, property) => {
            changed = true;
            let (end, on) = (builder.add_block(), builder.add_block());
            if *condition == Operand::bool(false) {
                builder.jump(end);
            } else {
                builder.branch(*condition, on, end);
            }
            builder.switch_to(end);
            builder.terminate(TerminatorKind::Halt);
            builder.switch_to(on);
        }
        _ => builder.push(instruction),
    });
    changed
}
