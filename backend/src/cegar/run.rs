//! The loop: abstract, check, simulate, refine.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use sapa_ir::boolean::ast::Program;
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::goto::{Location, Module, Predicate};

use super::path::Judge;
use super::refine::{Spurious, Values, refine};
use super::replay::replay;
use super::simulate::{Simulation, TraceGuard, simulate};
use crate::abstraction::program::TraceEdge;
use crate::abstraction::{self, Strengthener, abstract_program, trace_edges};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::automaton::{Automaton, AutomatonError, EdgeTarget, build};
use crate::check::{self, CheckOptions, EngineKind, Outcome, Progress, SafeFor, ThreadBound};
use crate::solver::Solver;

/// Settings of the loop.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many threads may exist at once besides the initial one.
    pub threads: ThreadBound,
    /// The model checker.
    pub engine: EngineKind,
    /// Settings of the abstraction.
    pub abstraction: abstraction::Options,
    /// Most rounds.
    pub iterations: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Most states of a model-checking run.
    pub max_states: Option<usize>,
    /// Most bytes of a model-checking run, roughly.
    pub memory_limit: Option<usize>,
}

/// Figures of one round.
#[derive(Clone, Copy, Debug, Default)]
pub struct Iteration {
    /// Predicates tracked.
    pub predicates: usize,
    /// States that the model checker stored.
    pub states: usize,
    /// Time of the abstraction.
    pub abstraction: Duration,
    /// Time of model checking.
    pub checking: Duration,
    /// Calls of the SAT solver by the abstraction, so far.
    pub sat_calls: u64,
}

/// Who wants to know how the loop gets on.
pub trait Observer {
    /// A round begins.
    fn iteration(&mut self, number: usize, predicates: usize);
    /// The vocabulary of a round.
    fn vocabulary(&mut self, number: usize, module: &Module) {
        let _ = (number, module);
    }
    /// The Boolean program of a round.
    fn program(&mut self, number: usize, program: &Program);
    /// The error trace of a round's Boolean program; `text` writes it out.
    fn trace(&mut self, number: usize, text: &dyn Fn() -> String) {
        let _ = (number, text);
    }
    /// The model checker works.
    fn checking(&mut self, progress: Progress);
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn iteration(&mut self, _: usize, _: usize) {}
    fn program(&mut self, _: usize, _: &Program) {}
    fn checking(&mut self, _: Progress) {}
}

/// A step of a concrete execution.
#[derive(Clone, Debug)]
pub struct CounterexampleStep {
    /// Who moves; 0 is the initial thread.
    pub thread: u32,
    /// The thread that the step starts.
    pub started: Option<u32>,
    /// Root that the thread runs: index into the automaton's roots.
    pub root: usize,
    /// The instructions executed, by block and index (terminators included).
    pub path: Vec<(sapa_ir::goto::BlockId, u32)>,
    /// Where the step's instructions come from, each line once, in order.
    pub locations: Vec<Location>,
    /// Choices made on the way, in order of execution.
    pub inputs: Vec<u128>,
    /// For each choice, the position in `path` of the instruction that makes it.
    pub input_positions: Vec<u32>,
    /// What the step writes: name and value.
    pub writes: Vec<(String, u128)>,
}

/// A concrete execution that fails an assertion.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The steps; the last one fails.
    pub steps: Vec<CounterexampleStep>,
    /// What does not hold.
    pub property: String,
    /// Where.
    pub location: Location,
    /// Initial contents of shared memory where they are not determined, by pointer.
    pub memory: HashMap<u128, u128>,
    /// Parameters of the entry function, by thread and index.
    pub parameters: HashMap<(u32, u32), u128>,
}

/// The answer of the loop.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No assertion can fail, with this many threads.
    Successful(SafeFor),
    /// An assertion fails.
    Failed(Counterexample),
    /// No answer, and why.
    Inconclusive(String),
}

/// The answer and how it came about.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// Figures of each round.
    pub iterations: Vec<Iteration>,
    /// Assumptions of the answer.
    pub notes: Vec<String>,
}

/// Runs the loop on a module whose calls are inlined and whose synchronisation
/// is lowered. New predicates are added to the module's vocabulary.
///
/// # Errors
/// If the module has a construct that the backend does not model.
pub fn run(
    module: &mut Module,
    mut options: Options,
    observer: &mut dyn Observer,
) -> Result<Report, AutomatonError> {
    let mut symbols = Symbols::default();
    let automaton = build::build(&mut symbols, module)?;
    let mut notes = module.notes.clone();
    notes.extend(automaton.notes.iter().cloned());
    let mut strengthener = Strengthener::default();
    let mut iterations = Vec::new();
    let mut attempts = [false, true].map(|values_first| Attempt {
        predicates: module.predicates.clone(),
        threads: few(options.threads),
        max_cube_length: options.abstraction.max_cube_length,
        rounds: 0,
        values_first,
        slice: FIRST_SLICE,
        stuck: None,
    });
    let mut verdict =
        Verdict::Inconclusive(format!("no answer after {} iterations", options.iterations));
    let mut current = 0;
    let mut end = Instant::now() + FIRST_SLICE;
    for number in 1..=options.iterations {
        let now = Instant::now();
        if options.deadline.is_some_and(|deadline| now >= deadline) {
            verdict = Verdict::Inconclusive("out of time".to_owned());
            break;
        }
        if (now >= end || attempts[current].stuck.is_some())
            && attempts[1 - current].stuck.is_none()
        {
            attempts[current].slice *= 2;
            current = 1 - current;
            end = now + attempts[current].slice;
        }
        let attempt = &mut attempts[current];
        module.predicates.clone_from(&attempt.predicates);
        observer.iteration(number, module.predicates.len());
        let mut figures = Iteration { predicates: module.predicates.len(), ..Iteration::default() };
        options.abstraction.max_cube_length = attempt.max_cube_length;
        let mut round_options = options;
        // The other attempt's turn does not come if it has no way on, or would only do the same.
        let [first, second] = &attempts;
        if attempts[1 - current].stuck.is_none() && !first.is_as_far_as(second) {
            round_options.deadline = Some(options.deadline.map_or(end, |all| all.min(end)));
        }
        strengthener.set_deadline(round_options.deadline);
        let attempt = &mut attempts[current];
        let result = round(
            &mut symbols,
            module,
            &automaton,
            &mut strengthener,
            &round_options,
            attempt,
            number,
            &mut figures,
            observer,
        );
        iterations.push(figures);
        attempt.predicates.clone_from(&module.predicates);
        let now = Instant::now();
        match result {
            None => {}
            Some(Verdict::Inconclusive(_))
                if now >= end && options.deadline.is_none_or(|deadline| now < deadline) => {}
            Some(Verdict::Inconclusive(reason)) => {
                attempt.stuck = Some(reason);
                if let [Attempt { stuck: Some(reason), .. }, Attempt { stuck: Some(_), .. }] =
                    &attempts
                {
                    verdict = Verdict::Inconclusive(reason.clone());
                    break;
                }
            }
            Some(answer) => {
                verdict = answer;
                break;
            }
        }
    }
    Ok(Report { verdict, iterations, notes })
}

/// How long an attempt goes on before the other has its turn; doubled from turn to turn.
const FIRST_SLICE: Duration = Duration::from_secs(8);

/// One way through the refinement. Two take turns: which predicates are the right ones to
/// generalise a spurious trace cannot be known, and either choice can lead astray.
struct Attempt {
    predicates: Vec<Predicate>,
    /// With how many threads the next Boolean program is checked first.
    threads: ThreadBound,
    max_cube_length: usize,
    /// Rounds so far.
    rounds: usize,
    /// Whether values are preferred to templates.
    values_first: bool,
    slice: Duration,
    /// Why it cannot go on.
    stuck: Option<String>,
}

/// One round; `None` if new predicates were found.
#[allow(clippy::too_many_arguments)]
fn round(
    symbols: &mut Symbols,
    module: &mut Module,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    options: &Options,
    attempt: &mut Attempt,
    number: usize,
    figures: &mut Iteration,
    observer: &mut dyn Observer,
) -> Option<Verdict> {
    attempt.rounds += 1;
    observer.vocabulary(number, module);
    let mut made: Option<FlatProgram> = None;
    // With few threads at first, and with more as long as the program is safe: spurious traces
    // with few threads are found sooner and are as good to refine with.
    loop {
        let mut settings = options.abstraction;
        if let ThreadBound::Bounded(threads) = attempt.threads {
            settings.mode = settings.mode.with_threads(threads);
        }
        let expanded = settings.mode.expanded();
        let flat = match made.take().filter(|_| expanded.is_none()) {
            Some(flat) => flat,
            None => {
                let start = Instant::now();
                let abstraction =
                    abstract_program(symbols, module, automaton, strengthener, settings);
                figures.abstraction += start.elapsed();
                figures.sat_calls = strengthener.sat_calls();
                if strengthener.is_expired() {
                    let reason = format!("out of time in abstraction {number}");
                    return Some(Verdict::Inconclusive(reason));
                }
                observer.program(number, &abstraction.program);
                match flatten(&abstraction.program, &FlattenOptions::default()) {
                    Ok(flat) => flat,
                    Err(error) => {
                        return Some(Verdict::Inconclusive(format!(
                            "internal error: the Boolean program is wrong: {error}"
                        )));
                    }
                }
            }
        };
        let start = Instant::now();
        let check_options = CheckOptions {
            deadline: options.deadline,
            max_states: options.max_states,
            memory_limit: options.memory_limit,
            partial_order_reduction: true,
            ..CheckOptions::new(attempt.threads)
        };
        let outcome = check::check(options.engine, &flat, &check_options, &mut |progress| {
            observer.checking(progress)
        });
        figures.checking += start.elapsed();
        figures.states = figures.states.max(outcome.statistics().states);
        return match outcome {
            Outcome::Safe { threads, .. } => {
                // An expanded program has no more threads than it was made for.
                let safe_for = expanded.map_or(threads, SafeFor::Threads);
                if matches!(safe_for, SafeFor::Threads(_)) && attempt.grow(options.threads) {
                    made = Some(flat);
                    continue;
                }
                Some(Verdict::Successful(safe_for))
            }
            Outcome::Unknown { reason, .. } => Some(Verdict::Inconclusive(format!(
                "model checking of iteration {number}: {reason}"
            ))),
            Outcome::Unsafe { trace, .. } => {
                let edges = trace_edges(&flat, &trace);
                observer.trace(number, &|| trace_text(module, automaton, &edges));
                follow(symbols, module, automaton, strengthener, &edges, attempt, options)
            }
        };
    }
}

impl Attempt {
    /// Whether the next round of both is the same.
    fn is_as_far_as(&self, other: &Self) -> bool {
        self.max_cube_length == other.max_cube_length
            && self.predicates.len() == other.predicates.len()
            && self.predicates.iter().all(|p| other.predicates.contains(p))
    }

    /// Goes on with more threads; `false` if these are all.
    fn grow(&mut self, all: ThreadBound) -> bool {
        match (self.threads, all) {
            (ThreadBound::Bounded(few), ThreadBound::Bounded(all)) if few < all => {
                self.threads = ThreadBound::Bounded((few + few / 4 + 1).min(all));
                true
            }
            _ => false,
        }
    }
}

/// With how many threads to begin.
fn few(threads: ThreadBound) -> ThreadBound {
    match threads {
        ThreadBound::Bounded(all) => ThreadBound::Bounded(all.min(2)),
        ThreadBound::Unbounded => ThreadBound::Unbounded,
    }
}

/// Simulates a trace and refines, or reports it.
fn follow(
    symbols: &mut Symbols,
    module: &mut Module,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    trace: &[TraceEdge],
    attempt: &mut Attempt,
    options: &Options,
) -> Option<Verdict> {
    let mut solver = Solver::default();
    solver.set_deadline(options.deadline);
    match simulate(symbols, automaton, trace, &mut solver) {
        Simulation::Unknown => {
            Some(Verdict::Inconclusive("out of time while simulating a trace".to_owned()))
        }
        Simulation::Feasible { inputs, writes, initial } => {
            let found = counterexample(module, automaton, trace, &inputs, &writes, &initial);
            if let Verdict::Failed(counterexample) = &found
                && let Err(reason) = replay(module, options.threads, counterexample)
            {
                // Memory that is read as another type than it was written as is
                // any value to the simulation, but not to the interpreter.
                let message = format!("a feasible trace does not replay: {reason}");
                return Some(Verdict::Inconclusive(message));
            }
            Some(found)
        }
        Simulation::Infeasible { core, values } => {
            let prefer = match attempt.values_first {
                true if attempt.rounds > GENERAL_ROUNDS => Values::First,
                true => Values::Allowed,
                false => Values::Last,
            };
            let spurious = Spurious { trace, core: &core, values: &values };
            let (abstraction, deadline) = (options.abstraction, options.deadline);
            let mut judge =
                Judge { symbols, module, automaton, strengthener, options: abstraction };
            let new = refine(&mut judge, &spurious, prefer, deadline);
            if !new.is_empty() {
                module.predicates.extend(new);
                return None;
            }
            // The predicates are there, but the abstraction of some step does not see it.
            if attempt.max_cube_length < MAX_CUBE_LENGTH {
                attempt.max_cube_length += 1;
                return None;
            }
            Some(Verdict::Inconclusive(inseparable(module, automaton, trace, &core)))
        }
    }
}

/// Rounds in which templates are preferred to values in any case.
const GENERAL_ROUNDS: usize = 2;

/// Longer cubes are not tried.
const MAX_CUBE_LENGTH: usize = 6;

/// Which step the refinement could not separate.
fn inseparable(
    module: &Module,
    automaton: &Automaton,
    trace: &[TraceEdge],
    core: &[TraceGuard],
) -> String {
    let line = |taken: &TraceEdge| {
        let line = locations(module, automaton, *taken).last().map_or(0, |l| l.line);
        format!("T{}:{line}", taken.thread)
    };
    let steps: Vec<String> = trace.iter().map(line).collect();
    let Some(guard) = core.last() else {
        return format!("no new predicates from the spurious trace {}", steps.join(" "));
    };
    let thread = trace.get(guard.step).map_or(0, |taken| taken.thread);
    format!(
        "no new predicates separate step {} of the spurious trace {}: thread {thread} cannot pass {} there, \
         but neither weakest preconditions nor templates over single threads and shared memory say why",
        guard.step + 1,
        steps.join(" "),
        module.describe(guard.location)
    )
}

/// A trace of the Boolean program over source lines, a step a line.
fn trace_text(module: &Module, automaton: &Automaton, trace: &[TraceEdge]) -> String {
    let mut text = String::new();
    for taken in trace {
        let places = locations(module, automaton, *taken);
        let places: Vec<_> = places.iter().map(|l| module.describe(*l)).collect();
        text.push_str(&format!("thread {}: {}", taken.thread, places.join(", ")));
        if let Some(started) = taken.started {
            text.push_str(&format!(" (starts thread {started})"));
        }
        text.push('\n');
    }
    text
}

/// Source locations of a step, each line once.
fn locations(module: &Module, automaton: &Automaton, taken: TraceEdge) -> Vec<Location> {
    let edge = automaton.edge(taken.edge);
    let function = module.function(automaton.roots[edge.root].function);
    let mut found: Vec<Location> = Vec::new();
    for &(block, index) in &edge.path {
        let block = function.block(block);
        let location = block
            .instructions
            .get(index as usize)
            .map_or(block.terminator.location, |i| i.location);
        if location.line != 0
            && found.last().is_none_or(|l| (l.file, l.line) != (location.file, location.line))
        {
            found.push(location);
        }
    }
    found
}

fn counterexample(
    module: &Module,
    automaton: &Automaton,
    trace: &[TraceEdge],
    inputs: &[Vec<u128>],
    writes: &[Vec<(Leaf, u128)>],
    initial: &[(Leaf, u32, u128)],
) -> Verdict {
    let mut steps = Vec::new();
    for ((&taken, inputs), writes) in trace.iter().zip(inputs).zip(writes) {
        let edge = automaton.edge(taken.edge);
        steps.push(CounterexampleStep {
            thread: taken.thread,
            started: taken.started,
            root: edge.root,
            path: edge.path.clone(),
            locations: locations(module, automaton, taken),
            inputs: inputs.clone(),
            input_positions: edge.step.input_positions.clone(),
            writes: writes
                .iter()
                .filter_map(|&(leaf, value)| {
                    leaf_name(module, automaton, leaf).map(|name| (name, value))
                })
                .collect(),
        });
    }
    let Some(EdgeTarget::Error(property)) = trace.last().map(|taken| automaton.edge(taken.edge).to)
    else {
        return Verdict::Inconclusive(
            "internal error: a counterexample does not end in an assertion".to_owned(),
        );
    };
    let property = &automaton.properties[property as usize];
    Verdict::Failed(Counterexample {
        steps,
        property: property.text.clone(),
        location: property.location,
        memory: initial
            .iter()
            .filter_map(|&(leaf, _, value)| match leaf {
                Leaf::Cell(cell) => Some((u128::from(automaton.memory.cell_address(cell)), value)),
                _ => None,
            })
            .collect(),
        parameters: initial
            .iter()
            .filter_map(|&(leaf, thread, value)| {
                let parameters = &automaton.roots.first()?.parameters;
                let index = parameters.iter().position(|&(parameter, _)| parameter == leaf)?;
                Some(((thread, u32::try_from(index).ok()?), value))
            })
            .collect(),
    })
}

/// The source name of a leaf that has one.
fn leaf_name(module: &Module, automaton: &Automaton, leaf: Leaf) -> Option<String> {
    match leaf {
        Leaf::Cell(cell) => {
            let cell = automaton.memory.cell(cell);
            let load = sapa_ir::goto::Expression::Load {
                ty: cell.ty.clone(),
                address: Box::new(cell.place.clone()),
            };
            Some(sapa_ir::goto::c_text::c_text(module, &load))
        }
        Leaf::Variable(function, variable) => {
            module.function(function).variables.get(variable.index()).map(|v| v.name.clone())
        }
        Leaf::Value(..) | Leaf::Input(_) => None,
    }
}
