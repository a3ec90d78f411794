//! Operations on mutexes have two models. Where a mutex may be of another kind than the default one
//! (recursive, error-checking), they read its kind each time, which other programs should not pay
//! for. Whatever is lowered may give a mutex a kind. So a call of an operation is first a call of a
//! template: a function that gets its body, one block, when all else is lowered. Then this body
//! takes the place of the calls.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    Builder, Function, FunctionId, Instruction, Op, Operand, TerminatorKind, Type, ValueId,
};

use crate::lower::body::{Body, Value};
use crate::lower::program::{Lowered, Lowerer};
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::Position;

/// The operations that read the kind of a mutex, or set it.
const OPERATIONS: &[&str] = &[
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_mutexattr_init",
    "pthread_cond_wait",
    "cnd_wait",
    "mtx_init",
    "mtx_lock",
    "mtx_trylock",
    "mtx_unlock",
];

/// The kinds of the program's mutexes, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kinds {
    /// No other than the default one was found yet.
    #[default]
    NoneYet,
    /// There may be others.
    Any,
    /// All that could give a mutex another kind is lowered, and nothing does.
    OnlyDefault,
}

/// What stands for an operation until its model is chosen.
#[derive(Debug)]
pub(crate) struct Template {
    /// The function that is called for it.
    id: FunctionId,
    name: String,
    ty: FunctionType,
    /// Whether it is called inside the section of a statement.
    in_statement: bool,
    /// The first call of it: unit and place.
    unit: usize,
    position: Position,
}

/// What the program does with mutexes.
#[derive(Debug, Default)]
pub(crate) struct Mutexes {
    kinds: Kinds,
    /// The templates, by the operation's name, the types of the arguments, and whether they are
    /// called inside the section of a statement.
    templates: FxHashMap<(String, Vec<Type>, bool), FunctionId>,
    /// Those of them that have no body yet.
    bodiless: Vec<Template>,
}

impl Mutexes {
    /// Notes that a mutex may be of another kind than the default one.
    ///
    /// # Panics
    /// The models were chosen already.
    pub fn find_kind(&mut self) {
        assert!(self.kinds != Kinds::OnlyDefault, "a mutex gets a kind after all was lowered");
        self.kinds = Kinds::Any;
    }

    /// Chooses the models, since all else is lowered; a template whose body is still to be made.
    pub fn settle(&mut self) -> Option<Template> {
        if self.kinds == Kinds::NoneYet {
            self.kinds = Kinds::OnlyDefault;
        }
        self.bodiless.pop()
    }
}

impl Lowerer<'_> {
    /// Whether a member of a record is the kind of glibc's mutexes.
    pub fn is_mutex_kind(&self, ty: &CType, member: u64) -> bool {
        let Kind::Record(id) = ty.kind else { return false };
        let members = self.record(id).map_or(&[][..], |record| &record.members);
        usize::try_from(member)
            .ok()
            .and_then(|index| members.get(index))
            .is_some_and(|member| member.name == "__kind")
    }

    /// Gives a template its body, by the model that was chosen.
    pub fn define_template(&mut self, template: Template) {
        let Template { id, name, ty, in_statement, unit, position } = template;
        self.unit = unit;
        let (mut body, operands) = Body::new(self, id, &name, &ty, position);
        body.statement_open = in_statement;
        let arguments: Vec<Value> = ty
            .parameters
            .into_iter()
            .zip(operands)
            .map(|(ty, operand)| Value::Scalar(operand, ty))
            .collect();
        // What is wrong was reported.
        if let Ok(Some(value)) = body.builtin(&name, &arguments, position)
            && let Ok(result) = body.result_operand(value, position)
        {
            body.terminate(TerminatorKind::Return(result));
        }
        let function = body.function;
        self.module.functions[id.index()] = function;
    }

    /// Puts what templates do in the place of their calls; one of several blocks stays a function.
    pub fn expand_templates(&mut self) {
        let templates: FxHashMap<FunctionId, Function> = self
            .mutexes
            .templates
            .values()
            .map(|&id| (id, self.module.function(id).clone()))
            .filter(|(_, template)| template.blocks.len() == 1)
            .collect();
        let template = |instruction: &Instruction| match instruction.op {
            Op::Call { callee: Operand::Function(id), .. } => templates.get(&id),
            _ => None,
        };
        for function in &mut self.module.functions {
            if !function.instructions().any(|instruction| template(instruction).is_some()) {
                continue;
            }
            let mut results: BTreeMap<ValueId, Operand> = BTreeMap::new();
            function.rewrite(|builder, _, instruction| {
                match (template(&instruction), &instruction.op) {
                    (Some(template), Op::Call { arguments, .. }) => {
                        let returned = expand(template, arguments, instruction.result, builder);
                        results.extend(instruction.result.zip(returned));
                    }
                    _ => builder.push(instruction),
                }
            });
            function.replace_values(|value| results.get(&value).copied());
            function.remove_values(&results.into_keys().collect());
        }
    }
}

/// Appends what a template does for some arguments. What it returns if that is one of them or a
/// constant; an instruction whose value it returns defines `result`.
fn expand(
    template: &Function,
    arguments: &[Operand],
    result: Option<ValueId>,
    builder: &mut Builder<'_>,
) -> Option<Operand> {
    let body = template.blocks.first()?;
    let TerminatorKind::Return(Some(returned)) = body.terminator.kind else { return None };
    let mut values: FxHashMap<ValueId, Operand> =
        body.parameters.iter().copied().zip(arguments.iter().copied()).collect();
    let renamed = |values: &FxHashMap<ValueId, Operand>, operand: Operand| {
        operand.value().and_then(|value| values.get(&value).copied()).unwrap_or(operand)
    };
    for Instruction { op, result: own, .. } in &body.instructions {
        let mut op = op.clone();
        op.for_each_operand_mut(|operand| *operand = renamed(&values, *operand));
        let new = match *own {
            Some(own) if Operand::Value(own) == returned => result,
            Some(own) => {
                let ty = template.operand_type(Operand::Value(own));
                Some(builder.function.add_value(ty, None))
            }
            None => None,
        };
        values.extend(own.zip(new.map(Operand::Value)));
        builder.push(Instruction { op, result: new, location: builder.location });
    }
    let returned = renamed(&values, returned);
    (returned.value() != result).then_some(returned)
}

impl Body<'_, '_> {
    /// The call of an operation on mutexes, unless all mutexes are known to be of the default kind.
    pub(super) fn mutex_operation(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let may_give_kind = match (name, arguments) {
            ("pthread_mutexattr_settype" | "pthread_mutexattr_gettype", _) => true,
            // The calls of a template have told what its parameter is.
            ("mtx_init", [_, kind]) if self.unit.mutexes.kinds == Kinds::NoneYet => {
                self.constant_operand(Some(kind)).is_none_or(|kind| kind & 1 != 0)
            }
            _ => false,
        };
        if may_give_kind {
            self.unit.mutexes.find_kind();
        }
        if !OPERATIONS.contains(&name) {
            return Ok(None);
        }
        match self.unit.mutexes.kinds {
            Kinds::NoneYet => self.call_template(name, arguments, position).map(Some),
            Kinds::OnlyDefault => Ok(None),
            Kinds::Any => self.modelled(&format!("__sapa_{name}"), arguments, position),
        }
    }

    fn call_template(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Value> {
        let (mut operands, mut parameters) = (Vec::new(), Vec::new());
        for argument in arguments {
            let (operand, ty) = self.scalar(argument.clone(), position)?;
            operands.push(operand);
            parameters.push(ty);
        }
        let int = self.unit.integers().int();
        let ty = FunctionType { result: int.clone(), parameters, open: false };
        let (parameters, result) = ty.signature();
        let in_statement = self.statement_open;
        let key = (name.to_owned(), parameters.clone(), in_statement);
        let id = match self.unit.mutexes.templates.get(&key) {
            Some(&id) => id,
            None => {
                // The name without a suffix stays free for the model.
                let own = format!("{name}#template");
                let id = self.unit.add_declaration(&own, parameters, result, self.location);
                let (name, unit) = (name.to_owned(), self.unit.unit);
                let template = Template { id, name, ty, in_statement, unit, position };
                self.unit.mutexes.bodiless.push(template);
                self.unit.mutexes.templates.insert(key, id);
                id
            }
        };
        let call = Op::Call { callee: Operand::Function(id), arguments: operands };
        Ok(Value::Scalar(self.define(call, Type::Int(self.bits(&int))), int))
    }
}
