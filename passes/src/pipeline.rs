//! Pipelines: passes with options, as strings.
//!
//! ```text
//! pipeline ::= [ step { "," step } ]
//! step     ::= pipeline-name | name [ "{" [ option { "," option } ] "}" ]
//! option   ::= name [ "=" value ]
//! name, value ::= one or more letters, digits, "-", "_", "."
//! ```
//! Blanks may stand between all of these. The name of a pipeline, such as `default`, stands for its
//! passes.

use std::fmt;

use thiserror::Error;

use crate::default_pipeline::{DEFAULT_PIPELINE, NamedPipeline, PIPELINES};
use crate::option::Options;
use crate::pass::Pass;
use crate::transform::{PASSES, find};

/// A pass and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The pass.
    pub pass: Pass,
    /// Its options.
    pub options: Options,
}

/// Passes to run one after the other. What it prints, it parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The steps.
    pub steps: Vec<Step>,
}

/// What is wrong with a pipeline string, and where.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct PipelineError {
    /// Column in bytes, from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
    /// The whole string.
    pub text: String,
}

impl From<&NamedPipeline> for Pipeline {
    fn from(named: &NamedPipeline) -> Self {
        let steps = named.steps.iter().map(|step| Step::new(step.pass));
        Self { steps: steps.collect() }
    }
}

/// The pipeline of `sapa check`.
impl Default for Pipeline {
    fn default() -> Self {
        Self::from(&DEFAULT_PIPELINE)
    }
}

impl Step {
    /// A pass with its options at the defaults.
    #[must_use]
    pub fn new(pass: Pass) -> Self {
        Self { pass, options: Options::defaults(pass.options) }
    }
}

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    /// If it does not follow the grammar, or names an unknown pass, option or value.
    pub fn parse(text: &str) -> Result<Self, PipelineError> {
        let mut reader = Reader { text, position: 0 };
        let mut steps = Vec::new();
        if reader.peek().is_none() {
            return Ok(Self { steps });
        }
        loop {
            steps.extend(reader.steps()?);
            match reader.peek() {
                None => return Ok(Self { steps }),
                Some(',') => reader.skip(),
                Some(_) => return Err(reader.error("expected ',' or the end of the pipeline")),
            }
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or("")
    }

    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn skip(&mut self) {
        self.position += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    fn error(&self, message: impl Into<String>) -> PipelineError {
        self.error_at(self.position, message)
    }

    fn error_at(&self, position: usize, message: impl Into<String>) -> PipelineError {
        PipelineError {
            column: position + 1,
            message: message.into(),
            // One line, as long as it was.
            text: self.text.replace(['\n', '\r', '\t'], " "),
        }
    }

    fn word(&mut self, what: &str) -> Result<(usize, &'t str), PipelineError> {
        self.peek();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
        if word.is_empty() {
            return Err(self.error(format!("expected {what}")));
        }
        let start = self.position;
        self.position += word.len();
        Ok((start, word))
    }

    /// A pass, or the passes of a named pipeline.
    fn steps(&mut self) -> Result<Vec<Step>, PipelineError> {
        let (start, name) = self.word("the name of a pass")?;
        if let Some(named) = PIPELINES.iter().find(|named| named.name == name) {
            return Ok(Pipeline::from(named).steps);
        }
        let Some(pass) = find(name) else {
            let known: Vec<_> = PASSES.iter().map(|pass| pass.name).collect();
            let named: Vec<_> = PIPELINES.iter().map(|named| named.name).collect();
            let (known, named) = (known.join(", "), named.join(", "));
            let message =
                format!("unknown pass '{name}'; the passes are {known}, and the pipelines {named}");
            return Err(self.error_at(start, message));
        };
        let mut step = Step::new(*pass);
        if self.peek() == Some('{') {
            self.skip();
            self.options(pass, &mut step.options)?;
        }
        Ok(vec![step])
    }

    fn options(&mut self, pass: &Pass, options: &mut Options) -> Result<(), PipelineError> {
        if self.peek() == Some('}') {
            self.skip();
            return Ok(());
        }
        let mut given = vec![false; pass.options.len()];
        loop {
            let (start, name) = self.word("the name of an option")?;
            let Some(index) = pass.options.iter().position(|spec| spec.name == name) else {
                let known: Vec<_> = pass.options.iter().map(|spec| spec.name).collect();
                let known = match known.as_slice() {
                    [] => "it has none".to_owned(),
                    known => format!("its options are {}", known.join(", ")),
                };
                let message = format!("pass '{}' has no option '{name}'; {known}", pass.name);
                return Err(self.error_at(start, message));
            };
            if std::mem::replace(&mut given[index], true) {
                return Err(self.error_at(start, format!("option '{name}' is given twice")));
            }
            let mut at = start;
            let value = if self.peek() == Some('=') {
                self.skip();
                let (start, value) = self.word("a value")?;
                at = start;
                Some(value)
            } else {
                None
            };
            let kind = pass.options[index].kind;
            let Some(value) = kind.read(value) else {
                let message = format!("option '{name}' is {}", kind.describe());
                return Err(self.error_at(at, message));
            };
            options.set(index, value);
            match self.peek() {
                Some(',') => self.skip(),
                Some('}') => {
                    self.skip();
                    return Ok(());
                }
                _ => return Err(self.error("expected ',' or '}'")),
            }
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pass.name)?;
        let mut separator = "{";
        for (spec, value) in self.options.iter() {
            if value != spec.kind.default_value() {
                write!(f, "{separator}{}={value}", spec.name)?;
                separator = ",";
            }
        }
        f.write_str(if separator == "," { "}" } else { "" })
    }
}

/// Passes that are together those of a named pipeline are printed by its name.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<_> =
            PIPELINES.iter().map(|named| (named.name, Self::from(named).steps)).collect();
        let mut rest = self.steps.as_slice();
        let mut separator = "";
        while let Some((step, after)) = rest.split_first() {
            f.write_str(separator)?;
            separator = ",";
            let found = named
                .iter()
                .find_map(|(name, steps)| Some((name, rest.strip_prefix(steps.as_slice())?)));
            match found {
                Some((name, after)) => {
                    f.write_str(name)?;
                    rest = after;
                }
                None => {
                    step.fmt(f)?;
                    rest = after;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_parse_and_print_back() {
        let pipeline = Pipeline::parse(" inline , mem2reg{ }").expect("both exist");
        assert_eq!(pipeline.to_string(), "inline,mem2reg");
        assert_eq!(Pipeline::parse("").expect("empty").to_string(), "");
    }

    #[test]
    fn pipelines_have_names() {
        for named in PIPELINES {
            assert!(find(named.name).is_none(), "a pass and a pipeline are called {}", named.name);
            let pipeline = Pipeline::parse(named.name).expect("it is known");
            assert_eq!(pipeline.to_string(), named.name);
            let text = format!("inline,{0},{0},dead-code", named.name);
            let more = Pipeline::parse(&text).expect("passes before, between and behind");
            assert_eq!(more.to_string(), text);
            assert_eq!(more.steps.len(), 2 * named.steps.len() + 2);
            assert!(named.steps.iter().all(|step| find(step.pass.name) == Some(&step.pass)));
        }
        assert_eq!(Pipeline::parse("default"), Ok(Pipeline::default()));
    }

    #[test]
    fn errors_point_into_the_string() {
        let error = Pipeline::parse("inline, mem3reg").expect_err("no such pass");
        assert_eq!(error.column, 9);
        assert!(error.message.starts_with("unknown pass 'mem3reg'; the passes are "), "{error}");
        for (text, column, message) in [
            ("inline,", 8, "expected the name of a pass"),
            ("inline mem2reg", 8, "expected ',' or the end of the pipeline"),
            ("inline{", 8, "expected the name of an option"),
            ("inline{x=1}", 8, "pass 'inline' has no option 'x'; its options are depth"),
            ("mem2reg{x=1}", 9, "pass 'mem2reg' has no option 'x'; it has none"),
            ("é", 1, "unknown pass 'é'"),
            ("default{}", 8, "expected ',' or the end of the pipeline"),
            ("{", 1, "expected the name of a pass"),
        ] {
            let error = Pipeline::parse(text).expect_err(text);
            assert_eq!(error.column, column, "{error}");
            assert!(error.message.starts_with(message), "{error}");
        }
    }
}
