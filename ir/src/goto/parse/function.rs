//! Functions and blocks.

use rustc_hash::FxHashMap;

use super::lexer::Kind;
use super::types::block_label;
use super::{Failed, Parse, Parser};
use crate::goto::entity::{BlockId, Entity, FunctionId, SlotId, ValueId, VariableId};
use crate::goto::function::{Block, Function, Slot, Value};
use crate::goto::instruction::{Instruction, Op, Terminator};
use crate::goto::source::{Location, SourceVariable};

/// What is known of the function that is being read.
pub(super) struct Body {
    pub id: FunctionId,
    function: Function,
    /// Values by id; dense only at the end.
    values: FxHashMap<u32, Value>,
    /// Location of the last instruction.
    previous: Location,
}

/// An instruction or the end of a block.
pub(super) enum Step {
    Instruction(Op),
    Terminator(crate::goto::instruction::TerminatorKind),
}

impl Parser<'_> {
    pub(super) fn function(&mut self, defined: bool) -> Parse<()> {
        let start = self.token().start;
        let name = self.declared('@', "the name of a function, as `@f`")?;
        self.punct('(')?;
        let parameters = self.list(')', Self::ty)?;
        let result = if *self.kind() == Kind::Arrow {
            self.advance();
            Some(self.ty()?)
        } else {
            None
        };
        let base = self.header_base(&name);
        let location = self.location(base, base)?;
        let id = FunctionId::new(self.module.functions.len());
        let function = Function::declaration(name, parameters, result, location);
        let mut body = Body { id, function, values: FxHashMap::default(), previous: location };
        if defined || self.is_punct('{') {
            self.punct('{')?;
            let complete = self.body(&mut body);
            if self.finish(&mut body, start) && complete && defined != body.function.is_defined() {
                let message = if defined { "has no blocks" } else { "is only declared" };
                self.error_at(start, format!("function `{}` {message}", body.function.name));
            }
        }
        // Kept even after errors, so that the ids of the following ones hold.
        self.module.functions.push(body.function);
        Ok(())
    }

    /// Reads up to the closing brace; false after an error.
    fn body(&mut self, body: &mut Body) -> bool {
        let mut complete = true;
        while !self.take_punct('}') {
            if self.at_end() {
                let _: Parse<()> = self.expected("`}`");
                return false;
            }
            let before = self.position;
            if self.part(body).is_err() {
                complete = false;
                self.depth = 0;
                if self.position == before {
                    self.advance();
                }
                if self.skip_within_function() {
                    return false;
                }
            }
        }
        complete
    }

    /// Goes on at the next line; true if that is beyond the function.
    fn skip_within_function(&mut self) -> bool {
        self.skip_to_line(|_| true);
        matches!(self.kind(), Kind::Word("define" | "declare"))
            && matches!(self.kind_after(1), Kind::Sigil('@', _))
    }

    /// A local, or a block.
    fn part(&mut self, body: &mut Body) -> Parse<()> {
        match *self.kind() {
            Kind::Word("var") => {
                self.advance();
                let id = VariableId::new(body.function.variables.len());
                self.mark(Entity::Variable(body.id, id));
                let name = self.local_name(body, '!', "the name of a variable, as `!v`")?;
                self.punct(':')?;
                let (ty, signed) = self.typed()?;
                self.declare(body, '!', &name, id.0);
                body.function.variables.push(SourceVariable { name, ty, signed });
                Ok(())
            }
            Kind::Word("slot") => {
                self.advance();
                let id = SlotId::new(body.function.slots.len());
                self.mark(Entity::Slot(body.id, id));
                let name = self.local_name(body, '&', "the name of a slot, as `&s`")?;
                self.punct(':')?;
                let (ty, signed) = self.typed()?;
                self.declare(body, '&', &name, id.0);
                body.function.slots.push(Slot { name, ty, signed });
                Ok(())
            }
            Kind::Word("value") => {
                self.advance();
                self.definition(body).map(|_| ())
            }
            Kind::Word(word) if block_label(word).is_some() => self.block(body),
            _ => self.expected("a block (`bb0:`), `var`, `slot`, `value` or `}`"),
        }
    }

    fn local_name(&mut self, body: &Body, sigil: char, what: &str) -> Parse<String> {
        if body.function.is_defined() {
            return self.fail("locals are declared before the first block");
        }
        if !self.is_declared(sigil) {
            return self.expected(what);
        }
        self.declared(sigil, what)
    }

    fn declare(&mut self, body: &Body, sigil: char, name: &str, index: u32) {
        let table = self.locals.entry((body.id.0, sigil)).or_default();
        table.entry(name.to_owned()).or_insert(index);
    }

    /// `%3: i32 !v`.
    fn definition(&mut self, body: &mut Body) -> Parse<ValueId> {
        let start = self.token().start;
        let Kind::Value(value) = *self.kind() else { return self.expected("a value, as `%3`") };
        self.mark(Entity::Value(body.id, ValueId(value)));
        self.advance();
        self.punct(':')?;
        let ty = self.ty()?;
        let variable = match self.kind() {
            Kind::Sigil('!', _) => Some(self.variable_reference(body.id)?),
            _ => None,
        };
        let data = Value { ty, variable };
        // The verifier reports a second definition; here it must not contradict.
        match body.values.get(&value) {
            Some(other) if *other != data => {
                self.error_at(start, format!("`%{value}` has another type or variable above"));
                return Err(Failed);
            }
            _ => body.values.insert(value, data),
        };
        Ok(ValueId(value))
    }

    fn block(&mut self, body: &mut Body) -> Parse<()> {
        let expected = body.function.blocks.len();
        let label = match *self.kind() {
            Kind::Word(word) => block_label(word),
            _ => None,
        };
        if label.is_none_or(|label| label.index() != expected) {
            return self.expected(&format!("block `bb{expected}`"));
        }
        let id = BlockId::new(expected);
        self.mark(Entity::Block(body.id, id));
        self.advance();
        let parameters = if self.take_punct('(') {
            self.list(')', |parser| parser.definition(body))?
        } else {
            Vec::new()
        };
        self.punct(':')?;
        let mut instructions = Vec::new();
        let mut failed = false;
        let terminator = loop {
            if self.is_punct('}') || self.at_end() {
                break self.expected("an instruction");
            }
            let before = self.position;
            match self.step(body, id, instructions.len()) {
                Ok((result, Step::Instruction(op), location)) => {
                    instructions.push(Instruction { op, result, location });
                }
                Ok((_, Step::Terminator(kind), location)) => {
                    break Ok(Terminator { kind, location });
                }
                Err(Failed) => {
                    failed = true;
                    self.depth = 0;
                    if self.position == before {
                        self.advance();
                    }
                    if self.skip_within_function() || self.is_punct('}') || self.is_label() {
                        break Err(Failed);
                    }
                }
            }
        };
        // The block takes its place even after an error: the next label must fit.
        let (terminator, ended) = match terminator {
            Ok(terminator) => (terminator, true),
            Err(Failed) => {
                let kind = crate::goto::instruction::TerminatorKind::Unreachable;
                (Terminator { kind, location: body.previous }, false)
            }
        };
        body.function.blocks.push(Block { parameters, instructions, terminator });
        if !ended && !failed {
            return Err(Failed);
        }
        Ok(())
    }

    fn is_label(&self) -> bool {
        matches!(*self.kind(), Kind::Word(word) if block_label(word).is_some())
    }

    /// One instruction or terminator with its location.
    fn step(
        &mut self,
        body: &mut Body,
        block: BlockId,
        index: usize,
    ) -> Parse<(Option<ValueId>, Step, Location)> {
        let mut result = None;
        if let Kind::Value(_) = self.kind() {
            result = Some(self.definition(body)?);
            self.punct('=')?;
        }
        let start = self.token().start;
        let step = self.instruction(body.id)?;
        let entity = match step {
            Step::Instruction(_) => Entity::Instruction(body.id, block, index),
            Step::Terminator(_) => Entity::Terminator(body.id, block),
        };
        self.mark_at(start, entity);
        if result.is_some() && matches!(step, Step::Terminator(_)) {
            self.error_at(start, "this ends the block and has no result".to_owned());
            return Err(Failed);
        }
        let location = self.location(body.function.location, body.previous)?;
        body.previous = location;
        Ok((result, step, location))
    }

    /// Moves the values to their table; false if there is a gap.
    fn finish(&mut self, body: &mut Body, start: usize) -> bool {
        let count = body.values.len();
        for index in 0..count {
            match u32::try_from(index).ok().and_then(|index| body.values.remove(&index)) {
                Some(value) => body.function.values.push(value),
                None => {
                    let name = &body.function.name;
                    let message = format!(
                        "function `{name}` has {count} values, but `%{index}` is not one of them; values are numbered from 0 without gaps"
                    );
                    // After other errors a gap is likely their consequence.
                    if self.errors.is_empty() {
                        self.error_at(start, message);
                    }
                    return false;
                }
            }
        }
        true
    }
}
