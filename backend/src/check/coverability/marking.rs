//! ω-markings: how many threads are in each local state, with ω for "any number".
//!
//! A marking stands for all configurations it covers: those with the same shared valuation and at
//! most as many threads in each local state.

use super::thread_system::{LocalId, SharedId};

/// A number of threads. `OMEGA` is "any number".
pub(crate) type Count = u32;

pub(crate) const OMEGA: Count = Count::MAX;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Marking {
    pub(crate) shared: SharedId,
    /// Sorted by local state; counts are positive.
    counts: Vec<(LocalId, Count)>,
}

impl Marking {
    pub(crate) fn new(shared: SharedId) -> Marking {
        Marking { shared, counts: Vec::new() }
    }

    pub(crate) fn counts(&self) -> &[(LocalId, Count)] {
        &self.counts
    }

    pub(crate) fn count(&self, local: LocalId) -> Count {
        let found = self.counts.binary_search_by_key(&local, |&(other, _)| other);
        found.map_or(0, |at| self.counts[at].1)
    }

    /// Adds threads; a sum above `limit` becomes ω.
    pub(crate) fn add(&mut self, local: LocalId, count: Count, limit: Count) {
        if count == 0 {
            return;
        }
        let saturate = |sum: Count| if sum > limit { OMEGA } else { sum };
        match self.counts.binary_search_by_key(&local, |&(other, _)| other) {
            Ok(at) => self.counts[at].1 = saturate(self.counts[at].1.saturating_add(count)),
            Err(at) => self.counts.insert(at, (local, saturate(count))),
        }
    }

    /// Takes one thread away; ω stays ω.
    pub(crate) fn remove_one(&mut self, local: LocalId) {
        let Ok(at) = self.counts.binary_search_by_key(&local, |&(other, _)| other) else { return };
        match self.counts[at].1 {
            OMEGA => {}
            1 => {
                self.counts.remove(at);
            }
            ref mut count => *count -= 1,
        }
    }

    /// Whether every configuration of `other` is one of this marking's.
    pub(crate) fn covers(&self, other: &Marking) -> bool {
        if self.shared != other.shared || self.counts.len() < other.counts.len() {
            return false;
        }
        let mut mine = self.counts.iter();
        other.counts.iter().all(|&(local, count)| {
            mine.find(|&&(candidate, _)| candidate >= local)
                .is_some_and(|&(candidate, have)| candidate == local && have >= count)
        })
    }

    /// Whether both have the same threads, as far as they are counted, and differ in ω only.
    pub(crate) fn same_counted(&self, other: &Marking) -> bool {
        let counted = |marking: &Marking| {
            marking.counts.iter().filter(|(_, count)| *count != OMEGA).copied().collect::<Vec<_>>()
        };
        counted(self) == counted(other)
    }

    /// Raises every count to the other marking's, so that this one covers both.
    pub(crate) fn join(&mut self, other: &Marking) {
        for &(local, count) in &other.counts {
            match self.counts.binary_search_by_key(&local, |&(mine, _)| mine) {
                Ok(at) => self.counts[at].1 = self.counts[at].1.max(count),
                Err(at) => self.counts.insert(at, (local, count)),
            }
        }
    }

    /// One bit per local state modulo 64: a quick reason why a marking cannot cover another.
    pub(crate) fn signature(&self) -> u64 {
        self.counts.iter().fold(0, |bits, (local, _)| bits | 1 << (local.0 % 64))
    }

    /// Larger markings are explored first, as they make smaller ones superfluous.
    pub(crate) fn weight(&self) -> u64 {
        let value = |&(_, count): &(LocalId, Count)| {
            if count == OMEGA { 1 << 20 } else { u64::from(count) }
        };
        self.counts.iter().map(value).sum()
    }

    /// How many threads there are; only for markings without ω.
    pub(crate) fn threads(&self) -> Count {
        self.counts.iter().map(|(_, count)| count).sum()
    }
}

/// The ways to spread `count` threads over `places` results: each a list of `places` numbers with
/// that sum. ω threads fill every place. `None` if there are more than `limit` ways.
pub(crate) fn distributions(count: Count, places: usize, limit: usize) -> Option<Vec<Vec<Count>>> {
    if places == 0 {
        return Some(Vec::new());
    }
    if count == OMEGA {
        return Some(vec![vec![OMEGA; places]]);
    }
    let mut partial: Vec<Vec<Count>> = vec![Vec::new()];
    for place in 0..places {
        let last = place + 1 == places;
        let mut longer = Vec::new();
        for prefix in &partial {
            let left = count - prefix.iter().sum::<Count>();
            for here in if last { left..=left } else { 0..=left } {
                let mut next = prefix.clone();
                next.push(here);
                longer.push(next);
            }
            if longer.len() > limit {
                return None;
            }
        }
        partial = longer;
    }
    Some(partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marking(counts: &[(u32, Count)]) -> Marking {
        let mut marking = Marking::new(SharedId(0));
        for &(local, count) in counts {
            marking.add(LocalId(local), count, 3);
        }
        marking
    }

    #[test]
    fn counts_saturate_and_order() {
        let mut m = marking(&[(5, 1), (2, 3), (2, 1)]);
        assert_eq!(m.count(LocalId(2)), OMEGA);
        assert!(m.covers(&marking(&[(2, 3)])));
        assert!(m.covers(&marking(&[(5, 1)])));
        assert!(!m.covers(&marking(&[(5, 2)])));
        assert!(!m.covers(&marking(&[(4, 1)])));
        let mut joined = marking(&[(5, 3), (7, 1)]);
        joined.join(&m);
        assert_eq!(joined, marking(&[(2, OMEGA), (5, 3), (7, 1)]));
        m.remove_one(LocalId(2));
        m.remove_one(LocalId(5));
        assert_eq!(m.counts(), &[(LocalId(2), OMEGA)]);
    }

    #[test]
    fn distributions_are_compositions() {
        assert_eq!(distributions(2, 2, 9), Some(vec![vec![0, 2], vec![1, 1], vec![2, 0]]));
        assert_eq!(distributions(OMEGA, 2, 9), Some(vec![vec![OMEGA, OMEGA]]));
        assert_eq!(distributions(3, 1, 9), Some(vec![vec![3]]));
        assert_eq!(distributions(9, 9, 100), None);
        assert_eq!(distributions(1, 0, 9), Some(vec![]));
    }
}
