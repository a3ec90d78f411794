//! `verify`: the laws of the IR ([`sapa_ir::goto::verify()`]) as a pass.

use sapa_ir::goto::{Module, verify};

use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "verify",
    summary: "check the laws of the IR",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<bool, PassError> {
    let unsound = |errors| PassError::Unsound { pass: PASS.name, errors };
    verify(module).map(|()| false).map_err(unsound)
}
