//! The solver that the rest of the backend uses: terms in, verdicts, cores and models out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_limits::{Exceeded, Limits};

use super::bitblast::{Blaster, OperationId};
use super::cadical::Cadical;
use super::linear;
use super::sat::{Literal, Outcome, SatSolver};
use super::term::{Node, TermId, TermStore};

/// Work that a [`Solver`] has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of the SAT solver.
    pub calls: u64,
    /// Conflicts in all of them: how hard they were.
    pub conflicts: u64,
    /// Clauses made by bit-blasting.
    pub clauses: u64,
    /// The work of all calls, of which an easy one is [`EASY_CALL`].
    pub work: u64,
    /// Time in the SAT solver.
    pub time: Duration,
}

/// How many conflicts take as long as the rest of a call.
const CONFLICTS_OF_A_CALL: u64 = 16;

/// As many clauses make a call, and each of its conflicts, twice the work.
pub const MANY_CLAUSES: u64 = 2_000;

/// The work of a call without conflicts of a solver that knows few clauses.
pub const EASY_CALL: u64 = CONFLICTS_OF_A_CALL * MANY_CLAUSES;

/// An incremental solver for Boolean and bit-vector terms of one [`TermStore`].
///
/// ```
/// use sapa_backend::solver::{Outcome, Solver, Sort, TermStore};
///
/// let mut store = TermStore::new();
/// let x = store.variable("x", Sort::Bv(32));
/// let five = store.constant(32, 5);
/// let small = store.ult(x, five);
/// let is_five = store.eq(x, five);
/// let mut solver = Solver::default();
/// assert_eq!(solver.check(&store, &[small]), Outcome::Sat);
/// assert!(solver.model_value(&store, x) < 5);
/// assert_eq!(solver.check(&store, &[small, is_five]), Outcome::Unsat);
/// assert_eq!(solver.core(), &[small, is_five]);
/// ```
#[derive(Debug, Default)]
pub struct Solver {
    sat: Cadical,
    blaster: Blaster,
    core: Vec<TermId>,
    model: FxHashMap<TermId, u128>,
    limits: Limits,
    /// Of what is asserted, which is never left out: made once, as it is asked for at each clause.
    no_limits: Limits,
    most_conflicts: Option<u32>,
    most_work: Option<u64>,
    statistics: Statistics,
    /// Which of the terms that were assumed have sums ([`linear::has_sums`]).
    sums: FxHashMap<TermId, bool>,
    /// The asserted terms that may have operations and were not looked at yet.
    asserted: Vec<TermId>,
    /// The terms beneath those that were looked at.
    seen: FxHashSet<TermId>,
    /// The operations beneath asserted terms: what every model has to have right.
    always: BTreeSet<OperationId>,
    /// The operations beneath each term that was assumed.
    beneath: FxHashMap<TermId, Arc<[OperationId]>>,
}

impl Solver {
    /// A solver to which products and divisions of more adders are opaque at first.
    #[cfg(test)]
    pub(super) fn with_few_adders(few_adders: usize) -> Self {
        Self { blaster: Blaster::with_few_adders(few_adders), ..Self::default() }
    }

    /// Gives up (answers [`Outcome::Unknown`]) when the limits no longer hold.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
    }

    /// Gives up (answers [`Outcome::Unknown`]) calls that need more conflicts; `None`: there is no
    /// such limit.
    pub fn set_most_conflicts(&mut self, conflicts: Option<u32>) {
        self.most_conflicts = conflicts;
    }

    /// Gives up (answers [`Outcome::Unknown`]) calls that are more work ([`Statistics::work`]);
    /// `None`: there is no such limit.
    pub fn set_most_work(&mut self, work: Option<u64>) {
        self.most_work = work;
    }

    /// Asserts a Boolean for good.
    ///
    /// # Panics
    /// If the term is a bit-vector.
    pub fn assert(&mut self, store: &TermStore, term: TermId) {
        if let Ok(literal) = self.asserted(store, term) {
            self.sat.add_clause(&[literal]);
        }
    }

    /// Asserts for good that one of some Booleans holds.
    ///
    /// # Panics
    /// If one is a bit-vector.
    pub fn assert_clause(&mut self, store: &TermStore, terms: &[TermId]) {
        let mut clause = Vec::with_capacity(terms.len());
        for &term in terms {
            match store.as_boolean(term) {
                Some(true) => return,
                Some(false) => {}
                None => clause.extend(self.asserted(store, term)),
            }
        }
        self.statistics.clauses += 1;
        self.sat.add_clause(&clause);
    }

    /// The literal of a Boolean that is assumed, within the limits.
    fn assumed(&mut self, store: &TermStore, term: TermId) -> Result<Literal, Exceeded> {
        let Self { sat, blaster, statistics, limits, .. } = self;
        blaster.boolean(store, term, limits, &mut |clause| {
            statistics.clauses += 1;
            sat.add_clause(clause);
        })
    }

    /// The literal of a Boolean that is asserted. Not cut off by limits: what is asserted is never left
    /// out.
    fn asserted(&mut self, store: &TermStore, term: TermId) -> Result<Literal, Exceeded> {
        let Self { sat, blaster, statistics, no_limits, .. } = self;
        let literal = blaster.boolean(store, term, no_limits, &mut |clause| {
            statistics.clauses += 1;
            sat.add_clause(clause);
        })?;
        if self.blaster.has_operations() {
            self.asserted.push(term);
        }
        Ok(literal)
    }

    /// Whether the asserted terms and the assumptions have a model. What elimination shows of linear
    /// equations among the assumptions is not asked of the SAT solver.
    ///
    /// # Panics
    /// If an assumption is a bit-vector.
    pub fn check(&mut self, store: &TermStore, assumptions: &[TermId]) -> Outcome {
        self.core.clear();
        self.model.clear();
        if let Some(core) = self.contradiction(store, assumptions) {
            self.core = core;
            self.statistics.calls += 1;
            self.statistics.work += EASY_CALL;
            return Outcome::Unsat;
        }
        let mut literals: Vec<Literal> = Vec::with_capacity(assumptions.len());
        for &term in assumptions {
            match self.assumed(store, term) {
                Ok(literal) => literals.push(literal),
                Err(_) => return Outcome::Unknown,
            }
        }
        let outcome = self.solve(store, assumptions, &literals);
        match outcome {
            Outcome::Unsat => {
                for (&term, &literal) in assumptions.iter().zip(&literals) {
                    if self.sat.failed(literal) && !self.core.contains(&term) {
                        self.core.push(term);
                    }
                }
            }
            Outcome::Sat => {
                for (&variable, bits) in self.blaster.variables() {
                    self.model.insert(variable, number(&self.sat, bits));
                }
            }
            Outcome::Unknown => {}
        }
        outcome
    }

    /// Asks the SAT solver until its model, if there is one, has the right results of all operations.
    fn solve(
        &mut self,
        store: &TermStore,
        assumptions: &[TermId],
        literals: &[Literal],
    ) -> Outcome {
        let before = self.statistics;
        loop {
            // Each conflict may come to all clauses.
            let of_a_conflict = self.statistics.clauses + MANY_CLAUSES;
            let work = self.statistics.work - before.work;
            let within =
                self.most_work.map(|most| (most.saturating_sub(work) / of_a_conflict).max(1));
            let conflicts = self.statistics.conflicts - before.conflicts;
            let within_conflicts =
                self.most_conflicts.map(|most| u64::from(most).saturating_sub(conflicts));
            let most_conflicts = within.into_iter().chain(within_conflicts).min();
            let most_conflicts = most_conflicts.map(|most| u32::try_from(most).unwrap_or(u32::MAX));
            let start = Instant::now();
            let outcome = self.sat.solve(literals, &self.limits, most_conflicts);
            self.statistics.time += start.elapsed();
            self.statistics.calls += 1;
            let conflicts = self.sat.conflicts() - self.statistics.conflicts;
            self.statistics.conflicts += conflicts;
            self.statistics.work += (CONFLICTS_OF_A_CALL + conflicts).saturating_mul(of_a_conflict);
            if outcome != Outcome::Sat {
                return outcome;
            }
            let wrong = self.wrong_operations(store, assumptions);
            if wrong.is_empty() {
                return outcome;
            }
            let work = self.statistics.work - before.work;
            if self.most_work.is_some_and(|most| work >= most) || self.define(&wrong).is_err() {
                return Outcome::Unknown;
            }
        }
    }

    /// The operations beneath what is asserted and assumed that have other results in the SAT solver's
    /// model than those of their operands.
    fn wrong_operations(&mut self, store: &TermStore, assumptions: &[TermId]) -> Vec<OperationId> {
        let Self { sat, blaster, asserted, seen, always, beneath, .. } = self;
        if !blaster.has_operations() {
            return Vec::new();
        }
        for term in asserted.drain(..) {
            blaster.operations_beneath(store, term, seen, always);
        }
        let mut relevant = always.clone();
        for &term in assumptions {
            let operations = beneath.entry(term).or_insert_with(|| {
                let mut found = BTreeSet::new();
                blaster.operations_beneath(store, term, &mut FxHashSet::default(), &mut found);
                found.into_iter().collect()
            });
            relevant.extend(operations.iter());
        }
        let number = |bits: &[Literal]| number(sat, bits);
        relevant.retain(|&operation| !blaster.is_right(operation, &number));
        relevant.into_iter().collect()
    }

    /// Defines operations by all their adders.
    ///
    /// # Errors
    /// A limit ended it.
    fn define(&mut self, operations: &[OperationId]) -> Result<(), Exceeded> {
        let Self { sat, blaster, statistics, limits, .. } = self;
        for &operation in operations {
            limits.check()?;
            blaster.define(operation, &mut |clause| {
                statistics.clauses += 1;
                sat.add_clause(clause);
            });
        }
        Ok(())
    }

    /// Assumptions that contradict each other, if elimination shows it.
    fn contradiction(&mut self, store: &TermStore, assumptions: &[TermId]) -> Option<Vec<TermId>> {
        let sums = &mut self.sums;
        let mut has_sums =
            |&term: &TermId| *sums.entry(term).or_insert_with(|| linear::has_sums(store, term));
        if !assumptions.iter().any(&mut has_sums) {
            return None;
        }
        let core = linear::contradiction(store, assumptions)?;
        let mut core: Vec<TermId> =
            core.iter().filter_map(|&at| assumptions.get(at).copied()).collect();
        core.dedup();
        Some(core)
    }

    /// The assumptions that the last [`Outcome::Unsat`] needed, in their order.
    #[must_use]
    pub fn core(&self) -> &[TermId] {
        &self.core
    }

    /// Drops assumptions from an unsatisfiable set as long as it stays so;
    /// at most `budget` calls of the SAT solver.
    pub fn minimise(&mut self, store: &TermStore, core: &[TermId], budget: usize) -> Vec<TermId> {
        let mut core = core.to_vec();
        let mut index = 0;
        for _ in 0..budget {
            if index >= core.len() {
                break;
            }
            let mut smaller = core.clone();
            smaller.remove(index);
            if self.check(store, &smaller) == Outcome::Unsat {
                let kept = self.core.clone();
                core.retain(|term| kept.contains(term));
            } else {
                index += 1;
            }
        }
        core
    }

    /// The variables' values in the model of the last [`Outcome::Sat`]; those that do not matter
    /// are missing or 0.
    #[must_use]
    pub fn model(&self) -> &FxHashMap<TermId, u128> {
        &self.model
    }

    /// The value of a term in the model of the last [`Outcome::Sat`];
    /// Booleans are 0 and 1, variables that do not matter are 0.
    #[must_use]
    pub fn model_value(&self, store: &TermStore, term: TermId) -> u128 {
        if let Node::Variable { .. } = store.node(term) {
            return self.model.get(&term).copied().unwrap_or(0);
        }
        store.evaluate(term, |variable| self.model.get(&variable).copied().unwrap_or(0))
    }

    /// Work done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// The number that bits are in the SAT solver's model, least significant first.
fn number(sat: &Cadical, bits: &[Literal]) -> u128 {
    bits.iter()
        .enumerate()
        .fold(0, |sum, (bit, &literal)| sum | u128::from(sat.value(literal)) << bit)
}
