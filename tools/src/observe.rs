//! What `sapa-opt` shows of a pipeline: observers of the pass manager. All of
//! them write to the standard error.

use std::time::Duration;

use sapa_ir::goto::{Entity, Module, print, verify};
use sapa_passes::{Event, Observer, PassError, Step};
use similar::TextDiff;

use crate::{message, message_part};

/// Which steps to print the module around.
#[derive(Clone, Debug, Default)]
pub struct Print {
    /// Names of passes to print before.
    pub before: Vec<String>,
    /// Names of passes to print after.
    pub after: Vec<String>,
    /// Print after every pass.
    pub after_all: bool,
}

impl Observer for Print {
    fn before(&mut self, _: usize, step: &Step, module: &Module) {
        if self.before.iter().any(|name| name == step.pass.name) {
            message!("; before {step}\n{}", print(module));
        }
    }

    fn after(&mut self, event: &Event<'_>, module: &Module) -> Result<(), PassError> {
        if self.after_all || self.after.iter().any(|name| name == event.step.pass.name) {
            message!("; after {}\n{}", event.step, print(module));
        }
        Ok(())
    }
}

/// Prints what each step changed, as a unified diff.
#[derive(Clone, Debug, Default)]
pub struct PrintChanged {
    text: String,
}

impl Observer for PrintChanged {
    fn before(&mut self, _: usize, _: &Step, module: &Module) {
        self.text = print(module);
    }

    fn after(&mut self, event: &Event<'_>, module: &Module) -> Result<(), PassError> {
        let after = print(module);
        if after == self.text {
            message!("; {} changed nothing", event.step);
        } else {
            let diff = TextDiff::from_lines(&self.text, &after);
            message_part!("; {} changed:\n{}", event.step, diff.unified_diff().context_radius(2));
        }
        Ok(())
    }
}

/// Prints the reports of passes that print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reports;

impl Observer for Reports {
    fn after(&mut self, event: &Event<'_>, _: &Module) -> Result<(), PassError> {
        message_part!("{}", event.report);
        Ok(())
    }
}

/// Verifies the module after every step, that a step which says that it changed nothing did not, and
/// that each analysis which it says it preserves is the same before and after.
#[derive(Clone, Debug, Default)]
pub struct VerifyEach {
    before: Option<Module>,
}

impl Observer for VerifyEach {
    fn before(&mut self, _: usize, _: &Step, module: &Module) {
        self.before = Some(module.clone());
    }

    fn after(&mut self, event: &Event<'_>, module: &Module) -> Result<(), PassError> {
        let pass = event.step.pass.name;
        let failure = |message| PassError::new(pass, module, Entity::Module, message);
        let Some(before) = self.before.take() else { return Ok(()) };
        if !event.changed && before != *module {
            return Err(failure("it changed the module and says that it did not".to_owned()));
        }
        for kind in event.step.pass.preserves.iter().filter(|_| event.changed) {
            if !kind.agrees(&before, module, event.limits)? {
                let name = kind.name;
                let message =
                    format!("it says that it preserves the analysis '{name}' and changed it");
                return Err(failure(message));
            }
        }
        verify(module).map_err(|errors| PassError::Unsound { pass, errors })
    }
}

/// Measures the steps.
#[derive(Clone, Debug, Default)]
pub struct TimePasses {
    times: Vec<(String, Duration)>,
}

impl Observer for TimePasses {
    fn after(&mut self, event: &Event<'_>, _: &Module) -> Result<(), PassError> {
        self.times.push((event.step.to_string(), event.time));
        Ok(())
    }
}

impl TimePasses {
    /// A table of the times, in the order of the steps.
    #[must_use]
    pub fn table(&self) -> String {
        let total: Duration = self.times.iter().map(|(_, time)| *time).sum();
        let lines = self.times.iter().map(|(name, time)| (name.as_str(), *time));
        lines
            .chain([("total", total)])
            .map(|(name, time)| format!("{:>10.3} ms  {name}\n", time.as_secs_f64() * 1000.0))
            .collect()
    }
}

/// Runs only the first steps, and says which: to find the step at fault by halving.
#[derive(Clone, Copy, Debug)]
pub struct Bisect {
    /// How many steps to run.
    pub limit: usize,
}

impl Observer for Bisect {
    fn admits(&mut self, index: usize, step: &Step) -> bool {
        let admitted = index < self.limit;
        let word = if admitted { "running" } else { "not running" };
        message!("bisect: {word} pass ({}) {step}", index + 1);
        admitted
    }
}

/// Keeps what is needed to repeat the step that failed.
#[derive(Clone, Debug, Default)]
pub struct Reproducer {
    last: Option<(String, Module)>,
}

impl Observer for Reproducer {
    fn before(&mut self, _: usize, step: &Step, module: &Module) {
        self.last = Some((step.to_string(), module.clone()));
    }
}

impl Reproducer {
    /// The last step as a command, and the module before it.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let (step, module) = self.last.as_ref()?;
        Some(format!("; sapa-opt -p '{step}' THIS_FILE\n{}", print(module)))
    }
}

#[cfg(test)]
mod tests {
    use sapa_ir::goto::{TerminatorKind, parse};
    use sapa_passes::analysis::call_graph::CallGraph;
    use sapa_passes::{AnalysisKind, Context, Pass, Pipeline, Run};

    use super::*;

    /// Deletes everything, calls among it.
    fn clear(module: &mut Module, _: &mut Context<'_>) -> Result<bool, PassError> {
        for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
            block.instructions.clear();
            block.terminator.kind = TerminatorKind::Halt;
        }
        Ok(true)
    }

    const CLEAR: Pass = Pass {
        name: "clear",
        summary: "",
        options: &[],
        preserves: &[AnalysisKind::of::<CallGraph>()],
        run: Run::Module(clear),
    };

    #[test]
    fn a_pass_that_claims_to_preserve_what_it_changes_is_found() {
        let run = |call: &str| {
            let text = format!(
                "gir 1\ndefine @f() {{\nbb0:\n  return\n}}\n\
                 define @main() {{\nbb0:\n  {call}\n  return\n}}\nentry @main\n"
            );
            let mut module = parse(&text, "t.gir").expect("it is well-formed");
            let pipeline = Pipeline { steps: vec![Step::new(CLEAR)] };
            let result = pipeline.run(&mut module, &mut [&mut VerifyEach::default()]);
            result.map_err(|error| error.to_string())
        };
        assert_eq!(run(""), Ok(()));
        let error = run("call @f()").expect_err("the call is gone");
        let claim = "says that it preserves the analysis 'call graph' and changed it";
        assert!(error.contains("clear") && error.contains(claim), "{error}");
    }
}
