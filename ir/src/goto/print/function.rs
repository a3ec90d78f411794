//! Functions, instructions and terminators as text.

use std::fmt::Write;

use super::names::{Table, write_name, write_string};
use super::{Printer, emit};
use crate::goto::entity::{BlockId, Entity, ValueId};
use crate::goto::function::{Block, Function};
use crate::goto::instruction::{
    Instruction, MemoryOrder, Op, Operand, Section, Target, Terminator, TerminatorKind,
};
use crate::goto::mnemonic::{BINARY, CAST, COMPARE, ORDER, SYNC, UNARY, word};
use crate::goto::source::Location;

/// What the printing of one function needs to know.
struct Scope<'f> {
    function: &'f Function,
    variables: Table<'f>,
    slots: Table<'f>,
    previous: Location,
}

impl<'f> Scope<'f> {
    fn new(function: &'f Function) -> Self {
        Self {
            function,
            variables: Table::new(function.variables.iter().map(|v| v.name.as_str())),
            slots: Table::new(function.slots.iter().map(|s| s.name.as_str())),
            previous: function.location,
        }
    }
}

impl Printer<'_> {
    /// A part of a function, after the function's name: what is in a block after the block's.
    pub(super) fn part(&mut self, function: &Function, entity: Entity) {
        let scope = &Scope::new(function);
        let block = |id: BlockId| function.blocks.get(id.index());
        match entity {
            Entity::Variable(_, id) => {
                self.out.push_str(": var !");
                scope.variables.write(&mut self.out, id.index(), true);
            }
            Entity::Slot(_, id) => {
                self.out.push_str(": slot &");
                scope.slots.write(&mut self.out, id.index(), true);
            }
            Entity::Value(_, id) => {
                self.out.push_str(": ");
                self.definition(scope, id);
            }
            Entity::Block(_, id) => emit!(self, ", {id}"),
            Entity::Instruction(_, id, index) => {
                emit!(self, ", {id}: ");
                if let Some(found) = block(id).and_then(|block| block.instructions.get(index)) {
                    self.computation(scope, found);
                }
            }
            Entity::Terminator(_, id) => {
                emit!(self, ", {id}: ");
                if let Some(block) = block(id) {
                    self.ending(scope, &block.terminator.kind);
                }
            }
            _ => {}
        }
    }

    pub(super) fn function(&mut self, function: &Function) {
        self.out.push_str(if function.is_defined() { "define @" } else { "declare @" });
        write_name(&mut self.out, &function.name, true);
        self.out.push('(');
        for (index, ty) in function.parameters.iter().enumerate() {
            self.comma(index);
            self.ty(ty);
        }
        self.out.push(')');
        if let Some(result) = &function.result {
            self.out.push_str(" -> ");
            self.ty(result);
        }
        let base = self.header_base(function);
        self.location(function.location, base, base);
        let mut scope = Scope::new(function);
        if !function.is_defined()
            && function.variables.is_empty()
            && function.slots.is_empty()
            && function.values.is_empty()
        {
            self.out.push('\n');
            return;
        }
        self.out.push_str(" {\n");
        self.locals(&scope);
        for (id, block) in function.blocks() {
            self.block(&mut scope, id, block);
        }
        self.out.push_str("}\n");
    }

    /// Variables, slots, and those values that nothing defines.
    fn locals(&mut self, scope: &Scope<'_>) {
        let function = scope.function;
        for variable in &function.variables {
            self.out.push_str("  var !");
            write_name(&mut self.out, &variable.name, true);
            self.out.push_str(": ");
            self.typed(&variable.ty, variable.signed);
            self.out.push('\n');
        }
        for slot in &function.slots {
            self.out.push_str("  slot &");
            write_name(&mut self.out, &slot.name, true);
            self.out.push_str(": ");
            self.typed(&slot.ty, slot.signed);
            self.out.push('\n');
        }
        let mut defined = vec![false; function.values.len()];
        for block in &function.blocks {
            let results = block.instructions.iter().filter_map(|i| i.result);
            for value in block.parameters.iter().copied().chain(results) {
                if let Some(entry) = defined.get_mut(value.index()) {
                    *entry = true;
                }
            }
        }
        for index in defined.iter().enumerate().filter(|(_, d)| !**d).map(|(index, _)| index) {
            self.out.push_str("  value ");
            self.definition(scope, ValueId::new(index));
            self.out.push('\n');
        }
    }

    fn block(&mut self, scope: &mut Scope<'_>, id: BlockId, block: &Block) {
        emit!(self, "bb{}", id.0);
        if !block.parameters.is_empty() {
            self.out.push('(');
            for (index, parameter) in block.parameters.iter().enumerate() {
                self.comma(index);
                self.definition(scope, *parameter);
            }
            self.out.push(')');
        }
        self.out.push_str(":\n");
        for instruction in &block.instructions {
            self.instruction(scope, instruction);
        }
        self.terminator(scope, &block.terminator);
    }

    /// `%3: i32 !v`.
    fn definition(&mut self, scope: &Scope<'_>, value: ValueId) {
        emit!(self, "%{}", value.0);
        if let Some(data) = scope.function.values.get(value.index()) {
            self.out.push_str(": ");
            self.ty(&data.ty);
            if let Some(variable) = data.variable {
                self.out.push_str(" !");
                scope.variables.write(&mut self.out, variable.index(), true);
            }
        }
    }

    fn place(&mut self, scope: &mut Scope<'_>, location: Location) {
        self.location(location, scope.function.location, scope.previous);
        scope.previous = location;
        self.out.push('\n');
    }

    fn instruction(&mut self, scope: &mut Scope<'_>, instruction: &Instruction) {
        self.out.push_str("  ");
        self.computation(scope, instruction);
        self.place(scope, instruction.location);
    }

    /// An instruction without its place.
    fn computation(&mut self, scope: &Scope<'_>, instruction: &Instruction) {
        if let Some(result) = instruction.result {
            self.definition(scope, result);
            self.out.push_str(" = ");
        }
        self.op(scope, &instruction.op);
    }

    fn op(&mut self, scope: &Scope<'_>, op: &Op) {
        match op {
            Op::Binary { op, a, b, no_signed_wrap } => {
                let suffix = if *no_signed_wrap { ".nsw" } else { "" };
                emit!(self, "{}{suffix} ", word(BINARY, op));
                self.operands(scope, &[*a, *b]);
            }
            Op::Unary { op, a } => self.simple(scope, word(UNARY, op), &[*a]),
            Op::Compare { op, a, b } => self.simple(scope, word(COMPARE, op), &[*a, *b]),
            Op::Cast { op, a } => self.simple(scope, word(CAST, op), &[*a]),
            Op::Select { condition, a, b } => self.simple(scope, "select", &[*condition, *a, *b]),
            Op::Copy { a } => self.simple(scope, "copy", &[*a]),
            Op::FieldAddress { base, structure, field } => {
                self.out.push_str("field ");
                self.field_name(*structure, *field);
                self.after_type(scope, &[*base]);
            }
            Op::IndexAddress { base, element, index } => {
                self.out.push_str("index ");
                self.ty(element);
                self.after_type(scope, &[*base, *index]);
            }
            Op::Load { address, order, volatile } => {
                self.access("load", *order, *volatile);
                self.operands(scope, &[*address]);
            }
            Op::Store { address, value, ty, order, volatile } => {
                self.access("store", *order, *volatile);
                self.ty(ty);
                self.after_type(scope, &[*address, *value]);
            }
            Op::CopyMemory { destination, source, ty } => {
                self.out.push_str("copy_memory ");
                self.ty(ty);
                self.after_type(scope, &[*destination, *source]);
            }
            Op::HavocMemory { address, ty } => {
                self.out.push_str("havoc ");
                self.ty(ty);
                self.after_type(scope, &[*address]);
            }
            Op::Allocate { size, zeroed, ty } => {
                self.out.push_str(if *zeroed { "allocate.zeroed " } else { "allocate " });
                if let Some(ty) = ty {
                    self.ty(ty);
                    self.out.push_str(", ");
                }
                self.operands(scope, &[*size]);
            }
            Op::Free { address } => self.simple(scope, "free", &[*address]),
            Op::ObjectSize { address } => self.simple(scope, "object_size", &[*address]),
            Op::Accessible { address, ty, ended } => {
                self.out.push_str(if *ended { "accessible.ended " } else { "accessible " });
                self.ty(ty);
                self.after_type(scope, &[*address]);
            }
            Op::Fence { order } => {
                self.out.push_str("fence");
                self.order(*order);
            }
            Op::Call { callee, arguments } => self.invoke(scope, "call", *callee, arguments),
            Op::Spawn { function, arguments } => self.invoke(scope, "spawn", *function, arguments),
            Op::Join { handle } => self.simple(scope, "join", &[*handle]),
            Op::ThreadSelf => self.out.push_str("thread_self"),
            Op::Sync { op, arguments } => {
                self.out.push_str(word(SYNC, op));
                self.arguments(scope, arguments);
            }
            Op::AtomicBegin(Section::Step) => self.out.push_str("atomic_begin"),
            Op::AtomicBegin(Section::Locked) => self.out.push_str("atomic_begin.locked"),
            Op::AtomicEnd => self.out.push_str("atomic_end"),
            Op::Nondet { unmodelled } => {
                self.out.push_str("nondet");
                if let Some(name) = unmodelled {
                    self.out.push(' ');
                    write_string(&mut self.out, name);
                }
            }
            Op::Assume { condition } => self.simple(scope, "assume", &[*condition]),
            Op::Assert { condition, property } => {
                self.simple(scope, "assert", &[*condition]);
                self.out.push_str(", ");
                write_string(&mut self.out, property);
            }
        }
    }

    fn terminator(&mut self, scope: &mut Scope<'_>, terminator: &Terminator) {
        self.out.push_str("  ");
        self.ending(scope, &terminator.kind);
        self.place(scope, terminator.location);
    }

    /// A terminator without its place.
    fn ending(&mut self, scope: &Scope<'_>, kind: &TerminatorKind) {
        match kind {
            TerminatorKind::Jump(target) => {
                self.out.push_str("jump ");
                self.target(scope, target);
            }
            TerminatorKind::Branch { condition, then, otherwise } => {
                self.simple(scope, "branch", &[*condition]);
                self.out.push_str(", ");
                self.target(scope, then);
                self.out.push_str(", ");
                self.target(scope, otherwise);
            }
            TerminatorKind::Switch { value, cases, default } => {
                self.simple(scope, "switch", &[*value]);
                self.out.push_str(" [");
                for (index, (case, target)) in cases.iter().enumerate() {
                    self.comma(index);
                    emit!(self, "{case}: ");
                    self.target(scope, target);
                }
                self.out.push_str("], ");
                self.target(scope, default);
            }
            TerminatorKind::Return(None) => self.out.push_str("return"),
            TerminatorKind::Return(Some(value)) => self.simple(scope, "return", &[*value]),
            TerminatorKind::EndThread(None) => self.out.push_str("end_thread"),
            TerminatorKind::EndThread(Some(value)) => self.simple(scope, "end_thread", &[*value]),
            TerminatorKind::Halt => self.out.push_str("halt"),
            TerminatorKind::Unreachable => self.out.push_str("unreachable"),
        }
    }

    fn target(&mut self, scope: &Scope<'_>, target: &Target) {
        emit!(self, "bb{}", target.block.0);
        if !target.arguments.is_empty() {
            self.arguments(scope, &target.arguments);
        }
    }

    fn access(&mut self, word: &str, order: MemoryOrder, volatile: bool) {
        self.out.push_str(word);
        self.order(order);
        self.out.push_str(if volatile { ".volatile " } else { " " });
    }

    fn order(&mut self, order: MemoryOrder) {
        if order != MemoryOrder::Plain {
            emit!(self, ".{}", word(ORDER, &order));
        }
    }

    fn simple(&mut self, scope: &Scope<'_>, word: &str, operands: &[Operand]) {
        emit!(self, "{word} ");
        self.operands(scope, operands);
    }

    fn invoke(&mut self, scope: &Scope<'_>, word: &str, callee: Operand, arguments: &[Operand]) {
        self.simple(scope, word, &[callee]);
        self.arguments(scope, arguments);
    }

    fn arguments(&mut self, scope: &Scope<'_>, arguments: &[Operand]) {
        self.out.push('(');
        self.operands(scope, arguments);
        self.out.push(')');
    }

    fn operands(&mut self, scope: &Scope<'_>, operands: &[Operand]) {
        for (index, operand) in operands.iter().enumerate() {
            self.comma(index);
            self.operand(scope, *operand);
        }
    }

    fn after_type(&mut self, scope: &Scope<'_>, operands: &[Operand]) {
        for operand in operands {
            self.out.push_str(", ");
            self.operand(scope, *operand);
        }
    }

    fn operand(&mut self, scope: &Scope<'_>, operand: Operand) {
        match operand {
            Operand::Value(value) => emit!(self, "%{}", value.0),
            Operand::Int { bits, value } => self.int(bits, value),
            Operand::Null => self.out.push_str("null"),
            Operand::Global(global) => self.global_name(global),
            Operand::Function(function) => self.function_name(function),
            Operand::Slot(slot) => {
                self.out.push('&');
                scope.slots.write(&mut self.out, slot.index(), true);
            }
        }
    }
}
