//! What runs at the end of the program, and of a thread: the functions that `atexit` registers, the
//! handlers of `pthread_cleanup_push` and the destructors of thread-specific data. Whether there are such is known when all is lowered; then
//! calls of the models that run them are put where the program, or a thread, ends.

use std::collections::BTreeMap;

use sapa_ir::goto::{
    Builder, Function, FunctionId, Instruction, Location, Op, Operand, TerminatorKind, Type,
};

use crate::diagnostic::{Diagnostic, Severity};
use crate::lower::body::{Body, Value};
use crate::lower::program::{Lowered, Lowerer, Reported};
use crate::position::Position;

/// The functions that end the program and let run what is registered for that.
const EXITS: [&str; 2] = ["exit", "__builtin_exit"];

/// The models of what runs at ends, if the program needs them.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    exit_handlers: Option<FunctionId>,
    /// Functions that run before `main`, or at the end (`true`): in which order, of which unit.
    pub constructors: Vec<(i128, usize, String, bool)>,
    /// The same in their order, and what registers those of the end.
    before_main: Vec<(FunctionId, Option<FunctionId>)>,
    /// The handlers of `pthread_cleanup_push`.
    cleanups: Option<FunctionId>,
    destructors: Option<FunctionId>,
}

impl Body<'_, '_> {
    /// A call of what registers something that runs at an end; `None` for others.
    pub(super) fn registration(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("atexit", [_]) => {
                self.unit.note("assuming that a run registers at most 32 functions by `atexit`");
                let model = self.unit.model_function("__sapa_run_exit_handlers", position)?;
                self.unit.ends.exit_handlers = model;
                self.modelled("__sapa_atexit", arguments, position)
            }
            ("pthread_key_create" | "tss_create", [key, destructor]) => {
                self.unit.note("assuming that a run makes at most 32 keys of thread-specific data");
                if self.constant_operand(Some(destructor)) == Some(0) {
                    let key = std::slice::from_ref(key);
                    return self.modelled("__sapa_key_create", key, position);
                }
                let model = self.unit.model_function("__sapa_run_destructors", position)?;
                self.unit.ends.destructors = model;
                self.modelled("__sapa_key_create_with", arguments, position)
            }
            // What the macro `pthread_cleanup_push` of glibc stands for: a jump that comes back where a
            // thread is cancelled, which none is; the handler is in variables beside the call.
            ("__sigsetjmp_cancel", [_, _]) => Ok(Some(self.int(0))),
            ("__pthread_unwind_next", [_]) => {
                self.terminate(TerminatorKind::Unreachable);
                Ok(Some(Value::Void))
            }
            ("__pthread_register_cancel", [_]) => {
                let mut handler = Vec::new();
                for name in ["__cancel_routine", "__cancel_arg"] {
                    let Some(entity) = self.unit.lookup(name).cloned() else { return Ok(None) };
                    let place = self.place_of(&entity, name, position)?;
                    handler.push(self.load(&place, position)?);
                }
                self.unit.note("assuming that a thread has at most 8 cleanup handlers at once");
                let model = self.unit.model_function("__sapa_run_cleanups", position)?;
                self.unit.ends.cleanups = model;
                self.modelled("__sapa_push_cleanup", &handler, position)
            }
            ("__pthread_unregister_cancel", [_]) => {
                self.modelled("__sapa_pop_cleanup", &[], position)
            }
            _ => Ok(None),
        }
    }
}

impl Lowerer<'_> {
    /// Finds the functions with the attributes `constructor` and `destructor`, which are lowered then.
    /// GCC has those of a file run in the order of their definitions, by priority, and those of the end
    /// in the opposite one.
    ///
    /// # Errors
    /// One has parameters, or its end has no model, which was reported.
    pub fn find_constructors(&mut self) -> Lowered<()> {
        let mut found = std::mem::take(&mut self.ends.constructors);
        found.sort_by_key(|(priority, ..)| *priority);
        let current = self.unit;
        for (_, unit, name, at_end) in found {
            self.unit = unit;
            let Some(ty) = self.defined_type(&name) else { continue };
            let id = self.function(&name, &ty, Position::default());
            // Several files may declare it.
            let is_known = |(of, register): &(FunctionId, Option<_>)| {
                *of == id && register.is_some() == at_end
            };
            if self.ends.before_main.iter().any(is_known) {
                continue;
            }
            let function = self.module.function(id);
            if !function.parameters.is_empty() {
                let message = format!("'{name}' is called by the system, with parameters");
                return self.refuse_ends(function.location, &message);
            }
            let mut register = None;
            if at_end {
                self.note("assuming that a run registers at most 32 functions by `atexit`");
                let position = Position::default();
                self.ends.exit_handlers =
                    self.model_function("__sapa_run_exit_handlers", position)?;
                register = self.model_function("__sapa_atexit", position)?;
            }
            self.ends.before_main.push((id, register));
        }
        self.unit = current;
        Ok(())
    }

    /// Calls what runs before `main` where that begins.
    fn run_before_main(&mut self) -> Lowered<()> {
        let made = std::mem::take(&mut self.ends.before_main);
        let (Some(entry), false) = (self.module.entry, made.is_empty()) else { return Ok(()) };
        let location = self.module.function(entry).location;
        if self.is_referred_to(entry) {
            let message =
                "constructors are not supported in a program that calls its entry function";
            return self.refuse_ends(location, message);
        }
        // Those of the end are registered first: they run last.
        let (at_end, before): (Vec<_>, Vec<_>) =
            made.into_iter().partition(|(_, register)| register.is_some());
        let mut instructions = Vec::new();
        for (id, register) in at_end.into_iter().chain(before) {
            let (callee, arguments) = match register {
                Some(register) => (register, vec![Operand::Function(id)]),
                None => (id, Vec::new()),
            };
            let result = self.module.function(callee).result.clone();
            let function = &mut self.module.functions[entry.index()];
            let result = result.map(|ty| function.add_value(ty, None));
            let op = Op::Call { callee: Operand::Function(callee), arguments };
            instructions.push(Instruction { op, result, location });
        }
        if let Some(block) = self.module.functions[entry.index()].blocks.first_mut() {
            block.instructions.splice(0..0, instructions);
        }
        Ok(())
    }

    /// Lets run at the ends of the program and of threads what is registered for them.
    ///
    /// # Errors
    /// An end is not known to be one, which was reported.
    pub fn run_at_ends(&mut self) -> Lowered<()> {
        self.run_before_main()?;
        if let Some(model) = self.ends.exit_handlers {
            self.run_at_exit(model)?;
        }
        if let Some(model) = self.ends.cleanups {
            // Before the destructors, which are put behind it.
            for function in &mut self.module.functions {
                call_before(function, model, |kind, _| {
                    matches!(kind, TerminatorKind::EndThread(_))
                });
            }
        }
        if let Some(model) = self.ends.destructors {
            self.run_at_thread_ends(model)?;
        }
        Ok(())
    }

    /// The program ends by `exit`, or by the return of its entry function. (`_exit` and `abort` run
    /// nothing.)
    fn run_at_exit(&mut self, model: FunctionId) -> Lowered<()> {
        let Some(entry) = self.module.entry else { return Ok(()) };
        if self.is_referred_to(entry) {
            let message = "functions that `atexit` registers are not supported in a program that \
                           calls its entry function";
            return self.refuse_ends(self.module.function(entry).location, message);
        }
        let exits = EXITS.map(|name| Some(self.name_id(name)));
        let mut may_end_by_threads = false;
        for (index, function) in self.module.functions.iter_mut().enumerate() {
            let is_entry = index == entry.index();
            call_before(function, model, |kind, location| match kind {
                TerminatorKind::Halt => exits.contains(&location.operation),
                TerminatorKind::Return(_) => is_entry,
                _ => false,
            });
            may_end_by_threads |= function
                .blocks
                .iter()
                .any(|block| matches!(block.terminator.kind, TerminatorKind::EndThread(_)));
        }
        if may_end_by_threads {
            self.note("assuming that functions which `atexit` registers do not run where the last thread ends by `pthread_exit`");
        }
        Ok(())
    }

    /// A thread ends by `pthread_exit`, or by the return of the function that it was started with: a
    /// function around that one calls the model. (At the end of the program destructors do not run.)
    fn run_at_thread_ends(&mut self, model: FunctionId) -> Lowered<()> {
        let mut started: BTreeMap<FunctionId, FunctionId> = BTreeMap::new();
        let mut unknown = None;
        for instruction in self.module.functions.iter().flat_map(Function::instructions) {
            match instruction.op {
                Op::Spawn { function: Operand::Function(id), .. } => {
                    started.insert(id, id);
                }
                Op::Spawn { .. } => unknown = Some(instruction.location),
                _ => {}
            }
        }
        if let Some(location) = unknown {
            let message = "destructors of thread-specific data are not supported in a program that \
                           starts a thread through a pointer to its function";
            return self.refuse_ends(location, message);
        }
        for function in &mut self.module.functions {
            call_before(function, model, |kind, _| matches!(kind, TerminatorKind::EndThread(_)));
        }
        for (&id, wrapper) in &mut started {
            *wrapper = self.around(id, model);
        }
        for function in &mut self.module.functions {
            for block in &mut function.blocks {
                for instruction in &mut block.instructions {
                    if let Op::Spawn { function: Operand::Function(id), .. } = &mut instruction.op
                        && let Some(wrapper) = started.get(id)
                    {
                        *id = *wrapper;
                    }
                }
            }
        }
        Ok(())
    }

    fn refuse_ends(&mut self, at: Location, message: &str) -> Lowered<()> {
        let message = format!("{}: {message}", self.module.describe(at));
        self.diagnostics.push(Diagnostic::new(Severity::Error, None, message));
        Err(Reported)
    }

    /// A function that does what another does, and calls a model before it returns.
    fn around(&mut self, id: FunctionId, model: FunctionId) -> FunctionId {
        let Function { name, parameters, result, location, .. } = self.module.function(id).clone();
        let own = format!("{name}#thread");
        let wrapper = self.add_declaration(&own, parameters.clone(), result.clone(), location);
        let function = &mut self.module.functions[wrapper.index()];
        let entry = function.add_block(location);
        let mut b = Builder::new(function, location);
        let arguments: Vec<Operand> = parameters
            .into_iter()
            .map(|ty: Type| Operand::Value(b.add_block_parameter(entry, ty, None)))
            .collect();
        b.switch_to(entry);
        let call = Op::Call { callee: Operand::Function(id), arguments };
        let returned = match result {
            Some(ty) => Some(b.define(call, ty)),
            None => {
                b.effect(call);
                None
            }
        };
        b.effect(call_of(model));
        b.terminate(TerminatorKind::Return(returned));
        wrapper
    }
}

fn call_of(model: FunctionId) -> Op {
    Op::Call { callee: Operand::Function(model), arguments: Vec::new() }
}

/// Calls a model before the ends of blocks that are of a kind.
fn call_before(
    function: &mut Function,
    model: FunctionId,
    is_end: impl Fn(&TerminatorKind, Location) -> bool,
) {
    for block in &mut function.blocks {
        let location = block.terminator.location;
        if is_end(&block.terminator.kind, location) {
            block.instructions.push(Instruction { op: call_of(model), result: None, location });
        }
    }
}
