//! Atomic sections of a function, balanced over its control-flow graph.
//!
//! Syntax does not say how deep a statement stands: `if (c) { end(); return; } end();` leaves one
//! section on two paths, and an end behind a `return` leaves none. So lowering writes where sections
//! begin and end, and depths are found here, along the paths from the entry. What no path reaches
//! counts for nothing.

use std::sync::Arc;

use sapa_ir::goto::{
    BlockId, Function, Instruction, Location, Op, Operand, Section, Target, TerminatorKind,
};

use super::body::Body;
use super::program::{Lowered, Lowerer};
use crate::diagnostic::{Diagnostic, Severity};
use crate::position::SourceLocation;

/// Two ways lead to one place, one of them inside a section that the other is not in.
const SOME_PATHS: &str = "an atomic section is opened or closed on some paths only";

impl Body<'_, '_> {
    /// Checks that every place of the function is reached at one depth, and that it returns at the
    /// depth it was called at. A function that is one section as a whole (`__VERIFIER_atomic_f`)
    /// gets its begin and its ends; a thread that ends inside a section leaves it.
    ///
    /// # Errors
    /// Reported at the instruction or jump that breaks the rule.
    pub fn settle_sections(&mut self) -> Lowered<()> {
        let own = u32::from(self.is_section);
        let function = &mut self.function;
        decide_constant_branches(function);
        let mut depths: Vec<Option<u32>> = vec![None; function.blocks.len()];
        if let Some(entry) = depths.first_mut() {
            *entry = Some(own);
        }
        let mut pending = vec![Function::ENTRY];
        while let Some(block) = pending.pop() {
            let Some(mut depth) = depths[block.index()] else { continue };
            let data = &mut function.blocks[block.index()];
            for instruction in &data.instructions {
                match instruction.op {
                    Op::AtomicBegin(_) => depth += 1,
                    Op::AtomicEnd if depth == own => {
                        let location = instruction.location;
                        return self.unit.error_at(location, "no atomic section is open here");
                    }
                    Op::AtomicEnd => depth -= 1,
                    _ => {}
                }
            }
            let location = data.terminator.location;
            let leaves = match data.terminator.kind {
                TerminatorKind::Return(_) if depth != own => {
                    let message = "the function returns inside an atomic section";
                    return self.unit.error_at(location, message);
                }
                TerminatorKind::Return(_) | TerminatorKind::EndThread(_) => depth,
                _ => 0,
            };
            for _ in 0..leaves {
                data.instructions.push(section(Op::AtomicEnd, location));
            }
            let mut successors: Vec<BlockId> = Vec::new();
            data.terminator.kind.for_each_target(|target| successors.push(target.block));
            for successor in successors {
                match depths[successor.index()] {
                    None => {
                        depths[successor.index()] = Some(depth);
                        pending.push(successor);
                    }
                    Some(known) if known != depth => {
                        return self.unit.error_at(location, SOME_PATHS);
                    }
                    Some(_) => {}
                }
            }
        }
        if self.is_section {
            let entry = &mut function.blocks[Function::ENTRY.index()];
            entry
                .instructions
                .insert(0, section(Op::AtomicBegin(Section::Locked), function.location));
        }
        Ok(())
    }
}

fn section(op: Op, location: Location) -> Instruction {
    Instruction { op, result: None, location }
}

/// A branch on a constant has one way: nothing behind `while (1)` is reached but by a `break`.
fn decide_constant_branches(function: &mut Function) {
    let has_sections =
        function.instructions().any(|instruction| matches!(instruction.op, Op::AtomicBegin(_)));
    // Elsewhere nothing depends on it, and `unreachable-blocks` does the same for all.
    for block in function.blocks.iter_mut().filter(|_| has_sections) {
        if let TerminatorKind::Branch { condition: Operand::Int { value, .. }, then, otherwise } =
            &mut block.terminator.kind
        {
            let taken = if *value != 0 { then } else { otherwise };
            let target = std::mem::replace(taken, Target::new(Function::ENTRY));
            block.terminator.kind = TerminatorKind::Jump(target);
        }
    }
}

impl Lowerer<'_> {
    /// Reports an error at a place that the module knows.
    fn error_at<T>(&mut self, location: Location, message: &str) -> Lowered<T> {
        let file = self.module.files.get(location.file.index()).map_or("?", String::as_str);
        let place =
            SourceLocation { file: Arc::from(file), line: location.line, column: location.column };
        let diagnostic = Diagnostic::new(Severity::Error, Some(place), message);
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Err(super::program::Reported)
    }
}
