//! Reading C sources, through the system's preprocessor where that is needed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::{env, thread};

use thiserror::Error;

/// What to tell the preprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreprocessorOptions {
    /// `-D`, `-U` and `-I` in the order of the command line, which matters.
    pub arguments: Vec<PreprocessorArgument>,
    /// The compiler; `None` takes the environment's `CC`, else `cc`.
    pub compiler: Option<OsString>,
}

/// One argument of the preprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreprocessorArgument {
    /// `-DNAME` or `-DNAME=VALUE`
    Define(String),
    /// `-UNAME`
    Undefine(String),
    /// `-IDIRECTORY`
    Include(PathBuf),
}

/// Where a C program comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceInput {
    /// A file; one whose name ends in `.i` is preprocessed already.
    Path(PathBuf),
    /// The standard input.
    StandardInput,
}

impl SourceInput {
    /// `-` is the standard input, all else a path.
    pub fn from_argument(argument: &Path) -> Self {
        if argument == Path::new("-") {
            Self::StandardInput
        } else {
            Self::Path(argument.to_owned())
        }
    }
}

/// Preprocessed text, ready for [`parse`](super::parser::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessedSource {
    /// The name for positions before the first line marker.
    pub file_name: String,
    /// The text, not necessarily UTF-8.
    pub text: Vec<u8>,
}

/// Why a source could not be read.
#[derive(Debug, Error)]
pub enum PreprocessError {
    /// The file cannot be opened or read.
    #[error("{name}: {source}")]
    Read {
        /// The file, or `<stdin>`.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// The path names a directory.
    #[error("{name}: is a directory, expected a C file")]
    Directory {
        /// The path.
        name: String,
    },
    /// The compiler cannot be run.
    #[error("cannot run the C compiler '{compiler}': {source}; set CC to another one")]
    Start {
        /// The compiler's name.
        compiler: String,
        /// What the system says.
        source: io::Error,
    },
    /// The preprocessor found errors.
    #[error("{name}: preprocessing with '{compiler} -E' failed\n{message}")]
    Failed {
        /// The file, or `<stdin>`.
        name: String,
        /// The compiler's name.
        compiler: String,
        /// What it wrote to its standard error.
        message: String,
    },
}

/// Reads a program and preprocesses it, unless it is a `.i` file.
///
/// # Errors
/// The file is missing, unreadable or a directory; the compiler is missing; or it reports errors,
/// which are relayed.
pub fn preprocess(
    input: &SourceInput,
    options: &PreprocessorOptions,
) -> Result<PreprocessedSource, PreprocessError> {
    match input {
        SourceInput::StandardInput => {
            let file_name = "<stdin>".to_owned();
            let mut text = Vec::new();
            io::stdin()
                .lock()
                .read_to_end(&mut text)
                .map_err(|source| PreprocessError::Read { name: file_name.clone(), source })?;
            preprocess_text(file_name, &text, options)
        }
        SourceInput::Path(path) => {
            let file_name = path.display().to_string();
            if path.extension().is_some_and(|extension| extension == "i") {
                return Ok(PreprocessedSource { text: read(path, &file_name)?, file_name });
            }
            check_readable(path, &file_name)?;
            let mut command = compiler_command(options);
            // A name that starts with a dash is no option.
            let argument =
                if path.is_relative() { Path::new(".").join(path) } else { path.clone() };
            let is_plain = !file_name.starts_with('-');
            command.arg(if is_plain { path.as_os_str() } else { argument.as_os_str() });
            let output = command.stdin(Stdio::null()).output();
            finish(file_name, output, &command)
        }
    }
}

/// Preprocesses a program that is in memory, as if it were read from the standard input.
///
/// # Errors
/// The compiler is missing, or it reports errors, which are relayed.
pub fn preprocess_text(
    file_name: String,
    text: &[u8],
    options: &PreprocessorOptions,
) -> Result<PreprocessedSource, PreprocessError> {
    // The compiler would call it `<stdin>`, also in `__FILE__`.
    let escaped = file_name.replace('\\', "\\\\").replace('"', "\\\"");
    let marker = format!("#line 1 \"{escaped}\"\n");
    let mut command = compiler_command(options);
    command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.spawn().and_then(|mut child| {
        let stdin = child.stdin.take();
        thread::scope(|scope| {
            // Both directions at once, or full pipes would block each other. A compiler that
            // stops reading says why on its standard error.
            let write = move |mut stdin: ChildStdin| {
                stdin.write_all(marker.as_bytes()).and_then(|()| stdin.write_all(text))
            };
            scope.spawn(move || stdin.map(write));
            child.wait_with_output()
        })
    });
    finish(file_name, output, &command)
}

fn read(path: &Path, name: &str) -> Result<Vec<u8>, PreprocessError> {
    check_readable(path, name)?;
    fs::read(path).map_err(|source| PreprocessError::Read { name: name.to_owned(), source })
}

fn check_readable(path: &Path, name: &str) -> Result<(), PreprocessError> {
    let metadata = fs::metadata(path)
        .and_then(
            |metadata| if metadata.is_dir() { Ok(metadata) } else { File::open(path)?.metadata() },
        )
        .map_err(|source| PreprocessError::Read { name: name.to_owned(), source })?;
    if metadata.is_dir() {
        return Err(PreprocessError::Directory { name: name.to_owned() });
    }
    Ok(())
}

fn compiler_command(options: &PreprocessorOptions) -> Command {
    let from_environment = || env::var_os("CC").filter(|compiler| !compiler.is_empty());
    let compiler = options.compiler.clone().or_else(from_environment);
    let compiler = compiler.unwrap_or_else(|| OsString::from("cc"));
    // As make does, `CC` may carry options: `gcc -m32`.
    let mut words = compiler
        .to_str()
        .map_or_else(Vec::new, |text| text.split_whitespace().map(OsString::from).collect());
    if words.is_empty() {
        words.push(compiler);
    }
    let mut words = words.into_iter();
    let mut command = Command::new(words.next().unwrap_or_else(|| OsString::from("cc")));
    command.args(words).args(["-E", "-x", "c"]);
    for argument in &options.arguments {
        let (option, value) = match argument {
            PreprocessorArgument::Define(definition) => ("-D", OsString::from(definition)),
            PreprocessorArgument::Undefine(name) => ("-U", OsString::from(name)),
            PreprocessorArgument::Include(directory) => ("-I", directory.into()),
        };
        let mut joined = OsString::from(option);
        joined.push(value);
        command.arg(joined);
    }
    command
}

fn finish(
    file_name: String,
    output: io::Result<Output>,
    command: &Command,
) -> Result<PreprocessedSource, PreprocessError> {
    let compiler = command.get_program().to_string_lossy().into_owned();
    let output = match output {
        Ok(output) => output,
        Err(source) => return Err(PreprocessError::Start { compiler, source }),
    };
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        let message = if message.is_empty() { output.status.to_string() } else { message };
        return Err(PreprocessError::Failed { name: file_name, compiler, message });
    }
    Ok(PreprocessedSource { file_name, text: output.stdout })
}
