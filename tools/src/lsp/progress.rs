//! That a check runs, as the editor shows it: a progress that the user can cancel (`window/workDoneProgress`).

use lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd,
};
use serde_json::{Value, json};

use super::wire;

/// The progress of a run.
#[derive(Debug)]
pub struct Progress {
    /// Of the request for it, and its name.
    token: String,
    title: String,
    /// Whether the client shows it; before it has said so nothing may be said to it.
    is_shown: bool,
}

impl Progress {
    /// Asks the client to show the progress of a run.
    #[must_use]
    pub fn ask(number: u64, title: String) -> Self {
        let token = format!("sapa-check-{number}");
        wire::request(&token, "window/workDoneProgress/create", json!({ "token": token }));
        Self { token, title, is_shown: false }
    }

    /// Whether it has this name.
    #[must_use]
    pub fn is_called(&self, token: Option<&Value>) -> bool {
        token.is_some_and(|token| token.as_str() == Some(&self.token))
    }

    /// The client has answered a request; of this one, the progress begins.
    pub fn answered(&mut self, id: &Value, is_ok: bool) {
        if is_ok && !self.is_shown && self.is_called(Some(id)) {
            self.is_shown = true;
            self.say(WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: self.title.clone(),
                cancellable: Some(true),
                ..WorkDoneProgressBegin::default()
            }));
        }
    }

    /// The run has ended.
    pub fn end(self, message: String) {
        if self.is_shown {
            self.say(WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message) }));
        }
    }

    fn say(&self, value: WorkDoneProgress) {
        let token = NumberOrString::String(self.token.clone());
        let value = ProgressParamsValue::WorkDone(value);
        wire::notify("$/progress", ProgressParams { token, value });
    }
}
