//! The Boolean broadcast program of an automaton.
//!
//! All roots share one procedure, so that a thread can be started at any of
//! them by `start_thread goto`. Labels tell the parts apart:
//! `R<r>` a root's start, `N<r>_<n>` a node, `E<e>` the statement that executes
//! edge e, `S<e>` the statement that starts edge e's thread, `X<e>` the failing
//! assertion that edge e leads to.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::ast::{
    Expression, Procedure, Program, Statement, StatementKind, Target, Variable,
};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::goto::Module;

use super::edge::{AbstractEdge, Candidates, Consistency, abstract_edge, choose};
use super::strengthen::Strengthener;
use super::vocabulary::{Class, Tracked, Vocabulary, is_shared};
use super::{Mode, Options};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::automaton::{Automaton, Edge, EdgeId, EdgeTarget, Effect};
use crate::check::Trace;
use crate::solver::TermId;

/// A Boolean program and what it abstracts.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The program.
    pub program: Program,
    /// The predicates behind its variables.
    pub vocabulary: Vocabulary,
}

/// Abstracts an automaton over the predicates of the module's vocabulary.
pub fn abstract_program(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    options: Options,
) -> Abstraction {
    strengthener.gather(symbols, |strengthener, symbols| {
        program(symbols, module, automaton, strengthener, options)
    })
}

fn program(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    options: Options,
) -> Abstraction {
    let vocabulary = Vocabulary::new(symbols, module, automaton, &module.predicates);
    let mut body = Vec::new();
    for index in 0..automaton.roots.len() {
        root(symbols, automaton, &vocabulary, strengthener, options, index, &mut body);
    }
    let mut program = Program::default();
    for tracked in &vocabulary.tracked {
        let variable = Variable::new(&tracked.name);
        program.globals.push(if !tracked.is_stored_shared(options.mode) {
            variable.thread_local()
        } else if let Some(value) = initial_value(symbols, automaton, strengthener, tracked.term) {
            variable.initialised(Expression::Constant(value))
        } else {
            variable
        });
    }
    program.procedures.push(Procedure::new("main", body));
    Abstraction { program, vocabulary }
}

/// The value of a predicate in the initial state, if all initial states agree.
pub(crate) fn initial_value(
    symbols: &mut Symbols,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    term: TermId,
) -> Option<bool> {
    let initial = at_start(symbols, automaton, term);
    let nothing = symbols.store.true_();
    if strengthener.strengthen(&mut symbols.store, initial, nothing, &[], 0).is_true() {
        return Some(true);
    }
    let negated = symbols.store.not(initial);
    strengthener.strengthen(&mut symbols.store, negated, nothing, &[], 0).is_true().then_some(false)
}

/// A term with the cells that have a known initial value replaced by it.
pub fn at_start(symbols: &mut Symbols, automaton: &Automaton, term: TermId) -> TermId {
    initialised(symbols, automaton, term, &|_| true)
}

/// A term over the state in which a thread starts: its own globals are initialised.
pub fn at_thread_start(symbols: &mut Symbols, automaton: &Automaton, term: TermId) -> TermId {
    initialised(symbols, automaton, term, &|leaf| !is_shared(automaton, leaf))
}

fn initialised(
    symbols: &mut Symbols,
    automaton: &Automaton,
    term: TermId,
    applies: &dyn Fn(Leaf) -> bool,
) -> TermId {
    let mut map = FxHashMap::default();
    for variable in symbols.store.variables(term) {
        if let Some((leaf @ Leaf::Cell(cell), _)) = symbols.leaf(variable)
            && applies(leaf)
            && let Some(value) = automaton.memory.cell(cell).initial
        {
            let bits = automaton.memory.cell(cell).bits;
            map.insert(variable, crate::automaton::value::constant(symbols, bits, value));
        }
    }
    symbols.store.substitute(term, &map)
}

/// The first values of a thread's own predicates: those of a new thread's locals are arbitrary,
/// not its parent's.
pub(crate) fn start(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    consistency: &Consistency,
    strengthener: &mut Strengthener,
    options: Options,
    root: usize,
) -> (Vec<(Target, Expression)>, Option<Expression>) {
    let own = vocabulary.tracked.iter().filter(|t| !t.is_stored_shared(options.mode));
    let values: Vec<(Target, Expression)> = own
        .map(|t| {
            let value = if t.root.is_none_or(|r| r == root) {
                start_value(symbols, automaton, vocabulary, strengthener, options, t)
            } else {
                Expression::Constant(false)
            };
            (Target::variable(&t.name), value)
        })
        .collect();
    let constraint = consistency.after(&values);
    (values, constraint)
}

fn root(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    strengthener: &mut Strengthener,
    options: Options,
    index: usize,
    body: &mut Vec<Statement>,
) {
    let root = &automaton.roots[index];
    let consistency = Consistency::new(symbols, vocabulary, index, strengthener, options);
    let (local, constraint) =
        start(symbols, automaton, vocabulary, &consistency, strengthener, options, index);
    body.push(Statement::assign(local, constraint).labelled(format!("R{index}")));
    for (number, node) in root.nodes.iter().enumerate() {
        if number != 0 && node.edges.is_empty() && !is_target(automaton, index, number) {
            continue;
        }
        let label = node_label(index, number);
        if node.edges.is_empty() {
            // The thread can go no further.
            body.push(Statement::assume(Expression::Constant(false)).labelled(label));
            continue;
        }
        body.push(
            Statement::goto(node.edges.iter().map(|edge| format!("B{}", edge.0))).labelled(label),
        );
        for &id in &node.edges {
            let edge = automaton.edge(id);
            let abstracted = abstract_edge(
                symbols,
                automaton,
                vocabulary,
                &consistency,
                edge,
                strengthener,
                options,
            );
            statements(automaton, id, edge, abstracted, body);
        }
    }
}

/// The value of a local or mixed predicate when a thread starts: what the shared
/// predicates say of it, for the initial values of the thread's own globals and
/// any values of its locals.
///
/// The paper's unsound baselines know threads that exist from the beginning only
/// (SAPA section 1.1): they take the value in the program's initial state.
fn start_value(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    strengthener: &mut Strengthener,
    options: Options,
    tracked: &Tracked,
) -> Expression {
    if options.mode != Mode::SymmetryAware {
        let value = initial_value(symbols, automaton, strengthener, tracked.term);
        return value.map_or(Expression::Nondet, Expression::Constant);
    }
    let shared = vocabulary.tracked.iter().filter(|t| t.class == Class::Shared);
    let over = Candidates {
        terms: shared.clone().map(|t| t.term).collect(),
        reads: shared.map(|t| Expression::variable(&t.name)).collect(),
    };
    let start = at_thread_start(symbols, automaton, tracked.term);
    let negated = symbols.store.not(start);
    let nothing = symbols.store.true_();
    let mut f = |term: TermId| {
        strengthener.strengthen(
            &mut symbols.store,
            term,
            nothing,
            &over.terms,
            options.max_cube_length,
        )
    };
    let (holds, fails) = (f(start), f(negated));
    choose(&holds, &fails, &over)
}

fn is_target(automaton: &Automaton, root: usize, node: usize) -> bool {
    automaton.roots[root].nodes.iter().flat_map(|n| &n.edges).any(
        |&edge| matches!(automaton.edge(edge).to, EdgeTarget::Node(to) if to.0 as usize == node),
    )
}

fn node_label(root: usize, node: usize) -> String {
    format!("N{root}_{node}")
}

fn statements(
    automaton: &Automaton,
    id: EdgeId,
    edge: &Edge,
    abstracted: AbstractEdge,
    body: &mut Vec<Statement>,
) {
    let nodes = &automaton.roots[edge.root].nodes;
    let from_preemptible = nodes[edge.from.0 as usize].preemptible;
    let to_preemptible = match edge.to {
        EdgeTarget::Node(to) => nodes[to.0 as usize].preemptible,
        EdgeTarget::EndThread => true,
        // Nothing happens after an error; the end of the program is final.
        EdgeTarget::Error(_) => from_preemptible,
        EdgeTarget::Halt => false,
    };
    let spawns = matches!(edge.effect, Some(Effect::Spawn { .. }));
    let inside = !to_preemptible || (spawns && !abstracted.assignments.is_empty());
    let mut part: Vec<Statement> = Vec::new();
    if from_preemptible && inside {
        part.push(StatementKind::AtomicBegin.into());
    }
    part.push(
        Statement::assign(abstracted.assignments, abstracted.guard).labelled(format!("E{}", id.0)),
    );
    if let Some(Effect::Spawn { root, .. }) = edge.effect {
        let start = Statement::start_thread(Statement::goto([format!("R{root}")]));
        part.push(start.labelled(format!("S{}", id.0)));
    }
    if to_preemptible && (!from_preemptible || inside) {
        part.push(StatementKind::AtomicEnd.into());
    }
    match edge.to {
        EdgeTarget::Node(to) => part.push(Statement::goto([node_label(edge.root, to.0 as usize)])),
        EdgeTarget::EndThread => part.push(StatementKind::EndThread.into()),
        EdgeTarget::Halt => part.push(Statement::assume(Expression::Constant(false))),
        EdgeTarget::Error(_) => {
            part.push(
                Statement::assert(Expression::Constant(false)).labelled(format!("X{}", id.0)),
            );
            part.push(Statement::assume(Expression::Constant(false)));
        }
    }
    if let Some(first) = part.first_mut() {
        *first = first.clone().labelled(format!("B{}", id.0));
    }
    body.append(&mut part);
}

/// A step of an abstract counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEdge {
    /// Who moves: 0 is the initial thread, others in order of creation.
    pub thread: u32,
    /// Along which edge.
    pub edge: EdgeId,
    /// The thread that the step started, if it did start one.
    pub started: Option<u32>,
}

/// The edges that a trace of the Boolean program takes, the failing one last.
#[must_use]
pub fn trace_edges(program: &FlatProgram, trace: &Trace) -> Vec<TraceEdge> {
    // Numbers of the trace can be used again; ours cannot.
    let mut names: BTreeMap<u32, u32> = BTreeMap::from([(0, 0)]);
    let mut next = 1;
    let mut edges: Vec<TraceEdge> = Vec::new();
    let mut before = &trace.initial;
    let mut open: BTreeMap<u32, usize> = BTreeMap::new();
    for step in &trace.steps {
        let thread = names.get(&step.thread).copied().unwrap_or(0);
        let labels = program
            .locations
            .get(step.location.0 as usize)
            .map(|l| l.labels.as_slice())
            .unwrap_or_default();
        for label in labels {
            match (label.get(..1), label.get(1..).and_then(|n| n.parse().ok())) {
                (Some("E"), Some(edge)) => {
                    open.insert(step.thread, edges.len());
                    edges.push(TraceEdge { thread, edge: EdgeId(edge), started: None });
                }
                (Some("S"), Some(_)) => {
                    let new = step.state.threads.iter().find(|t| before.thread(t.thread).is_none());
                    if let (Some(new), Some(&index)) = (new, open.get(&step.thread)) {
                        names.insert(new.thread, next);
                        if let Some(edge) = edges.get_mut(index) {
                            edge.started = Some(next);
                        }
                        next += 1;
                    }
                }
                _ => {}
            }
        }
        before = &step.state;
    }
    edges
}
