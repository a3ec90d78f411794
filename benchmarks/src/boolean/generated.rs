//! Random Boolean programs with the profile of BOOM's benchmarks (section 7): about 123 locations,
//! 21 thread-local and 12 shared variables, 12% splice statements with one or two splice
//! variables, dynamic thread creation.
//!
//! They are shaped like abstractions of drivers: the initial thread starts clients, which call
//! routines that branch on local conditions, take a lock, pass values between shared variables and
//! locals, and set and test flags. The same seed gives the same program.

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sapa_ir::boolean::ast::{
    Expression, Procedure, Program, Statement, StatementKind, Target, Variable,
};

const SHARED: usize = 12;
const LOCALS: usize = 21;
/// Statements of a client besides the fixed ones; with control flow that makes about 123 locations.
const STATEMENTS: usize = 74;

struct Generator {
    random: SmallRng,
    /// Whether `*` may be written; BOOM's explicit-state experiments replace it (section 7.2).
    choices: bool,
    left: usize,
}

/// The program of a seed. Without `choices` every right-hand side is determined.
pub fn generate(seed: u64, choices: bool) -> Program {
    let mut generator =
        Generator { random: SmallRng::seed_from_u64(seed), choices, left: STATEMENTS };
    let zero = || Expression::Constant(false);
    let mut globals: Vec<Variable> =
        (0..SHARED).map(|v| Variable::new(shared(v)).initialised(zero())).collect();
    globals.push(Variable::new("m").initialised(zero()));
    globals.extend((0..LOCALS).map(|v| Variable::new(local(v)).initialised(zero()).thread_local()));
    let client = Procedure::new("client", generator.client());
    // As many clients as the bound allows: further starts are skips.
    let start = Statement::start_thread(Statement::call("client"));
    let main = vec![start.labelled("MORE"), Statement::goto(["MORE"])];
    Program {
        globals,
        invariants: Vec::new(),
        procedures: vec![client, Procedure::new("main", main)],
    }
}

fn shared(v: usize) -> String {
    format!("s{v}")
}

fn local(v: usize) -> String {
    format!("l{v}")
}

impl Generator {
    fn some_shared(&mut self) -> Expression {
        let v = self.random.random_range(0..SHARED);
        Expression::variable(shared(v))
    }

    fn some_local(&mut self) -> Expression {
        let v = self.random.random_range(0..LOCALS);
        Expression::variable(local(v))
    }

    fn literal(&mut self, of: fn(&mut Self) -> Expression) -> Expression {
        let e = of(self);
        if self.random.random() { e } else { Expression::not(e) }
    }

    /// A function of one or two variables of a kind; now and then a choice.
    fn value(&mut self, of: fn(&mut Self) -> Expression) -> Expression {
        match self.random.random_range(0..10) {
            0 | 1 => Expression::Constant(self.random.random()),
            2 if self.choices => Expression::Nondet,
            3 if self.choices => Expression::choose(self.literal(of), self.literal(of)),
            4 => Expression::and([self.literal(of), self.literal(of)]),
            5 => Expression::or([self.literal(of), self.literal(of)]),
            _ => self.literal(of),
        }
    }

    fn client(&mut self) -> Vec<Statement> {
        let mut body = Vec::new();
        while self.left > 0 {
            body.extend(self.block(2));
        }
        body.push(StatementKind::EndThread.into());
        body
    }

    fn block(&mut self, nesting: usize) -> Vec<Statement> {
        let length = self.random.random_range(2..6);
        (0..length).flat_map(|_| self.statement(nesting)).collect()
    }

    fn statement(&mut self, nesting: usize) -> Vec<Statement> {
        if self.left == 0 {
            return Vec::new();
        }
        self.left -= 1;
        let kind = self.random.random_range(0..100);
        match kind {
            // Splice statements: 12%.
            0..5 => {
                let (target, value) =
                    (self.random.random_range(0..SHARED), self.value(Self::some_local));
                vec![Statement::assign([(Target::variable(shared(target)), value)], None)]
            }
            5..10 => {
                let (target, value) =
                    (self.random.random_range(0..LOCALS), self.value(Self::some_shared));
                vec![Statement::assign([(Target::variable(local(target)), value)], None)]
            }
            10..12 => {
                let (a, b) = (self.some_shared(), self.some_local());
                let target = self.random.random_range(0..LOCALS);
                let value = Expression::and([a, b]);
                vec![Statement::assign([(Target::variable(local(target)), value)], None)]
            }
            12..24 => {
                let (target, value) =
                    (self.random.random_range(0..SHARED), self.value(Self::some_shared));
                vec![Statement::assign([(Target::variable(shared(target)), value)], None)]
            }
            24..34 if nesting > 0 => {
                let condition = self.literal(Self::some_local);
                let then = self.block(nesting - 1);
                let otherwise = Some(self.block(nesting - 1));
                vec![StatementKind::If { branches: vec![(condition, then)], otherwise }.into()]
            }
            34..37 if nesting > 0 => {
                let condition = self.literal(Self::some_local);
                let mut body = self.block(nesting - 1);
                // So that it can end.
                let exit = match &condition {
                    Expression::Not(inner) => ((**inner).clone(), true),
                    other => (other.clone(), false),
                };
                if let (Expression::Variable { name, .. }, value) = exit {
                    let value = Expression::Constant(value);
                    body.push(Statement::assign([(Target::variable(name), value)], None));
                }
                vec![StatementKind::While { condition, body }.into()]
            }
            37..41 if nesting == 2 => {
                let mut section = vec![StatementKind::Lock("m".into()).into()];
                section.extend(self.block(0));
                section.push(Statement::assert(Expression::variable("m")));
                section.push(StatementKind::Unlock("m".into()).into());
                section
            }
            41..44 => vec![Statement::assume(self.literal_or_true())],
            _ => {
                let mut targets: Vec<usize> = vec![self.random.random_range(0..LOCALS)];
                let second = self.random.random_range(0..LOCALS);
                if self.random.random_bool(0.3) && second != targets[0] {
                    targets.push(second);
                }
                let assignments: Vec<(Target, Expression)> = targets
                    .into_iter()
                    .map(|target| (Target::variable(local(target)), self.value(Self::some_local)))
                    .collect();
                vec![Statement::assign(assignments, None)]
            }
        }
    }

    /// A condition that blocks few threads.
    fn literal_or_true(&mut self) -> Expression {
        Expression::or([self.literal(Self::some_local), self.literal(Self::some_local)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sapa_ir::boolean::flat::FlatStatement;
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};

    #[test]
    fn the_profile_is_booms() {
        let mut locations = 0;
        let mut splices = 0;
        let mut assignments = 0;
        for seed in 0..200 {
            let flat = flatten(&generate(seed, true), &FlattenOptions::default()).unwrap();
            locations += flat.locations.len();
            assert_eq!(flat.shared.len(), SHARED + 1);
            assert!(flat.locals.len() >= LOCALS);
            for location in &flat.locations {
                if let FlatStatement::Assign { assignment, .. } = &location.statement {
                    assignments += 1;
                    let mixed = |shared_target: bool, e: &sapa_ir::boolean::flat::FlatExpr| {
                        let mut mixed = false;
                        e.for_each_variable(&mut |v| {
                            let is_shared =
                                matches!(v, sapa_ir::boolean::flat::VariableRef::Shared(_));
                            mixed |= is_shared != shared_target;
                        });
                        mixed
                    };
                    splices += usize::from(
                        assignment.shared.iter().any(|(_, e)| mixed(true, e))
                            || assignment.local.iter().any(|(_, e)| mixed(false, e)),
                    );
                }
            }
        }
        let mean = locations / 200;
        assert!((100..150).contains(&mean), "{mean} locations");
        let percent = 100 * splices / locations;
        assert!((6..=14).contains(&percent), "{percent}% of locations, of {assignments}");
    }
}
