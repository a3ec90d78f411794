//! Counting satisfying assignments.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::edge::Edge;
use crate::node::Store;

impl Store {
    /// Assignments to the variables at `levels` (sorted; a superset of the support) that satisfy
    /// `f`.
    pub(crate) fn sat_count(&self, f: Edge, levels: &[u32]) -> BigUint {
        self.count_from(f, 0, levels, &mut FxHashMap::default())
    }

    /// Assignments to `levels[from..]` that satisfy `f`.
    fn count_from(
        &self,
        f: Edge,
        from: usize,
        levels: &[u32],
        memo: &mut FxHashMap<Edge, BigUint>,
    ) -> BigUint {
        let level = self.level(f);
        let position = levels.partition_point(|&other| other < level);
        self.count_at(f, position, levels, memo) << (position - from)
    }

    fn count_at(
        &self,
        f: Edge,
        position: usize,
        levels: &[u32],
        memo: &mut FxHashMap<Edge, BigUint>,
    ) -> BigUint {
        match f {
            Edge::TRUE => return BigUint::from(1u32),
            Edge::FALSE => return BigUint::ZERO,
            _ => {}
        }
        if let Some(count) = memo.get(&f) {
            return count.clone();
        }
        let (low, high) = self.cofactors(f, self.level(f));
        let count = self.count_from(low, position + 1, levels, memo)
            + self.count_from(high, position + 1, levels, memo);
        memo.insert(f, count.clone());
        count
    }

    /// The fraction of all assignments that satisfies `f`.
    pub(crate) fn density(&self, f: Edge, memo: &mut FxHashMap<Edge, f64>) -> f64 {
        match f {
            Edge::TRUE => return 1.0,
            Edge::FALSE => return 0.0,
            _ => {}
        }
        if let Some(&density) = memo.get(&f) {
            return density;
        }
        let (low, high) = self.cofactors(f, self.level(f));
        let density = (self.density(low, memo) + self.density(high, memo)) / 2.0;
        memo.insert(f, density);
        density
    }
}
