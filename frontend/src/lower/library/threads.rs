//! Starting, joining and ending threads: pthreads and C11.

use sapa_ir::goto::{CompareOp, Op, Operand, TerminatorKind, Type};

use crate::lower::body::{Body, Place, Value};
use crate::lower::operator::BinaryOperator;
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Functions that set what does not matter to the model; they succeed.
const SUCCEED: &[&str] =
    &["pthread_attr_init", "pthread_attr_destroy", "pthread_detach", "thrd_detach"];

/// `PTHREAD_STACK_MIN`, the longest name of a thread, `EINVAL` and `ERANGE` on Linux.
const MIN_STACK: u128 = 16384;
const MAX_NAME: usize = 15;
pub(super) const EINVAL: u128 = 22;
const ERANGE: u128 = 34;

impl Body<'_, '_> {
    pub(super) fn thread_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let value = match (name, arguments) {
            ("pthread_create", [handle, _, start, argument])
            | ("thrd_create", [handle, start, argument]) => {
                self.create(name, [handle, start, argument], position)?
            }
            ("pthread_join" | "thrd_join", [handle, result]) => {
                self.join_thread(name, handle, result, position)?
            }
            ("pthread_exit" | "thrd_exit", [value]) => {
                let value = match value {
                    Value::Scalar(operand, _) => Some(*operand),
                    _ => None,
                };
                self.close_statement();
                self.terminate(TerminatorKind::EndThread(value));
                Value::Void
            }
            ("pthread_self" | "thrd_current", []) => {
                let bits = self.pointer_bits();
                let ty = CType::int(bits, false, 4);
                Value::Scalar(self.define(Op::ThreadSelf, Type::Int(bits)), ty)
            }
            ("pthread_equal" | "thrd_equal", [a, b]) => {
                self.arithmetic(BinaryOperator::Equal, a.clone(), b.clone(), position)?
            }
            ("pthread_attr_setstacksize", [_, size]) => match self.constant_operand(Some(size)) {
                Some(size) if size >= MIN_STACK => self.int(0),
                Some(_) => self.int(EINVAL),
                None => {
                    return self.error(position, "stack sizes must be constants");
                }
            },
            ("pthread_setschedparam" | "pthread_setaffinity_np", [_, _, _]) => self.any_error(),
            ("pthread_setname_np", [thread, name]) => {
                let text = match name {
                    Value::Scalar(operand, _) => self.text_at(*operand),
                    _ => None,
                };
                // What is not ASCII may have another length in bytes.
                match text.filter(|text| text.is_ascii()) {
                    Some(text) if text.len() > MAX_NAME => self.int(ERANGE),
                    Some(_) if self.is_self(thread) => self.int(0),
                    // Another thread may have ended.
                    _ => self.any_error(),
                }
            }
            _ if SUCCEED.contains(&name) => self.int(0),
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// 0, or any error: what a function returns that may fail for reasons outside the program.
    pub(super) fn any_error(&mut self) -> Value {
        let int = self.unit.integers().int();
        let bits = self.bits(&int);
        Value::Scalar(self.at_least(Operand::int(bits, 0), bits), int)
    }

    /// Whether a handle is seen to be the thread's own.
    fn is_self(&self, handle: &Value) -> bool {
        let Value::Scalar(operand, _) = handle else { return false };
        matches!(self.made_by(*operand), Some(Op::ThreadSelf))
    }

    fn create(
        &mut self,
        name: &str,
        [handle, start, argument]: [&Value; 3],
        position: Position,
    ) -> Lowered<Value> {
        let (_, handle_type) = self.scalar(handle.clone(), position)?;
        let address = self.address(handle, position)?;
        let bits = self.pointer_bits();
        let may_fail = self.unit.options.outside.thread_creation_fails;
        if !may_fail {
            self.unit.note("assuming that thread creation succeeds");
        }
        // Without a thread the handle stays as it is: POSIX defines no use of it.
        let failure = may_fail.then(|| {
            let condition = self.nondet(Type::Int(1));
            let (starts, after) = (self.new_block(), self.new_block());
            self.branch(condition, after, starts);
            self.switch_to(starts);
            (condition, after)
        });
        self.interrupted(|body| {
            let id = body.start_thread(start, argument, position)?;
            if address != Operand::Null {
                let unsigned = CType::int(bits, false, 4);
                let ty = handle_type.pointee().filter(|ty| ty.is_scalar()).cloned();
                let ty = ty.unwrap_or_else(|| unsigned.clone());
                let id = body.convert(Value::Scalar(id, unsigned), &ty, position)?;
                body.store(&Place::new(address, ty), id, position)?;
            }
            Ok(())
        })?;
        let success = self.int(0);
        let (Some((condition, after)), Value::Scalar(zero, int)) = (failure, &success) else {
            return Ok(success);
        };
        self.jump(after);
        self.switch_to(after);
        let width = self.bits(int);
        let error = match name {
            // `thrd_error` or `thrd_nomem` of glibc.
            "thrd_create" => {
                let condition = self.nondet(Type::Int(1));
                let (a, b) = (Operand::int(width, 2), Operand::int(width, 3));
                self.define(Op::Select { condition, a, b }, Type::Int(width))
            }
            _ => self.at_least(Operand::int(width, 1), width),
        };
        let op = Op::Select { condition, a: error, b: *zero };
        Ok(Value::Scalar(self.define(op, Type::Int(width)), int.clone()))
    }

    fn join_thread(
        &mut self,
        name: &str,
        handle: &Value,
        result: &Value,
        position: Position,
    ) -> Lowered<Value> {
        let bits = self.pointer_bits();
        let handle = self.operand_as(handle, &CType::int(bits, false, 4), position)?;
        let address = self.address(result, position)?;
        // What a C11 thread returns is an int.
        let int = self.unit.integers().int();
        let ty = if name == "thrd_join" { int } else { CType::from(Kind::Void).pointer() };
        let memory = if name == "thrd_join" { Type::Int(self.bits(&ty)) } else { Type::Pointer };
        self.interrupted(|body| match address {
            Operand::Null | Operand::Int { .. } => {
                body.effect(Op::Join { handle });
                Ok(())
            }
            _ => {
                let value = Value::Scalar(body.define(Op::Join { handle }, memory), ty.clone());
                // The address may be null without being a constant.
                match address {
                    Operand::Value(_) => body.when_not_null(address, |body| {
                        body.store(&Place::new(address, ty), value, position)
                    }),
                    _ => body.store(&Place::new(address, ty), value, position),
                }
            }
        })?;
        Ok(self.int(0))
    }

    /// Does something if a pointer is not null.
    fn when_not_null(
        &mut self,
        pointer: Operand,
        f: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let (then, after) = (self.new_block(), self.new_block());
        let there = self.compare(CompareOp::Ne, pointer, Operand::Null);
        self.branch(there, then, after);
        self.switch_to(then);
        f(self)?;
        self.jump(after);
        self.switch_to(after);
        Ok(())
    }
}
