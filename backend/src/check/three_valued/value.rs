//! Values that may be unknown, and lists of them, which stand for sets of valuations.

use sapa_ir::boolean::flat;

/// The value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Three {
    /// 0.
    No,
    /// 1.
    Yes,
    /// 0 or 1.
    Unknown,
}

/// The values of variables. It stands for all valuations that agree with what is known.
pub(super) type Values = Box<[Three]>;

impl Three {
    pub(super) fn known(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }

    pub(super) fn can_be(self, value: bool) -> bool {
        self == Self::Unknown || self == Self::known(value)
    }

    /// As what an expression may be.
    pub(super) fn possible(self) -> flat::Values {
        flat::Values { zero: self.can_be(false), one: self.can_be(true) }
    }
}

impl From<flat::Values> for Three {
    fn from(values: flat::Values) -> Self {
        match (values.zero, values.one) {
            (true, true) => Self::Unknown,
            (_, one) => Self::known(one),
        }
    }
}

/// Whether `all` stands for every valuation that `part` stands for.
pub(super) fn covers(all: &[Three], part: &[Three]) -> bool {
    all.iter().zip(part).all(|(all, part)| *all == Three::Unknown || all == part)
}

/// What stands for the valuations of both and no others, where they differ in one value and neither
/// covers the other.
pub(super) fn merged(a: &[Three], b: &[Three]) -> Option<Values> {
    let mut differing = (0..a.len()).filter(|&at| a[at] != b[at]);
    let (at, None) = (differing.next()?, differing.next()) else { return None };
    let mut both: Values = a.into();
    both[at] = Three::Unknown;
    Some(both)
}

/// The same valuations in fewer lists: as long as two differ in one value, they become one.
pub(super) fn merge_all(lists: Vec<Values>) -> Vec<Values> {
    let mut found: Vec<Values> = Vec::with_capacity(lists.len());
    for mut list in lists {
        if found.iter().any(|other| covers(other, &list)) {
            continue;
        }
        loop {
            found.retain(|other| !covers(&list, other));
            match found.iter().find_map(|other| merged(other, &list)) {
                Some(both) => list = both,
                None => break,
            }
        }
        found.push(list);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{Rng, SeedableRng, rngs::SmallRng};

    use super::*;

    fn valuations(list: &[Three]) -> BTreeSet<u32> {
        let all = 0..1u32 << list.len();
        let agrees = |n: &u32| list.iter().enumerate().all(|(at, v)| v.can_be(n >> at & 1 == 1));
        all.filter(agrees).collect()
    }

    #[test]
    fn merging_adds_and_loses_nothing() {
        let mut random = SmallRng::seed_from_u64(3);
        let mut fewer = 0;
        for _ in 0..500 {
            let value = |random: &mut SmallRng| {
                [Three::No, Three::Yes, Three::Unknown][random.random_range(0..3)]
            };
            let list =
                |random: &mut SmallRng| -> Values { (0..4).map(|_| value(random)).collect() };
            let lists: Vec<Values> =
                (0..random.random_range(1..8)).map(|_| list(&mut random)).collect();
            let all = |lists: &[Values]| -> BTreeSet<u32> {
                lists.iter().flat_map(|list| valuations(list)).collect()
            };
            let merged = merge_all(lists.clone());
            assert_eq!(all(&lists), all(&merged), "{lists:?}");
            fewer += usize::from(merged.len() < lists.len());
        }
        assert!(fewer > 100, "{fewer}");
    }
}
