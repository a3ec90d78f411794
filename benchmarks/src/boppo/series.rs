//! The series of the paper (BOPPO section 5), from their description: an infinite loop that starts
//! threads, each of which executes assignments of free choices to global variables.
//!
//! All variables are 0 at first, as in the paper's semantics, so that what is reached grows
//! variable by variable. A flag that nobody writes is asserted by every thread at its end.

use sapa_ir::boolean::ast::{
    Expression, Procedure, Program, Statement, StatementKind, Target, Variable,
};

/// Programs of any size.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// Its name in the paper, without the size.
    pub name: &'static str,
    /// The program of a size.
    pub generate: fn(usize) -> Program,
}

/// All series.
pub const SERIES: &[Series] = &[
    Series { name: "ART-PC", generate: locations },
    Series { name: "ART-V", generate: variables },
];

/// How many global variables the programs have that are scaled in their locations.
const VARIABLES: usize = 10;

/// ART-PC: `n` assignments to a few variables.
fn locations(n: usize) -> Program {
    program(VARIABLES, n)
}

/// ART-V: `n` variables, each of which is assigned once.
fn variables(n: usize) -> Program {
    program(n, n)
}

fn program(variables: usize, assignments: usize) -> Program {
    let name = |v: usize| format!("g{v}");
    let constant = Expression::Constant;
    let mut globals: Vec<Variable> =
        (0..variables).map(|v| Variable::new(name(v)).initialised(constant(false))).collect();
    globals.push(Variable::new("ok").initialised(constant(true)));
    let choose = |step: usize| {
        let target = Target::variable(name(step % variables));
        Statement::assign([(target, Expression::Nondet)], None)
    };
    let mut body: Vec<Statement> = (0..assignments).map(choose).collect();
    body.push(Statement::assert(Expression::variable("ok")));
    let start = Statement::start_thread(Statement::call("worker"));
    let forever = StatementKind::While { condition: constant(true), body: vec![start] };
    let main = Procedure::new("main", vec![forever.into()]);
    Program {
        globals,
        invariants: Vec::new(),
        procedures: vec![Procedure::new("worker", body), main],
    }
}
