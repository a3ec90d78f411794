//! Failures that runs at random find, and a search of concrete states: besides the abstraction, for
//! programs whose runs are long but have few states. What fails becomes a trace over the automaton,
//! which is simulated and replayed as any other. Where nothing fails, that is a proof if the search
//! saw all runs with every value of each choice; else it says nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::interpret::{
    Action, Executed, Exploration, ExploreOptions, Failure, Incomplete, Position, RandomRuns,
    SampleOptions, explore, explore_terms,
};
use sapa_ir::goto::{MemoryModel, Module, Op};
use sapa_limits::{Limits, Phase};

use super::counterexample::Counterexample;
use super::original::{Extent, Original, SearchTurn};
use super::terms::Terms;
use crate::abstraction::TraceEdge;
use crate::assumptions::of_runs;
use crate::automaton::{Automaton, Edge, EdgeId, EdgeTarget, Root};
use crate::check::{SafeFor, ThreadBound};

/// What a search came to.
#[derive(Debug)]
pub(crate) enum Explored {
    /// A trace that fails.
    Failure(Vec<TraceEdge>),
    /// An execution of the program that buffers were put into fails.
    Execution(Counterexample),
    /// No run fails, and all were seen; and what that assumes of what the abstraction leaves open.
    AllRuns(SafeFor, BTreeSet<&'static str>),
}

/// A search that is taken up again and again, with more states and more threads.
pub(crate) struct Explorer {
    /// Bound on the threads at once besides the initial one.
    bound: Option<u32>,
    /// How many threads runs start.
    started: u32,
    states: usize,
    /// After how much work of the loop it is looked at next.
    next: u64,
    pause: u64,
    done: bool,
    /// Whether there were runs at random already.
    sampled: bool,
    /// The program that is searched in place of the module, with the stores that wait.
    original: Option<Original>,
}

/// Work of the loop before the first search, in units of
/// [`Statistics::work`](crate::check::Statistics::work), doubled from one to the next: some tenths of a second.
pub(crate) const FIRST_PAUSE: u64 = 1 << 23;

/// States of the first search, doubled from one to the next.
const FIRST_STATES: usize = 1 << 14;

/// Instructions that are executed for a state, on average, before a search is over.
const STEPS_OF_A_STATE: usize = 1 << 7;

/// States of a search for each question that the solver may be asked about their terms: a question takes as long as some tens
/// of states do. Where more are asked runs divide again and again, and others are better at that.
const STATES_OF_A_QUESTION: usize = 32;

/// Most questions of a search.
const MOST_QUESTIONS: usize = 1 << 11;

/// States of the last, if they are small.
const MOST_STATES: usize = 1 << 20;

/// Runs that start as many threads are taken to have no end.
const MANY_STARTED: usize = 40;

/// Instructions of all runs at random: some tenths of a second.
const SAMPLED: usize = 1 << 21;

/// Instructions that are executed to shorten a run: some tenths of a second.
const SHORTENING: usize = 1 << 21;

/// Bytes that the states may take, roughly, where the run has no limit.
const MEMORY: usize = 1 << 30;

/// The part of a limit on memory that they may take: who else looks for an answer needs memory too, and
/// what they were given is not always given back.
const PART: usize = 4;

/// Threads of the last.
const MOST_STARTED: u32 = 6;

/// Bytes that the states of a search may take: a search that needs more ends, and the run goes on.
pub(super) fn most_bytes(limits: &Limits) -> usize {
    limits.memory().map_or(MEMORY, |limit| MEMORY.min(limit / PART))
}

/// What choices of a search are that have more than a few values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// Some of their values, so that there is no proof.
    Some,
    /// Variables, which stand for all.
    Variables,
}

/// All runs of a module, as far as that many `states` go: a failure, or that none fails, if that is a
/// proof.
#[must_use]
pub fn all_runs(
    module: &Module,
    threads: ThreadBound,
    (states, choices): (usize, Choices),
    limits: &Limits,
) -> AllRuns {
    let _phase = limits.enter(match choices {
        Choices::Some => Phase::ConcreteSearch,
        Choices::Variables => Phase::SymbolicSearch,
    });
    let max_states = MOST_STATES.min(states);
    let options = ExploreOptions {
        threads: threads.limit(),
        most_started: Some(MANY_STARTED),
        ends_at_most_started: true,
        reduced: true,
        max_states,
        max_bytes: most_bytes(limits),
        max_steps: max_states.saturating_mul(STEPS_OF_A_STATE),
        limits: limits.clone(),
        ..ExploreOptions::default()
    };
    let (found, is_worn_out) = match choices {
        Choices::Some => (explore(module, &options), false),
        Choices::Variables => {
            let most_questions = MOST_QUESTIONS.min(max_states / STATES_OF_A_QUESTION);
            let terms = RefCell::new(Terms::new(most_questions, limits));
            let found = explore_terms(module, &options, &terms);
            let may_ask_more = most_questions < MOST_QUESTIONS;
            (found, may_ask_more && terms.into_inner().is_worn_out())
        }
    };
    if found.is_proof() {
        let safe_for = threads.limit().map_or(SafeFor::AllThreads, SafeFor::Threads);
        return AllRuns::Safe(safe_for, u32::try_from(found.started).ok());
    }
    match (found.failure, found.incomplete) {
        (Some(failure), _) => {
            let threads = threads.limit();
            AllRuns::Fails(failure.shortened(module, threads, SHORTENING, limits))
        }
        (None, _) if found.sampled => AllRuns::Sampled,
        (None, Some(Incomplete::States(_) | Incomplete::Steps(_))) if max_states < MOST_STATES => {
            AllRuns::More
        }
        _ if is_worn_out => AllRuns::More,
        _ => AllRuns::Unknown,
    }
}

/// What all runs of a module say.
#[derive(Clone, Debug)]
pub enum AllRuns {
    /// None fails; and how many threads a run starts at most, besides the initial one.
    Safe(SafeFor, Option<u32>),
    /// One fails.
    Fails(Failure),
    /// None fails of those that were seen, and they have more states.
    More,
    /// None fails of those that were seen, and some choice has more values than were tried: there will be no proof as long as
    /// choices are only some of their values.
    Sampled,
    /// They are too many, or do what is not followed.
    Unknown,
}

impl Explorer {
    pub(crate) fn new(threads: ThreadBound, original: Option<Original>) -> Self {
        let search = original.as_ref().map(|original| original.search);
        let states = match search {
            Some(SearchTurn::Later) => 2 * FIRST_STATES,
            _ => FIRST_STATES,
        };
        Self {
            bound: threads.limit(),
            // Where the runs of a few threads are too many to see all, those of more are not seen.
            started: threads
                .limit()
                .filter(|_| original.is_some())
                .map_or(1, |n| n.clamp(1, MOST_STARTED)),
            states,
            // With buffers the abstraction is much more work than the search.
            next: if search == Some(SearchTurn::First) { 0 } else { FIRST_PAUSE },
            pause: FIRST_PAUSE,
            done: search == Some(SearchTurn::Never),
            sampled: false,
            original,
        }
    }

    /// A run that fails, if there were no runs at random yet and one of them fails.
    pub(crate) fn sample(&mut self, module: &Module, limits: &Limits) -> Option<Failure> {
        if std::mem::replace(&mut self.sampled, true) {
            return None;
        }
        let options =
            SampleOptions { memory: MemoryModel::Sc, threads: self.bound, steps: SAMPLED };
        sampled(&mut RandomRuns::new(module), module, options, limits)
    }

    /// Whether it is time to search when the loop has done this `work`.
    pub(crate) fn is_due(&self, work: u64, finally: bool) -> bool {
        !self.done && (work >= self.next || finally)
    }

    /// Whether it has not begun, and could.
    pub(crate) fn is_fresh(&self) -> bool {
        self.pause == FIRST_PAUSE && !self.done
    }

    /// Lets the next search begin at once.
    pub(crate) fn hurry(&mut self) {
        self.next = 0;
    }

    /// What is found when the loop has done this `work`. `finally`, all is searched that ever would
    /// be.
    pub(crate) fn search(
        &mut self,
        module: &Module,
        automaton: &Automaton,
        work: u64,
        limits: &Limits,
        finally: bool,
    ) -> Option<Explored> {
        let _phase = limits.enter(Phase::ConcreteSearch);
        // States with buffers take longer to find.
        self.pause *= if self.original.is_some() { 4 } else { 2 };
        self.next = work.saturating_add(self.pause);
        let mut seen = 0;
        loop {
            if limits.is_exceeded() {
                return None;
            }
            let found = match self.runs(module, automaton, limits) {
                Runs::Fail(found) => {
                    self.done = true;
                    return found;
                }
                Runs::Explored(found) => found,
            };
            seen += found.states;
            let searched = self.original.as_ref().map_or(module, |original| &*original.module);
            if found.is_proof() {
                self.done = true;
                let assumed = of_runs(searched, limits).ok()?.unseen;
                let threads = self.bound.map_or(SafeFor::AllThreads, SafeFor::Threads);
                return Some(Explored::AllRuns(threads, assumed));
            }
            match found.incomplete {
                Some(Incomplete::Started(_)) if self.started < MOST_STARTED => {
                    self.started += 1;
                    // With more threads there are many times as many.
                    if seen > self.states / 4 && !finally {
                        return None;
                    }
                }
                Some(Incomplete::States(_) | Incomplete::Steps(_)) if self.states < MOST_STATES => {
                    self.states = (self.states * 2).min(MOST_STATES);
                    if !finally {
                        return None;
                    }
                }
                // All was seen, as far as its choices go, or it will never be.
                _ => {
                    self.done = true;
                    return None;
                }
            }
        }
    }
}

/// The next run at random that fails, without what it does not need for that.
pub fn sampled(
    random: &mut RandomRuns,
    module: &Module,
    options: SampleOptions,
    limits: &Limits,
) -> Option<Failure> {
    let _phase = limits.enter(Phase::ConcreteSearch);
    let failure = random.failure(module, options, limits)?;
    Some(failure.shortened(module, options.threads, SHORTENING, limits))
}

/// What the runs are that a search comes to.
enum Runs {
    /// One fails; `None` if it is not known whether that is one of the program.
    Fail(Option<Explored>),
    /// None fails.
    Explored(Exploration),
}

impl Explorer {
    /// Goes through as many runs as it is the turn of.
    fn runs(&self, module: &Module, automaton: &Automaton, limits: &Limits) -> Runs {
        let max_steps = self.states.saturating_mul(STEPS_OF_A_STATE);
        let sequential = || {
            let options = ExploreOptions {
                threads: self.bound,
                most_started: Some(self.started as usize),
                reduced: true,
                max_states: self.states,
                max_bytes: most_bytes(limits),
                max_steps,
                limits: limits.clone(),
                ..ExploreOptions::default()
            };
            let found = explore(module, &options);
            let Some(failure) = &found.failure else { return Runs::Explored(found) };
            let run = failure.execute(module, self.bound);
            let trace = run.and_then(|run| trace(module, automaton, &run));
            Runs::Fail(trace.map(Explored::Failure))
        };
        let Some(original) = &self.original else { return sequential() };
        // What fails early fails in a run in which nothing waits, if it can.
        if module.memory == MemoryModel::Sc
            && self.states == FIRST_STATES
            && let failing @ Runs::Fail(_) = sequential()
        {
            return failing;
        }
        let threads = self.bound.map_or(ThreadBound::Unbounded, ThreadBound::Bounded);
        let started = Some(self.started as usize);
        let extent = Extent { values: Vec::new(), started, states: self.states, steps: max_steps };
        let found = original.explore(threads, &extent, limits);
        match &found.failure {
            Some(failure) => Runs::Fail(original.record(failure, threads).map(Explored::Execution)),
            None => Runs::Explored(found),
        }
    }
}

/// An instruction that a thread executes in a run.
#[derive(Clone, Copy)]
struct Instruction {
    /// Its place in the run.
    at: usize,
    position: Position,
    /// The thread that it starts.
    started: Option<u32>,
}

/// A run as edges of the automaton, in the order in which they begin; the failing one last. `None`
/// if it is none of the automaton, which has no buffers but those of its code.
pub(crate) fn trace(
    module: &Module,
    automaton: &Automaton,
    run: &[Executed],
) -> Option<Vec<TraceEdge>> {
    let failing = run.last()?.thread;
    let mut threads: BTreeMap<u32, Vec<Instruction>> = BTreeMap::new();
    for (at, &Executed { thread, action }) in run.iter().enumerate() {
        let Action::Execute { position, started } = action else { return None };
        threads.entry(thread).or_default().push(Instruction { at, position, started });
    }
    let mut edges = Vec::new();
    for (thread, own) in threads {
        edges.extend(along(module, automaton, thread, &own, thread == failing)?);
    }
    edges.sort_by_key(|&(at, _)| at);
    Some(edges.into_iter().map(|(_, edge)| edge).collect())
}

/// The edges that a thread takes, each with the position in the run where it begins (ends, if it
/// is the failing one). An edge that it has only begun is taken to its end, if others may see what
/// it has done of it.
fn along(
    module: &Module,
    automaton: &Automaton,
    thread: u32,
    own: &[Instruction],
    fails: bool,
) -> Option<Vec<(usize, TraceEdge)>> {
    let first = own.first()?;
    let root = automaton.roots.iter().find(|root| root.function == first.position.0)?;
    let mut edges = Vec::new();
    let (mut node, mut rest) = (root.nodes.first()?, own);
    // Edges without instructions on the way to the next one.
    let mut empty = 0;
    while let Some(&Instruction { at: start, .. }) = rest.first() {
        let matches = |id: &&EdgeId| {
            let edge = automaton.edge(**id);
            let ends = edge.path.len() == rest.len() && fails;
            edge.path.len() <= rest.len()
                && !edge.path.is_empty()
                && agrees(edge, rest)
                && matches!(edge.to, EdgeTarget::Error(_)) == ends
        };
        let found = node.edges.iter().filter(matches);
        let key = |id: &&EdgeId| {
            let edge = automaton.edge(**id);
            (leads_on(root, edge, rest), edge.path.len())
        };
        let Some(&id) = found.max_by_key(key) else {
            let without = node.edges.iter().find(|id| automaton.edge(**id).path.is_empty());
            if let Some(&edge) = without
                && let EdgeTarget::Node(to) = automaton.edge(edge).to
                && empty < root.nodes.len()
            {
                empty += 1;
                edges.push((start, TraceEdge { thread, edge, started: None }));
                node = root.nodes.get(to.index())?;
                continue;
            }
            if rest.iter().any(|instruction| is_seen(module, instruction.position)) {
                edges.extend(begun(automaton, thread, &node.edges, rest));
            }
            return (!fails).then_some(edges);
        };
        let edge = automaton.edge(id);
        let (taken, left) = rest.split_at(edge.path.len());
        let started = taken.iter().find_map(|instruction| instruction.started);
        let is_last = left.is_empty() && fails;
        let at = if is_last { taken.last()?.at } else { start };
        edges.push((at, TraceEdge { thread, edge: id, started }));
        rest = left;
        empty = 0;
        match edge.to {
            EdgeTarget::Node(to) => node = root.nodes.get(to.index())?,
            EdgeTarget::EndThread | EdgeTarget::Halt | EdgeTarget::Error(_) => break,
        }
    }
    Some(edges)
}

/// Whether others may see that a thread has executed an instruction.
fn is_seen(module: &Module, (function, block, index): Position) -> bool {
    let instruction = module.function(function).block(block).instructions.get(index);
    instruction.is_some_and(|instruction| match &instruction.op {
        Op::Nondet { .. } | Op::Assume { .. } | Op::Assert { .. } | Op::ThreadSelf => false,
        Op::Load { .. } => false,
        op => !op.is_pure(),
    })
}

/// Whether an edge and what a thread executes are the same as far as the shorter one goes.
fn agrees(edge: &Edge, rest: &[Instruction]) -> bool {
    let executed =
        rest.iter().map(|Instruction { position: (_, block, index), .. }| (*block, *index));
    let path = edge.path.iter().map(|(block, index)| (block, index as usize));
    path.zip(executed).all(|(a, b)| a == b)
}

/// Whether what a thread executes after an edge is what comes next there: edges that end with a
/// branch differ in nothing else.
fn leads_on(root: &Root, edge: &Edge, rest: &[Instruction]) -> bool {
    let EdgeTarget::Node(to) = edge.to else { return true };
    let next = rest.get(edge.path.len()).zip(root.nodes.get(to.index()));
    next.is_none_or(|(next, node)| {
        let (_, block, index) = next.position;
        node.position == (block, u32::try_from(index).unwrap_or(u32::MAX))
    })
}

/// The shortest edge that begins with all that is left of a thread's run.
fn begun(
    automaton: &Automaton,
    thread: u32,
    edges: &[EdgeId],
    rest: &[Instruction],
) -> Option<(usize, TraceEdge)> {
    let begins = |id: &&EdgeId| {
        let edge = automaton.edge(**id);
        edge.path.len() > rest.len()
            && agrees(edge, rest)
            && !matches!(edge.to, EdgeTarget::Error(_))
    };
    let id = edges.iter().filter(begins).min_by_key(|id| automaton.edge(**id).path.len())?;
    let at = rest.first()?.at;
    let started = rest.iter().find_map(|instruction| instruction.started);
    Some((at, TraceEdge { thread, edge: *id, started }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::leaf::Symbols;
    use crate::automaton::{Interruptions, build};
    use crate::cegar::simulate::{Simulation, simulate};
    use crate::solver::Solver;

    /// Fails if the other thread adds between the last two accesses.
    const COUNTED_ON: &str = r#"gir 1
file "a.c"
global $x: i32 = 0
define @t() {
bb0:
  %0: i32 = load $x  #3:1 of "a.c"
  %1: i32 = add %0, 1i32
  store i32, $x, %1  #4:1
  %2: i32 = load $x  #5:1
  %3: i1 = eq %2, %1
  assert %3, "x changed"  #6:1
  return
}
define @main() {
bb0:
  %0: i64 = spawn @t()  #9:1 of "a.c"
  %1: i64 = spawn @t()  #10:1
  return
}
entry @main
"#;

    fn built(text: &str) -> (Module, Symbols, Automaton) {
        let module = sapa_ir::goto::parse(text, "test").expect("the module is well-formed");
        let mut symbols = Symbols::default();
        let automaton =
            build::build(&mut symbols, &module, Interruptions::Everywhere, &Limits::default());
        (module, symbols, automaton.expect("it is modelled"))
    }

    #[test]
    fn a_failure_becomes_a_trace_that_is_feasible() {
        let (module, mut symbols, automaton) = built(COUNTED_ON);
        let mut explorer = Explorer::new(ThreadBound::Unbounded, None);
        assert!(!explorer.is_due(0, false), "it is not yet time");
        let found = explorer.search(&module, &automaton, 0, &Limits::default(), true);
        let Some(Explored::Failure(trace)) = found else { panic!("it fails: {found:?}") };
        assert_eq!(trace.iter().filter(|edge| edge.started.is_some()).count(), 2);
        let found = simulate(&mut symbols, &automaton, &trace, &mut Solver::default());
        assert!(matches!(found, Simulation::Feasible { .. }), "{found:?}");
    }

    /// Fails if the other thread takes one of two ways, which begin in different blocks.
    const BRANCHES: &str = r#"gir 1
file "a.c"
global $x: i32 = 0
define @t() {
bb0:
  %0: i1 = nondet  #3:1 of "a.c"
  %1: i32 = load $x  #4:1
  branch %0, bb1, bb2
bb1:
  store i32, $x, ONEi32  #5:1
  return
bb2:
  store i32, $x, OTHERi32  #6:1
  return
}
define @main() {
bb0:
  %0: i64 = spawn @t()  #9:1 of "a.c"
  %1: i32 = load $x  #10:1
  %2: i1 = eq %1, 0i32
  assert %2, "x is 0"  #11:1
  return
}
entry @main
"#;

    #[test]
    fn of_edges_to_both_sides_of_a_branch_that_of_the_run_is_taken() {
        for (one, other) in [("1", "0"), ("0", "1")] {
            let text = BRANCHES.replace("ONE", one).replace("OTHER", other);
            let (module, mut symbols, automaton) = built(&text);
            let mut explorer = Explorer::new(ThreadBound::Unbounded, None);
            let found = explorer.search(&module, &automaton, 0, &Limits::default(), true);
            let Some(Explored::Failure(trace)) = found else { panic!("it fails: {found:?}") };
            let found = simulate(&mut symbols, &automaton, &trace, &mut Solver::default());
            assert!(matches!(found, Simulation::Feasible { .. }), "{found:?}");
        }
    }

    #[test]
    fn where_nothing_fails_that_is_a_proof_if_all_was_seen() {
        let safe = COUNTED_ON.replace("  %1: i64 = spawn @t()  #10:1\n", "");
        let searched = |text: &str| {
            let (module, _, automaton) = built(text);
            let mut explorer = Explorer::new(ThreadBound::Bounded(4), None);
            let found = explorer.search(&module, &automaton, 0, &Limits::default(), true);
            assert!(explorer.done);
            found
        };
        let found = searched(&safe);
        assert!(matches!(found, Some(Explored::AllRuns(SafeFor::Threads(4), _))), "{found:?}");
        // A choice of more than a few values that matter is not gone through.
        let choose = |bits: u16| {
            let chosen = format!(
                "  %1: i{bits} = nondet\n  %2: i{bits} = mul %1, %1\n  %3: i1 = eq %2, 0i{bits}\n  \
                 assume %3\n  return\n}}\nentry @main"
            );
            safe.replace("  return\n}\nentry @main", &chosen)
        };
        let found = searched(&choose(1));
        assert!(matches!(found, Some(Explored::AllRuns(..))), "{found:?}");
        assert!(searched(&choose(8)).is_none());
    }
}
