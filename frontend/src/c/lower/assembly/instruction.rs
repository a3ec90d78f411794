//! Instructions of x86 as GNU's assembler writes them, the target last (Intel SDM, volume 2): those
//! that programs make atomic operations of, with and without the prefix `lock`. `xchg` with memory
//! locks without it.

use sapa_ir::goto::{BinaryOp, CompareOp, MemoryOrder, Op, Operand, Section, Type};

use super::operands::{Location, Operands};
use crate::lower::body::{Body, Place, Value};
use crate::lower::program::Lowered;
use crate::lower::types::CType;
use crate::position::Position;

/// What an instruction does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Move,
    Exchange,
    ExchangeAdd,
    CompareExchange,
    Arithmetic(BinaryOp),
    /// Adds one, or subtracts it.
    Step(BinaryOp),
    Test(CompareOp),
}

/// Instructions that may have a suffix for their width.
const SIZED: &[(&str, Kind)] = &[
    ("mov", Kind::Move),
    ("xchg", Kind::Exchange),
    ("xadd", Kind::ExchangeAdd),
    ("cmpxchg", Kind::CompareExchange),
    ("add", Kind::Arithmetic(BinaryOp::Add)),
    ("sub", Kind::Arithmetic(BinaryOp::Sub)),
    ("and", Kind::Arithmetic(BinaryOp::And)),
    ("or", Kind::Arithmetic(BinaryOp::Or)),
    ("xor", Kind::Arithmetic(BinaryOp::Xor)),
    ("inc", Kind::Step(BinaryOp::Add)),
    ("dec", Kind::Step(BinaryOp::Sub)),
];

/// Registers that hold any value after some instructions: times and features of the processor.
const UNMODELLED: &[(&str, &[&str])] = &[
    ("rdtsc", &["%%eax", "%%edx"]),
    ("rdtscp", &["%%eax", "%%edx", "%%ecx"]),
    ("cpuid", &["%%eax", "%%ebx", "%%ecx", "%%edx"]),
];

/// The kind of an instruction, and the width that it says.
fn kind_of(mnemonic: &str) -> Option<(Kind, Option<u16>)> {
    match mnemonic {
        "sete" | "setz" => return Some((Kind::Test(CompareOp::Ne), Some(8))),
        "setne" | "setnz" => return Some((Kind::Test(CompareOp::Eq), Some(8))),
        _ => {}
    }
    if let Some((_, kind)) = SIZED.iter().find(|(name, _)| *name == mnemonic) {
        return Some((*kind, None));
    }
    let (name, suffix) = mnemonic.split_at_checked(mnemonic.len().checked_sub(1)?)?;
    let width = match suffix {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    SIZED.iter().find(|(of, _)| *of == name).map(|(_, kind)| (*kind, Some(width)))
}

/// An operand of an instruction.
#[derive(Clone, Debug)]
enum Argument {
    At(Location, Option<u16>),
    Constant(i128),
}

impl Body<'_, '_> {
    /// Executes an instruction; `false` if it is not known.
    pub(super) fn instruction(
        &mut self,
        locks: bool,
        words: &[&str],
        operands: &mut Operands,
        position: Position,
    ) -> Lowered<bool> {
        let Some((mnemonic, rest)) = words.split_first() else { return Ok(false) };
        if let Some((_, registers)) = UNMODELLED.iter().find(|(name, _)| name == mnemonic) {
            for register in *registers {
                let Some((Location::Register(index), _)) = operands.find(register) else {
                    return Ok(false);
                };
                let op = Op::Nondet { unmodelled: Some((*mnemonic).to_owned()) };
                let any = self.define(op, Type::Int(32));
                operands.hold(index, Value::Scalar(any, CType::int(32, false, 3)));
            }
            return Ok(!locks && rest.is_empty());
        }
        let Some((kind, width)) = kind_of(mnemonic) else { return Ok(false) };
        let text = rest.join(" ");
        let mut arguments = Vec::new();
        for one in text.split(',').map(str::trim) {
            let argument = match one.strip_prefix('$') {
                Some(number) => match number.parse::<i128>() {
                    Ok(number) => Argument::Constant(number),
                    Err(_) => return Ok(false),
                },
                None => match operands.find(one) {
                    Some((location, width)) => Argument::At(location, width),
                    None => return Ok(false),
                },
            };
            if let Argument::At(Location::Memory(place), _) = &argument
                && operands.is_overwritten
                && !self.is_named(place)
            {
                return Ok(false);
            }
            arguments.push(argument);
        }
        // The width is that of the instruction, of an operand's name, or of the operands' types; all
        // have to agree.
        let mut ty: Option<CType> = width.map(unsigned);
        for argument in &arguments {
            let Argument::At(location, said) = argument else { continue };
            let own = match location {
                Location::Memory(place) => Some(place.ty.clone()),
                Location::Register(index) => match operands.held(*index) {
                    Some(Value::Scalar(_, ty)) => Some(ty),
                    _ => operands.type_of_output(*index),
                },
            };
            // Only a byte of a larger register is set.
            let found = match own {
                _ if said.is_some() && matches!(kind, Kind::Test(_)) => *said,
                Some(own) if own.is_scalar() => {
                    let bits = self.bits(&own);
                    if said.is_some_and(|said| said != bits) {
                        return Ok(false);
                    }
                    Some(bits)
                }
                Some(_) => return Ok(false),
                None => *said,
            };
            let Some(found) = found else { continue };
            match &ty {
                Some(ty) if self.bits(ty) != found => return Ok(false),
                Some(_) => {}
                None => ty = Some(unsigned(found)),
            }
        }
        let Some(ty) = ty else { return Ok(false) };
        let is_in_memory = arguments
            .iter()
            .any(|argument| matches!(argument, Argument::At(Location::Memory(_), _)));
        let may_lock = !matches!(kind, Kind::Move | Kind::Test(_)) && is_in_memory;
        if locks && !may_lock {
            return Ok(false);
        }
        let locks = locks || kind == Kind::Exchange && is_in_memory;
        if !locks {
            return self.execute(kind, &arguments, &ty, operands, position);
        }
        let before = self.order.replace(MemoryOrder::SequentiallyConsistent);
        let done = self.atomically(Section::Locked, |body| {
            body.execute(kind, &arguments, &ty, operands, position)
        });
        self.order = before;
        done
    }

    /// Whether an object is a variable, or a member of one, so that no register holds its address.
    fn is_named(&self, place: &Place) -> bool {
        let mut address = place.address;
        loop {
            address = match (address, self.made_by(address)) {
                (Operand::Slot(_) | Operand::Global(_), _) => return true,
                (_, Some(Op::FieldAddress { base, .. })) => *base,
                _ => return false,
            };
        }
    }

    fn execute(
        &mut self,
        kind: Kind,
        arguments: &[Argument],
        ty: &CType,
        operands: &mut Operands,
        position: Position,
    ) -> Lowered<bool> {
        let bits = self.bits(ty);
        match (kind, arguments) {
            (Kind::Move, [from, to]) => {
                let Some(value) = self.get(from, ty, operands, position)? else { return Ok(false) };
                self.set(to, value, ty, operands, position)
            }
            (Kind::Exchange, [a, b]) => {
                let (Some(x), Some(y)) =
                    (self.get(a, ty, operands, position)?, self.get(b, ty, operands, position)?)
                else {
                    return Ok(false);
                };
                Ok(self.set(a, y, ty, operands, position)?
                    && self.set(b, x, ty, operands, position)?)
            }
            (Kind::ExchangeAdd, [from, to]) => {
                let (Some(by), Some(old)) = (
                    self.get(from, ty, operands, position)?,
                    self.get(to, ty, operands, position)?,
                ) else {
                    return Ok(false);
                };
                let sum = self.binary(BinaryOp::Add, old, by, false);
                operands.zero = Some(self.compare(CompareOp::Eq, sum, Operand::int(bits, 0)));
                Ok(self.set(from, old, ty, operands, position)?
                    && self.set(to, sum, ty, operands, position)?)
            }
            (Kind::CompareExchange, [from, to]) => {
                let accumulator = match bits {
                    8 => "%%al",
                    16 => "%%ax",
                    32 => "%%eax",
                    _ => "%%rax",
                };
                let Some((location, _)) = operands.find(accumulator) else { return Ok(false) };
                let accumulator = Argument::At(location, None);
                let (Some(new), Some(expected), Some(old)) = (
                    self.get(from, ty, operands, position)?,
                    self.get(&accumulator, ty, operands, position)?,
                    self.get(to, ty, operands, position)?,
                ) else {
                    return Ok(false);
                };
                let same = self.compare(CompareOp::Eq, old, expected);
                let op = Op::Select { condition: same, a: new, b: old };
                let stored = self.define(op, Type::Int(bits));
                operands.zero = Some(same);
                // The old value is what was expected, where it is the same.
                Ok(self.set(to, stored, ty, operands, position)?
                    && self.set(&accumulator, old, ty, operands, position)?)
            }
            // The way to clear a register, whatever it holds.
            (
                Kind::Arithmetic(BinaryOp::Xor | BinaryOp::Sub),
                [
                    Argument::At(Location::Register(from), _),
                    to @ Argument::At(Location::Register(same), _),
                ],
            ) if from == same => {
                operands.zero = Some(Operand::bool(true));
                self.set(to, Operand::int(bits, 0), ty, operands, position)
            }
            (Kind::Arithmetic(op), [from, to]) => {
                let Some(by) = self.get(from, ty, operands, position)? else { return Ok(false) };
                self.change(op, by, to, ty, operands, position)
            }
            (Kind::Step(op), [to]) => {
                self.change(op, Operand::int(bits, 1), to, ty, operands, position)
            }
            (Kind::Test(op), [to]) => {
                let Some(zero) = operands.zero else { return Ok(false) };
                let is_set = self.compare(op, zero, Operand::bool(false));
                let byte = self.cast(sapa_ir::goto::CastOp::ZeroExtend, is_set, Type::Int(8));
                self.set(to, byte, &unsigned(8), operands, position)
            }
            _ => Ok(false),
        }
    }

    fn change(
        &mut self,
        op: BinaryOp,
        by: Operand,
        to: &Argument,
        ty: &CType,
        operands: &mut Operands,
        position: Position,
    ) -> Lowered<bool> {
        let Some(old) = self.get(to, ty, operands, position)? else { return Ok(false) };
        let new = self.binary(op, old, by, false);
        operands.zero = Some(self.compare(CompareOp::Eq, new, Operand::int(self.bits(ty), 0)));
        self.set(to, new, ty, operands, position)
    }

    /// The value of an operand as an unsigned number; `None` if it has none.
    fn get(
        &mut self,
        argument: &Argument,
        ty: &CType,
        operands: &Operands,
        position: Position,
    ) -> Lowered<Option<Operand>> {
        let value = match argument {
            Argument::Constant(number) => {
                return Ok(Some(Operand::int(self.bits(ty), *number as u128)));
            }
            Argument::At(Location::Memory(place), _) => self.load(place, position)?,
            Argument::At(Location::Register(index), _) => match operands.held(*index) {
                Some(value) => value,
                None => return Ok(None),
            },
        };
        self.operand_as(&value, ty, position).map(Some)
    }

    /// Gives an operand a value of a type; `false` if it cannot have one.
    fn set(
        &mut self,
        argument: &Argument,
        value: Operand,
        ty: &CType,
        operands: &mut Operands,
        position: Position,
    ) -> Lowered<bool> {
        let value = Value::Scalar(value, ty.clone());
        match argument {
            Argument::Constant(_) => return Ok(false),
            Argument::At(Location::Memory(place), _) => {
                let value = self.convert(value, &place.ty, position)?;
                self.store(place, value, position)?;
            }
            Argument::At(Location::Register(index), _) => {
                let width = self.bits(ty);
                // The other bits of a larger register stay as they are.
                let own = match operands.held(*index) {
                    Some(Value::Scalar(_, held)) => Some(held),
                    _ => operands.type_of_output(*index),
                };
                if own.is_some_and(|own| self.bits(&own) != width) {
                    return Ok(false);
                }
                operands.hold(*index, value);
            }
        }
        Ok(true)
    }
}

fn unsigned(bits: u16) -> CType {
    CType::int(bits, false, if bits == 64 { 4 } else { 3 })
}
