//! `lower-sync`: operations on locks and semaphores become atomic sections over
//! the object's cell, as [`SyncOp`] defines them.
//!
//! A condition variable's wait may wake up without a signal, so it is an unlock
//! and a lock; a signal then has nothing to do. Every run with signals is one of
//! these runs.

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, CompareOp, Function, Instruction, Location, MemoryOrder, Module, Op, Operand, SyncOp,
    Type, mnemonic,
};

use crate::analysis::Preserved;
use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "lower-sync",
    summary: "turn locks and semaphores into atomic sections over their cells",
    options: &[],
    run,
};

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for index in 0..module.functions.len() {
        let mut function = module.functions[index].clone();
        let mut touched = false;
        for block in 0..function.blocks.len() {
            let old = std::mem::take(&mut function.blocks[block].instructions);
            let code = Vec::with_capacity(old.len());
            let mut new = Lowering { function: &mut function, code, location: Location::default() };
            for instruction in old {
                new.location = instruction.location;
                if let Op::Sync { op, arguments } = &instruction.op {
                    touched = true;
                    let operation = module.intern_name(mnemonic::word(mnemonic::SYNC, op));
                    new.location.operation = Some(operation);
                    if !new.lower(*op, arguments, &instruction) {
                        let name = new.function.name.clone();
                        let message = "this synchronisation operation has no model yet";
                        return Err(PassError::new(
                            PASS.name,
                            module,
                            &name,
                            instruction.location,
                            message,
                        ));
                    }
                } else {
                    new.code.push(instruction);
                }
            }
            let code = new.code;
            function.blocks[block].instructions = code;
        }
        if touched {
            module.functions[index] = function;
            changed = true;
        }
    }
    Ok(Changed::when(changed, Preserved::CONTROL))
}

struct Lowering<'f> {
    function: &'f mut Function,
    code: Vec<Instruction>,
    location: Location,
}

const CELL: Type = Type::Int(32);

fn number(n: i32) -> Operand {
    Operand::int(32, u128::from(n.cast_unsigned()))
}

impl Lowering<'_> {
    fn effect(&mut self, op: Op) {
        self.code.push(Instruction { op, result: None, location: self.location });
    }

    fn define(&mut self, op: Op, ty: Type) -> Operand {
        let result = self.function.add_value(ty, None);
        self.code.push(Instruction { op, result: Some(result), location: self.location });
        Operand::Value(result)
    }

    /// Names an object that nothing is done to, for reports of what is executed.
    fn mention(&mut self, object: Operand) {
        self.define(Op::Copy { a: object }, Type::Pointer);
    }

    fn load(&mut self, address: Operand) -> Operand {
        self.define(
            Op::Load { address, order: MemoryOrder::SequentiallyConsistent, volatile: false },
            CELL,
        )
    }

    fn store(&mut self, address: Operand, value: Operand) {
        let order = MemoryOrder::SequentiallyConsistent;
        self.effect(Op::Store { address, value, ty: CELL, order, volatile: false });
    }

    /// Waits until the cell compares to a number; its value.
    fn wait(&mut self, address: Operand, op: CompareOp, than: Operand) -> Operand {
        let value = self.load(address);
        let condition = self.define(Op::Compare { op, a: value, b: than }, BOOL);
        self.effect(Op::Assume { condition });
        value
    }

    fn add(&mut self, value: Operand, by: i32) -> Operand {
        self.define(
            Op::Binary { op: BinaryOp::Add, a: value, b: number(by), no_signed_wrap: false },
            CELL,
        )
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
        self.effect(Op::AtomicBegin);
        match op {
            SyncOp::MutexLock => {
                self.wait(object, CompareOp::Eq, number(0));
                self.store(object, number(1));
            }
            SyncOp::MutexTryLock => self.try_lock(object, instruction),
            SyncOp::ReadLock => {
                let value = self.wait(object, CompareOp::Ne, number(-1));
                let sum = self.add(value, 1);
                self.store(object, sum);
            }
            SyncOp::WriteLock => {
                self.wait(object, CompareOp::Eq, number(0));
                self.store(object, number(-1));
            }
            SyncOp::ReadWriteUnlock => {
                let value = self.load(object);
                let is_writer =
                    self.define(Op::Compare { op: CompareOp::Eq, a: value, b: number(-1) }, BOOL);
                let fewer = self.add(value, -1);
                let new =
                    self.define(Op::Select { condition: is_writer, a: number(0), b: fewer }, CELL);
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
        self.effect(Op::AtomicEnd);
        true
    }

    fn try_lock(&mut self, object: Operand, instruction: &Instruction) {
        let value = self.load(object);
        let free = Op::Compare { op: CompareOp::Eq, a: value, b: number(0) };
        let free = match instruction.result {
            Some(result) => {
                self.code.push(Instruction {
                    op: free,
                    result: Some(result),
                    location: self.location,
                });
                Operand::Value(result)
            }
            None => self.define(free, BOOL),
        };
        let new = self.define(Op::Select { condition: free, a: number(1), b: value }, CELL);
        self.store(object, new);
    }
}
