//! Expressions.

use sapa_ir::goto::{BinaryOp, CompareOp, FieldIndex, Op, Operand, TerminatorKind, Type};

use super::body::{Body, Place, Value};
use super::types::{CType, Kind};
use super::unit::{Entity, Lowered, Lowerer};
use crate::c::ast::{
    BinaryOperator, BlockItem, Expression, ExpressionKind, IncrementOperator, Initializer,
    StatementKind, UnaryOperator,
};
use crate::c::position::Position;

impl Lowerer<'_> {
    /// The path of fields to a member (through anonymous members) and its type.
    pub fn find_member(
        &mut self,
        ty: &CType,
        name: &str,
        position: Position,
    ) -> Lowered<(Vec<(sapa_ir::goto::StructId, FieldIndex)>, CType)> {
        let Kind::Record(id) = ty.kind else {
            return self.error(position, format!("'{name}' is asked of what is no structure"));
        };
        let Some(fields) = self.records.get(id.index()).cloned().flatten() else {
            return self.error(position, "the structure is incomplete here");
        };
        for (index, (field, field_type)) in fields.iter().enumerate() {
            let step = (id, FieldIndex::new(index));
            if field == name {
                let mut member = field_type.clone();
                member.volatile |= ty.volatile;
                return Ok((vec![step], member));
            }
            if field.is_empty() && matches!(field_type.kind, Kind::Record(_)) {
                let known = self.diagnostics.len();
                if let Ok((mut path, member)) = self.find_member(field_type, name, position) {
                    path.insert(0, step);
                    return Ok((path, member));
                }
                self.diagnostics.truncate(known);
            }
        }
        self.error(position, format!("the structure has no member '{name}'"))
    }
}

impl Body<'_, '_> {
    /// The object that an expression names.
    pub fn place(&mut self, expression: &Expression) -> Lowered<Place> {
        let position = expression.position;
        match &expression.kind {
            ExpressionKind::Identifier(name) => match self.unit.lookup(name).cloned() {
                Some(Entity::Global(global, ty)) => {
                    Ok(Place { address: Operand::Global(global), ty })
                }
                Some(Entity::Slot(slot, ty)) => Ok(Place { address: Operand::Slot(slot), ty }),
                Some(Entity::Function(ty)) => {
                    let id = self.unit.function(name, &ty, position);
                    Ok(Place {
                        address: Operand::Function(id),
                        ty: Kind::Function(Box::new((*ty).clone())).into(),
                    })
                }
                _ => self.error(position, format!("'{name}' is not declared")),
            },
            ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
                let value = self.value(operand)?;
                self.pointed_to(value, position)
            }
            ExpressionKind::Index { array, index } => {
                let (array, index) = (self.value(array)?, self.value(index)?);
                let sum = self.pointer_sum(array, index, false, position)?;
                self.pointed_to(sum, position)
            }
            ExpressionKind::Member { object, member, arrow } => {
                let object = if *arrow {
                    let pointer = self.value(object)?;
                    self.pointed_to(pointer, position)?
                } else {
                    match self.value_or_place(object)? {
                        Ok(place) => place,
                        Err(Value::Record(place)) => place,
                        Err(_) => return self.error(position, "'.' needs a structure"),
                    }
                };
                let (path, ty) =
                    self.unit.find_member(&object.ty, &member.name, member.position)?;
                let mut address = object.address;
                for (structure, field) in path {
                    address = self.define(
                        Op::FieldAddress { base: address, structure, field },
                        Type::Pointer,
                    );
                }
                Ok(Place { address, ty })
            }
            ExpressionKind::CompoundLiteral { type_name, initializer } => {
                let ty = self.unit.type_name(type_name)?;
                let ty = self.unit.complete(ty, initializer)?;
                let slot = self.slot("literal", &ty, position)?;
                let place = Place { address: Operand::Slot(slot), ty };
                self.initialize(&place, initializer)?;
                Ok(place)
            }
            ExpressionKind::String(string) => self.string(string),
            ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                match self.unit.constant(condition) {
                    Some((0, _)) => self.place(otherwise),
                    Some(_) => self.place(then),
                    None => self.error(position, "the condition is no constant"),
                }
            }
            ExpressionKind::Comma(items) => {
                let Some((last, first)) = items.split_last() else {
                    return self.error(position, "an empty list");
                };
                for item in first {
                    self.value(item)?;
                }
                self.place(last)
            }
            _ => self.error(position, "this expression does not name an object"),
        }
    }

    /// The place of an expression that names an object, the value of another.
    fn value_or_place(&mut self, expression: &Expression) -> Lowered<Result<Place, Value>> {
        match &expression.kind {
            ExpressionKind::Identifier(name)
                if matches!(self.unit.lookup(name), Some(Entity::Constant(..)) | None) =>
            {
                Ok(Err(self.value(expression)?))
            }
            ExpressionKind::Identifier(_)
            | ExpressionKind::Unary { operator: UnaryOperator::Dereference, .. }
            | ExpressionKind::Index { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::CompoundLiteral { .. }
            | ExpressionKind::String(_) => Ok(Ok(self.place(expression)?)),
            _ => Ok(Err(self.value(expression)?)),
        }
    }

    fn pointed_to(&mut self, value: Value, position: Position) -> Lowered<Place> {
        match value {
            Value::Scalar(address, ty) => match ty.pointee() {
                Some(inner) => Ok(Place { address, ty: inner.clone() }),
                None => self.error(position, "a pointer is needed here"),
            },
            _ => self.error(position, "a pointer is needed here"),
        }
    }

    /// The scalar of a value.
    pub fn scalar(&mut self, value: Value, position: Position) -> Lowered<(Operand, CType)> {
        match value {
            Value::Scalar(operand, ty) => Ok((operand, ty)),
            _ => self.error(position, "a scalar is needed here"),
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &Expression) -> Lowered<Value> {
        let position = expression.position;
        self.at(position);
        if let Some((value, ty)) = self.unit.constant(expression) {
            let bits = self.bits(&ty);
            return Ok(Value::Scalar(Operand::int(bits, value as u128), ty));
        }
        match &expression.kind {
            ExpressionKind::Identifier(_)
            | ExpressionKind::Index { .. }
            | ExpressionKind::CompoundLiteral { .. }
            | ExpressionKind::String(_)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary { operator: UnaryOperator::Dereference, .. } => {
                let place = self.place(expression)?;
                self.at(position);
                self.load(&place, position)
            }
            ExpressionKind::Unary { operator, operand } => self.unary(*operator, operand, position),
            ExpressionKind::Binary { operator, left, right } => {
                self.binary_operator(*operator, left, right, position)
            }
            ExpressionKind::Assign { operator, target, value } => {
                self.assignment(*operator, target, value, position)
            }
            ExpressionKind::Increment { operator, operand } => {
                self.increment(*operator, operand, position)
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then.as_deref(), otherwise, position)
            }
            ExpressionKind::Comma(items) => {
                let mut last = Value::Void;
                for item in items {
                    last = self.value(item)?;
                }
                Ok(last)
            }
            ExpressionKind::Cast { type_name, operand } => {
                let ty = self.unit.type_name(type_name)?;
                let value = self.value(operand)?;
                self.at(position);
                self.convert(value, &ty, position)
            }
            ExpressionKind::Call { function, arguments } => {
                self.call(function, arguments, position)
            }
            ExpressionKind::StatementExpression(block) => self.statement_expression(block),
            ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                match self.unit.constant(condition) {
                    Some((0, _)) => self.value(otherwise),
                    Some(_) => self.value(then),
                    None => self.error(position, "the condition is no constant"),
                }
            }
            ExpressionKind::Float(_) => {
                self.error(position, "floating-point constants are not supported")
            }
            ExpressionKind::Offsetof { .. } => self.error(position, "offsetof is not supported"),
            _ => self.error(position, "this expression is not supported"),
        }
    }

    fn statement_expression(&mut self, block: &crate::c::ast::Block) -> Lowered<Value> {
        self.unit.scopes.push(super::unit::Scope::default());
        let result = (|| {
            let mut last = Value::Void;
            for (index, item) in block.items.iter().enumerate() {
                match item {
                    BlockItem::Statement(statement) if index + 1 == block.items.len() => {
                        match &statement.kind {
                            StatementKind::Expression(expression) => {
                                last = self.value(expression)?
                            }
                            _ => self.statement(statement)?,
                        }
                    }
                    item => self.block_item(item)?,
                }
            }
            Ok(last)
        })();
        self.unit.scopes.pop();
        result
    }

    fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        if operator == UnaryOperator::AddressOf {
            let place = self.place(operand)?;
            return Ok(Value::Scalar(place.address, place.ty.pointer()));
        }
        let value = self.value(operand)?;
        self.at(position);
        if operator == UnaryOperator::LogicalNot {
            let truth = self.truth(value, position)?;
            let negated = self.not(truth);
            return Ok(self.truth_value(negated));
        }
        let (operand, ty) = self.scalar(value, position)?;
        if !ty.is_integer() {
            return self.error(position, "an integer is needed here");
        }
        let promoted = self.unit.integers().promote(&ty);
        let operand = self.resize(operand, self.bits(&ty), ty.is_signed(), self.bits(&promoted));
        let bits = self.bits(&promoted);
        let result = match operator {
            UnaryOperator::Plus => operand,
            // 0 - x overflows exactly where -x does.
            UnaryOperator::Minus => {
                self.binary(BinaryOp::Sub, Operand::int(bits, 0), operand, promoted.is_signed())
            }
            UnaryOperator::BitwiseNot => self
                .define(Op::Unary { op: sapa_ir::goto::UnaryOp::Not, a: operand }, Type::Int(bits)),
            _ => return self.error(position, "complex numbers are not supported"),
        };
        Ok(Value::Scalar(result, promoted))
    }

    /// Negates an `i1`.
    pub fn not(&mut self, truth: Operand) -> Operand {
        match truth {
            Operand::Int { value, .. } => Operand::bool(value == 0),
            truth => {
                self.define(Op::Unary { op: sapa_ir::goto::UnaryOp::Not, a: truth }, Type::Int(1))
            }
        }
    }

    fn binary_operator(
        &mut self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        if operator == BinaryOperator::LogicalAnd || operator == BinaryOperator::LogicalOr {
            let truth = self.short_circuit(operator == BinaryOperator::LogicalAnd, left, right)?;
            return Ok(self.truth_value(truth));
        }
        let (a, b) = (self.value(left)?, self.value(right)?);
        self.at(position);
        self.arithmetic(operator, a, b, position)
    }

    /// `&&` and `||`: a block parameter holds the result.
    fn short_circuit(
        &mut self,
        is_and: bool,
        left: &Expression,
        right: &Expression,
    ) -> Lowered<Operand> {
        let value = self.value(left)?;
        let a = self.truth(value, left.position)?;
        let (more, done) = (self.new_block(), self.new_block());
        let result = self.function.add_value(Type::Int(1), None);
        self.function.blocks[done.index()].parameters.push(result);
        let short = sapa_ir::goto::Target { block: done, arguments: vec![Operand::bool(!is_and)] };
        let long = sapa_ir::goto::Target::new(more);
        let (then, otherwise) = if is_and { (long, short) } else { (short, long) };
        self.terminate(TerminatorKind::Branch { condition: a, then, otherwise });
        self.switch_to(more);
        let b = self.arm(right.position, |body| {
            let value = body.value(right)?;
            body.truth(value, right.position)
        })?;
        self.terminate(TerminatorKind::Jump(sapa_ir::goto::Target {
            block: done,
            arguments: vec![b],
        }));
        self.switch_to(done);
        Ok(Operand::Value(result))
    }

    /// A binary operation on two values (not `&&`, `||`).
    pub fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        a: Value,
        b: Value,
        position: Position,
    ) -> Lowered<Value> {
        use BinaryOperator as B;
        let (x, tx) = self.scalar(a.clone(), position)?;
        let (y, ty) = self.scalar(b.clone(), position)?;
        let pointers = (tx.pointee().is_some(), ty.pointee().is_some());
        match operator {
            B::Add if pointers.0 || pointers.1 => return self.pointer_sum(a, b, false, position),
            B::Subtract if pointers == (true, true) => {
                return self.pointer_difference(x, y, &tx, position);
            }
            B::Subtract if pointers.0 => return self.pointer_sum(a, b, true, position),
            _ => {}
        }
        if matches!(operator, B::ShiftLeft | B::ShiftRight) {
            return self.shift(operator, (x, tx), (y, ty), position);
        }
        let common = if pointers.0 {
            tx.clone()
        } else if pointers.1 {
            ty.clone()
        } else {
            self.unit.integers().common(&tx, &ty)
        };
        let x = self.convert(Value::Scalar(x, tx), &common, position)?;
        let y = self.convert(Value::Scalar(y, ty), &common, position)?;
        let ((x, _), (y, _)) = (self.scalar(x, position)?, self.scalar(y, position)?);
        let signed = common.is_signed();
        let comparison = |op, swap| Some((op, swap));
        let compare = match operator {
            B::Equal => comparison(CompareOp::Eq, false),
            B::NotEqual => comparison(CompareOp::Ne, false),
            B::Less => {
                comparison(if signed { CompareOp::SignedLt } else { CompareOp::UnsignedLt }, false)
            }
            B::Greater => {
                comparison(if signed { CompareOp::SignedLt } else { CompareOp::UnsignedLt }, true)
            }
            B::LessEqual => {
                comparison(if signed { CompareOp::SignedLe } else { CompareOp::UnsignedLe }, false)
            }
            B::GreaterEqual => {
                comparison(if signed { CompareOp::SignedLe } else { CompareOp::UnsignedLe }, true)
            }
            _ => None,
        };
        if let Some((op, swap)) = compare {
            let truth = if swap { self.compare(op, y, x) } else { self.compare(op, x, y) };
            return Ok(self.truth_value(truth));
        }
        if !common.is_integer() {
            return self.error(position, "this operation needs integers");
        }
        let (op, wraps) = match operator {
            B::Multiply => (BinaryOp::Mul, signed),
            B::Add => (BinaryOp::Add, signed),
            B::Subtract => (BinaryOp::Sub, signed),
            B::Divide => (if signed { BinaryOp::SignedDiv } else { BinaryOp::UnsignedDiv }, false),
            B::Remainder => {
                (if signed { BinaryOp::SignedRem } else { BinaryOp::UnsignedRem }, false)
            }
            B::BitwiseAnd => (BinaryOp::And, false),
            B::BitwiseOr => (BinaryOp::Or, false),
            B::BitwiseXor => (BinaryOp::Xor, false),
            _ => return self.error(position, "this operation is not supported"),
        };
        Ok(Value::Scalar(self.binary(op, x, y, wraps), common))
    }

    fn shift(
        &mut self,
        operator: BinaryOperator,
        (x, tx): (Operand, CType),
        (y, ty): (Operand, CType),
        position: Position,
    ) -> Lowered<Value> {
        if !tx.is_integer() || !ty.is_integer() {
            return self.error(position, "a shift needs integers");
        }
        let result = self.unit.integers().promote(&tx);
        let bits = self.bits(&result);
        let x = self.resize(x, self.bits(&tx), tx.is_signed(), bits);
        let y = self.resize(y, self.bits(&ty), ty.is_signed(), bits);
        let op = match operator {
            BinaryOperator::ShiftLeft => BinaryOp::ShiftLeft,
            _ if result.is_signed() => BinaryOp::ArithmeticShiftRight,
            _ => BinaryOp::LogicalShiftRight,
        };
        Ok(Value::Scalar(self.binary(op, x, y, false), result))
    }

    /// Pointer plus (or minus) integer, in either order.
    fn pointer_sum(
        &mut self,
        a: Value,
        b: Value,
        negate: bool,
        position: Position,
    ) -> Lowered<Value> {
        let (x, tx) = self.scalar(a, position)?;
        let (y, ty) = self.scalar(b, position)?;
        let ((base, pointer), (index, integer)) =
            if tx.pointee().is_some() { ((x, tx), (y, ty)) } else { ((y, ty), (x, tx)) };
        let element = match pointer.pointee() {
            Some(element) if integer.is_integer() => element,
            _ => return self.error(position, "this operation needs a pointer and an integer"),
        };
        let element = match &element.kind {
            Kind::Void | Kind::Function(_) => Type::Int(8),
            _ => match element.in_memory() {
                Ok(element) => element,
                Err(what) => {
                    return self.error(position, format!("arithmetic on a pointer to {what}"));
                }
            },
        };
        let bits = self.pointer_bits();
        let mut index = self.resize(index, self.bits(&integer), integer.is_signed(), bits);
        if negate {
            index = match index {
                Operand::Int { value, .. } => Operand::int(bits, value.wrapping_neg()),
                index => self.binary(BinaryOp::Sub, Operand::int(bits, 0), index, false),
            };
        }
        let address = self.define(Op::IndexAddress { base, element, index }, Type::Pointer);
        Ok(Value::Scalar(address, pointer))
    }

    fn pointer_difference(
        &mut self,
        x: Operand,
        y: Operand,
        ty: &CType,
        position: Position,
    ) -> Lowered<Value> {
        let size = ty.pointee().and_then(|element| self.unit.size_of(element)).unwrap_or(0);
        if size == 0 {
            return self.error(position, "the difference of pointers to an incomplete type");
        }
        let bits = self.pointer_bits();
        let x = self.cast(sapa_ir::goto::CastOp::PointerToInt, x, Type::Int(bits));
        let y = self.cast(sapa_ir::goto::CastOp::PointerToInt, y, Type::Int(bits));
        let difference = self.binary(BinaryOp::Sub, x, y, false);
        let count = self.binary(
            BinaryOp::SignedDiv,
            difference,
            Operand::int(bits, u128::from(size)),
            false,
        );
        Ok(Value::Scalar(count, self.unit.integers().long()))
    }

    fn assignment(
        &mut self,
        operator: Option<BinaryOperator>,
        target: &Expression,
        value: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        let Some(operator) = operator else {
            let value = self.value(value)?;
            let place = self.place(target)?;
            self.at(position);
            let value = self.convert(value, &place.ty, position)?;
            self.store(&place, value.clone(), position)?;
            return Ok(value);
        };
        let right = self.value(value)?;
        let place = self.place(target)?;
        self.at(position);
        self.update(&place, position, |body, old| {
            let sum = body.arithmetic(operator, old, right, position)?;
            body.convert(sum, &place.ty, position)
        })
        .map(|(_, new)| new)
    }

    /// Reads, changes and writes an object, in one step if it is `_Atomic`; the old and the new value.
    fn update(
        &mut self,
        place: &Place,
        position: Position,
        change: impl FnOnce(&mut Self, Value) -> Lowered<Value>,
    ) -> Lowered<(Value, Value)> {
        if place.ty.atomic {
            self.effect(Op::AtomicBegin);
        }
        let old = self.load(place, position)?;
        let new = change(self, old.clone())?;
        self.store(place, new.clone(), position)?;
        if place.ty.atomic {
            self.effect(Op::AtomicEnd);
        }
        Ok((old, new))
    }

    fn increment(
        &mut self,
        operator: IncrementOperator,
        operand: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        use IncrementOperator as I;
        let place = self.place(operand)?;
        self.at(position);
        let by = match operator {
            I::PreIncrement | I::PostIncrement => BinaryOperator::Add,
            I::PreDecrement | I::PostDecrement => BinaryOperator::Subtract,
        };
        let int = self.unit.integers().int();
        let one = Value::Scalar(Operand::int(self.bits(&int), 1), int);
        let (old, new) = self.update(&place, position, |body, old| {
            let sum = body.arithmetic(by, old, one, position)?;
            body.convert(sum, &place.ty, position)
        })?;
        Ok(if matches!(operator, I::PreIncrement | I::PreDecrement) { new } else { old })
    }

    /// Lowers one arm of a choice; the arms must leave atomic sections as they found them.
    fn arm<T>(
        &mut self,
        position: Position,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let before = (self.statement_open, self.depth);
        let result = f(self);
        let after = (self.statement_open, self.depth);
        (self.statement_open, self.depth) = before;
        if self.block.is_some() && before != after && result.is_ok() {
            return self
                .error(position, "an atomic section is opened or closed on some paths only");
        }
        result
    }

    fn conditional(
        &mut self,
        condition: &Expression,
        then: Option<&Expression>,
        otherwise: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        let tested = self.value(condition)?;
        let truth = self.truth(tested.clone(), condition.position)?;
        let (yes, no, done) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(truth, yes, no);

        self.switch_to(yes);
        let a = match then {
            Some(then) => self.arm(then.position, |body| body.value(then))?,
            None => tested,
        };
        let after_a = self.block.take();
        self.switch_to(no);
        let b = self.arm(otherwise.position, |body| body.value(otherwise))?;
        let after_b = self.block.take();

        let (ta, tb) = match (&a, &b) {
            (Value::Scalar(_, ta), Value::Scalar(_, tb)) => (ta.clone(), tb.clone()),
            (Value::Record(ta), Value::Record(tb)) if ta.ty.kind == tb.ty.kind => {
                let ty = ta.ty.clone();
                return self
                    .join((after_a, ta.address), (after_b, tb.address), done, Type::Pointer)
                    .map(|address| Value::Record(Place { address, ty }));
            }
            _ => {
                // One side is void (or ends the run): no value.
                for block in [after_a, after_b].into_iter().flatten() {
                    self.switch_to(block);
                    self.jump(done);
                }
                self.switch_to(done);
                return Ok(Value::Void);
            }
        };
        let ty = if ta.is_integer() && tb.is_integer() {
            self.unit.integers().common(&ta, &tb)
        } else if tb.pointee().is_some()
            && (ta.is_integer() || ta.pointee().is_some_and(|t| t.kind == Kind::Void))
        {
            tb
        } else {
            ta
        };
        let mut sides = Vec::new();
        for (block, value) in [(after_a, a), (after_b, b)] {
            self.block = block;
            let value = self.convert(value, &ty, position)?;
            let (operand, _) = self.scalar(value, position)?;
            sides.push((self.block.take(), operand));
        }
        let memory = if ty.pointee().is_some() { Type::Pointer } else { Type::Int(self.bits(&ty)) };
        match sides.as_slice() {
            [a, b] => self.join(*a, *b, done, memory).map(|operand| Value::Scalar(operand, ty)),
            _ => self.error(position, "this expression is not supported"),
        }
    }

    /// Joins two blocks; the result is the operand of the one that was left.
    fn join(
        &mut self,
        a: (Option<sapa_ir::goto::BlockId>, Operand),
        b: (Option<sapa_ir::goto::BlockId>, Operand),
        done: sapa_ir::goto::BlockId,
        ty: Type,
    ) -> Lowered<Operand> {
        let result = self.function.add_value(ty, None);
        self.function.blocks[done.index()].parameters.push(result);
        for (block, operand) in [a, b] {
            self.block = block;
            self.terminate(TerminatorKind::Jump(sapa_ir::goto::Target {
                block: done,
                arguments: vec![operand],
            }));
        }
        self.switch_to(done);
        Ok(Operand::Value(result))
    }

    fn call(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Value> {
        let mut callee = function;
        // `(*f)(x)` and `f(x)` mean the same.
        while let ExpressionKind::Unary {
            operator: UnaryOperator::Dereference | UnaryOperator::AddressOf,
            operand,
        } = &callee.kind
        {
            callee = operand;
        }
        if let ExpressionKind::Identifier(name) = &callee.kind
            && !matches!(self.unit.lookup(name), Some(Entity::Slot(..) | Entity::Global(..)))
        {
            return self.call_named(name, arguments, position);
        }
        let value = self.value(callee)?;
        let (address, ty) = self.scalar(value, position)?;
        let Some(Kind::Function(ty)) = ty.pointee().map(|t| t.kind.clone()) else {
            return self.error(position, "what is called is no function");
        };
        self.call_function(address, &ty, arguments, position)
    }

    /// Evaluates arguments, converted to the parameters' types.
    pub fn arguments(
        &mut self,
        ty: &super::types::FunctionType,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Vec<Operand>> {
        if arguments.len() < ty.parameters.len()
            || (arguments.len() > ty.parameters.len() && !ty.open)
        {
            return self.error(
                position,
                format!(
                    "{} arguments are needed here, found {}",
                    ty.parameters.len(),
                    arguments.len()
                ),
            );
        }
        let mut operands = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let value = self.value(argument)?;
            // Further arguments of a function with `...` are evaluated only.
            if let Some(parameter) = ty.parameters.get(index) {
                let value = self.convert(value, parameter, argument.position)?;
                operands.push(self.scalar(value, argument.position)?.0);
            }
        }
        self.at(position);
        Ok(operands)
    }

    pub fn call_function(
        &mut self,
        callee: Operand,
        ty: &super::types::FunctionType,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Value> {
        let arguments = self.arguments(ty, arguments, position)?;
        let result = ty.result.clone();
        self.interrupted(|body| {
            let call = Op::Call { callee, arguments };
            if result.kind == Kind::Void {
                body.effect(call);
                return Ok(Value::Void);
            }
            match result.in_memory() {
                Ok(memory) if memory.is_scalar() => {
                    Ok(Value::Scalar(body.define(call, memory), result.decayed()))
                }
                _ => body.error(position, "functions that return structures are not supported"),
            }
        })
    }

    /// A string literal as a constant object.
    fn string(&mut self, string: &crate::c::ast::StringLiteral) -> Lowered<Place> {
        let bits = match string.encoding {
            crate::c::ast::Encoding::Plain | crate::c::ast::Encoding::Utf8 => 8,
            crate::c::ast::Encoding::Char16 => 16,
            _ => 32,
        };
        let element = CType::int(bits, bits != 16, if bits == 8 { 1 } else { 3 });
        let ty: CType = Kind::Array(Box::new(element), Some(string.units.len() as u64 + 1)).into();
        let items = string
            .units
            .iter()
            .map(|&unit| sapa_ir::goto::Initializer::Int(u128::from(unit)))
            .collect();
        self.unit.strings += 1;
        let name = format!("string#{}", self.unit.strings);
        let location = self.location;
        let global = self.unit.add_global(
            &name,
            &ty,
            sapa_ir::goto::Initializer::Aggregate(items),
            location,
        );
        match global {
            Ok(global) => {
                self.unit.module.globals[global.index()].constant = true;
                Ok(Place { address: Operand::Global(global), ty })
            }
            Err(what) => self.error(string.position, format!("{what} is not supported")),
        }
    }

    /// Initialises an object that was just made.
    pub fn initialize(&mut self, place: &Place, initializer: &Initializer) -> Lowered<()> {
        super::initializer::local(self, place, initializer)
    }
}
