//! The loop: one message or event after the other.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use lsp_types::{
    CodeLensOptions, CodeLensParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions,
    ExecuteCommandParams, Hover, HoverContents, HoverParams, HoverProviderCapability,
    InitializeResult, LanguageString, MarkedString, MessageType, SaveOptions, ServerCapabilities,
    ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Event;
use super::checks::{Checks, MAIN};
use super::client::{Client, log, show};
use super::diagnostics::plain;
use super::documents::{Document, Documents, path_of};
use super::lenses::{self, CANCEL, CHECK, DETAILS, State};
use super::settings::Settings;
use super::unit::Unit;
use super::uri;
use super::wire::{ErrorCode, Incoming, respond};
use crate::statements::definition;
use crate::{compile_commands, configuration};

/// How far the talk with the client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Talk {
    /// `initialize` is to come.
    Begins,
    /// All may be asked.
    Goes,
    /// `shutdown` was asked for; `exit` is to come.
    Ends,
}

/// All that the server knows.
#[derive(Debug)]
pub struct Server {
    talk: Talk,
    settings: Settings,
    documents: Documents,
    checks: Checks,
}

/// What is wrong with a request.
type Refusal = (ErrorCode, String);

impl Server {
    /// A server whose runs send their events there.
    #[must_use]
    pub fn new(events: Sender<Event>) -> Self {
        Self {
            talk: Talk::Begins,
            settings: Settings::default(),
            documents: Documents::default(),
            checks: Checks::new(events),
        }
    }

    /// Serves until nothing more comes; how the process is to end.
    #[must_use]
    pub fn run(mut self, events: &Receiver<Event>) -> u8 {
        loop {
            let event = match self.checks.next_deadline() {
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => {
                    events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                }
            };
            match event {
                Ok(Event::Client(Incoming::End(why))) => {
                    if let Some(why) = why {
                        log(&format!("{why}; what follows cannot be read"));
                        respond(&Value::Null, Err((ErrorCode::Parse, why)));
                    }
                    break;
                }
                Ok(Event::Client(Incoming::Notification { method, .. })) if method == "exit" => {
                    break;
                }
                Ok(Event::Client(message)) => self.answer(message),
                Ok(Event::Ended(ended)) => self.checks.ended(&ended, &self.documents),
                Err(RecvTimeoutError::Timeout) => self.checks.kill_late(),
                // Nobody can say anything any more, if not even the server itself can.
                Ok(Event::Asked) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.checks.end(events);
        u8::from(self.talk != Talk::Ends)
    }

    /// Does what a message asks for.
    fn answer(&mut self, message: Incoming) {
        match message {
            Incoming::Request { id, method, params } => {
                let result = self.request(&method, params);
                respond(&id, result);
            }
            Incoming::Notification { method, params } => {
                if self.talk == Talk::Goes
                    && let Err(why) = self.notification(&method, params)
                {
                    log(&format!("'{method}' is passed over: {why}"));
                }
            }
            Incoming::Response { id, is_ok } => self.checks.responded(&id, is_ok),
            Incoming::Malformed { id, code, why } => {
                log(&why);
                respond(&id, Err((code, why)));
            }
            Incoming::End(_) => {}
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        let refused = |why: &str| Err((ErrorCode::InvalidRequest, why.to_owned()));
        match (self.talk, method) {
            (Talk::Begins, "initialize") => Ok(self.initialize(&params)),
            (Talk::Begins, _) => {
                Err((ErrorCode::NotInitialized, "'initialize' comes first".to_owned()))
            }
            (Talk::Ends, _) => refused("the server was shut down"),
            (Talk::Goes, "initialize") => refused("'initialize' comes once"),
            (Talk::Goes, "shutdown") => {
                self.talk = Talk::Ends;
                self.checks.cancel_all();
                Ok(Value::Null)
            }
            (Talk::Goes, "textDocument/codeLens") => Ok(self.lenses(&read(params)?)),
            (Talk::Goes, "textDocument/hover") => Ok(self.hover(&read(params)?)),
            (Talk::Goes, "workspace/executeCommand") => self.execute(&read(params)?),
            (Talk::Goes, _) => {
                Err((ErrorCode::MethodNotFound, format!("'{method}' is not served")))
            }
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.talk = Talk::Goes;
        let options = params.get("initializationOptions").unwrap_or(&Value::Null);
        let (settings, wrong) = Settings::read(options);
        if let Some(wrong) = wrong {
            show(MessageType::WARNING, wrong);
        }
        self.checks.client = Client::of(params);
        self.checks.at_once = settings.checks_at_once;
        self.settings = settings;
        let save = SaveOptions { include_text: Some(false) };
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(save)),
            ..TextDocumentSyncOptions::default()
        };
        let capabilities = ServerCapabilities {
            position_encoding: Some(self.checks.client.encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: [CHECK, CANCEL, DETAILS].map(str::to_owned).into(),
                ..ExecuteCommandOptions::default()
            }),
            ..ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let server_info = Some(ServerInfo { name: "sapa".to_owned(), version });
        json!(InitializeResult { capabilities, server_info })
    }

    fn notification(&mut self, method: &str, params: Value) -> Result<(), String> {
        match method {
            "textDocument/didOpen" => {
                let DidOpenTextDocumentParams { text_document: opened } = parsed(params)?;
                if let Some(path) = path_of(&opened.uri) {
                    self.documents.open(&path, opened.uri, opened.text, &self.settings);
                    self.opened(&path);
                }
            }
            "textDocument/didChange" => {
                let DidChangeTextDocumentParams { text_document: changed, content_changes } =
                    parsed(params)?;
                // Each is the whole text.
                let last = content_changes.into_iter().last();
                if let (Some(path), Some(change)) = (path_of(&changed.uri), last) {
                    self.documents.change(&path, change.text);
                }
            }
            "textDocument/didSave" => {
                let DidSaveTextDocumentParams { text_document: saved, .. } = parsed(params)?;
                if let Some(path) = path_of(&saved.uri) {
                    self.documents.save(&path, &self.settings);
                    self.saved(&path);
                }
            }
            "textDocument/didClose" => {
                let DidCloseTextDocumentParams { text_document: closed } = parsed(params)?;
                if let Some(path) = path_of(&closed.uri) {
                    self.documents.close(&path);
                    self.checks.forget_closed(&self.documents);
                }
            }
            "window/workDoneProgress/cancel" => self.checks.cancel_progress(params.get("token")),
            // What needs nothing to be done, and what the protocol lets pass.
            _ => {}
        }
        Ok(())
    }

    /// A file was opened: its unit is checked if nothing is known of it.
    fn opened(&mut self, path: &Path) {
        let Some(unit) = self.documents.unit(path, &self.settings) else { return };
        let is_known = !matches!(self.checks.state(&unit.name), State::Unknown);
        if self.settings.check_on_open && !is_known {
            self.checks.check(unit, &self.documents);
        }
    }

    /// A file was saved: what it is a part of is checked.
    fn saved(&mut self, path: &Path) {
        let is_of_project = path.file_name().is_some_and(|name| {
            [configuration::NAME, compile_commands::NAME].iter().any(|known| name == *known)
        });
        if is_of_project {
            self.documents.reconsider(&self.settings);
        }
        self.checks.forget_closed(&self.documents);
        if !self.settings.check_on_save {
            return;
        }
        let units = match self.documents.unit(path, &self.settings) {
            Some(unit) => vec![unit],
            None if is_of_project => {
                let folder = path.parent().unwrap_or(path);
                self.documents.units(|_, unit| unit.folder.starts_with(folder))
            }
            // A header of no program: those that had something to say in it, and open files that include it.
            None => self.documents.units(|document, unit| {
                self.checks.is_shown(path, &unit.name) || document.includes(path)
            }),
        };
        units.into_iter().for_each(|unit| self.checks.check(unit, &self.documents));
    }

    /// An open file with its unit, and how far the check of that is.
    fn known(&self, uri: &Uri) -> Option<(PathBuf, &Document, &Unit, &State)> {
        let path = path_of(uri)?;
        let document = self.documents.get(&path)?;
        let unit = document.unit.as_ref()?;
        Some((path, document, unit, self.checks.state(&unit.name)))
    }

    fn lenses(&self, params: &CodeLensParams) -> Value {
        let uri = &params.text_document.uri;
        let Some((path, document, unit, state)) = self.known(uri) else { return json!([]) };
        let mut all = Vec::new();
        if let Some(line) = home(&path, document, unit) {
            all.extend(lenses::of_program(state, line, document.is_changed, uri));
        }
        // Where assertions stand in a text that was changed, nobody knows.
        if !document.is_changed {
            all.extend(lenses::of_assertions(state, &path, &unit.folder, uri));
        }
        json!(all)
    }

    fn hover(&self, params: &HoverParams) -> Value {
        let at = &params.text_document_position_params;
        let Some((path, document, unit, state)) = self.known(&at.text_document.uri) else {
            return Value::Null;
        };
        let line = at.position.line.checked_add(1);
        if matches!(state, State::Unknown) || home(&path, document, unit) != line {
            return Value::Null;
        }
        let text = LanguageString { language: "text".to_owned(), value: state.details() };
        let contents = HoverContents::Scalar(MarkedString::LanguageString(text));
        json!(Hover { contents, range: None })
    }

    /// Commands are about the file of their first argument; without one, about all open files.
    fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Value, Refusal> {
        let invalid = |why: String| Err((ErrorCode::InvalidParams, why));
        let units: Vec<Unit> = match params.arguments.first() {
            None => self.documents.units(|_, _| true),
            Some(value) => match value.as_str().and_then(uri::path) {
                Some(path) => {
                    let path = plain(&path);
                    self.documents.unit(&path, &self.settings).into_iter().collect()
                }
                None => return invalid(format!("{value} is not the URI of a file")),
            },
        };
        if units.is_empty() {
            return invalid("there is no C file to check".to_owned());
        }
        for unit in units {
            match params.command.as_str() {
                CHECK => self.checks.check(unit, &self.documents),
                CANCEL => self.checks.cancel(&unit.name),
                DETAILS => show(MessageType::INFO, self.checks.state(&unit.name).details()),
                other => return invalid(format!("there is no command '{other}'")),
            }
        }
        Ok(Value::Null)
    }
}

/// The line, from 1, of an open file that the verdict on its unit stands at: that of `main`, or the first one of a file that
/// is checked alone.
fn home(path: &Path, document: &Document, unit: &Unit) -> Option<u32> {
    let is_alone = matches!(unit.files.as_slice(), [file] if plain(file) == *path);
    definition(document.text.as_bytes(), MAIN).or(is_alone.then_some(1))
}

/// The parameters of a request.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    parsed(params).map_err(|why| (ErrorCode::InvalidParams, why))
}

/// The parameters of a message.
fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| format!("wrong parameters: {error}"))
}
