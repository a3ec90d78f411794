//! Fences as patches of the sources.
//!
//! A patch is given only if the patched sources compile to the program with these fences that was
//! checked: whatever a source does with macros and control, a fence stands where it was proved to
//! help, or there is no patch.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sapa_driver::{Options, Program};
use sapa_frontend::c::preprocess::PreprocessorArgument;
use sapa_ir::goto::{Global, Location, Module};
use sapa_limits::cleanup;
use sapa_passes::transform::store_buffers::{self, Place};
use similar::TextDiff;
use thiserror::Error;

use crate::statements::Statements;

/// What a patch adds.
const FENCE: &str = "__sync_synchronize();";

/// Why there is no patch.
#[derive(Debug, Error)]
pub enum NoPatch {
    /// A store is not in a file of the command line, which is C.
    #[error("{0} is none of the C files that were given")]
    NotGiven(String),
    /// A store is in no statement behind which one can be added.
    #[error("no statement can be added behind {file}:{line}")]
    NoStatement {
        /// The file.
        file: String,
        /// The line of the store.
        line: u32,
    },
    /// With statements added the program is another one.
    #[error("statements behind these would not stand behind the stores alone")]
    Elsewhere,
    /// The patched sources could not be written to be compiled.
    #[error("the patched sources cannot be compiled: {0}")]
    System(#[from] io::Error),
}

/// Makes patches of a program's sources.
#[derive(Debug)]
pub struct Patcher<'p> {
    files: &'p [PathBuf],
    module: &'p Module,
    options: &'p Options,
    sources: Statements,
}

/// A fence in a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    /// Where the statement is, in bytes.
    from: usize,
    to: usize,
    /// Whether the statement is the body of another one, so that both need braces.
    braces: bool,
}

impl<'p> Patcher<'p> {
    /// A program that was compiled from these files with these options.
    #[must_use]
    pub fn new(files: &'p [PathBuf], module: &'p Module, options: &'p Options) -> Self {
        Self { files, module, options, sources: Statements::default() }
    }

    /// The patch that puts fences at places: a unified diff of all files that it changes.
    ///
    /// # Errors
    /// Why there is none.
    pub fn patch(&mut self, places: &BTreeSet<Place>) -> Result<String, NoPatch> {
        let mut edits: BTreeMap<PathBuf, BTreeSet<Edit>> = BTreeMap::new();
        for place in places {
            let (file, edit) = self.edit(*place)?;
            edits.entry(file).or_default().insert(edit);
        }
        let texts: BTreeMap<PathBuf, Vec<u8>> = edits
            .keys()
            .map(|path| (path.clone(), self.sources.text(&path.display().to_string()).to_vec()))
            .collect();
        let text = |path: &PathBuf| texts.get(path).map_or(&[][..], Vec::as_slice);
        let on_lines = edits.iter().map(|(path, edits)| (path, edited(text(path), edits, false)));
        self.compare(&on_lines.collect(), places)?;
        let mut out = String::new();
        for (path, edits) in &edits {
            let (old, new) = (text(path), edited(text(path), edits, true));
            let (Ok(old), Ok(new)) = (std::str::from_utf8(old), String::from_utf8(new)) else {
                return Err(NoPatch::NotGiven(format!("{}, as text,", path.display())));
            };
            let (a, b) = match path.is_absolute() {
                true => (path.display().to_string(), path.display().to_string()),
                false => (format!("a/{}", path.display()), format!("b/{}", path.display())),
            };
            let diff = TextDiff::from_lines(old, &new);
            out.push_str(&diff.unified_diff().header(&a, &b).to_string());
        }
        Ok(out)
    }

    /// Where a fence goes.
    fn edit(&mut self, place: Place) -> Result<(PathBuf, Edit), NoPatch> {
        let name = self.module.files.get(place.file.index()).map_or("?", String::as_str);
        let given = self.files.iter().find(|file| file.as_path() == Path::new(name));
        let Some(path) = given else { return Err(NoPatch::NotGiven(name.to_owned())) };
        let none = || NoPatch::NoStatement { file: name.to_owned(), line: place.line };
        let Range { start: from, end: to } =
            self.sources.at(name, place.line, place.column).range();
        let text = self.sources.text(name).get(from..to).unwrap_or_default();
        if !text.ends_with(b";") {
            return Err(none());
        }
        let before = self.sources.byte_before(name, from);
        let braces = !matches!(before, Some(b'{' | b'}' | b';'));
        Ok((path.clone(), Edit { from, to, braces }))
    }

    /// Whether sources, of which some are other texts now, are the program with fences at places.
    fn compare(
        &self,
        texts: &BTreeMap<&PathBuf, Vec<u8>>,
        places: &BTreeSet<Place>,
    ) -> Result<(), NoPatch> {
        let new = || tempfile::Builder::new().prefix("sapa-").tempdir();
        let (folder, _cleanup) = cleanup::undone_by(new, |folder| {
            let path = folder.path().to_owned();
            move || {
                // The system's folder for temporary files is cleared anyway.
                let _ = fs::remove_dir_all(path);
            }
        })?;
        let mut options = self.options.clone();
        let mut files = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let Some(text) = texts.get(file) else {
                files.push(file.clone());
                continue;
            };
            // One folder for each file, as two may have the same name.
            let copy = folder.path().join(number.to_string());
            fs::create_dir(&copy)?;
            let copy = copy.join(file.file_name().unwrap_or_default());
            let name = file.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
            fs::write(&copy, [format!("#line 1 \"{name}\"\n").as_bytes(), text].concat())?;
            if let Some(arguments) = options.preprocessor.of_files.get(file).cloned() {
                options.preprocessor.of_files.insert(copy.clone(), arguments);
            }
            files.push(copy);
            let here = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            let here = here.unwrap_or(Path::new(".")).as_os_str().to_owned();
            let words = vec!["-iquote".into(), here];
            options.preprocessor.arguments.push(PreprocessorArgument::Words(words));
        }
        let patched = Program::compile(&files, &options).map_err(|_| NoPatch::Elsewhere)?;
        let wanted = store_buffers::insert(self.module, places);
        match code(patched.module) == code(wanted) {
            true => Ok(()),
            false => Err(NoPatch::Elsewhere),
        }
    }
}

/// What a module does, without places in sources.
fn code(mut module: Module) -> String {
    let nowhere = Location::default();
    for Global { location, .. } in &mut module.globals {
        *location = nowhere;
    }
    for function in &mut module.functions {
        function.location = nowhere;
        for block in &mut function.blocks {
            block.instructions.iter_mut().for_each(|i| i.location = nowhere);
            block.terminator.location = nowhere;
        }
    }
    module.files = vec![String::new()];
    module.names = vec![String::new()];
    sapa_ir::goto::print(&module)
}

/// A source with fences: on lines of their own where statements end their lines, or each on the
/// line of its statement.
fn edited(text: &[u8], edits: &BTreeSet<Edit>, own_lines: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    for Edit { from, to, braces } in edits {
        out.extend_from_slice(text.get(at..*from).unwrap_or_default());
        let statement = text.get(*from..*to).unwrap_or_default();
        let rest = text.get(*to..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let ends_line = rest.get(..end).is_some_and(|rest| rest.trim_ascii().is_empty());
        if *braces {
            out.extend_from_slice(b"{ ");
            out.extend_from_slice(statement);
            out.extend_from_slice(format!(" {FENCE} }}").as_bytes());
        } else if own_lines && ends_line {
            let line = text.get(..*from).unwrap_or_default();
            let start = line.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let line = line.get(start..).unwrap_or_default();
            let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            out.extend_from_slice(statement);
            out.push(b'\n');
            out.extend_from_slice(line.get(..indent).unwrap_or_default());
            out.extend_from_slice(FENCE.as_bytes());
        } else {
            out.extend_from_slice(statement);
            out.extend_from_slice(format!(" {FENCE}").as_bytes());
        }
        at = *to;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    out
}
