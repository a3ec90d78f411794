//! What is known of predicates from earlier searches: cubes that imply a condition, cubes that
//! contradict themselves, and states of the program. All of it is about terms, so it holds for
//! every later search over any candidates, in any iteration.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::solver::{TermId, TermStore};

/// A conjunction of terms with signs, sorted by term.
pub(super) type TermCube = Vec<(TermId, bool)>;

/// Older states are forgotten.
const MAX_STATES: usize = 512;

/// A state of the program, by variables, and what is known of terms in it.
#[derive(Debug, Default)]
struct Known {
    variables: FxHashMap<TermId, u128>,
    values: FxHashMap<TermId, bool>,
}

impl Known {
    fn holds(&mut self, store: &TermStore, term: TermId) -> bool {
        if let Some(&value) = self.values.get(&term) {
            return value;
        }
        let variables = &self.variables;
        let value = store.evaluate(term, |v| variables.get(&v).copied().unwrap_or(0)) == 1;
        self.values.insert(term, value);
        value
    }
}

/// The facts of one solver.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// By condition and what is given: minimal cubes that imply it. The condition `false` stands
    /// for contradictions.
    cubes: FxHashMap<(TermId, TermId), FxHashSet<TermCube>>,
    states: Vec<Known>,
    next: usize,
}

impl Facts {
    /// Notes that the cube implies the condition where `given` holds, and no part of it does.
    pub(super) fn learn(&mut self, condition: TermId, given: TermId, cube: TermCube) {
        // Candidates are different terms, so that no term is in a cube twice.
        debug_assert!(cube.windows(2).all(|pair| pair[0].0 != pair[1].0));
        self.cubes.entry((condition, given)).or_default().insert(cube);
    }

    /// The known cubes over these terms, in a fixed order.
    pub(super) fn cubes<'f>(
        &'f self,
        condition: TermId,
        given: TermId,
        is_candidate: &'f dyn Fn(TermId) -> bool,
    ) -> Vec<&'f TermCube> {
        let all = self.cubes.get(&(condition, given)).into_iter().flatten();
        let mut found: Vec<&TermCube> =
            all.filter(|cube| cube.iter().all(|(term, _)| is_candidate(*term))).collect();
        found.sort_unstable();
        found
    }

    /// Remembers a state.
    pub(super) fn remember(&mut self, variables: FxHashMap<TermId, u128>) {
        let known = Known { variables, values: FxHashMap::default() };
        if self.states.len() < MAX_STATES {
            self.states.push(known);
        } else {
            self.states[self.next] = known;
            self.next = (self.next + 1) % MAX_STATES;
        }
    }

    /// The values of `terms`, as bits, in the states known in which `given` holds, and whether
    /// `negated` holds there.
    pub(super) fn valuations(
        &mut self,
        store: &TermStore,
        given: TermId,
        negated: TermId,
        terms: &[TermId],
    ) -> Vec<(u128, bool)> {
        let mut found = Vec::new();
        for state in &mut self.states {
            if state.holds(store, given) {
                let bits = terms
                    .iter()
                    .enumerate()
                    .fold(0, |bits, (at, &t)| bits | u128::from(state.holds(store, t)) << at);
                found.push((bits, state.holds(store, negated)));
            }
        }
        found
    }
}
