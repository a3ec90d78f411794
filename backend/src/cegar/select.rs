//! Which predicates to add: as few and as simple ones as refute the trace. Simple ones are more
//! often invariants; and what is not needed would cost every later abstraction and search.

use std::time::{Duration, Instant};

use sapa_ir::goto::c_text::c_text;
use sapa_ir::goto::{Module, Predicate};

use super::expression::expression;
use super::path::Judge;
use super::refine::canonical;
use super::template::templates;
use crate::abstraction::program::TraceEdge;
use crate::abstraction::vocabulary;
use crate::automaton::Automaton;
use crate::automaton::leaf::Symbols;
use crate::solver::TermId;

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

/// Predicates in order of preference, the smaller ones first: those of weakest preconditions, and
/// others by what is `added` to them.
pub(super) fn candidates(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    preconditions: &[Predicate],
    added: Added<'_>,
) -> Vec<Predicate> {
    let mut known: Vec<TermId> = Vec::new();
    let mut relevant: Vec<TermId> = Vec::new();
    let mut found: Vec<(usize, Predicate)> = Vec::new();
    for (number, predicate) in module.predicates.iter().chain(preconditions).enumerate() {
        let Some(term) = vocabulary::term(symbols, module, automaton, &predicate.expression) else {
            continue;
        };
        let term = canonical(symbols, term);
        known.push(term);
        if number >= module.predicates.len() {
            relevant.extend(symbols.store.variables(term));
            found.push((symbols.store.size(term), predicate.clone()));
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
        if let Some(expression) = expression(symbols, automaton, term) {
            let predicate = Predicate { text: c_text(module, &expression), expression };
            found.push((symbols.store.size(term), predicate));
        }
    }
    found.sort_by_key(|(size, _)| *size);
    found.into_iter().map(|(_, predicate)| predicate).collect()
}

/// The first candidates that refute the trace together with the predicates there are, without
/// those that are not needed; `None` if all of them do not, or not in time.
pub(super) fn select(
    judge: &mut Judge<'_>,
    candidates: &[Predicate],
    trace: &[TraceEdge],
    deadline: Option<Instant>,
) -> Option<Vec<Predicate>> {
    let soon = Instant::now() + TIME;
    judge.strengthener.set_deadline(Some(deadline.map_or(soon, |deadline| deadline.min(soon))));
    let selected = first(judge, candidates, trace).map(|few| needed(judge, few, trace));
    eprintln!("DBG {} candidates {:?} -> {:?} expired {} {:?}", candidates.len(), candidates.iter().map(|p| &p.text).collect::<Vec<_>>(), selected.as_ref().map(|s| s.iter().map(|p| p.text.clone()).collect::<Vec<_>>()), judge.strengthener.is_expired(), Instant::now().duration_since(soon - TIME));
    judge.strengthener.set_deadline(deadline);
    selected
}

fn with(judge: &Judge<'_>, more: &[Predicate]) -> Vec<Predicate> {
    judge.module.predicates.iter().chain(more).cloned().collect()
}

/// The shortest prefix of the candidates that refutes the trace.
fn first(
    judge: &mut Judge<'_>,
    candidates: &[Predicate],
    trace: &[TraceEdge],
) -> Option<Vec<Predicate>> {
    let most = candidates.len().min(MAX_CANDIDATES);
    let mut refutes = |count: usize| {
        let predicates = with(judge, &candidates[..count]);
        judge.refutes(&predicates, trace)
    };
    let (mut low, mut high) = (0, 1);
    loop {
        high = high.min(most);
        if refutes(high) {
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
        if refutes(middle) { high = middle } else { low = middle }
    }
    Some(candidates[..high].to_vec())
}

/// Leaves out what is not needed, the largest first.
fn needed(
    judge: &mut Judge<'_>,
    mut predicates: Vec<Predicate>,
    trace: &[TraceEdge],
) -> Vec<Predicate> {
    let mut at = predicates.len();
    while at > 0 {
        at -= 1;
        let mut fewer = predicates.clone();
        fewer.remove(at);
        let all = with(judge, &fewer);
        if judge.refutes(&all, trace) {
            predicates = fewer;
        }
    }
    predicates
}
