//! Functions that are not defined and not known, and take pointers: where the user wants it, they
//! write anything to what their arguments lead to (`models/unknown.c`).

use sapa_ir::goto::Operand;

use crate::lower::UnknownFunctions;
use crate::lower::body::{Body, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::Position;

impl Body<'_, '_> {
    /// What a call of a function does that is not known, besides its result; whether it does anything.
    ///
    /// # Errors
    /// It may do what is not modelled, which was reported.
    pub(in crate::lower) fn unknown_effects(
        &mut self,
        name: &str,
        ty: &FunctionType,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<bool> {
        if self.unit.options.outside.unknown_functions == UnknownFunctions::Pure {
            return Ok(false);
        }
        // What is written, and whether there may be pointers in it.
        let mut written: Vec<Value> = Vec::new();
        let (mut takes_pointers, mut holds_pointers) = (false, false);
        for (index, argument) in arguments.iter().enumerate() {
            let Some((pointer, pointee)) = self.pointer_in(argument) else { continue };
            let declared = ty.parameters.get(index).and_then(CType::pointee);
            let is_constant = declared.unwrap_or(&pointee).constant;
            let refuses = self.unit.options.outside.unknown_functions == UnknownFunctions::Refuse;
            if refuses || matches!(pointee.kind, Kind::Function(_)) {
                let (what, advice) = match refuses {
                    true if self.unit.has_stub(name) => {
                        ("a pointer", "; --stubs posix has a model of it")
                    }
                    true => {
                        ("a pointer", "; give its source, or --unknown-functions havoc or pure")
                    }
                    false => ("a function", ", which it may call"),
                };
                let message = format!(
                    "function '{name}' is not defined, is not known, and takes {what}{advice}"
                );
                return self.error(position, message);
            }
            takes_pointers = true;
            let may_hold = pointee.kind == Kind::Void || self.unit.may_hold_pointer(&pointee);
            if may_hold || !is_constant {
                holds_pointers |= may_hold;
                written.push(pointer);
            }
        }
        if !takes_pointers {
            return Ok(false);
        }
        self.unit.note(&format!(
            "extern function `{name}` returns any value and writes any to what its arguments lead \
             to, but not to constants, keeps no pointer, and calls nothing of the program"
        ));
        if written.is_empty() {
            return Ok(true);
        }
        let void = CType::from(Kind::Void).pointer();
        let count = u64::try_from(written.len()).unwrap_or(u64::MAX);
        let array: CType = Kind::Array(Box::new(void.clone()), Some(count)).into();
        let pointers = self.temporary(&array, position)?;
        for (index, pointer) in (0..count).zip(written) {
            let place = self.element(&pointers, index, position)?;
            let pointer = self.convert(pointer, &void, position)?;
            self.store(&place, pointer, position)?;
        }
        let pointers = Value::Scalar(pointers.address, void.pointer());
        let count = self.int(count.into());
        let model = match holds_pointers {
            true => "__sapa_write_any_reached",
            false => "__sapa_write_any",
        };
        self.in_operation(name, position, |body| {
            body.modelled(model, &[pointers, count], position)
        })?;
        Ok(true)
    }

    /// The pointer that an argument is, or to its copy if it is a structure that holds some, and to
    /// what. A string is not written, and null leads nowhere.
    fn pointer_in(&self, argument: &Value) -> Option<(Value, CType)> {
        match argument {
            Value::Scalar(operand, ty) => {
                let pointee = ty.pointee()?.clone();
                let leads = *operand != Operand::Null && self.unit.text_of(*operand).is_none();
                leads.then(|| (argument.clone(), pointee))
            }
            Value::Record(place) if self.unit.may_hold_pointer(&place.ty) => {
                let pointer = place.ty.clone().pointer();
                Some((Value::Scalar(place.address, pointer), place.ty.clone()))
            }
            Value::Record(_) | Value::Void => None,
        }
    }
}
