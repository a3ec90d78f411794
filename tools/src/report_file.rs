//! `--report FILE`: the report as a file for people. The ending of its name says what it is.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::failure::Failure;
use crate::input;
use crate::lanes::text::{Canvas, draw};
use crate::lanes::{Lanes, svg, visible};
use crate::page::{self, Details};
use crate::report::Report;

/// What a report can be written as: the ending of the file's name, what it is, and who writes it.
type Form = (&'static str, &'static str, fn(&Report, &Details) -> String);

/// All of them.
const FORMS: [Form; 3] = [
    ("html", "a page", page::draw),
    ("svg", "the lanes of the threads as a drawing", |report, _| svg::draw(report)),
    ("txt", "the lanes as text", |report, _| text(report)),
];

/// A file for a report.
#[derive(Clone, Debug)]
pub struct ReportFile {
    path: PathBuf,
    write: fn(&Report, &Details) -> String,
}

impl FromStr for ReportFile {
    type Err = String;

    /// If the ending of the name says no form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let path = PathBuf::from(text);
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let form = FORMS.iter().find(|(ending, ..)| extension.eq_ignore_ascii_case(ending));
        let Some((.., write)) = form else {
            let known: Vec<String> =
                FORMS.iter().map(|(ending, what, _)| format!("'.{ending}' ({what})")).collect();
            return Err(format!(
                "the ending of a report's name says what it is: {}",
                known.join(", ")
            ));
        };
        Ok(Self { path, write: *write })
    }
}

/// The name of a file for a C program.
///
/// # Errors
/// If it is no such name.
pub fn c_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.extension().is_none_or(|extension| extension != "c") {
        return Err("it is a C program: its name ends in '.c'".to_owned());
    }
    Ok(path)
}

impl ReportFile {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a report, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, report: &Report, details: &Details) -> Result<(), Failure> {
        input::write(Some(&self.path), (self.write)(report, details).as_bytes())
    }
}

/// The executions that a report has, each with the assertion that it fails.
pub(crate) fn executions(report: &Report) -> Vec<(String, &[crate::report::Step])> {
    let results = report.results.iter().flatten();
    let all = results.filter_map(|result| {
        let steps = result.trace.as_deref()?;
        Some((format!("Failed assertion at {}: {}", result.place, result.text), steps))
    });
    let all: Vec<_> = all.collect();
    if !all.is_empty() {
        return all;
    }
    let Some(steps) = report.trace.as_deref() else { return Vec::new() };
    let failed = match &report.failed_assertion {
        Some(failed) if failed.place.line != 0 => {
            format!("Failed assertion at {}: {}", failed.place, failed.text)
        }
        Some(failed) => format!("Failed assertion: {}", failed.text),
        None => String::new(),
    };
    vec![(failed, steps)]
}

/// The lanes of all executions of a report, and what each fails.
#[must_use]
pub fn lanes(report: &Report, canvas: Canvas) -> String {
    let executions = executions(report).into_iter();
    let drawn = executions.map(|(failed, steps)| {
        format!("{}{}\n", draw(&Lanes::new(steps), canvas), visible(&failed))
    });
    let results = report.results.iter().flatten();
    let results = results.map(|result| {
        let verdict = result.verdict.replace('_', " ");
        visible(&format!("{}  {verdict}  {}", result.place, result.text)) + "\n"
    });
    drawn.chain(results).collect()
}

/// The lanes, and the verdict.
fn text(report: &Report) -> String {
    let lanes = lanes(report, Canvas::default());
    format!("{lanes}{}\n{}\n", report.circumstances(), report.verdict.line())
}
