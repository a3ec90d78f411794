//! Refinement: new predicates from a spurious trace. Candidates come from weakest preconditions
//! along it, from templates, and from the values that its steps give to variables; `select` takes
//! few and simple ones that refute the trace.

use sapa_limits::Limits;

use super::between::{Counters, between};
use super::preconditions::{Atom, canonical, facts, preconditions, values};
use super::select::{Candidate, candidates, penalise_values, relevant, select};
use super::simulate::TraceGuard;
use super::template::{bounds, sequences, templates};
use crate::abstraction::{Abstractor, Mode, PredicateId, TraceEdge};
use crate::automaton::leaf::{Leaf, Symbols};
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

/// Predicates of which no few refute a trace.
pub(super) struct Others {
    /// The simple ones first.
    pub(super) candidates: Vec<Candidate>,
    /// The atoms of preconditions along the trace.
    pub(super) atoms: Vec<Atom>,
}

/// New predicates.
pub(super) struct Refinement {
    /// With which the abstraction no longer allows the trace; or what there is to choose from otherwise.
    pub(super) predicates: Result<Vec<PredicateId>, Others>,
    /// Whether it would perhaps be another with more calls of the solver, or more time.
    pub(super) cut_short: bool,
    /// Whether better ones were looked for, and it was not found out whether there are.
    pub(super) is_second_best: bool,
}

/// New predicates for a vocabulary, such that the abstraction no longer allows the trace, if that can
/// be had. Each source of candidates may take this many `calls` of the solver.
pub(super) fn refine(
    abstractor: &mut Abstractor<'_>,
    vocabulary: &[PredicateId],
    spurious: &Spurious<'_>,
    prefer: Values,
    (calls, limits): (u64, &Limits),
) -> Refinement {
    let Spurious { trace, core, values: written } = *spurious;
    let automaton = abstractor.automaton;
    let symbols = &mut abstractor.symbols;
    let terms = vocabulary.iter().map(|&id| canonical(symbols, abstractor.predicates.term(id)));
    let mut known: Vec<TermId> = terms.collect();
    let (atoms, readers) = preconditions(symbols, automaton, trace, core);
    let mut found: Vec<TermId> =
        atoms.iter().map(|atom| atom.term).filter(|term| !known.contains(term)).collect();
    let both: Vec<TermId> = known.iter().chain(&found).copied().collect();
    found.extend(bounds(symbols, &both));
    let relevant = relevant(symbols, &known, &found);
    let last = core.last().map_or(0, |guard| guard.step);
    found.extend(facts(symbols, automaton, &trace[..trace.len().min(last + 1)], &relevant));
    let mut sources = [
        templates(symbols, automaton, &relevant),
        values(symbols, automaton, trace, written, last),
    ];
    if prefer == Values::First {
        sources.reverse();
    }
    // The second source only where the first has nothing simple: predicates that grow from trace
    // to trace are worse than values.
    let cost = |few: &[Candidate]| few.iter().map(|candidate| candidate.cost).sum::<usize>();
    let mut selected: Option<Vec<Candidate>> = None;
    let mut cut_short = false;
    for added in &sources {
        let mut all = candidates(abstractor, &known, &found, added);
        if prefer == Values::Last {
            penalise_values(&abstractor.symbols, &known, &mut all);
        }
        let (now, cut) = select(abstractor, &all, (vocabulary, trace), calls, limits);
        cut_short |= cut;
        selected = match (selected, now) {
            (Some(before), Some(now)) if cost(&now) < cost(&before) => Some(now),
            (before, now) => before.or(now),
        };
        let is_simple = |candidate: &Candidate| candidate.cost <= MAX_SIMPLE;
        if selected.as_ref().is_some_and(|few| few.iter().all(is_simple)) {
            break;
        }
    }
    // Where values and sums are all that tells threads apart, the next trace needs others.
    let mut is_second_best = false;
    if abstractor.options.mode == Mode::SymmetryAware {
        let counters = Counters::new(&mut abstractor.symbols, automaton);
        let grows =
            |symbols: &Symbols, few: &Candidate| counters.make_a_row_with(symbols, few.term);
        let is_growing =
            |few: &Vec<Candidate>| few.iter().any(|few| grows(&abstractor.symbols, few));
        let is_wanted = selected.as_ref().is_none_or(is_growing);
        let program = (abstractor.module, automaton);
        let added = match is_wanted {
            true => between(&mut abstractor.symbols, program, &readers, &both),
            false => Vec::new(),
        };
        if !added.is_empty() {
            let mut all = candidates(abstractor, &known, &found, &added);
            all.retain(|candidate| !grows(&abstractor.symbols, candidate));
            let (now, cut) = select(abstractor, &all, (vocabulary, trace), calls, limits);
            cut_short |= cut;
            is_second_best = now.is_none() && cut;
            selected = now.or(selected);
        }
    }
    let Some(new) = selected else {
        let added = sources.concat();
        let mut candidates = candidates(abstractor, &known, &found, &added);
        if prefer == Values::Last {
            penalise_values(&abstractor.symbols, &known, &mut candidates);
        }
        let predicates = Err(Others { candidates, atoms });
        return Refinement { predicates, cut_short, is_second_best };
    };
    let mut predicates: Vec<PredicateId> = new.iter().map(|new| new.predicate).collect();
    let new: Vec<TermId> = new.iter().map(|candidate| candidate.term).collect();
    known.extend(&new);
    if prefer != Values::Last {
        let terms = sequences(&mut abstractor.symbols, &known, &new);
        let next = candidates(abstractor, &known, &[], &terms);
        predicates.extend(next.into_iter().map(|candidate| candidate.predicate));
    }
    Refinement { predicates: Ok(predicates), cut_short, is_second_best }
}

/// How many predicates are added at once where nothing says which ones are needed.
const FEW: usize = 4;

/// The simplest new predicates of the preconditions along a trace, a few of them.
pub(super) fn simplest(
    abstractor: &mut Abstractor<'_>,
    vocabulary: &[PredicateId],
    spurious: &Spurious<'_>,
) -> Vec<PredicateId> {
    let automaton = abstractor.automaton;
    let symbols = &mut abstractor.symbols;
    let terms = vocabulary.iter().map(|&id| canonical(symbols, abstractor.predicates.term(id)));
    let known: Vec<TermId> = terms.collect();
    let (atoms, _) = preconditions(symbols, automaton, spurious.trace, spurious.core);
    let found: Vec<TermId> = atoms.iter().map(|atom| atom.term).collect();
    let new = candidates(abstractor, &known, &found, &[]);
    new.into_iter().take(FEW).map(|candidate| candidate.predicate).collect()
}
