//! Options of the C compiler on our command lines, so that those of a build line can be copied.
//!
//! `-std=c11` and `-include FILE` are not how other options are written here, and their order
//! matters. So [`collect`] gathers them before the rest is parsed, and hands each on as `--cc=…`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use sapa_frontend::c::preprocess::PreprocessorArgument;
use thiserror::Error;

/// The option of ours that an option of the compiler is the value of.
pub const OPTION: &str = "cc";

/// An option of the compiler that cannot be taken.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CompilerError {
    /// Its value is missing.
    #[error("{option} needs a value: {option} {value}")]
    Value {
        /// The option.
        option: String,
        /// What it stands for.
        value: &'static str,
    },
    /// It would give the program another meaning.
    #[error("{option} is not supported: {why}; leave it out, or change the program")]
    Refused {
        /// The option.
        option: String,
        /// What it changes.
        why: &'static str,
    },
    /// It is none.
    #[error("'{0}' is no option of the C compiler that is known here")]
    Unknown(String),
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// The preprocessor is told.
    Passed,
    /// It changes nothing: warnings, optimisation, linking.
    Ignored,
    /// It would change what the program means: how.
    Refused(&'static str),
}
use Meaning::{Ignored, Passed, Refused};

/// Options with a value, which is written behind them or is the next word.
const WITH_VALUE: &[(&str, Meaning, &str)] = &[
    ("-isystem", Passed, "FOLDER"),
    ("-iquote", Passed, "FOLDER"),
    ("-idirafter", Passed, "FOLDER"),
    ("-include", Passed, "FILE"),
    ("-imacros", Passed, "FILE"),
    ("-isysroot", Passed, "FOLDER"),
    ("-D", Passed, "NAME[=VALUE]"),
    ("-U", Passed, "NAME"),
    ("-I", Passed, "FOLDER"),
    ("-MF", Ignored, "FILE"),
    ("-MT", Ignored, "TARGET"),
    ("-MQ", Ignored, "TARGET"),
    ("-L", Ignored, "FOLDER"),
    ("-l", Ignored, "LIBRARY"),
];

const TARGET: &str = "programs are read for Linux on x86 (-m32, -m64)";
const LAYOUT: &str = "it changes how objects lie in memory";
const FLOATS: &str = "floating-point numbers are computed as IEEE 754 says";

/// Options that are one whole word.
const WORDS: &[(&str, Meaning)] = &[
    ("-ansi", Passed),
    ("-pedantic", Passed),
    ("-pedantic-errors", Passed),
    ("-pthread", Passed),
    ("-nostdinc", Passed),
    ("-undef", Passed),
    ("-trigraphs", Passed),
    ("-c", Ignored),
    ("-w", Ignored),
    ("-pipe", Ignored),
    ("-pg", Ignored),
    ("-static", Ignored),
    ("-shared", Ignored),
    ("-rdynamic", Ignored),
    ("-nostdlib", Ignored),
    ("-M", Ignored),
    ("-MM", Ignored),
    ("-MD", Ignored),
    ("-MMD", Ignored),
    ("-MP", Ignored),
    ("-MG", Ignored),
    ("-m32", Passed),
    ("-m64", Passed),
    ("-ffast-math", Refused(FLOATS)),
    ("-fassociative-math", Refused(FLOATS)),
    ("-ffinite-math-only", Refused(FLOATS)),
    ("-fno-signed-char", Refused("'char' is signed")),
    ("-fno-signed-zeros", Refused(FLOATS)),
    ("-freciprocal-math", Refused(FLOATS)),
    ("-frounding-math", Refused(FLOATS)),
    ("-fshort-enums", Refused(LAYOUT)),
    ("-fshort-wchar", Refused(LAYOUT)),
    ("-fno-signed-bitfields", Refused("bit-fields of type 'int' are signed")),
    ("-funsigned-bitfields", Refused("bit-fields of type 'int' are signed")),
    ("-fsingle-precision-constant", Refused(FLOATS)),
    ("-ftrapv", Refused("signed integers wrap, or do not overflow (--signed-overflow absent)")),
    ("-funsafe-math-optimizations", Refused(FLOATS)),
    ("-funsigned-char", Refused("'char' is signed")),
];

/// Options by how they begin; the first that fits counts.
const BEGINNINGS: &[(&str, Meaning)] = &[
    ("-std=", Passed),
    ("-Wp,-M", Ignored),
    ("-Wp,", Passed),
    ("-W", Ignored),
    ("-Ofast", Refused(FLOATS)),
    // Macros tell programs about it.
    ("-O", Passed),
    ("-g", Ignored),
    ("-fpack-struct", Refused(LAYOUT)),
    ("-fsso-struct=", Refused(LAYOUT)),
    ("-fopenmp", Refused("OpenMP's threads are not modelled")),
    ("-fopenacc", Refused("OpenACC's threads are not modelled")),
    ("-fgnu-tm", Refused("transactional memory is not modelled")),
    ("-fexec-charset=", Refused("strings are UTF-8")),
    ("-fwide-exec-charset=", Refused("strings are UTF-32")),
    ("-finput-charset=", Passed),
    ("-f", Ignored),
    // What the machine has besides is asked for by macros; its instructions are not seen.
    ("-march=", Passed),
    ("-mtune=", Ignored),
    ("-msse", Passed),
    ("-mavx", Passed),
    ("-mcx16", Passed),
    ("-mpopcnt", Passed),
    ("-m", Refused(TARGET)),
];

/// The standards of C that GCC and Clang know.
const STANDARDS: &[&str] = &[
    "c89",
    "c90",
    "c99",
    "c9x",
    "c11",
    "c1x",
    "c17",
    "c18",
    "c23",
    "c2x",
    "gnu89",
    "gnu90",
    "gnu99",
    "gnu9x",
    "gnu11",
    "gnu1x",
    "gnu17",
    "gnu18",
    "gnu23",
    "gnu2x",
    "iso9899:1990",
    "iso9899:199409",
    "iso9899:1999",
    "iso9899:199x",
    "iso9899:2011",
    "iso9899:2017",
    "iso9899:2018",
    "iso9899:2024",
];

/// An option of the compiler, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerOption {
    /// What the preprocessor is told, if it is.
    argument: Option<PreprocessorArgument>,
}

impl CompilerOption {
    /// What the preprocessor is told, if it is.
    #[must_use]
    pub fn argument(&self) -> Option<&PreprocessorArgument> {
        self.argument.as_ref()
    }

    /// Reads an option with its value, as in `-DNAME`, `-include FILE` or `-Wall`.
    ///
    /// # Errors
    /// It is unknown, has no value, or changes what programs mean.
    pub fn parse(text: OsString) -> Result<Self, CompilerError> {
        let shown = || text.to_string_lossy().into_owned();
        let meaning = if let Some((option, meaning, what)) = with_value(&text) {
            let value = OsStr::from_bytes(text.as_bytes().get(option.len()..).unwrap_or(&[]));
            let value = without_blank(value);
            if value.is_empty() {
                return Err(CompilerError::Value { option: (*option).to_owned(), value: what });
            }
            if *meaning == Passed {
                let word = |text: &OsStr| text.to_string_lossy().into_owned();
                let argument = match *option {
                    "-D" => PreprocessorArgument::Define(word(value)),
                    "-U" => PreprocessorArgument::Undefine(word(value)),
                    "-I" => PreprocessorArgument::Include(value.into()),
                    option => PreprocessorArgument::Words(vec![option.into(), value.into()]),
                };
                return Ok(Self { argument: Some(argument) });
            }
            *meaning
        } else {
            meaning_of(&text).ok_or_else(|| CompilerError::Unknown(shown()))?
        };
        if let Some(standard) = text.to_str().and_then(|text| text.strip_prefix("-std="))
            && !STANDARDS.contains(&standard)
        {
            let why = "it names no standard of C, such as c89, gnu99, c11 or gnu17";
            return Err(CompilerError::Refused { option: shown(), why });
        }
        // Compilers let the preprocessor load plugins and write files so.
        if let (Passed, Some(words)) = (meaning, text.as_bytes().strip_prefix(b"-Wp,"))
            && !words.split(|byte| *byte == b',').all(is_of_macros)
        {
            let why = "of '-Wp,' only -D, -U and -I are taken";
            return Err(CompilerError::Refused { option: shown(), why });
        }
        match meaning {
            Refused(why) => Err(CompilerError::Refused { option: shown(), why }),
            Ignored => Ok(Self { argument: None }),
            Passed => Ok(Self { argument: Some(PreprocessorArgument::Words(vec![text])) }),
        }
    }
}

/// Marks the options of the compiler among the words of a command line: `-DX` becomes `--cc=-DX`,
/// `-include FILE` one word, `--cc=-include FILE`. Behind `--` stand files.
///
/// # Errors
/// An option that needs a value is the last word, or one would change what programs mean.
pub fn collect(words: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, CompilerError> {
    let mut words = words.into_iter();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            found.push(word);
            found.extend(words);
            break;
        }
        let mut option = OsString::from(format!("--{OPTION}="));
        option.push(&word);
        if let Some((name, _, value)) = with_value(&word) {
            if word == *name {
                let next = words
                    .next()
                    .ok_or(CompilerError::Value { option: (*name).to_owned(), value })?;
                option.push(" ");
                option.push(next);
            }
        } else if meaning_of(&word).is_none() {
            found.push(word);
            continue;
        }
        // What is wrong with it is said of the option as it stands on the command line.
        let written = option.as_bytes().get(OPTION.len() + 3..).unwrap_or(&[]);
        CompilerOption::parse(OsStr::from_bytes(written).to_owned())?;
        found.push(option);
    }
    Ok(found)
}

/// Whether a word is an option of the compiler, as [`collect`] marks it.
#[must_use]
pub fn is_marked(word: &OsStr) -> bool {
    let rest = word.as_bytes().strip_prefix(b"--").and_then(|r| r.strip_prefix(OPTION.as_bytes()));
    rest.is_some_and(|rest| rest.starts_with(b"="))
}

/// A word without the mark of [`collect`].
#[must_use]
pub fn unmarked(word: OsString) -> OsString {
    let is_marked = is_marked(&word);
    let rest = word.as_bytes().get(OPTION.len() + 3..).filter(|_| is_marked);
    rest.map_or_else(|| word.clone(), |rest| OsStr::from_bytes(rest).to_owned())
}

/// A word of [`collect`], whose file or folder is meant from a folder. A file that is not there is looked
/// for in the folders of headers, and stays as it is.
///
/// # Errors
/// The word is no option of the compiler.
pub fn placed(word: OsString, folder: &Path) -> Result<OsString, CompilerError> {
    let mark = format!("--{OPTION}=");
    let Some(option) = word.as_bytes().strip_prefix(mark.as_bytes()) else {
        return Err(CompilerError::Unknown(word.to_string_lossy().into_owned()));
    };
    let Some((name, Passed, kind)) = with_value(OsStr::from_bytes(option)) else { return Ok(word) };
    let value = without_blank(OsStr::from_bytes(option.get(name.len()..).unwrap_or(&[])));
    let path = folder.join(value);
    let is_placed = match *kind {
        "FOLDER" => !value.as_bytes().starts_with(b"="),
        "FILE" => path.exists(),
        _ => false,
    };
    if !is_placed {
        return Ok(word);
    }
    let mut placed = OsString::from(mark);
    placed.push(name);
    placed.push(" ");
    placed.push(path);
    Ok(placed)
}

/// Whether a word for the preprocessor defines or undefines a macro, or names a folder of headers.
fn is_of_macros(word: &[u8]) -> bool {
    [b"-D", b"-U", b"-I"]
        .iter()
        .any(|option| word.len() > option.len() && word.starts_with(*option))
}

/// The option with a value that a word is or begins with.
fn with_value(word: &OsStr) -> Option<&'static (&'static str, Meaning, &'static str)> {
    WITH_VALUE.iter().find(|(option, ..)| word.as_bytes().starts_with(option.as_bytes()))
}

fn meaning_of(word: &OsStr) -> Option<Meaning> {
    let whole = WORDS.iter().find(|(option, _)| word == *option);
    let beginning =
        || BEGINNINGS.iter().find(|(option, _)| word.as_bytes().starts_with(option.as_bytes()));
    whole.or_else(beginning).map(|(_, meaning)| *meaning)
}

/// A value without the blank that [`collect`] writes before it.
fn without_blank(value: &OsStr) -> &OsStr {
    OsStr::from_bytes(value.as_bytes().strip_prefix(b" ").unwrap_or(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(line: &str) -> Result<Vec<String>, CompilerError> {
        let words = collect(line.split(' ').map(OsString::from))?;
        Ok(words.iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn options_of_the_compiler_are_told_from_ours() {
        assert_eq!(
            collected("sapa check -O2 -DA -U B -include f.h -q -v --json -pthread a.c -- -Wall"),
            Ok([
                "sapa",
                "check",
                "--cc=-O2",
                "--cc=-DA",
                "--cc=-U B",
                "--cc=-include f.h",
                "-q",
                "-v",
                "--json",
                "--cc=-pthread",
                "a.c",
                "--",
                "-Wall"
            ]
            .map(str::to_owned)
            .to_vec())
        );
        let missing = collected("sapa-cc a.c -U").unwrap_err().to_string();
        assert_eq!(missing, "-U needs a value: -U NAME");
    }

    #[test]
    fn an_option_is_passed_ignored_or_refused() {
        let parsed = |text: &str| CompilerOption::parse(text.into()).map(|option| option.argument);
        assert_eq!(parsed("-D A=1"), Ok(Some(PreprocessorArgument::Define("A=1".to_owned()))));
        assert_eq!(parsed("-UA"), Ok(Some(PreprocessorArgument::Undefine("A".to_owned()))));
        let words = |words: &[&str]| {
            Ok(Some(PreprocessorArgument::Words(words.iter().map(|&word| word.into()).collect())))
        };
        assert_eq!(parsed("-include a b.h"), words(&["-include", "a b.h"]));
        assert_eq!(parsed("-std=gnu99"), words(&["-std=gnu99"]));
        assert_eq!(parsed("-Wp,-UA,-DA=2"), words(&["-Wp,-UA,-DA=2"]));
        for ignored in ["-Wall", "-Werror=format", "-ggdb", "-fno-common", "-lm"] {
            assert_eq!(parsed(ignored), Ok(None), "{ignored}");
        }
        for refused in [
            "-mx32",
            "-funsigned-char",
            "-std=c++17",
            "-std=",
            "-fopenmp",
            "-mabi=ms",
            "-Wp,-fplugin=a.so",
            "-Wp,-DA,-o,b.c",
            "-Wp,-D",
        ] {
            assert!(matches!(parsed(refused), Err(CompilerError::Refused { .. })), "{refused}");
        }
        assert!(matches!(parsed("-x"), Err(CompilerError::Unknown(_))));
        assert!(matches!(parsed("-D"), Err(CompilerError::Value { .. })));
    }
}
