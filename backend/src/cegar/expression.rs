//! Terms over the active thread's state as predicate expressions.

use sapa_ir::goto::c_text::c_text;
use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, Expression, Module, Predicate, Type, UnaryOp, name,
};

use crate::automaton::Automaton;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::memory::Origin;
use crate::solver::{Node, TermId};

/// Most nodes of a term that becomes a predicate.
const MAX_SIZE: usize = 200;

/// The expression of a term; `None` if the term is large, has inputs, or has
/// an operation that expressions lack.
pub(super) fn expression(
    symbols: &Symbols,
    automaton: &Automaton,
    term: TermId,
) -> Option<Expression> {
    let mut budget = MAX_SIZE;
    convert(symbols, automaton, term, &mut budget)
}

/// The predicate of a term, under the conditions of [`expression`].
pub(super) fn predicate(
    symbols: &Symbols,
    module: &Module,
    automaton: &Automaton,
    term: TermId,
) -> Option<Predicate> {
    let mut expression = expression(symbols, automaton, term)?;
    expression.for_each_mut(&mut |part| separate_pointers(module, automaton, part));
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
    let bits = symbols.bits(term);
    let mut recurse = |t: TermId| convert(symbols, automaton, t, budget).map(Box::new);
    let int = |bits, value| Expression::Int { bits, value };
    let unary = |op, a| Expression::Unary { op, a };
    let compare = |op, a, b| Expression::Compare { op, a, b };
    let binary = |op, a, b| Expression::Binary { op, a, b };
    let cast = |op, a| Expression::Cast { op, ty: Type::Int(bits), a };
    Some(match store.node(term) {
        Node::True => int(1, 1),
        Node::False => int(1, 0),
        Node::Const { value, .. } => int(bits, value),
        Node::Variable { .. } => variable(symbols, automaton, term)?,
        Node::Not(a) | Node::BvNot(a) => unary(UnaryOp::Not, recurse(a)?),
        Node::Neg(a) => unary(UnaryOp::Neg, recurse(a)?),
        Node::And(a, b) => binary(BinaryOp::And, recurse(a)?, recurse(b)?),
        Node::Iff(a, b) | Node::Eq(a, b) => compare(CompareOp::Eq, recurse(a)?, recurse(b)?),
        Node::Ult(a, b) => compare(CompareOp::UnsignedLt, recurse(a)?, recurse(b)?),
        Node::Slt(a, b) => compare(CompareOp::SignedLt, recurse(a)?, recurse(b)?),
        Node::Ite(c, a, b) => {
            Expression::Select { condition: recurse(c)?, a: recurse(a)?, b: recurse(b)? }
        }
        Node::Binary(op, a, b) => binary(op.into(), recurse(a)?, recurse(b)?),
        Node::ZeroExtend { arg, .. } => cast(CastOp::ZeroExtend, recurse(arg)?),
        Node::SignExtend { arg, .. } => cast(CastOp::SignExtend, recurse(arg)?),
        Node::Extract { arg, low, .. } => {
            let width = symbols.bits(arg);
            let mut a = recurse(arg)?;
            if low > 0 {
                let distance = Box::new(int(width, u128::from(low)));
                a = Box::new(binary(BinaryOp::LogicalShiftRight, a, distance));
            }
            if bits == width { *a } else { cast(CastOp::Truncate, a) }
        }
        Node::Concat(high, low) => {
            let distance = Box::new(int(bits, u128::from(store.width(low))));
            let mut extended = |t| Some(Box::new(cast(CastOp::ZeroExtend, recurse(t)?)));
            let (high, low) = (extended(high)?, extended(low)?);
            binary(BinaryOp::Or, Box::new(binary(BinaryOp::ShiftLeft, high, distance)), low)
        }
        Node::Overflow(..) => return None,
    })
}

/// Terms do not tell pointers from integers, expressions do: what is computed with pointers is
/// computed with their addresses, and a number that a pointer is compared with is the object there.
fn separate_pointers(module: &Module, automaton: &Automaton, part: &mut Expression) {
    let to_integer = |operand: &mut Expression| {
        if is_pointer(module, operand) {
            let a = Box::new(std::mem::replace(operand, Expression::Null));
            let ty = Type::Int(module.target.pointer_bits);
            *operand = Expression::Cast { op: CastOp::PointerToInt, ty, a };
        }
    };
    match part {
        Expression::Compare { op, a, b } => {
            let is_signed = matches!(op, CompareOp::SignedLt | CompareOp::SignedLe);
            let object = |number: &Expression, other: &Expression| match number {
                Expression::Int { value, .. } if is_pointer(module, other) && !is_signed => {
                    pointed_to(automaton, *value)
                }
                _ => None,
            };
            if let Some(found) = object(a, b) {
                **a = found;
            } else if let Some(found) = object(b, a) {
                **b = found;
            }
            if is_signed || !(is_pointer(module, a) && is_pointer(module, b)) {
                to_integer(a);
                to_integer(b);
            }
        }
        Expression::Select { a, b, .. } if is_pointer(module, a) && is_pointer(module, b) => {}
        Expression::Binary { a, b, .. } | Expression::Select { a, b, .. } => {
            to_integer(a);
            to_integer(b);
        }
        Expression::Unary { a, .. } => to_integer(a),
        Expression::Cast { op, a, .. } if *op != CastOp::PointerToInt => to_integer(a),
        _ => {}
    }
}

fn is_pointer(module: &Module, expression: &Expression) -> bool {
    match expression {
        Expression::Null
        | Expression::Global(_)
        | Expression::Slot { .. }
        | Expression::Function(_)
        | Expression::FieldAddress { .. }
        | Expression::IndexAddress { .. } => true,
        Expression::Variable { .. } | Expression::Value { .. } => {
            name::declared(module, expression).is_some_and(|(ty, _)| ty == Type::Pointer)
        }
        Expression::Load { ty, .. } | Expression::Cast { ty, .. } => *ty == Type::Pointer,
        Expression::Other { of } => is_pointer(module, of),
        Expression::Select { a, .. } => is_pointer(module, a),
        _ => false,
    }
}

/// The global, or its scalar, at an address.
fn pointed_to(automaton: &Automaton, value: u128) -> Option<Expression> {
    if value == 0 {
        return Some(Expression::Null);
    }
    let address = u64::try_from(value).ok()?;
    let memory = &automaton.memory;
    let object = memory.objects.iter().find(|object| {
        (object.address..=object.address.saturating_add(object.size)).contains(&address)
    })?;
    match object.origin {
        Origin::Global(global) if address == object.address => Some(Expression::Global(global)),
        Origin::Global(_) => {
            let mut cells =
                memory.cells[object.cells.start as usize..object.cells.end as usize].iter();
            let cell = cells.find(|cell| object.address + cell.offset == address)?;
            Some(cell.place.clone())
        }
        Origin::Slot(..) => None,
    }
}

fn variable(symbols: &Symbols, automaton: &Automaton, term: TermId) -> Option<Expression> {
    let (leaf, of) = symbols.leaf(term)?;
    let read = of_leaf(automaton, leaf)?;
    Some(match of {
        Instance::Passive => Expression::Other { of: Box::new(read) },
        _ => read,
    })
}

fn of_leaf(automaton: &Automaton, leaf: Leaf) -> Option<Expression> {
    match leaf {
        Leaf::Cell(cell) => {
            let cell = automaton.memory.cell(cell);
            Some(Expression::Load { ty: cell.ty.clone(), address: Box::new(cell.place.clone()) })
        }
        Leaf::Value(function, value) => Some(Expression::Value { function, value }),
        Leaf::Variable(function, variable) => Some(Expression::Variable { function, variable }),
        Leaf::Input(_) | Leaf::Live(_) => None,
    }
}
