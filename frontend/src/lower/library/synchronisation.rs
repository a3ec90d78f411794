//! Locks, condition variables, semaphores: operations of the IR on the first
//! four bytes of the object, which are 0 in an object that is initialised
//! statically. What has more state is modelled in `models/threads.c`.

use sapa_ir::goto::{MemoryOrder, Op, Operand, SyncOp, Type};

use super::threads::EINVAL;
use crate::lower::body::{Body, Value};
use crate::lower::program::Lowered;
use crate::position::Position;

/// Functions that set what does not matter to the model, or end an object's use; they succeed.
const SUCCEED: &[&str] = &[
    "pthread_mutex_destroy",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "pthread_cond_destroy",
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_rwlock_destroy",
    "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy",
    "pthread_barrier_destroy",
    "pthread_spin_destroy",
    "pthread_barrierattr_init",
    "pthread_barrierattr_destroy",
    "sem_destroy",
    "mtx_destroy",
    "cnd_destroy",
];

/// `EBUSY` on Linux, and `thrd_busy` and `PTHREAD_PRIO_PROTECT` of glibc.
const EBUSY: u128 = 16;
const THRD_BUSY: u128 = 1;
const PRIO_PROTECT: u128 = 2;

impl Body<'_, '_> {
    pub(super) fn synchronisation(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        if let Some(value) = self.mutex_operation(name, arguments, position)? {
            return Ok(Some(value));
        }
        if SUCCEED.contains(&name) {
            return Ok(Some(self.int(0)));
        }
        let (op, count) = match name {
            "pthread_mutex_lock" | "mtx_lock" => (SyncOp::MutexLock, 1),
            "pthread_mutex_unlock" | "mtx_unlock" => (SyncOp::MutexUnlock, 1),
            "pthread_spin_lock" | "__sapa_lock" => (SyncOp::MutexLock, 1),
            "__sapa_unlock" => (SyncOp::MutexUnlock, 1),
            "pthread_spin_unlock" => (SyncOp::SpinUnlock, 1),
            "pthread_mutex_trylock"
            | "mtx_trylock"
            | "pthread_spin_trylock"
            | "__sapa_try_lock" => (SyncOp::MutexTryLock, 1),
            "pthread_cond_wait" | "cnd_wait" => (SyncOp::ConditionWait, 2),
            "pthread_cond_signal" | "cnd_signal" => (SyncOp::ConditionSignal, 1),
            "pthread_cond_broadcast" | "cnd_broadcast" => (SyncOp::ConditionBroadcast, 1),
            "pthread_rwlock_rdlock" => (SyncOp::ReadLock, 1),
            "pthread_rwlock_wrlock" => (SyncOp::WriteLock, 1),
            "pthread_rwlock_unlock" => (SyncOp::ReadWriteUnlock, 1),
            "sem_wait" => (SyncOp::SemaphoreWait, 1),
            "pthread_mutex_init"
            | "mtx_init"
            | "pthread_rwlock_init"
            | "pthread_cond_init"
            | "cnd_init"
            | "pthread_spin_init" => {
                return self.set_cell(arguments, Operand::int(32, 0), position).map(Some);
            }
            "sem_init" | "sem_post" => {
                return self.modelled(&format!("__sapa_{name}"), arguments, position);
            }
            "pthread_mutexattr_setrobust" => {
                if self.constant_operand(arguments.get(1)) != Some(0) {
                    return self.error(position, "robust mutexes are not supported");
                }
                return Ok(Some(self.int(0)));
            }
            "pthread_mutexattr_setprotocol" => {
                return match self.constant_operand(arguments.get(1)) {
                    // PTHREAD_PRIO_NONE and PTHREAD_PRIO_INHERIT.
                    Some(0 | 1) => Ok(Some(self.int(0))),
                    Some(PRIO_PROTECT) => {
                        self.error(position, "priority ceilings of mutexes are not supported")
                    }
                    Some(_) => Ok(Some(self.int(EINVAL))),
                    None => self.error(position, "protocols of mutexes must be constants"),
                };
            }
            _ => return Ok(None),
        };
        if matches!(op, SyncOp::ReadLock | SyncOp::WriteLock) {
            // POSIX lets them fail instead.
            self.unit.note("assuming that no thread waits for a read-write lock that it holds");
        }
        let Some(objects) = arguments.get(..count) else {
            return self.error(position, format!("too few arguments to '{name}'"));
        };
        let operands = objects.iter().map(|object| self.address(object, position));
        let operands: Vec<Operand> = operands.collect::<Lowered<_>>()?;
        let int = self.unit.integers().int();
        let bits = self.bits(&int);
        let busy = if name == "mtx_trylock" { THRD_BUSY } else { EBUSY };
        Ok(Some(self.interrupted(|body| {
            let sync = Op::Sync { op, arguments: operands };
            if op == SyncOp::MutexTryLock {
                let taken = body.define(sync, Type::Int(1));
                let op = Op::Select {
                    condition: taken,
                    a: Operand::int(bits, 0),
                    b: Operand::int(bits, busy),
                };
                Value::Scalar(body.define(op, Type::Int(bits)), int)
            } else {
                body.effect(sync);
                Value::Scalar(Operand::int(bits, 0), int)
            }
        })))
    }

    /// Initialises the first four bytes of an object.
    fn set_cell(
        &mut self,
        arguments: &[Value],
        value: Operand,
        position: Position,
    ) -> Lowered<Value> {
        let Some(object) = arguments.first() else {
            return self.error(position, "too few arguments");
        };
        let address = self.address(object, position)?;
        self.effect(Op::Store {
            address,
            value,
            ty: Type::Int(32),
            order: MemoryOrder::Plain,
            volatile: false,
        });
        Ok(self.int(0))
    }
}
