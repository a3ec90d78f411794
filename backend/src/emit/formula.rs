//! When an expression with choices can be 0 and when it can be 1, as formulas without choices.

use std::convert::Infallible;
use std::fmt::{self, Display};
use std::rc::Rc;

use sapa_ir::boolean::flat::{FlatExpr, VariableRef};

use crate::possible::{Evaluator, Sets};

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

/// Formulas as sets of states; they can always be made.
struct Formulas;

impl Sets for Formulas {
    type Set = Formula;
    type Error = Infallible;

    fn constant(&self, value: bool) -> Formula {
        Formula::Constant(value)
    }

    fn not(&self, set: &Formula) -> Formula {
        set.clone().not()
    }

    fn and(&self, a: &Formula, b: &Formula) -> Result<Formula, Infallible> {
        Ok(a.clone().and(b.clone()))
    }

    fn or(&self, a: &Formula, b: &Formula) -> Result<Formula, Infallible> {
        Ok(a.clone().or(b.clone()))
    }
}

/// When an expression can be `value`; `name` gives a variable's name.
pub(super) fn can_be(e: &FlatExpr, value: bool, name: &dyn Fn(VariableRef) -> String) -> Formula {
    let variable = |variable| Ok(Formula::name(name(variable)));
    let evaluator = Evaluator { sets: Formulas, variable: &variable };
    let Ok(possible) = evaluator.possible(e);
    if value { possible.one } else { possible.zero }
}
