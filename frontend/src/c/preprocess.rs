//! Reading C sources, through the system's preprocessor where that is needed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{env, thread};

use rustix::process::{Pid, Signal, kill_process_group};
use sapa_limits::{Exceeded, Limits, Phase, cleanup, memory};
use thiserror::Error;

use crate::data_model::DataModel;

/// What to tell the preprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreprocessorOptions {
    /// `-D`, `-U`, `-I` and others in the order of the command line, which matters.
    pub arguments: Vec<PreprocessorArgument>,
    /// The same for single files, by their names as they are given; they stand before those for all.
    pub of_files: BTreeMap<PathBuf, Vec<PreprocessorArgument>>,
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
    /// Words that it knows as they are, such as `-std=c99`, or `-include` and a file.
    Words(Vec<OsString>),
}

impl PreprocessorArgument {
    /// Whether it is about the language or the machine alone, and not about definitions and what is included.
    #[must_use]
    pub fn is_about_language(&self) -> bool {
        let Self::Words(words) = self else { return false };
        let is_such = |word: &str| {
            ["-std", "-ansi", "-pedantic", "-m"].iter().any(|option| word.starts_with(option))
        };
        words.iter().all(|word| word.to_str().is_some_and(is_such))
    }
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
    /// Whether it is preprocessed already, as the ending of its name says.
    #[must_use]
    pub fn is_preprocessed(&self) -> bool {
        match self {
            Self::Path(path) => path.extension().is_some_and(|extension| extension == "i"),
            Self::StandardInput => false,
        }
    }

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
    /// The run has to end.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
}

/// Reads a program and preprocesses it, unless it is a `.i` file.
///
/// # Errors
/// The file is missing, unreadable or a directory; the compiler is missing; or it reports errors,
/// which are relayed; or a limit ends the run, and with it the compiler.
pub fn preprocess(
    input: &SourceInput,
    options: &PreprocessorOptions,
    limits: &Limits,
) -> Result<PreprocessedSource, PreprocessError> {
    match input {
        SourceInput::StandardInput => {
            let file_name = "<stdin>".to_owned();
            let mut text = Vec::new();
            io::stdin()
                .lock()
                .read_to_end(&mut text)
                .map_err(|source| PreprocessError::Read { name: file_name.clone(), source })?;
            preprocess_text(file_name, &text, options, limits)
        }
        SourceInput::Path(path) => {
            let file_name = path.display().to_string();
            if input.is_preprocessed() {
                return Ok(PreprocessedSource { text: read(path, &file_name)?, file_name });
            }
            check_readable(path, &file_name)?;
            let of_file = options.of_files.get(path).map_or(&[][..], Vec::as_slice);
            let mut command = compiler_command(options, of_file);
            // A name that starts with a dash is no option.
            let argument =
                if path.is_relative() { Path::new(".").join(path) } else { path.clone() };
            let is_plain = !file_name.starts_with('-');
            command.arg(if is_plain { path.as_os_str() } else { argument.as_os_str() });
            let output = output(&mut command, None, limits);
            finish(file_name, output, &command)
        }
    }
}

/// Preprocesses a program that is in memory, as if it were read from the standard input.
///
/// # Errors
/// The compiler is missing, or it reports errors, which are relayed; or a limit ends the run.
pub fn preprocess_text(
    file_name: String,
    text: &[u8],
    options: &PreprocessorOptions,
    limits: &Limits,
) -> Result<PreprocessedSource, PreprocessError> {
    // The compiler would call it `<stdin>`, also in `__FILE__`.
    let escaped = file_name.replace('\\', "\\\\").replace('"', "\\\"");
    let marker = format!("#line 1 \"{escaped}\"\n");
    let mut command = compiler_command(options, &[]);
    command.arg("-");
    let output = output(&mut command, Some([marker.as_bytes(), text]), limits);
    finish(file_name, output, &command)
}

/// The files that preprocessing a C source opens, as the compiler spells them: the source, and all that it includes. What line markers
/// only claim is not among them. `text` is the source, if it is read from the standard input.
///
/// # Errors
/// As those of [`preprocess`].
pub fn dependencies(
    input: &SourceInput,
    text: &[u8],
    options: &PreprocessorOptions,
    limits: &Limits,
) -> Result<Vec<PathBuf>, PreprocessError> {
    let path = match input {
        SourceInput::Path(path) => Some(path),
        SourceInput::StandardInput => None,
    };
    let of_file = path.and_then(|path| options.of_files.get(path)).map_or(&[][..], Vec::as_slice);
    let mut command = compiler_command(options, of_file);
    command.args(["-M", "-MT", RULE]);
    let (name, output) = match path {
        Some(path) => {
            // A name that starts with a dash is no option.
            let relative = path.is_relative() && path.to_string_lossy().starts_with('-');
            command.arg(if relative { Path::new(".").join(path) } else { path.clone() });
            (path.display().to_string(), output(&mut command, None, limits))
        }
        None => {
            command.arg("-");
            ("<stdin>".to_owned(), output(&mut command, Some([text, &[]]), limits))
        }
    };
    Ok(of_rule(&finish(name, output, &command)?.text))
}

/// The target of a rule of make that is asked for.
const RULE: &str = "source";

/// The files of a rule of make: there are blanks between them, and a backslash stands before blanks and `#` of their names, a dollar before
/// a dollar.
fn of_rule(rule: &[u8]) -> Vec<PathBuf> {
    let rest = rule.strip_prefix(RULE.as_bytes()).and_then(|rest| rest.strip_prefix(b":"));
    let mut rest = rest.unwrap_or_default();
    let (mut files, mut name) = (Vec::new(), Vec::new());
    loop {
        let (byte, length) = match rest {
            [] => break,
            [b'\\', b'\n', ..] => (None, 2),
            [b'\\', escaped @ (b' ' | b'\t' | b'#'), ..] => (Some(*escaped), 2),
            [b'$', b'$', ..] => (Some(b'$'), 2),
            [byte, ..] => (Some(*byte).filter(|byte| !byte.is_ascii_whitespace()), 1),
        };
        match byte {
            Some(byte) => name.push(byte),
            None if name.is_empty() => {}
            None => files.push(PathBuf::from(OsString::from_vec(std::mem::take(&mut name)))),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    if !name.is_empty() {
        files.push(PathBuf::from(OsString::from_vec(name)));
    }
    files
}

/// Why a compiler has no output.
enum NoOutput {
    System(io::Error),
    Exceeded(Exceeded),
}

/// Time between two looks at the limits while the compiler works.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs a compiler, as long as the limits hold, with these texts as its standard input.
fn output(
    command: &mut Command,
    input: Option<[&[u8]; 2]>,
    limits: &Limits,
) -> Result<Output, NoOutput> {
    let _phase = limits.enter(Phase::Preprocessing);
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    // A group of its own, since the command only starts the programs that do the work: all have to
    // be killed.
    command.process_group(0).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, _cleanup) = cleanup::undone_by(
        || command.spawn(),
        |child| {
            let group = child.id();
            move || kill_group(group)
        },
    )
    .map_err(NoOutput::System)?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        // All directions at once, or full pipes would block each other. A compiler that stops
        // reading says why on its standard error.
        let write = move |mut stdin: ChildStdin| {
            input.into_iter().flatten().try_for_each(|text| stdin.write_all(text))
        };
        scope.spawn(move || pipes.0.map(write));
        let (done, is_done) = mpsc::channel();
        let read = |pipe: Option<Box<dyn Read + Send>>| {
            let done = done.clone();
            scope.spawn(move || {
                let mut bytes = Vec::new();
                let result = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
                // Nobody waits for it any more if the compiler was killed.
                let _ = done.send(());
                result.map(|_| bytes)
            })
        };
        let stdout = read(pipes.1.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
        let stderr = read(pipes.2.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
        let status = wait(&mut child, &is_done, limits);
        if status.is_err() {
            kill_group(child.id());
            // It is dead; what it would have said does not matter.
            let _ = child.wait();
        }
        let joined = |thread: thread::ScopedJoinHandle<'_, io::Result<Vec<u8>>>| {
            thread.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
        };
        let (stdout, stderr) = (joined(stdout), joined(stderr));
        let status = status?;
        // Who interrupts sapa by the keyboard need not know that there is a compiler.
        if !status.success() {
            limits.check().map_err(NoOutput::Exceeded)?;
        }
        Ok(Output {
            status,
            stdout: stdout.map_err(NoOutput::System)?,
            stderr: stderr.map_err(NoOutput::System)?,
        })
    })
}

/// Waits until a compiler has written all (each of its two outputs is reported when it ends) and
/// has ended.
fn wait(
    child: &mut Child,
    is_done: &mpsc::Receiver<()>,
    limits: &Limits,
) -> Result<ExitStatus, NoOutput> {
    let mut open = 2;
    while open > 0 {
        match is_done.recv_timeout(PAUSE) {
            Ok(()) => open -= 1,
            Err(RecvTimeoutError::Timeout) => check(child, limits)?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    loop {
        if let Some(status) = child.try_wait().map_err(NoOutput::System)? {
            return Ok(status);
        }
        check(child, limits)?;
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether the limits hold. What the compiler has in use counts as memory of the run.
fn check(child: &Child, limits: &Limits) -> Result<(), NoOutput> {
    if let Some(limit) = limits.memory() {
        let own = memory::resident().unwrap_or(0);
        if own.saturating_add(memory::resident_tree(child.id())) > limit {
            limits.stop(Exceeded::Memory);
        }
    }
    limits.check().map_err(NoOutput::Exceeded)
}

/// Kills a child and what it has started.
fn kill_group(child: u32) {
    if let Some(group) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        // It may have ended by itself.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn read(path: &Path, name: &str) -> Result<Vec<u8>, PreprocessError> {
    check_readable(path, name)?;
    fs::read(path).map_err(|source| PreprocessError::Read { name: name.to_owned(), source })
}

impl PreprocessorOptions {
    /// The data model that the compiler is told: by `CC`, by the options for one file, or by those for all; the last
    /// counts.
    #[must_use]
    pub fn data_model(&self, file: Option<&Path>) -> Option<DataModel> {
        let of_file = file.and_then(|file| self.of_files.get(file));
        let command = compiler_command(self, of_file.map_or(&[], Vec::as_slice));
        command.get_args().filter_map(DataModel::of_option).last()
    }
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

fn compiler_command(options: &PreprocessorOptions, of_file: &[PreprocessorArgument]) -> Command {
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
    // glibc's <ctype.h> would look into a table of its own, and with optimisation its headers define
    // functions that have models.
    let plain = ["-D__NO_CTYPE", "-D__NO_INLINE__"];
    command.args(words).args(["-E", "-x", "c"]).args(plain);
    for argument in of_file.iter().chain(&options.arguments) {
        let (option, value) = match argument {
            PreprocessorArgument::Define(definition) => ("-D", OsString::from(definition)),
            PreprocessorArgument::Undefine(name) => ("-U", OsString::from(name)),
            PreprocessorArgument::Include(directory) => ("-I", directory.into()),
            PreprocessorArgument::Words(words) => {
                command.args(words);
                continue;
            }
        };
        let mut joined = OsString::from(option);
        joined.push(value);
        command.arg(joined);
    }
    // Also where a build asks for it.
    command.arg("-U_FORTIFY_SOURCE");
    command
}

/// What is said where the system's headers are those of 64 bits only.
const FOR_32_BITS: &str = "\nnote: the system's headers for pointers of 32 bits are missing, as Debian's package \
                           libc6-dev-i386 has them; without it, give a preprocessed file, or --data-model LP64";

/// Whether one of the system's headers asks for another one that it has for 32 bits only.
fn lacks_headers_for_32_bits(command: &Command, message: &str) -> bool {
    let is_missing =
        message.contains("from /usr/include/") && message.contains("No such file or directory");
    is_missing && command.get_args().any(|argument| argument == "-m32")
}

fn finish(
    file_name: String,
    output: Result<Output, NoOutput>,
    command: &Command,
) -> Result<PreprocessedSource, PreprocessError> {
    let compiler = command.get_program().to_string_lossy().into_owned();
    let output = match output {
        Ok(output) => output,
        Err(NoOutput::System(source)) => return Err(PreprocessError::Start { compiler, source }),
        Err(NoOutput::Exceeded(exceeded)) => return Err(exceeded.into()),
    };
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        let mut message = if message.is_empty() { output.status.to_string() } else { message };
        if lacks_headers_for_32_bits(command, &message) {
            message.push_str(FOR_32_BITS);
        }
        return Err(PreprocessError::Failed { name: file_name, compiler, message });
    }
    Ok(PreprocessedSource { file_name, text: output.stdout })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_headers_for_32_bits_are_told_from_others() {
        let of = |options: &[&str], message: &str| {
            lacks_headers_for_32_bits(Command::new("cc").args(options), message)
        };
        let in_header = "In file included from /usr/include/features.h:392,\n/usr/include/features-time64.h:20:10: \
                         fatal error: bits/wordsize.h: No such file or directory";
        assert!(of(&["-E", "-m32"], in_header));
        assert!(!of(&["-E"], in_header));
        assert!(!of(&["-m32"], "a.c:1:10: fatal error: mine.h: No such file or directory"));
    }

    #[test]
    fn files_of_a_rule_have_their_names() {
        let names = |rule: &[u8]| -> Vec<String> {
            of_rule(rule).iter().map(|path| path.display().to_string()).collect()
        };
        let rule = b"source: a.c /usr/include/b\\ c.h \\\n  d$$.h e\\#.h\n";
        assert_eq!(names(rule), ["a.c", "/usr/include/b c.h", "d$.h", "e#.h"]);
        assert_eq!(names(b"source: a.c"), ["a.c"]);
        assert!(names(b"").is_empty());
    }

    #[test]
    fn what_a_line_marker_claims_is_not_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let header = write("in cluded.h", "int y;\n");
        write("claimed.c", "int z;\n");
        let main = write("a.c", "#include \"in cluded.h\"\n# 1 \"claimed.c\" 1\nint x;\n");
        let (options, limits) = (PreprocessorOptions::default(), Limits::default());
        let input = SourceInput::Path(main.clone());
        let found = dependencies(&input, b"", &options, &limits).expect("it is preprocessed");
        assert!(found.contains(&main) && found.contains(&header), "{found:?}");
        assert!(!found.iter().any(|path| path.ends_with("claimed.c")), "{found:?}");
        let text = b"#line 3 \"claimed.c\"\nint x;\n";
        let found = dependencies(&SourceInput::StandardInput, text, &options, &limits);
        let found = found.expect("it is preprocessed");
        assert!(!found.iter().any(|path| path.ends_with("claimed.c")));
    }
}
