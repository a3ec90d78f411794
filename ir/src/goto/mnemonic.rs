//! The words of the text form: one table for the printer and the parser.

use super::instruction::{BinaryOp, CastOp, CompareOp, MemoryOrder, SyncOp, UnaryOp};
use super::module::MemoryModel;

/// A table of operations and their words.
pub type Table<T> = [(T, &'static str)];

/// Words of binary operations.
pub const BINARY: &Table<BinaryOp> = &[
    (BinaryOp::Add, "add"),
    (BinaryOp::Sub, "sub"),
    (BinaryOp::Mul, "mul"),
    (BinaryOp::UnsignedDiv, "udiv"),
    (BinaryOp::SignedDiv, "sdiv"),
    (BinaryOp::UnsignedRem, "urem"),
    (BinaryOp::SignedRem, "srem"),
    (BinaryOp::ShiftLeft, "shl"),
    (BinaryOp::LogicalShiftRight, "lshr"),
    (BinaryOp::ArithmeticShiftRight, "ashr"),
    (BinaryOp::And, "and"),
    (BinaryOp::Or, "or"),
    (BinaryOp::Xor, "xor"),
];

/// Words of unary operations.
pub const UNARY: &Table<UnaryOp> = &[(UnaryOp::Not, "not"), (UnaryOp::Neg, "neg")];

/// Words of comparisons.
pub const COMPARE: &Table<CompareOp> = &[
    (CompareOp::Eq, "eq"),
    (CompareOp::Ne, "ne"),
    (CompareOp::UnsignedLt, "ult"),
    (CompareOp::UnsignedLe, "ule"),
    (CompareOp::SignedLt, "slt"),
    (CompareOp::SignedLe, "sle"),
];

/// Words of conversions.
pub const CAST: &Table<CastOp> = &[
    (CastOp::ZeroExtend, "zext"),
    (CastOp::SignExtend, "sext"),
    (CastOp::Truncate, "trunc"),
    (CastOp::PointerToInt, "ptrtoint"),
    (CastOp::IntToPointer, "inttoptr"),
];

/// Words of operations on synchronisation objects.
pub const SYNC: &Table<SyncOp> = &[
    (SyncOp::MutexLock, "mutex_lock"),
    (SyncOp::MutexUnlock, "mutex_unlock"),
    (SyncOp::SpinUnlock, "spin_unlock"),
    (SyncOp::MutexTryLock, "mutex_try_lock"),
    (SyncOp::ConditionWait, "condition_wait"),
    (SyncOp::ConditionSignal, "condition_signal"),
    (SyncOp::ConditionBroadcast, "condition_broadcast"),
    (SyncOp::ReadLock, "read_lock"),
    (SyncOp::WriteLock, "write_lock"),
    (SyncOp::ReadWriteUnlock, "read_write_unlock"),
    (SyncOp::SemaphoreWait, "semaphore_wait"),
    (SyncOp::SemaphorePost, "semaphore_post"),
    (SyncOp::BarrierWait, "barrier_wait"),
];

/// Memory models.
pub const MEMORY: &Table<MemoryModel> =
    &[(MemoryModel::Sc, "sc"), (MemoryModel::Tso, "tso"), (MemoryModel::Pso, "pso")];

/// Suffixes; a plain access has none.
pub const ORDER: &Table<MemoryOrder> = &[
    (MemoryOrder::Relaxed, "relaxed"),
    (MemoryOrder::Acquire, "acquire"),
    (MemoryOrder::Release, "release"),
    (MemoryOrder::AcquireRelease, "acq_rel"),
    (MemoryOrder::SequentiallyConsistent, "seq_cst"),
];

/// The word of an operation; empty for what the table does not list.
#[must_use]
pub fn word<T: PartialEq>(table: &Table<T>, op: &T) -> &'static str {
    table.iter().find(|(entry, _)| entry == op).map_or("", |(_, word)| word)
}

/// The operation of a word.
#[must_use]
pub fn find<T: Copy>(table: &Table<T>, word: &str) -> Option<T> {
    table.iter().find(|(_, entry)| *entry == word).map(|(op, _)| *op)
}
