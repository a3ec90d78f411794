//! Calls by name: what the verifier, the threads library and the compiler define.

use sapa_ir::goto::{BinaryOp, CompareOp, MemoryOrder, Op, Operand, SyncOp, TerminatorKind, Type};

use super::body::{Body, Place, Value};
use super::types::{CType, FunctionType, Kind};
use super::unit::{Entity, Lowered};
use crate::c::ast::{Expression, ExpressionKind, UnaryOperator};
use crate::c::position::Position;

/// Functions that do nothing to the state; their result is arbitrary.
const WITHOUT_EFFECT: &[&str] = &[
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "perror",
    "fflush",
    "usleep",
    "sleep",
    "sched_yield",
    "pthread_yield",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setdetachstate",
    "pthread_detach",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "pthread_mutex_destroy",
    "pthread_cond_destroy",
    "pthread_cond_init",
    "srand",
    "srandom",
    "thrd_yield",
    "mtx_destroy",
];

impl Body<'_, '_> {
    /// A call of a function by its name.
    pub fn call_named(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Value> {
        if !self.unit.definitions.contains_key(name)
            && let Some(value) = self.builtin(name, arguments, position)?
        {
            return Ok(value);
        }
        let ty = match self.unit.lookup(name).cloned() {
            Some(Entity::Function(ty)) => (*ty).clone(),
            Some(_) => return self.error(position, format!("'{name}' is no function")),
            None => {
                self.unit.warning(position, format!("implicit declaration of function '{name}'"));
                FunctionType {
                    result: self.unit.integers().int(),
                    parameters: Vec::new(),
                    open: true,
                }
            }
        };
        if !self.unit.definitions.contains_key(name) {
            return self.undefined(name, &ty, arguments, position);
        }
        if name == "reach_error" {
            // Calling it is the error, whatever its body does.
            self.at(position);
            self.interrupted(|body| body.fail("reach_error() is never called"));
            return Ok(Value::Void);
        }
        let ty = match self.unit.defined_type(name) {
            Some(ty) => ty,
            None => ty,
        };
        let id = self.unit.function(name, &ty, position);
        self.call_function(Operand::Function(id), &ty, arguments, position)
    }

    /// A function that the program does not define: any result.
    fn undefined(
        &mut self,
        name: &str,
        ty: &FunctionType,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Value> {
        for argument in arguments {
            // What it would do to memory, or call, is not known.
            if let Value::Scalar(_, ty) = self.value(argument)?
                && ty.pointee().is_some()
            {
                return self.error(
                    position,
                    format!("function '{name}' is not defined, is not known, and takes a pointer"),
                );
            }
        }
        self.unit
            .warning(position, format!("function '{name}' is not defined: it returns any value"));
        let note = format!("extern function `{name}` returns any value");
        if !self.unit.module.notes.contains(&note) {
            self.unit.module.notes.push(note);
        }
        self.at(position);
        self.any(&ty.result.clone(), position)
    }

    /// Any value of a type.
    fn any(&mut self, ty: &CType, position: Position) -> Lowered<Value> {
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
                _ => self.error(position, "functions that return structures are not supported"),
            },
        }
    }

    /// An assertion that fails if it is reached.
    fn fail(&mut self, property: &str) {
        self.effect(Op::Assert { condition: Operand::bool(false), property: property.to_owned() });
    }

    fn truth_of(&mut self, argument: &Expression) -> Lowered<Operand> {
        let value = self.value(argument)?;
        self.truth(value, argument.position)
    }

    fn int(&self, value: u128) -> Value {
        let int = self.unit.integers().int();
        Value::Scalar(Operand::int(self.bits(&int), value), int)
    }

    /// The call of a function that this file knows; `None` for others.
    fn builtin(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let result = match (name, arguments) {
            ("__CPROVER_assume" | "__VERIFIER_assume" | "assume_abort_if_not", [condition]) => {
                let condition = self.truth_of(condition)?;
                self.at(position);
                self.effect(Op::Assume { condition });
                Value::Void
            }
            ("__CPROVER_assert", [condition, text]) => {
                let condition = self.truth_of(condition)?;
                self.at(position);
                let property = string_of(text).unwrap_or_else(|| "assertion".to_owned());
                self.effect(Op::Assert { condition, property });
                Value::Void
            }
            ("assert", [condition]) => {
                let text = crate::c::print::print_expression(condition);
                let condition = self.truth_of(condition)?;
                self.at(position);
                self.effect(Op::Assert { condition, property: text });
                Value::Void
            }
            ("__assert_fail" | "__assert" | "__assert_rtn", [text, ..]) => {
                self.fail(&string_of(text).unwrap_or_else(|| "assertion".to_owned()));
                Value::Void
            }
            ("reach_error" | "__VERIFIER_error", []) => {
                self.fail(&format!("{name}() is never called"));
                Value::Void
            }
            ("abort" | "exit" | "_exit" | "_Exit" | "quick_exit" | "__builtin_trap", _) => {
                for argument in arguments {
                    self.value(argument)?;
                }
                self.terminate(TerminatorKind::Halt);
                Value::Void
            }
            ("__builtin_unreachable", []) => {
                self.terminate(TerminatorKind::Unreachable);
                Value::Void
            }
            ("__CPROVER_atomic_begin" | "__VERIFIER_atomic_begin", []) => {
                self.close_statement();
                self.effect(Op::AtomicBegin);
                self.depth += 1;
                Value::Void
            }
            ("__CPROVER_atomic_end" | "__VERIFIER_atomic_end", []) => {
                if self.depth <= self.base_depth {
                    return self.error(position, "no atomic section is open here");
                }
                self.effect(Op::AtomicEnd);
                self.depth -= 1;
                Value::Void
            }
            ("__CPROVER_predicate", [predicate]) => {
                let id = self.unit.current_function(&self.function.name);
                match super::predicate::expression(self.unit, id, predicate) {
                    Some(expression) => {
                        let text = crate::c::print::print_expression(predicate);
                        self.unit
                            .module
                            .predicates
                            .push(sapa_ir::goto::Predicate { expression, text });
                    }
                    None => {
                        return self.error(
                            position,
                            "a predicate must be made of variables, constants and operators",
                        );
                    }
                }
                Value::Void
            }
            ("__CPROVER_parameter_predicates", _) => Value::Void,
            ("rand" | "random", []) => {
                let result = if name == "rand" {
                    self.unit.integers().int()
                } else {
                    self.unit.integers().long()
                };
                let bits = self.bits(&result);
                let value = self.nondet(Type::Int(bits));
                // RAND_MAX is 2^31 - 1.
                let max = Operand::int(bits, 0x7fff_ffff);
                let condition = self.compare(CompareOp::UnsignedLe, value, max);
                self.effect(Op::Assume { condition });
                Value::Scalar(value, result)
            }
            _ if name.starts_with("__VERIFIER_nondet_") => {
                let ty = match self.unit.lookup(name) {
                    Some(Entity::Function(ty)) => ty.result.clone(),
                    _ => nondet_type(self, &name["__VERIFIER_nondet_".len()..]),
                };
                self.any(&ty, position)?
            }
            ("__builtin_expect", [value, _]) => self.value(value)?,
            ("__builtin_constant_p", [_]) => self.int(0),
            ("malloc", [size]) => self.allocate(size, None, position)?,
            ("calloc", [count, size]) => self.allocate(count, Some(size), position)?,
            ("free", [pointer]) => {
                let value = self.value(pointer)?;
                let (address, _) = self.scalar(value, position)?;
                self.effect(Op::Free { address });
                Value::Void
            }
            ("pthread_create", [handle, _, start, argument]) => {
                self.create(handle, start, argument, position)?
            }
            ("pthread_join" | "thrd_join", [handle, result]) => {
                self.join_thread(handle, result, position)?
            }
            ("pthread_exit", [value]) => {
                self.value(value)?;
                self.close_statement();
                self.terminate(TerminatorKind::EndThread);
                Value::Void
            }
            ("pthread_self", []) => {
                let bits = self.pointer_bits();
                let ty = CType::int(bits, false, 4);
                Value::Scalar(self.define(Op::ThreadSelf, Type::Int(bits)), ty)
            }
            ("pthread_equal", [a, b]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.arithmetic(crate::c::ast::BinaryOperator::Equal, a, b, position)?
            }
            ("pthread_mutex_init" | "mtx_init", [mutex, kind]) => {
                // A null attribute, or `mtx_plain`.
                let kind = self.value(kind)?;
                if !matches!(kind, Value::Scalar(Operand::Null | Operand::Int { value: 0, .. }, _))
                {
                    return self
                        .error(position, "only mutexes with the default attributes are supported");
                }
                let value = self.value(mutex)?;
                let (address, _) = self.scalar(value, position)?;
                self.at(position);
                self.effect(Op::Store {
                    address,
                    value: Operand::int(32, 0),
                    ty: Type::Int(32),
                    order: MemoryOrder::Plain,
                    volatile: false,
                });
                self.int(0)
            }
            _ if WITHOUT_EFFECT.contains(&name) => {
                for argument in arguments {
                    self.value(argument)?;
                }
                self.at(position);
                let int = self.unit.integers().int();
                self.any(&int, position)?
            }
            _ => {
                if let Some(value) = self.synchronisation(name, arguments, position)? {
                    value
                } else if let Some(value) = self.atomic_builtin(name, arguments, position)? {
                    value
                } else {
                    return Ok(None);
                }
            }
        };
        Ok(Some(result))
    }

    fn allocate(
        &mut self,
        first: &Expression,
        second: Option<&Expression>,
        position: Position,
    ) -> Lowered<Value> {
        let size = self.unit.integers().size();
        let value = self.value(first)?;
        let value = self.convert(value, &size, position)?;
        let (mut bytes, _) = self.scalar(value, position)?;
        if let Some(second) = second {
            let value = self.value(second)?;
            let value = self.convert(value, &size, position)?;
            let (other, _) = self.scalar(value, position)?;
            bytes = self.binary(BinaryOp::Mul, bytes, other, false);
        }
        let op = Op::Allocate { size: bytes, zeroed: second.is_some(), ty: None };
        Ok(Value::Scalar(self.define(op, Type::Pointer), CType::from(Kind::Void).pointer()))
    }

    fn create(
        &mut self,
        handle: &Expression,
        start: &Expression,
        argument: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        let mut target = start;
        while let ExpressionKind::Cast { operand, .. }
        | ExpressionKind::Unary { operator: UnaryOperator::AddressOf, operand } = &target.kind
        {
            target = operand;
        }
        let ExpressionKind::Identifier(name) = &target.kind else {
            return self.error(
                start.position,
                "the function that a thread starts with must be named here",
            );
        };
        let Some(ty) = self.unit.defined_type(name) else {
            return self
                .error(start.position, format!("the thread function '{name}' is not defined"));
        };
        let function = self.unit.function(name, &ty, position);
        let argument = self.value(argument)?;
        let mut arguments = Vec::new();
        if let Some(parameter) = ty.parameters.first() {
            let argument = self.convert(argument, parameter, position)?;
            arguments.push(self.scalar(argument, position)?.0);
        }
        let handle = self.value(handle)?;
        let (address, handle_type) = self.scalar(handle, position)?;
        let bits = self.pointer_bits();
        self.at(position);
        self.interrupted(|body| {
            let op = Op::Spawn { function: Operand::Function(function), arguments };
            let id = body.define(op, Type::Int(bits));
            if address != Operand::Null {
                let ty =
                    handle_type.pointee().cloned().unwrap_or_else(|| CType::int(bits, false, 4));
                let id = Value::Scalar(id, CType::int(bits, false, 4));
                let id = body.convert(id, &ty, position)?;
                body.store(&Place { address, ty }, id, position)?;
            }
            Ok(())
        })?;
        Ok(self.int(0))
    }

    fn join_thread(
        &mut self,
        handle: &Expression,
        result: &Expression,
        position: Position,
    ) -> Lowered<Value> {
        let bits = self.pointer_bits();
        let handle = self.value(handle)?;
        let handle = self.convert(handle, &CType::int(bits, false, 4), position)?;
        let (handle, _) = self.scalar(handle, position)?;
        let result = self.value(result)?;
        let (address, ty) = self.scalar(result, position)?;
        self.at(position);
        self.interrupted(|body| body.effect(Op::Join { handle }));
        if !matches!(address, Operand::Null | Operand::Int { .. })
            && let Some(ty) = ty.pointee().cloned()
        {
            let any = self.any(&ty, position)?;
            self.store(&Place { address, ty }, any, position)?;
        }
        Ok(self.int(0))
    }

    /// Locks, condition variables, semaphores.
    fn synchronisation(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let op = match name {
            "pthread_mutex_lock" | "mtx_lock" => SyncOp::MutexLock,
            "pthread_mutex_unlock" | "mtx_unlock" => SyncOp::MutexUnlock,
            "pthread_mutex_trylock" | "mtx_trylock" => SyncOp::MutexTryLock,
            "pthread_cond_wait" | "cnd_wait" => SyncOp::ConditionWait,
            "pthread_cond_signal" | "cnd_signal" => SyncOp::ConditionSignal,
            "pthread_cond_broadcast" | "cnd_broadcast" => SyncOp::ConditionBroadcast,
            "pthread_rwlock_rdlock" => SyncOp::ReadLock,
            "pthread_rwlock_wrlock" => SyncOp::WriteLock,
            "pthread_rwlock_unlock" => SyncOp::ReadWriteUnlock,
            "sem_wait" => SyncOp::SemaphoreWait,
            "sem_post" => SyncOp::SemaphorePost,
            "pthread_barrier_wait" => SyncOp::BarrierWait,
            _ => return Ok(None),
        };
        let mut operands = Vec::new();
        for argument in arguments {
            let value = self.value(argument)?;
            operands.push(self.scalar(value, argument.position)?.0);
        }
        self.at(position);
        let int = self.unit.integers().int();
        let bits = self.bits(&int);
        Ok(Some(self.interrupted(|body| {
            let sync = Op::Sync { op, arguments: operands };
            if op == SyncOp::MutexTryLock {
                let taken = body.define(sync, Type::Int(1));
                // 0 for success, EBUSY otherwise.
                let op = Op::Select {
                    condition: taken,
                    a: Operand::int(bits, 0),
                    b: Operand::int(bits, 16),
                };
                Value::Scalar(body.define(op, Type::Int(bits)), int)
            } else {
                body.effect(sync);
                Value::Scalar(Operand::int(bits, 0), int)
            }
        })))
    }

    /// GCC's `__sync_*` and `__atomic_*`, one atomic section each.
    fn atomic_builtin(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lowered<Option<Value>> {
        if matches!(
            name,
            "__sync_synchronize"
                | "__atomic_thread_fence"
                | "__atomic_signal_fence"
                | "atomic_thread_fence"
        ) {
            self.effect(Op::Fence { order: MemoryOrder::SequentiallyConsistent });
            return Ok(Some(Value::Void));
        }
        let Some((object, rest)) = arguments.split_first() else { return Ok(None) };
        let Some(kind) = AtomicKind::of(name) else { return Ok(None) };
        let pointer = self.value(object)?;
        let (address, ty) = self.scalar(pointer, position)?;
        let Some(mut ty) = ty.pointee().cloned() else {
            return self.error(position, "an atomic operation needs a pointer");
        };
        // The section makes it one step; the object itself may be a plain one.
        ty.atomic = false;
        let place = Place { address, ty: ty.clone() };
        let mut values = Vec::new();
        let count = kind.operands();
        for argument in rest.iter().take(count) {
            values.push(self.value(argument)?);
        }
        if values.len() < count {
            return self.error(position, format!("too few arguments to '{name}'"));
        }
        self.at(position);
        let may_fail = matches!(kind, AtomicKind::CompareExchange { .. })
            && rest
                .get(2)
                .is_none_or(|weak| self.unit.constant(weak).is_none_or(|(weak, _)| weak != 0));
        self.effect(Op::AtomicBegin);
        let result = self.atomic_steps(kind, &place, values, may_fail, position);
        self.effect(Op::AtomicEnd);
        result.map(Some)
    }

    fn atomic_steps(
        &mut self,
        kind: AtomicKind,
        place: &Place,
        values: Vec<Value>,
        may_fail: bool,
        position: Position,
    ) -> Lowered<Value> {
        let mut values = values.into_iter();
        let ty = place.ty.clone();
        let mut next = |body: &mut Self| match values.next() {
            Some(value) => Ok(value),
            None => body.error(position, "too few arguments"),
        };
        match kind {
            AtomicKind::Load => self.load(place, position),
            AtomicKind::LoadTo => {
                let target = next(self)?;
                let (address, _) = self.scalar(target, position)?;
                let value = self.load(place, position)?;
                self.store(&Place { address, ty }, value, position)?;
                Ok(Value::Void)
            }
            AtomicKind::Store => {
                let value = next(self)?;
                let value = self.convert(value, &ty, position)?;
                self.store(place, value, position)?;
                Ok(Value::Void)
            }
            AtomicKind::StoreFrom => {
                let source = next(self)?;
                let (address, _) = self.scalar(source, position)?;
                let value = self.load(&Place { address, ty }, position)?;
                self.store(place, value, position)?;
                Ok(Value::Void)
            }
            AtomicKind::Exchange => {
                let value = next(self)?;
                let value = self.convert(value, &ty, position)?;
                let old = self.load(place, position)?;
                self.store(place, value, position)?;
                Ok(old)
            }
            AtomicKind::Clear => {
                let zero = self.int(0);
                let zero = self.convert(zero, &ty, position)?;
                self.store(place, zero, position)?;
                Ok(Value::Void)
            }
            AtomicKind::TestAndSet => {
                let old = self.load(place, position)?;
                let one = self.int(1);
                let one = self.convert(one, &ty, position)?;
                self.store(place, one, position)?;
                let bool_type: CType = Kind::Bool.into();
                self.convert(old, &bool_type, position)
            }
            AtomicKind::Fetch { .. } if !ty.is_integer() => {
                self.error(position, "atomic arithmetic on pointers is not supported")
            }
            AtomicKind::Fetch { op, new } => {
                let value = next(self)?;
                let old = self.load(place, position)?;
                let value = self.convert(value, &ty, position)?;
                let (x, _) = self.scalar(old.clone(), position)?;
                let (y, _) = self.scalar(value, position)?;
                // Atomic arithmetic wraps.
                let mut sum = self.binary(op.unwrap_or(BinaryOp::And), x, y, false);
                if op.is_none() {
                    let memory = self.function.operand_type(sum);
                    sum =
                        self.define(Op::Unary { op: sapa_ir::goto::UnaryOp::Not, a: sum }, memory);
                }
                let result = Value::Scalar(sum, ty);
                self.store(place, result.clone(), position)?;
                Ok(if new { result } else { old })
            }
            AtomicKind::CompareSwap { old_result } => {
                let (expected, desired) = (next(self)?, next(self)?);
                let expected = self.convert(expected, &ty, position)?;
                let desired = self.convert(desired, &ty, position)?;
                let (old, same) = self.swap_if_equal(place, expected, desired, false, position)?;
                Ok(if old_result { old } else { self.truth_value(same) })
            }
            AtomicKind::CompareExchange { by_value } => {
                let (expected, desired) = (next(self)?, next(self)?);
                let (address, _) = self.scalar(expected, position)?;
                let expected_place = Place { address, ty: ty.clone() };
                let expected = self.load(&expected_place, position)?;
                let desired = if by_value {
                    self.convert(desired, &ty, position)?
                } else {
                    let (address, _) = self.scalar(desired, position)?;
                    self.load(&Place { address, ty: ty.clone() }, position)?
                };
                let (old, same) =
                    self.swap_if_equal(place, expected, desired, may_fail, position)?;
                // After a success the expected value is stored again: no change.
                self.store(&expected_place, old, position)?;
                Ok(self.truth_value(same))
            }
        }
    }

    /// Stores `desired` if the object equals `expected`; the old value and
    /// whether it was stored. A weak exchange may fail without a reason.
    fn swap_if_equal(
        &mut self,
        place: &Place,
        expected: Value,
        desired: Value,
        may_fail: bool,
        position: Position,
    ) -> Lowered<(Value, Operand)> {
        let old = self.load(place, position)?;
        let ((x, _), (e, _), (d, _)) = (
            self.scalar(old.clone(), position)?,
            self.scalar(expected, position)?,
            self.scalar(desired, position)?,
        );
        let mut same = self.compare(CompareOp::Eq, x, e);
        if may_fail {
            let luck = self.nondet(Type::Int(1));
            same = self.binary(BinaryOp::And, same, luck, false);
        }
        let memory = self.function.operand_type(x);
        let new = self.define(Op::Select { condition: same, a: d, b: x }, memory);
        self.store(place, Value::Scalar(new, place.ty.clone()), position)?;
        Ok((old, same))
    }
}

/// What an atomic builtin does.
#[derive(Clone, Copy, Debug)]
enum AtomicKind {
    Load,
    LoadTo,
    Store,
    StoreFrom,
    Exchange,
    Clear,
    TestAndSet,
    /// `op` is `None` for nand; `new`: the result is the new value.
    Fetch {
        op: Option<BinaryOp>,
        new: bool,
    },
    CompareSwap {
        old_result: bool,
    },
    CompareExchange {
        by_value: bool,
    },
}

impl AtomicKind {
    fn of(name: &str) -> Option<Self> {
        let operation = |word: &str| {
            Some(match word {
                "add" => Some(BinaryOp::Add),
                "sub" => Some(BinaryOp::Sub),
                "and" => Some(BinaryOp::And),
                "or" => Some(BinaryOp::Or),
                "xor" => Some(BinaryOp::Xor),
                "nand" => None,
                _ => return None,
            })
        };
        let word = name.strip_prefix("__sync_").or_else(|| name.strip_prefix("__atomic_"))?;
        if let Some(word) = word.strip_prefix("fetch_and_").or_else(|| word.strip_prefix("fetch_"))
        {
            return Some(Self::Fetch { op: operation(word)?, new: false });
        }
        if let Some(word) = word.strip_suffix("_and_fetch").or_else(|| word.strip_suffix("_fetch"))
        {
            return Some(Self::Fetch { op: operation(word)?, new: true });
        }
        Some(match word {
            "bool_compare_and_swap" => Self::CompareSwap { old_result: false },
            "val_compare_and_swap" => Self::CompareSwap { old_result: true },
            "lock_test_and_set" | "exchange_n" => Self::Exchange,
            "lock_release" | "clear" => Self::Clear,
            "test_and_set" => Self::TestAndSet,
            "load_n" => Self::Load,
            "load" => Self::LoadTo,
            "store_n" => Self::Store,
            "store" => Self::StoreFrom,
            "compare_exchange_n" => Self::CompareExchange { by_value: true },
            "compare_exchange" => Self::CompareExchange { by_value: false },
            _ => return None,
        })
    }

    /// Operands besides the object; what follows (memory orders) is not evaluated.
    fn operands(self) -> usize {
        match self {
            Self::Load | Self::Clear | Self::TestAndSet => 0,
            Self::CompareSwap { .. } | Self::CompareExchange { .. } => 2,
            _ => 1,
        }
    }
}

fn string_of(expression: &Expression) -> Option<String> {
    match &expression.kind {
        ExpressionKind::String(string) => Some(string.to_text()),
        ExpressionKind::Cast { operand, .. } => string_of(operand),
        _ => None,
    }
}

fn nondet_type(body: &Body<'_, '_>, suffix: &str) -> CType {
    let integers = body.unit.integers();
    let target = body.unit.module.target;
    match suffix {
        "bool" => Kind::Bool.into(),
        "char" | "schar" => integers.char(),
        "uchar" | "u8" => CType::int(8, false, 1),
        "short" => CType::int(target.short_bits, true, 2),
        "ushort" | "u16" => CType::int(target.short_bits, false, 2),
        "uint" | "unsigned" | "u32" => integers.unsigned_int(),
        "long" => integers.long(),
        "ulong" | "size_t" | "u64" => integers.size(),
        "longlong" => CType::int(target.long_long_bits, true, 5),
        "ulonglong" => CType::int(target.long_long_bits, false, 5),
        "pointer" => CType::from(Kind::Void).pointer(),
        "float" | "double" => Kind::Unsupported("a floating-point type").into(),
        _ => integers.int(),
    }
}
