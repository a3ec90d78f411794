//! What `sapa check` and `sapa-mc` answer: one value, from which the lines for people and the JSON
//! for programs are both made, so that they cannot differ. `docs/json.md` explains the JSON, and
//! `docs/report.schema.json` is its schema.

use std::fmt;

use sapa_backend::cegar::coverage::{Coverage, Reach};
use sapa_backend::cegar::{self, DecidedBy};
use sapa_backend::check::{SafeFor, ThreadBound};
use sapa_backend::execution::{self, EventKind};
use sapa_backend::inconclusive::Kind;
use sapa_ir::boolean::ast::Position;
use sapa_ir::goto::{Atomicity, Location, Module};
use sapa_limits::{Limits, Stopped};
use sapa_passes::Properties;
use serde::{Deserialize, Serialize, Serializer};

use crate::all::AssertionVerdict;
use crate::arguments::threads_text;
use crate::failure::{Failure, Message, Severity};
use crate::fence_sets::FenceSets;
use crate::lanes::Source;
use crate::verdict::{Exit, claim};
use crate::{input, message};

/// Version of the JSON's form: it rises when a field changes its meaning or goes, not when one is
/// added.
pub const FORM: u32 = 1;

/// The answer and all that is known about it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`FORM`].
    pub version: u32,
    /// The version of sapa.
    pub sapa: &'static str,
    /// The verdict, or which kind of error there was.
    #[serde(serialize_with = "word")]
    pub verdict: Exit,
    /// The exit code that belongs to the verdict.
    pub exit_code: u8,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Which engine or attempt found the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Decider>,
    /// For how many threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<Threads>,
    /// How memory behaves: `sc` is sequential consistency. Boolean programs have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_model: Option<&'static str>,
    /// The store buffers that the answer holds for, where the model has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<Buffers>,
    /// What one step of a thread is: `access` or `statement`. Boolean programs have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomicity: Option<&'static str>,
    /// The passes that ran, where they are not those of `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<String>,
    /// What was asked of the program, and what was not. Boolean programs have their assertions alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Asked>,
    /// What the answer takes for granted.
    pub assumptions: Vec<String>,
    /// Which assertions runs come to at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assertions: Option<Assertions>,
    /// The assertion that fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_assertion: Option<FailedAssertion>,
    /// The execution that fails it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Step>>,
    /// What is known of each assertion, where all were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<AssertionVerdict>>,
    /// The sets of fences that suffice, where these were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fences: Option<FenceSets>,
    /// What the frontend warns of.
    pub warnings: Vec<Message>,
    /// Figures of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// The execution in lines for people, each with its end.
    #[serde(skip)]
    pub trace_text: String,
    /// The width of pointers, where a module was checked.
    #[serde(skip)]
    pub pointer_bits: Option<u16>,
}

fn word<S: Serializer>(exit: &Exit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(exit.word())
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// In one text.
    pub text: String,
    /// All that stood in the way of a verdict, one by one; empty for errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// One by one, with places, for errors in the input.
    pub messages: Vec<Message>,
}

/// Something that stood in the way of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What it is, for programs.
    #[serde(serialize_with = "kind_word")]
    pub kind: Kind,
    /// The same for people.
    pub text: String,
    /// The place of the source that it is about, where there is one.
    #[serde(flatten)]
    pub place: Option<Place>,
}

fn kind_word<S: Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.word())
}

impl Part {
    /// A part that is about no place.
    #[must_use]
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), place: None }
    }

    /// What the loop says of a module.
    #[must_use]
    pub fn of_loop(module: &Module, reason: &cegar::Reason) -> Self {
        let place = reason.location().map(|location| Place::new(module, location));
        Self { kind: reason.kind(), text: reason.to_string(), place }
    }
}

impl From<Stopped> for Part {
    fn from(stopped: Stopped) -> Self {
        Self::new(stopped.why.into(), stopped.to_string())
    }
}

impl Reason {
    /// What may help, where there is no verdict: for people, one thing for each kind of reason.
    fn help(&self) -> String {
        let mut all: Vec<&str> = Vec::new();
        for help in self.parts.iter().filter_map(|part| part.kind.help()) {
            if !all.contains(&help) {
                all.push(help);
            }
        }
        match all.is_empty() {
            true => String::new(),
            false => format!("; what may help: {}", all.join("; or ")),
        }
    }
}

impl From<Vec<Part>> for Reason {
    fn from(parts: Vec<Part>) -> Self {
        let text = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("; ");
        Self { text, parts, messages: Vec::new() }
    }
}

/// What found the answer, written as its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decider(pub DecidedBy);

impl Serialize for Decider {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// For how many threads there is an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Threads {
    /// How many were asked for, besides the initial one.
    pub asked: Bound,
    /// For how many the verdict holds, besides the initial one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds_for: Option<Bound>,
    /// How many the program starts at most in all of a run, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_started: Option<u32>,
    /// How many exist at once in the execution that fails, besides the initial one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_trace: Option<u32>,
}

impl Threads {
    /// For how many the verdict holds, in words; `None` without one.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        self.words(None)
    }

    /// For how many the verdict holds, in words; `None` without one. What the program and the
    /// failing execution have follows in brackets, as far as the bound does not say it, and then
    /// what proved a success.
    fn words(&self, proved_by: Option<DecidedBy>) -> Option<String> {
        let bound = self.holds_for?.0;
        let is_unbounded = bound == ThreadBound::Unbounded;
        let started = self.most_started.filter(|_| is_unbounded).map(|most| match most {
            0 => "the program starts none".to_owned(),
            most => format!("the program starts at most {most}"),
        });
        let in_trace = self.in_trace.filter(|_| self.most_started != Some(0));
        let in_trace = in_trace.map(|threads| match threads {
            0 => "the failing run has none".to_owned(),
            // The bound says besides which.
            n if started.is_some() || !is_unbounded => format!("the failing run has {n}"),
            n => format!("the failing run has {n} besides the initial one"),
        });
        let proved_by = proved_by.filter(|by| *by != DecidedBy::NoAssertion);
        let proved_by = proved_by.map(|by| format!("by {by}"));
        let notes: Vec<String> = [started, in_trace, proved_by].into_iter().flatten().collect();
        let text = threads_text(bound);
        Some(match notes.is_empty() {
            true => text,
            false => format!("{text} ({})", notes.join("; ")),
        })
    }
}

/// What was asked of a program, by the names of the properties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// Those that were.
    pub checked: Vec<&'static str>,
    /// Those that were not.
    pub not_checked: Vec<&'static str>,
}

impl From<&Properties> for Asked {
    fn from(properties: &Properties) -> Self {
        Self { checked: properties.names(), not_checked: properties.others() }
    }
}

impl Asked {
    /// What a success says of them.
    fn words(&self) -> Vec<String> {
        let lists = [("checked", &self.checked), ("not checked", &self.not_checked)];
        let is_default = *self == Self::from(&Properties::default());
        let lists = lists.into_iter().skip(usize::from(is_default));
        let lists = lists.filter(|(_, names)| !names.is_empty());
        lists.map(|(what, names)| format!("{what}: {}", names.join(" "))).collect()
    }
}

/// A number of threads, or `unbounded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound(pub ThreadBound);

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ThreadBound::Bounded(threads) => serializer.serialize_u32(threads),
            ThreadBound::Unbounded => serializer.serialize_str("unbounded"),
        }
    }
}

impl From<SafeFor> for Bound {
    fn from(safe: SafeFor) -> Self {
        Self(match safe {
            SafeFor::AllThreads => ThreadBound::Unbounded,
            SafeFor::Threads(threads) => ThreadBound::Bounded(threads),
        })
    }
}

/// A place in a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1; 0 where it is not known.
    pub line: u32,
    /// Column in bytes, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The source's function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

impl Place {
    /// A location of a module.
    #[must_use]
    pub fn new(module: &Module, location: Location) -> Self {
        let file = module.files.get(location.file.index());
        let function = module.names.get(location.function.index());
        Self {
            file: file.map_or("?", String::as_str).to_owned(),
            line: location.line,
            column: Some(location.column).filter(|&column| column != 0),
            function: function.filter(|name| !name.is_empty()).cloned(),
        }
    }
}

/// Which assertions runs come to. Each assertion of the source counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertions {
    /// How many the program has.
    pub total: usize,
    /// Those that a run comes to.
    pub reached: Vec<Place>,
    /// Those of which it is proved that no run does.
    pub unreachable: Vec<Place>,
    /// Those of which neither is known.
    pub unknown: Vec<Place>,
    /// The place that every run on the way to an assertion comes to and none gets past.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_end: Option<Place>,
}

/// How many assertions of which little is known are named in the verdict.
const NAMED: usize = 3;

impl Assertions {
    /// What is known of the assertions of a module.
    #[must_use]
    pub fn new(module: &Module, coverage: &Coverage) -> Self {
        let of = |wanted: Reach| {
            let those = coverage.assertions.iter().filter(|(_, reach)| *reach == wanted);
            those.map(|(assertion, _)| Place::new(module, assertion.location)).collect()
        };
        Self {
            total: coverage.assertions.len(),
            reached: of(Reach::Reached),
            unreachable: of(Reach::Unreachable),
            unknown: of(Reach::Unknown),
            dead_end: coverage.dead_end.map(|location| Place::new(module, location)),
        }
    }

    /// What is known of the assertions of a Boolean program, given by their positions.
    #[must_use]
    pub fn of_boolean(file: &str, coverage: &[(Position, Reach)]) -> Self {
        let of = |wanted: Reach| {
            let those = coverage.iter().filter(|(_, reach)| *reach == wanted);
            those
                .map(|(position, _)| Place {
                    file: file.to_owned(),
                    line: position.line,
                    column: Some(position.column).filter(|&column| column != 0),
                    function: None,
                })
                .collect()
        };
        Self {
            total: coverage.len(),
            reached: of(Reach::Reached),
            unreachable: of(Reach::Unreachable),
            unknown: of(Reach::Unknown),
            dead_end: None,
        }
    }

    /// Adds what is known of others.
    pub fn add(&mut self, others: Self) {
        self.total += others.total;
        self.reached.extend(others.reached);
        self.unreachable.extend(others.unreachable);
        self.unknown.extend(others.unknown);
        self.dead_end = self.dead_end.take().or(others.dead_end);
    }

    /// What the verdict has to say of them: nothing if runs come to all.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let Self { total, reached, unknown, .. } = self;
        let noun = if *total == 1 { "assertion" } else { "assertions" };
        if *total == 0 {
            return vec!["no assertion".to_owned()];
        }
        if let Some(end) = &self.dead_end {
            // Which file it is goes without saying where the assertions are in the same.
            let all = self.unreachable.iter();
            let file = if all.clone().all(|place| place.file == end.file) {
                String::new()
            } else {
                format!(" of {}", end.file)
            };
            return vec![format!("no run passes line {}{file}", end.line)];
        }
        if reached.len() == *total {
            return Vec::new();
        }
        if unknown.is_empty() {
            return vec![format!("{} of {total} {noun} can be reached", reached.len())];
        }
        let mut words = Vec::new();
        if !self.unreachable.is_empty() {
            let most = total - self.unreachable.len();
            words.push(format!("at most {most} of {total} {noun} can be reached"));
        }
        for place in unknown.iter().take(NAMED) {
            words.push(format!("not known whether the assertion at {place} can be reached"));
        }
        match unknown.len().saturating_sub(NAMED) {
            0 => {}
            1 => words.push("nor whether one more can".to_owned()),
            more => words.push(format!("nor whether {more} more can")),
        }
        words
    }
}

/// An assertion that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedAssertion {
    /// What it claims.
    pub text: String,
    /// The property that it is of; Boolean programs have their assertions alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<&'static str>,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
}

/// A step of an execution: what one thread does at one statement before another thread acts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Who moves: 0 is the initial thread.
    pub thread: u32,
    /// The function that the thread runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_function: Option<String>,
    /// The place of what is executed first.
    #[serde(flatten)]
    pub place: Place,
    /// The statement, in the words of the source; empty where that cannot be read.
    pub statement: String,
    /// What happens.
    pub events: Vec<Event>,
}

/// Something that a step does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Event {
    /// What it is: the word of an [`EventKind`].
    pub kind: &'static str,
    /// The thread that is started or joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// What it is done to; for a choice, the function that returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The value that is read, written or chosen; for a start, the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether what is read was never given a value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uninitialised: bool,
    /// All this in words.
    pub text: String,
    /// Where it happens, where that is known.
    #[serde(skip)]
    pub place: Option<Place>,
    /// Where what is read comes from, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "source")]
    pub source: Option<Source>,
}

/// Where a value comes from, in JSON: steps and their events are numbered from 0, as arrays are.
fn source<S: Serializer>(source: &Option<Source>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Form {
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<usize>,
        #[serde(skip_serializing_if = "Option::is_none")]
        event: Option<usize>,
    }
    let form = |kind, step, event| Form { kind, step, event };
    let form = source.map(|source| match source {
        Source::Store(at) => form("store", Some(at.step), Some(at.event)),
        Source::Waiting(at) => form("waiting", Some(at.step), Some(at.event)),
        Source::Earlier(step) => form("store", Some(step), None),
        Source::Initial => form("initial", None, None),
    });
    form.serialize(serializer)
}

impl From<&execution::Event> for Event {
    fn from(event: &execution::Event) -> Self {
        let thread = match event.kind {
            EventKind::Start | EventKind::Join => {
                event.name.strip_prefix("thread ").and_then(|number| number.parse().ok())
            }
            _ => None,
        };
        Self {
            kind: event.kind.word(),
            thread,
            name: Some(event.name.clone()).filter(|name| !name.is_empty() && thread.is_none()),
            value: event.value.clone(),
            uninitialised: event.uninitialised,
            text: event.text(),
            place: None,
            source: None,
        }
    }
}

/// Figures of a run. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Time of the whole run.
    pub seconds: f64,
    /// Time by phase, in the order in which they began.
    pub phases: Vec<Phase>,
    /// The rounds of refinement.
    pub rounds: Vec<Round>,
    /// The predicates at the end.
    pub predicates: Vec<String>,
    /// States of the largest model check.
    pub states: usize,
    /// Calls of the SAT solver by the abstraction.
    pub sat_calls: u64,
    /// The most memory that the process had at once, in bytes, where the system says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}

/// A part of the work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// What was done.
    pub name: String,
    /// How long, in seconds.
    pub seconds: f64,
}

impl Statistics {
    /// Adds what is known of every run: how long it and its phases took so far, and its memory.
    /// The rounds' parts of a phase are put together.
    pub fn add_run(&mut self, limits: &Limits) {
        self.seconds = limits.elapsed().as_secs_f64();
        self.peak_memory = peak_memory();
        self.phases.clear();
        for (phase, time) in limits.times() {
            let name = match phase {
                sapa_limits::Phase::Abstraction(_) => "abstraction".to_owned(),
                sapa_limits::Phase::ModelChecking(_) => "model checking".to_owned(),
                phase => phase.to_string(),
            };
            let seconds = time.as_secs_f64();
            match self.phases.iter_mut().find(|known| known.name == name) {
                Some(known) => known.seconds += seconds,
                None => self.phases.push(Phase { name, seconds }),
            }
        }
    }
}

/// A round of refinement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Round {
    /// Predicates tracked.
    pub predicates: usize,
    /// States that the model checker kept.
    pub states: usize,
    /// Time of the abstraction, in seconds.
    pub abstraction: f64,
    /// Time of model checking, in seconds.
    pub checking: f64,
    /// Calls of the SAT solver by the abstraction, from the first round to this one.
    pub sat_calls: u64,
}

/// The most resident memory that this process ever had, in bytes; `None` where the system does not
/// say it as Linux does.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The word for an atomicity.
#[must_use]
pub fn atomicity(atomicity: Atomicity) -> &'static str {
    match atomicity {
        Atomicity::Access => "access",
        Atomicity::Statement => "statement",
    }
}

/// How a report is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// As JSON.
    pub json: bool,
    /// The verdict only.
    pub quiet: bool,
    /// With all that is known.
    pub verbose: bool,
}

impl Report {
    /// Whether it has an answer, or says why there is none; else an error ended the run.
    #[must_use]
    pub fn is_verdict(&self) -> bool {
        matches!(self.verdict, Exit::Successful | Exit::Failed | Exit::Inconclusive)
    }

    /// A report of which nothing is known but the verdict.
    #[must_use]
    pub fn new(verdict: Exit) -> Self {
        Self {
            version: FORM,
            sapa: env!("CARGO_PKG_VERSION"),
            verdict,
            exit_code: verdict.code(),
            reason: None,
            decided_by: None,
            threads: None,
            memory_model: None,
            buffers: None,
            atomicity: None,
            passes: None,
            properties: None,
            assumptions: Vec::new(),
            assertions: None,
            failed_assertion: None,
            trace: None,
            results: None,
            fences: None,
            warnings: Vec::new(),
            statistics: None,
            trace_text: String::new(),
            pointer_bits: None,
        }
    }

    /// No answer, for these reasons.
    #[must_use]
    pub fn inconclusive(parts: Vec<Part>) -> Self {
        Self { reason: Some(parts.into()), ..Self::new(Exit::Inconclusive) }
    }

    /// Shows the report and says how the program is to end. For people the verdict stands in the
    /// last two lines of the standard output, and errors on the standard error. A report that
    /// cannot be written is as a product that cannot be written.
    #[must_use]
    pub fn print(&self, style: Style) -> Exit {
        let text = self.text(style);
        claim();
        let is_hidden = style.json || (style.quiet && self.verdict == Exit::Inconclusive);
        if !is_hidden {
            self.messages().iter().for_each(Message::print);
        }
        match input::write(None, text.as_bytes()) {
            Ok(()) => self.verdict,
            Err(failure) => {
                failure.messages.iter().for_each(Message::print);
                failure.exit
            }
        }
    }

    /// What stands on the standard output.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        match (style.json, self.verdict) {
            (true, _) => match serde_json::to_string(self) {
                Ok(text) => format!("{text}\n"),
                Err(error) => {
                    message!("internal error: {error}");
                    String::new()
                }
            },
            (false, Exit::Usage | Exit::BadInput | Exit::Internal) => String::new(),
            (false, _) => {
                let trace = if style.quiet { "" } else { &self.trace_text };
                let fences = self.fences.as_ref().map_or_else(String::new, |f| f.text(style));
                let circumstances = self.circumstances();
                format!("{fences}{trace}{circumstances}\n{}\n", self.verdict.line())
            }
        }
    }

    fn messages(&self) -> &[Message] {
        self.reason.as_ref().map_or(&[], |reason| &reason.messages)
    }

    /// The memory model and its buffers, in words.
    #[must_use]
    pub fn memory_words(&self) -> Option<String> {
        let model = self.memory_model.and_then(model_text)?;
        Some(self.buffers.map_or_else(|| model.to_owned(), |buffers| format!("{model}, {buffers}")))
    }

    /// The line before the verdict: what it holds for, or why there is none.
    #[must_use]
    pub fn circumstances(&self) -> String {
        let passes = self.passes.as_ref().map(|passes| format!("with --passes '{passes}'"));
        if let Some(reason) = &self.reason {
            let passes = passes.map_or_else(String::new, |passes| format!(" ({passes})"));
            let what = if self.is_verdict() { "inconclusive" } else { "error" };
            return format!("{what}: {}{passes}{}", reason.text, reason.help());
        }
        let mut words = Vec::new();
        let decided_by = self.decided_by.map(|Decider(by)| by);
        let proved_by = decided_by.filter(|_| self.verdict == Exit::Successful);
        words.extend(self.threads.as_ref().and_then(|threads| threads.words(proved_by)));
        words.extend(self.memory_model.and_then(model_text).map(str::to_owned));
        words.extend(self.buffers.map(|buffers| buffers.to_string()));
        words.extend(self.atomicity.map(|atomicity| format!("{atomicity} atomicity")));
        words.extend(passes);
        words.extend(self.assumptions.iter().cloned());
        words.extend(self.assertions.iter().flat_map(Assertions::words));
        let asked = self.properties.as_ref().filter(|_| self.verdict == Exit::Successful);
        words.extend(asked.iter().flat_map(|asked| asked.words()));
        words.join(", ")
    }
}

/// The memory model of this word, for people.
pub(crate) fn model_text(word: &str) -> Option<&'static str> {
    match word {
        "sc" => Some("sequential consistency"),
        "tso" => Some("total store order"),
        "pso" => Some("partial store order"),
        _ => None,
    }
}

/// The store buffers that an answer holds for.
#[derive(Clone, Copy, Debug)]
pub struct Buffers(pub sapa_driver::Buffers);

impl fmt::Display for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            sapa_driver::Buffers::Any => f.write_str("buffers of any size"),
            sapa_driver::Buffers::Robust => f.write_str("robust: buffers of any size"),
            sapa_driver::Buffers::AtMost(1) => f.write_str("buffers with room for 1 store"),
            sapa_driver::Buffers::AtMost(bound) => {
                write!(f, "buffers with room for {bound} stores")
            }
        }
    }
}

impl Serialize for Buffers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            sapa_driver::Buffers::Any => serializer.serialize_str("any size"),
            sapa_driver::Buffers::Robust => serializer.serialize_str("robust"),
            sapa_driver::Buffers::AtMost(bound) => serializer.serialize_u32(bound),
        }
    }
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        let text = failure.text();
        let mut messages = failure.messages;
        if failure.exit == Exit::Inconclusive {
            // Why there is no answer is no error; what there is to show of a place is worth more.
            messages.retain(|message| message.severity == Severity::Note && message.file.is_some());
        }
        let place = messages.first().and_then(|message| {
            let (file, line) = (message.file.clone()?, message.line.unwrap_or(0));
            Some(Place { file, line, column: message.column, function: None })
        });
        let part = |kind| Part { place: place.clone(), ..Part::new(kind, &text) };
        let parts = failure.kind.into_iter().map(part).collect();
        Self { text, parts, messages }
    }
}

impl From<Failure> for Report {
    fn from(failure: Failure) -> Self {
        let verdict = failure.exit;
        Self { reason: Some(failure.into()), ..Self::new(verdict) }
    }
}
