//! The initial valuations of variables, one at a time: there can be too many to keep.

use sapa_ir::boolean::flat::{FlatVariable, Initial};

use sapa_ir::boolean::trace::Valuation;

/// Counts through the initial valuations; variables that do not matter stay 0.
#[derive(Clone, Debug)]
pub(crate) struct InitialValuations {
    free: Vec<usize>,
    next: Option<Valuation>,
}

impl InitialValuations {
    pub(crate) fn new(variables: &[FlatVariable], matters: impl Fn(usize) -> bool) -> Self {
        let mut first = Valuation::zero(variables.len());
        let mut free = Vec::new();
        for (index, variable) in variables.iter().enumerate().filter(|(index, _)| matters(*index)) {
            match variable.initial {
                Initial::Zero => {}
                Initial::One => first.set(index, true),
                Initial::Nondet => free.push(index),
            }
        }
        InitialValuations { free, next: Some(first) }
    }
}

impl Iterator for InitialValuations {
    type Item = Valuation;

    /// As a binary counter over the free variables.
    fn next(&mut self) -> Option<Valuation> {
        let valuation = self.next.take()?;
        let mut following = valuation.clone();
        for &variable in &self.free {
            let carry = following.get(variable);
            following.set(variable, !carry);
            if !carry {
                self.next = Some(following);
                break;
            }
        }
        Some(valuation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_variables_that_matter_take_both_values() {
        let initial = [Initial::One, Initial::Nondet, Initial::Zero, Initial::Nondet];
        let variables: Vec<FlatVariable> = initial
            .into_iter()
            .map(|initial| FlatVariable { name: String::new(), initial })
            .collect();
        let all = |matters: fn(usize) -> bool| -> Vec<String> {
            InitialValuations::new(&variables, matters)
                .map(|v| v.iter().map(|bit| if bit { '1' } else { '0' }).collect())
                .collect()
        };
        assert_eq!(all(|_| true), ["1000", "1100", "1001", "1101"]);
        assert_eq!(all(|v| v == 3), ["0000", "0001"]);
        assert_eq!(InitialValuations::new(&[], |_| true).count(), 1);
    }
}
