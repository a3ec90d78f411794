//! Types of expressions.

use std::rc::Rc;

use sapa_ir::goto::{FunctionId, Operand};

use crate::c::ast::{
    BinaryOperator, BlockItem, CharacterConstant, Declaration, Encoding, Expression,
    ExpressionKind, InitializerKind, IntegerConstant, IntegerLength, StatementKind, StorageClass,
    StringLiteral, TypeSpecifier, UnaryOperator,
};
use crate::lower::body::{Body, Value};
use crate::lower::program::{Entity, Lowered, Lowerer, Scope};
use crate::lower::types::{CType, FunctionType, Integers, Kind};
use crate::position::Position;

/// The type of an integer constant: the first that holds it (C11 6.4.4.1).
pub(crate) fn integer_type(integers: Integers, constant: &IntegerConstant) -> CType {
    let target = integers.0;
    let candidates = [(target.int_bits, 3), (target.long_bits, 4), (target.long_long_bits, 5)];
    let first = match constant.length {
        IntegerLength::Int => 0,
        IntegerLength::Long => 1,
        IntegerLength::LongLong => 2,
    };
    for &(bits, rank) in &candidates[first..] {
        if !constant.is_unsigned && constant.value >> (bits - 1) == 0 {
            return CType::int(bits, true, rank);
        }
        if (constant.is_unsigned || !constant.is_decimal) && constant.value >> bits == 0 {
            return CType::int(bits, false, rank);
        }
    }
    CType::int(128, constant.value >> 127 == 0, 6)
}

impl Lowerer<'_> {
    /// The type of `__func__` and the like (C11 6.4.2.2).
    pub(super) fn type_of_function_name(&self) -> CType {
        let mut char = self.integers().char();
        char.constant = true;
        Kind::Array(Box::new(char), Some(self.current_function.len() as u64 + 1)).into()
    }

    /// The type of an expression, which is not evaluated (`sizeof`, `typeof`).
    pub fn type_of(&mut self, expression: &Expression) -> Lowered<CType> {
        let integers = self.integers();
        let position = expression.position;
        Ok(match &expression.kind {
            ExpressionKind::Identifier(name) => match self.lookup(name) {
                Some(
                    Entity::Global(_, ty)
                    | Entity::Slot(_, ty)
                    | Entity::Variable(_, ty, _)
                    | Entity::Constant(_, ty)
                    | Entity::Absent(ty),
                ) => ty.clone(),
                Some(Entity::Function(ty)) => Kind::Function(Box::new((**ty).clone())).into(),
                None if ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].contains(&&**name) => {
                    self.type_of_function_name()
                }
                Some(Entity::Refused(why)) => {
                    let why = Rc::clone(why);
                    return self.refuse(position, &why);
                }
                _ => return self.error(position, format!("'{name}' is not declared")),
            },
            ExpressionKind::Integer(constant) => integer_type(integers, constant),
            ExpressionKind::Float(constant) => match self.float_constant(constant) {
                Some((_, ty)) => ty,
                None => Kind::Unsupported("this floating-point type").into(),
            },
            ExpressionKind::Character(constant) => self.character_type(constant),
            ExpressionKind::String(string) => self.string_type(string),
            ExpressionKind::Call { function, arguments } => {
                if let ExpressionKind::Identifier(name) = &function.kind
                    && self.lookup(name).is_none()
                {
                    return self.type_of_undeclared(name, arguments, position);
                }
                let ty = self.type_of(function)?.decayed();
                match ty.pointee().map(|t| &t.kind) {
                    Some(Kind::Function(function)) => function.result.clone(),
                    _ => return self.error(position, "what is called is no function"),
                }
            }
            ExpressionKind::Member { object, member, arrow } => {
                let mut ty = self.type_of(object)?;
                if *arrow {
                    ty = match ty.decayed().pointee() {
                        Some(inner) => inner.clone(),
                        None => return self.error(position, "'->' needs a pointer"),
                    };
                }
                let path = self.find_member(&ty, &member.name, member.position)?;
                match path.bits {
                    Some(bits) => integers.bit_field(&path.ty, bits.width),
                    None => path.ty,
                }
            }
            ExpressionKind::Index { array, index } => {
                let (a, b) = (self.type_of(array)?.decayed(), self.type_of(index)?.decayed());
                match a.pointee().or(b.pointee()) {
                    Some(element) => element.clone(),
                    None => return self.error(position, "'[]' needs a pointer or an array"),
                }
            }
            ExpressionKind::Increment { operand, .. } => self.type_of(operand)?.decayed(),
            ExpressionKind::Assign { target, .. } => self.type_of(target)?.decayed(),
            ExpressionKind::Unary { operator, operand } => match operator {
                UnaryOperator::AddressOf => self.type_of(operand)?.pointer(),
                UnaryOperator::Dereference => match self.type_of(operand)?.decayed().pointee() {
                    Some(inner) => inner.clone(),
                    None => return self.error(position, "'*' needs a pointer"),
                },
                UnaryOperator::LogicalNot => integers.int(),
                _ => {
                    let ty = self.type_of(operand)?;
                    integers.promote(&ty)
                }
            },
            ExpressionKind::Cast { type_name, .. } => self.type_name(type_name)?,
            ExpressionKind::CompoundLiteral { type_name, initializer, .. } => {
                let ty = self.type_name(type_name)?;
                self.complete(ty, initializer)?
            }
            ExpressionKind::SizeofExpression(_)
            | ExpressionKind::SizeofType(_)
            | ExpressionKind::AlignofExpression(_)
            | ExpressionKind::AlignofType(_)
            | ExpressionKind::Offsetof { .. } => integers.size(),
            ExpressionKind::Binary { operator, left, right } => {
                use BinaryOperator as B;
                match operator {
                    B::Less
                    | B::Greater
                    | B::LessEqual
                    | B::GreaterEqual
                    | B::Equal
                    | B::NotEqual
                    | B::LogicalAnd
                    | B::LogicalOr => integers.int(),
                    B::ShiftLeft | B::ShiftRight => {
                        let ty = self.type_of(left)?;
                        integers.promote(&ty)
                    }
                    _ => {
                        let (a, b) =
                            (self.type_of(left)?.decayed(), self.type_of(right)?.decayed());
                        match (a.pointee().is_some(), b.pointee().is_some()) {
                            (true, true) => integers.long(),
                            (true, false) => a,
                            (false, true) => b,
                            (false, false) => integers.common(&a, &b),
                        }
                    }
                }
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let then = then.as_ref().unwrap_or(condition);
                let (a, b) = (self.type_of(then)?.decayed(), self.type_of(otherwise)?.decayed());
                self.conditional_type((then, &a), (otherwise, &b))
            }
            ExpressionKind::Comma(items) => match items.last() {
                Some(last) => self.type_of(last)?.decayed(),
                None => Kind::Void.into(),
            },
            ExpressionKind::TypesCompatible(..) => integers.int(),
            ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                match self.constant(condition) {
                    Some((0, _)) => self.type_of(otherwise)?,
                    _ => self.type_of(then)?,
                }
            }
            ExpressionKind::StatementExpression(block) => {
                self.scopes.push(Scope::default());
                let result = self.type_of_block(block);
                self.scopes.pop();
                result?
            }
            ExpressionKind::Generic { .. } => match self.selected(expression)? {
                Some(chosen) => self.type_of(chosen)?,
                None => return self.error(position, "no association of '_Generic' fits"),
            },
            ExpressionKind::VaArg { type_name, .. } => self.type_name(type_name)?,
            ExpressionKind::Other(inner) => self.type_of(inner)?,
            ExpressionKind::LabelAddress(_) => CType::from(Kind::Void).pointer(),
        })
    }

    /// The type of a statement expression: that of its last expression, which
    /// may name what the block declares.
    fn type_of_block(&mut self, block: &crate::c::ast::Block) -> Lowered<CType> {
        let mut last = Kind::Void.into();
        for item in &block.items {
            last = Kind::Void.into();
            match item {
                BlockItem::Declaration(declaration) => self.declare_types(declaration)?,
                BlockItem::Statement(statement) => {
                    let mut statement = statement;
                    while let StatementKind::Labeled { statement: labeled, .. } = &statement.kind {
                        statement = labeled;
                    }
                    if let StatementKind::Expression(expression) = &statement.kind {
                        last = self.type_of(expression)?.decayed();
                    }
                }
                BlockItem::StaticAssert(_) | BlockItem::LocalLabels(_) => {}
            }
        }
        Ok(last)
    }

    /// Declares the names of a local declaration for their types only.
    fn declare_types(&mut self, declaration: &Declaration) -> Lowered<()> {
        let specifiers = &declaration.specifiers;
        for declarator in &declaration.declarators {
            let ty = match (&specifiers.base, &declarator.initializer) {
                (TypeSpecifier::AutoType, Some(initializer)) => match &initializer.kind {
                    InitializerKind::Expression(expression) => self.type_of(expression)?.decayed(),
                    InitializerKind::List(_) => continue,
                },
                _ => {
                    let base = self.specified(specifiers)?;
                    self.declared(base, &declarator.declarator)?
                }
            };
            let Some(name) = declarator.declarator.name.clone() else { continue };
            let entity = if specifiers.storage == Some(StorageClass::Typedef) {
                Entity::Typedef(ty)
            } else {
                // The slot is not used: nothing of this is evaluated.
                Entity::Slot(sapa_ir::goto::SlotId::new(0), ty)
            };
            self.declare(name, entity);
        }
        Ok(())
    }

    /// The expression that `_Generic` selects, if one fits.
    pub fn selected<'e>(&mut self, expression: &'e Expression) -> Lowered<Option<&'e Expression>> {
        let ExpressionKind::Generic { controlling, associations } = &expression.kind else {
            return Ok(None);
        };
        // Converted as a value: what is qualified at the top fits nothing.
        let ty = self.type_of(controlling)?.decayed();
        let mut default = None;
        for (association, chosen) in associations {
            match association {
                None => default = Some(chosen),
                Some(name) => {
                    let candidate = self.type_name(name)?;
                    if candidate.is_compatible(&ty) {
                        return Ok(Some(chosen));
                    }
                }
            }
        }
        Ok(default)
    }

    /// The type of a call of a function that is not declared: that of the value
    /// which the call of a builtin function is lowered to, by a call with
    /// arbitrary arguments in a function that is thrown away.
    fn type_of_undeclared(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<CType> {
        if let Some(ty) = self.defined_type(name) {
            return Ok(ty.result);
        }
        if matches!(
            name,
            "assert"
                | "__CPROVER_predicate"
                | "__CPROVER_parameter_predicates"
                | "__CPROVER_return_predicates"
        ) {
            return Ok(Kind::Void.into());
        }
        let mut types = Vec::new();
        for argument in arguments {
            types.push((self.type_of(argument)?.decayed(), self.constant(argument)));
        }
        if self.module.functions.is_empty() {
            return self.error(position, "the type of this call is not known here");
        }
        let nothing =
            FunctionType { result: Kind::Void.into(), parameters: Vec::new(), open: false };
        let (mut body, _) = Body::new(self, FunctionId::new(0), name, &nothing, position);
        let mut values = Vec::new();
        for (ty, constant) in types {
            values.push(match constant {
                Some((value, ty)) => Value::Scalar(Operand::int(body.bits(&ty), value as u128), ty),
                None => body.any(&ty, position)?,
            });
        }
        Ok(match body.builtin(name, &values, position)? {
            Some(Value::Scalar(_, ty)) => ty,
            Some(Value::Record(place)) => place.ty,
            Some(Value::Void) => Kind::Void.into(),
            None => self.integers().int(),
        })
    }

    /// The type of `c ? a : b` (C11 6.5.15), from the arms and their types.
    pub fn conditional_type(
        &mut self,
        (a, ta): (&Expression, &CType),
        (b, tb): (&Expression, &CType),
    ) -> CType {
        if ta.is_arithmetic() && tb.is_arithmetic() {
            return self.integers().common(ta, tb);
        }
        match (ta.pointee(), tb.pointee()) {
            _ if ta.kind == Kind::Void || tb.kind == Kind::Void => Kind::Void.into(),
            (Some(pa), Some(pb)) => {
                let mut pointee = match (self.is_null(a), self.is_null(b)) {
                    (true, false) => return tb.clone(),
                    (false, true) => return ta.clone(),
                    _ if pb.kind == Kind::Void => pb.clone(),
                    _ => pa.clone(),
                };
                pointee.volatile |= pa.volatile || pb.volatile;
                pointee.constant |= pa.constant || pb.constant;
                pointee.pointer()
            }
            (None, Some(_)) => tb.clone(),
            _ => ta.clone(),
        }
    }

    /// Whether an expression is a null pointer constant (C11 6.3.2.3).
    fn is_null(&mut self, expression: &Expression) -> bool {
        let operand = match &expression.kind {
            ExpressionKind::Cast { type_name, operand } => {
                let void = CType::from(Kind::Void).pointer();
                if self.type_name(type_name).is_ok_and(|ty| ty.kind == void.kind) {
                    operand
                } else {
                    expression
                }
            }
            _ => expression,
        };
        let constant = self.unless_it_overflows(|unit| unit.integer_constant(operand));
        matches!(constant, Some((0, _)))
    }

    /// The type of a character constant (C11 6.4.4.4).
    pub fn character_type(&self, constant: &CharacterConstant) -> CType {
        match constant.encoding {
            Encoding::Plain => self.integers().int(),
            encoding => self.unit_type(encoding),
        }
    }

    /// The type of a string literal (C11 6.4.5).
    pub fn string_type(&self, string: &StringLiteral) -> CType {
        let unit = self.unit_type(string.encoding);
        Kind::Array(Box::new(unit), Some(string.units.len() as u64 + 1)).into()
    }

    /// The type of one unit of text.
    fn unit_type(&self, encoding: Encoding) -> CType {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => self.integers().char(),
            Encoding::Wide => self.integers().int(),
            Encoding::Char16 => CType::int(16, false, 2),
            Encoding::Char32 => CType::int(32, false, 3),
        }
    }
}
