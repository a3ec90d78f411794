//! What a pass is.

use sapa_ir::goto::{FunctionId, Module};
use sapa_limits::Limits;

use crate::analysis::{Analyses, AnalysisKind};
use crate::error::PassError;
use crate::option::{OptionSpec, Options};

/// A pass: what it is called, what it does, what it leaves as it was, and how it does it.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name in pipelines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// The analyses that hold after it if they held before. `--verify-each` checks that they do.
    pub preserves: &'static [AnalysisKind],
    /// Transforms a module, or reports on it.
    pub run: Run,
}

/// How a pass runs. Both functions return whether they changed the module, and fail if they meet
/// something that they cannot treat, or a limit ends them; the module may then be half transformed.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Over the whole module.
    Module(fn(&mut Module, &mut Context<'_>) -> Result<bool, PassError>),
    /// Over one function with a body after the other. It changes no other function.
    Function(fn(&mut Module, FunctionId, &mut Context<'_>) -> Result<bool, PassError>),
}

impl Pass {
    /// Runs the pass on a module; whether that changed it. What it does not preserve is forgotten, and
    /// so are the invariants, if it changed the code that they are about.
    ///
    /// # Errors
    /// If the pass fails, or a limit ends it.
    pub fn run(&self, module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
        let code = (!module.invariants.is_empty())
            .then(|| (module.functions.clone(), module.globals.clone()));
        let changed = self.transform(module, context)?;
        if let Some((functions, globals)) = code.filter(|_| changed)
            && (functions != module.functions || globals != module.globals)
        {
            module.invariants.clear();
        }
        Ok(changed)
    }

    fn transform(&self, module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
        match self.run {
            Run::Module(run) => {
                let changed = run(module, context)?;
                if changed {
                    context.analyses.keep(self.preserves);
                }
                Ok(changed)
            }
            Run::Function(run) => {
                let mut changed = false;
                for id in (0..module.functions.len()).map(FunctionId::new) {
                    context.limits.check()?;
                    if module.function(id).is_defined() && run(module, id, context)? {
                        context.analyses.keep(self.preserves);
                        changed = true;
                    }
                }
                Ok(changed)
            }
        }
    }
}

/// Passes are told apart by their names.
impl PartialEq for Pass {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Pass {}

/// What a pass works with besides the module.
#[derive(Debug)]
pub struct Context<'c> {
    /// Its options.
    pub options: &'c Options,
    /// Analyses of the module as it was given; computed on demand. A pass that asks for more after
    /// a change first says what that preserved ([`Analyses::keep`]).
    pub analyses: &'c mut Analyses,
    /// What it has to say: the product of passes that print.
    pub report: &'c mut String,
    /// Asked in every loop whose length depends on the program: `context.limits.check()?`.
    pub limits: &'c Limits,
}
