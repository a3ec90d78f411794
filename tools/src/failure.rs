//! What a tool has to say besides its product: warnings, and why it ends without one. These are
//! data, so that they can be printed for people or stand in a report.

use std::fmt;

use sapa_backend::automaton::AutomatonError;
use sapa_backend::inconclusive::Kind;
use sapa_driver::{Error, Refused, Undecided};
use sapa_frontend::diagnostic::{self, Diagnostic};
use sapa_frontend::position::SourceLocation;
use sapa_ir::goto::{
    Entity, Location, Module, ParseErrors, Positions, VerifyError, VerifyErrors, print_entity,
};
use sapa_limits::Stopped;
use sapa_passes::analysis::points_to::Escape;
use sapa_passes::{PassError, PipelineError};
use serde::Serialize;

use crate::excerpt::{excerpt, unnumbered};
use crate::message;
use crate::statements::Statements;
use crate::verdict::Exit;

/// How bad what a message says is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// There is no product, or no answer to what was asked.
    Error,
    /// The same, and the program itself is at fault.
    Internal,
    /// The input is taken, in the way the message says.
    Warning,
    /// A remark: to another message, or why there is no answer.
    Note,
}

impl Severity {
    /// The word for it in reports.
    fn word(self) -> &'static str {
        match self {
            Self::Error | Self::Internal => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A message with its place if it has one. People read it as
///
/// ```text
/// queue.c:12:7: error: expected ';', found '}'
///    12 |   x = 1 }
///       |         ^
/// ```
/// and programs as one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "Form")]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The file it is about, as the user named it.
    pub file: Option<String>,
    /// Line of the file, from 1.
    pub line: Option<u32>,
    /// Column of the line in bytes, from 1.
    pub column: Option<u32>,
    /// What is the matter, without the place.
    pub text: String,
    /// What is shown below it: lines of sources and of the IR, each with its end.
    below: String,
    /// Further remarks.
    notes: Vec<Message>,
}

/// A message in reports.
#[derive(Serialize)]
struct Form {
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    text: String,
}

impl From<Message> for Form {
    fn from(message: Message) -> Self {
        let Message { severity, file, line, column, mut text, notes, .. } = message;
        for note in &notes {
            text.push_str(&format!("\n{}", note.line()));
        }
        Self { severity: severity.word(), file, line, column, text }
    }
}

impl Message {
    fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self {
            severity,
            file: None,
            line: None,
            column: None,
            text: without_number(&text.into()),
            below: String::new(),
            notes: Vec::new(),
        }
    }

    /// An error that concerns no place.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Severity::Error, text)
    }

    /// An error of the program itself, which nobody should ever see.
    #[must_use]
    pub fn internal(text: impl Into<String>) -> Self {
        Self::new(Severity::Internal, text)
    }

    /// Why there is no answer.
    #[must_use]
    pub fn note(text: impl Into<String>) -> Self {
        Self::new(Severity::Note, text)
    }

    /// The same, about a file.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The same, about a place, whose line is shown. Lines and columns that are 0 are not known.
    #[must_use]
    pub fn at(mut self, file: &str, line: u32, column: u32, sources: &mut Statements) -> Self {
        let known = |number: u32| Some(number).filter(|&number| number != 0);
        (self.line, self.column) = (known(line), known(line).and(known(column)));
        if let Some(text) = sources.raw_line(file, line) {
            self.below.push_str(&excerpt(text, line, column));
        }
        self.in_file(file)
    }

    fn at_source(self, place: &SourceLocation, sources: &mut Statements) -> Self {
        self.at(&place.file, place.line, place.column, sources)
    }

    /// The same, about an entity of a module that comes from a place of a source: the line is shown,
    /// or where that cannot be read, what the module says of the entity.
    #[must_use]
    pub fn of(
        self,
        module: &Module,
        entity: Entity,
        location: Location,
        sources: &mut Statements,
    ) -> Self {
        let mut message = match module.files.get(location.file.index()) {
            Some(file) if location.line != 0 => {
                self.at(file, location.line, location.column, sources)
            }
            _ => self,
        };
        if message.below.is_empty() {
            message.show(module, entity);
        }
        message
    }

    /// Shows what a module says of an entity.
    fn show(&mut self, module: &Module, entity: Entity) {
        let text = print_entity(module, entity);
        if !text.is_empty() {
            self.below.push_str(&unnumbered(&text));
        }
    }

    /// What the frontend has to say.
    #[must_use]
    pub fn of_diagnostic(diagnostic: &Diagnostic, sources: &mut Statements) -> Self {
        let severity = match diagnostic.severity {
            diagnostic::Severity::Warning => Severity::Warning,
            diagnostic::Severity::Error => Severity::Error,
        };
        let mut placed = |message: Self, place: Option<&SourceLocation>| match place {
            Some(place) => message.at_source(place, sources),
            None => message,
        };
        let mut message =
            placed(Self::new(severity, &diagnostic.message), diagnostic.location.as_ref());
        for note in &diagnostic.notes {
            message.notes.push(placed(Self::note(&note.message), note.location.as_ref()));
        }
        message
    }

    /// What is wrong with a module in text form.
    #[must_use]
    pub fn of_text(errors: &ParseErrors, sources: &mut Statements) -> Vec<Self> {
        let number = |number: usize| u32::try_from(number).unwrap_or(0);
        let errors = errors.0.iter();
        errors
            .map(|e| Self::error(&e.message).at(&e.file, number(e.line), number(e.column), sources))
            .collect()
    }

    /// The laws that the module in a file breaks, at the lines of its text form, if it is in that.
    #[must_use]
    pub fn of_file(
        file: &str,
        module: &Module,
        errors: &VerifyErrors,
        positions: &Positions,
        sources: &mut Statements,
    ) -> Vec<Self> {
        let number = |number: usize| u32::try_from(number).unwrap_or(0);
        let mut message = |error: &VerifyError| {
            let message = Self::error(&error.message);
            match positions.find(error.entity) {
                Some((line, column)) => message.at(file, number(line), number(column), sources),
                None => {
                    let mut message = message.in_file(file);
                    message.show(module, error.entity);
                    message
                }
            }
        };
        errors.0.iter().map(&mut message).collect()
    }

    /// The laws that a module breaks which the program itself has made; `when` says who is at fault.
    #[must_use]
    pub fn of_unsound(
        when: &str,
        module: &Module,
        errors: &VerifyErrors,
        sources: &mut Statements,
    ) -> Vec<Self> {
        let mut message = |error: &VerifyError| {
            let text = format!("{when}: {}", error.message);
            let mut message =
                Self::internal(text).of(module, error.entity, error.location, sources);
            if message.line.is_some() {
                // The source's line alone does not show it.
                message.show(module, error.entity);
            }
            message
        };
        errors.0.iter().map(&mut message).collect()
    }

    /// Why a pass ended; `module` is as the pass left it. [`Severity`] is that of an error that it met.
    #[must_use]
    pub fn of_pass(
        severity: Severity,
        error: &PassError,
        module: &Module,
        sources: &mut Statements,
    ) -> Vec<Self> {
        let PassError::Refused { pass, entity, location, message, notes } = error else {
            return match error {
                PassError::Unsound { pass, errors } => {
                    let when = format!("after pass '{pass}' the module is unsound");
                    Self::of_unsound(&when, module, errors, sources)
                }
                other => vec![Self::new(severity, other.to_string())],
            };
        };
        let function = entity.function().and_then(|id| module.functions.get(id.index()));
        let within = function.map_or(String::new(), |f| format!(", function '{}'", f.name));
        let text = format!("pass '{pass}'{within}: {message}");
        let mut message = Self::new(severity, text).of(module, *entity, *location, sources);
        for (location, text) in notes {
            message.remark(text, module, *location, sources);
        }
        vec![message]
    }

    /// Why a module has no automata.
    #[must_use]
    pub fn of_automaton(
        severity: Severity,
        error: &AutomatonError,
        module: &Module,
        sources: &mut Statements,
    ) -> Self {
        let mut message = Self::new(severity, error.to_string());
        if let Some((entity, location)) = error.place() {
            message = message.of(module, entity, location, sources);
        }
        if let AutomatonError::Escape(Escape { taken: Some(taken), .. }) = error {
            message.remark(Escape::TAKEN, module, *taken, sources);
        }
        message
    }

    /// Adds what there is to say of a further place, if that is known.
    fn remark(&mut self, text: &str, module: &Module, place: Location, sources: &mut Statements) {
        if place.line != 0 {
            self.notes.push(Self::note(text).of(module, Entity::Module, place, sources));
        }
    }

    /// `file:line:column: `, as far as it is known.
    fn place(&self) -> String {
        let Some(file) = &self.file else { return String::new() };
        let numbers = [self.line, self.column].into_iter().flatten();
        let numbers: String = numbers.map(|number| format!(":{number}")).collect();
        format!("{file}{numbers}: ")
    }

    /// The message in one line, without what is shown below it and without notes.
    #[must_use]
    pub fn line(&self) -> String {
        let internal = if self.severity == Severity::Internal { "internal " } else { "" };
        format!("{}{internal}{}: {}", self.place(), self.severity.word(), self.text)
    }

    /// Shows the message on the standard error.
    pub fn print(&self) {
        message!("{self}");
    }
}

impl fmt::Display for Message {
    /// Without the end of the last line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        if !self.below.is_empty() {
            write!(f, "\n{}", self.below.trim_end_matches('\n'))?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

/// Words without the system's number of an error, which says no more than they do.
fn without_number(words: &str) -> String {
    let mut parts = words.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.push_str(rest);
            }
            _ => {
                text.push_str(" (os error ");
                text.push_str(part);
            }
        }
    }
    text
}

/// Why a tool ends without its product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the caller is told.
    pub exit: Exit,
    /// Why there is no verdict, where the exit is [`Exit::Inconclusive`].
    pub kind: Option<Kind>,
    /// What is the matter; empty where it was said already.
    pub messages: Vec<Message>,
}

impl Failure {
    /// An error, or the success of who wanted no more, with messages.
    fn error(exit: Exit, messages: Vec<Message>) -> Self {
        Self { exit, kind: None, messages }
    }

    /// No verdict, for a reason of this kind.
    fn inconclusive(kind: Kind, messages: Vec<Message>) -> Self {
        Self { exit: Exit::Inconclusive, kind: Some(kind), messages }
    }

    /// An error with one message.
    #[must_use]
    pub fn new(exit: Exit, message: Message) -> Self {
        Self::error(exit, vec![message])
    }

    /// An end of which all was said already.
    #[must_use]
    pub fn said(exit: Exit) -> Self {
        Self::error(exit, Vec::new())
    }

    /// A usage error with one message.
    #[must_use]
    pub fn usage(text: impl Into<String>) -> Self {
        Self::new(Exit::Usage, Message::error(text))
    }

    /// A pipeline that is none.
    #[must_use]
    pub fn pipeline(error: &PipelineError) -> Self {
        const NAME: &str = "pipeline";
        let mut sources = Statements::of(NAME, error.text.as_bytes());
        let column = u32::try_from(error.column).unwrap_or(0);
        Self::new(Exit::Usage, Message::error(&error.message).at(NAME, 1, column, &mut sources))
    }

    /// Why a program has no answer.
    #[must_use]
    pub fn of(error: &Error, sources: &mut Statements) -> Self {
        match error {
            Error::Sources(found) => {
                Self::bad_input(found.iter().map(|d| Message::of_diagnostic(d, sources)))
            }
            Error::Unsound(module, errors) => {
                let when = "the frontend wrote an unsound module";
                let messages = Message::of_unsound(when, module, errors, sources);
                Self::error(Exit::Internal, messages)
            }
            Error::Predicates(given, errors) => {
                let mut sources = Statements::of(&given.name, given.text.as_bytes());
                let errors = errors.iter().map(|e| Message::of_diagnostic(e, &mut sources));
                Self::bad_input(errors)
            }
            Error::HasBuffers(_) => {
                let advice = "leave out '--buffer-bound', and '--mm' if it asks for another model";
                Self::usage(format!("{error}; {advice}"))
            }
            // The program is sound; what the passes and the loop cannot do, sapa cannot decide.
            Error::Undecided(undecided) => {
                let Undecided { module, refused, beside } = undecided.as_ref();
                let mut messages = match refused {
                    Refused::Pass(error) => {
                        Message::of_pass(Severity::Note, error, module, sources)
                    }
                    Refused::Automaton(error) => {
                        vec![Message::of_automaton(Severity::Note, error, module, sources)]
                    }
                };
                messages.extend(beside.iter().map(|reason| Message::note(reason.to_string())));
                Self::inconclusive(refused.into(), messages)
            }
        }
    }

    /// Bad input, with one message or more.
    #[must_use]
    pub fn bad_input(messages: impl IntoIterator<Item = Message>) -> Self {
        Self::error(Exit::BadInput, messages.into_iter().collect())
    }

    /// A limit has ended the run.
    #[must_use]
    pub fn stopped(stopped: Stopped) -> Self {
        Self::inconclusive(stopped.why.into(), vec![Message::error(stopped.to_string())])
    }

    /// Shows the messages on the standard error; how the program is to end.
    #[must_use]
    pub fn print(&self) -> Exit {
        self.messages.iter().for_each(Message::print);
        self.exit
    }

    /// All messages, one a line. What says that they are errors, or the reason that there is no
    /// answer, goes without saying, but for errors at a place.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |message: &Message| match (message.severity, &message.file) {
            (Severity::Note, _) | (Severity::Error, None) => {
                format!("{}{}", message.place(), message.text)
            }
            _ => message.line(),
        };
        self.messages.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
