//! Address constants (C11 6.6p9).

use sapa_ir::goto::Initializer as Constant;

use crate::c::ast::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use crate::lower::program::{Entity, Lowerer};
use crate::lower::types::Kind;

impl Lowerer<'_> {
    /// The address constant that an expression is.
    pub(super) fn address(&mut self, expression: &Expression) -> Option<Constant> {
        match &expression.kind {
            ExpressionKind::Cast { operand, .. } => self.address(operand),
            ExpressionKind::Unary { operator: UnaryOperator::AddressOf, operand } => {
                self.object(operand)
            }
            ExpressionKind::String(string) => {
                let element = self.integers().char();
                let ty = Kind::Array(Box::new(element), Some(string.units.len() as u64 + 1)).into();
                let location = self.location(expression.position, sapa_ir::goto::NameId(0));
                let id = self.add_string(string.units.iter().copied(), &ty, location).ok()?;
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
                _ => None,
            },
            ExpressionKind::Binary {
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                left,
                right,
            } => {
                let Constant::Global(global, offset) = self.address(left)? else { return None };
                let (mut index, _) = self.constant(right)?;
                if *operator == BinaryOperator::Subtract {
                    index = index.checked_neg()?;
                }
                let ty = self.type_of(left).ok()?.decayed();
                let size = i64::try_from(self.size_of(ty.pointee()?)?).ok()?;
                let distance = i64::try_from(index).ok()?.checked_mul(size)?;
                Some(Constant::Global(global, offset.checked_add(distance)?))
            }
            _ => None,
        }
    }

    fn object(&mut self, expression: &Expression) -> Option<Constant> {
        match &expression.kind {
            ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
                self.address(operand)
            }
            ExpressionKind::CompoundLiteral { type_name, initializer } => {
                let ty = self.type_name(type_name).ok()?;
                let ty = self.complete(ty, initializer).ok()?;
                let value = self.global_initializer(&ty, initializer).ok()?;
                let location = self.location(expression.position, sapa_ir::goto::NameId(0));
                let id = self.add_global("literal#", &ty, Constant::Zero, location).ok()?;
                self.set_initializer(id, value, expression.position).ok()?;
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
                let Constant::Global(global, offset) =
                    self.address(array).or_else(|| self.object(array))?
                else {
                    return None;
                };
                let (index, _) = self.constant(index)?;
                let ty = self.type_of(expression).ok()?;
                let size = i64::try_from(self.size_of(&ty)?).ok()?;
                let distance = i64::try_from(index).ok()?.checked_mul(size)?;
                Some(Constant::Global(global, offset.checked_add(distance)?))
            }
            ExpressionKind::Member { object, member, arrow } => {
                let base = if *arrow { self.address(object)? } else { self.object(object)? };
                let Constant::Global(global, mut offset) = base else {
                    return None;
                };
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
                Some(Constant::Global(global, offset))
            }
            _ => None,
        }
    }
}
