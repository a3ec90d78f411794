//! Walks over terms: substitution, variables, atoms, evaluation. All are
//! iterative, since terms can be deep.

use rustc_hash::{FxHashMap, FxHashSet};

use super::semantics::{self, mask};
use super::term::{BinaryOp, Node, TermId, TermStore};

impl TermStore {
    /// The sub-terms of `roots`, operands before users, except below those for which `stop` holds.
    fn postorder(&self, roots: &[TermId], stop: impl Fn(TermId) -> bool) -> Vec<TermId> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(TermId, bool)> =
            roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, done)) = stack.pop() {
            if done {
                order.push(term);
            } else if seen.insert(term) {
                stack.push((term, true));
                if !stop(term) {
                    stack.extend(self.node(term).operands().map(|operand| (operand, false)));
                }
            }
        }
        order
    }

    /// `term` with sub-terms replaced simultaneously. Keys need not be variables.
    ///
    /// # Panics
    /// If a replacement has another sort than what it replaces.
    pub fn substitute(&mut self, term: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        if map.is_empty() || self.is_literal_value(term) {
            return term;
        }
        let mut results: FxHashMap<TermId, TermId> = FxHashMap::default();
        for sub in self.postorder(&[term], |t| map.contains_key(&t)) {
            let result = match map.get(&sub) {
                Some(&replacement) => replacement,
                None => {
                    let operands: Vec<TermId> = self
                        .node(sub)
                        .operands()
                        .map(|o| results.get(&o).copied().unwrap_or(o))
                        .collect();
                    if self.node(sub).operands().eq(operands.iter().copied()) {
                        sub
                    } else {
                        self.rebuild(sub, &operands)
                    }
                }
            };
            results.insert(sub, result);
        }
        results.get(&term).copied().unwrap_or(term)
    }

    /// `term` with variables replaced simultaneously by what `variable` says; those of which it
    /// says nothing stay.
    ///
    /// `results` is what terms became under the same replacements: it is used and added to, so that
    /// terms that have parts in common share the work. Terms that are older than `oldest` have none
    /// of the replaced variables: a term is never older than its parts.
    ///
    /// # Panics
    /// If a replacement has another sort than what it replaces.
    pub fn replace_variables(
        &mut self,
        term: TermId,
        oldest: TermId,
        results: &mut FxHashMap<TermId, TermId>,
        variable: impl Fn(TermId) -> Option<TermId>,
    ) -> TermId {
        let mut stack = vec![(term, false)];
        while let Some((sub, done)) = stack.pop() {
            self.replaced += 1;
            if sub < oldest || self.is_literal_value(sub) || results.contains_key(&sub) {
                continue;
            }
            if let Node::Variable { .. } = self.node(sub) {
                results.insert(sub, variable(sub).unwrap_or(sub));
            } else if done {
                let node = self.node(sub);
                let result = |operand| results.get(&operand).copied().unwrap_or(operand);
                let operands: Vec<TermId> = node.operands().map(result).collect();
                let is_same = node.operands().eq(operands.iter().copied());
                let result = if is_same { sub } else { self.rebuild(sub, &operands) };
                results.insert(sub, result);
            } else {
                stack.push((sub, true));
                stack.extend(self.node(sub).operands().map(|operand| (operand, false)));
            }
        }
        results.get(&term).copied().unwrap_or(term)
    }

    /// The variables of a term, each once.
    pub fn variables(&self, term: TermId) -> Vec<TermId> {
        self.postorder(&[term], |_| false)
            .into_iter()
            .filter(|&sub| matches!(self.node(sub), Node::Variable { .. }))
            .collect()
    }

    /// The atoms of a term: comparisons, overflow conditions and Boolean
    /// variables, those in conditions of bit-vector choices included. Each once.
    pub fn atoms(&self, term: TermId) -> Vec<TermId> {
        self.postorder(&[term], |_| false)
            .into_iter()
            .filter(|&sub| match self.node(sub) {
                Node::Eq(..) | Node::Ult(..) | Node::Slt(..) | Node::Overflow(..) => true,
                Node::Variable { .. } => self.is_bool(sub),
                _ => false,
            })
            .collect()
    }

    /// Whether a term has sums or differences.
    #[must_use]
    pub fn adds(&self, term: TermId) -> bool {
        let is_sum = |sub: &TermId| {
            matches!(self.node(*sub), Node::Binary(BinaryOp::Add, ..) | Node::Neg(_))
        };
        self.postorder(&[term], |_| false).iter().any(is_sum)
    }

    /// The choices between bit-vectors in a term. Each once, inner ones first.
    pub fn choices(&self, term: TermId) -> Vec<TermId> {
        self.postorder(&[term], |_| false)
            .into_iter()
            .filter(|&sub| matches!(self.node(sub), Node::Ite(..)) && !self.is_bool(sub))
            .collect()
    }

    /// How many different sub-terms a term has.
    pub fn size(&self, term: TermId) -> usize {
        self.postorder(&[term], |_| false).len()
    }

    /// The value of a term; Booleans are 0 and 1. `variable` gives the variables' values.
    pub fn evaluate(&self, term: TermId, variable: impl Fn(TermId) -> u128) -> u128 {
        self.evaluate_with(term, variable, &mut FxHashMap::default())
    }

    /// The same, with the values of sub-terms that are known, to which those of others are added.
    pub fn evaluate_with(
        &self,
        term: TermId,
        variable: impl Fn(TermId) -> u128,
        values: &mut FxHashMap<TermId, u128>,
    ) -> u128 {
        for sub in self.postorder(&[term], |sub| values.contains_key(&sub)) {
            if values.contains_key(&sub) {
                continue;
            }
            let value =
                self.evaluate_node(sub, &variable, |t| values.get(&t).copied().unwrap_or(0));
            values.insert(sub, value);
        }
        values.get(&term).copied().unwrap_or(0)
    }

    /// The value of the top of a term, given those of its operands.
    pub(crate) fn evaluate_node(
        &self,
        term: TermId,
        variable: &impl Fn(TermId) -> u128,
        value: impl Fn(TermId) -> u128,
    ) -> u128 {
        let width = self.width(term);
        match self.node(term) {
            Node::True => 1,
            Node::False => 0,
            Node::Const { value, .. } => value,
            Node::Variable { .. } => variable(term) & mask(width),
            Node::Not(a) => value(a) ^ 1,
            Node::And(a, b) => value(a) & value(b),
            Node::Iff(a, b) => u128::from(value(a) == value(b)),
            Node::Ite(c, a, b) => {
                if value(c) == 1 {
                    value(a)
                } else {
                    value(b)
                }
            }
            Node::Eq(a, b) => u128::from(value(a) == value(b)),
            Node::Ult(a, b) => u128::from(value(a) < value(b)),
            Node::Slt(a, b) => u128::from(
                semantics::to_signed(value(a), self.width(a))
                    < semantics::to_signed(value(b), self.width(a)),
            ),
            Node::Overflow(op, a, b) => {
                u128::from(semantics::overflows(op, value(a), value(b), self.width(a)))
            }
            Node::BvNot(a) => !value(a) & mask(width),
            Node::Neg(a) => value(a).wrapping_neg() & mask(width),
            Node::Binary(op, a, b) => semantics::binary(op, value(a), value(b), width),
            Node::Concat(a, b) => (value(a) << self.width(b)) | value(b),
            Node::Extract { arg, low, .. } => (value(arg) >> low) & mask(width),
            Node::ZeroExtend { arg, .. } => value(arg),
            Node::SignExtend { arg, .. } => {
                let inner = self.width(arg);
                let x = value(arg);
                if x >> (inner - 1) & 1 == 1 { x | (mask(width) & !mask(inner)) } else { x }
            }
        }
    }
}
