//! Which predicates to add: as few and as simple ones as refute the trace. Simple ones are more
//! often invariants; and what is not needed would cost every later abstraction and search.

use std::time::{Duration, Instant};

use sapa_ir::goto::c_text::c_text;
use sapa_ir::goto::{Module, Predicate};

use super::expression::expression;
use super::path::Judge;
use super::refine::canonical;
use super::template::{sequences, templates};
use crate::abstraction::program::TraceEdge;
use crate::abstraction::vocabulary;
use crate::automaton::Automaton;
use crate::automaton::leaf::{Leaf, Symbols};
use crate::solver::{Node, TermId};

/// For one selection.
const TIME: Duration = Duration::from_secs(6);

/// More candidates are not tried together.
const MAX_CANDIDATES: usize = 32;

/// What is tried besides weakest preconditions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Added<'a> {
    /// Templates over the same variables.
    Templates,
    /// These.
    Terms(&'a [TermId]),
}

/// A predicate that may be added.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    predicate: Predicate,
    cost: usize,
}

/// Predicates to be added.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) predicates: Vec<Predicate>,
    /// The sum of how complicated they are.
    pub(super) cost: usize,
    /// The most complicated.
    pub(super) most: usize,
}

/// Predicates in order of preference, the smaller ones first: those of weakest preconditions, and
/// others by what is `added` to them.
pub(super) fn candidates(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    preconditions: &[Predicate],
    added: Added<'_>,
    values_are_good: bool,
) -> Vec<Candidate> {
    let mut known: Vec<TermId> = Vec::new();
    let mut relevant: Vec<TermId> = Vec::new();
    let mut found: Vec<Candidate> = Vec::new();
    for (number, predicate) in module.predicates.iter().chain(preconditions).enumerate() {
        let Some(term) = vocabulary::term(symbols, module, automaton, &predicate.expression) else {
            continue;
        };
        let term = canonical(symbols, term);
        known.push(term);
        // Where there are no new preconditions, templates over all that is tracked may help.
        if number >= module.predicates.len() || preconditions.is_empty() {
            relevant.extend(symbols.store.variables(term));
        }
        if number >= module.predicates.len() {
            found.push(Candidate { cost: cost(symbols, term), predicate: predicate.clone() });
        }
    }
    relevant.sort_unstable();
    relevant.dedup();
    let added = match added {
        Added::Templates => templates(symbols, automaton, &relevant),
        Added::Terms(terms) => terms.to_vec(),
    };
    for term in added {
        let term = canonical(symbols, term);
        if symbols.store.is_literal_value(term) || known.contains(&term) {
            continue;
        }
        known.push(term);
        if let Some(predicate) = predicate(symbols, module, automaton, term) {
            // Variables that the trace's predicates do not speak of are a longer guess.
            let variables = symbols.store.variables(term);
            let foreign = variables.iter().filter(|v| !relevant.contains(v)).count();
            found.push(Candidate { cost: cost(symbols, term) + foreign, predicate });
        }
    }
    if !values_are_good {
        penalise_values(symbols, module, automaton, &mut found);
    }
    found.sort_by_key(|candidate| candidate.cost);
    found
}

/// One more value of what was compared with values before is worth the less the more there are:
/// else a counter is followed for ever.
fn penalise_values(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    found: &mut [Candidate],
) {
    let mut compared = |predicate: &Predicate| {
        let term = vocabulary::term(symbols, module, automaton, &predicate.expression)?;
        let term = canonical(symbols, term);
        match symbols.store.node(term) {
            Node::Eq(a, b) if symbols.store.as_constant(b).is_some() => Some(a),
            Node::Eq(a, b) if symbols.store.as_constant(a).is_some() => Some(b),
            _ => None,
        }
    };
    let known: Vec<TermId> = module.predicates.iter().filter_map(&mut compared).collect();
    for candidate in found {
        if let Some(term) = compared(&candidate.predicate) {
            let before = known.iter().filter(|&&other| other == term).count();
            candidate.cost += before.saturating_sub(1);
        }
    }
}

fn predicate(
    symbols: &Symbols,
    module: &Module,
    automaton: &Automaton,
    term: TermId,
) -> Option<Predicate> {
    let expression = expression(symbols, automaton, term)?;
    Some(Predicate { text: c_text(module, &expression), expression })
}

/// Predicates that go on where those of the module and the new ones compare with one value after
/// the other.
pub(super) fn continued(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    new: &[Predicate],
) -> Vec<Predicate> {
    let mut terms = |predicates: &[Predicate]| -> Vec<TermId> {
        let mut term = |predicate: &Predicate| {
            let term = vocabulary::term(symbols, module, automaton, &predicate.expression)?;
            Some(canonical(symbols, term))
        };
        predicates.iter().filter_map(&mut term).collect()
    };
    let (mut known, new) = (terms(&module.predicates), terms(new));
    known.extend(&new);
    let more = sequences(symbols, &known, &new);
    more.into_iter().filter_map(|term| predicate(symbols, module, automaton, term)).collect()
}

/// How complicated a predicate is: its size, where values without a name in the source count
/// double.
fn cost(symbols: &Symbols, term: TermId) -> usize {
    let leaves = symbols.leaves_of(term);
    let unnamed = leaves.iter().filter(|(leaf, _)| matches!(leaf, Leaf::Value(..))).count();
    symbols.store.size(term) + unnamed
}

/// The first candidates that refute the trace together with the predicates there are, without
/// those that are not needed; `None` if all of them do not, or not in time.
pub(super) fn select(
    judge: &mut Judge<'_>,
    candidates: &[Candidate],
    trace: &[TraceEdge],
    deadline: Option<Instant>,
) -> Option<Selection> {
    let soon = Instant::now() + TIME;
    judge.strengthener.set_deadline(Some(deadline.map_or(soon, |deadline| deadline.min(soon))));
    let selected = first(judge, candidates, trace).map(|few| needed(judge, few, trace));
    judge.strengthener.set_deadline(deadline);
    let selected = selected?;
    Some(Selection {
        cost: selected.iter().map(|candidate| candidate.cost).sum(),
        most: selected.iter().map(|candidate| candidate.cost).max().unwrap_or(0),
        predicates: selected.into_iter().map(|candidate| candidate.predicate).collect(),
    })
}

fn refutes(judge: &mut Judge<'_>, more: &[Candidate], trace: &[TraceEdge]) -> bool {
    let more = more.iter().map(|candidate| &candidate.predicate);
    let all: Vec<Predicate> = judge.module.predicates.iter().chain(more).cloned().collect();
    judge.refutes(&all, trace)
}

/// The shortest prefix of the candidates that refutes the trace.
fn first(
    judge: &mut Judge<'_>,
    candidates: &[Candidate],
    trace: &[TraceEdge],
) -> Option<Vec<Candidate>> {
    let most = candidates.len().min(MAX_CANDIDATES);
    let (mut low, mut high) = (0, 1);
    loop {
        high = high.min(most);
        if refutes(judge, &candidates[..high], trace) {
            break;
        }
        if high == most {
            return None;
        }
        low = high;
        high *= 2;
    }
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if refutes(judge, &candidates[..middle], trace) { high = middle } else { low = middle }
    }
    Some(candidates[..high].to_vec())
}

/// Leaves out what is not needed, the most complicated first.
fn needed(
    judge: &mut Judge<'_>,
    mut selected: Vec<Candidate>,
    trace: &[TraceEdge],
) -> Vec<Candidate> {
    let mut at = selected.len();
    while at > 0 {
        at -= 1;
        let mut fewer = selected.clone();
        fewer.remove(at);
        if refutes(judge, &fewer, trace) {
            selected = fewer;
        }
    }
    selected
}
