//! Predicate expressions: law 10.

use super::operation::{cast, constant};
use super::{MAX_NESTING, Verifier};
use crate::goto::entity::{Entity, FunctionId};
use crate::goto::mnemonic::{CAST, word};
use crate::goto::predicate::{Expression, Invariant, Predicate};
use crate::goto::print::print_type;
use crate::goto::types::{BOOL, Type};

/// What is wrong with an expression.
type Typed = Result<Type, String>;

/// Whose locals an expression reads: a function's for each of two threads.
#[derive(Default)]
pub(super) struct Scope {
    own: Option<FunctionId>,
    other: Option<FunctionId>,
    /// Whether the other thread's are read now.
    is_other: bool,
}

impl Verifier<'_> {
    pub(super) fn predicate(&mut self, predicate: &Predicate, entity: Entity) {
        self.condition(&predicate.expression, None, entity);
    }

    /// Law 12.
    pub(super) fn invariant(&mut self, invariant: &Invariant, entity: Entity) {
        let function = self.known_function(invariant.function);
        let block = function.and_then(|function| function.blocks.get(invariant.block.index()));
        let place = block.filter(|block| invariant.index as usize <= block.instructions.len());
        if place.is_none() {
            self.error(entity, "the invariant stands at no place of the code");
            return;
        }
        if invariant.expression.has_other() {
            self.error(entity, "an invariant is of one thread, and reads nothing of another");
            return;
        }
        self.condition(&invariant.expression, Some(invariant.function), entity);
    }

    /// An `i1` over shared memory, and the locals of at most one function of its own thread, that of `scope`
    /// if any, and of another one's.
    fn condition(&mut self, e: &Expression, scope: Option<FunctionId>, entity: Entity) {
        let mut scope = Scope { own: scope, ..Scope::default() };
        let message = match self.expression(e, 0, &mut scope, entity) {
            Ok(ty) if ty == BOOL => return,
            Ok(ty) => format!("the predicate has type {}, expected i1", self.named(&ty)),
            Err(message) => message,
        };
        self.error(entity, message);
    }

    pub(super) fn expression(
        &mut self,
        expression: &Expression,
        depth: usize,
        scope: &mut Scope,
        entity: Entity,
    ) -> Typed {
        if depth > MAX_NESTING {
            return Err(format!("the predicate nests more than {MAX_NESTING} levels deep"));
        }
        let module = self.module;
        let address = Type::Int(module.target.pointer_bits);
        let mut sub = |e: &Expression| self.expression(e, depth + 1, scope, entity);
        let same = |a: Type, b: Type| {
            if a == b {
                return Ok(a);
            }
            let (a, b) = (print_type(module, &a), print_type(module, &b));
            Err(format!("the predicate has operands of types {a} and {b}, expected one type"))
        };
        let integer = |ty: Type| match ty {
            Type::Int(_) => Ok(ty),
            _ => {
                let found = print_type(module, &ty);
                Err(format!("the predicate has an operand of type {found}, expected an integer"))
            }
        };
        let pointer = |ty: Type| same(ty, Type::Pointer);
        match expression {
            Expression::Int { bits, value } => constant(*bits, *value)
                .then_some(Type::Int(*bits))
                .ok_or_else(|| format!("{value}i{bits} is no constant: it does not fit its width")),
            Expression::Null => Ok(Type::Pointer),
            Expression::Global(id) => (id.index() < module.globals.len())
                .then_some(Type::Pointer)
                .ok_or_else(|| format!("there is no global {id}")),
            Expression::Function(id) => (id.index() < module.functions.len())
                .then_some(Type::Pointer)
                .ok_or_else(|| format!("there is no function {id}")),
            Expression::Variable { function, variable } => {
                let variables = self.local(*function, scope)?.variables.get(variable.index());
                variables
                    .map(|v| v.ty.clone())
                    .ok_or_else(|| format!("there is no variable {variable}"))
            }
            Expression::Value { function, value } => {
                let values = self.local(*function, scope)?.values.get(value.index());
                values.map(|v| v.ty.clone()).ok_or_else(|| format!("there is no value {value}"))
            }
            Expression::Slot { function, slot } => {
                let slots = self.local(*function, scope)?.slots.get(slot.index());
                slots.map(|_| Type::Pointer).ok_or_else(|| format!("there is no slot {slot}"))
            }
            Expression::Load { ty, address } => {
                pointer(sub(address)?)?;
                if ty.is_scalar() && self.object_type(ty, entity) {
                    Ok(ty.clone())
                } else {
                    let found = print_type(module, ty);
                    Err(format!("the predicate loads type {found}, expected a scalar one"))
                }
            }
            Expression::FieldAddress { base, structure, field } => {
                pointer(sub(base)?)?;
                let fields = module.structs.get(structure.index()).map_or(0, |s| s.fields.len());
                (field.index() < fields)
                    .then_some(Type::Pointer)
                    .ok_or_else(|| format!("there is no field {field} of {structure}"))
            }
            Expression::IndexAddress { base, element, index } => {
                pointer(sub(base)?)?;
                same(sub(index)?, address)?;
                if self.object_type(element, entity) {
                    Ok(Type::Pointer)
                } else {
                    Err(format!("{element} is no type that elements may have"))
                }
            }
            Expression::Unary { a, .. } => integer(sub(a)?),
            Expression::Binary { a, b, .. } => same(integer(sub(a)?)?, sub(b)?),
            Expression::Compare { a, b, .. } => same(sub(a)?, sub(b)?).map(|_| BOOL),
            Expression::Cast { op, ty, a } => {
                let from = sub(a)?;
                if cast(*op, &from, ty, &address) && self.object_type(ty, entity) {
                    Ok(ty.clone())
                } else {
                    Err(self.no_cast(word(CAST, op), &from, ty))
                }
            }
            Expression::Select { condition, a, b } => {
                same(sub(condition)?, BOOL)?;
                same(sub(a)?, sub(b)?)
            }
            Expression::Other { of } => self.other(of, depth, scope, entity),
        }
    }

    /// What another thread sees.
    fn other(&mut self, of: &Expression, depth: usize, scope: &mut Scope, entity: Entity) -> Typed {
        if scope.is_other {
            return Err("brackets stand within brackets; one other thread is meant".to_owned());
        }
        scope.is_other = true;
        let ty = self.expression(of, depth + 1, scope, entity);
        scope.is_other = false;
        let mut is_local = false;
        of.for_each(&mut |e| {
            is_local |= match e {
                Expression::Variable { .. } | Expression::Value { .. } => true,
                Expression::Slot { .. } => true,
                Expression::Global(id) => {
                    self.module.globals.get(id.index()).is_some_and(|global| global.thread_local)
                }
                _ => false,
            }
        });
        let ty = ty?;
        if is_local {
            return Ok(ty);
        }
        Err("brackets are around what all threads share; write it without".to_owned())
    }

    /// The function whose locals an expression reads: the same throughout.
    fn local(&self, id: FunctionId, scope: &mut Scope) -> Result<&crate::goto::Function, String> {
        let of = if scope.is_other { &mut scope.other } else { &mut scope.own };
        if *of.get_or_insert(id) != id {
            return Err(
                "the predicate reads locals of two functions; it may read those of one, and \
                        those of another thread in brackets"
                    .to_owned(),
            );
        }
        self.known_function(id).ok_or_else(|| format!("there is no function {id}"))
    }
}
