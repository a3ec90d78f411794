//! What a tool has to say besides its product: warnings, and why it ends without one. These are
//! data, so that they can be printed for people or stand in a report.

use std::fmt;

use sapa_frontend::diagnostic::{Diagnostic, Severity};
use sapa_limits::Stopped;
use serde::Serialize;

use crate::message;
use crate::verdict::Exit;

/// A warning or an error, with its place if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The file it is about, as the user named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line of the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column of the line in bytes, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What is the matter, without the place.
    pub text: String,
    /// The whole message as people read it.
    #[serde(skip)]
    rendered: String,
}

impl Message {
    /// An error that concerns no place; it is shown after `error: `.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        let text = text.into();
        let rendered = format!("error: {text}");
        Self::rendered(text, rendered)
    }

    /// An error of the program itself, which nobody should ever see.
    #[must_use]
    pub fn internal(text: impl Into<String>) -> Self {
        let text = text.into();
        let rendered = format!("internal error: {text}");
        Self::rendered(text, rendered)
    }

    /// An error in a file, shown as `file: text`.
    #[must_use]
    pub fn in_file(file: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        let rendered = format!("{file}: {text}");
        Self { file: Some(file.to_owned()), ..Self::rendered(text, rendered) }
    }

    /// An error at a place, shown as `file:line:column: text`.
    #[must_use]
    pub fn at(file: &str, line: usize, column: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        let rendered = format!("{file}:{line}:{column}: {text}");
        Self {
            file: Some(file.to_owned()),
            line: known(line),
            column: known(column),
            ..Self::rendered(text, rendered)
        }
    }

    /// The same, for a file that its text names already.
    #[must_use]
    pub fn about(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    fn rendered(text: String, rendered: String) -> Self {
        let (text, rendered) = (without_number(&text), without_number(&rendered));
        Self { severity: "error", file: None, line: None, column: None, text, rendered }
    }

    /// Shows the message on the standard error.
    pub fn print(&self) {
        message!("{self}");
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered)
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

/// A line or column, from 1; `None` for 0, which means that it is not known.
fn known(number: usize) -> Option<u32> {
    u32::try_from(number).ok().filter(|&number| number != 0)
}

impl From<&Diagnostic> for Message {
    fn from(diagnostic: &Diagnostic) -> Self {
        let mut message = match &diagnostic.location {
            Some(place) => Self::at(
                &place.file,
                place.line as usize,
                place.column as usize,
                &diagnostic.message,
            ),
            None => Self::error(&diagnostic.message),
        };
        message.severity = match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        for note in &diagnostic.notes {
            let place = note.location.as_ref().map_or(String::new(), |place| format!("{place}: "));
            message.text.push_str(&format!("\n{place}note: {}", note.message));
        }
        // The frontend's own words say more than we could put together here.
        message.rendered = without_number(&diagnostic.to_string());
        message
    }
}

/// Why a tool ends without its product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the caller is told.
    pub exit: Exit,
    /// What is the matter; empty where it was said already.
    pub messages: Vec<Message>,
}

impl Failure {
    /// A failure with one message.
    #[must_use]
    pub fn new(exit: Exit, message: Message) -> Self {
        Self { exit, messages: vec![message] }
    }

    /// A usage error with one message.
    #[must_use]
    pub fn usage(text: impl Into<String>) -> Self {
        Self::new(Exit::Usage, Message::error(text))
    }

    /// Bad input, with one message or more.
    #[must_use]
    pub fn bad_input(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { exit: Exit::BadInput, messages: messages.into_iter().collect() }
    }

    /// A limit has ended the run.
    #[must_use]
    pub fn stopped(stopped: Stopped) -> Self {
        Self::new(Exit::Inconclusive, Message::error(stopped.to_string()))
    }

    /// Shows the messages on the standard error; how the program is to end.
    #[must_use]
    pub fn print(&self) -> Exit {
        self.messages.iter().for_each(Message::print);
        self.exit
    }

    /// All messages in one text, one after the other.
    #[must_use]
    pub fn text(&self) -> String {
        let without_word = |message: &Message| {
            message.rendered.strip_prefix("error: ").unwrap_or(&message.rendered).to_owned()
        };
        self.messages.iter().map(without_word).collect::<Vec<_>>().join("\n")
    }
}
