//! Instructions, terminators and operands.

use super::function::Step;
use super::lexer::Kind;
use super::{Parse, Parser};
use crate::goto::entity::{FunctionId, ValueId};
use crate::goto::instruction::{MemoryOrder, Op, Operand, Section, Target, TerminatorKind};
use crate::goto::mnemonic::{BINARY, CAST, COMPARE, ORDER, SYNC, UNARY, find};

impl Parser<'_> {
    /// An instruction or terminator of function `scope`, without result and location.
    pub(super) fn instruction(&mut self, scope: FunctionId) -> Parse<Step> {
        let Kind::Word(word) = *self.kind() else { return self.expected("an instruction") };
        if let Some(kind) = self.terminator(word, scope)? {
            return Ok(Step::Terminator(kind));
        }
        let op = match self.computation(word, scope)? {
            Some(op) => op,
            None => match self.memory(word, scope)? {
                Some(op) => op,
                None => match self.effect(word, scope)? {
                    Some(op) => op,
                    None => return self.fail(format!("unknown instruction `{word}`")),
                },
            },
        };
        Ok(Step::Instruction(op))
    }

    fn computation(&mut self, word: &str, scope: FunctionId) -> Parse<Option<Op>> {
        Ok(Some(if let Some(op) = find(BINARY, word) {
            self.advance();
            let no_signed_wrap = self.suffix("nsw")?;
            let (a, b) = self.two_operands(scope)?;
            Op::Binary { op, a, b, no_signed_wrap }
        } else if let Some(op) = find(COMPARE, word) {
            self.advance();
            let (a, b) = self.two_operands(scope)?;
            Op::Compare { op, a, b }
        } else if let Some(op) = find(UNARY, word) {
            self.advance();
            Op::Unary { op, a: self.operand(scope)? }
        } else if let Some(op) = find(CAST, word) {
            self.advance();
            Op::Cast { op, a: self.operand(scope)? }
        } else {
            match word {
                "select" => {
                    self.advance();
                    let condition = self.operand(scope)?;
                    self.punct(',')?;
                    let (a, b) = self.two_operands(scope)?;
                    Op::Select { condition, a, b }
                }
                "copy" => {
                    self.advance();
                    Op::Copy { a: self.operand(scope)? }
                }
                "field" => {
                    self.advance();
                    let (structure, field) = self.field_reference()?;
                    self.punct(',')?;
                    let base = self.operand(scope)?;
                    Op::FieldAddress { base, structure, field }
                }
                "index" => {
                    self.advance();
                    let element = self.ty()?;
                    self.punct(',')?;
                    let (base, index) = self.two_operands(scope)?;
                    Op::IndexAddress { base, element, index }
                }
                "nondet" => {
                    self.advance();
                    let named = matches!(self.kind(), Kind::Text(_));
                    let unmodelled =
                        if named { Some(self.string("what it is the value of")?) } else { None };
                    Op::Nondet { unmodelled }
                }
                _ => return Ok(None),
            }
        }))
    }

    fn memory(&mut self, word: &str, scope: FunctionId) -> Parse<Option<Op>> {
        Ok(Some(match word {
            "load" => {
                self.advance();
                let (order, volatile) = self.access()?;
                Op::Load { address: self.operand(scope)?, order, volatile }
            }
            "store" => {
                self.advance();
                let (order, volatile) = self.access()?;
                let ty = self.ty()?;
                self.punct(',')?;
                let (address, value) = self.two_operands(scope)?;
                Op::Store { address, value, ty, order, volatile }
            }
            "copy_memory" => {
                self.advance();
                let ty = self.ty()?;
                self.punct(',')?;
                let (destination, source) = self.two_operands(scope)?;
                Op::CopyMemory { destination, source, ty }
            }
            "havoc" => {
                self.advance();
                let ty = self.ty()?;
                self.punct(',')?;
                Op::HavocMemory { address: self.operand(scope)?, ty }
            }
            "allocate" => {
                self.advance();
                let zeroed = self.suffix("zeroed")?;
                let mut ty = None;
                // A type is a word or a bracket; so is no operand but `true`, `false` and `null`.
                let starts_operand = matches!(self.kind(), Kind::Word("true" | "false" | "null"));
                if self.is_punct('[') || (matches!(self.kind(), Kind::Word(_)) && !starts_operand) {
                    ty = Some(self.ty()?);
                    self.punct(',')?;
                }
                Op::Allocate { size: self.operand(scope)?, zeroed, ty }
            }
            "free" => {
                self.advance();
                Op::Free { address: self.operand(scope)? }
            }
            "object_size" => {
                self.advance();
                Op::ObjectSize { address: self.operand(scope)? }
            }
            "accessible" => {
                self.advance();
                let ended = self.suffix("ended")?;
                let ty = self.ty()?;
                self.punct(',')?;
                Op::Accessible { address: self.operand(scope)?, ty, ended }
            }
            "fence" => {
                self.advance();
                let (order, volatile) = self.access()?;
                if volatile {
                    return self.fail("a fence cannot be volatile");
                }
                Op::Fence { order }
            }
            _ => return Ok(None),
        }))
    }

    fn effect(&mut self, word: &str, scope: FunctionId) -> Parse<Option<Op>> {
        if let Some(op) = find(SYNC, word) {
            self.advance();
            let arguments = self.arguments(scope)?;
            return Ok(Some(Op::Sync { op, arguments }));
        }
        Ok(Some(match word {
            "call" => {
                self.advance();
                let callee = self.operand(scope)?;
                Op::Call { callee, arguments: self.arguments(scope)? }
            }
            "spawn" => {
                self.advance();
                let function = self.operand(scope)?;
                Op::Spawn { function, arguments: self.arguments(scope)? }
            }
            "join" => {
                self.advance();
                Op::Join { handle: self.operand(scope)? }
            }
            "thread_self" => {
                self.advance();
                Op::ThreadSelf
            }
            "atomic_begin" => {
                self.advance();
                Op::AtomicBegin(if self.suffix("locked")? {
                    Section::Locked
                } else {
                    Section::Step
                })
            }
            "atomic_end" => {
                self.advance();
                Op::AtomicEnd
            }
            "assume" => {
                self.advance();
                Op::Assume { condition: self.operand(scope)? }
            }
            "assert" => {
                self.advance();
                let condition = self.operand(scope)?;
                self.punct(',')?;
                Op::Assert { condition, property: self.string("the property, quoted")? }
            }
            _ => return Ok(None),
        }))
    }

    fn terminator(&mut self, word: &str, scope: FunctionId) -> Parse<Option<TerminatorKind>> {
        Ok(Some(match word {
            "jump" => {
                self.advance();
                TerminatorKind::Jump(self.target(scope)?)
            }
            "branch" => {
                self.advance();
                let condition = self.operand(scope)?;
                self.punct(',')?;
                let then = self.target(scope)?;
                self.punct(',')?;
                TerminatorKind::Branch { condition, then, otherwise: self.target(scope)? }
            }
            "switch" => {
                self.advance();
                let value = self.operand(scope)?;
                self.punct('[')?;
                let cases = self.list(']', |parser| {
                    let case = parser.number("a case")?;
                    parser.punct(':')?;
                    Ok((case, parser.target(scope)?))
                })?;
                self.punct(',')?;
                TerminatorKind::Switch { value, cases, default: self.target(scope)? }
            }
            "return" => {
                self.advance();
                let value = if self.starts_operand() { Some(self.operand(scope)?) } else { None };
                TerminatorKind::Return(value)
            }
            "end_thread" => {
                self.advance();
                let value = if self.starts_operand() { Some(self.operand(scope)?) } else { None };
                TerminatorKind::EndThread(value)
            }
            "halt" => {
                self.advance();
                TerminatorKind::Halt
            }
            "unreachable" => {
                self.advance();
                TerminatorKind::Unreachable
            }
            _ => return Ok(None),
        }))
    }

    fn target(&mut self, scope: FunctionId) -> Parse<Target> {
        let block = self.block_reference()?;
        let arguments = if self.is_punct('(') { self.arguments(scope)? } else { Vec::new() };
        Ok(Target { block, arguments })
    }

    fn arguments(&mut self, scope: FunctionId) -> Parse<Vec<Operand>> {
        self.punct('(')?;
        self.list(')', |parser| parser.operand(scope))
    }

    fn two_operands(&mut self, scope: FunctionId) -> Parse<(Operand, Operand)> {
        let a = self.operand(scope)?;
        self.punct(',')?;
        Ok((a, self.operand(scope)?))
    }

    /// `.word`, if anything follows the dot it is that.
    fn suffix(&mut self, word: &str) -> Parse<bool> {
        if !self.take_punct('.') {
            return Ok(false);
        }
        self.keyword(word).map(|()| true)
    }

    /// The suffixes of an access.
    fn access(&mut self) -> Parse<(MemoryOrder, bool)> {
        let (mut order, mut volatile) = (MemoryOrder::Plain, false);
        while self.take_punct('.') {
            match *self.kind() {
                Kind::Word("volatile") if !volatile => volatile = true,
                Kind::Word(word) if !volatile && order == MemoryOrder::Plain => {
                    match find(ORDER, word) {
                        Some(found) => order = found,
                        None => return self.expected("a memory order or `volatile`"),
                    }
                }
                _ => return self.expected("`volatile`, once and last, after a memory order"),
            }
            self.advance();
        }
        Ok((order, volatile))
    }

    fn starts_operand(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Value(_)
                | Kind::Int { .. }
                | Kind::Sigil('$' | '@' | '&', _)
                | Kind::Word("true" | "false" | "null")
        )
    }

    fn operand(&mut self, scope: FunctionId) -> Parse<Operand> {
        if let Some((bits, value)) = self.constant()? {
            return Ok(Operand::Int { bits, value });
        }
        match *self.kind() {
            Kind::Value(value) => {
                self.advance();
                Ok(Operand::Value(ValueId(value)))
            }
            Kind::Word("null") => {
                self.advance();
                Ok(Operand::Null)
            }
            Kind::Sigil('$', _) => self.global_reference().map(Operand::Global),
            Kind::Sigil('@', _) => self.function_reference().map(Operand::Function),
            Kind::Sigil('&', _) => self.slot_reference(scope).map(Operand::Slot),
            _ => self.expected("an operand"),
        }
    }
}
