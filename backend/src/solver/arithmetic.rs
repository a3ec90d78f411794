//! Constructors of arithmetic.

use super::semantics;
use super::term::{BinaryOp, Node, OverflowOp, Sort, TermId, TermStore};

impl TermStore {
    /// A binary operator.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return self.constant(width, semantics::binary(op, x, y, width));
        }
        // Constants go to the right of commutative operators; else the smaller id goes to the left.
        let swap = op.is_commutative()
            && (self.as_constant(a).is_some() || (self.as_constant(b).is_none() && b < a));
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let simpler = match op {
            BinaryOp::Add => self.simplify_add(a, b, width),
            BinaryOp::Mul => self.simplify_mul(a, b, width),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.simplify_bitwise(op, a, b, width),
            BinaryOp::Udiv | BinaryOp::Sdiv => {
                (self.as_constant(b) == Some(1) && width > 1).then_some(a)
            }
            BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr => {
                (self.as_constant(b) == Some(0)).then_some(a)
            }
            BinaryOp::Urem | BinaryOp::Srem => None,
        };
        simpler.unwrap_or_else(|| self.intern(Node::Binary(op, a, b), Sort::Bv(width)))
    }

    fn simplify_add(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        if let Some(c) = self.as_constant(b) {
            if c == 0 {
                return Some(a);
            }
            if let Node::Binary(BinaryOp::Add, x, d) = self.node(a)
                && let Some(d) = self.as_constant(d)
            {
                let sum = self.constant(width, c.wrapping_add(d));
                return Some(self.add(x, sum));
            }
            // A sum of choices between constants is a choice between sums.
            if let Node::Ite(condition, x, y) = self.node(a)
                && self.as_constant(x).is_some()
                && self.as_constant(y).is_some()
            {
                let (x, y) = (self.add(x, b), self.add(y, b));
                return Some(self.ite(condition, x, y));
            }
            return None;
        }
        let complementary = |store: &Self, x: TermId, y: TermId| matches!(store.node(x), Node::Neg(inner) if inner == y);
        if complementary(self, a, b) || complementary(self, b, a) {
            return Some(self.constant(width, 0));
        }
        // Constants move outwards: (x + c) + y = (x + y) + c.
        let (x, c) = self.split_constant(a);
        let (y, d) = self.split_constant(b);
        if c != 0 || d != 0 {
            let sum = self.add(x, y);
            let constant = self.constant(width, c.wrapping_add(d));
            return Some(self.add(sum, constant));
        }
        // (x + -y) + y = x
        for (sum, other) in [(a, b), (b, a)] {
            if let Node::Binary(BinaryOp::Add, x, y) = self.node(sum) {
                if complementary(self, y, other) || complementary(self, other, y) {
                    return Some(x);
                }
                if complementary(self, x, other) || complementary(self, other, x) {
                    return Some(y);
                }
            }
        }
        None
    }

    fn simplify_mul(&mut self, a: TermId, b: TermId, width: u32) -> Option<TermId> {
        match self.as_constant(b)? {
            0 => Some(self.constant(width, 0)),
            1 => Some(a),
            _ => None,
        }
    }

    /// `a + b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let negated = self.neg(b);
        self.add(a, negated)
    }

    /// `-a`.
    ///
    /// # Panics
    /// If the operand is a Boolean.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let width = self.bv_width(a);
        match self.node(a) {
            Node::Const { value, .. } => self.constant(width, value.wrapping_neg()),
            Node::Neg(x) => x,
            Node::Binary(BinaryOp::Add, x, y) if self.as_constant(y).is_some() => {
                let (x, y) = (self.neg(x), self.neg(y));
                self.add(x, y)
            }
            _ => self.intern(Node::Neg(a), Sort::Bv(width)),
        }
    }

    /// `a * b`.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// Unsigned quotient; all ones for a zero divisor.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Udiv, a, b)
    }

    /// Unsigned remainder; the dividend for a zero divisor.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Urem, a, b)
    }

    /// Signed quotient, rounded towards zero.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Sdiv, a, b)
    }

    /// Signed remainder, with the dividend's sign.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Srem, a, b)
    }

    /// Whether a signed operation overflows.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn overflow(&mut self, op: OverflowOp, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        let (x, y) = (self.as_constant(a), self.as_constant(b));
        if let (Some(x), Some(y)) = (x, y) {
            return self.boolean(semantics::overflows(op, x, y, width));
        }
        let harmless = match op {
            OverflowOp::Add => x == Some(0) || y == Some(0),
            OverflowOp::Sub => y == Some(0),
            OverflowOp::Mul => {
                [x, y].contains(&Some(0)) || (width > 1 && [x, y].contains(&Some(1)))
            }
        };
        if harmless {
            return self.false_();
        }
        self.intern(Node::Overflow(op, a, b), Sort::Bool)
    }

    /// Whether `a + b` overflows as a signed sum.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn saddo(&mut self, a: TermId, b: TermId) -> TermId {
        self.overflow(OverflowOp::Add, a, b)
    }

    /// Whether `a - b` overflows as a signed difference.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn ssubo(&mut self, a: TermId, b: TermId) -> TermId {
        self.overflow(OverflowOp::Sub, a, b)
    }

    /// Whether `a * b` overflows as a signed product.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn smulo(&mut self, a: TermId, b: TermId) -> TermId {
        self.overflow(OverflowOp::Mul, a, b)
    }
}
