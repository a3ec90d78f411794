//! When an expression with choices can be 0 and when it can be 1, as formulas without choices.

use std::fmt::{self, Display};
use std::rc::Rc;

use sapa_ir::boolean::flat::{FlatExpr, VariableRef};

/// A formula over names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Constant(bool),
    Name(Rc<str>),
    Not(Rc<Formula>),
    And(Rc<Formula>, Rc<Formula>),
}

impl Formula {
    pub(super) fn name(name: impl Into<Rc<str>>) -> Formula {
        Formula::Name(name.into())
    }

    pub(super) fn not(self) -> Formula {
        match self {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(inner) => (*inner).clone(),
            other => Formula::Not(Rc::new(other)),
        }
    }

    pub(super) fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::Constant(false), _) | (_, Formula::Constant(false)) => {
                Formula::Constant(false)
            }
            (Formula::Constant(true), f) | (f, Formula::Constant(true)) => f,
            (a, b) if a == b => a,
            (a, b) => Formula::And(Rc::new(a), Rc::new(b)),
        }
    }

    pub(super) fn or(self, other: Formula) -> Formula {
        self.not().and(other.not()).not()
    }

    /// The text with these operators.
    pub(super) fn text(&self, operators: &'static Operators) -> String {
        Text(self, operators).to_string()
    }
}

/// How a language writes formulas.
#[derive(Debug)]
pub(super) struct Operators {
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) constants: [&'static str; 2],
}

struct Text<'f>(&'f Formula, &'static Operators);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text(formula, operators) = self;
        let part = |inner: &Rc<Formula>| Text(inner, operators).to_string();
        match formula {
            Formula::Constant(value) => f.write_str(operators.constants[usize::from(*value)]),
            Formula::Name(name) => f.write_str(name),
            Formula::Not(inner) => match &**inner {
                // An or is kept as the negation of a conjunction of negations.
                Formula::And(a, b) => {
                    let (a, b) = ((**a).clone().not(), (**b).clone().not());
                    let text = |x: &Formula| x.text(operators);
                    write!(f, "({} {} {})", text(&a), operators.or, text(&b))
                }
                _ => write!(f, "!{}", part(inner)),
            },
            Formula::And(a, b) => write!(f, "({} {} {})", part(a), operators.and, part(b)),
        }
    }
}

/// The symbolic counterpart of [`sapa_ir::boolean::flat::Values`], as text.
#[derive(Clone, Debug)]
pub(super) struct Possible {
    pub(super) zero: Formula,
    pub(super) one: Formula,
}

impl Possible {
    fn negated(self) -> Possible {
        Possible { zero: self.one, one: self.zero }
    }

    fn and(self, other: Possible) -> Possible {
        Possible { zero: self.zero.or(other.zero), one: self.one.and(other.one) }
    }

    fn or(self, other: Possible) -> Possible {
        self.negated().and(other.negated()).negated()
    }

    fn xor(self, other: Possible) -> Possible {
        let (a, b) = (self, other);
        Possible {
            zero: a.zero.clone().and(b.zero.clone()).or(a.one.clone().and(b.one.clone())),
            one: a.zero.and(b.one).or(a.one.and(b.zero)),
        }
    }
}

/// The values of an expression; `name` gives a variable's name.
pub(super) fn possible(e: &FlatExpr, name: &dyn Fn(VariableRef) -> String) -> Possible {
    let sub = |e: &FlatExpr| possible(e, name);
    let constant =
        |value: bool| Possible { zero: Formula::Constant(!value), one: Formula::Constant(value) };
    match e {
        FlatExpr::Constant(value) => constant(*value),
        FlatExpr::Variable(variable) => {
            let one = Formula::name(name(*variable));
            Possible { zero: one.clone().not(), one }
        }
        FlatExpr::Nondet => {
            Possible { zero: Formula::Constant(true), one: Formula::Constant(true) }
        }
        FlatExpr::Choose(positive, negative) => {
            let (positive, negative) = (sub(positive), sub(negative));
            let free = positive.zero.clone().and(negative.zero);
            Possible { one: positive.one.or(free), zero: positive.zero }
        }
        FlatExpr::Not(e) => sub(e).negated(),
        FlatExpr::And(es) => es.iter().fold(constant(true), |all, e| all.and(sub(e))),
        FlatExpr::Or(es) => es.iter().fold(constant(false), |any, e| any.or(sub(e))),
        FlatExpr::Xor(es) => es.iter().fold(constant(false), |odd, e| odd.xor(sub(e))),
        FlatExpr::Equal(a, b) => sub(a).xor(sub(b)).negated(),
        FlatExpr::Implies(a, b) => sub(a).negated().or(sub(b)),
        FlatExpr::Conditional(c, a, b) => {
            let (c, a, b) = (sub(c), sub(a), sub(b));
            Possible {
                zero: c.one.clone().and(a.zero).or(c.zero.clone().and(b.zero)),
                one: c.one.and(a.one).or(c.zero.and(b.one)),
            }
        }
    }
}
