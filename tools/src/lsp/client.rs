//! What the client can do, and what is said to it or about it.

use lsp_types::{MessageType, ShowMessageParams};
use serde_json::Value;

use super::place::Encoding;
use super::wire;
use crate::message;

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client {
    /// What columns count.
    pub encoding: Encoding,
    /// Whether it shows places that belong to a diagnostic.
    pub has_related: bool,
    /// Whether it shows progress that a server begins.
    pub has_progress: bool,
    /// Whether it can be asked to look at lenses again.
    pub refreshes_lenses: bool,
}

impl Client {
    /// What a client says of itself in `initialize`. Only what matters here is read, as clients say much, and new things.
    #[must_use]
    pub fn of(parameters: &Value) -> Self {
        let says = |path: &str| {
            let value = parameters.pointer(&format!("/capabilities/{path}"));
            value.and_then(Value::as_bool).unwrap_or(false)
        };
        let encodings = parameters.pointer("/capabilities/general/positionEncodings");
        let encodings = encodings.and_then(Value::as_array).into_iter().flatten();
        let knows_utf8 = encodings.filter_map(Value::as_str).any(|kind| kind == "utf-8");
        Self {
            encoding: if knows_utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            has_related: says("textDocument/publishDiagnostics/relatedInformation"),
            has_progress: says("window/workDoneProgress"),
            refreshes_lenses: says("workspace/codeLens/refreshSupport"),
        }
    }
}

/// Shows a message in the editor.
pub fn show(kind: MessageType, message: String) {
    wire::notify("window/showMessage", ShowMessageParams { typ: kind, message });
}

/// Says something to who looks for an error of the server.
pub fn log(text: &str) {
    message!("sapa lsp: {text}");
}
