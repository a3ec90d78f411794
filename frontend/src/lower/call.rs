//! Calls and starts of threads.

use sapa_ir::goto::{Op, Operand, TerminatorKind, Type};

use super::body::{Body, Place, Value};
use super::program::{Entity, Lowered};
use super::types::{CType, FunctionType, Kind};
use crate::position::Position;

impl Body<'_, '_> {
    /// A call of a function by its name. `declared` is its type as the caller sees it.
    pub fn call_named(
        &mut self,
        name: &str,
        declared: Option<&FunctionType>,
        arguments: Vec<Value>,
        position: Position,
    ) -> Lowered<Value> {
        let defined = self.unit.definition_of(name).is_some();
        let arguments = match defined {
            true => arguments,
            false => self.as_declared(name, declared, arguments, position)?,
        };
        // By its type it is that of POSIX, or GNU's.
        let name = match (name, declared) {
            ("strerror_r", Some(ty)) if !defined && ty.result.is_integer() => "__xpg_strerror_r",
            _ => name,
        };
        if !defined && let Some(value) = self.builtin(name, &arguments, position)? {
            return Ok(value);
        }
        if name == "reach_error" && defined {
            // Calling it is the error, whatever its body does.
            self.at(position);
            self.interrupted(|body| body.fail("reach_error() is never called"));
            return Ok(Value::Void);
        }
        let ty = match (self.unit.defined_type(name), declared) {
            (Some(ty), _) => ty,
            (None, Some(ty)) => ty.clone(),
            (None, None) => {
                self.unit.warning(position, format!("implicit declaration of function '{name}'"));
                let result = self.unit.integers().int();
                FunctionType { result, parameters: Vec::new(), open: true }
            }
        };
        if !defined {
            return self.undefined(name, &ty, &arguments, position);
        }
        let id = self.unit.function(name, &ty, position);
        self.call_function(Operand::Function(id), &ty, arguments, position)
    }

    /// Arguments of a library's function: numbers as its prototype takes them.
    pub fn as_declared(
        &mut self,
        name: &str,
        declared: Option<&FunctionType>,
        arguments: Vec<Value>,
        position: Position,
    ) -> Lowered<Vec<Value>> {
        let parameters = match declared {
            Some(ty) if !ty.parameters.is_empty() => ty.parameters.clone(),
            _ if ["__VERIFIER_assume", "__VERIFIER_assert", "assume_abort_if_not"]
                .contains(&name) =>
            {
                vec![self.unit.integers().int()]
            }
            _ => Vec::new(),
        };
        let convert = |(index, argument): (usize, Value)| match parameters.get(index) {
            Some(parameter) if parameter.is_arithmetic() => {
                self.convert(argument, parameter, position)
            }
            _ => Ok(argument),
        };
        arguments.into_iter().enumerate().map(convert).collect()
    }

    /// A function that the program does not define: any result, and what unknown functions may do.
    pub fn undefined(
        &mut self,
        name: &str,
        ty: &FunctionType,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Value> {
        let writes = self.unknown_effects(name, ty, arguments, position)?;
        self.at(position);
        if self.unit.noreturn.contains(name) {
            self.unit.warning(
                position,
                format!("function '{name}' is not defined: it ends the program"),
            );
            self.unit.note(&format!("extern function `{name}` ends the program"));
            self.terminate(TerminatorKind::Halt);
            return self.any(&ty.result.clone(), position);
        }
        if let Some(value) = self.functional(name, ty, arguments, position)? {
            return Ok(value);
        }
        self.unit.leaves_errno(name);
        self.unit
            .warning(position, format!("function '{name}' is not defined: it returns any value"));
        if !writes {
            self.unit.module.note_undefined(name);
        }
        let result = ty.result.clone();
        let any = self.in_operation(name, position, |body| body.any(&result, position))?;
        self.or_what_was_told(any, arguments, position)
    }

    /// Any value, which may be made of an address that a function was told as a number: this is
    /// what the points-to analysis has to see.
    fn or_what_was_told(
        &mut self,
        any: Value,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Value> {
        let Value::Scalar(mut result, ty) = any else { return Ok(any) };
        let Ok(memory) = ty.in_memory() else { return Ok(Value::Scalar(result, ty)) };
        if ty.is_integer() || ty.pointee().is_some() {
            for argument in arguments {
                let Value::Scalar(Operand::Value(_), of) = argument else { continue };
                if of.is_integer() {
                    let told = self.operand_as(argument, &ty, position)?;
                    let condition = self.nondet(Type::Int(1));
                    let op = Op::Select { condition, a: told, b: result };
                    result = self.define(op, memory.clone());
                }
            }
        }
        Ok(Value::Scalar(result, ty))
    }

    /// Any value of a type.
    pub fn any(&mut self, ty: &CType, position: Position) -> Lowered<Value> {
        match &ty.kind {
            Kind::Void => Ok(Value::Void),
            Kind::Bool => {
                let bit = self.nondet(Type::Int(1));
                let value = self.cast(sapa_ir::goto::CastOp::ZeroExtend, bit, Type::Int(8));
                Ok(Value::Scalar(value, ty.decayed()))
            }
            Kind::Unsupported(what) => self.error(position, format!("{what} is not supported")),
            _ => match ty.in_memory() {
                Ok(memory) if memory.is_scalar() => {
                    Ok(Value::Scalar(self.nondet(memory), ty.decayed()))
                }
                Ok(memory) => {
                    let place = self.temporary(ty, position)?;
                    self.make_any(&place, memory, position)?;
                    Ok(Value::Record(place))
                }
                Err(what) => self.error(position, format!("{what} is not supported here")),
            },
        }
    }

    /// Arguments as the IR passes them: converted to the parameters' types,
    /// structures by the address of a copy.
    pub fn arguments(
        &mut self,
        ty: &FunctionType,
        arguments: Vec<Value>,
        position: Position,
    ) -> Lowered<Vec<Operand>> {
        let (wanted, found) = (ty.parameters.len(), arguments.len());
        if found < wanted || (found > wanted && !ty.open) {
            let message = format!("{wanted} arguments are needed here, found {found}");
            return self.error(position, message);
        }
        let mut operands = Vec::new();
        for (argument, parameter) in arguments.into_iter().zip(&ty.parameters) {
            let value = self.convert(argument, parameter, position)?;
            operands.push(self.passed(value, position)?);
        }
        Ok(operands)
    }

    /// An argument as the IR passes it.
    fn passed(&mut self, argument: Value, position: Position) -> Lowered<Operand> {
        match argument {
            Value::Scalar(operand, _) => Ok(operand),
            Value::Record(place) => {
                let copy = self.temporary(&place.ty.clone(), position)?;
                self.store(&copy, Value::Record(place), position)?;
                Ok(copy.address)
            }
            Value::Void => self.error(position, "a value is needed here"),
        }
    }

    /// An argument after the default argument promotions (C11 6.5.2.2).
    fn default_argument(&mut self, argument: Value, position: Position) -> Lowered<Operand> {
        let value = match argument {
            Value::Scalar(_, ref ty) => {
                let promoted = self.unit.integers().promote_argument(ty);
                self.convert(argument, &promoted, position)?
            }
            other => other,
        };
        self.passed(value, position)
    }

    /// What a function of this type, which `callee` points to, is passed.
    pub fn passed_to(
        &mut self,
        callee: Operand,
        ty: &FunctionType,
        mut arguments: Vec<Value>,
        position: Position,
    ) -> Lowered<Vec<Operand>> {
        if ty.open && ty.parameters.is_empty() {
            // Without a prototype: the callee may have parameters.
            return arguments.into_iter().map(|a| self.default_argument(a, position)).collect();
        }
        if ty.open {
            self.check_variable_arguments(callee, ty.parameters.len(), &arguments, position)?;
            let fixed = ty.parameters.len().min(arguments.len());
            let variable = arguments.split_off(fixed);
            let mut operands = self.arguments(ty, arguments, position)?;
            operands.push(self.variable_arguments(variable, position)?);
            return Ok(operands);
        }
        self.arguments(ty, arguments, position)
    }

    /// A call of what `callee` points to.
    pub fn call_function(
        &mut self,
        callee: Operand,
        ty: &FunctionType,
        arguments: Vec<Value>,
        position: Position,
    ) -> Lowered<Value> {
        self.at(position);
        let mut arguments = self.passed_to(callee, ty, arguments, position)?;
        let result = ty.result.clone();
        let mut object = None;
        if matches!(result.kind, Kind::Record(_)) {
            let place = self.temporary(&result, position)?;
            arguments.insert(0, place.address);
            object = Some(place);
        }
        if let Operand::Function(id) = callee {
            let function = self.unit.module.function(id);
            let own = (&function.parameters, &function.result);
            let passed = arguments.iter().map(|&a| self.function.operand_type(a)).collect();
            if own != (&passed, &ty.signature().1) {
                let message =
                    format!("'{}' is called with other types than its own", function.name);
                return self.error(position, message);
            }
        }
        self.interrupted(|body| {
            let call = Op::Call { callee, arguments };
            if let Some(place) = object {
                body.effect(call);
                return Ok(Value::Record(place));
            }
            if result.kind == Kind::Void {
                body.effect(call);
                return Ok(Value::Void);
            }
            match result.in_memory() {
                Ok(memory) if memory.is_scalar() => {
                    Ok(Value::Scalar(body.define(call, memory), result.decayed()))
                }
                Ok(_) => body.error(position, "a function cannot return an array"),
                Err(what) => body.error(position, format!("{what} is not supported here")),
            }
        })
    }

    /// A call of a function of the library's models, which must exist and access no memory.
    pub fn model(
        &mut self,
        name: &str,
        operands: &[Operand],
        result: Type,
        position: Position,
    ) -> Lowered<Operand> {
        let Some(id) = self.unit.model_function(name, position)? else {
            return self.error(position, format!("the library has no model '{name}'"));
        };
        let call = Op::Call { callee: Operand::Function(id), arguments: operands.to_vec() };
        // No access whose order matters, as other calls may be.
        Ok(self.build(|b| b.define(call, result)))
    }

    /// Starts a thread that runs what `start` points to with one argument; its handle.
    pub fn start_thread(
        &mut self,
        start: &Value,
        argument: &Value,
        position: Position,
    ) -> Lowered<Operand> {
        let (function, ty) = self.scalar(start.clone(), position)?;
        if let Some(Kind::Function(started)) = ty.pointee().map(|pointee| &pointee.kind)
            && matches!(started.result.kind, Kind::Record(_))
        {
            return self.error(position, "a thread's function returns no structure");
        }
        let mut arguments = Vec::new();
        match function {
            Operand::Function(id) => {
                let parameters = self.unit.module.function(id).parameters.clone();
                if parameters.len() > 1 {
                    return self.error(position, "a thread's function has one parameter");
                }
                for parameter in parameters {
                    let ty = match parameter {
                        Type::Int(bits) => CType::int(bits, true, 4),
                        _ => CType::from(Kind::Void).pointer(),
                    };
                    let value = self.convert(argument.clone(), &ty, position)?;
                    arguments.push(self.scalar(value, position)?.0);
                }
            }
            Operand::Value(_) if ty.pointee().is_some() => {
                let void = CType::from(Kind::Void).pointer();
                let value = self.convert(argument.clone(), &void, position)?;
                arguments.push(self.scalar(value, position)?.0);
            }
            _ => return self.error(position, "a thread needs a function to run"),
        }
        let bits = self.pointer_bits();
        let op = Op::Spawn { function, arguments };
        Ok(self.define(op, Type::Int(bits)))
    }

    /// An assertion that fails if it is reached.
    pub fn fail(&mut self, property: &str) {
        self.effect(Op::Assert { condition: Operand::bool(false), property: property.to_owned() });
    }

    /// The place of a named object.
    pub fn place_of(&mut self, entity: &Entity, name: &str, position: Position) -> Lowered<Place> {
        match entity {
            Entity::Global(global, ty) => Ok(Place::new(Operand::Global(*global), ty.clone())),
            Entity::Slot(slot, ty) => Ok(Place::new(Operand::Slot(*slot), ty.clone())),
            Entity::Variable(slot, ty, _) => {
                let void = CType::from(Kind::Void).pointer();
                let address = self.load(&Place::new(Operand::Slot(*slot), void), position)?;
                let (address, _) = self.scalar(address, position)?;
                Ok(Place::new(address, ty.clone()))
            }
            Entity::Function(ty) => {
                let id = self.unit.function(name, ty, position);
                let ty = Kind::Function(Box::new((**ty).clone())).into();
                Ok(Place::new(Operand::Function(id), ty))
            }
            Entity::Absent(ty) => {
                self.unit
                    .note(&format!("assuming that no library defines `{name}`, which is weak"));
                Ok(Place::new(Operand::Null, ty.clone()))
            }
            Entity::Refused(why) => self.unit.refuse(position, why),
            Entity::Typedef(_) | Entity::Constant(..) => {
                self.error(position, format!("'{name}' is no object"))
            }
        }
    }
}
