//! Inline assembly: fences, compiler barriers, hints to the processor, and instructions of x86 that
//! programs take for atomic operations.
//!
//! | file | holds |
//! | --- | --- |
//! | `fence` | what instructions mean for the order of accesses |
//! | `operands` | the operands of a statement, in registers or memory |
//! | `instruction` | instructions of x86 on them, as GNU's assembler writes them |
//!
//! A statement without instructions hides values from the compiler, and changes none: an output that is an input
//! too keeps its value. One that is no input has any value then. All else is an error: nothing is
//! skipped whose effect is not known.

mod fence;
mod instruction;
mod operands;

use sapa_ir::goto::Op;

use crate::c::ast::Asm;
use crate::lower::body::Body;
use crate::lower::program::{Lowered, Lowerer};
use crate::position::Position;
use fence::{Meaning, meaning};
use operands::Operands;

/// The instructions of a template as words.
fn instructions(template: &str) -> impl Iterator<Item = Vec<&str>> {
    let instructions = template.split(['\n', ';']);
    instructions.map(|one| one.split_whitespace().collect::<Vec<&str>>()).filter(|w| !w.is_empty())
}

impl Body<'_, '_> {
    /// An `asm` statement. One that jumps or is not known is an error.
    pub fn assembly(&mut self, asm: &Asm) -> Lowered<()> {
        if !asm.labels.is_empty() {
            return self.error(asm.position, "assembly with labels is not supported");
        }
        let template = asm.template.to_text();
        let mut operands = Operands::of(self, asm)?;
        self.assembly_with(&template, &mut operands, asm.position)?;
        operands.store_outputs(self, asm.position)
    }

    /// The text of an `asm` statement without operands.
    pub fn assembly_text(&mut self, text: &str, position: Position) -> Lowered<()> {
        self.assembly_with(text, &mut Operands::default(), position)
    }

    fn assembly_with(
        &mut self,
        template: &str,
        operands: &mut Operands,
        position: Position,
    ) -> Lowered<()> {
        let mut is_locked = false;
        for words in instructions(template) {
            // The prefix may stand on its own: `lock; xaddl %0, %1`.
            let (prefix, words) = match words.as_slice() {
                ["lock", rest @ ..] => (true, rest),
                all => (false, all),
            };
            if prefix && words.is_empty() {
                is_locked = true;
                continue;
            }
            let locks = prefix || std::mem::take(&mut is_locked);
            let mut all = if locks { vec!["lock"] } else { Vec::new() };
            all.extend(words);
            match meaning(&all) {
                Some(Meaning::Nothing) => {}
                Some(Meaning::Fence(order)) => {
                    // What the fence adds nothing to says whether the result is zero.
                    if locks {
                        operands.zero = None;
                    }
                    self.effect(Op::Fence { order });
                }
                None if self.instruction(locks, words, operands, position)? => {}
                None => {
                    let why = match operands.is_overwritten {
                        true => {
                            "it comes after an output was written, which may be where inputs and addresses \
                             were; mark the output with '&', and list changed registers as clobbered"
                        }
                        false => "fences, compiler barriers and atomic operations of x86 are",
                    };
                    let message =
                        format!("the assembly '{}' is not supported ({why})", all.join(" "));
                    return self.error(position, message);
                }
            }
        }
        if is_locked {
            return self.error(position, "the assembly ends with the prefix 'lock'");
        }
        Ok(())
    }
}

impl Lowerer<'_> {
    /// `asm` outside functions: what gives names and notes to the linker does nothing.
    pub(super) fn file_assembly(&mut self, asm: &Asm) -> Lowered<()> {
        let template = asm.template.to_text();
        let is_nothing = |words: Vec<&str>| matches!(words.first(), Some(&(".symver" | ".ident")));
        if instructions(&template).all(is_nothing) {
            return Ok(());
        }
        self.error(asm.position, "assembly outside functions is not supported")
    }
}
