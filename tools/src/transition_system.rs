//! Checking thread transition systems: what `sapa-mc` does with `.tts`.

use std::path::Path;
use std::time::Instant;

use sapa_backend::cegar::DecidedBy;
use sapa_backend::check::transition_system::{
    Configuration, Found, Taken, Target, TransitionSystem, check, engines, read,
};
use sapa_backend::check::{CheckOptions, Method, Statistics};
use sapa_backend::execution::{self, EventKind};
use sapa_backend::inconclusive::Kind;
use sapa_limits::{self as limits, Stopped, memory};

use crate::boolean::{Options, figures};
use crate::failure::{Failure, Message};
use crate::input;
use crate::message_part;
use crate::progress::ProgressLine;
use crate::report::{
    self, Bound, Decider, Event, FailedAssertion, Part, Place, Report, Step, Threads,
};
use crate::run::Draft;
use crate::statements::Statements;
use crate::trace;
use crate::verdict::Exit;

/// Checks a transition system in a file (`-`: the standard input); the answer goes into the draft.
/// Where it begins and what it must not reach are as in the file, if not given.
///
/// # Errors
/// What is wrong with the file, with the states given, or with the engine.
pub fn check_file(
    path: &Path,
    initial: Option<&str>,
    target: Option<&str>,
    options: &Options,
    draft: &Draft,
) -> Result<(), Failure> {
    let start = Instant::now();
    let name = input::name(path);
    if !engines().contains(&options.engine) {
        let names: Vec<&str> = engines().iter().map(|engine| engine.name).collect();
        let engine = options.engine.name;
        return Err(Failure::usage(format!(
            "the engine '{engine}' cannot check transition systems; use one of {}",
            names.join(", ")
        )));
    }
    let bytes = input::read_within(path, &options.limits)?;
    let parsing = options.limits.enter(limits::Phase::Parsing);
    let mut sources = Statements::of(&name, &bytes);
    let system = read(&bytes, &options.limits).map_err(|error| {
        let message = Message::error(&error.message);
        Failure::bad_input([message.at(&name, error.line, error.column, &mut sources)])
    })?;
    let wrong = |text: String| Failure::bad_input([Message::error(text).in_file(&name)]);
    let initial = match initial {
        Some(text) => {
            vec![system.configuration(text).map_err(|what| wrong(format!("--initial: {what}")))?]
        }
        None if system.locals == 0 || system.shared == 0 => {
            return Err(wrong("there is no state to begin in".to_owned()));
        }
        None => system.begins(),
    };
    let target = match (target, &system.target) {
        (Some(text), _) => {
            system.target(text).map_err(|what| wrong(format!("--target: {what}")))?
        }
        (None, Some(target)) => target.clone(),
        (None, None) => {
            return Err(Failure::usage(
                "nothing is said of what must not be reached; give --target 'shared|local,local'",
            ));
        }
    };
    drop(parsing);
    let run = Run { name: &name, system: &system, initial: &initial, target: &target, options };
    run.check(start, &mut sources, draft);
    Ok(())
}

struct Run<'r> {
    name: &'r str,
    system: &'r TransitionSystem,
    initial: &'r [Configuration],
    target: &'r Target,
    options: &'r Options,
}

impl Run<'_> {
    fn check(&self, start: Instant, sources: &mut Statements, draft: &Draft) {
        let limits = &self.options.limits;
        let reading = start.elapsed();
        let options = CheckOptions {
            limits: limits.clone(),
            memory_limit: limits
                .memory()
                .map(|most| most.saturating_sub(memory::resident().unwrap_or(0))),
            ..CheckOptions::new(self.options.threads)
        };
        let mut line = ProgressLine::new();
        let phase = limits.enter(limits::Phase::ModelChecking(None));
        let begun = Instant::now();
        let (found, statistics) = check(
            self.system,
            self.initial,
            self.target,
            self.options.engine,
            &options,
            &mut |progress| line.show(progress),
        );
        line.clear();
        drop(phase);
        if self.options.statistics {
            message_part!("{}", figures(&statistics, reading, begun.elapsed()));
        }
        let report = self.report(&found, &statistics, sources);
        draft.change(|draft| *draft = report);
    }

    fn report(&self, found: &Found, statistics: &Statistics, sources: &mut Statements) -> Report {
        let bound = Bound(self.options.threads);
        let mut threads =
            Threads { asked: bound, holds_for: None, most_started: None, in_trace: None };
        let decided = |by: &Method| {
            Some(Decider(DecidedBy::Engine(by.words().unwrap_or(self.options.engine.name))))
        };
        let mut report = match found {
            Found::Unreachable(by) => {
                threads.holds_for = Some(Bound(sapa_backend::check::ThreadBound::Unbounded));
                Report { decided_by: decided(by), ..Report::new(Exit::Successful) }
            }
            Found::Reached { steps, threads: most, by } => {
                threads.holds_for = Some(bound);
                threads.in_trace = Some(most.saturating_sub(1));
                let mut report = Report { decided_by: decided(by), ..Report::new(Exit::Failed) };
                self.add_trace(&mut report, steps, sources);
                report
            }
            Found::Imprecise => {
                let text = "the over-approximation is too coarse: the target is in it, and may be \
                            unreachable";
                Report::inconclusive(vec![Part::new(Kind::OverApproximation, text)])
            }
            Found::Unknown(reason) => {
                let phase = Some(limits::Phase::ModelChecking(None));
                let stopped = self.options.limits.stopped();
                let stopped =
                    stopped.or_else(|| reason.exceeded().map(|why| Stopped { why, phase }));
                Report::inconclusive(vec![match stopped {
                    Some(stopped) => Part::from(stopped),
                    None => Part::new(reason.into(), reason.to_string()),
                }])
            }
        };
        report.threads = Some(threads);
        let states = statistics.states;
        report.statistics = Some(report::Statistics { states, ..Default::default() });
        report
    }

    fn add_trace(&self, report: &mut Report, taken: &[Taken], sources: &mut Statements) {
        let place =
            |line: u32| Place { file: self.name.to_owned(), line, column: None, function: None };
        let mut shared = None;
        let mut steps = Vec::with_capacity(taken.len());
        for step in taken {
            let Some(row) = self.system.rows.get(step.row) else { continue };
            let mut events = Vec::new();
            if let Some(started) = step.started {
                let thread = format!("thread {started}");
                events.push(execution::Event::new(EventKind::Start, thread));
            }
            if row.from.0 != row.to.0 || shared.is_none() {
                let (kind, name) = (EventKind::Write, "shared".to_owned());
                events.push(execution::Event::with_value(kind, name, row.to.0.to_string()));
            }
            shared = Some(row.to.0);
            steps.push(Step {
                thread: step.thread,
                thread_function: None,
                place: place(row.line),
                statement: statement(sources.raw_line(self.name, row.line)),
                events: events.iter().map(Event::from).collect(),
            });
        }
        let last = steps.last().map_or(1, |step| step.place.line);
        let states: Vec<String> = self.target.threads.iter().map(u32::to_string).collect();
        let shared = self.target.shared.map_or("*".to_owned(), |shared| shared.to_string());
        let text = format!("{shared}|{}", states.join(","));
        report.trace_text = trace::text(&steps);
        report.trace_text.push_str(&format!("Reached {text}\n"));
        report.failed_assertion =
            Some(FailedAssertion { text, property: None, place: place(last) });
        report.trace = Some(steps);
    }
}

/// A row as it stands there.
fn statement(line: Option<&[u8]>) -> String {
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    let row = line.split('#').next().unwrap_or_default();
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}
