//! The frontend of sapa: programs come in, goto modules go out.
//!
//! - [`c`]: C sources, from the preprocessor to the syntax tree and its lowering.
//! - [`goto_binary`]: CBMC's goto binaries.
//! - `lower`: what both share, from typed values of C to the goto IR, and the
//!   models of the threads library.
//! - [`compile`]: the whole way for a list of files.
//! - [`predicates`]: files of predicates.
//! - [`position`], [`diagnostic`]: places in sources, errors and warnings.
//! - [`stack`]: a stack deep enough to walk trees.

pub mod c;
pub mod data_model;
pub mod diagnostic;
pub mod goto_binary;
mod lower;
pub mod position;
pub mod predicates;
pub mod stack;

use std::io::Read;
use std::path::{Path, PathBuf};

use sapa_ir::goto::{Atomicity, Module};
use sapa_limits::{Limits, Phase};

use c::preprocess::{
    PreprocessError, PreprocessedSource, PreprocessorArgument, PreprocessorOptions, SourceInput,
    preprocess, preprocess_text,
};
use data_model::{DataModel, Machine};
use diagnostic::{Diagnostic, Severity};
use lower::program::{Part, Unit};
pub use lower::{Outside, UnknownFunctions};

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the preprocessor is told: definitions and search paths.
    pub preprocessor: PreprocessorOptions,
    /// Name of the entry function; `main` if `None`.
    pub entry: Option<String>,
    /// What one step of a thread is.
    pub atomicity: Atomicity,
    /// How long to go on. Where this ends the compilation, the last error says so, and
    /// [`Limits::stopped`] knows it.
    pub limits: Limits,
    /// What is outside the program.
    pub outside: Outside,
    /// C files with stubs: functions that are taken where the program has none of their names.
    pub stubs: Vec<PathBuf>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The module.
    pub module: Module,
    /// Warnings, in order.
    pub warnings: Vec<Diagnostic>,
}

/// An input, read.
enum Input {
    C(Source),
    Stubs(Source),
    Goto(Vec<goto_binary::Binary>),
}

/// A C source, read.
struct Source {
    parsed: c::parser::Parsed,
    machine: Machine,
}

/// Reads, lowers and links files: C sources, or goto binaries in any container.
/// `-` is the standard input.
///
/// # Errors
/// Everything that is wrong with them, in order; the list may hold warnings too.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let mut inputs = Vec::new();
    let mut found = Vec::new();
    for file in files {
        match read(file, options) {
            Ok(input) => inputs.push(input),
            Err(errors) => found.extend(errors),
        }
    }
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    lower_inputs(inputs, options).map_err(|errors| [found, errors].concat())
}

fn lower_inputs(mut inputs: Vec<Input>, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    for file in &options.stubs {
        match read(file, options)? {
            Input::C(source) => inputs.push(Input::Stubs(source)),
            Input::Stubs(_) | Input::Goto(_) => {
                let message = format!("{}: stubs are C files, and this is none", file.display());
                return Err(vec![Diagnostic::new(Severity::Error, None, message)]);
            }
        }
    }
    let has_c = inputs.iter().any(|input| matches!(input, Input::C(_) | Input::Stubs(_)));
    let has_goto = inputs.iter().any(|input| matches!(input, Input::Goto(_)));
    if has_c && has_goto {
        let message = "C files and goto binaries are not linked together: compile the C files \
                       with goto-cc, or give all sources";
        return Err(vec![Diagnostic::new(Severity::Error, None, message)]);
    }
    let machines = inputs.iter().filter_map(|input| match input {
        Input::C(source) | Input::Stubs(source) => Some(&source.machine),
        Input::Goto(_) => None,
    });
    let agreed = data_model::agreed(machines).map_err(|error| vec![error])?;
    let lower_options = lower_options(options, agreed.model);
    let _phase = options.limits.enter(Phase::Lowering);
    // What runs on the deep stack, shares, and stays there.
    let lowered = stack::on_deep_stack(move || {
        let mut warnings = Vec::from_iter(agreed.warning);
        let mut units = Vec::new();
        for input in inputs {
            match input {
                Input::C(Source { parsed, .. }) => {
                    warnings.extend(parsed.warnings);
                    units.push(c::lower::unit(parsed.unit));
                }
                Input::Stubs(Source { parsed, .. }) => {
                    warnings.extend(parsed.warnings);
                    units.push(Unit { part: Part::Stubs, ..c::lower::unit(parsed.unit) });
                }
                Input::Goto(binaries) => units.extend(binaries.into_iter().map(goto_binary::unit)),
            }
        }
        match lower::link::lower(units, c::lower::library, &lower_options) {
            Ok((mut module, more)) => {
                warnings.extend(more);
                agreed.note.iter().for_each(|note| module.note(note));
                Ok(Compiled { module, warnings })
            }
            Err(errors) => {
                warnings.extend(errors);
                Err(warnings)
            }
        }
    });
    match lowered {
        Ok(result) => result,
        Err(error) => {
            let message = format!("cannot start a thread to compile in: {error}");
            Err(vec![Diagnostic::new(Severity::Error, None, message)])
        }
    }
}

/// Lowers one input from memory: C, which is preprocessed, or a goto binary.
///
/// # Errors
/// As [`compile`].
pub fn compile_bytes(
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> Result<Compiled, Vec<Diagnostic>> {
    let input = read_bytes(name, bytes, options)?;
    lower_inputs(vec![input], options)
}

/// Lowers goto binaries, linked together.
///
/// # Errors
/// As [`compile`].
pub fn compile_binaries(
    binaries: Vec<goto_binary::Binary>,
    options: &Options,
) -> Result<Compiled, Vec<Diagnostic>> {
    let lower_options = lower_options(options, DataModel::Lp64);
    let _phase = options.limits.enter(Phase::Lowering);
    let lowered = stack::on_deep_stack(move || {
        let units: Vec<Unit> = binaries.into_iter().map(goto_binary::unit).collect();
        lower::link::lower(units, c::lower::library, &lower_options)
    });
    match lowered {
        Ok(result) => result.map(|(module, warnings)| Compiled { module, warnings }),
        Err(error) => Err(vec![Diagnostic::new(Severity::Error, None, error.to_string())]),
    }
}

fn lower_options(options: &Options, model: DataModel) -> lower::Options {
    lower::Options {
        entry: options.entry.clone(),
        atomicity: options.atomicity,
        target: model.target(),
        limits: options.limits.clone(),
        outside: options.outside,
    }
}

/// Reads one input; what it is, its first bytes say.
fn read(file: &Path, options: &Options) -> Result<Input, Vec<Diagnostic>> {
    let fail = |message: String| vec![Diagnostic::new(Severity::Error, None, message)];
    if file == Path::new("-") {
        let _phase = options.limits.enter(Phase::Reading);
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| fail(format!("<stdin>: {error}")))?;
        return read_bytes("<stdin>", &bytes, options);
    }
    if starts_as_binary(file) {
        let name = file.display().to_string();
        let bytes = std::fs::read(file)
            .map_err(|source| PreprocessError::Read { name: name.clone(), source })
            .map_err(|error| fail(error.to_string()))?;
        return read_binaries(&name, &bytes, &options.limits);
    }
    if let Some(at) = null_byte(file) {
        return Err(fail(no_source(&file.display().to_string(), at)));
    }
    let input = SourceInput::from_argument(file);
    source(Some(file), input.is_preprocessed(), options, |preprocessor| {
        preprocess(&input, preprocessor, &options.limits)
    })
}

/// Reads a C source. One that shows that it was preprocessed for 32 bits before goes through the preprocessor for 32
/// bits, if through any.
fn source(
    file: Option<&Path>,
    is_preprocessed: bool,
    options: &Options,
    text: impl Fn(&PreprocessorOptions) -> Result<PreprocessedSource, PreprocessError>,
) -> Result<Input, Vec<Diagnostic>> {
    let read = |preprocessor: &PreprocessorOptions| {
        let source = text(preprocessor)
            .map_err(|error| vec![Diagnostic::new(Severity::Error, None, error.to_string())])?;
        let _phase = options.limits.enter(Phase::Parsing);
        c::parser::parse_within(&source.file_name, &source.text, &options.limits)
    };
    let preprocessor = &options.preprocessor;
    let mut parsed = read(preprocessor)?;
    let shown = DataModel::shown_as_32_bits(&parsed.unit);
    let said = preprocessor.data_model(file);
    let machine = match (said, shown) {
        (Some(said), shown) => Machine::Said(said, shown),
        (None, Some(shown)) => {
            if !is_preprocessed {
                let mut preprocessor = preprocessor.clone();
                let option = DataModel::Ilp32.option().into();
                preprocessor.arguments.push(PreprocessorArgument::Words(vec![option]));
                parsed = read(&preprocessor)?;
            }
            Machine::Shown(shown)
        }
        (None, None) if is_preprocessed => Machine::Unknown,
        (None, None) => Machine::Usual,
    };
    Ok(Input::C(Source { parsed, machine }))
}

fn read_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Input, Vec<Diagnostic>> {
    if goto_binary::is_goto_binary(bytes) {
        return read_binaries(name, bytes, &options.limits);
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(vec![Diagnostic::new(Severity::Error, None, no_source(name, at))]);
    }
    source(None, false, options, |preprocessor| {
        preprocess_text(name.to_owned(), bytes, preprocessor, &options.limits)
    })
}

/// Where the first null byte of a file is, if it has one near its start: compilers would report one
/// error a byte of what is no text. Nothing is read of what is no plain file, as it can be read once.
fn null_byte(file: &Path) -> Option<usize> {
    const START: u64 = 1 << 16;
    let opened = std::fs::File::open(file).ok()?;
    if !opened.metadata().is_ok_and(|data| data.is_file()) {
        return None;
    }
    let mut start = Vec::new();
    opened.take(START).read_to_end(&mut start).ok()?;
    start.iter().position(|&byte| byte == 0)
}

fn no_source(name: &str, at: usize) -> String {
    format!(
        "{name}: neither C nor a goto binary: byte {at} is 0, which no source has; give the \
         program's text, or what goto-cc made of it"
    )
}

/// Whether a file's first bytes are those of a goto binary or its container.
fn starts_as_binary(file: &Path) -> bool {
    let mut start = Vec::new();
    match std::fs::File::open(file) {
        Ok(opened) if !file.is_dir() => {
            opened.take(16).read_to_end(&mut start).is_ok() && goto_binary::is_goto_binary(&start)
        }
        _ => false,
    }
}

fn read_binaries(name: &str, bytes: &[u8], limits: &Limits) -> Result<Input, Vec<Diagnostic>> {
    let _phase = limits.enter(Phase::Parsing);
    let read = || -> Result<Vec<goto_binary::Binary>, goto_binary::ReadError> {
        let found = goto_binary::binaries(name, bytes)?;
        found
            .iter()
            .map(|part| goto_binary::read_within(&part.name, part.bytes, part.offset, limits))
            .collect()
    };
    read()
        .map(Input::Goto)
        .map_err(|error| vec![Diagnostic::new(Severity::Error, None, error.to_string())])
}
