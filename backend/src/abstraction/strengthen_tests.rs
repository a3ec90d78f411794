//! F against brute force: all cubes over random predicates of two small variables.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::recorded::Recorded;
use super::search::Literal;
use super::step::Variable;
use super::strengthen::{Allowed, Candidates, Question, Strengthener};
use super::vocabulary::PredicateId;
use crate::solver::{Sort, TermId, TermStore};

const BITS: u32 = 3;

fn vector(store: &mut TermStore, random: &mut SmallRng, variables: [TermId; 2]) -> TermId {
    let variable = variables[random.random_range(0..2)];
    match random.random_range(0..4) {
        0 => store.constant(BITS, random.random_range(0..8)),
        1 => {
            let one = store.constant(BITS, 1);
            store.add(variable, one)
        }
        2 => store.add(variables[0], variables[1]),
        _ => variable,
    }
}

fn predicate(store: &mut TermStore, random: &mut SmallRng, variables: [TermId; 2]) -> TermId {
    let (a, b) = (vector(store, random, variables), vector(store, random, variables));
    match random.random_range(0..3) {
        0 => store.eq(a, b),
        1 => store.ult(a, b),
        _ => store.slt(a, b),
    }
}

/// The minimal cubes of at most `length` literals that hold in none of the valuations.
fn excluding(valuations: &[u32], candidates: usize, length: usize) -> Vec<Vec<Literal>> {
    let mut found: Vec<Vec<Literal>> = Vec::new();
    let mut cubes: Vec<Vec<Literal>> = vec![Vec::new()];
    for _ in 0..=length {
        let mut longer = Vec::new();
        for cube in cubes {
            let holds = |v: u32| cube.iter().all(|&(at, sign)| (v >> at & 1 == 1) == sign);
            if !valuations.iter().any(|&v| holds(v)) {
                let part = |known: &Vec<Literal>| known.iter().all(|l| cube.contains(l));
                if !found.iter().any(part) {
                    found.push(cube);
                }
                continue;
            }
            let from = cube.last().map_or(0, |&(at, _)| at as usize + 1);
            for at in from..candidates {
                for sign in [false, true] {
                    let mut next = cube.clone();
                    next.push((at as u32, sign));
                    longer.push(next);
                }
            }
        }
        cubes = longer;
    }
    found.sort();
    found
}

#[test]
fn all_minimal_cubes_are_found() {
    let mut random = SmallRng::seed_from_u64(5);
    let store = &mut TermStore::default();
    let variables = ["x", "y"].map(|name| store.variable(name, Sort::Bv(BITS)));
    // One for all cases, so that what it has learned is used again.
    let mut strengthener = Strengthener::default();
    let (mut compared, mut empty) = (0, 0);
    for case in 0..600 {
        let condition = predicate(store, &mut random, variables);
        let given = match random.random_range(0..3) {
            0 => predicate(store, &mut random, variables),
            _ => store.true_(),
        };
        let mut candidates = Candidates::default();
        while candidates.terms.len() < 4 {
            let candidate = predicate(store, &mut random, variables);
            let known = candidates
                .terms
                .iter()
                .chain([&condition])
                .any(|&c| c == candidate || store.are_complementary(c, candidate));
            if !known && !store.is_literal_value(candidate) {
                let number = PredicateId(candidates.terms.len() as u32);
                candidates.push(candidate, Variable::active(number));
            }
        }
        let length = random.random_range(1..4);
        let (mut failing, mut possible) = (Vec::new(), Vec::new());
        for state in 0..1u128 << (2 * BITS) {
            let value = |v: TermId| if v == variables[0] { state & 7 } else { state >> BITS };
            let holds = |term: TermId| store.evaluate(term, value) == 1;
            if holds(given) {
                let bits = candidates.terms.iter().enumerate();
                let valuation = bits.fold(0, |v, (at, &c)| v | u32::from(holds(c)) << at);
                possible.push(valuation);
                if !holds(condition) {
                    failing.push(valuation);
                }
            }
        }
        let contradictory = excluding(&possible, 4, length);
        let mut expected = excluding(&failing, 4, length);
        expected.retain(|cube| {
            !contradictory.iter().any(|part| part.iter().all(|literal| cube.contains(literal)))
        });
        // Two questions that have answers in common, on all cores.
        let mut ask = |length| {
            strengthener.ask(store, (condition, given), &candidates, Allowed::UpTo(length))
        };
        let questions: Vec<Question> = vec![ask(length), ask(3)];
        assert!(strengthener.solve(store, &questions));
        if store.as_boolean(condition).is_some() {
            continue;
        }
        let literal = |&(variable, sign): &(Variable, bool)| (variable.predicate.0, sign);
        let answer = strengthener.answer(&questions[0]);
        let mut found: Vec<Vec<Literal>> =
            answer.iter().map(|cube| cube.iter().map(literal).collect()).collect();
        for cube in &mut found {
            cube.sort_unstable();
        }
        found.sort();
        assert_eq!(found, expected, "case {case}, length {length}");
        compared += 1;
        empty += usize::from(found.is_empty());
    }
    assert!(compared > 300 && empty < compared, "{compared} {empty}");
}

/// What is said over recorded cubes is so, and no recorded cube that says something is left out.
#[test]
fn recorded_cubes_are_tried_and_no_others() {
    let mut random = SmallRng::seed_from_u64(6);
    let store = &mut TermStore::default();
    let variables = ["x", "y"].map(|name| store.variable(name, Sort::Bv(BITS)));
    let mut strengthener = Strengthener::default();
    let mut several = 0;
    for case in 0..300 {
        let condition = predicate(store, &mut random, variables);
        let mut candidates = Candidates::default();
        while candidates.terms.len() < 4 {
            let candidate = predicate(store, &mut random, variables);
            let is_new =
                |known: &TermId| *known != candidate && !store.are_complementary(*known, candidate);
            let all_others = candidates.terms.iter().chain([&condition]).all(is_new);
            if all_others && !store.is_literal_value(candidate) {
                let number = PredicateId(candidates.terms.len() as u32);
                candidates.push(candidate, Variable::active(number));
            }
        }
        let mut cubes: Vec<Vec<(PredicateId, bool)>> = Vec::new();
        for _ in 0..3 {
            let mut cube = Vec::new();
            for at in 0..4 {
                if random.random_bool(0.6) {
                    cube.push((PredicateId(at), random.random_bool(0.5)));
                }
            }
            cubes.push(cube);
        }
        let recorded = Recorded::of(cubes.clone());
        let given = store.true_();
        let allowed = Allowed::Recorded(&recorded);
        let question = strengthener.ask(store, (condition, given), &candidates, allowed);
        assert!(strengthener.solve(store, [&question]));
        if store.as_boolean(condition).is_some() {
            continue;
        }
        let answer = strengthener.answer(&question);
        let states = || {
            (0..1u128 << (2 * BITS)).map(|state| {
                let value = |v: TermId| if v == variables[0] { state & 7 } else { state >> BITS };
                let holds = |term: TermId| store.evaluate(term, value) == 1;
                let valuation: Vec<bool> = candidates.terms.iter().map(|&t| holds(t)).collect();
                (valuation, holds(condition))
            })
        };
        let implies = |cube: &[(PredicateId, bool)]| {
            states().all(|(valuation, holds)| {
                holds || cube.iter().any(|&(at, sign)| valuation[at.0 as usize] != sign)
            })
        };
        let is_possible = |cube: &[(PredicateId, bool)]| {
            states().any(|(valuation, _)| {
                cube.iter().all(|&(at, sign)| valuation[at.0 as usize] == sign)
            })
        };
        let found: Vec<Vec<(PredicateId, bool)>> = answer
            .iter()
            .map(|cube| cube.iter().map(|&(variable, sign)| (variable.predicate, sign)).collect())
            .collect();
        for cube in &found {
            assert!(implies(cube), "case {case}");
            let is_part = |of: &Vec<(PredicateId, bool)>| cube.iter().all(|l| of.contains(l));
            assert!(cube.len() < 2 || cubes.iter().any(is_part), "case {case}");
            several += usize::from(cube.len() > 1);
        }
        let single = (0..4).flat_map(|at| [true, false].map(|sign| vec![(PredicateId(at), sign)]));
        for cube in single.chain(cubes.clone()).filter(|cube| !cube.is_empty()) {
            // Candidates that share no variable with the condition say nothing of it.
            let contains = |part: &Vec<(PredicateId, bool)>| part.iter().all(|l| cube.contains(l));
            let is_left_out = implies(&cube) && is_possible(&cube) && !found.iter().any(contains);
            assert!(!is_left_out, "case {case}: {cube:?} is not in {found:?}");
        }
    }
    assert!(several > 10, "{several}");
}

#[test]
fn nothing_is_searched_when_the_time_is_over() {
    let store = &mut TermStore::default();
    let mut strengthener = Strengthener::default();
    strengthener.set_limits(&sapa_limits::Limits::time(std::time::Duration::ZERO));
    let (a, b) = (store.variable("a", Sort::Bv(BITS)), store.variable("b", Sort::Bv(BITS)));
    let (less, one) = (store.ult(a, b), store.constant(BITS, 1));
    let (condition, given) = (store.ult(a, one), store.true_());
    let mut candidates = Candidates::default();
    candidates.push(less, Variable::active(PredicateId(0)));
    let question = strengthener.ask(store, (condition, given), &candidates, Allowed::UpTo(1));
    assert!(!strengthener.solve(store, [&question]) && strengthener.is_expired());
    assert_eq!(strengthener.sat_calls(), 0);
}
