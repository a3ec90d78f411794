//! The narrow interface to a SAT solver.

use sapa_limits::Limits;

/// A literal: a variable above 0, or its negation below.
pub type Literal = i32;

/// What a SAT solver found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver gave up: a limit was reached.
    Unknown,
}

/// An incremental SAT solver with assumptions.
pub trait SatSolver {
    /// Adds a clause.
    fn add_clause(&mut self, clause: &[Literal]);
    /// Looks for a model of the clauses in which the assumptions hold, as long as the
    /// limits do, and with at most the given number of conflicts. Unlike time, these are the same in every run.
    fn solve(
        &mut self,
        assumptions: &[Literal],
        limits: &Limits,
        conflicts: Option<u32>,
    ) -> Outcome;
    /// Conflicts of all calls so far.
    fn conflicts(&mut self) -> u64;
    /// The literal's value in the model of the last [`Outcome::Sat`]; false if it does not matter.
    fn value(&self, literal: Literal) -> bool;
    /// Whether an assumption of the last [`Outcome::Unsat`] was needed for it.
    fn failed(&mut self, literal: Literal) -> bool;
}
