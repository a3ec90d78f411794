//! Operands, instructions and terminators.

use serde::{Deserialize, Serialize};

use super::arithmetic;
use super::entity::{BlockId, FieldIndex, FunctionId, GlobalId, SlotId, StructId, ValueId};
use super::module::SignedOverflow;
use super::source::Location;
use super::types::Type;

/// What an instruction reads: an SSA value or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    /// An SSA value of the same function.
    Value(ValueId),
    /// An integer constant; bits of `value` above `bits` are zero.
    Int {
        /// Width, 1 to 128.
        bits: u16,
        /// The bits, zero-extended.
        value: u128,
    },
    /// The null pointer.
    Null,
    /// The address of a global.
    Global(GlobalId),
    /// The address of a function.
    Function(FunctionId),
    /// The address of a stack object of the running activation.
    Slot(SlotId),
}

impl Operand {
    /// The constant `value` truncated to `bits`.
    #[must_use]
    pub fn int(bits: u16, value: u128) -> Self {
        let mask = if bits >= 128 { u128::MAX } else { (1u128 << bits) - 1 };
        Self::Int { bits, value: value & mask }
    }

    /// The constant `true` or `false` of type `i1`.
    #[must_use]
    pub fn bool(value: bool) -> Self {
        Self::Int { bits: 1, value: u128::from(value) }
    }

    /// The value it names, if it is no constant.
    #[must_use]
    pub fn value(self) -> Option<ValueId> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

/// Operations on two bit-vectors of equal width, with a result of that width. What is said of a
/// zero divisor and of far shifts is for predicates: an instruction ends the run there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Sum modulo 2^N.
    Add,
    /// Difference modulo 2^N.
    Sub,
    /// Product modulo 2^N.
    Mul,
    /// Unsigned quotient; all ones for a zero divisor.
    UnsignedDiv,
    /// Signed quotient rounded towards zero, modulo 2^N; −1 or 1 (dividend negative) for a zero divisor, as SMT-LIB `bvsdiv`.
    SignedDiv,
    /// Unsigned remainder; the dividend for a zero divisor.
    UnsignedRem,
    /// Signed remainder with the dividend's sign; the dividend for a zero divisor.
    SignedRem,
    /// Left shift; 0 when the distance (unsigned) is the width or more.
    ShiftLeft,
    /// Right shift that fills with zeros; 0 when the distance is the width or more.
    LogicalShiftRight,
    /// Right shift that fills with the sign; all signs when the distance is the width or more.
    ArithmeticShiftRight,
    /// Bitwise conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// Operations on one bit-vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Bitwise complement (on `i1`: logical negation).
    Not,
    /// Two's-complement negation.
    Neg,
}

/// Comparisons of two bit-vectors of equal width or of two pointers; the result is an `i1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Unsigned less than.
    UnsignedLt,
    /// Unsigned less or equal.
    UnsignedLe,
    /// Signed less than.
    SignedLt,
    /// Signed less or equal.
    SignedLe,
}

/// Changes of width or kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CastOp {
    /// To a wider integer, filled with zeros.
    ZeroExtend,
    /// To a wider integer, filled with the sign.
    SignExtend,
    /// To a narrower integer.
    Truncate,
    /// Pointer to an integer of the pointer's width: its encoding ([`super::address`]).
    PointerToInt,
    /// Integer of the pointer's width to a pointer.
    IntToPointer,
}

/// Memory order of a C11 atomic access or fence.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum MemoryOrder {
    /// A plain (or volatile) access.
    #[default]
    Plain,
    /// `memory_order_relaxed`.
    Relaxed,
    /// `memory_order_acquire` (and `consume`).
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcquireRelease,
    /// `memory_order_seq_cst`.
    SequentiallyConsistent,
}

impl MemoryOrder {
    /// Whether an atomic access or fence of this order is less than sequentially consistent.
    #[must_use]
    pub fn is_weak(self) -> bool {
        !matches!(self, Self::Plain | Self::SequentiallyConsistent)
    }
}

/// Why accesses are one step to other threads. Under sequential consistency all sections are alike;
/// where stores may wait in a buffer they are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Section {
    /// They are accesses of one statement of the source, or scalars of one object. A store among
    /// them may wait in a buffer as any other may.
    Step,
    /// The machine makes them one step as it does with a locked instruction: a read-modify-write,
    /// an operation on a lock, or a section that the program has written itself. It waits for the
    /// thread's buffer and writes to memory.
    Locked,
}

/// Operations on synchronisation objects in memory. The object is an integer
/// cell of type `i32` at the address that is the first argument; all zero is
/// the initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SyncOp {
    /// `(mutex)`: waits until the cell is 0, then sets it to 1. A thread that locks a mutex it holds blocks for ever.
    MutexLock,
    /// `(mutex)`: sets the cell to 0.
    MutexUnlock,
    /// `(lock)`: sets the cell to 0, as a release store does: where stores wait, this one may.
    SpinUnlock,
    /// `(mutex) -> i1`: sets the cell to 1 and returns 1 if it is 0, else returns 0.
    MutexTryLock,
    /// `(condition, mutex)`: releases the mutex, waits for a signal (or wakes spuriously), takes the mutex again.
    ConditionWait,
    /// `(condition)`: wakes one waiting thread.
    ConditionSignal,
    /// `(condition)`: wakes all waiting threads.
    ConditionBroadcast,
    /// `(rwlock)`: waits until the cell is not −1 (nor −2, of so many readers), then adds 1.
    ReadLock,
    /// `(rwlock)`: waits until the cell is 0, then sets it to −1.
    WriteLock,
    /// `(rwlock)`: a writer sets the cell to 0, a reader subtracts 1.
    ReadWriteUnlock,
    /// `(semaphore)`: waits until the cell is not 0, then subtracts 1.
    SemaphoreWait,
    /// `(semaphore)`: adds 1.
    SemaphorePost,
    /// `(barrier)`: waits until as many threads as the barrier holds have arrived.
    BarrierWait,
}

/// The handle of a thread, by its number in order of creation: 1 is the initial thread's, and 0 is
/// no thread's, so that a variable that starts with 0 holds none.
#[must_use]
pub fn handle(thread: u32) -> u128 {
    u128::from(thread) + 1
}

/// What an instruction does. Operand types are checked by the verifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Op {
    /// `a op b`. A run that divides by zero, whose quotient does not fit, or that shifts by the
    /// width or more is cut off here. With `no_signed_wrap` the source operation is signed: under
    /// [`SignedOverflow::Absent`] a run in which it overflows is cut off here too. Only `Add`,
    /// `Sub`, `Mul` and `ShiftLeft` may carry it; what a shift of a signed number loses cuts off no run, as compilers
    /// define it.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Left operand.
        a: Operand,
        /// Right operand.
        b: Operand,
        /// Whether signed overflow is undefined in the source.
        no_signed_wrap: bool,
    },
    /// `op a`.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The operand.
        a: Operand,
    },
    /// `a op b` as an `i1`.
    Compare {
        /// The comparison.
        op: CompareOp,
        /// Left operand.
        a: Operand,
        /// Right operand.
        b: Operand,
    },
    /// Conversion to the result's type.
    Cast {
        /// The conversion.
        op: CastOp,
        /// The operand.
        a: Operand,
    },
    /// `condition ? a : b`.
    Select {
        /// An `i1`.
        condition: Operand,
        /// Result if the condition is 1.
        a: Operand,
        /// Result if the condition is 0.
        b: Operand,
    },
    /// A new version of a source variable with the operand's value (the result carries the tag).
    Copy {
        /// The operand.
        a: Operand,
    },
    /// Address of a field of the structure at `base`.
    FieldAddress {
        /// Address of the structure.
        base: Operand,
        /// Its type.
        structure: StructId,
        /// The field.
        field: FieldIndex,
    },
    /// `base + index * size(element)`; the index has the pointer's width and is signed.
    IndexAddress {
        /// Address of the first element.
        base: Operand,
        /// Element type.
        element: Type,
        /// Number of elements to move by.
        index: Operand,
    },
    /// Reads the scalar at `address`; the result's type is the type read.
    Load {
        /// The address.
        address: Operand,
        /// Memory order of the access.
        order: MemoryOrder,
        /// Whether the source object is `volatile`.
        volatile: bool,
    },
    /// Writes a scalar.
    Store {
        /// The address.
        address: Operand,
        /// What is written.
        value: Operand,
        /// Its type.
        ty: Type,
        /// Memory order of the access.
        order: MemoryOrder,
        /// Whether the source object is `volatile`.
        volatile: bool,
    },
    /// Copies the object of type `ty` at `source` to `destination` (a structure assignment).
    CopyMemory {
        /// Address of the destination.
        destination: Operand,
        /// Address of the source.
        source: Operand,
        /// Type of the object.
        ty: Type,
    },
    /// Gives every scalar of the object of type `ty` at `address` any value, as at the start of its
    /// life: to an alias analysis no pointer in it is valid.
    HavocMemory {
        /// The address.
        address: Operand,
        /// Type of the object.
        ty: Type,
    },
    /// A new heap object of `size` bytes with arbitrary contents (`zeroed`: zeros); the result is its address.
    Allocate {
        /// Size in bytes, of the pointer's width.
        size: Operand,
        /// Whether the object starts with zeros.
        zeroed: bool,
        /// Type that the source gives to the object, where it is known.
        ty: Option<Type>,
    },
    /// Ends the life of a heap object.
    Free {
        /// Address of the object, or null.
        address: Operand,
    },
    /// Size in bytes of the object that a pointer points into, an integer of
    /// pointer width; the object may have ended. Null points into no object.
    ObjectSize {
        /// A pointer into the object.
        address: Operand,
    },
    /// Whether an object of type `ty` lies at the address, within one object that exists: that an access there is
    /// one to memory of the program. It reads nothing.
    Accessible {
        /// The address.
        address: Operand,
        /// Type of the object.
        ty: Type,
        /// Whether objects that have ended count as those that exist.
        ended: bool,
    },
    /// A memory fence.
    Fence {
        /// Its order.
        order: MemoryOrder,
    },
    /// Calls a function; a constant function or a pointer to one.
    Call {
        /// Whom to call.
        callee: Operand,
        /// Arguments, one per parameter.
        arguments: Vec<Operand>,
    },
    /// Starts a thread that runs `function`; the result (optional) is its [`handle`], an integer of
    /// pointer width.
    Spawn {
        /// The thread's function.
        function: Operand,
        /// Its arguments.
        arguments: Vec<Operand>,
    },
    /// Waits until the thread of this handle has ended. The result (optional) is
    /// the value that it ended with, cut or zero-extended to the result's width;
    /// any value if it ended without one.
    Join {
        /// The handle.
        handle: Operand,
    },
    /// The running thread's handle, an integer of pointer width.
    ThreadSelf,
    /// An operation on a synchronisation object.
    Sync {
        /// The operation.
        op: SyncOp,
        /// Its arguments.
        arguments: Vec<Operand>,
    },
    /// Enters an atomic section. Sections nest statically: every block is entered at one depth.
    AtomicBegin(Section),
    /// Leaves an atomic section.
    AtomicEnd,
    /// Any value of the result's type.
    Nondet {
        /// What the value is, if it is a certain one that is not modelled: the name of a function
        /// whose result C defines. A run is one of the program only if the choice is right; what
        /// rests on it is not known.
        unmodelled: Option<String>,
    },
    /// Cuts off the run of this thread unless the condition (an `i1`) holds.
    Assume {
        /// The condition.
        condition: Operand,
    },
    /// An error if the condition (an `i1`) does not hold; the run goes on only if it holds.
    Assert {
        /// The condition.
        condition: Operand,
        /// What is claimed, for reports.
        property: String,
    },
}

/// An instruction: an operation, its result and its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// The value it defines.
    pub result: Option<ValueId>,
    /// Where it comes from.
    pub location: Location,
}

/// A jump target: a block and one argument per block parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// The block.
    pub block: BlockId,
    /// Values for its parameters.
    pub arguments: Vec<Operand>,
}

impl Target {
    /// A target without arguments.
    #[must_use]
    pub fn new(block: BlockId) -> Self {
        Self { block, arguments: Vec::new() }
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TerminatorKind {
    /// Continues at the target.
    Jump(Target),
    /// Continues at `then` if the condition (an `i1`) is 1, else at `otherwise`.
    Branch {
        /// The condition.
        condition: Operand,
        /// Target if it holds.
        then: Target,
        /// Target if not.
        otherwise: Target,
    },
    /// Continues at the case that equals `value`, else at `default`.
    Switch {
        /// An integer.
        value: Operand,
        /// Cases: distinct constants of the value's width, and their targets.
        cases: Vec<(u128, Target)>,
        /// Target if no case matches.
        default: Target,
    },
    /// Returns from the function; from a thread's function: ends the thread.
    Return(Option<Operand>),
    /// Ends the running thread (`pthread_exit`) with a value, or without one.
    EndThread(Option<Operand>),
    /// Ends the whole program (`exit`, `abort`).
    Halt,
    /// Never reached in the source's semantics; a run that comes here is cut off.
    Unreachable,
}

/// A terminator and its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Terminator {
    /// How the block ends.
    pub kind: TerminatorKind,
    /// Where it comes from.
    pub location: Location,
}

/// Calls `$f` with every operand of `$op`; one text for reading (`iter`) and for rewriting (`iter_mut`).
macro_rules! operands_of_op {
    ($op:expr, $f:ident, $iter:ident) => {
        match $op {
            Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => {
                $f(a);
                $f(b);
            }
            Op::Unary { a, .. } | Op::Cast { a, .. } | Op::Copy { a } => $f(a),
            Op::Select { condition, a, b } => {
                $f(condition);
                $f(a);
                $f(b);
            }
            Op::FieldAddress { base, .. } => $f(base),
            Op::IndexAddress { base, index, .. } => {
                $f(base);
                $f(index);
            }
            Op::Load { address, .. }
            | Op::HavocMemory { address, .. }
            | Op::Free { address }
            | Op::ObjectSize { address }
            | Op::Accessible { address, .. } => $f(address),
            Op::Store { address, value, .. } => {
                $f(address);
                $f(value);
            }
            Op::CopyMemory { destination, source, .. } => {
                $f(destination);
                $f(source);
            }
            Op::Allocate { size, .. } => $f(size),
            Op::Call { callee, arguments } | Op::Spawn { function: callee, arguments } => {
                $f(callee);
                arguments.$iter().for_each(&mut $f);
            }
            Op::Sync { arguments, .. } => arguments.$iter().for_each(&mut $f),
            Op::Join { handle } => $f(handle),
            Op::Assume { condition } | Op::Assert { condition, .. } => $f(condition),
            Op::Fence { .. }
            | Op::ThreadSelf
            | Op::AtomicBegin(_)
            | Op::AtomicEnd
            | Op::Nondet { .. } => {}
        }
    };
}

/// Calls `$f` with every target of `$kind`; one text for reading (`iter`) and for rewriting (`iter_mut`).
macro_rules! targets_of {
    ($kind:expr, $f:ident, $iter:ident) => {
        match $kind {
            TerminatorKind::Jump(target) => $f(target),
            TerminatorKind::Branch { then, otherwise, .. } => {
                $f(then);
                $f(otherwise);
            }
            TerminatorKind::Switch { cases, default, .. } => {
                cases.$iter().for_each(|(_, target)| $f(target));
                $f(default);
            }
            TerminatorKind::Return(_)
            | TerminatorKind::EndThread(_)
            | TerminatorKind::Halt
            | TerminatorKind::Unreachable => {}
        }
    };
}

/// Calls `$f` with the operand of `$kind` that is no argument of a target, if there is one.
macro_rules! own_operand_of {
    ($kind:expr, $f:ident) => {
        match $kind {
            TerminatorKind::Branch { condition: value, .. }
            | TerminatorKind::Switch { value, .. }
            | TerminatorKind::Return(Some(value))
            | TerminatorKind::EndThread(Some(value)) => $f(value),
            _ => {}
        }
    };
}

impl Op {
    /// Calls `f` with every operand.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        let mut f = |operand: &Operand| f(*operand);
        operands_of_op!(self, f, iter);
    }

    /// Calls `f` with every operand, to rewrite it.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        operands_of_op!(self, f, iter_mut);
    }

    /// Whether a run may be cut off at an operation that else only computes: at a division or a
    /// shift that is not defined for all values that its operands may have, or at a signed
    /// operation that overflows where that is excluded.
    #[must_use]
    pub fn may_be_undefined(&self, overflow: SignedOverflow) -> bool {
        let Self::Binary { op, a, b, no_signed_wrap } = self else { return false };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                *no_signed_wrap && overflow == SignedOverflow::Absent
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
            _ => match (a, b) {
                (Operand::Int { value: a, .. }, Operand::Int { value: b, bits }) => {
                    arithmetic::undefined(*op, *a, *b, *bits)
                }
                // The least number is undefined where any is.
                (_, Operand::Int { value: b, bits }) => {
                    let least = 1 << ((*bits).clamp(1, 128) - 1);
                    arithmetic::undefined(*op, least, *b, *bits)
                }
                _ => true,
            },
        }
    }

    /// The memory order of an access or a fence; `None` for other operations.
    #[must_use]
    pub fn order(&self) -> Option<MemoryOrder> {
        match self {
            Self::Load { order, .. } | Self::Store { order, .. } | Self::Fence { order } => {
                Some(*order)
            }
            _ => None,
        }
    }

    /// Whether the operation only computes its result from its operands: no memory, no choice, no
    /// effect. It may still cut a run off ([`Self::may_be_undefined`]).
    #[must_use]
    pub fn is_pure(&self) -> bool {
        matches!(
            self,
            Self::Binary { .. }
                | Self::Unary { .. }
                | Self::Compare { .. }
                | Self::Cast { .. }
                | Self::Select { .. }
                | Self::Copy { .. }
                | Self::FieldAddress { .. }
                | Self::IndexAddress { .. }
        )
    }
}

impl TerminatorKind {
    /// Calls `f` with every target, in order.
    pub fn for_each_target<'k>(&'k self, mut f: impl FnMut(&'k Target)) {
        targets_of!(self, f, iter);
    }

    /// Calls `f` with every target, to rewrite it.
    pub fn for_each_target_mut(&mut self, mut f: impl FnMut(&mut Target)) {
        targets_of!(self, f, iter_mut);
    }

    /// Calls `f` with every operand, arguments of targets included.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        let mut f = |operand: &Operand| f(*operand);
        own_operand_of!(self, f);
        self.for_each_target(|target| target.arguments.iter().for_each(&mut f));
    }

    /// Calls `f` with every operand, arguments of targets included, to rewrite it.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        own_operand_of!(self, f);
        self.for_each_target_mut(|target| target.arguments.iter_mut().for_each(&mut f));
    }
}
