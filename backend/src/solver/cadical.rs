//! CaDiCaL behind [`SatSolver`].

use sapa_limits::Limits;

use super::sat::{Literal, Outcome, SatSolver};

/// Asks the solver to stop when the limits no longer hold.
#[derive(Default)]
struct Watch(Limits);

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.0.is_exceeded()
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

    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Outcome {
        if let Some(callbacks) = self.solver.get_callbacks() {
            callbacks.0 = limits.clone();
        }
        match self.solver.solve_with(assumptions.iter().copied()) {
            Some(true) => Outcome::Sat,
            Some(false) => Outcome::Unsat,
            None => Outcome::Unknown,
        }
    }

    fn value(&mut self, literal: Literal) -> bool {
        literal.abs() <= self.solver.max_variable() && self.solver.value(literal) == Some(true)
    }

    fn failed(&mut self, literal: Literal) -> bool {
        self.solver.failed(literal)
    }
}
