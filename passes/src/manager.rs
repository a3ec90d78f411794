//! Passes as data, and pipelines of them.

use sapa_ir::goto::Module;
use thiserror::Error;

use crate::error::PassError;
use crate::transform::{inline, lower_sync, mem2reg, unreachable};

/// A pass: what it is called, what it does, and how.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name in pipelines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Transforms a module; whether anything changed.
    pub run: fn(&mut Module) -> Result<bool, PassError>,
}

/// All passes.
pub const PASSES: &[Pass] = &[inline::PASS, unreachable::PASS, mem2reg::PASS, lower_sync::PASS];

/// The pipeline of `sapa check`: calls first, so that callees' locals become
/// values of the threads; synchronisation before the promotion, so that what
/// it reads are values too.
pub const DEFAULT_PIPELINE: &str = "inline,lower-sync,unreachable-blocks,mem2reg";

/// Passes to run one after the other. Grammar: names, separated by commas; blanks do not matter.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    passes: Vec<Pass>,
}

/// A pipeline string names no pass.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "pipeline, column {column}: unknown pass '{name}'; the passes are {known}\n  {text}\n  {caret}"
)]
pub struct PipelineError {
    /// Column, from 1.
    pub column: usize,
    /// The name.
    pub name: String,
    /// The whole string.
    pub text: String,
    /// A caret under the name.
    pub caret: String,
    /// The names of all passes.
    pub known: String,
}

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    /// If a name is no pass.
    pub fn parse(text: &str) -> Result<Self, PipelineError> {
        let mut passes = Vec::new();
        let mut start = 0;
        for part in text.split(',') {
            let name = part.trim();
            let column = start + part.len() - part.trim_start().len();
            start += part.len() + 1;
            if name.is_empty() && text.trim().is_empty() {
                continue;
            }
            match PASSES.iter().find(|pass| pass.name == name) {
                Some(pass) => passes.push(*pass),
                None => {
                    let known: Vec<_> = PASSES.iter().map(|pass| pass.name).collect();
                    return Err(PipelineError {
                        column: column + 1,
                        name: name.to_owned(),
                        text: text.to_owned(),
                        caret: format!("{}^", " ".repeat(column)),
                        known: known.join(", "),
                    });
                }
            }
        }
        Ok(Self { passes })
    }

    /// Runs the passes in order; `after` is called after each with whether it changed anything.
    ///
    /// # Errors
    /// The first pass that fails ends the run; the module is then in the state before that pass or in its midst.
    pub fn run(
        &self,
        module: &mut Module,
        mut after: impl FnMut(&Pass, bool, &Module),
    ) -> Result<(), PassError> {
        for pass in &self.passes {
            let changed = (pass.run)(module)?;
            after(pass, changed, module);
        }
        Ok(())
    }
}

impl std::fmt::Display for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.passes.iter().map(|pass| pass.name).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_parse_and_print_back() {
        let pipeline = Pipeline::parse(" inline, mem2reg").expect("both exist");
        assert_eq!(pipeline.to_string(), "inline,mem2reg");
        assert_eq!(Pipeline::parse("").expect("empty").to_string(), "");
        assert!(Pipeline::parse(DEFAULT_PIPELINE).is_ok());
    }

    #[test]
    fn errors_point_into_the_string() {
        let error = Pipeline::parse("inline, mem3reg").expect_err("no such pass");
        assert_eq!(error.column, 9);
        assert_eq!(
            error.to_string(),
            "pipeline, column 9: unknown pass 'mem3reg'; the passes are inline, unreachable-blocks, mem2reg, lower-sync\n  \
             inline, mem3reg\n          ^"
        );
    }
}
