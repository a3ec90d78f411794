//! Cubes that a module keeps ([`Module::cubes`]): those that one abstraction reads, and those that another may
//! read and no others (CUPEX section 4.3: Dan, Meshman, Vechev, Yahav, SAS 2013).
//!
//! Each is still asked for: a cube that was recorded says nothing by itself, so that the abstraction is
//! sound whatever the list holds. What is left is not the search for cubes, which is exponential in
//! the number of predicates, but one question for each.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Cube, CubeLiteral, Module};

use super::search::Literal;
use super::step::{AbstractStep, Variable};
use super::vocabulary::{PredicateId, Predicates};

/// A cube that stands for more combinations of candidates than this is left out.
const MOST_READINGS: usize = 64;

/// The cubes of a module, over the predicates of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded(Vec<Vec<(PredicateId, bool)>>);

impl Recorded {
    /// Those of a module.
    pub(super) fn new(module: &Module, predicates: &Predicates) -> Self {
        let literal = |literal: &CubeLiteral| {
            predicates.literal(PredicateId(literal.predicate), !literal.negated)
        };
        let cube = |cube: &Cube| cube.literals.iter().map(literal).collect::<Option<Vec<_>>>();
        Self(module.cubes.iter().filter_map(cube).collect())
    }

    #[cfg(test)]
    pub(super) fn of(cubes: Vec<Vec<(PredicateId, bool)>>) -> Self {
        Self(cubes)
    }

    /// What a search over these candidates tries, the shortest first: single ones, and what the cubes
    /// say of those that are among them. A candidate's index comes with what it reads. A predicate
    /// in a cube may be any thread's.
    pub(super) fn over(&self, candidates: &[(Variable, u32)]) -> Vec<Vec<Literal>> {
        let mut reading: FxHashMap<PredicateId, BTreeSet<u32>> = FxHashMap::default();
        for &(variable, index) in candidates {
            reading.entry(variable.predicate).or_default().insert(index);
        }
        let indices: BTreeSet<u32> = candidates.iter().map(|&(_, index)| index).collect();
        let single =
            indices.into_iter().flat_map(|index| [vec![(index, true)], vec![(index, false)]]);
        let mut found: BTreeSet<(usize, Vec<Literal>)> = single.map(|cube| (1, cube)).collect();
        for cube in &self.0 {
            let mut readings: Vec<Vec<Literal>> = vec![Vec::new()];
            for (predicate, sign) in cube {
                // What has nothing to do with the question is not among the candidates.
                let Some(indices) = reading.get(predicate) else { continue };
                let longer = readings.iter().flat_map(|reading| {
                    indices.iter().map(|&index| [reading.as_slice(), &[(index, *sign)]].concat())
                });
                readings = longer.take(MOST_READINGS + 1).collect();
            }
            if readings.len() > MOST_READINGS {
                continue;
            }
            for mut reading in readings {
                reading.sort_unstable();
                reading.dedup();
                let is_possible = reading.windows(2).all(|pair| pair[0].0 != pair[1].0);
                if is_possible && reading.len() > 1 {
                    found.insert((reading.len(), reading));
                }
            }
        }
        found.into_iter().map(|(_, cube)| cube).collect()
    }
}

/// The cubes of several predicates that steps read, as a module has them; `place` says where in its
/// vocabulary a predicate stands, if it is one of it. Whose the predicates are, and whether before the
/// step or after, is left out.
pub(super) fn record<'s>(
    steps: impl IntoIterator<Item = &'s AbstractStep>,
    place: impl Fn(PredicateId) -> Option<u32>,
) -> Vec<Cube> {
    let mut found: BTreeSet<(usize, Vec<CubeLiteral>)> = BTreeSet::new();
    for cube in steps.into_iter().flat_map(AbstractStep::cubes) {
        let literals = cube.iter().filter_map(|&(variable, sign)| {
            Some(CubeLiteral { predicate: place(variable.predicate)?, negated: !sign })
        });
        let literals: BTreeSet<CubeLiteral> = literals.collect();
        let literals: Vec<CubeLiteral> = literals.into_iter().collect();
        let is_one_state = literals.windows(2).all(|pair| pair[0].predicate != pair[1].predicate);
        if is_one_state && literals.len() > 1 {
            found.insert((literals.len(), literals));
        }
    }
    found.into_iter().map(|(_, literals)| Cube { literals }).collect()
}
