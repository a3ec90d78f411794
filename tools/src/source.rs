//! Programs as arguments: C sources or modules, to a module.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::{OsStringValueParser, TypedValueParser};
use sapa_driver::{Options, PredicateFile, Program};
use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions};
use sapa_frontend::data_model::DataModel;
use sapa_frontend::goto_binary;
use sapa_frontend::{Outside, UnknownFunctions};
use sapa_ir::goto::{Atomicity, SignedOverflow};
use sapa_limits::{Limits, Phase};

use crate::compile_commands;
use crate::compiler::{self, CompilerOption};
use crate::failure::{Failure, Message};
use crate::input;
use crate::statements::{STANDARD_INPUT, Statements};

/// The word for the stubs that sapa has itself.
pub const POSIX: &str = "posix";

/// `--atomicity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AtomicityArgument {
    /// A visible access.
    Access,
    /// A C statement.
    Statement,
}

/// `--data-model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModelArgument {
    /// Pointers and 'long' have 32 bits.
    #[value(name = "ILP32")]
    Ilp32,
    /// Pointers and 'long' have 64 bits.
    #[value(name = "LP64")]
    Lp64,
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

/// `--unknown-functions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownArgument {
    /// It is an error.
    Refuse,
    /// They write anything to what their arguments lead to.
    Havoc,
    /// They return any value and change nothing.
    Pure,
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
    /// How wide pointers and 'long' are: 64 bits (LP64) or 32 (ILP32), as -m64 and -m32 say; default: as a preprocessed file shows that has 'size_t' as 32 bits, else 64.
    #[arg(long, value_enum, ignore_case = true)]
    pub data_model: Option<DataModelArgument>,
    /// What signed overflow does: wrap (default), or not occur, also in atomic operations, which C
    /// lets wrap.
    #[arg(long, value_enum)]
    pub signed_overflow: Option<OverflowArgument>,
    /// Whether malloc and its kin succeed (default, and the verdict says so), or may return null.
    #[arg(long, value_enum)]
    pub allocations: Option<OutcomeArgument>,
    /// Whether pthread_create and thrd_create succeed (default, and the verdict says so), or may return an error and start nothing.
    #[arg(long, value_enum)]
    pub thread_creation: Option<OutcomeArgument>,
    /// What a call of a function is that is not defined, not known, and takes a pointer: an error (refuse, default), any change of what its arguments lead to (havoc), or none (pure), as the verdict says.
    #[arg(long, value_enum)]
    pub unknown_functions: Option<UnknownArgument>,
    /// Functions for what the program calls and does not define: a C file, whose functions are taken where the program has none of their names, as the verdict says; or 'posix', models of input and output of POSIX ('open', 'stat', 'recv', …; docs/configuration.md).
    #[arg(long, value_name = "FILE|posix")]
    pub stubs: Vec<PathBuf>,
    /// Name of the entry function of C programs and goto binaries (default: main).
    #[arg(long)]
    pub entry: Option<String>,
    /// An option of the C compiler; those of a build line are known without '--cc=' too. The preprocessor is told -DNAME[=VALUE], -UNAME, -IFOLDER, -isystem FOLDER, -include FILE, -std=STANDARD, -pedantic and their like; -W…, -O…, -g…, -f…, -l…, -c and others change nothing; what would change the machine or the language (-mx32, -funsigned-char, -fopenmp) is refused.
    #[arg(long = compiler::OPTION, value_name = "OPTION", allow_hyphen_values = true, value_parser = OsStringValueParser::new().try_map(CompilerOption::parse))]
    pub compiler: Vec<CompilerOption>,
    /// Take the options of the C compiler for each C file from this database ('compile_commands.json', or the folder that it lies in), as CMake and others write it; those of the command line come after them.
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// Predicates to start with: a file with one per line, in C over globals and 'function::variable'.
    #[arg(long, value_name = "FILE")]
    pub predicates: Option<PathBuf>,
}

impl SourceArguments {
    /// What is said of a run here; the rest is at its defaults.
    ///
    /// # Errors
    /// If the file of predicates cannot be read.
    pub fn options(&self, limits: &Limits) -> Result<Options, Failure> {
        let model = self.data_model.map(|model| {
            let option = DataModel::from(model).option().into();
            PreprocessorArgument::Words(vec![option])
        });
        let arguments = self.compiler.iter().filter_map(CompilerOption::argument);
        let of_files = self
            .compile_commands
            .as_deref()
            .map(|path| compile_commands::options(path, &self.files));
        Ok(Options {
            preprocessor: PreprocessorOptions {
                arguments: arguments.cloned().chain(model).collect(),
                of_files: of_files.transpose()?.unwrap_or_default(),
                compiler: None,
            },
            entry: self.entry.clone(),
            outside: Outside {
                allocations_fail: self.allocations == Some(OutcomeArgument::MayFail),
                thread_creation_fails: self.thread_creation == Some(OutcomeArgument::MayFail),
                unknown_functions: match self.unknown_functions {
                    Some(UnknownArgument::Havoc) => UnknownFunctions::Havoc,
                    Some(UnknownArgument::Pure) => UnknownFunctions::Pure,
                    Some(UnknownArgument::Refuse) | None => UnknownFunctions::Refuse,
                },
                posix: self.stubs.iter().any(|stubs| stubs.as_os_str() == POSIX),
            },
            stubs: self.stubs.iter().filter(|stubs| stubs.as_os_str() != POSIX).cloned().collect(),
            atomicity: self.atomicity.map_or_else(Atomicity::default, Atomicity::from),
            signed_overflow: self.signed_overflow.map(SignedOverflow::from),
            predicates: self.predicates.as_deref().map(predicates).transpose()?,
            limits: limits.clone(),
            ..Options::default()
        })
    }

    /// Reads the program with the options that [`options`](Self::options) gives, as long as the
    /// limits hold.
    ///
    /// # Errors
    /// What is wrong with the input, or that a limit ended it.
    pub fn load(&self, options: &Options) -> Result<Loaded, Failure> {
        let compile = || {
            let program = Program::compile(&self.files, options)
                .map_err(|error| Failure::of(&error, &mut Statements::default()))?;
            Ok(Loaded { program, standard_input: None })
        };
        let [path] = self.files.as_slice() else { return compile() };
        let named = path.extension().is_some_and(|e| e == "gir" || e == "girb");
        if !named && !input::is_standard(path) {
            return compile();
        }
        let bytes = input::read_within(path, &options.limits)?;
        if !named && !input::is_module(&bytes) {
            let program = Program::compile_bytes(STANDARD_INPUT, &bytes, options)
                .map_err(|error| Failure::of(&error, &mut Statements::new(Some(&bytes))))?;
            return Ok(Loaded { program, standard_input: Some(bytes) });
        }
        let parsing = options.limits.enter(Phase::Parsing);
        let module = input::module(&bytes, path)?;
        drop(parsing);
        if self.atomicity.is_some_and(|wanted| Atomicity::from(wanted) != module.atomicity) {
            return Err(Failure::usage(
                "--atomicity is a matter of the C frontend: the module has another",
            ));
        }
        for (option, is_given) in [
            ("--data-model", self.data_model.is_some()),
            ("--allocations", self.allocations.is_some()),
            ("--thread-creation", self.thread_creation.is_some()),
            ("--unknown-functions", self.unknown_functions.is_some()),
            ("--stubs", !self.stubs.is_empty()),
        ] {
            if is_given {
                return Err(Failure::usage(format!(
                    "{option} is a matter of the C frontend: give the module's C sources"
                )));
            }
        }
        let program = Program::new(module, options)
            .map_err(|error| Failure::of(&error, &mut Statements::default()))?;
        Ok(Loaded { program, standard_input: None })
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
}

impl From<AtomicityArgument> for Atomicity {
    fn from(argument: AtomicityArgument) -> Self {
        match argument {
            AtomicityArgument::Access => Self::Access,
            AtomicityArgument::Statement => Self::Statement,
        }
    }
}

impl From<DataModelArgument> for DataModel {
    fn from(argument: DataModelArgument) -> Self {
        match argument {
            DataModelArgument::Ilp32 => Self::Ilp32,
            DataModelArgument::Lp64 => Self::Lp64,
        }
    }
}

impl From<OverflowArgument> for SignedOverflow {
    fn from(argument: OverflowArgument) -> Self {
        match argument {
            OverflowArgument::Wrap => Self::Wrap,
            OverflowArgument::Absent => Self::Absent,
        }
    }
}

/// A program, and the source that was read from the standard input, to be quoted.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// The source that was read from the standard input.
    pub standard_input: Option<Vec<u8>>,
}

/// A file of predicates.
///
/// # Errors
/// If it cannot be read.
pub fn predicates(path: &Path) -> Result<PredicateFile, Failure> {
    let text = String::from_utf8_lossy(&input::read(path)?).into_owned();
    Ok(PredicateFile { name: input::name(path), text })
}
