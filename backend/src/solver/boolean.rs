//! Constructors of Boolean terms.
//!
//! The normal form has negation, conjunction, equivalence and choice only;
//! `a || b` is `!(!a && !b)`, so that De Morgan's laws hold by construction.

use super::term::{Node, Sort, TermId, TermStore};

impl TermStore {
    /// Boolean negation.
    ///
    /// # Panics
    /// If the operand is not a Boolean.
    pub fn not(&mut self, a: TermId) -> TermId {
        self.need_bool(a);
        match self.node(a) {
            Node::True => self.false_(),
            Node::False => self.true_(),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Whether one term is the negation of the other.
    pub fn are_complementary(&self, a: TermId, b: TermId) -> bool {
        let negates = |x, y| match self.node(x) {
            Node::Not(inner) => inner == y,
            Node::True => y == self.false_(),
            Node::False => y == self.true_(),
            _ => false,
        };
        negates(a, b) || negates(b, a)
    }

    /// Conjunction.
    ///
    /// # Panics
    /// If an operand is not a Boolean.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.need_bool(a);
        self.need_bool(b);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b || a == self.true_() {
            return b;
        }
        if b == self.true_() {
            return a;
        }
        if a == self.false_() || b == self.false_() || self.exclude_each_other(a, b) {
            return self.false_();
        }
        if let Some(term) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            return term;
        }
        self.intern(Node::And(a, b), Sort::Bool)
    }

    /// `a && b` if one of `a`'s own conjuncts or disjuncts settles it.
    fn absorb(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match self.node(a) {
            // (x && y) && x, (x && y) && !x
            Node::And(x, y) if x == b || y == b => Some(a),
            Node::And(x, y) if self.exclude_each_other(x, b) || self.exclude_each_other(y, b) => {
                Some(self.false_())
            }
            Node::Not(inner) => match self.node(inner) {
                // !(x && y) && !x is !x;  !(x && y) && x is x && !y
                Node::And(x, y) => {
                    if self.exclude_each_other(x, b) || self.exclude_each_other(y, b) {
                        Some(b)
                    } else if x == b {
                        let rest = self.not(y);
                        Some(self.and(b, rest))
                    } else if y == b {
                        let rest = self.not(x);
                        Some(self.and(b, rest))
                    } else {
                        None
                    }
                }
                // x != c && x == d, for different constants, is x == d
                Node::Eq(..) if self.exclude_each_other(inner, b) => Some(b),
                _ => None,
            },
            _ => None,
        }
    }

    /// Cheap test for `!(a && b)`: complements, or one term equal to two
    /// different constants.
    fn exclude_each_other(&self, a: TermId, b: TermId) -> bool {
        if self.are_complementary(a, b) {
            return true;
        }
        let (Node::Eq(x, c), Node::Eq(y, d)) = (self.node(a), self.node(b)) else { return false };
        x == y && c != d && self.as_constant(c).is_some() && self.as_constant(d).is_some()
    }

    /// Disjunction.
    ///
    /// # Panics
    /// If an operand is not a Boolean.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let neither = self.and(not_a, not_b);
        self.not(neither)
    }

    /// Implication.
    ///
    /// # Panics
    /// If an operand is not a Boolean.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_b = self.not(b);
        let counterexample = self.and(a, not_b);
        self.not(counterexample)
    }

    /// Conjunction of any number of terms, `true` for none.
    ///
    /// # Panics
    /// If a term is not a Boolean.
    pub fn and_all(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        terms.into_iter().fold(self.true_(), |all, term| self.and(all, term))
    }

    /// Disjunction of any number of terms, `false` for none.
    ///
    /// # Panics
    /// If a term is not a Boolean.
    pub fn or_all(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        terms.into_iter().fold(self.false_(), |any, term| self.or(any, term))
    }

    /// Equivalence.
    ///
    /// # Panics
    /// If an operand is not a Boolean.
    pub fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        self.need_bool(a);
        self.need_bool(b);
        // Negations move outside: (!a <=> b) is !(a <=> b).
        let (a, a_negated) = self.strip_negation(a);
        let (b, b_negated) = self.strip_negation(b);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let positive = if a == b {
            self.true_()
        } else if a == self.true_() {
            b
        } else {
            self.intern(Node::Iff(a, b), Sort::Bool)
        };
        if a_negated == b_negated { positive } else { self.not(positive) }
    }

    /// The term without an outer negation and whether there was one; `false`
    /// counts as negated `true`.
    fn strip_negation(&self, term: TermId) -> (TermId, bool) {
        match self.node(term) {
            Node::Not(inner) => (inner, true),
            Node::False => (self.true_(), true),
            _ => (term, false),
        }
    }

    /// Exclusive disjunction.
    ///
    /// # Panics
    /// If an operand is not a Boolean.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.iff(a, b);
        self.not(same)
    }

    /// `condition ? a : b`, for two Booleans or two bit-vectors of one width.
    ///
    /// # Panics
    /// If the condition is not a Boolean or the branches differ in sort.
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        self.need_bool(condition);
        assert_eq!(self.sort(a), self.sort(b), "branches {a:?} and {b:?} differ in sort");
        if a == b {
            return a;
        }
        let (condition, a, b) = match self.node(condition) {
            Node::True => return a,
            Node::False => return b,
            Node::Not(inner) => (inner, b, a),
            _ => (condition, a, b),
        };
        // A branch that asks the same condition again knows the answer.
        let a = match self.node(a) {
            Node::Ite(c, then, _) if c == condition => then,
            _ => a,
        };
        let b = match self.node(b) {
            Node::Ite(c, _, other) if c == condition => other,
            _ => b,
        };
        if a == b {
            return a;
        }
        // Where the two are equal, one is as good as the other.
        if let Node::Eq(x, y) = self.node(condition)
            && ((a, b) == (x, y) || (b, a) == (x, y))
        {
            return b;
        }
        if self.is_bool(a) { self.ite_bool(condition, a, b) } else { self.ite_raw(condition, a, b) }
    }

    fn ite_raw(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        self.intern(Node::Ite(condition, a, b), sort)
    }

    fn ite_bool(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if a == self.true_() || a == c {
            return self.or(c, b);
        }
        if b == self.false_() || b == c {
            return self.and(c, a);
        }
        if a == self.false_() || self.are_complementary(a, c) {
            let not_c = self.not(c);
            return self.and(not_c, b);
        }
        if b == self.true_() || self.are_complementary(b, c) {
            return self.implies(c, a);
        }
        if self.are_complementary(a, b) {
            return self.iff(c, a);
        }
        self.ite_raw(c, a, b)
    }
}
