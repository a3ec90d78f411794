//! Programs as arguments: C sources or modules, to a module.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions};
use sapa_frontend::goto_binary;
use sapa_ir::goto::{Atomicity, Module, SignedOverflow, verify};

use crate::input;
use crate::verdict::Exit;

/// `--atomicity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AtomicityArgument {
    /// A visible access.
    Access,
    /// A C statement.
    Statement,
}

/// `--signed-overflow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverflowArgument {
    /// It wraps.
    Wrap,
    /// It does not occur.
    Absent,
}

/// What a program is read from, and how.
#[derive(Debug, clap::Args)]
pub struct SourceArguments {
    /// C files (preprocessed ones end in .i) or CBMC goto binaries (raw, in ELF or Mach-O files, in archives), linked together, or one .gir or .girb module; '-' is the standard input.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// What one step of a thread is: a visible access (default), or a C statement.
    #[arg(long, value_enum)]
    pub atomicity: Option<AtomicityArgument>,
    /// What signed overflow does: wrap (default), or not occur.
    #[arg(long, value_enum)]
    pub signed_overflow: Option<OverflowArgument>,
    /// Name of the entry function of C programs and goto binaries (default: main).
    #[arg(long)]
    pub entry: Option<String>,
    /// Define a macro (NAME or NAME=VALUE).
    #[arg(short = 'D', value_name = "MACRO")]
    pub define: Vec<String>,
    /// Search a folder for headers.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Predicates to start with: a file with one per line, in C over globals and 'function::variable'.
    #[arg(long, value_name = "FILE")]
    pub predicates: Option<PathBuf>,
}

impl SourceArguments {
    /// Reads the program; warnings go to the standard error.
    ///
    /// # Errors
    /// The exit code, after the messages were printed.
    pub fn load(&self) -> Result<Module, Exit> {
        let mut module = match self.module()? {
            Some(module) => module,
            None => self.compile()?,
        };
        match self.signed_overflow {
            Some(OverflowArgument::Wrap) => module.signed_overflow = SignedOverflow::Wrap,
            Some(OverflowArgument::Absent) => module.signed_overflow = SignedOverflow::Absent,
            None => {}
        }
        Ok(module)
    }

    /// What is in goto binaries, for people.
    ///
    /// # Errors
    /// The exit code, after the messages were printed.
    pub fn list(&self) -> Result<String, Exit> {
        let mut text = String::new();
        for path in &self.files {
            let (bytes, name) = (input::read(path)?, input::name(path));
            let binaries = goto_binary::binaries(&name, &bytes).and_then(|found| {
                found
                    .iter()
                    .map(|part| goto_binary::read(&part.name, part.bytes, part.offset))
                    .collect::<Result<Vec<_>, _>>()
            });
            match binaries {
                Ok(binaries) => binaries.iter().for_each(|b| text.push_str(&goto_binary::list(b))),
                Err(error) => {
                    eprintln!("error: {error}");
                    return Err(Exit::BadInput);
                }
            }
        }
        Ok(text)
    }

    /// Adds the predicates of `--predicates` to a module. To be called when the
    /// passes have run: names are those of the thread functions.
    ///
    /// # Errors
    /// The exit code, after the messages were printed.
    pub fn add_predicates(&self, module: &mut Module) -> Result<(), Exit> {
        add_predicates(module, self.predicates.as_deref())
    }

    /// The module, if the one input is in text or binary form.
    fn module(&self) -> Result<Option<Module>, Exit> {
        let [path] = self.files.as_slice() else { return Ok(None) };
        let named = path.extension().is_some_and(|e| e == "gir" || e == "girb");
        if !named && !input::is_standard(path) {
            return Ok(None);
        }
        let bytes = input::read(path)?;
        if !named && !input::is_module(&bytes) {
            return self.compile_standard(&bytes).map(Some);
        }
        let module = input::module(&bytes, path)?;
        let fixed = match module.atomicity {
            Atomicity::Access => AtomicityArgument::Access,
            Atomicity::Statement => AtomicityArgument::Statement,
        };
        if self.atomicity.is_some_and(|wanted| wanted != fixed) {
            eprintln!("error: --atomicity is a matter of the C frontend: the module has another");
            return Err(Exit::Usage);
        }
        Ok(Some(module))
    }

    fn options(&self) -> sapa_frontend::Options {
        let defines = self.define.iter().map(|d| PreprocessorArgument::Define(d.into()));
        let includes = self.include.iter().map(|i| PreprocessorArgument::Include(i.into()));
        sapa_frontend::Options {
            preprocessor: PreprocessorOptions {
                arguments: defines.chain(includes).collect(),
                compiler: None,
            },
            entry: self.entry.clone(),
            atomicity: match self.atomicity {
                Some(AtomicityArgument::Statement) => Atomicity::Statement,
                _ => Atomicity::Access,
            },
        }
    }

    fn compile(&self) -> Result<Module, Exit> {
        compiled(sapa_frontend::compile(&self.files, &self.options()))
    }

    /// C or a goto binary from the standard input.
    fn compile_standard(&self, bytes: &[u8]) -> Result<Module, Exit> {
        compiled(sapa_frontend::compile_bytes("<stdin>", bytes, &self.options()))
    }
}

/// The module that the frontend made, verified; its words are printed.
fn compiled(
    result: Result<sapa_frontend::Compiled, Vec<sapa_frontend::diagnostic::Diagnostic>>,
) -> Result<Module, Exit> {
    let module = match result {
        Ok(compiled) => {
            compiled.warnings.iter().for_each(|warning| eprintln!("{warning}"));
            compiled.module
        }
        Err(diagnostics) => {
            diagnostics.iter().for_each(|diagnostic| eprintln!("{diagnostic}"));
            return Err(Exit::BadInput);
        }
    };
    verify(&module).map_err(|errors| {
        eprintln!("internal error: the frontend wrote an unsound module:\n{errors}");
        Exit::Internal
    })?;
    Ok(module)
}

/// Adds the predicates of a file to a module.
///
/// # Errors
/// The exit code, after the messages were printed.
pub fn add_predicates(module: &mut Module, path: Option<&Path>) -> Result<(), Exit> {
    let Some(path) = path else { return Ok(()) };
    let bytes = input::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    match sapa_frontend::predicates::parse(module, &text, &input::name(path)) {
        Ok(predicates) => {
            for predicate in predicates {
                if !module.predicates.iter().any(|p| p.expression == predicate.expression) {
                    module.predicates.push(predicate);
                }
            }
            Ok(())
        }
        Err(errors) => {
            errors.iter().for_each(|error| eprintln!("{error}"));
            Err(Exit::BadInput)
        }
    }
}
