//! Operands and results of operations: law 8.

use super::Verifier;
use super::types::fits;
use crate::goto::entity::Entity;
use crate::goto::function::Function;
use crate::goto::instruction::{BinaryOp, CastOp, Instruction, Op, Operand, SyncOp};
use crate::goto::types::{BOOL, Type};

/// What an operation may define.
enum Result {
    /// The operation has no result.
    None,
    /// A value of this type.
    Exactly(Type),
    /// A value of this type, or nothing.
    Maybe(Type),
    /// A value of any scalar type.
    Any,
}

impl Verifier<'_> {
    pub(super) fn operation(
        &mut self,
        function: &Function,
        instruction: &Instruction,
        entity: Entity,
    ) {
        let expected = match self.operands(function, instruction, entity) {
            Ok(expected) => expected,
            Err(message) => return self.error(entity, message),
        };
        let found = instruction.result.map(|r| function.operand_type(Operand::Value(r)));
        let sound = match (&expected, &found) {
            (Result::None, None) | (Result::Maybe(_), None) | (Result::Any, Some(_)) => true,
            (Result::Exactly(ty) | Result::Maybe(ty), Some(found)) => ty == found,
            _ => false,
        };
        if sound {
            return;
        }
        let word = word(&instruction.op);
        let found = self.result_named(found.as_ref());
        self.error(
            entity,
            match expected {
                Result::None => format!("{word} has no result, but {found} is defined"),
                Result::Exactly(ty) => {
                    format!("{word} has a result of type {}, not {found}", self.named(&ty))
                }
                Result::Maybe(ty) => {
                    format!("{word} has a result of type {} or none, not {found}", self.named(&ty))
                }
                Result::Any => format!("{word} has a result, which has to be defined"),
            },
        );
    }

    /// The result that the operation has, if its operands are right.
    fn operands(
        &mut self,
        function: &Function,
        instruction: &Instruction,
        entity: Entity,
    ) -> std::result::Result<Result, String> {
        let ty = |operand: &Operand| function.operand_type(*operand);
        let word = word(&instruction.op);
        let want = |operand: &Operand, expected: &Type| {
            let found = ty(operand);
            if found == *expected {
                Ok(())
            } else {
                let (found, expected) = (self.named(&found), self.named(expected));
                Err(format!("{word} has an operand of type {found}, expected {expected}"))
            }
        };
        let integer = |operand: &Operand| match ty(operand) {
            Type::Int(bits) => Ok(bits),
            other => {
                let found = self.named(&other);
                Err(format!("{word} has an operand of type {found}, expected an integer"))
            }
        };
        let pointer = |operand: &Operand| want(operand, &Type::Pointer);
        let address_bits = Type::Int(self.module.target.pointer_bits);
        Ok(match &instruction.op {
            Op::Binary { op, a, b, no_signed_wrap } => {
                integer(a)?;
                want(b, &ty(a))?;
                let may_overflow = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::ShiftLeft
                );
                if *no_signed_wrap && !may_overflow {
                    return Err(format!("{word} cannot overflow and takes no .nsw"));
                }
                Result::Exactly(ty(a))
            }
            Op::Unary { a, .. } => {
                integer(a)?;
                Result::Exactly(ty(a))
            }
            Op::Compare { a, b, .. } => {
                want(b, &ty(a))?;
                Result::Exactly(BOOL)
            }
            Op::Cast { op, a } => {
                let found = instruction.result.map(|r| function.operand_type(Operand::Value(r)));
                let Some(to) = found else { return Ok(Result::Any) };
                cast(*op, &ty(a), &to, &address_bits)
                    .then_some(Result::Exactly(to.clone()))
                    .ok_or_else(|| self.no_cast(word, &ty(a), &to))?
            }
            Op::Select { condition, a, b } => {
                want(condition, &BOOL)?;
                want(b, &ty(a))?;
                Result::Exactly(ty(a))
            }
            Op::Copy { a } => Result::Exactly(ty(a)),
            Op::FieldAddress { base, structure, field } => {
                pointer(base)?;
                let fields = self.module.structs.get(structure.index()).map(|s| s.fields.len());
                if fields.is_none_or(|count| field.index() >= count) {
                    let of = self.named(&Type::Struct(*structure));
                    return Err(format!("there is no field {field} of {of}"));
                }
                Result::Exactly(Type::Pointer)
            }
            Op::IndexAddress { base, element, index } => {
                pointer(base)?;
                want(index, &address_bits)?;
                self.object_type(element, entity);
                Result::Exactly(Type::Pointer)
            }
            Op::Load { address, .. } => {
                pointer(address)?;
                Result::Any
            }
            Op::Store { address, value, ty: stored, .. } => {
                pointer(address)?;
                want(value, stored)?;
                Result::None
            }
            Op::CopyMemory { destination, source, ty } => {
                pointer(destination)?;
                pointer(source)?;
                self.object_type(ty, entity);
                Result::None
            }
            Op::HavocMemory { address, ty } => {
                pointer(address)?;
                self.object_type(ty, entity);
                Result::None
            }
            Op::Allocate { size, ty, .. } => {
                want(size, &address_bits)?;
                if let Some(ty) = ty {
                    self.object_type(ty, entity);
                }
                Result::Exactly(Type::Pointer)
            }
            Op::Free { address } => {
                pointer(address)?;
                Result::None
            }
            Op::Call { callee, arguments } => {
                pointer(callee)?;
                match self.signature(callee, arguments, function)? {
                    Some(None) => Result::None,
                    Some(Some(result)) => Result::Maybe(result),
                    // Through a pointer: the result is the caller's claim.
                    None if instruction.result.is_some() => Result::Any,
                    None => Result::None,
                }
            }
            Op::Spawn { function: started, arguments } => {
                pointer(started)?;
                self.signature(started, arguments, function)?;
                Result::Maybe(address_bits)
            }
            Op::ObjectSize { address } => {
                pointer(address)?;
                Result::Exactly(address_bits)
            }
            Op::Accessible { address, ty, .. } => {
                pointer(address)?;
                self.object_type(ty, entity);
                Result::Exactly(BOOL)
            }
            Op::Join { handle } => {
                want(handle, &address_bits)?;
                if instruction.result.is_some() { Result::Any } else { Result::None }
            }
            Op::ThreadSelf => Result::Exactly(address_bits),
            Op::Sync { op, arguments } => {
                let count = if *op == SyncOp::ConditionWait { 2 } else { 1 };
                if arguments.len() != count {
                    return Err(format!("{word} takes {count} arguments, not {}", arguments.len()));
                }
                arguments.iter().try_for_each(pointer)?;
                if *op == SyncOp::MutexTryLock { Result::Exactly(BOOL) } else { Result::None }
            }
            Op::Nondet { .. } => Result::Any,
            Op::Assume { condition } | Op::Assert { condition, .. } => {
                want(condition, &BOOL)?;
                Result::None
            }
            Op::Fence { .. } | Op::AtomicBegin(_) | Op::AtomicEnd => Result::None,
        })
    }

    /// The result of a constant callee whose parameters the arguments fit;
    /// `None` for a pointer.
    #[allow(clippy::option_option)] // Known callee; known result.
    fn signature(
        &self,
        callee: &Operand,
        arguments: &[Operand],
        caller: &Function,
    ) -> std::result::Result<Option<Option<Type>>, String> {
        let Operand::Function(id) = callee else { return Ok(None) };
        let Some(function) = self.known_function(*id) else {
            return Err(format!("there is no function {id}"));
        };
        let types: Vec<_> = arguments.iter().map(|a| caller.operand_type(*a)).collect();
        if types == function.parameters {
            Ok(Some(function.result.clone()))
        } else {
            let (wanted, found) = (self.all_named(&function.parameters), self.all_named(&types));
            Err(format!("function `{}` takes {wanted}, but {found} is given", function.name))
        }
    }

    /// What is wrong with a conversion that does not exist.
    pub(super) fn no_cast(&self, word: &str, from: &Type, to: &Type) -> String {
        format!("{word} does not convert {} to {}", self.named(from), self.named(to))
    }
}

/// Whether a conversion exists.
pub(super) fn cast(op: CastOp, from: &Type, to: &Type, address: &Type) -> bool {
    match (op, from, to) {
        (CastOp::ZeroExtend | CastOp::SignExtend, Type::Int(from), Type::Int(to)) => from < to,
        (CastOp::Truncate, Type::Int(from), Type::Int(to)) => from > to,
        (CastOp::PointerToInt, Type::Pointer, to) => to == address,
        (CastOp::IntToPointer, from, Type::Pointer) => from == address,
        _ => false,
    }
}

/// Whether a constant is one of its width.
pub(super) fn constant(bits: u16, value: u128) -> bool {
    (1..=128).contains(&bits) && fits(value, bits)
}

/// The operation's name in messages.
fn word(op: &Op) -> &'static str {
    use crate::goto::mnemonic::{BINARY, CAST, COMPARE, SYNC, UNARY, word};
    match op {
        Op::Binary { op, .. } => word(BINARY, op),
        Op::Unary { op, .. } => word(UNARY, op),
        Op::Compare { op, .. } => word(COMPARE, op),
        Op::Cast { op, .. } => word(CAST, op),
        Op::Select { .. } => "select",
        Op::Copy { .. } => "copy",
        Op::FieldAddress { .. } => "field",
        Op::IndexAddress { .. } => "index",
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::CopyMemory { .. } => "copy_memory",
        Op::HavocMemory { .. } => "havoc",
        Op::Allocate { .. } => "allocate",
        Op::Free { .. } => "free",
        Op::ObjectSize { .. } => "object_size",
        Op::Accessible { .. } => "accessible",
        Op::Fence { .. } => "fence",
        Op::Call { .. } => "call",
        Op::Spawn { .. } => "spawn",
        Op::Join { .. } => "join",
        Op::ThreadSelf => "thread_self",
        Op::Sync { op, .. } => word(SYNC, op),
        Op::AtomicBegin(_) => "atomic_begin",
        Op::AtomicEnd => "atomic_end",
        Op::Nondet { .. } => "nondet",
        Op::Assume { .. } => "assume",
        Op::Assert { .. } => "assert",
    }
}
