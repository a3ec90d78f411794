//! Constructors of comparisons.

use super::semantics::{signed_max, signed_min, to_signed, truncate};
use super::term::{BinaryOp, Node, Sort, TermId, TermStore};

/// How many levels of a term an equation with a constant is moved into. Chains
/// of choices (look-ups in tables) can be as deep as the program is long; below
/// this level the equation stays as it is.
const MAX_DEPTH: u32 = 64;

impl TermStore {
    /// Whether two bit-vectors are equal.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.eq_at(a, b, 0)
    }

    fn eq_at(&mut self, a: TermId, b: TermId, depth: u32) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.true_();
        }
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return self.boolean(x == y);
        }
        // Constants go to the right; else the smaller id goes to the left.
        let (a, b) = if self.as_constant(a).is_some() || (self.as_constant(b).is_none() && b < a) {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(value) = self.as_constant(b) {
            if depth < MAX_DEPTH
                && let Some(simpler) = self.eq_constant(a, value, width, depth + 1)
            {
                return simpler;
            }
        } else if let Some((x, y)) = self.cancel(a, b) {
            return self.eq_at(x, y, depth);
        }
        self.intern(Node::Eq(a, b), Sort::Bool)
    }

    fn eq_constant(&mut self, a: TermId, value: u128, width: u32, depth: u32) -> Option<TermId> {
        match self.node(a) {
            Node::Binary(BinaryOp::Add, x, c) => {
                let c = self.as_constant(c)?;
                let rest = self.constant(width, value.wrapping_sub(c));
                Some(self.eq_at(x, rest, depth))
            }
            Node::Neg(x) => {
                let rest = self.constant(width, value.wrapping_neg());
                Some(self.eq_at(x, rest, depth))
            }
            Node::BvNot(x) => {
                let rest = self.constant(width, !value);
                Some(self.eq_at(x, rest, depth))
            }
            Node::ZeroExtend { arg, .. } => {
                let inner = self.width(arg);
                if truncate(value, inner) != value {
                    return Some(self.false_());
                }
                let rest = self.constant(inner, value);
                Some(self.eq_at(arg, rest, depth))
            }
            Node::SignExtend { arg, .. } => {
                let inner = self.width(arg);
                let low = self.constant(inner, value);
                let wide = self.sext(low, width);
                if self.as_constant(wide) != Some(value) {
                    return Some(self.false_());
                }
                Some(self.eq_at(arg, low, depth))
            }
            Node::Ite(c, x, y)
                if self.as_constant(x).is_some() || self.as_constant(y).is_some() =>
            {
                let rest = self.constant(width, value);
                let (x, y) = (self.eq_at(x, rest, depth), self.eq_at(y, rest, depth));
                Some(self.ite(c, x, y))
            }
            _ => None,
        }
    }

    /// Removes what both sides of an equation add.
    fn cancel(&mut self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        let width = self.width(a);
        let (x, c) = self.split_constant(a);
        let (y, d) = self.split_constant(b);
        if c != 0 && d != 0 {
            let d = self.constant(width, d.wrapping_sub(c));
            let y = self.add(y, d);
            return Some((x, y));
        }
        if x == y {
            let (c, d) = (self.constant(width, c), self.constant(width, d));
            return Some((c, d));
        }
        None
    }

    /// A term as a sum of a term and a constant.
    pub(super) fn split_constant(&self, a: TermId) -> (TermId, u128) {
        match self.node(a) {
            Node::Binary(BinaryOp::Add, x, c) => match self.as_constant(c) {
                Some(value) => (x, value),
                None => (a, 0),
            },
            _ => (a, 0),
        }
    }

    /// Unsigned `a < b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        let (x, y) = (self.as_constant(a), self.as_constant(b));
        if let (Some(x), Some(y)) = (x, y) {
            return self.boolean(x < y);
        }
        if a == b || y == Some(0) || x == Some(truncate(u128::MAX, width)) {
            return self.false_();
        }
        if y == Some(1) {
            let zero = self.constant(width, 0);
            return self.eq(a, zero);
        }
        if x == Some(0) {
            let zero = self.constant(width, 0);
            let equal = self.eq(b, zero);
            return self.not(equal);
        }
        if let Node::ZeroExtend { arg, .. } = self.node(a)
            && let Some(y) = y
        {
            let inner = self.width(arg);
            if truncate(y, inner) != y {
                return self.true_();
            }
            let y = self.constant(inner, y);
            return self.ult(arg, y);
        }
        self.intern(Node::Ult(a, b), Sort::Bool)
    }

    /// Unsigned `a <= b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Signed `a < b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        let (x, y) = (self.as_constant(a), self.as_constant(b));
        if let (Some(x), Some(y)) = (x, y) {
            return self.boolean(to_signed(x, width) < to_signed(y, width));
        }
        let least = truncate(signed_min(width) as u128, width);
        let greatest = truncate(signed_max(width) as u128, width);
        if a == b || y == Some(least) || x == Some(greatest) {
            return self.false_();
        }
        self.intern(Node::Slt(a, b), Sort::Bool)
    }

    /// Signed `a <= b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }
}
