//! The operator F (SAPA section 2.2): the weakest disjunction of cubes over
//! given predicates that implies a condition, with cubes of bounded length.
//!
//! Cubes are found by implicit hitting sets. A model of the negated condition
//! is a valuation of the predicates that a cube must exclude, so every cube has
//! a literal that is false in it. The search branches only over such literals,
//! asks the solver when no known model is left to exclude, and learns either a
//! new model or, through the failed assumptions, a shorter cube.

use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::solver::{Outcome, Solver, Statistics, TermId, TermStore};

/// A literal: index of a candidate predicate, and whether it is positive.
pub type Literal = (u32, bool);

/// The result of F.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubes {
    /// Minimal cubes; their disjunction implies the condition. An empty cube is `true`.
    pub cubes: Vec<Vec<Literal>>,
}

impl Cubes {
    /// Whether the condition always holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.cubes.iter().any(Vec::is_empty)
    }
}

/// Computes F, with a cache of all results.
#[derive(Debug, Default)]
pub struct Strengthener {
    cache: FxHashMap<(TermId, TermId, Vec<TermId>, usize), Cubes>,
    solver: Solver,
    calls_of_old_solvers: u64,
    deadline: Option<Instant>,
    expired: bool,
    /// Cubes found so far.
    pub cubes: u64,
    /// Results taken from the cache.
    pub hits: u64,
}

/// Clauses after which a fresh solver is cheaper than the old one.
const MAX_CLAUSES: u64 = 200_000;

impl Strengthener {
    /// From `deadline` on, results have fewer cubes than they could have; none are cut short yet.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.expired = false;
        self.solver.set_deadline(deadline);
    }

    /// Whether the deadline cut a result short.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.expired
    }

    /// F(condition) over `candidates`, where `given` may be assumed. Cubes
    /// that contradict `given` or themselves are left out: they describe no state.
    pub fn strengthen(
        &mut self,
        store: &mut TermStore,
        condition: TermId,
        given: TermId,
        candidates: &[TermId],
        max_length: usize,
    ) -> Cubes {
        if store.as_boolean(condition) == Some(true) {
            return Cubes { cubes: vec![Vec::new()] };
        }
        // A condition that is tracked itself: there is nothing weaker that implies it.
        for (index, &candidate) in (0u32..).zip(candidates) {
            if candidate == condition || store.are_complementary(candidate, condition) {
                return Cubes { cubes: vec![vec![(index, candidate == condition)]] };
            }
        }
        let relevant = cone_of_influence(store, condition, given, candidates);
        let terms: Vec<TermId> =
            relevant.iter().filter_map(|&i| candidates.get(i as usize).copied()).collect();
        let key = (condition, given, terms.clone(), max_length);
        let cubes = match self.cache.get(&key) {
            Some(cubes) => {
                self.hits += 1;
                cubes.clone()
            }
            None => {
                if self.solver.statistics().clauses > MAX_CLAUSES {
                    self.calls_of_old_solvers += self.solver.statistics().calls;
                    self.solver = Solver::default();
                    self.solver.set_deadline(self.deadline);
                }
                let negated = store.not(condition);
                let literals = terms.iter().map(|&term| (term, store.not(term))).collect();
                let mut search = Search {
                    store,
                    solver: &mut self.solver,
                    fixed: [negated, given],
                    literals,
                    max_length,
                    models: Vec::new(),
                    cubes: Vec::new(),
                    impossible: Vec::new(),
                    gave_up: false,
                    deadline: self.deadline,
                };
                search.branch(&mut Vec::new(), &mut Vec::new());
                let gave_up = search.gave_up;
                let cubes = Cubes { cubes: search.cubes };
                self.cubes += cubes.cubes.len() as u64;
                if gave_up {
                    self.expired = true;
                } else {
                    self.cache.insert(key, cubes.clone());
                }
                cubes
            }
        };
        let rename = |&(index, sign): &Literal| {
            (relevant.get(index as usize).copied().unwrap_or(index), sign)
        };
        Cubes { cubes: cubes.cubes.iter().map(|cube| cube.iter().map(rename).collect()).collect() }
    }

    /// Minimal cubes over `candidates` that no state satisfies.
    pub fn inconsistent(
        &mut self,
        store: &mut TermStore,
        candidates: &[TermId],
        max_length: usize,
    ) -> Cubes {
        let key = (store.false_(), store.true_(), candidates.to_vec(), max_length);
        if let Some(cubes) = self.cache.get(&key) {
            self.hits += 1;
            return cubes.clone();
        }
        let literals = candidates.iter().map(|&term| (term, store.not(term))).collect();
        let mut search = Search {
            store,
            solver: &mut self.solver,
            fixed: [key.1, key.1],
            literals,
            max_length,
            models: Vec::new(),
            cubes: Vec::new(),
            impossible: Vec::new(),
            gave_up: false,
            deadline: self.deadline,
        };
        search.branch(&mut Vec::new(), &mut Vec::new());
        // A cube that was given up for lack of time is not known to be impossible.
        if search.gave_up {
            self.expired = true;
            return Cubes { cubes: Vec::new() };
        }
        let cubes = Cubes { cubes: search.impossible };
        self.cache.insert(key, cubes.clone());
        cubes
    }

    /// Calls of the SAT solver so far.
    #[must_use]
    pub fn sat_calls(&self) -> u64 {
        let Statistics { calls, .. } = self.solver.statistics();
        calls + self.calls_of_old_solvers
    }
}

/// Candidates that share variables with the condition, directly or through others.
fn cone_of_influence(
    store: &TermStore,
    condition: TermId,
    given: TermId,
    candidates: &[TermId],
) -> Vec<u32> {
    let mut reached = store.variables(condition);
    reached.extend(store.variables(given));
    let variables: Vec<Vec<TermId>> =
        candidates.iter().map(|&term| store.variables(term)).collect();
    let mut inside = vec![false; candidates.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (inside, variables) in inside.iter_mut().zip(&variables) {
            if !*inside && variables.iter().any(|v| reached.contains(v)) {
                *inside = true;
                changed = true;
                reached.extend(
                    variables.iter().filter(|v| !reached.contains(v)).copied().collect::<Vec<_>>(),
                );
            }
        }
    }
    (0u32..).zip(inside).filter(|&(_, inside)| inside).map(|(index, _)| index).collect()
}

struct Search<'a> {
    store: &'a TermStore,
    solver: &'a mut Solver,
    /// The negated condition and what is given.
    fixed: [TermId; 2],
    /// Each candidate and its negation.
    literals: Vec<(TermId, TermId)>,
    max_length: usize,
    /// Valuations of the candidates in models of the negated condition.
    models: Vec<Vec<bool>>,
    cubes: Vec<Vec<Literal>>,
    /// Cubes that no state satisfies.
    impossible: Vec<Vec<Literal>>,
    /// Whether the solver once had no answer.
    gave_up: bool,
    deadline: Option<Instant>,
}

impl Search<'_> {
    fn term(&self, (index, sign): Literal) -> TermId {
        let (positive, negative) = self.literals[index as usize];
        if sign { positive } else { negative }
    }

    /// Extends `cube` in all ways without the literals of `excluded`, which
    /// other branches have.
    fn branch(&mut self, cube: &mut Vec<Literal>, excluded: &mut Vec<Literal>) {
        if self.gave_up || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.gave_up = true;
            return;
        }
        let covered = |known: &[Literal]| known.iter().all(|literal| cube.contains(literal));
        if self.cubes.iter().chain(&self.impossible).any(|known| covered(known)) {
            return;
        }
        let Some(model) = self.remaining_model(cube) else { return };
        if cube.len() == self.max_length {
            return;
        }
        let excluded_before = excluded.len();
        for (index, &value) in (0u32..).zip(&model) {
            // Only a literal that is false in the model excludes it.
            let literal = (index, !value);
            if cube.iter().any(|&(used, _)| used == literal.0) || excluded.contains(&literal) {
                continue;
            }
            cube.push(literal);
            self.branch(cube, excluded);
            cube.pop();
            excluded.push(literal);
        }
        excluded.truncate(excluded_before);
    }

    /// A model of the negated condition that the cube does not exclude; `None`
    /// if there is none and the cube, or a part of it, is a result.
    fn remaining_model(&mut self, cube: &[Literal]) -> Option<Vec<bool>> {
        let allows =
            |model: &Vec<bool>| cube.iter().all(|&(index, sign)| model[index as usize] == sign);
        if let Some(model) = self.models.iter().find(|model| allows(model)) {
            return Some(model.clone());
        }
        let mut assumptions = self.fixed.to_vec();
        assumptions.extend(cube.iter().map(|&literal| self.term(literal)));
        match self.solver.check(self.store, &assumptions) {
            Outcome::Sat => {
                let model: Vec<bool> = self
                    .literals
                    .iter()
                    .map(|&(term, _)| self.solver.model_value(self.store, term) == 1)
                    .collect();
                self.models.push(model.clone());
                Some(model)
            }
            Outcome::Unsat => {
                let core = self.solver.core().to_vec();
                let core = self.solver.minimise(self.store, &core, 2 * self.max_length + 2);
                let part: Vec<Literal> =
                    cube.iter().copied().filter(|&l| core.contains(&self.term(l))).collect();
                // A core without the negated condition: the cube itself is impossible.
                if core.contains(&self.fixed[0]) && !self.is_impossible(&part) {
                    self.cubes.push(part);
                } else {
                    self.impossible.push(part);
                }
                None
            }
            // Out of time: fewer cubes are still sound.
            Outcome::Unknown => {
                self.gave_up = true;
                self.impossible.push(cube.to_vec());
                None
            }
        }
    }

    fn is_impossible(&mut self, cube: &[Literal]) -> bool {
        let mut assumptions = vec![self.fixed[1]];
        assumptions.extend(cube.iter().map(|&literal| self.term(literal)));
        self.solver.check(self.store, &assumptions) == Outcome::Unsat
    }
}
