//! Checking Boolean programs: what `sapa-mc` and `sapa check x.bp` do.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sapa_backend::cegar::DecidedBy;
use sapa_backend::check::coverage::{Reach, coverage, unknown};
use sapa_backend::check::recursion::{Checked, check_recursive};
use sapa_backend::check::{
    Answer, CheckOptions, Engine, Proof, Statistics, SymbolicStatistics, ThreadBound, auto, check,
};
use sapa_backend::execution::{self, EventKind};
use sapa_backend::inconclusive::Kind;
use sapa_ir::boolean::ast::{Position, Program};
use sapa_ir::boolean::error::Error;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, FlatVariable, Location, LocationId};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten, is_recursive};
use sapa_ir::boolean::parser;
use sapa_ir::boolean::trace::{Trace, TraceState, Valuation};
use sapa_limits::{self as limits, Limits, Stopped, memory};

use crate::certificate;
use crate::failure::{Failure, Message};
use crate::input;
use crate::message_part;
use crate::progress::ProgressLine;
use crate::report::{
    self, Assertions, Bound, Decider, Event, FailedAssertion, Part, Place, Report, Step, Threads,
};
use crate::run::Draft;
use crate::statements::Statements;
use crate::trace;
use crate::verdict::Exit;

/// How to check a Boolean program.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many threads may exist at once besides the initial one.
    pub threads: ThreadBound,
    /// The engine.
    pub engine: &'static Engine,
    /// Labels that are errors, besides `SLIC_ERROR`.
    pub error_labels: Vec<String>,
    /// Whether variables without initial value start at 0.
    pub zero_initialised: bool,
    /// How long to go on, and with how much memory.
    pub limits: Limits,
    /// Whether partial-order reduction is on.
    pub partial_order_reduction: bool,
    /// Whether to print figures.
    pub statistics: bool,
    /// Where a certificate of a success goes, if one is wanted.
    pub certificate: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: ThreadBound::Unbounded,
            engine: &auto::ENGINE,
            error_labels: Vec::new(),
            zero_initialised: false,
            limits: Limits::default(),
            partial_order_reduction: false,
            statistics: false,
            certificate: None,
        }
    }
}

/// Reads a Boolean program from a file (`-`: the standard input) and flattens it.
///
/// # Errors
/// What is wrong with the file.
pub fn read(
    path: &Path,
    error_labels: &[String],
    zero_initialised: bool,
    limits: &Limits,
) -> Result<FlatProgram, Failure> {
    let source = Source::read(path, error_labels, zero_initialised, limits)?;
    let _phase = limits.enter(limits::Phase::Flattening);
    flatten(&source.program, &source.options).map_err(|error| source.failure(&[error]))
}

/// A Boolean program as it was read.
struct Source {
    name: String,
    bytes: Vec<u8>,
    program: Program,
    /// How to flatten it.
    options: FlattenOptions,
}

impl Source {
    fn read(
        path: &Path,
        error_labels: &[String],
        zero_initialised: bool,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let name = input::name(path);
        let bytes = input::read_within(path, limits)?;
        let _phase = limits.enter(limits::Phase::Parsing);
        let text = String::from_utf8_lossy(&bytes);
        let parsed = parser::parse_within(&text, limits);
        let program = parsed.map_err(|errors| bad_program(&name, &bytes, &errors.0))?;
        if let Some(label) = error_labels.iter().find(|label| !program.has_label(label)) {
            let text = format!("no statement has the label `{label}` of --error-label");
            return Err(Failure::bad_input([Message::error(text).in_file(&name)]));
        }
        let limits = limits.clone();
        let mut options = FlattenOptions { zero_initialised, limits, ..FlattenOptions::default() };
        options.error_labels.extend(error_labels.iter().cloned());
        Ok(Self { name, bytes, program, options })
    }

    fn failure(&self, errors: &[Error]) -> Failure {
        bad_program(&self.name, &self.bytes, errors)
    }
}

/// What is wrong with a Boolean program.
fn bad_program(name: &str, bytes: &[u8], errors: &[Error]) -> Failure {
    let mut sources = Statements::of(name, bytes);
    Failure::bad_input(errors.iter().map(|error| {
        let Position { line, column } = error.position;
        Message::error(&error.message).at(name, line, column, &mut sources)
    }))
}

/// Checks a Boolean program in a file (`-`: the standard input); the answer goes into the draft.
///
/// # Errors
/// What is wrong with the file.
pub fn check_file(path: &Path, options: &Options, draft: &Draft) -> Result<(), Failure> {
    let start = Instant::now();
    let source =
        Source::read(path, &options.error_labels, options.zero_initialised, &options.limits)?;
    let flattening = options.limits.enter(limits::Phase::Flattening);
    let flat = flatten(&source.program, &source.options);
    drop(flattening);
    let flat = match flat {
        // Procedures that call themselves where no run comes make no difference.
        Err(_) if is_recursive(&source.program) => None,
        flat => Some(flat.map_err(|error| source.failure(&[error]))?),
    };
    check_program(path, &source, flat, options, start.elapsed(), draft)
}

/// Checks a program, given its flat form if there is one.
fn check_program(
    path: &Path,
    source: &Source,
    flat: Option<FlatProgram>,
    options: &Options,
    reading: Duration,
    draft: &Draft,
) -> Result<(), Failure> {
    let proof = options.certificate.as_ref().map(|_| Proof::default());
    let is_recursive = flat.is_none();
    let check_options = CheckOptions {
        limits: options.limits.clone(),
        memory_limit: options
            .limits
            .memory()
            .map(|most| most.saturating_sub(memory::resident().unwrap_or(0))),
        partial_order_reduction: options.partial_order_reduction,
        proof: proof.clone(),
        ..CheckOptions::new(options.threads)
    };
    let start = Instant::now();
    let mut line = ProgressLine::new();
    let checking_phase = options.limits.enter(limits::Phase::ModelChecking(None));
    let (engine, progress) = (options.engine, &mut |progress| line.show(progress));
    let checked = match flat {
        Some(program) => {
            let outcome = check(engine, &program, &check_options, progress);
            Ok(Checked { program, is_whole: true, outcome })
        }
        None => {
            // A certificate would be about another program.
            let options = CheckOptions { proof: None, ..check_options.clone() };
            check_recursive(engine, &source.program, &source.options, &options, progress)
        }
    };
    line.clear();
    drop(checking_phase);
    let Checked { program: flat, is_whole, outcome } =
        checked.map_err(|error| source.failure(&[error]))?;
    let flat = &flat;
    let checking = start.elapsed();
    let decided_by = outcome.decided_by();
    let states = outcome.statistics.states;
    if options.statistics {
        message_part!("{}", figures(&outcome.statistics, reading, checking));
    }
    let mut report = match &outcome.answer {
        Answer::Safe { .. } => Report::new(Exit::Successful),
        Answer::Failing { .. } => Report::new(Exit::Failed),
        Answer::Imprecise(suspect) => {
            let Position { line, column } = suspect.assertion;
            let column = Some(column).filter(|&column| column != 0);
            let place = Place { file: input::name(path), line, column, function: None };
            let part = Part::new(Kind::OverApproximation, suspect.to_string());
            Report::inconclusive(vec![Part { place: Some(place), ..part }])
        }
        Answer::Unknown(reason) => {
            let explored = if outcome.statistics.depth > 0 {
                format!(" (depth {} explored)", outcome.statistics.depth)
            } else {
                String::new()
            };
            let phase = Some(limits::Phase::ModelChecking(None));
            let stopped = options.limits.stopped();
            let stopped = stopped.or_else(|| reason.exceeded().map(|why| Stopped { why, phase }));
            let mut part = match stopped {
                Some(stopped) => Part::from(stopped),
                None => Part::new(reason.into(), reason.to_string()),
            };
            part.text.push_str(&explored);
            Report::inconclusive(vec![part])
        }
    };
    let asked = Bound(options.threads);
    let holds_for = match &outcome.answer {
        Answer::Safe { threads, .. } => Some(Bound::from(*threads)),
        Answer::Failing { .. } => Some(asked),
        Answer::Imprecise(_) | Answer::Unknown(_) => None,
    };
    let in_trace = match &outcome.answer {
        Answer::Failing { trace, .. } => Some(trace.most_started()),
        _ => None,
    };
    report.threads = Some(Threads { asked, holds_for, most_started: None, in_trace });
    report.decided_by = decided_by.map(|by| Decider(DecidedBy::Engine(by)));
    report.statistics = Some(report::Statistics { states, ..Default::default() });
    let name = input::name(path);
    match &outcome.answer {
        Answer::Failing { trace, .. } => add_trace(&mut report, &name, flat, trace),
        Answer::Safe { .. } => {
            report.assertions = Some(Assertions::of_boolean(&name, &unknown(flat)));
        }
        Answer::Imprecise(_) | Answer::Unknown(_) => {}
    }
    draft.change(|draft| *draft = report);
    if let (Some(file), Some(proof)) = (&options.certificate, &proof) {
        let is_safe = matches!(outcome.answer, Answer::Safe { .. });
        if let Some(text) = certificate::of_program(file, is_safe, is_recursive, proof) {
            draft.writes(file, text);
        }
    }
    if let Answer::Safe { threads, .. } = outcome.answer {
        let _phase = options.limits.enter(limits::Phase::Coverage);
        let threads = Bound::from(threads).0;
        let check_options = CheckOptions { threads, proof: None, ..check_options };
        let mut found = coverage(options.engine, flat, &check_options, outcome.statistics.work);
        for (_, reach) in found.iter_mut().filter(|(_, reach)| *reach == Reach::Unreachable) {
            // Deeper recursive calls may come to it.
            *reach = if is_whole { Reach::Unreachable } else { Reach::Unknown };
        }
        let assertions = Assertions::of_boolean(&name, &found);
        draft.change(|report| report.assertions = Some(assertions));
    }
    Ok(())
}

/// Puts an execution that fails into a report.
fn add_trace(report: &mut Report, name: &str, flat: &FlatProgram, trace: &Trace) {
    let place = |location: LocationId| {
        let location = flat.locations.get(location.0 as usize);
        let procedure = location.and_then(|l| flat.procedures.get(l.procedure.0 as usize));
        Place {
            file: name.to_owned(),
            line: location.map_or(0, |l| l.position.line),
            column: location.map(|l| l.position.column).filter(|&column| column != 0),
            function: procedure.cloned(),
        }
    };
    let mut statements = Statements::default();
    let mut rows = Rows { flat, steps: Vec::new(), last: None };
    let mut before = &trace.initial;
    let mut step_at =
        |location: LocationId, thread: u32, events: &[execution::Event], is_part: bool| {
            let place = place(location);
            let column = place.column.unwrap_or(0);
            let mut statement = statements.boolean(&place.file, place.line, column, is_part);
            if statement.is_empty() {
                let labels = flat.locations.get(location.0 as usize).map(|l| l.labels.join(" "));
                statement = labels.unwrap_or_default();
            }
            let events = events.iter().map(Event::from).collect();
            Step { thread, thread_function: None, place, statement, events }
        };
    for step in &trace.steps {
        let events = rows.events(step.location, step.thread, before, &step.state);
        if rows.shows(step.location, &events) {
            let is_part = rows.is_started_at(step.location);
            rows.push(step.location, step_at(step.location, step.thread, &events, is_part));
        }
        before = &step.state;
    }
    let failure = execution::Event::new(EventKind::Fail, String::new());
    let mut steps = rows.steps;
    steps.push(step_at(trace.failing_location, trace.failing_thread, &[failure], false));
    let failing = place(trace.failing_location);
    report.trace_text.push_str(&trace::text(&steps));
    report.trace_text.push_str(&format!(
        "Failed assertion of thread {} at {name}:{}\n",
        trace.failing_thread, failing.line
    ));
    let text = flat
        .locations
        .get(trace.failing_location.0 as usize)
        .map_or(String::new(), |location| location.labels.join(" "));
    report.failed_assertion = Some(FailedAssertion { text, property: None, place: failing });
    report.trace = Some(steps);
}

/// The rows of an execution: a statement each.
struct Rows<'f> {
    flat: &'f FlatProgram,
    steps: Vec<Step>,
    /// Where the last one was executed.
    last: Option<LocationId>,
}

impl Rows<'_> {
    fn location(&self, location: LocationId) -> Option<&Location> {
        self.flat.locations.get(location.0 as usize)
    }

    /// What a step does: the threads that it starts, and the values of all variables that it
    /// assigns, as well as of others of the thread that it changes.
    fn events(
        &self,
        location: LocationId,
        thread: u32,
        before: &TraceState,
        after: &TraceState,
    ) -> Vec<execution::Event> {
        let mut events: Vec<execution::Event> = Vec::new();
        for new in after.threads.iter().filter(|t| before.thread(t.thread).is_none()) {
            events.push(execution::Event::new(EventKind::Start, format!("thread {}", new.thread)));
        }
        let statement = self.location(location).map(|location| &location.statement);
        let (mut shared, mut local) = (Vec::new(), Vec::new());
        match statement {
            // At the head of a procedure nothing is assigned: its variables come to be.
            Some(FlatStatement::Assign { assignment, .. }) if !self.is_head(location) => {
                shared.extend(assignment.shared.iter().map(|(variable, _)| variable.index()));
                local.extend(assignment.local.iter().map(|(variable, _)| variable.index()));
            }
            Some(FlatStatement::Lock { variable, .. } | FlatStatement::Unlock { variable, .. }) => {
                shared.push(variable.index());
            }
            _ => {}
        }
        let mut add = |kind,
                       variables: &[FlatVariable],
                       set: &[usize],
                       now: &Valuation,
                       old: &Valuation| {
            for (index, (variable, (now, old))) in
                variables.iter().zip(now.iter().zip(old.iter())).enumerate()
            {
                // What a procedure returns is the flat form's own.
                let is_named = !variable.name.contains('#');
                if is_named && (now != old || set.contains(&index)) {
                    let value = u8::from(now).to_string();
                    events.push(execution::Event::with_value(kind, variable.name.clone(), value));
                }
            }
        };
        add(EventKind::Write, &self.flat.shared, &shared, &after.shared, &before.shared);
        if let (Some(now), Some(old)) = (after.thread(thread), before.thread(thread)) {
            add(EventKind::Assign, &self.flat.locals, &local, &now.locals, &old.locals);
        }
        events
    }

    /// Whether a location is where a procedure is entered or left.
    fn is_head(&self, location: LocationId) -> bool {
        self.location(location).is_some_and(|location| {
            self.flat.heads.get(location.procedure.0 as usize) == Some(&location.position)
        })
    }

    /// Whether a thread begins at a location.
    fn is_started_at(&self, location: LocationId) -> bool {
        let starts = |other: &Location| matches!(other.statement, FlatStatement::StartThread { entry, .. } if entry == location);
        self.flat.locations.iter().any(starts)
    }

    /// Whether a step is of a statement of the thread's own. The head of its procedure, and where
    /// the statement that starts it makes it begin and end, are none, unless they give variables
    /// values.
    fn shows(&self, location: LocationId, events: &[execution::Event]) -> bool {
        let Some(here) = self.location(location).filter(|_| events.is_empty()) else { return true };
        let is_of_start = match here.statement {
            FlatStatement::Skip { .. } => self.is_started_at(location),
            FlatStatement::EndThread => self.flat.locations.iter().any(|other| {
                matches!(other.statement, FlatStatement::StartThread { .. })
                    && other.position == here.position
            }),
            _ => false,
        };
        !is_of_start && !self.is_head(location)
    }

    /// Adds a step. One statement may be several.
    fn push(&mut self, location: LocationId, step: Step) {
        let last = self.last.replace(location);
        let is_assignment = |location: LocationId| {
            let statement = self.location(location).map(|location| &location.statement);
            matches!(statement, Some(FlatStatement::Assign { .. }))
        };
        let goes_on = last
            .is_some_and(|last| last != location && is_assignment(last) && is_assignment(location));
        match self.steps.last_mut() {
            Some(before) if before.thread == step.thread && before.place == step.place => {
                if goes_on {
                    before.events.extend(step.events);
                } else if !step.events.is_empty() {
                    self.steps.push(step);
                }
            }
            _ => self.steps.push(step),
        }
    }
}

/// `--stats`: a figure a line; those that the engine has none of are left out.
pub(crate) fn figures(statistics: &Statistics, reading: Duration, checking: Duration) -> String {
    let seconds = checking.as_secs_f64();
    let per = |a: usize, b: usize| a as f64 / b.max(1) as f64;
    let mut text = String::new();
    let mut line = |name: &str, value: String, there: bool| {
        if there {
            text.push_str(&format!("{name:<28} {value}\n"));
        }
    };
    let s = statistics;
    let engine = s.attempts.iter().find(|attempt| attempt.left.is_none());
    line("engine", engine.map_or(String::new(), |a| a.engine.name.to_owned()), engine.is_some());
    for attempt in s.attempts.iter() {
        let name = attempt.engine.name;
        let left = attempt.left.map_or(String::new(), |why| format!("{name}: {why}"));
        line("left", left, attempt.left.is_some());
    }
    let symbolic = s.symbolic.unwrap_or_default();
    let SymbolicStatistics { nodes, images, splices, cofactors, merges } = symbolic;
    let count = |n: usize| (n.to_string(), n > 0);
    for (name, (value, there)) in [
        ("states", (s.states.to_string(), true)),
        ("transitions", count(s.transitions)),
        ("depth", count(s.depth)),
        ("states per second", (format!("{:.0}", s.states as f64 / seconds), s.states > 0)),
        (
            "bytes per state",
            (format!("{:.1}", per(s.bytes, s.states)), s.bytes > 0 && s.states > 0),
        ),
        ("peak BDD nodes", count(nodes)),
        ("images", count(images)),
        ("splices", count(splices)),
        ("satisfiable cofactors", count(cofactors)),
        ("cofactors per splice", (format!("{:.2}", per(cofactors, splices)), splices > 0)),
        ("merges", count(merges)),
        ("seconds reading", (format!("{:.3}", reading.as_secs_f64()), true)),
        ("seconds checking", (format!("{seconds:.3}"), true)),
    ] {
        line(name, value, there);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_beyond_all_clocks_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bp");
        std::fs::write(&path, "decl g := 1; void main() begin assert(g) end").expect("the file");
        let options =
            Options { limits: Limits::time(Duration::from_secs(u64::MAX)), ..Options::default() };
        let draft = Draft::default();
        check_file(&path, &options, &draft).expect("it is checked");
        assert_eq!(draft.finished(&options.limits).verdict, Exit::Successful);
    }
}
