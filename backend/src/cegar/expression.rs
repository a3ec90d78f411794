//! Terms over the active thread's state as predicate expressions.

use sapa_ir::goto::c_text::c_text;
use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, Expression, Module, Predicate, Type, UnaryOp};

use crate::automaton::Automaton;
use crate::automaton::leaf::{Leaf, Symbols};
use crate::solver::{self, Node, TermId};

/// Most nodes of a term that becomes a predicate.
const MAX_SIZE: usize = 200;

/// The expression of a term; `None` if the term is large, has inputs, or has
/// an operation that expressions lack.
#[must_use]
pub fn expression(symbols: &Symbols, automaton: &Automaton, term: TermId) -> Option<Expression> {
    let mut budget = MAX_SIZE;
    convert(symbols, automaton, term, &mut budget)
}

/// The predicate of a term, under the conditions of [`expression`].
#[must_use]
pub fn predicate(
    symbols: &Symbols,
    module: &Module,
    automaton: &Automaton,
    term: TermId,
) -> Option<Predicate> {
    let expression = expression(symbols, automaton, term)?;
    Some(Predicate { text: c_text(module, &expression), expression })
}

fn convert(
    symbols: &Symbols,
    automaton: &Automaton,
    term: TermId,
    budget: &mut usize,
) -> Option<Expression> {
    *budget = budget.checked_sub(1)?;
    let store = &symbols.store;
    let bits = u16::try_from(store.width(term)).ok()?;
    let mut recurse = |t: TermId| convert(symbols, automaton, t, budget).map(Box::new);
    let compare = |op, a, b| Some(Expression::Compare { op, a, b });
    let binary = |op, a, b| Some(Expression::Binary { op, a, b });
    match store.node(term) {
        Node::True => Some(Expression::Int { bits: 1, value: 1 }),
        Node::False => Some(Expression::Int { bits: 1, value: 0 }),
        Node::Const { value, .. } => Some(Expression::Int { bits, value }),
        Node::Variable { .. } => variable(symbols, automaton, term),
        Node::Not(a) | Node::BvNot(a) => {
            Some(Expression::Unary { op: UnaryOp::Not, a: recurse(a)? })
        }
        Node::Neg(a) => Some(Expression::Unary { op: UnaryOp::Neg, a: recurse(a)? }),
        Node::And(a, b) => binary(BinaryOp::And, recurse(a)?, recurse(b)?),
        Node::Iff(a, b) | Node::Eq(a, b) => compare(CompareOp::Eq, recurse(a)?, recurse(b)?),
        Node::Ult(a, b) => compare(CompareOp::UnsignedLt, recurse(a)?, recurse(b)?),
        Node::Slt(a, b) => compare(CompareOp::SignedLt, recurse(a)?, recurse(b)?),
        Node::Ite(c, a, b) => {
            Some(Expression::Select { condition: recurse(c)?, a: recurse(a)?, b: recurse(b)? })
        }
        Node::Binary(op, a, b) => binary(operator(op), recurse(a)?, recurse(b)?),
        Node::ZeroExtend { arg, .. } => {
            Some(Expression::Cast { op: CastOp::ZeroExtend, ty: Type::Int(bits), a: recurse(arg)? })
        }
        Node::SignExtend { arg, .. } => {
            Some(Expression::Cast { op: CastOp::SignExtend, ty: Type::Int(bits), a: recurse(arg)? })
        }
        Node::Extract { arg, low, .. } => {
            let width = u16::try_from(store.width(arg)).ok()?;
            let distance = Box::new(Expression::Int { bits: width, value: u128::from(low) });
            let mut a = recurse(arg)?;
            if low > 0 {
                a = Box::new(Expression::Binary {
                    op: BinaryOp::LogicalShiftRight,
                    a,
                    b: distance,
                });
            }
            if bits == width {
                Some(*a)
            } else {
                Some(Expression::Cast { op: CastOp::Truncate, ty: Type::Int(bits), a })
            }
        }
        Node::Concat(high, low) => {
            let distance = u128::from(store.width(low));
            let mut extended = |t: TermId| {
                let a = recurse(t)?;
                let ty = Type::Int(bits);
                Some(Box::new(Expression::Cast { op: CastOp::ZeroExtend, ty, a }))
            };
            let (a, low) = (extended(high)?, extended(low)?);
            let b = Box::new(Expression::Int { bits, value: distance });
            let high = Expression::Binary { op: BinaryOp::ShiftLeft, a, b };
            binary(BinaryOp::Or, Box::new(high), low)
        }
        Node::Overflow(..) => None,
    }
}

fn operator(op: solver::BinaryOp) -> BinaryOp {
    match op {
        solver::BinaryOp::Add => BinaryOp::Add,
        solver::BinaryOp::Mul => BinaryOp::Mul,
        solver::BinaryOp::Udiv => BinaryOp::UnsignedDiv,
        solver::BinaryOp::Urem => BinaryOp::UnsignedRem,
        solver::BinaryOp::Sdiv => BinaryOp::SignedDiv,
        solver::BinaryOp::Srem => BinaryOp::SignedRem,
        solver::BinaryOp::Shl => BinaryOp::ShiftLeft,
        solver::BinaryOp::Lshr => BinaryOp::LogicalShiftRight,
        solver::BinaryOp::Ashr => BinaryOp::ArithmeticShiftRight,
        solver::BinaryOp::And => BinaryOp::And,
        solver::BinaryOp::Or => BinaryOp::Or,
        solver::BinaryOp::Xor => BinaryOp::Xor,
    }
}

fn variable(symbols: &Symbols, automaton: &Automaton, term: TermId) -> Option<Expression> {
    match symbols.leaf(term)?.0 {
        Leaf::Cell(cell) => {
            let cell = automaton.memory.cell(cell);
            Some(Expression::Load { ty: cell.ty.clone(), address: Box::new(cell.place.clone()) })
        }
        Leaf::Value(function, value) => Some(Expression::Value { function, value }),
        Leaf::Variable(function, variable) => Some(Expression::Variable { function, variable }),
        Leaf::Input(_) => None,
    }
}
