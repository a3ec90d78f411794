//! The operands of an `asm` statement, as their constraints say: registers with values, and objects in
//! memory.
//!
//! An output that is not marked with `&` may share its register with whatever is read before it is written:
//! with an input (one of the same value, where the output is read too), and with the address of an object in memory. So
//! once such an output was written, inputs and objects behind addresses that are computed have no known value any more.
//! Variables that are named, and their members, lie at fixed places or on the stack: no register is needed for them.

use sapa_ir::goto::{Op, Operand};

use crate::c::ast::{Asm, AsmOperand};
use crate::lower::body::{Body, Place, Value};
use crate::lower::program::Lowered;
use crate::position::Position;

/// Where an operand is.
#[derive(Clone, Debug)]
pub(super) enum Location {
    Memory(Place),
    /// The index of its register.
    Register(usize),
}

/// The operands, and what the registers hold.
#[derive(Debug, Default)]
pub(super) struct Operands {
    /// Name and place of each, outputs first, as the template counts them.
    all: Vec<(Option<String>, Location)>,
    /// The registers: which one it has to be, and its value, if it has one yet.
    registers: Vec<(Option<char>, Option<Value>)>,
    /// Objects that take the values of registers in the end.
    outputs: Vec<(Place, usize)>,
    /// Outputs that the compiler may put where an input is, since the constraint does not say that they
    /// are written early (`&`).
    shared: Vec<usize>,
    /// Whether one of these was written: inputs may be gone, and addresses of objects.
    pub is_overwritten: bool,
    /// Registers that the statement says it changes, by their letters.
    clobbered: Vec<char>,
    /// Whether the last result was zero (or, of an exchange, whether the values were equal).
    pub zero: Option<Operand>,
}

/// The letters of registers of x86 in constraints, and what their names have in common.
const FIXED: &[(char, &[&str])] = &[
    ('a', &["al", "ax", "eax", "rax"]),
    ('b', &["bl", "bx", "ebx", "rbx"]),
    ('c', &["cl", "cx", "ecx", "rcx"]),
    ('d', &["dl", "dx", "edx", "rdx"]),
    ('S', &["sil", "si", "esi", "rsi"]),
    ('D', &["dil", "di", "edi", "rdi"]),
];

/// A constraint without what only matters to the choice of registers.
fn letters(constraint: &str) -> &str {
    constraint.trim_start_matches(['=', '+', '&', '%'])
}

fn is_memory(constraint: &str) -> bool {
    let letters = letters(constraint);
    !letters.is_empty() && letters.chars().all(|c| "moV<>,".contains(c))
}

fn fixed(constraint: &str) -> Option<char> {
    let mut letters = letters(constraint).chars();
    let first = letters.next()?;
    (letters.next().is_none() && FIXED.iter().any(|(letter, _)| *letter == first)).then_some(first)
}

impl Operands {
    /// Evaluates the operands: outputs first, as far as that is their places, then inputs.
    pub fn of(body: &mut Body<'_, '_>, asm: &Asm) -> Lowered<Self> {
        let mut operands = Self::default();
        for clobber in &asm.clobbers {
            let name = clobber.to_text();
            let name = name.trim_start_matches('%');
            let known = FIXED.iter().filter(|(_, names)| names.contains(&name));
            operands.clobbered.extend(known.map(|(letter, _)| *letter));
        }
        for output in &asm.outputs {
            operands.output(body, output)?;
        }
        for input in &asm.inputs {
            operands.input(body, input)?;
        }
        Ok(operands)
    }

    fn new_register(&mut self, constraint: &str, value: Option<Value>) -> usize {
        let fixed = fixed(constraint);
        let known = self.registers.iter().position(|(of, _)| fixed.is_some() && *of == fixed);
        match (known, value) {
            (Some(index), None) => index,
            (Some(index), Some(value)) => {
                if let Some(register) = self.registers.get_mut(index) {
                    register.1 = Some(value);
                }
                index
            }
            (None, value) => {
                self.registers.push((fixed, value));
                self.registers.len() - 1
            }
        }
    }

    fn output(&mut self, body: &mut Body<'_, '_>, output: &AsmOperand) -> Lowered<()> {
        let constraint = output.constraint.to_text();
        let name = output.name.as_ref().map(|name| name.name.to_string());
        let position = output.expression.position;
        let place = body.place(&output.expression)?;
        if !place.ty.is_scalar() || place.bits.is_some() {
            return body
                .error(position, "an output of assembly that is no scalar is not supported");
        }
        let is_read = constraint.starts_with('+');
        let location = if is_memory(&constraint) {
            Location::Memory(place)
        } else {
            let value = if is_read { Some(body.load(&place, position)?) } else { None };
            let register = self.new_register(&constraint, value);
            if !constraint.contains('&') {
                self.shared.push(register);
            }
            self.outputs.push((place, register));
            Location::Register(register)
        };
        self.all.push((name, location));
        Ok(())
    }

    fn input(&mut self, body: &mut Body<'_, '_>, input: &AsmOperand) -> Lowered<()> {
        let constraint = input.constraint.to_text();
        let name = input.name.as_ref().map(|name| name.name.to_string());
        let position = input.expression.position;
        if is_memory(&constraint) {
            let place = body.place(&input.expression)?;
            self.all.push((name, Location::Memory(place)));
            return Ok(());
        }
        let value = body.value(&input.expression)?;
        // `"0"`: in the place of that output.
        let same = letters(&constraint);
        let by_name = same.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let matched = match (same.parse::<usize>(), by_name) {
            (Ok(index), _) => self.all.get(index).map(|(_, location)| location.clone()),
            (_, Some(name)) => self.named(name),
            _ => None,
        };
        let location = match matched {
            Some(Location::Register(register)) => {
                if let Some((_, held)) = self.registers.get_mut(register) {
                    *held = Some(value);
                }
                Location::Register(register)
            }
            Some(Location::Memory(_)) => {
                return body
                    .error(position, "an input in the memory of an output is not supported");
            }
            None => Location::Register(self.new_register(&constraint, Some(value))),
        };
        self.all.push((name, location));
        Ok(())
    }

    fn named(&self, wanted: &str) -> Option<Location> {
        let found = self.all.iter().find(|(name, _)| name.as_deref() == Some(wanted));
        found.map(|(_, location)| location.clone())
    }

    /// What a text in the template names, with the width in bits that it says, if it does: `%1`,
    /// `%b1`, `%[name]`, `%%eax`.
    pub fn find(&mut self, text: &str) -> Option<(Location, Option<u16>)> {
        let text = text.strip_prefix('%')?;
        if let Some(name) = text.strip_prefix('%') {
            let (letter, names) = FIXED.iter().find(|(_, names)| names.contains(&name))?;
            let at = names.iter().position(|of| *of == name)?;
            let width = [8, 16, 32, 64].get(at).copied();
            return Some((Location::Register(self.new_register(&letter.to_string(), None)), width));
        }
        let (width, text) = match text.split_at_checked(1)? {
            ("b", rest) => (Some(8), rest),
            ("w", rest) => (Some(16), rest),
            ("k", rest) => (Some(32), rest),
            ("q", rest) => (Some(64), rest),
            _ => (None, text),
        };
        let location = match text.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => self.named(name)?,
            None => self.all.get(text.parse::<usize>().ok()?)?.1.clone(),
        };
        Some((location, width))
    }

    /// The value of a register; `None` if it has none, or may have lost it.
    pub fn held(&self, register: usize) -> Option<Value> {
        let is_output = self.outputs.iter().any(|(_, of)| *of == register);
        let value = self.registers.get(register)?.1.clone();
        value.filter(|_| is_output || !self.is_overwritten)
    }

    /// Gives a register a value. One that is neither an output nor said to change may be any input's.
    pub fn hold(&mut self, register: usize, value: Value) {
        let is_output = self.outputs.iter().any(|(_, of)| *of == register);
        let letter = self.registers.get(register).and_then(|(letter, _)| *letter);
        let is_said = is_output || letter.is_some_and(|letter| self.clobbered.contains(&letter));
        self.is_overwritten |= self.shared.contains(&register) || !is_said;
        if let Some(register) = self.registers.get_mut(register) {
            register.1 = Some(value);
        }
    }

    /// The type of the object that takes the value of a register in the end.
    pub fn type_of_output(&self, register: usize) -> Option<crate::lower::types::CType> {
        self.outputs.iter().find(|(_, of)| *of == register).map(|(place, _)| place.ty.clone())
    }

    /// Stores the values of the registers that are outputs. Of what nothing was put into, any.
    pub fn store_outputs(&self, body: &mut Body<'_, '_>, position: Position) -> Lowered<()> {
        for (place, register) in &self.outputs {
            let value = match self.held(*register) {
                Some(value) => body.convert(value, &place.ty, position)?,
                None => {
                    let Ok(memory) = place.ty.in_memory() else {
                        return body.error(position, "an output of assembly of this type");
                    };
                    let op = Op::Nondet { unmodelled: Some("asm".to_owned()) };
                    Value::Scalar(body.define(op, memory), place.ty.decayed())
                }
            };
            body.store(place, value, position)?;
        }
        Ok(())
    }
}
