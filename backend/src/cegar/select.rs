//! Which predicates to add: as few and as simple ones as refute the trace. Simple ones are more
//! often invariants; and what is not needed would cost every later abstraction and search.

use sapa_limits::Limits;

use super::expression::expression;
use super::path::refutes;
use super::preconditions::canonical;
use super::template::value_of;
use crate::abstraction::{Abstractor, GivenUp, PredicateId, TraceEdge};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::solver::TermId;

/// Calls of the SAT solver for one selection, where hard ones count as many: about six seconds.
pub(super) const CALLS: u64 = 30_000;

/// Calls after which something else has its turn before the rest: some tenths of a second.
pub(super) const FIRST_CALLS: u64 = 2_000;

/// More candidates are not tried together.
const MAX_CANDIDATES: usize = 32;

/// A predicate that may be added.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) predicate: PredicateId,
    pub(super) term: TermId,
    /// How complicated it is.
    pub(super) cost: usize,
}

/// Predicates in order of preference, the simpler ones first: the atoms of preconditions, and the
/// terms that are `added` to them. What is `known` is left out.
pub(super) fn candidates(
    abstractor: &mut Abstractor<'_>,
    known: &[TermId],
    preconditions: &[TermId],
    added: &[TermId],
) -> Vec<Candidate> {
    let Abstractor { symbols, automaton, predicates, .. } = abstractor;
    // Variables that the preconditions do not speak of are a longer guess.
    let relevant = relevant(symbols, known, preconditions);
    let mut found: Vec<Candidate> = Vec::new();
    for &term in preconditions.iter().chain(added) {
        let term = canonical(symbols, term);
        let new = !known.contains(&term) && found.iter().all(|other| other.term != term);
        if !new || symbols.store.is_literal_value(term) {
            continue;
        }
        if expression(symbols, automaton, term).is_some() {
            let predicate = predicates.of(symbols, automaton, term);
            let variables = symbols.store.variables(term);
            let foreign = variables.iter().filter(|v| !relevant.contains(v)).count();
            found.push(Candidate { predicate, term, cost: cost(symbols, term) + foreign });
        }
    }
    found.sort_by_key(|candidate| candidate.cost);
    found
}

/// The variables that the preconditions speak of; where there are none, those of all that is
/// known.
pub(super) fn relevant(
    symbols: &Symbols,
    known: &[TermId],
    preconditions: &[TermId],
) -> Vec<TermId> {
    let of = if preconditions.is_empty() { known } else { preconditions };
    let mut found: Vec<TermId> = of.iter().flat_map(|&t| symbols.store.variables(t)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// One more value of what was compared with values before is worth the less the more there are:
/// else a counter is followed for ever.
pub(super) fn penalise_values(symbols: &Symbols, known: &[TermId], found: &mut [Candidate]) {
    let compared = |term: TermId| value_of(symbols, term).map(|(compared, _)| compared);
    for candidate in found.iter_mut() {
        if let Some(term) = compared(candidate.term) {
            let before = known.iter().filter(|&&other| compared(other) == Some(term)).count();
            candidate.cost += before.saturating_sub(1);
        }
    }
    found.sort_by_key(|candidate| candidate.cost);
}

/// How complicated a predicate is: its size, where values without a name in the source count
/// double.
fn cost(symbols: &Symbols, term: TermId) -> usize {
    let leaves = symbols.leaves_of(term);
    let unnamed = leaves.iter().filter(|(leaf, _)| matches!(leaf, Leaf::Value(..))).count();
    symbols.store.size(term) + unnamed
}

/// The first candidates that refute the trace together with a vocabulary, without those that are not
/// needed; `None` if all of them do not. And whether that many `calls`, or the time, were not enough to
/// find out.
pub(super) fn select(
    abstractor: &mut Abstractor<'_>,
    candidates: &[Candidate],
    (vocabulary, trace): (&[PredicateId], &[TraceEdge]),
    calls: u64,
    limits: &Limits,
) -> (Option<Vec<Candidate>>, bool) {
    abstractor.strengthener.set_limits(limits);
    abstractor.strengthener.set_budget(Some(calls));
    let mut is_enough = |more: &[Candidate]| {
        let more = more.iter().map(|candidate| candidate.predicate);
        let all: Vec<PredicateId> = vocabulary.iter().copied().chain(more).collect();
        refutes(abstractor, &all, trace)
    };
    let selected = first(candidates, &mut is_enough).map(|few| needed(few, &mut is_enough));
    let cut_short = abstractor.strengthener.is_expired();
    if selected.is_none() && cut_short && calls >= CALLS && !limits.is_exceeded() {
        let terms = candidates.iter().take(MAX_CANDIDATES).map(|candidate| candidate.term);
        let variables = terms.flat_map(|term| abstractor.symbols.store.variables(term)).collect();
        abstractor.strengthener.give_up(GivenUp { hard: 0, calls: CALLS, variables });
    }
    abstractor.strengthener.set_budget(None);
    (selected, cut_short)
}

/// The shortest prefix of the candidates that refutes the trace.
fn first<'c>(
    candidates: &'c [Candidate],
    is_enough: &mut dyn FnMut(&[Candidate]) -> bool,
) -> Option<&'c [Candidate]> {
    let most = candidates.len().min(MAX_CANDIDATES);
    let (mut low, mut high) = (0, 1);
    loop {
        high = high.min(most);
        if is_enough(&candidates[..high]) {
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
        if is_enough(&candidates[..middle]) { high = middle } else { low = middle }
    }
    Some(&candidates[..high])
}

/// Leaves out what is not needed, the most complicated first.
fn needed(
    selected: &[Candidate],
    is_enough: &mut dyn FnMut(&[Candidate]) -> bool,
) -> Vec<Candidate> {
    let mut selected = selected.to_vec();
    for at in (0..selected.len()).rev() {
        let mut fewer = selected.clone();
        fewer.remove(at);
        if is_enough(&fewer) {
            selected = fewer;
        }
    }
    selected
}
