//! Refinement: new predicates from a spurious trace. Candidates come from weakest preconditions
//! along it, from templates, and from the values that its steps give to variables; `select` takes
//! few and simple ones that refute the trace.

use sapa_ir::goto::Predicate;
use sapa_limits::Limits;

use super::expression::predicate;
use super::path::Judge;
use super::preconditions::{canonical, preconditions, terms, values};
use super::select::{Selection, candidates, penalise_values, relevant, select};
use super::simulate::TraceGuard;
use super::template::{bounds, sequences, templates};
use crate::abstraction::TraceEdge;
use crate::automaton::leaf::Leaf;
use crate::solver::TermId;

/// Predicates of more nodes are not called simple.
const MAX_SIMPLE: usize = 6;

/// A trace of the abstraction that is no execution.
pub(super) struct Spurious<'t> {
    pub(super) trace: &'t [TraceEdge],
    /// Why not.
    pub(super) core: &'t [TraceGuard],
    /// What its steps write, as far as that is determined.
    pub(super) values: &'t [Vec<(Leaf, u128)>],
}

/// What is expected of values as predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// No list of them is ever complete: the less of them the better.
    Last,
    /// As good as others: some programs need just the values.
    Allowed,
    /// Tried before templates.
    First,
}

/// New predicates.
pub(super) struct Refinement {
    /// Empty if there are none.
    pub(super) predicates: Vec<Predicate>,
    /// Whether the abstraction no longer allows the trace with them.
    pub(super) refuted: bool,
    /// Whether it would perhaps be another with more calls of the solver, or more time.
    pub(super) cut_short: bool,
}

/// New predicates, such that the abstraction no longer allows the trace if that can be had; else
/// all preconditions that are new. Each source of candidates may take this number of `calls` of the solver.
pub(super) fn refine(
    judge: &mut Judge<'_>,
    spurious: &Spurious<'_>,
    prefer: Values,
    calls: u64,
    limits: &Limits,
) -> Refinement {
    let Spurious { trace, core, values: written } = *spurious;
    let (module, automaton) = (judge.module, judge.automaton);
    let known = terms(judge.symbols, module, automaton, &module.predicates);
    let mut found = preconditions(judge.symbols, automaton, trace, core, &known);
    let both: Vec<TermId> = known.iter().chain(&found).copied().collect();
    found.extend(bounds(judge.symbols, &both));
    let relevant = relevant(judge.symbols, &known, &found);
    let last = core.last().map_or(0, |guard| guard.step);
    let mut sources = [
        templates(judge.symbols, automaton, &relevant),
        values(judge.symbols, automaton, trace, written, last),
    ];
    if prefer == Values::First {
        sources.reverse();
    }
    // The second source only where the first has nothing simple: predicates that grow from trace
    // to trace are worse than values.
    let mut selected: Option<Selection> = None;
    let mut cut_short = false;
    for added in &sources {
        let mut all = candidates(judge.symbols, module, automaton, &known, &found, added);
        if prefer == Values::Last {
            penalise_values(judge.symbols, &known, &mut all);
        }
        let (now, cut) = select(judge, &all, trace, calls, limits);
        cut_short |= cut;
        selected = match (selected, now) {
            (Some(before), Some(now)) if now.cost < before.cost => Some(now),
            (before, now) => before.or(now),
        };
        if selected.as_ref().is_some_and(|selection| selection.most <= MAX_SIMPLE) {
            break;
        }
    }
    // What does not refute this trace may still do so with the predicates of the next.
    let all = || candidates(judge.symbols, module, automaton, &known, &found, &[]);
    let refuted = selected.is_some();
    let new = selected.map(|selection| selection.candidates).unwrap_or_else(all);
    let mut predicates: Vec<Predicate> = Vec::with_capacity(new.len());
    let mut known = known;
    let new: Vec<TermId> = new
        .into_iter()
        .map(|candidate| {
            predicates.push(candidate.predicate);
            candidate.term
        })
        .collect();
    known.extend(&new);
    if prefer != Values::Last {
        for term in sequences(judge.symbols, &known, &new) {
            let term = canonical(judge.symbols, term);
            let is_new = !known.contains(&term) && !judge.symbols.store.is_literal_value(term);
            predicates.extend(predicate(judge.symbols, module, automaton, term).filter(|_| is_new));
        }
    }
    Refinement { predicates, refuted, cut_short }
}
