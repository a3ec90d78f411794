//! A SAT solver with gates: circuits become clauses as they are built.

use rustc_hash::FxHashMap;
use sapa_limits::Limits;

/// A literal: a variable above 0, or its negation below.
pub(crate) type Literal = i32;

/// The literal that is true.
pub(crate) const TRUE: Literal = 1;
/// The literal that is false.
pub(crate) const FALSE: Literal = -1;

/// Ends the solver when the limits no longer hold.
struct Watch(Limits);

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.0.is_exceeded()
    }
}

/// CaDiCaL, with a table of the gates that there are.
pub(crate) struct Sat {
    solver: cadical::Solver<Watch>,
    last: Literal,
    gates: FxHashMap<(Literal, Literal, Literal), Literal>,
}

impl Sat {
    pub(crate) fn new(limits: &Limits) -> Sat {
        let mut solver = cadical::Solver::new();
        solver.set_callbacks(Some(Watch(limits.clone())));
        solver.add_clause([TRUE]);
        Sat { solver, last: TRUE, gates: FxHashMap::default() }
    }

    /// A literal that nothing is known of.
    pub(crate) fn fresh(&mut self) -> Literal {
        self.last += 1;
        self.last
    }

    pub(crate) fn several(&mut self, count: usize) -> Vec<Literal> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// One of these holds.
    pub(crate) fn clause(&mut self, literals: impl IntoIterator<Item = Literal>) {
        let clause: Vec<Literal> = literals.into_iter().filter(|l| *l != FALSE).collect();
        if !clause.contains(&TRUE) {
            // The empty clause is what says that nothing holds.
            self.solver.add_clause(if clause.is_empty() { vec![FALSE] } else { clause });
        }
    }

    /// Under some conditions two literals are equal.
    pub(crate) fn equal_if(&mut self, conditions: &[Literal], a: Literal, b: Literal) {
        if a != b {
            let unless = || conditions.iter().map(|c| -c);
            self.clause(unless().chain([-a, b]));
            self.clause(unless().chain([a, -b]));
        }
    }

    /// `condition ? a : b`.
    pub(crate) fn ite(&mut self, condition: Literal, a: Literal, b: Literal) -> Literal {
        if condition < 0 {
            return self.ite(-condition, b, a);
        }
        // Where the condition is known to hold, or not to hold, it is a constant there.
        let known = |l: Literal, value| if l.abs() == condition { value * l.signum() } else { l };
        let (a, b) = (known(a, TRUE), known(b, FALSE));
        match (condition, a, b) {
            (TRUE, ..) => return a,
            _ if a == b => return a,
            (_, TRUE, FALSE) => return condition,
            (_, FALSE, TRUE) => return -condition,
            _ => {}
        }
        if let Some(gate) = self.gates.get(&(condition, a, b)) {
            return *gate;
        }
        let gate = self.fresh();
        self.clause([-condition, -a, gate]);
        self.clause([-condition, a, -gate]);
        self.clause([condition, -b, gate]);
        self.clause([condition, b, -gate]);
        self.gates.insert((condition, a, b), gate);
        gate
    }

    pub(crate) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
        self.ite(a, b, FALSE)
    }

    pub(crate) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        -self.and(-a, -b)
    }

    pub(crate) fn differ(&mut self, a: Literal, b: Literal) -> Literal {
        self.ite(a, -b, b)
    }

    /// All of these.
    pub(crate) fn all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        literals.into_iter().fold(TRUE, |all, literal| self.and(all, literal))
    }

    /// Whether all clauses can hold with these assumptions; `None` if a limit was reached.
    pub(crate) fn solve(&mut self, assumptions: &[Literal]) -> Option<bool> {
        // All variables are known to the solver then, also those in no clause.
        self.solver.solve_with(assumptions.iter().copied())
    }

    /// A literal's value in the last model.
    pub(crate) fn value(&self, literal: Literal) -> bool {
        let known = literal.abs() <= self.solver.max_variable();
        known && self.solver.value(literal) == Some(true)
    }
}
