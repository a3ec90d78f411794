//! `sapa.toml`: what is said of a program beside its sources, in place of a command line
//! (`docs/configuration.md`).
//!
//! A key is an option of the command by its long name, so that there is one list of them; further keys are the
//! `files`, and the options of the compiler (`defines` and others). What the file says becomes words of the command
//! line that stand before the user's, but for options that the user gives: these win. Clap then reads all of them.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::compiler;
use crate::failure::{Failure, Message};
use crate::input;
use crate::source::POSIX;
use crate::statements::Statements;

/// The name of the file, where the command line names none.
pub const NAME: &str = "sapa.toml";

/// The option that names another file; commands that have it can be configured.
const OPTION: &str = "config";

/// The key, and the argument of commands, for the inputs.
const FILES: &str = "files";

/// The option that leaves out what has the command write files.
const NO_PRODUCTS: &str = "no-products";

/// Options that are no keys.
const NO_KEYS: [&str; 5] = [OPTION, NO_PRODUCTS, compiler::OPTION, "help", "version"];

/// Keys that have the command write files: who only opens a source in an editor did not ask for it.
const PRODUCTS: [&str; 5] = ["certificate", "dump-dir", "output", "report", "reproducer"];

/// Options whose value is words with commas between, which may be a list.
const WITH_COMMAS: [&str; 2] = ["property", "passes"];

/// The keys for the options of the compiler.
const COMPILER: [(&str, Compiler); 4] = [
    ("defines", Compiler::Define),
    ("undefines", Compiler::Undefine),
    ("include-paths", Compiler::Include),
    ("compiler-options", Compiler::Words),
];

/// What a key says to the compiler.
#[derive(Clone, Copy, Debug)]
enum Compiler {
    /// `-D`, of words `NAME` or `NAME=VALUE`, or of a table from names to values.
    Define,
    /// `-U`
    Undefine,
    /// `-I`, of folders.
    Include,
    /// Words as they stand on command lines.
    Words,
}

/// The words of a command line with those of the configuration, if the command has one and the command line
/// names it, or names no files and there is a `sapa.toml` in this folder or the nearest one above.
///
/// # Errors
/// The configuration cannot be read, has an unknown key, or a value that is none of its key.
pub fn configured(tool: &Command, words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let tool = lenient(tool);
    // What is wrong with the command line is said when all of it is known.
    let Ok(given) = tool.clone().try_get_matches_from(&words) else { return Ok(words) };
    let Some((name, given)) = given.subcommand() else { return Ok(words) };
    let Some(command) = tool.find_subcommand(name).filter(|command| is_configured(command)) else {
        return Ok(words);
    };
    let has_files = given.get_many::<PathBuf>(FILES).is_some_and(|files| files.len() > 0);
    let path = match given.get_one::<PathBuf>(OPTION) {
        Some(path) => path.clone(),
        None if has_files => return Ok(words),
        None => match nearest() {
            Some(path) => path,
            None => return Ok(words),
        },
    };
    let at = words.iter().position(|word| word == name).map_or(words.len(), |at| at + 1);
    let (before, after) = words.split_at(at);
    let file = Configuration::read(&path)?;
    let found = file.words(command, given, has_files)?;
    Ok([before, &found, after].concat())
}

/// The nearest configuration of a folder: in it, or in one above.
#[must_use]
pub fn nearest_to(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// What a configuration is about, for who does not check it.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The inputs.
    pub files: Vec<PathBuf>,
    /// Its keys.
    pub keys: Vec<String>,
}

impl Outline {
    /// The outline of a configuration; empty where something is wrong with it, which who checks it says.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let Ok(file) = Configuration::read(path) else { return Self::default() };
        let Ok(table) = DeTable::parse(&file.text) else { return Self::default() };
        let mut outline = Self::default();
        for (key, value) in table.into_inner() {
            let name: &str = key.get_ref();
            if name == FILES {
                let names = file.strings(name, &value).unwrap_or_default();
                outline.files = names.iter().map(|name| file.path(name)).collect();
            }
            outline.keys.push(name.to_owned());
        }
        outline
    }
}

fn is_configured(command: &Command) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(OPTION))
}

/// A tool whose commands that have a configuration require nothing on the command line.
fn lenient(tool: &Command) -> Command {
    let names: Vec<String> = tool
        .get_subcommands()
        .filter(|c| is_configured(c))
        .map(|c| c.get_name().to_owned())
        .collect();
    names.into_iter().fold(tool.clone(), |tool, name| {
        tool.mut_subcommand(name, |command| command.mut_args(|argument| argument.required(false)))
    })
}

/// The path of the nearest `sapa.toml`, of this folder or one above.
pub(crate) fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut up = PathBuf::new();
    for folder in here.ancestors() {
        if folder.join(NAME).is_file() {
            return Some(up.join(NAME));
        }
        up.push("..");
    }
    None
}

/// A configuration that was read.
struct Configuration {
    path: PathBuf,
    text: String,
}

impl Configuration {
    fn read(path: &Path) -> Result<Self, Failure> {
        let text = String::from_utf8(input::read(path)?).map_err(|error| {
            let text = format!("is not UTF-8, which TOML is written in: {}", error.utf8_error());
            Failure::bad_input([Message::error(text).in_file(&input::name(path))])
        })?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// An error at a part of the text.
    fn error(&self, span: Range<usize>, text: String) -> Failure {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.len() - start + 1;
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let name = input::name(&self.path);
        let sources = &mut Statements::of(&name, self.text.as_bytes());
        let message = Message::error(text).at(&name, number(line), number(column), sources);
        Failure::bad_input([message])
    }

    /// A path that is meant from the folder of the configuration.
    fn path(&self, path: &str) -> PathBuf {
        if path == "-" {
            return path.into();
        }
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// The words that it stands for: options, then files.
    fn words(
        &self,
        command: &Command,
        given: &ArgMatches,
        has_files: bool,
    ) -> Result<Vec<OsString>, Failure> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            self.error(span, error.message().replace('\n', ", "))
        })?;
        let (mut words, mut files) = (Vec::new(), Vec::new());
        // In the order of the text, and not of the names.
        let mut entries: Vec<_> = table.into_inner().into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name: &str = key.get_ref();
            if name == FILES {
                for file in self.strings(name, &value)? {
                    // A name that begins with a dash is no option.
                    let path = self.path(&file);
                    let is_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
                    let path =
                        if is_option && file != "-" { Path::new(".").join(path) } else { path };
                    files.push(path.into_os_string());
                }
            } else if let Some((_, kind)) = COMPILER.iter().find(|(known, _)| *known == name) {
                words.extend(self.of_compiler(*kind, name, &value)?);
            } else if let Some(option) = option(command, name) {
                if PRODUCTS.contains(&name) && has_no_products(given) {
                    continue;
                }
                let values = self.of_option(command, option, &value)?;
                if !is_given(command, given, option) {
                    words.extend(values);
                }
            } else {
                let text = format!("unknown key '{name}'; expected one of {}", keys(command));
                return Err(self.error(key.span(), text));
            }
        }
        if !has_files {
            words.extend(files);
        }
        Ok(words)
    }

    /// What is wrong with the value of a key.
    fn expected(&self, key: &str, what: &str, value: &Spanned<DeValue<'_>>) -> Failure {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number with decimals",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(value.span(), format!("'{key}': expected {what}, found {found}"))
    }

    /// A string, or a list of them.
    fn strings(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Failure> {
        let of = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::String(text) => Ok(text.clone().into_owned()),
            _ => Err(self.expected(key, "a string or a list of strings", value)),
        };
        match value.get_ref() {
            DeValue::Array(values) => values.iter().map(of).collect(),
            _ => Ok(vec![of(value)?]),
        }
    }

    /// Options of the compiler.
    fn of_compiler(
        &self,
        kind: Compiler,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<OsString>, Failure> {
        let mut words: Vec<OsString> = Vec::new();
        match (kind, value.get_ref()) {
            (Compiler::Define, DeValue::Table(names)) => {
                for (name, value) in names {
                    let text = match value.get_ref() {
                        DeValue::Boolean(true) => format!("-D{}", name.get_ref()),
                        DeValue::Integer(_) | DeValue::String(_) => {
                            format!(
                                "-D{}={}",
                                name.get_ref(),
                                scalar(value.get_ref()).unwrap_or_default()
                            )
                        }
                        _ => {
                            let what = "a string, an integer, or true (for a name without value)";
                            return Err(self.expected(key, what, value));
                        }
                    };
                    words.push(text.into());
                }
            }
            (kind, _) => {
                let prefix = match kind {
                    Compiler::Define => "-D",
                    Compiler::Undefine => "-U",
                    Compiler::Include => "-I",
                    Compiler::Words => "",
                };
                let given = self.strings(key, value)?;
                words.extend(
                    given.into_iter().map(|text| OsString::from(prefix.to_owned() + &text)),
                );
            }
        }
        let wrong =
            |error: compiler::CompilerError| self.error(value.span(), format!("'{key}': {error}"));
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let marked = compiler::collect(words).map_err(wrong)?;
        marked.into_iter().map(|word| compiler::placed(word, folder).map_err(wrong)).collect()
    }

    /// An option of the command, as words.
    fn of_option(
        &self,
        command: &Command,
        option: &Arg,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<OsString>, Failure> {
        let key = option.get_long().unwrap_or_default();
        if let ArgAction::SetTrue = option.get_action() {
            return match value.get_ref() {
                DeValue::Boolean(true) => Ok(vec![format!("--{key}").into()]),
                DeValue::Boolean(false) => Ok(Vec::new()),
                _ => Err(self.expected(key, "true or false", value)),
            };
        }
        let is_path = option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let texts: Vec<(String, Range<usize>)> = match value.get_ref() {
            DeValue::Array(values) if WITH_COMMAS.contains(&key) => {
                let words = values.iter().map(|value| match value.get_ref() {
                    DeValue::String(text) => Ok(text.clone().into_owned()),
                    _ => Err(self.expected(key, "a string", value)),
                });
                vec![(words.collect::<Result<Vec<_>, _>>()?.join(","), value.span())]
            }
            DeValue::Array(values) if matches!(option.get_action(), ArgAction::Append) => values
                .iter()
                .map(|value| Ok((self.text(key, is_path, value)?, value.span())))
                .collect::<Result<_, Failure>>()?,
            _ => vec![(self.text(key, is_path, value)?, value.span())],
        };
        let mut words = Vec::new();
        for (text, span) in texts {
            let is_path = is_path || key == "property" && text.ends_with(".prp");
            let mut word = OsString::from(format!("--{key}="));
            if is_path && !(key == "stubs" && text == POSIX) {
                word.push(self.path(&text));
            } else {
                word.push(&text);
            }
            if let Some(expected) = refusal(command, &word) {
                return Err(self
                    .error(span, format!("'{key}': '{text}' is none of its values: {expected}")));
            }
            words.push(word);
        }
        Ok(words)
    }

    /// One value of an option, as text.
    fn text(
        &self,
        key: &str,
        is_path: bool,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<String, Failure> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.clone().into_owned()),
            number if !is_path => {
                scalar(number).ok_or_else(|| self.expected(key, "a string or a number", value))
            }
            _ => Err(self.expected(key, "a string, the name of a file or folder", value)),
        }
    }
}

/// The option of a command that a key names.
fn option<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    if NO_KEYS.contains(&key) {
        return None;
    }
    command.get_arguments().find(|argument| argument.get_long() == Some(key))
}

/// All keys of a command.
fn keys(command: &Command) -> String {
    let options = command.get_arguments().filter_map(Arg::get_long);
    let options = options.filter(|name| !NO_KEYS.contains(name));
    let mut names: Vec<&str> =
        options.chain([FILES]).chain(COMPILER.iter().map(|(name, _)| *name)).collect();
    names.sort_unstable();
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        // Nothing fails that is written to a string.
        let _ = write!(text, "{}'{name}'", if index == 0 { "" } else { ", " });
    }
    text
}

/// Whether the command line has an option, or another one that it does not go with: it wins.
fn is_given(command: &Command, given: &ArgMatches, option: &Arg) -> bool {
    let by_user = |argument: &Arg| {
        given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let is_list = matches!(option.get_action(), ArgAction::Append);
    let conflicts = command.get_arguments().filter(|other| {
        let mut with = command.get_arg_conflicts_with(other).into_iter();
        with.any(|argument| argument.get_id() == option.get_id())
    });
    !is_list && by_user(option)
        || command.get_arg_conflicts_with(option).into_iter().any(by_user)
        || conflicts.into_iter().any(by_user)
}

/// Whether the command line leaves out what has the command write files.
fn has_no_products(given: &ArgMatches) -> bool {
    // Not every command has the option.
    matches!(given.try_get_one::<bool>("no_products"), Ok(Some(true)))
}

/// What is expected where a command does not take a word.
fn refusal(command: &Command, word: &OsStr) -> Option<String> {
    let words = [OsStr::new(command.get_name()), word];
    let error = command.clone().try_get_matches_from(words).err()?;
    match error.kind() {
        ErrorKind::InvalidValue => {
            let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) else {
                return Some("expected another one".to_owned());
            };
            Some(format!("expected one of {}", values.join(", ")))
        }
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(&error).map(ToString::to_string);
            Some(why.unwrap_or_else(|| "expected another one".to_owned()))
        }
        // What else is wrong is a matter of all words together.
        _ => None,
    }
}

/// A number or a string, as a word of a command line.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .map(|number| number.to_string())
            .ok()
            .or_else(|| Some(number.as_str().to_owned())),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}
