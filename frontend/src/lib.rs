//! The frontend of sapa: programs come in, goto modules go out.
//!
//! - [`c`]: C sources, from the preprocessor to the syntax tree and its lowering.
//! - [`compile`]: the whole way for a list of files.
//! - [`predicates`]: files of predicates.

pub mod c;
pub mod predicates;

use std::path::PathBuf;

use sapa_ir::goto::{Atomicity, Module};

use c::diagnostic::{Diagnostic, Severity};
use c::preprocess::{PreprocessorOptions, SourceInput, preprocess};

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the preprocessor is told: definitions and search paths.
    pub preprocessor: PreprocessorOptions,
    /// Name of the entry function; `main` if `None`.
    pub entry: Option<String>,
    /// What one step of a thread is.
    pub atomicity: Atomicity,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The module.
    pub module: Module,
    /// Warnings, in order.
    pub warnings: Vec<Diagnostic>,
}

/// Preprocesses, parses, lowers and links C files. `-` is the standard input.
///
/// # Errors
/// Everything that is wrong with them, in order; the list may hold warnings too.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let mut units = Vec::new();
    let mut found = Vec::new();
    for file in files {
        match preprocess(&SourceInput::from_argument(file), &options.preprocessor) {
            Ok(source) => match c::parser::parse(&source.file_name, &source.text) {
                Ok(parsed) => {
                    found.extend(parsed.warnings);
                    units.push(parsed.unit);
                }
                Err(errors) => found.extend(errors),
            },
            Err(error) => found.push(Diagnostic::new(Severity::Error, None, error.to_string())),
        }
    }
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    let lower_options =
        c::lower::Options { entry: options.entry.clone(), atomicity: options.atomicity };
    let lowered = c::stack::on_deep_stack(|| c::lower::lower(units, &lower_options));
    match lowered {
        Ok(Ok((module, warnings))) => {
            found.extend(warnings);
            Ok(Compiled { module, warnings: found })
        }
        Ok(Err(errors)) => {
            found.extend(errors);
            Err(found)
        }
        Err(error) => {
            found.push(Diagnostic::new(
                Severity::Error,
                None,
                format!("cannot start a thread to compile in: {error}"),
            ));
            Err(found)
        }
    }
}
