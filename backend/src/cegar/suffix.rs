//! Where no few predicates refute a trace: those that refute more of its end.
//!
//! No execution takes a spurious trace. So if its steps up to some place are taken as the program takes
//! them, and only those behind it as the abstraction does, then from some place on the abstraction
//! sees that too, at the latest behind the last step. The predicates that are chosen here move that
//! place towards the beginning, by one step at least: where it has come there, the trace is refuted.
//! All preconditions along the trace would do so at once, mostly, but most of them for nothing: the
//! next trace is another one.

use sapa_limits::Limits;

use super::path::{Followed, refutes};
use super::preconditions::{before_step, canonical};
use super::refine::Others;
use super::select::{Candidate, candidates, choose};
use super::steps::exclude_steps;
use crate::abstraction::{Abstractor, PredicateId};
use crate::solver::TermId;

/// How many are taken where it is not known which ones matter.
const FEW: usize = 8;

/// What brings the place nearer to the beginning.
pub(super) enum Nearer {
    /// These predicates.
    With(Vec<PredicateId>),
    /// Perhaps these; none if there are no others. And whether the solver was not allowed the calls, or the
    /// time, to find that out.
    Perhaps(Vec<PredicateId>, bool),
    /// What was learnt of steps does.
    Already,
}

/// The first candidates with which the abstraction sees from an earlier step on that the trace is
/// spurious, without those that are not needed. Where there are none, what it would have to see of that
/// step. The solver may take so many `calls`.
pub(super) fn nearer(
    abstractor: &mut Abstractor<'_>,
    others: &Others,
    followed: Followed<'_>,
    (calls, limits): (u64, &Limits),
) -> Nearer {
    abstractor.strengthener.set_limits(limits);
    abstractor.strengthener.set_budget(Some(calls));
    let step = first_seen(abstractor, followed).and_then(|place| place.checked_sub(1));
    let found = match step {
        Some(step) => before(abstractor, others, followed, step),
        None => few(abstractor, &others.candidates),
    };
    abstractor.strengthener.set_budget(None);
    found
}

/// What makes the abstraction see from a step on that the trace is spurious.
fn before(
    abstractor: &mut Abstractor<'_>,
    others: &Others,
    followed: Followed<'_>,
    step: usize,
) -> Nearer {
    let Abstractor { symbols, automaton, predicates, .. } = abstractor;
    let terms = followed.vocabulary.iter().map(|&id| canonical(symbols, predicates.term(id)));
    let known: Vec<TermId> = terms.collect();
    let mut near = before_step(symbols, automaton, (followed.trace, step), &known);
    let of_it = others.atoms.iter().filter(|atom| (atom.first..=atom.last).contains(&step));
    near.extend(of_it.map(|atom| atom.term));
    let near = candidates(abstractor, &known, &near, &[]);
    let mut all = near.clone();
    let is_new = |other: &&Candidate| near.iter().all(|known| known.term != other.term);
    all.extend(others.candidates.iter().filter(is_new).cloned());
    let followed = Followed { executed: step, ..followed };
    if let Some(chosen) = choose(abstractor, &all, followed).filter(|few| !few.is_empty()) {
        return Nearer::With(ids(&chosen));
    }
    // Perhaps they say enough, but the abstraction of the step does not see that.
    let with: Vec<PredicateId> = followed.vocabulary.iter().copied().chain(ids(&near)).collect();
    if exclude_steps(abstractor, Followed { vocabulary: &with, ..followed })
        && let Some(chosen) = choose(abstractor, &near, followed)
    {
        return if chosen.is_empty() { Nearer::Already } else { Nearer::With(ids(&chosen)) };
    }
    few(abstractor, if near.is_empty() { &all } else { &near })
}

fn ids(candidates: &[Candidate]) -> Vec<PredicateId> {
    candidates.iter().map(|candidate| candidate.predicate).collect()
}

/// The simplest, where it is not known which ones matter.
fn few(abstractor: &Abstractor<'_>, candidates: &[Candidate]) -> Nearer {
    let few = &candidates[..candidates.len().min(FEW)];
    Nearer::Perhaps(ids(few), abstractor.strengthener.is_expired())
}

/// The first step from which on the abstraction does not take the trace, if the program takes it up to
/// there; `None` if that was not found out within the budget.
fn first_seen(abstractor: &mut Abstractor<'_>, followed: Followed<'_>) -> Option<usize> {
    // What is executed is known better than what is abstract: later places are seen, too.
    let (mut low, mut high) = (0, followed.trace.len());
    while low < high {
        let executed = usize::midpoint(low, high);
        if refutes(abstractor, Followed { executed, ..followed }) {
            high = executed;
        } else if abstractor.strengthener.is_expired() {
            return None;
        } else {
            low = executed + 1;
        }
    }
    Some(high)
}
