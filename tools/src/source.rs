//! Programs as arguments: C sources or modules, to a module.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
use sapa_frontend::Compiled;
use sapa_frontend::c::preprocess::PreprocessorOptions;
use sapa_frontend::diagnostic::Diagnostic;
use sapa_frontend::goto_binary;
use sapa_ir::goto::{Atomicity, Module, SignedOverflow, verify};
use sapa_limits::{Limits, Phase};

use crate::compiler::{self, CompilerOption};
use crate::failure::{Failure, Message};
use crate::input;
use crate::statements::{STANDARD_INPUT, Statements};
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

/// `--allocations` and `--thread-creation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutcomeArgument {
    /// It succeeds.
    Succeed,
    /// It may fail.
    MayFail,
}

/// What a program is read from, and how.
#[derive(Debug, clap::Args)]
pub struct SourceArguments {
    /// C files (preprocessed ones end in .i) or CBMC goto binaries (raw, in ELF or Mach-O files, in archives), linked together, or one .gir or .girb module, or for 'sapa check' one Boolean program (.bp); '-' is the standard input.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// What one step of a thread is: a visible access (default), or a C statement.
    #[arg(long, value_enum)]
    pub atomicity: Option<AtomicityArgument>,
    /// What signed overflow does: wrap (default), or not occur.
    #[arg(long, value_enum)]
    pub signed_overflow: Option<OverflowArgument>,
    /// Whether malloc and its kin succeed (default, and the verdict says so), or may return null.
    #[arg(long, value_enum)]
    pub allocations: Option<OutcomeArgument>,
    /// Whether pthread_create and thrd_create succeed (default, and the verdict says so), or may return an error and start nothing.
    #[arg(long, value_enum)]
    pub thread_creation: Option<OutcomeArgument>,
    /// Name of the entry function of C programs and goto binaries (default: main).
    #[arg(long)]
    pub entry: Option<String>,
    /// An option of the C compiler; those of a build line are known without '--cc=' too. The preprocessor is told -DNAME[=VALUE], -UNAME, -IFOLDER, -isystem FOLDER, -include FILE, -std=STANDARD, -pedantic and their like; -W…, -O…, -g…, -f…, -l…, -c and others change nothing; what would change the machine or the language (-m32, -funsigned-char, -fopenmp) is refused.
    #[arg(long = compiler::OPTION, value_name = "OPTION", allow_hyphen_values = true, value_parser = OsStringValueParser::new().try_map(CompilerOption::parse))]
    pub compiler: Vec<CompilerOption>,
    /// Predicates to start with: a file with one per line, in C over globals and 'function::variable'.
    #[arg(long, value_name = "FILE")]
    pub predicates: Option<PathBuf>,
}

impl SourceArguments {
    /// Reads the program, as long as the limits hold.
    ///
    /// # Errors
    /// What is wrong with the input, or that a limit ended it.
    pub fn load(&self, limits: &Limits) -> Result<Loaded, Failure> {
        let mut loaded = match self.module(limits)? {
            Some(loaded) => loaded,
            None => self.compile(limits)?,
        };
        let module = &mut loaded.module;
        match self.signed_overflow {
            Some(OverflowArgument::Wrap) => module.signed_overflow = SignedOverflow::Wrap,
            Some(OverflowArgument::Absent) => module.signed_overflow = SignedOverflow::Absent,
            None => {}
        }
        Ok(loaded)
    }

    /// What is in goto binaries, for people.
    ///
    /// # Errors
    /// What is wrong with the input.
    pub fn list(&self, limits: &Limits) -> Result<String, Failure> {
        let mut text = String::new();
        for path in &self.files {
            let (bytes, name) = (input::read_within(path, limits)?, input::name(path));
            let _phase = limits.enter(Phase::Parsing);
            let binaries = goto_binary::binaries(&name, &bytes).and_then(|found| {
                found
                    .iter()
                    .map(|part| goto_binary::read(&part.name, part.bytes, part.offset))
                    .collect::<Result<Vec<_>, _>>()
            });
            let binaries = binaries
                .map_err(|error| Failure::bad_input([Message::error(error.to_string())]))?;
            binaries.iter().for_each(|b| text.push_str(&goto_binary::list(b)));
        }
        Ok(text)
    }

    /// Adds the predicates of `--predicates` to a module. To be called when the
    /// passes have run: names are those of the thread functions.
    ///
    /// # Errors
    /// What is wrong with the input.
    pub fn add_predicates(&self, module: &mut Module) -> Result<(), Failure> {
        add_predicates(module, self.predicates.as_deref())
    }

    /// The module, if the one input is in text or binary form.
    fn module(&self, limits: &Limits) -> Result<Option<Loaded>, Failure> {
        let [path] = self.files.as_slice() else { return Ok(None) };
        let named = path.extension().is_some_and(|e| e == "gir" || e == "girb");
        if !named && !input::is_standard(path) {
            return Ok(None);
        }
        let bytes = input::read_within(path, limits)?;
        if !named && !input::is_module(&bytes) {
            let loaded = self.compile_standard(&bytes, limits)?;
            return Ok(Some(Loaded { standard_input: Some(bytes), ..loaded }));
        }
        let parsing = limits.enter(Phase::Parsing);
        let module = input::module(&bytes, path)?;
        drop(parsing);
        let fixed = match module.atomicity {
            Atomicity::Access => AtomicityArgument::Access,
            Atomicity::Statement => AtomicityArgument::Statement,
        };
        if self.atomicity.is_some_and(|wanted| wanted != fixed) {
            return Err(Failure::usage(
                "--atomicity is a matter of the C frontend: the module has another",
            ));
        }
        for (option, given) in
            [("--allocations", self.allocations), ("--thread-creation", self.thread_creation)]
        {
            if given.is_some() {
                return Err(Failure::usage(format!(
                    "{option} is a matter of the C frontend: give the module's C sources"
                )));
            }
        }
        Ok(Some(Loaded { module, warnings: Vec::new(), standard_input: None }))
    }

    fn options(&self, limits: &Limits) -> sapa_frontend::Options {
        let arguments = self.compiler.iter().filter_map(CompilerOption::argument);
        sapa_frontend::Options {
            preprocessor: PreprocessorOptions {
                arguments: arguments.cloned().collect(),
                compiler: None,
            },
            entry: self.entry.clone(),
            may_fail: sapa_frontend::MayFail {
                allocations: self.allocations == Some(OutcomeArgument::MayFail),
                thread_creation: self.thread_creation == Some(OutcomeArgument::MayFail),
            },
            atomicity: match self.atomicity {
                Some(AtomicityArgument::Statement) => Atomicity::Statement,
                _ => Atomicity::Access,
            },
            limits: limits.clone(),
        }
    }

    fn compile(&self, limits: &Limits) -> Result<Loaded, Failure> {
        compiled(sapa_frontend::compile(&self.files, &self.options(limits)), None, limits)
    }

    /// C or a goto binary from the standard input.
    fn compile_standard(&self, bytes: &[u8], limits: &Limits) -> Result<Loaded, Failure> {
        let result = sapa_frontend::compile_bytes(STANDARD_INPUT, bytes, &self.options(limits));
        compiled(result, Some(bytes), limits)
    }
}

/// A program, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub module: Module,
    /// The frontend's warnings, to be shown.
    pub warnings: Vec<Message>,
    /// The source that was read from the standard input, to be quoted.
    pub standard_input: Option<Vec<u8>>,
}

/// The module that the frontend made, verified.
fn compiled(
    result: Result<Compiled, Vec<Diagnostic>>,
    standard_input: Option<&[u8]>,
    limits: &Limits,
) -> Result<Loaded, Failure> {
    if let (Err(_), Some(stopped)) = (&result, limits.stopped()) {
        return Err(Failure::stopped(stopped));
    }
    let mut sources = Statements::new(standard_input);
    let mut words = |words: &[Diagnostic]| -> Vec<Message> {
        words.iter().map(|word| Message::of_diagnostic(word, &mut sources)).collect()
    };
    let compiled = result.map_err(|errors| Failure::bad_input(words(&errors)))?;
    let (module, warnings) = (compiled.module, words(&compiled.warnings));
    let _phase = limits.enter(Phase::Verifying);
    verify(&module).map_err(|errors| {
        let when = "the frontend wrote an unsound module";
        let messages = Message::of_unsound(when, &module, &errors, &mut sources);
        Failure { exit: Exit::Internal, messages }
    })?;
    Ok(Loaded { module, warnings, standard_input: None })
}

/// Adds the predicates of a file to a module.
///
/// # Errors
/// What is wrong with the input.
pub fn add_predicates(module: &mut Module, path: Option<&Path>) -> Result<(), Failure> {
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
            let mut sources = Statements::of(&input::name(path), &bytes);
            let number = |number: usize| u32::try_from(number).unwrap_or(0);
            Err(Failure::bad_input(errors.iter().map(|e| {
                let (line, column) = (number(e.line), number(e.column));
                Message::error(&e.message).at(&e.file, line, column, &mut sources)
            })))
        }
    }
}
