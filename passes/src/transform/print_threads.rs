//! `print-threads`: how many threads there can be, and where they start.

use std::fmt::Write;

use sapa_ir::goto::Module;

use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::once::ExecutedOnce;
use crate::analysis::thread_bound::most_started;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "print-threads",
    summary: "print how many threads are started at most, where, and which functions run once",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let _ = match most_started(module, context.limits) {
        Some(most) => writeln!(context.report, "the program starts at most {most}"),
        None => writeln!(context.report, "no bound on the number of threads is known"),
    };
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    let graph = context.analyses.get::<CallGraph>(module)?;
    for (id, function) in module.functions() {
        for site in graph.sites(id).iter().filter(|site| site.kind == Use::Spawn) {
            let place = module.describe(site.location);
            let Some(started) = site.callee else {
                let _ = writeln!(context.report, "{place}: {} starts a pointer", function.name);
                continue;
            };
            let often = if once.contains(started) { "once" } else { "perhaps several times" };
            let name = &module.function(started).name;
            let _ = writeln!(
                context.report,
                "{place}: {} starts {name}, which runs {often}",
                function.name
            );
        }
    }
    Ok(false)
}
