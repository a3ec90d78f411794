//! Minimal hitting sets: the smallest choices that have an element of each of some sets.

use std::collections::BTreeSet;

/// All minimal sets that have an element in common with each clause so far: none of their elements
/// can be left out. Clauses are added one at a time (Berge, Hypergraphs, 1989).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HittingSets<E> {
    minimal: Vec<BTreeSet<E>>,
}

impl<E: Ord + Clone> Default for HittingSets<E> {
    /// Without clauses the empty set is the only one.
    fn default() -> Self {
        Self { minimal: vec![BTreeSet::new()] }
    }
}

impl<E: Ord + Clone> HittingSets<E> {
    /// The sets, smaller ones first.
    pub fn iter(&self) -> impl Iterator<Item = &BTreeSet<E>> {
        self.minimal.iter()
    }

    /// Adds a clause. With an empty one there is no set any more.
    pub fn add(&mut self, clause: &BTreeSet<E>) {
        let (mut kept, missed): (Vec<_>, Vec<_>) =
            self.minimal.drain(..).partition(|set| !set.is_disjoint(clause));
        let old = kept.len();
        for set in missed {
            for element in clause {
                let mut larger = set.clone();
                larger.insert(element.clone());
                // No new set contains another one: each has exactly one element of the clause, and
                // without it was minimal.
                if !kept[..old].iter().any(|known| known.is_subset(&larger)) {
                    kept.push(larger);
                }
            }
        }
        kept.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        self.minimal = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All minimal hitting sets over six elements, by trying all sets.
    fn all(clauses: &[BTreeSet<u32>]) -> Vec<BTreeSet<u32>> {
        let of = |mask: u32| (0..6).filter(|bit| mask >> bit & 1 == 1).collect::<BTreeSet<u32>>();
        let hits = |mask: &u32| clauses.iter().all(|clause| !clause.is_disjoint(&of(*mask)));
        let found: Vec<u32> = (0..64).filter(hits).collect();
        let is_minimal =
            |mask: &&u32| !found.iter().any(|other| other != *mask && other & **mask == *other);
        let mut sets: Vec<_> = found.iter().filter(is_minimal).map(|mask| of(*mask)).collect();
        sets.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        sets
    }

    #[test]
    fn all_minimal_sets_are_found() {
        // Numbers at random, the same in each run (Knuth's linear congruences).
        let mut seed = 1u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 33
        };
        for _ in 0..500 {
            let mut sets = HittingSets::default();
            let mut clauses = Vec::new();
            for _ in 0..random() % 6 {
                let mask = random() & random();
                clauses.push((0..6).filter(|bit| mask >> bit & 1 == 1).collect());
                sets.add(clauses.last().expect("one"));
            }
            assert_eq!(sets.iter().cloned().collect::<Vec<_>>(), all(&clauses), "{clauses:?}");
        }
    }
}
