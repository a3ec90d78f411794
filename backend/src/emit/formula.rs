//! When an expression with choices can be 0 and when it can be 1, as formulas without choices.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::rc::Rc;

use sapa_ir::boolean::flat::{FlatExpr, VariableRef};

use super::EmitError;
use crate::possible::{Evaluator, Sets};

/// The longest text that is written, in bytes.
pub(super) const MOST_TEXT: usize = 1 << 28;

/// A formula over names. Parts are shared, so the text can be much longer than what is kept.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    node: Node,
    /// The length of the text, up to a few bytes for each operator.
    length: usize,
}

#[derive(Clone, Debug)]
enum Node {
    Constant(bool),
    Name(Rc<str>),
    Not(Rc<Formula>),
    And(Rc<Formula>, Rc<Formula>),
    Xor(Rc<Formula>, Rc<Formula>),
    If(Rc<Formula>, Rc<Formula>, Rc<Formula>),
}

/// What an operator takes with its parentheses.
const OPERATOR: usize = 6;

impl Formula {
    fn new(node: Node) -> Formula {
        let length = match &node {
            Node::Constant(_) => OPERATOR,
            Node::Name(name) => name.len(),
            // The negation of a conjunction is written as an or of negations.
            Node::Not(inner) => inner.length.saturating_add(OPERATOR),
            Node::And(a, b) | Node::Xor(a, b) => {
                a.length.saturating_add(b.length).saturating_add(OPERATOR)
            }
            Node::If(c, a, b) => {
                let both = a.length.saturating_add(b.length);
                c.length.saturating_add(both).saturating_add(2 * OPERATOR)
            }
        };
        Formula { node, length }
    }

    fn constant(value: bool) -> Formula {
        Formula::new(Node::Constant(value))
    }

    pub(super) fn name(name: impl Into<Rc<str>>) -> Formula {
        Formula::new(Node::Name(name.into()))
    }

    pub(super) fn not(self) -> Formula {
        match self.node {
            Node::Constant(value) => Formula::constant(!value),
            Node::Not(inner) => (*inner).clone(),
            _ => Formula::new(Node::Not(Rc::new(self))),
        }
    }

    pub(super) fn and(self, other: Formula) -> Formula {
        match (&self.node, &other.node) {
            (Node::Constant(false), _) | (_, Node::Constant(false)) => Formula::constant(false),
            (Node::Constant(true), _) => other,
            (_, Node::Constant(true)) => self,
            (Node::Name(a), Node::Name(b)) if a == b => self,
            _ => Formula::new(Node::And(Rc::new(self), Rc::new(other))),
        }
    }

    pub(super) fn or(self, other: Formula) -> Formula {
        self.not().and(other.not()).not()
    }

    fn xor(self, other: Formula) -> Formula {
        match (&self.node, &other.node) {
            (Node::Constant(value), _) => {
                if *value {
                    other.not()
                } else {
                    other
                }
            }
            (_, Node::Constant(value)) => {
                if *value {
                    self.not()
                } else {
                    self
                }
            }
            _ => Formula::new(Node::Xor(Rc::new(self), Rc::new(other))),
        }
    }

    fn either(self, then: Formula, otherwise: Formula) -> Formula {
        match self.node {
            Node::Constant(true) => then,
            Node::Constant(false) => otherwise,
            _ => {
                let (c, a, b) = (Rc::new(self), Rc::new(then), Rc::new(otherwise));
                Formula::new(Node::If(c, a, b))
            }
        }
    }
}

/// How a language writes formulas.
#[derive(Debug)]
pub(super) struct Operators {
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) xor: &'static str,
    /// Between the condition of a conditional and its first value.
    pub(super) then: &'static str,
    pub(super) constants: [&'static str; 2],
}

/// Writes formulas with a language's operators, as long as there is room.
pub(super) struct Speller {
    operators: &'static Operators,
    left: Cell<usize>,
}

impl Speller {
    pub(super) fn new(operators: &'static Operators) -> Speller {
        Speller { operators, left: Cell::new(MOST_TEXT) }
    }

    /// Counts bytes of text towards the limit.
    ///
    /// # Errors
    /// If that is more than there is room for.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), EmitError> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or(EmitError::TooLong(MOST_TEXT))?);
        Ok(())
    }

    /// When an expression can be `value`; `name` gives a variable's name.
    ///
    /// # Errors
    /// If the text would be too long.
    pub(super) fn can_be(
        &self,
        e: &FlatExpr,
        value: bool,
        name: &dyn Fn(VariableRef) -> String,
    ) -> Result<String, EmitError> {
        let formula = can_be(e, value, name);
        self.spend(formula.length)?;
        Ok(Text(&formula, self.operators).to_string())
    }
}

struct Text<'f>(&'f Formula, &'static Operators);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Text(formula, operators) = *self;
        let part = |inner| Text(inner, operators);
        match &formula.node {
            Node::Constant(value) => f.write_str(operators.constants[usize::from(*value)]),
            Node::Name(name) => f.write_str(name),
            Node::Not(inner) => match &inner.node {
                // An or is kept as the negation of a conjunction of negations.
                Node::And(a, b) => {
                    let (a, b) = ((**a).clone().not(), (**b).clone().not());
                    write!(f, "({} {} {})", part(&a), operators.or, part(&b))
                }
                _ => write!(f, "!{}", part(inner)),
            },
            Node::And(a, b) => write!(f, "({} {} {})", part(a), operators.and, part(b)),
            Node::Xor(a, b) => write!(f, "({} {} {})", part(a), operators.xor, part(b)),
            Node::If(c, a, b) => {
                write!(f, "({} {} {} : {})", part(c), operators.then, part(a), part(b))
            }
        }
    }
}

/// Formulas as sets of states; they can always be made.
struct Formulas;

impl Sets for Formulas {
    type Set = Formula;
    type Error = std::convert::Infallible;

    fn constant(&self, value: bool) -> Formula {
        Formula::constant(value)
    }

    fn not(&self, set: &Formula) -> Formula {
        set.clone().not()
    }

    fn and(&self, a: &Formula, b: &Formula) -> Result<Formula, Self::Error> {
        Ok(a.clone().and(b.clone()))
    }

    fn or(&self, a: &Formula, b: &Formula) -> Result<Formula, Self::Error> {
        Ok(a.clone().or(b.clone()))
    }
}

/// When an expression can be `value`.
fn can_be(e: &FlatExpr, value: bool, name: &dyn Fn(VariableRef) -> String) -> Formula {
    let e = balanced(e);
    if !e.has_choice() {
        let one = plain(&e, name);
        return if value { one } else { one.not() };
    }
    let variable = |variable| Ok(Formula::name(name(variable)));
    let evaluator = Evaluator { sets: Formulas, variable: &variable };
    let Ok(possible) = evaluator.possible(&e);
    if value { possible.one } else { possible.zero }
}

/// An expression without choices, each part of it written once.
fn plain(e: &FlatExpr, name: &dyn Fn(VariableRef) -> String) -> Formula {
    let sub = |e: &FlatExpr| plain(e, name);
    let fold = |es: &[FlatExpr], neutral: bool, join: fn(Formula, Formula) -> Formula| {
        es.iter().fold(Formula::constant(neutral), |all, e| join(all, sub(e)))
    };
    match e {
        FlatExpr::Constant(value) => Formula::constant(*value),
        FlatExpr::Variable(variable) => Formula::name(name(*variable)),
        // There are none.
        FlatExpr::Nondet | FlatExpr::Choose(..) => Formula::constant(false),
        FlatExpr::Not(e) => sub(e).not(),
        FlatExpr::And(es) => fold(es, true, Formula::and),
        FlatExpr::Or(es) => fold(es, false, Formula::or),
        FlatExpr::Xor(es) => fold(es, false, Formula::xor),
        FlatExpr::Equal(a, b) => sub(a).xor(sub(b)).not(),
        FlatExpr::Implies(a, b) => sub(a).not().or(sub(b)),
        FlatExpr::Conditional(c, a, b) => sub(c).either(sub(a), sub(b)),
    }
}

/// The same expression with long chains of operators as trees: what is written, and what reads
/// it, recurses into it.
fn balanced(e: &FlatExpr) -> FlatExpr {
    let one = |e: &FlatExpr| Box::new(balanced(e));
    match e {
        FlatExpr::Constant(_) | FlatExpr::Variable(_) | FlatExpr::Nondet => e.clone(),
        FlatExpr::Choose(a, b) => FlatExpr::Choose(one(a), one(b)),
        FlatExpr::Not(e) => FlatExpr::Not(one(e)),
        FlatExpr::And(es) => tree(es, FlatExpr::And),
        FlatExpr::Or(es) => tree(es, FlatExpr::Or),
        FlatExpr::Xor(es) => tree(es, FlatExpr::Xor),
        FlatExpr::Equal(a, b) => FlatExpr::Equal(one(a), one(b)),
        FlatExpr::Implies(a, b) => FlatExpr::Implies(one(a), one(b)),
        FlatExpr::Conditional(c, a, b) => FlatExpr::Conditional(one(c), one(a), one(b)),
    }
}

fn tree(es: &[FlatExpr], join: fn(Vec<FlatExpr>) -> FlatExpr) -> FlatExpr {
    if es.len() <= 8 {
        return join(es.iter().map(balanced).collect());
    }
    let (left, right) = es.split_at(es.len() / 2);
    join(vec![tree(left, join), tree(right, join)])
}
