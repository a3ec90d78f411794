//! Bipartite matching: who gets which place.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Gives everyone one of the places that are `options` for them, such that no place is given more
/// often than there is `room` for. `None` if that is impossible.
///
/// Augmenting paths, so the time is polynomial: whoever finds all options taken looks for somebody
/// who holds one of them and can move on.
pub(super) fn places(options: &[Vec<u32>], room: &FxHashMap<u32, u32>) -> Option<Vec<u32>> {
    let mut given: Vec<Option<u32>> = vec![None; options.len()];
    let mut holders: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for seeker in 0..options.len() {
        // The place that is free in the end, and who wants each of the places that were looked at.
        let mut wanted_by: FxHashMap<u32, usize> = FxHashMap::default();
        let mut queue = VecDeque::from([seeker]);
        let mut free = None;
        'search: while let Some(at) = queue.pop_front() {
            for &place in &options[at] {
                if wanted_by.contains_key(&place) {
                    continue;
                }
                wanted_by.insert(place, at);
                let held = holders.entry(place).or_default();
                if held.len() < room.get(&place).map_or(0, |room| *room as usize) {
                    free = Some(place);
                    break 'search;
                }
                queue.extend(held.iter());
            }
        }
        // Everyone on the way takes the place they wanted and frees the one they had.
        let mut next = Some(free?);
        while let Some(place) = next {
            let taker = *wanted_by.get(&place)?;
            holders.entry(place).or_default().push(taker);
            next = given[taker].replace(place);
            if let Some(left) = next {
                holders.entry(left).or_default().retain(|holder| *holder != taker);
            }
        }
    }
    given.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn possible(options: &[Vec<u32>], room: &mut FxHashMap<u32, u32>) -> bool {
        let Some((first, rest)) = options.split_first() else { return true };
        first.iter().any(|place| {
            let left = room.get(place).copied().unwrap_or(0);
            if left == 0 {
                return false;
            }
            room.insert(*place, left - 1);
            let found = possible(rest, room);
            room.insert(*place, left);
            found
        })
    }

    #[test]
    fn agrees_with_backtracking() {
        let mut random = SmallRng::seed_from_u64(5);
        let mut found = 0;
        for _ in 0..2000 {
            let seekers = random.random_range(0..6);
            let options: Vec<Vec<u32>> = (0..seekers)
                .map(|_| (0..4).filter(|_| random.random_bool(0.4)).collect())
                .collect();
            let room: FxHashMap<u32, u32> =
                (0..4).map(|place| (place, random.random_range(0..3))).collect();
            let places = places(&options, &room);
            assert_eq!(
                places.is_some(),
                possible(&options, &mut room.clone()),
                "{options:?} {room:?}"
            );
            if let Some(places) = places {
                found += 1;
                assert!(
                    places.iter().zip(&options).all(|(place, options)| options.contains(place))
                );
                for (place, room) in &room {
                    let given = places.iter().filter(|other| *other == place).count();
                    assert!(given <= *room as usize, "{options:?} {room:?}");
                }
            }
        }
        assert!(found > 500 && found < 1900, "{found}");
    }

    #[test]
    fn those_with_few_options_may_come_last() {
        let mut options = vec![vec![0, 1]; 200];
        options.extend(vec![vec![0]; 200]);
        let room = FxHashMap::from_iter([(0, 200), (1, 200)]);
        let given = places(&options, &room).expect("there is a way");
        assert!(given[200..].iter().all(|place| *place == 0));
    }
}
