//! Random expressions of predicates.

use super::{Generator, WIDTHS};
use crate::goto::entity::{
    FieldIndex, FunctionId, GlobalId, SlotId, StructId, ValueId, VariableId,
};
use crate::goto::instruction::{CastOp, CompareOp, Operand, UnaryOp};
use crate::goto::mnemonic::{BINARY, COMPARE};
use crate::goto::predicate::Expression;
use crate::goto::types::{BOOL, Type};

impl Generator {
    /// An expression of a type over the locals of a function.
    pub(super) fn expression(&mut self, function: FunctionId, ty: &Type, depth: u32) -> Expression {
        if depth == 0 || self.random.chance(20) {
            return self.leaf(function, ty);
        }
        match ty {
            Type::Int(1) if self.random.chance(60) => self.condition(function, depth - 1),
            Type::Int(bits) => self.integer(function, *bits, depth - 1),
            _ => self.pointer(function, depth - 1),
        }
    }

    fn sub(&mut self, function: FunctionId, ty: &Type, depth: u32) -> Box<Expression> {
        Box::new(self.expression(function, ty, depth))
    }

    fn index(&mut self, count: usize) -> usize {
        self.random.below(u32::try_from(count).unwrap_or(u32::MAX)) as usize
    }

    fn leaf(&mut self, function: FunctionId, ty: &Type) -> Expression {
        let data = self.module.function(function).clone();
        let of_type = |index: &usize, found: &Type| (found == ty).then_some(*index);
        let variables: Vec<usize> = (0..data.variables.len())
            .filter_map(|index| of_type(&index, &data.variables[index].ty))
            .collect();
        let values: Vec<usize> = (0..data.values.len())
            .filter_map(|index| of_type(&index, &data.values[index].ty))
            .collect();
        if !variables.is_empty() && self.random.chance(40) {
            let variable = VariableId::new(self.pick(&variables));
            return Expression::Variable { function, variable };
        }
        if !values.is_empty() && self.random.chance(40) {
            return Expression::Value { function, value: ValueId::new(self.pick(&values)) };
        }
        if let Type::Int(bits) = ty {
            return match self.constant(*bits) {
                Operand::Int { bits, value } => Expression::Int { bits, value },
                _ => Expression::Null,
            };
        }
        if !data.slots.is_empty() && self.random.chance(40) {
            return Expression::Slot { function, slot: SlotId::new(self.index(data.slots.len())) };
        }
        let global = self.index(self.module.globals.len());
        let other = self.index(self.module.functions.len());
        self.pick(&[
            Expression::Null,
            Expression::Global(GlobalId::new(global)),
            Expression::Function(FunctionId::new(other)),
        ])
    }

    fn condition(&mut self, function: FunctionId, depth: u32) -> Expression {
        if self.random.chance(20) {
            let (a, b) = (
                self.sub(function, &Type::Pointer, depth),
                self.sub(function, &Type::Pointer, depth),
            );
            let ops = [CompareOp::Eq, CompareOp::Ne, CompareOp::UnsignedLt, CompareOp::UnsignedLe];
            return Expression::Compare { op: self.pick(&ops), a, b };
        }
        let ty = Type::Int(self.pick(&WIDTHS));
        let (a, b) = (self.sub(function, &ty, depth), self.sub(function, &ty, depth));
        Expression::Compare { op: self.pick(COMPARE).0, a, b }
    }

    fn integer(&mut self, function: FunctionId, bits: u16, depth: u32) -> Expression {
        let ty = Type::Int(bits);
        let cast = |op, a| Expression::Cast { op, ty: Type::Int(bits), a };
        match self.random.below(8) {
            0 => {
                let op = self.pick(&[UnaryOp::Neg, UnaryOp::Not]);
                Expression::Unary { op, a: self.sub(function, &ty, depth) }
            }
            1 => {
                let condition = self.sub(function, &BOOL, depth);
                let (a, b) = (self.sub(function, &ty, depth), self.sub(function, &ty, depth));
                Expression::Select { condition, a, b }
            }
            2 | 3 => {
                let address = self.sub(function, &Type::Pointer, depth);
                Expression::Load { ty, address }
            }
            4 if bits == self.module.target.pointer_bits => {
                cast(CastOp::PointerToInt, self.sub(function, &Type::Pointer, depth))
            }
            4 | 5 => {
                let from = self.pick(&WIDTHS);
                let a = self.sub(function, &Type::Int(from), depth);
                match from.cmp(&bits) {
                    std::cmp::Ordering::Less => {
                        cast(self.pick(&[CastOp::ZeroExtend, CastOp::SignExtend]), a)
                    }
                    std::cmp::Ordering::Equal => *a,
                    std::cmp::Ordering::Greater => cast(CastOp::Truncate, a),
                }
            }
            _ => {
                let (a, b) = (self.sub(function, &ty, depth), self.sub(function, &ty, depth));
                Expression::Binary { op: self.pick(BINARY).0, a, b }
            }
        }
    }

    fn pointer(&mut self, function: FunctionId, depth: u32) -> Expression {
        let address = Type::Int(self.module.target.pointer_bits);
        let structures: Vec<(StructId, usize)> = (self.module.structs.iter().enumerate())
            .filter(|(_, structure)| !structure.fields.is_empty())
            .map(|(index, structure)| (StructId::new(index), structure.fields.len()))
            .collect();
        match self.random.below(6) {
            0 | 1 if !structures.is_empty() => {
                let (structure, fields) = self.pick(&structures);
                let base = self.sub(function, &Type::Pointer, depth);
                let field = FieldIndex::new(self.index(fields));
                Expression::FieldAddress { base, structure, field }
            }
            0..=2 => {
                let base = self.sub(function, &Type::Pointer, depth);
                let index = self.sub(function, &address, depth);
                let global = self.index(self.module.globals.len());
                let element = match &self.module.globals[global].ty {
                    Type::Array(element, _) => (**element).clone(),
                    ty if self.random.chance(50) => ty.clone(),
                    _ => Type::Int(8),
                };
                Expression::IndexAddress { base, element, index }
            }
            3 => {
                let address = self.sub(function, &Type::Pointer, depth);
                Expression::Load { ty: Type::Pointer, address }
            }
            4 => {
                let condition = self.sub(function, &BOOL, depth);
                let a = self.sub(function, &Type::Pointer, depth);
                let b = self.sub(function, &Type::Pointer, depth);
                Expression::Select { condition, a, b }
            }
            _ => Expression::Cast {
                op: CastOp::IntToPointer,
                ty: Type::Pointer,
                a: self.sub(function, &address, depth),
            },
        }
    }
}
