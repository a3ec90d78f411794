//! Expressions.

use sapa_ir::goto::{Op, Operand, Type};

use super::predicate::NamesInFunction;
use crate::c::ast::{
    BinaryOperator, BlockItem, DesignatorKind, Expression, ExpressionKind, IncrementOperator, Name,
    Statement, StatementKind, UnaryOperator,
};
use crate::lower::body::{Body, Place, Value};
use crate::lower::program::{Entity, Lowered, Scope};
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::Position;

impl Body<'_, '_> {
    /// The object that an expression names.
    pub fn place(&mut self, expression: &Expression) -> Lowered<Place> {
        let position = expression.position;
        match &expression.kind {
            ExpressionKind::Identifier(name) => match self.unit.lookup(name).cloned() {
                Some(entity) => self.place_of(&entity, name, position),
                None if ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].contains(&&**name) => {
                    self.function_name(name, position)
                }
                None => self.error(position, format!("'{name}' is not declared")),
            },
            ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
                let value = self.value(operand)?;
                self.pointed_to(value, position)
            }
            ExpressionKind::Index { array, index } => {
                let (array, index) = self.both(array, index)?;
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
                self.member_of(&object, &member.name, member.position)
            }
            ExpressionKind::CompoundLiteral { type_name, initializer, .. } => {
                let ty = self.unit.type_name(type_name)?;
                let ty = self.unit.complete(ty, initializer)?;
                let slot = self.slot("literal#", &ty, position)?;
                let place = Place::new(Operand::Slot(slot), ty);
                self.declare_end(&place);
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
            ExpressionKind::Generic { .. } => match self.unit.selected(expression)? {
                Some(chosen) => self.place(chosen),
                None => self.error(position, "no association of '_Generic' fits"),
            },
            ExpressionKind::Comma(items) => {
                let Some((last, first)) = items.split_last() else {
                    return self.error(position, "an empty list");
                };
                for item in first {
                    self.discard(item)?;
                }
                self.place(last)
            }
            _ => self.error(position, "this expression does not name an object"),
        }
    }

    /// `__func__`: the name of the function, as a string. Each of its spellings is one object.
    fn function_name(&mut self, spelling: &Name, position: Position) -> Lowered<Place> {
        let name = self.unit.current_function.clone();
        let ty = self.unit.type_of_function_name();
        if let Some(global) = self.own_names.get(spelling) {
            return Ok(Place::new(Operand::Global(*global), ty));
        }
        match self.unit.add_string(name.bytes().map(u32::from), &ty, self.location) {
            Ok(global) => {
                self.own_names.insert(spelling.clone(), global);
                Ok(Place::new(Operand::Global(global), ty))
            }
            Err(what) => self.error(position, format!("{what} is not supported")),
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

    /// The value of an expression.
    pub fn value(&mut self, expression: &Expression) -> Lowered<Value> {
        let position = expression.position;
        self.at(position);
        let constant = self.unit.unless_it_overflows(|unit| unit.integer_constant(expression));
        if let Some((value, ty)) = constant {
            let bits = self.bits(&ty);
            return Ok(Value::Scalar(Operand::int(bits, value as u128), ty));
        }
        let constant = self.unit.unless_it_overflows(|unit| unit.float_value(expression));
        if let Some((value, ty)) = constant {
            return Ok(Value::Scalar(Operand::int(self.bits(&ty), value), ty));
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
                let Some((last, first)) = items.split_last() else { return Ok(Value::Void) };
                for item in first {
                    self.discard(item)?;
                }
                self.value(last)
            }
            ExpressionKind::Cast { type_name, operand } => {
                self.evaluate_counts(&type_name.declarator.derived)?;
                let ty = self.unit.type_name(type_name)?;
                if let Some(bits) = self.unit.long_double_as(operand, &ty) {
                    let constant = Operand::int(self.bits(&ty), bits);
                    return Ok(Value::Scalar(constant, ty.decayed()));
                }
                let value = self.value(operand)?;
                self.at(position);
                if self.unit.is_union(&ty) {
                    return self.as_union(value, ty, position);
                }
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
            ExpressionKind::Float(constant) => match self.unit.float_constant(constant) {
                Some((bits, ty)) => Ok(Value::Scalar(Operand::int(self.bits(&ty), bits), ty)),
                None => self.error(position, "this floating-point type is not supported"),
            },
            ExpressionKind::SizeofExpression(operand) => self.size_of_variable(operand, position),
            ExpressionKind::SizeofType(name) => {
                self.evaluate_counts(&name.declarator.derived)?;
                let ty = self.unit.type_name(name)?;
                if ty.is_variable() {
                    let size = self.size_now(&ty, position)?;
                    return Ok(Value::Scalar(size, self.unit.integers().size()));
                }
                match ty.in_memory() {
                    Err(what) => self.error(position, format!("the size of {what} is not known")),
                    Ok(_) => self.error(position, "this type has no constant size"),
                }
            }
            ExpressionKind::Generic { .. } => match self.unit.selected(expression)? {
                Some(chosen) => self.value(chosen),
                None => self.error(position, "no association of '_Generic' fits"),
            },
            ExpressionKind::Offsetof { type_name, designators } => {
                // With constant indices it is a constant.
                let ty = self.unit.type_name(type_name)?;
                for designator in designators {
                    if let DesignatorKind::Member(name) = &designator.kind {
                        self.unit.find_member(&ty, name, designator.position)?;
                        break;
                    }
                }
                self.error(position, "the indices in offsetof must be constant")
            }
            ExpressionKind::VaArg { list, type_name } => {
                let list = self.value(list)?;
                let ty = self.unit.type_name(type_name)?;
                self.next_argument(&list, &ty, position)
            }
            ExpressionKind::LabelAddress(_) => {
                self.error(position, "addresses of labels are not supported")
            }
            _ => self.error(position, "this expression is not supported"),
        }
    }

    /// GNU's cast to a union: one whose member of the value's type has that value.
    fn as_union(&mut self, value: Value, ty: CType, position: Position) -> Lowered<Value> {
        let of = match &value {
            Value::Scalar(_, of) => of.kind.clone(),
            Value::Record(place) if place.ty.kind == ty.kind => return Ok(value),
            Value::Record(place) => place.ty.kind.clone(),
            Value::Void => return self.error(position, "a value is needed here"),
        };
        let mut children = (0..).map_while(|index| Some((index, self.unit.child(&ty, index)?.0)));
        let Some((index, _)) = children.find(|(_, member)| member.kind == of) else {
            return self.error(position, "the union has no member of the type of this value");
        };
        let place = self.temporary(&ty, position)?;
        let memory = ty.in_memory().ok();
        if let Some(memory) = memory {
            self.make_any(&place, memory, position)?;
        }
        let member = self.element(&place, index, position)?;
        self.store(&member, value, position)?;
        Ok(Value::Record(place))
    }

    /// `sizeof` of an array of variable length.
    fn size_of_variable(&mut self, operand: &Expression, position: Position) -> Lowered<Value> {
        let size = self.unit.integers().size();
        if let ExpressionKind::Identifier(name) = &operand.kind
            && let Some(Entity::Variable(_, _, slot)) = self.unit.lookup(name).cloned()
        {
            return self.load(&Place::new(Operand::Slot(slot), size), position);
        }
        let ty = self.unit.type_of(operand)?;
        if ty.is_variable() {
            let bytes = self.size_now(&ty, position)?;
            return Ok(Value::Scalar(bytes, size));
        }
        match ty.in_memory() {
            Err(what) => self.error(position, format!("the size of {what} is not known")),
            Ok(_) => self.error(position, "this expression has no constant size"),
        }
    }

    fn statement_expression(&mut self, block: &crate::c::ast::Block) -> Lowered<Value> {
        self.unit.scopes.push(Scope::default());
        let cleanups = self.cleanups.len();
        let result = (|| {
            let mut last = Value::Void;
            for (index, item) in block.items.iter().enumerate() {
                match item {
                    BlockItem::Statement(statement) if index + 1 == block.items.len() => {
                        last = self.last_statement(statement)?;
                    }
                    item => self.block_item(item)?,
                }
            }
            if self.cleanups.len() > cleanups {
                last = match last {
                    Value::Record(place) => Value::Record(self.copied(&place, block.end)?),
                    // The address of the local that was, whatever is there when the block is entered again.
                    Value::Scalar(a @ Operand::Slot(_), ty) => {
                        Value::Scalar(self.define(Op::Copy { a }, Type::Pointer), ty)
                    }
                    last => last,
                };
                let is_open = self.statement_open && self.has_cleanups(cleanups);
                if is_open {
                    self.close_statement();
                }
                self.end_cleanups(cleanups, block.end)?;
                if is_open {
                    self.open_statement();
                }
            }
            Ok(last)
        })();
        self.cleanups.truncate(cleanups);
        self.unit.scopes.pop();
        result
    }

    /// The value of the last statement of a statement expression.
    fn last_statement(&mut self, statement: &Statement) -> Lowered<Value> {
        match &statement.kind {
            StatementKind::Expression(expression) => self.value(expression),
            StatementKind::Labeled { labels, statement } => {
                match self.place_labels(labels, statement)? {
                    true => self.last_statement(statement),
                    false => Ok(Value::Void),
                }
            }
            _ => self.statement(statement).map(|()| Value::Void),
        }
    }

    fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        if operator == UnaryOperator::AddressOf {
            let place = self.place(operand)?;
            if place.bits.is_some() {
                return self.error(position, "a bit-field has no address");
            }
            return Ok(Value::Scalar(place.address, place.ty.pointer()));
        }
        let value = self.value(operand)?;
        self.at(position);
        match operator {
            UnaryOperator::LogicalNot => self.negation(value, position),
            UnaryOperator::Plus => {
                let (operand, ty) = self.promoted(value, position)?;
                Ok(Value::Scalar(operand, ty))
            }
            UnaryOperator::Minus => self.minus(value, position),
            UnaryOperator::BitwiseNot => self.complement(value, position),
            _ => self.error(position, "complex numbers are not supported"),
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
            let value = self.value(left)?;
            let a = self.truth(value, left.position)?;
            let is_and = operator == BinaryOperator::LogicalAnd;
            let truth = self.short_circuit(is_and, a, right.position, |body| {
                let value = body.value(right)?;
                body.truth(value, right.position)
            })?;
            return Ok(self.truth_value(truth));
        }
        let (a, b) = self.both(left, right)?;
        self.at(position);
        self.arithmetic(operator, a, b, position)
    }

    /// The values of two operands in either order.
    fn both(&mut self, left: &Expression, right: &Expression) -> Lowered<(Value, Value)> {
        let start = self.moment();
        let a = self.value(left)?;
        let middle = self.moment();
        let b = self.value(right)?;
        self.unordered(start, middle);
        Ok((a, b))
    }

    fn assignment(
        &mut self,
        operator: Option<BinaryOperator>,
        target: &Expression,
        value: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        let Some(operator) = operator else {
            let (place, value) = self.assign(target, value, position, true)?;
            return Ok(self.stored(&place, value));
        };
        let start = self.moment();
        let right = self.value(value)?;
        let middle = self.moment();
        let place = self.place(target)?;
        self.at(position);
        self.unordered(start, middle);
        self.update(&place, position, |body, old| {
            // An atomic object is read when it is written, after all else.
            if !place.ty.atomic {
                body.unordered(start, middle);
            }
            let sum = body.arithmetic(operator, old, right, position)?;
            body.convert(sum, &place.ty, position)
        })
        .map(|(_, new)| self.stored(&place, new))
    }

    /// A simple assignment: the object and the value that it is assigned, which somebody uses.
    fn assign(
        &mut self,
        target: &Expression,
        value: &Expression,
        position: Position,
        is_used: bool,
    ) -> Lowered<(Place, Value)> {
        let start = self.moment();
        let value = self.value(value)?;
        let middle = self.moment();
        let place = self.place(target)?;
        self.unordered(start, middle);
        self.at(position);
        let value = match self.convert(value, &place.ty, position)? {
            // Read once: the value stays what it is, whoever writes the source later.
            Value::Record(source) if is_used => Value::Record(self.copied(&source, position)?),
            value => value,
        };
        self.store(&place, value.clone(), position)?;
        Ok((place, value))
    }

    /// Evaluates an expression whose value nobody uses.
    pub fn discard(&mut self, expression: &Expression) -> Lowered<()> {
        match &expression.kind {
            ExpressionKind::Assign { operator: None, target, value } => {
                self.assign(target, value, expression.position, false).map(|_| ())
            }
            ExpressionKind::Comma(items) => items.iter().try_for_each(|item| self.discard(item)),
            _ => self.value(expression).map(|_| ()),
        }
    }

    /// The value of an assignment: what the object holds after it.
    fn stored(&mut self, place: &Place, value: Value) -> Value {
        let (Some(field), Value::Scalar(operand, ty)) = (place.bits, &value) else {
            return value;
        };
        let cut = self.resize(*operand, self.bits(ty), false, field.width);
        let result = self.unit.integers().bit_field(&place.ty, field.width);
        let operand = self.resize(cut, field.width, ty.is_signed(), self.bits(&result));
        Value::Scalar(operand, result)
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
        Ok(match operator {
            I::PreIncrement | I::PreDecrement => self.stored(&place, new),
            I::PostIncrement | I::PostDecrement => old,
        })
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
                let arms = ((after_a, ta.address), (after_b, tb.address));
                let address = self.join(arms.0, arms.1, done, Type::Pointer);
                return Ok(Value::Record(Place::new(address, ty)));
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
        let first = (then.unwrap_or(condition), &ta);
        let ty = self.unit.conditional_type(first, (otherwise, &tb));
        let mut sides = Vec::new();
        for (block, value) in [(after_a, a), (after_b, b)] {
            self.block = block;
            let value = self.convert(value, &ty, position)?;
            let (operand, _) = self.scalar(value, position)?;
            sides.push((self.block.take(), operand));
        }
        let memory = if ty.pointee().is_some() { Type::Pointer } else { Type::Int(self.bits(&ty)) };
        match sides.as_slice() {
            [a, b] => Ok(Value::Scalar(self.join(*a, *b, done, memory), ty)),
            _ => self.error(position, "this expression is not supported"),
        }
    }

    /// The name of the function that an expression calls, if it is no pointer in an object.
    pub fn called_by_name<'e>(&self, function: &'e Expression) -> Option<&'e Name> {
        let mut callee = function;
        // For a function, `(*f)(x)` and `f(x)` mean the same.
        while let ExpressionKind::Unary {
            operator: UnaryOperator::Dereference | UnaryOperator::AddressOf,
            operand,
        } = &callee.kind
        {
            callee = operand;
        }
        match &callee.kind {
            ExpressionKind::Identifier(name)
                if !matches!(
                    self.unit.lookup(name),
                    Some(Entity::Slot(..) | Entity::Global(..) | Entity::Variable(..))
                ) =>
            {
                Some(name)
            }
            _ => None,
        }
    }

    /// The address and the type of the function that an expression calls.
    pub fn called(
        &mut self,
        function: &Expression,
        position: Position,
    ) -> Lowered<(Operand, FunctionType)> {
        let value = self.value(function)?;
        let (address, ty) = self.scalar(value, position)?;
        match ty.pointee().map(|t| t.kind.clone()) {
            Some(Kind::Function(ty)) => Ok((address, *ty)),
            _ => self.error(position, "what is called is no function"),
        }
    }

    fn call(
        &mut self,
        function: &Expression,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Value> {
        if let Some(name) = self.called_by_name(function) {
            return self.call_by_name(name, arguments, position);
        }
        let start = self.moment();
        let (address, ty) = self.called(function, position)?;
        let middle = self.moment();
        let arguments = self.values(arguments)?;
        self.unordered(start, middle);
        self.call_function(address, &ty, arguments, position)
    }

    /// The values of arguments, from left to right.
    pub fn values(&mut self, arguments: &[Expression]) -> Lowered<Vec<Value>> {
        let start = self.moment();
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let middle = self.moment();
            values.push(self.value(argument)?);
            self.unordered(start, middle);
        }
        Ok(values)
    }

    fn call_by_name(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Value> {
        let defined = self.unit.definition_of(name).is_some();
        match (name, arguments) {
            // An undeclared `assert` is reported with its text.
            ("assert", [condition]) if !defined => {
                let property = crate::c::print::print_expression(condition);
                let value = self.value(condition)?;
                self.at(position);
                let declared = match self.unit.lookup(name).cloned() {
                    Some(Entity::Function(ty)) => Some(ty),
                    _ => None,
                };
                let values = self.as_declared(name, declared.as_deref(), vec![value], position)?;
                let value = values.into_iter().next().unwrap_or(Value::Void);
                let condition = self.truth(value, condition.position)?;
                self.effect(Op::Assert { condition, property });
                return Ok(Value::Void);
            }
            ("__builtin_constant_p", [_]) => {
                // Not evaluated either: what of it GCC folds is not known.
                self.unit.note("whether `__builtin_constant_p` finds a constant is any");
                let value = self.any(&CType::from(Kind::Bool), position)?;
                let int = self.unit.integers().int();
                return self.convert(value, &int, position);
            }
            ("__builtin_object_size", [_, _]) => {
                // Not evaluated, and what the compiler finds out depends on how it optimises.
                self.unit.note("the size that `__builtin_object_size` gives is any");
                let size = self.unit.integers().size();
                return self.any(&size, position);
            }
            ("__CPROVER_predicate", [predicate]) if !defined => {
                return self.predicate(predicate);
            }
            // Hints where to look for predicates are not needed: predicates are found.
            ("__CPROVER_parameter_predicates" | "__CPROVER_return_predicates", _) if !defined => {
                return Ok(Value::Void);
            }
            _ => {}
        }
        let declared = match self.unit.lookup(name).cloned() {
            Some(Entity::Function(ty)) => Some((*ty).clone()),
            Some(Entity::Refused(why)) => return self.unit.refuse(position, &why),
            Some(Entity::Absent(CType { kind: Kind::Function(ty), .. })) => {
                self.unit.note(&format!(
                    "assuming that `{name}`, which is weak, is called only where it is defined"
                ));
                self.values(arguments)?;
                self.effect(Op::Assume { condition: Operand::bool(false) });
                return self.any(&ty.result, position);
            }
            Some(_) => return self.error(position, format!("'{name}' is no function")),
            None => None,
        };
        let values = self.values(arguments)?;
        self.at(position);
        self.call_named(name, declared.as_ref(), values, position)
    }

    fn predicate(&mut self, predicate: &Expression) -> Lowered<Value> {
        let mut names = NamesInFunction { unit: self.unit, function: self.id };
        match super::predicate::expression(&mut names, predicate) {
            Ok(expression) => {
                let text = crate::c::print::print_expression(predicate);
                let predicate = sapa_ir::goto::Predicate { expression, text };
                self.unit.module.predicates.push(predicate);
                Ok(Value::Void)
            }
            Err((position, message)) => self.error(position, message),
        }
    }

    /// A string literal as a constant object.
    fn string(&mut self, string: &crate::c::ast::StringLiteral) -> Lowered<Place> {
        let ty = self.unit.string_type(string);
        match self.unit.string_object(string, &ty, self.location) {
            Ok(global) => Ok(Place::new(Operand::Global(global), ty)),
            Err(what) => self.error(string.position, format!("{what} is not supported")),
        }
    }
}
