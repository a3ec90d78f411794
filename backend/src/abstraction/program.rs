//! The Boolean broadcast program of an automaton.
//!
//! All roots share one procedure, so that a thread can be started at any of
//! them by `start_thread goto`. Labels tell the parts apart:
//! `R<r>` a root's start, `N<r>_<n>` a node, `E<e>` the statement that executes
//! edge e, `S<e>` the statement that starts edge e's thread, `X<e>` the failing
//! assertion that edge e leads to. Where roots are copied (`oblivious`),
//! `_` and the number of the copy follow.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::ast::{
    Expression, Procedure, Program, Statement, StatementKind, Target, Variable,
};
use sapa_ir::goto::Module;

use super::edge::{AbstractEdge, Candidates, Consistency, abstract_edge, choose};
use super::oblivious::expanded;
use super::origin::{Origin, Origins};
use super::strengthen::Strengthener;
use super::vocabulary::{Class, Tracked, Vocabulary, is_shared};
use super::{Mode, Options};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::automaton::{Automaton, EdgeId, EdgeTarget, Effect};
use crate::solver::TermId;

/// A Boolean program and what it abstracts.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The program.
    pub program: Program,
    /// What its statements are made from.
    pub origins: Origins,
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
    if let Mode::SymmetryOblivious { threads } = options.mode {
        let (program, origins) =
            expanded(symbols, automaton, &vocabulary, strengthener, options, threads);
        return Abstraction { program, origins, vocabulary };
    }
    let (mut body, mut origins) = (Vec::new(), Origins::default());
    for index in 0..automaton.roots.len() {
        let consistency = Consistency::new(symbols, &vocabulary, index, strengthener, options);
        let first =
            start(symbols, automaton, &vocabulary, &consistency, strengthener, options, index);
        let copy = Copy {
            suffix: String::new(),
            spawn: &|edge, root, origins| {
                let start = Statement::goto([Origin::Start(root).to_string()]);
                let start = Statement::start_thread_or_wait(start);
                vec![origins.mark(start, Origin::Spawn(edge), "")]
            },
            end: Vec::new(),
        };
        copy.root(automaton, index, first, (&mut body, &mut origins), &mut |id| {
            abstract_edge(symbols, automaton, &vocabulary, &consistency, id, strengthener, options)
        });
    }
    let mut program = Program::default();
    for tracked in &vocabulary.tracked {
        let variable = Variable::new(&tracked.name);
        program.globals.push(if tracked.is_stored_shared(options.mode) {
            let value = initial_value(symbols, automaton, strengthener, tracked.term);
            initialised_variable(variable, value)
        } else {
            variable.thread_local()
        });
    }
    program.procedures.push(Procedure::new("main", body));
    Abstraction { program, origins, vocabulary }
}

/// A shared variable with its first value, if that is known.
pub(super) fn initialised_variable(variable: Variable, value: Option<bool>) -> Variable {
    match value {
        Some(value) => variable.initialised(Expression::Constant(value)),
        None => variable,
    }
}

/// The value of a predicate in the initial state, if all initial states agree.
pub(crate) fn initial_value(
    symbols: &mut Symbols,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    term: TermId,
) -> Option<bool> {
    let initial = at_start(symbols, automaton, term);
    decided(symbols, strengthener, initial)
}

/// The value of a term, if it has but one.
pub(super) fn decided(
    symbols: &mut Symbols,
    strengthener: &mut Strengthener,
    term: TermId,
) -> Option<bool> {
    let nothing = symbols.store.true_();
    if strengthener.strengthen(&mut symbols.store, term, nothing, &[], 0).is_true() {
        return Some(true);
    }
    let negated = symbols.store.not(term);
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
        .filter_map(|t| {
            let value = if t.root.is_none_or(|r| r == root) {
                start_value(symbols, automaton, vocabulary, strengthener, options, t)
            } else if options.mode.expanded().is_none() {
                // Those of other roots are never read.
                Expression::Constant(false)
            } else if at_thread_start(symbols, automaton, t.term) != t.term {
                // The slot's earlier thread left its locals behind, but the thread-local globals
                // are new.
                Expression::Nondet
            } else {
                return None;
            };
            Some((Target::variable(&t.name), value))
        })
        .collect();
    let constraint = consistency.after(&values);
    (values, constraint)
}

/// Statements for a copy of a root.
pub(super) struct Copy<'a> {
    /// What follows on each of its labels.
    pub(super) suffix: String,
    /// The statements by which an edge starts a thread at a root.
    pub(super) spawn: &'a dyn Fn(EdgeId, usize, &mut Origins) -> Vec<Statement>,
    /// What happens right before its thread ends.
    pub(super) end: Vec<Statement>,
}

impl Copy<'_> {
    /// Adds the statements: first values of its predicates, and all nodes and edges.
    pub(super) fn root(
        &self,
        automaton: &Automaton,
        index: usize,
        (values, constraint): (Vec<(Target, Expression)>, Option<Expression>),
        (body, origins): (&mut Vec<Statement>, &mut Origins),
        abstracted: &mut dyn FnMut(EdgeId) -> AbstractEdge,
    ) {
        let root = &automaton.roots[index];
        let suffix = &self.suffix;
        let targets = targets(automaton, index);
        let first = Statement::assign(values, constraint);
        body.push(origins.mark(first, Origin::Start(index), suffix));
        for (number, node) in root.nodes.iter().enumerate() {
            if number != 0 && node.edges.is_empty() && !targets.contains(&number) {
                continue;
            }
            let label = self.node_label(index, number);
            if node.edges.is_empty() {
                // The thread can go no further.
                body.push(Statement::assume(Expression::Constant(false)).labelled(label));
                continue;
            }
            let first = node.edges.iter().map(|edge| format!("B{}{suffix}", edge.0));
            body.push(Statement::goto(first).labelled(label));
            for &id in &node.edges {
                self.edge(automaton, id, abstracted(id), (&mut *body, &mut *origins));
            }
        }
    }

    fn node_label(&self, root: usize, node: usize) -> String {
        format!("N{root}_{node}{}", self.suffix)
    }

    fn edge(
        &self,
        automaton: &Automaton,
        id: EdgeId,
        abstracted: AbstractEdge,
        (body, origins): (&mut Vec<Statement>, &mut Origins),
    ) {
        let edge = automaton.edge(id);
        let suffix = &self.suffix;
        let nodes = &automaton.roots[edge.root].nodes;
        let from_preemptible = nodes[edge.from.0 as usize].preemptible;
        let to_preemptible = match edge.to {
            EdgeTarget::Node(to) => nodes[to.0 as usize].preemptible,
            EdgeTarget::EndThread => true,
            // Nothing happens after an error; the end of the program is final.
            EdgeTarget::Error(_) => from_preemptible,
            EdgeTarget::Halt => false,
        };
        let spawn = match edge.effect {
            Some(Effect::Spawn { root, .. }) => (self.spawn)(id, root, origins),
            _ => Vec::new(),
        };
        let several = usize::from(!abstracted.assignments.is_empty()) + spawn.len() > 1;
        let inside = !to_preemptible || (!spawn.is_empty() && several);
        let mut part: Vec<Statement> = Vec::new();
        if from_preemptible && inside {
            part.push(StatementKind::AtomicBegin.into());
        }
        let step = Statement::assign(abstracted.assignments, abstracted.guard);
        part.push(origins.mark(step, Origin::Edge(id), suffix));
        part.extend(spawn);
        if to_preemptible && (!from_preemptible || inside) {
            part.push(StatementKind::AtomicEnd.into());
        }
        match edge.to {
            EdgeTarget::Node(to) => {
                part.push(Statement::goto([self.node_label(edge.root, to.0 as usize)]));
            }
            EdgeTarget::EndThread => {
                part.extend(self.end.iter().cloned());
                part.push(StatementKind::EndThread.into());
            }
            EdgeTarget::Halt => part.push(Statement::assume(Expression::Constant(false))),
            EdgeTarget::Error(_) => {
                let failure = Statement::assert(Expression::Constant(false));
                part.push(origins.mark(failure, Origin::Error(id), suffix));
                part.push(Statement::assume(Expression::Constant(false)));
            }
        }
        if let Some(first) = part.first_mut() {
            *first = first.clone().labelled(format!("B{}{suffix}", id.0));
        }
        body.append(&mut part);
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
    if !options.mode.is_sound() {
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

/// The nodes of a root that edges lead to.
fn targets(automaton: &Automaton, root: usize) -> FxHashSet<usize> {
    let edges = automaton.roots[root].nodes.iter().flat_map(|node| &node.edges);
    edges
        .filter_map(|&edge| match automaton.edge(edge).to {
            EdgeTarget::Node(to) => Some(to.0 as usize),
            _ => None,
        })
        .collect()
}
