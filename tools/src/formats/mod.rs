//! Files that `sapa check --output` writes for other tools: [`FORMATS`] lists the formats, one row each
//! (`docs/formats.md`). All are made from the finished [`Report`], so that they say what the verdict says.
//!
//! * [`sarif`] – SARIF 2.1.0, for editors and for services that review code;
//! * [`junit`] – JUnit XML, for whatever shows tests;
//! * [`witness`] – witnesses of SV-COMP, for validators;
//! * [`context`] – what of a run is in the files and not in the report.
//!
//! The verdict comes first: files are written when it is printed, and what goes wrong with them then is said and
//! changes no verdict. What can be known before the run to go wrong is a usage error ([`crate::products`]).

pub mod context;
pub mod junit;
pub mod sarif;
pub mod witness;
mod xml;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::products::Products;
use crate::report::Report;
use crate::{input, message};
pub use context::Context;

/// What is in a file, or why there is none, in words.
pub type Product = Result<String, String>;

/// A format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name on command lines.
    pub name: &'static str,
    /// The endings of files that are in it.
    pub extensions: &'static [&'static str],
    /// One line about it.
    pub summary: &'static str,
    /// Whether it is about C sources alone.
    pub is_of_sources: bool,
    /// The writer.
    pub write: fn(&Report, &Context) -> Product,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "sarif",
        extensions: &["sarif"],
        summary: "SARIF 2.1.0: failures with their executions, for editors and code review",
        is_of_sources: false,
        write: sarif::write,
    },
    Format {
        name: "junit",
        extensions: &["xml"],
        summary: "JUnit XML: a test case for the run, or with --all for each assertion",
        is_of_sources: false,
        write: junit::write,
    },
    Format {
        name: "graphml",
        extensions: &["graphml"],
        summary: "witness of a violation or of correctness, SV-COMP's format 1.0",
        is_of_sources: true,
        write: witness::graphml::write,
    },
    Format {
        name: "yaml",
        extensions: &["yml", "yaml"],
        summary: "the same in format 2.0, or 2.2 where there are several threads",
        is_of_sources: true,
        write: witness::yaml::write,
    },
    Format {
        name: "json",
        extensions: &["json"],
        summary: "the report that --json prints (docs/json.md)",
        is_of_sources: false,
        write: json,
    },
];

/// The formats, one a line, for help texts and messages.
#[must_use]
pub fn list() -> String {
    let mut text = "Formats of --output:".to_owned();
    for Format { name, extensions, summary, .. } in FORMATS {
        let endings: Vec<String> = extensions.iter().map(|ending| format!(".{ending}")).collect();
        // Writing to a text does not fail.
        let _ = write!(text, "\n  {name:<8} {:<11} {summary}", endings.join(" "));
    }
    text
}

fn json(report: &Report, _: &Context) -> Product {
    let text = serde_json::to_string(report).map_err(|error| error.to_string())?;
    Ok(format!("{text}\n"))
}

/// A file to write.
#[derive(Clone, Debug)]
pub struct Output {
    format: &'static Format,
    path: PathBuf,
}

impl Output {
    /// Reads `FORMAT=FILE`, or a file whose ending says the format.
    fn parse(text: &str) -> Result<Self, Failure> {
        let named = text.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        });
        let (name, file) = named.map_or((None, text), |(name, file)| (Some(name), file));
        let path = PathBuf::from(file);
        let extension = path.extension().and_then(|extension| extension.to_str());
        let format = FORMATS.iter().find(|format| match name {
            Some(name) => format.name == name,
            None => extension.is_some_and(|ending| format.extensions.contains(&ending)),
        });
        match (format, name) {
            (Some(format), _) if !file.is_empty() => Ok(Self { format, path }),
            (Some(_), _) => {
                Err(Failure::usage(format!("'--output {text}' names no file; give FORMAT=FILE")))
            }
            (None, Some(name)) => {
                Err(Failure::usage(format!("unknown format '{name}'\n{}", list())))
            }
            (None, None) => Err(Failure::usage(format!(
                "the ending of '{file}' says no format; give FORMAT=FILE\n{}",
                list()
            ))),
        }
    }
}

/// Files that are still to be written while the run goes on.
#[derive(Clone, Debug)]
pub struct SharedOutputs(Arc<Mutex<Outputs>>);

impl SharedOutputs {
    /// Before the run.
    #[must_use]
    pub fn new(outputs: Outputs) -> Self {
        Self(Arc::new(Mutex::new(outputs)))
    }

    fn outputs(&self) -> MutexGuard<'_, Outputs> {
        // What is changed is a value that is made before.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// [`Outputs::read`].
    pub fn read(&self, standard_input: Option<&[u8]>) {
        self.outputs().read(standard_input);
    }

    /// [`Outputs::write`].
    ///
    /// # Errors
    /// As there.
    pub fn write(&self, report: &Report) -> Result<(), Failure> {
        self.outputs().write(report)
    }
}

/// The files that a run is to write, and what they say besides its report.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    outputs: Vec<Output>,
    context: Context,
}

impl Outputs {
    /// Those that the command line asks for.
    ///
    /// # Errors
    /// If one has no format, or cannot be a product of the run.
    pub fn new(
        texts: &[String],
        context: Context,
        products: &mut Products,
    ) -> Result<Self, Failure> {
        let mut outputs: Vec<Output> = Vec::new();
        for text in texts {
            let output = Output::parse(text)?;
            let path = output.path.display();
            if output.format.is_of_sources
                && let Some(other) = context.not_source()
            {
                let name = output.format.name;
                return Err(Failure::usage(format!(
                    "'--output {name}={path}' is about C sources in files, and {other} is none"
                )));
            }
            products.add("--output", &output.path)?;
            outputs.push(output);
        }
        Ok(Self { outputs, context })
    }

    /// Takes what was read of the standard input, which places are quoted from.
    pub fn read(&mut self, standard_input: Option<&[u8]>) {
        self.context.standard_input = standard_input.map(<[u8]>::to_vec);
    }

    /// Writes all files of a run whose verdict is printed.
    ///
    /// # Errors
    /// Of those that cannot be written; the others are.
    pub fn write(&self, report: &Report) -> Result<(), Failure> {
        let mut failures = Vec::new();
        for Output { format, path } in &self.outputs {
            match (format.write)(report, &self.context) {
                Ok(text) => failures.extend(input::write(Some(path), text.as_bytes()).err()),
                Err(why) => {
                    message!("note: no {} is written to {}: {why}", format.name, path.display());
                }
            }
        }
        match failures.is_empty() {
            true => Ok(()),
            false => {
                Err(Failure::bad_input(failures.into_iter().flat_map(|failure| failure.messages)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::verdict::Exit;

    #[test]
    fn formats_are_told_by_name_or_by_the_ending() {
        for (text, name, path) in [
            ("a.sarif", "sarif", "a.sarif"),
            ("junit=a.sarif", "junit", "a.sarif"),
            ("./x=y.xml", "junit", "./x=y.xml"),
            ("sarif=a=b", "sarif", "a=b"),
        ] {
            let output = Output::parse(text).expect(text);
            assert_eq!((output.format.name, output.path.as_path()), (name, Path::new(path)));
        }
        for text in ["a.c", "nosuch=a.sarif", "sarif=", "", "x=y.xml"] {
            assert_eq!(Output::parse(text).expect_err(text).exit, Exit::Usage, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_known_before_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = |name: &str| folder.path().join(name).display().to_string();
        let new =
            |texts: &[String]| Outputs::new(texts, Context::default(), &mut Products::new([]));
        assert!(new(&[inside("a.sarif"), inside("a.xml")]).is_ok());
        assert!(!folder.path().join("a.sarif").exists());
        std::fs::create_dir(inside("b.xml")).expect("made");
        for texts in [
            vec![inside("a.sarif"), inside("a.sarif")],
            vec![inside("b.xml")],
            vec![inside("none/a.xml")],
            vec!["sarif=-".to_owned()],
        ] {
            assert_eq!(new(&texts).expect_err("it is none").exit, Exit::Usage, "{texts:?}");
        }
    }

    #[test]
    fn no_two_formats_have_a_name_or_an_ending_in_common() {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        let endings: Vec<&str> =
            FORMATS.iter().flat_map(|f| f.extensions.iter().copied()).collect();
        for list in [names, endings] {
            let different: std::collections::BTreeSet<_> = list.iter().collect();
            assert_eq!(different.len(), list.len(), "{list:?}");
        }
    }
}
