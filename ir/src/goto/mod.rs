//! The goto IR: an SSA form with block parameters for multi-threaded programs.
//!
//! | file | holds |
//! | --- | --- |
//! | [`entity`] | typed 32-bit indices, and what messages can be about |
//! | [`types`] | scalar and aggregate types and their layout |
//! | [`source`] | source positions and source variables |
//! | [`instruction`] | operands, instructions and terminators |
//! | [`function`] | functions, blocks, values and stack slots |
//! | [`module`] | modules: target, globals, functions, vocabulary, options |
//! | [`predicate`] | predicate expressions and cubes |
//! | [`address`] | how pointers are encoded as bit-vectors |
//! | [`bytes`] | memory as bytes, initial contents |
//! | [`arithmetic`] | operations on constants |
//! | [`interpret`] | concrete execution |
//! | [`builder`] | building a function instruction by instruction |
//! | [`c_text`] | predicates as C |
//! | [`name`] | names in predicates |
//! | [`print`](mod@print) | the text form (`.gir`) |
//! | [`parse`](mod@parse) | reading the text form |
//! | [`mnemonic`] | the words of the text form |
//! | [`nesting`] | how deep types and expressions may nest |
//! | [`generate`] | random modules for tests |
//! | [`verify`](mod@verify) | the laws of the IR |
//! | [`binary`] | the binary form (`.girb`) |
//! | [`read`](mod@read) | either form |
//! | `prune` | leaving out what the entry does not reach |
//! | [`mod@cfg`] | control-flow graph |
//! | [`dominators`] | dominator tree and frontiers |

pub mod address;
pub mod arithmetic;
pub mod binary;
pub mod builder;
pub mod bytes;
pub mod c_text;
pub mod cfg;
pub mod dominators;
pub mod entity;
pub mod function;
pub mod generate;
pub mod instruction;
pub mod interpret;
pub mod mnemonic;
pub mod module;
pub mod name;
pub mod nesting;
pub mod operation;
pub mod parse;
pub mod predicate;
pub mod print;
mod prune;
pub mod read;
pub mod source;
pub mod types;
pub mod verify;

pub use builder::Builder;
pub use entity::{
    BlockId, Entity, FieldIndex, FileId, FunctionId, GlobalId, NameId, SlotId, StructId, ValueId,
    VariableId,
};
pub use function::{Block, Function, Slot, Value};
pub use instruction::{
    BinaryOp, CastOp, CompareOp, Instruction, MemoryOrder, Op, Operand, Section, SyncOp, Target,
    Terminator, TerminatorKind, UnaryOp, handle,
};
pub use module::{
    Atomicity, Endianness, Global, Initializer, MemoryModel, Module, SignedOverflow, TargetInfo,
};
pub use parse::{ParseError, ParseErrors, Positions, parse};
pub use predicate::{Cube, CubeLiteral, Expression, Invariant, Predicate};
pub use print::{print, print_entity, print_expression, print_function, print_type};
pub use read::{ReadError, read};
pub use source::{Location, SourceVariable};
pub use types::{BitField, Field, StructType, Type};
pub use verify::{VerifyError, VerifyErrors, verify};
