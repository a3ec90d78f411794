//! `lower-sync`: operations on locks and semaphores become atomic sections over
//! the object's cell, as [`SyncOp`] defines them.
//!
//! A condition variable's wait may wake up without a signal, so it is an unlock
//! and a lock; a signal then has nothing to do but to be a fence, as POSIX has it
//! of all these functions. Every run with signals is one of these runs.

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, Builder, CompareOp, Entity, FunctionId, Instruction, MemoryOrder, Module, Op,
    Operand, Section, SyncOp, Type, mnemonic,
};

use crate::analysis::AnalysisKind;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::once::ExecutedOnce;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "lower-sync",
    summary: "turn locks and semaphores into atomic sections over their cells",
    options: &[],
    preserves: &[AnalysisKind::of::<CallGraph>(), AnalysisKind::of::<ExecutedOnce>()],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, _: &mut Context<'_>) -> Result<bool, PassError> {
    let is_sync = |instruction: &Instruction| matches!(instruction.op, Op::Sync { .. });
    if !module.function(id).instructions().any(is_sync) {
        return Ok(false);
    }
    let mut function = std::mem::take(&mut module.functions[id.index()]);
    let mut unknown = None;
    function.rewrite(|builder, _, instruction| match &instruction.op {
        Op::Sync { op, arguments } => {
            let operation = module.intern_name(mnemonic::word(mnemonic::SYNC, op));
            builder.location.operation = Some(operation);
            if !(Lowering { builder }).lower(*op, arguments, &instruction) {
                unknown = unknown.or(Some(instruction.location));
            }
        }
        _ => builder.push(instruction),
    });
    module.functions[id.index()] = function;
    match unknown {
        None => Ok(true),
        Some(location) => {
            let message = "this synchronisation operation has no model yet";
            Err(PassError::at(PASS.name, Entity::Function(id), location, message))
        }
    }
}

struct Lowering<'b, 'f> {
    builder: &'b mut Builder<'f>,
}

const CELL: Type = Type::Int(32);

fn number(n: i32) -> Operand {
    Operand::int(32, u128::from(n.cast_unsigned()))
}

impl Lowering<'_, '_> {
    /// Names an object that nothing is done to, for reports of what is executed.
    fn mention(&mut self, object: Operand) {
        self.builder.define(Op::Copy { a: object }, Type::Pointer);
    }

    fn load(&mut self, address: Operand) -> Operand {
        let order = MemoryOrder::SequentiallyConsistent;
        self.builder.define(Op::Load { address, order, volatile: false }, CELL)
    }

    fn store(&mut self, address: Operand, value: Operand) {
        let order = MemoryOrder::SequentiallyConsistent;
        self.builder.effect(Op::Store { address, value, ty: CELL, order, volatile: false });
    }

    /// Waits until the cell compares to a number; its value.
    fn wait(&mut self, address: Operand, op: CompareOp, than: Operand) -> Operand {
        let value = self.load(address);
        let condition = self.builder.compare(op, value, than);
        self.builder.effect(Op::Assume { condition });
        value
    }

    fn add(&mut self, value: Operand, by: i32) -> Operand {
        self.builder.binary(BinaryOp::Add, value, number(by), false)
    }

    /// Whether the operation has a model.
    fn lower(&mut self, op: SyncOp, arguments: &[Operand], instruction: &Instruction) -> bool {
        let (Some(&object), second) = (arguments.first(), arguments.get(1).copied()) else {
            return false;
        };
        match op {
            SyncOp::MutexUnlock => {
                self.store(object, number(0));
                return true;
            }
            SyncOp::SpinUnlock => {
                let (order, value) = (MemoryOrder::Release, number(0));
                let store = Op::Store { address: object, value, ty: CELL, order, volatile: false };
                self.builder.effect(store);
                return true;
            }
            // Where nobody waits, glibc only looks for that: no store that waits has to reach memory.
            SyncOp::ConditionSignal | SyncOp::ConditionBroadcast => {
                self.mention(object);
                return true;
            }
            SyncOp::BarrierWait => return false,
            SyncOp::ConditionWait => {
                let Some(mutex) = second else { return false };
                self.mention(object);
                self.store(mutex, number(0));
                return self.lower(SyncOp::MutexLock, &[mutex], instruction);
            }
            _ => {}
        }
        self.builder.effect(Op::AtomicBegin(Section::Locked));
        match op {
            SyncOp::MutexLock => {
                self.wait(object, CompareOp::Eq, number(0));
                self.store(object, number(1));
            }
            SyncOp::MutexTryLock => self.try_lock(object, instruction),
            SyncOp::ReadLock => {
                let value = self.wait(object, CompareOp::Ne, number(-1));
                // The number of readers is never that of a writer: POSIX lets a lock have a most.
                let condition = self.builder.compare(CompareOp::Ne, value, number(-2));
                self.builder.effect(Op::Assume { condition });
                let sum = self.add(value, 1);
                self.store(object, sum);
            }
            SyncOp::WriteLock => {
                self.wait(object, CompareOp::Eq, number(0));
                self.store(object, number(-1));
            }
            SyncOp::ReadWriteUnlock => {
                let value = self.load(object);
                let condition = self.builder.compare(CompareOp::Eq, value, number(-1));
                let fewer = self.add(value, -1);
                let new =
                    self.builder.define(Op::Select { condition, a: number(0), b: fewer }, CELL);
                self.store(object, new);
            }
            SyncOp::SemaphoreWait => {
                let value = self.wait(object, CompareOp::Ne, number(0));
                let fewer = self.add(value, -1);
                self.store(object, fewer);
            }
            SyncOp::SemaphorePost => {
                let value = self.load(object);
                let more = self.add(value, 1);
                self.store(object, more);
            }
            _ => return false,
        }
        self.builder.effect(Op::AtomicEnd);
        true
    }

    fn try_lock(&mut self, object: Operand, instruction: &Instruction) {
        let value = self.load(object);
        let free = Op::Compare { op: CompareOp::Eq, a: value, b: number(0) };
        let free = match instruction.result {
            Some(result) => {
                let location = self.builder.location;
                self.builder.push(Instruction { op: free, result: Some(result), location });
                Operand::Value(result)
            }
            None => self.builder.define(free, BOOL),
        };
        let new = self.builder.define(Op::Select { condition: free, a: number(1), b: value }, CELL);
        self.store(object, new);
    }
}
