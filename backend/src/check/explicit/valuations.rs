//! Packed valuations, and the enumeration of an assignment's possible results.

use sapa_ir::boolean::flat::{FlatExpr, Values, VariableRef};
use sapa_ir::boolean::trace::Valuation;

/// The value of a variable in packed words.
pub(super) fn get(words: &[u64], variable: usize) -> bool {
    words[variable / 64] >> (variable % 64) & 1 == 1
}

/// Changes a variable in packed words.
pub(super) fn set(words: &mut [u64], variable: usize, value: bool) {
    let bit = 1 << (variable % 64);
    if value {
        words[variable / 64] |= bit;
    } else {
        words[variable / 64] &= !bit;
    }
}

/// The words of a valuation.
pub(super) fn pack(valuation: &Valuation) -> Box<[u64]> {
    let mut words = vec![0; valuation.len().div_ceil(64)];
    for (variable, value) in valuation.iter().enumerate() {
        set(&mut words, variable, value);
    }
    words.into()
}

/// The valuation of `variables` variables in these words.
pub(super) fn unpack(words: &[u64], variables: usize) -> Valuation {
    (0..variables).map(|variable| get(words, variable)).collect()
}

/// The valuations an expression is read in; those an expression cannot mention may be empty.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope<'a> {
    pub(super) shared: &'a [u64],
    pub(super) local: &'a [u64],
    pub(super) passive: &'a [u64],
    pub(super) next_shared: &'a [u64],
    pub(super) next_local: &'a [u64],
    pub(super) next_passive: &'a [u64],
}

impl Scope<'_> {
    pub(super) fn values(&self, expression: &FlatExpr) -> Values {
        expression.values(&|variable| match variable {
            VariableRef::Shared(v) => get(self.shared, v.index()),
            VariableRef::Local(v) => get(self.local, v.index()),
            VariableRef::Passive(v) => get(self.passive, v.index()),
            VariableRef::NextShared(v) => get(self.next_shared, v.index()),
            VariableRef::NextLocal(v) => get(self.next_local, v.index()),
            VariableRef::NextPassive(v) => get(self.next_passive, v.index()),
        })
    }
}

/// The values that are wanted.
pub(super) fn restrict(values: Values, wanted: Option<bool>) -> Values {
    match wanted {
        Some(wanted) => Values { zero: values.zero && !wanted, one: values.one && wanted },
        None => values,
    }
}

/// What [`enumerate`] fills in.
pub(super) trait Frame {
    /// Gives the target with this number a value.
    fn set(&mut self, target: usize, value: bool);
    /// Whether the conditions that depend on the first `targets` targets, but not on the first
    /// `targets - 1` only, hold.
    fn holds(&self, targets: usize) -> bool;
    /// All targets have values; returns whether to go on.
    fn found(&mut self) -> bool;
}

/// How many values are tried between questions whether to stop.
const INTERVAL: usize = 4096;

/// All ways to give targets possible values, by backtracking. It may be long until one is found,
/// so `stop` is asked now and then.
pub(super) fn enumerate(possible: &[Values], frame: &mut impl Frame, stop: &dyn Fn() -> bool) {
    if !frame.holds(0) {
        return;
    }
    let mut chosen: Vec<bool> = Vec::with_capacity(possible.len());
    // The lowest value to try at the next target; `None` when both were tried.
    let mut from = Some(false);
    for tried in 1_usize.. {
        if tried.is_multiple_of(INTERVAL) && stop() {
            return;
        }
        let next = match (possible.get(chosen.len()), from) {
            (None, _) => {
                if !frame.found() {
                    return;
                }
                None
            }
            (Some(values), Some(from)) => {
                [false, true].into_iter().find(|v| *v >= from && values.contains(*v))
            }
            (Some(_), None) => None,
        };
        match next {
            Some(value) => {
                frame.set(chosen.len(), value);
                if frame.holds(chosen.len() + 1) {
                    chosen.push(value);
                    from = Some(false);
                } else {
                    from = if value { None } else { Some(true) };
                }
            }
            None => match chosen.pop() {
                Some(true) => from = None,
                Some(false) => from = Some(true),
                None => return,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sums {
        values: Vec<bool>,
        found: Vec<Vec<bool>>,
    }

    impl Frame for Sums {
        fn set(&mut self, target: usize, value: bool) {
            self.values[target] = value;
        }
        /// No two neighbours are both true.
        fn holds(&self, targets: usize) -> bool {
            targets < 2 || !(self.values[targets - 1] && self.values[targets - 2])
        }
        fn found(&mut self) -> bool {
            self.found.push(self.values.clone());
            true
        }
    }

    #[test]
    fn enumerates_what_the_conditions_allow() {
        let mut frame = Sums { values: vec![false; 4], found: Vec::new() };
        enumerate(&[Values::BOTH; 4], &mut frame, &|| false);
        assert_eq!(frame.found.len(), 8);
        let mut frame = Sums { values: vec![false; 3], found: Vec::new() };
        enumerate(&[Values::BOTH, Values::only(true), Values::BOTH], &mut frame, &|| false);
        assert_eq!(frame.found, [[false, true, false]]);
        let mut frame = Sums { values: vec![false; 60], found: Vec::new() };
        enumerate(&[Values::BOTH; 60], &mut frame, &|| true);
        assert!(!frame.found.is_empty() && frame.found.len() < INTERVAL);
        let mut frame = Sums { values: vec![], found: Vec::new() };
        enumerate(&[], &mut frame, &|| false);
        assert_eq!(frame.found.len(), 1);
    }
}
