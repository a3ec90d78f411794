//! `end-at-assertions`: the program ends where an assertion fails, which is then no failure. It is for runs in which
//! nobody asks about them: an assertion that fails ends a program of C, and what would happen behind it does not.

use sapa_ir::goto::{FunctionId, Module, Op, Operand, TerminatorKind};

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
    let mut changed = false;
    module.functions[id.index()].rewrite(|builder, _, instruction| match instruction.op {
        Op::Assert { condition, .. } => {
            changed = true;
            let (end, on) = (builder.add_block(), builder.add_block());
            if condition == Operand::bool(false) {
                builder.jump(end);
            } else {
                builder.branch(condition, on, end);
            }
            builder.switch_to(end);
            builder.terminate(TerminatorKind::Halt);
            builder.switch_to(on);
        }
        _ => builder.push(instruction),
    });
    Ok(changed)
}
