//! Bit-blasting: terms to CNF (Tseitin) with hashed gates and constant propagation.

use rustc_hash::FxHashMap;
use sapa_limits::{Exceeded, Limits};

pub use self::operations::OperationId;
use self::operations::{FEW_ADDERS, Kind, Operation};
use super::sat::Literal;
use super::term::{BinaryOp, Node, OverflowOp, TermId, TermStore};

mod operations;

/// Where clauses go.
type Sink<'a> = dyn FnMut(&[Literal]) + 'a;

/// Translates terms of one [`TermStore`]; what was translated once is reused.
#[derive(Debug)]
pub struct Blaster {
    next: Literal,
    /// Bits of each translated term, least significant first.
    bits: FxHashMap<TermId, Vec<Literal>>,
    variables: FxHashMap<TermId, Vec<Literal>>,
    gates: FxHashMap<Gate, Literal>,
    /// Products and divisions that were opaque when they were made, by [`OperationId`].
    operations: Vec<Operation>,
    /// By what they compute of which operands.
    numbers: FxHashMap<(Kind, Vec<Literal>, Vec<Literal>), OperationId>,
    /// Those of which a term's own bits are made.
    uses: FxHashMap<TermId, Vec<OperationId>>,
    /// Those of the term that is being translated.
    used: Vec<OperationId>,
    /// Operations of so many adders or fewer are never opaque.
    few_adders: usize,
}

impl Default for Blaster {
    fn default() -> Self {
        Self::with_few_adders(FEW_ADDERS)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Gate {
    And(Literal, Literal),
    Xor(Literal, Literal),
    Ite(Literal, Literal, Literal),
}

/// The variable that is always true.
const TRUE: Literal = 1;

impl Blaster {
    /// A blaster by which products and divisions of more adders are opaque at first.
    pub(super) fn with_few_adders(few_adders: usize) -> Self {
        Self {
            next: 0,
            bits: FxHashMap::default(),
            variables: FxHashMap::default(),
            gates: FxHashMap::default(),
            operations: Vec::new(),
            numbers: FxHashMap::default(),
            uses: FxHashMap::default(),
            used: Vec::new(),
            few_adders,
        }
    }

    /// The variables translated so far and their bits.
    pub fn variables(&self) -> impl Iterator<Item = (&TermId, &Vec<Literal>)> {
        self.variables.iter()
    }

    /// The literal of a Boolean.
    ///
    /// # Errors
    /// A limit ended the translation; what was translated until then is kept.
    ///
    /// # Panics
    /// If the term is a bit-vector.
    pub fn boolean(
        &mut self,
        store: &TermStore,
        term: TermId,
        limits: &Limits,
        sink: &mut Sink<'_>,
    ) -> Result<Literal, Exceeded> {
        assert!(store.is_bool(term), "{term:?} is a bit-vector where a Boolean is needed");
        self.translate(store, term, limits, sink)?;
        Ok(self.bits.get(&term).and_then(|bits| bits.first()).copied().unwrap_or(TRUE))
    }

    fn translate(
        &mut self,
        store: &TermStore,
        term: TermId,
        limits: &Limits,
        sink: &mut Sink<'_>,
    ) -> Result<(), Exceeded> {
        if self.next == 0 {
            self.next = TRUE;
            sink(&[TRUE]);
        }
        let mut stack = vec![(term, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.bits.contains_key(&term) {
                continue;
            }
            if ready {
                limits.check()?;
                let bits = self.gate(store, term, sink);
                self.bits.insert(term, bits);
                if !self.used.is_empty() {
                    self.uses.insert(term, std::mem::take(&mut self.used));
                }
            } else {
                stack.push((term, true));
                stack.extend(store.node(term).operands().map(|operand| (operand, false)));
            }
        }
        Ok(())
    }

    fn fresh(&mut self) -> Literal {
        self.next += 1;
        self.next
    }

    fn of(&self, term: TermId) -> Vec<Literal> {
        self.bits.get(&term).cloned().unwrap_or_default()
    }

    fn one(&self, term: TermId) -> Literal {
        self.bits.get(&term).and_then(|bits| bits.first()).copied().unwrap_or(-TRUE)
    }

    fn gate(&mut self, store: &TermStore, term: TermId, sink: &mut Sink<'_>) -> Vec<Literal> {
        let width = store.width(term) as usize;
        match store.node(term) {
            Node::True => vec![TRUE],
            Node::False => vec![-TRUE],
            Node::Const { value, .. } => {
                (0..width).map(|bit| constant(value >> bit & 1 == 1)).collect()
            }
            Node::Variable { .. } => {
                let bits: Vec<_> = (0..width).map(|_| self.fresh()).collect();
                self.variables.insert(term, bits.clone());
                bits
            }
            Node::Not(a) => vec![-self.one(a)],
            Node::And(a, b) => vec![self.and(self.one(a), self.one(b), sink)],
            Node::Iff(a, b) => vec![-self.xor(self.one(a), self.one(b), sink)],
            Node::Ite(c, a, b) => {
                let (c, a, b) = (self.one(c), self.of(a), self.of(b));
                self.choose(c, &a, &b, sink)
            }
            Node::Eq(a, b) => vec![self.equal(&self.of(a), &self.of(b), sink)],
            Node::Ult(a, b) => vec![self.less(&self.of(a), &self.of(b), sink)],
            Node::Slt(a, b) => {
                let (a, b) = (flip_sign(self.of(a)), flip_sign(self.of(b)));
                vec![self.less(&a, &b, sink)]
            }
            Node::Overflow(op, a, b) => vec![self.overflow(op, &self.of(a), &self.of(b), sink)],
            Node::BvNot(a) => self.of(a).into_iter().map(|bit| -bit).collect(),
            Node::Neg(a) => self.negate(&self.of(a), sink),
            Node::Binary(op, a, b) => self.binary(op, &self.of(a), &self.of(b), sink),
            Node::Concat(a, b) => self.of(b).into_iter().chain(self.of(a)).collect(),
            Node::Extract { arg, high, low } => self
                .of(arg)
                .get(low as usize..=high as usize)
                .map(<[_]>::to_vec)
                .unwrap_or_default(),
            Node::ZeroExtend { arg, .. } => {
                let mut bits = self.of(arg);
                bits.resize(width, -TRUE);
                bits
            }
            Node::SignExtend { arg, .. } => {
                let mut bits = self.of(arg);
                let sign = bits.last().copied().unwrap_or(-TRUE);
                bits.resize(width, sign);
                bits
            }
        }
    }

    fn and(&mut self, a: Literal, b: Literal, sink: &mut Sink<'_>) -> Literal {
        if a == -TRUE || b == -TRUE || a == -b {
            return -TRUE;
        }
        if a == TRUE || a == b {
            return b;
        }
        if b == TRUE {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&gate) = self.gates.get(&Gate::And(a, b)) {
            return gate;
        }
        let gate = self.fresh();
        sink(&[-gate, a]);
        sink(&[-gate, b]);
        sink(&[gate, -a, -b]);
        self.gates.insert(Gate::And(a, b), gate);
        gate
    }

    fn or(&mut self, a: Literal, b: Literal, sink: &mut Sink<'_>) -> Literal {
        -self.and(-a, -b, sink)
    }

    fn xor(&mut self, a: Literal, b: Literal, sink: &mut Sink<'_>) -> Literal {
        for (x, y) in [(a, b), (b, a)] {
            if x.abs() == TRUE {
                return if x == TRUE { -y } else { y };
            }
        }
        if a.abs() == b.abs() {
            return constant(a != b);
        }
        // Signs move to the output, so that a gate serves four combinations.
        let sign = a.signum() * b.signum();
        let (a, b) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        if let Some(&gate) = self.gates.get(&Gate::Xor(a, b)) {
            return sign * gate;
        }
        let gate = self.fresh();
        sink(&[-gate, a, b]);
        sink(&[-gate, -a, -b]);
        sink(&[gate, -a, b]);
        sink(&[gate, a, -b]);
        self.gates.insert(Gate::Xor(a, b), gate);
        sign * gate
    }

    fn ite(&mut self, c: Literal, a: Literal, b: Literal, sink: &mut Sink<'_>) -> Literal {
        if c == TRUE || a == b {
            return a;
        }
        if c == -TRUE {
            return b;
        }
        if a.abs() == TRUE || b.abs() == TRUE || c.abs() == a.abs() || c.abs() == b.abs() || a == -b
        {
            let then = self.and(c, a, sink);
            let other = self.and(-c, b, sink);
            return self.or(then, other, sink);
        }
        let (c, a, b) = if c < 0 { (-c, b, a) } else { (c, a, b) };
        if let Some(&gate) = self.gates.get(&Gate::Ite(c, a, b)) {
            return gate;
        }
        let gate = self.fresh();
        sink(&[-gate, -c, a]);
        sink(&[gate, -c, -a]);
        sink(&[-gate, c, b]);
        sink(&[gate, c, -b]);
        self.gates.insert(Gate::Ite(c, a, b), gate);
        gate
    }

    fn choose(
        &mut self,
        c: Literal,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> Vec<Literal> {
        a.iter().zip(b).map(|(&a, &b)| self.ite(c, a, b, sink)).collect()
    }

    fn equal(&mut self, a: &[Literal], b: &[Literal], sink: &mut Sink<'_>) -> Literal {
        a.iter().zip(b).fold(TRUE, |all, (&a, &b)| {
            let different = self.xor(a, b, sink);
            self.and(all, -different, sink)
        })
    }

    /// Unsigned comparison, from the least significant bit up: the higher bit decides unless equal.
    fn less(&mut self, a: &[Literal], b: &[Literal], sink: &mut Sink<'_>) -> Literal {
        a.iter().zip(b).fold(-TRUE, |lower, (&a, &b)| {
            let different = self.xor(a, b, sink);
            self.ite(different, b, lower, sink)
        })
    }

    /// Sum and the carries into each bit and out of the last (one more than bits).
    fn add(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        carry: Literal,
        sink: &mut Sink<'_>,
    ) -> (Vec<Literal>, Vec<Literal>) {
        let mut carries = vec![carry];
        let mut sum = Vec::new();
        let mut carry = carry;
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b, sink);
            sum.push(self.xor(half, carry, sink));
            let both = self.and(a, b, sink);
            let through = self.and(half, carry, sink);
            carry = self.or(both, through, sink);
            carries.push(carry);
        }
        (sum, carries)
    }

    fn negate(&mut self, a: &[Literal], sink: &mut Sink<'_>) -> Vec<Literal> {
        let flipped: Vec<_> = a.iter().map(|bit| -bit).collect();
        self.add(&flipped, &vec![-TRUE; a.len()], TRUE, sink).0
    }

    fn multiply(&mut self, a: &[Literal], b: &[Literal], sink: &mut Sink<'_>) -> Vec<Literal> {
        let width = a.len();
        let mut sum = vec![-TRUE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == -TRUE {
                continue;
            }
            let mut row = vec![-TRUE; shift];
            for &a in a.iter().take(width - shift) {
                row.push(self.and(a, bit, sink));
            }
            sum = self.add(&sum, &row, -TRUE, sink).0;
        }
        sum
    }

    /// Quotient and remainder by restoring division. A zero divisor gives all
    /// ones and the dividend, as the semantics says: every trial subtraction succeeds.
    fn divide(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> (Vec<Literal>, Vec<Literal>) {
        let width = a.len();
        let mut quotient = vec![-TRUE; width];
        // One bit wider, because the remainder is doubled before it is compared.
        let mut remainder = vec![-TRUE; width + 1];
        let mut divisor = b.to_vec();
        divisor.push(-TRUE);
        let negated: Vec<_> = divisor.iter().map(|bit| -bit).collect();
        for (index, &bit) in a.iter().enumerate().rev() {
            remainder.pop();
            remainder.insert(0, bit);
            let (difference, carries) = self.add(&remainder, &negated, TRUE, sink);
            let fits = carries.last().copied().unwrap_or(-TRUE);
            remainder = self.choose(fits, &difference, &remainder.clone(), sink);
            if let Some(slot) = quotient.get_mut(index) {
                *slot = fits;
            }
        }
        remainder.truncate(width);
        (quotient, remainder)
    }

    fn absolute(&mut self, a: &[Literal], sink: &mut Sink<'_>) -> (Literal, Vec<Literal>) {
        let sign = a.last().copied().unwrap_or(-TRUE);
        let negated = self.negate(a, sink);
        (sign, self.choose(sign, &negated, a, sink))
    }

    fn signed_divide(
        &mut self,
        op: BinaryOp,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> Vec<Literal> {
        let (sign_a, abs_a) = self.absolute(a, sink);
        let (sign_b, abs_b) = self.absolute(b, sink);
        let (quotient, remainder) = self.division(&abs_a, &abs_b, sink);
        let (result, negative) = match op {
            BinaryOp::Sdiv => (quotient, self.xor(sign_a, sign_b, sink)),
            _ => (remainder, sign_a),
        };
        let negated = self.negate(&result, sink);
        self.choose(negative, &negated, &result, sink)
    }

    /// A barrel shifter towards the low end; `fill` comes in at the high end.
    fn shift_right(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        fill: Literal,
        sink: &mut Sink<'_>,
    ) -> Vec<Literal> {
        let width = a.len();
        let mut bits = a.to_vec();
        for (stage, &by) in b.iter().enumerate() {
            let distance =
                1usize.checked_shl(u32::try_from(stage).unwrap_or(u32::MAX)).unwrap_or(usize::MAX);
            let shifted: Vec<_> = (0..width)
                .map(|bit| {
                    bit.checked_add(distance)
                        .and_then(|from| bits.get(from))
                        .copied()
                        .unwrap_or(fill)
                })
                .collect();
            bits = self.choose(by, &shifted, &bits.clone(), sink);
        }
        bits
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> Vec<Literal> {
        match op {
            BinaryOp::Add => self.add(a, b, -TRUE, sink).0,
            BinaryOp::Mul => self.product(a, b, sink),
            BinaryOp::Udiv => self.division(a, b, sink).0,
            BinaryOp::Urem => self.division(a, b, sink).1,
            BinaryOp::Sdiv | BinaryOp::Srem => self.signed_divide(op, a, b, sink),
            BinaryOp::Shl => {
                let mirrored: Vec<_> = a.iter().rev().copied().collect();
                let mut bits = self.shift_right(&mirrored, b, -TRUE, sink);
                bits.reverse();
                bits
            }
            BinaryOp::Lshr => self.shift_right(a, b, -TRUE, sink),
            BinaryOp::Ashr => self.shift_right(a, b, a.last().copied().unwrap_or(-TRUE), sink),
            BinaryOp::And => a.iter().zip(b).map(|(&a, &b)| self.and(a, b, sink)).collect(),
            BinaryOp::Or => a.iter().zip(b).map(|(&a, &b)| self.or(a, b, sink)).collect(),
            BinaryOp::Xor => a.iter().zip(b).map(|(&a, &b)| self.xor(a, b, sink)).collect(),
        }
    }

    fn overflow(
        &mut self,
        op: OverflowOp,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> Literal {
        let width = a.len();
        match op {
            // The carry into the sign differs from the carry out of it.
            OverflowOp::Add => {
                let carries = self.add(a, b, -TRUE, sink).1;
                self.last_two_differ(&carries, sink)
            }
            OverflowOp::Sub => {
                let flipped: Vec<_> = b.iter().map(|bit| -bit).collect();
                let carries = self.add(a, &flipped, TRUE, sink).1;
                self.last_two_differ(&carries, sink)
            }
            // The product at twice the width does not fit.
            OverflowOp::Mul => {
                let extend = |bits: &[Literal]| {
                    let mut bits = bits.to_vec();
                    bits.resize(2 * width, bits.last().copied().unwrap_or(-TRUE));
                    bits
                };
                let product = self.product(&extend(a), &extend(b), sink);
                let sign = product.get(width - 1).copied().unwrap_or(-TRUE);
                let high = product.get(width..).map(<[_]>::to_vec).unwrap_or_default();
                -self.equal(&high, &vec![sign; width], sink)
            }
        }
    }

    fn last_two_differ(&mut self, carries: &[Literal], sink: &mut Sink<'_>) -> Literal {
        match carries {
            [.., into, out] => self.xor(*into, *out, sink),
            _ => -TRUE,
        }
    }
}

fn constant(value: bool) -> Literal {
    if value { TRUE } else { -TRUE }
}

fn flip_sign(mut bits: Vec<Literal>) -> Vec<Literal> {
    if let Some(sign) = bits.last_mut() {
        *sign = -*sign;
    }
    bits
}
