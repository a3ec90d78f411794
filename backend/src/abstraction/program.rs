//! The Boolean broadcast program of an automaton: abstract steps become statements.
//!
//! All roots share one procedure, so that a thread can be started at any of
//! them by `start_thread goto`. Labels tell the parts apart:
//! `R<r>` a root's start, `N<r>_<n>` a node, `B<e>` the first statement of edge e, and those of
//! [`Origin`]. Where roots are copied (`oblivious`), `_` and the number of the copy follow.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::ast::{
    self, Expression, Procedure, Program, Statement, StatementKind, Target,
};
use sapa_ir::goto;

use super::Mode;
use super::abstractor::{Abstractor, Parts, StepKey};
use super::between::leaf_sets;
use super::naive::{EdgeBuffering, Naive};
use super::origin::{Origin, Origins};
use super::plan::Code;
use super::quantified::{LeafSet, Quantified, Side};
use super::recorded::record;
use super::standing::Standing;
use super::step::{AbstractStep, Cube, Of, Value, Variable};
use super::vocabulary::{Class, PredicateId, Predicates, Tracked};
use crate::automaton::{Automaton, Edge, EdgeId, EdgeTarget, Effect, Node};

/// A Boolean program and what it abstracts.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The program.
    pub program: Program,
    /// What its statements are made from.
    pub origins: Origins,
    /// The predicates behind its variables, by their places in the vocabulary: `b3` is the one at
    /// place 3. (`live0` and so on say where a thread stands that predicates between threads are about, `at0` and so
    /// on where one stands while which others cannot find some value.)
    pub variables: Vec<(usize, Stored)>,
    /// The cubes of several predicates that its statements read; predicates are their places in the
    /// vocabulary.
    pub cubes: Vec<goto::Cube>,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug)]
pub enum Stored {
    /// A predicate of each thread, or of what is shared.
    One(Tracked),
    /// A predicate between threads.
    Every(Quantified),
}

impl Abstractor<'_> {
    /// The Boolean program over a vocabulary; `None` if a limit or the budget of the strengthener
    /// ended its making.
    pub fn program(&mut self, vocabulary: &[PredicateId]) -> Option<Abstraction> {
        let (automaton, mode) = (self.automaton, self.options.mode);
        let codes = match mode.expanded() {
            Some(threads) => super::oblivious::codes(automaton, threads),
            None => (0..automaton.roots.len()).map(|root| Code { root, slot: None }).collect(),
        };
        let mut wanted: Vec<StepKey> = codes.iter().map(|&code| (code, None)).collect();
        for &code in &codes {
            let edges = automaton.roots[code.root].nodes.iter().flat_map(|node| &node.edges);
            wanted.extend(edges.map(|&edge| (code, Some(edge))));
        }
        let mut parts = self.parts(vocabulary, &wanted)?;
        let mut variables: Vec<(usize, Stored)> = Vec::new();
        let mut names: FxHashMap<PredicateId, Named> = FxHashMap::default();
        let mut places: FxHashMap<PredicateId, u32> = FxHashMap::default();
        let mut declared: Vec<PredicateId> = Vec::new();
        for (place, &id) in vocabulary.iter().enumerate() {
            let one = self.predicates.tracked(&[id]).into_iter().map(Stored::One);
            let every = self.predicates.quantified(&[id], mode).into_iter().map(Stored::Every);
            for stored in one.chain(every) {
                let (id, is_shared) = match stored {
                    Stored::One(one) => (one.id, one.class == Class::Shared),
                    Stored::Every(every) => (every.id, every.is_stored_shared()),
                };
                variables.push((place, stored));
                names.insert(id, Named { name: format!("b{place}"), is_shared });
                places.insert(id, u32::try_from(place).expect("predicates fit in memory"));
                declared.push(id);
            }
        }
        let quantified = self.predicates.quantified(vocabulary, mode);
        let live = leaf_sets(&quantified);
        for set in &live {
            let name = format!("live{}", set.0);
            names.insert(set.is_live(), Named { name, is_shared: false });
            declared.push(set.is_live());
        }
        let standing = self.standing(vocabulary);
        for (number, standing) in standing.iter().enumerate() {
            let name = format!("at{number}");
            names.insert(standing.id, Named { name, is_shared: false });
            declared.push(standing.id);
        }
        let cubes = record(parts.steps.values(), |id| places.get(&id).copied());
        let of_one = |(place, stored): &(usize, Stored)| match stored {
            Stored::One(one) => Some((*place, *one)),
            Stored::Every(_) => None,
        };
        let tracked: Vec<(usize, Tracked)> = variables.iter().filter_map(of_one).collect();
        let mut writer = Writer {
            automaton,
            names,
            naive: match mode {
                Mode::Naive { memory } => {
                    let program = (self.module, automaton);
                    Some(Naive::new(&self.symbols, program, &tracked, memory).ok()?)
                }
                _ => None,
            },
            buffering: EdgeBuffering::default(),
            live,
            standing,
            predicates: &self.predicates,
            slots: mode.expanded().map_or(0, |threads| threads + 1),
            body: Vec::new(),
            origins: Origins::default(),
        };
        let initial = std::mem::take(&mut parts.initial);
        let globals = match mode.expanded() {
            Some(_) => writer.slot_variables(initial),
            None => {
                let initial: FxHashMap<_, _> = initial.into_iter().collect();
                let declared = declared.into_iter().map(|id| {
                    let variable = Variable::active(id);
                    match initial.get(&variable) {
                        Some(value) => writer.initialised(variable, value),
                        None => writer.declared(variable).thread_local(),
                    }
                });
                let buffers = writer.naive.iter().flat_map(Naive::declared);
                declared.chain(buffers).collect()
            }
        };
        codes.into_iter().for_each(|code| writer.root(code, &mut parts));
        let never = std::mem::take(&mut parts.never);
        let invariants = never.iter().map(|cube| writer.invariant(cube)).collect();
        let procedures = vec![Procedure::new("main", writer.body)];
        let program = Program { globals, invariants, procedures };
        Some(Abstraction { program, origins: writer.origins, variables, cubes })
    }
}

/// A variable.
struct Named {
    name: String,
    /// Whether its predicate is over what all threads see.
    is_shared: bool,
}

/// Writes statements.
pub(super) struct Writer<'p> {
    automaton: &'p Automaton,
    /// What stands for predicates.
    names: FxHashMap<PredicateId, Named>,
    /// What says where threads stand that predicates between threads are about.
    live: Vec<LeafSet>,
    /// What says where threads stand at which others cannot find some value.
    standing: Vec<Standing>,
    predicates: &'p Predicates,
    /// The buffers of the naive scheme.
    naive: Option<Naive>,
    /// What the edge that is written does to them.
    buffering: EdgeBuffering,
    /// How many threads the program is expanded over; 0 if it is not.
    pub(super) slots: u32,
    pub(super) body: Vec<Statement>,
    pub(super) origins: Origins,
}

impl Writer<'_> {
    /// The name of a variable in the code for a slot.
    fn name(&self, variable: Variable, slot: Option<u32>) -> String {
        let Named { name, is_shared } = &self.names[&variable.predicate];
        let slot = match variable.of {
            Of::Slot(slot) => Some(slot),
            Of::Active | Of::Next | Of::Passive => slot.filter(|_| !is_shared),
        };
        format!("{name}{}", suffix(slot))
    }

    /// That no two threads have this together.
    fn invariant(&self, cube: &Cube) -> ast::Invariant {
        let condition = Expression::not(self.cube(cube, None));
        ast::Invariant { condition, position: ast::Position::default() }
    }

    /// The start of a thread by one that has taken an edge. The new thread begins with a copy of what its
    /// parent has, but does not stand where the parent does.
    fn spawn(&self, start: Statement, to: EdgeTarget, root: usize) -> Vec<Statement> {
        let EdgeTarget::Node(to) = to else { return vec![start] };
        let is_live = |set: &&LeafSet| {
            let side = Side { root: None, leaves: **set };
            self.predicates.are_live(side, (root, to))
        };
        let live = self.live.iter().filter(is_live).map(|set| set.is_live());
        let standing = self.standing.iter().filter(|standing| standing.is_at((root, to)));
        let names: Vec<String> = live
            .chain(standing.map(|standing| standing.id))
            .map(|id| self.name(Variable::active(id), None))
            .collect();
        if names.is_empty() {
            return vec![start];
        }
        let set = |value| {
            let all = names
                .iter()
                .map(|name| (Target::variable(name.as_str()), Expression::Constant(value)));
            Statement::assign(all, None)
        };
        vec![set(false), start, set(true)]
    }

    /// A thread has what its new thread's predicates say of its arguments only while it starts that.
    fn given_away(&self, edge: &Edge, step: &AbstractStep) -> Option<Statement> {
        let Some(Effect::Spawn { root, .. }) = edge.effect else { return None };
        let is_of_new = |variable: &&Variable| {
            let tracked = self.predicates.tracked(&[variable.predicate]);
            variable.of == Of::Active
                && root != edge.root
                && tracked.iter().any(|tracked| tracked.root == Some(root))
        };
        let targets = step.assignments.iter().map(|(variable, _)| variable).filter(is_of_new);
        let none = |variable: &Variable| {
            (Target::variable(self.name(*variable, None)), Expression::Constant(false))
        };
        let all: Vec<_> = targets.map(none).collect();
        (!all.is_empty()).then(|| Statement::assign(all, None))
    }

    /// The declaration of a variable.
    fn declared(&self, variable: Variable) -> ast::Variable {
        ast::Variable::new(self.name(variable, None))
    }

    /// The declaration of a variable with its first value, if that is known.
    pub(super) fn initialised(&self, variable: Variable, value: &Value) -> ast::Variable {
        let declared = self.declared(variable);
        match value {
            Value::Constant(value) => declared.initialised(Expression::Constant(*value)),
            Value::Literal(..) | Value::Choose(..) => declared,
        }
    }

    fn literal(&self, variable: Variable, sign: bool, slot: Option<u32>) -> Expression {
        let name = self.name(variable, slot);
        let read = match (variable.of, &self.naive) {
            (Of::Active, Some(naive)) => naive.seen(variable.predicate, name),
            (Of::Active | Of::Slot(_), _) => Expression::variable(name),
            (Of::Next, _) => Expression::next(self.written(variable, name)),
            (Of::Passive, _) => Expression::passive(name),
        };
        if sign { read } else { Expression::not(read) }
    }

    fn cube(&self, cube: &Cube, slot: Option<u32>) -> Expression {
        Expression::and(cube.iter().map(|&(variable, sign)| self.literal(variable, sign, slot)))
    }

    fn value(&self, value: &Value, slot: Option<u32>) -> Expression {
        let any = |cubes: &[Cube]| Expression::or(cubes.iter().map(|cube| self.cube(cube, slot)));
        match value {
            Value::Constant(value) => Expression::Constant(*value),
            Value::Literal(variable, sign) => self.literal(*variable, *sign, slot),
            Value::Choose(holds, fails) if holds.is_empty() && fails.is_empty() => {
                Expression::Nondet
            }
            Value::Choose(holds, fails) => Expression::choose(any(holds), any(fails)),
        }
    }

    /// What a step writes for a predicate.
    fn written(&self, variable: Variable, name: String) -> String {
        match &self.naive {
            Some(naive) => naive.written(variable.predicate, name, &self.buffering),
            None => name,
        }
    }

    /// The statement of a step.
    fn step(&self, step: &AbstractStep, slot: Option<u32>) -> Statement {
        let assignments = step.assignments.iter().map(|(variable, value)| {
            let name = self.name(*variable, slot);
            let target = match variable.of {
                Of::Passive => Target::broadcast(name),
                Of::Active | Of::Next | Of::Slot(_) => {
                    Target::variable(self.written(*variable, name))
                }
            };
            (target, self.value(value, slot))
        });
        let assigned = |id| step.assigned(id).is_some();
        let also = self.naive.iter().flat_map(|naive| naive.also(&self.buffering, assigned));
        let never = step.never.iter().map(|cube| Expression::not(self.cube(cube, slot)));
        let required = self.naive.iter().flat_map(|naive| naive.required(&self.buffering));
        let conditions: Vec<Expression> = never.chain(required).collect();
        let constraint = (!conditions.is_empty()).then(|| Expression::and(conditions));
        Statement::assign(assignments.chain(also), constraint)
    }

    /// Adds the code of a root: first values of its predicates, and all nodes and edges.
    fn root(&mut self, code: Code, parts: &mut Parts) {
        let Code { root: index, slot } = code;
        let root = &self.automaton.roots[index];
        let targets = targets(self.automaton, index);
        let first = parts.steps.remove(&(code, None)).unwrap_or_default();
        let first = self.step(&first, slot);
        let first = self.origins.mark(first, Origin::Start(index), &suffix(slot));
        self.body.push(first);
        let empty = self.naive.as_ref().map(Naive::empty).filter(|empty| !empty.is_empty());
        self.body.extend(empty.map(|empty| Statement::assign(empty, None)));
        for (number, node) in root.nodes.iter().enumerate() {
            if !is_written(number, node, &targets) {
                continue;
            }
            let label = node_label(code, number);
            let first = node.edges.iter().map(|edge| format!("B{}{}", edge.0, suffix(slot)));
            self.point(&label, first.collect(), node.preemptible);
            for &id in &node.edges {
                let step = parts.steps.remove(&(code, Some(id))).unwrap_or_default();
                self.edge(code, id, &step);
            }
        }
    }

    /// Adds a point from which the thread goes on at any of `next`, if there is one. Where others may act,
    /// stores may reach memory before.
    fn point(&mut self, label: &str, next: Vec<String>, preemptible: bool) {
        let naive = self.naive.as_ref().filter(|_| preemptible);
        let flushes = naive.map_or_else(Vec::new, Naive::flushes);
        let labels: Vec<String> = (0..flushes.len()).map(|n| format!("F{n}_{label}")).collect();
        let all: Vec<String> = next.into_iter().chain(labels.iter().cloned()).collect();
        let first = match all.is_empty() {
            // The thread can go no further.
            true => Statement::assume(Expression::Constant(false)),
            false => Statement::goto(all),
        };
        self.body.push(first.labelled(label));
        for (flush, name) in flushes.into_iter().zip(labels) {
            self.body.push(flush.labelled(name));
            self.body.push(Statement::goto([label]));
        }
    }

    fn edge(&mut self, code: Code, id: EdgeId, step: &AbstractStep) {
        let edge = self.automaton.edge(id);
        let suffix = suffix(code.slot);
        let nodes = &self.automaton.roots[edge.root].nodes;
        let from_preemptible = nodes[edge.from.index()].preemptible;
        let to_preemptible = match edge.to {
            EdgeTarget::Node(to) => nodes[to.index()].preemptible,
            EdgeTarget::EndThread => true,
            // Nothing happens after an error; the end of the program is final.
            EdgeTarget::Error(_) => from_preemptible,
            EdgeTarget::Halt => false,
        };
        let spawn = match (&edge.effect, code.slot) {
            (Some(Effect::Spawn { root, .. }), None) => {
                let start = Statement::goto([Origin::Start(*root).to_string()]);
                let start = Statement::start_thread_or_wait(start);
                let start = self.origins.mark(start, Origin::Spawn(id), "");
                self.spawn(start, edge.to, edge.root)
            }
            (Some(Effect::Spawn { root, .. }), Some(slot)) => self.spawn_in_slot(slot, id, *root),
            _ => Vec::new(),
        };
        let spawn = spawn.into_iter().chain(self.given_away(edge, step)).collect::<Vec<_>>();
        let several = usize::from(!step.assignments.is_empty()) + spawn.len() > 1;
        let inside = !to_preemptible || (!spawn.is_empty() && several);
        let mut part: Vec<Statement> = Vec::new();
        if from_preemptible && inside {
            part.push(StatementKind::AtomicBegin.into());
        }
        self.buffering = self.naive.as_ref().map(|naive| naive.edge(id)).unwrap_or_default();
        let step = self.step(step, code.slot);
        let buffering = std::mem::take(&mut self.buffering);
        part.push(self.origins.mark(step, Origin::Edge(id), &suffix));
        part.extend(spawn);
        if to_preemptible && (!from_preemptible || inside) {
            part.push(StatementKind::AtomicEnd.into());
        }
        if let Some(first) = part.first_mut() {
            *first = first.clone().labelled(format!("B{}{suffix}", id.0));
        }
        if let Some(naive) = self.naive.as_ref().filter(|_| buffering.drains_after) {
            let empty = Statement::assume(Expression::and(naive.nothing_waits()));
            let (before, behind) = (format!("D{}", id.0), format!("G{}", id.0));
            part.push(Statement::goto([before.as_str()]));
            self.body.append(&mut part);
            self.point(&before, vec![behind.clone()], true);
            self.body.push(empty.labelled(behind));
        }
        match edge.to {
            EdgeTarget::Node(to) => {
                part.push(Statement::goto([node_label(code, to.index())]));
            }
            EdgeTarget::EndThread => {
                part.extend(code.slot.filter(|&slot| slot != 0).map(super::oblivious::free));
                part.push(StatementKind::EndThread.into());
            }
            EdgeTarget::Halt => part.push(Statement::assume(Expression::Constant(false))),
            EdgeTarget::Error(_) => {
                let failure = Statement::assert(Expression::Constant(false));
                part.push(self.origins.mark(failure, Origin::Error(id), &suffix));
                part.push(Statement::assume(Expression::Constant(false)));
            }
        }
        self.body.append(&mut part);
    }
}

/// What follows on names in the copy for a slot.
pub(super) fn suffix(slot: Option<u32>) -> String {
    slot.map_or_else(String::new, |slot| format!("_{slot}"))
}

/// Whether there is code for a node: the first one, or one that something leads to or from.
pub(super) fn is_written(number: usize, node: &Node, targets: &FxHashSet<usize>) -> bool {
    number == 0 || !node.edges.is_empty() || targets.contains(&number)
}

/// The label of a node.
pub(super) fn node_label(code: Code, node: usize) -> String {
    format!("N{}_{node}{}", code.root, suffix(code.slot))
}

/// The nodes of a root that edges lead to.
pub(super) fn targets(automaton: &Automaton, root: usize) -> FxHashSet<usize> {
    let edges = automaton.roots[root].nodes.iter().flat_map(|node| &node.edges);
    edges
        .filter_map(|&edge| match automaton.edge(edge).to {
            EdgeTarget::Node(to) => Some(to.index()),
            _ => None,
        })
        .collect()
}
