//! Which predicates to add: as few and as simple ones as refute the trace. Simple ones are more
//! often invariants; and what is not needed would cost every later abstraction and search.

use sapa_limits::Limits;

use super::expression::expression;
use super::path::{Followed, Refutation, refutes};
use super::preconditions::canonical;
use super::template::value_of;
use crate::abstraction::{Abstractor, GivenUp, PredicateId, TraceEdge};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::solver::{TermId, TermStore};

/// Calls of the SAT solver for one selection, where hard ones count as many: some two seconds.
pub(super) const CALLS: u64 = 10_000;

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
    let followed = Followed { vocabulary, trace, executed: 0 };
    let selected = choose(abstractor, candidates, followed);
    let cut_short = abstractor.strengthener.is_expired();
    if selected.is_none() && cut_short && calls >= CALLS && !limits.is_exceeded() {
        let terms = candidates.iter().take(MAX_CANDIDATES).map(|candidate| candidate.term);
        let variables = terms.flat_map(|term| abstractor.symbols.store.variables(term)).collect();
        abstractor.strengthener.give_up(GivenUp { hard: 0, calls: CALLS, variables });
    }
    abstractor.strengthener.set_budget(None);
    (selected, cut_short)
}

/// The shortest prefix of the candidates that is enough to refute a trace, without those that are not
/// needed, the most complicated first.
pub(super) fn choose(
    abstractor: &mut Abstractor<'_>,
    candidates: &[Candidate],
    followed: Followed<'_>,
) -> Option<Vec<Candidate>> {
    let most = candidates.len().min(MAX_CANDIDATES);
    let mut high = most.min(1);
    loop {
        let few: Vec<PredicateId> =
            candidates[..high].iter().map(|candidate| candidate.predicate).collect();
        let mut refutation = Refutation::new(abstractor, followed, &few)?;
        let chosen = needed(&abstractor.symbols.store, &mut refutation, high);
        refutation.end(abstractor);
        if let Some(chosen) = chosen {
            let chosen: Vec<Candidate> =
                chosen.into_iter().map(|at| candidates[at].clone()).collect();
            // What is known where a step begins is only asked of variables that predicates read, so that those that
            // seem not to be needed may be what brought it in.
            let is_enough = refuted_with(abstractor, &chosen, followed);
            let chosen = if is_enough { chosen } else { candidates[..high].to_vec() };
            return Some(without(abstractor, chosen, followed));
        }
        if high == most {
            return None;
        }
        high = most.min(2 * high);
    }
}

/// Leaves out what is not needed, the most complicated first, where abstractions are made anew: without a
/// predicate others may do what was not even asked of them beside it.
fn without(
    abstractor: &mut Abstractor<'_>,
    mut chosen: Vec<Candidate>,
    followed: Followed<'_>,
) -> Vec<Candidate> {
    for at in (0..chosen.len()).rev() {
        let mut fewer = chosen.clone();
        fewer.remove(at);
        if refuted_with(abstractor, &fewer, followed) {
            chosen = fewer;
        }
    }
    chosen
}

/// Whether the abstraction over the vocabulary and these predicates no longer allows a trace.
fn refuted_with(
    abstractor: &mut Abstractor<'_>,
    more: &[Candidate],
    followed: Followed<'_>,
) -> bool {
    let more = more.iter().map(|candidate| candidate.predicate);
    let vocabulary: Vec<PredicateId> = followed.vocabulary.iter().copied().chain(more).collect();
    refutes(abstractor, Followed { vocabulary: &vocabulary, ..followed })
}

/// Of that many predicates the first that are enough, without those that are not needed; `None` if all
/// of them are not enough.
fn needed(store: &TermStore, refutation: &mut Refutation, most: usize) -> Option<Vec<usize>> {
    if !refutation.holds(store, 0..most) {
        return None;
    }
    // Half of them were too few, or there are none.
    let (mut low, mut high) = (most / 2, most);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if refutation.holds(store, 0..middle) { high = middle } else { low = middle }
    }
    let mut chosen: Vec<usize> = (0..high).collect();
    for at in (0..high).rev() {
        let fewer = |&other: &usize| other != at;
        if chosen.contains(&at) && refutation.holds(store, chosen.iter().copied().filter(fewer)) {
            chosen = refutation.needed(chosen.iter().copied().filter(fewer));
        }
    }
    Some(chosen)
}
