//! The program in which one object of many is followed: what the abstraction is given when it has had no answer at once.

use sapa_backend::cegar::{DecidedBy, Proof, Verdict};
use sapa_ir::goto::Module;
use sapa_passes::Pipeline;
use sapa_passes::transform::{datatype_reduction, peel_loops};

use crate::options::Options;
use crate::program::{Checked, Program};

/// What stands before the reduction, which looks at allocations that are executed many times.
const BEFORE: &str = "allocation-sites";

/// What stands behind it: it chooses by constants.
const BEHIND: &str = "constant-propagation";

/// What the passes make of a program if one object of many is followed: as by default, but that elements of arrays are
/// known before loops are unrolled to know them. `None` if there are not many objects of any kind, or the passes refuse the
/// program.
pub(crate) fn lowered(program: &Program, options: &Options) -> Option<Module> {
    let passes = |text: &str| Pipeline::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut first = Pipeline::default();
    let position = first.steps.iter().position(|step| step.pass == peel_loops::PASS)?;
    let rest = first.steps.split_off(position);
    first.steps.extend(passes(BEFORE).steps);
    let options = Options { pipeline: first, ..options.clone() };
    let mut module = program.lowered(&options, &mut []).ok()?;
    let before = module.clone();
    let run = |module: &mut Module, pipeline: Pipeline| {
        pipeline.run_within(module, &mut [], &options.limits).ok()
    };
    run(&mut module, passes(datatype_reduction::PASS.name))?;
    if module == before {
        return None;
    }
    let mut second = passes(BEHIND);
    second.steps.extend(rest);
    run(&mut module, second)?;
    Some(module)
}

/// What an answer about the program that [`lowered`] gives says of the program itself: a proof is one, and nothing else is.
pub(crate) fn of_program(mut checked: Checked) -> Option<Checked> {
    let Verdict::Successful(Proof { by, .. }) = &mut checked.report.verdict else { return None };
    *by = match *by {
        DecidedBy::NoAssertion => DecidedBy::NoAssertion,
        DecidedBy::Engine(by) => DecidedBy::OneOfMany(by),
        DecidedBy::Invariants => DecidedBy::OneOfMany("invariants"),
        _ => DecidedBy::OneOfMany("search of concrete states"),
    };
    Some(checked)
}
