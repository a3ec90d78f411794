//! The ways to spread threads over places, one at a time: there can be too many to keep.

use super::coverability::marking::Count;

/// Goes through all ways to spread several classes of threads, each over places of its own.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// For each class, how many threads go to each of its places.
    way: Vec<Vec<Count>>,
    at: At,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Start,
    Middle,
    End,
}

impl Spread {
    /// Of each class: how many threads there are, and how many places for them. Without a place
    /// for some thread there is no way.
    pub(crate) fn new(classes: impl Iterator<Item = (Count, usize)>) -> Spread {
        let (mut way, mut at) = (Vec::new(), At::Start);
        for (count, places) in classes {
            let mut numbers = vec![0; places];
            match numbers.last_mut() {
                Some(last) => *last = count,
                None if count > 0 => at = At::End,
                None => {}
            }
            way.push(numbers);
        }
        Spread { way, at }
    }

    /// The next way: for each class, how many threads go to each place.
    pub(crate) fn next(&mut self) -> Option<&[Vec<Count>]> {
        self.at = match self.at {
            At::Start => At::Middle,
            At::Middle if self.way.iter_mut().any(|numbers| advance(numbers)) => At::Middle,
            _ => At::End,
        };
        (self.at != At::End).then_some(&*self.way)
    }
}

/// The next list of numbers with the same sum, in lexicographic order; after the last one comes
/// the first again, and the answer is `false`.
fn advance(numbers: &mut [Count]) -> bool {
    let Some((last, front)) = numbers.split_last_mut() else { return false };
    // What stands right of the place that grows is gathered in the last one.
    let mut right = std::mem::take(last);
    for place in front.iter_mut().rev() {
        if right > 0 {
            *place += 1;
            *last = right - 1;
            return true;
        }
        right += std::mem::take(place);
    }
    *last = right;
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(classes: &[(Count, usize)]) -> Vec<Vec<Vec<Count>>> {
        let mut spread = Spread::new(classes.iter().copied());
        let mut ways = Vec::new();
        while let Some(way) = spread.next() {
            ways.push(way.to_vec());
        }
        assert!(spread.next().is_none());
        ways
    }

    #[test]
    fn every_way_comes_once() {
        let one = |ways: &[&[Count]]| ways.iter().map(|w| vec![w.to_vec()]).collect::<Vec<_>>();
        assert_eq!(all(&[(2, 2)]), one(&[&[0, 2], &[1, 1], &[2, 0]]));
        assert_eq!(
            all(&[(2, 3)]),
            one(&[&[0, 0, 2], &[0, 1, 1], &[0, 2, 0], &[1, 0, 1], &[1, 1, 0], &[2, 0, 0]])
        );
        assert_eq!(all(&[(7, 1)]), one(&[&[7]]));
        assert_eq!(all(&[]), [Vec::<Vec<Count>>::new()]);
        let ways = all(&[(4, 3), (1, 2), (3, 4)]);
        assert_eq!(ways.len(), 15 * 2 * 20);
        let different: std::collections::BTreeSet<_> = ways.into_iter().collect();
        assert_eq!(different.len(), 15 * 2 * 20);
    }

    #[test]
    fn without_a_place_there_is_no_way() {
        assert!(all(&[(2, 2), (1, 0)]).is_empty());
        assert_eq!(all(&[(0, 0)]).len(), 1);
    }

    #[test]
    fn the_first_of_very_many_ways_are_there_at_once() {
        let mut spread = Spread::new([(Count::MAX - 1, 1000)].into_iter());
        assert!((0..100).all(|_| spread.next().is_some()));
    }
}
