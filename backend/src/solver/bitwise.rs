//! Constructors of bitwise operations, shifts and changes of width.

use super::semantics::mask;
use super::term::{BinaryOp, Node, Sort, TermId, TermStore};

impl TermStore {
    /// Bitwise complement.
    ///
    /// # Panics
    /// If the operand is a Boolean.
    pub fn bvnot(&mut self, a: TermId) -> TermId {
        let width = self.bv_width(a);
        match self.node(a) {
            Node::Const { value, .. } => self.constant(width, !value),
            Node::BvNot(x) => x,
            _ => self.intern(Node::BvNot(a), Sort::Bv(width)),
        }
    }

    pub(super) fn simplify_bitwise(
        &mut self,
        op: BinaryOp,
        a: TermId,
        b: TermId,
        width: u32,
    ) -> Option<TermId> {
        let ones = mask(width);
        let constant = self.as_constant(b);
        match op {
            BinaryOp::And if a == b || constant == Some(ones) => Some(a),
            BinaryOp::And if constant == Some(0) => Some(b),
            BinaryOp::Or if a == b || constant == Some(0) => Some(a),
            BinaryOp::Or if constant == Some(ones) => Some(b),
            BinaryOp::Xor if a == b => Some(self.constant(width, 0)),
            BinaryOp::Xor if constant == Some(0) => Some(a),
            BinaryOp::Xor if constant == Some(ones) => Some(self.bvnot(a)),
            _ => None,
        }
    }

    /// Bitwise conjunction.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn bvand(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::And, a, b)
    }

    /// Bitwise disjunction.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn bvor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Or, a, b)
    }

    /// Bitwise exclusive disjunction.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn bvxor(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Xor, a, b)
    }

    /// Left shift.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn shl(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Shl, a, b)
    }

    /// Logical right shift.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn lshr(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Lshr, a, b)
    }

    /// Arithmetic right shift.
    ///
    /// # Panics
    /// If the operands are not bit-vectors of one width.
    pub fn ashr(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Ashr, a, b)
    }

    /// `high` above `low`.
    ///
    /// # Panics
    /// If an operand is a Boolean or the result has more than 128 bits.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let (hw, lw) = (self.bv_width(high), self.bv_width(low));
        match (self.as_constant(high), self.as_constant(low)) {
            (Some(x), Some(y)) => self.constant(hw + lw, (x << lw) | y),
            (Some(0), None) => self.zext(low, hw + lw),
            _ => {
                if let (
                    Node::Extract { arg, high: top, low: above },
                    Node::Extract { arg: same, high: below, low: bottom },
                ) = (self.node(high), self.node(low))
                    && arg == same
                    && above == below + 1
                {
                    return self.extract(arg, top, bottom);
                }
                assert!(hw + lw <= 128, "a concatenation of more than 128 bits");
                self.intern(Node::Concat(high, low), Sort::Bv(hw + lw))
            }
        }
    }

    /// The bits `low..=high` of a bit-vector.
    ///
    /// # Panics
    /// If the operand is a Boolean or has no such bits.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let width = self.bv_width(a);
        assert!(low <= high && high < width, "bits {low}..={high} of a bit-vector of {width}");
        if low == 0 && high + 1 == width {
            return a;
        }
        match self.node(a) {
            Node::Const { value, .. } => self.constant(high - low + 1, value >> low),
            Node::Extract { arg, low: inner, .. } => self.extract(arg, high + inner, low + inner),
            Node::ZeroExtend { arg, .. } | Node::SignExtend { arg, .. }
                if high < self.width(arg) =>
            {
                self.extract(arg, high, low)
            }
            Node::ZeroExtend { arg, .. } if low == 0 => self.zext(arg, high + 1),
            Node::SignExtend { arg, .. } if low == 0 => self.sext(arg, high + 1),
            Node::Concat(_, y) if high < self.width(y) => self.extract(y, high, low),
            Node::Concat(x, y) if low >= self.width(y) => {
                let shift = self.width(y);
                self.extract(x, high - shift, low - shift)
            }
            Node::Ite(c, x, y)
                if self.as_constant(x).is_some() && self.as_constant(y).is_some() =>
            {
                let (x, y) = (self.extract(x, high, low), self.extract(y, high, low));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Extract { arg: a, high, low }, Sort::Bv(high - low + 1)),
        }
    }

    /// Zero extension to `width` bits.
    ///
    /// # Panics
    /// If the operand is a Boolean or longer, or `width` is above 128.
    pub fn zext(&mut self, a: TermId, width: u32) -> TermId {
        self.extend(a, width, false)
    }

    /// Sign extension to `width` bits.
    ///
    /// # Panics
    /// If the operand is a Boolean or longer, or `width` is above 128.
    pub fn sext(&mut self, a: TermId, width: u32) -> TermId {
        self.extend(a, width, true)
    }

    fn extend(&mut self, a: TermId, width: u32, signed: bool) -> TermId {
        let inner = self.bv_width(a);
        assert!(inner <= width && width <= 128, "extension of {inner} bits to {width}");
        if inner == width {
            return a;
        }
        match self.node(a) {
            Node::Const { value, .. } => {
                let fill = if signed && value >> (inner - 1) & 1 == 1 {
                    mask(width) & !mask(inner)
                } else {
                    0
                };
                self.constant(width, value | fill)
            }
            // What is zero-extended has a zero sign.
            Node::ZeroExtend { arg, .. } => self.extend(arg, width, false),
            Node::SignExtend { arg, .. } if signed => self.extend(arg, width, true),
            Node::Ite(c, x, y)
                if self.as_constant(x).is_some() && self.as_constant(y).is_some() =>
            {
                let (x, y) = (self.extend(x, width, signed), self.extend(y, width, signed));
                self.ite(c, x, y)
            }
            _ if signed => self.intern(Node::SignExtend { arg: a, width }, Sort::Bv(width)),
            _ => self.intern(Node::ZeroExtend { arg: a, width }, Sort::Bv(width)),
        }
    }
}
