//! The values that an expression with choices can have, as the sets of states where it can be 0
//! and where it can be 1; they overlap where it is nondeterministic.

use sapa_ir::boolean::flat::{FlatExpr, VariableRef};

/// How sets of states are written: as BDDs, or as formulas.
pub(crate) trait Sets {
    /// A set of states.
    type Set: Clone;
    /// Why a set cannot be made.
    type Error;
    /// All states or none.
    fn constant(&self, value: bool) -> Self::Set;
    /// The complement.
    fn not(&self, set: &Self::Set) -> Self::Set;
    /// The intersection.
    fn and(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Error>;
    /// The union.
    fn or(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Error>;
}

/// Where an expression can be 0 and where it can be 1: the symbolic counterpart of
/// [`sapa_ir::boolean::flat::Values`].
#[derive(Clone, Debug)]
pub(crate) struct Possible<S> {
    pub(crate) zero: S,
    pub(crate) one: S,
}

impl<S> Possible<S> {
    fn negated(self) -> Possible<S> {
        Possible { zero: self.one, one: self.zero }
    }
}

/// Evaluates expressions to sets of states; `variable` gives the set where a variable is 1.
pub(crate) struct Evaluator<'a, A: Sets> {
    pub(crate) sets: A,
    pub(crate) variable: &'a dyn Fn(VariableRef) -> Result<A::Set, A::Error>,
}

impl<A: Sets> Evaluator<'_, A> {
    fn constant(&self, value: bool) -> Possible<A::Set> {
        self.certain(self.sets.constant(value))
    }

    fn certain(&self, one: A::Set) -> Possible<A::Set> {
        Possible { zero: self.sets.not(&one), one }
    }

    /// `a & b | c & d`
    fn either(
        &self,
        (a, b): (&A::Set, &A::Set),
        (c, d): (&A::Set, &A::Set),
    ) -> Result<A::Set, A::Error> {
        self.sets.or(&self.sets.and(a, b)?, &self.sets.and(c, d)?)
    }

    fn and(&self, a: Possible<A::Set>, b: Possible<A::Set>) -> Result<Possible<A::Set>, A::Error> {
        let zero = self.sets.or(&a.zero, &b.zero)?;
        Ok(Possible { zero, one: self.sets.and(&a.one, &b.one)? })
    }

    fn or(&self, a: Possible<A::Set>, b: Possible<A::Set>) -> Result<Possible<A::Set>, A::Error> {
        Ok(self.and(a.negated(), b.negated())?.negated())
    }

    fn xor(&self, a: Possible<A::Set>, b: Possible<A::Set>) -> Result<Possible<A::Set>, A::Error> {
        Ok(Possible {
            zero: self.either((&a.zero, &b.zero), (&a.one, &b.one))?,
            one: self.either((&a.zero, &b.one), (&a.one, &b.zero))?,
        })
    }

    /// The values of `e`.
    ///
    /// # Errors
    /// If a set cannot be made.
    pub(crate) fn possible(&self, e: &FlatExpr) -> Result<Possible<A::Set>, A::Error> {
        let sub = |e: &FlatExpr| self.possible(e);
        match e {
            FlatExpr::Constant(value) => Ok(self.constant(*value)),
            FlatExpr::Variable(variable) => Ok(self.certain((self.variable)(*variable)?)),
            FlatExpr::Nondet => {
                Ok(Possible { zero: self.sets.constant(true), one: self.sets.constant(true) })
            }
            FlatExpr::Choose(positive, negative) => {
                let (positive, negative) = (sub(positive)?, sub(negative)?);
                let free = self.sets.and(&positive.zero, &negative.zero)?;
                Ok(Possible { one: self.sets.or(&positive.one, &free)?, zero: positive.zero })
            }
            FlatExpr::Not(e) => Ok(sub(e)?.negated()),
            FlatExpr::And(es) => {
                es.iter().try_fold(self.constant(true), |a, e| self.and(a, sub(e)?))
            }
            FlatExpr::Or(es) => {
                es.iter().try_fold(self.constant(false), |a, e| self.or(a, sub(e)?))
            }
            FlatExpr::Xor(es) => {
                es.iter().try_fold(self.constant(false), |a, e| self.xor(a, sub(e)?))
            }
            FlatExpr::Equal(a, b) => Ok(self.xor(sub(a)?, sub(b)?)?.negated()),
            FlatExpr::Implies(a, b) => self.or(sub(a)?.negated(), sub(b)?),
            FlatExpr::Conditional(c, a, b) => {
                let (c, a, b) = (sub(c)?, sub(a)?, sub(b)?);
                // Not (c & a) | (!c & b) over `Possible`s: that would let c be both at once.
                Ok(Possible {
                    zero: self.either((&c.one, &a.zero), (&c.zero, &b.zero))?,
                    one: self.either((&c.one, &a.one), (&c.zero, &b.one))?,
                })
            }
        }
    }
}
