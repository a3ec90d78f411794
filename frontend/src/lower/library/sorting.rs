//! Sorting arrays, and quotients with remainders: what depends on types that the models do not know.

use sapa_ir::goto::{FunctionId, Operand};

use crate::lower::body::{Body, Place, Value};
use crate::lower::operator::BinaryOperator;
use crate::lower::program::{Entity, Lowered};
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::Position;

impl Body<'_, '_> {
    /// A call of `qsort`, `bsearch`, `div` and the like; `None` for others.
    pub(super) fn sorting(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("qsort", [array, count, size, compare]) => {
                self.note_comparisons(name);
                let swap = self.swap(array, size, position)?;
                let of_model = [array, count, size, compare, &swap].map(Value::clone);
                self.modelled("__sapa_qsort", &of_model, position)
            }
            ("bsearch", _) => {
                self.note_comparisons(name);
                self.modelled(name, arguments, position)
            }
            ("div" | "ldiv" | "lldiv" | "imaxdiv", [dividend, divisor]) => {
                self.division(name, dividend, divisor, position)
            }
            _ => Ok(None),
        }
    }

    /// C does not say how often a comparison is called, and in which order.
    fn note_comparisons(&mut self, name: &str) {
        self.unit.note(&format!(
            "assuming that what the comparison of `{name}` does besides its result does not matter"
        ));
    }

    /// A function that exchanges two elements of an array: as objects of their type where this is
    /// known, so that what they hold stays whole, else byte by byte.
    fn swap(&mut self, array: &Value, size: &Value, position: Position) -> Lowered<Value> {
        let void = CType::from(Kind::Void);
        let parameters =
            vec![void.clone().pointer(), void.clone().pointer(), self.unit.integers().size()];
        let ty = FunctionType { result: void, parameters, open: false };
        let id = match self.elements(array, size) {
            Some((element, 1)) if element.in_memory().is_ok() => {
                self.swap_of(&element, &ty, position)?
            }
            _ => match self.unit.model_function("__sapa_swap_bytes", position)? {
                Some(id) => id,
                None => {
                    return self.error(position, "the library has no model '__sapa_swap_bytes'");
                }
            },
        };
        let pointer = CType::from(Kind::Function(Box::new(ty))).pointer();
        Ok(Value::Scalar(Operand::Function(id), pointer))
    }

    /// The function that exchanges objects of a type.
    fn swap_of(
        &mut self,
        element: &CType,
        ty: &FunctionType,
        position: Position,
    ) -> Lowered<FunctionId> {
        let (parameters, result) = ty.signature();
        let name = "__sapa_swap";
        let id = self.unit.add_declaration(name, parameters, result, self.location);
        let operation = self.operation;
        let (mut body, operands) = Body::new(self.unit, id, name, ty, position);
        body.operation = operation;
        body.at(position);
        if let [left, right, ..] = operands[..] {
            let [left, right] = [left, right].map(|address| Place::new(address, element.clone()));
            let between = body.temporary(element, position)?;
            body.copy(&between, &left, position)?;
            body.copy(&left, &right, position)?;
            body.copy(&right, &between, position)?;
        }
        body.finish(None);
        let function = body.function;
        self.unit.module.functions[id.index()] = function;
        Ok(id)
    }

    /// Quotient and remainder, in the structure that the program declares.
    fn division(
        &mut self,
        name: &str,
        dividend: &Value,
        divisor: &Value,
        position: Position,
    ) -> Lowered<Option<Value>> {
        let result = match self.unit.lookup(name) {
            Some(Entity::Function(ty)) => ty.result.clone(),
            _ => return Ok(None),
        };
        if !matches!(result.kind, Kind::Record(_)) {
            return Ok(None);
        }
        let integers = self.unit.integers();
        let number = if name == "div" { integers.int() } else { integers.long() };
        let dividend = self.convert(dividend.clone(), &number, position)?;
        let divisor = self.convert(divisor.clone(), &number, position)?;
        let place = self.temporary(&result, position)?;
        for (member, operator) in
            [("quot", BinaryOperator::Divide), ("rem", BinaryOperator::Remainder)]
        {
            let value = self.arithmetic(operator, dividend.clone(), divisor.clone(), position)?;
            let part = self.member_of(&place, member, position)?;
            let value = self.convert(value, &part.ty, position)?;
            self.store(&part, value, position)?;
        }
        Ok(Some(Value::Record(place)))
    }
}
