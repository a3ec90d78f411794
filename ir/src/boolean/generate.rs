//! Random small programs, for differential tests of engines, printers and translators.
//!
//! The same seed gives the same program. Every program flattens, starts few threads and has
//! assertions that a fair share of the programs violate.

use crate::random::Random;

use super::ast::{
    Expression, Invariant, Owner, Position, Procedure, Program, Statement, StatementKind, Target,
    Variable,
};

/// How large programs get and what they may contain.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// Shared variables besides the lock.
    pub shared: u32,
    /// Thread-local globals.
    pub thread_locals: u32,
    /// Statements of `main` and of the worker procedure, structured ones counted once.
    pub statements: u32,
    /// Depth of expressions.
    pub depth: u32,
    /// Whether passive threads are written (broadcasts).
    pub broadcasts: bool,
    /// Whether constraints may mention passive threads; such programs need not be monotone.
    pub passive_constraints: bool,
    /// How many invariants there are, which relate two threads mostly.
    pub invariants: u32,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        GenerateOptions {
            shared: 2,
            thread_locals: 2,
            statements: 6,
            depth: 2,
            broadcasts: true,
            passive_constraints: true,
            invariants: 0,
        }
    }
}

/// What an expression may mention.
#[derive(Clone, Copy)]
struct Mentions {
    /// Parameters and locals of the procedure.
    local: &'static [&'static str],
    passive: bool,
    next: bool,
}

struct Generator<'a> {
    random: Random,
    options: &'a GenerateOptions,
    labels: Vec<String>,
    local: &'static [&'static str],
    /// Statements that can still be made.
    left: u32,
    /// Whether the procedure with two results is called.
    uses_swap: bool,
}

const LOCK: &str = "m";

/// The program of a seed.
pub fn generate(seed: u64, options: &GenerateOptions) -> Program {
    let mut generator = Generator {
        random: Random::new(seed),
        options,
        labels: Vec::new(),
        local: &[],
        left: 0,
        uses_swap: false,
    };
    generator.program()
}

impl Generator<'_> {
    fn program(&mut self) -> Program {
        let mut globals = Vec::new();
        for index in 0..self.options.shared {
            globals.push(self.initialised(Variable::new(format!("g{index}"))));
        }
        let zero = Expression::Constant(false);
        globals.push(Variable::new(LOCK).initialised(zero));
        for index in 0..self.options.thread_locals {
            globals.push(self.initialised(Variable::new(format!("t{index}")).thread_local()));
        }
        let mut worker = Procedure::new("worker", self.body("W", &["p"], 0));
        worker.parameters.push("p".into());
        let mut flip = Procedure::new("flip", Vec::new());
        flip.parameters.push("q".into());
        flip.returns = 1;
        self.local = &["q"];
        let value = self.expression(self.before(), self.options.depth);
        flip.body.push(StatementKind::Return(vec![value]).into());
        let mut swap = Procedure::new("swap", Vec::new());
        swap.parameters.extend(["q".into(), "r".into()]);
        swap.returns = 2;
        self.local = &["q", "r"];
        let values = [0, 1].map(|_| self.expression(self.before(), 1));
        swap.body.push(StatementKind::Return(values.into()).into());
        let starts = 1 + self.random.below(2);
        let main = Procedure::new("main", self.body("M", &["x"], starts));
        let mut procedures = vec![flip, worker, main];
        if self.uses_swap {
            // Its locals would make others' programs too large for a naive search.
            procedures.insert(1, swap);
        }
        let invariants = (0..self.options.invariants).map(|_| self.invariant()).collect();
        Program { globals, invariants, procedures }
    }

    /// A clause over the variables of two threads, which some states break.
    fn invariant(&mut self) -> Invariant {
        let count = 2 + self.random.below(2);
        let literals = (0..count).map(|_| {
            let mentions = Mentions { local: &[], passive: true, next: false };
            let variable = self.variable(mentions);
            if self.random.chance(50) { Expression::not(variable) } else { variable }
        });
        Invariant { condition: Expression::or(literals), position: Position::default() }
    }

    fn initialised(&mut self, variable: Variable) -> Variable {
        match self.random.below(4) {
            0 => variable,
            n => variable.initialised(Expression::Constant(n == 1)),
        }
    }

    /// A body that starts some threads early, so that they meet.
    fn body(
        &mut self,
        prefix: &str,
        local: &'static [&'static str],
        starts: u32,
    ) -> Vec<Statement> {
        self.local = local;
        self.left = self.options.statements;
        self.labels = (0..3).map(|i| format!("{prefix}{i}")).collect();
        let mut body = Vec::new();
        if local == ["x"] {
            body.push(StatementKind::Declare(vec![self.initialised(Variable::new("x"))]).into());
        }
        for _ in 0..starts {
            let argument = self.expression(self.before(), 0);
            body.push(Statement::start_thread(
                StatementKind::Call {
                    targets: Vec::new(),
                    callee: "worker".into(),
                    arguments: vec![argument],
                }
                .into(),
            ));
        }
        body.extend(self.block(2));
        // Labels are in the outer block, spread over it.
        let step = body.len() / self.labels.len() + 1;
        for index in 0..self.labels.len() {
            let label = self.labels[index].clone();
            let at = starts as usize + 1 + index * step;
            match body.get_mut(at) {
                Some(statement) if statement.labels.is_empty() => statement.labels.push(label),
                _ => body.push(Statement::new(StatementKind::Skip).labelled(label)),
            }
        }
        body
    }

    fn block(&mut self, nesting: u32) -> Vec<Statement> {
        let mut block = Vec::new();
        let length = if nesting == 2 { self.left } else { 1 + self.random.below(2) };
        for _ in 0..length {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            self.statements(nesting, &mut block);
        }
        block
    }

    fn statements(&mut self, nesting: u32, block: &mut Vec<Statement>) {
        let depth = self.options.depth;
        match self.random.below(24) {
            0 => block.push(Statement::assume(self.expression(self.before(), depth))),
            1..=4 => {
                // Rather weak, so that a good part of the programs is safe.
                let parts = [0, 1].map(|depth| self.expression(self.before(), depth));
                block.push(Statement::assert(Expression::or(parts)));
            }
            5 => {
                let count = 1 + self.random.below(2);
                let labels: Vec<_> = (0..count).map(|_| self.label()).collect();
                block.push(Statement::goto(labels));
            }
            6 if nesting > 0 => {
                let condition = self.expression(self.before(), 1);
                let branches = vec![(condition, self.block(nesting - 1))];
                let otherwise = self.random.chance(50).then(|| self.block(nesting - 1));
                block.push(StatementKind::If { branches, otherwise }.into());
            }
            7 if nesting > 0 => {
                let condition = self.expression(self.before(), 1);
                let body = self.block(nesting - 1);
                block.push(StatementKind::While { condition, body }.into());
            }
            8 => {
                block.push(StatementKind::Lock(LOCK.into()).into());
                self.inside(nesting, block);
                if !self.random.chance(15) {
                    block.push(StatementKind::Unlock(LOCK.into()).into());
                }
            }
            9 | 10 => {
                block.push(StatementKind::AtomicBegin.into());
                self.inside(nesting, block);
                if !self.random.chance(15) {
                    block.push(StatementKind::AtomicEnd.into());
                }
            }
            11 => {
                let thread = match self.random.below(3) {
                    0 => Statement::goto([self.label()]),
                    _ => StatementKind::Call {
                        targets: Vec::new(),
                        callee: "worker".into(),
                        arguments: vec![self.expression(self.before(), 1)],
                    }
                    .into(),
                };
                block.push(match self.random.chance(30) {
                    true => Statement::start_thread_or_wait(thread),
                    false => Statement::start_thread(thread),
                });
            }
            12 if self.random.chance(40) => block.push(StatementKind::EndThread.into()),
            13 => {
                let targets = vec![self.target(self.local)];
                let arguments = vec![self.expression(self.before(), 1)];
                let callee = "flip".into();
                block.push(StatementKind::Call { targets, callee, arguments }.into());
            }
            14 => {
                // Two results, one of them dropped at times.
                let first = self.target(self.local);
                let second = self.target(self.local);
                let second = if second == first { Target::Ignore } else { second };
                let arguments = [0, 1].map(|depth| self.expression(self.before(), depth));
                self.uses_swap = true;
                let (targets, callee) = (vec![first, second], "swap".into());
                let arguments = arguments.into();
                block.push(StatementKind::Call { targets, callee, arguments }.into());
            }
            15 => {
                let condition = self.expression(self.before(), 1);
                block.push(match self.random.below(4) {
                    0 => StatementKind::Dead(vec![self.variable(self.before())]).into(),
                    1 => StatementKind::Enforce(condition).into(),
                    // Weak, so that a good part of the programs is safe.
                    _ => {
                        let other = self.expression(self.before(), 0);
                        StatementKind::AbortIf(Expression::and([condition, other])).into()
                    }
                });
            }
            _ => block.push(self.assignment()),
        }
    }

    /// What stands in a lock's or an atomic section.
    fn inside(&mut self, nesting: u32, block: &mut Vec<Statement>) {
        block.push(self.assignment());
        if nesting > 0 && self.random.chance(50) {
            let parts = [0, 1].map(|depth| self.expression(self.before(), depth));
            block.push(Statement::assert(Expression::or(parts)));
        }
    }

    fn label(&mut self) -> String {
        let index = self.random.below(self.labels.len() as u32) as usize;
        self.labels[index].clone()
    }

    fn target(&mut self, local: &[&str]) -> Target {
        let mut names: Vec<String> = local.iter().map(|name| (*name).to_owned()).collect();
        names.extend((0..self.options.shared).map(|i| format!("g{i}")));
        names.extend((0..self.options.thread_locals).map(|i| format!("t{i}")));
        let index = self.random.below(names.len() as u32) as usize;
        match names.into_iter().nth(index) {
            Some(name) => Target::variable(name),
            None => Target::Ignore,
        }
    }

    fn assignment(&mut self) -> Statement {
        let mut assignments: Vec<(Target, Expression)> = Vec::new();
        let depth = self.options.depth;
        for _ in 0..1 + self.random.below(3) {
            let target = self.target(self.local);
            if assignments.iter().all(|(other, _)| *other != target) {
                assignments.push((target, self.expression(self.before(), depth)));
            }
        }
        let broadcast =
            self.options.broadcasts && self.options.thread_locals > 0 && self.random.chance(40);
        let mut constraint = None;
        if broadcast {
            let variable = format!("t{}", self.random.below(self.options.thread_locals));
            let mentions = Mentions { passive: true, ..self.before() };
            let value = match self.random.chance(40) {
                true => Expression::Nondet,
                false => self.expression(mentions, depth),
            };
            // Free values are what a constraint on both threads' next values bites on.
            if self.options.passive_constraints && self.random.chance(35) {
                let left = Expression::next_passive(variable.as_str());
                let right = self.expression(Mentions { next: true, ..mentions }, 1);
                constraint = Some(match self.random.below(3) {
                    0 => Expression::equal(left, right),
                    1 => Expression::implies(left, right),
                    _ => Expression::or([left, right]),
                });
            }
            assignments.push((Target::broadcast(variable), value));
        }
        if constraint.is_none() && self.random.chance(25) {
            let passive = self.options.passive_constraints && self.random.chance(50);
            let mentions = Mentions { passive, next: true, ..self.before() };
            constraint = Some(self.expression(mentions, depth));
        }
        Statement::assign(assignments, constraint)
    }

    fn before(&self) -> Mentions {
        Mentions { local: self.local, passive: false, next: false }
    }

    fn variable(&mut self, mentions: Mentions) -> Expression {
        let shared = self.options.shared;
        let count = shared + self.options.thread_locals + mentions.local.len() as u32 + 1;
        let index = self.random.below(count);
        let next = mentions.next && self.random.chance(50);
        let passive = mentions.passive && self.random.chance(60);
        let (name, thread_local) = match index {
            i if i < shared => (format!("g{i}"), false),
            i if i < shared + self.options.thread_locals => (format!("t{}", i - shared), true),
            i => match mentions.local.get((i - shared - self.options.thread_locals) as usize) {
                Some(name) => ((*name).to_owned(), false),
                None => (LOCK.to_owned(), false),
            },
        };
        let owner = if passive && thread_local { Owner::Passive } else { Owner::Active };
        Expression::Variable { name, owner, next }
    }

    fn expression(&mut self, mentions: Mentions, depth: u32) -> Expression {
        if depth == 0 || self.random.chance(30) {
            return match self.random.below(10) {
                0 => Expression::Constant(self.random.chance(50)),
                1 => Expression::Nondet,
                _ => self.variable(mentions),
            };
        }
        let kind = self.random.below(9);
        let [a, b, c] = [(); 3].map(|()| self.expression(mentions, depth - 1));
        match kind {
            0 => Expression::not(a),
            1 => Expression::and([a, b]),
            2 => Expression::or([a, b, c]),
            3 => Expression::xor([a, b]),
            4 => Expression::equal(a, b),
            5 => Expression::not_equal(a, b),
            6 => Expression::implies(a, b),
            7 => Expression::conditional(a, b, c),
            _ => Expression::choose(a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boolean::flatten::{FlattenOptions, flatten};
    use crate::boolean::parser::parse;
    use crate::boolean::print::print;

    #[test]
    fn programs_flatten_and_survive_printing() {
        for seed in 0..400 {
            let invariants = (seed % 3) as u32;
            let options = GenerateOptions { invariants, ..GenerateOptions::default() };
            let program = generate(seed, &options);
            let text = print(&program);
            let mut again = parse(&text).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
            again.clear_positions();
            assert_eq!(again, program, "{seed}\n{text}");
            let flat = flatten(&program, &FlattenOptions::default());
            flat.unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        }
    }

    #[test]
    fn a_seed_is_a_program() {
        let options = GenerateOptions::default();
        assert_eq!(generate(7, &options), generate(7, &options));
        assert_ne!(generate(7, &options), generate(8, &options));
    }
}
