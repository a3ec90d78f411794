//! Functions that the program does not define and whose addresses it takes: library functions, and
//! others of which nothing is known. A call through a pointer does what a call by name would.

use sapa_ir::goto::FunctionId;

use super::UnknownFunctions;
use super::body::{Body, Place, Value};
use super::program::{Lowered, Lowerer};
use super::types::{CType, FunctionType, Kind};
use crate::position::Position;

/// A function without a definition.
#[derive(Clone, Debug)]
pub(crate) struct Undefined {
    pub id: FunctionId,
    pub name: String,
    pub ty: FunctionType,
    /// The unit that takes its address, and where.
    pub unit: usize,
    pub position: Position,
}

impl Lowerer<'_> {
    /// Gives a function the body that a call by name has. Of what takes a pointer and is not known
    /// there is none: the address may be taken, a call of it is refused where calls are resolved.
    pub fn define(&mut self, function: Undefined) {
        self.unit = function.unit;
        self.current_function.clone_from(&function.name);
        // What is wrong was reported.
        let _: Lowered<()> = self.body_of(&function);
    }

    fn body_of(&mut self, function: &Undefined) -> Lowered<()> {
        let Undefined { id, name, ty, position, .. } = function;
        let refuses = self.options.outside.unknown_functions == UnknownFunctions::Refuse;
        let position = *position;
        let (mut body, operands) = Body::new(self, *id, name, ty, position);
        let argument = |(ty, operand): (CType, _)| match ty.kind {
            Kind::Record(_) => Value::Record(Place::new(operand, ty)),
            _ => Value::Scalar(operand, ty),
        };
        let arguments: Vec<Value> =
            ty.parameters.iter().cloned().zip(operands).map(argument).collect();
        body.function.location.operation = Some(body.name);
        body.at(position);
        body.open_statement();
        let result = match body.builtin(name, &arguments, position)? {
            Some(result) => result,
            None if ty.open => {
                let message = format!(
                    "the address of '{name}' is taken, which is not defined, not known, and has no \
                     fixed parameters"
                );
                return body.error(position, message);
            }
            None if refuses && ty.parameters.iter().any(|ty| body.unit.may_hold_pointer(ty)) => {
                return Ok(());
            }
            None => body.undefined(name, ty, &arguments, position)?,
        };
        if body.block.is_some() {
            let operand = body.result_operand(result, position)?;
            body.close_statement();
            body.finish(operand);
        }
        let function = body.function;
        self.module.functions[id.index()] = function;
        Ok(())
    }
}
