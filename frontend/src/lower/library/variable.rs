//! Variable arguments (C11 7.16): `va_start`, `va_arg`, `va_copy`.
//!
//! A function with `...` has one parameter more in the IR: the address of an object of its caller's, in which the
//! further arguments lie one behind the other, each from a multiple of eight bytes on, promoted as C says. It is null where
//! there are none. A `va_list` holds the address of the next one; like that of x86-64 it is an array,
//! so that a function that is handed one advances its caller's. Reading more arguments than there are, or others
//! than were passed, is undefined in C; here it reads what lies there, or beyond the object.

use sapa_ir::goto::{Op, Operand, Type};

use crate::lower::body::{Body, Place, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Bytes that an argument takes a multiple of.
const WORD: u64 = 8;

fn word() -> CType {
    CType::int(64, false, 4)
}

impl Body<'_, '_> {
    /// The object that holds variable arguments, by its address.
    pub(in crate::lower) fn variable_arguments(
        &mut self,
        arguments: Vec<Value>,
        position: Position,
    ) -> Lowered<Operand> {
        let mut placed = Vec::new();
        let mut words = 0;
        for argument in arguments {
            let (value, ty) = match argument {
                Value::Scalar(_, ref ty) => {
                    let promoted = self.unit.integers().promote_argument(ty);
                    (self.convert(argument, &promoted, position)?, promoted)
                }
                Value::Record(ref place) => {
                    let ty = place.ty.clone();
                    (argument, ty)
                }
                Value::Void => return self.error(position, "a value is needed here"),
            };
            let size = self.unit.size_of(&ty).unwrap_or(WORD);
            placed.push((words, value, ty));
            words += size.div_ceil(WORD).max(1);
        }
        if placed.is_empty() {
            return Ok(Operand::Null);
        }
        let all_are_pointers = placed.iter().all(|(.., ty)| ty.pointee().is_some());
        let is_word = self.pointer_bits() == 8 * WORD as u16;
        let element = match all_are_pointers && is_word {
            true => CType::from(Kind::Void).pointer(),
            false => word(),
        };
        let object = Kind::Array(Box::new(element), Some(words)).into();
        let object = self.temporary(&object, position)?.address;
        for (index, value, ty) in placed {
            let place = Place::new(self.word_at(object, index), ty.unqualified());
            self.store(&place, value, position)?;
        }
        Ok(object)
    }

    fn word_at(&mut self, base: Operand, index: u64) -> Operand {
        let index = Operand::int(self.pointer_bits(), index.into());
        self.define(Op::IndexAddress { base, element: Type::Int(64), index }, Type::Pointer)
    }

    /// Where a `va_list` holds the next argument's address; `None` if that is no list as the frontend for C
    /// has it.
    pub(super) fn list(&mut self, list: &Value, position: Position) -> Lowered<Option<Place>> {
        let next = CType::from(Kind::Void).pointer();
        let is_list = match list {
            Value::Scalar(_, ty) => ty.pointee().is_some_and(|held| held.pointee().is_some()),
            _ => false,
        };
        if !is_list {
            return Ok(None);
        }
        let address = self.address(list, position)?;
        Ok(Some(Place::new(address, next)))
    }

    /// The macros of <stdarg.h> that are no expressions of their own; `None` for others.
    pub(super) fn variable_argument_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let from = match (name, arguments) {
            ("__builtin_va_start", [_, ..]) => {
                self.variable.map(|object| Value::Scalar(object, CType::from(Kind::Void).pointer()))
            }
            ("__builtin_va_copy", [_, from]) => match self.list(from, position)? {
                Some(from) => Some(self.load(&from, position)?),
                None => None,
            },
            ("__builtin_va_end", [_]) => None,
            _ => return Ok(None),
        };
        // Others are handed to functions alone that print by a format, which do not read them.
        if let (Some(from), Some(to)) = (from, arguments.first())
            && let Some(to) = self.list(to, position)?
        {
            self.store(&to, from, position)?;
        }
        Ok(Some(Value::Void))
    }

    /// `va_arg`: the next argument, which the list is behind then.
    pub fn next_argument(
        &mut self,
        list: &Value,
        ty: &CType,
        position: Position,
    ) -> Lowered<Value> {
        let promoted = self.unit.integers().promote_argument(ty);
        let is_passed = match ty.kind {
            Kind::Int { .. } | Kind::Bool | Kind::Float(_) => promoted.kind == ty.kind,
            Kind::Pointer(_) | Kind::Record(_) => true,
            _ => false,
        };
        if !is_passed {
            return self.error(position, "no variable argument has this type");
        }
        let Some(list) = self.list(list, position)? else {
            return self.error(position, "a 'va_list' is needed here");
        };
        let next = self.load(&list, position)?;
        let (address, pointer) = self.scalar(next, position)?;
        let value = self.load_whole(&Place::new(address, ty.unqualified()), position)?;
        let words = self.unit.size_of(ty).unwrap_or(WORD).div_ceil(WORD).max(1);
        let behind = self.word_at(address, words);
        self.store(&list, Value::Scalar(behind, pointer), position)?;
        Ok(value)
    }
}
