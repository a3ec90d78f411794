//! JUnit XML, as continuous integration reads it: a suite for the run, and a test case for it, or with `--all` for each
//! assertion. What is not decided is an error, not skipped: a build must not pass because sapa gave up.

use std::io;

use super::xml::{Xml, document, element, leaf};
use super::{Context, Product};
use crate::input;
use crate::report::{Place, Report};
use crate::verdict::Exit;

/// How a test case ended.
enum Ended {
    Passed,
    /// What fails, and the execution.
    Failed(String, String),
    /// Why it is not known.
    Error(String),
    /// No run comes to it.
    Skipped,
}

/// A test case.
struct Case {
    name: String,
    place: Option<Place>,
    property: Option<&'static str>,
    ended: Ended,
}

/// Writes a report.
///
/// # Errors
/// None that is known.
pub fn write(report: &Report, context: &Context) -> Product {
    let cases = cases(report, context);
    let count = |which: fn(&Ended) -> bool| {
        cases.iter().filter(|case| which(&case.ended)).count().to_string()
    };
    let tests = cases.len().to_string();
    let failures = count(|ended| matches!(ended, Ended::Failed(..)));
    let errors = count(|ended| matches!(ended, Ended::Error(_)));
    let skipped = count(|ended| matches!(ended, Ended::Skipped));
    let counts: [(&str, &str); 4] =
        [("tests", &tests), ("failures", &failures), ("errors", &errors), ("skipped", &skipped)];
    let name = inputs(context);
    let began = context.began.text();
    let seconds = report.statistics.as_ref().map(|statistics| statistics.seconds);
    let seconds = seconds.filter(|_| context.began.is_real).map(|seconds| format!("{seconds:.3}"));
    document(|xml| {
        let mut attributes = vec![("name", "sapa")];
        attributes.extend(counts);
        element(xml, "testsuites", &attributes, |xml| {
            let mut attributes = vec![("name", name.as_str())];
            attributes.extend(counts);
            attributes.push(("timestamp", began.trim_end_matches('Z')));
            attributes.extend(seconds.as_deref().map(|seconds| ("time", seconds)));
            element(xml, "testsuite", &attributes, |xml| {
                properties(xml, report)?;
                let time = seconds.as_deref().filter(|_| cases.len() == 1);
                cases.iter().try_for_each(|case| case.write(xml, &name, time, report.verdict))?;
                // Without a verdict sapa prints none.
                let verdict = if report.is_verdict() { report.verdict.line() } else { "" };
                let words = format!("{}\n{verdict}", report.circumstances());
                let words = format!("{}\n", words.trim_end());
                leaf(xml, "system-out", &[], &words)
            })
        })
    })
}

/// The names of the inputs.
fn inputs(context: &Context) -> String {
    let names: Vec<String> = context.files.iter().map(|file| input::name(file)).collect();
    names.join(" ")
}

fn properties(xml: &mut Xml, report: &Report) -> io::Result<()> {
    let mut all = vec![("sapa", report.sapa), ("verdict", report.verdict.word())];
    all.extend(report.memory_model.map(|model| ("memory-model", model)));
    let checked = report.properties.as_ref().map(|asked| asked.checked.join(" "));
    all.extend(checked.as_deref().map(|names| ("checked", names)));
    element(xml, "properties", &[], |xml| {
        all.iter().try_for_each(|(name, value)| {
            leaf(xml, "property", &[("name", name), ("value", value)], "")
        })
    })
}

/// The test cases: at least one.
fn cases(report: &Report, context: &Context) -> Vec<Case> {
    let why = || match &report.reason {
        Some(reason) => reason.text.clone(),
        None => "not known".to_owned(),
    };
    let whole = |ended| {
        let failed = report.failed_assertion.as_ref();
        let name = failed.map_or_else(|| inputs(context), |failed| failed.text.clone());
        let place = failed.map(|failed| failed.place.clone());
        Case { name, place, property: failed.and_then(|failed| failed.property), ended }
    };
    match (report.verdict, report.results.as_deref()) {
        (Exit::Successful | Exit::Failed | Exit::Inconclusive, Some(results))
            if !results.is_empty() =>
        {
            let cases = results.iter().map(|result| Case {
                name: result.text.clone(),
                place: Some(result.place.clone()),
                property: Some(result.property),
                ended: match result.verdict {
                    "fails" => {
                        let trace = result.trace.as_deref().unwrap_or_default();
                        Ended::Failed(result.text.clone(), crate::trace::text(trace))
                    }
                    "proved" => Ended::Passed,
                    "not_reached" => Ended::Skipped,
                    _ => Ended::Error(why()),
                },
            });
            cases.collect()
        }
        (Exit::Successful, _) => vec![whole(Ended::Passed)],
        (Exit::Failed, _) => {
            let text = report.failed_assertion.as_ref().map_or("", |failed| failed.text.as_str());
            vec![whole(Ended::Failed(text.to_owned(), report.trace_text.clone()))]
        }
        _ => vec![whole(Ended::Error(why()))],
    }
}

impl Case {
    fn write(
        &self,
        xml: &mut Xml,
        suite: &str,
        time: Option<&str>,
        verdict: Exit,
    ) -> io::Result<()> {
        let open = if verdict == Exit::Failed { Exit::Inconclusive } else { verdict };
        let place = self.place.as_ref().filter(|place| place.line != 0);
        let name = match place {
            Some(place) => match place.column {
                Some(column) => format!("{place}:{column}: {}", self.name),
                None => format!("{place}: {}", self.name),
            },
            None => self.name.clone(),
        };
        let class = match (place.and_then(|place| place.function.as_deref()), self.property) {
            (Some(function), Some(property)) => format!("{property}.{function}"),
            (None, Some(property)) => property.to_owned(),
            _ => suite.to_owned(),
        };
        let line = place.map(|place| place.line.to_string());
        let mut attributes = vec![("name", name.as_str()), ("classname", class.as_str())];
        attributes.extend(place.map(|place| ("file", place.file.as_str())));
        attributes.extend(line.as_deref().map(|line| ("line", line)));
        attributes.extend(time.map(|time| ("time", time)));
        let kind = self.property.unwrap_or("assertions");
        match &self.ended {
            Ended::Passed => leaf(xml, "testcase", &attributes, ""),
            Ended::Failed(text, trace) => element(xml, "testcase", &attributes, |xml| {
                leaf(xml, "failure", &[("message", text), ("type", kind)], trace)
            }),
            Ended::Error(why) => element(xml, "testcase", &attributes, |xml| {
                leaf(xml, "error", &[("message", why), ("type", open.word())], "")
            }),
            Ended::Skipped => element(xml, "testcase", &attributes, |xml| {
                leaf(xml, "skipped", &[("message", "no run comes to it")], "")
            }),
        }
    }
}
