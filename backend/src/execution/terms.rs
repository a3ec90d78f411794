//! What the values are of runs in which choices are variables: terms of the solver.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::interpret::{Data, Path, Term, Variable};
use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, UnaryOp};
use sapa_limits::Limits;

use crate::automaton::leaf::{Symbols, sort_of};
use crate::automaton::value::{binary, cast, compare, constant, is_defined, unary};
use crate::solver::normal_sum;
use crate::solver::{Outcome, Solver, TermId};

/// Most values into which a run divides where a number is needed.
const MOST_VALUES: usize = 16;

/// Most conflicts of the SAT solver for one question.
const MOST_CONFLICTS: u32 = 5_000;

/// As many literals that hold together count as another question: long paths are those of loops that go on and on.
const LITERALS_OF_A_QUESTION: usize = 32;

/// As many conflicts count as another question.
const CONFLICTS_OF_A_QUESTION: u64 = 50;

/// With more clauses than this the next question is asked of a new solver: most clauses are those of other questions.
const MANY_CLAUSES: u64 = 100_000;

/// The terms of a search.
#[derive(Default)]
pub(super) struct Terms {
    symbols: Symbols,
    solver: Solver,
    limits: Limits,
    /// By number.
    terms: IndexSet<TermId>,
    /// What variables stand for.
    chosen: FxHashMap<TermId, Variable>,
    variables: FxHashMap<Term, Arc<[Variable]>>,
    /// How often the solver was asked; a hard question counts as many.
    questions: usize,
    most_questions: usize,
    /// What was asked for before.
    values: FxHashMap<(Path, Term), Option<Arc<[u128]>>>,
}

impl Terms {
    /// None yet; the solver is asked so many questions at most.
    pub fn new(most_questions: usize, limits: &Limits) -> Self {
        Self { limits: limits.clone(), most_questions, ..Self::default() }
    }

    /// Whether more would have been asked.
    pub fn is_worn_out(&self) -> bool {
        self.questions > self.most_questions
    }

    /// A value of so many bits as a term of the solver.
    fn term(&mut self, value: u128, bits: u16) -> TermId {
        match Term::of(value) {
            Some(term) => self.of(term),
            None => constant(&mut self.symbols, bits, value),
        }
    }

    fn of(&self, term: Term) -> TermId {
        self.terms[term.0 as usize]
    }

    fn number(&mut self, term: TermId) -> Term {
        let (number, _) = self.terms.insert_full(term);
        Term(u32::try_from(number).expect("terms are numbered with 32 bits"))
    }

    /// A term of the solver as a value.
    fn value(&mut self, term: TermId) -> u128 {
        let store = &self.symbols.store;
        let number = store.as_boolean(term).map(u128::from).or_else(|| store.as_constant(term));
        number.unwrap_or_else(|| self.number(term).value())
    }

    /// That a term has a value, as a literal.
    fn literal(&mut self, term: Term, bits: u16, value: u128) -> TermId {
        let term = self.of(term);
        let constant = constant(&mut self.symbols, bits, value);
        compare(&mut self.symbols, CompareOp::Eq, term, constant)
    }

    /// Asks the solver whether some literals hold together.
    fn check(&mut self, literals: &[TermId]) -> Outcome {
        self.questions += 1 + literals.len() / LITERALS_OF_A_QUESTION;
        if self.is_worn_out() {
            return Outcome::Unknown;
        }
        if self.solver.statistics().clauses > MANY_CLAUSES {
            self.solver = Solver::default();
        }
        self.solver.set_limits(&self.limits);
        self.solver.set_most_conflicts(Some(MOST_CONFLICTS));
        let before = self.solver.statistics().conflicts;
        let outcome = self.solver.check(&self.symbols.store, literals);
        let conflicts = self.solver.statistics().conflicts - before;
        self.questions +=
            usize::try_from(conflicts / CONFLICTS_OF_A_QUESTION).unwrap_or(usize::MAX);
        outcome
    }

    /// All values that a term of so many bits has where some literals hold.
    fn all_values(&mut self, path: &Path, term: Term, bits: u16) -> Option<Arc<[u128]>> {
        let mut literals: Vec<TermId> = path.iter().map(|&literal| self.of(literal)).collect();
        let term = self.of(term);
        let mut found = Vec::new();
        loop {
            match self.check(&literals) {
                Outcome::Unsat => break,
                Outcome::Unknown => return None,
                Outcome::Sat if found.len() == MOST_VALUES => return None,
                Outcome::Sat => {}
            }
            let value = self.solver.model_value(&self.symbols.store, term);
            found.push(value);
            let value = constant(&mut self.symbols, bits, value);
            literals.push(compare(&mut self.symbols, CompareOp::Ne, term, value));
        }
        found.sort_unstable();
        Some(found.into())
    }
}

impl Data for Terms {
    fn variable(&mut self, variable: Variable) -> Term {
        let Variable { thread, number, bits } = variable;
        let name = format!("chosen {thread} {number} {bits}");
        let term = self.symbols.store.variable(&name, sort_of(bits));
        self.chosen.insert(term, variable);
        self.number(term)
    }

    fn variables(&mut self, term: Term) -> Arc<[Variable]> {
        if let Some(known) = self.variables.get(&term) {
            return known.clone();
        }
        let all = self.symbols.store.variables(self.of(term));
        let found = all.iter().filter_map(|variable| self.chosen.get(variable).copied());
        let mut found: Vec<Variable> = found.collect();
        found.sort_unstable();
        let found: Arc<[Variable]> = found.into();
        self.variables.insert(term, found.clone());
        found
    }

    fn width(&self, term: Term) -> u16 {
        self.symbols.bits(self.of(term))
    }

    fn binary(&mut self, op: BinaryOp, a: u128, b: u128, bits: u16) -> u128 {
        let (a, b) = (self.term(a, bits), self.term(b, bits));
        let result = binary(&mut self.symbols, op, a, b);
        let result = if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) && bits > 1 {
            // The same sum is the same term, in whatever order it was made.
            normal_sum(&mut self.symbols.store, result)
        } else {
            result
        };
        self.value(result)
    }

    fn is_defined(&mut self, op: BinaryOp, a: u128, b: u128, bits: u16) -> u128 {
        let (a, b) = (self.term(a, bits), self.term(b, bits));
        let result = is_defined(&mut self.symbols, op, a, b);
        self.value(result)
    }

    fn unary(&mut self, op: UnaryOp, a: u128, bits: u16) -> u128 {
        let a = self.term(a, bits);
        let result = unary(&mut self.symbols, op, a);
        let result = if op == UnaryOp::Neg && bits > 1 {
            normal_sum(&mut self.symbols.store, result)
        } else {
            result
        };
        self.value(result)
    }

    fn compare(&mut self, op: CompareOp, a: u128, b: u128, bits: u16) -> u128 {
        let (a, b) = (self.term(a, bits), self.term(b, bits));
        let result = compare(&mut self.symbols, op, a, b);
        self.value(result)
    }

    fn cast(&mut self, op: CastOp, a: u128, from: u16, to: u16) -> u128 {
        let a = self.term(a, from);
        let result = cast(&mut self.symbols, op, a, to);
        self.value(result)
    }

    fn select(&mut self, condition: u128, a: u128, b: u128, bits: u16) -> u128 {
        let condition = self.term(condition, 1);
        let (a, b) = (self.term(a, bits), self.term(b, bits));
        let result = self.symbols.store.ite(condition, a, b);
        self.value(result)
    }

    fn extract(&mut self, value: u128, from: u16, start: u16, bits: u16) -> u128 {
        let value = self.term(value, from);
        let value = self.symbols.to_bits(value);
        let (low, high) = (u32::from(start), u32::from(start + bits) - 1);
        let result = self.symbols.store.extract(value, high, low);
        let result = self.symbols.coerce(result, bits);
        self.value(result)
    }

    fn concat(&mut self, high: (u128, u16), low: (u128, u16)) -> u128 {
        let [high, low] = [high, low].map(|(value, bits)| {
            let term = self.term(value, bits);
            self.symbols.to_bits(term)
        });
        let result = self.symbols.store.concat(high, low);
        self.value(result)
    }

    fn values(&mut self, path: &Path, term: Term, bits: u16) -> Option<Vec<u128>> {
        let path = self.about(path, &[term]);
        let key = (path, term);
        if let Some(known) = self.values.get(&key) {
            return known.as_deref().map(<[u128]>::to_vec);
        }
        let found = self.all_values(&key.0, term, bits);
        // What a limit has ended is not known.
        if found.is_some() || !self.limits.is_exceeded() {
            self.values.insert(key, found.clone());
        }
        found.as_deref().map(<[u128]>::to_vec)
    }

    fn with(&mut self, path: &Path, term: Term, bits: u16, value: u128) -> Path {
        let literal = self.literal(term, bits, value);
        if self.symbols.store.as_boolean(literal) == Some(true) {
            return path.clone();
        }
        let literal = self.number(literal);
        match path.binary_search(&literal) {
            Ok(_) => path.clone(),
            Err(at) => {
                let mut literals = path.to_vec();
                literals.insert(at, literal);
                literals.into()
            }
        }
    }

    fn about(&mut self, path: &Path, occurring: &[Term]) -> Path {
        if path.is_empty() {
            return path.clone();
        }
        let mut about: FxHashSet<Variable> = FxHashSet::default();
        for &term in occurring {
            about.extend(self.variables(term).iter());
        }
        let mut rest: Vec<(Term, Arc<[Variable]>)> =
            path.iter().map(|&literal| (literal, self.variables(literal))).collect();
        let mut kept = Vec::new();
        loop {
            let before = kept.len();
            rest.retain(|(literal, variables)| {
                let is_about = variables.iter().any(|variable| about.contains(variable));
                if is_about {
                    about.extend(variables.iter());
                    kept.push(*literal);
                }
                !is_about
            });
            if kept.len() == before {
                break;
            }
        }
        if rest.is_empty() {
            return path.clone();
        }
        kept.sort_unstable();
        kept.into()
    }

    fn model(&mut self, path: &Path, variables: &[Variable]) -> Option<Vec<u128>> {
        let literals: Vec<TermId> = path.iter().map(|&literal| self.of(literal)).collect();
        self.solver = Solver::default();
        self.solver.set_limits(&self.limits);
        if self.solver.check(&self.symbols.store, &literals) != Outcome::Sat {
            return None;
        }
        let values = variables.iter().map(|&variable| {
            let term = self.variable(variable);
            let term = self.of(term);
            self.solver.model_value(&self.symbols.store, term)
        });
        Some(values.collect())
    }
}
