//! `verify`: the laws of the IR ([`sapa_ir::goto::verify()`]) as a pass.

use sapa_ir::goto::{Module, verify};

use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass =
    Pass { name: "verify", summary: "check the laws of the IR", options: &[], run };

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    verify(module).map(|()| Changed::No).map_err(|errors| PassError::Refused {
        pass: PASS.name,
        function: String::new(),
        place: "module".to_owned(),
        message: errors.to_string(),
    })
}
