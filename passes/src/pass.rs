//! What a pass is.

use sapa_ir::goto::Module;
use sapa_limits::Limits;

use crate::analysis::{Analyses, Preserved};
use crate::error::PassError;
use crate::option::{OptionSpec, Options};

/// A pass: what it is called, what it does, and how.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name in pipelines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Transforms a module, or reports on it.
    ///
    /// # Errors
    /// If it meets something that it cannot treat, or a limit ends it; the module may then be half
    /// transformed.
    pub run: fn(&mut Module, &mut Context<'_>) -> Result<Changed, PassError>,
}

/// What a pass works with besides the module.
#[derive(Debug)]
pub struct Context<'c> {
    /// Its options.
    pub options: &'c Options,
    /// Analyses of the module as it was given; computed on demand. After its
    /// first change a pass must not ask for more.
    pub analyses: &'c mut Analyses,
    /// What it has to say: the product of passes that print.
    pub report: &'c mut String,
    /// Asked in every loop whose length depends on the program: `context.limits.check()?`.
    pub limits: &'c Limits,
}

/// Whether a pass changed the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The module is as it was.
    No,
    /// It is not; these analyses still hold.
    Yes(Preserved),
}

impl Changed {
    /// `Yes` with what is preserved if `changed`.
    #[must_use]
    pub fn when(changed: bool, preserved: Preserved) -> Self {
        if changed { Self::Yes(preserved) } else { Self::No }
    }
}
