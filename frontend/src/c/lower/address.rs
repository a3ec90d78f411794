//! Address constants (C11 6.6p9).

use rustc_hash::FxHashMap;
use sapa_ir::goto::{GlobalId, Initializer as Constant, Location};

use crate::c::ast::{
    BinaryOperator, Expression, ExpressionKind, Initializer, LiteralId, StringLiteral,
    UnaryOperator,
};
use crate::lower::program::{Entity, Lowerer};
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Objects of literals, by unit and literal.
#[derive(Debug, Default)]
struct Literals(FxHashMap<(usize, LiteralId), GlobalId>);

impl Lowerer<'_> {
    /// The address constant that an expression is.
    pub(super) fn address(&mut self, expression: &Expression) -> Option<Constant> {
        match &expression.kind {
            ExpressionKind::Cast { type_name, operand } => {
                let ty = self.type_name(type_name).ok()?;
                match self.address(operand)? {
                    // Whether its sign is extended depends on what it was.
                    Constant::Int(_) if self.size_of(&ty)? > self.pointer_size() => None,
                    Constant::Int(value) => Some(self.number_of_address(value, &ty)),
                    // Part of an address is no constant.
                    address => (self.size_of(&ty)? == self.pointer_size()).then_some(address),
                }
            }
            ExpressionKind::Conditional { condition, then: Some(then), otherwise } => {
                let chosen = match self.address(condition)? {
                    Constant::Int(0) => otherwise,
                    _ => then,
                };
                self.address(chosen)
            }
            ExpressionKind::Unary { operator: UnaryOperator::AddressOf, operand } => {
                self.object(operand)
            }
            ExpressionKind::String(string) => {
                let ty = self.string_type(string);
                let location = self.location(expression.position, sapa_ir::goto::NameId(0));
                let id = self.string_object(string, &ty, location).ok()?;
                Some(Constant::Global(id, 0))
            }
            ExpressionKind::CompoundLiteral { .. } => self.object(expression),
            ExpressionKind::Member { .. } | ExpressionKind::Index { .. }
                if self.type_of(expression).is_ok_and(|t| matches!(t.kind, Kind::Array(..))) =>
            {
                self.object(expression)
            }
            ExpressionKind::Identifier(name) => match self.lookup(name).cloned()? {
                Entity::Global(global, ty) if matches!(ty.kind, Kind::Array(..)) => {
                    Some(Constant::Global(global, 0))
                }
                Entity::Function(ty) => {
                    Some(Constant::Function(self.function(name, &ty, expression.position)))
                }
                Entity::Constant(value, ty) => Some(self.number_of_address(value as u128, &ty)),
                _ => None,
            },
            ExpressionKind::Binary {
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                left,
                right,
            } => {
                if let Some((value, ty)) = self.constant(expression) {
                    return Some(self.number_of_address(value as u128, &ty));
                }
                let (ta, tb) = (self.type_of(left).ok()?.decayed(), self.type_of(right).ok()?);
                let (mut base, mut by, mut ty) = (&**left, &**right, ta);
                if *operator == BinaryOperator::Add && tb.decayed().pointee().is_some() {
                    (base, by, ty) = (right, left, tb.decayed());
                }
                let size = match ty.pointee() {
                    Some(element) => i64::try_from(self.size_of(element)?).ok()?,
                    // Of an address that was made a number.
                    None => 1,
                };
                if tb.decayed().pointee().is_some() && *operator == BinaryOperator::Subtract {
                    return self.difference(left, right, size);
                }
                let address = self.address(base)?;
                let (mut index, _) = self.constant(by)?;
                if *operator == BinaryOperator::Subtract {
                    index = index.checked_neg()?;
                }
                let sum = displaced(address, i64::try_from(index).ok()?.checked_mul(size)?)?;
                let ty = self.type_of(expression).ok()?;
                Some(match sum {
                    // It wraps as its type does.
                    Constant::Int(value) if ty.is_integer() => self.number_of_address(value, &ty),
                    sum => sum,
                })
            }
            // A number that is made an address.
            _ => {
                let (value, ty) = self.constant(expression)?;
                Some(self.number_of_address(value as u128, &ty))
            }
        }
    }

    /// The difference of two addresses in one object.
    fn difference(&mut self, a: &Expression, b: &Expression, size: i64) -> Option<Constant> {
        let bytes = match (self.address(a)?, self.address(b)?) {
            (Constant::Global(a, x), Constant::Global(b, y)) if a == b => x.checked_sub(y)?,
            (Constant::Int(x), Constant::Int(y)) => (x as i64).wrapping_sub(y as i64),
            _ => return None,
        };
        let difference = bytes.checked_div(size)?;
        Some(Constant::Int(u128::from(difference.cast_unsigned())))
    }

    /// A number in an address, as wide as one, converted to a type.
    fn number_of_address(&self, value: u128, ty: &CType) -> Constant {
        let value = super::constant::wrap(i128::from(value as i64), ty);
        Constant::Int(u128::from(value as u64))
    }

    fn pointer_size(&self) -> u64 {
        u64::from(self.module.target.pointer_bits / 8)
    }

    /// The object of a compound literal outside functions: one, however often its address is
    /// asked for, as for each element of a range. One in a function is the block's.
    fn static_literal(
        &mut self,
        (literal, position): (LiteralId, Position),
        ty: &CType,
        initializer: &Initializer,
    ) -> Option<GlobalId> {
        if self.scopes.len() > 1 {
            return None;
        }
        let key = (self.unit, literal);
        if let Some(id) = self.kept::<Literals>().0.get(&key) {
            return Some(*id);
        }
        let value = self.global_initializer(ty, initializer).ok()?;
        let location = self.location(position, sapa_ir::goto::NameId(0));
        let id = self.add_global("literal#", ty, Constant::Zero, location).ok()?;
        self.set_initializer(id, value, position).ok()?;
        self.kept::<Literals>().0.insert(key, id);
        Some(id)
    }

    /// The object of a string literal, one however often it is evaluated.
    pub(super) fn string_object(
        &mut self,
        string: &StringLiteral,
        ty: &CType,
        location: Location,
    ) -> Result<GlobalId, &'static str> {
        let key = (self.unit, string.id);
        if let Some(id) = self.kept::<Literals>().0.get(&key) {
            return Ok(*id);
        }
        let id = self.add_string(string.units.iter().copied(), ty, location)?;
        self.kept::<Literals>().0.insert(key, id);
        Ok(id)
    }

    fn object(&mut self, expression: &Expression) -> Option<Constant> {
        match &expression.kind {
            ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
                self.address(operand)
            }
            ExpressionKind::CompoundLiteral { id, type_name, initializer } => {
                let ty = self.type_name(type_name).ok()?;
                let ty = self.complete(ty, initializer).ok()?;
                let id = self.static_literal((*id, expression.position), &ty, initializer)?;
                Some(Constant::Global(id, 0))
            }
            ExpressionKind::Identifier(name) => match self.lookup(name).cloned()? {
                Entity::Global(global, _) => Some(Constant::Global(global, 0)),
                Entity::Function(ty) => {
                    Some(Constant::Function(self.function(name, &ty, expression.position)))
                }
                _ => None,
            },
            ExpressionKind::Index { array, index } => {
                let base = self.address(array).or_else(|| self.object(array))?;
                let (index, _) = self.constant(index)?;
                let ty = self.type_of(expression).ok()?;
                let size = i64::try_from(self.size_of(&ty)?).ok()?;
                displaced(base, i64::try_from(index).ok()?.checked_mul(size)?)
            }
            ExpressionKind::Member { object, member, arrow } => {
                let base = if *arrow { self.address(object)? } else { self.object(object)? };
                let mut offset = 0i64;
                let mut ty = self.type_of(object).ok()?;
                if *arrow {
                    ty = ty.decayed().pointee()?.clone();
                }
                let path = self.member(&ty, &member.name)?;
                if path.bits.is_some() {
                    return None;
                }
                for (structure, field) in path.steps {
                    let field =
                        self.module.structs.get(structure.index())?.fields.get(field.index())?;
                    offset = offset.checked_add(i64::try_from(field.offset).ok()?)?;
                }
                displaced(base, offset)
            }
            _ => None,
        }
    }
}

/// An address some bytes further.
fn displaced(address: Constant, bytes: i64) -> Option<Constant> {
    match address {
        Constant::Global(global, offset) => {
            Some(Constant::Global(global, offset.checked_add(bytes)?))
        }
        Constant::Int(value) => {
            Some(Constant::Int(u128::from((value as u64).wrapping_add_signed(bytes))))
        }
        _ => None,
    }
}
