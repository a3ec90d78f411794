//! What predicates are worth.
//!
//! A predicate is any function of the state: of what is shared and what one thread has. Memory outside all
//! objects that are known is 0 to it.

use sapa_ir::goto::{CastOp, Expression, FunctionId, Module, ValueId, VariableId};

use super::bits::{self, Bits};
use super::code::{Code, Object};
use super::world::{Byte, Changed, Who, World};
use super::{Made, Problem};
use crate::sat::{FALSE, Literal};

/// How deep expressions may nest; the verifier of modules has its own bound, too.
const DEEPEST: usize = 300;

/// A state that predicates are evaluated in: of memory, and of a thread.
pub(super) trait Registers {
    /// What a value is.
    fn value(&mut self, world: &mut World<'_>, value: ValueId) -> Made<Bits>;
    /// What a source variable is.
    fn variable(&mut self, world: &mut World<'_>, variable: VariableId) -> Made<Bits>;
}

/// Who evaluates, and after which changes.
pub(super) struct View<'v, 'm> {
    pub(super) code: &'v Code<'m>,
    pub(super) who: Who,
    pub(super) changed: &'v Changed,
}

/// The literal that a predicate holds.
pub(super) fn holds(
    world: &mut World<'_>,
    view: &View<'_, '_>,
    registers: &mut dyn Registers,
    expression: &Expression,
) -> Made<Literal> {
    let bits = value(world, view, registers, expression, 0)?;
    Ok(world.is_one(&bits))
}

fn unsupported<T>(what: &str) -> Made<T> {
    Err(Problem::Unsupported { what: what.to_owned(), at: None })
}

fn own(view: &View<'_, '_>, function: FunctionId) -> Made<()> {
    match function == view.code.id {
        true => Ok(()),
        false => unsupported("a predicate over locals of several functions"),
    }
}

/// The object that an address is known to be in.
fn object(view: &View<'_, '_>, expression: &Expression) -> Option<Object> {
    match expression {
        Expression::Global(id) => Some(view.code.global(*id)),
        Expression::Slot { slot, .. } => Some(Object::Slot(*slot)),
        Expression::FieldAddress { base, .. } | Expression::IndexAddress { base, .. } => {
            object(view, base)
        }
        _ => None,
    }
}

fn value(
    world: &mut World<'_>,
    view: &View<'_, '_>,
    registers: &mut dyn Registers,
    expression: &Expression,
    depth: usize,
) -> Made<Bits> {
    if depth > DEEPEST {
        return unsupported("a predicate that nests deeply");
    }
    let module: &Module = world.module;
    let pointer = world.pointer_bits();
    let mut part =
        |world: &mut World<'_>, e: &Expression| value(world, view, &mut *registers, e, depth + 1);
    Ok(match expression {
        Expression::Int { bits, value } => bits::constant(usize::from(*bits), *value),
        Expression::Null => bits::constant(pointer, 0),
        Expression::Variable { function, variable } => {
            own(view, *function)?;
            registers.variable(world, *variable)?
        }
        Expression::Value { function, value } => {
            own(view, *function)?;
            registers.value(world, *value)?
        }
        Expression::Global(id) => world.global_address(*id),
        Expression::Function(id) => world.constant(sapa_ir::goto::Operand::Function(*id)),
        Expression::Slot { function, .. } => {
            own(view, *function)?;
            bits::constant(pointer, 0)
        }
        Expression::Load { ty, address } => {
            let at = part(world, address)?;
            let object = object(view, address);
            let size = ty.size(module);
            let zero: Vec<Byte> = vec![[FALSE; 8]; usize::try_from(size).unwrap_or(0)];
            let targets = view.code.pointers.expression(view.code, address);
            let access = world.access((object, targets), at, size);
            let (bytes, _) =
                world.read((view.code, view.who), view.changed, &access, Some(zero))?;
            let bits = world.width(ty)?;
            world.integer(&bytes, bits)
        }
        Expression::FieldAddress { base, structure, field } => {
            let base = part(world, base)?;
            let fields = module.structs.get(structure.index()).map(|s| &s.fields);
            let offset =
                fields.and_then(|fields| fields.get(field.index())).map_or(0, |f| f.offset);
            bits::add(&mut world.sat, &base, &bits::constant(pointer, u128::from(offset)))
        }
        Expression::IndexAddress { base, element, index } => {
            let base = part(world, base)?;
            let index = part(world, index)?;
            let size = bits::constant(pointer, u128::from(element.size(module)));
            let distance = bits::mul(&mut world.sat, &index, &size);
            bits::add(&mut world.sat, &base, &distance)
        }
        Expression::Unary { op, a } => {
            let a = part(world, a)?;
            bits::unary(&mut world.sat, *op, &a)
        }
        Expression::Binary { op, a, b } => {
            let (a, b) = (part(world, a)?, part(world, b)?);
            bits::binary(&mut world.sat, *op, &a, &b)
        }
        Expression::Compare { op, a, b } => {
            let (a, b) = (part(world, a)?, part(world, b)?);
            vec![bits::compare(&mut world.sat, *op, &a, &b)]
        }
        Expression::Cast { op, ty, a } => {
            let a = part(world, a)?;
            let bits = world.width(ty)?;
            cast(*op, &a, bits)
        }
        Expression::Select { condition, a, b } => {
            let condition = part(world, condition)?;
            let (a, b) = (part(world, a)?, part(world, b)?);
            let condition = world.is_one(&condition);
            bits::ite(&mut world.sat, condition, &a, &b)
        }
        Expression::Other { .. } => return unsupported("a predicate between threads"),
    })
}

/// A value converted to a width.
pub(super) fn cast(op: CastOp, a: &[Literal], bits: usize) -> Bits {
    match op {
        CastOp::SignExtend => bits::sign_extended(a, bits),
        CastOp::ZeroExtend | CastOp::Truncate | CastOp::PointerToInt | CastOp::IntToPointer => {
            bits::resized(a, bits)
        }
    }
}
