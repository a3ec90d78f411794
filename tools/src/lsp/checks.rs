//! Which units are checked, what they were answered, and what is shown of it.
//!
//! *Invariant*: a unit has at most one run. Who wants another one cancels it and lets the unit wait; it begins when the
//! old one has ended, so that two never write the same files, and an answer is never that of an older run.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use lsp_types::{Diagnostic, PublishDiagnosticsParams};
use serde_json::Value;

use super::Event;
use super::answer::Answer;
use super::client::Client;
use super::diagnostics::{self, Found, Shown, plain};
use super::documents::Documents;
use super::lenses::State;
use super::place::Places;
use super::progress::Progress;
use super::run::{Ended, Run};
use super::unit::{Name, Unit};
use super::wire;
use crate::statements::{Statements, definition};

/// Where programs begin.
pub const MAIN: &str = "main";

/// The longest time that runs have to end when the server does.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// A unit, and what is known of it.
#[derive(Debug)]
struct Checked {
    unit: Unit,
    state: State,
    run: Option<(Run, Option<Progress>)>,
}

/// All checks.
#[derive(Debug)]
pub struct Checks {
    /// For the threads of runs.
    events: Sender<Event>,
    /// How many run at once.
    pub at_once: usize,
    /// What the client can do.
    pub client: Client,
    units: BTreeMap<Name, Checked>,
    /// Units that are to be checked, in this order.
    waiting: VecDeque<Name>,
    /// What is shown in a file, and for which unit.
    shown: BTreeMap<PathBuf, BTreeMap<Name, Vec<Diagnostic>>>,
    /// Runs and requests so far, which have numbers.
    count: u64,
}

impl Checks {
    /// None so far.
    #[must_use]
    pub fn new(events: Sender<Event>) -> Self {
        Self {
            events,
            at_once: 1,
            client: Client::default(),
            units: BTreeMap::new(),
            waiting: VecDeque::new(),
            shown: BTreeMap::new(),
            count: 0,
        }
    }

    /// How far the check of a unit is.
    #[must_use]
    pub fn state(&self, name: &Name) -> &State {
        self.units.get(name).map_or(&State::Unknown, |checked| &checked.state)
    }

    /// Whether something is shown in a file for a unit.
    #[must_use]
    pub fn is_shown(&self, path: &Path, name: &Name) -> bool {
        self.shown.get(path).is_some_and(|units| units.contains_key(name))
    }

    fn runs(&mut self) -> impl Iterator<Item = &mut (Run, Option<Progress>)> {
        self.units.values_mut().filter_map(|checked| checked.run.as_mut())
    }

    /// When the next cancelled run is to be killed.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        let runs = self.units.values().filter_map(|checked| checked.run.as_ref());
        runs.filter_map(|(run, _)| run.deadline()).min()
    }

    /// Kills the cancelled runs that did not end in time.
    pub fn kill_late(&mut self) {
        let now = Instant::now();
        self.runs().for_each(|(run, _)| run.end_in_time(now));
    }

    /// Has a unit checked as soon as can be; its last run is cancelled.
    pub fn check(&mut self, unit: Unit, documents: &Documents) {
        let name = unit.name.clone();
        let run = match self.units.remove(&name) {
            Some(Checked { run: Some((mut run, progress)), .. }) => {
                run.cancel();
                Some((run, progress))
            }
            _ => None,
        };
        self.units.insert(name.clone(), Checked { unit, state: State::Checking, run });
        if !self.waiting.contains(&name) {
            self.waiting.push_back(name);
        }
        self.start(documents);
        self.refresh();
    }

    /// Cancels the check of a unit; what is shown of it stays.
    pub fn cancel(&mut self, name: &Name) {
        self.waiting.retain(|waiting| waiting != name);
        if let Some(checked) = self.units.get_mut(name) {
            match &mut checked.run {
                Some((run, _)) => run.cancel(),
                None if matches!(checked.state, State::Checking) => checked.state = State::Unknown,
                None => {}
            }
        }
        self.refresh();
    }

    /// Cancels the run whose progress has a name.
    pub fn cancel_progress(&mut self, token: Option<&Value>) {
        let is_called = |checked: &Checked| {
            let progress = checked.run.as_ref().and_then(|(_, progress)| progress.as_ref());
            progress.is_some_and(|progress| progress.is_called(token))
        };
        let found = self.units.iter().find(|(_, checked)| is_called(checked));
        if let Some(name) = found.map(|(name, _)| name.clone()) {
            self.cancel(&name);
        }
    }

    /// Forgets the units without open files: they are not checked any more, and nothing is shown of them.
    pub fn forget_closed(&mut self, documents: &Documents) {
        let names: Vec<Name> =
            self.units.keys().filter(|name| !documents.has_of(name)).cloned().collect();
        for name in names {
            self.cancel(&name);
            self.publish(&name, Found::new(), documents);
            if let Some(checked) = self.units.get_mut(&name) {
                checked.state = State::Unknown;
                if checked.run.is_none() {
                    self.units.remove(&name);
                }
            }
        }
    }

    /// The client has answered a request.
    pub fn responded(&mut self, id: &Value, is_ok: bool) {
        for progress in self.runs().filter_map(|(_, progress)| progress.as_mut()) {
            progress.answered(id, is_ok);
        }
    }

    /// Starts what waits, as far as there is room.
    fn start(&mut self, documents: &Documents) {
        while self.units.values().filter(|checked| checked.run.is_some()).count() < self.at_once {
            let is_ready =
                |name: &&Name| self.units.get(*name).is_none_or(|checked| checked.run.is_none());
            let Some(name) = self.waiting.iter().find(is_ready).cloned() else { return };
            self.waiting.retain(|waiting| *waiting != name);
            self.count += 1;
            let Some(checked) = self.units.get_mut(&name) else { continue };
            match Run::start(&checked.unit, self.count, self.events.clone()) {
                Ok(run) => {
                    let title = format!("sapa check {}", checked.unit.title());
                    let has_progress = self.client.has_progress;
                    let progress = has_progress.then(|| Progress::ask(self.count, title));
                    checked.run = Some((run, progress));
                }
                Err(error) => {
                    let why = format!("the check cannot be started: {error}; restart the server");
                    self.answered(&name, Err(why), documents);
                }
            }
        }
    }

    /// A run has ended.
    pub fn ended(&mut self, ended: &Ended, documents: &Documents) {
        let mut units = self.units.iter_mut();
        let Some((name, run, progress)) = units.find_map(|(name, checked)| {
            let (run, progress) = checked.run.take_if(|(run, _)| run.number == ended.number)?;
            Some((name.clone(), run, progress))
        }) else {
            return;
        };
        let mut words = "cancelled".to_owned();
        if !run.is_cancelled() {
            self.answered(&name, Answer::of(ended), documents);
            words = self.state(&name).title();
        } else if !self.waiting.contains(&name)
            && let Some(checked) = self.units.get_mut(&name)
        {
            checked.state = State::Unknown;
        }
        if let Some(progress) = progress {
            progress.end(words);
        }
        self.start(documents);
        self.refresh();
    }

    /// A unit has an answer, or will have none.
    fn answered(&mut self, name: &Name, answer: Result<Answer, String>, documents: &Documents) {
        let Some(checked) = self.units.get(name) else { return };
        let unit = &checked.unit;
        let main = main(unit);
        let home = main.as_ref().map(|(file, line)| (file.as_path(), *line));
        let first = unit.files.first().map_or(unit.folder.as_path(), PathBuf::as_path);
        let mut shown = Shown {
            folder: &unit.folder,
            home: home.unwrap_or((first, 1)),
            has_main: main.is_some(),
            has_related: self.client.has_related,
            places: Places::new(self.client.encoding),
            uri: &|path| documents.uri(path),
        };
        let (found, state) = match answer {
            Ok(answer) => {
                let found = diagnostics::of(&answer, &mut shown);
                (found, State::Answered(Box::new(answer)))
            }
            Err(why) => (diagnostics::of_crash(&why, &mut shown), State::Crashed(why)),
        };
        if let Some(checked) = self.units.get_mut(name) {
            checked.state = state;
        }
        self.publish(name, found, documents);
    }

    /// Shows what was found for a unit, in place of what was before.
    fn publish(&mut self, name: &Name, mut found: Found, documents: &Documents) {
        let before = self.shown.iter().filter(|(_, units)| units.contains_key(name));
        let mut changed: Vec<PathBuf> = before.map(|(path, _)| path.clone()).collect();
        let new = found.keys().filter(|path| !changed.contains(path)).cloned();
        changed.extend(new.collect::<Vec<_>>());
        // A client that shows nothing yet is told so once.
        let files = self.units.get(name).map_or(&[][..], |checked| &checked.unit.files);
        let first = files.first().map(|file| plain(file));
        changed.extend(first.filter(|file| !changed.contains(file)));
        for path in changed {
            let units = self.shown.entry(path.clone()).or_default();
            match found.remove(&path) {
                Some(diagnostics) => drop(units.insert(name.clone(), diagnostics)),
                None => drop(units.remove(name)),
            }
            let diagnostics: Vec<Diagnostic> = units.values().flatten().cloned().collect();
            if units.is_empty() {
                self.shown.remove(&path);
            }
            if let Some(uri) = documents.uri(&path) {
                let shown = PublishDiagnosticsParams { uri, diagnostics, version: None };
                wire::notify("textDocument/publishDiagnostics", shown);
            }
        }
    }

    /// Asks the client to look at the lenses again.
    fn refresh(&mut self) {
        if self.client.refreshes_lenses {
            self.count += 1;
            let id = format!("sapa-refresh-{}", self.count);
            wire::request(&id, "workspace/codeLens/refresh", Value::Null);
        }
    }

    /// Ends all runs.
    pub fn cancel_all(&mut self) {
        self.waiting.clear();
        self.runs().for_each(|(run, _)| run.cancel());
    }

    /// Ends all runs, and waits for their ends.
    pub fn end(&mut self, events: &Receiver<Event>) {
        self.cancel_all();
        let last = Instant::now() + LAST_WAIT;
        while let Some(deadline) = self.next_deadline() {
            let now = Instant::now();
            if now >= last {
                return;
            }
            match events.recv_timeout(deadline.min(last).saturating_duration_since(now)) {
                Ok(Event::Ended(ended)) => {
                    for checked in self.units.values_mut() {
                        checked.run.take_if(|(run, _)| run.number == ended.number);
                    }
                }
                Ok(_) => {}
                Err(_) => self.kill_late(),
            }
        }
    }
}

/// Where a unit defines `main`, if that is seen without preprocessing: the file, and the line (from 1). Files are read as
/// they are on the disk, which is what is checked.
fn main(unit: &Unit) -> Option<(PathBuf, u32)> {
    unit.files.iter().find_map(|file| {
        let file = plain(file);
        let mut sources = Statements::default();
        let line = definition(sources.text(&file.to_string_lossy()), MAIN)?;
        Some((file, line))
    })
}
