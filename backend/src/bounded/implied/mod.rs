//! What follows from the formula, but only through so many orders of threads that a solver would go
//! through all of them: who holds a lock, and what is the sum of that which threads add.
//!
//! All of it holds in every run, so that no run is lost; what it rests on is seen in the unfolding, or
//! asked of a solver that knows the path conditions alone.

mod base;
mod locks;
mod sums;

use sapa_limits::Exceeded;

use super::formula::{Access, Accesses, Builder, Cell};
use crate::solver::{Outcome, Solver, TermId};

/// Most conflicts of a question about path conditions.
const MOST_CONFLICTS: u32 = 200;

/// Most questions in all.
const MOST_QUESTIONS: usize = 2_000;

/// A solver that knows nothing but what terms mean.
struct Prover {
    solver: Solver,
    questions: usize,
}

impl Prover {
    /// Whether a Boolean holds whatever its variables are; `false` too if that is not found out.
    fn holds(&mut self, builder: &mut Builder<'_, '_>, term: TermId) -> bool {
        let store = &mut builder.unfolder.symbols.store;
        if let Some(known) = store.as_boolean(term) {
            return known;
        }
        if self.questions == 0 {
            return false;
        }
        self.questions -= 1;
        let not = store.not(term);
        self.solver.check(store, &[not]) == Outcome::Unsat
    }
}

impl Builder<'_, '_> {
    /// Asserts what follows of locks and sums.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(super) fn implied(&mut self, cells: &[(Cell, Accesses)]) -> Result<(), Exceeded> {
        let mut solver = Solver::default();
        solver.set_limits(self.limits);
        solver.set_most_conflicts(Some(MOST_CONFLICTS));
        let mut prover = Prover { solver, questions: MOST_QUESTIONS };
        let locks = self.locks(cells, &mut prover)?;
        self.exclusions(&locks)?;
        self.sums(cells, &locks, &mut prover)
    }

    /// Whether no run has both of two accesses.
    fn never_both(&mut self, a: &Access, b: &Access) -> bool {
        let both = self.and(a.own, b.own);
        self.unfolder.symbols.store.as_boolean(both) == Some(false)
    }

    /// Whether an access is of a cell as a whole, at a place that is known.
    fn is_whole(&self, access: &Access, cell: Cell) -> bool {
        access.address.is_none() && self.unfolder.out.events[access.event].size == cell.2
    }
}
