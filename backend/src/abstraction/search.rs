//! The search for all minimal cubes that imply a condition, by implicit hitting sets. A model of
//! the negated condition is a valuation of the predicates that a cube must exclude, so every cube
//! has a literal that is false in it. The search branches only over such literals, asks the solver
//! when no known model is left to exclude, and learns either a new model or, through the failed
//! assumptions, a shorter cube.

use sapa_limits::Limits;

use super::facts::{Facts, TermCube};
use super::given_up::GivenUp;
use crate::solver::{Outcome, Solver, TermId, TermStore};

/// More candidates are left out, which costs cubes but stays sound.
pub(super) const MAX_CANDIDATES: usize = 128;

/// A literal: index of a candidate, and whether it is positive.
pub(super) type Literal = (u32, bool);

/// What is asked: all terms are made already.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Query {
    pub(super) condition: TermId,
    pub(super) negated: TermId,
    /// What may be assumed.
    pub(super) given: TermId,
    /// Each candidate and its negation; at most [`MAX_CANDIDATES`].
    pub(super) literals: Vec<(TermId, TermId)>,
    pub(super) tried: Tried,
}

/// Which cubes a search tries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tried {
    /// All up to this number of literals.
    UpTo(usize),
    /// These, in this order, and what they contain.
    These(Vec<Vec<Literal>>),
}

impl Query {
    pub(super) fn new(
        store: &mut TermStore,
        (condition, given): (TermId, TermId),
        candidates: &[TermId],
        tried: Tried,
    ) -> Self {
        let negated = store.not(condition);
        let literals = candidates.iter().map(|&term| (term, store.not(term))).collect();
        Query { condition, negated, given, literals, tried }
    }

    /// How many cubes there are to try, but for the empty one.
    pub(super) fn size(&self) -> u64 {
        match &self.tried {
            Tried::UpTo(length) => {
                // Of n candidates k can be chosen in n·(n-1)·…/k! ways, with 2^k signs.
                let candidates = self.literals.len() as u64;
                let mut chosen: u64 = 1;
                (1..=(*length as u64).min(candidates)).fold(0u64, |sum, count| {
                    chosen = chosen.saturating_mul(2 * (candidates - count + 1)) / count;
                    sum.saturating_add(chosen)
                })
            }
            Tried::These(cubes) => cubes.len() as u64,
        }
    }

    /// Most literals of a cube that is an answer.
    fn max_length(&self) -> usize {
        match self.tried {
            Tried::UpTo(length) => length,
            Tried::These(_) => usize::MAX,
        }
    }
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// Minimal cubes that imply the condition and some state with what is given satisfies.
    pub(super) cubes: Vec<Vec<Literal>>,
    /// Minimal cubes that no state with what is given satisfies, as far as the search met them.
    pub(super) contradictory: Vec<Vec<Literal>>,
}

/// Literals as bits: which candidates, and their signs.
#[derive(Clone, Copy)]
struct Mask {
    used: u128,
    signs: u128,
}

impl Mask {
    fn of(cube: &[Literal]) -> Mask {
        let bit = |set: bool, at: u32| u128::from(set) << at;
        cube.iter().fold(Mask { used: 0, signs: 0 }, |mask, &(at, sign)| Mask {
            used: mask.used | bit(true, at),
            signs: mask.signs | bit(sign, at),
        })
    }

    fn allows(self, valuation: u128) -> bool {
        (valuation ^ self.signs) & self.used == 0
    }

    fn contains(self, part: Mask) -> bool {
        self.used & part.used == part.used && (self.signs ^ part.signs) & part.used == 0
    }
}

pub(super) struct Search<'a> {
    store: &'a TermStore,
    solver: &'a mut Solver,
    facts: &'a mut Facts,
    query: &'a Query,
    terms: Vec<TermId>,
    /// Valuations of the candidates in states with what is given: where the condition fails, and
    /// anywhere.
    failing: Vec<u128>,
    possible: Vec<u128>,
    cubes: Vec<(Mask, Vec<Literal>)>,
    contradictory: Vec<(Mask, Vec<Literal>)>,
    gave_up: bool,
    bounds: &'a Bounds<'a>,
    given_up: &'a mut GivenUp,
}

/// What stops a search.
pub(super) struct Bounds<'a> {
    /// Time and memory.
    pub(super) limits: &'a Limits,
    /// A call that needs more conflicts is given up.
    pub(super) most_conflicts: u32,
    /// Whether what the solver has done is within the budget.
    pub(super) budget: &'a dyn Fn(&Solver) -> bool,
}

/// Answers a query; `None` if the time or the budget is over. What single calls of the solver do not
/// answer is left out and noted: there may be more cubes, but those there are imply the condition.
pub(super) fn search(
    store: &TermStore,
    solver: &mut Solver,
    facts: &mut Facts,
    query: &Query,
    bounds: &Bounds<'_>,
    given_up: &mut GivenUp,
) -> Option<Answer> {
    let terms: Vec<TermId> = query.literals.iter().map(|&(term, _)| term).collect();
    let (mut failing, mut possible) = (Vec::new(), Vec::new());
    for (valuation, fails) in facts.valuations(store, query.given, query.negated, &terms) {
        possible.push(valuation);
        if fails {
            failing.push(valuation);
        }
    }
    let is_candidate = |term: TermId| terms.contains(&term);
    let number = |cube: &TermCube| {
        let position = |&(term, sign): &(TermId, bool)| {
            let at = terms.iter().position(|&candidate| candidate == term)?;
            Some((u32::try_from(at).ok()?, sign))
        };
        let literals: Vec<Literal> = cube.iter().filter_map(position).collect();
        (Mask::of(&literals), literals)
    };
    let (always, never) = (store.true_(), store.false_());
    let known = |condition, given| facts.cubes(condition, given, &is_candidate);
    let mut contradictory: Vec<_> = known(never, always).into_iter().map(number).collect();
    if query.given != always {
        contradictory.extend(known(never, query.given).into_iter().map(number));
    }
    let cubes = if query.condition == never {
        Vec::new()
    } else {
        known(query.condition, query.given).into_iter().map(number).collect()
    };
    let mut search = Search {
        store,
        solver,
        facts,
        query,
        terms,
        failing,
        possible,
        cubes,
        contradictory,
        gave_up: false,
        bounds,
        given_up,
    };
    search.solver.set_most_conflicts(Some(bounds.most_conflicts));
    match &query.tried {
        Tried::UpTo(_) => search.branch(&mut Vec::new(), &mut Vec::new()),
        Tried::These(cubes) => {
            // The empty cube first: the condition may hold always.
            search.one(&[]);
            cubes.iter().for_each(|cube| search.one(cube));
        }
    }
    if search.gave_up {
        return None;
    }
    let (mut cubes, contradictory) = (search.cubes, search.contradictory);
    // What was found first may contain what was found later.
    cubes.retain(|(mask, _)| !contradictory.iter().any(|(part, _)| mask.contains(*part)));
    Some(Answer { cubes: minimal(cubes, query), contradictory: minimal(contradictory, query) })
}

/// The cubes of allowed length that contain no other, in a fixed order.
fn minimal(cubes: Vec<(Mask, Vec<Literal>)>, query: &Query) -> Vec<Vec<Literal>> {
    let mut found: Vec<(Mask, Vec<Literal>)> =
        cubes.into_iter().filter(|(_, cube)| cube.len() <= query.max_length()).collect();
    for (_, cube) in &mut found {
        cube.sort_unstable();
    }
    found.sort_by(|(_, a), (_, b)| (a.len(), a).cmp(&(b.len(), b)));
    let mut kept: Vec<(Mask, Vec<Literal>)> = Vec::with_capacity(found.len());
    for (mask, cube) in found {
        if !kept.iter().any(|(part, _)| mask.contains(*part)) {
            kept.push((mask, cube));
        }
    }
    kept.into_iter().map(|(_, cube)| cube).collect()
}

impl Search<'_> {
    fn term(&self, (index, sign): Literal) -> TermId {
        let (positive, negative) = self.query.literals[index as usize];
        if sign { positive } else { negative }
    }

    /// Whether a part of a cube is a result.
    fn is_known(&self, cube: &[Literal]) -> bool {
        let mask = Mask::of(cube);
        self.cubes.iter().chain(&self.contradictory).any(|(part, _)| mask.contains(*part))
    }

    /// Tries a cube as it is.
    fn one(&mut self, cube: &[Literal]) {
        if self.gave_up || self.bounds.limits.is_exceeded() || !(self.bounds.budget)(self.solver) {
            self.gave_up = true;
        } else if !self.is_known(cube) {
            self.remaining_model(cube);
        }
    }

    /// Extends `cube` in all ways without the literals of `excluded`, which other branches have.
    fn branch(&mut self, cube: &mut Vec<Literal>, excluded: &mut Vec<Literal>) {
        if self.gave_up || self.bounds.limits.is_exceeded() || !(self.bounds.budget)(self.solver) {
            self.gave_up = true;
            return;
        }
        if self.is_known(cube) {
            return;
        }
        let mask = Mask::of(cube);
        let Some(model) = self.remaining_model(cube) else { return };
        if cube.len() == self.query.max_length() {
            return;
        }
        let excluded_before = excluded.len();
        for index in (0u32..).take(self.terms.len()) {
            // Only a literal that is false in the model excludes it.
            let literal = (index, model >> index & 1 == 0);
            if mask.used >> index & 1 == 1 || excluded.contains(&literal) {
                continue;
            }
            cube.push(literal);
            self.branch(cube, excluded);
            cube.pop();
            excluded.push(literal);
        }
        excluded.truncate(excluded_before);
    }

    /// A model of the negated condition that the cube does not exclude; `None` if there is none
    /// and the cube, or a part of it, is a result.
    fn remaining_model(&mut self, cube: &[Literal]) -> Option<u128> {
        let mask = Mask::of(cube);
        if let Some(&model) = self.failing.iter().find(|&&model| mask.allows(model)) {
            return Some(model);
        }
        let fixed = [self.query.negated, self.query.given];
        match self.ask(&fixed, cube) {
            Outcome::Sat => self.failing.last().copied(),
            Outcome::Unsat => {
                let part = self.core(cube);
                let part = self.shrink(&fixed, part);
                self.classify(part);
                None
            }
            // Whatever extends this cube is left out.
            Outcome::Unknown => None,
        }
    }

    /// Whether some state satisfies these conditions and literals; one that is found is remembered.
    fn ask(&mut self, conditions: &[TermId], cube: &[Literal]) -> Outcome {
        let mut assumptions = conditions.to_vec();
        assumptions.extend(cube.iter().map(|&literal| self.term(literal)));
        let outcome = self.solver.check(self.store, &assumptions);
        match outcome {
            Outcome::Unknown if self.bounds.limits.is_exceeded() => self.gave_up = true,
            Outcome::Unknown => {
                let variables = assumptions.iter().flat_map(|&t| self.store.variables(t));
                self.given_up.add(GivenUp { hard: 1, calls: 0, variables: variables.collect() });
            }
            Outcome::Sat | Outcome::Unsat => {}
        }
        if outcome == Outcome::Sat {
            let variables = self.solver.model();
            let value = |v: TermId| variables.get(&v).copied().unwrap_or(0);
            let holds = |term: TermId| self.store.evaluate(term, value) == 1;
            if holds(self.query.given) {
                let bits = (0u32..).zip(&self.terms);
                let valuation =
                    bits.fold(0, |bits, (at, &term)| bits | u128::from(holds(term)) << at);
                self.possible.push(valuation);
                if holds(self.query.negated) {
                    self.failing.push(valuation);
                }
            }
            self.facts.remember(variables.clone());
        }
        outcome
    }

    /// The literals that the contradiction needs that was the last answer.
    fn core(&self, cube: &[Literal]) -> Vec<Literal> {
        let core = self.solver.core();
        cube.iter().copied().filter(|&literal| core.contains(&self.term(literal))).collect()
    }

    /// Drops literals from a cube that contradicts the conditions as long as it does.
    fn shrink(&mut self, conditions: &[TermId], mut cube: Vec<Literal>) -> Vec<Literal> {
        let mut at = 0;
        while at < cube.len() {
            let mut shorter = cube.clone();
            shorter.remove(at);
            let mask = Mask::of(&shorter);
            let models = if conditions.contains(&self.query.negated) {
                &self.failing
            } else {
                &self.possible
            };
            if models.iter().any(|&model| mask.allows(model)) {
                at += 1;
                continue;
            }
            match self.ask(conditions, &shorter) {
                Outcome::Unsat => cube = self.core(&shorter),
                _ => at += 1,
            }
        }
        cube
    }

    /// Files a minimal cube that excludes the negated condition: as a result, or as a
    /// contradiction with what is given or in itself.
    fn classify(&mut self, cube: Vec<Literal>) {
        let mask = Mask::of(&cube);
        let (always, never) = (self.store.true_(), self.store.false_());
        if self.query.condition != never {
            let possible = self.possible.iter().any(|&valuation| mask.allows(valuation));
            let given = [self.query.given];
            match if possible { Outcome::Sat } else { self.ask(&given, &cube) } {
                // It implies the condition in any case; that it is possible too is but wished for.
                Outcome::Sat | Outcome::Unknown => {
                    self.learn(self.query.condition, self.query.given, &cube);
                    self.cubes.push((mask, cube));
                    return;
                }
                Outcome::Unsat => {}
            }
        }
        let given = [self.query.given];
        let mut cube = if self.query.condition == never { cube } else { self.shrink(&given, cube) };
        let mut alone = self.query.given == always;
        if !alone && self.ask(&[], &cube) == Outcome::Unsat {
            cube = self.core(&cube);
            alone = true;
        }
        self.learn(never, if alone { always } else { self.query.given }, &cube);
        self.contradictory.push((Mask::of(&cube), cube));
    }

    fn learn(&mut self, condition: TermId, given: TermId, cube: &[Literal]) {
        let term = |&(index, sign): &Literal| (self.terms[index as usize], sign);
        let mut cube: TermCube = cube.iter().map(term).collect();
        cube.sort_unstable();
        self.facts.learn(condition, given, cube);
    }
}
