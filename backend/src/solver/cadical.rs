//! CaDiCaL behind [`SatSolver`].

use sapa_limits::Limits;

use super::sat::{Literal, Outcome, SatSolver};

/// Asks the solver to stop when the limits no longer hold, and counts its conflicts: each ends in
/// a clause that it learns.
#[derive(Default)]
struct Watch {
    limits: Limits,
    conflicts: u64,
}

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.limits.is_exceeded()
    }

    fn max_length(&self) -> i32 {
        i32::MAX
    }

    fn learn(&mut self, _: &[i32]) {
        self.conflicts += 1;
    }
}

/// A CaDiCaL instance.
pub struct Cadical {
    solver: cadical::Solver<Watch>,
}

impl Default for Cadical {
    fn default() -> Self {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Watch::default()));
        Self { solver }
    }
}

impl std::fmt::Debug for Cadical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Cadical({} variables, {} clauses)",
            self.solver.num_variables(),
            self.solver.num_clauses()
        )
    }
}

impl SatSolver for Cadical {
    fn add_clause(&mut self, clause: &[Literal]) {
        self.solver.add_clause(clause.iter().copied());
    }

    fn solve(
        &mut self,
        assumptions: &[Literal],
        limits: &Limits,
        conflicts: Option<u32>,
    ) -> Outcome {
        if let Some(watch) = self.solver.get_callbacks() {
            watch.limits = limits.clone();
        }
        if let Some(most) = conflicts {
            // For this call alone. The name is one that the solver knows: there is no error.
            let _ = self.solver.set_limit("conflicts", i32::try_from(most).unwrap_or(i32::MAX));
        }
        match self.solver.solve_with(assumptions.iter().copied()) {
            Some(true) => Outcome::Sat,
            Some(false) => Outcome::Unsat,
            None => Outcome::Unknown,
        }
    }

    fn conflicts(&mut self) -> u64 {
        self.solver.get_callbacks().map_or(0, |watch| watch.conflicts)
    }

    fn value(&self, literal: Literal) -> bool {
        literal.abs() <= self.solver.max_variable() && self.solver.value(literal) == Some(true)
    }

    fn failed(&mut self, literal: Literal) -> bool {
        self.solver.failed(literal)
    }
}
